//! Planning of a desired account, for a run of its pages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::references::resolve_forms;
use super::{AccountError, AccountPage, AccountPlan, DesiredAccount, FormPlan, PagePlan};
use crate::apply::{
    AccountDelegate, Confirmation, DeleteLimits, DesiredPage, DesiredSlot, PageSnapshot,
    PageToConfirm, Plan, PlanOptions, Proposal, SlotTypes, guard,
};
use crate::generated::types::LeadForm;
use crate::ids::{FormId, SlotId};
use crate::sync::{
    FilePage, FileSlot, FileSlotId, LivePage, Merge, MergeOptions, PageBase, SyncError,
};
use crate::{Client, Object};

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

/// Delegate of a run over an account.
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

    /// Returns whether a page did not exist when the run began.
    fn is_new(&self, nth: usize) -> bool {
        self.merges.get(&nth).is_some_and(|merged| !merged.page.exists())
    }

    /// Merges and plans a page.
    fn merge(
        &self,
        nth: usize,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
    ) -> Result<PageMerge, AccountError> {
        let desired = &self.desired.pages[nth];
        let said = self.said(desired);
        let live = live(desired, page);
        let options = MergeOptions {
            overwrite: self.options.overwrite,
            // A new page holds what the service put there.
            prune: self.options.prune && !self.is_new(nth),
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
        Ok(PageMerge { merge, created: created.clone(), page: page.clone(), proposal })
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

    fn check_consent(&self, pages: &[PageToConfirm]) -> Result<(), AccountError> {
        let new_forms = self.forms.iter().filter(|plan| plan.id.is_none()).count();
        let creates = new_forms + pages.iter().filter(|page| page.is_new).count();
        if creates > self.options.creates {
            let message = format!(
                "{creates} pages and forms would be created, which cannot be undone; {} were allowed",
                self.options.creates
            );
            return Err(AccountError::NotAllowed(message));
        }
        for page in pages {
            let Some(merged) = self.merges.get(&page.nth) else { continue };
            let plan = &merged.proposal.plan;
            let key = || self.desired.pages[page.nth].profile.clone();
            if plan.fields.changed.contains_key("login") && !page.is_new && !self.options.renames {
                let message = format!(
                    "page {}: its login would change, which breaks every link to it",
                    key()
                );
                return Err(AccountError::NotAllowed(message));
            }
            if !page.is_confirmed {
                let guarded = guard(plan, merged.page.slots.len(), &self.options.limits);
                guarded.map_err(|refusal| AccountError::Guard { page: key(), refusal })?;
            }
        }
        Ok(())
    }

    /// Creates and changes the forms.
    async fn write_forms(&mut self) -> Result<bool, AccountError> {
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
        Ok(has_written)
    }
}

impl AccountDelegate for AccountSession<'_> {
    type Error = AccountError;

    async fn resolve(
        &mut self,
        nth: usize,
        _: &Arc<PageSnapshot>,
    ) -> Result<Arc<DesiredPage>, AccountError> {
        let desired = &self.desired.pages[nth];
        let mut page = as_page(desired);
        let names = resolve_forms(&mut page, &|name| self.form(name));
        if names.is_empty() {
            return Ok(Arc::new(as_page(desired)));
        }
        Err(AccountError::UnknownForm { page: desired.profile.clone(), names })
    }

    async fn plan(
        &mut self,
        nth: usize,
        page: &Arc<PageSnapshot>,
        created: &BTreeMap<usize, SlotId>,
        is_resumed: bool,
    ) -> Result<Proposal, AccountError> {
        let merged = self.merge(nth, page, created).map_err(|error| {
            if !self.is_new(nth) {
                return error;
            }
            let desired = &self.desired.pages[nth];
            AccountError::Created {
                page: desired.profile.clone(),
                id: page.id,
                source: Box::new(error),
            }
        })?;
        // A resumed run has changed the page itself, and a page that was created has another plan.
        if !is_resumed && !self.merges.contains_key(&nth) {
            self.check_planned_page(nth, &merged.page_plan())?;
        }
        let proposal = merged.proposal.clone();
        self.merges.insert(nth, merged);
        Ok(proposal)
    }

    fn has_more_to_do(&self) -> bool {
        self.forms.iter().any(|plan| !plan.is_empty())
    }

    async fn confirm(
        &mut self,
        pages: &[PageToConfirm],
    ) -> Result<Vec<Confirmation>, AccountError> {
        self.check_consent(pages)?;
        let has_written = self.write_forms().await?;
        let mut confirmed = Vec::new();
        for page in pages {
            let known = self.merges.get(&page.nth).filter(|_| has_written);
            let Some((seen, created)) = known.map(|it| (it.page.clone(), it.created.clone()))
            else {
                confirmed.push(Confirmation::AsPlanned);
                continue;
            };
            // The ids of new forms are known now.
            let merged = self.merge(page.nth, &seen, &created)?;
            confirmed.push(Confirmation::Later(Box::new(merged.proposal.clone())));
            self.merges.insert(page.nth, merged);
        }
        Ok(confirmed)
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
