//! `links undo`: undoes a write of this machine to a form or to a page.

mod selection;

use std::collections::BTreeMap;
use std::rc::Rc;

use links_pages::apply::{
    DesiredPage, DesiredSlot, JournalEntries, JournalStore, NotRestored, OpenPage, PageSnapshot,
    RecordWrite, RunCommand, Undo, UndoConflict, Wanted, fingerprint, same,
};
use links_pages::sanitize;
use links_pages::undo::UndoSource;

pub(crate) use self::selection::UndoArgs;
use self::selection::UndoneWrite;
use super::prelude::*;
use crate::account::apply;
use crate::account::edit::{AskedPage, PageEdit, SlotsEdit};
use crate::account::request::RunSource;
use crate::apply::apply_args::{Allowed, ApplyArgs, RunOptions};
use crate::apply::sync::recreated_slots;
use crate::commands::profile::login;
use crate::editor::form_fields::FormEditSession;
use crate::schema::SlotTypeCatalog;
use crate::ui::Ui;
use crate::ui::plan::{cut, shown_value};

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
    let outcome = match (&undone.log.opening.form, &undone.log.write) {
        (Some(form), Some(write)) => {
            undo_form(context, &client, &undone, (form, write), &args).await?
        }
        _ => Box::pin(undo_page(context, &client, &undone, &args)).await?,
    };
    // What goes on after the output is the error of an undo that was not carried out as a whole.
    if context.dry_run().is_none() && outcome.then.is_none() {
        undone.close();
    }
    Ok(outcome)
}

async fn undo_form(
    context: &mut Context,
    client: &Client,
    undone: &UndoneWrite,
    (id, write): (&String, &RecordWrite),
    args: &UndoArgs,
) -> CommandResult {
    let session = FormEditSession::read(context, client, id).await?.undoing(&undone.log.run);
    let (changes, conflicts) = reverse(write, undone.log.stored.as_ref(), &session.before);
    if !args.overwrite {
        refuse(&context.ui, &conflicts)?;
    }
    if changes.is_empty() {
        return Ok(said(json!({ "id": id }), "no changes"));
    }
    context.plan_first.plan(&(id, &changes))?;
    let title = session.before.get("title").and_then(Value::as_str).unwrap_or(id).to_owned();
    let names: Vec<String> = changes.keys().cloned().collect();
    let answer =
        session.update(context, changes, args.yes, None, Some("Restore these values?")).await?;
    let line = format!("form \"{title}\": {}", names.join(", "));
    let view = View::Lines(vec![StyledLine::plain(line)]);
    Ok(answered(&answer, view))
}

/// Returns the values to write so that a form is as it was, and a line for each one that others changed since.
fn reverse(
    write: &RecordWrite,
    stored: Option<&Object>,
    now: &Map<String, Value>,
) -> (Object, Vec<String>) {
    let (mut changes, mut conflicts) = (Object::default(), Vec::new());
    for (name, sent) in write.changed.iter() {
        let before = write.before.get(name).unwrap_or(&Value::Null);
        let held = now.get(name).unwrap_or(&Value::Null);
        if same(held, before) {
            continue;
        }
        let left = stored.and_then(|stored| stored.get(name)).unwrap_or(sent);
        if !same(held, left) {
            conflicts.push(differs(name, left, held));
        }
        changes.insert(name.clone(), before.clone());
    }
    (changes, conflicts)
}

const LANGUAGE: &str = "languageCode";
const LOGIN: &str = "login";

