//! Words of a run that carries out a confirmed plan: its steps, what it has done, and why it failed.

use links_pages::apply::{
    AppliedChanges, ApplyCause, ApplyError, FieldsRequest, ItemRefusal, JournalEntries, Step,
};
use links_sdk::Outcome;

use super::apply_args::refused;
use super::planned::PlannedPage;
use super::{problems, runs};
use crate::apply::runs::unwritable;
use crate::context::prelude::*;
use crate::signal;

/// Short description of a step.
pub(crate) fn step_message(step: Step) -> String {
    match step {
        Step::CreatePage => "creating the page".to_owned(),
        Step::Fields(FieldsRequest::Profile) => "updating the page".to_owned(),
        Step::Fields(FieldsRequest::Language) => "setting the language".to_owned(),
        Step::Fields(FieldsRequest::Login) => "changing the login".to_owned(),
        Step::Update(slots) => format!("updating {}", count(slots, "slot")),
        Step::TryCreate(slots) => format!("checking {}", count(slots, "new slot")),
        Step::Create(slots) => format!("creating {}", count(slots, "slot")),
        Step::Reorder => "reordering".to_owned(),
        Step::Check => "checking before deleting".to_owned(),
        Step::Delete(slots) => format!("deleting {}", count(slots, "slot")),
        Step::Verify => "verifying".to_owned(),
    }
}

/// Hint after a run over several pages that did not reach its end.
pub(crate) const RESUME: &str =
    "run the same command again; it continues from the current state of the pages";

/// Describes an interrupted run that was settled. `undoes` is the run that this one takes back.
pub(crate) fn interrupted_note(
    log: &JournalEntries,
    is_resumed: bool,
    undoes: Option<&str>,
) -> String {
    let (time, done) = (runs::time(log.opening.time), written(&log.done));
    if is_resumed {
        return format!("resuming the run interrupted at {time} ({done} so far)");
    }
    if undoes == Some(&*log.run) {
        return format!("undoing the run interrupted at {time} ({done}) instead of resuming it");
    }
    let doubt = if log.is_unsettled() {
        "; the interrupted run's last request may have been applied: `apply` checks that first, so the plan may differ"
    } else {
        ""
    };
    format!(
        "not resuming the run interrupted at {time}: its content was different; its writes stay on the page ({done}){doubt}"
    )
}

/// Error of a run that was stopped by Ctrl-C. `so_far` is what it has written.
pub(crate) fn interrupted(so_far: &[String], more: &str, resume: &str) -> CommandError {
    let so_far =
        if so_far.is_empty() { "nothing was written".to_owned() } else { so_far.join("; ") };
    CommandError::new(Exit::Interrupted, format!("stopped by Ctrl-C: {so_far}{more}"))
        .with_hint(resume)
}

/// Addition to the error of a run that was ended at once.
pub(crate) const AT_ONCE: &str = "; the last request may still have been applied";

/// Error of a failed run, including the changes it made. `planned` is the plan, if there is one.
pub(crate) fn failed(
    error: ApplyError,
    planned: Option<&PlannedPage>,
    resume: &str,
) -> CommandError {
    let (done, outcome, has_ended) = (error.done().clone(), error.outcome(), error.has_ended());
    let so_far = written(&done);
    let edited = planned.and_then(|planned| planned.edited.as_ref());
    let message = error.to_string();
    let failure = match error.into_cause() {
        ApplyCause::Read(source) => CommandError::from(source),
        ApplyCause::Call { source, .. } if source.is_forbidden() && done.is_nothing() => {
            return CommandError::from(source).with_hint(
                "nothing was written; use a token that may change this page (this one may be read-only)",
            );
        }
        ApplyCause::Call { step, items, source, .. } => {
            let failure = CommandError::from(source);
            match (planned, step) {
                (Some(planned), Step::Fields(_)) => at_fields(failure, planned),
                (Some(planned), _) if !items.is_empty() => at_items(failure, &items, planned),
                _ => failure,
            }
        }
        ApplyCause::Drift(left) => {
            let (target, hint) = match edited {
                Some(_) => (
                    "plan",
                    "everything was sent; run `links slots list` to see what the service stored",
                ),
                None => (
                    "file",
                    "the service stored some values differently; run `links slots plan` to see which",
                ),
            };
            let message = format!("{so_far}, but the page differs from the {target}: {left}");
            return CommandError::new(Exit::Drift, message).with_hint(hint);
        }
        ApplyCause::Changed(..) if !done.is_nothing() => {
            return CommandError::new(Exit::Drift, format!("{message} ({so_far} before that)"))
                .with_hint(match edited {
                    None => "run `links slots plan` to see what is left to do",
                    Some(_) if has_ended => {
                        "run `links slots list` to check the page; everything was written, and running the same command again would start a new run"
                    }
                    Some(_) => {
                        "check the page with `links slots list`, then run the same command again to continue"
                    }
                });
        }
        ApplyCause::Changed(_, Outcome::NotExecuted) => {
            return CommandError::conflict(format!("{message}; nothing was written"))
                .with_hint("run the same command again for a new plan");
        }
        ApplyCause::Changed(..) => CommandError::conflict(message),
        ApplyCause::Journal(why) => unwritable(why),
        ApplyCause::Stopped => {
            let so_far: Vec<_> = (!done.is_nothing()).then_some(so_far).into_iter().collect();
            return interrupted(&so_far, "", resume);
        }
        ApplyCause::Guard(refusal) => refused(refusal),
        ApplyCause::Lock(why) => return why.into(),
        ApplyCause::Journals(why) => return runs::list_error(why),
        ApplyCause::BadJournal { path, why } => return runs::bad(&path, &why),
        ApplyCause::Withheld => CommandError::new(Exit::Partial, message).with_hint(resume),
        ApplyCause::Emptied(_) => {
            return CommandError::refused(message)
                .with_hint("pass --allow-empty if another client emptied it");
        }
        _ => CommandError::new(Exit::Server, message),
    };
    match (done.is_nothing(), outcome) {
        (true, Outcome::NotExecuted) => failure,
        (true, _) => failure.with_hint(resume),
        (false, _) => failure.partial(&so_far).with_hint(resume),
    }
}

