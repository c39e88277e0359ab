//! Which earlier sync of each value a checkout knows of: the rule for the base.
//!
//! A lock holds lines. A line says what file and page held of one key when they last agreed, when that was, and on which commit. Branches carry
//! locks of their own, reverts bring old ones back, and merges may leave several lines for a key. A line counts if it was written on HEAD or on an
//! ancestor of it, or if a version that carries it has a file that says what the line says of the file. The base of a key is the newest line that
//! counts. A newer one that does not count was written by another branch: what it is about counts as changed on the page.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::{FilePage, HashPair, LivePage, PageBase, SlotBase, ValueHash};
use links_sdk::SlotId;

/// Subject of a line in a lock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum LineKey {
    /// A field of a page or form.
    Field(String),
    /// The order of the slots.
    Order,
    /// Whether the file contains a slot.
    Slot(SlotId),
    /// A key of the data of a slot.
    Key(SlotId, String),
}

/// Content of a line in a lock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum LineContent {
    /// The value in the file and on the page.
    Pair(HashPair),
    /// The file contains the slot.
    Slot {
        /// The type.
        kind: String,
        /// Earlier IDs of the slot, which was deleted and created again.
        was: Vec<SlotId>,
        /// True if the file locked the slot.
        is_locked: bool,
    },
    /// The file contained the slot, and the slot was deleted.
    Gone,
    /// The slots in the file, in its order.
    Order(Vec<SlotId>),
}

/// A line of a lock, without its subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LockLine {
    /// Time at which the key last changed, in milliseconds since 1970. It is larger than the time of every line that was known then.
    pub moved: u64,
    /// The content.
    pub content: LineContent,
    /// Identifier of the commit that was checked out: a digest of the parts that an amend keeps. 0 without a commit.
    pub at: u64,
}

/// The lines of one page or form. After a merge, a key can have several lines.
pub type Lines = BTreeMap<LineKey, BTreeSet<LockLine>>;

/// History of the record of one page or form, as far as a checkout has it.
#[derive(Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RecordHistory<'a> {
    /// The lines in the working tree, and the lines of earlier versions of the lock.
    pub versions: Vec<&'a Lines>,
    /// The identifiers of HEAD and its ancestors; `None` without a repository, so that every line counts.
    pub places: Option<&'a BTreeSet<u64>>,
    /// The time, in milliseconds since 1970, after which lines are not trusted.
    pub end: u64,
}

impl<'a> RecordHistory<'a> {
    /// Returns the keys that have a line, in their order.
    fn keys(&self) -> BTreeSet<&'a LineKey> {
        self.versions.iter().flat_map(|lines| lines.keys()).collect()
    }

    /// Returns the lines of a key that are believed, in their order, each with the versions that carry it.
    fn lines(&self, key: &LineKey) -> BTreeMap<&'a LockLine, Vec<usize>> {
        let mut found: BTreeMap<&LockLine, Vec<usize>> = BTreeMap::new();
        for (nth, lines) in self.versions.iter().enumerate() {
            let lines = lines.get(key).into_iter().flatten();
            for line in lines.filter(|line| line.moved <= self.end) {
                found.entry(line).or_default().push(nth);
            }
        }
        found
    }
}

/// The base of a merge that a checkout knows.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct KnownBase {
    /// The record, without the ID and the login of the page.
    pub base: PageBase,
    /// The lines that the keys keep: the one that counts, and the newer ones that do not count but that the working tree has.
    lines: Lines,
    /// The keys that have only lines that do not count.
    unsure: BTreeSet<LineKey>,
    /// The highest time of all lines that are believed.
    newest: u64,
}

/// What is recorded of a key with two lines of one time: neither side has it.
const UNKNOWN: HashPair = HashPair { file: Some(ValueHash::NEVER[0]), page: ValueHash::NEVER[1] };

