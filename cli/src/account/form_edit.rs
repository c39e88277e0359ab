//! An edit of a form that no file describes: what `links undo` writes to it beside pages.

use serde_json::{Value, json};

use crate::apply::dry_run::{UnsentRequest, described_command, not_sent};
use crate::context::Context;
use crate::editor::form_fields::FormEditSession;
use crate::error::{CommandError, Exit};
use crate::output::StyledLine;
use crate::ui::plan::form_lines;
use links_sdk::Object;

/// New values of a form, which was read.
#[derive(Debug)]
pub(crate) struct FormEdit {
    session: FormEditSession,
    pub(crate) changes: Object,
}

impl FormEdit {
    pub(crate) fn new(mut session: FormEditSession, mut changes: Object) -> Self {
        session.keep_keys(&mut changes);
        session.release();
        Self { session, changes }
    }

    pub(crate) fn id(&self) -> &str {
        &self.session.id
    }

    /// Title of the form before the edit, or its id.
    pub(crate) fn title(&self) -> &str {
        self.session.before.get("title").and_then(Value::as_str).unwrap_or(&self.session.id)
    }

    /// Title of the form after the edit, or its id.
    pub(super) fn new_title(&self) -> &str {
        self.changes.get("title").and_then(Value::as_str).unwrap_or_else(|| self.title())
    }

    /// Lines of the plan: a line for the form, and one for each value.
    pub(super) fn lines(&self) -> Vec<StyledLine> {
        let heading = StyledLine::changed(format!("~ form \"{}\"", self.title()));
        let lines = form_lines(&self.session.before, &self.changes);
        std::iter::once(heading).chain(lines).collect()
    }

    /// Display names of the fields that are removed.
    pub(super) fn removed(&self) -> Vec<String> {
        self.session.removed(&self.changes)
    }

    /// Record of the plan for the output.
    pub(super) fn json(&self) -> Value {
        let held = |name: &String| Some((name.clone(), self.session.before.get(name)?.clone()));
        let before: Object = self.changes.keys().filter_map(held).collect();
        json!({
            "name": self.title(), "id": self.id(), "changed": self.changes, "before": before, "removed": self.removed(),
        })
    }

    pub(super) async fn write(&mut self, context: &Context) -> Result<(), CommandError> {
        let written = self.session.write(context, &self.changes, None).await;
        written.map(|_| ()).map_err(|error| match error.exit() {
            Exit::Conflict if error.hint().is_none() => {
                error.with_hint("run the same command again for a new plan")
            }
            _ => error,
        })
    }

    /// Asks the service whether it would accept the values.
    pub(super) async fn check(&self) -> Result<(), CommandError> {
        Ok(self.session.call(&self.changes).dry_run().await?)
    }

    /// Returns the request, without sending it.
    pub(super) async fn unsent_request(&self) -> Result<UnsentRequest, CommandError> {
        Ok(described_command(&not_sent(self.session.call(&self.changes).await)?))
    }
}
