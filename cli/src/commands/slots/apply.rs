//! `links slots apply`

use std::path::{Path, PathBuf};

use clap::Args;

use super::applying::{Job, apply};
use super::planning::AllowedArgs;
use super::saved::Source;
use super::unfinished;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::dry_run::DryRunArgs;
use crate::outcome::Outcome;

/// Arguments of `links slots apply`.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Debug)]
pub(crate) struct SlotsApplyArgs {
    /// The page file, YAML or JSON, or a plan that was made of one (`-`: standard input)
    #[arg(required_unless_present_any = ["status", "resume", "abort"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    allowed: AllowedArgs,
    /// Wait for another run on the same page instead of refusing
    #[arg(long)]
    wait: bool,
    /// List the runs that did not come to an end, and do nothing
    #[arg(long, conflicts_with_all = ["resume", "abort"])]
    status: bool,
    /// Go on with the run that did not come to an end, with its file and what was to be pruned
    #[arg(long, conflicts_with = "abort")]
    resume: bool,
    /// Give up the run that did not come to an end; what it has written stays on the page
    #[arg(long, conflicts_with = "dry_run")]
    abort: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(crate) async fn run(context: &mut Context, args: SlotsApplyArgs) -> Result<Outcome, Failure> {
    let SlotsApplyArgs { mut file, mut allowed, wait, status, resume, abort, dry_run } = args;
    let mut from_journal = false;
    if status || resume || abort {
        let named = file.as_deref().map(Source::read).transpose()?;
        let key = named.as_ref().map(|named| &named.file.page.profile);
        if status {
            return unfinished::status(context, key);
        }
        if abort {
            return unfinished::abort(context, key);
        }
        let opening = unfinished::only(context, key)?;
        allowed.prune |= opening.prune;
        allowed.prune_unsupported |= opening.prune_unsupported;
        from_journal = file.is_none();
        file = file.or(opening.path.map(PathBuf::from));
    }
    let Some(path) = file else {
        return Err(Failure::usage("the run had no file of its own; name one"));
    };
    let source = Source::read(&path).map_err(|failure| {
        if from_journal && !path.exists() {
            failure.hint("where the file is elsewhere now: links slots apply --resume FILE")
        } else {
            failure
        }
    })?;
    if let Some(saved) = &source.saved {
        saved.allow(&mut allowed, resume)?;
    }
    let path = (path.as_os_str() != "-").then(|| absolute(&path));
    apply(context, Job { source, path, allowed, wait, ask: false, dry_run }).await
}

/// Where a file is found from every folder.
fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