/// Undoes a write to a page: its slots and its profile fields.
async fn undo_page(
    context: &mut Context,
    client: &Client,
    undone: &UndoneWrite,
    args: &UndoArgs,
) -> Result<CommandOutput> {
    let mut now = PageSnapshot::read(client, &undone.page()?).await?;
    let service = runs::service(context).unwrap_or_default();
    let source = UndoSource {
        log: undone.log.clone(),
        store: undone.store.clone(),
        runs: JournalStore::of(&runs::directory(context)?, &service, now.id),
    };
    if source.wrote(LANGUAGE) {
        now.read_language(client).await?;
    }
    let types = context.slot_types().await?;
    let undo =
        source.reverse(&now, &types.rules(), args.overwrite).map_err(|it| runs::list_error(&it))?;
    let (lines, lost): (Vec<String>, Vec<Value>) = undo.not_restored.iter().map(lost).unzip();
    for line in lines {
        context.ui.tell(Style::Removed, line);
    }
    let conflicts: Vec<String> = undo.conflicts.iter().map(conflict_line).collect();
    refuse(&context.ui, &conflicts)?;
    consent_to_login(context, client, &undo.desired, &now, args).await?;

    let (page, recreates) = (now.id, undo.recreates.clone());
    let command = RunCommand {
        undoes: Some(undone.log.run.clone()),
        recreates: recreates.clone(),
        ..journal::command(context)
    };
    let options = RunOptions {
        flags: ApplyArgs {
            yes: args.yes,
            full: args.full,
            // The reverse was made for the page as it is, empty or not.
            allow_empty: true,
            ..ApplyArgs::default()
        },
        command,
        // A login that an undo changes back was confirmed before.
        allowed: Allowed { allow_create: 0, allow_rename: true },
        wait: args.wait,
        ..RunOptions::default()
    };
    let (pages, edit) = (vec![ProfileKey::Id(page)], Box::new(UndoEdit { undo, seen: now }));
    let edit = Some(Rc::new(SlotsEdit { edit, pages, types }));
    let mut outcome = apply(context, RunSource { edit, ..RunSource::default() }, options).await?;
    if let Some(body) = outcome.body.own_mut()
        && let Some(data) = body["data"].as_object_mut()
    {
        let ids = created_ids(&data["pages"][0]["done"]["created"], &recreates);
        data.insert("undone".to_owned(), undone.log.run.clone().into());
        data.insert("notRestored".to_owned(), Value::Array(lost));
        if context.dry_run().is_none() {
            let file = undone.log.opening.path.as_deref().map(Path::new);
            for line in recreated_slots::record(context, page, &ids, file) {
                context.ui.say(&line);
            }
        }
    }
    Ok(outcome)
}

/// The reverse of a run, as an edit of its page.
#[derive(Debug)]
struct UndoEdit {
    undo: Undo,
    /// The page that the reverse was made for.
    seen: PageSnapshot,
}

impl PageEdit for UndoEdit {
    fn ask(
        &self,
        _: &PageSnapshot,
        _: &SlotTypeCatalog,
        _: &[JournalEntries],
    ) -> Result<AskedPage> {
        let lost = match self.undo.recreates.len() {
            0 => None,
            1 => Some(
                "1 deleted slot is created again, with a new id; its click statistics are lost"
                    .to_owned(),
            ),
            many => Some(format!(
                "{many} deleted slots are created again, with new ids; their click statistics are lost"
            )),
        };
        Ok(AskedPage {
            content: self.undo.desired.clone(),
            notes: lost.map(StyledLine::changed).into_iter().collect(),
            ..AskedPage::default()
        })
    }

    fn wanted(&self, _: &AskedPage, open: &OpenPage) -> Result<Wanted> {
        let (page, seen) = (open.snapshot(), &self.seen);
        let (before, now) = (seen.fields(), page.fields());
        let is_held = |name: &String| {
            let value = |fields: &Object| fields.get(name).cloned().unwrap_or_default();
            same(&value(&before), &value(&now))
        };
        let is_seen = fingerprint(&page.slots) == fingerprint(&seen.slots)
            && self.undo.desired.fields.keys().all(is_held);
        if open.is_resumed() || is_seen {
            return Ok(self.undo.wanted(&page.slots, &open.created()));
        }
        let message = "another client changed the page meanwhile; nothing was written";
        Err(CommandError::new(Exit::Conflict, message)
            .with_hint("run the same command again for a new plan"))
    }

    fn item_name(&self, _: &str, index: usize, item: &DesiredSlot) -> String {
        match (item.id, self.undo.recreates.get(&index)) {
            (None, Some(old)) => format!("slot {old} again"),
            (id, _) => format!("slot {}", id.unwrap_or_default()),
        }
    }
}

