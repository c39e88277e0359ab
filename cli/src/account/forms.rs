//! Form files of a run: which forms they are, and what changes.

use links_pages::account::{FormPlan, FormPlanError};
use links_pages::apply::{RecordWrite, SlotTypes};
use links_pages::sync::{Lock, Merge, RemoteChange, Replaced};

use super::form_finder::{FormFinder, title};
use super::live_page::form_of;
use crate::apply::dry_run::{UnsentRequest, described_command, not_sent};
use crate::apply::known_forms::KnownForms;
use crate::apply::lock_only::LockOnly;
use crate::apply::planned::PlannedPage;
use crate::apply::sync::{self, FormSync, LockStore, LockWrites, agreed};
use crate::context::prelude::*;
use crate::error::for_account;
use crate::journal;
use crate::ui::plan::shown_value;
use links_pages::form_file::FormFile;
use links_pages::sanitize::quoted;

/// A form file with the plan of its form.
pub(crate) struct PlannedForm {
    pub(crate) path: PathBuf,
    pub(crate) file: FormFile,
    pub(crate) plan: FormPlan,
    /// The form as it was read; `None` if it is created.
    seen: Option<LeadForm>,
    /// The record of the file, if there is a place for one.
    record: Option<FormSync>,
    /// Set if there was an earlier sync.
    pub(super) is_recorded: bool,
    /// What others changed in the form, and what the plan makes of it.
    pub(super) merge: Merge,
    /// Whether only the lock says that it is this form.
    lock_only: LockOnly,
}

/// A file that cannot be used, with the reason.
type FailedFile = (PathBuf, CommandError);

impl PlannedForm {
    /// Finds the forms of the files and plans their changes, and returns those that cannot be used with the reason. `overwrites`: the files win
    /// over what others changed.
    pub(crate) async fn all(
        context: &Context,
        client: &Client,
        files: Vec<(PathBuf, FormFile)>,
        known: &mut KnownForms,
        overwrites: bool,
    ) -> Result<(Vec<Self>, Vec<FailedFile>)> {
        if files.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let forms = known.account(client).await?.to_vec();
        let mut finder = FormFinder::new(context, &files, &forms)?;
        let names_channels = files.iter().any(|(_, file)| !file.channels.is_empty());
        let channels =
            if names_channels { client.notification_channels().await?.items } else { Vec::new() };
        let (mut planned, mut failures) = (Vec::new(), Vec::new());
        for (path, mut file) in files {
            let (name, record) = (file.form.name.clone(), FormSync::of(context, &path)?);
            // The pages that refer to a form that cannot be planned are planned all the same.
            let recorded = record.as_ref().and_then(|record| record.id(&name)).cloned();
            let mut id = file.form.id.clone().or(recorded);
            let rules = (known.is_locked, overwrites);
            let resolved = file.resolve_channels(&channels).map_err(CommandError::from);
            let form = resolved
                .and_then(|()| Self::of(context, path.clone(), file, record, &mut finder, rules));
            match form {
                Ok(form) => {
                    id.clone_from(&form.plan.id);
                    planned.push(form);
                }
                Err(failure) => failures.push((path, failure)),
            }
            known.add(&name, id.map(String::from));
        }
        Ok((planned, failures))
    }

