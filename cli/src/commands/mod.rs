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
use self::profile::ProfileCommand;
use self::slots::SlotsCommand;
use crate::completion::ShellArgs;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Accounts: log in, switch, log out
    #[command(subcommand)]
    Auth(auth::AuthCommand),
    /// Show the token's owner, its abilities, and the use of each limit
    #[command(examples = ["links me", "links me --jq .limits.profiles"])]
    Me,
    /// Show the service's conventions, limits and URLs; needs no token
    #[command(examples = ["links service --fields limits,conventions.dryRun"])]
    Service,
    /// Pages
    #[command(subcommand, aliases = ["page", "pages", "profiles"])]
    Profile(ProfileCommand),
    /// The slots of a page
    #[command(subcommand)]
    Slots(SlotsCommand),
    /// Write pages and forms to files, or take over what changed on them
    Pull(pull::PullArgs),
    /// Show what `links apply` would do: pages and forms compared with their files
    Plan(apply::PlanArgs),
    /// Show a page as its file would make it
    Preview(preview::PreviewArgs),
    /// Make pages and forms match their files
    Apply(apply::ApplyCommandArgs),
    /// Find dead links in page files and on pages
    Check(check::CheckArgs),
    /// Find text on pages, in lead forms and in page files
    Search(search::SearchCommandArgs),
    /// Keep page files and pages in sync: begin a links.lock
    Init(init::InitArgs),
    /// List the operations of this machine, the newest first, or show what one changed
    Log(log::LogArgs),
    /// Take back the newest operation of this machine, or another one
    #[command(
        notes = "Again, it takes back the operation before; `links redo` takes back an undo. Deleted slots come back with new ids, without their click statistics.",
        examples = ["links undo", "links undo \"$(links log -n 1 -o ids)\" --page cafe"]
    )]
    Undo(undo::UndoArgs),
    /// Take back the newest undo, or another one
    #[command(
        notes = "It is an undo of the undo, and has the same limits.",
        examples = ["links redo", "links redo --yes"]
    )]
    Redo(undo::UndoArgs),
    /// Lead forms
    #[command(subcommand)]
    Forms(FormsCommand),
    /// Notification channels
    #[command(subcommand)]
    Channels(forms::ChannelsCommand),
    /// Images
    #[command(subcommand)]
    Files(files::FilesCommand),
    /// Music releases
    #[command(subcommand)]
    Music(music::MusicCommand),
    /// Views and clicks
    #[command(subcommand)]
    Analytics(analytics::AnalyticsCommand),
    /// JSON Schemas of page files, form files and slots, for editors
    #[command(subcommand)]
    Schema(schema::SchemaCommand),
    /// Call any path of the service, with pacing, retries and idempotency keys
    Api(api::ApiArgs),
    /// Check the configuration, the token, the connection and the limits
    #[command(examples = ["links doctor", "links doctor --sandbox --report report.json"])]
    Doctor {
        /// Also write a new file for the report of a bug: no secrets, texts, names or paths are in it
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
    /// The configuration file
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print the completion script of a shell
    Completions(ShellArgs),
    /// Explain a topic or a command
    #[command(examples = ["links help exit-codes", "links help slots apply"])]
    Help {
        /// A topic (options, exit-codes, environment, output, files, agents), or the words of a command
        #[arg(value_name = "TOPIC|COMMAND")]
        words: Vec<String>,
    },
    /// Write the manual pages
    #[command(hide = true, examples = ["links man ~/.local/share/man/man1"])]
    Man {
        /// The directory to write the pages into
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
    },
    /// The embedded service, to try everything without an account
    #[command(subcommand)]
    Sandbox(sandbox::SandboxCommand),
}

impl Command {
    /// Returns what is declared about the command.
    pub(crate) fn rules(&self) -> CommandRules {
        match self {
            Self::Plan(args) => args.rules(),
            Self::Apply(args) => args.rules(),
            Self::Slots(SlotsCommand::Plan(args)) => args.rules(),
            Self::Slots(SlotsCommand::Apply(args)) => args.rules(),
            Self::Check(args) => args.rules(),
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
            | Self::Completions(_) => {
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
            Self::Completions(args) => {
                let script = args.shell.script().map_err(CommandError::internal)?;
                Ok(CommandOutput::own(json!({ "script": script }), View::Document(script)))
            }
            Self::Help { words } => help::explain(context, &words),
            Self::Man { directory } => help::write_manual(context, &directory),
            Self::Sandbox(command) => command.run(context).await,
        }
    }
}
