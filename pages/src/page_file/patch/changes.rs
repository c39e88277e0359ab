//! All edits of one call as a tree of changes along the document, and the tree that the document becomes.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Map, Value};

use super::edit::{Edit, MarkedConflict, PatchError, Path, PathStep};
use crate::page_file::node::{Key, Node, Tree};

/// Changes of a value and of what is below it.
#[derive(Debug, Default)]
pub(super) struct TextChange<'e> {
    /// Marks above its line.
    pub(super) marks: Vec<(&'e Path, &'e MarkedConflict)>,
    /// True for an entry that is removed.
    pub(super) is_removed: bool,
    /// Changes of entries, by index.
    pub(super) children: BTreeMap<usize, TextChange<'e>>,
    /// New keys of a mapping.
    pub(super) added: Vec<(String, Added)>,
    /// Index of the entry before which keys are added; at the end without one.
    added_before: Option<usize>,
    replaced: Option<&'e Value>,
    /// Items of a list that are new or moved, each with the index of the item that it follows.
    placed: Vec<(Option<usize>, EntryPart<'e>)>,
}

/// Value of a new key.
#[derive(Debug)]
pub(super) enum Added {
    /// Value of an edit.
    Whole(Value),
    /// Mapping made of several edits.
    Map(Vec<(String, Added)>),
    /// List made of several edits.
    List(Vec<Value>),
}

/// Entry of a changed collection.
#[derive(Clone, Debug)]
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

/// Returns the index of a key of a mapping below its first one.
fn index_of(mapping: &Node, name: &str) -> Option<usize> {
    let is_named = |(key, _): &(Key, Node)| key.name == name;
    mapping.entries()?.iter().position(is_named).filter(|at| *at > 0)
}

