//! What a page file asks for, and how it writes data of the service.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::SlotTypes;
use links_sdk::{Object, Slot, SlotId};

/// The desired content of a page: its slots in page order, and fields of its profile.
///
/// ```
/// use links_pages::apply::DesiredPage;
///
/// let page: DesiredPage = serde_json::from_str(r#"{"slots": [{"type": "text", "data": {"title": "Hours"}}, {"type": "divider"}]}"#)?;
/// assert_eq!(page.slots.len(), 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesiredPage {
    /// Profile fields that the page should have, in the format of files (see [`page_fields`](super::page_fields)). Fields that you leave
    /// out are not changed; null clears a field.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Object,
    /// Slots in page order.
    pub slots: Vec<DesiredSlot>,
}

/// One slot as it should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesiredSlot {
    /// ID of the slot on the page. Without an ID, the slot is found by its content, or created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SlotId>,
    /// `button`, `text` ...
    #[serde(rename = "type")]
    pub kind: String,
    /// Values that the slot should have. Keys that you leave out are not changed; `null` clears a key.
    #[serde(default)]
    pub data: Object,
}

impl From<Vec<DesiredSlot>> for DesiredPage {
    /// Returns a page with these slots, in page order.
    fn from(slots: Vec<DesiredSlot>) -> Self {
        Self { slots, ..Self::default() }
    }
}

impl DesiredPage {
    /// Returns the current page, ready to be edited and applied again: every slot with its ID and the keys that can be written.
    ///
    /// A slot that cannot be edited is included with only its ID and type, which keep its place. If the schema of a type is not known, all
    /// keys are included.
    pub fn from_page(page: &[Slot], types: &SlotTypes) -> Self {
        let desired = |slot: &Slot| {
            let mut data = slot.data.clone();
            let is_editable = types.is_editable(slot);
            data.retain(|key, _| is_editable && types.is_writable_key(&slot.kind, key));
            DesiredSlot { id: Some(slot.id), kind: slot.kind.clone(), data }
        };
        page.iter().map(desired).collect::<Vec<_>>().into()
    }
}

/// Returns data of the service in the format of page files: every key that begins with `$`, at any depth, gets an additional `$`.
///
/// ```
/// use links_pages::apply;
///
/// let data: links_sdk::Object = serde_json::from_str(r#"{"image": {"$upload": "/etc/passwd"}}"#)?;
/// assert_eq!(serde_json::to_string(&apply::literal(&data))?, r#"{"image":{"$$upload":"/etc/passwd"}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn literal(data: &Object) -> Object {
    data.iter().map(|(key, value)| (written(key), literal_value(value))).collect()
}

/// Returns the key that an escaped key of a page file stands for: `$upload` for `$$upload`.
///
/// ```
/// assert_eq!(links_pages::apply::literal_key("$$upload"), Some("$upload"));
/// assert_eq!(links_pages::apply::literal_key("$upload"), None);
/// ```
pub fn literal_key(written: &str) -> Option<&str> {
    written.strip_prefix('$').filter(|key| key.starts_with('$'))
}

/// Returns a key of the service as a page file writes it. There a key that begins with `$` makes a reference (`$upload`, `$form`); such a key of the
/// service's own is written with one more `$`, so that data of the service never becomes a reference.
fn written(key: &str) -> String {
    if key.starts_with('$') { format!("${key}") } else { key.to_owned() }
}

fn literal_value(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(literal_value).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (written(key), literal_value(value))).collect()
        }
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_reads_tolerantly_and_refuses_unknown_fields() {
        let item: DesiredSlot =
            serde_json::from_value(json!({"type": "divider", "data": []})).unwrap();
        assert_eq!(item, DesiredSlot { id: None, kind: "divider".into(), data: Object::default() });
        assert_eq!(serde_json::to_value(&item).unwrap(), json!({"type": "divider", "data": {}}));
        serde_json::from_value::<DesiredSlot>(json!({"type": "text", "title": "x"})).unwrap_err();
        serde_json::from_value::<DesiredPage>(json!({})).unwrap_err();
    }

    #[test]
    fn a_page_is_taken_with_its_ids_and_only_its_writable_keys() {
        let page: Vec<Slot> = serde_json::from_value(json!([
            {"id": 1, "type": "text", "data": {"title": "A", "html": "<p>A</p>"}, "supported": true},
            {"id": 2, "type": "event", "data": {"title": "Concert"}, "supported": true},
            {"id": 3, "type": "map", "data": {"zoom": 3}, "supported": false},
            {"id": 4, "type": "faq", "data": {"anything": 1}, "supported": true},
        ]))
        .unwrap();
        let mut types = SlotTypes::default();
        types.insert("text", true, json!({"properties": {"title": {"type": "string"}}}));
        assert_eq!(
            serde_json::to_value(DesiredPage::from_page(&page, &types)).unwrap(),
            json!({"slots": [
                {"id": 1, "type": "text", "data": {"title": "A"}},
                {"id": 2, "type": "event", "data": {}},
                {"id": 3, "type": "map", "data": {}},
                {"id": 4, "type": "faq", "data": {"anything": 1}},
            ]})
        );
    }
}
