//! Splices for the changes of a document.

use super::changes::{TextChange, step};
use super::edit::{MarkedConflict, PatchError, Path, not_in_place};
use super::splice::{Region, Splice, Writer};
use super::{block, flow, mark, value};
use crate::page_file::lex::line_start;
use crate::page_file::node::{Node, Notation};

impl Writer<'_> {
    /// Returns the splices for the changes of a document.
    pub(super) fn splices(
        &self,
        root: &Node,
        change: &TextChange<'_>,
    ) -> Result<Vec<Splice>, PatchError> {
        let (path, start) = (Path::root(), root.layout.extent.start);
        let mut splices = self.marks(change.marks.iter().copied(), start, &path)?;
        if !root.is_block() {
            splices.extend(self.new_marks(change, start, &path)?);
        }
        splices.extend(self.below(root, change, &path)?);
        Ok(splices)
    }

    /// Returns the splices for the changes of the entries of a value.
    fn below(
        &self,
        node: &Node,
        change: &TextChange<'_>,
        path: &Path,
    ) -> Result<Vec<Splice>, PatchError> {
        let Notation::Collection { is_flow, is_regular } = node.layout.style else {
            return Ok(Vec::new());
        };
        let mut by_entry = Vec::with_capacity(change.children.len());
        for (&at, below) in &change.children {
            let (Some(value), (_, path)) = (node.child(at), step(node, at, path)) else { continue };
            let start = value.layout.start;
            let mut splices = self.marks(below.marks.iter().copied(), start, &path)?;
            let rewritten = below.rewritten(value, &path)?;
            if rewritten.is_some() || !value.is_block() {
                splices.extend(self.new_marks(below, start, &path)?);
            }
            if below.is_removed {
                // The rearrangement leaves it out.
            } else if let Some(new) = rewritten {
                splices.push(value::splice(self, node, value, &new, &path)?);
            } else {
                splices.extend(self.below(value, below, &path)?);
            }
            by_entry.push((at, splices));
        }
        if !change.rearranges() {
            return Ok(by_entry.into_iter().flat_map(|(_, splices)| splices).collect());
        }
        if !is_regular {
            return Err(not_in_place(path, &node.layout.extent, "it is written in an unusual way"));
        }
        let parts = change.parts(node.count(), path)?;
        let region = Region { writer: self, node, path };
        if is_flow {
            flow::rearranged(&region, &parts, by_entry)
        } else {
            block::rearranged(&region, &parts, by_entry)
        }
    }

    /// Returns the splices for marks of new items that have no line of their own.
    fn new_marks(
        &self,
        change: &TextChange<'_>,
        entry: usize,
        path: &Path,
    ) -> Result<Vec<Splice>, PatchError> {
        let item = path.clone().item(0);
        self.marks(change.new_marks().map(|conflict| (&item, conflict)), entry, path)
    }

    /// Returns the splices for marks above the line of an entry.
    fn marks<'m>(
        &self,
        marks: impl Iterator<Item = (&'m Path, &'m MarkedConflict)>,
        entry: usize,
        path: &Path,
    ) -> Result<Vec<Splice>, PatchError> {
        let mut marks = marks.peekable();
        if marks.peek().is_none() {
            return Ok(Vec::new());
        }
        if self.style.is_json {
            return Err(PatchError::NotMarkable { path: path.clone(), span: entry..entry });
        }
        let at = self.line_of(entry);
        let pad = &self.text[line_start(self.text, at)..at];
        let splice = |(path, conflict)| {
            let line = mark::line(path, conflict);
            Splice::new(at..at, format!("{line}{}{pad}", self.style.line_break))
        };
        Ok(marks.map(splice).collect())
    }
}
