//! `links pull`: writes pages and forms to files.

use std::path::PathBuf;

use clap::Args;
use links_sdk::ProfileKey;

use crate::account::pull::{self, PullOptions, PullRequest};
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;
use links_pages::profile_key;

#[derive(Args, Debug)]
#[command(examples = ["links pull cafe -O cafe.yaml", "links pull --all -O site"])]
pub(crate) struct PullArgs {
    /// Ids, logins or URLs of pages
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profiles: Vec<ProfileKey>,
    /// Every page and every form of the account
    #[arg(long, conflicts_with = "profiles")]
    all: bool,
    /// Write one page to this file (.json for JSON), or pages into this directory
    ///
    /// By default a single page goes to standard output, and several into the directory of the closest links.lock, else into the current one.
    #[arg(short = 'O', long, value_name = "FILE|DIR", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    how: PullOptions,
}

pub(crate) async fn run(
    context: &mut Context,
    args: PullArgs,
) -> Result<CommandOutput, CommandError> {
    let PullArgs { profiles: keys, all, out, how } = args;
    if keys.is_empty() && !all {
        return Err(CommandError::usage("no page is named").with_hint(
            "name pages: `links pull LOGIN -O FILE`; `links pull --all` writes every page and every form of the account",
        ));
    }
    pull::pull(context, PullRequest { keys, out, how }).await
}
