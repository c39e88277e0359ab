//! Extraction of the clicks of slots from analytics, whose shape is not documented.

use std::collections::HashMap;

use links_sdk::types::AnalyticsPeriod;
use links_sdk::{AnalyticsQuery, ProfileHandle};
use serde_json::Value;

/// Names of the fields of a row that may hold the id of its slot.
const IDS: [&str; 3] = ["slotId", "slot", "id"];

/// Returns the clicks of the last 28 days by slot; none if the analytics cannot be read.
pub(super) async fn recent(profile: &ProfileHandle) -> HashMap<i64, u64> {
    let query = AnalyticsQuery::default().period(AnalyticsPeriod::Last28);
    let analytics = profile.analytics(query).await;
    analytics.map(|it| by_slot(&it.data.0.into())).unwrap_or_default()
}

/// Returns every number called `clicks` that belongs to the id of a slot, without those of the previous period.
fn by_slot(data: &Value) -> HashMap<i64, u64> {
    let mut found = HashMap::new();
    walk(data, None, &mut found);
    found
}

fn walk(value: &Value, key: Option<&str>, found: &mut HashMap<i64, u64>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, None, found)),
        Value::Object(object) => {
            let named = IDS.iter().find_map(|name| object.get(*name)?.as_i64());
            let id = named.or_else(|| key?.parse().ok());
            if let (Some(id), Some(clicks)) = (id, object.get("clicks").and_then(Value::as_u64)) {
                found.insert(id, clicks);
            }
            for (key, value) in object.iter().filter(|(key, _)| *key != "previous") {
                walk(value, Some(key), found);
            }
        }
        _ => {}
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
        assert_eq!(by_slot(&list), HashMap::from([(7, 3)]));
        let map = json!({ "blocks": { "7": { "clicks": 3 }, "8": { "id": 8, "clicks": 4 } } });
        assert_eq!(by_slot(&map), HashMap::from([(7, 3), (8, 4)]));
        assert!(by_slot(&json!([1, "x", null])).is_empty());
    }
}
