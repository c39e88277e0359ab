//! Confirmation of a plan: names its deletes and uploads, and asks the user.

use links_pages::apply::{PlannedDelete, RetainReason};
use links_pages::sync::RemoteChange;

use super::planned::PlannedPage;
use super::preflight::require_write_access;
use super::sync::Since;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Style, StyledLine};
use crate::ui::Ui;
use crate::ui::plan::Upload;

/// Shows the plan and asks for confirmation. Returns true if the user was asked.
pub(crate) async fn confirm_plan(
    ui: &Ui,
    planned: &PlannedPage,
    is_confirmed: bool,
) -> Result<bool, CommandError> {
    let summary = std::iter::once(planned.summary()).chain(planned.created_again_note());
    for line in planned.lines().into_iter().chain(summary) {
        ui.say(&line);
    }
    if is_confirmed {
        return Ok(false);
    }
    if ui.is_interactive() {
        // A read-only token is refused before the question.
        require_write_access(&planned.client).await?;
    }
    let uploads = planned.shown().uploads().to_vec();
    let what = [
        counted(planned.plan.deletes.len(), "1 delete", "deletes"),
        counted(uploads.len(), "1 upload", "uploads"),
    ];
    let what = match what.into_iter().flatten().collect::<Vec<_>>().join(" and ") {
        none if none.is_empty() => "changes".to_owned(),
        what => what,
    };
    let deletes = planned.plan.deletes.len();
    let question = question(deletes, uploads.len());
    match ui.ask_about(&confirmation_lines(&planned.plan.deletes, &uploads), &question) {
        Some(true) => Ok(true),
        Some(false) => {
            let message = format!("{what} not confirmed; nothing was written");
            Err(CommandError::new(Exit::Refused, message))
        }
        None => {
            let needs =
                if what.starts_with("1 ") && !what.contains(" and ") { "needs" } else { "need" };
            let message = format!("{what} {needs} confirmation, but there is no terminal");
            Err(CommandError::new(Exit::Refused, message).with_hint("pass --yes"))
        }
    }
}

/// Returns a number of things in words: the phrase for one, or the number with the word for several; `None` if there are none.
pub(crate) fn counted(count: usize, one: &str, several: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(one.to_owned()),
        _ => Some(format!("{count} {several}")),
    }
}

/// Lines that name every image to upload and every slot to delete.
pub(crate) fn confirmation_lines(deletes: &[PlannedDelete], uploads: &[Upload]) -> Vec<StyledLine> {
    let upload = |it: &Upload| StyledLine::new(Style::Changed, format!("  upload {it}"));
    let delete = |slot: &PlannedDelete| {
        let label = slot.label.as_ref().map(|label| format!(" \"{label}\"")).unwrap_or_default();
        StyledLine::new(Style::Removed, format!("  delete {} {}{label}", slot.kind, slot.id))
    };
    uploads.iter().map(upload).chain(deletes.iter().map(delete)).collect()
}

/// Fate of deleted slots, for questions.
const UNDO_OF_DELETES: &str = "`links undo` creates slots again if their type allows it, with new IDs and without their statistics.";

/// Returns the question before slots are deleted and images are uploaded.
pub(crate) fn question(deletes: usize, uploads: usize) -> String {
    let upload = match uploads {
        0 => None,
        1 => Some("Upload this image".to_owned()),
        several => Some(format!("Upload these {several} images")),
    };
    let slots = match deletes {
        0 => {
            return match upload {
                None => "Apply these changes?".to_owned(),
                Some(upload) => format!("{upload}, and apply these changes?"),
            };
        }
        1 => "this slot and its".to_owned(),
        several => format!("these {several} slots and their"),
    };
    let delete = match upload {
        None => "Delete".to_owned(),
        Some(upload) => format!("{upload}, and delete"),
    };
    format!("{delete} {slots} click statistics? {UNDO_OF_DELETES}")
}

/// Tells the user about slots that the file does not mention and that are kept without `--prune`.
pub(crate) fn report_kept_slots(ui: &Ui, planned: &PlannedPage) {
    let kept = planned.plan.kept.iter().filter(|it| it.reason == RetainReason::NotInFile);
    // What others made since a text was opened, an edit never deletes.
    let opened = planned.merged.as_ref().filter(|merged| merged.since == Since::Opened);
    let remote = opened.into_iter().flat_map(|merged| &merged.merge.remote);
    let made = remote.filter(|it| matches!(it, RemoteChange::Made { .. })).count();
    let stays = kept.count().saturating_sub(made);
    let what = match stays {
        0 => return,
        1 => "1 slot that the file does not mention stays".to_owned(),
        stays => format!("{stays} slots that the file does not mention stay"),
    };
    ui.say(&StyledLine::new(
        Style::Faint,
        format!("{what}; --prune deletes what is not mentioned"),
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_confirmation_names_every_slot_to_delete_and_image_to_upload() {
        let delete = |id, kind: &str, label: Option<&str>| {
            let label = label.map(str::to_owned);
            PlannedDelete { id, kind: kind.to_owned(), label }
        };
        let deletes = [
            delete(7.into(), "text", Some("Opening\n\u{1b}hours")),
            delete(8.into(), "divider", None),
        ];
        let image = Upload {
            index: Some(0),
            path: "image".into(),
            file: "a\n\u{1b}.gif".into(),
            media_type: "image/gif",
            bytes: 43,
            warning: None,
        };
        let lines = confirmation_lines(&deletes, &[image]);
        let text: Vec<_> = lines.iter().map(StyledLine::text).collect();
        assert_eq!(text[1..], ["  delete text 7 \"Opening \\u{1b}hours\"", "  delete divider 8"]);
        assert!(text[0].starts_with("  upload a") && text[0].ends_with("(image/gif, 43 bytes)"));
        assert!(!text[0].contains(char::is_control), "{text:?}");
        assert!(question(2, 0).contains("2 slots and their click statistics"));
        assert!(
            question(1, 0).starts_with("Delete this slot and its click statistics? `links undo`")
        );
        assert!(question(1, 2).starts_with("Upload these 2 images, and delete this slot"));
        assert_eq!(question(0, 1), "Upload this image, and apply these changes?");
        assert!(!question(0, 0).contains("Delete"));
    }
}
