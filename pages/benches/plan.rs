//! How long planning takes for 500 slots against 500 items. Run with `cargo bench -p links-sdk`; less than 20 ms is the aim.
//!
//! Every case takes less than 2 ms, also where every item resembles every slot, but the two in which all slots have 80 texts in common:
//! each of those texts counts for every pair of an item and a slot.

use std::sync::Arc;

use divan::{Bencher, black_box};
use links_pages::apply::{DesiredPage, Plan, PlanOptions, Wanted};
use links_sdk::Slot;
use serde_json::{Value, json};

fn main() {
    divan::main();
}

type Pair = (fn(usize) -> Value, fn(usize) -> Value);

/// The slot at each place of the page, and the item at each place of the file.
const PAIRS: [(&str, Pair); 12] = [
    ("unchanged", (usual, usual)),
    ("reversed", (usual, |n| usual(499 - n))),
    ("identical", (|_| json!({}), |_| json!({}))),
    ("titles changed", (usual, |n| retitled(usual(n), n))),
    ("titles changed, reversed", (usual, |n| retitled(usual(499 - n), n))),
    ("all different", (usual, |n| usual(1000 + n))),
    (
        "one link for all",
        (
            |n| json!({"title": format!("Old {n}"), "link": "https://a.example"}),
            |n| json!({"title": format!("New {n}"), "link": "https://a.example"}),
        ),
    ),
    ("80 texts in common", (alike, |n| retitled(alike(n), n))),
    ("79 of 80 texts in common", (nearly_alike, |n| retitled(nearly_alike(n), n))),
    (
        "every pair shares one of 22",
        (
            |n| json!({"a": format!("A {}", n % 22), "b": format!("B {}", n / 22), "t": format!("Old {n}")}),
            |n| json!({"a": format!("A {}", n / 22), "b": format!("B {}", n % 22), "t": format!("New {n}")}),
        ),
    ),
    (
        "each item fits half the slots",
        (
            |n| {
                (0..9)
                    .filter(|bit| n >> bit & 1 == 1)
                    .map(|bit| (format!("k{bit}"), json!(1)))
                    .collect()
            },
            |n| json!({format!("k{}", n % 9): 1}),
        ),
    ),
    (
        "wide items first, narrow last",
        (
            |n| if n < 250 { json!({"a": 1, "b": 1}) } else { json!({"a": 1}) },
            |n| if n < 250 { json!({"a": 1}) } else { json!({"b": 1}) },
        ),
    ),
];

fn usual(n: usize) -> Value {
    json!({"title": format!("Title {n}"), "link": format!("https://a.example/{n}"), "style": "primary", "size": n % 3})
}

/// Many texts, all the same in every slot but one.
fn alike(n: usize) -> Value {
    let questions =
        (0..40).map(|k| json!({"q": format!("Question {k}?"), "a": format!("Answer {k}.")}));
    json!({"title": format!("Title {n}"), "items": questions.collect::<Vec<_>>(), "style": "primary"})
}

/// The same, where no list of texts is the same as another.
fn nearly_alike(n: usize) -> Value {
    let mut data = alike(n);
    data["items"][n % 40]["a"] = format!("Answer of {n}.").into();
    data
}

fn retitled(mut data: Value, n: usize) -> Value {
    data["title"] = format!("New {n}").into();
    data
}

#[divan::bench(args = PAIRS.map(|(name, _)| name))]
fn plan(bencher: Bencher<'_, '_>, name: &str) {
    let (_, (slot, item)) =
        PAIRS.into_iter().find(|(pair, _)| *pair == name).expect("an argument is a pair");
    let page: Vec<Slot> = (0..500)
        .map(|n| json!({"id": n + 1, "type": "button", "data": slot(n), "supported": true}))
        .map(|record| serde_json::from_value(record).expect("a slot"))
        .collect();
    let slots: Vec<Value> = (0..500).map(|n| json!({"type": "button", "data": item(n)})).collect();
    let file: DesiredPage = serde_json::from_value(json!({ "slots": slots })).expect("a page file");
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let file = Arc::new(file);
    bencher.bench_local(|| {
        let wanted = Wanted::bind(black_box(&page), file.clone(), black_box(&options))?;
        Plan::new(&page, &wanted, &options)
    });
}
