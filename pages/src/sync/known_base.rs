//! Which earlier sync of each value a checkout knows of: the rule for the base.
//!
//! A lock holds lines. A line says what file and page held of one key when they last agreed, when that was, and on which commit. Branches carry
//! locks of their own, reverts bring old ones back, and merges may leave several lines for a key. A line counts if it was written on HEAD or on an
//! ancestor of it, or if a version that carries it has a file that says what the line says of the file. The base of a key is the newest line that
//! counts. A newer one that does not count was written by another branch: what it is about counts as changed on the page.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::{FilePage, FileSlot, FileSlotId, HashPair, LivePage, PageBase, SlotBase, ValueHash};
use links_sdk::SlotId;

/// Subject of a line in a lock.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    fn keys(&self) -> Vec<&'a LineKey> {
        let mut keys: Vec<&LineKey> = self.versions.iter().flat_map(|lines| lines.keys()).collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// Returns the lines of a key that are believed, each with the versions that carry it.
    fn lines(&self, key: &LineKey) -> Vec<(&'a LockLine, Vec<usize>)> {
        let mut found: Vec<(&LockLine, Vec<usize>)> = Vec::new();
        for (nth, lines) in self.versions.iter().enumerate() {
            let lines = lines.get(key).into_iter().flatten();
            for line in lines.filter(|line| line.moved <= self.end) {
                match found.iter_mut().find(|(it, _)| *it == line) {
                    Some((_, carriers)) => carriers.push(nth),
                    None => found.push((line, vec![nth])),
                }
            }
        }
        found
    }
}

/// The base of a merge that a checkout knows.
#[derive(Clone, Debug, Default)]
pub struct KnownBase {
    /// The record, without the ID and the login of the page.
    pub base: PageBase,
    /// The line that each key has.
    line: BTreeMap<LineKey, LockLine>,
    /// The keys with newer lines that do not count, with those among them that the working tree has.
    strangers: BTreeMap<LineKey, BTreeSet<LockLine>>,
    /// The highest time of all lines that are believed.
    newest: u64,
}

/// What is recorded of a key with two lines of one time: neither side has it.
const UNKNOWN: HashPair = HashPair { file: Some(ValueHash::NEVER[0]), page: ValueHash::NEVER[1] };

impl KnownBase {
    /// Returns the base of a page or form. `files` reads the content of the page file in the commits of a version, by its index.
    pub fn of(history: &RecordHistory<'_>, files: impl Fn(usize) -> Vec<FilePage>) -> Self {
        let read: Vec<OnceCell<Vec<FilePage>>> =
            history.versions.iter().map(|_| OnceCell::new()).collect();
        let says = |nth: usize, key: &LineKey, line: &LockLine| {
            let files = read[nth].get_or_init(|| files(nth));
            files.iter().any(|file| is_said(key, &line.content, file, history.versions[nth]))
        };
        let mut known = Self::default();
        let mut pairs = Vec::new();
        let mut order: &[SlotId] = &[];
        for key in history.keys() {
            let lines = history.lines(key);
            let counts = |(line, carriers): &(&LockLine, Vec<usize>)| {
                history.places.is_none_or(|places| places.contains(&line.at))
                    || carriers.iter().any(|nth| says(*nth, key, line))
            };
            known.newest = lines.iter().map(|(it, _)| it.moved).fold(known.newest, u64::max);
            let (counting, others): (Vec<_>, Vec<_>) = lines.into_iter().partition(counts);
            let line = counting.iter().map(|(line, _)| *line).max();
            let newest = line.map(|line| line.moved);
            let late = others.iter().map(|(line, _)| *line).filter(|it| Some(it.moved) > newest);
            let mut late = late.peekable();
            let has_late = late.peek().is_some();
            if has_late {
                let tree = history.versions.first().and_then(|tree| tree.get(key));
                let kept = late.filter(|line| tree.is_some_and(|tree| tree.contains(line)));
                known.strangers.insert(key.clone(), kept.cloned().collect());
            }
            let Some(line) = line else {
                if has_late && matches!(key, LineKey::Field(_) | LineKey::Key(..)) {
                    pairs.push((key, UNKNOWN));
                }
                continue;
            };
            let mut last = counting.iter().filter(|(it, _)| it.moved == line.moved);
            let is_unclear = last.any(|(it, _)| it.content != line.content);
            known.line.insert(key.clone(), line.clone());
            match (key, &line.content) {
                (_, LineContent::Pair(pair)) => pairs.push((
                    key,
                    match pair {
                        _ if is_unclear => UNKNOWN,
                        HashPair { file, .. } if has_late => {
                            HashPair { file: *file, page: UNKNOWN.page }
                        }
                        pair => *pair,
                    },
                )),
                (LineKey::Slot(id), LineContent::Slot { kind, was, is_locked }) => {
                    let (id, kind, was) = (*id, kind.clone(), was.clone());
                    let (is_locked, keys) = (*is_locked, BTreeMap::new());
                    known.base.slots.push(SlotBase { id, was, kind, is_locked, keys });
                }
                (_, LineContent::Order(ids)) => order = ids,
                (_, LineContent::Slot { .. } | LineContent::Gone) => {}
            }
        }
        known.fill(pairs, order);
        known
    }

    /// Returns the base of a lock without a history.
    pub fn of_lines(lines: &Lines) -> Self {
        let history = RecordHistory { versions: vec![lines], places: None, end: u64::MAX };
        Self::of(&history, |_| Vec::new())
    }

