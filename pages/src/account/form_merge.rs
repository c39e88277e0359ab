//! Three-way merge of a form file with its form: the merge of a page without slots.

use serde_json::Value;

use super::FormPlan;
use super::form_plan::{found_fields, ordered, whole_fields};
use crate::apply::PlanOptions;
use crate::form_file::{CHANNELS, DesiredForm, FORM_FIELDS, INPUTS};
use crate::sync::{FilePage, LivePage, Merge, PageBase};
use links_sdk::types::LeadForm;

impl DesiredForm {
    /// Returns what the file says of the form.
    pub fn said(&self) -> FilePage {
        let fields = self.fields.iter().map(|(key, value)| (key.clone(), ordered(key, value)));
        FilePage { fields: fields.collect(), ..FilePage::default() }
    }

    /// Returns what the file says and what the form holds, as a merge compares them. The list of the form's fields is compared as it would be
    /// sent: with what the file does not mention of each field.
    pub fn compared(&self, form: &LeadForm) -> (FilePage, LivePage) {
        let mut said = self.said();
        let held = serde_json::to_value(form).unwrap_or_default();
        let names = FORM_FIELDS.iter().map(|rule| rule.name).chain([INPUTS, CHANNELS]);
        if let (Some(Value::Array(wanted)), Some(Value::Array(held))) =
            (said.fields.get(INPUTS), held.get(INPUTS))
            && let Ok(found) = found_fields(wanted, held)
        {
            said.resolved.insert(INPUTS.to_owned(), whole_fields(wanted, &found).into());
        }
        let fields = names
            .map(|name| (name.to_owned(), ordered(name, held.get(name).unwrap_or(&Value::Null))));
        (said, LivePage { fields: fields.collect(), ..LivePage::default() })
    }
}

impl FormPlan {
    /// Leaves out what others changed in the form since the last sync, by its record. Nothing may be written while the merge that is returned has
    /// conflicts. `overwrite` says that the file wins.
    pub fn merge(
        &mut self,
        desired: &DesiredForm,
        form: &LeadForm,
        base: Option<&PageBase>,
        overwrite: bool,
    ) -> Merge {
        let (said, live) = desired.compared(form);
        let options = PlanOptions { overwrite, ..PlanOptions::default() };
        let merge = Merge::new(base, &said, &live, &options).unwrap_or_default();
        let is_written = |key: &String| merge.fields.contains_key(key);
        self.changed.0.retain(|key, _| is_written(key));
        self.before.0.retain(|key, _| is_written(key));
        if !self.changed.contains_key(INPUTS) {
            self.removed.clear();
        }
        merge
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::json;

    use super::*;
    use crate::apply::SlotTypes;
    use crate::sync::{Conflict, RemoteChange};

    fn form(title: &str, label: &str) -> LeadForm {
        serde_json::from_value(json!({
            "id": "a", "title": title, "active": true, "enabled": true, "buttonText": "Send", "successMessage": "Thanks",
            "fields": [{"key": "f1", "type": "text", "label": label, "required": true}],
            "createdAt": "2026-01-01T00:00:00Z", "notificationChannelIds": [2, 1],
        }))
        .unwrap()
    }

    fn desired(title: &str, label: &str) -> DesiredForm {
        let fields = json!({
            "title": title, "fields": [{"key": "f1", "type": "text", "label": label}], "notificationChannelIds": [1, 2],
        });
        DesiredForm {
            name: "booking".into(),
            id: Some("a".into()),
            fields: serde_json::from_value(fields).unwrap(),
            base: None,
        }
    }

    /// Merges a file with a form, after both had the title `Book` and a field with the label `Name`.
    fn merged(file: &DesiredForm, form: &LeadForm, overwrite: bool) -> (FormPlan, Merge) {
        let (before, agreed) = (desired("Book", "Name"), self::form("Book", "Name"));
        let (said, live) = before.compared(&agreed);
        let first = Merge::new(None, &said, &live, &PlanOptions::default()).unwrap();
        let types = SlotTypes::default();
        let base = first.base_after(None, &said, &live, &BTreeMap::new(), &types);
        let forms = [form.clone()];
        let mut plan = FormPlan::new(file, &forms, None, &BTreeSet::new()).unwrap();
        let merge = plan.merge(file, form, Some(&base), overwrite);
        (plan, merge)
    }

    #[test]
    fn what_others_changed_stays_and_what_the_file_changed_is_written() {
        let (plan, merge) = merged(&desired("Reserve", "Name"), &form("Book", "Full name"), false);
        assert_eq!(plan.changed.keys().collect::<Vec<_>>(), ["title"]);
        assert!(plan.removed.is_empty() && merge.conflicts.is_empty());
        let [RemoteChange::Field { key, .. }] = &merge.remote[..] else { panic!("{merge:?}") };
        assert_eq!(key, "fields");
        let (plan, merge) = merged(&desired("Book", "Name"), &form("Theirs", "Name"), false);
        assert!(plan.is_empty() && merge.remote.len() == 1, "{merge:?}");
        let (plan, merge) = merged(&desired("Book", "Name"), &form("Book", "Name"), false);
        assert!(plan.is_empty() && merge.remote.is_empty(), "{merge:?}");
    }

    #[test]
    fn a_value_that_both_changed_is_a_conflict_unless_the_file_wins() {
        let (file, form) = (desired("Mine", "Name"), form("Theirs", "Name"));
        let (_, merge) = merged(&file, &form, false);
        assert!(matches!(&merge.conflicts[..], [Conflict::Value { key, .. }] if key == "title"));
        let (plan, merge) = merged(&file, &form, true);
        assert!(merge.conflicts.is_empty() && merge.replaced.len() == 1, "{merge:?}");
        assert_eq!(plan.changed["title"], "Mine");
        // Without a record the file wins, as it does for a page.
        let mut plan =
            FormPlan::new(&file, std::slice::from_ref(&form), None, &BTreeSet::new()).unwrap();
        let merge = plan.merge(&file, &form, None, false);
        assert!(merge.conflicts.is_empty() && plan.changed.len() == 1, "{merge:?}");
    }
}
