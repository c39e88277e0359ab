//! Update of a form's fields: a write replaces the whole list, so the fields that stay have to keep their keys, and the differences are
//! shown before the write.

use links_sdk::{Answer, FormChanges, FormHandle, FormId};

use crate::args::fields::FieldValues;
use crate::context::prelude::*;
use crate::journal;
use crate::output::read_data;
use crate::ui::plan::{field_list as list, form_lines};
use links_pages::account::FormPlan;
use links_pages::fs::private::ResourceLock;

/// Edit of a form from its read to its write. No other command of this machine writes the form meanwhile, apart from the time in which the
/// user decides.
#[derive(Debug)]
pub(crate) struct FormEditSession {
    form: FormHandle,
    pub(crate) before: Object,
    /// Form as it was read, to be compared with its state right before the write.
    seen: LeadForm,
    lock: ResourceLock,
}

impl FormEditSession {
    pub(crate) async fn read(context: &Context, client: &Client, id: &str) -> Result<Self> {
        let (lock, form) = (lock(context, id), client.form(id));
        let (before, seen) = record(&form).await?;
        Ok(Self { form, before, seen, lock })
    }

    /// Writes changes after showing every difference, and after a confirmation if fields are removed. `source` holds the places of the changes in
    /// the user's file.
    pub(crate) async fn update(
        self,
        context: &Context,
        changes: Object,
        is_confirmed: bool,
        source: Option<&FieldValues>,
    ) -> Result<Answer> {
        let Self { form, before, seen, mut lock } = self;
        let (id, plan) = (&seen.id, plan(&seen.id, &before, changes));
        for line in form_lines(&plan.before, &plan.changed) {
            context.ui.say(&line);
        }
        let question = match plan.removed.len() {
            0 => None,
            1 => Some("Remove this field? If you add it back, it will be a new field.".to_owned()),
            count => Some(format!(
                "Remove these {count} fields? If you add them back, they will be new fields."
            )),
        };
        if let Some(question) = question.filter(|_| !is_confirmed && context.dry_run().is_none()) {
            // Others may write the form until the user has decided.
            drop(lock);
            context.ui.confirm(false, &question)?;
            lock = self::lock(context, id);
        }
        let call = form.update_unchanged(&seen, FormChanges(plan.changed.clone()));
        let write = journal::form_write(context, id);
        let result = write.change_record("updateForm", &plan.changed, call.answer()).await;
        drop(lock);
        journal::close(context, &write, result.is_ok());
        let answer = result.map_err(|error| match source {
            Some(fields) => fields.failure(error),
            None => error.into(),
        })?;
        // A form that cannot be read cannot be compared.
        check_written(&plan, &read(&answer).unwrap_or_default())?;
        Ok(answer)
    }
}

/// Locks a form against other commands of this machine that write it.
pub(crate) fn lock(context: &Context, id: &str) -> ResourceLock {
    context.lock(&format!("form-{id}"))
}

/// Returns the values of a form.
pub(crate) fn values(form: &LeadForm) -> Object {
    json!(form).try_into().unwrap_or_default()
}

/// Returns the plan of changes, with the title of the form before them as its name, or its ID. A field without a key gets the one that it had.
pub(crate) fn plan(id: &FormId, before: &Object, mut changed: Object) -> FormPlan {
    let old = list(before.get("fields"));
    if let Some(Value::Array(new)) = changed.0.get_mut("fields") {
        keep_keys(old, new);
    }
    // What is no list has none of the fields.
    let removed = changed.get("fields").map_or_else(Vec::new, |new| without(old, list(Some(new))));
    let name = before.get("title").and_then(Value::as_str).unwrap_or(id).to_owned();
    let before =
        changed.keys().filter_map(|name| Some((name.clone(), before.get(name)?.clone()))).collect();
    FormPlan { name, id: Some(id.clone()), changed, before, removed }
}

/// Refuses a form that was changed, and whose fields differ now from those that were sent.
pub(crate) fn check_written(plan: &FormPlan, now: &Object) -> Result<()> {
    let lists = (plan.changed.get("fields"), now.get("fields"));
    let (Some(id), (Some(sent), Some(now))) = (&plan.id, lists) else { return Ok(()) };
    let (sent, now) = (list(Some(sent)), list(Some(now)));
    if !differ(list(plan.before.get("fields")), sent, now) {
        return Ok(());
    }
    let now: Vec<String> = now.iter().map(called).collect();
    let message = format!(
        "wrote the form, but its fields differ from what was sent: they are now {}; another client may be changing it at the same time",
        now.join(", ")
    );
    Err(CommandError::new(Exit::Drift, message)
        .with_hint(format!("run `links forms get {id}` to see its current state")))
}

