//! List of a form's fields, which is read and written as a whole.

use serde_json::{Map, Value};

use crate::args::dry_run::DryRunArgs;
use crate::context::Context;
use crate::editor::form_fields::{FormEditSession, called};
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::journal::CommandRecorder;
use crate::output::{CommandOutput, View};

/// Fields of a form, as the service sent them.
pub(crate) struct FieldList {
    session: FormEditSession,
    pub(crate) list: Vec<Map<String, Value>>,
}

impl FieldList {
    pub(crate) async fn read(
        context: &mut Context,
        id: String,
        command: &str,
        dry_run: DryRunArgs,
    ) -> Result<Self, CommandError> {
        let form = context.writer(dry_run).await?.form(id.clone());
        let recorder = CommandRecorder::of_form(context, command, &id);
        let session = FormEditSession::read(context, form, id, recorder).await?;
        let Some(Value::Array(list)) = session.before.get("fields").cloned() else {
            return Err(CommandError::unreadable("the form has no list of fields"));
        };
        let list: Option<_> = list
            .into_iter()
            .map(|field| if let Value::Object(field) = field { Some(field) } else { None })
            .collect();
        let list = list.ok_or_else(|| CommandError::unreadable("a field is not an object"))?;
        Ok(Self { session, list })
    }

    /// Returns the index of the field with this key, otherwise of the only one with this label.
    pub(crate) fn find(&self, name: &str) -> Result<usize, CommandError> {
        let all = |field: &str| -> Vec<usize> {
            let is = |at: &usize| self.list[*at].get(field).and_then(Value::as_str) == Some(name);
            (0..self.list.len()).filter(is).collect()
        };
        let (keys, labels) = (all("key"), all("label"));
        match (&keys[..], &labels[..]) {
            ([at, ..], _) | ([], [at]) => Ok(*at),
            ([], []) => {
                let known: Vec<_> = self.list.iter().map(called).collect();
                Err(CommandError::new(Exit::NotFound, format!("the form has no field `{name}`"))
                    .with_hint(format!("it has {}", known.join(", "))))
            }
            _ => Err(CommandError::usage(format!("several fields are labelled `{name}`"))
                .with_hint("name one by its key")),
        }
    }

    /// Writes the whole list; with `is_confirmed`, fields are removed without a confirmation.
    pub(crate) async fn write(
        self,
        context: &Context,
        is_confirmed: bool,
    ) -> Result<CommandOutput, CommandError> {
        let list = self.list.into_iter().map(Value::Object).collect::<Value>();
        let changes = [("fields", list)].into_iter().collect();
        let answer = self.session.update(context, changes, is_confirmed, None).await?;
        Ok(CommandOutput::service(
            answer.body().clone(),
            View::Record(crate::commands::forms::view::FIRST),
        ))
    }
}
