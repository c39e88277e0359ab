//! The rule for the base: which earlier sync of each value a commit knows of.
//!
//! A version of a lock holds lines. A line says what file and page held of one key at a sync (or that a slot is gone), when that last moved, and the
//! place of the commit that the sync was made on. A line counts if its place is that of HEAD or of an ancestor, or if a version that carries it has a
//! file that says what the line says the file said. The base of a key is the newest line that counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::sync::{FilePage, FileSlot, FileSlotId, HashPair, PageBase, SlotBase, ValueHash};
use links_sdk::SlotId;

/// What a line is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LineKey {
    Field(String),
    Slot(SlotId),
    Data(SlotId, String),
    Order,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LineContent {
    Pair(Option<ValueHash>, ValueHash),
    Slot { kind: String, was: Vec<SlotId> },
    Gone,
    Order(Vec<SlotId>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LockLine {
    pub(super) moved: u64,
    pub(super) said: LineContent,
    pub(super) at: u64,
}

/// The lines of one page or form in one version of the lock. Merges may leave several for a key.
pub(super) type Lines = BTreeMap<LineKey, BTreeSet<LockLine>>;

/// A version of a lock with the file beside it.
pub(super) struct Version<'a> {
    pub(super) lines: &'a Lines,
    pub(super) file: Option<&'a FilePage>,
}

/// What a checkout shows.
pub(super) struct History<'a> {
    /// The working tree, and the commits that it descends from.
    pub(super) versions: Vec<Version<'a>>,
    /// The places of those commits.
    pub(super) places: BTreeSet<u64>,
    /// The time of the service. Lines from later are not believed.
    pub(super) now: u64,
    /// Set if every line counts, for a comparison of rules.
    pub(super) counts_all: bool,
}

/// The base that a checkout knows.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownBase {
    pub(super) base: PageBase,
    /// The line that each key has.
    pub(super) line: BTreeMap<LineKey, LockLine>,
    /// Newer lines of the working tree that do not count.
    pub(super) strangers: BTreeMap<LineKey, BTreeSet<LockLine>>,
    /// The highest time of all lines that are believed.
    pub(super) newest: u64,
}

/// Hashes that no value has.
fn impossible(nth: u8) -> ValueHash {
    ValueHash::of_bytes(&[0xff, nth])
}

impl KnownBase {
    /// Returns the base of a page or form; `None` if no version has a line of it.
    pub(super) fn of(history: &History<'_>) -> Option<Self> {
        let mut carriers: BTreeMap<&LineKey, BTreeMap<&LockLine, bool>> = BTreeMap::new();
        for version in &history.versions {
            for (key, lines) in version.lines {
                let all = carriers.entry(key).or_default();
                for line in lines.iter().filter(|line| line.moved <= history.now) {
                    let counts = all.entry(line).or_default();
                    *counts = *counts
                        || history.counts_all
                        || history.places.contains(&line.at)
                        || version.says(key, &line.said);
                }
            }
        }
        if carriers.is_empty() {
            return None;
        }
        let mut known = Self::default();
        let mut slots: BTreeMap<SlotId, SlotBase> = BTreeMap::new();
        let mut order: Vec<SlotId> = Vec::new();
        let mut pairs: Vec<(&LineKey, HashPair)> = Vec::new();
        for (key, lines) in &carriers {
            known.newest = known.newest.max(lines.keys().map(|line| line.moved).max().unwrap_or(0));
            let counting = lines.iter().filter(|(_, counts)| **counts).map(|(line, _)| *line);
            let newest = counting.clone().map(|line| line.moved).max();
            let last: BTreeSet<&LineContent> = counting
                .clone()
                .filter(|line| Some(line.moved) == newest)
                .map(|line| &line.said)
                .collect();
            let is_late = |line: &&&LockLine| Some(line.moved) > newest;
            let strangers: BTreeSet<LockLine> = lines
                .iter()
                .filter(|(_, counts)| !**counts)
                .map(|(line, _)| line)
                .filter(is_late)
                .map(|line| (*line).clone())
                .collect();
            let has_strangers = !strangers.is_empty();
            if has_strangers {
                let of_tree = &history.versions[0].lines;
                let mut kept = strangers;
                kept.retain(|line| of_tree.get(*key).is_some_and(|lines| lines.contains(line)));
                known.strangers.insert((*key).clone(), kept);
            }
            let Some(line) = counting.filter(|line| Some(line.moved) == newest).max() else {
                if has_strangers && matches!(key, LineKey::Field(_) | LineKey::Data(..)) {
                    pairs.push((*key, HashPair { file: Some(impossible(0)), page: impossible(1) }));
                }
                continue;
            };
            known.line.insert((*key).clone(), line.clone());
            match (key, &line.said) {
                (_, LineContent::Pair(file, page)) => {
                    let pair = if last.len() > 1 {
                        // Two syncs at one time: nothing is known.
                        HashPair { file: Some(impossible(0)), page: impossible(1) }
                    } else if has_strangers {
                        HashPair { file: *file, page: impossible(1) }
                    } else {
                        HashPair { file: *file, page: *page }
                    };
                    pairs.push((*key, pair));
                }
                (LineKey::Slot(id), LineContent::Slot { kind, was }) => {
                    let entry = SlotBase {
                        id: *id,
                        was: was.clone(),
                        kind: kind.clone(),
                        keys: BTreeMap::new(),
                    };
                    slots.insert(*id, entry);
                }
                (_, LineContent::Order(ids)) => order.clone_from(ids),
                (_, LineContent::Slot { .. } | LineContent::Gone) => {}
            }
        }
        for (key, pair) in pairs {
            match key {
                LineKey::Field(name) => drop(known.base.fields.insert(name.clone(), pair)),
                LineKey::Data(id, key) => {
                    if let Some(entry) = slots.get_mut(id) {
                        entry.keys.insert(key.clone(), pair);
                    }
                }
                LineKey::Slot(_) | LineKey::Order => {}
            }
        }
        let place =
            |entry: &SlotBase| order.iter().position(|id| *id == entry.id).unwrap_or(usize::MAX);
        known.base.slots = slots.into_values().collect();
        known.base.slots.sort_by_key(place);
        Some(known)
    }

