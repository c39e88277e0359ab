//! Texts that help shows beside the arguments: examples and topics.

pub(crate) mod brief;
pub(crate) mod examples;
pub(crate) mod topics;
