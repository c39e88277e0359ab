//! A run over a desired account, and what each step decides.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::Value;

use super::{
    AccountError, AccountPage, AccountPlan, AppliedAccount, AppliedForm, AppliedPage, ApplyAccount,
    FormPlan, KnownForms, PagePlan,
};
use crate::apply::{
    DesiredPage, DesiredSlot, OpenPage, PageSnapshot, Plan, PlanOptions, PlannedDelete, Proposal,
    Run, Wanted, execute, guard, literal_key,
};
use crate::sync::{FilePage, LivePage, Merge, PageBase};
use links_sdk::{ErrorKind, FormId, Object, Outcome, SlotId};

impl ApplyAccount {
    /// Plans the changes. Nothing is locked and nothing is written.
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
    /// let applied = ApplyAccount { planned: Some(plan), ..ApplyAccount::new(&client, desired) }.run().await?;
    /// assert!(applied.pages[0].is_ok());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When a page or the forms cannot be read, or no plan can be made.
    pub async fn plan(self) -> Result<AccountPlan, AccountError> {
        let pages = self.pages()?;
        let mut session = AccountSession::new(&self).await?;
        let run = Run::plan(&self.client, pages, self.settings.clone()).await?;
        let open = session.open(&run).await?;
        let plan = |page: &OpenPage| {
            let (merge, _) = session.merges.get(&page.nth())?;
            Some(page_plan(page, merge, page.plan()?))
        };
        let pages = open.iter().filter_map(plan).collect();
        let forms = session.forms.into_iter().map(|(plan, _)| plan).collect();
        Ok(AccountPlan { forms, pages })
    }

    /// Makes the pages and forms match the desired account.
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
    /// When nothing was written to any page. Otherwise the result of each page is in [`AppliedAccount::pages`].
    pub async fn run(self) -> Result<AppliedAccount, AccountError> {
        let pages = self.pages()?;
        let mut session = AccountSession::new(&self).await?;
        let run = Run::begin(&self.client, pages, self.settings.clone()).await?;
        let open = session.open(&run).await.map_err(|error| session.told(error))?;
        let (mut open, unchanged): (Vec<OpenPage>, Vec<OpenPage>) =
            open.into_iter().partition(OpenPage::has_changes);
        let on_step = &mut |_, _, _: &_| ControlFlow::Continue(());
        // Their locks are free from here on.
        let mut ended = execute(unchanged, false, on_step).await;
        session.check_consent(&open).map_err(|error| session.told(error))?;
        session.write_forms(&mut open).await.map_err(|error| session.told(error))?;
        let (mut ready, mut pages) = (Vec::new(), BTreeMap::new());
        for mut page in open {
            match session.create(&mut page).await {
                Ok(()) => ready.push(page),
                Err(error) => drop(pages.insert(page.nth(), Err(error))),
            }
        }
        ended.extend(execute(ready, !pages.is_empty(), on_step).await);
        for page in ended {
            let applied = page.result.map(|applied| AppliedPage {
                base: session.base_after(page.nth, &applied.page, &applied.done.created),
                done: applied.done,
            });
            pages.insert(page.nth, applied.map_err(AccountError::from));
        }
        Ok(AppliedAccount { forms: session.applied_forms(), pages: pages.into_values().collect() })
    }
}

/// A run over an account.
struct AccountSession<'a> {
    request: &'a ApplyAccount,
    /// Forms that references may mean, as they are now.
    known: KnownForms,
    /// Plans of the desired forms, each with its merge. A form that was created has its ID.
    forms: Vec<(FormPlan, Merge)>,
    /// Merges of the pages, each with the slots that an interrupted run had made.
    merges: BTreeMap<usize, (Merge, BTreeMap<usize, SlotId>)>,
    /// Set once a form was written, or what an interrupted run had left was settled.
    has_written: bool,
}

