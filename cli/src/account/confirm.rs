//! Confirmation of a run over the files of an account.

use links_pages::apply::OpenPage;

use super::state::AccountState;
use crate::apply::planned::LOGIN;
use crate::context::prelude::*;
use crate::output::counts;
use crate::ui::Ui;

/// How much a run does that cannot be undone.
#[derive(Default)]
pub(super) struct Irreversible {
    deletes: usize,
    uploads: usize,
    removed_fields: usize,
    /// Pages and forms that are created.
    creates: usize,
    /// Changes of logins.
    renames: usize,
}

impl Irreversible {
    pub(super) fn of(state: &AccountState, pages: &[OpenPage]) -> Self {
        let mut found = Self::default();
        for form in &state.forms {
            found.creates += usize::from(form.plan.id.is_none());
            found.removed_fields += form.plan.removed.len();
        }
        for page in pages {
            let Some(planned) = &state.pages[page.nth()].planned else { continue };
            let plan = planned.plan();
            if page.is_new() {
                found.creates += 1;
            } else if plan.fields.changed.contains_key(LOGIN) {
                found.renames += 1;
            }
            if !page.is_confirmed() {
                found.deletes += plan.deletes.len();
            }
            found.uploads += planned.file.new_images().count();
        }
        found
    }

    /// Asks about what cannot be undone, or about every change; `plan` is what is to be written, and `missing` are the flags that would allow it.
    pub(super) fn confirm(&self, ui: &Ui, plan: Vec<StyledLine>, missing: &[String]) -> Result<()> {
        let words = self.words().join(", ");
        let (question, what) = if words.is_empty() {
            ("Apply these changes?".to_owned(), "the changes")
        } else {
            (format!("Apply these changes, including {words}?"), &*words)
        };
        // Where messages are JSON, the plan was not shown.
        let mut lines = if ui.says_json() { plan } else { Vec::new() };
        if self.deletes > 0 {
            lines.push(StyledLine::faint(
                "  `links undo` can recreate slots of most types, with new IDs and without their click statistics",
            ));
        }
        ui.consent(&lines, &question, what, &missing.join(" "))
    }

    /// Returns the flags that are missing for the run to write without a question.
    pub(super) fn missing_flags(&self, state: &AccountState, pages: &[OpenPage]) -> Vec<String> {
        let (options, mut needs) = (&state.options, Vec::new());
        let is_new = state.unconfirmed(pages).next().is_some() || state.has_form_changes();
        let asks_always = (state.is_edit || state.asks_first) && is_new;
        let has_loss = self.deletes + self.uploads + self.removed_fields > 0;
        if (has_loss || asks_always) && !options.flags.yes {
            needs.push("--yes".to_owned());
        }
        if self.creates > options.allowed.allow_create {
            needs.push(format!("--allow-create {}", self.creates));
        }
        if self.renames > 0 && !options.allowed.allow_rename {
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
            (self.creates, "creation"),
            (self.renames, "new login"),
        ])
    }
}
