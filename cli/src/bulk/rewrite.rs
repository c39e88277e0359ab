//! Rewrite of slots by a jq filter: which slots it selects, what it makes of each, and what an interrupted rewrite has written.

use links_pages::apply::{DesiredPage, DesiredSlot, JournalEntries, PlannedUpdate, same};
use links_sdk::Slot;

use super::AskedPage;
use crate::apply::planned::EditedItems;
use crate::apply::problems::invalid;
use crate::context::prelude::*;
use crate::output::format::query;
use crate::output::{label, named_slot};
use crate::schema::fields::plain;
use crate::ui::cut;
use links_pages::page_file::local_image::hash_of;

impl SlotFilter {
    /// Returns what is asked of a page. `interrupted` are the unfinished run on that page with the same digest and those that it has replaced,
    /// the newest first.
    pub(crate) fn ask(
        &self,
        page: &PageSnapshot,
        types: &SlotTypeCatalog,
        interrupted: &[JournalEntries],
    ) -> Result<AskedPage> {
        let done = WrittenSlots::of(interrupted);
        let slots: Vec<Slot> = page.slots.iter().filter(|slot| !done.has(slot)).cloned().collect();
        let results = self.apply(&page.login, &slots);
        let results = results.map_err(|why| {
            CommandError::usage(format!(
                "{}: the filter failed: {why}; nothing was written",
                page.login
            ))
        })?;
        let rules = types.rules();
        let (mut items, mut problems, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, result) in slots.iter().zip(results) {
            let Some(made) = result.transpose() else { continue };
            match made.and_then(|made| changed(&page.login, slot, &made)) {
                Err(why) => problems.push(format!("{}: slot {}: {why}", page.login, slot.id)),
                Ok(changed) if changed.is_empty() => {}
                Ok(_) if !slot.supported || rules.is_read_only(&slot.kind) => {
                    let slot = named_slot(&slot.kind, slot.id, label(&slot.data));
                    let text = format!("skipped {slot}: it cannot be edited");
                    notes.push(StyledLine::faint(text));
                }
                Ok(data) => {
                    items.push(DesiredSlot { id: Some(slot.id), kind: slot.kind.clone(), data });
                }
            }
        }
        if !problems.is_empty() {
            return Err(invalid(problems));
        }
        let (items, instead) = done.continued(items);
        let name =
            |item: &DesiredSlot| format!("{}: slot {}", page.login, item.id.unwrap_or_default());
        let edited = EditedItems { names: items.iter().map(name).collect(), notes };
        Ok(AskedPage { content: items.into(), instead, items: edited, ..AskedPage::default() })
    }
}

/// Returns the values that a filter changed, null for keys that it removed.
fn changed(login: &str, slot: &Slot, made: &Value) -> Result<Object, String> {
    let Value::Object(made) = made else {
        return Err(format!(
            "--edit must return the slot, not {}",
            cut(&made.to_string(), MOST_REASON)
        ));
    };
    let was = record(login, slot);
    for key in ["page", "id", "type"] {
        if made.get(key) != was.get(key) {
            return Err(format!("--edit must not change `{key}`"));
        }
    }
    if let Some(key) = made.keys().find(|key| was.get(key).is_none()) {
        return Err(format!("--edit must not add `{key}` next to `data`; put values in `data`"));
    }
    let Some(Value::Object(data)) = made.get("data") else {
        return Err("--edit must return an object in `data`".to_owned());
    };
    let keys = data.keys().chain(slot.data.keys().filter(|key| !data.contains_key(*key)));
    let value = |key: &String| data.get(key).unwrap_or(&Value::Null);
    let changed = keys.filter(|key| !same(value(key), held(&slot.data, key)));
    Ok(changed.map(|key| (key.clone(), value(key).clone())).collect())
}

/// Maximum length of a reason, which a filter can make of any length.
const MOST_REASON: usize = 200;

/// A filter that selects slots, and one that changes them.
#[derive(Debug)]
pub(crate) struct SlotFilter {
    code: String,
    /// Digest of the filters, by which an interrupted run is found that must continue as it was planned.
    pub(crate) digest: String,
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
        let digest = hash_of(format!("{}\0{edit}", select.trim()).as_bytes());
        Ok(Self { code, digest })
    }

    /// Applies the filters to the slots of a page. Returns the record that the edit makes of each, `None` for one that is not selected or for
    /// which the edit gives nothing, or the reason why it cannot be changed.
    ///
    /// # Errors
    ///
    /// When the filter takes too much time or memory, or ends early.
    pub(crate) fn apply(
        &self,
        login: &str,
        slots: &[Slot],
    ) -> Result<Vec<Result<Option<Value>, String>>, String> {
        if slots.is_empty() {
            return Ok(Vec::new());
        }
        let records: Vec<Value> = slots.iter().map(|slot| record(login, slot)).collect();
        let results = query::results(&self.code, &Value::Array(records), None)?;
        if results.len() != slots.len() {
            return Err(format!("it stopped after {} of {} slots", results.len(), slots.len()));
        }
        Ok(results.into_iter().map(|result| result.and_then(filtered)).collect())
    }
}

