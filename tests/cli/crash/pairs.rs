//! Pairs of a page and the file that is applied to it.

use links_fixtures::{Account, Choices, IdempotentWrites, Slot, World};
use serde_json::{Value, json};

/// A page and the file that is applied to it.
pub(super) struct Pair {
    pub(super) name: String,
    pub(super) account: Account,
    /// Files that are applied first, without a power cut.
    pub(super) before: Vec<Value>,
    pub(super) file: Value,
    pub(super) flags: &'static str,
    /// Reading of the points on which the interface is silent.
    pub(super) choices: Choices,
}

/// The id of the page.
pub(super) const PAGE: u64 = 101;

const PRUNE: &str = "--prune --yes --max-deletes 500";

fn account(slots: impl IntoIterator<Item = Value>) -> Account {
    let mut account = World::cafe().into_account();
    let page = account.profiles.iter_mut().find(|page| page.id == PAGE).unwrap();
    page.slots = slots.into_iter().map(|slot| serde_json::from_value(slot).unwrap()).collect();
    account
}

fn slot(id: u64, kind: &str, data: &Value) -> Value {
    json!({ "id": id, "type": kind, "data": data, "supported": true })
}

fn text(title: impl std::fmt::Display) -> Value {
    json!({ "title": title.to_string() })
}

fn item(kind: &str, data: &Value) -> Value {
    json!({ "type": kind, "data": data })
}

fn file(items: impl IntoIterator<Item = Value>) -> Value {
    json!({ "profile": PAGE, "slots": items.into_iter().collect::<Vec<_>>() })
}

fn texts(titles: &[&str]) -> Vec<Value> {
    titles.iter().map(|title| item("text", &text(title))).collect()
}

fn page(titles: &[&str]) -> Vec<Value> {
    (1..).zip(titles).map(|(id, title)| slot(id, "text", &text(title))).collect()
}

impl Pair {
    fn new(name: &str, slots: Vec<Value>, items: Vec<Value>, flags: &'static str) -> Self {
        let (name, account) = (name.to_owned(), account(slots));
        Self {
            name,
            account,
            before: Vec::new(),
            file: file(items),
            flags,
            choices: Choices::default(),
        }
    }

    /// Returns pairs that together take every kind of step, alone and with others.
    pub(super) fn of_every_step() -> Vec<Self> {
        let divider = |id| slot(id, "divider", &json!({}));
        let many = |count: u64| (1..=count).map(|n| slot(n, "text", &text(n))).collect::<Vec<_>>();
        let named = |count: u64| (1..=count).map(|n| item("text", &text(n))).collect::<Vec<_>>();
        let changed =
            |id: u64, title: &str| json!({ "id": id, "type": "text", "data": { "title": title } });
        let swap: Vec<Value> = named(500)
            .into_iter()
            .enumerate()
            .map(|(n, old)| if n < 10 { item("button", &button(n)) } else { old })
            .collect();
        let two_batches: Vec<Value> =
            (0..60).map(|n| changed(n + 1, &format!("new {n}"))).collect();
        let mut back = Self::new("there and back", page(&["A", "B"]), texts(&["A", "B"]), PRUNE);
        back.before = vec![file(texts(&["A", "C"]))];
        let mut legacy = many(3);
        legacy[1]["supported"] = false.into();
        vec![
            Self::new("500, of which 10 make room", many(500), swap, PRUNE),
            Self::new("update in two batches", many(60), two_batches, ""),
            Self::new("create", page(&["A"]), texts(&["A", "B", "C"]), ""),
            Self::new("create in two batches", vec![], named(60), ""),
            Self::new("reorder", page(&["A", "B", "C"]), texts(&["C", "A", "B"]), ""),
            Self::new("delete", page(&["A", "B", "C"]), texts(&["B"]), PRUNE),
            Self::new("delete in two batches", many(60), named(5), PRUNE),
            Self::new(
                "replace all",
                page(&["A", "B"]),
                vec![item("divider", &json!({})); 2],
                PRUNE,
            ),
            Self::new(
                "three equal dividers",
                vec![divider(1), slot(2, "text", &text("A"))],
                [vec![item("divider", &json!({})); 3], texts(&["A"])].concat(),
                "",
            ),
            Self::new(
                "equal items among others, in two batches",
                vec![divider(1), divider(2)],
                [
                    vec![item("divider", &json!({})); 30],
                    named(25),
                    vec![item("divider", &json!({})); 5],
                ]
                .concat(),
                "",
            ),
            Self::new(
                "everything at once",
                page(&["A", "B", "C", "D"]),
                [vec![changed(3, "See"), changed(1, "A")], texts(&["E", "B", "F"])].concat(),
                PRUNE,
            ),
            Self::new("a legacy slot in between", legacy, texts(&["3", "1", "4"]), PRUNE),
            back,
        ]
    }

    /// Returns whether the pair takes at most one batch of each kind.
    pub(super) fn is_small(&self) -> bool {
        let page = slots(&self.account).len();
        page <= 50 && self.file["slots"].as_array().is_some_and(|items| items.len() <= 50)
    }

    /// Returns any page and any file; the same ones for the same seed.
    pub(super) fn random(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let content = |dice: &mut Dice| match dice.up_to(4) {
            0 => ("divider", json!({})),
            1 => ("button", button(dice.up_to(6))),
            _ => ("text", text(dice.up_to(6))),
        };
        let slots: Vec<Value> = (0..dice.up_to(9))
            .map(|n| {
                let (kind, data) = content(&mut dice);
                slot(n as u64 + 1, kind, &data)
            })
            .collect();
        let mut items = Vec::new();
        let mut old = slots.clone();
        for _ in 0..dice.up_to(10) {
            let named =
                (!old.is_empty() && dice.up_to(3) > 0).then(|| old.remove(dice.up_to(old.len())));
            let (kind, data) = content(&mut dice);
            items.push(match named {
                Some(slot) if dice.up_to(3) > 0 => {
                    json!({ "id": slot["id"], "type": slot["type"] })
                }
                Some(slot) if slot["type"] == kind => {
                    json!({ "id": slot["id"], "type": kind, "data": data })
                }
                Some(slot) => json!({ "type": slot["type"], "data": slot["data"] }),
                None => item(kind, &data),
            });
        }
        let flags = if dice.up_to(2) == 0 { "" } else { PRUNE };
        let mut pair = Self::new(&format!("random {seed}"), slots, items, flags);
        match seed % 3 {
            0 => pair.choices.idempotent_writes = IdempotentWrites::None,
            1 => pair.choices.failures_stored = true,
            _ => {}
        }
        if pair.file["slots"] == json!([]) {
            pair.flags = "--prune --yes --max-deletes 500 --allow-empty";
        }
        pair
    }
}

fn button(n: usize) -> Value {
    json!({ "title": format!("Shop {n}"), "link": format!("https://shop.example/{n}") })
}

/// Numbers that look random (xorshift).
struct Dice(u64);

impl Dice {
    /// Returns one of `0..end`.
    fn up_to(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Returns the page of an account.
pub(super) fn slots(account: &Account) -> &[Slot] {
    &account.profiles.iter().find(|page| page.id == PAGE).unwrap().slots
}
