//! Matching of the slots of a page with the items of a file.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use foldhash::{HashMap, HashMapExt, HashSet};

use super::content::{ContentIndex, DesiredContent, Positions};
use super::plan_error::{ItemError, ItemProblem, misfit};
use super::resemblance::closest;
use super::values::{NormalizedFields, fields};
use super::{DesiredSlot, PlanOptions};
use links_sdk::{Slot, SlotId};

/// Match of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchResult {
    /// The slot at this position.
    Slot(usize),
    /// No slot: it has to be created.
    Nothing,
    /// The item is in error.
    Refused,
}

struct Matcher<'n> {
    page: &'n [Slot],
    contents: Vec<NormalizedFields<'n>>,
    items: &'n [DesiredSlot],
    desired_contents: Vec<DesiredContent<'n>>,
    options: &'n PlanOptions,
    /// Slots that match each item without a write. A page that is as the file says is matched without them.
    suitable: OnceCell<Vec<Positions>>,
    found: Vec<MatchResult>,
    taken: Positions,
    errors: Vec<ItemError>,
}

/// Returns the slot of each item that has one, and the items in error.
pub(super) fn match_items(
    page: &[Slot],
    items: &[DesiredSlot],
    options: &PlanOptions,
) -> (Vec<Option<SlotId>>, Vec<ItemError>) {
    let mut matcher = Matcher {
        page,
        contents: page.iter().map(|slot| fields(&slot.data)).collect(),
        items,
        desired_contents: items.iter().map(|it| DesiredContent::of(it, &options.types)).collect(),
        options,
        suitable: OnceCell::new(),
        found: vec![MatchResult::Nothing; items.len()],
        taken: Positions::none(page.len()),
        errors: Vec::new(),
    };
    matcher.by_id();
    matcher.by_created_id();
    matcher.read_only_by_content();
    if let Some(positions) = matcher.in_order() {
        matcher.found = positions.into_iter().map(MatchResult::Slot).collect();
    } else {
        matcher.by_content();
        matcher.by_resemblance();
    }
    let slot = |found| match found {
        MatchResult::Slot(position) => Some(page[position].id),
        MatchResult::Nothing | MatchResult::Refused => None,
    };
    (matcher.found.into_iter().map(slot).collect(), matcher.errors)
}