    /// Adds the pairs of fields and keys, and sorts the slots, which are there by their IDs.
    fn fill(&mut self, pairs: Vec<(&LineKey, HashPair)>, order: &[SlotId]) {
        for (key, pair) in pairs {
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
        let mut ids: BTreeSet<SlotId> = self.base.slots.iter().map(|entry| entry.id).collect();
        for entry in &mut self.base.slots {
            entry.was.retain(|id| ids.insert(*id));
        }
        let places: BTreeMap<SlotId, usize> =
            order.iter().enumerate().map(|(nth, id)| (*id, nth)).collect();
        self.base.slots.sort_by_key(|it| places.get(&it.id).copied().unwrap_or(usize::MAX));
    }

    /// Returns whether a slot of the page has only lines of other branches, or of commits that a shallow clone does not have.
    pub fn is_unsure(&self, page: &LivePage) -> bool {
        page.slots.iter().any(|slot| {
            let key = LineKey::Slot(slot.id);
            self.strangers.contains_key(&key) && !self.line.contains_key(&key)
        })
    }

    /// Returns whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.line.is_empty() && self.strangers.is_empty()
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
        let kept = self.line.iter().map(|(key, line)| (key.clone(), [line.clone()].into()));
        let mut lines: Lines = kept.collect();
        for (key, strangers) in &self.strangers {
            lines.entry(key.clone()).or_default().extend(strangers.iter().cloned());
        }
        lines.retain(|_, lines| !lines.is_empty());
        let mut has_moved = false;
        let mut set = |key: LineKey, content: LineContent| {
            has_moved = true;
            lines.insert(key, [LockLine { moved, content, at }].into());
        };
        let known = &self.base;
        let is_moved = |key: &LineKey, was: Option<HashPair>, pair: HashPair| {
            was != Some(pair) || written.contains(key)
        };
        for (name, pair) in &next.fields {
            let key = LineKey::Field(name.clone());
            if is_moved(&key, known.fields.get(name).copied(), *pair) {
                set(key, LineContent::Pair(*pair));
            }
        }
        let old_slots: BTreeMap<SlotId, &SlotBase> =
            known.slots.iter().map(|entry| (entry.id, entry)).collect();
        for entry in &next.slots {
            let old = old_slots.get(&entry.id);
            let line = |entry: &SlotBase| {
                let SlotBase { kind, was, is_locked, .. } = entry.clone();
                LineContent::Slot { kind, was, is_locked }
            };
            if old.is_none_or(|old| line(old) != line(entry)) {
                set(LineKey::Slot(entry.id), line(entry));
            }
            let names = entry.keys.keys().chain(old.iter().flat_map(|old| old.keys.keys()));
            for name in names.collect::<BTreeSet<&String>>() {
                let (pair, key) = (entry.pair(name), LineKey::Key(entry.id, name.clone()));
                if is_moved(&key, old.map(|old| old.pair(name)), pair) {
                    set(key, LineContent::Pair(pair));
                }
            }
        }
        let ids = |base: &PageBase| base.slots.iter().map(|it| it.id).collect::<Vec<SlotId>>();
        let next_ids = ids(next);
        if next_ids != ids(known) {
            set(LineKey::Order, LineContent::Order(next_ids.clone()));
        }
        let next_ids: BTreeSet<SlotId> = next_ids.into_iter().collect();
        let is_gone = |id: &SlotId| old_slots.contains_key(id) && !next_ids.contains(id);
        for id in old_slots.keys().filter(|id| is_gone(id)) {
            set(LineKey::Slot(*id), LineContent::Gone);
        }
        lines.retain(|key, _| !matches!(key, LineKey::Key(id, _) if is_gone(id)));
        has_moved.then_some(lines)
    }
}

/// Returns whether a file says what a line says of it. `lines` are those of the version that carries the line.
fn is_said(key: &LineKey, content: &LineContent, file: &FilePage, lines: &Lines) -> bool {
    match (key, content) {
        (LineKey::Field(name), LineContent::Pair(pair)) => {
            file.fields.get(name).map(ValueHash::of) == pair.file
        }
        (LineKey::Key(id, name), LineContent::Pair(pair)) => item(*id, file, lines)
            .is_some_and(|item| item.data.get(name).map(ValueHash::of) == pair.file),
        (LineKey::Slot(id), LineContent::Slot { .. }) => item(*id, file, lines).is_some(),
        (LineKey::Slot(id), LineContent::Gone) => item(*id, file, lines).is_none(),
        (LineKey::Order, LineContent::Order(ids)) => {
            let place = |item: &FileSlot| file.slots.iter().position(|it| std::ptr::eq(it, item));
            let items = ids.iter().filter_map(|id| item(*id, file, lines));
            items.filter_map(place).is_sorted()
        }
        _ => false,
    }
}

/// Returns the item of a file that is a slot: the one with its ID, else the one with the most values that the lines have for it.
fn item<'f>(id: SlotId, file: &'f FilePage, lines: &Lines) -> Option<&'f FileSlot> {
    if let Some(named) = file.slots.iter().find(|item| item.id == FileSlotId::Id(id)) {
        return Some(named);
    }
    let is_recorded = |(name, value): &(&String, &serde_json::Value)| {
        let hash = ValueHash::of(value);
        let lines = lines.get(&LineKey::Key(id, (*name).clone()));
        let is_it = |line: &LockLine| matches!(line.content, LineContent::Pair(pair) if pair.file == Some(hash));
        !hash.is_empty() && lines.is_some_and(|lines| lines.iter().any(is_it))
    };
    let common = |item: &FileSlot| item.data.iter().filter(is_recorded).count();
    let unnamed = file.slots.iter().filter(|item| !matches!(item.id, FileSlotId::Id(_)));
    let counted = unnamed.map(|item| (common(item), item)).filter(|(count, _)| *count > 0);
    counted.max_by_key(|(count, _)| *count).map(|(_, item)| item)
}
