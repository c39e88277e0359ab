//! Progress messages and errors of a run that carries out a confirmed plan.

use links_pages::apply::{
    AppliedChanges, ApplyCause, ApplyError, FieldsRequest, ItemRefusal, JournalEntries, Step,
};
use links_sdk::{Client, Outcome};

use super::planned::{PlannedPage, refused};
use super::{problems, runs};
use crate::apply::report::written;
use crate::apply::runs::unwritable;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Style, StyledLine};

/// Short description of a step.
pub(crate) fn step_message(step: Step) -> String {
    match step {
        Step::CreatePage => "creating the page".to_owned(),
        Step::Fields(FieldsRequest::Profile) => "updating the profile".to_owned(),
        Step::Fields(FieldsRequest::Language) => "setting the language".to_owned(),
        Step::Fields(FieldsRequest::Login) => "changing the login".to_owned(),
        Step::Update(slots) => format!("updating {slots}"),
        Step::TryCreate(slots) => format!("checking {slots} new"),
        Step::Create(slots) => format!("creating {slots}"),
        Step::Reorder => "moving".to_owned(),
        Step::Check => "checking before deleting".to_owned(),
        Step::Delete(slots) => format!("deleting {slots}"),
        Step::Verify => "verifying".to_owned(),
    }
}

/// Hint after a run over several pages that did not reach its end.
pub(crate) const RESUME: &str =
    "run the same command again: it continues from the current state of the pages";

/// Error of a run of which some pages cannot be planned. A request of an interrupted run may have been sent again before that was known.
pub(crate) fn not_planned(failures: Vec<CommandError>, client: &Client) -> CommandError {
    let written = match client.write_summary().outcome() {
        Outcome::NotExecuted => "nothing was written",
        Outcome::Executed | Outcome::Unknown => {
            "only the last request of an interrupted run was sent again"
        }
    };
    let message = format!("{} pages cannot be planned; {written}", failures.len());
    CommandError::of_several(failures, &message)
}

/// Describes an interrupted run on one of several pages that was settled.
pub(crate) fn interrupted_page_note(log: &JournalEntries, is_resumed: bool) -> StyledLine {
    let note = interrupted_note(log, is_resumed);
    StyledLine::new(Style::Faint, format!("{}: {note}", log.opening().login))
}

/// Describes an interrupted run that was settled.
pub(crate) fn interrupted_note(log: &JournalEntries, is_resumed: bool) -> String {
    let (time, done) = (runs::time(log.opening().time), written(log.done()));
    if is_resumed {
        return format!("the interrupted run of {time} continues ({done} so far)");
    }
    format!(
        "the interrupted run of {time} was for other content than this file has, so it is not continued; what it has written stays on the page \
         ({done}), and this run starts from there: nothing else is to be done"
    )
}

pub(crate) fn interrupted(done: &AppliedChanges, more: &str, resume: &str) -> CommandError {
    CommandError::new(Exit::Interrupted, format!("stopped by Ctrl-C: {}{more}", written(done)))
        .with_hint(resume)
}

/// Error of a run over several pages that was stopped by Ctrl-C. `so_far` is what it has written, `failures` are those of pages that had
/// failed before.
pub(crate) fn interrupted_pages(
    so_far: &[String],
    more: &str,
    failures: Vec<CommandError>,
) -> CommandError {
    let so_far =
        if so_far.is_empty() { "nothing was written".to_owned() } else { so_far.join("; ") };
    CommandError::new(Exit::Interrupted, format!("stopped by Ctrl-C: {so_far}{more}"))
        .with_hint(RESUME)
        .with_failures(failures)
}

/// Addition to the error of a run that was ended at once.
pub(crate) const AT_ONCE: &str = "; the last request may still have been carried out";

/// Describes a journal that could not be written to after a change was made.
pub(crate) fn not_recorded_note(error: &std::io::Error) -> String {
    format!("the journal is incomplete: {error}; check the page for what was changed")
}

pub(crate) const PLAN_AGAIN: &str = "`links slots plan` shows what is left to do";

/// Error of a failed run, including the changes it made. `planned` is the plan, if there is one.
pub(crate) fn failed(
    error: ApplyError,
    planned: Option<&PlannedPage>,
    resume: &str,
) -> CommandError {
    let (done, outcome) = (error.done().clone(), error.outcome());
    let so_far = written(&done);
    let message = error.to_string();
    let failure = match error.into_cause() {
        ApplyCause::Read(source) => CommandError::from(source),
        ApplyCause::Call { source, .. } if source.is_forbidden() && done.is_nothing() => {
            return CommandError::from(source).with_hint(
                "nothing was written: the token is read-only, or may not change this page",
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
            return CommandError::new(Exit::Drift, format!("{so_far}, but the page differs from the file: {left}"))
                .with_hint("the service stores some values differently than they were sent: `links slots plan` shows which");
        }
        ApplyCause::Changed(_) if !done.is_nothing() => {
            return CommandError::new(Exit::Drift, format!("{message} ({so_far} before that)"))
                .with_hint(PLAN_AGAIN);
        }
        ApplyCause::Changed(_) => {
            return CommandError::new(Exit::Conflict, format!("{message}; nothing was written"))
                .with_hint("run the same command again for a new plan");
        }
        ApplyCause::Journal(why) => unwritable(&why),
        ApplyCause::Stopped => return interrupted(&done, "", resume),
        ApplyCause::Guard(refusal) => refused(refusal),
        ApplyCause::Lock(why) => return runs::not_locked(&why),
        ApplyCause::Journals(why) => return runs::list_error(&why),
        ApplyCause::BadJournal { path, why } => return runs::bad(&path, &why),
        ApplyCause::Withheld => {
            let failure =
                CommandError::new(Exit::Partial, format!("{message} ({so_far} before that)"));
            return failure.with_hint(resume);
        }
        ApplyCause::Emptied(known) => {
            let message = format!("the page is empty, but the last run left {known} slots on it");
            return CommandError::new(Exit::Refused, message)
                .with_hint("pass --allow-empty if another client has emptied it");
        }
        _ => CommandError::new(Exit::Server, message),
    };
    match (done.is_nothing(), outcome) {
        (true, links_sdk::Outcome::NotExecuted) => failure,
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
    let problems = problems::of_refusals(items, &planned.file, planned.described.as_ref());
    failure.at(planned.file.document.bad(problems))
}