impl KnownBase {
    /// Returns the base of a page or form. `files` reads the content of the page file in the commits of a version, by its index.
    pub fn of(history: &RecordHistory<'_>, files: impl Fn(usize) -> Vec<FilePage>) -> Self {
        let read = vec![OnceCell::new(); history.versions.len()];
        let says = |nth: usize, key: &LineKey, line: &LockLine| {
            let files = read[nth].get_or_init(|| files(nth));
            files.iter().any(|file| is_said(key, &line.content, file, history.versions[nth]))
        };
        let mut known = Self::default();
        let mut order: &[SlotId] = &[];
        for key in history.keys() {
            let lines = history.lines(key);
            known.newest = lines.keys().map(|line| line.moved).fold(known.newest, u64::max);
            let counts = |line: &&LockLine| {
                history.places.is_none_or(|places| places.contains(&line.at))
                    || lines[line].iter().any(|nth| says(*nth, key, line))
            };
            let (counting, mut late): (Vec<&LockLine>, Vec<&LockLine>) =
                lines.keys().copied().partition(counts);
            let line = counting.last().copied();
            late.retain(|other| line.is_none_or(|line| other.moved > line.moved));
            let tree = history.versions.first().and_then(|tree| tree.get(key));
            let is_kept = |line: &&LockLine| tree.is_some_and(|tree| tree.contains(*line));
            let kept: BTreeSet<LockLine> =
                late.iter().copied().filter(is_kept).chain(line).cloned().collect();
            if !kept.is_empty() {
                known.lines.insert(key.clone(), kept);
            }
            let Some(line) = line else {
                if !late.is_empty() {
                    known.unsure.insert(key.clone());
                    known.put(key, UNKNOWN);
                }
                continue;
            };
            let is_unclear =
                counting.iter().any(|it| it.moved == line.moved && it.content != line.content);
            match (key, &line.content) {
                (_, LineContent::Pair(_)) if is_unclear => known.put(key, UNKNOWN),
                (_, LineContent::Pair(pair)) if late.is_empty() => known.put(key, *pair),
                (_, LineContent::Pair(pair)) => {
                    known.put(key, HashPair { file: pair.file, page: UNKNOWN.page });
                }
                (LineKey::Slot(id), LineContent::Slot { kind, was, is_locked }) => {
                    let (id, kind, was) = (*id, kind.clone(), was.clone());
                    let (is_locked, keys) = (*is_locked, BTreeMap::new());
                    known.base.slots.push(SlotBase { id, was, kind, is_locked, keys });
                }
                (_, LineContent::Order(ids)) => order = ids,
                (_, LineContent::Slot { .. } | LineContent::Gone) => {}
            }
        }
        // Each ID is that of one slot.
        let mut ids: BTreeSet<SlotId> = known.base.slots.iter().map(|entry| entry.id).collect();
        for entry in &mut known.base.slots {
            entry.was.retain(|id| ids.insert(*id));
        }
        let places: BTreeMap<SlotId, usize> =
            order.iter().enumerate().map(|(nth, id)| (*id, nth)).collect();
        known.base.slots.sort_by_key(|it| places.get(&it.id).copied().unwrap_or(usize::MAX));
        known
    }

    /// Returns the base of a lock without a history.
    pub fn of_lines(lines: &Lines) -> Self {
        let history = RecordHistory { versions: vec![lines], places: None, end: u64::MAX };
        Self::of(&history, |_| Vec::new())
    }

    /// Adds the pair of a field, or of a key of a slot. The slots, whose keys come before those of their values, are there by their IDs.
    fn put(&mut self, key: &LineKey, pair: HashPair) {
        match key {
            LineKey::Field(name) => drop(self.base.fields.insert(name.clone(), pair)),
            LineKey::Key(id, key) if pair != HashPair::UNMENTIONED => {
                if let Ok(nth) = self.base.slots.binary_search_by_key(id, |entry| entry.id) {
                    self.base.slots[nth].keys.insert(key.clone(), pair);
                }
            }
            _ => {}
        }
    }

    /// Returns whether a slot of the page has only lines of other branches, or of commits that a shallow clone does not have.
    pub fn is_unsure(&self, page: &LivePage) -> bool {
        page.slots.iter().any(|slot| self.unsure.contains(&LineKey::Slot(slot.id)))
    }