/// Returns a slot as the filters see it.
pub(crate) fn record(login: &str, slot: &Slot) -> Value {
    json!({ "page": login, "id": slot.id, "type": slot.kind, "data": slot.data })
}

fn filtered(mut result: Value) -> Result<Option<Value>, String> {
    if let Some(why) = result.get("failed") {
        return Err(cut(&plain(why), MOST_REASON));
    }
    match result["made"].take() {
        Value::Array(made) if made.len() > 1 => {
            Err(format!("--edit must return one value, not {}", made.len()))
        }
        Value::Array(mut made) => Ok(made.pop()),
        _ => Ok(None),
    }
}

/// Slots that an interrupted rewrite has written, and what it was asked for.
#[derive(Debug, Default)]
struct WrittenSlots {
    written: BTreeSet<SlotId>,
    /// Updates of which it is unknown whether they were executed.
    doubtful: Vec<PlannedUpdate>,
    /// What the newest run was asked for; empty if that is not known.
    asked: Vec<DesiredSlot>,
}

impl WrittenSlots {
    /// Collects what runs have written: an unfinished one, and those that it has replaced, the newest first.
    fn of(runs: &[JournalEntries]) -> Self {
        let Some(newest) = runs.first() else { return Self::default() };
        let written = runs.iter().flat_map(JournalEntries::updates).map(|update| update.id);
        let doubtful = runs.iter().flat_map(JournalEntries::doubtful_updates);
        let planned = newest.plan().into_iter().flat_map(|plan| &plan.updates);
        let mut asked: BTreeMap<usize, DesiredSlot> = BTreeMap::new();
        for update in newest.updates().chain(newest.doubtful_updates()).chain(planned) {
            asked.entry(update.index).or_insert_with(|| DesiredSlot {
                id: Some(update.id),
                kind: update.kind.clone(),
                data: update.changed.clone(),
            });
        }
        let asked: Vec<DesiredSlot> = asked.into_values().collect();
        let is_asked = newest.opening.is_of(&DesiredPage::from(asked.clone()));
        Self {
            written: written.collect(),
            doubtful: doubtful.cloned().collect(),
            asked: if is_asked { asked } else { Vec::new() },
        }
    }

    /// Tells whether a slot was written. One whose request may have been executed was, unless it has the values from before.
    fn has(&self, slot: &Slot) -> bool {
        let is_untouched = |update: &PlannedUpdate| {
            update.changed.keys().all(|key| same(held(&slot.data, key), held(&update.before, key)))
        };
        self.written.contains(&slot.id)
            || self.doubtful.iter().any(|update| update.id == slot.id && !is_untouched(update))
    }

    /// Returns the items of the run, and the values that they have now. It is the interrupted run that goes on, if it was asked for all of the
    /// slots that are left; else a new one.
    fn continued(&self, left: Vec<DesiredSlot>) -> (Vec<DesiredSlot>, BTreeMap<SlotId, Object>) {
        let known = self.asked.iter().filter_map(|item| Some((item.id?, Object::default())));
        let mut instead: BTreeMap<SlotId, Object> = known.collect();
        let mut ids = left.iter().filter_map(|item| item.id);
        if instead.is_empty() || !ids.all(|id| instead.contains_key(&id)) {
            return (left, BTreeMap::new());
        }
        instead.extend(left.into_iter().filter_map(|item| Some((item.id?, item.data))));
        (self.asked.clone(), instead)
    }
}

fn held<'d>(data: &'d Object, key: &str) -> &'d Value {
    data.get(key).unwrap_or(&Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot() -> Slot {
        serde_json::from_value(json!({"id": 7, "type": "button", "data": {"title": "A", "link": "x"}, "supported": true}))
            .unwrap()
    }

    fn of(made: Value) -> Result<Value, String> {
        changed("cafe", &slot(), &made).map(|it| json!(it))
    }

    #[test]
    fn only_what_differs_is_written_and_removed_keys_are_cleared() {
        let record = |data: Value| json!({"page": "cafe", "id": 7, "type": "button", "data": data});
        assert_eq!(of(record(json!({"title": " A ", "link": "x"}))).unwrap(), json!({}));
        assert_eq!(of(record(json!({"title": "B"}))).unwrap(), json!({"title": "B", "link": null}));
        assert_eq!(
            of(record(json!({"title": "A", "link": "x", "new": 1}))).unwrap(),
            json!({"new": 1})
        );
        assert!(of(record(json!([]))).is_err());
    }

    #[test]
    fn a_filter_cannot_make_another_slot() {
        for made in [
            json!("x"),
            json!({"page": "cafe", "id": 8, "type": "button", "data": {}}),
            json!({"page": "cafe", "id": 7, "type": "text", "data": {}}),
            json!({"page": "other", "id": 7, "type": "button", "data": {}}),
            json!({"page": "cafe", "id": 7, "type": "button", "data": {}, "title": "B"}),
            json!({"page": "cafe", "id": 7, "type": "button"}),
            json!({"data": {}}),
        ] {
            assert!(of(made.clone()).is_err(), "{made}");
        }
    }
}

