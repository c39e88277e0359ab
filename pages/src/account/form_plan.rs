//! Plan of the changes to a lead form, and its execution.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::apply::{PlanOptions, RecordWrite, SingleWrite, same};
use crate::form_file::{CHANNELS, DesiredForm, FORM_FIELDS, INPUT_FIELDS, INPUTS};
use crate::sync::{FilePage, LivePage, Merge, PageBase};
use links_sdk::types::LeadForm;
use links_sdk::{Client, Error, FormChanges, FormId, Object};

/// Changes from a form as it was read to the desired form, as data: you can print, save and compare them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct FormPlan {
    /// Name by which pages refer to the form.
    pub name: String,
    /// ID of the form; `None` if it will be created. Creating a form cannot be undone, because the interface cannot delete forms.
    pub id: Option<FormId>,
    /// Fields to write. The list of the form's fields is always written as a whole, with the keys of the fields to keep.
    pub changed: Object,
    /// Values of these fields when the form was read, without fields that did not exist.
    pub before: Object,
    /// Names of the form's fields that are removed.
    pub removed: Vec<String>,
}

/// Reason why it is unclear which form, or which of its fields, is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct FormPlanError {
    /// Path of the field that leaves it unclear: `id`, `title` or `fields.N`.
    pub path: String,
    /// What is unclear.
    pub message: String,
}

impl FormPlan {
    /// Plans the creation of a form, or the changes to the `form` that was [found](DesiredForm::find), without what others changed in it since
    /// the last sync, by its record. `overwrite` says that the desired form wins. Nothing may be written while the merge has conflicts.
    ///
    /// # Errors
    ///
    /// When it is unclear which field of the form is meant.
    ///
    /// ```
    /// use links_pages::account::{DesiredForm, FormPlan};
    ///
    /// let fields = serde_json::from_value(serde_json::json!({"title": "Write to us", "fields": [{"type": "text", "label": "Name"}]}))?;
    /// let desired = DesiredForm { name: "contact".into(), fields, ..DesiredForm::default() };
    /// let (plan, _) = FormPlan::new(&desired, None, None, false)?;
    /// assert!(plan.id.is_none() && plan.changed.len() == 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        desired: &DesiredForm,
        form: Option<&LeadForm>,
        base: Option<&PageBase>,
        overwrite: bool,
    ) -> Result<(Self, Merge), FormPlanError> {
        let name = desired.name.clone();
        let Some(form) = form else {
            let mut changed = desired.fields.clone();
            changed.0.retain(|_, value| !value.is_null());
            return Ok((Self { name, changed, ..Self::default() }, Merge::default()));
        };
        let (said, live) = desired.compared(form)?;
        let options = PlanOptions { overwrite, ..PlanOptions::default() };
        let merge = Merge::new(base, &said, &live, &options).unwrap_or_default();
        let (id, changed, mut before) = (Some(form.id.clone()), merge.fields.clone(), live.fields);
        before.0.retain(|name, held| changed.contains_key(name) && !held.is_null());
        let removed = match (changed.get(INPUTS), before.get(INPUTS)) {
            (Some(Value::Array(sent)), Some(Value::Array(held))) => {
                let is_kept = |field: &&Value| sent.iter().any(|it| it["key"] == field["key"]);
                held.iter().filter(|it| !is_kept(it)).map(|it| text(it, "label")).collect()
            }
            _ => Vec::new(),
        };
        Ok((Self { name, id, changed, before, removed }, merge))
    }

    /// Returns whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.id.is_some() && self.changed.is_empty()
    }
}

impl DesiredForm {
    /// Returns what the file says of the form.
    pub fn said(&self) -> FilePage {
        let fields = self.fields.iter().map(|(key, value)| (key.clone(), ordered(key, value)));
        FilePage { fields: fields.collect(), ..FilePage::default() }
    }

