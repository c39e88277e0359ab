//! What people do with Git.

use super::repo::{Commit, Doc, Files, Kind, Place, Side, merge_lines};
use super::world::GitWorld;

impl GitWorld {
    /// Checks a commit out. A file that differs from HEAD goes along if both commits have it alike; otherwise Git refuses.
    pub(super) fn check_out(
        &mut self,
        m: usize,
        commit: usize,
        branch: Option<usize>,
    ) -> Option<()> {
        let (now, then) =
            (self.repo.commits[self.head(m)].clone(), self.repo.commits[commit].clone());
        let clone = &mut self.clones[m];
        let mut is_dirty = false;
        for doc in 0..2 {
            let is_same = |one: &Doc, other: &Doc| {
                one.differences(other).is_empty() && one.order == other.order
            };
            if is_same(&clone.files.docs[doc], &now.files.docs[doc]) {
                clone.files.docs[doc] = then.files.docs[doc].clone();
            } else if is_same(&now.files.docs[doc], &then.files.docs[doc]) {
                is_dirty = true;
            } else {
                return None;
            }
        }
        if clone.files.locks == now.files.locks && clone.files.lock_paths == now.files.lock_paths {
            clone.files.locks = then.files.locks.clone();
            clone.files.lock_paths = then.files.lock_paths.clone();
        } else if now.files.locks == then.files.locks {
            is_dirty = true;
        } else {
            return None;
        }
        if !is_dirty {
            (clone.edits, clone.syncs) = (0, 0);
        }
        match branch {
            Some(branch) => clone.branch = branch,
            None => clone.refs[clone.branch] = commit,
        }
        Some(())
    }

    pub(super) fn is_dirty(&self, m: usize) -> bool {
        self.clones[m].files != self.repo.commits[self.head(m)].files
    }

    fn committed(&mut self, m: usize, parents: Vec<usize>, author: u64) -> usize {
        let head = self.repo.commits[self.head(m)].clone();
        let clone = &mut self.clones[m];
        let (edits, syncs) = (head.edits | clone.edits, head.syncs | clone.syncs);
        let files = clone.files.clone();
        (clone.edits, clone.syncs) = (0, 0);
        let commit = self.repo.add(Commit {
            parents,
            author,
            files,
            edits,
            syncs,
            kind: Kind::Plain,
            about: Vec::new(),
            read: Default::default(),
        });
        let clone = &mut self.clones[m];
        clone.refs[clone.branch] = commit;
        commit
    }

    pub(super) fn commit(&mut self, m: usize) -> Option<String> {
        if !self.is_dirty(m) {
            return None;
        }
        let (head, author) = (self.head(m), self.repo.author());
        self.committed(m, vec![head], author);
        Some("commits".to_owned())
    }

    pub(super) fn amend(&mut self, m: usize) -> Option<String> {
        let head = self.repo.commits[self.head(m)].clone();
        if !self.is_dirty(m) || head.parents.len() != 1 {
            return None;
        }
        self.committed(m, head.parents.clone(), head.author);
        Some("amends".to_owned())
    }

    pub(super) fn switch(&mut self, m: usize) -> Option<String> {
        let other = 1 - self.clones[m].branch;
        let commit = self.clones[m].refs[other];
        self.check_out(m, commit, Some(other))?;
        Some(format!("switches to branch {other}"))
    }

    pub(super) fn reset(&mut self, m: usize) -> Option<String> {
        let head = self.repo.commits[self.head(m)].clone();
        let [parent] = head.parents[..] else { return None };
        let files = self.repo.commits[parent].files.clone();
        let clone = &mut self.clones[m];
        clone.refs[clone.branch] = parent;
        clone.files = files;
        (clone.edits, clone.syncs) = (0, 0);
        Some("resets to HEAD~1".to_owned())
    }

    pub(super) fn merge(
        &mut self,
        m: usize,
        ours: bool,
        side: Side,
        is_squash: bool,
    ) -> Option<String> {
        let other = self.clones[m].refs[1 - self.clones[m].branch];
        self.join(m, other, ours, side, is_squash)?;
        let how = if is_squash { "squash-merges" } else { "merges" };
        Some(format!(
            "{how} the other branch (file {}, lock {side:?})",
            if ours { "ours" } else { "theirs" }
        ))
    }

    pub(super) fn pull(&mut self, m: usize, ours: bool, side: Side) -> Option<String> {
        let branch = self.clones[m].branch;
        let other = self.clones[1 - m].refs[branch];
        self.join(m, other, ours, side, false)?;
        Some(format!(
            "pulls branch {branch} (file {}, lock {side:?})",
            if ours { "ours" } else { "theirs" }
        ))
    }