impl Matcher<'_> {
    fn by_id(&mut self) {
        let positions: HashMap<SlotId, usize> =
            self.page.iter().enumerate().map(|(position, slot)| (slot.id, position)).collect();
        let mut named = HashMap::new();
        for (index, item) in self.items.iter().enumerate() {
            let Some(id) = item.id else { continue };
            if let Some(first) = named.get(&id) {
                self.refuse(index, ItemProblem::RepeatedId { id, first: *first });
                continue;
            }
            named.insert(id, index);
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
        for index in 0..self.items.len() {
            let Some(&id) = self.options.created.get(&index) else { continue };
            if self.items[index].id.is_some() {
                continue;
            }
            let position = self.page.iter().position(|slot| slot.id == id);
            if let Some(position) = position.filter(|position| {
                let slot = &self.page[*position];
                slot.kind == self.items[index].kind && self.is_open(*position)
            }) {
                self.take(index, position);
            }
        }
    }

    /// Matches read-only slots. Two slots of the same content are ambiguous, and neither can be edited to match: an item that matches both
    /// is in error.
    fn read_only_by_content(&mut self) {
        let is_read_only =
            |index: &usize| self.options.types.is_read_only(&self.items[*index].kind);
        let items: Vec<usize> = self.unserved().into_iter().filter(is_read_only).collect();
        let is_free =
            |position: &usize| self.page[*position].supported && !self.taken.contains(*position);
        let fitting = |index| self.suitable(index).iter().filter(is_free).collect();
        let choices = choose_read_only(&items, fitting, |index, at| self.holds_no_more(at, index));
        for (index, choice) in choices {
            let kind = self.items[index].kind.clone();
            match choice {
                Ok(position) => self.take(index, position),
                Err(none) if none.is_empty() => {
                    self.refuse(index, ItemProblem::NotCreatable { kind });
                }
                Err(several) => {
                    let ids = several.iter().map(|position| self.page[*position].id).collect();
                    self.refuse(index, ItemProblem::Ambiguous { kind, ids });
                }
            }
        }
    }

    /// Returns the positions of all items if the page, in its order, already holds what the file asks for.
    ///
    /// Because of this, a second run has nothing to do: whatever values the service filled in by itself, the slots that the first run left
    /// are in the order of the file and hold what it mentions.
    fn in_order(&self) -> Option<Vec<usize>> {
        let mut positions = Vec::with_capacity(self.items.len());
        let mut next = 0;
        for (index, found) in self.found.iter().enumerate() {
            let position = match *found {
                MatchResult::Refused => return None,
                MatchResult::Slot(position) => Some(position)
                    .filter(|position| *position >= next && self.suits(*position, index))?,
                MatchResult::Nothing => (next..self.page.len())
                    .find(|position| self.is_open(*position) && self.suits(*position, index))?,
            };
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
        let items = self.unserved();
        let mut open = Positions::none(self.page.len());
        for position in (0..self.page.len()).filter(|position| self.is_open(*position)) {
            open.insert(position);
        }
        let suitable = |index: &usize| self.suitable(*index).common(&open);
        let mut agreement = Assignment {
            suitable: items.iter().map(suitable).collect(),
            holder: vec![None; self.page.len()],
            free: open.clone(),
        };
        let mut rest = Vec::new();
        for (nth, index) in items.iter().enumerate() {
            let free = agreement.suitable[nth].common(&agreement.free);
            match free.iter().find(|position| self.holds_no_more(*position, *index)) {
                Some(position) => agreement.give(nth, position),
                None => rest.push(nth),
            }
        }
        for nth in rest {
            agreement.seek(nth, &mut open.clone());
        }
        for (position, holder) in agreement.holder.into_iter().enumerate() {
            if let Some(nth) = holder {
                self.take(items[nth], position);
            }
        }
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

    fn suitable(&self, index: usize) -> &Positions {
        let all = self.suitable.get_or_init(|| {
            let content_index = ContentIndex::of(self.page, &self.contents);
            self.desired_contents.iter().map(|desired| content_index.meeting(desired)).collect()
        });
        &all[index]
    }

    /// Returns whether the slot matches the item without a write.
    fn suits(&self, position: usize, index: usize) -> bool {
        let desired = &self.desired_contents[index];
        desired.kind == self.page[position].kind && desired.is_held_by(&self.contents[position])
    }

    /// Returns whether a suitable slot has exactly the content of the item.
    fn holds_no_more(&self, position: usize, index: usize) -> bool {
        self.contents[position].0.len() == self.desired_contents[index].values.0.len()
    }

    /// Returns whether the slot may still be matched by its content.
    fn is_open(&self, position: usize) -> bool {
        let slot = &self.page[position];
        slot.supported
            && !self.options.types.is_read_only(&slot.kind)
            && !self.taken.contains(position)
    }

    fn unserved(&self) -> Vec<usize> {
        (0..self.items.len()).filter(|index| self.found[*index] == MatchResult::Nothing).collect()
    }

    fn take(&mut self, index: usize, position: usize) {
        self.found[index] = MatchResult::Slot(position);
        self.taken.insert(position);
    }

    fn refuse(&mut self, index: usize, problem: ItemProblem) {
        self.found[index] = MatchResult::Refused;
        self.errors.push(ItemError { index, problem });
    }
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

/// The largest matching of items with slots that suit them, grown along augmenting paths.
struct Assignment {
    /// For each item, the slots that may be given to it.
    suitable: Vec<Positions>,
    holder: Vec<Option<usize>>,
    free: Positions,
}

impl Assignment {
    fn give(&mut self, item: usize, position: usize) {
        self.holder[position] = Some(item);
        self.free.remove(position);
    }

    /// Assigns to the item the first free slot that suits it, or one whose item can move on to another slot.
    fn seek(&mut self, item: usize, unseen: &mut Positions) -> bool {
        if let Some(position) = self.suitable[item].first_common(&self.free) {
            self.give(item, position);
            return true;
        }
        while let Some(position) = self.suitable[item].first_common(unseen) {
            unseen.remove(position);
            if self.holder[position].is_some_and(|holder| self.seek(holder, unseen)) {
                self.give(item, position);
                return true;
            }
        }
        false
    }
}
