//! `links forms field`: one question of a form. The service takes only whole lists, so the form is read, and all of it is written back
//! with the `key` of every question that stays.

pub(crate) mod add;
pub(crate) mod remove;
pub(crate) mod set;

use clap::Subcommand;
use links_sdk::{FormChanges, FormHandle, Object};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::dry_run::DryRunArgs;
use crate::exit::Exit;
use crate::outcome::{Line, Outcome, Tone, View};

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
    form: FormHandle,
    list: Vec<Map<String, Value>>,
}

impl Questions {
    async fn read(context: &mut Context, id: String, dry_run: DryRunArgs) -> Result<Self, Failure> {
        let form = context.writer(dry_run).await?.form(id);
        let mut record = super::record(&form).await?;
        let Some(Value::Array(list)) = record.remove("fields") else {
            return Err(Failure::unreadable("the form has no list of fields"));
        };
        let list: Option<_> = list
            .into_iter()
            .map(|it| if let Value::Object(it) = it { Some(it) } else { None })
            .collect();
        let list = list.ok_or_else(|| Failure::unreadable("a field is no object"))?;
        Ok(Self { form, list })
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

    /// Shows what is different, and writes the whole list. `given` are the names that the user has set.
    async fn write(
        self,
        context: &Context,
        difference: Vec<Line>,
        given: &[String],
    ) -> Result<Outcome, Failure> {
        for line in &difference {
            context.ui.say(line);
        }
        let changes = |list: &[Map<String, Value>]| {
            let list = list.iter().cloned().map(Value::Object).collect::<Value>();
            FormChanges::from([("fields", list)].into_iter().collect::<Object>())
        };
        let mut list = self.list;
        let mut result = self.form.update(changes(&list)).answer().await;
        // What the service adds to a question for readers it may refuse from writers; nothing was written then.
        if let Err(error) = &result
            && let Some(strange) = refused(error.field_errors().keys())
            && strange.iter().all(|it| !WRITABLE.contains(&it.as_str()) && !given.contains(it))
        {
            for question in &mut list {
                question.retain(|name, _| !strange.contains(name));
            }
            result = self.form.update(changes(&list)).answer().await;
        }
        Ok(Outcome::service(result?.body().clone(), View::Record(super::FIRST)))
    }
}

/// The names within a question that the interface shows (section 2.4).
const WRITABLE: [&str; 7] = ["key", "type", "label", "placeholder", "required", "options", "multi"];

/// The names below `fields.N` where every refusal is about one.
fn refused<'p>(paths: impl Iterator<Item = &'p String>) -> Option<Vec<String>> {
    let name = |path: &String| {
        let mut parts = path.split('.');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some("fields"), Some(_), Some(name), None) => Some(name.to_owned()),
            _ => None,
        }
    };
    let names: Vec<_> = paths.map(name).collect::<Option<_>>()?;
    (!names.is_empty()).then_some(names)
}

/// How people call a question.
fn called(question: &Map<String, Value>) -> String {
    let text = |name: &str| question.get(name).and_then(Value::as_str).unwrap_or_default();
    format!("{} ({})", text("key"), text("label"))
}

/// A question in a line of its own.
fn whole(mark: char, tone: Tone, question: &Map<String, Value>) -> Line {
    let said = |(name, value): (&String, &Value)| format!("{name}: {value}");
    let parts: Vec<_> = question.iter().filter(|(_, value)| !value.is_null()).map(said).collect();
    Line::new(tone, format!("{mark} {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn only_refusals_within_questions_count() {
        let of = |paths: &[&str]| {
            refused(paths.iter().map(ToString::to_string).collect::<Vec<_>>().iter())
        };
        assert_eq!(of(&["fields.0.icon", "fields.1.icon"]).unwrap(), ["icon", "icon"]);
        assert_eq!(of(&["fields.0.icon", "title"]), None);
        assert_eq!(of(&["fields"]), None);
        assert_eq!(of(&[]), None);
    }
}
