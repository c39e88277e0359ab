//! The record of a form as people see it.

/// What people see first of a form.
pub(crate) const FIRST: &[&str] = &["id", "title", "active", "enabled"];

/// What a form's record has and an update does not take: the service computes it.
pub(crate) const COMPUTED: [&str; 3] = ["id", "active", "createdAt"];
