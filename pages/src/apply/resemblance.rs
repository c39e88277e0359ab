//! Match of items with the slots that resemble them most.

use std::cmp::Reverse;

use foldhash::HashMap;
use serde_json::Value;
use twox_hash::XxHash3_64;

use super::schema::SchemaNode;
use super::values::{NormalizedFields, digest};
use links_sdk::runs::{ValueShape, for_each_sorted};

/// Returns pairs of item and slot, closest first, each item and slot used once. All are of one type; both sides are in page order.
///
/// A pair needs a telling value in common: a string, at any depth, that is not one option out of a few. The rarer such a value is, the
/// more it counts; other equal values decide between pairs that it leaves equal, then the order on the page.
pub(super) fn closest(
    items: &[&NormalizedFields<'_>],
    slots: &[&NormalizedFields<'_>],
    schema: Option<SchemaNode<'_>>,
) -> Vec<(usize, usize)> {
    closest_within(BUDGET, items, slots, schema)
}

/// Maximum number of additions spent on scores: eight values that all of 500 items share with all of 500 slots.
const BUDGET: usize = 8 * 500 * 500;

fn closest_within(
    budget: usize,
    items: &[&NormalizedFields<'_>],
    slots: &[&NormalizedFields<'_>],
    schema: Option<SchemaNode<'_>>,
) -> Vec<(usize, usize)> {
    if items.is_empty() || slots.is_empty() {
        return Vec::new();
    }
    let mut traits = SharedValues::default();
    for (side, all) in [items, slots].into_iter().enumerate() {
        for (holder, fields) in all.iter().enumerate() {
            for (key, value) in &fields.0 {
                let path = below(0, key.as_bytes());
                traits.note(path, &|| schema?.property(key), value, (side, holder));
            }
        }
    }
    let mut shared: Vec<SharedValue> =
        traits.all.into_iter().filter(|shared| shared.pairs() > 0).collect();
    shared.sort_by_key(|shared| (!shared.telling, shared.pairs()));

    let left = shared.iter().scan(budget, |left, shared| {
        *left = left.checked_sub(shared.pairs())?;
        Some(*left)
    });
    let (distinctive, common) = shared.split_at(left.count());
    let mut scores = Scores::new(items.len(), slots.len());
    for shared in distinctive {
        scores.add(shared);
    }

    let mut served = [vec![false; items.len()], vec![false; slots.len()]];
    let mut pairs = Vec::new();
    for (item, slot) in scores.best_first() {
        if !served[0][item] && !served[1][slot] {
            (served[0][item], served[1][slot]) = (true, true);
            pairs.push((item, slot));
        }
    }
    // A value that so many share is weak evidence, no better than the order on the page.
    for shared in common.iter().filter(|shared| shared.telling) {
        let open = |side: usize| {
            shared.holders[side].iter().copied().filter(|holder| !served[side][*holder]).collect()
        };
        let (items, slots): (Vec<usize>, Vec<usize>) = (open(0), open(1));
        for (item, slot) in items.into_iter().zip(slots) {
            (served[0][item], served[1][slot]) = (true, true);
            pairs.push((item, slot));
        }
    }
    pairs
}

/// Value at a path, with its holders: items and slots.
struct SharedValue {
    telling: bool,
    holders: [Vec<usize>; 2],
}

impl SharedValue {
    fn pairs(&self) -> usize {
        self.holders[0].len() * self.holders[1].len()
    }
}

#[derive(Default)]
struct SharedValues {
    /// By the digest of each path, whether its schema describes an option, if it has a schema.
    options: HashMap<u64, Option<bool>>,
    /// Numbers of the values, by the digests of path and value: two values with the same digests would cost a worse guess, and no more.
    numbers: HashMap<(u64, u64), usize>,
    all: Vec<SharedValue>,
}

/// Returns the digest of a path one step further down.
fn below(path: u64, step: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(path, step)
}

impl SharedValues {
    /// Notes the values at a path and below it. The elements of a list are all alike. `schema` finds the schema of the path.
    fn note<'s>(
        &mut self,
        path: u64,
        schema: &dyn Fn() -> Option<SchemaNode<'s>>,
        value: &Value,
        (side, holder): (usize, usize),
    ) {
        match ValueShape::of(value) {
            ValueShape::Map(map) => for_each_sorted(map, |key, value| {
                let path = below(path, key.as_bytes());
                self.note(path, &|| schema()?.property(key), value, (side, holder));
            }),
            ValueShape::List(list) => {
                let path = below(path, &u64::MAX.to_le_bytes());
                for value in list {
                    self.note(path, &|| schema()?.items(), value, (side, holder));
                }
            }
            ValueShape::Absent => {}
            leaf => {
                let Self { options, numbers, all } = self;
                let number = *numbers.entry((path, digest(value))).or_insert_with(|| {
                    let mut is_option = || {
                        let option = || schema().map(SchemaNode::is_option);
                        *options.entry(path).or_insert_with(option)
                    };
                    let telling = match leaf {
                        ValueShape::Text(text) => is_telling(text, is_option()),
                        _ => false,
                    };
                    all.push(SharedValue { telling, holders: [Vec::new(), Vec::new()] });
                    all.len() - 1
                });
                let holders = &mut all[number].holders[side];
                if holders.last() != Some(&holder) {
                    holders.push(holder);
                }
            }
        }
    }
}

/// Returns whether a value, or a value within it, identifies a slot: a string that is not one option out of a few.
pub(crate) fn tells(value: &Value, schema: Option<SchemaNode<'_>>) -> bool {
    match ValueShape::of(value) {
        ValueShape::Text(text) => is_telling(text, schema.map(SchemaNode::is_option)),
        ValueShape::List(list) => {
            let schema = schema.and_then(SchemaNode::items);
            list.iter().any(|value| tells(value, schema))
        }
        ValueShape::Map(map) => map
            .iter()
            .any(|(key, value)| tells(value, schema.and_then(|schema| schema.property(key)))),
        _ => false,
    }
}

/// Returns whether a text identifies a slot. `is_option` is what the schema says, if there is one.
fn is_telling(text: &str, is_option: Option<bool>) -> bool {
    match is_option {
        Some(is_option) => !is_option && !is_colour(text),
        None => !looks_like_an_option(text),
    }
}

/// Returns whether a string looks like one of a fixed set of values: a short bare word such as `primary`, `fullWidth` or `size-2`, a
/// color, a small number. So does a title of one plain lowercase word; only a schema can distinguish them.
fn looks_like_an_option(text: &str) -> bool {
    let count = |is: fn(&char) -> bool| text.chars().filter(is).count();
    let bare = text.len() <= 32
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-%#".contains(c))
        && !text.starts_with(|c: char| c.is_ascii_uppercase());
    let digits = count(char::is_ascii_digit);
    let mixed = digits > 0 && count(char::is_ascii_uppercase) > 0;
    let wordless = count(|c| c.is_alphabetic()) == 0;
    is_colour(text) || digits < 7 && (wordless || bare && !mixed)
}

fn is_colour(text: &str) -> bool {
    text.strip_prefix('#')
        .is_some_and(|digits| digits.len() <= 8 && digits.chars().all(|c| c.is_ascii_hexdigit()))
}

/// Score of each item with each slot.
struct Scores {
    slots: usize,
    holders: usize,
    /// Telling values in the upper half, others in the lower.
    table: Vec<u64>,
    /// Places in the table of the pairs with a telling value in common.
    telling: Vec<usize>,
    /// Points that every pair has in addition.
    of_all: u64,
}

impl Scores {
    fn new(items: usize, slots: usize) -> Self {
        let (holders, table) = (items + slots, vec![0; items * slots]);
        Self { slots, holders, table, telling: Vec::new(), of_all: 0 }
    }

    fn add(&mut self, shared: &SharedValue) {
        let [items, slots] = &shared.holders;
        let rarity = u64::from(1 + (self.holders / (items.len() + slots.len())).ilog2());
        let points = if shared.telling { rarity << 32 } else { 1 };
        if items.len() + slots.len() == self.holders {
            self.of_all += points;
            return;
        }
        for item in items {
            let row = item * self.slots;
            for at in slots.iter().map(|slot| row + slot) {
                if shared.telling && self.table[at] >> 32 == 0 {
                    self.telling.push(at);
                }
                self.table[at] += points;
            }
        }
    }

    /// Returns the pairs with a telling value in common, best first.
    fn best_first(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut pairs = match self.of_all >> 32 {
            0 => self.telling.clone(),
            _ => (0..self.table.len()).collect(),
        };
        pairs.sort_unstable_by_key(|at| (Reverse(self.table[*at]), *at));
        pairs.into_iter().map(|at| (at / self.slots, at % self.slots))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::values::fields;
    use super::*;

    #[test]
    fn options_are_told_from_texts_by_their_spelling() {
        for text in [
            "primary",
            "full-width",
            "fullWidth",
            "size_2",
            "h2",
            "_blank",
            "#fff",
            "#A0b1C2",
            "50%",
            "16:9",
            "12",
            "+1",
            "menu",
        ] {
            assert!(looks_like_an_option(text), "{text}");
        }
        for text in [
            "Menu",
            "menü",
            "our menu",
            "a.example",
            "https://a.example",
            "a@b",
            "dQw4w9WgXcQ",
            "+7 700 123 45 67",
            "87001234567",
            "7a1e0c9e-6b1f-4f0e-9a53-0d0d5c1c2f11",
            "uploads/7/a.png",
        ] {
            assert!(!looks_like_an_option(text), "{text}");
        }
    }

    #[test]
    fn values_too_common_to_be_scored_are_paired_in_page_order() {
        let items = [
            json!({"by": "All of us", "title": "New a", "style": "x"}),
            json!({"by": "All of us", "title": "Old c", "style": "x"}),
            json!({"by": "All of us", "title": "New b", "style": "x"}),
            json!({"by": "None of us", "title": "New c", "style": "x"}),
        ];
        let slots = [
            json!({"by": "All of us", "title": "Old a", "style": "x"}),
            json!({"by": "All of us", "title": "Old b", "style": "x"}),
            json!({"by": "All of us", "title": "Old c", "style": "x"}),
            json!({"by": "Some of us", "title": "Old d", "style": "x"}),
        ];
        let [items, slots] = [&items, &slots]
            .map(|all| all.each_ref().map(|data| fields(data.as_object().unwrap())));
        let (items, slots): (Vec<_>, Vec<_>) = (items.iter().collect(), slots.iter().collect());
        // One pair shares a title, nine share an author, sixteen a style.
        for budget in [0, 1, 9, 10, 26, BUDGET] {
            let mut pairs = closest_within(budget, &items, &slots, None);
            pairs.sort_unstable();
            assert_eq!(pairs, [(0, 0), (1, 2), (2, 1)], "{budget}");
        }
    }
}
