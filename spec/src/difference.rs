//! A difference, and the words for it.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::document::Object;

/// One difference between two documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The `operationId`, or method and path of an operation without one; `document` for what is said once for all.
    pub operation: String,
    /// Where in the operation, and what: `request body order: maximum 9 only in theirs`.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.operation, self.what)
    }
}

/// What only one side has, with the side's name.
pub(crate) fn one_sided<T: Ord + Clone>(
    ours: &BTreeSet<T>,
    theirs: &BTreeSet<T>,
) -> Vec<(T, &'static str)> {
    let only = |a: &BTreeSet<T>, b: &BTreeSet<T>| a.difference(b).cloned().collect::<Vec<_>>();
    let ours_only = only(ours, theirs).into_iter().map(|item| (item, "only in ours"));
    let theirs_only = only(theirs, ours).into_iter().map(|item| (item, "only in theirs"));
    ours_only.chain(theirs_only).collect()
}

/// The keys of both objects, ours first, each in its own order.
pub(crate) fn union<'a>(ours: &'a Object, theirs: &'a Object) -> Vec<&'a str> {
    let more = theirs.keys().filter(|key| !ours.contains_key(*key));
    ours.keys().chain(more).map(String::as_str).collect()
}

/// Both values, or a difference when only one side has one.
pub(crate) fn both<'a>(
    place: &dyn fmt::Display,
    ours: Option<&'a Value>,
    theirs: Option<&'a Value>,
    found: &mut Vec<String>,
) -> Option<(&'a Value, &'a Value)> {
    match (ours, theirs) {
        (Some(a), Some(b)) => return Some((a, b)),
        (Some(_), None) => found.push(format!("{place}: only in ours")),
        (None, Some(_)) => found.push(format!("{place}: only in theirs")),
        (None, None) => {}
    }
    None
}

/// How two values differ, in words.
pub(crate) fn difference(ours: Option<&Value>, theirs: Option<&Value>) -> Option<String> {
    match (ours, theirs) {
        (Some(a), Some(b)) if a == b || (a.is_number() && a.as_f64() == b.as_f64()) => None,
        (Some(a), Some(b)) => Some(format!("{} in ours, {} in theirs", short(a), short(b))),
        (Some(a), None) => Some(format!("{} only in ours", short(a))),
        (None, Some(b)) => Some(format!("{} only in theirs", short(b))),
        (None, None) => None,
    }
}

/// A value on one short line.
pub(crate) fn short(value: &Value) -> String {
    const MOST: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= MOST {
        text
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}
