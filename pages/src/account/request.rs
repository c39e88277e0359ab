//! Request to make an account as it is desired.

use std::collections::BTreeSet;

use super::{AccountError, AccountPage, AccountPlan, DesiredAccount};
use crate::apply::{DeleteLimits, PageRequest, RunSettings, SlotTypes};
use links_sdk::{Client, ProfileKey};

/// Request to make pages and forms match a desired account. From [`ApplyAccount::new`].
#[derive(Clone, Debug)]
#[must_use = "nothing is sent unless you call `run` or `plan`"]
pub struct ApplyAccount {
    /// The client.
    pub client: Client,
    /// Pages and forms as they should be.
    pub desired: DesiredAccount,
    /// Set to overwrite changes that were made on the page since the last sync.
    pub overwrite: bool,
    /// Set to delete slots that are not in the desired page.
    pub prune: bool,
    /// Slot types of the service.
    pub types: SlotTypes,
    /// Confirmed deletes on each page.
    pub limits: DeleteLimits,
    /// Number of pages and forms that may be created. The interface cannot delete them again.
    pub creates: usize,
    /// Set to allow changes of logins. A new login breaks every link to the page.
    pub renames: bool,
    /// The plan to carry out, made from the same account and options; it may have been saved in the meantime. If the current plan differs,
    /// nothing is written. Changes that an earlier run has already made count as done.
    pub planned: Option<AccountPlan>,
    /// Journals of the run, and how it handles other runs.
    pub settings: RunSettings,
}

impl ApplyAccount {
    /// Makes the pages and forms match the desired account. Nothing is written before all of them are planned. After that, a page that
    /// fails does not stop the others.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::{ApplyAccount, DesiredAccount};
    ///
    /// let desired: DesiredAccount = serde_json::from_value(serde_json::json!({
    ///     "forms": [{"name": "contact", "fields": {"title": "Write to us", "buttonText": "Send", "successMessage": "Thanks",
    ///         "fields": [{"type": "text", "label": "Name", "required": true}]}}],
    ///     "pages": [{"profile": "cafe", "fields": {"title": "Closed on Mondays"},
    ///         "slots": [{"id": "new", "type": "form", "data": {"formId": {"$form": "contact"}}}]}],
    /// }))?;
    /// let plan = ApplyAccount::new(&client, desired.clone()).plan().await?;
    /// assert_eq!((plan.forms[0].id.as_deref(), plan.pages[0].plan.creates.len()), (None, 1));
    /// let applied = ApplyAccount { creates: 1, ..ApplyAccount::new(&client, desired) }.run().await?;
    /// assert!(applied.forms.contains_key("contact") && applied.pages[0].is_ok());
    /// # Ok(()) });
    /// ```
    pub fn new(client: &Client, desired: DesiredAccount) -> Self {
        Self {
            client: client.clone(),
            desired,
            overwrite: false,
            prune: false,
            types: SlotTypes::default(),
            limits: DeleteLimits::default(),
            creates: 0,
            renames: false,
            planned: None,
            settings: RunSettings::new(),
        }
    }

    /// Returns the pages to open, each with the keys by which it is found.
    pub(super) fn pages(&self) -> Result<Vec<PageRequest>, AccountError> {
        let mut seen = BTreeSet::new();
        let task = |page: &AccountPage| {
            let name = page.name();
            let key = page.profile.parse::<ProfileKey>();
            let key = key.map_err(|error| AccountError::Invalid(format!("{name}: {error}")))?;
            if !seen.insert(page.profile.to_lowercase()) {
                return Err(AccountError::Invalid(format!("duplicate page {name}")));
            }
            let mut keys: Vec<ProfileKey> =
                page.base.iter().map(|base| ProfileKey::Id(base.id)).collect();
            let may_create = keys.is_empty() && matches!(key, ProfileKey::Login(_));
            keys.push(key);
            let login = page.fields.get("login").and_then(|login| login.as_str());
            keys.extend(login.and_then(|login| login.parse().ok()));
            // Journals have the absolute path of a file.
            let path = page.path.as_ref().map(|path| {
                std::path::absolute(path)
                    .map_or_else(|_| path.clone(), |path| path.display().to_string())
            });
            Ok(PageRequest { keys, path, may_create })
        };
        self.desired.pages.iter().map(task).collect()
    }
}
