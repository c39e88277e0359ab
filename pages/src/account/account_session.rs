//! A run over a desired account: what each step decides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::references::resolve_forms;
use super::{AccountError, AccountPage, AccountPlan, DesiredAccount, FormPlan, PagePlan};
use crate::apply::{
    DeleteLimits, DesiredPage, DesiredSlot, OpenPage, PageSnapshot, Plan, PlanOptions, Proposal,
    Run, SlotTypes, guard,
};
use crate::sync::{
    FilePage, FileSlot, FileSlotId, LivePage, Merge, MergeOptions, PageBase, SyncError,
};
use links_sdk::types::LeadForm;
use links_sdk::{Client, Object};
use links_sdk::{FormId, SlotId};

/// What a run may do, and what it needs to know.
#[derive(Clone, Debug, Default)]
pub(super) struct AccountOptions {
    pub(super) overwrite: bool,
    pub(super) prune: bool,
    pub(super) types: SlotTypes,
    pub(super) limits: DeleteLimits,
    pub(super) creates: usize,
    pub(super) renames: bool,
    /// The only plan that may be carried out.
    pub(super) planned: Option<AccountPlan>,
}

/// A run over an account.
pub(super) struct AccountSession<'a> {
    client: &'a Client,
    desired: &'a DesiredAccount,
    options: &'a AccountOptions,
    /// Forms of the account, if they were read.
    known: Vec<LeadForm>,
    pub(super) forms: Vec<FormPlan>,
    /// Ids of the forms by name, as far as they exist.
    pub(super) ids: BTreeMap<String, FormId>,
    pub(super) merges: BTreeMap<usize, PageMerge>,
}

/// Merge of a page, with what it was made of.
#[derive(Clone, Debug)]
pub(super) struct PageMerge {
    pub(super) merge: Merge,
    created: BTreeMap<usize, SlotId>,
    page: Arc<PageSnapshot>,
    pub(super) proposal: Proposal,
}

impl PageMerge {
    /// Returns the plan of the page.
    pub(super) fn page_plan(&self) -> PagePlan {
        PagePlan {
            id: self.page.exists().then_some(self.page.id),
            login: self.page.login.clone(),
            merge: self.merge.clone(),
            plan: self.proposal.plan.as_ref().clone(),
        }
    }
}

impl<'a> AccountSession<'a> {
    /// Reads the forms of the account if they are needed, and plans those that are desired.
    pub(super) async fn new(
        client: &'a Client,
        desired: &'a DesiredAccount,
        options: &'a AccountOptions,
    ) -> Result<Self, AccountError> {
        let mut session = Self {
            client,
            desired,
            options,
            known: Vec::new(),
            forms: Vec::new(),
            ids: BTreeMap::new(),
            merges: BTreeMap::new(),
        };
        let is_referred = |page: &AccountPage| {
            let mut page = as_page(page);
            !resolve_forms(&mut page, &|_| None).is_empty()
        };
        if !desired.forms.is_empty() || desired.pages.iter().any(is_referred) {
            session.known = client.forms().list().await.map_err(AccountError::Forms)?.items;
        }
        let mut taken: BTreeSet<FormId> =
            desired.forms.iter().filter_map(|form| form.id.clone()).collect();
        for form in &desired.forms {
            let name = &form.name;
            if session.forms.iter().any(|plan| plan.name == *name) {
                return Err(AccountError::Invalid(format!("the form {name} is there twice")));
            }
            let plan = FormPlan::new(form, &session.known, None, &taken);
            let plan =
                plan.map_err(|source| AccountError::FormPlan { name: name.clone(), source })?;
            session.ids.extend(plan.id.iter().map(|id| (name.clone(), id.clone())));
            taken.extend(plan.id.clone());
            session.forms.push(plan);
        }
        session.check_planned_forms()?;
        Ok(session)
    }

    /// Refuses changes of forms other than those of the only plan that may be carried out.
    fn check_planned_forms(&self) -> Result<(), AccountError> {
        let Some(planned) = &self.options.planned else { return Ok(()) };
        for (nth, now) in self.forms.iter().enumerate() {
            // What an earlier run of the plan has carried out has nothing left to do.
            if !now.is_empty() && planned.forms.get(nth) != Some(now) {
                return Err(AccountError::PlanChanged { what: format!("form {}", now.name) });
            }
        }
        Ok(())
    }

    /// Refuses changes of a page other than those of the only plan that may be carried out.
    fn check_planned_page(&self, nth: usize, now: &PagePlan) -> Result<(), AccountError> {
        let Some(planned) = &self.options.planned else { return Ok(()) };
        let is_done = now.id.is_some() && now.plan.is_empty();
        if is_done || planned.pages.get(nth) == Some(now) {
            return Ok(());
        }
        let what = format!("page {}", self.desired.pages[nth].profile);
        Err(AccountError::PlanChanged { what })
    }

