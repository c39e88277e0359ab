//! `links forms field`: one question of a form. The service takes only whole lists, so the form is read, and all of it is written back
//! with the `key` of every question that stays.

pub(crate) mod add;
pub(crate) mod remove;
pub(crate) mod set;

use clap::Subcommand;
use serde_json::{Map, Value};

use super::questions::{Held, called};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::dry_run::DryRunArgs;
use crate::exit::Exit;
use crate::outcome::{Outcome, View};

#[derive(Debug, Subcommand)]
pub(crate) enum FieldCommand {
    /// Add a question
    Add(add::FormsFieldAddArgs),
    /// Change a question
    Set(set::FormsFieldSetArgs),
    /// Remove a question
    Remove(remove::FormsFieldRemoveArgs),
}

pub(super) async fn run(context: &mut Context, command: FieldCommand) -> Result<Outcome, Failure> {
    match command {
        FieldCommand::Add(args) => add::run(context, args).await,
        FieldCommand::Set(args) => set::run(context, args).await,
        FieldCommand::Remove(args) => remove::run(context, args).await,
    }
}

/// The questions of a form, as the service sent them.
struct Questions {
    held: Held,
    list: Vec<Map<String, Value>>,
}

impl Questions {
    async fn read(context: &mut Context, id: String, dry_run: DryRunArgs) -> Result<Self, Failure> {
        let form = context.writer(dry_run).await?.form(id.clone());
        let held = Held::read(context, form, id).await?;
        let Some(Value::Array(list)) = held.before.get("fields").cloned() else {
            return Err(Failure::unreadable("the form has no list of fields"));
        };
        let list: Option<_> = list
            .into_iter()
            .map(|it| if let Value::Object(it) = it { Some(it) } else { None })
            .collect();
        let list = list.ok_or_else(|| Failure::unreadable("a field is no object"))?;
        Ok(Self { held, list })
    }

    /// The index of the question with this key, else of the only one with this label.
    fn find(&self, name: &str) -> Result<usize, Failure> {
        let all = |field: &str| -> Vec<usize> {
            let is = |at: &usize| self.list[*at].get(field).and_then(Value::as_str) == Some(name);
            (0..self.list.len()).filter(is).collect()
        };
        let (keys, labels) = (all("key"), all("label"));
        match (&keys[..], &labels[..]) {
            ([at, ..], _) | ([], [at]) => Ok(*at),
            ([], []) => {
                let known: Vec<_> = self.list.iter().map(called).collect();
                Err(Failure::new(Exit::NotFound, format!("the form has no field `{name}`"))
                    .hint(format!("it has {}", known.join(", "))))
            }
            _ => Err(Failure::usage(format!("several fields are labelled `{name}`"))
                .hint("name one by its key")),
        }
    }

    /// Writes the whole list; `agreed` tells whether questions may go without asking.
    async fn write(self, context: &Context, agreed: bool) -> Result<Outcome, Failure> {
        let list = self.list.into_iter().map(Value::Object).collect::<Value>();
        let changes = [("fields", list)].into_iter().collect();
        let answer = self.held.update(context, changes, agreed, None).await?;
        Ok(Outcome::service(answer.body().clone(), View::Record(super::FIRST)))
    }
}
