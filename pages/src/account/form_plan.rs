//! Plan of the changes to a lead form, and its execution.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::apply::same;
use crate::form_file::{CHANNELS, DesiredForm, INPUT_FIELDS, INPUTS};
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

/// Reason why it is unclear which form is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum FormPlanError {
    /// No form of the account has the ID.
    #[error("form {id} not found")]
    UnknownId {
        /// The ID as written.
        id: FormId,
    },
    /// Several forms have the title.
    #[error("{} forms are called \"{title}\"; write the `id` of one: {}", ids.len(), ids.join(", "))]
    SeveralTitles {
        /// The title.
        title: String,
        /// IDs of the forms.
        ids: Vec<FormId>,
    },
    /// A field of the form has no key, and several fields of the form have its label and type.
    #[error("several fields are called \"{label}\"; write the `key` of one: {}", keys.join(", "))]
    SeveralFields {
        /// Index in the desired list.
        index: usize,
        /// Label of the field.
        label: String,
        /// Keys of the fields.
        keys: Vec<String>,
    },
}

impl FormPlan {
    /// Plans the changes to a form. `forms` are the forms of the account, `recorded` is the ID that a lock has for the name, and `taken`
    /// are the IDs of forms that have another name.
    ///
    /// The form is found by the ID in `desired`, then by the recorded ID, then by its title if it is unique. Otherwise a new form is
    /// created.
    ///
    /// # Errors
    ///
    /// When it is unclear which form is meant.
    ///
    /// ```
    /// use links_pages::account::{DesiredForm, FormPlan};
    ///
    /// let fields = serde_json::from_value(serde_json::json!({"title": "Write to us", "fields": [{"type": "text", "label": "Name"}]}))?;
    /// let desired = DesiredForm { name: "contact".into(), fields, ..DesiredForm::default() };
    /// let plan = FormPlan::new(&desired, &[], None, &Default::default())?;
    /// assert!(plan.id.is_none() && plan.changed.len() == 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        desired: &DesiredForm,
        forms: &[LeadForm],
        recorded: Option<&str>,
        taken: &BTreeSet<FormId>,
    ) -> Result<Self, FormPlanError> {
        let name = desired.name.clone();
        let Some(form) = find(desired, forms, recorded, taken)? else {
            let changed = desired.fields.iter().filter(|(_, value)| !value.is_null());
            let changed = changed.map(|(name, value)| (name.clone(), value.clone())).collect();
            return Ok(Self { name, changed, ..Self::default() });
        };
        let now = serde_json::to_value(form).unwrap_or_default();
        let mut plan = Self { name, id: Some(form.id.clone()), ..Self::default() };
        for (field, wanted) in desired.fields.iter() {
            let held = now.get(field).unwrap_or(&Value::Null);
            let wanted = match (field.as_str(), wanted, held) {
                (INPUTS, Value::Array(wanted), Value::Array(held)) => {
                    let found = found_fields(wanted, held)?;
                    plan.removed = removed_fields(&found, held);
                    Value::Array(whole_fields(wanted, &found))
                }
                _ => wanted.clone(),
            };
            if !same(&ordered(field, &wanted), &ordered(field, held)) {
                plan.before.extend(now.get(field).map(|held| (field.clone(), held.clone())));
                plan.changed.insert(field.clone(), wanted);
            }
        }
        Ok(plan)
    }

    /// Returns whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.id.is_some() && self.changed.is_empty()
    }
}

fn find<'f>(
    desired: &DesiredForm,
    forms: &'f [LeadForm],
    recorded: Option<&str>,
    taken: &BTreeSet<FormId>,
) -> Result<Option<&'f LeadForm>, FormPlanError> {
    let by_id = |id: &str| forms.iter().find(|form| form.id == id);
    if let Some(id) = &desired.id {
        let form = by_id(id).ok_or_else(|| FormPlanError::UnknownId { id: id.clone() })?;
        return Ok(Some(form));
    }
    if let Some(form) = recorded.and_then(by_id) {
        return Ok(Some(form));
    }
    let Some(title) = desired.fields.get("title").and_then(Value::as_str) else { return Ok(None) };
    let titled: Vec<_> = forms
        .iter()
        .filter(|form| form.title.trim() == title.trim() && !taken.contains(&form.id))
        .collect();
    match titled[..] {
        [] => Ok(None),
        [form] => Ok(Some(form)),
        _ => Err(FormPlanError::SeveralTitles {
            title: title.to_owned(),
            ids: titled.iter().map(|form| form.id.clone()).collect(),
        }),
    }
}

/// Returns for each desired field of the form the one that it is now, by its key, else as the only one of its label and type.
pub(super) fn found_fields<'h>(
    wanted: &[Value],
    held: &'h [Value],
) -> Result<Vec<Option<&'h Value>>, FormPlanError> {
    let named = |field: &Value| {
        wanted.iter().any(|it| it.get("key").is_some() && it["key"] == field["key"])
    };
    let free: Vec<&Value> = held.iter().filter(|field| !named(field)).collect();
    let alike = |one: &Value, other: &Value| {
        same(&one["label"], &other["label"]) && same(&one["type"], &other["type"])
    };
    let find = |(index, field): (usize, &Value)| {
        if let Some(key) = field.get("key").filter(|key| !key.is_null()) {
            return Ok(held.iter().find(|it| it["key"] == *key));
        }
        let found: Vec<&Value> = free.iter().copied().filter(|it| alike(it, field)).collect();
        let asked = wanted.iter().filter(|it| no_key(it) && alike(it, field)).count();
        match found.len() {
            0 => Ok(None),
            // As many as there are, in the same order.
            number if number == asked => {
                let earlier = wanted[..index].iter();
                let nth = earlier.filter(|it| no_key(it) && alike(it, field)).count();
                Ok(found.get(nth).copied())
            }
            _ => Err(FormPlanError::SeveralFields {
                index,
                label: text(field, "label"),
                keys: found.iter().map(|it| text(it, "key")).collect(),
            }),
        }
    };
    wanted.iter().enumerate().map(find).collect()
}

