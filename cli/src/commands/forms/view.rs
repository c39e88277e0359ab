//! Human-readable view of a form's record, and the fields that only the service sets.

/// Fields of a form that are shown first.
pub(crate) const FIRST: &[&str] = &["id", "title", "active", "enabled"];

/// Fields of a form's record that an update does not take, because the service computes them.
pub(crate) const COMPUTED: [&str; 3] = ["id", "active", "createdAt"];
