//! Arguments that several commands share: field values, files with fields, images, and positions.

pub(crate) mod assignment;
pub(crate) mod fields;
pub(crate) mod flags;
pub(crate) mod images;
pub(crate) mod page;