/// Returns the whole list to write: fields that stay keep their key and what is not mentioned.
pub(super) fn whole_fields(wanted: &[Value], found: &[Option<&Value>]) -> Vec<Value> {
    let whole = wanted.iter().zip(found).map(|(field, held)| match (field, held) {
        (Value::Object(field), Some(Value::Object(held))) => {
            let mut whole = held.clone();
            whole.extend(field.clone());
            Value::Object(whole)
        }
        _ => field.clone(),
    });
    whole.collect()
}

/// Returns whether a desired field names no field of the form.
fn no_key(field: &Value) -> bool {
    field.get("key").is_none_or(Value::is_null)
}

/// Returns the labels of the fields of the form that no desired field stands for.
fn removed_fields(found: &[Option<&Value>], held: &[Value]) -> Vec<String> {
    let is_kept = |field: &&Value| found.iter().flatten().any(|it| it["key"] == field["key"]);
    held.iter().filter(|field| !is_kept(field)).map(|field| text(field, "label")).collect()
}

fn text(field: &Value, name: &str) -> String {
    field.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the value of a field without an order that has no meaning.
pub(super) fn ordered(field: &str, value: &Value) -> Value {
    let mut value = value.clone();
    if let (CHANNELS, Value::Array(list)) = (field, &mut value) {
        list.sort_by_key(Value::to_string);
    }
    value
}

impl FormPlan {
    /// Creates or changes the form. If another client changed the same fields of the form since it was read, they are not overwritten.
    ///
    /// If the response to a create is lost, the idempotency key decides; if the response to a change is lost, the form is read again.
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
    /// let plan = FormPlan::new(&desired, &client.forms().list().await?, None, &Default::default())?;
    /// let form = plan.execute(&client, None).await?;
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
    ) -> Result<LeadForm, Error> {
        let Some(id) = &self.id else {
            // Not every service joins two requests of one key: the next run finds the form by its title.
            let create = client.forms().create(FormChanges(self.changed.clone()));
            return create.reading_first().await;
        };
        let form = client.form(id.clone());
        let result = form.update_unchanged(seen, FormChanges(self.changed.clone())).await;
        match result {
            Err(error) => match self.without_refused(&error) {
                Some(changes) => form.update_unchanged(seen, FormChanges(changes)).await,
                None => Err(error),
            },
            done => done,
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
    /// let plan = FormPlan::new(&desired, &client.forms().list().await?, None, &Default::default())?;
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
    use links_sdk::ErrorKind;
    use links_sdk::testing::FailedCall;
    use serde_json::json;

    use super::*;

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

    #[test]
    fn only_what_the_service_adds_to_a_field_is_left_out_where_it_is_refused() {
        let field = json!({ "label": "Size", "type": "select", "options": ["S", "M"], "id": 7 });
        let fields = json!({ "title": "Book", "fields": [field] });
        let forms = [form("a", "Book", json!([]))];
        let plan =
            FormPlan::new(&desired(Some("a"), fields), &forms, None, &BTreeSet::new()).unwrap();
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
            FormPlan::new(
                &desired(id, json!({ "title": title })),
                &forms,
                recorded,
                &BTreeSet::new(),
            )
        };
        assert_eq!(plan(Some("b"), "Book", Some("a")).unwrap().id.as_deref(), Some("b"));
        assert_eq!(plan(None, "Book", Some("a")).unwrap().id.as_deref(), Some("a"));
        assert_eq!(plan(None, "Other ", Some("gone")).unwrap().id.as_deref(), Some("c"));
        assert_eq!(plan(None, "New", None).unwrap().id, None);
        assert!(
            matches!(plan(None, "Book", None), Err(FormPlanError::SeveralTitles { ids, .. }) if ids == ["a", "b"])
        );
        assert!(matches!(plan(Some("x"), "Book", None), Err(FormPlanError::UnknownId { .. })));
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
        let plan = FormPlan::new(&desired(None, wanted), &forms, None, &BTreeSet::new()).unwrap();
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
        assert!(
            FormPlan::new(&desired(None, same), &forms, None, &BTreeSet::new()).unwrap().is_empty()
        );
    }

    #[test]
    fn fields_of_one_label_need_their_keys_where_their_number_differs() {
        let held = json!([
            {"key": "a", "type": "text", "label": "X", "required": false}, {"key": "b", "type": "text", "label": "X", "required": false},
        ]);
        let forms = [form("f", "Book", held)];
        let plan = |fields: Value| {
            FormPlan::new(
                &desired(Some("f"), json!({ "fields": fields })),
                &forms,
                None,
                &BTreeSet::new(),
            )
        };
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
}
