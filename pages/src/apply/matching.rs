//! Matching of the slots of a page with the items of a file.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt, HashSet};

use super::plan_error::{ItemError, ItemProblem, misfit};
use super::resemblance::closest;
use super::schema::Clearing;
use super::values::{NormalizedFields, digest};
use super::{DesiredSlot, PlanOptions, SlotTypes, same};
use links_sdk::runs::{is_absent, present};
use links_sdk::{Slot, SlotId};

struct Matcher<'n> {
    page: &'n [Slot],
    contents: Vec<NormalizedFields<'n>>,
    items: &'n [DesiredSlot],
    desired_contents: Vec<DesiredContent<'n>>,
    options: &'n PlanOptions,
    /// For each item, the position of its slot; none for an item that has to be created, or is in error.
    found: Vec<Option<usize>>,
    taken: Vec<bool>,
    errors: Vec<ItemError>,
}

/// Returns the slot of each item that has one, and the items in error.
pub(super) fn match_items(
    page: &[Slot],
    items: &[DesiredSlot],
    options: &PlanOptions,
) -> (Vec<Option<SlotId>>, Vec<ItemError>) {
    let mut matcher = Matcher::of(page, items, options);
    matcher.by_id();
    matcher.by_created_id();
    matcher.read_only_by_content();
    if let Some(positions) = matcher.in_order() {
        matcher.found = positions.into_iter().map(Some).collect();
    } else {
        matcher.by_content();
        matcher.by_resemblance();
    }
    let slot = |found: Option<usize>| found.map(|position| page[position].id);
    (matcher.found.into_iter().map(slot).collect(), matcher.errors)
}

impl<'n> Matcher<'n> {
    fn of(page: &'n [Slot], items: &'n [DesiredSlot], options: &'n PlanOptions) -> Self {
        let desired = items.iter().map(|item| DesiredContent::of(item, &options.types));
        Self {
            page,
            contents: page.iter().map(|slot| present(&slot.data).collect()).collect(),
            items,
            desired_contents: desired.collect(),
            options,
            found: vec![None; items.len()],
            taken: vec![false; page.len()],
            errors: Vec::new(),
        }
    }

    fn by_id(&mut self) {
        let positions: HashMap<SlotId, usize> =
            self.page.iter().enumerate().map(|(position, slot)| (slot.id, position)).collect();
        let mut named = HashMap::new();
        for (index, item) in self.items.iter().enumerate() {
            let Some(id) = item.id else { continue };
            let first = *named.entry(id).or_insert(index);
            if first != index {
                self.refuse(index, ItemProblem::RepeatedId { id, first });
                continue;
            }
            let position = positions.get(&id).copied();
            // Even an item that does not fit reserves the slot that it names.
            if let Some(position) = position {
                self.take(index, position);
            }
            if let Some(problem) = misfit(item, id, position.map(|position| &self.page[position])) {
                self.refuse(index, problem);
            }
        }
    }

    fn by_created_id(&mut self) {
        for (index, id) in &self.options.created {
            let Some(item) = self.items.get(*index).filter(|item| item.id.is_none()) else {
                continue;
            };
            let is_its = |slot: &Slot| slot.id == *id && slot.kind == item.kind;
            let position = self.page.iter().position(is_its);
            if let Some(position) = position.filter(|position| self.is_open(*position)) {
                self.take(*index, position);
            }
        }
    }

    /// Matches read-only slots. Two slots of the same content are ambiguous, and neither can be edited to match: an item that matches both
    /// is in error.
    fn read_only_by_content(&mut self) {
        let is_read_only =
            |index: &usize| self.options.types.is_read_only(&self.items[*index].kind);
        let items: Vec<usize> = self.unserved().into_iter().filter(is_read_only).collect();
        let is_free = |position: usize| self.page[position].supported && !self.taken[position];
        let fitting = |index| {
            let suits = |at: &usize| is_free(*at) && self.suits(*at, index);
            (0..self.page.len()).filter(suits).collect()
        };
        let choices = choose_read_only(&items, fitting, |index, at| self.holds_no_more(at, index));
        for (index, choice) in choices {
            match choice {
                Ok(position) => self.take(index, position),
                Err(none) if none.is_empty() => {
                    let kind = self.items[index].kind.clone();
                    self.refuse(index, ItemProblem::NotCreatable { kind });
                }
                Err(several) => {
                    let ids = several.iter().map(|position| self.page[*position].id).collect();
                    self.refuse(index, ItemProblem::Ambiguous { ids });
                }
            }
        }
    }

