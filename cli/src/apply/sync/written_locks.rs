//! The `links.lock` files that a command writes: each has to belong to the account of the requests, and to be writable.

use links_pages::sync::Lock;

use super::{LockStore, SyncRecord};
use crate::context::prelude::*;

/// The locks that a command writes, each with its user and whether the account has a page or a form of it: those of other accounts do not exist
/// for it.
#[derive(Debug, Default)]
pub(crate) struct WrittenLocks(Vec<(LockStore, i64, bool)>);

impl WrittenLocks {
    /// Refuses the lock that governs the file of a page, if it cannot be written or belongs to another user.
    pub(crate) async fn check_of(
        context: &Context,
        client: &Client,
        record: &SyncRecord,
        page: &PageSnapshot,
    ) -> Result<()> {
        let mut locks = Self::default();
        locks.add_page(Some(record), page);
        locks.check_writable()?;
        locks.check_user(context, client).await
    }

    /// Adds the lock that governs the file of a page, if there is one.
    pub(crate) fn add_page(&mut self, record: Option<&SyncRecord>, page: &PageSnapshot) {
        let Some((store, lock)) = record.and_then(SyncRecord::lock) else { return };
        let is_known = page.exists() && lock.pages.values().any(|base| base.id == page.id);
        self.add(store, lock, is_known);
    }

    /// Adds the lock that governs the file of a form. `id` is that of a form that the account has.
    pub(crate) fn add_form(&mut self, (store, lock): (&LockStore, &Lock), id: Option<&str>) {
        let is_known = id.is_some_and(|id| lock.forms.values().any(|known| known == id));
        self.add(store, lock, is_known);
    }

    fn add(&mut self, store: &LockStore, lock: &Lock, is_of_account: bool) {
        match self.0.iter_mut().find(|(known, ..)| known == store) {
            Some((.., known)) => *known |= is_of_account,
            None => self.0.push((store.clone(), lock.user, is_of_account)),
        }
    }

    /// Refuses the locks of other users. The service is asked who the user is only where no page and no form shows whose a lock is.
    pub(crate) async fn check_user(&self, context: &Context, client: &Client) -> Result<()> {
        for (store, user, _) in self.0.iter().filter(|(.., is_of_account)| !is_of_account) {
            if context.known_user().is_none() {
                context.me(client).await?;
            }
            store.check_user(context, *user)?;
        }
        Ok(())
    }

    /// Refuses locks that cannot be written.
    pub(crate) fn check_writable(&self) -> Result<()> {
        self.0.iter().try_for_each(|(store, ..)| store.check_writable())
    }
}
