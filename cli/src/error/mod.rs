//! A command that did not do what was asked: one type for every reason, shown to people and to scripts.

pub(crate) mod dry_run_result;
pub(crate) mod exit_code;
mod file_error;
mod sdk_error;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use exit_code::Exit;
use links_sdk::{Outcome, WriteSummary};
use miette::Diagnostic;
use serde_json::{Map, Value, json};

use crate::error::dry_run_result::DryRunResult;
use crate::page_file::{FieldDiagnostic, FileDiagnostics};
use crate::sanitize;

/// Why a command failed, and what to do about it.
#[derive(Debug)]
pub(crate) struct CommandError(Box<ErrorParts>);

#[derive(Debug)]
struct ErrorParts {
    exit: Exit,
    code: Option<String>,
    status: Option<u16>,
    /// What the service was asked for, if it has answered.
    operation: Option<&'static str>,
    message: String,
    hint: Option<String>,
    /// Where the service says more.
    documentation: Option<String>,
    errors: Map<String, Value>,
    retryable: bool,
    /// What the writes of the command came to.
    outcome: Outcome,
    /// How long to wait before the command has a chance.
    retry_after: Option<Duration>,
    /// What was written before the failure.
    written: Option<String>,
    file: Option<Box<FileDiagnostics>>,
    /// The file in which a text that could not be applied was kept.
    draft: Option<String>,
    /// Not a failure at all, but the end of a dry run.
    rehearsals: Vec<DryRunResult>,
}

impl CommandError {
    /// A failure with its exit code and a message: a lowercase fragment.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorParts {
            exit,
            code: None,
            status: None,
            operation: None,
            message: message.into(),
            hint: None,
            documentation: None,
            errors: Map::new(),
            retryable: false,
            outcome: Outcome::NotExecuted,
            retry_after: None,
            written: None,
            file: None,
            draft: None,
            rehearsals: Vec::new(),
        }))
    }

    /// A mistake in the command line or the environment.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A mistake of this program.
    pub(crate) fn internal(message: impl fmt::Display) -> Self {
        Self::new(Exit::Internal, message.to_string())
    }

    /// An answer of the service that is not what the interface says.
    pub(crate) fn unreadable(why: impl fmt::Display) -> Self {
        Self::new(Exit::Server, format!("the answer cannot be read: {why}"))
    }

    /// The same, with what the writes of the command came to, whichever call it was that failed.
    #[must_use]
    pub(crate) fn after_writes(mut self, written: &WriteSummary) -> Self {
        self.0.outcome = written.outcome();
        if self.0.written.is_none() {
            self.0.written = carried_out(written);
        }
        self
    }

    /// The same, shown at its places in the user's own file.
    #[must_use]
    pub(crate) fn at(mut self, file: FileDiagnostics) -> Self {
        self.0.errors.clear();
        self.0.file = Some(Box::new(file));
        self
    }

    /// The same after a part of the work was written already.
    #[must_use]
    pub(crate) fn partial(mut self, written: &str) -> Self {
        self.0.exit = Exit::Partial;
        self.0.written = Some(format!("{written} before that"));
        self
    }

    /// The same where the command was carried out, and only its output has failed.
    #[must_use]
    pub(crate) fn after_writing(mut self, ids: &[String]) -> Self {
        let (said, written) = match ids {
            [] => ("the command was carried out".to_owned(), "all of it".to_owned()),
            ids => {
                let ids = ids.join(", ");
                (format!("the command was carried out ({ids})"), ids)
            }
        };
        self.0.message = format!("{said}, but its output failed: {}", self.0.message);
        self.0.hint = Some("do not repeat it for the output's sake: it would write again".into());
        self.0.retryable = false;
        self.0.written = Some(written);
        self
    }

    /// The same, with the file in which the text that could not be applied is kept.
    #[must_use]
    pub(crate) fn kept(mut self, draft: &Path) -> Self {
        self.0.draft = Some(draft.display().to_string());
        self
    }

    /// The file in which a text was kept.
    pub(crate) fn draft(&self) -> Option<&str> {
        self.0.draft.as_deref()
    }

    /// What is wrong in which line of the file, with advice; what has no place stands above all.
    pub(crate) fn lines(&self) -> Vec<(usize, String)> {
        match self.file() {
            Some(_) => self.places().map(|(line, _, it)| (line, it)).collect(),
            None => self.to_string().lines().map(|line| (1, line.to_owned())).collect(),
        }
    }

    /// The name of the user's file that is wrong.
    pub(crate) fn file(&self) -> Option<&str> {
        self.0.file.as_ref().map(|file| file.name())
    }

    /// What is wrong in it, with advice: line, column and words for each place.
    pub(crate) fn places(&self) -> impl Iterator<Item = (usize, usize, String)> {
        let places = self.0.file.iter().flat_map(|file| file.places());
        places.map(|(line, column, problem)| (line, column, advised(problem)))
    }

    /// The refused fields with the messages for each.
    pub(crate) fn errors(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.errors.iter().flat_map(|(path, messages)| {
            messages
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(move |it| (path.as_str(), it))
        })
    }

    /// The same with advice.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    /// The same without the URL of a documentation that is gone when the command ends.
    #[must_use]
    pub(crate) fn undocumented(mut self) -> Self {
        self.0.documentation = None;
        self
    }

    /// What to do about it.
    pub(crate) fn advice(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// What the service was asked for, if it has answered.
    pub(crate) fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// Whether the service refused what was sent (422).
    pub(crate) fn is_validation(&self) -> bool {
        self.0.status == Some(422)
    }

    /// How the writes of a dry run ended, if this is its end.
    pub(crate) fn rehearsals(&self) -> &[DryRunResult] {
        &self.0.rehearsals
    }

    /// The end of a dry run of several writes.
    #[must_use]
    pub(crate) fn after(mut self, earlier: Vec<DryRunResult>) -> Self {
        if !self.0.rehearsals.is_empty() {
            self.0.rehearsals.splice(..0, earlier);
        }
        self
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.0.exit
    }

    /// What scripts read on stderr.
    pub(crate) fn to_json(&self) -> Value {
        let it = &*self.0;
        let mut errors = it.errors.clone();
        let mut places = Vec::new();
        for (line, column, problem) in it.file.iter().flat_map(|file| file.places()) {
            let of_path = errors.entry(&problem.path).or_insert_with(|| json!([]));
            if let Value::Array(messages) = of_path {
                messages.push(json!(problem.message));
            }
            let file = it.file.as_ref().map(|file| file.name());
            places.push(json!({
                "file": file, "line": line, "column": column, "path": problem.path, "message": problem.message,
            }));
        }
        let mut object = json!({
            "code": it.code.as_deref().unwrap_or(it.exit.name()),
            "status": it.status,
            "message": it.message,
            "errors": errors,
            "hint": self.advice(),
            "retryable": it.retryable,
            "outcome": match it.outcome {
                Outcome::NotExecuted => "not_executed",
                Outcome::Executed => "executed",
                Outcome::Unknown => "unknown",
            },
            "exit": it.exit.code(),
        });
        if let Some(wait) = it.retry_after {
            object["retryAfter"] = json!(whole_seconds(wait));
        }
        if let Some(documentation) = &it.documentation {
            object["documentation"] = json!(documentation);
        }
        if let Some(written) = &it.written {
            object["written"] = json!(written);
        }
        if let Some(draft) = &it.draft {
            object["draft"] = json!(draft);
        }
        if !places.is_empty() {
            object["places"] = Value::Array(places);
        }
        object
    }

    /// What people read on stderr: the user's own file where there is one, else the message.
    pub(crate) fn diagnostic(&self) -> &dyn Diagnostic {
        match &self.0.file {
            Some(file) if self.0.written.is_none() => &**file,
            _ => self,
        }
    }
}

