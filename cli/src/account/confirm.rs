//! Confirmation of a run over the files of an account.

use links_pages::apply::OpenPage;

use super::state::AccountState;
use crate::apply::apply_args::RunOptions;
use crate::apply::planned::LOGIN;
use crate::apply::preflight::check_write_access;
use crate::context::prelude::*;
use crate::output::counts;

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

    /// Returns the flags that are missing.
    fn needs(&self, options: &RunOptions, asks_always: bool) -> Vec<String> {
        let mut needs = Vec::new();
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