/// Places the fields that the service refused in the file.
pub(crate) fn at_fields(failure: CommandError, planned: &PlannedPage) -> CommandError {
    let problems = problems::of_refused_fields(failure.errors(), &planned.file);
    if problems.is_empty() { failure } else { failure.at(planned.file.document.bad(problems)) }
}

fn at_items(failure: CommandError, items: &[ItemRefusal], planned: &PlannedPage) -> CommandError {
    if let Some(edited) = &planned.edited {
        return failure.about(&edited.refusals(items).join("; "));
    }
    let problems = problems::of_refusals(items, &planned.file, planned.described.as_ref());
    failure.at(planned.file.document.bad(problems))
}

/// Short description of the applied changes.
pub(crate) fn written(done: &AppliedChanges) -> String {
    let counts =
        [(done.updated, "updated"), (done.created.len(), "created"), (done.deleted, "deleted")];
    let mut parts = Vec::new();
    parts.extend(done.is_page_created.then(|| "page created".to_owned()));
    parts.extend(done.fields.iter().cloned());
    let counted = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"));
    parts.extend(counted);
    parts.extend(done.reordered.then(|| "reordered".to_owned()));
    if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") }
}

/// Reason why a run, or one page of it, failed.
pub(crate) enum RunFailure {
    /// Error of this program's own steps: planning, or a confirmation that was not given.
    Here(CommandError),
    /// Error of the run of the SDK.
    Run(ApplyError),
}

impl From<CommandError> for RunFailure {
    fn from(failure: CommandError) -> Self {
        Self::Here(failure)
    }
}

impl From<ApplyError> for RunFailure {
    fn from(error: ApplyError) -> Self {
        Self::Run(error)
    }
}

impl RunFailure {
    /// Returns the error to report. `planned` is the plan, if there is one.
    pub(crate) fn into_error(self, planned: Option<&PlannedPage>, resume: &str) -> CommandError {
        match self {
            Self::Here(failure) => failure,
            Self::Run(error) => failed(error, planned, resume),
        }
    }

    /// Returns what the service refused of the items of a file.
    pub(crate) fn refused_items(&self) -> Vec<ItemRefusal> {
        match self.cause() {
            Some(ApplyCause::Call { items, .. }) => items.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns whether Ctrl-C ended the run: before a step, or while a request waited to be sent.
    pub(crate) fn is_stopped(&self) -> bool {
        match self.cause() {
            Some(ApplyCause::Stopped) => true,
            Some(ApplyCause::Call { source, .. } | ApplyCause::Read(source)) => {
                let is_answered = source.status().is_some_and(|it| (400..500).contains(&it));
                signal::is_stop_requested() && (!is_answered || source.is_rate_limited())
            }
            _ => false,
        }
    }

    /// Returns whether the last request may have been carried out.
    pub(crate) fn is_in_doubt(&self) -> bool {
        matches!(self.cause(), Some(ApplyCause::Call { source, .. }) if source.outcome() == Outcome::Unknown)
    }

    fn cause(&self) -> Option<&ApplyCause> {
        self.of_run().map(ApplyError::cause)
    }

    /// Returns the error of the run.
    pub(crate) fn of_run(&self) -> Option<&ApplyError> {
        if let Self::Run(error) = self { Some(error) } else { None }
    }
}