/// The operations that were carried out.
pub(crate) fn carried_out(written: &WriteSummary) -> Option<String> {
    let named = |(operation, count): (&str, u64)| match count {
        1 => operation.to_owned(),
        many => format!("{operation} ({many} times)"),
    };
    let all: Vec<_> = written.executed().map(named).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// Rather a second too many than one too few.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

fn advised(problem: &FieldDiagnostic) -> String {
    match &problem.help {
        Some(help) => format!("{} ({help})", problem.message),
        None => problem.message.clone(),
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_said = self.errors().any(|(_, message)| self.0.message.starts_with(message));
        let message = match self.0.errors.len() {
            _ if !is_said => sanitize::line(&self.0.message).into_owned(),
            1 => "a value was refused".to_owned(),
            many => format!("{many} values were refused"),
        };
        f.write_str(&message)?;
        if let Some(written) = self.0.written.as_ref().filter(|_| self.0.exit == Exit::Partial) {
            write!(f, " ({})", sanitize::line(written))?;
        }
        self.errors().try_for_each(|(path, message)| {
            write!(f, "\n{}: {}", sanitize::line(path), sanitize::line(message))
        })
    }
}

impl std::error::Error for CommandError {}

impl Diagnostic for CommandError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.advice().map(|it| Box::new(sanitize::line(it)) as Box<dyn fmt::Display>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        self.0
            .file
            .as_ref()
            .map(|file| Box::new(std::iter::once(&**file as &dyn Diagnostic)) as Box<_>)
    }
}
