//! Extraction of the clicks of slots from analytics, whose shape is not documented.

use std::collections::HashMap;
use std::str::FromStr;

use links_sdk::types::AnalyticsPeriod;
use links_sdk::{AnalyticsQuery, Answer, ProfileHandle};

use crate::commands::prelude::*;

/// Names of the fields of a row that may hold the id of its slot.
const IDS: [&str; 4] = ["slotId", "blockId", "slot", "id"];

/// Fields of the numbers of another period, of the days of this one, and of other things than slots.
const OTHER: [&str; 4] = ["previous", "timeline", "socials", "insights"];

/// Fields that hold the numbers of slots, even if there are none.
const COLLECTIONS: [&str; 3] = ["blocks", "slots", "rows"];

/// Clicks of the slots of a page in a period.
#[derive(Debug)]
pub(super) struct PageClicks {
    /// Clicks by slot; `None` if the shape of the numbers is not recognised.
    pub(super) by_slot: Option<HashMap<SlotId, u64>>,
    /// Answer of the service.
    pub(super) answer: Answer,
    /// Numbers of the answer.
    pub(super) data: Value,
    /// Reliability of the numbers.
    pub(super) meta: Value,
}

impl PageClicks {
    /// Reads the clicks of these slots.
    ///
    /// # Errors
    ///
    /// When the analytics cannot be read.
    pub(super) async fn read(
        profile: &ProfileHandle,
        query: AnalyticsQuery,
        slots: &[Slot],
    ) -> Result<Self> {
        let answer = profile.analytics(query).answer().await?;
        let mut envelope: Value = parsed(answer.body())?;
        let (data, meta) = (envelope["data"].take(), envelope["meta"].take());
        let ids: Vec<SlotId> = slots.iter().map(|slot| slot.id).collect();
        let by_slot = of_slots(&data, &ids);
        Ok(Self { by_slot, answer, data, meta })
    }

    /// Clicks of a slot; those that the numbers do not mention have none.
    pub(super) fn of(&self, slot: SlotId) -> Option<u64> {
        Some(self.by_slot.as_ref()?.get(&slot).copied().unwrap_or(0))
    }
}

/// Returns the clicks of the last 28 days by slot; none if the analytics cannot be read.
pub(super) async fn recent(profile: &ProfileHandle) -> HashMap<SlotId, u64> {
    let query = AnalyticsQuery::default().period(AnalyticsPeriod::Last28);
    let analytics = profile.analytics(query).await;
    analytics.map(|it| by_slot(&it.data.0.into()).unwrap_or_default()).unwrap_or_default()
}

/// Returns the clicks of these slots by id. `None` if the shape is not recognised: no number belongs to any of the slots, and there is no
/// empty collection of their numbers either.
fn of_slots(data: &Value, slots: &[SlotId]) -> Option<HashMap<SlotId, u64>> {
    let mut found = by_slot(data)?;
    found.retain(|id, _| slots.contains(id));
    let is_empty = || {
        COLLECTIONS.iter().any(|name| match &data[*name] {
            Value::Array(items) => items.is_empty(),
            Value::Object(rows) => rows.is_empty(),
            _ => false,
        })
    };
    (!found.is_empty() || slots.is_empty() || is_empty()).then_some(found)
}

/// Returns every number called `clicks` that belongs to the id of a slot. `None` if an id has several different numbers, as in rows that are
/// divided further.
fn by_slot(data: &Value) -> Option<HashMap<SlotId, u64>> {
    let mut found = HashMap::new();
    walk(data, None, &mut found)?;
    Some(found)
}

