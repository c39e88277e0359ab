//! What is served: the current document, its images, and its version.

use std::cell::RefCell;

use bytes::Bytes;
use tokio::sync::watch;
use uuid::Uuid;

use crate::page_file::local_image::{LocalImage, hash_of};

/// The current document, which the session replaces and the HTTP server reads.
#[derive(Debug)]
pub(super) struct Served {
    /// Part of every path, without which nothing is served.
    secret: String,
    document: RefCell<ServedDocument>,
    /// Version of the document.
    version: watch::Sender<u64>,
}

/// A document with the images that it shows.
#[derive(Clone, Debug, Default)]
pub(super) struct ServedDocument {
    pub(super) html: Bytes,
    pub(super) images: Vec<LocalImage>,
    /// Origin of other images, if they may be loaded.
    pub(super) image_origin: Option<String>,
}

impl Served {
    /// Returns an empty document at a random path.
    pub(super) fn new() -> Self {
        Self {
            secret: Uuid::new_v4().simple().to_string(),
            document: RefCell::default(),
            version: watch::Sender::new(0),
        }
    }

    pub(super) fn secret(&self) -> &str {
        &self.secret
    }

    /// Returns whether a text is the secret. How long that takes tells nothing of the secret.
    pub(super) fn is_secret(&self, text: &str) -> bool {
        hash_of(text.as_bytes()) == hash_of(self.secret.as_bytes())
    }

    pub(super) fn document(&self) -> ServedDocument {
        self.document.borrow().clone()
    }

    pub(super) fn version(&self) -> u64 {
        *self.version.borrow()
    }

    /// Returns a receiver of versions, the current one first.
    pub(super) fn versions(&self) -> watch::Receiver<u64> {
        let mut versions = self.version.subscribe();
        versions.mark_changed();
        versions
    }

    /// Replaces the document by the one that `make` returns for a version, if it differs.
    pub(super) fn replace(&self, make: impl Fn(u64) -> ServedDocument) {
        let version = self.version();
        let is_same = make(version).html == self.document.borrow().html;
        if is_same {
            return;
        }
        *self.document.borrow_mut() = make(version + 1);
        self.version.send_replace(version + 1);
    }
}
