//! Texts that help shows besides the arguments: examples and topics.

mod help_text;
pub(crate) mod topics;

pub(crate) use help_text::{HelpText, POINTER};