/// Returns whether the fields of a form after a write differ from those that were sent.
fn differ(old: &[Value], sent: &[Value], now: &[Value]) -> bool {
    let (kept, new): (Vec<_>, Vec<_>) = sent.iter().cloned().partition(|it| has(old, it));
    // The service gives keys to new fields, so only their number can be compared.
    !without(&kept, now).is_empty() || without(now, &kept).len() != new.len()
}

/// Returns whether a list has a field with the key of this one.
fn has(list: &[Value], field: &Value) -> bool {
    list.iter().any(|it| it["key"] == field["key"])
}

/// Returns a value of a form; if it is the list of its fields, without the keys that another list of them lacks: a field that is added again gets
/// a new key.
pub(crate) fn without_foreign_keys(value: &Value, others: &Value) -> Value {
    let mut value = value.clone();
    for field in value.as_array_mut().into_iter().flatten() {
        if !has(list(Some(others)), field)
            && let Some(field) = field.as_object_mut()
        {
            field.remove("key");
        }
    }
    value
}

/// Returns the display names of the fields of a list that another list lacks.
fn without(list: &[Value], other: &[Value]) -> Vec<String> {
    list.iter().filter(|it| !has(other, it)).map(called).collect()
}

/// Returns the display name of a field.
pub(crate) fn called(field: &Value) -> String {
    let text = |name: &str| field[name].as_str().unwrap_or_default();
    format!("{} ({})", text("key"), text("label"))
}

/// Gives the key of an old field to the new field without a key that has its label, if only one old field has that label and no new field
/// has the key.
fn keep_keys(old: &[Value], new: &mut [Value]) {
    for at in 0..new.len() {
        let label = new[at]["label"].clone();
        if !new[at].is_object() || !new[at]["key"].is_null() || !label.is_string() {
            continue;
        }
        let mut same = old.iter().filter(|it| it["label"] == label);
        if let (Some(only), None) = (same.next(), same.next())
            && !has(new, only)
        {
            new[at]["key"] = only["key"].clone();
        }
    }
}

/// Reads a form as JSON, and as a typed value for the comparison with a later read.
pub(crate) async fn record(form: &FormHandle) -> Result<(Object, LeadForm)> {
    let answer = form.get().answer().await?;
    let seen = read_data(answer.body())?;
    Ok((read(&answer)?, seen))
}

/// Returns a form as it was sent, except that a list which came as an object with numbers as names is a list again.
fn read(answer: &Answer) -> Result<Object> {
    let mut record: Object = read_data(answer.body())?;
    for value in record.values_mut() {
        if let Value::Object(items) = value
            && !items.is_empty()
            && items.keys().all(|name| name.bytes().all(|it| it.is_ascii_digit()))
        {
            *value = std::mem::take(items).into_values().collect();
        }
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_without_a_key_gets_the_key_of_the_old_field_with_its_label() {
        let old = [
            json!({ "key": "name", "label": "Name" }),
            json!({ "key": "a", "label": "Same" }),
            json!({ "key": "b", "label": "Same" }),
            json!({ "key": "tel", "label": "Phone" }),
        ];
        let mut new = [
            json!({ "label": "Name" }),
            json!({ "label": "Same" }),
            json!({ "key": "tel", "label": "Tel" }),
            json!({ "label": "Phone" }),
            json!({ "label": 7 }),
            json!("x"),
        ];
        keep_keys(&old, &mut new);
        let keys: Vec<_> = new.iter().map(|it| it["key"].as_str()).collect();
        assert_eq!(keys, [Some("name"), None, Some("tel"), None, None, None]);
    }

    #[test]
    fn fields_that_others_added_or_removed_are_detected_in_the_answer() {
        let of = |keys: &[&str]| -> Vec<_> {
            keys.iter().map(|it| json!({ "key": it, "label": "L" })).collect()
        };
        let all = |old: &[&str], sent: &[&str], now: &[&str]| differ(&of(old), &of(sent), &of(now));
        assert!(!all(&["a", "b"], &["a", ""], &["field_1", "a"]));
        assert!(!all(&["a"], &["a", "mine"], &["a", "field_1"]), "a key of its own");
        assert!(all(&["a", "b"], &["a", "b"], &["a"]), "one is missing");
        assert!(all(&["a"], &["a", ""], &["a", "x", "y"]), "one more was stored");
        assert!(all(&["a"], &["a", ""], &["a"]), "the new one was not stored");
    }
}
