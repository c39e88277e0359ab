//! Confirmation of a run over the files of an account.

use links_pages::apply::OpenPage;

use super::report::plan_lines;
use super::request::Allowed;
use super::state::AccountState;
use crate::apply::confirm::{confirmation_lines, counted};
use crate::apply::preflight::check_write_access;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Style, StyledLine};

/// What the command line allows without a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Consent {
    pub(super) allowed: Allowed,
    /// True if deletes and uploads are confirmed.
    pub(super) yes: bool,
}

/// What a run does that cannot be undone.
#[derive(Debug, Default)]
struct Irreversible {
    deletes: usize,
    uploads: usize,
    /// Names of pages and forms that are created.
    creates: Vec<String>,
    /// Changes of logins.
    renames: Vec<String>,
    removed_fields: usize,
    lines: Vec<StyledLine>,
}

/// Shows the plan, and asks about what cannot be undone. Returns true if the user was asked.
pub(super) async fn confirm(
    context: &Context,
    state: &AccountState,
    pages: &[OpenPage],
    consent: Consent,
) -> Result<bool, CommandError> {
    let ui = &context.ui;
    for line in plan_lines(state) {
        ui.say(&line);
    }
    let found = Irreversible::of(state, pages);
    let needs = found.needs(consent);
    if needs.is_empty() {
        return Ok(false);
    }
    if ui.is_interactive() {
        check_write_access(context.me(&state.client).await?)?;
    }
    let question = format!("{}. Apply these changes?", found.words().join(", "));
    match ui.ask_about(&found.lines, &question) {
        Some(true) => Ok(true),
        Some(false) => Err(CommandError::new(Exit::Refused, "not confirmed; nothing was written")),
        None => {
            let message = format!(
                "{} must be confirmed, but there is no terminal; nothing was written",
                found.words().join(", ")
            );
            let hint = format!("pass {}", needs.join(" "));
            Err(CommandError::new(Exit::Refused, message).with_hint(hint))
        }
    }
}

/// Returns what a run does that has to be confirmed, such as `2 deletes`, and the lines that name each.
#[cfg(feature = "sandbox")]
pub(super) fn irreversible(
    state: &AccountState,
    pages: &[OpenPage],
) -> (Vec<String>, Vec<StyledLine>) {
    let found = Irreversible::of(state, pages);
    (found.words(), found.lines)
}

impl Irreversible {
    fn of(state: &AccountState, pages: &[OpenPage]) -> Self {
        let mut found = Self::default();
        for form in state.forms.iter().filter(|form| form.plan.id.is_none()) {
            found.creates.push(format!("form {}", form.plan.name));
        }
        for form in &state.forms {
            found.removed_fields += form.plan.removed.len();
            let line = |name: &String| {
                StyledLine::new(Style::Removed, format!("  form {}: field {name}", form.plan.name))
            };
            found.lines.extend(form.plan.removed.iter().map(line));
        }
        for page in pages.iter().filter(|page| page.has_changes()) {
            let Some(planned) = &state.pages[page.nth()].planned else { continue };
            let login = &planned.page.login;
            if page.is_new() {
                found.creates.push(format!("page {login}"));
            }
            if let Some(new) = planned.plan.fields.changed.get("login").filter(|_| !page.is_new()) {
                let new = new.as_str().unwrap_or_default();
                found.renames.push(format!("{login} -> {new}"));
            }
            let uploads = planned.shown().uploads().to_vec();
            let deletes = if page.is_confirmed() { &[][..] } else { &planned.plan.deletes };
            found.deletes += deletes.len();
            found.lines.extend(confirmation_lines(deletes, &uploads));
            found.uploads += uploads.len();
        }
        let lost = |what: &String| {
            StyledLine::new(Style::Added, format!("  new {what}, which cannot be deleted again"))
        };
        found.lines.extend(found.creates.iter().map(lost).collect::<Vec<_>>());
        let broken = |what: &String| {
            StyledLine::new(
                Style::Removed,
                format!("  login {what}: links, QR codes and NFC tags break"),
            )
        };
        found.lines.extend(found.renames.iter().map(broken).collect::<Vec<_>>());
        found
    }

    /// Returns the flags that are missing.
    fn needs(&self, consent: Consent) -> Vec<String> {
        let mut needs = Vec::new();
        if self.deletes + self.uploads + self.removed_fields > 0 && !consent.yes {
            needs.push("--yes".to_owned());
        }
        if self.creates.len() > consent.allowed.allow_create {
            needs.push(format!("--allow-create {}", self.creates.len()));
        }
        if !self.renames.is_empty() && !consent.allowed.allow_rename {
            needs.push("--allow-rename".to_owned());
        }
        needs
    }

    fn words(&self) -> Vec<String> {
        let counts = [
            counted(self.deletes, "1 delete", "deletes"),
            counted(self.uploads, "1 upload", "uploads"),
            counted(self.removed_fields, "1 removed form field", "removed form fields"),
            counted(self.creates.len(), "1 new page or form", "new pages or forms"),
            counted(self.renames.len(), "1 new login", "new logins"),
        ];
        counts.into_iter().flatten().collect()
    }
}
