//! Edits of the text of a page file that leave everything else in it as it is: comments, order of keys, quoting, references, blank lines,
//! line ends.
//!
//! - A comment belongs to the entry that it is directly above, at the end of, or within: it moves with it, and goes when the entry is removed.
//!   Other comments and the head of the file stay where they are.
//! - A new value has the quotes of the old one, a new entry the style and indentation of its neighbours.
//! - A value that is equal already is not touched.
//!
//! The result is parsed again and compared with the tree that the edits make, so that a text that is not understood is refused instead of
//! being written wrongly.

mod block;
mod changes;
mod edit;
mod flow;
mod mark;
mod sequence;
mod splice;
mod value;
mod writer;

pub use edit::{Edit, MarkedConflict, PatchError, Path, PathStep, moves};
#[cfg(test)]
use mark::marks;
pub use mark::{refuse_marks, without_marks};

use changes::TextChange;
use edit::not_in_place;
use serde_json::Value;
use splice::{Writer, render};

use super::emit::TextStyle;
use super::node::Node;
use super::read::{read, read_with_layout};

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
        return Err(refused(at, "a line ends with a carriage return alone"));
    }
    if let Some(at) = odd {
        return Err(refused(at, "it is written in an unusual way"));
    }
    if change.rewritten(&root, &path)?.is_some() {
        return Err(refused(0, "nothing of the file would be left"));
    }
    let style = TextStyle::of(content, &root);
    let splices =
        Writer { text: content, style, scalars: root.scalars() }.splices(&root, &change)?;
    let patched = render(content, 0..content.len(), splices)
        .map_err(|at| refused(at, "its lines are shared with other values"))?;
    verify(&root, edits, &patched, &expected)?;
    Ok(format!("{}{patched}", &text[..text.len() - content.len()]))
}

/// Checks that a text is read as the expected tree, with the keys in their order.
fn verify(
    before: &Node,
    edits: &[Edit],
    patched: &str,
    expected: &Value,
) -> Result<(), PatchError> {
    let text_of = |value: &Value| value.to_string();
    let read = read(patched).map(|root| root.to_json());
    let path = match read {
        // Equal maps may differ in the order of their keys.
        Ok(read) if text_of(&read) == text_of(expected) => return Ok(()),
        Ok(read) => difference(&read, expected),
        Err(_) => edits.first().map(|edit| edit.path().clone()).unwrap_or_default(),
    };
    let name = |step: &PathStep| match step {
        PathStep::Key(name) => name.clone(),
        PathStep::Item(index) => index.to_string(),
    };
    let steps: Vec<String> = path.0.iter().map(name).collect();
    let span = before.locate("", steps.iter().map(String::as_str));
    Err(not_in_place(&path, &span, "the changed text would not be read as intended"))
}

/// Returns the path of the first difference between two values.
fn difference(read: &Value, expected: &Value) -> Path {
    let mut path = Path::root();
    let (mut read, mut expected) = (read, expected);
    loop {
        let below = match (read, expected) {
            (Value::Object(left), Value::Object(right)) => {
                right.iter().find_map(|(name, value)| {
                    let other = left.get(name).filter(|other| *other != value)?;
                    Some((PathStep::Key(name.clone()), other, value))
                })
            }
            (Value::Array(left), Value::Array(right)) => {
                let mut pairs = left.iter().zip(right).enumerate();
                pairs
                    .find(|(_, (left, right))| left != right)
                    .map(|(at, (left, right))| (PathStep::Item(at), left, right))
            }
            _ => None,
        };
        let Some((step, left, right)) = below else { return path };
        path.0.push(step);
        (read, expected) = (left, right);
    }
}

/// Returns the place of a carriage return that is not part of a Windows line end.
fn lone_carriage_return(text: &str) -> Option<usize> {
    let mut places = text.match_indices('\r').map(|(at, _)| at);
    places.find(|at| text.as_bytes().get(at + 1) != Some(&b'\n'))
}

#[cfg(test)]
mod tests;