    /// Returns the value of a reference to a form: its id, or a placeholder for one that is created.
    fn form(&self, name: &str) -> Option<Value> {
        if let Some(id) = self.ids.get(name) {
            return Some(json!(id));
        }
        if self.forms.iter().any(|plan| plan.name == name) {
            return Some(json!(format!("(form {name})")));
        }
        let titled: Vec<_> =
            self.known.iter().filter(|it| it.title.trim() == name.trim()).collect();
        match titled[..] {
            [form] => Some(json!(form.id)),
            _ => None,
        }
    }

    /// Opens and plans the pages.
    pub(super) async fn open(&mut self, run: &Run) -> Result<Vec<OpenPage>, AccountError> {
        let (mut open, mut failures) = (BTreeMap::new(), BTreeMap::new());
        for nth in run.order() {
            match self.open_page(run, nth).await {
                Ok(page) => drop(open.insert(nth, page)),
                Err(error) => drop(failures.insert(nth, error)),
            }
        }
        match failures.into_values().next() {
            Some(error) => Err(error),
            None => Ok(open.into_values().collect()),
        }
    }

    async fn open_page(&mut self, run: &Run, nth: usize) -> Result<OpenPage, AccountError> {
        let mut page = run.open(nth).await?;
        self.plan(&mut page).await?;
        Ok(page)
    }

    /// Plans a page that was opened or created.
    async fn plan(&mut self, page: &mut OpenPage) -> Result<(), AccountError> {
        let nth = page.nth();
        let desired = &self.desired.pages[nth];
        let names = resolve_forms(&mut as_page(desired), &|name| self.form(name));
        if !names.is_empty() {
            return Err(AccountError::UnknownForm { page: desired.profile.clone(), names });
        }
        page.settle(&as_page(desired)).await?;
        let merged = self.merge(nth, page)?;
        // A resumed run has changed the page itself, and a page that was created has another plan.
        if !page.is_resumed() && !self.merges.contains_key(&nth) {
            self.check_planned_page(nth, &merged.page_plan())?;
        }
        page.propose(merged.proposal.clone())?;
        self.merges.insert(nth, merged);
        Ok(())
    }

    /// Merges and plans a page.
    fn merge(&self, nth: usize, open: &OpenPage) -> Result<PageMerge, AccountError> {
        let desired = &self.desired.pages[nth];
        let (page, created) = (open.snapshot(), open.created());
        let said = self.said(desired);
        let live = live(desired, page);
        let options = MergeOptions {
            overwrite: self.options.overwrite,
            // A new page holds what the service put there.
            prune: self.options.prune && !open.is_new(),
            exact: false,
            types: self.options.types.clone(),
            created: created.clone(),
        };
        let key = || desired.profile.clone();
        let mut base = desired.base.clone();
        if let (None, Some(base)) = (&desired.slots, &mut base) {
            base.slots.clear();
        }
        let merge = Merge::new(base.as_ref(), &said, &live, &options)
            .map_err(|source| AccountError::Sync { page: key(), source })?;
        if !merge.conflicts.is_empty() {
            return Err(AccountError::Conflicts { page: key(), conflicts: merge.conflicts });
        }
        let mut wanted = DesiredPage { fields: merge.fields.clone(), ..merge.desired.clone() };
        let options = PlanOptions {
            prune: self.options.prune,
            types: self.options.types.clone(),
            created: created.clone(),
            ..PlanOptions::default()
        };
        let mut options = merge.plan_options(&options);
        if desired.slots.is_none() {
            wanted.slots = page.unchanged_slots();
            options.merged = None;
        }
        let plan = Plan::of_page(page, &wanted, &options).map_err(|source| AccountError::Sync {
            page: key(),
            source: SyncError::Plan(source),
        })?;
        let file = Arc::new(as_page(desired));
        let proposal = Proposal { file, desired: Arc::new(wanted), options, plan: Arc::new(plan) };
        Ok(PageMerge { merge, created, page: page.clone(), proposal })
    }

    /// Returns what a page says, with the values of its references.
    fn said(&self, desired: &AccountPage) -> FilePage {
        let slots = desired.slots.clone().unwrap_or_default();
        let mut said = FilePage { fields: desired.fields.clone(), slots, ..FilePage::default() };
        for slot in &mut said.slots {
            let mut resolved: DesiredPage =
                vec![DesiredSlot { id: None, kind: String::new(), data: slot.data.clone() }].into();
            resolve_forms(&mut resolved, &|name| self.form(name));
            for slot_data in resolved.slots {
                let changed = slot_data
                    .data
                    .0
                    .into_iter()
                    .filter(|(key, value)| slot.data.get(key) != Some(value));
                slot.resolved.extend(changed);
            }
        }
        said
    }