#[cfg(test)]
mod filter_tests {
    use super::*;

    fn slots() -> Vec<Slot> {
        serde_json::from_value(json!([
            {"id": 1, "type": "button", "data": {"link": "https://old.example/a", "title": "A"}, "supported": true},
            {"id": 2, "type": "divider", "data": [], "supported": true},
            {"id": 3, "type": "text", "data": {"title": "C"}, "supported": true},
        ]))
        .unwrap()
    }

    fn apply(select: Option<&str>, edit: &str) -> Vec<Result<Option<Value>, String>> {
        SlotFilter::new(select, edit).unwrap().apply("cafe", &slots()).unwrap()
    }

    #[test]
    fn slots_are_selected_and_changed_one_by_one() {
        let found = apply(
            Some(".type == \"button\" # only these"),
            ".data.link |= sub(\"old\"; \"new\") # x",
        );
        let expected = json!({"page": "cafe", "id": 1, "type": "button", "data": {"link": "https://new.example/a", "title": "A"}});
        assert_eq!(found, [Ok(Some(expected)), Ok(None), Ok(None)]);
        assert_eq!(apply(None, "empty"), [Ok(None), Ok(None), Ok(None)]);
        assert!(matches!(&apply(None, ".data |= length")[1], Ok(Some(it)) if it["data"] == 0));
    }

    #[test]
    fn a_slot_that_a_filter_fails_on_is_named_and_the_others_are_changed() {
        let found = apply(None, ".data.link |= sub(\"old\"; \"new\")");
        assert!(matches!(&found[0], Ok(Some(_))));
        assert!(found[1].is_err(), "{found:?}");
        assert_eq!(apply(None, "., .")[0], Err("--edit must return one value, not 2".to_owned()));
        let ended = SlotFilter::new(None, "halt").unwrap().apply("cafe", &slots());
        assert_eq!(ended.unwrap_err(), "it stopped after 0 of 3 slots");
    }

    #[test]
    fn an_invalid_filter_is_refused_with_its_option() {
        let refused = SlotFilter::new(Some(".type =="), ".").unwrap_err();
        assert!(refused.starts_with("--where: "), "{refused}");
        assert!(SlotFilter::new(None, ") | (").unwrap_err().starts_with("--edit: "));
    }
}

#[cfg(test)]
mod continued_tests {
    use super::*;

    fn item(id: SlotId, title: &str) -> DesiredSlot {
        serde_json::from_value(json!({"id": id, "type": "button", "data": {"title": title}}))
            .unwrap()
    }

    fn slot(id: SlotId, title: &str) -> Slot {
        serde_json::from_value(
            json!({"id": id, "type": "button", "data": {"title": title, "link": "x"}, "supported": true}),
        )
        .unwrap()
    }

    #[test]
    fn a_slot_of_a_request_in_doubt_was_written_unless_it_is_as_before() {
        let update = json!({
            "id": 7, "index": 0, "type": "button", "label": null, "changed": {"title": "A!"}, "before": {"title": "A"},
        });
        let doubtful = vec![serde_json::from_value(update).unwrap()];
        let done = WrittenSlots { written: [5.into()].into(), doubtful, asked: Vec::new() };
        let found = [
            slot(5.into(), "x"),
            slot(6.into(), "x"),
            slot(7.into(), "A"),
            slot(7.into(), "A!"),
            slot(7.into(), "Foreign"),
        ];
        assert_eq!(found.map(|slot| done.has(&slot)), [true, false, false, true, true]);
    }

    #[test]
    fn a_run_goes_on_with_the_slots_that_are_left() {
        let asked = vec![item(1.into(), "A!"), item(2.into(), "B!"), item(3.into(), "C!")];
        let done = WrittenSlots { asked: asked.clone(), ..WrittenSlots::default() };
        let (items, instead) =
            done.continued(vec![item(2.into(), "Foreign!"), item(3.into(), "C!")]);
        assert_eq!(items, asked);
        assert_eq!(
            json!(instead),
            json!({"1": {}, "2": {"title": "Foreign!"}, "3": {"title": "C!"}})
        );
        // A slot that is new on the page makes it another run.
        let left = vec![item(2.into(), "B!"), item(4.into(), "D!")];
        assert_eq!(done.continued(left.clone()), (left.clone(), BTreeMap::new()));
        assert_eq!(WrittenSlots::default().continued(left.clone()), (left, BTreeMap::new()));
    }
}
