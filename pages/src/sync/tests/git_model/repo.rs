//! A repository: commits with a page file, a form file and the lock, and what Git does with them. Values carry the edit that set them, which no rule
//! sees.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::Value;

use crate::sync::{FilePage, FileSlot, LineKey, Lines, LockLine};
use links_sdk::Object;

/// Number of an edit.
pub(super) type EditId = u32;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Field(String),
    /// Whether the file has an item.
    Item(u32),
    Value(u32, String),
    Order,
    Path,
}

/// A page file or a form file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Doc {
    pub(super) values: BTreeMap<Place, (Value, EditId)>,
    /// All items that the file has or had.
    pub(super) order: Vec<u32>,
    pub(super) kinds: BTreeMap<u32, &'static str>,
}

impl Doc {
    pub(super) fn value(&self, place: &Place) -> Value {
        self.values.get(place).map(|it| it.0.clone()).unwrap_or_default()
    }

    pub(super) fn edit(&self, place: &Place) -> Option<EditId> {
        self.values.get(place).map(|it| it.1)
    }

    pub(super) fn path(&self) -> Value {
        self.value(&Place::Path)
    }

    /// The items that the file has, in its order.
    pub(super) fn tags(&self) -> Vec<u32> {
        let is_there = |tag: &u32| self.value(&Place::Item(*tag)) == true;
        self.order.iter().copied().filter(is_there).collect()
    }

    /// What the file says.
    pub(super) fn file(&self) -> FilePage {
        let fields = self.values.iter().filter_map(|(place, (value, _))| match place {
            Place::Field(name) => Some((name.clone(), value.clone())),
            _ => None,
        });
        let slot = |tag: u32| {
            let data: Object = self
                .values
                .iter()
                .filter_map(|(place, (value, _))| match place {
                    Place::Value(of, key) if *of == tag => Some((key.clone(), value.clone())),
                    _ => None,
                })
                .collect();
            let kind = self.kinds[&tag].to_owned();
            FileSlot { kind, data, ..FileSlot::default() }
        };
        let slots = self.tags().into_iter().map(slot).collect();
        FilePage { fields: fields.collect(), slots, ..FilePage::default() }
    }

    /// Returns the places at which two files differ.
    pub(super) fn differences(&self, other: &Self) -> Vec<Place> {
        let places: BTreeSet<&Place> = self.values.keys().chain(other.values.keys()).collect();
        let differ = |place: &&&Place| {
            let is_order = ***place == Place::Order;
            if is_order {
                self.common_order(other) != other.common_order(self)
            } else {
                self.value(place) != other.value(place)
            }
        };
        places.iter().filter(differ).map(|place| (**place).clone()).collect()
    }

    fn common_order(&self, other: &Self) -> Vec<u32> {
        let others = other.tags();
        self.tags().into_iter().filter(|tag| others.contains(tag)).collect()
    }

    /// Merges two files value by value.
    pub(super) fn merge(base: &Self, ours: &Self, theirs: &Self, prefers_ours: bool) -> Self {
        let mut merged = Self { kinds: ours.kinds.clone(), ..Self::default() };
        merged.kinds.extend(&theirs.kinds);
        let places: BTreeSet<&Place> = ours.values.keys().chain(theirs.values.keys()).collect();
        let mut takes_theirs_order = false;
        for place in places {
            let (was, our, their) = (base.value(place), ours.value(place), theirs.value(place));
            let (is_same, is_theirs) = if *place == Place::Order {
                let (our, their) = (
                    ours.common_order(base) == base.common_order(ours),
                    theirs.common_order(base) == base.common_order(theirs),
                );
                (our, !their)
            } else {
                (our == was, their != was)
            };
            let takes_theirs = if is_same {
                true
            } else if is_theirs {
                !prefers_ours
            } else {
                false
            };
            let side = if takes_theirs { theirs } else { ours };
            if *place == Place::Order {
                takes_theirs_order = takes_theirs;
            }
            let value = side
                .values
                .get(place)
                .or_else(|| theirs.values.get(place))
                .or_else(|| ours.values.get(place));
            if let Some(value) = value {
                merged.values.insert(place.clone(), value.clone());
            }
        }
        let (first, second) = if takes_theirs_order { (theirs, ours) } else { (ours, theirs) };
        merged.order.clone_from(&first.order);
        for (at, tag) in second.order.iter().enumerate() {
            if !merged.order.contains(tag) {
                let mut left = second.order[..at].iter().rev();
                let left =
                    left.find_map(|left| merged.order.iter().position(|other| other == left));
                merged.order.insert(left.map_or(0, |left| left + 1), *tag);
            }
        }
        merged
    }
}

/// Which line of a lock a merge takes where both sides have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Theirs,
    Both,
}

/// The files of a version.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Files {
    pub(super) docs: [Doc; 2],
    pub(super) locks: [Lines; 2],
    /// The path that the lock has for each file.
    pub(super) lock_paths: [Value; 2],
}