    /// Returns the lines of the lock after a run that left this record. `written` are the keys that the run wrote.
    pub(super) fn after(
        &self,
        next: &PageBase,
        written: &BTreeSet<LineKey>,
        now: u64,
        at: u64,
    ) -> Lines {
        let moved = now.max(self.newest + 1);
        let mut lines: Lines = self
            .line
            .iter()
            .map(|(key, line)| (key.clone(), BTreeSet::from([line.clone()])))
            .collect();
        for (key, strangers) in &self.strangers {
            lines.entry(key.clone()).or_default().extend(strangers.iter().cloned());
        }
        let mut set = |key: LineKey, said: LineContent| {
            lines.insert(key, BTreeSet::from([LockLine { moved, said, at }]));
        };
        let known = &self.base;
        for (name, pair) in &next.fields {
            let key = LineKey::Field(name.clone());
            if known.fields.get(name) != Some(pair) || written.contains(&key) {
                set(key, LineContent::Pair(pair.file, pair.page));
            }
        }
        for entry in &next.slots {
            let old = known.slots.iter().find(|old| old.id == entry.id);
            let is_same = |old: &&SlotBase| old.kind == entry.kind && old.was == entry.was;
            if !old.as_ref().is_some_and(is_same) {
                set(
                    LineKey::Slot(entry.id),
                    LineContent::Slot { kind: entry.kind.clone(), was: entry.was.clone() },
                );
            }
            let keys: BTreeSet<&String> =
                entry.keys.keys().chain(old.iter().flat_map(|old| old.keys.keys())).collect();
            for name in keys {
                let (pair, key) = (entry.pair(name), LineKey::Data(entry.id, name.clone()));
                let was = old.map(|old| old.pair(name));
                if was != Some(pair) || written.contains(&key) {
                    set(key, LineContent::Pair(pair.file, pair.page));
                }
            }
        }
        for old in
            known.slots.iter().filter(|old| next.slots.iter().all(|entry| entry.id != old.id))
        {
            set(LineKey::Slot(old.id), LineContent::Gone);
        }
        let ids =
            |base: &PageBase| base.slots.iter().map(|entry| entry.id).collect::<Vec<SlotId>>();
        if ids(next) != ids(known) {
            set(LineKey::Order, LineContent::Order(ids(next)));
        }
        lines
    }
}

impl Version<'_> {
    /// Returns whether the file of the version says what a line of it says that the file said.
    fn says(&self, key: &LineKey, said: &LineContent) -> bool {
        let Some(file) = self.file else { return false };
        match (key, said) {
            (LineKey::Field(name), LineContent::Pair(half, _)) => {
                file.fields.get(name).map(ValueHash::of) == *half
            }
            (LineKey::Data(id, name), LineContent::Pair(half, _)) => self
                .item(*id, file)
                .is_some_and(|item| item.data.get(name).map(ValueHash::of) == *half),
            (LineKey::Slot(id), LineContent::Slot { .. }) => self.item(*id, file).is_some(),
            (LineKey::Slot(id), LineContent::Gone) => self.item(*id, file).is_none(),
            (LineKey::Order, LineContent::Order(ids)) => {
                let item = |id: &SlotId| self.item(*id, file);
                let places: Vec<_> = ids.iter().filter_map(item).map(std::ptr::from_ref).collect();
                places.is_sorted()
            }
            _ => false,
        }
    }

    /// Returns the item of the file that is a slot, by the lines of the version.
    fn item<'f>(&self, id: SlotId, file: &'f FilePage) -> Option<&'f FileSlot> {
        if let Some(named) = file.slots.iter().find(|item| item.id == FileSlotId::Id(id)) {
            return Some(named);
        }
        let common = |item: &FileSlot| {
            let says = |(name, value): &(&String, &serde_json::Value)| {
                let lines = self.lines.get(&LineKey::Data(id, (*name).clone()));
                let hash = ValueHash::of(value);
                !hash.is_empty()
                    && lines.is_some_and(|lines| {
                        lines.iter().any(
                            |line| matches!(line.said, LineContent::Pair(Some(half), _) if half == hash),
                        )
                    })
            };
            item.data.iter().filter(says).count()
        };
        let unnamed = file.slots.iter().filter(|item| !matches!(item.id, FileSlotId::Id(_)));
        unnamed
            .map(|item| (common(item), item))
            .filter(|(count, _)| *count > 0)
            .max_by_key(|(count, _)| *count)
            .map(|(_, item)| item)
    }
}
