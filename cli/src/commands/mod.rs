//! Commands: one file or directory for each noun.
//!
//! A verb is a variant of its noun, with its arguments and its help, and an arm of `run`, which returns a [`CommandResult`]. Every format
//! and the exit code come from that, so a verb that shows what one call returns is these two places in one file. A verb that writes flattens
//! [`DryRunArgs`](crate::output::dry_run::DryRunArgs) into its arguments and gets its client from
//! [`Context::writer`](crate::context::Context::writer), which implements its `--dry-run`.

mod analytics;
mod api;
mod apply;
mod auth;
mod check;
mod config;
mod doctor;
mod files;
mod forms;
mod help;
mod init;
mod lint;
mod log;
mod music;
mod prelude;
mod preview;
mod profile;
mod pull;
mod sandbox;
mod schema;
mod search;
mod slots;
mod undo;

use self::config::ConfigCommand;
use self::forms::FormsCommand;
use self::prelude::*;
pub(crate) use self::prelude::{AccountWords, JOBS};
use self::profile::ProfileCommand;
use self::slots::SlotsCommand;
use crate::completion::Shell;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Log in, switch accounts, log out
    #[command(subcommand)]
    Auth(auth::AuthCommand),
    /// Show the token's owner and scopes, and how much of each limit is used
    #[command(examples = ["links me", "links me --jq .limits.profiles"])]
    Me,
    /// Show the service's conventions, limits and URLs
    #[command(hide = true, examples = ["links service --fields limits,conventions.dryRun"])]
    Service,
    /// Create, edit and rename pages
    #[command(subcommand, aliases = ["page", "pages", "profiles"])]
    Profile(ProfileCommand),
    /// Add, edit, move and delete slots
    #[command(subcommand)]
    Slots(SlotsCommand),
    /// Write pages and forms to files, or merge changes into existing files
    Pull(pull::PullArgs),
    /// Show what `links apply` would change
    Plan(apply::PlanArgs),
    /// Show how a page would look after applying its file
    Preview(preview::PreviewArgs),
    /// Make pages and forms match their files
    Apply(apply::ApplyCommandArgs),
    /// Find dead links in page files and on pages
    Check(check::CheckArgs),
    /// Check page files and form files against your own rules
    Lint(lint::LintArgs),
    /// Find text on pages, in forms and in page files
    Search(search::SearchCommandArgs),
    /// Create a links.lock that tracks page files, or rebuild it
    Init(init::InitArgs),
    /// List what this machine has written, or show one operation
    Log(log::LogArgs),
    /// Undo this machine's newest operation, or another one
    #[command(
        after_help = "Run it again to undo the operation before that, or run `links redo` to reverse an undo. Recreated slots get new IDs and lose their click statistics.",
        examples = ["links undo", "links undo \"$(links log -n 1 -o ids)\" --page cafe"]
    )]
    Undo(undo::UndoArgs),
    /// Reverse the newest undo, or another one
    #[command(
        after_help = "Takes back an undo, with the same limits as `links undo`.",
        examples = ["links redo", "links redo --yes"]
    )]
    Redo(undo::UndoArgs),
    /// Create and edit lead forms
    #[command(subcommand)]
    Forms(FormsCommand),
    /// List notification channels
    #[command(subcommand)]
    Channels(forms::ChannelsCommand),
    /// Upload images
    #[command(subcommand)]
    Files(files::FilesCommand),
    /// Find music releases and add them to pages
    #[command(subcommand)]
    Music(music::MusicCommand),
    /// Show views and clicks
    #[command(subcommand)]
    Analytics(analytics::AnalyticsCommand),
    /// Print JSON Schemas of page files, form files and slots
    #[command(subcommand)]
    Schema(schema::SchemaCommand),
    /// Call any path of the service's API
    Api(api::ApiArgs),
    /// Check the configuration, the token, the connection and the limits
    #[command(examples = ["links doctor", "links doctor --sandbox --report report.json"])]
    Doctor {
        /// Also write a file to attach to a bug report, without secrets, texts, names or paths
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
    /// Show and change the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a shell completion script
    #[command(alias = "completion", examples = ["source <(links completions bash)", "links completions zsh > ~/.zfunc/_links", "links completions fish > ~/.config/fish/completions/links.fish"])]
    Completions {
        /// Shell to print the script for
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },
    /// Explain a topic or a command
    #[command(examples = ["links help exit-codes", "links help slots apply"])]
    Help {
        /// Topic (options, exit-codes, environment, output, files, agents) or command
        #[arg(value_name = "TOPIC|COMMAND")]
        words: Vec<String>,
        /// With `agents`: print a SKILL.md with all commands
        #[arg(long)]
        skill: bool,
    },
    /// Write the manual pages
    #[command(hide = true, examples = ["links man ~/.local/share/man/man1"])]
    Man {
        /// Directory to write the pages to
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
    },
    /// Try everything without an account
    #[command(subcommand)]
    Sandbox(sandbox::SandboxCommand),
}

