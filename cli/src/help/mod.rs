//! Texts that help shows besides the arguments: examples and topics.

pub(crate) mod brief;
pub(crate) mod examples;
pub(crate) mod topics;
