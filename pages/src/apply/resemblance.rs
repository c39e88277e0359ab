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
    let mut traits = SharedValues::default();
    for (side, all) in [items, slots].into_iter().enumerate() {
        for (holder, fields) in all.iter().enumerate() {
            for (key, value) in *fields {
                let path = below(0, key.as_bytes());
                traits.note(path, &|| schema?.property(key), value, (side, holder));
            }
        }
    }
    // The score of each item with each slot: telling values in the upper half, others in the lower.
    let mut scores = vec![0_u64; items.len() * slots.len()];
    let mut best = Vec::new();
    for SharedValue { telling, holders: [of_items, of_slots] } in &traits.all {
        // What all of them have tells none of them apart.
        if !*telling && of_items.len() * of_slots.len() == items.len() * slots.len() {
            continue;
        }
        let rarity = (items.len() + slots.len()) / (of_items.len() + of_slots.len());
        let points = if *telling { u64::from(1 + rarity.ilog2()) << 32 } else { 1 };
        for item in of_items {
            for at in of_slots.iter().map(|slot| item * slots.len() + slot) {
                if *telling && scores[at] >> 32 == 0 {
                    best.push(at);
                }
                scores[at] += points;
            }
        }
    }
    best.sort_unstable_by_key(|at| (Reverse(scores[*at]), *at));

    let mut served = [vec![false; items.len()], vec![false; slots.len()]];
    let mut pairs = Vec::new();
    for (item, slot) in best.into_iter().map(|at| (at / slots.len(), at % slots.len())) {
        if !served[0][item] && !served[1][slot] {
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
                    let telling = match leaf {
                        ValueShape::Text(text) => {
                            let option = || schema().map(SchemaNode::is_option);
                            is_telling(text, *options.entry(path).or_insert_with(option))
                        }
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

#[cfg(test)]
mod tests {
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
}