impl Added {
    /// Converts the addition to a value.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Whole(value) => value.clone(),
            Self::Map(entries) => {
                Value::Object(entries.iter().map(|(name, it)| (name.clone(), it.value())).collect())
            }
            Self::List(items) => Value::Array(items.clone()),
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
        let mut whole = Self::default();
        for edit in edits {
            whole.take(root, edit)?;
        }
        Ok(whole)
    }

    fn take(&mut self, root: &Node, edit: &'e Edit) -> Result<(), PatchError> {
        let path = edit.path();
        let (change, node, missing) = self.locate(root, path)?;
        let overlap = || PatchError::Overlap(path.clone());
        let not_found = || PatchError::NotFound(path.clone());
        let ensure =
            |is: bool, error: &dyn Fn() -> PatchError| if is { Ok(()) } else { Err(error()) };
        match edit {
            Edit::Mark { conflict, .. } => {
                ensure(!change.is_removed, &overlap)?;
                change.marks.push((path, conflict));
                return Ok(());
            }
            Edit::Set { value, .. } | Edit::SetAbove { value, .. } if missing.is_empty() => {
                ensure(!path.0.is_empty(), &not_found)?;
                ensure(!change.is_touched(), &overlap)?;
                change.replaced = Some(value);
                return Ok(());
            }
            Edit::Remove { .. } => {
                ensure(missing.is_empty() && !path.0.is_empty(), &not_found)?;
                ensure(!change.is_touched() && change.marks.is_empty(), &overlap)?;
                change.is_removed = true;
                return Ok(());
            }
            _ => {}
        }
        ensure(change.replaced.is_none() && !change.is_removed, &overlap)?;
        let length = node.count();
        let is_item = |after: &Option<usize>| after.is_none_or(|after| after < length);
        match edit {
            Edit::Set { value, .. } | Edit::SetAbove { value, .. } => {
                ensure(change.placed.is_empty(), &overlap)?;
                if let Edit::SetAbove { above, .. } = edit {
                    change.added_before = index_of(node, above);
                }
                add(&mut change.added, missing, path, Added::Whole(value.clone()))
            }
            Edit::Insert { after, value, mark, .. } if !missing.is_empty() => {
                ensure(after.is_none(), &not_found)?;
                ensure(change.placed.is_empty(), &overlap)?;
                change.marks.extend(mark.as_ref().map(|conflict| (path, conflict)));
                add(&mut change.added, missing, path, Added::List(vec![value.clone()]))
            }
            Edit::Insert { after, value, mark, .. } => {
                let is_list = matches!(node.tree, Tree::List(_) | Tree::Null);
                ensure(is_list && is_item(after), &not_found)?;
                ensure(change.added.is_empty(), &overlap)?;
                change.placed.push((*after, EntryPart::Item(value, mark.as_ref())));
                Ok(())
            }
            Edit::Move { item, after, .. } => {
                ensure(missing.is_empty() && *item < length && is_item(after), &not_found)?;
                change.placed.push((*after, EntryPart::Own { at: *item, is_moved: true }));
                Ok(())
            }
            Edit::Mark { .. } | Edit::Remove { .. } => Ok(()),
        }
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
            let index = match (step, &node.tree) {
                (PathStep::Key(name), Tree::Map(entries)) => {
                    entries.iter().position(|(key, _)| key.name == *name)
                }
                (PathStep::Item(index), Tree::List(items)) if *index < items.len() => Some(*index),
                // Both stand for a mapping without keys: `data:` and `data: []`.
                (PathStep::Key(_), Tree::Null) => None,
                (PathStep::Key(_), Tree::List(items)) if items.is_empty() => None,
                _ => return Err(PatchError::NotFound(path.clone())),
            };
            let Some((index, below)) = index.and_then(|index| Some((index, node.child(index)?)))
            else {
                return Ok((change, node, &path.0[depth..]));
            };
            (change, node) = (change.children.entry(index).or_default(), below);
        }
        Ok((change, node, &[]))
    }

    fn is_touched(&self) -> bool {
        self.is_removed
            || self.replaced.is_some()
            || !self.children.is_empty()
            || !self.added.is_empty()
            || !self.placed.is_empty()
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
        let mut followers: HashMap<Option<usize>, Vec<&EntryPart<'e>>> = HashMap::new();
        let mut moved = HashSet::new();
        for (after, placed) in &self.placed {
            if let EntryPart::Own { at, .. } = placed
                && (is_removed(at) || !moved.insert(*at))
            {
                return Err(overlap());
            }
            followers.entry(*after).or_default().push(placed);
        }
        let stays = (0..length).filter(|at| !moved.contains(at));
        let stays: Vec<_> = stays.map(|at| EntryPart::Own { at, is_moved: false }).collect();
        let mut waiting: Vec<_> = stays.iter().rev().collect();
        waiting.extend(followers.remove(&None).unwrap_or_default().into_iter().rev());
        let mut parts = Vec::new();
        while let Some(next) = waiting.pop() {
            match next {
                EntryPart::Own { at, .. } => {
                    if !is_removed(at) {
                        parts.push(next.clone());
                    }
                    let below = followers.remove(&Some(*at)).unwrap_or_default();
                    waiting.extend(below.into_iter().rev());
                }
                part => parts.push(part.clone()),
            }
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
        let is_map = match &node.tree {
            Tree::Map(_) => true,
            _ => !self.added.is_empty(),
        };
        for part in self.parts(node.count(), path)? {
            let (name, value) = match part {
                EntryPart::Item(value, _) => (None, value.clone()),
                EntryPart::Key(name, value) => (Some(name.to_owned()), value),
                EntryPart::Own { at, .. } => {
                    let Some(below) = node.child(at) else { continue };
                    let (name, path) = step(node, at, path);
                    let value = match self.children.get(&at) {
                        Some(child) => child.applied(below, &path)?,
                        None => below.to_json(),
                    };
                    (name, value)
                }
            };
            match name {
                Some(name) => drop(entries.insert(name, value)),
                None => items.push(value),
            }
        }
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

/// Name of an entry, `None` for an item of a list, and its path.
pub(super) fn step(node: &Node, index: usize, path: &Path) -> (Option<String>, Path) {
    match &node.tree {
        Tree::Map(entries) => {
            let name = entries.get(index).map(|(key, _)| key.name.clone()).unwrap_or_default();
            (Some(name.clone()), path.clone().key(name))
        }
        _ => (None, path.clone().item(index)),
    }
}
