//! Tests of plans, by example and on a model of the service.

mod properties;
mod rules;
mod service;
mod undo;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use links_sdk::{Slot, SlotId};

impl Plan {
    /// Returns the IDs of the first slots that were created, by the index of their item.
    pub(crate) fn made(&self, created: &[SlotId]) -> BTreeMap<usize, SlotId> {
        self.creates.iter().map(|create| create.index).zip(created.iter().copied()).collect()
    }
}

/// Returns slots written as `[id, type, data]`; a legacy one has a type that starts with `old`.
fn page(slots: &[(i64, &str, Value)]) -> Vec<Slot> {
    let slot = |(id, kind, data): &(i64, &str, Value)| {
        serde_json::from_value(
            json!({"id": id, "type": kind, "data": data, "supported": !kind.starts_with("old")}),
        )
        .unwrap()
    };
    slots.iter().map(slot).collect()
}

/// Returns items written as `[type, data]`, or `[id, type, data]`.
fn file(items: &[Value]) -> DesiredPage {
    let item = |item: &Value| {
        let item = item.as_array().unwrap();
        let (kind, data) = (&item[item.len() - 2], &item[item.len() - 1]);
        let mut json = json!({"type": kind, "data": data});
        if item.len() == 3 {
            json["id"] = item[0].clone();
        }
        serde_json::from_value(json).unwrap()
    };
    items.iter().map(item).collect::<Vec<_>>().into()
}

/// Finds the slots of the items of a file, and plans.
fn plan_of(page: &[Slot], file: &DesiredPage, options: &PlanOptions) -> Result<Plan, PlanError> {
    Plan::new(page, &Wanted::bind(page, file.clone(), options)?, options)
}

fn prune() -> PlanOptions {
    PlanOptions { prune: true, ..PlanOptions::default() }
}
