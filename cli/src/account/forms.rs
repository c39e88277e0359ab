//! Forms of a run: which forms its files are, and what changes.

use links_pages::account::{FormPlan, FormPlanError};
use links_pages::apply::SingleWrite;
use links_pages::sync::{Lock, Merge};
use links_sdk::FormId;

use super::form_finder::{FormFinder, title};
use super::live_page::form_of;
use crate::apply::dry_run::{UnsentRequest, not_sent};
use crate::apply::lock_only::LockOnly;
use crate::apply::planned::PlannedPage;
use crate::apply::sync::{self, LockStore, Since, SyncRecord};
use crate::context::prelude::*;
use crate::editor::form_fields;
use crate::journal;
use links_pages::account::KnownForms;
use links_pages::form_file::{DesiredForm, FormFile};
use links_pages::page_file::Document;
use links_pages::sanitize::quoted;

/// A form with its plan: that of a form file, or an edit that no file describes.
pub(crate) struct PlannedForm {
    pub(crate) path: PathBuf,
    /// The file; that of an edit is empty.
    pub(crate) file: FormFile,
    pub(crate) plan: FormPlan,
    /// The form as it was read; `None` if it is created.
    seen: Option<LeadForm>,
    /// The record of the file, if there is a place for one.
    record: Option<Box<SyncRecord>>,
    /// Set if there was an earlier sync.
    pub(super) is_recorded: bool,
    /// What others changed in the form, and what the plan makes of it.
    pub(super) merge: Merge,
    /// Whether only the lock says that it is this form.
    lock_only: LockOnly,
    /// The write in the journal, if an edit is planned, and not a file.
    edit: Option<SingleWrite>,
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
            let (name, record) = (file.form.name.clone(), SyncRecord::of(context, &path)?);
            // The pages that refer to a form that cannot be planned are planned all the same.
            let recorded = record.as_ref().and_then(|record| record.form(&name));
            let mut id = file.form.id.clone().or_else(|| recorded.map(FormId::from));
            let rules = (known.is_locked(), overwrites);
            let resolved = file.resolve_channels(&channels).map_err(CommandError::from);
            let form =
                resolved.and_then(|()| Self::of(path.clone(), file, record, &mut finder, rules));
            match form {
                Ok(form) => {
                    id.clone_from(&form.plan.id);
                    planned.push(form);
                }
                Err(failure) => failures.push((path, failure)),
            }
            known.add(&name, id);
        }
        Ok((planned, failures))
    }

    fn of(
        path: PathBuf,
        file: FormFile,
        record: Option<Box<SyncRecord>>,
        finder: &mut FormFinder<'_>,
        (is_locked, overwrites): (bool, bool),
    ) -> Result<Self> {
        let recorded = record.as_ref().and_then(|record| record.form(&file.form.name));
        let forms = finder.forms;
        if is_locked {
            let is_in_lock = record.as_ref().is_some_and(|record| record.is_in_lock());
            check_locked(&file, recorded.filter(|_| is_in_lock), forms)?;
        }
        let unclear =
            |error: FormPlanError| file.document.refuse([(&*error.path, &*error.message)]);
        let seen = finder.find(&file.form, recorded).map_err(unclear)?;
        finder.check(seen, &file, &path)?;
        let known = seen.zip(record.as_ref());
        let base = known.and_then(|(form, record)| record.form_base(&form.id, &file.form.said()));
        let (plan, merge) =
            FormPlan::new(&file.form, seen, base.as_ref(), overwrites).map_err(unclear)?;
        if !merge.conflicts.is_empty() {
            let pull = format!("links pull {}", quoted(&path.display().to_string()));
            let gap = record.as_ref().and_then(|record| record.gap());
            return Err(sync::refusal(&merge, &file.document, pull, gap));
        }
        let mut lock_only = LockOnly::default();
        if let (None, Some(form), false) = (&file.form.id, seen, plan.is_empty())
            && recorded == Some(&*form.id)
            && let Some(record) = &record
            && record.is_form_of_others(&plan.name, &form.id)
            && let Some((store, _)) = record.lock()
        {
            let of = (&*plan.name, form);
            lock_only = LockOnly::of_form(store, &record.file_path(), title(&file), of, forms);
        }
        let (seen, is_recorded, edit) = (seen.cloned(), base.is_some(), None);
        Ok(Self { path, file, plan, seen, record, is_recorded, merge, lock_only, edit })
    }

    /// Plans new values of a form that was read.
    pub(crate) fn edit(form: LeadForm, changed: Object, write: SingleWrite) -> Self {
        let plan = form_fields::plan(&form.id, &form_fields::values(&form), changed);
        let (document, channels) = (Document::default(), Vec::new());
        Self {
            path: PathBuf::new(),
            file: FormFile { form: DesiredForm::default(), document, channels },
            plan,
            seen: Some(form),
            record: None,
            is_recorded: false,
            merge: Merge::default(),
            lock_only: LockOnly::default(),
            edit: Some(write),
        }
    }

    /// Returns the path of its file, if it has one.
    pub(super) fn shown_path(&self) -> Option<String> {
        self.edit.is_none().then(|| self.path.display().to_string())
    }

    /// Lines about what others changed in the form since the last sync, and what is replaced of it.
    pub(super) fn sync_lines(&self) -> Vec<StyledLine> {
        // Without a record, the plan shows what is replaced.
        if !self.is_recorded {
            let replaces = self.record.is_some() && self.seen.is_some() && !self.plan.is_empty();
            return replaces.then(|| sync::without_record("form")).into_iter().collect();
        }
        sync::lines(&self.merge, true, ("in the form", Since::Sync))
    }

    /// Lines about a form for which only the lock speaks.
    pub(super) fn lock_only_lines(&self) -> Vec<StyledLine> {
        self.lock_only.lines(&[], "")
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

    /// Creates or changes the form, and records it unless the lock stays as it is. Returns its name and its ID, and whether it is as it was sent.
    pub(super) async fn write(
        &self,
        context: &Context,
        client: &Client,
        is_locked: bool,
    ) -> Result<(String, String, Result<()>)> {
        let FormPlan { name, id, .. } = &self.plan;
        let _lock = id.as_ref().map(|id| form_fields::lock(context, id));
        let write = match (&self.edit, id) {
            (Some(write), _) => write.clone(),
            (None, Some(id)) => journal::form_write(context, id),
            (None, None) => journal::new_write(context, name),
        };
        let written = self.plan.execute(client, self.seen.as_ref(), &write).await;
        let written = journal::finish(context, &write, written);
        let form = written.map_err(|error| self.failure(error))?;
        let checked = form_fields::check_written(&self.plan, &form_fields::values(&form));
        if !is_locked {
            self.store(context, Some(&form));
        }
        let name = if self.edit.is_some() { form.title } else { name.clone() };
        Ok((name, form.id.to_string(), checked))
    }

    /// Asks the service whether it would accept the form.
    pub(crate) async fn check(&self, client: &Client) -> Result<()> {
        self.plan.check(client).await.map_err(|error| self.failure(error))
    }

    /// Returns the request of the form, without sending it.
    pub(crate) async fn unsent_request(&self, client: &Client) -> Result<UnsentRequest> {
        let write = SingleWrite::new(None);
        not_sent(self.plan.execute(client, self.seen.as_ref(), &write).await)
    }

    /// Returns the error of the service, with refused fields at their places in the file.
    fn failure(&self, error: impl Into<CommandError>) -> CommandError {
        let mut failure: CommandError = error.into();
        if failure.exit() == Exit::Conflict && failure.hint().is_none() {
            failure = failure.with_hint("run the same command again for a new plan");
        }
        if self.edit.is_some() || failure.errors().next().is_none() {
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
        self.record.as_deref().and_then(SyncRecord::lock)
    }

    /// Records the form. `written` is the form after it was written. A form that is not recorded
    /// is found again by its title.
    pub(crate) fn store(&self, context: &Context, written: Option<&LeadForm>) {
        let (Some(record), Some(form)) = (&self.record, written.or(self.seen.as_ref())) else {
            return;
        };
        if let Err(error) = record.store_form(context, &self.file.form, form, &self.merge) {
            let text = format!("cannot record the form {}: {error}", self.plan.name);
            context.ui.tell(Style::Removed, text);
        }
    }

    /// Records file and form as far as they agree. What differs counts as changed on both sides.
    pub(crate) fn rebuild(&self, context: &Context) -> Result<bool> {
        let (Some(record), Some(form)) = (&self.record, &self.seen) else { return Ok(false) };
        record.rebuild_form(context, &self.file.form, form)?;
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
