//! A new page file: the content of a page, the references that the program writes into it, and what a portable file leaves out.

use std::path::Path;

use links_pages::apply::{PageSnapshot, SlotTypes, literal};
use links_sdk::{Object, Slot};
use serde_json::{Map, Value};

use crate::apply::schema_line::{is_json, with_schema};
use crate::error::CommandError;
use crate::output::yaml;
use links_pages::page_file::{PageContent, ReferencePlace};
use links_pages::sanitize;

/// A page file that is not written yet.
pub(super) struct NewPage {
    value: Value,
    /// Comments at the beginning of the file.
    comments: Vec<String>,
}

impl NewPage {
    /// Returns the file of a content, without references.
    pub(super) fn of(content: &PageContent) -> Result<Self, CommandError> {
        let value = serde_json::to_value(content).map_err(CommandError::internal)?;
        Ok(Self { value, comments: Vec::new() })
    }

    /// Puts a reference in the place of a value.
    pub(super) fn refer(&mut self, place: &ReferencePlace, key: &str, name: &str) {
        let mut target = match place.item {
            Some(item) => self.value.get_mut("slots").and_then(|it| it.get_mut(item)),
            None => Some(&mut self.value),
        };
        if place.item.is_some() {
            target = target.and_then(|item| item.get_mut("data"));
        }
        for step in &place.path {
            target = match target {
                Some(Value::Array(list)) => {
                    step.parse().ok().and_then(|at: usize| list.get_mut(at))
                }
                Some(Value::Object(map)) => map.get_mut(&written(step)),
                _ => None,
            };
        }
        if let Some(target) = target {
            let reference = [(key.to_owned(), Value::from(name))].into_iter();
            *target = Value::Object(reference.collect::<Map<_, _>>());
        }
    }

    /// Removes the ids of the slots, and the slots with these indices. `comment` says so in the file.
    pub(super) fn make_portable(&mut self, left_out: &[usize], comment: Option<&str>) {
        let Some(Value::Array(slots)) = self.value.get_mut("slots") else { return };
        let mut index = 0;
        slots.retain_mut(|slot| {
            index += 1;
            if let Value::Object(slot) = slot {
                slot.shift_remove("id");
            }
            !left_out.contains(&(index - 1))
        });
        self.comments.extend(comment.map(|text| sanitize::line(text).into_owned()));
    }

    /// Returns the number of slots.
    pub(super) fn slots(&self) -> usize {
        self.value["slots"].as_array().map_or(0, Vec::len)
    }

    /// Returns the value of the file.
    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the text for a file of this name, with the path of a schema in its first line.
    pub(super) fn text(
        &self,
        file: Option<&Path>,
        schema: Option<&str>,
    ) -> Result<String, CommandError> {
        if file.is_some_and(is_json) {
            return Ok(format!("{:#}\n", self.value));
        }
        let comments: String = self.comments.iter().map(|line| format!("# {line}\n")).collect();
        let text = format!("{comments}{}", yaml(&self.value)?);
        match schema {
            Some(schema) => with_schema(&text, schema),
            None => Ok(text),
        }
    }
}

/// Slots of a page that a portable file leaves out.
pub(super) struct LeftOut {
    /// Their indices.
    pub(super) slots: Vec<usize>,
    /// Comment that says so.
    pub(super) comment: Option<String>,
}

impl LeftOut {
    /// Finds the events, the legacy slots, and the forms that the account does not have.
    pub(super) fn of(
        page: &PageSnapshot,
        types: &SlotTypes,
        has_form: impl Fn(&str) -> bool,
    ) -> Self {
        let reason = |slot: &Slot| {
            if !slot.supported {
                return Some("legacy slot");
            }
            if types.is_read_only(&slot.kind) {
                return Some("read-only slot");
            }
            let form = slot.data.get("formId").filter(|_| slot.kind == "form")?.as_str()?;
            (!has_form(form)).then_some("slot of a form that is not on the account")
        };
        let found = page.slots.iter().enumerate();
        let found: Vec<_> =
            found.filter_map(|(nth, slot)| Some((nth, slot, reason(slot)?))).collect();
        let words: Vec<_> = found
            .iter()
            .map(|(_, slot, reason)| format!("{} {} ({reason})", slot.kind, slot.id))
            .collect();
        let comment = (!words.is_empty())
            .then(|| format!("left out of {}: {}", page.login, words.join(", ")));
        Self { slots: found.into_iter().map(|(nth, ..)| nth).collect(), comment }
    }
}

/// Returns a key of the service as a file writes it.
fn written(key: &str) -> String {
    let whole: Object = [(key.to_owned(), Value::Null)].into_iter().collect();
    literal(&whole).0.into_iter().next().map_or_else(String::new, |(key, _)| key)
}

#[cfg(test)]
mod tests {
    use links_pages::apply::DesiredPage;
    use links_sdk::ProfileKey;
    use serde_json::json;

    use super::*;

    fn page() -> NewPage {
        let slots = json!({ "slots": [
            { "id": 1, "type": "picture", "data": { "image": "a.png", "$upload": "/etc/passwd" } },
            { "id": 2, "type": "event" },
            { "id": 3, "type": "gallery", "data": { "$x": [{ "image": "b.png" }] } },
        ]});
        let slots: DesiredPage = serde_json::from_value(slots).unwrap();
        NewPage::of(&PageContent::of_slots(ProfileKey::Login("cafe".into()), slots)).unwrap()
    }

    #[test]
    fn references_are_put_where_they_belong_and_nothing_of_the_page_becomes_one() {
        let mut page = page();
        let place = |item, path: &[&str]| ReferencePlace {
            item: Some(item),
            path: path.iter().map(|it| (*it).to_owned()).collect(),
        };
        page.refer(&place(0, &["image"]), "$upload", "images/a.png");
        page.refer(&place(2, &["$x", "0", "image"]), "$upload", "images/b.png");
        page.refer(&place(9, &["image"]), "$upload", "images/c.png");
        let slots = &page.value()["slots"];
        assert_eq!(
            slots[0]["data"],
            json!({ "image": { "$upload": "images/a.png" }, "$$upload": "/etc/passwd" })
        );
        assert_eq!(
            slots[2]["data"],
            json!({ "$$x": [{ "image": { "$upload": "images/b.png" } }] })
        );
    }

    #[test]
    fn a_portable_file_has_no_ids_and_says_what_is_left_out() {
        let mut page = page();
        page.make_portable(&[1], Some("left out: event \"A\nprofile: evil\""));
        let text = page.text(None, Some("page.schema.json")).unwrap();
        assert!(
            text.starts_with("# yaml-language-server: $schema=page.schema.json\n# left out: event \"A profile: evil\"\nprofile: cafe\n"),
            "{text}"
        );
        assert!(!text.contains("id:") && !text.contains("type: event"), "{text}");
    }
}
