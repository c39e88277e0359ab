//! All edits of one call as a tree of changes along the document, and the tree that the document becomes.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use super::edit::{Edit, MarkedConflict, PatchError, Path, PathStep};
use crate::page_file::node::{Node, Tree};

/// Changes of a value and of what is below it.
#[derive(Default)]
pub(super) struct TextChange<'e> {
    /// Marks above its line.
    pub(super) marks: Vec<(&'e Path, &'e MarkedConflict)>,
    /// True for an entry that is removed.
    pub(super) is_removed: bool,
    /// Changes of entries, by index.
    pub(super) children: BTreeMap<usize, TextChange<'e>>,
    /// New keys of a mapping.
    pub(super) added: Vec<(String, Added)>,
    /// Index of the entry before which keys are added: that of the slots in the document itself; at the end without one.
    added_before: Option<usize>,
    replaced: Option<&'e Value>,
    /// Items of a list that are new or moved, each with the index of the item that it follows.
    placed: Vec<(Option<usize>, EntryPart<'e>)>,
}

/// Value of a new key.
pub(super) enum Added {
    /// Value of an edit.
    Whole(Value),
    /// Mapping made of several edits.
    Map(Vec<(String, Added)>),
    /// List made of several edits.
    List(Vec<Value>),
}

/// Entry of a changed collection.
#[derive(Clone)]
pub(super) enum EntryPart<'c> {
    /// Entry that is there already.
    Own {
        /// Index of the entry before the changes.
        at: usize,
        /// True for an item that is moved.
        is_moved: bool,
    },
    /// New item with a mark above it.
    Item(&'c Value, Option<&'c MarkedConflict>),
    /// New key.
    Key(&'c str, Value),
}

impl Added {
    /// Converts the addition to a value.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Whole(value) => value.clone(),
            Self::Map(entries) => {
                entries.iter().map(|(name, it)| (name.clone(), it.value())).collect()
            }
            Self::List(items) => items.clone().into(),
        }
    }
}

impl<'e> TextChange<'e> {
    /// Arranges edits along a document.
    ///
    /// # Errors
    ///
    /// [`PatchError::NotFound`] and [`PatchError::Overlap`].
    pub(super) fn of(root: &Node, edits: &'e [Edit]) -> Result<Self, PatchError> {
        let slots = PathStep::Key("slots".to_owned()).index_in(root);
        let added_before = slots.filter(|at| *at > 0);
        let mut whole = Self { added_before, ..Self::default() };
        for edit in edits {
            whole.take(root, edit)?;
        }
        Ok(whole)
    }

    fn take(&mut self, root: &Node, edit: &'e Edit) -> Result<(), PatchError> {
        let path = edit.path();
        let (change, node, missing) = self.locate(root, path)?;
        let (is_there, is_root) = (missing.is_empty(), path.0.is_empty());
        let is_item = |after: &Option<usize>| after.is_none_or(|after| after < node.count());
        let is_list = matches!(node.tree, Tree::List(_) | Tree::Null);
        let is_open = change.replaced.is_none() && !change.is_removed;
        let check = |is_found: bool, is_free: bool| match (is_found, is_free) {
            (false, _) => Err(PatchError::NotFound(path.clone())),
            (true, false) => Err(PatchError::Overlap(path.clone())),
            (true, true) => Ok(()),
        };
        match edit {
            Edit::Mark { conflict, .. } => {
                check(true, !change.is_removed)?;
                change.marks.push((path, conflict));
            }
            Edit::Set { value, .. } if is_there => {
                check(!is_root, !change.is_touched())?;
                change.replaced = Some(value);
            }
            Edit::Set { value, .. } => {
                check(true, is_open && change.placed.is_empty())?;
                return add(&mut change.added, missing, path, Added::Whole(value.clone()));
            }
            Edit::Remove { .. } => {
                check(is_there && !is_root, !change.is_touched() && change.marks.is_empty())?;
                change.is_removed = true;
            }
            Edit::Insert { after, value, mark, .. } if is_there => {
                check(is_list && is_item(after), is_open && change.added.is_empty())?;
                change.placed.push((*after, EntryPart::Item(value, mark.as_ref())));
            }
            Edit::Insert { after, value, mark, .. } => {
                check(after.is_none(), is_open && change.placed.is_empty())?;
                change.marks.extend(mark.as_ref().map(|conflict| (path, conflict)));
                return add(&mut change.added, missing, path, Added::List(vec![value.clone()]));
            }
            Edit::Move { item, after, .. } => {
                check(is_there && *item < node.count() && is_item(after), is_open)?;
                change.placed.push((*after, EntryPart::Own { at: *item, is_moved: true }));
            }
        }
        Ok(())
    }