    /// Returns the positions of all items if the page, in its order, already holds what the file asks for.
    ///
    /// Because of this, a second run has nothing to do: whatever values the service filled in by itself, the slots that the first run left
    /// are in the order of the file and hold what it mentions.
    fn in_order(&self) -> Option<Vec<usize>> {
        if !self.errors.is_empty() {
            return None;
        }
        let mut positions = Vec::with_capacity(self.items.len());
        let mut next = 0;
        for (index, found) in self.found.iter().enumerate() {
            let may_be = |at: &usize| found.map_or_else(|| self.is_open(*at), |found| found == *at);
            let position = (next..self.page.len())
                .find(|position| may_be(position) && self.suits(*position, index))?;
            positions.push(position);
            next = position + 1;
        }
        let served: HashSet<_> = positions.iter().copied().collect();
        let pruned = (0..self.page.len()).any(|position| {
            !served.contains(&position) && self.options.prunes(&self.page[position])
        });
        (!pruned).then_some(positions)
    }

    /// Matches slots by content: equal content first, the k-th slot with the k-th item; then as many more items as possible get a slot that
    /// needs no write, for which an item may move on to another such slot.
    fn by_content(&mut self) {
        let mut open: Vec<bool> =
            (0..self.page.len()).map(|position| self.is_open(position)).collect();
        let candidates = self.candidates();
        let mut holders: Vec<Option<usize>> = vec![None; self.page.len()];
        let mut rest = Vec::new();
        for index in self.unserved() {
            let equal = |position: &usize| {
                open[*position]
                    && holders[*position].is_none()
                    && self.holds_no_more(*position, index)
                    && self.suits(*position, index)
            };
            match candidates[index].iter().copied().find(equal) {
                Some(position) => holders[position] = Some(index),
                None => rest.push(index),
            }
        }
        for index in rest {
            let mut unseen = open.clone();
            if !self.seek(index, &candidates, &mut holders, &mut unseen) {
                // The slots that were seen lead to no free slot, neither now nor later.
                open = unseen;
            }
        }
        for (position, holder) in holders.into_iter().enumerate() {
            if let Some(index) = holder {
                self.take(index, position);
            }
        }
    }

    /// Gives the item the first free slot that suits it, or one whose item can move on to another slot. These augmenting paths grow the
    /// largest matching of items with slots that suit them.
    fn seek(
        &self,
        index: usize,
        all: &[Vec<usize>],
        holders: &mut [Option<usize>],
        unseen: &mut [bool],
    ) -> bool {
        let candidates = &all[index];
        let free = |position: &usize| {
            unseen[*position] && holders[*position].is_none() && self.suits(*position, index)
        };
        if let Some(position) = candidates.iter().copied().find(free) {
            holders[position] = Some(index);
            return true;
        }
        for position in candidates.iter().copied() {
            if !unseen[position] || !self.suits(position, index) {
                continue;
            }
            unseen[position] = false;
            if holders[position].is_some_and(|holder| self.seek(holder, all, holders, unseen)) {
                holders[position] = Some(index);
                return true;
            }
        }
        false
    }

    fn by_resemblance(&mut self) {
        let mut groups: BTreeMap<&str, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for index in self.unserved() {
            groups.entry(&self.items[index].kind).or_default().0.push(index);
        }
        for position in (0..self.page.len()).filter(|position| self.is_open(*position)) {
            if let Some((_, positions)) = groups.get_mut(self.page[position].kind.as_str()) {
                positions.push(position);
            }
        }
        for (kind, (indices, positions)) in groups {
            let items: Vec<_> =
                indices.iter().map(|index| &self.desired_contents[*index].values).collect();
            let slots: Vec<_> =
                positions.iter().map(|position| &self.contents[*position]).collect();
            for (item, slot) in closest(&items, &slots, self.options.types.schema(kind)) {
                self.take(indices[item], positions[slot]);
            }
        }
    }

    /// Returns for each item the slots that share its rarest trait, in page order. Every slot that matches it without a write is among them.
    fn candidates(&self) -> Vec<Vec<usize>> {
        let mut positions: HashMap<(&str, Option<u64>), Vec<usize>> = HashMap::new();
        for (position, (slot, content)) in self.page.iter().zip(&self.contents).enumerate() {
            for key in traits(&slot.kind, content) {
                positions.entry(key).or_default().push(position);
            }
        }
        let candidates = self.desired_contents.iter().map(|desired| {
            let sharing = traits(desired.kind, &desired.values).map(|key| positions.get(&key));
            let fewest = sharing.min_by_key(|slots| slots.map_or(0, Vec::len));
            fewest.flatten().cloned().unwrap_or_default()
        });
        candidates.collect()
    }

    /// Returns whether the slot matches the item without a write.
    fn suits(&self, position: usize, index: usize) -> bool {
        let desired = &self.desired_contents[index];
        desired.kind == self.page[position].kind && desired.is_held_by(&self.contents[position])
    }

    /// Returns whether a suitable slot has exactly the content of the item.
    fn holds_no_more(&self, position: usize, index: usize) -> bool {
        self.contents[position].len() == self.desired_contents[index].values.len()
    }

    /// Returns whether the slot may still be matched by its content.
    fn is_open(&self, position: usize) -> bool {
        self.options.types.is_editable(&self.page[position]) && !self.taken[position]
    }

    fn unserved(&self) -> Vec<usize> {
        let is_refused = |index| self.errors.iter().any(|error| error.index == index);
        let is_unserved = |index: &usize| self.found[*index].is_none() && !is_refused(*index);
        (0..self.items.len()).filter(is_unserved).collect()
    }

