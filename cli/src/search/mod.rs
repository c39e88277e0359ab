//! Texts of pages and forms, and where a pattern occurs in them: the machinery of `links search`.

mod excerpt;
pub(crate) mod hit;
pub(crate) mod pattern;
pub(crate) mod report;
pub(crate) mod sources;
pub(crate) mod texts;