    /// Returns what the file says and what the form holds, as a merge compares them. The list of the form's fields is compared as it would be
    /// sent: with what the file does not mention of each field.
    ///
    /// # Errors
    ///
    /// When it is unclear which field of the form is meant.
    pub fn compared(&self, form: &LeadForm) -> Result<(FilePage, LivePage), FormPlanError> {
        let mut said = self.said();
        let held = serde_json::to_value(form).unwrap_or_default();
        let known = FORM_FIELDS.iter().map(|rule| rule.name).chain([INPUTS, CHANNELS]);
        let names = known.chain(self.fields.keys().map(String::as_str));
        if let (Some(Value::Array(wanted)), Some(Value::Array(held))) =
            (said.fields.get(INPUTS), held.get(INPUTS))
        {
            said.resolved.insert(INPUTS.to_owned(), whole_fields(wanted, held)?.into());
        }
        let fields = names.map(|name| (name.to_owned(), ordered(name, &held[name])));
        Ok((said, LivePage { fields: fields.collect(), ..LivePage::default() }))
    }

    /// Finds the form among the `forms` of the account: by its ID, then by the `recorded` ID that a lock has for the name, then by its title if
    /// it is unique. `taken` are the IDs of forms that have another name. If there is no such form, a new one is created.
    ///
    /// # Errors
    ///
    /// When it is unclear which form is meant.
    pub fn find<'f>(
        &self,
        forms: &'f [LeadForm],
        recorded: Option<&str>,
        taken: &BTreeSet<FormId>,
    ) -> Result<Option<&'f LeadForm>, FormPlanError> {
        let by_id = |id: &str| forms.iter().find(|form| form.id == id);
        if let Some(id) = &self.id {
            let unknown =
                || FormPlanError { path: "id".to_owned(), message: format!("form {id} not found") };
            return by_id(id).ok_or_else(unknown).map(Some);
        }
        if let Some(form) = recorded.and_then(by_id) {
            return Ok(Some(form));
        }
        let Some(title) = self.fields.get("title").and_then(Value::as_str) else { return Ok(None) };
        let titled: Vec<_> = forms
            .iter()
            .filter(|form| form.title.trim() == title.trim() && !taken.contains(&form.id))
            .collect();
        match titled[..] {
            [] => Ok(None),
            [form] => Ok(Some(form)),
            _ => {
                let ids: Vec<&str> = titled.iter().map(|form| &*form.id).collect();
                let message = format!(
                    "{} forms are called \"{title}\"; write the `id` of one: {}",
                    ids.len(),
                    ids.join(", ")
                );
                Err(FormPlanError { path: "title".to_owned(), message })
            }
        }
    }
}

/// Returns the whole list to write: fields that stay keep their key and what is not mentioned. A desired field is the one that has its key, else
/// the only one of its label and type.
fn whole_fields(wanted: &[Value], held: &[Value]) -> Result<Vec<Value>, FormPlanError> {
    let named = |field: &Value| {
        wanted.iter().any(|it| it.get("key").is_some() && it["key"] == field["key"])
    };
    let free: Vec<&Value> = held.iter().filter(|field| !named(field)).collect();
    let alike = |one: &Value, other: &Value| {
        same(&one["label"], &other["label"]) && same(&one["type"], &other["type"])
    };
    let find = |index: usize, field: &Value| {
        if !no_key(field) {
            return Ok(held.iter().find(|it| it["key"] == field["key"]));
        }
        let found: Vec<&Value> = free.iter().copied().filter(|it| alike(it, field)).collect();
        let is_asked = |it: &&Value| no_key(it) && alike(it, field);
        let asked = wanted.iter().filter(is_asked).count();
        match found.len() {
            0 => Ok(None),
            // As many as there are, in the same order.
            number if number == asked => {
                let nth = wanted[..index].iter().filter(is_asked).count();
                Ok(found.get(nth).copied())
            }
            _ => {
                let keys: Vec<String> = found.iter().map(|it| text(it, "key")).collect();
                let (label, keys) = (text(field, "label"), keys.join(", "));
                let message = format!(
                    "several fields are called \"{label}\"; write the `key` of one: {keys}"
                );
                Err(FormPlanError { path: format!("fields.{index}"), message })
            }
        }
    };
    let whole = |(index, field): (usize, &Value)| {
        Ok(match (field, find(index, field)?) {
            (Value::Object(field), Some(Value::Object(held))) => {
                let mut whole = held.clone();
                whole.extend(field.clone());
                Value::Object(whole)
            }
            _ => field.clone(),
        })
    };
    wanted.iter().enumerate().map(whole).collect()
}

