//! Update of a form's fields: a write replaces the whole list, so the fields that stay have to keep their keys, and the differences are
//! shown before the write.

use links_sdk::{Answer, Error, FormChanges, FormHandle};

use crate::args::fields::FieldValues;
use crate::context::prelude::*;
use crate::journal;
use crate::output::read_data;
use crate::ui::plan::{field_list as list, form_lines};
use links_pages::apply::SingleWrite;
use links_pages::fs::private::ResourceLock;

/// Names within a field that the interface documents (section 2.4).
const WRITABLE: [&str; 7] = ["key", "type", "label", "placeholder", "required", "options", "multi"];

/// Edit of a form from its read to its write. No other command of this machine writes the form meanwhile.
pub(crate) struct FormEditSession {
    form: FormHandle,
    id: String,
    pub(crate) before: Object,
    /// Form as it was read, to be compared with its state right before the write.
    seen: LeadForm,
    lock: ResourceLock,
    journal: SingleWrite,
}

impl FormEditSession {
    pub(crate) async fn read(context: &Context, client: &Client, id: &str) -> Result<Self> {
        let (lock, form) = (lock(context, id), client.form(id));
        let (before, seen) = record(&form).await?;
        let journal = journal::form_write(context, id);
        Ok(Self { form, id: id.to_owned(), before, seen, lock, journal })
    }

    /// Records that the write undoes a run.
    pub(crate) fn undoing(self, run: &str) -> Self {
        Self { journal: self.journal.undoing(run), ..self }
    }

    /// Writes changes after showing every difference, and after a confirmation if fields are removed, or with this `question`. A field without
    /// a key gets the one that it had. `source` holds the places of the changes in the user's file.
    pub(crate) async fn update(
        mut self,
        context: &Context,
        mut changes: Object,
        is_confirmed: bool,
        source: Option<&FieldValues>,
        question: Option<&str>,
    ) -> Result<Answer> {
        let old = list(self.before.get("fields"));
        if let Some(Value::Array(new)) = changes.0.get_mut("fields") {
            keep_keys(&old, new);
        }
        let new = changes.0.get("fields").map(|new| list(Some(new)));
        let stays = |old: &Map<String, Value>| {
            new.iter().flatten().any(|new| new.get("key") == old.get("key"))
        };
        let gone = old.iter().filter(|it| new.is_some() && !stays(it));
        let gone: Vec<String> = gone.map(|it| called(it)).collect();
        for line in form_lines(&self.before, &changes, &gone) {
            context.ui.say(&line);
        }
        let removal = match gone.len() {
            0 => None,
            1 => {
                Some("Remove this field from the form? Added again, it is a new field.".to_owned())
            }
            count => Some(format!(
                "Remove these {count} fields from the form? Added again, they are new fields."
            )),
        };
        let question = question.map(str::to_owned).or(removal);
        if let Some(question) = question.filter(|_| !is_confirmed && context.dry_run().is_none()) {
            // No other command waits while the user decides.
            drop(self.lock);
            context.ui.confirm(false, &question)?;
            self.lock = lock(context, &self.id);
        }
        let (sent, result) = self.write(changes).await;
        let answer =
            journal::closed(context, &self.journal, result).map_err(|error| match source {
                Some(fields) => fields.failure(error, ""),
                None => error.into(),
            })?;
        if let Some(sent) = sent.0.get("fields") {
            // A form that cannot be read cannot be compared.
            let now = read(&answer).unwrap_or_default();
            let mismatch = now.get("fields").and_then(|now| {
                others(&list(self.before.get("fields")), &list(Some(sent)), &list(Some(now)))
            });
            if let Some(mismatch) = mismatch {
                let message = format!(
                    "the form was written, but its fields differ from those that were sent: {mismatch}; \
                    another client may be changing it at the same time"
                );
                return Err(CommandError::new(Exit::Drift, message)
                    .with_hint(format!("`links forms get {}` shows its current state", self.id)));
            }
        }
        Ok(answer)
    }

    /// Writes changes if no one else changed the same since the form was read. Returns the changes that were sent in the end.
    async fn write(&self, mut changes: Object) -> (Object, Result<Answer, Error>) {
        let send = async |changes: &Object| {
            let call = self.form.update_unchanged(&self.seen, FormChanges(changes.clone()));
            self.journal.change_record("updateForm", changes, call.answer()).await
        };
        let old = list(self.before.get("fields"));
        let result = send(&changes).await;
        // The service may refuse names that it adds to a field in its own answers; nothing was written then.
        if let Err(error) = &result
            && let Some(names) = refused(error.field_errors().keys())
            && names.iter().all(|it| is_added(it, &old))
            && let Some(Value::Array(new)) = changes.0.get_mut("fields")
        {
            for question in new.iter_mut().filter_map(Value::as_object_mut) {
                question.retain(|name, _| !names.contains(name));
            }
            let result = send(&changes).await;
            return (changes, result);
        }
        (changes, result)
    }
}

fn lock(context: &Context, id: &str) -> ResourceLock {
    context.lock(&format!("form-{id}"))
}

