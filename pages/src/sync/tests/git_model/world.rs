//! Two clones of a repository, the service, and what people do with them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::repo::{Commit, Doc, EditId, Files, Kind, Place, Repo, Side};
use crate::sync::tests::service::{ServicePage, stored, types};
use crate::sync::{
    FilePage, HashPair, KnownBase, LineContent, LineKey, Lines, LivePage, LockLine, RecordHistory,
};
use links_sdk::SlotId;

/// Who wrote a value of the service last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrittenBy {
    Start,
    Sync(usize),
    /// Somebody at the service, after so many syncs.
    Dashboard(usize),
}

/// What a sync did, as nobody but the model knows it.
#[derive(Clone, Debug)]
pub(super) struct Sync {
    /// The edits of the history that it knew.
    pub(super) edits: u128,
    /// The edit of the file with which each value of the service agreed.
    pub(super) agreed: BTreeMap<LineKey, Option<EditId>>,
    pub(super) values: BTreeMap<LineKey, Value>,
}

/// A clone.
#[derive(Clone, Debug)]
pub(super) struct Checkout {
    /// 0 and 1 are branches.
    pub(super) branch: usize,
    pub(super) refs: [usize; 2],
    pub(super) files: Files,
    /// The edits and syncs that are not committed.
    pub(super) edits: u128,
    pub(super) syncs: u128,
}

/// A page or a form of the service.
#[derive(Clone, Debug, Default)]
pub(super) struct Live {
    pub(super) page: ServicePage,
    pub(super) writers: BTreeMap<LineKey, WrittenBy>,
    pub(super) syncs: Vec<Sync>,
    /// The item that each slot was made for.
    pub(super) tag_of: BTreeMap<SlotId, u32>,
}

/// Which lines make the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The newest that is vouched for.
    Vouched,
    /// The newest of the working tree and of all ancestors.
    Newest,
    /// Those of the working tree.
    Tree,
}

#[derive(Clone, Debug)]
pub(super) struct GitWorld {
    pub(super) rule: Rule,
    pub(super) repo: Repo,
    pub(super) clones: [Checkout; 2],
    pub(super) live: [Live; 2],
    /// The value of each edit.
    pub(super) values: Vec<(usize, Place, Value)>,
    pub(super) now: u64,
    /// Syncs for each tick of the clock of the service.
    pub(super) tick: u64,
    words: u32,
    pub(super) tags: u32,
    pub(super) found: Vec<String>,
    pub(super) noise: BTreeMap<&'static str, usize>,
}

/// Something that somebody does.
#[derive(Clone, Copy, Debug)]
pub(super) struct GitStep {
    pub(super) action: u8,
    pub(super) a: u16,
    pub(super) b: u16,
    pub(super) c: u16,
}

pub(super) const FIELDS: [&str; 2] = ["title", "description"];

/// Returns one of so many.
pub(super) fn pick(count: usize, n: u16) -> Option<usize> {
    (count > 0).then(|| usize::from(n) % count)
}

