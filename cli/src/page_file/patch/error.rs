//! Reasons why a page file cannot be patched.

use super::edit::Path;
use crate::page_file::node::Span;
use crate::page_file::report::FieldDiagnostic;

/// Reason why a page file cannot be patched. Spans are those of the text without its byte order mark.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PatchError {
    /// Text that is not a page file.
    #[error("the text cannot be parsed")]
    Invalid(Vec<FieldDiagnostic>),
    /// Path that leads to no value and to no place for one.
    #[error("there is no `{0}` in the file")]
    NotFound(Path),
    /// Edits that contradict each other at this place.
    #[error("several edits of `{0}` contradict each other")]
    Overlap(Path),
    /// Text that cannot be changed without touching more than the edit says.
    #[error("`{path}` cannot be changed in place: {reason}")]
    NotInPlace {
        /// Path of the closest known value.
        path: Path,
        /// Its place in the text.
        span: Span,
        /// Reason as a lowercase fragment.
        reason: &'static str,
    },
    /// Conflict in a JSON file, which has no comments.
    #[error("a conflict at `{path}` cannot be marked, because JSON has no comments")]
    NotMarkable {
        /// Path of the value in conflict.
        path: Path,
        /// Its place in the text.
        span: Span,
    },
}
