//! Files, pages and records for examples.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::apply::PlanOptions;
use crate::apply::SlotTypes;
use crate::sync::{FilePage, LivePage, Merge, PageBase};

/// Returns a file of items written as `[type, data]`, or `[id, type, data]`.
pub(super) fn file(items: &[Value]) -> FilePage {
    let item = |item: &Value| {
        let item = item.as_array().unwrap();
        let (kind, data) = (&item[item.len() - 2], &item[item.len() - 1]);
        let mut json = json!({"type": kind, "data": data});
        if item.len() == 3 {
            json["id"] = item[0].clone();
        }
        serde_json::from_value(json).unwrap()
    };
    FilePage { slots: items.iter().map(item).collect(), ..FilePage::default() }
}

/// Returns a page of slots written as an ID and `[type, data]`; a legacy one has a type that starts with `old`.
pub(super) fn page(slots: &[(i64, Value)]) -> LivePage {
    let slot = |(id, slot): &(i64, Value)| {
        let is_supported = !slot[0].as_str().unwrap().starts_with("old");
        let json = json!({"id": id, "type": slot[0], "data": slot[1], "supported": is_supported});
        serde_json::from_value(json).unwrap()
    };
    LivePage {
        id: 7.into(),
        login: "cafe".into(),
        slots: slots.iter().map(slot).collect(),
        ..LivePage::default()
    }
}

/// Returns the record of a page and a file that say the same, the file without IDs.
pub(super) fn synced(slots: &[(i64, Value)]) -> PageBase {
    let items: Vec<Value> = slots.iter().map(|(_, slot)| slot.clone()).collect();
    let (file, page) = (file(&items), page(slots));
    let merge = Merge::new(None, &file, &page, &PlanOptions::default()).unwrap();
    base_of(&merge, None, &file, &page)
}

/// Returns the record after a merge that created nothing.
pub(super) fn base_of(
    merge: &Merge,
    base: Option<&PageBase>,
    file: &FilePage,
    after: &LivePage,
) -> PageBase {
    merge.base_after(base, file, after, &BTreeMap::new(), &SlotTypes::default())
}
