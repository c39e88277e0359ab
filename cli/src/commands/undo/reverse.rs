//! What takes an operation back: the reverse of each of its writes for the pages and forms as they are now, and what stays.

use links_pages::apply::{
    DesiredSlot, JournalStore, NotRestored, RecordWrite, RunCommand, UndoConflict, same,
};
use links_pages::undo::UndoSource;

use super::selection::{UndoArgs, UndoneOperation, UndoneWrite};
use crate::account::forms::PlannedForm;
use crate::account::pull::Filed;
use crate::bulk::page_undo::PageUndo;
use crate::commands::prelude::*;
use crate::editor::form_fields::{self, without_foreign_keys};
use crate::ui::plan::{cut, shown_value};

/// The reverse of an operation.
#[derive(Default)]
pub(super) struct Reverse {
    pub(super) pages: Vec<PageUndo>,
    /// Forms with the values to write, each with the run that is taken back.
    forms: Vec<(LeadForm, Object, String)>,
    /// The pages and forms that are written, with the files that the journals name.
    pub(super) filed: Vec<Filed>,
    /// Lines about values that others changed since, which stay unless they are overwritten.
    pub(super) conflicts: Vec<String>,
    /// A line and a record about each thing that cannot be restored.
    pub(super) lost: Vec<(String, Value)>,
    /// Runs of which something stays.
    leaves: Vec<String>,
}