impl<'a> AccountSession<'a> {
    /// Reads the forms of the account if they are needed, and plans those that are desired.
    async fn new(request: &'a ApplyAccount) -> Result<Self, AccountError> {
        let (known, forms, merges) = (KnownForms::default(), Vec::new(), BTreeMap::new());
        let mut session = Self { request, known, forms, merges, has_written: false };
        let desired = &request.desired;
        let is_referred = |page: &AccountPage| !unknown_forms(page, |_| None).is_empty();
        if !desired.forms.is_empty() || desired.pages.iter().any(is_referred) {
            session.plan_forms().await?;
        }
        Ok(session)
    }

    /// Reads the forms of the account, and plans those that are desired.
    async fn plan_forms(&mut self) -> Result<(), AccountError> {
        let request = self.request;
        let mut known = KnownForms::default();
        let account = known.account(&request.client).await.map_err(AccountError::Forms)?.to_vec();
        let desired = &request.desired.forms;
        // IDs of forms that have another name.
        let mut taken: BTreeSet<FormId> =
            desired.iter().filter_map(|form| form.id.clone()).collect();
        let mut forms: Vec<(FormPlan, Merge)> = Vec::new();
        for (nth, form) in desired.iter().enumerate() {
            let name = &form.name;
            if forms.iter().any(|(plan, _)| plan.name == *name) {
                return Err(AccountError::Invalid(format!("duplicate form {name}")));
            }
            let held = form.find(&account, None, &taken);
            let planned = held
                .and_then(|held| FormPlan::new(form, held, form.base.as_ref(), request.overwrite));
            let (plan, merge) =
                planned.map_err(|source| AccountError::FormPlan { name: name.clone(), source })?;
            if let Some((earlier, _)) =
                forms.iter().find(|(it, _)| it.id.is_some() && it.id == plan.id)
            {
                let message = format!("forms {} and {name} have the same ID", earlier.name);
                return Err(AccountError::Invalid(message));
            }
            let what = format!("form {name}");
            if !merge.conflicts.is_empty() {
                return Err(AccountError::Conflicts { what, conflicts: merge.conflicts });
            }
            // What an earlier run of the plan has carried out has nothing left to do.
            if let Some(planned) = &request.planned
                && !plan.is_empty()
                && planned.forms.get(nth) != Some(&plan)
            {
                return Err(AccountError::PlanChanged { what });
            }
            taken.extend(plan.id.clone());
            known.add(name, plan.id.clone());
            forms.push((plan, merge));
        }
        (self.known, self.forms) = (known, forms);
        Ok(())
    }

    /// Refuses changes of a page other than those of the only plan that may be carried out. A run that is resumed has changed the page itself;
    /// it may delete nothing but what was planned.
    fn check_planned_page(&mut self, page: &OpenPage, plan: &Plan) -> Result<(), AccountError> {
        let request = self.request;
        let Some(account) = &request.planned else { return Ok(()) };
        let planned = account.pages.get(page.nth());
        let is_planned = |delete: &PlannedDelete| {
            planned.is_some_and(|it| it.plan.deletes.iter().any(|old| old.id == delete.id))
        };
        let is_done = page.snapshot().exists() && plan.is_empty();
        if is_done || page.is_resumed() && plan.deletes.iter().all(is_planned) {
            return Ok(());
        }
        // Forms and pages that an earlier run of the plan created have an ID now.
        let known = self.known.clone();
        for (form, _) in &self.forms {
            if account.forms.iter().any(|it| it.name == form.name && it.id.is_none()) {
                self.known.add(&form.name, None);
            }
        }
        let merged = self.merge(page);
        self.known = known;
        let (merge, proposal) = merged?;
        let now = page_plan(page, &merge, &proposal.plan);
        let is_same = |it: &PagePlan| *it == PagePlan { id: it.id.and(now.id), ..now.clone() };
        if planned.is_some_and(is_same) {
            return Ok(());
        }
        Err(AccountError::PlanChanged { what: format!("page {}", self.desired(page.nth()).name()) })
    }

    /// Adds to an error that something was written before it.
    fn told(&self, error: AccountError) -> AccountError {
        if self.has_written && error.outcome() == Outcome::NotExecuted {
            return AccountError::Partial { source: Box::new(error) };
        }
        error
    }

