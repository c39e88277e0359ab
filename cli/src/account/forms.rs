//! Form files of a run: which forms they are, and what changes.

use std::path::{Path, PathBuf};

use links_pages::account::{FormPlan, FormPlanError};
use links_pages::apply::RecordWrite;
use links_sdk::Client;
use links_sdk::FormId;
use links_sdk::types::LeadForm;

use super::form_finder::{FormFinder, lock_of, recorded_id};
use crate::apply::dry_run::{UnsentRequest, described_command, not_sent};
use crate::apply::known_forms::KnownForms;
use crate::apply::lock_only::LockOnly;
use crate::apply::planned::PlannedPage;
use crate::apply::runs;
use crate::apply::sync::{LockWrites, WrittenLocks};
use crate::context::Context;
use crate::error::{CommandError, Exit};
use crate::journal;
use crate::output::StyledLine;
use links_pages::form_file::FormFile;
use links_pages::page_file::At;

/// A form file with the plan of its form.
pub(crate) struct PlannedForm {
    pub(crate) path: PathBuf,
    pub(crate) file: FormFile,
    pub(crate) plan: FormPlan,
    /// The form as it was read; `None` if it is created.
    seen: Option<LeadForm>,
    /// Whether only the lock says that it is this form.
    lock_only: LockOnly,
}

/// A file that cannot be used, with the reason.
type FailedFile = (PathBuf, CommandError);

impl PlannedForm {
    /// Finds the forms of the files and plans their changes. Reports the problems of all files together.
    pub(crate) async fn all(
        context: &Context,
        client: &Client,
        files: Vec<(PathBuf, FormFile)>,
        known: &mut KnownForms,
        is_locked: bool,
    ) -> Result<Vec<Self>, CommandError> {
        let (planned, failures) = Self::each(context, client, files, known, is_locked).await?;
        if failures.is_empty() {
            return Ok(planned);
        }
        let message = format!("{} form files cannot be used; nothing was written", failures.len());
        let failures = failures.into_iter().map(|(_, failure)| failure).collect();
        Err(CommandError::of_several(failures, &message))
    }

    /// Finds the forms of the files and plans their changes, and returns those that cannot be used with the reason.
    pub(crate) async fn each(
        context: &Context,
        client: &Client,
        files: Vec<(PathBuf, FormFile)>,
        known: &mut KnownForms,
        is_locked: bool,
    ) -> Result<(Vec<Self>, Vec<FailedFile>), CommandError> {
        if files.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let forms = known.account(client).await?.to_vec();
        let mut finder = FormFinder::new(context, &files, &forms)?;
        let mut channels = None;
        let (mut planned, mut failures) = (Vec::new(), Vec::new());
        for (path, mut file) in files {
            if !file.channels.is_empty() {
                if channels.is_none() {
                    channels = Some(client.notification_channels().await?.items);
                }
                let channels = channels.as_deref().unwrap_or_default();
                if let Err(problems) = file.resolve_channels(channels) {
                    failures.push((path, problems.into()));
                    continue;
                }
            }
            match Self::of(context, path.clone(), file, &mut finder, is_locked) {
                Ok(form) => {
                    known.add(&form.plan.name, form.plan.id.clone().map(String::from));
                    planned.push(form);
                }
                Err(failure) => failures.push((path, failure)),
            }
        }
        Ok((planned, failures))
    }