    fn take(&mut self, index: usize, position: usize) {
        self.found[index] = Some(position);
        self.taken[position] = true;
    }

    fn refuse(&mut self, index: usize, problem: ItemProblem) {
        self.found[index] = None;
        self.errors.push(ItemError { index, problem });
    }
}

/// Content that an item asks for, in comparable form.
struct DesiredContent<'a> {
    kind: &'a str,
    /// Keys that have to hold a value.
    values: NormalizedFields<'a>,
    /// Keys that have to be empty, or hold the default that stands for it.
    cleared: NormalizedFields<'a>,
}

impl<'a> DesiredContent<'a> {
    fn of(item: &'a DesiredSlot, types: &'a SlotTypes) -> Self {
        let (mut values, mut cleared) = (NormalizedFields::new(), NormalizedFields::new());
        for (key, value) in item.data.iter() {
            if !is_absent(value) {
                values.insert(key, value);
                continue;
            }
            let default = match types.clearing(&item.kind, key) {
                Clearing::Default(default) if value.is_null() => default,
                _ => value,
            };
            cleared.insert(key, default);
        }
        Self { kind: &item.kind, values, cleared }
    }

    /// Returns whether `content` holds the desired values of all keys.
    fn is_held_by(&self, content: &NormalizedFields<'_>) -> bool {
        let mut values = self.values.iter();
        let mut cleared = self.cleared.iter();
        values.all(|(key, wanted)| content.get(*key).is_some_and(|held| same(held, wanted)))
            && cleared
                .all(|(key, default)| content.get(*key).is_none_or(|held| same(held, default)))
    }
}

/// Returns the type, and each key with the digest of its value.
fn traits<'n>(
    kind: &'n str,
    content: &NormalizedFields<'n>,
) -> impl Iterator<Item = (&'n str, Option<u64>)> {
    let values = content.iter().map(|(key, value)| (*key, Some(digest(value))));
    values.chain([(kind, None)])
}

/// Chooses a read-only slot for each item: the only one that holds no more than the item mentions, else the only one that fits. Where it is
/// not the only one, or another item chooses it, too, returns all of them.
pub(crate) fn choose_read_only(
    items: &[usize],
    fitting: impl Fn(usize) -> Vec<usize>,
    holds_no_more: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, Result<usize, Vec<usize>>)> {
    let mut claims: BTreeMap<usize, usize> = BTreeMap::new();
    let mut choices = Vec::new();
    for item in items {
        let fitting = fitting(*item);
        let exact = fitting.iter().copied().filter(|position| holds_no_more(*item, *position));
        let exact: Vec<usize> = exact.collect();
        let choice = if exact.len() == 1 { exact } else { fitting };
        for position in &choice {
            *claims.entry(*position).or_default() += 1;
        }
        choices.push((*item, choice));
    }
    let only = |choice: Vec<usize>| match choice[..] {
        [position] if claims[&position] == 1 => Ok(position),
        _ => Err(choice),
    };
    choices.into_iter().map(|(item, choice)| (item, only(choice))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_slots_that_suit_an_item_are_among_its_candidates() {
        let mut options = PlanOptions::default();
        options.types.insert(
            "text",
            true,
            json!({"properties": {"style": {"enum": ["plain"], "default": "plain"}, "title": {}}}),
        );
        let page: Vec<Slot> = serde_json::from_value(json!([
            {"id": 1, "type": "text", "data": {"title": "A", "style": "plain"}, "supported": true},
            {"id": 2, "type": "text", "data": {"title": "A ", "style": "bold"}, "supported": true},
            {"id": 3, "type": "text", "data": {"title": "", "n": 1}, "supported": true},
            {"id": 4, "type": "note", "data": {"title": "A", "style": "plain"}, "supported": true},
        ]))
        .unwrap();
        for (data, expected) in [
            (json!({}), vec![0, 1, 2]),
            (json!({"title": "A"}), vec![0, 1]),
            (json!({"title": "A", "style": "plain"}), vec![0]),
            (json!({"title": null}), vec![2]),
            (json!({"title": []}), vec![2]),
            (json!({"style": null}), vec![0, 2]),
            (json!({"style": ""}), vec![2]),
            (json!({"n": 1.0}), vec![2]),
            (json!({"m": null}), vec![0, 1, 2]),
            (json!({"m": 0}), vec![]),
        ] {
            let item: DesiredSlot =
                serde_json::from_value(json!({"type": "text", "data": data})).unwrap();
            let matcher = Matcher::of(&page, std::slice::from_ref(&item), &options);
            let suits = |position: &usize| matcher.suits(*position, 0);
            assert_eq!((0..page.len()).filter(suits).collect::<Vec<_>>(), expected, "{data}");
            let candidates = matcher.candidates();
            let found = candidates[0].iter().copied().filter(suits);
            assert_eq!(found.collect::<Vec<_>>(), expected, "{data}");
        }
    }
}