fn walk(value: &Value, key: Option<&str>, found: &mut HashMap<SlotId, u64>) -> Option<()> {
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| walk(item, None, found)),
        Value::Object(object) => {
            let named = IDS.iter().find_map(|name| number(object.get(*name)?));
            let row = named.or_else(|| key?.parse().ok());
            if let (Some(id), Some(clicks)) = (row, object.get("clicks").and_then(number)) {
                insert(found, id, clicks)?;
            }
            if let Some(counts) = counts(object) {
                return counts.into_iter().try_for_each(|(id, clicks)| insert(found, id, clicks));
            }
            let inner = object.iter().filter(|(key, _)| !OTHER.contains(&key.as_str()));
            inner.into_iter().try_for_each(|(key, value)| walk(value, Some(key), found))
        }
        _ => Some(()),
    }
}

fn insert(found: &mut HashMap<SlotId, u64>, id: SlotId, clicks: u64) -> Option<()> {
    let before = found.insert(id, clicks);
    before.is_none_or(|before| before == clicks).then_some(())
}

/// Returns the numbers of a map from ids to numbers.
fn counts(object: &Map<String, Value>) -> Option<Vec<(SlotId, u64)>> {
    let entry = |(key, value): (&String, &Value)| Some((key.parse().ok()?, number(value)?));
    object.iter().map(entry).collect()
}

/// Id or number of clicks, which a service may write as a string.
fn number<T: FromStr>(value: &Value) -> Option<T> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn clicks_are_found_in_a_list_and_in_a_map() {
        let list = json!({ "totals": { "clicks": 9 }, "blocks": [{ "slotId": 7, "clicks": 3 }, { "slotId": 8 }],
            "previous": { "blocks": [{ "slotId": 7, "clicks": 1 }] } });
        assert_eq!(by_slot(&list), Some(HashMap::from([(7.into(), 3)])));
        let map = json!({ "blocks": { "7": { "clicks": 3 }, "8": { "id": 8, "clicks": 4 } } });
        assert_eq!(by_slot(&map), Some(HashMap::from([(7.into(), 3), (8.into(), 4)])));
        assert_eq!(by_slot(&json!([1, "x", null])), Some(HashMap::new()));
    }

    #[test]
    fn other_shapes_are_recognised_or_said_not_to_be() {
        for (data, expected) in [
            (json!({ "slots": [{ "id": "7", "clicks": "3", "new": [1] }] }), Some(vec![(7, 3)])),
            (json!({ "clicks": { "7": 3, "8": 0 } }), Some(vec![(7, 3), (8, 0)])),
            (
                json!({ "report": { "slots": { "7": { "clicks": 3, "uniques": 2 } } } }),
                Some(vec![(7, 3)]),
            ),
            (json!([{ "slotId": 7, "clicks": 3 }]), Some(vec![(7, 3)])),
            // Numbers of days, social links and another period are none of slots.
            (
                json!({ "blocks": [{ "slotId": 7, "clicks": 3 }], "timeline": [{ "date": "x", "slots": { "7": 1 } }],
                    "socials": [{ "id": 8, "clicks": 5 }], "previous": { "blocks": { "7": 9 } } }),
                Some(vec![(7, 3)]),
            ),
            (json!({ "blocks": [] }), Some(vec![])),
            (json!({ "blocks": {} , "totals": { "clicks": 0 } }), Some(vec![])),
            // The page itself, not one of its slots.
            (json!({ "profile": { "id": 412, "clicks": 9 } }), None),
            (json!({ "totals": { "clicks": 9 } }), None),
            (json!({ "rows": [["7", 3]] }), None),
            (
                json!({ "blocks": [{ "slotId": 7, "device": "a", "clicks": 1 }, { "slotId": 7, "device": "b", "clicks": 2 }] }),
                None,
            ),
            (json!({ "blocks": [{ "slotId": 7, "clicks": -1 }] }), None),
            (json!(null), None),
            (json!("text"), None),
        ] {
            let found = of_slots(&data, &[7.into(), 8.into()]);
            assert_eq!(
                found,
                expected.map(|clicks| clicks
                    .into_iter()
                    .map(|(id, count)| (SlotId::new(id), count))
                    .collect()),
                "{data}"
            );
        }
    }
}