    fn desired(&self, nth: usize) -> &'a AccountPage {
        &self.request.desired.pages[nth]
    }

    /// Returns the value of a reference to a form: its ID, or a placeholder for one that is created.
    fn form(&self, name: &str) -> Option<Value> {
        self.known.find(name, None).ok()
    }

    /// Opens and plans the pages. Nothing more is read after an error that the other pages would have, too.
    async fn open(&mut self, run: &Run) -> Result<Vec<OpenPage>, AccountError> {
        let mut open = BTreeMap::new();
        for nth in run.order() {
            let opened = async {
                let mut page = run.open(nth).await?;
                self.plan(&mut page).await?;
                Ok::<_, AccountError>(page)
            };
            let opened = opened.await;
            let is_general = opened.as_ref().is_err_and(|error| {
                let kind = error.kind();
                kind.is_temporary() || kind == ErrorKind::NotAuthenticated
            });
            open.insert(nth, opened);
            if is_general {
                break;
            }
        }
        open.into_values().collect()
    }

    /// Refuses a page that refers to forms that are not known.
    fn check_forms(&self, nth: usize) -> Result<(), AccountError> {
        let desired = self.desired(nth);
        let names = unknown_forms(desired, |name| self.form(name));
        if names.is_empty() {
            return Ok(());
        }
        Err(AccountError::UnknownForm { page: desired.name(), names })
    }

    /// Plans a page that was opened or created.
    async fn plan(&mut self, page: &mut OpenPage) -> Result<(), AccountError> {
        let nth = page.nth();
        self.check_forms(nth)?;
        page.settle(&as_page(self.desired(nth))).await?;
        self.has_written |= page.has_settled();
        let (merge, proposal) = self.merge(page)?;
        // A page that was created has another plan.
        if !self.merges.contains_key(&nth) {
            self.check_planned_page(page, &proposal.plan)?;
        }
        page.propose(proposal)?;
        self.merges.insert(nth, (merge, page.created()));
        Ok(())
    }

    /// Merges and plans a page.
    fn merge(&self, open: &OpenPage) -> Result<(Merge, Proposal), AccountError> {
        let (request, desired) = (self.request, self.desired(open.nth()));
        let page = open.snapshot();
        let mut options = PlanOptions {
            overwrite: request.overwrite,
            // A new page holds what the service put there.
            prune: request.prune && !open.is_new(),
            types: request.types.clone(),
            created: open.created(),
            ..PlanOptions::default()
        };
        let failed = |source| AccountError::Sync { page: desired.name(), source };
        let said = self.said(desired);
        let live = LivePage::of(page, &said);
        let merge = Merge::new(desired.base.as_ref(), &said, &live, &options).map_err(failed)?;
        if !merge.conflicts.is_empty() {
            let what = format!("page {}", desired.name());
            return Err(AccountError::Conflicts { what, conflicts: merge.conflicts });
        }
        options.prune = request.prune;
        let wanted = match &desired.slots {
            Some(_) => merge.wanted(),
            None => Wanted::of_fields(&page.slots, merge.fields.clone()),
        };
        let plan = Plan::of_page(page, &wanted, &options);
        let plan = Arc::new(plan.map_err(failed)?);
        let file = Arc::new(as_page(desired));
        Ok((merge, Proposal { file, wanted, options, plan }))
    }

    /// Returns what a page says, with the values of its references.
    fn said(&self, desired: &AccountPage) -> FilePage {
        let mut said = FilePage {
            fields: desired.fields.clone(),
            slots: desired.slots.clone().unwrap_or_default(),
            keeps_slots: desired.slots.is_none(),
            ..FilePage::default()
        };
        for slot in &mut said.slots {
            let sent = with_forms(&slot.data, &mut |name| self.form(name));
            slot.data = with_forms(&slot.data, &mut |_| None);
            let is_resolved = |(key, value): &(String, Value)| slot.data.get(key) != Some(value);
            slot.resolved.extend(sent.0.into_iter().filter(is_resolved));
        }
        said
    }

    /// Returns the record of the sync of a page that was applied.
    fn base_after(
        &self,
        nth: usize,
        after: &PageSnapshot,
        created: &BTreeMap<usize, SlotId>,
    ) -> PageBase {
        let desired = self.desired(nth);
        let Some((merge, made)) = self.merges.get(&nth) else { return PageBase::default() };
        let mut all = made.clone();
        all.extend(created);
        let said = self.said(desired);
        let live = LivePage::of(after, &said);
        merge.base_after(desired.base.as_ref(), &said, &live, &all, &self.request.types)
    }

    /// Refuses what was not allowed.
    fn check_consent(&self, pages: &[OpenPage]) -> Result<(), AccountError> {
        let new_forms = self.forms.iter().filter(|(plan, _)| plan.id.is_none()).count();
        let creates = new_forms + pages.iter().filter(|page| page.is_new()).count();
        let allowed = self.request.creates;
        if creates > allowed {
            let message = format!(
                "pages and forms cannot be deleted again: {creates} would be created, but the maximum is {allowed}"
            );
            return Err(AccountError::NotAllowed(message));
        }
        for page in pages {
            let (Some(plan), name) = (page.plan(), self.desired(page.nth()).name()) else {
                continue;
            };
            let renames = plan.fields.changed.contains_key("login");
            if renames && !page.is_new() && !self.request.renames {
                let message =
                    format!("page {name}: the login would change, which breaks every link to it");
                return Err(AccountError::NotAllowed(message));
            }
            if !page.is_confirmed() {
                let guarded = guard(plan, page.snapshot().slots.len(), &self.request.limits);
                guarded.map_err(|refusal| AccountError::Guard { page: name, refusal })?;
            }
        }
        Ok(())
    }

    /// Creates and changes the forms, and puts the IDs of new ones into the plans.
    async fn write_forms(&mut self, pages: &mut [OpenPage]) -> Result<(), AccountError> {
        let is_any_new = self.forms.iter().any(|(plan, _)| plan.id.is_none());
        if is_any_new {
            // Another run may have created it since the forms were read, and forms cannot be deleted.
            self.plan_forms().await?;
            for page in &*pages {
                self.check_forms(page.nth())?;
            }
            self.check_consent(pages)?;
        }
        let mut done = BTreeMap::new();
        for (plan, _) in self.forms.iter_mut().filter(|(plan, _)| !plan.is_empty()) {
            let ApplyAccount { client, settings, .. } = self.request;
            let seen = plan.id.as_ref().and_then(|id| self.known.of_id(id));
            let write = settings.single_write(client, &plan.name, plan.id.as_deref());
            let written = plan.execute(client, seen, &write).await;
            write.close(written.is_ok());
            let form = written.map_err(|source| AccountError::Form {
                name: plan.name.clone(),
                done: std::mem::take(&mut done),
                source,
            })?;
            self.has_written = true;
            done.insert(plan.name.clone(), form.id.clone());
            plan.id = Some(form.id.clone());
            self.known.put(&plan.name, form);
        }
        for page in pages.iter_mut().filter(|_| is_any_new || !done.is_empty()) {
            let (merge, proposal) = self.merge(page)?;
            page.revise(proposal);
            self.merges.insert(page.nth(), (merge, page.created()));
        }
        Ok(())
    }

    /// Returns the forms after the run, each with the record of its sync.
    fn applied_forms(&self) -> BTreeMap<String, AppliedForm> {
        let desired = self.request.desired.forms.iter().zip(&self.forms);
        let applied = desired.filter_map(|(desired, (plan, merge))| {
            let form = self.known.of_id(plan.id.as_ref()?)?;
            let (before, types) = (desired.base.as_ref(), &self.request.types);
            let base = match desired.compared(form) {
                Ok((said, live)) => merge.base_after(before, &said, &live, &[].into(), types),
                Err(_) => before.cloned().unwrap_or_default(),
            };
            Some((plan.name.clone(), AppliedForm { id: form.id.clone(), base }))
        });
        applied.collect()
    }

    /// Creates a page that does not exist, and plans it again.
    async fn create(&mut self, page: &mut OpenPage) -> Result<(), AccountError> {
        if page.snapshot().exists() {
            return Ok(());
        }
        page.create().await?;
        let planned = self.plan(page).await;
        planned.map_err(|error| match error {
            AccountError::Apply(_) => error,
            source => AccountError::Created {
                page: self.desired(page.nth()).name(),
                id: page.snapshot().id,
                source: Box::new(source),
            },
        })
    }
}

