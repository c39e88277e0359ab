//! The text after edits: what is replaced in it, and the check that it is read as intended.

use serde_json::Value;

use super::changes::{TextChange, step};
use super::edit::{Edit, MarkedConflict, PatchError, Path, mark_line, not_in_place};
use super::{Region, Splice, Writer, arrange, render, value};
use crate::page_file::emit::TextStyle;
use crate::page_file::lex::line_start;
use crate::page_file::node::{Node, Notation};
use crate::page_file::read::{read, read_with_layout};

/// Returns the text after edits, which may be given in any order.
///
/// # Errors
///
/// [`PatchError`]; nothing is returned then.
pub fn patch(text: &str, edits: &[Edit]) -> Result<String, PatchError> {
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (root, odd) = read_with_layout(content).map_err(PatchError::Invalid)?;
    let change = TextChange::of(&root, edits)?;
    let path = Path::root();
    let expected = change.applied(&root, &path)?;
    let refused = |at: usize, reason| not_in_place(&path, &(at..at), reason);
    if let Some(at) = lone_carriage_return(content) {
        return Err(refused(at, "a line ends with a lone carriage return"));
    }
    if let Some(at) = odd {
        return Err(refused(at, "its notation is not supported"));
    }
    if change.rewritten(&root, &path)?.is_some() {
        return Err(refused(0, "the file would be empty"));
    }
    let style = TextStyle::of(content, &root);
    let splices =
        Writer { text: content, style, scalars: root.scalars() }.splices(&root, &change)?;
    let patched = render(content, 0..content.len(), splices)
        .map_err(|at| refused(at, "it shares lines with other values"))?;
    verify(&root, edits, &patched, &expected)?;
    Ok(format!("{}{patched}", &text[..text.len() - content.len()]))
}

/// Checks that a text is read as the expected tree, with the keys in their order: equal maps may differ in it.
fn verify(
    before: &Node,
    edits: &[Edit],
    patched: &str,
    expected: &Value,
) -> Result<(), PatchError> {
    let text_of = |value: &Value| value.to_string();
    if read(patched).is_ok_and(|root| text_of(&root.to_json()) == text_of(expected)) {
        return Ok(());
    }
    let path = edits.first().map(|edit| edit.path().clone()).unwrap_or_default();
    let span = before.locate("", path.to_string().split('.'));
    Err(not_in_place(&path, &span, "the edited file would not be read as intended"))
}

impl Writer<'_> {
    /// Returns the splices for the changes of a document.
    fn splices(&self, root: &Node, change: &TextChange<'_>) -> Result<Vec<Splice>, PatchError> {
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
        let Notation::Collection { is_flow } = node.layout.style else {
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
        let parts = change.parts(node.count(), path)?;
        let region = Region { writer: self, node, path };
        if is_flow {
            arrange::flow_rearranged(&region, &parts, by_entry)
        } else {
            arrange::block_rearranged(&region, &parts, by_entry)
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
            let line = mark_line(path, conflict);
            Splice::new(at..at, format!("{line}{}{pad}", self.style.line_break))
        };
        Ok(marks.map(splice).collect())
    }
}

/// Returns the place of a carriage return that is not part of a Windows line end.
fn lone_carriage_return(text: &str) -> Option<usize> {
    let mut places = text.match_indices('\r').map(|(at, _)| at);
    places.find(|at| text.as_bytes().get(at + 1) != Some(&b'\n'))
}