    fn of(
        context: &Context,
        path: PathBuf,
        file: FormFile,
        record: Option<FormSync>,
        finder: &mut FormFinder<'_>,
        (is_locked, overwrites): (bool, bool),
    ) -> Result<Self> {
        let recorded = record.as_ref().and_then(|record| record.id(&file.form.name)).cloned();
        let forms = finder.forms;
        if is_locked {
            let is_in_lock = record.as_ref().is_some_and(|record| record.lock().is_some());
            check_locked(&file, recorded.as_deref().filter(|_| is_in_lock), forms)?;
        }
        let mut plan = finder.plan(&file.form, recorded.as_deref()).map_err(|error| {
            let place = match &error {
                FormPlanError::UnknownId { .. } => "id".to_owned(),
                FormPlanError::SeveralTitles { .. } => "title".to_owned(),
                FormPlanError::SeveralFields { index, .. } => format!("fields.{index}"),
            };
            file.document.refuse([(&*place, &*error.to_string())])
        })?;
        finder.check(&plan, &file, &path)?;
        let seen = forms.iter().find(|form| Some(&form.id) == plan.id.as_ref()).cloned();
        let (mut merge, mut is_recorded) = (Merge::default(), false);
        if let Some(form) = &seen {
            let base = record.as_ref().and_then(|it| it.base(&form.id, &file.form.said()));
            is_recorded = base.is_some();
            merge = plan.merge(&file.form, form, base.as_ref(), overwrites);
            if !merge.conflicts.is_empty() {
                let pull =
                    for_account(format!("links pull {}", quoted(&path.display().to_string())));
                let gap = record.as_ref().and_then(FormSync::gap);
                let problems = sync::conflicts(&merge, &file.document, &pull, gap);
                let message =
                    "the file and the form both changed since the last sync; nothing was written";
                let hint = format!(
                    "run `{pull}` to mark the conflicts in the file, or use --force to keep the file's values"
                );
                return Err(CommandError::conflict(message)
                    .with_hint(hint)
                    .at(file.document.bad(problems)));
            }
        }
        let mut lock_only = LockOnly::default();
        if let (None, Some(form), false) = (&file.form.id, &seen, plan.is_empty())
            && recorded.as_ref() == Some(&form.id)
            && let Some((record, (store, _))) =
                record.as_ref().and_then(|it| Some((it, it.lock()?)))
        {
            let writes = LockWrites::of(context, &store.path());
            if !writes.has_form(&plan.name, &form.id) {
                lock_only = LockOnly::of_form(store, &record.path, title(&file), form, forms);
            }
        }
        Ok(Self { path, file, plan, seen, record, is_recorded, merge, lock_only })
    }

    /// Lines about what others changed in the form since the last sync, and what is replaced of it.
    pub(super) fn sync_lines(&self) -> Vec<StyledLine> {
        let remote = self.merge.remote.iter().filter_map(|change| match change {
            RemoteChange::Field { key, page, .. } => Some(format!(
                "  < `{key}` changed to {} in the form since the last sync; kept",
                shown_value(page)
            )),
            _ => None,
        });
        let replaced = self.merge.replaced.iter().filter_map(|replaced| match replaced {
            Replaced::Field { key, page } if self.is_recorded => {
                Some(format!("  ! `{key}`: overwrites {} in the form", shown_value(page)))
            }
            _ => None,
        });
        remote.chain(replaced).map(StyledLine::changed).collect()
    }

    /// Lines about a form for which only the lock speaks.
    pub(super) fn lock_only_lines(&self) -> Vec<StyledLine> {
        let Some(form) = self.seen.as_ref().filter(|_| self.lock_only.is_form) else {
            return Vec::new();
        };
        let (name, title) = (&self.plan.name, &form.title);
        let text = format!("! only links.lock says that form {name} is \"{title}\" ({})", form.id);
        let line = StyledLine::removed(text);
        std::iter::once(line).chain(self.lock_only.reason_line()).collect()
    }

    /// Refuses to create the form if one of these has its title that is not among those from which it was planned.
    pub(super) fn check_new(&self, before: &[LeadForm], now: &[LeadForm]) -> Result<()> {
        let title = title(&self.file).unwrap_or_default().trim();
        let is_its = |form: &&LeadForm| {
            form.title.trim() == title && before.iter().all(|it| it.id != form.id)
        };
        let (None, Some(LeadForm { id, .. })) = (&self.plan.id, now.iter().find(is_its)) else {
            return Ok(());
        };
        let name = &self.plan.name;
        let message = format!(
            "form {name} was not created: a form with the title \"{title}\" was created in the meantime ({id}); nothing was written to it"
        );
        Err(CommandError::conflict(message).with_hint("run the same command again"))
    }

    /// Creates or changes the form.
    pub(crate) async fn write(&self, context: &Context, client: &Client) -> Result<LeadForm> {
        let FormPlan { name, id, changed, before, .. } = self.plan.clone();
        let (write, operation) = match id {
            Some(id) => (journal::form_write(context, &id), "updateForm"),
            None => (journal::new_write(context, &name), "createForm"),
        };
        let record = RecordWrite { operation: operation.to_owned(), changed, before };
        let call = self.plan.execute(client, self.seen.as_ref());
        let shown = |form: &LeadForm| serde_json::to_value(form).ok();
        let written = write.write_record(record, call, shown).await;
        journal::finish(context, &write, written).map_err(|error| self.failure(error))
    }