impl Reverse {
    /// Reads the pages and forms of the operation, and reverses its writes to them.
    pub(super) async fn read(
        context: &Context,
        client: &Client,
        (undone, types): (&UndoneOperation<'_>, &SlotTypeCatalog),
        args: &UndoArgs,
    ) -> Result<Self> {
        let mut reverse = Self::default();
        for part in &undone.parts {
            let read = match (&part.log.opening.form, &part.log.write) {
                (Some(form), Some(write)) => {
                    reverse.add_form(client, part, (form, write), args).await
                }
                _ => reverse.add_page(context, client, (undone, part), types, args).await,
            };
            match read {
                Err(error) if error.exit() == Exit::NotFound && undone.parts.len() > 1 => {
                    let target = part.write.target();
                    let line = format!("{target} no longer exists, so it cannot be restored");
                    reverse.lost.push((line, json!({ "page": target })));
                    reverse.leaves.push(part.log.run.clone());
                }
                read => read?,
            }
        }
        // Files are named in this order.
        reverse.filed.sort_by_key(|filed| matches!(filed, Filed::Form(..)));
        Ok(reverse)
    }

    async fn add_form(
        &mut self,
        client: &Client,
        part: &UndoneWrite<'_>,
        (id, write): (&str, &RecordWrite),
        args: &UndoArgs,
    ) -> Result<()> {
        let form = client.form(id).get().await?;
        let (stored, now) = (part.log.stored.as_ref(), form_fields::values(&form));
        let (changes, conflicts) = reverse(write, stored, &now, args.overwrite);
        self.add_conflicts(part, &conflicts);
        if !changes.is_empty() {
            let was_applied = part.write.command().name == "apply";
            self.filed.push(Filed::Form(form.id.to_string(), was_applied));
            self.forms.push((form, changes, part.log.run.clone()));
        }
        Ok(())
    }

    async fn add_page(
        &mut self,
        context: &Context,
        client: &Client,
        (undone, part): (&UndoneOperation<'_>, &UndoneWrite<'_>),
        types: &SlotTypeCatalog,
        args: &UndoArgs,
    ) -> Result<()> {
        let mut seen = PageSnapshot::read(client, &part.page()?).await?;
        let service = runs::service(context).unwrap_or_default();
        let before = part.write.slots_before()?;
        if part.page.is_none()
            && before.as_ref().is_some_and(|before| is_another(part, before, &seen))
        {
            let (login, line) = (&seen.login, &undone.line);
            let message = format!(
                "{login} has none of the slots that `links {line}` left, so it may be another page now; nothing was written"
            );
            return Err(CommandError::refused(message).with_hint(
                "`links log OPERATION` shows what was deleted; add it with `links slots add`",
            ));
        }
        let source = UndoSource {
            log: part.log.clone(),
            before,
            runs: JournalStore::of(&runs::directory(context)?, &service, seen.id),
        };
        if source.wrote("languageCode") {
            seen.read_language(client).await?;
        }
        let undo = source.reverse(&seen, &types.rules(), args.overwrite);
        let undo = undo.map_err(runs::list_error)?;
        for missing in &undo.not_restored {
            let (line, mut record) = lost(missing);
            record["page"] = seen.login.clone().into();
            self.lost.push((format!("{}: {line}", seen.login), record));
        }
        if !undo.not_restored.is_empty() {
            self.leaves.push(part.log.run.clone());
        }
        let conflicts: Vec<String> = undo.conflicts.iter().map(conflict_line).collect();
        self.add_conflicts(part, &conflicts);
        let has_changes = undo.has_changes(&seen, &types.rules());
        let file = part.log.opening.path.as_ref().map(PathBuf::from);
        self.filed.push(Filed::Page(seen.id, seen.login.clone(), file.clone()));
        let (undoes, recreates) = (Some(part.log.run.clone()), undo.recreates.clone());
        let command = RunCommand { undoes, recreates, ..RunCommand::default() };
        self.pages.push(PageUndo { command, file, undo, seen, has_changes });
        Ok(())
    }

    fn add_conflicts(&mut self, part: &UndoneWrite<'_>, lines: &[String]) {
        if !lines.is_empty() {
            self.leaves.push(part.log.run.clone());
        }
        let target = part.write.target();
        self.conflicts.extend(lines.iter().map(|line| format!("{target}: {line}")));
    }

    /// Returns the fields to write of each form, by the write that is taken back.
    pub(super) fn undone_forms(&self) -> BTreeMap<String, Object> {
        self.forms.iter().map(|(_, changes, run)| (run.clone(), changes.clone())).collect()
    }

    /// Returns whether nothing of the operation stays as it is.
    pub(super) fn is_whole(&self) -> bool {
        self.conflicts.is_empty() && self.lost.is_empty()
    }

    /// Returns whether there is anything to write.
    pub(super) fn has_changes(&self) -> bool {
        !self.forms.is_empty() || self.pages.iter().any(|page| page.has_changes)
    }

    /// Returns the edits of the forms, and the pages, with their whole commands.
    pub(super) fn into_edits(self, context: &Context) -> (Vec<PlannedForm>, Vec<PageUndo>) {
        let leaves = self.leaves;
        let whole = |RunCommand { undoes, recreates, .. }| RunCommand {
            undoes,
            recreates,
            leaves: leaves.clone(),
            ..journal::command(context)
        };
        let form = |(form, changes, run): (LeadForm, Object, String)| {
            let command = RunCommand { undoes: Some(run), ..RunCommand::default() };
            let write = journal::form_write(context, &form.id).record_as(whole(command));
            PlannedForm::edit(form, changes, write)
        };
        let page = |page: PageUndo| PageUndo { command: whole(page.command), ..page };
        let forms = self.forms.into_iter().map(form).collect();
        (forms, self.pages.into_iter().map(page).collect())
    }
}

/// Returns whether a page that is known by its login alone has no slot of those that a write left, of which there were some.
fn is_another(part: &UndoneWrite<'_>, before: &[DesiredSlot], seen: &PageSnapshot) -> bool {
    let deletes = part.log.plan().map_or(&[][..], |plan| &plan.deletes);
    let ids = before.iter().filter_map(|slot| slot.id);
    let mut left = ids.filter(|id| deletes.iter().all(|delete| delete.id != *id)).peekable();
    left.peek().is_some() && left.all(|id| seen.slots.iter().all(|slot| slot.id != id))
}

/// Returns the values to write so that a form is as it was, and a line for each one that others changed since and that
/// stays.
fn reverse(
    write: &RecordWrite,
    stored: Option<&Object>,
    now: &Map<String, Value>,
    overwrite: bool,
) -> (Object, Vec<String>) {
    let (mut changes, mut conflicts) = (Object::default(), Vec::new());
    for (name, sent) in write.changed.iter() {
        let before = write.before.get(name).unwrap_or(&Value::Null);
        let held = now.get(name).unwrap_or(&Value::Null);
        let left = stored.and_then(|stored| stored.get(name)).unwrap_or(sent);
        // A field that was added again has another key, and is back all the same.
        if same(held, before) || is_alike(held, before) && !same(held, left) {
            continue;
        }
        if !is_alike(held, left) && !overwrite {
            conflicts.push(differs(name, left, held));
            continue;
        }
        changes.insert(name.clone(), without_foreign_keys(before, held));
    }
    (changes, conflicts)
}

/// Returns whether two values of a form are the same, except for the keys of fields that were added again.
fn is_alike(one: &Value, other: &Value) -> bool {
    same(&without_foreign_keys(one, other), &without_foreign_keys(other, one))
}

/// Returns a line and a record about what is not restored.
fn lost(lost: &NotRestored) -> (String, Value) {
    match lost {
        NotRestored::Field { name } => {
            (format!("{name} cannot be restored by this command"), json!({ "field": name }))
        }
        NotRestored::Slot { id, kind } => (
            format!("{kind} {id} cannot be restored: {kind} slots cannot be created"),
            json!({ "id": id, "type": kind }),
        ),
        NotRestored::Key { id, key } => (
            format!("slot {id} keeps the added `{key}`, which the service cannot clear"),
            json!({ "id": id, "key": key }),
        ),
        NotRestored::Create { kind } => (
            format!(
                "a slot of type {kind} may have been created (no response); check with `links slots list`"
            ),
            json!({ "type": kind }),
        ),
        NotRestored::ExpiredStatus => (
            "the previous status had expired and is not posted again".to_owned(),
            json!({ "field": "moodText" }),
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
            format!("{what}: {left} after the run, now {now}")
        }
        _ => format!("{what}: deleted since"),
    }
}

fn differs(name: &str, left: &Value, now: &Value) -> String {
    let [left, now] = [left, now].map(|value| cut(&shown_value(value), SHOWN));
    format!("{name}: {left} after the run, now {now}")
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
        let reverse = |now: Value| reverse(&write, None, now.as_object().unwrap(), false);
        let (changes, conflicts) = reverse(json!({ "title": "B", "enabled": false, "note": "x" }));
        assert!(conflicts.is_empty());
        assert_eq!(changes, object(json!({ "title": "A", "enabled": true, "note": null })));
        let (changes, conflicts) = reverse(json!({ "title": "C", "enabled": true, "note": "" }));
        assert_eq!(conflicts, ["title: \"B\" after the run, now \"C\""]);
        assert!(changes.is_empty(), "{changes:?}");
    }