    /// Returns the change and the node of the deepest existing value of a path, and the steps from there on.
    fn locate<'c, 'n, 'p>(
        &'c mut self,
        root: &'n Node,
        path: &'p Path,
    ) -> Result<(&'c mut Self, &'n Node, &'p [PathStep]), PatchError> {
        let (mut change, mut node) = (self, root);
        for (depth, step) in path.0.iter().enumerate() {
            if change.replaced.is_some() || change.is_removed {
                return Err(PatchError::Overlap(path.clone()));
            }
            let index = step.index_in(node);
            let Some((index, below)) = index.and_then(|index| Some((index, node.child(index)?)))
            else {
                // `data:` and `data: []` stand for a mapping without keys, too.
                let may_be_added = match &node.tree {
                    Tree::Map(_) | Tree::Null => true,
                    Tree::List(items) => items.is_empty(),
                    _ => false,
                };
                if may_be_added && matches!(step, PathStep::Key(_)) {
                    return Ok((change, node, &path.0[depth..]));
                }
                return Err(PatchError::NotFound(path.clone()));
            };
            (change, node) = (change.children.entry(index).or_default(), below);
        }
        Ok((change, node, &[]))
    }

    fn is_touched(&self) -> bool {
        let has_own = self.is_removed || self.replaced.is_some();
        has_own || !self.children.is_empty() || self.rearranges()
    }

    /// Marks of new items.
    pub(super) fn new_marks(&self) -> impl Iterator<Item = &'e MarkedConflict> {
        self.placed.iter().filter_map(|(_, placed)| match placed {
            EntryPart::Item(_, mark) => *mark,
            _ => None,
        })
    }

    /// Tells whether entries come, go or move.
    pub(super) fn rearranges(&self) -> bool {
        !self.added.is_empty()
            || !self.placed.is_empty()
            || self.children.values().any(|child| child.is_removed)
    }

    /// Returns the entries of the changed collection in their order. `length` is the number of entries before.
    ///
    /// # Errors
    ///
    /// [`PatchError::Overlap`] at the path, for items that are moved twice, moved and removed, or moved in a circle.
    pub(super) fn parts(
        &self,
        length: usize,
        path: &Path,
    ) -> Result<Vec<EntryPart<'_>>, PatchError> {
        let overlap = || PatchError::Overlap(path.clone());
        let is_removed = |at: &usize| self.children.get(at).is_some_and(|child| child.is_removed);
        let mut followers: HashMap<Option<usize>, Vec<EntryPart<'e>>> = HashMap::new();
        let mut moved = HashSet::new();
        for (after, placed) in &self.placed {
            if let EntryPart::Own { at, .. } = placed
                && (is_removed(at) || !moved.insert(*at))
            {
                return Err(overlap());
            }
            followers.entry(*after).or_default().insert(0, placed.clone());
        }
        let stays = (0..length).rev().filter(|at| !moved.contains(at));
        let stays = stays.map(|at| EntryPart::Own { at, is_moved: false });
        let mut waiting: Vec<_> = stays.collect();
        waiting.extend(followers.remove(&None).unwrap_or_default());
        let mut parts = Vec::new();
        while let Some(next) = waiting.pop() {
            let at = match next {
                EntryPart::Own { at, .. } => Some(at),
                _ => None,
            };
            if !at.is_some_and(|at| is_removed(&at)) {
                parts.push(next);
            }
            waiting.extend(followers.remove(&at).unwrap_or_default());
        }
        if !followers.is_empty() {
            return Err(overlap());
        }
        let is_before = |part: &EntryPart<'_>| matches!(part, EntryPart::Own { at, .. } if Some(*at) == self.added_before);
        let place = parts.iter().position(is_before).unwrap_or(parts.len());
        let added = self.added.iter().map(|(name, added)| EntryPart::Key(name, added.value()));
        parts.splice(place..place, added);
        Ok(parts)
    }

    /// Returns the value that the changes make of a node.
    ///
    /// # Errors
    ///
    /// Those of [`parts`](Self::parts).
    pub(super) fn applied(&self, node: &Node, path: &Path) -> Result<Value, PatchError> {
        if let Some(value) = self.replaced {
            return Ok(value.clone());
        }
        if !self.is_touched() {
            return Ok(node.to_json());
        }
        let mut items = Vec::new();
        let mut entries = Map::new();
        for part in self.parts(node.count(), path)? {
            let (step, value) = match part {
                EntryPart::Item(value, _) => (PathStep::Item(0), value.clone()),
                EntryPart::Key(name, value) => (PathStep::Key(name.to_owned()), value),
                EntryPart::Own { at, .. } => {
                    let Some(below) = node.child(at) else { continue };
                    let value = match self.children.get(&at) {
                        Some(child) => child.applied(below, &path.entry(node, at))?,
                        None => below.to_json(),
                    };
                    (PathStep::of(node, at), value)
                }
            };
            match step {
                PathStep::Key(name) => drop(entries.insert(name, value)),
                PathStep::Item(_) => items.push(value),
            }
        }
        let is_map = node.is_map() || !self.added.is_empty();
        Ok(if is_map { Value::Object(entries) } else { Value::Array(items) })
    }

    /// Returns the new value of a node that has to be written as a whole: a value that is replaced, a collection that becomes empty or was so.
    ///
    /// # Errors
    ///
    /// Those of [`parts`](Self::parts).
    pub(super) fn rewritten(&self, node: &Node, path: &Path) -> Result<Option<Value>, PatchError> {
        if let Some(value) = self.replaced {
            return Ok((*value != node.to_json()).then(|| value.clone()));
        }
        let length = node.count();
        if !self.rearranges() || length > 0 && !self.parts(length, path)?.is_empty() {
            return Ok(None);
        }
        self.applied(node, path).map(Some)
    }
}

/// Adds a value at steps that do not exist.
fn add(
    entries: &mut Vec<(String, Added)>,
    steps: &[PathStep],
    path: &Path,
    new: Added,
) -> Result<(), PatchError> {
    let Some((PathStep::Key(name), rest)) = steps.split_first() else {
        return Err(PatchError::NotFound(path.clone()));
    };
    let at = entries.iter().position(|(key, _)| key == name);
    match (at.map(|at| &mut entries[at].1), rest, new) {
        (None, [], new) => entries.push((name.clone(), new)),
        (None, rest, new) => {
            let mut below = Vec::new();
            add(&mut below, rest, path, new)?;
            entries.push((name.clone(), Added::Map(below)));
        }
        (Some(Added::List(items)), [], Added::List(more)) => items.extend(more),
        (Some(Added::Map(below)), rest @ [_, ..], new) => add(below, rest, path, new)?,
        _ => return Err(PatchError::Overlap(path.clone())),
    }
    Ok(())
}
