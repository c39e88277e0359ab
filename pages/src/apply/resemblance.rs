//! Match of items with the slots that resemble them most.

use std::cmp::Reverse;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};
use serde_json::Value;

use super::schema::SchemaNode;
use super::values::{Digest, NormalizedFields, digest};
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
    let mut traits =
        SharedValues { schema, options: HashMap::new(), numbers: HashMap::new(), all: Vec::new() };
    for (side, all) in [items, slots].into_iter().enumerate() {
        for (holder, fields) in all.iter().enumerate() {
            for (key, value) in &fields.0 {
                traits.note(ValuePath::ROOT.key(key), value, (side, holder));
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

struct SharedValues<'s> {
    schema: Option<SchemaNode<'s>>,
    /// By the digest of each path, whether its schema describes an option, if it has a schema.
    options: HashMap<u64, Option<bool>>,
    /// Numbers of the values, by the digests of path and value: two values with the same digests would cost a worse guess, and no more.
    numbers: HashMap<(u64, u64), usize>,
    all: Vec<SharedValue>,
}

/// Path of a value. The elements of a list, which are all alike, have no key.
#[derive(Clone, Copy)]
struct ValuePath<'p> {
    digest: Digest,
    last: Option<(&'p Self, Option<&'p str>)>,
}

impl ValuePath<'_> {
    const ROOT: ValuePath<'static> = ValuePath { digest: Digest::NEW, last: None };

    fn key<'p>(&'p self, key: &'p str) -> ValuePath<'p> {
        let mut digest = self.digest;
        digest.bytes(key.as_bytes());
        ValuePath { digest, last: Some((self, Some(key))) }
    }

    fn element(&self) -> ValuePath<'_> {
        let mut digest = self.digest;
        digest.take(u64::MAX);
        ValuePath { digest, last: Some((self, None)) }
    }

    fn schema<'s>(&self, root: SchemaNode<'s>) -> Option<SchemaNode<'s>> {
        match self.last {
            None => Some(root),
            Some((before, Some(key))) => before.schema(root)?.property(key),
            Some((before, None)) => before.schema(root)?.items(),
        }
    }
}

impl SharedValues<'_> {
    fn note(&mut self, path: ValuePath<'_>, value: &Value, (side, holder): (usize, usize)) {
        match ValueShape::of(value) {
            ValueShape::Map(map) => {
                for_each_sorted(map, |key, value| {
                    self.note(path.key(key), value, (side, holder));
                });
            }
            ValueShape::List(list) => {
                let path = path.element();
                for value in list {
                    self.note(path, value, (side, holder));
                }
            }
            ValueShape::Absent => {}
            leaf => {
                let all = &mut self.all;
                let both = (path.digest.value(), digest(value));
                let number = *self.numbers.entry(both).or_insert_with(|| {
                    let telling = match leaf {
                        ValueShape::Text(text) => {
                            let is_option =
                                *self.options.entry(path.digest.value()).or_insert_with(|| {
                                    let schema = self.schema.and_then(|root| path.schema(root));
                                    schema.map(SchemaNode::is_option)
                                });
                            is_telling(text, is_option)
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
/// colour, a small number. So does a title of one plain lowercase word; only a schema can distinguish them.
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
    /// For each item, the slots between which its row has points of telling values: usually few of the row.
    spans: Vec<Range<usize>>,
    /// Points that every pair has in addition.
    of_all: u64,
}

impl Scores {
    fn new(items: usize, slots: usize) -> Self {
        let (table, spans) = (vec![0; items * slots], vec![slots..0; items]);
        Self { slots, holders: items + slots, table, spans, of_all: 0 }
    }

    fn add(&mut self, shared: &SharedValue) {
        let [items, slots] = &shared.holders;
        let rarity = u64::from(1 + (self.holders / (items.len() + slots.len())).ilog2());
        let points = if shared.telling { rarity << 32 } else { 1 };
        if items.len() + slots.len() == self.holders {
            self.of_all += points;
            return;
        }
        let (Some(first), Some(last)) = (slots.first(), slots.last()) else { return };
        for item in items {
            if shared.telling {
                let span = &mut self.spans[*item];
                *span = span.start.min(*first)..span.end.max(last + 1);
            }
            let row = &mut self.table[item * self.slots..][..self.slots];
            for slot in slots {
                row[*slot] += points;
            }
        }
    }

    /// Returns the pairs with a telling value in common, best first.
    fn best_first(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = self.of_all >> 32 > 0;
        let mut pairs = Vec::new();
        for (item, span) in self.spans.iter().enumerate() {
            let row = item * self.slots;
            let span = if all { 0..self.slots } else { span.clone() };
            let places = row + span.start..row + span.end;
            pairs.extend(places.filter(|at| (self.table[*at] + self.of_all) >> 32 > 0));
        }
        pairs.sort_by_key(|at| Reverse(self.table[*at]));
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
