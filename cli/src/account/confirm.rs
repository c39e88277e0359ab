//! Confirmation of a run over the files of an account.

use links_pages::apply::{OpenPage, PlannedDelete};

use super::state::AccountState;
use crate::apply::apply_args::RunOptions;
use crate::apply::preflight::check_write_access;
use crate::context::prelude::*;
use crate::output::{counts, named_slot};
use crate::ui::plan::Upload;

/// What a run does that cannot be undone.
#[derive(Default)]
pub(super) struct Irreversible {
    deletes: usize,
    uploads: usize,
    /// Names of pages and forms that are created.
    creates: Vec<String>,
    /// Changes of logins.
    renames: Vec<String>,
    removed_fields: usize,
    /// Lines that name each of them.
    pub(super) lines: Vec<StyledLine>,
}

/// Fate of deleted slots.
const UNDO_OF_DELETES: &str = "  `links undo` can recreate slots of most types, with new IDs and without their click statistics";

/// Asks about what cannot be undone, or about every change; `plan` is what is to be written. Returns true if the user was asked.
pub(super) async fn confirm(
    context: &Context,
    state: &AccountState,
    plan: Vec<StyledLine>,
    pages: &[OpenPage],
) -> Result<bool> {
    let found = Irreversible::of(state, pages);
    let is_new = state.unconfirmed(pages).next().is_some() || state.has_form_changes();
    let needs = found.needs(&state.options, (state.is_edit || state.asks_first) && is_new);
    if needs.is_empty() {
        return Ok(false);
    }
    if context.ui.is_interactive() {
        // A read-only token is refused before the question.
        check_write_access(context.me(&state.client).await?)?;
    }
    let words = found.words().join(", ");
    let (question, what) = if words.is_empty() {
        ("Apply these changes?".to_owned(), "the changes")
    } else {
        (format!("Apply these changes, including {words}?"), &*words)
    };
    // Where messages are JSON, the plan was not shown.
    let mut lines = if context.ui.says_json() { plan } else { Vec::new() };
    if found.deletes > 0 {
        lines.push(StyledLine::faint(UNDO_OF_DELETES));
    }
    context.ui.consent(&lines, &question, what, &needs.join(" "))?;
    Ok(true)
}

/// Lines that name every image to upload and every slot to delete.
fn confirmation_lines(deletes: &[PlannedDelete], uploads: &[Upload]) -> Vec<StyledLine> {
    let upload = |it: &Upload| StyledLine::changed(format!("  upload {it}"));
    let delete = |slot: &PlannedDelete| {
        StyledLine::removed(format!(
            "  delete {}",
            named_slot(&slot.kind, slot.id, slot.label.as_deref())
        ))
    };
    uploads.iter().map(upload).chain(deletes.iter().map(delete)).collect()
}

impl Irreversible {
    pub(super) fn of(state: &AccountState, pages: &[OpenPage]) -> Self {
        let mut found = Self::default();
        let forms = state.forms.iter().map(|form| (form.plan.name.clone(), &form.plan));
        let edits = state.form_edits.iter();
        let edits = edits.map(|form| (format!("\"{}\"", form.plan.name), &form.plan));
        for (form, plan) in forms.chain(edits) {
            if plan.id.is_none() {
                found.creates.push(format!("form {form}"));
            }
            found.removed_fields += plan.removed.len();
            let line = |name| StyledLine::removed(format!("  form {form}: field {name}"));
            found.lines.extend(plan.removed.iter().map(line));
        }
        for page in pages {
            let Some(planned) = &state.pages[page.nth()].planned else { continue };
            let login = &planned.page.login;
            if page.is_new() {
                found.creates.push(format!("page {login}"));
            } else if let Some(new) = planned.plan().fields.changed.get("login") {
                let new = new.as_str().unwrap_or_default();
                found.renames.push(format!("{login} -> {new}"));
            }
            let shown = planned.shown();
            let uploads = &shown.uploads;
            let deletes = if page.is_confirmed() { &[][..] } else { &planned.plan().deletes };
            found.deletes += deletes.len();
            found.lines.extend(confirmation_lines(deletes, uploads));
            found.uploads += uploads.len();
        }
        for what in &found.creates {
            let text = format!("  new {what} (`links` can't delete it)");
            found.lines.push(StyledLine::added(text));
        }
        for what in &found.renames {
            let text = format!(
                "  new login {what}: existing links, QR codes and NFC tags will stop working"
            );
            found.lines.push(StyledLine::removed(text));
        }
        found
    }

    /// Returns the flags that are missing.
    fn needs(&self, options: &RunOptions, asks_always: bool) -> Vec<String> {
        let mut needs = Vec::new();
        let has_loss = self.deletes + self.uploads + self.removed_fields > 0;
        if (has_loss || asks_always) && !options.flags.yes {
            needs.push("--yes".to_owned());
        }
        if self.creates.len() > options.allowed.allow_create {
            needs.push(format!("--allow-create {}", self.creates.len()));
        }
        if !self.renames.is_empty() && !options.allowed.allow_rename {
            needs.push("--allow-rename".to_owned());
        }
        needs
    }

    /// Returns what has to be confirmed, such as `2 deletes`.
    pub(super) fn words(&self) -> Vec<String> {
        counts(&[
            (self.deletes, "delete"),
            (self.uploads, "upload"),
            (self.removed_fields, "removed form field"),
            (self.creates.len(), "creation"),
            (self.renames.len(), "new login"),
        ])
    }
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
    }
}