    /// Returns whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.unsure.is_empty()
    }

    /// Returns the lines of the lock after a run that resulted in the record `next`. `written` are the keys that the run wrote, `now` is
    /// the time in milliseconds since 1970, and `at` is the identifier of HEAD. A key that did not change keeps its line; `None` if no key
    /// changed.
    pub fn lines_after(
        &self,
        next: &PageBase,
        written: &BTreeSet<LineKey>,
        now: u64,
        at: u64,
    ) -> Option<Lines> {
        let moved = now.max(self.newest + 1);
        let mut lines = self.lines.clone();
        let (old, new) = (contents(&self.base), contents(next));
        let is_gone = |id: SlotId| {
            let key = LineKey::Slot(id);
            old.contains_key(&key) && !new.contains_key(&key)
        };
        let is_moved = |&(key, content): &(&LineKey, &LineContent)| {
            old.get(key) != Some(content) || written.contains(key)
        };
        let moved_keys = new.iter().filter(is_moved);
        let mut changed: BTreeMap<LineKey, LineContent> =
            moved_keys.map(|(key, content)| (key.clone(), content.clone())).collect();
        for key in old.keys().filter(|key| !new.contains_key(*key)) {
            let content = match key {
                LineKey::Slot(_) => LineContent::Gone,
                LineKey::Key(id, _) if !is_gone(*id) => LineContent::Pair(HashPair::UNMENTIONED),
                _ => continue,
            };
            changed.insert(key.clone(), content);
        }
        if changed.is_empty() {
            return None;
        }
        let line = |(key, content): (LineKey, LineContent)| {
            (key, BTreeSet::from([LockLine { moved, content, at }]))
        };
        lines.extend(changed.into_iter().map(line));
        lines.retain(|key, _| !matches!(key, LineKey::Key(id, _) if is_gone(*id)));
        Some(lines)
    }
}

/// Returns the content of the line of each key of a record.
fn contents(base: &PageBase) -> BTreeMap<LineKey, LineContent> {
    let ids = base.slots.iter().map(|entry| entry.id).collect();
    let mut contents: BTreeMap<LineKey, LineContent> =
        [(LineKey::Order, LineContent::Order(ids))].into();
    let pairs = base.fields.iter();
    contents
        .extend(pairs.map(|(name, pair)| (LineKey::Field(name.clone()), LineContent::Pair(*pair))));
    for SlotBase { id, was, kind, is_locked, keys } in base.slots.iter().cloned() {
        contents.insert(LineKey::Slot(id), LineContent::Slot { kind, was, is_locked });
        let pairs = keys.into_iter().filter(|(_, pair)| *pair != HashPair::UNMENTIONED);
        contents.extend(pairs.map(|(key, pair)| (LineKey::Key(id, key), LineContent::Pair(pair))));
    }
    contents
}

/// Returns whether a file says what a line says of it. `lines` are those of the version that carries the line.
fn is_said(key: &LineKey, content: &LineContent, file: &FilePage, lines: &Lines) -> bool {
    let item = |id: &SlotId| item(*id, file, lines);
    match (key, content) {
        (LineKey::Field(name), LineContent::Pair(pair)) => {
            file.fields.get(name).map(ValueHash::of) == pair.file
        }
        (LineKey::Key(id, name), LineContent::Pair(pair)) => item(id)
            .is_some_and(|item| file.slots[item].data.get(name).map(ValueHash::of) == pair.file),
        (LineKey::Slot(id), LineContent::Slot { .. }) => item(id).is_some(),
        (LineKey::Slot(id), LineContent::Gone) => item(id).is_none(),
        (LineKey::Order, LineContent::Order(ids)) => ids.iter().filter_map(item).is_sorted(),
        _ => false,
    }
}

/// Returns the item of a file that is a slot: the one with its ID, else the one with the most values that the lines have for it.
fn item(id: SlotId, file: &FilePage, lines: &Lines) -> Option<usize> {
    let is_recorded = |(name, value): &(&String, &serde_json::Value)| {
        let hash = ValueHash::of(value);
        let lines = lines.get(&LineKey::Key(id, (*name).clone()));
        let is_it = |line: &LockLine| matches!(line.content, LineContent::Pair(pair) if pair.file == Some(hash));
        !hash.is_empty() && lines.is_some_and(|lines| lines.iter().any(is_it))
    };
    let common = |item: usize| file.slots[item].data.iter().filter(is_recorded).count();
    let unnamed = (0..file.slots.len()).filter(|item| file.slots[*item].id.named().is_none());
    let counted = unnamed.map(|item| (common(item), item)).filter(|(count, _)| *count > 0);
    let named = file.slots.iter().position(|item| item.id.named() == Some(id));
    named.or_else(|| counted.max_by_key(|(count, _)| *count).map(|(_, item)| item))
}
