//! Images of the command line that the service already has, by their content.

use std::path::Path;

use links_sdk::MAX_UPLOAD_BYTES;

use crate::cache::uploads::Uploads;
use crate::context::Context;
use crate::fs::named;
use crate::page_file::local_image::hash_of;

/// Images that the service already has, of the account in use.
#[derive(Debug)]
pub(crate) struct ReusedImages {
    uploads: Uploads,
    /// Account, if it is known without a request.
    account: Option<i64>,
    /// Hashes of the images that are used again.
    hashes: Vec<String>,
}

impl ReusedImages {
    pub(crate) fn new(context: &Context) -> Self {
        Self { uploads: context.uploads(), account: context.user(), hashes: Vec::new() }
    }

    /// Returns the hash of a file. `None` if the account is not known, or the file cannot be read.
    pub(crate) fn hash(&self, file: &str) -> Option<String> {
        self.account?;
        named::read_most(Path::new(file), MAX_UPLOAD_BYTES).ok().map(|(_, bytes)| hash_of(&bytes))
    }

    /// Returns the path of an image that the service has, and notes that it is used.
    pub(crate) fn take(&mut self, hash: &str) -> Option<String> {
        let path = self.uploads.of_account(self.account?, hash)?.to_owned();
        self.hashes.push(hash.to_owned());
        Some(path)
    }

    /// Adds an image that was uploaded.
    pub(crate) fn remember(&mut self, hash: &str, path: &str) {
        if let Some(account) = self.account {
            // A failure to remember the image costs one more upload later.
            let _ = self.uploads.remember_of_account(account, hash, path);
        }
    }

    /// Removes the images that were used: the service has refused the data and may no longer have them.
    pub(crate) fn forget(&self) {
        if let Some(account) = self.account.filter(|_| !self.hashes.is_empty()) {
            let hashes = self.hashes.iter().map(String::as_str);
            let _ = self.uploads.clone().forget_of_account(account, hashes);
        }
    }
}
