//! Request to make an account as it is desired.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::account_session::{AccountOptions, AccountSession};
use super::{AccountError, AccountPlan, AppliedAccount, AppliedPage, DesiredAccount};
use crate::apply::{OpenPage, PageRequest, Run, RunSettings, SlotTypes, execute};
use links_sdk::{Client, ProfileKey};

/// Request to make pages and forms as they are desired. From [`ApplyAccount::new`].
#[derive(Clone, Debug)]
#[must_use = "nothing is sent before `run` or `plan` is called"]
pub struct ApplyAccount {
    client: Client,
    desired: DesiredAccount,
    options: AccountOptions,
    settings: RunSettings,
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
            options: AccountOptions::default(),
            settings: RunSettings::new(),
        }
    }

    /// Writes what is desired also where a page was changed since the last sync.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.options.overwrite = overwrite;
        self
    }

    /// Deletes the slots that are not mentioned.
    pub fn prune(mut self, prune: bool) -> Self {
        self.options.prune = prune;
        self
    }

    /// Sets the slot types of the service.
    pub fn types(mut self, types: SlotTypes) -> Self {
        self.options.types = types;
        self
    }

    /// Confirms up to this many deletes on each page.
    pub fn max_deletes(mut self, deletes: usize) -> Self {
        self.options.limits.max_deletes = Some(deletes);
        self
    }

    /// Allows up to this many new pages and forms, which the interface cannot delete.
    pub fn allow_creates(mut self, creates: usize) -> Self {
        self.options.creates = creates;
        self
    }

    /// Allows logins to change, which breaks every link to the page.
    pub fn allow_renames(mut self, renames: bool) -> Self {
        self.options.renames = renames;
        self
    }

    /// Carries out this plan, which was made of the same account and options and may have been saved meanwhile, or nothing. What an earlier run of
    /// it has carried out counts as done.
    pub fn planned(mut self, plan: AccountPlan) -> Self {
        self.options.planned = Some(plan);
        self
    }

    /// Sets the journals of the run, and what it does about other runs.
    pub fn settings(mut self, settings: RunSettings) -> Self {
        self.settings = settings;
        self
    }

    /// Plans. Nothing is locked and nothing is written.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::{ApplyAccount, DesiredAccount};
    ///
    /// let desired: DesiredAccount = serde_json::from_value(serde_json::json!({
    ///     "forms": [],
    ///     "pages": [{"profile": "cafe", "fields": {"title": "Closed on Mondays"}}],
    /// }))?;
    /// let plan = ApplyAccount::new(&client, desired.clone()).plan().await?;
    /// // Exactly this plan is carried out, even if it was saved meanwhile.
    /// let applied = ApplyAccount::new(&client, desired).planned(plan).run().await?;
    /// assert!(applied.pages[0].is_ok());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When a page or the forms cannot be read, or no plan can be made.
    pub async fn plan(self) -> Result<AccountPlan, AccountError> {
        let pages = self.pages()?;
        let mut session = AccountSession::new(&self.client, &self.desired, &self.options).await?;
        let run = Run::plan(&self.client, pages, self.settings.clone()).await?;
        session.open(&run).await?;
        let pages = session.merges.into_values().map(|merged| merged.page_plan()).collect();
        Ok(AccountPlan { forms: session.forms, pages })
    }

    /// Makes pages and forms as they are desired.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::{ApplyAccount, DesiredAccount};
    ///
    /// let desired: DesiredAccount = serde_json::from_value(serde_json::json!({
    ///     "forms": [],
    ///     "pages": [{"profile": "cafe", "fields": {"title": "Closed on Mondays"}}],
    /// }))?;
    /// let applied = ApplyAccount::new(&client, desired).run().await?;
    /// for page in &applied.pages {
    ///     match page {
    ///         Ok(page) => println!("{:?}", page.done),
    ///         Err(error) => println!("{error}"),
    ///     }
    /// }
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When nothing was written to any page. The results of the pages are in [`AppliedAccount::pages`].
    pub async fn run(self) -> Result<AppliedAccount, AccountError> {
        let pages = self.pages()?;
        let mut session = AccountSession::new(&self.client, &self.desired, &self.options).await?;
        let run = Run::begin(&self.client, pages, self.settings.clone()).await?;
        let (mut open, unchanged): (Vec<OpenPage>, Vec<OpenPage>) =
            session.open(&run).await?.into_iter().partition(OpenPage::has_changes);
        let on_step = &mut |_, _, _: &_| ControlFlow::Continue(());
        // Their locks are free from here on.
        let mut ended = execute(unchanged, false, on_step).await;
        if session.has_changes(&open) {
            session.check_consent(&open)?;
            session.write_forms(&mut open).await?;
        }
        let (open, failed) = session.create_pages(open).await;
        ended.extend(execute(open, !failed.is_empty(), on_step).await);
        let mut pages: BTreeMap<usize, Result<AppliedPage, AccountError>> =
            failed.into_iter().map(|(nth, error)| (nth, Err(error))).collect();
        for page in ended {
            let applied = page.result.map(|applied| AppliedPage {
                base: session.base_after(page.nth, &applied.page, &applied.done.created),
                done: applied.done,
            });
            pages.insert(page.nth, applied.map_err(AccountError::from));
        }
        Ok(AppliedAccount { forms: session.ids, pages: pages.into_values().collect() })
    }

    fn pages(&self) -> Result<Vec<PageRequest>, AccountError> {
        let mut seen = BTreeSet::new();
        let task = |page: &super::AccountPage| {
            let key: ProfileKey = page
                .profile
                .parse()
                .map_err(|error| AccountError::Invalid(format!("{}: {error}", page.profile)))?;
            if !seen.insert(page.profile.to_lowercase()) {
                let message = format!("the page {} is there twice", page.profile);
                return Err(AccountError::Invalid(message));
            }
            let mut keys: Vec<ProfileKey> =
                page.base.iter().map(|base| ProfileKey::Id(base.id)).collect();
            let may_create = keys.is_empty() && matches!(key, ProfileKey::Login(_));
            keys.push(key);
            let login = page.fields.get("login").and_then(|login| login.as_str());
            keys.extend(login.and_then(|login| login.parse().ok()));
            Ok(PageRequest { keys, path: None, may_create })
        };
        self.desired.pages.iter().map(task).collect()
    }
}