fn page_plan(page: &OpenPage, merge: &Merge, plan: &Plan) -> PagePlan {
    let seen = page.snapshot();
    let id = seen.exists().then_some(seen.id);
    PagePlan { id, login: seen.login.clone(), merge: merge.clone(), plan: plan.clone() }
}

/// Returns the desired content of a page, with references as written.
fn as_page(desired: &AccountPage) -> DesiredPage {
    let slots = desired.slots.iter().flatten().map(|slot| DesiredSlot {
        id: slot.id.named(),
        kind: slot.kind.clone(),
        data: with_forms(&slot.data, &mut |_| None),
    });
    DesiredPage { fields: desired.fields.clone(), slots: slots.collect() }
}

/// Key of a reference to a form.
const FORM: &str = "$form";

/// Returns the names of forms that a page refers to and for which `form` has no value.
fn unknown_forms(page: &AccountPage, form: impl Fn(&str) -> Option<Value>) -> Vec<String> {
    let mut unknown = Vec::new();
    for slot in page.slots.iter().flatten() {
        with_forms(&slot.data, &mut |name| {
            let found = form(name);
            if found.is_none() {
                unknown.push(name.to_owned());
            }
            found
        });
    }
    unknown
}

/// Returns the data of a slot with the value that `form` has for the name of each reference. A reference without one stays as it is, and a key
/// that is written with one more `$` is no reference.
fn with_forms(data: &Object, form: &mut impl FnMut(&str) -> Option<Value>) -> Object {
    data.iter().map(|(key, value)| (meant(key), with_form(value, form))).collect()
}