impl GitWorld {
    pub(super) fn new(rule: Rule, tick: u64) -> Self {
        let files = Files::default();
        let clone = Checkout { branch: 0, refs: [0, 0], files, edits: 0, syncs: 0 };
        let mut world = Self {
            rule,
            repo: Repo::default(),
            clones: [clone.clone(), clone],
            live: Default::default(),
            values: Vec::new(),
            now: 1,
            tick,
            words: 0,
            tags: 0,
            found: Vec::new(),
            noise: BTreeMap::new(),
        };
        // A page with two slots and a form that were synced and committed.
        let mut files = Files::default();
        for doc in 0..2 {
            let mut start = Doc::default();
            for field in FIELDS.into_iter().take(2 - doc) {
                let value = world.word();
                world.live[doc].page.fields.insert(field.into(), stored(field, &value));
                let edit = world.edit(doc, Place::Field(field.into()), value.clone());
                start.values.insert(Place::Field(field.into()), (value, edit));
            }
            let edit = world.edit(doc, Place::Order, Value::Null);
            start.values.insert(Place::Order, (Value::Null, edit));
            let edit = world.edit(doc, Place::Path, json!(0));
            start.values.insert(Place::Path, (json!(0), edit));
            files.docs[doc] = start;
        }
        for _ in 0..2 {
            world.new_item(&mut files.docs[0], 9);
        }
        let doc = &files.docs[0];
        let (tags, file) = (doc.tags(), doc.file());
        for (tag, item) in tags.iter().zip(&file.slots) {
            let id = world.live[0].page.create(&item.kind, &item.data, usize::MAX);
            world.live[0].tag_of.insert(id, *tag);
        }
        let author = world.repo.author();
        let edits = (1_u128 << world.values.len()) - 1;
        let commit = |files: &Files| Commit {
            parents: Vec::new(),
            author,
            files: files.clone(),
            edits,
            syncs: 1,
            kind: Kind::Plain,
            about: Vec::new(),
            read: Default::default(),
        };
        world.repo.add(commit(&files));
        for doc in 0..2 {
            let (lines, sync) = world.first_sync(doc, &files.docs[doc]);
            files.locks[doc] = lines;
            world.live[doc].syncs.push(sync);
            files.lock_paths[doc] = json!(0);
        }
        world.repo.commits.clear();
        world.repo.add(commit(&files));
        world.clones.iter_mut().for_each(|clone| clone.files = files.clone());
        world
    }

    fn first_sync(&self, doc: usize, said: &Doc) -> (Lines, Sync) {
        let live = &self.live[doc];
        let file = said.file();
        let pair = |file: Option<&Value>, page: &Value| {
            let hash = crate::sync::ValueHash::of;
            LineContent::Pair(HashPair { file: file.map(hash), page: hash(page) })
        };
        let mut lines = Lines::new();
        let mut agreed = BTreeMap::new();
        for (key, value) in live.values() {
            let (said_here, edit) = match &key {
                LineKey::Field(name) => {
                    (pair(file.fields.get(name), &value), said.edit(&Place::Field(name.clone())))
                }
                LineKey::Key(id, name) => {
                    let tag = live.tag_of[id];
                    let place = Place::Value(tag, name.clone());
                    let told = said.values.get(&place).map(|it| &it.0);
                    (pair(told, &value), said.edit(&place))
                }
                LineKey::Slot(id) => {
                    let kind = live
                        .page
                        .slots
                        .iter()
                        .find(|slot| slot.id == *id)
                        .map(|slot| slot.kind.clone());
                    (
                        LineContent::Slot {
                            kind: kind.unwrap_or_default(),
                            was: Vec::new(),
                            is_locked: false,
                        },
                        said.edit(&Place::Item(live.tag_of[id])),
                    )
                }
                LineKey::Order => (LineContent::Order(live.page.ids()), said.edit(&Place::Order)),
            };
            agreed.insert(key.clone(), edit);
            lines.insert(key, [LockLine { moved: 0, content: said_here, at: 0 }].into());
        }
        // The first record counts everywhere.
        let place = self.repo.place(0);
        let lines = lines.into_iter().map(|(key, lines)| {
            (key, lines.into_iter().map(|line| LockLine { at: place, ..line }).collect())
        });
        (
            lines.collect(),
            Sync { edits: (1 << self.values.len()) - 1, agreed, values: live.values() },
        )
    }

    pub(super) fn word(&mut self) -> Value {
        self.words += 1;
        format!("Word {}", self.words).into()
    }

    pub(super) fn edit(&mut self, doc: usize, place: Place, value: Value) -> EditId {
        self.values.push((doc, place, value));
        EditId::try_from(self.values.len() - 1).expect("few edits")
    }

    pub(super) fn head(&self, m: usize) -> usize {
        self.clones[m].refs[self.clones[m].branch]
    }