    fn join(
        &mut self,
        m: usize,
        other: usize,
        prefers_ours: bool,
        side: Side,
        is_squash: bool,
    ) -> Option<()> {
        let head = self.head(m);
        if self.repo.ancestors(head).contains(&other) {
            return None;
        }
        if self.repo.ancestors(other).contains(&head) && !is_squash {
            return self.check_out(m, other, None);
        }
        let base = self.repo.commits[self.repo.merge_base(head, other)].clone();
        let (ours, theirs) = (self.repo.commits[head].clone(), self.repo.commits[other].clone());
        let files = Files::merge(&base.files, &ours.files, &theirs.files, prefers_ours, side);
        let mut about = Vec::new();
        for doc in 0..2 {
            for side in [&ours, &theirs] {
                about.extend(
                    base.files.docs[doc]
                        .differences(&side.files.docs[doc])
                        .into_iter()
                        .map(|place| (doc, place)),
                );
            }
        }
        let parents = if is_squash { vec![head] } else { vec![head, other] };
        let (edits, syncs) = (ours.edits | theirs.edits, ours.syncs | theirs.syncs);
        let author = self.repo.author();
        let kind = if is_squash { Kind::Plain } else { Kind::Merge };
        let merged =
            Commit { parents, author, files, edits, syncs, kind, about, read: Default::default() };
        let merged = self.repo.add(merged);
        self.check_out(m, merged, None)
    }

    pub(super) fn revert(&mut self, m: usize, side: Side) -> Option<String> {
        let head = self.head(m);
        let reverted = self.repo.commits[head].clone();
        let [parent] = reverted.parents[..] else { return None };
        if self.is_dirty(m) {
            return None;
        }
        let before = self.repo.commits[parent].clone();
        let mut files = reverted.files.clone();
        let (mut edits, mut about) = (0, Vec::new());
        for doc in 0..2 {
            for place in reverted.files.docs[doc].differences(&before.files.docs[doc]) {
                let was = before.files.docs[doc].values.get(&place).cloned();
                let (value, _) = was.unwrap_or_else(|| match place {
                    Place::Item(_) => (false.into(), 0),
                    _ => (serde_json::Value::Null, 0),
                });
                if place == Place::Order {
                    let mut order = before.files.docs[doc].order.clone();
                    order.extend(
                        files.docs[doc]
                            .order
                            .iter()
                            .filter(|tag| !before.files.docs[doc].order.contains(tag)),
                    );
                    files.docs[doc].order = order;
                }
                if matches!(place, Place::Value(..))
                    && before.files.docs[doc].edit(&place).is_none()
                {
                    continue;
                }
                self.values.push((doc, place.clone(), value.clone()));
                let edit = u32::try_from(self.values.len() - 1).expect("few edits");
                files.docs[doc].values.insert(place.clone(), (value, edit));
                edits |= 1 << edit;
                about.push((doc, place));
            }
            files.locks[doc] = merge_lines(
                &reverted.files.locks[doc],
                &reverted.files.locks[doc],
                &before.files.locks[doc],
                side,
            );
        }
        files.lock_paths = before.files.lock_paths.clone();
        if about.is_empty() {
            return None;
        }
        let author = self.repo.author();
        let commit = self.repo.add(Commit {
            parents: vec![head],
            author,
            files,
            edits: reverted.edits | edits,
            syncs: reverted.syncs,
            kind: Kind::Revert,
            about,
            read: Default::default(),
        });
        self.check_out(m, commit, None)?;
        Some("reverts HEAD".to_owned())
    }

    pub(super) fn rebase(&mut self, m: usize, ours: bool, side: Side) -> Option<String> {
        let (head, other) = (self.head(m), self.clones[m].refs[1 - self.clones[m].branch]);
        let below = self.repo.ancestors(other);
        if self.is_dirty(m) || below.contains(&head) {
            return None;
        }
        let (mut todo, mut at) = (Vec::new(), head);
        while !below.contains(&at) {
            let [parent] = self.repo.commits[at].parents[..] else { return None };
            todo.push(at);
            at = parent;
        }
        let mut onto = other;
        for commit in todo.into_iter().rev() {
            onto = self.repo.pick(onto, commit, ours, side).unwrap_or(onto);
        }
        let files = self.repo.commits[onto].files.clone();
        let clone = &mut self.clones[m];
        clone.refs[clone.branch] = onto;
        clone.files = files;
        (clone.edits, clone.syncs) = (0, 0);
        Some(format!("rebases onto the other branch (lock {side:?})"))
    }
}