fn with_form(value: &Value, form: &mut impl FnMut(&str) -> Option<Value>) -> Value {
    match value {
        Value::Object(map) => match map.get(FORM) {
            Some(Value::String(name)) if map.len() == 1 => {
                form(name).unwrap_or_else(|| value.clone())
            }
            _ => map.iter().map(|(key, value)| (meant(key), with_form(value, form))).collect(),
        },
        Value::Array(list) => list.iter().map(|value| with_form(value, form)).collect(),
        plain => plain.clone(),
    }
}

fn meant(key: &str) -> String {
    literal_key(key).unwrap_or(key).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn references_are_replaced_wherever_they_are_and_escaped_keys_are_none() {
        let data = object(json!({
            "formId": {"$form": "booking"}, "list": [{"a": {"$form": "gone"}}], "x": {"$form": 7},
            "y": {"$$form": "booking"}, "$$z": 1,
        }));
        let mut asked = Vec::new();
        let resolved = with_forms(&data, &mut |name| {
            asked.push(name.to_owned());
            (name == "booking").then(|| json!("id-1"))
        });
        assert_eq!(asked, ["booking", "gone"]);
        let expected = object(json!({
            "formId": "id-1", "list": [{"a": {"$form": "gone"}}], "x": {"$form": 7},
            "y": {"$form": "booking"}, "$z": 1,
        }));
        assert_eq!(resolved, expected);
    }

    #[test]
    fn an_escaped_reference_of_a_file_is_sent_as_it_is_meant() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cafe.yaml");
        let text =
            "profile: cafe\nslots:\n  - {type: html, data: {x: {$$form: a}, y: {$form: b}}}\n";
        std::fs::write(&path, text).unwrap();
        let account = crate::account::DesiredAccount::read([&path]).unwrap();
        let page = &account.pages[0];
        assert_eq!(unknown_forms(page, |_| None), ["b"]);
        assert_eq!(
            as_page(page).slots[0].data,
            object(json!({"x": {"$form": "a"}, "y": {"$form": "b"}}))
        );
        assert_eq!(page.path.as_deref(), path.to_str());
        assert_eq!(page.name(), format!("cafe ({})", path.display()));
    }
}
