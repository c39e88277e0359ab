//! Lists of records with the total that the service reports.

use std::ops::Deref;

/// A list of records. It reads like a `Vec`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Listing<T> {
    /// The records, in the order of the service.
    pub items: Vec<T>,
    /// Total that the service reports. More than `items.len()` would mean that it has begun to send pages, which it does not document.
    pub total: i64,
}

impl<T> Listing<T> {
    pub(crate) fn new(items: Vec<T>, total: i64) -> Self {
        Self { items, total }
    }
}

impl<T> Deref for Listing<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> IntoIterator for Listing<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Listing<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
