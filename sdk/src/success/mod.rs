//! Definition of a successful answer, for answers that are decoded and for those that are passed on as they came.
//!
//! An answer counts only with the status and the content of the operation, and a record that can be decoded. Any other answer with a 2xx
//! status may be that of a portal, of a proxy, or of a server that failed to send its content. It proves nothing: whether a write was
//! executed is then unknown.

mod check;
mod records;
mod shape;

pub(crate) use check::{RecordCheck, check_answer};
pub(crate) use records::*;
pub(crate) use shape::{Field, Shape};

/// Status and content of a successful answer of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Success {
    pub(crate) status: &'static [u16],
    pub(crate) content: SuccessContent,
}

/// Content of a successful answer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SuccessContent {
    /// No body.
    Nothing,
    /// A page as Markdown.
    Markdown,
    /// A record in its envelope.
    Json(&'static Shape),
    /// Unknown content: the path is not one of the interface.
    Any,
}

impl Success {
    /// An answer with any 2xx status, for a path outside the interface.
    pub(crate) const ANY: Self = Self { status: &[], content: SuccessContent::Any };
}

#[cfg(test)]
mod tests;
