//! Request to make an account as it is desired.

use std::collections::BTreeSet;

use super::{AccountError, AccountPage, AccountPlan, DesiredAccount};
use crate::apply::{DeleteLimits, PageRequest, RunSettings, SlotTypes};
use links_sdk::{Client, ProfileKey};

/// Request to make pages and forms as they are desired. From [`ApplyAccount::new`].
#[derive(Clone, Debug)]
#[must_use = "nothing is sent before `run` or `plan` is called"]
pub struct ApplyAccount {
    pub(super) client: Client,
    pub(super) desired: DesiredAccount,
    pub(super) overwrite: bool,
    pub(super) prune: bool,
    pub(super) types: SlotTypes,
    pub(super) limits: DeleteLimits,
    pub(super) creates: usize,
    pub(super) renames: bool,
    /// The only plan that may be carried out.
    pub(super) planned: Option<AccountPlan>,
    pub(super) settings: RunSettings,
}

impl ApplyAccount {
    /// Makes pages and forms as they are desired. Nothing is written before all of them were planned; from then on a page that fails does not
    /// stop the others.
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
    /// let applied = ApplyAccount::new(&client, desired).allow_creates(1).run().await?;
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

    /// Writes what is desired also where a page was changed since the last sync.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Deletes the slots that are not mentioned.
    pub fn prune(mut self, prune: bool) -> Self {
        self.prune = prune;
        self
    }

    /// Sets the slot types of the service.
    pub fn types(mut self, types: SlotTypes) -> Self {
        self.types = types;
        self
    }

    /// Confirms up to this many deletes on each page.
    pub fn max_deletes(mut self, deletes: usize) -> Self {
        self.limits.max_deletes = Some(deletes);
        self
    }

    /// Allows up to this many new pages and forms, which the interface cannot delete.
    pub fn allow_creates(mut self, creates: usize) -> Self {
        self.creates = creates;
        self
    }

    /// Allows logins to change, which breaks every link to the page.
    pub fn allow_renames(mut self, renames: bool) -> Self {
        self.renames = renames;
        self
    }

    /// Carries out this plan, which was made of the same account and options and may have been saved meanwhile, or nothing. What an earlier run of
    /// it has carried out counts as done.
    pub fn planned(mut self, plan: AccountPlan) -> Self {
        self.planned = Some(plan);
        self
    }

    /// Sets the journals of the run, and what it does about other runs.
    pub fn settings(mut self, settings: RunSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Returns the pages to open, each with the keys by which it is found.
    pub(super) fn pages(&self) -> Result<Vec<PageRequest>, AccountError> {
        let mut seen = BTreeSet::new();
        let task = |page: &AccountPage| {
            let name = page.name();
            let key = page.profile.parse::<ProfileKey>();
            let key = key.map_err(|error| AccountError::Invalid(format!("{name}: {error}")))?;
            if !seen.insert(page.profile.to_lowercase()) {
                return Err(AccountError::Invalid(format!("the page {name} is there twice")));
            }
            let mut keys: Vec<ProfileKey> =
                page.base.iter().map(|base| ProfileKey::Id(base.id)).collect();
            let may_create = keys.is_empty() && matches!(key, ProfileKey::Login(_));
            keys.push(key);
            let login = page.fields.get("login").and_then(|login| login.as_str());
            keys.extend(login.and_then(|login| login.parse().ok()));
            Ok(PageRequest { keys, path: page.path.as_deref().map(recorded), may_create })
        };
        self.desired.pages.iter().map(task).collect()
    }
}

/// Returns the path of a file as journals have it.
fn recorded(path: &str) -> String {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}
