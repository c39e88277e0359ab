//! Error of a command: one type for every reason.

pub(crate) mod exit_code;
pub(crate) mod file_error;
mod report;
mod sdk_error;

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

pub(crate) use exit_code::Exit;
use links_sdk::{FieldErrors, Outcome, WriteSummary};
pub(crate) use report::draw;
pub(crate) use sdk_error::DryRunResult;

use links_pages::page_file::{FileDiagnostics, in_own_words};

/// Result of what a command does.
pub(crate) type Result<T, E = CommandError> = std::result::Result<T, E>;

/// Error of a command, with its exit code and a hint.
#[derive(Debug)]
#[must_use]
pub(crate) struct CommandError(Box<ErrorParts>);

#[derive(Debug)]
struct ErrorParts {
    exit: Exit,
    code: Option<String>,
    status: Option<u16>,
    /// Operation that the service answered.
    operation: Option<&'static str>,
    message: String,
    hint: Option<String>,
    /// URL of further documentation by the service.
    documentation: Option<String>,
    errors: FieldErrors,
    retryable: bool,
    /// Outcome of the writes of the command.
    outcome: Outcome,
    /// Wait in seconds before a repetition can succeed.
    retry_after: Option<u64>,
    /// Writes before the error.
    written: Option<String>,
    file: Option<Box<FileDiagnostics>>,
    /// File that keeps a text which could not be applied.
    draft: Option<String>,
    /// Errors of other files of the same command.
    others: Vec<CommandError>,
    /// Results of a dry run, which ends as an error.
    dry_run_results: Vec<DryRunResult>,
}

impl ErrorParts {
    /// Takes back that nothing was written, which is true of what failed, but not of the command. Returns whether the message said so.
    fn forget_unwritten(&mut self) -> bool {
        let rest = self.message.strip_suffix("; nothing was written").map(str::len);
        rest.is_some_and(|rest| {
            self.message.truncate(rest);
            true
        })
    }
}

