//! Difference between two documents, and its description.

use std::fmt;

use serde_json::Value;

/// Severity of a difference, for a client that was made from our document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The client works as before.
    Differs,
    /// The client may send what is now refused, or may not be able to read an answer.
    Breaks,
}

/// One difference between two documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Severity of the difference for a client.
    pub severity: Severity,
    /// The `operationId`, or method and path of an operation without one; `document` for a difference that concerns every operation.
    pub operation: String,
    /// Place in the operation, and description: `request body.order: maximum 9 only in theirs`.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Differs => "differs",
            Severity::Breaks => "breaks",
        };
        write!(f, "{severity}: {}: {}", self.operation, self.what)
    }
}

/// Returns the severity of a part that only one side has: [`Severity::Breaks`] if `breaks` is set.
pub(crate) fn severity(breaks: bool) -> Severity {
    if breaks { Severity::Breaks } else { Severity::Differs }
}

/// Direction of a value, seen from the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Sent,
    Received,
}

impl Way {
    /// Returns the severity of different values of a keyword of a schema. A value that is sent must pass their rules; a value that is
    /// received is read without limits, but by its type.
    pub(crate) fn keyword(
        self,
        keyword: &str,
        ours: Option<&Value>,
        theirs: Option<&Value>,
    ) -> Severity {
        if matches!(keyword, "default" | "readOnly" | "writeOnly") {
            return Severity::Differs;
        }
        let wider = |narrow: Option<&Value>, wide: Option<&Value>| match (narrow, wide) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(narrow), Some(wide)) => is_within(keyword, narrow, wide),
        };
        severity(match (self, keyword) {
            (Self::Sent, "nullable") => theirs.is_none(),
            (Self::Received, "nullable") => ours.is_none(),
            (Self::Sent, _) => !wider(ours, theirs),
            (Self::Received, "type") => !wider(theirs, ours),
            (Self::Received, _) => false,
        })
    }
}

/// Returns whether every value that `narrow` allows is one that `wide` allows.
fn is_within(keyword: &str, narrow: &Value, wide: &Value) -> bool {
    match keyword {
        "type" | "enum" => {
            let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
            let wide = list(wide);
            let covers = |one: &Value| {
                wide.contains(one) || (one == "integer" && wide.contains(&Value::from("number")))
            };
            list(narrow).iter().all(covers)
        }
        _ if keyword.starts_with("max") || keyword == "exclusiveMaximum" => {
            narrow.as_f64() <= wide.as_f64()
        }
        _ if keyword.starts_with("min") || keyword == "exclusiveMinimum" => {
            narrow.as_f64() >= wide.as_f64()
        }
        _ => false,
    }
}

/// Describes how two values differ.
pub(crate) fn difference(ours: Option<&Value>, theirs: Option<&Value>) -> Option<String> {
    match (ours, theirs) {
        (Some(a), Some(b)) if a == b || (a.is_number() && a.as_f64() == b.as_f64()) => None,
        (Some(a), Some(b)) => Some(format!("{} in ours, {} in theirs", short(a), short(b))),
        (Some(a), None) => Some(format!("{} only in ours", short(a))),
        (None, Some(b)) => Some(format!("{} only in theirs", short(b))),
        (None, None) => None,
    }
}

/// Returns a value on one short line.
pub(crate) fn short(value: &Value) -> String {
    const MOST: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= MOST {
        text
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}