/// Returns whether a desired field names no field of the form.
fn no_key(field: &Value) -> bool {
    field["key"].is_null()
}

fn text(field: &Value, name: &str) -> String {
    field[name].as_str().unwrap_or_default().to_owned()
}

/// Returns the value of a field without an order that has no meaning.
fn ordered(field: &str, value: &Value) -> Value {
    let mut value = value.clone();
    if let (CHANNELS, Value::Array(list)) = (field, &mut value) {
        list.sort_by_key(Value::to_string);
        list.dedup();
    }
    value
}

impl FormPlan {
    /// Creates or changes the form. If another client changed the same fields of the form since it was read, they are not overwritten.
    ///
    /// If the response to a create is lost, the idempotency key decides; if the response to a change is lost, the form is read again. `write` has
    /// the journal of the write, if it has one.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::{DesiredForm, FormPlan};
    /// use links_pages::apply::SingleWrite;
    ///
    /// let fields = serde_json::json!({
    ///     "title": "Write to us", "buttonText": "Send", "successMessage": "Thanks",
    ///     "fields": [{"type": "text", "label": "Name", "required": true}],
    /// });
    /// let desired = DesiredForm { name: "contact".into(), fields: serde_json::from_value(fields)?, ..DesiredForm::default() };
    /// let (plan, _) = FormPlan::new(&desired, None, None, false)?;
    /// let form = plan.execute(&client, None, &SingleWrite::new(None)).await?;
    /// assert_eq!(form.title, "Write to us");
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`FormsHandle::create`](links_sdk::FormsHandle::create) and
    /// [`FormHandle::update_unchanged`](links_sdk::FormHandle::update_unchanged).
    pub async fn execute(
        &self,
        client: &Client,
        seen: Option<&LeadForm>,
        write: &SingleWrite,
    ) -> Result<LeadForm, Error> {
        let operation = if self.id.is_some() { "updateForm" } else { "createForm" };
        let (changed, before) = (self.changed.clone(), self.before.clone());
        let record = RecordWrite { operation: operation.to_owned(), changed, before };
        let call = self.send(client, seen);
        write.write_record(record, call, |form| serde_json::to_value(form).ok()).await
    }

    async fn send(&self, client: &Client, seen: Option<&LeadForm>) -> Result<LeadForm, Error> {
        let Some(id) = &self.id else {
            // Not every service joins two requests of one key: the next run finds the form by its title.
            let create = client.forms().create(FormChanges(self.changed.clone()));
            return create.reading_first().await;
        };
        let form = client.form(id.clone());
        let result = form.update_unchanged(seen, FormChanges(self.changed.clone())).await;
        match result.as_ref().err().and_then(|error| self.without_refused(error)) {
            Some(changes) => form.update_unchanged(seen, FormChanges(changes)).await,
            None => result,
        }
    }

    /// Sends the create or the change as a dry run.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::{DesiredForm, FormPlan};
    ///
    /// let fields = serde_json::json!({
    ///     "title": "Write to us", "buttonText": "Send", "successMessage": "Thanks",
    ///     "fields": [{"type": "text", "label": "Name", "required": true}],
    /// });
    /// let desired = DesiredForm { name: "contact".into(), fields: serde_json::from_value(fields)?, ..DesiredForm::default() };
    /// let (plan, _) = FormPlan::new(&desired, None, None, false)?;
    /// plan.check(&client).await?;
    /// assert!(!client.forms().list().await?.iter().any(|form| form.title == "Write to us"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The error of the service, or another failure.
    pub async fn check(&self, client: &Client) -> Result<(), Error> {
        let changes = FormChanges(self.changed.clone());
        match &self.id {
            None => client.forms().create(changes).dry_run().await,
            Some(id) => client.form(id.clone()).update(changes).dry_run().await,
        }
    }

    /// Returns the changes without the names in the form's fields that the service adds to its own answers and refuses in requests; `None`
    /// if it refused anything else.
    fn without_refused(&self, error: &Error) -> Option<Object> {
        let mut refused = Vec::new();
        for path in error.field_errors().keys() {
            let ["fields", _, name] = path.split('.').collect::<Vec<_>>()[..] else { return None };
            if INPUT_FIELDS.iter().any(|known| known.name == name) {
                return None;
            }
            refused.push(name.to_owned());
        }
        if refused.is_empty() {
            return None;
        }
        let mut changes = self.changed.clone();
        for field in changes.get_mut("fields")?.as_array_mut()?.iter_mut() {
            if let Value::Object(field) = field {
                field.retain(|name, _| !refused.contains(name));
            }
        }
        Some(changes)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use links_sdk::ErrorKind;
    use links_sdk::testing::FailedCall;
    use serde_json::json;

    use super::*;
    use crate::apply::SlotTypes;
    use crate::sync::{Conflict, RemoteChange};

    fn form(id: &str, title: &str, fields: Value) -> LeadForm {
        serde_json::from_value(json!({
            "id": id, "title": title, "fields": fields, "active": true, "enabled": true, "buttonText": "Send",
            "successMessage": "Thanks", "createdAt": "2026-01-01T00:00:00Z", "notificationChannelIds": [2, 1],
        }))
        .unwrap()
    }

    fn desired(id: Option<&str>, fields: Value) -> DesiredForm {
        let fields = serde_json::from_value(fields).unwrap();
        DesiredForm { name: "booking".into(), id: id.map(FormId::from), fields, base: None }
    }

    fn planned(
        desired: &DesiredForm,
        forms: &[LeadForm],
        recorded: Option<&str>,
    ) -> Result<FormPlan, FormPlanError> {
        let form = desired.find(forms, recorded, &BTreeSet::new())?;
        FormPlan::new(desired, form, None, false).map(|(plan, _)| plan)
    }

    #[test]
    fn only_what_the_service_adds_to_a_field_is_left_out_where_it_is_refused() {
        let field = json!({ "label": "Size", "type": "select", "options": ["S", "M"], "id": 7 });
        let fields = json!({ "title": "Book", "fields": [field] });
        let forms = [form("a", "Book", json!([]))];
        let plan = planned(&desired(Some("a"), fields), &forms, None).unwrap();
        let refused = |name: &str| {
            let failed = FailedCall::new(ErrorKind::Validation);
            Error::from(failed.field_error(format!("fields.0.{name}"), "It is invalid."))
        };
        let left = plan.without_refused(&refused("id")).unwrap();
        assert_eq!(left["fields"][0]["options"], json!(["S", "M"]));
        assert_eq!(left["fields"][0].get("id"), None);
        for name in ["options", "multi", "placeholder", "label"] {
            assert!(plan.without_refused(&refused(name)).is_none(), "{name}");
        }
    }

    #[test]
    fn a_form_is_found_by_id_then_by_record_then_by_title() {
        let forms = [
            form("a", "Book", json!([])),
            form("b", "Book", json!([])),
            form("c", "Other", json!([])),
        ];
        let plan = |id, title: &str, recorded| {
            planned(&desired(id, json!({ "title": title })), &forms, recorded)
        };
        assert_eq!(plan(Some("b"), "Book", Some("a")).unwrap().id.as_deref(), Some("b"));
        assert_eq!(plan(None, "Book", Some("a")).unwrap().id.as_deref(), Some("a"));
        assert_eq!(plan(None, "Other ", Some("gone")).unwrap().id.as_deref(), Some("c"));
        assert_eq!(plan(None, "New", None).unwrap().id, None);
        assert!(
            matches!(plan(None, "Book", None), Err(error) if error.path == "title" && error.message.ends_with("a, b"))
        );
        assert!(matches!(plan(Some("x"), "Book", None), Err(error) if error.path == "id"));
    }

    #[test]
    fn fields_keep_their_keys_and_what_is_not_mentioned() {
        let held = json!([
            {"key": "name", "type": "text", "label": "Name", "placeholder": "Ann", "required": false},
            {"key": "phone", "type": "phone", "label": "Phone", "required": false},
            {"key": "old", "type": "text", "label": "Old", "required": false},
        ]);
        let forms = [form("a", "Book", held)];
        let wanted = json!({ "title": "Book", "notificationChannelIds": [1, 2], "fields": [
            {"type": "phone", "label": "Phone", "required": true}, {"type": "text", "label": "Name"}, {"type": "text", "label": "New"},
        ]});
        let plan = planned(&desired(None, wanted), &forms, None).unwrap();
        assert_eq!(plan.removed, ["Old"]);
        assert_eq!(plan.changed.keys().collect::<Vec<_>>(), ["fields"]);
        assert_eq!(
            plan.changed["fields"],
            json!([
                {"key": "phone", "type": "phone", "label": "Phone", "required": true},
                {"key": "name", "type": "text", "label": "Name", "placeholder": "Ann", "required": false},
                {"type": "text", "label": "New"},
            ])
        );
        let same = json!({ "title": "Book", "fields": [
            {"type": "text", "label": "Name"}, {"key": "phone", "type": "phone", "label": "Phone"}, {"type": "text", "label": "Old"},
        ]});
        assert!(planned(&desired(None, same), &forms, None).unwrap().is_empty());
    }

    #[test]
    fn fields_of_one_label_need_their_keys_where_their_number_differs() {
        let held = json!([
            {"key": "a", "type": "text", "label": "X", "required": false}, {"key": "b", "type": "text", "label": "X", "required": false},
        ]);
        let forms = [form("f", "Book", held)];
        let plan =
            |fields: Value| planned(&desired(Some("f"), json!({ "fields": fields })), &forms, None);
        let one = json!({"type": "text", "label": "X"});
        assert!(plan(json!([one, one])).unwrap().is_empty());
        let error = plan(json!([one])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "several fields are called \"X\"; write the `key` of one: a, b"
        );
        assert_eq!(
            plan(json!([{"key": "b", "type": "text", "label": "X"}])).unwrap().removed,
            ["X"]
        );
    }
    fn labelled(title: &str, label: &str) -> LeadForm {
        form("a", title, json!([{"key": "f1", "type": "text", "label": label, "required": true}]))
    }

    fn file(title: &str, label: &str) -> DesiredForm {
        let fields = json!([{"key": "f1", "type": "text", "label": label}]);
        let fields = json!({ "title": title, "fields": fields, "notificationChannelIds": [1, 2] });
        desired(Some("a"), fields)
    }

    /// Merges a file with a form, after both had the title `Book` and a field with the label `Name`.
    fn merged(file: &DesiredForm, form: &LeadForm, overwrite: bool) -> (FormPlan, Merge) {
        let (before, agreed) = (self::file("Book", "Name"), labelled("Book", "Name"));
        let (said, live) = before.compared(&agreed).unwrap();
        let first = Merge::new(None, &said, &live, &PlanOptions::default()).unwrap();
        let types = SlotTypes::default();
        let base = first.base_after(None, &said, &live, &BTreeMap::new(), &types);
        FormPlan::new(file, Some(form), Some(&base), overwrite).unwrap()
    }

    #[test]
    fn what_others_changed_stays_and_what_the_file_changed_is_written() {
        let (plan, merge) = merged(&file("Reserve", "Name"), &labelled("Book", "Full name"), false);
        assert_eq!(plan.changed.keys().collect::<Vec<_>>(), ["title"]);
        assert!(plan.removed.is_empty() && merge.conflicts.is_empty());
        let [RemoteChange::Field { key, .. }] = &merge.remote[..] else { panic!("{merge:?}") };
        assert_eq!(key, "fields");
        let (plan, merge) = merged(&file("Book", "Name"), &labelled("Theirs", "Name"), false);
        assert!(plan.is_empty() && merge.remote.len() == 1, "{merge:?}");
        let (plan, merge) = merged(&file("Book", "Name"), &labelled("Book", "Name"), false);
        assert!(plan.is_empty() && merge.remote.is_empty(), "{merge:?}");
    }

    #[test]
    fn a_value_that_both_changed_is_a_conflict_unless_the_file_wins() {
        let (file, form) = (file("Mine", "Name"), labelled("Theirs", "Name"));
        let (_, merge) = merged(&file, &form, false);
        assert!(matches!(&merge.conflicts[..], [Conflict::Value { key, .. }] if key == "title"));
        let (plan, merge) = merged(&file, &form, true);
        assert!(merge.conflicts.is_empty() && merge.replaced.len() == 1, "{merge:?}");
        assert_eq!(plan.changed["title"], "Mine");
        // Without a record the file wins, as it does for a page.
        let (plan, merge) = FormPlan::new(&file, Some(&form), None, false).unwrap();
        assert!(merge.conflicts.is_empty() && plan.changed.len() == 1, "{merge:?}");
    }
}
