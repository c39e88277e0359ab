//! Commands: one directory for each noun, one file for each verb.
//!
//! A verb is `<Noun><Verb>Args` and a `run` that returns a [`CommandOutput`] or a [`CommandError`]. Every format and the exit code come
//! from these two, so a new verb is its file, a variant and an arm in its noun's `mod.rs`, and nothing else. A verb that writes flattens
//! [`DryRunArgs`](crate::args::dry_run::DryRunArgs) into its arguments and gets its client from
//! [`Context::writer`](crate::context::Context::writer), which implements its `--dry-run`.

mod analytics;
mod api;
mod apply;
mod auth;
mod channels;
mod check;
mod completions;
mod config;
mod doctor;
mod files;
mod forms;
mod help;
mod init;
mod log;
mod man;
mod me;
mod music;
mod plan;
#[cfg(feature = "sandbox")]
mod preview;
mod profile;
mod pull;
#[cfg(feature = "sandbox")]
mod sandbox;
mod schema;
mod search;
mod service;
mod slots;
mod undo;

use clap::Subcommand;

use crate::completion::shell::ShellArgs;
use crate::confine::NamedFiles;
use crate::context::Context;
use crate::context::plan_first::PlanRule;
use crate::error::CommandError;
use crate::output::CommandOutput;

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Accounts: log in, switch, log out
    #[command(subcommand)]
    Auth(auth::AuthCommand),
    /// Show the token's owner, its abilities, and the use of each limit
    Me(me::MeArgs),
    /// Show the service's conventions, limits and URLs; needs no token
    Service(service::ServiceArgs),
    /// Pages
    #[command(subcommand, aliases = ["page", "pages", "profiles"])]
    Profile(profile::ProfileCommand),
    /// The slots of a page
    #[command(subcommand)]
    Slots(slots::SlotsCommand),
    /// Write pages and forms to files, or take over what changed on them
    Pull(pull::PullArgs),
    /// Show what `links apply` would do: pages and forms compared with their files
    Plan(plan::PlanArgs),
    /// Show a page as its file would make it
    #[cfg(feature = "sandbox")]
    Preview(preview::PreviewArgs),
    /// Make pages and forms match their files
    Apply(apply::ApplyCommandArgs),
    /// Find dead links in page files and on pages
    Check(check::CheckArgs),
    /// Find text on pages, in lead forms and in page files
    Search(search::SearchCommandArgs),
    /// Keep page files and pages in sync: begin a links.lock
    Init(init::InitArgs),
    /// List every write of this machine, the newest first
    Log(log::LogArgs),
    /// Undo a write of this machine
    Undo(undo::UndoArgs),
    /// Lead forms
    #[command(subcommand)]
    Forms(forms::FormsCommand),
    /// Notification channels
    #[command(subcommand)]
    Channels(channels::ChannelsCommand),
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
    Doctor(doctor::DoctorArgs),
    /// The configuration file
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Print the completion script of a shell
    Completions(ShellArgs),
    /// Explain a topic or a command
    Help(help::HelpArgs),
    /// Write the manual pages
    #[command(hide = true)]
    Man(man::ManArgs),
    /// The embedded service, to try everything without an account
    #[cfg(feature = "sandbox")]
    #[command(subcommand)]
    Sandbox(sandbox::SandboxCommand),
}

impl Command {
    /// Returns the files that a confined command names, or the reason why it is not confined; `None` for all other commands.
    pub(crate) fn named_files(&self) -> Option<Result<NamedFiles, &'static str>> {
        match self {
            Self::Plan(args) => Some(Ok(args.named_files())),
            Self::Apply(args) => Some(args.named_files()),
            Self::Check(args) => Some(Ok(args.named_files())),
            Self::Search(args) => Some(Ok(args.named_files())),
            #[cfg(feature = "sandbox")]
            Self::Preview(args) => Some(Ok(args.named_files())),
            Self::Slots(slots::SlotsCommand::Plan(args)) => Some(Ok(args.named_files())),
            Self::Slots(slots::SlotsCommand::Apply(args)) => Some(args.named_files()),
            _ => None,
        }
    }

    /// Tells whether the command may ask what earlier commits say of a file.
    pub(crate) fn reads_history(&self) -> bool {
        !matches!(self, Self::Check(_) | Self::Search(_))
    }

    /// Returns what the command needs before it may write, where writes have to be planned before (`LINKS_PLAN_FIRST`).
    pub(crate) fn plan_rule(&self) -> PlanRule {
        use forms::FormsCommand;
        use profile::ProfileCommand;
        use slots::SlotsCommand;
        match self {
            Self::Apply(args) => args.plan_rule(),
            Self::Slots(SlotsCommand::Apply(args)) => args.plan_rule(),
            Self::Slots(SlotsCommand::Edit(_))
            | Self::Profile(ProfileCommand::Edit(_))
            | Self::Forms(FormsCommand::Edit(_)) => PlanRule::Interactive,
            #[cfg(feature = "sandbox")]
            Self::Preview(args) if args.applies() => PlanRule::Interactive,
            Self::Api(args) if args.is_read() => PlanRule::Reads,
            Self::Profile(ProfileCommand::Settings(args)) if args.is_read() => PlanRule::Reads,
            _ => PlanRule::DryRun,
        }
    }

    /// Tells whether the command is of use if the configuration file is broken.
    pub(crate) fn accepts_invalid_config(&self) -> bool {
        matches!(
            self,
            Self::Doctor(_)
                | Self::Help(_)
                | Self::Completions(_)
                | Self::Config(config::ConfigCommand::Path(_))
        )
    }
}

pub(crate) async fn run(
    context: &mut Context,
    command: Command,
) -> Result<CommandOutput, CommandError> {
    match command {
        Command::Auth(command) => auth::run(context, command).await,
        Command::Me(args) => me::run(context, args).await,
        Command::Service(args) => service::run(context, args).await,
        Command::Profile(command) => profile::run(context, command).await,
        Command::Slots(command) => slots::run(context, command).await,
        Command::Pull(args) => Box::pin(pull::run(context, args)).await,
        Command::Plan(args) => plan::run(context, args).await,
        #[cfg(feature = "sandbox")]
        Command::Preview(args) => Box::pin(preview::run(context, args)).await,
        Command::Apply(args) => apply::run(context, args).await,
        Command::Check(args) => Box::pin(check::run(context, args)).await,
        Command::Search(args) => Box::pin(search::run(context, args)).await,
        Command::Init(args) => init::run(context, args).await,
        Command::Log(args) => log::run(context, &args),
        Command::Undo(args) => Box::pin(undo::run(context, args)).await,
        Command::Forms(command) => forms::run(context, command).await,
        Command::Channels(command) => channels::run(context, command).await,
        Command::Music(command) => music::run(context, command).await,
        Command::Files(command) => files::run(context, command).await,
        Command::Analytics(command) => analytics::run(context, command).await,
        Command::Schema(command) => schema::run(context, command).await,
        Command::Api(args) => api::run(context, args).await,
        Command::Doctor(args) => doctor::run(context, args).await,
        Command::Config(command) => config::run(context, &command),
        Command::Completions(args) => completions::run(&args),
        Command::Help(args) => help::run(context, &args),
        Command::Man(args) => man::run(context, &args),
        #[cfg(feature = "sandbox")]
        Command::Sandbox(command) => sandbox::run(context, command).await,
    }
}
