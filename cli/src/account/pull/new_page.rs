//! A new page file: the content of a page, the references that the program writes into it, and what a portable file leaves out.

use links_pages::apply::SlotTypes;
use links_sdk::Slot;

use crate::apply::schema_line::{is_json, with_schema};
use crate::context::prelude::*;
use crate::output::yaml;
use links_pages::page_file::{PageContent, ReferencePlace};

/// A page file that is not written yet.
pub(super) struct NewPage {
    value: Value,
    /// Comment at the beginning of the file, if there is one.
    comment: String,
}

impl NewPage {
    /// Returns the file of a content, without references.
    pub(super) fn of(content: &PageContent) -> Result<Self> {
        let value = serde_json::to_value(content)?;
        Ok(Self { value, comment: String::new() })
    }

    /// Puts a reference in the place of a value.
    pub(super) fn refer(&mut self, place: &ReferencePlace, key: &str, name: &str) {
        let mut pointer = place.item.map_or_else(String::new, |it| format!("/slots/{it}/data"));
        for step in &place.path {
            // A key of the service that begins like a reference has one more `$` in a file.
            let escape = if step.starts_with('$') { "$" } else { "" };
            pointer.extend(["/", escape, &step.replace('~', "~0").replace('/', "~1")]);
        }
        if let Some(target) = self.value.pointer_mut(&pointer) {
            *target = json!({ key: name });
        }
    }

    /// Removes the ids of the slots, and the slots that no other account can have: events, legacy slots, and those of forms that the account
    /// does not have. Returns a comment about these, which is also in the file.
    pub(super) fn make_portable(
        &mut self,
        login: &str,
        slots: &[Slot],
        types: &SlotTypes,
        has_form: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let reason = |slot: &Slot| {
            if !slot.supported {
                return Some("legacy slot");
            }
            if types.is_read_only(&slot.kind) {
                return Some("read-only slot");
            }
            let form = slot.data.get("formId").filter(|_| slot.kind == "form")?.as_str()?;
            (!has_form(form)).then_some("its form is not in this account")
        };
        let (mut left_out, mut slots) = (Vec::new(), slots.iter());
        self.value["slots"].as_array_mut()?.retain_mut(|item| {
            if let Value::Object(item) = item {
                item.shift_remove("id");
            }
            let slot = slots.next().and_then(|slot| Some((slot, reason(slot)?)));
            left_out.extend(slot.map(|(slot, why)| format!("{} {} ({why})", slot.kind, slot.id)));
            slot.is_none()
        });
        if left_out.is_empty() {
            return None;
        }
        let comment = format!("left out of {login}: {}", left_out.join(", "));
        self.comment = format!("# {}\n", sanitize::line(&comment));
        Some(comment)
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
    pub(super) fn text(&self, file: Option<&Path>, schema: Option<&str>) -> Result<String> {
        if file.is_some_and(is_json) {
            return Ok(format!("{:#}\n", self.value));
        }
        let text = format!("{}{}", self.comment, yaml(&self.value)?);
        match schema {
            Some(schema) => with_schema(&text, schema),
            None => Ok(text),
        }
    }
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
        let slot = |id: i64, kind: &str| json!({ "id": id, "type": kind, "supported": id != 2, "data": {} });
        let slots = json!([slot(1, "picture"), slot(2, "event"), slot(3, "gallery")]);
        let slots: Vec<Slot> = serde_json::from_value(slots).unwrap();
        page.make_portable("A\nprofile: evil", &slots, &SlotTypes::default(), |_| true).unwrap();
        let text = page.text(None, Some("page.schema.json")).unwrap();
        assert!(
            text.starts_with("# yaml-language-server: $schema=page.schema.json\n# left out of A profile: evil: event 2 (legacy slot)\nprofile: cafe\n"),
            "{text}"
        );
        assert!(!text.contains("id:") && !text.contains("type: event"), "{text}");
    }
}
