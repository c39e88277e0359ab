//! Splices for the changes of a document.

use super::changes::{TextChange, child, step};
use super::context::{Region, Writer, not_in_place};
use super::edit::{MarkedConflict, Path};
use super::error::PatchError;
use super::lex::line_start;
use super::splice::Splice;
use super::syntax::Syntax;
use super::{block, flow, mark, value};
use crate::page_file::node::Node;

impl Writer<'_> {
    /// Returns the splices for the changes of a document.
    pub(super) fn splices(
        &self,
        syntax: &Syntax,
        root: &Node,
        change: &TextChange<'_>,
    ) -> Result<Vec<Splice>, PatchError> {
        let path = Path::root();
        let mut splices = self.marks(change.marks.iter().copied(), syntax.span.start, &path)?;
        if !syntax.is_block_collection() {
            splices.extend(self.new_marks(change, syntax.span.start, &path)?);
        }
        splices.extend(self.below(syntax, root, change, &path)?);
        Ok(splices)
    }

    /// Returns the splices for the changes of the entries of a value.
    fn below(
        &self,
        syntax: &Syntax,
        node: &Node,
        change: &TextChange<'_>,
        path: &Path,
    ) -> Result<Vec<Splice>, PatchError> {
        let Some(collection) = syntax.collection() else { return Ok(Vec::new()) };
        let mut by_entry = Vec::with_capacity(change.children.len());
        for (&at, below) in &change.children {
            let (Some(entry), Some(node), (_, path)) =
                (collection.entries.get(at), child(node, at), step(node, at, path))
            else {
                continue;
            };
            let mut splices = self.marks(below.marks.iter().copied(), entry.start, &path)?;
            let rewritten = below.rewritten(node, &path)?;
            if rewritten.is_some() || !entry.value.is_block_collection() {
                splices.extend(self.new_marks(below, entry.start, &path)?);
            }
            if below.is_removed {
                // The rearrangement leaves it out.
            } else if let Some(new) = rewritten {
                splices.push(value::splice(self, collection, at, &new, &path)?);
            } else {
                splices.extend(self.below(&entry.value, node, below, &path)?);
            }
            by_entry.push((at, splices));
        }
        if !change.rearranges() {
            return Ok(by_entry.into_iter().flat_map(|(_, splices)| splices).collect());
        }
        if !collection.is_regular {
            return Err(not_in_place(path, &syntax.span, "it is written in an unusual way"));
        }
        let parts = change.parts(collection.entries.len(), path)?;
        let region = Region { writer: self, syntax, collection, path };
        if collection.is_flow {
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