    fn of(
        context: &Context,
        path: PathBuf,
        file: FormFile,
        finder: &mut FormFinder<'_>,
        is_locked: bool,
    ) -> Result<Self, CommandError> {
        let recorded = recorded_id(context, &path, &file.form.name)?;
        let forms = finder.forms;
        if is_locked {
            check_locked(&file, recorded.as_deref(), forms)?;
        }
        let plan = finder.plan(&file.form, recorded.as_deref()).map_err(|error| {
            let place: Vec<String> = match &error {
                FormPlanError::UnknownId { .. } => vec!["id".to_owned()],
                FormPlanError::SeveralTitles { .. } => vec!["title".to_owned()],
                FormPlanError::SeveralFields { index, .. } => {
                    vec!["fields".to_owned(), index.to_string()]
                }
            };
            let problem = file.document.locate(&place, At::Value, error.to_string());
            CommandError::from(file.document.bad(vec![problem]))
        })?;
        let seen = forms.iter().find(|form| Some(&form.id) == plan.id.as_ref()).cloned();
        let mut lock_only = LockOnly::default();
        if let (None, Some(form), false) = (&file.form.id, &seen, plan.is_empty())
            && recorded.as_ref() == Some(&form.id)
            && let Some((store, _)) = lock_of(context, &path)?
        {
            let title = file.form.fields.get("title").and_then(|it| it.as_str());
            let committed = store.key(&path).map(|key| store.path_of(&key));
            let committed = committed.as_deref().unwrap_or(&path);
            let service = runs::service(context).unwrap_or_default();
            let writes = LockWrites::of(context, &service, &store.path());
            if !writes.has_form(&plan.name, &form.id) {
                lock_only = LockOnly::of_form(&store, committed, title, form, forms);
            }
        }
        Ok(Self { path, file, plan, seen, lock_only })
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

    /// Creates or changes the form. Returns its id.
    pub(crate) async fn write(
        &self,
        context: &Context,
        client: &Client,
    ) -> Result<FormId, CommandError> {
        let changed = self.plan.changed.clone();
        let (write, record) = match (&self.plan.id, &self.seen) {
            (Some(id), Some(seen)) => (
                journal::form_write(context, id),
                RecordWrite::replacing("updateForm", changed, seen),
            ),
            _ => (
                journal::new_write(context, &self.plan.name),
                RecordWrite::creating("createForm", changed),
            ),
        };
        let call = self.plan.execute(client, self.seen.as_ref());
        let shown = |form: &LeadForm| serde_json::to_value(form).ok();
        let written = write.write_record(record, call, shown).await;
        journal::finish(context, &write, written)
            .map(|form| form.id)
            .map_err(|error| self.failure(error))
    }

    /// Asks the service whether it would accept the form.
    pub(crate) async fn check(&self, client: &Client) -> Result<(), CommandError> {
        self.plan.check(client).await.map_err(|error| self.failure(error))
    }

    /// Returns the request of the form, without sending it.
    pub(crate) async fn unsent_request(
        &self,
        client: &Client,
    ) -> Result<UnsentRequest, CommandError> {
        let sent = self.plan.execute(client, self.seen.as_ref()).await;
        Ok(described_command(&not_sent(sent)?))
    }

    /// Returns the error of the service, with refused fields at their places in the file.
    fn failure(&self, error: links_sdk::Error) -> CommandError {
        let mut failure = CommandError::from(error);
        if failure.exit() == Exit::Conflict && failure.hint().is_none() {
            failure = failure.with_hint(
                "run `links plan` to see what the form has now, and then the same command again",
            );
        }
        let problem = |(path, message): (&str, &str)| {
            let path: Vec<&str> = path.split('.').collect();
            self.file.document.locate(&path, At::Value, message)
        };
        let problems: Vec<_> = failure.errors().map(problem).collect();
        if problems.is_empty() { failure } else { failure.at(self.file.document.bad(problems)) }
    }

    /// Adds the lock that governs the file.
    pub(super) fn add_lock(
        &self,
        context: &Context,
        locks: &mut WrittenLocks,
    ) -> Result<(), CommandError> {
        if let Some((store, lock)) = lock_of(context, &self.path)? {
            locks.add_form((&store, &lock), self.plan.id.as_deref());
        }
        Ok(())
    }

    /// Records the id of the form in the lock that governs its file, if there is one. A form that is not recorded is found again by its title.
    pub(crate) fn store(&self, context: &Context, id: &str) {
        let name = &self.plan.name;
        if let Err(error) = record_form(context, &self.path, name, id) {
            let text = format!("the form {name} could not be recorded: {error}");
            context.ui.say(&StyledLine::removed(text));
        }
    }

    /// Returns the logins of the pages of a run that show the form.
    pub(crate) fn shown_on<'p>(
        &self,
        pages: impl Iterator<Item = &'p PlannedPage>,
    ) -> Vec<&'p str> {
        let Some(id) = &self.plan.id else { return Vec::new() };
        let shows = |page: &&PlannedPage| {
            let slots = page.page.slots.iter();
            slots
                .filter(|slot| slot.kind == "form")
                .any(|slot| slot.data.get("formId").and_then(|it| it.as_str()) == Some(id.as_str()))
        };
        pages.filter(shows).map(|page| page.page.login.as_str()).collect()
    }
}

/// Refuses a form file whose form the lock does not identify. `recorded` is the id that the lock has for its name.
fn check_locked(
    file: &FormFile,
    recorded: Option<&str>,
    forms: &[LeadForm],
) -> Result<(), CommandError> {
    let name = &file.form.name;
    let refused = |message: String| {
        CommandError::refused(format!("--locked: {message}; nothing was written"))
            .with_hint("run `links apply` without --locked, and commit links.lock")
    };
    let Some(id) = recorded.filter(|id| forms.iter().any(|form| form.id == *id)) else {
        return Err(refused(format!("links.lock does not have the form {name}, or it is gone")));
    };
    if file.form.id.as_deref().is_none_or(|own| own == id) {
        return Ok(());
    }
    let failure = refused(format!("links.lock has another form for {name}: {id}"));
    let problem = file.document.locate(&["id"], At::Value, failure.to_string());
    Err(failure.at(file.document.bad(vec![problem])))
}

/// Records the id of a form in the lock that governs its file, if there is one.
pub(crate) fn record_form(
    context: &Context,
    path: &Path,
    name: &str,
    id: &str,
) -> Result<(), CommandError> {
    let Some((store, _)) = lock_of(context, path)? else { return Ok(()) };
    let service = runs::service(context).unwrap_or_default();
    store.update(context, &service, |lock| {
        lock.forms.insert(name.to_owned(), id.into());
    })
}
