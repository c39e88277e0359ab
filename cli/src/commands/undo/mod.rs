//! `links undo`: undoes a write of this machine. Undoes a write to a form here, one to a page in `page.rs`.

use links_pages::apply::{RecordWrite, same};
use links_sdk::{Client, Object};
use serde_json::{Map, Value, json};

pub(crate) use self::selection::UndoArgs;
use self::selection::UndoneWrite;
use super::prelude::{CommandResult, answered, said};
use crate::apply::runs;
use crate::context::Context;
use crate::editor::form_fields::FormEditSession;
use crate::error::CommandError;
use crate::journal;
use crate::output::{Style, StyledLine, View};

mod conflict;
mod page;
mod selection;

pub(crate) async fn run(context: &mut Context, args: UndoArgs) -> CommandResult {
    let client = context.writer(args.dry_run).await?;
    let undone = UndoneWrite::select(context, args.run.as_deref())?;
    let (of, time) = (selection::target(&undone.log), runs::time(undone.log.opening.time));
    let text = format!("undoes `links {}` of {time} ({of})", undone.line);
    context.ui.tell(Style::Plain, text);
    for (run, what) in undone.companions(context)? {
        let text = format!("! the same command also wrote {what}: `links undo {run}` undoes that");
        context.ui.tell(Style::Changed, text);
    }
    let outcome = if undone.log.opening.form.is_some() {
        undo_form(context, &client, &undone, &args).await?
    } else {
        Box::pin(page::undo(context, &client, &undone, &args)).await?
    };
    if context.dry_run().is_none() {
        undone.close();
    }
    Ok(outcome)
}

async fn undo_form(
    context: &mut Context,
    client: &Client,
    undone: &UndoneWrite,
    args: &UndoArgs,
) -> CommandResult {
    let (Some(id), Some(write)) = (&undone.log.opening.form, undone.log.write.as_ref()) else {
        return Err(CommandError::internal("a run without a form"));
    };
    let journal = journal::form_write(context, "undo", id).undoing(&undone.log.run);
    let session =
        FormEditSession::read(context, client.form(id.as_str()), id.clone(), journal).await?;
    let reverse = Reverse::of(write, undone.log.stored.as_ref(), &session.before);
    if !args.overwrite {
        conflict::refuse(&context.ui, &reverse.conflicts)?;
    }
    if reverse.changes.is_empty() {
        return Ok(said(json!({ "id": id }), "no changes"));
    }
    context.plan_first.plan(&(id, &reverse.changes))?;
    let title = session.before.get("title").and_then(Value::as_str).unwrap_or(id).to_owned();
    let names: Vec<String> = reverse.changes.keys().cloned().collect();
    let answer = session
        .update(context, reverse.changes, args.yes, None, Some("Restore these values?"))
        .await?;
    let line = format!("form \"{title}\": {}", names.join(", "));
    let view = View::Lines(vec![StyledLine::new(Style::Plain, line)]);
    Ok(answered(&answer, view))
}

/// Values to write so that a form is as it was.
struct Reverse {
    changes: Object,
    /// Values that others changed since, one a line.
    conflicts: Vec<String>,
}

impl Reverse {
    fn of(write: &RecordWrite, stored: Option<&Object>, now: &Map<String, Value>) -> Self {
        let mut reverse = Self { changes: Object::default(), conflicts: Vec::new() };
        for (name, sent) in write.changed.iter() {
            let before = write.before.get(name).unwrap_or(&Value::Null);
            let held = now.get(name).unwrap_or(&Value::Null);
            if same(held, before) {
                continue;
            }
            let left = stored.and_then(|stored| stored.get(name)).unwrap_or(sent);
            if !same(held, left) {
                reverse.conflicts.push(conflict::differs(name, left, held));
            }
            reverse.changes.insert(name.clone(), before.clone());
        }
        reverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn values_are_restored_and_foreign_edits_are_named() {
        let write = RecordWrite {
            operation: "updateForm".to_owned(),
            changed: object(json!({ "title": "B", "enabled": false, "note": "x" })),
            before: object(json!({ "title": "A", "enabled": true })),
        };
        let reverse = |now: Value| Reverse::of(&write, None, now.as_object().unwrap());
        let plain = reverse(json!({ "title": "B", "enabled": false, "note": "x" }));
        assert!(plain.conflicts.is_empty());
        assert_eq!(plain.changes, object(json!({ "title": "A", "enabled": true, "note": null })));
        let edited = reverse(json!({ "title": "C", "enabled": true, "note": "" }));
        assert_eq!(edited.conflicts, ["title: the run left \"B\", now it is \"C\""]);
        assert_eq!(edited.changes, object(json!({ "title": "A" })));
    }
}