    #[test]
    fn a_form_field_that_comes_back_gets_a_new_key() {
        let list = |keys: &[&str]| -> Value {
            let field = |key: &&str| json!({ "key": key, "label": key[..1] });
            keys.iter().map(field).collect()
        };
        let write = RecordWrite {
            operation: "updateForm".to_owned(),
            changed: object(json!({ "fields": list(&["a", "c"]) })),
            before: object(json!({ "fields": list(&["a", "b"]) })),
        };
        let reverse = |now: &[&str]| {
            let now = object(json!({ "fields": list(now) }));
            reverse(&write, None, &now, false)
        };
        let again = json!([{ "key": "a", "label": "a" }, { "label": "b" }]);
        let undone = (object(json!({ "fields": again })), Vec::new());
        assert_eq!(reverse(&["a", "c"]), undone);
        assert_eq!(reverse(&["a", "c2"]), undone, "a redo has added it again");
        assert_eq!(reverse(&["a", "b2"]), (Object::default(), Vec::new()), "it is back");
        assert_eq!(reverse(&["a", "d"]).1.len(), 1, "another field");
        let (changed, before) = (list(&["a2"]), list(&["a"]));
        let [changed, before] = [changed, before].map(|it| object(json!({ "fields": it })));
        let write = RecordWrite { operation: write.operation, changed, before };
        let (changes, conflicts) = super::reverse(&write, None, &write.changed, false);
        assert!(changes.0.len() == 1 && conflicts.is_empty(), "another key alone is a change");
    }
}
