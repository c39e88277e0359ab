//! A command that did not do what was asked: one type for every reason, shown to people and to scripts.

use std::fmt;

use miette::Diagnostic;
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::manifest::{BadFile, NoPage, Unreadable};
use crate::ui::clean;

/// Why a command failed, and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure(Box<Parts>);

#[derive(Debug)]
struct Parts {
    exit: Exit,
    code: Option<String>,
    status: Option<u16>,
    message: String,
    hint: Option<String>,
    errors: Map<String, Value>,
    retryable: bool,
    outcome: &'static str,
    file: Option<Box<BadFile>>,
}

impl Failure {
    /// A failure with its exit code and a message: a lowercase fragment.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            exit,
            code: None,
            status: None,
            message: message.into(),
            hint: None,
            errors: Map::new(),
            retryable: false,
            outcome: "not_executed",
            file: None,
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

    /// The same with advice.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
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
            "hint": it.hint,
            "retryable": it.retryable,
            "outcome": it.outcome,
            "exit": it.exit.code(),
        });
        if !places.is_empty() {
            object["places"] = Value::Array(places);
        }
        object
    }

    /// What people read on stderr: the user's own file where there is one, else the message.
    pub(crate) fn diagnostic(&self) -> &dyn Diagnostic {
        match &self.0.file {
            Some(file) => &**file,
            None => self,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&clean::text(&self.0.message))?;
        for (path, messages) in &self.0.errors {
            for message in messages.as_array().into_iter().flatten().filter_map(Value::as_str) {
                write!(f, "\n{}: {}", clean::line(path), clean::line(message))?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

impl Diagnostic for Failure {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.hint.as_ref().map(|it| Box::new(clean::text(it)) as Box<dyn fmt::Display>)
    }
}

impl From<NoPage> for Failure {
    fn from(none: NoPage) -> Self {
        match none {
            NoPage::Bad(file) => (*file).into(),
            NoPage::Unreadable(Unreadable::Io(what, error)) => {
                Self::usage(format!("cannot read {what}: {error}"))
            }
            NoPage::Unreadable(other) => {
                let piped = matches!(other, Unreadable::NotAFile(..));
                let failure = Self::new(Exit::Invalid, other.to_string());
                if piped { failure.hint("`-` reads standard input") } else { failure }
            }
        }
    }
}

impl From<BadFile> for Failure {
    fn from(file: BadFile) -> Self {
        let mut failure = Self::new(Exit::Invalid, file.to_string());
        failure.0.file = Some(Box::new(file));
        failure
    }
}
