//! The text after edits: what is replaced in it, and the check that it is read as intended.

use super::arrange::{Region, block_rearranged, flow_rearranged};
use super::changes::TextChange;
use super::edit::{Edit, MarkedConflict, PatchError, Path, mark_line, not_in_place};
use super::{Splice, Writer, value};
use crate::page_file::emit::TextStyle;
use crate::page_file::lex::line_start;
use crate::page_file::node::Node;
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
    let mut returns = content.match_indices('\r').map(|(at, _)| at);
    if let Some(at) = returns.find(|at| !content[*at..].starts_with("\r\n")) {
        return Err(refused(at, "a line ends with a lone carriage return"));
    }
    if let Some(at) = odd {
        return Err(refused(at, "its notation is not supported"));
    }
    if change.rewritten(&root, &path)?.is_some() {
        return Err(refused(0, "the file would be empty"));
    }
    let style = TextStyle::of(content, &root);
    let writer = Writer { text: content, style, scalars: root.scalars() };
    let patched = writer.render(0..content.len(), writer.splices(&root, &root, &change, &path)?)?;
    // Equal maps may differ in the order of their keys, equal texts of them not.
    let text_of = |tree: &serde_json::Value| tree.to_string();
    if read(&patched).is_ok_and(|it| text_of(&it.to_json()) == text_of(&expected)) {
        return Ok(format!("{}{patched}", &text[..text.len() - content.len()]));
    }
    let path = edits.first().map(|edit| edit.path().clone()).unwrap_or_default();
    let (_, closest, _) = root.closest(path.to_string().split('.'));
    Err(not_in_place(&path, &closest.span, "the edited file would not be read as intended"))
}

impl Writer<'_> {
    /// Returns the splices for the changes of a value in a collection. The document is in none, and is not written as a whole.
    fn splices(
        &self,
        parent: &Node,
        node: &Node,
        change: &TextChange<'_>,
        path: &Path,
    ) -> Result<Vec<Splice>, PatchError> {
        let rewritten = change.rewritten(node, path)?;
        // New items may have no line of their own.
        let has_lines = rewritten.is_none() && node.is_block();
        let item = path.clone().item(0);
        let new = change.new_marks().filter(|_| !has_lines).map(|conflict| (&item, conflict));
        let marks = change.marks.iter().copied().chain(new);
        let mut splices = self.marks(marks, node.layout.start, path)?;
        // The rearrangement leaves out what is removed.
        if change.is_removed {
            return Ok(splices);
        }
        if let Some(new) = rewritten {
            splices.push(value::splice(self, parent, node, &new, path)?);
            return Ok(splices);
        }
        let mut by_entry = Vec::with_capacity(change.children.len());
        for (&at, below) in &change.children {
            let Some(value) = node.child(at) else { continue };
            by_entry.push((at, self.splices(node, value, below, &path.entry(node, at))?));
        }
        if !change.rearranges() {
            splices.extend(by_entry.into_iter().flat_map(|(_, splices)| splices));
            return Ok(splices);
        }
        let parts = change.parts(node.count(), path)?;
        let region = Region { writer: self, node, path };
        let rearranged = if node.is_flow() { flow_rearranged } else { block_rearranged };
        splices.extend(rearranged(&region, &parts, by_entry)?);
        Ok(splices)
    }

    /// Returns the splices for marks above the line of an entry.
    fn marks<'m>(
        &self,
        marks: impl Iterator<Item = (&'m Path, &'m MarkedConflict)>,
        entry: usize,
        path: &Path,
    ) -> Result<Vec<Splice>, PatchError> {
        let at = self.line_of(entry);
        let pad = &self.text[line_start(self.text, at)..at];
        let splice = |(marked, conflict)| {
            if self.style.is_json {
                return Err(PatchError::NotMarkable { path: path.clone(), span: entry..entry });
            }
            let line = mark_line(marked, conflict);
            Ok(Splice { span: at..at, text: format!("{line}{}{pad}", self.style.line_break) })
        };
        marks.map(splice).collect()
    }
}