impl Files {
    pub(super) fn merge(
        base: &Self,
        ours: &Self,
        theirs: &Self,
        prefers_ours: bool,
        side: Side,
    ) -> Self {
        let doc = |nth: usize| {
            Doc::merge(&base.docs[nth], &ours.docs[nth], &theirs.docs[nth], prefers_ours)
        };
        let lock =
            |nth: usize| merge_lines(&base.locks[nth], &ours.locks[nth], &theirs.locks[nth], side);
        let path = |nth: usize| {
            let (was, our, their) =
                (&base.lock_paths[nth], &ours.lock_paths[nth], &theirs.lock_paths[nth]);
            if our == was || side == Side::Theirs && their != was {
                their.clone()
            } else {
                our.clone()
            }
        };
        Self { docs: [doc(0), doc(1)], locks: [lock(0), lock(1)], lock_paths: [path(0), path(1)] }
    }

    /// Returns what the version shows of a file that a checkout has at a path.
    pub(super) fn version<'a>(
        &'a self,
        nth: usize,
        path: &Value,
        file: &'a FilePage,
    ) -> (&'a Lines, Option<&'a FilePage>) {
        let own = self.docs[nth].path();
        let is_found = own == *path || own == self.lock_paths[nth];
        (&self.locks[nth], is_found.then_some(file))
    }
}

pub(super) fn merge_lines(base: &Lines, ours: &Lines, theirs: &Lines, side: Side) -> Lines {
    let keys: BTreeSet<&LineKey> = ours.keys().chain(theirs.keys()).collect();
    let none = BTreeSet::new();
    let merged = |key: &LineKey| -> BTreeSet<LockLine> {
        let [was, our, their] = [base, ours, theirs].map(|lines| lines.get(key).unwrap_or(&none));
        if our == their || their == was {
            return our.clone();
        }
        match side {
            _ if our == was => their.clone(),
            Side::Ours => our.clone(),
            Side::Theirs => their.clone(),
            Side::Both => our | their,
        }
    };
    let lines = keys.into_iter().map(|key| (key.clone(), merged(key)));
    lines.filter(|(_, lines)| !lines.is_empty()).collect()
}

/// What a commit is, as far as its effect is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Revert,
    Merge,
}

#[derive(Debug)]
pub(super) struct Commit {
    pub(super) parents: Vec<usize>,
    /// Author and time of the author, which an amend keeps.
    pub(super) author: u64,
    pub(super) files: Files,
    /// The edits and the syncs of its history.
    pub(super) edits: u128,
    pub(super) syncs: u128,
    pub(super) kind: Kind,
    /// The places that a revert or a merge is about, by file.
    pub(super) about: Vec<(usize, Place)>,
    /// What its files say.
    pub(super) read: [FilePage; 2],
}

/// All commits of all clones.
#[derive(Clone, Debug, Default)]
pub(super) struct Repo {
    pub(super) commits: Vec<Rc<Commit>>,
    authors: u64,
}

impl Repo {
    pub(super) fn author(&mut self) -> u64 {
        self.authors += 1;
        self.authors
    }

    pub(super) fn add(&mut self, mut commit: Commit) -> usize {
        commit.read = [commit.files.docs[0].file(), commit.files.docs[1].file()];
        self.commits.push(Rc::new(commit));
        self.commits.len() - 1
    }

    pub(super) fn ancestors(&self, commit: usize) -> BTreeSet<usize> {
        let (mut found, mut open) = (BTreeSet::new(), vec![commit]);
        while let Some(next) = open.pop() {
            if found.insert(next) {
                open.extend(&self.commits[next].parents);
            }
        }
        found
    }

    /// The place of a commit: its parents and its author line.
    pub(super) fn place(&self, commit: usize) -> u64 {
        let commit = &self.commits[commit];
        let parents = commit.parents.iter().fold(7_u64, |hash, parent| {
            hash.wrapping_mul(1_000_003).wrapping_add(*parent as u64 + 1)
        });
        parents.wrapping_mul(1_000_003).wrapping_add(commit.author)
    }

    /// The newest commit that both descend from.
    pub(super) fn merge_base(&self, one: usize, other: usize) -> usize {
        let both = &self.ancestors(one) & &self.ancestors(other);
        let depth = |commit: &usize| (self.ancestors(*commit).len(), *commit);
        both.into_iter().max_by_key(depth).expect("all commits descend from the first")
    }

    /// Picks a commit onto another. `None` if that changes nothing.
    pub(super) fn pick(
        &mut self,
        onto: usize,
        picked: usize,
        prefers_ours: bool,
        side: Side,
    ) -> Option<usize> {
        let (ours, theirs) = (self.commits[onto].clone(), self.commits[picked].clone());
        let [parent] = theirs.parents[..] else { return None };
        let base = self.commits[parent].clone();
        let files = Files::merge(&base.files, &ours.files, &theirs.files, prefers_ours, side);
        if files == ours.files {
            return None;
        }
        Some(self.add(Commit {
            parents: vec![onto],
            author: theirs.author,
            files,
            edits: ours.edits | theirs.edits & !base.edits,
            syncs: ours.syncs | theirs.syncs & !base.syncs,
            kind: Kind::Plain,
            about: Vec::new(),
            read: Default::default(),
        }))
    }
}
