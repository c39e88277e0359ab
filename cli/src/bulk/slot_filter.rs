//! Slots through jq: which of them a filter selects, and what another makes of each.

use links_sdk::Slot;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::output::format::query;
use crate::ui::cut;

/// Maximum length of a reason, which a filter can make of any length.
const MOST_REASON: usize = 200;

/// A filter that selects slots, and one that changes them.
#[derive(Debug)]
pub(crate) struct SlotFilter {
    code: String,
    digest: String,
}

/// What the filters say of a slot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Filtered {
    /// It is not selected, or the edit gives nothing for it.
    Untouched,
    /// The record that the edit makes of it.
    Made(Value),
    /// Why it cannot be changed.
    Failed(String),
}

impl SlotFilter {
    /// Compiles the filters. `select` is empty where every slot is meant.
    ///
    /// # Errors
    ///
    /// When one is invalid; the message names the option and the place.
    pub(crate) fn new(select: Option<&str>, edit: &str) -> Result<Self, String> {
        let select = select.unwrap_or("true");
        for (option, code) in [("--where", select), ("--edit", edit)] {
            query::check(code).map_err(|why| format!("{option}: {why}"))?;
        }
        // The line ends keep a comment from swallowing what follows.
        let code = format!(
            r#".[] | (try [[({select}
)] | any] catch {{failed: "--where: \(.)"}}) as $selected
            | if $selected == [true] then try {{made: [({edit}
)]}} catch {{failed: "--edit: \(.)"}}
            elif $selected == [false] then {{made: []}} else $selected end"#
        );
        let digest = Sha256::digest(format!("{}\0{edit}", select.trim()).as_bytes());
        Ok(Self { code, digest: hex::encode(digest) })
    }

    /// Digest of both filters.
    pub(crate) fn digest(&self) -> String {
        self.digest.clone()
    }

    /// Applies the filters to the slots of a page.
    ///
    /// # Errors
    ///
    /// When the filter takes too much time or memory, or ends early.
    pub(crate) fn apply(&self, login: &str, slots: &[Slot]) -> Result<Vec<Filtered>, String> {
        if slots.is_empty() {
            return Ok(Vec::new());
        }
        let records: Vec<Value> = slots.iter().map(|slot| record(login, slot)).collect();
        let results = query::results(&self.code, &Value::Array(records))?;
        if results.len() != slots.len() {
            return Err(format!("it ends after {} of {} slots", results.len(), slots.len()));
        }
        Ok(results
            .into_iter()
            .map(|result| result.map_or_else(Filtered::Failed, filtered))
            .collect())
    }
}

/// Returns a slot as the filters see it.
pub(crate) fn record(login: &str, slot: &Slot) -> Value {
    json!({ "page": login, "id": slot.id, "type": slot.kind, "data": slot.data })
}

fn filtered(mut result: Value) -> Filtered {
    if let Some(why) = result.get("failed") {
        let why = why.as_str().map_or_else(|| why.to_string(), str::to_owned);
        return Filtered::Failed(cut(&why, MOST_REASON));
    }
    match result["made"].take() {
        Value::Array(made) if made.len() == 1 => {
            made.into_iter().next().map_or(Filtered::Untouched, Filtered::Made)
        }
        Value::Array(made) if made.is_empty() => Filtered::Untouched,
        Value::Array(made) => Filtered::Failed(format!("--edit gives {} values", made.len())),
        _ => Filtered::Untouched,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots() -> Vec<Slot> {
        serde_json::from_value(json!([
            {"id": 1, "type": "button", "data": {"link": "https://old.example/a", "title": "A"}, "supported": true},
            {"id": 2, "type": "divider", "data": [], "supported": true},
            {"id": 3, "type": "text", "data": {"title": "C"}, "supported": true},
        ]))
        .unwrap()
    }

    fn apply(select: Option<&str>, edit: &str) -> Vec<Filtered> {
        SlotFilter::new(select, edit).unwrap().apply("cafe", &slots()).unwrap()
    }

    #[test]
    fn slots_are_selected_and_changed_one_by_one() {
        let found = apply(
            Some(".type == \"button\" # only these"),
            ".data.link |= sub(\"old\"; \"new\") # x",
        );
        let expected = json!({"page": "cafe", "id": 1, "type": "button", "data": {"link": "https://new.example/a", "title": "A"}});
        assert_eq!(found, [Filtered::Made(expected), Filtered::Untouched, Filtered::Untouched]);
        assert_eq!(
            apply(None, "empty"),
            [Filtered::Untouched, Filtered::Untouched, Filtered::Untouched]
        );
        assert!(
            matches!(&apply(None, ".data |= length")[1], Filtered::Made(it) if it["data"] == 0)
        );
    }

    #[test]
    fn a_slot_that_a_filter_fails_on_is_named_and_the_others_are_changed() {
        let found = apply(None, ".data.link |= sub(\"old\"; \"new\")");
        assert!(matches!(&found[0], Filtered::Made(_)));
        assert!(matches!(&found[1], Filtered::Failed(_)), "{found:?}");
        assert_eq!(apply(None, "., .")[0], Filtered::Failed("--edit gives 2 values".to_owned()));
        let ended = SlotFilter::new(None, "halt").unwrap().apply("cafe", &slots());
        assert_eq!(ended.unwrap_err(), "it ends after 0 of 3 slots");
    }

    #[test]
    fn an_invalid_filter_is_refused_with_its_option() {
        let refused = SlotFilter::new(Some(".type =="), ".").unwrap_err();
        assert!(refused.starts_with("--where: "), "{refused}");
        assert!(SlotFilter::new(None, ") | (").unwrap_err().starts_with("--edit: "));
    }
}