    /// Returns the record of the sync of a page that was applied.
    pub(super) fn base_after(
        &self,
        nth: usize,
        after: &PageSnapshot,
        created: &BTreeMap<usize, SlotId>,
    ) -> PageBase {
        let desired = &self.desired.pages[nth];
        let Some(merged) = self.merges.get(&nth) else { return PageBase::default() };
        let mut all = merged.created.clone();
        all.extend(created);
        let said = self.said(desired);
        let live = live(desired, after);
        let before = desired.base.as_ref();
        let mut base = merged.merge.base_after(before, &said, &live, &all, &self.options.types);
        if desired.slots.is_none() {
            base.slots = before.map(|base| base.slots.clone()).unwrap_or_default();
        }
        base
    }

    /// Returns whether a page or a form would be written.
    pub(super) fn has_changes(&self, pages: &[OpenPage]) -> bool {
        pages.iter().any(OpenPage::has_changes) || self.forms.iter().any(|plan| !plan.is_empty())
    }

    /// Refuses what was not allowed.
    pub(super) fn check_consent(&self, pages: &[OpenPage]) -> Result<(), AccountError> {
        let new_forms = self.forms.iter().filter(|plan| plan.id.is_none()).count();
        let creates = new_forms + pages.iter().filter(|page| page.is_new()).count();
        if creates > self.options.creates {
            let message = format!(
                "{creates} pages and forms would be created, which cannot be undone; {} were allowed",
                self.options.creates
            );
            return Err(AccountError::NotAllowed(message));
        }
        for page in pages.iter().filter(|page| page.has_changes()) {
            let Some(merged) = self.merges.get(&page.nth()) else { continue };
            let plan = &merged.proposal.plan;
            let key = || self.desired.pages[page.nth()].profile.clone();
            let renames = plan.fields.changed.contains_key("login");
            if renames && !page.is_new() && !self.options.renames {
                let message = format!(
                    "page {}: its login would change, which breaks every link to it",
                    key()
                );
                return Err(AccountError::NotAllowed(message));
            }
            if !page.is_confirmed() {
                let guarded = guard(plan, merged.page.slots.len(), &self.options.limits);
                guarded.map_err(|refusal| AccountError::Guard { page: key(), refusal })?;
            }
        }
        Ok(())
    }

    /// Creates and changes the forms, and puts the ids of new ones into the plans.
    pub(super) async fn write_forms(&mut self, pages: &mut [OpenPage]) -> Result<(), AccountError> {
        let mut has_written = false;
        for plan in &mut self.forms {
            if plan.is_empty() {
                continue;
            }
            let seen = self.known.iter().find(|form| Some(&form.id) == plan.id.as_ref());
            let written = plan.execute(self.client, seen).await;
            let form =
                written.map_err(|source| AccountError::Form { name: plan.name.clone(), source })?;
            self.ids.insert(plan.name.clone(), form.id);
            has_written = true;
        }
        for page in pages.iter_mut().filter(|page| has_written && page.has_changes()) {
            let merged = self.merge(page.nth(), page)?;
            page.revise(merged.proposal.clone());
            self.merges.insert(page.nth(), merged);
        }
        Ok(())
    }

    /// Creates the pages that do not exist. Returns those that can be written, and why others cannot.
    pub(super) async fn create_pages(
        &mut self,
        pages: Vec<OpenPage>,
    ) -> (Vec<OpenPage>, BTreeMap<usize, AccountError>) {
        let (mut ready, mut failed) = (Vec::new(), BTreeMap::new());
        for mut page in pages {
            if !page.snapshot().exists()
                && let Err(error) = self.create(&mut page).await
            {
                failed.insert(page.nth(), error);
            } else {
                ready.push(page);
            }
        }
        (ready, failed)
    }

    async fn create(&mut self, page: &mut OpenPage) -> Result<(), AccountError> {
        page.create().await?;
        let planned = self.plan(page).await;
        planned.map_err(|error| match error {
            AccountError::Apply(_) => error,
            source => AccountError::Created {
                page: self.desired.pages[page.nth()].profile.clone(),
                id: page.snapshot().id,
                source: Box::new(source),
            },
        })
    }
}

/// Returns the desired content of a page, with references as written.
pub(super) fn as_page(desired: &AccountPage) -> DesiredPage {
    let slot = |slot: &FileSlot| DesiredSlot {
        id: match slot.id {
            FileSlotId::Id(id) => Some(id),
            FileSlotId::Absent | FileSlotId::New => None,
        },
        kind: slot.kind.clone(),
        data: slot.data.clone(),
    };
    let slots = desired.slots.iter().flatten().map(slot).collect();
    DesiredPage { fields: desired.fields.clone(), slots }
}

fn live(desired: &AccountPage, page: &PageSnapshot) -> LivePage {
    let mut fields: Object = page.fields();
    if !desired.fields.contains_key("login") {
        fields.remove("login");
    }
    let slots = if desired.slots.is_some() { page.slots.clone() } else { Vec::new() };
    LivePage { id: page.id, login: page.login.clone(), fields, slots }
}
