//! What is checked against house rules, and what is found.

use links_pages::page_file::{Document, FieldDiagnostic, FileDiagnostics};

use super::rule_file;
use crate::context::prelude::*;
use crate::ui::annotations::Level;

/// A page file or a form file.
#[derive(Clone, Copy)]
pub(crate) struct CheckedFile<'f> {
    pub(crate) path: &'f Path,
    pub(crate) document: &'f Document,
    pub(crate) is_form: bool,
}

/// A rule that is broken at a place in a file.
#[derive(Debug)]
pub(crate) struct BrokenRule {
    /// Name of the rule.
    pub(super) rule: String,
    pub(crate) level: Level,
    pub(super) problem: FieldDiagnostic,
}

/// Returns the problems of a document, with the rules that it breaks.
pub(crate) fn problems(document: &Document, found: Vec<BrokenRule>) -> FileDiagnostics {
    let problem = |BrokenRule { rule, problem, .. }: BrokenRule| {
        problem.help(format!("rule `{rule}` in {}", rule_file::NAME))
    };
    document.bad(found.into_iter().map(problem).collect())
}
