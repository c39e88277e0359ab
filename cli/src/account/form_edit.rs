//! An edit of a form that no file describes: what `links undo` writes to it beside pages.

use links_pages::account::FormPlan;

use crate::apply::dry_run::{UnsentRequest, described_command, not_sent};
use crate::context::prelude::*;
use crate::editor::form_fields::FormEditSession;
use crate::ui::plan::form_lines;

/// New values of a form, which was read.
pub(crate) struct FormEdit {
    session: FormEditSession,
    /// The plan. Its name is the title of the form before the edit, or its id.
    pub(crate) plan: FormPlan,
}

impl FormEdit {
    pub(crate) fn new(mut session: FormEditSession, mut changed: Object) -> Self {
        session.keep_keys(&mut changed);
        session.release();
        let title = session.before.get("title").and_then(Value::as_str);
        let held = |name: &String| Some((name.clone(), session.before.get(name)?.clone()));
        let plan = FormPlan {
            name: title.unwrap_or(&session.id).to_owned(),
            id: Some(session.id.as_str().into()),
            before: changed.keys().filter_map(held).collect(),
            removed: session.removed(&changed),
            changed,
        };
        Self { session, plan }
    }

    pub(crate) fn id(&self) -> &str {
        &self.session.id
    }

    /// Title of the form after the edit, or its id.
    pub(super) fn new_title(&self) -> &str {
        self.plan.changed.get("title").and_then(Value::as_str).unwrap_or(&self.plan.name)
    }

    /// Lines of the plan: a line for the form, and one for each value.
    pub(super) fn lines(&self) -> Vec<StyledLine> {
        let heading = StyledLine::changed(format!("~ form \"{}\"", self.plan.name));
        let lines = form_lines(&self.plan.before, &self.plan.changed);
        std::iter::once(heading).chain(lines).collect()
    }

    pub(super) async fn write(&mut self, context: &Context) -> Result<()> {
        let written = self.session.write(context, &self.plan.changed, None).await;
        written.map(|_| ()).map_err(|error| match error.exit() {
            Exit::Conflict if error.hint().is_none() => {
                error.with_hint("run the same command again for a new plan")
            }
            _ => error,
        })
    }

    /// Returns the request, without sending it.
    pub(super) async fn unsent_request(&self) -> Result<UnsentRequest> {
        Ok(described_command(&not_sent(self.session.call(&self.plan.changed).await)?))
    }
}
