//! The files of the pages and forms of an undo, which follow it (`--files`).

use crate::account::pull::{Filed, PullOptions, files_of, pull_files};
use crate::apply::sync::page_path::is_there;
use crate::commands::prelude::*;

/// Takes over into the files what was taken back, and adds that to the output. A dry run names the files. `is_cut` says that no record has what
/// the run wrote.
pub(super) async fn follow(
    context: &mut Context,
    mut outcome: CommandOutput,
    (files, without): (Vec<PathBuf>, Vec<String>),
    is_cut: bool,
) -> CommandResult {
    for name in without {
        let text = format!("no file found here for {name}");
        context.ui.tell(Style::Changed, text);
    }
    if files.is_empty() {
        return Ok(outcome);
    }
    if context.dry_run().is_some() {
        context.ui.tell(Style::Faint, format!("these files would be updated: {}", names(&files)));
        return Ok(outcome);
    }
    let mut pulled = match pull_files(context, &files, PullOptions::default()).await {
        Ok(pulled) => pulled,
        Err(failure) => {
            let hint = format!("run `links pull {}` to update the files", names(&files));
            let failure = failure.partly_written("the undo was applied").with_hint(hint);
            return Ok(context.with_failure(outcome, failure));
        }
    };
    if is_cut {
        let text = format!(
            "the interrupted run was never recorded, so its values stay in the files, and the next apply writes them again; to replace the files with the pages, run `links pull --force {}`",
            names(&files)
        );
        context.ui.tell(Style::Changed, text);
    }
    let followed = pulled.body.own_mut().map(|body| body["data"].take());
    if let Some(body) = outcome.body.own_mut() {
        body["data"]["files"] = followed.unwrap_or_default();
    }
    if let (Some(lines), Some(more)) = (outcome.view.lines_mut(), pulled.view.lines_mut()) {
        lines.append(more);
    }
    Ok(CommandOutput { exit: pulled.exit, ..outcome })
}

/// Says how the files that were applied follow, if there are any.
pub(super) fn tell(context: &Context, filed: Vec<Filed>) {
    if context.dry_run().is_some() {
        return;
    }
    let was_applied = |filed: &Filed| match filed {
        Filed::Page(_, _, path) => path.as_ref().is_some_and(|path| is_there(path)),
        Filed::Form(_, was_applied) => *was_applied,
    };
    let filed: Vec<Filed> = filed.into_iter().filter(was_applied).collect();
    // Where something cannot be read, nothing is said.
    let (files, _) = files_of(context, &filed).unwrap_or_default();
    if !files.is_empty() {
        let (have, them) = if files.len() == 1 { ("has", "it") } else { ("have", "them") };
        let names = names(&files);
        let text =
            format!("{names} still {have} the undone values; `links pull {names}` updates {them}");
        context.ui.tell(Style::Faint, text);
    }
}

/// Returns the words that name these files on a command line.
fn names(files: &[PathBuf]) -> String {
    let quoted = |path: &PathBuf| sanitize::quoted(&path.display().to_string());
    files.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