    /// Asks the service whether it would accept the form.
    pub(crate) async fn check(&self, client: &Client) -> Result<()> {
        self.plan.check(client).await.map_err(|error| self.failure(error))
    }

    /// Returns the request of the form, without sending it.
    pub(crate) async fn unsent_request(&self, client: &Client) -> Result<UnsentRequest> {
        let sent = self.plan.execute(client, self.seen.as_ref()).await;
        Ok(described_command(&not_sent(sent)?))
    }

    /// Returns the error of the service, with refused fields at their places in the file.
    fn failure(&self, error: links_sdk::Error) -> CommandError {
        let mut failure = CommandError::from(error);
        if failure.exit() == Exit::Conflict && failure.hint().is_none() {
            failure = failure.with_hint(
                "run `links plan` to see the form's current values, then run the same command again",
            );
        }
        if failure.errors().next().is_none() {
            return failure;
        }
        let refused = self.file.document.refuse(failure.errors());
        failure.at(refused)
    }

    /// Returns the form if it is as its file says, and there is nothing else to be said.
    pub(super) fn unchanged(&self) -> Option<&LeadForm> {
        let Merge { remote, replaced, notes, .. } = &self.merge;
        let is_quiet = remote.is_empty() && replaced.is_empty() && notes.is_empty();
        self.seen.as_ref().filter(|_| self.plan.is_empty() && is_quiet)
    }

    /// Returns the lock that governs the file.
    pub(super) fn lock(&self) -> Option<(&LockStore, &Lock)> {
        self.record.as_ref().and_then(FormSync::lock)
    }

    /// Records the form. `written` is the form after it was written. A form that is not recorded
    /// is found again by its title.
    pub(crate) fn store(&self, context: &Context, written: Option<&LeadForm>) {
        let (Some(record), Some(form)) = (&self.record, written.or(self.seen.as_ref())) else {
            return;
        };
        if let Err(error) = record.store(context, &self.file.form, form, &self.merge) {
            let text = format!("cannot record the form {}: {error}", self.plan.name);
            context.ui.tell(Style::Removed, text);
        }
    }

    /// Records file and form as far as they agree. What differs counts as changed on both sides.
    pub(crate) fn rebuild(&self, context: &Context) -> Result<bool> {
        let (Some(record), Some(form)) = (&self.record, &self.seen) else { return Ok(false) };
        let (said, live) = self.file.form.compared(form);
        let base = agreed(self.merge.clone(), &said, &live, &SlotTypes::default());
        let (name, none) = (&self.plan.name, BTreeSet::new());
        record.put(context, name, &form.id, (&said, &base), &none)?;
        Ok(true)
    }

    /// Returns the logins of the pages of a run that show the form.
    pub(crate) fn shown_on<'p>(
        &self,
        pages: impl Iterator<Item = &'p PlannedPage>,
    ) -> Vec<&'p str> {
        let Some(id) = &self.plan.id else { return Vec::new() };
        let shows =
            |page: &&PlannedPage| page.page.slots.iter().filter_map(form_of).any(|it| *id == it);
        pages.filter(shows).map(|page| page.page.login.as_str()).collect()
    }
}

/// Refuses a form file whose form the lock does not identify. `recorded` is the id that the lock has for its name.
fn check_locked(file: &FormFile, recorded: Option<&str>, forms: &[LeadForm]) -> Result<()> {
    let name = &file.form.name;
    let refused = |message: String| {
        CommandError::refused(format!("--locked: {message}; nothing was written"))
            .with_hint("run `links apply` without --locked, then commit links.lock")
    };
    let Some(id) = recorded.filter(|id| forms.iter().any(|form| form.id == *id)) else {
        return Err(refused(format!("form {name} is not in links.lock, or no longer exists")));
    };
    if file.form.id.as_deref().is_none_or(|own| own == id) {
        return Ok(());
    }
    let failure = refused(format!("links.lock records another form for {name}: {id}"));
    let refused = file.document.refuse([("id", &*failure.to_string())]);
    Err(failure.at(refused))
}