impl CommandError {
    /// Creates an error with an exit code and a message, which is a lowercase fragment.
    pub(crate) fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self(Box::new(ErrorParts {
            exit,
            code: None,
            status: None,
            operation: None,
            message: message.to_string(),
            hint: None,
            documentation: None,
            errors: FieldErrors::default(),
            retryable: false,
            outcome: Outcome::NotExecuted,
            retry_after: None,
            written: None,
            file: None,
            draft: None,
            others: Vec::new(),
            dry_run_results: Vec::new(),
        }))
    }

    /// Creates the error of a command that several files or pages failed in; it has the exit code of the first.
    pub(crate) fn of_several(mut failures: Vec<Self>, message: &str) -> Self {
        if failures.len() == 1
            && let Some(only) = failures.pop()
        {
            return only;
        }
        Self::of_some(failures, message)
    }

    /// Returns these failures as an error, if there are any. `what` follows their number, if there are several.
    pub(crate) fn if_any(failures: Vec<Self>, what: &str) -> Result<()> {
        if failures.is_empty() {
            return Ok(());
        }
        let message = format!("{} {what}", failures.len());
        Err(Self::of_several(failures, &message))
    }

    /// Creates the error of a command that failed in some of several files or pages, perhaps in one only; it has the exit code of the first.
    pub(crate) fn of_some(failures: Vec<Self>, message: &str) -> Self {
        let exit = failures.first().map_or(Exit::Internal, Self::exit);
        Self::new(exit, message).with_failures(failures)
    }

    /// Adds the failures of several files or pages.
    pub(crate) fn with_failures(mut self, failures: Vec<Self>) -> Self {
        for mut failure in failures {
            let others = std::mem::take(&mut failure.0.others);
            self.0.others.extend(if others.is_empty() { vec![failure] } else { others });
        }
        self
    }

    /// Creates the error for a wrong command line or environment.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Creates the error of a guard that stopped the command.
    pub(crate) fn refused(message: impl fmt::Display) -> Self {
        Self::new(Exit::Refused, message)
    }

    /// Creates the error for a value that is refused.
    pub(crate) fn invalid(message: impl fmt::Display) -> Self {
        Self::new(Exit::Invalid, message)
    }

    /// Creates the error for a record that is not there.
    pub(crate) fn not_found(message: impl fmt::Display) -> Self {
        Self::new(Exit::NotFound, message)
    }

    /// Creates the error for a conflict with what others have written.
    pub(crate) fn conflict(message: impl fmt::Display) -> Self {
        Self::new(Exit::Conflict, message)
    }

    /// Creates the error for something that was changed while the command ran.
    pub(crate) fn changed(what: impl fmt::Display) -> Self {
        Self::conflict(format!("{what} changed in the meantime; nothing was written"))
            .with_hint("run the same command again")
    }

    /// Creates the error for a defect of this program.
    pub(crate) fn internal(message: impl fmt::Display) -> Self {
        Self::new(Exit::Internal, message)
    }

    /// Creates the error for an answer of the service that cannot be read.
    pub(crate) fn unreadable(why: impl fmt::Display) -> Self {
        Self::new(Exit::Server, format!("cannot read the response: {why}"))
    }

    /// Adds the outcome of the writes of the command, whichever call failed. The last request of an interrupted run may have been sent again
    /// before a question was answered with no.
    pub(crate) fn after_writes(mut self, written: &WriteSummary) -> Self {
        self.0.outcome = written.outcome();
        let done = carried_out(written);
        if self.0.outcome != Outcome::NotExecuted && self.0.forget_unwritten() {
            let what = match &done {
                Some(done) => &format!("before that, {done} was executed"),
                None => "it is unknown whether a request before that was executed",
            };
            self.0.message.extend(["; ", what]);
        }
        self.0.written = self.0.written.take().or(done);
        self
    }

    /// Shows the error at its places in the user's file.
    pub(crate) fn at(mut self, file: FileDiagnostics) -> Self {
        self.0.errors.0.clear();
        self.0.file = Some(Box::new(file));
        self
    }

    /// Adds that a part of the work was written.
    pub(crate) fn partial(self, written: &str) -> Self {
        self.partly_written(format!("{written} before that"))
    }

    /// Adds what was written, although the command failed.
    pub(crate) fn partly_written(mut self, written: impl Into<String>) -> Self {
        let parts = &mut *self.0;
        parts.exit = Exit::Partial;
        parts.written = Some(written.into());
        parts.forget_unwritten();
        self
    }

    /// Adds the images that were uploaded before the error.
    pub(crate) fn after_uploads(mut self, paths: &[String]) -> Self {
        if !paths.is_empty() {
            self.0.written = Some(format!("{} uploaded before that", paths.join(", ")));
        }
        self
    }

    /// Changes the error of a write to a shadow of the service into that of a command that has written nothing.
    pub(crate) fn of_shadow(mut self) -> Self {
        let parts = &mut *self.0;
        parts.exit = match parts.status {
            Some(422) => Exit::Invalid,
            Some(409) => Exit::Conflict,
            _ => Exit::Server,
        };
        parts.message = format!("`links apply` would fail: {}", in_own_words(&parts.message));
        (parts.hint, parts.written, parts.documentation) = (None, None, None);
        (parts.retryable, parts.outcome) = (false, Outcome::NotExecuted);
        self
    }

    /// Adds that the command was carried out, and only its output failed.
    pub(crate) fn after_writing(mut self, ids: &[String]) -> Self {
        let (text, written) = match ids {
            [] => ("the changes were applied".to_owned(), "all changes".to_owned()),
            ids => {
                let ids = ids.join(", ");
                (format!("the changes were applied ({ids})"), ids)
            }
        };
        self.0.message = format!("{text}, but the output failed: {}", self.0.message);
        self.0.hint = Some(
            "don't run the command again to get the output, because it would write again".into(),
        );
        self.0.retryable = false;
        self.0.written = Some(written);
        self
    }

    /// Adds that the processes for several accounts ended with these exit codes, and only their output failed. What they have written is not
    /// known here.
    pub(crate) fn after_accounts(mut self, exits: &str) -> Self {
        let why = std::mem::take(&mut self.0.message);
        self.0.message =
            format!("the command has run (exit codes: {exits}), but the output failed: {why}");
        self.0.hint = Some("see with `links log` what was written".into());
        self.0.outcome = Outcome::Unknown;
        self
    }

    /// Adds the file that keeps a text which could not be applied.
    pub(crate) fn kept(mut self, draft: &Path) -> Self {
        self.0.draft = Some(draft.display().to_string());
        self
    }

    /// Returns the file that keeps a text which could not be applied.
    pub(crate) fn draft(&self) -> Option<&str> {
        self.0.draft.as_deref()
    }

    /// Returns the errors of the files and pages that failed, if there are several.
    pub(crate) fn others(&self) -> &[Self] {
        &self.0.others
    }

    /// Returns the name of the user's file that has the error.
    pub(crate) fn file(&self) -> Option<&str> {
        self.0.file.as_ref().map(|file| file.name())
    }

    /// Returns the refused fields with the messages for each.
    pub(crate) fn errors(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.errors.iter().flat_map(|(path, messages)| {
            messages.iter().map(move |message| (path.as_str(), message.as_str()))
        })
    }

    /// Adds what the error is about, among several.
    pub(crate) fn about(mut self, what: &str) -> Self {
        self.0.message = format!("{what}: {}", in_own_words(&self.0.message));
        self
    }

    /// Sets another message.
    pub(crate) fn saying(mut self, message: String) -> Self {
        self.0.message = message;
        self
    }

    /// Adds a hint.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(for_account(hint.into()));
        self
    }

    /// Adds a hint, if there is one.
    pub(crate) fn hinted(self, hint: Option<impl Into<String>>) -> Self {
        match hint {
            Some(hint) => self.with_hint(hint),
            None => self,
        }
    }

    /// Removes the URL of documentation that is gone when the command ends.
    pub(crate) fn undocumented(mut self) -> Self {
        self.0.documentation = None;
        self
    }

    /// Returns the hint.
    pub(crate) fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Returns the operation that the service answered.
    pub(crate) fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// Tells whether the service refused what was sent (422).
    pub(crate) fn is_validation(&self) -> bool {
        self.0.status == Some(422)
    }

    /// Returns the results of a dry run.
    pub(crate) fn dry_run_results(&self) -> &[DryRunResult] {
        &self.0.dry_run_results
    }

    /// Adds the results of earlier writes of a dry run.
    pub(crate) fn after(mut self, earlier: Vec<DryRunResult>) -> Self {
        if !self.0.dry_run_results.is_empty() {
            self.0.dry_run_results.splice(..0, earlier);
        }
        self
    }

    /// Returns the exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.0.exit
    }

    /// Tells whether the same command may simply be run again: it has written nothing, or its repeat writes nothing twice.
    pub(crate) fn may_be_repeated(&self) -> bool {
        self.0.retryable || self.0.outcome == Outcome::NotExecuted
    }
}

/// JSON that this program makes, or has read before. What users and the service send is read with an error of its own.
impl From<serde_json::Error> for CommandError {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error)
    }
}

/// Account of this process, if that is one of several for the accounts of a command.
pub(crate) static ACCOUNT: OnceLock<String> = OnceLock::new();

/// Returns a hint, or a command of one, with the account of this process in each command: no variable holds its token.
pub(crate) fn for_account(hint: String) -> String {
    let Some(account) = ACCOUNT.get() else { return hint };
    let named = |part: &str| match part {
        command if command.starts_with("links ") && !command.contains("--account") => {
            format!("{command} --account {account}")
        }
        part => part.to_owned(),
    };
    hint.split('`').map(named).collect::<Vec<_>>().join("`")
}

/// Returns the operations that were carried out, with their numbers.
pub(crate) fn carried_out(written: &WriteSummary) -> Option<String> {
    let named = |(operation, count): (&str, u64)| match count {
        1 => operation.to_owned(),
        many => format!("{operation} ({many} times)"),
    };
    let all: Vec<_> = written.executed().map(named).collect();
    (!all.is_empty()).then(|| all.join(", "))
}