/// Asks for consent if the undo changes the login back, as a rename does.
async fn consent_to_login(
    context: &Context,
    client: &Client,
    desired: &DesiredPage,
    now: &PageSnapshot,
    args: &UndoArgs,
) -> Result<()> {
    let Some(old) = desired.fields.get(LOGIN).and_then(Value::as_str) else { return Ok(()) };
    if old.eq_ignore_ascii_case(&now.login) {
        return Ok(());
    }
    login::check_available(client, old, Some(&ProfileKey::Id(now.id))).await?;
    let url = now.url.clone().unwrap_or_else(|| now.login.clone());
    login::require_consent(context, &now.login, &url, args.confirm.clone())
}

/// Returns the new ids of the slots that were created again, by their earlier ids.
fn created_ids(created: &Value, recreates: &BTreeMap<usize, SlotId>) -> BTreeMap<SlotId, SlotId> {
    let id = |index: &usize| created.get(index.to_string())?.as_i64().map(SlotId::new);
    recreates.iter().filter_map(|(index, old)| Some((*old, id(index)?))).collect()
}

/// Returns a line and a record about what is not restored.
fn lost(lost: &NotRestored) -> (String, Value) {
    match lost {
        NotRestored::Field { name } => {
            (format!("{name} cannot be restored by this command"), json!({ "field": name }))
        }
        NotRestored::Slot { id, kind } => (
            format!("{kind} {id} cannot be restored: such a slot cannot be created"),
            json!({ "id": id, "type": kind }),
        ),
        NotRestored::Key { id, key } => (
            format!("slot {id}: `{key}` was added and is kept: the service cannot clear it"),
            json!({ "id": id, "key": key }),
        ),
        NotRestored::Create { kind } => (
            format!(
                "perhaps a {kind} was created, but the answer was lost: `links slots list` shows it"
            ),
            json!({ "type": kind }),
        ),
        _ => ("something cannot be restored".to_owned(), Value::Null),
    }
}

/// Maximum width of a value in columns.
const SHOWN: usize = 60;

/// Returns a line about a change by others since the run, which names both values.
fn conflict_line(conflict: &UndoConflict) -> String {
    let what = conflict.to_string();
    let what = sanitize::line(&what);
    match conflict {
        UndoConflict::Field { left, now, .. } | UndoConflict::Edited { left, now, .. } => {
            differs(&what, left, now)
        }
        UndoConflict::Moved { left, now } => {
            let [left, now] = [left, now].map(|ids| {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                cut(&ids.join(" "), SHOWN)
            });
            format!("{what}: the run left {left}, now it is {now}")
        }
        _ => format!("{what}: it was deleted since"),
    }
}

fn differs(name: &str, left: &Value, now: &Value) -> String {
    let [left, now] = [left, now].map(|value| cut(&shown_value(value), SHOWN));
    format!("{name}: the run left {left}, now it is {now}")
}

/// Refuses an undo that would overwrite what was changed since.
fn refuse(ui: &Ui, lines: &[String]) -> Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    for line in lines {
        ui.tell(Style::Changed, format!("! {line}"));
    }
    let message = match lines.len() {
        1 => format!("changed since the run: {}; nothing was written", lines[0]),
        count => format!("{count} values were changed since the run; nothing was written"),
    };
    Err(CommandError::new(Exit::Conflict, message)
        .with_hint("--overwrite restores what was there before the run all the same"))
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
        let reverse = |now: Value| reverse(&write, None, now.as_object().unwrap());
        let (changes, conflicts) = reverse(json!({ "title": "B", "enabled": false, "note": "x" }));
        assert!(conflicts.is_empty());
        assert_eq!(changes, object(json!({ "title": "A", "enabled": true, "note": null })));
        let (changes, conflicts) = reverse(json!({ "title": "C", "enabled": true, "note": "" }));
        assert_eq!(conflicts, ["title: the run left \"B\", now it is \"C\""]);
        assert_eq!(changes, object(json!({ "title": "A" })));
    }
}