    /// Does a step. Returns words for it, unless nobody would do it or Git refuses.
    pub(super) fn step(&mut self, step: GitStep) -> Option<String> {
        let GitStep { action, a, b, c } = step;
        let m = usize::from(a % 2);
        let n = a / 2;
        let side = [Side::Ours, Side::Theirs, Side::Both][usize::from(c / 2 % 3)];
        let ours = c % 2 == 0;
        if self.values.len() > 120 || self.live[0].syncs.len() > 100 {
            return None;
        }
        let did = match action {
            0..=4 => self.edit_file(m, n, b, c)?,
            5..=8 => {
                self.apply_all(m);
                "applies".to_owned()
            }
            9..=12 => self.commit(m)?,
            13 | 14 => self.switch(m)?,
            15 | 16 => self.merge(m, ours, side, false)?,
            17 => self.merge(m, ours, side, true)?,
            18 => self.revert(m, side)?,
            19 => self.amend(m)?,
            20 => self.reset(m)?,
            21 => {
                let (head, other) = (self.head(m), self.clones[m].refs[1 - self.clones[m].branch]);
                if self.repo.ancestors(head).contains(&other) {
                    return None;
                }
                let picked = self.repo.pick(head, other, ours, side)?;
                self.check_out(m, picked, None)?;
                format!("cherry-picks the other branch ({side:?})")
            }
            22 => self.rebase(m, ours, side)?,
            23 => self.pull(m, ours, side)?,
            24 => self.rename(m, n)?,
            25 => self.tamper(m, n)?,
            _ => return self.dashboard(n, b, c),
        };
        Some(format!("{} {did}", ["A", "B"][m]))
    }
}

impl Live {
    /// Everything that the service holds.
    pub(super) fn values(&self) -> BTreeMap<LineKey, Value> {
        let mut values: BTreeMap<LineKey, Value> = BTreeMap::new();
        for (name, value) in self.page.fields.iter() {
            values.insert(LineKey::Field(name.clone()), value.clone());
        }
        for slot in &self.page.slots {
            values.insert(LineKey::Slot(slot.id), true.into());
            for (name, value) in slot.data.iter() {
                values.insert(LineKey::Key(slot.id, name.clone()), value.clone());
            }
        }
        if !self.page.slots.is_empty() {
            values.insert(LineKey::Order, json!(self.page.ids()));
        }
        values
    }

    pub(super) fn read(&self, doc: usize) -> LivePage {
        let id = 1 + i64::try_from(doc).expect("a small number");
        LivePage {
            id: id.into(),
            login: "cafe".into(),
            fields: self.page.fields.clone(),
            slots: self.page.slots.clone(),
        }
    }
}

impl GitWorld {
    /// What a clone shows of a file and its lock. A shallow clone shows HEAD alone.
    pub(super) fn known(
        &self,
        m: usize,
        doc: usize,
        file: &FilePage,
        is_shallow: bool,
    ) -> Option<KnownBase> {
        let (head, tree) = (self.head(m), &self.clones[m].files);
        let path = tree.docs[doc].path();
        let mut versions = vec![tree.version(doc, &path, file)];
        let ancestors = self.repo.ancestors(head);
        let shown: BTreeSet<usize> = match self.rule {
            Rule::Tree => BTreeSet::new(),
            _ if is_shallow => [head].into(),
            Rule::Vouched | Rule::Newest => ancestors,
        };
        let commits: Vec<_> =
            shown.iter().map(|commit| self.repo.commits[*commit].clone()).collect();
        versions.extend(
            commits.iter().map(|commit| commit.files.version(doc, &path, &commit.read[doc])),
        );
        let places: BTreeSet<u64> = shown.iter().map(|commit| self.repo.place(*commit)).collect();
        let (versions, files): (Vec<_>, Vec<_>) = versions.into_iter().unzip();
        let places = (self.rule == Rule::Vouched).then_some(&places);
        let history = RecordHistory { versions, places, end: self.now };
        let known = KnownBase::of(&history, |nth| files[nth].into_iter().cloned().collect());
        (!known.is_empty()).then_some(known)
    }

    pub(super) fn types() -> crate::apply::SlotTypes {
        types()
    }
}