impl Command {
    /// Returns the words that can name directories of several accounts.
    pub(crate) fn account_words(&mut self) -> Option<AccountWords<'_>> {
        match self {
            Self::Plan(args) => Some(args.account_words()),
            Self::Apply(args) => args.account_words(),
            Self::Pull(args) => Some(args.account_words()),
            _ => None,
        }
    }

    /// Returns the operation of several accounts that the command takes back, if it is about one: its name, the accounts, and whether the command
    /// asks for confirmation.
    pub(crate) fn undone_accounts(
        &self,
        context: &Context,
    ) -> Result<Option<(String, BTreeSet<crate::auth::ServiceUser>, bool)>> {
        match self {
            Self::Undo(args) => undo::accounts(context, args, undo::Direction::Undo),
            Self::Redo(args) => undo::accounts(context, args, undo::Direction::Redo),
            _ => Ok(None),
        }
    }

    /// Names the operation that the command takes back, for a process that does so in one of several accounts.
    pub(crate) fn name_operation(&mut self, id: &str) {
        if let Self::Undo(args) | Self::Redo(args) = self {
            args.name(id);
        }
    }

    /// Returns what is declared about the command.
    pub(crate) fn rules(&self) -> CommandRules {
        match self {
            Self::Plan(args) => args.rules(),
            Self::Apply(args) => args.rules(),
            Self::Slots(SlotsCommand::Plan(args)) => args.rules(),
            Self::Slots(SlotsCommand::Apply(args)) => args.rules(),
            Self::Check(args) => args.rules(),
            Self::Lint(args) => args.rules(),
            Self::Search(args) => args.rules(),
            Self::Preview(args) => args.rules(),
            Self::Slots(SlotsCommand::Edit(_))
            | Self::Profile(ProfileCommand::Edit(_))
            | Self::Forms(FormsCommand::Edit { .. }) => {
                CommandRules { plan: PlanRule::Interactive, ..CommandRules::default() }
            }
            Self::Profile(ProfileCommand::Settings(args)) if args.is_read() => {
                CommandRules::reads()
            }
            Self::Api(args) if args.is_read() => CommandRules::reads(),
            Self::Config(ConfigCommand::Path)
            | Self::Doctor { .. }
            | Self::Help { .. }
            | Self::Completions { .. } => {
                CommandRules { accepts_invalid_config: true, ..CommandRules::default() }
            }
            _ => CommandRules::default(),
        }
    }

    pub(crate) async fn run(self, context: &mut Context) -> CommandResult {
        match self {
            Self::Auth(command) => command.run(context).await,
            Self::Me => {
                let first = &["userId", "name", "canWrite", "abilities"];
                shown(context.client().await?.me(), View::Record(first)).await
            }
            Self::Service => {
                let first = &["version", "name", "baseUrl"];
                shown(context.anyone().await?.index(), View::Record(first)).await
            }
            Self::Profile(command) => command.run(context).await,
            Self::Slots(command) => command.run(context).await,
            Self::Pull(args) => Box::pin(pull::run(context, args)).await,
            Self::Plan(args) => apply::plan(context, args).await,
            Self::Preview(args) => Box::pin(preview::run(context, args)).await,
            Self::Apply(args) => apply::apply(context, args).await,
            Self::Check(args) => Box::pin(check::run(context, args)).await,
            Self::Lint(args) => lint::run(context, args),
            Self::Search(args) => Box::pin(search::run(context, args)).await,
            Self::Init(args) => init::run(context, args).await,
            Self::Log(args) => log::run(context, &args),
            Self::Undo(args) => Box::pin(undo::run(context, args, undo::Direction::Undo)).await,
            Self::Redo(args) => Box::pin(undo::run(context, args, undo::Direction::Redo)).await,
            Self::Forms(command) => command.run(context).await,
            Self::Channels(forms::ChannelsCommand::List) => {
                let channels = context.client().await?.notification_channels();
                shown(channels, View::Table(forms::CHANNEL_COLUMNS)).await
            }
            Self::Files(files::FilesCommand::Upload(args)) => files::upload(context, args).await,
            Self::Music(command) => command.run(context).await,
            Self::Analytics(command) => command.run(context).await,
            Self::Schema(command) => command.run(context).await,
            Self::Api(args) => api::run(context, args).await,
            Self::Doctor { report } => doctor::run(context, report).await,
            Self::Config(command) => command.run(context),
            Self::Completions { shell } => {
                let script = shell.script().map_err(CommandError::internal)?;
                Ok(CommandOutput::own_text(json!({ "script": script }), script))
            }
            Self::Help { words, skill } => help::explain(context, &words, skill),
            Self::Man { directory } => help::write_manual(context, &directory),
            Self::Sandbox(command) => command.run(context).await,
        }
    }
}
