//! A lock that somebody filled up costs time in proportion to its size.

use serde_json::{Value, json};

use super::examples::{base_of, file, page};
use crate::apply::PlanOptions;
use crate::sync::{HashPair, Lock, Merge, PageBase, SlotBase, ValueHash};

/// Returns a record of this many slots, of which the page has none.
fn record(slots: i64) -> PageBase {
    let of = |text: &str| HashPair::of(ValueHash::of(&json!(text)));
    let slot = |nth: i64| SlotBase {
        id: (1_000_000 + nth).into(),
        was: Vec::new(),
        kind: "button".into(),
        is_locked: false,
        keys: [("link".into(), of("/a")), ("title".into(), of(&nth.to_string()))].into(),
    };
    let slots = (0..slots).map(slot).collect();
    PageBase { id: 7.into(), login: "cafe".into(), fields: [].into(), slots }
}

/// Reads the lock with such a record, merges by it, and writes the next one. Returns the CPU time in nanoseconds.
fn cost(slots: i64, items: &[Value], shown: &[(i64, Value)]) -> Option<u64> {
    let mut lock = Lock::new("https://links.example/api/v1", 42);
    lock.put("cafe.yaml", &record(slots));
    let text = lock.to_string();
    let (file, page) = (file(items), page(shown));
    let before = cpu_time()?;
    let mut lock = Lock::parse(&text).unwrap();
    let base = &lock.base("cafe.yaml").unwrap();
    let options = PlanOptions { overwrite: true, ..PlanOptions::default() };
    let merge = Merge::new(Some(base), &file, &page, &options).unwrap();
    assert!(merge.deletions.is_empty());
    let next = base_of(&merge, Some(base), &file, &page);
    lock.put("cafe.yaml", &next);
    assert!(lock.to_string().len() < text.len());
    Some(cpu_time()? - before)
}

/// Returns the CPU time of this thread, which other processes do not change.
fn cpu_time() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

#[test]
fn the_time_for_a_lock_grows_with_its_slots_not_with_their_square() {
    let text = |nth: i64| json!(["button", {"title": format!("item {nth}"), "link": "/b"}]);
    let event = json!(["event", {"title": "Concert"}]);
    let items: Vec<Value> = (0..60).map(text).chain([event.clone()]).collect();
    let shown: Vec<(i64, Value)> =
        (0..60).map(|nth| (nth + 1, text(nth))).chain([(99, event)]).collect();
    let cost = |slots| (0..3).filter_map(|_| cost(slots, &items, &shown)).min();
    let (Some(small), Some(large)) = (cost(2_500), cost(20_000)) else {
        eprintln!("SKIPPED, NOTHING IS TESTED: this system does not tell the CPU time of a thread");
        return;
    };
    // Eight times the slots: a square would be 64 times the time.
    assert!(large < small * 24, "{small} ns for 2,500 slots, {large} ns for 20,000");
}
