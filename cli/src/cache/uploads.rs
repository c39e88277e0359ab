//! Cache of uploaded images by content hash, one small file per service in the state directory.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use links_sdk::ProfileId;
use serde::{Deserialize, Serialize};

use super::{load_json, store_json};

/// Uploaded images. An invalid file counts as empty.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Uploads {
    #[serde(skip)]
    file: Option<PathBuf>,
    /// Account id of each page.
    pages: BTreeMap<ProfileId, i64>,
    /// Path of each image by its content hash, for each account.
    accounts: BTreeMap<i64, BTreeMap<String, String>>,
}

impl Uploads {
    /// Loads the cache from a file; without a file the cache is empty and is not stored.
    pub(crate) fn open(file: Option<PathBuf>) -> Self {
        let kept = file.as_deref().and_then(load_json).unwrap_or_default();
        Self { file, ..kept }
    }

    /// Account of a page, if it is known.
    pub(crate) fn account_of(&self, page: ProfileId) -> Option<i64> {
        self.pages.get(&page).copied()
    }

    /// Path of an image on an account.
    pub(crate) fn of_account(&self, account: i64, hash: &str) -> Option<&str> {
        self.accounts.get(&account)?.get(hash).map(String::as_str)
    }

    /// Adds an image of an account, and records the account of the page, if it is for one.
    pub(crate) fn remember(
        &mut self,
        page: Option<ProfileId>,
        account: i64,
        hash: &str,
        path: &str,
    ) -> io::Result<()> {
        // A page that does not exist yet has no id.
        self.pages.extend(page.filter(|page| *page != 0).map(|page| (page, account)));
        self.accounts.entry(account).or_default().insert(hash.to_owned(), path.to_owned());
        self.save()
    }

    /// Removes images of an account that the service may no longer have.
    pub(crate) fn forget<'h>(
        &mut self,
        account: i64,
        hashes: impl IntoIterator<Item = &'h str>,
    ) -> io::Result<()> {
        let Some(images) = self.accounts.get_mut(&account) else { return Ok(()) };
        for hash in hashes {
            images.remove(hash);
        }
        self.save()
    }

    fn save(&self) -> io::Result<()> {
        let Some(path) = &self.file else { return Ok(()) };
        store_json(path, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_is_remembered_for_all_pages_of_its_account() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("new/uploads.json");
        let open = || Uploads::open(Some(file.clone()));
        let of_page = |page: i64, hash: &str| {
            let known = open();
            known.of_account(known.account_of(page.into())?, hash).map(str::to_owned)
        };
        assert_eq!(of_page(1, "h"), None);
        open().remember(Some(1.into()), 7, "h", "uploads/h.jpg").unwrap();
        assert_eq!(of_page(1, "h").as_deref(), Some("uploads/h.jpg"));
        assert_eq!((of_page(2, "h"), of_page(1, "i")), (None, None));
        open().remember(Some(2.into()), 7, "i", "uploads/i.jpg").unwrap();
        assert_eq!(of_page(2, "h").as_deref(), Some("uploads/h.jpg"));
        assert_eq!(
            (open().of_account(7, "i"), open().of_account(8, "i")),
            (Some("uploads/i.jpg"), None)
        );
        open().forget(7, ["h", "x"]).unwrap();
        assert_eq!((of_page(1, "h"), of_page(1, "i").as_deref()), (None, Some("uploads/i.jpg")));
        open().forget(8, ["i"]).unwrap();
        open().remember(None, 9, "k", "uploads/k.jpg").unwrap();
        assert_eq!(open().of_account(9, "k"), Some("uploads/k.jpg"));
        open().forget(9, ["k"]).unwrap();
        assert_eq!(open().of_account(9, "k"), None);

        std::fs::write(&file, "[1, 2").unwrap();
        assert_eq!(of_page(1, "i"), None);
        Uploads::open(None).remember(Some(1.into()), 7, "h", "x").unwrap();
    }
}
