//! How long planning takes. Run with `cargo test --release -- --ignored --nocapture timing`.
#![expect(clippy::disallowed_methods, reason = "measures real time")]

use std::time::Instant;

use super::*;

fn measure(name: &str, slot: impl Fn(usize) -> Value, item: impl Fn(usize) -> Value) {
    let page = page(
        &(0..500).map(|n| (i64::try_from(n).unwrap() + 1, "button", slot(n))).collect::<Vec<_>>(),
    );
    let file = file(&(0..500).map(|n| json!(["button", item(n)])).collect::<Vec<_>>());
    let mut times: Vec<_> = (0..15)
        .map(|_| {
            let start = Instant::now();
            let plan = Plan::new(&page, &file, &prune()).unwrap();
            (start.elapsed(), plan.to_string())
        })
        .collect();
    times.sort();
    let ((median, summary), (worst, _)) = (&times[7], &times[14]);
    println!("{name:32} median {median:9.2?}  worst {worst:9.2?}  {summary}");
}

fn usual(n: usize) -> Value {
    json!({"title": format!("Title {n}"), "link": format!("https://a.example/{n}"), "style": "primary", "size": n % 3})
}

/// Many texts, all the same in every slot but one.
fn alike(n: usize) -> Value {
    let items: Vec<_> = (0..40)
        .map(|k| json!({"q": format!("Question {k}?"), "a": format!("Answer {k}.")}))
        .collect();
    json!({"title": format!("Title {n}"), "items": items, "style": "primary"})
}

#[test]
#[ignore = "prints times"]
fn timing_of_500_against_500() {
    let edited = |mut data: Value, n: usize| {
        data["title"] = format!("New {n}").into();
        data
    };
    measure("unchanged", usual, usual);
    measure("reversed", usual, |n| usual(499 - n));
    measure("identical", |_| json!({}), |_| json!({}));
    measure("titles changed", usual, |n| edited(usual(n), n));
    measure("titles changed, reversed", usual, |n| edited(usual(499 - n), n));
    measure("all different", usual, |n| usual(1000 + n));
    measure(
        "one link for all",
        |n| json!({"title": format!("Old {n}"), "link": "https://a.example"}),
        |n| json!({"title": format!("New {n}"), "link": "https://a.example"}),
    );
    measure("80 texts in common", alike, |n| edited(alike(n), n));
    measure(
        "every pair shares one of 22",
        |n| json!({"a": format!("A {}", n % 22), "b": format!("B {}", n / 22), "t": format!("Old {n}")}),
        |n| json!({"a": format!("A {}", n / 22), "b": format!("B {}", n % 22), "t": format!("New {n}")}),
    );
    measure(
        "each item fits half the slots",
        |n| {
            (0..9)
                .filter(|bit| n >> bit & 1 == 1)
                .map(|bit| (format!("k{bit}"), json!(1)))
                .collect()
        },
        |n| json!({format!("k{}", n % 9): 1}),
    );
    measure(
        "wide items first, narrow last",
        |n| if n < 250 { json!({"a": 1, "b": 1}) } else { json!({"a": 1}) },
        |n| if n < 250 { json!({"a": 1}) } else { json!({"b": 1}) },
    );
}