/// Describes how the fields of a form after a write differ from those that were sent.
fn others(
    old: &[&Map<String, Value>],
    sent: &[&Map<String, Value>],
    now: &[&Map<String, Value>],
) -> Option<String> {
    let has = |all: &[&Map<String, Value>], one: &Map<String, Value>| {
        all.iter().any(|it| text(it, "key") == text(one, "key"))
    };
    let (kept, new): (Vec<_>, Vec<_>) = sent.iter().copied().partition(|it| has(old, it));
    let gone: Vec<_> = kept.iter().filter(|it| !has(now, it)).map(|it| called(it)).collect();
    // The service gives keys to new fields, so only their number can be compared.
    let came: Vec<_> = now.iter().filter(|it| !has(&kept, it)).map(|it| called(it)).collect();
    let mut parts = Vec::new();
    if !gone.is_empty() {
        parts.push(format!("missing: {}", gone.join(", ")));
    }
    if came.len() != new.len() {
        parts.push(match came.len() {
            0 => "no new field was stored".to_owned(),
            _ => format!("new fields: {}, but {} were sent", came.join(", "), new.len()),
        });
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Returns the display name of a field.
pub(crate) fn called(question: &Map<String, Value>) -> String {
    format!("{} ({})", text(question, "key"), text(question, "label"))
}

fn text<'q>(question: &'q Map<String, Value>, name: &str) -> &'q str {
    question.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is_added(name: &str, old: &[&Map<String, Value>]) -> bool {
    !WRITABLE.contains(&name) && old.iter().any(|it| it.contains_key(name))
}

/// Gives the key of an old field to the new field without a key that has its label, if only one old field has that label and no new field
/// has the key.
fn keep_keys(old: &[&Map<String, Value>], new: &mut [Value]) {
    for at in 0..new.len() {
        let label = new[at]["label"].clone();
        if !new[at].is_object() || !new[at]["key"].is_null() || !label.is_string() {
            continue;
        }
        let is_free = |key: &Value| new.iter().all(|it| it["key"] != *key);
        let mut same = old.iter().filter(|it| it.get("label") == Some(&label));
        if let (Some(only), None) = (same.next(), same.next())
            && let Some(key) = only.get("key").filter(|it| is_free(it)).cloned()
        {
            new[at]["key"] = key;
        }
    }
}

/// Returns the names below `fields.N` if every refusal is about one.
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
    fn refusals_are_collected_only_if_all_are_within_fields() {
        let of = |paths: &[&str]| {
            refused(paths.iter().map(ToString::to_string).collect::<Vec<_>>().iter())
        };
        assert_eq!(of(&["fields.0.icon", "fields.1.icon"]).unwrap(), ["icon", "icon"]);
        assert_eq!(of(&["fields.0.icon", "title"]), None);
        assert_eq!(of(&["fields"]), None);
        assert_eq!(of(&[]), None);
    }

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_field_without_a_key_gets_the_key_of_the_old_field_with_its_label() {
        let old = [
            object(&json!({ "key": "name", "label": "Name" })),
            object(&json!({ "key": "a", "label": "Same" })),
            object(&json!({ "key": "b", "label": "Same" })),
            object(&json!({ "key": "tel", "label": "Phone" })),
        ];
        let mut new = [
            json!({ "label": "Name" }),
            json!({ "label": "Same" }),
            json!({ "key": "tel", "label": "Tel" }),
            json!({ "label": "Phone" }),
            json!({ "label": 7 }),
            json!("x"),
        ];
        keep_keys(&old.iter().collect::<Vec<_>>(), &mut new);
        let keys: Vec<_> = new.iter().map(|it| it["key"].as_str()).collect();
        assert_eq!(keys, [Some("name"), None, Some("tel"), None, None, None]);
    }

    #[test]
    fn fields_that_others_added_or_removed_are_detected_in_the_answer() {
        let of = |keys: &[&str]| -> Vec<_> {
            keys.iter().map(|it| object(&json!({ "key": it, "label": "L" }))).collect()
        };
        let all = |old: &[&str], sent: &[&str], now: &[&str]| {
            let (old, sent, now) = (of(old), of(sent), of(now));
            let [old, sent, now] =
                [&old, &sent, &now].map(|it| it.iter().collect::<Vec<&Map<String, Value>>>());
            others(&old, &sent, &now)
        };
        assert_eq!(all(&["a", "b"], &["a", ""], &["field_1", "a"]), None);
        assert_eq!(all(&["a"], &["a", "mine"], &["a", "field_1"]), None, "a key of its own");
        assert_eq!(all(&["a", "b"], &["a", "b"], &["a"]).unwrap(), "missing: b (L)");
        let came = all(&["a"], &["a", ""], &["a", "x", "y"]).unwrap();
        assert_eq!(came, "new fields: x (L), y (L), but 1 were sent");
        let lost = all(&["a"], &["a", ""], &["a"]).unwrap();
        assert_eq!(lost, "no new field was stored");
    }
}
