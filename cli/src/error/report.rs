//! Forms of an error on stderr, for people and for scripts.

use std::fmt;

use links_sdk::Outcome;
use miette::{Diagnostic, MietteHandler, ReportHandler};
use serde_json::{Value, json};

use super::CommandError;
use crate::error::Exit;
use links_pages::page_file::{FieldDiagnostic, FilePlace, in_own_words};
use links_pages::sanitize;

impl CommandError {
    /// Returns the object that scripts read on stderr.
    pub(crate) fn to_json(&self) -> Value {
        let parts = &*self.0;
        let mut errors = parts.errors.0.clone();
        let mut places = Vec::new();
        for (FilePlace { file, line, column }, problem) in
            parts.file.iter().flat_map(|file| file.places())
        {
            errors.entry(problem.path.clone()).or_default().push(problem.message.clone());
            let mut place = json!({
                "file": file, "line": line, "column": column, "path": problem.path, "message": problem.message,
            });
            if let Some(help) = &problem.help {
                place["hint"] = json!(help);
            }
            places.push(place);
        }
        let mut object = json!({
            "code": parts.code.as_deref().unwrap_or(parts.exit.name()),
            "status": parts.status,
            "message": parts.message,
            "errors": errors,
            "hint": self.hint(),
            "retryable": parts.retryable,
            "outcome": match parts.outcome {
                Outcome::NotExecuted => "not_executed",
                Outcome::Executed => "executed",
                Outcome::Unknown => "unknown",
            },
            "exit": parts.exit.code(),
        });
        let failures: Vec<_> = parts.others.iter().map(Self::to_json).collect();
        let more = [
            ("retryAfter", json!(parts.retry_after)),
            ("documentation", json!(parts.documentation)),
            ("written", json!(parts.written)),
            ("draft", json!(parts.draft)),
            ("places", json!(Some(places).filter(|it| !it.is_empty()))),
            ("failures", json!(Some(failures).filter(|it| !it.is_empty()))),
        ];
        for (name, value) in more.into_iter().filter(|(_, value)| !value.is_null()) {
            object[name] = value;
        }
        object
    }

    /// Returns the diagnostic that people read on stderr: the user's file if there is one, else the message.
    pub(crate) fn diagnostic(&self) -> &dyn Diagnostic {
        match &self.0.file {
            Some(file) if self.is_of_file() => &**file,
            _ => self,
        }
    }

    /// Returns whether the places in the user's file say all of the error: text names what was written only of a part of the work.
    pub(crate) fn is_of_file(&self) -> bool {
        self.0.file.is_some() && (self.0.written.is_none() || self.0.exit != Exit::Partial)
    }

    /// Returns the error with its hint in one line, for a list of which `hint` is the hint.
    fn in_one_line(&self, hint: Option<&str>) -> String {
        let message = self.to_string().replace('\n', "; ");
        match self.hint().filter(|own| Some(*own) != hint) {
            Some(own) => format!("{}; {}", message.trim_end_matches('.'), sanitize::line(own)),
            None => message,
        }
    }

    /// Returns the problems with their hints by line of the user's file. An error without a place is at the first line.
    pub(crate) fn lines(&self) -> Vec<(usize, String)> {
        match self.file() {
            Some(_) => self.places().map(|(place, message)| (place.line, message)).collect(),
            None => self.to_string().lines().map(|line| (1, line.to_owned())).collect(),
        }
    }

    /// Returns the problems in the user's files with their hints.
    pub(crate) fn places(&self) -> impl Iterator<Item = (FilePlace<'_>, String)> {
        let places = self.0.file.iter().flat_map(|file| file.places());
        places.map(|(place, problem)| (place, message_with_help(problem)))
    }
}

fn message_with_help(problem: &FieldDiagnostic) -> String {
    match &problem.help {
        Some(help) => format!("{} ({help})", in_own_words(&problem.message)),
        None => in_own_words(&problem.message).into_owned(),
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_said = self.errors().any(|(_, message)| self.0.message.starts_with(message));
        let message = match self.0.errors.len() {
            _ if !is_said => sanitize::line(&in_own_words(&self.0.message)).into_owned(),
            1 => "1 field was rejected".to_owned(),
            many => format!("{many} fields were rejected"),
        };
        f.write_str(&message)?;
        if let Some(written) = self.0.written.as_ref().filter(|_| self.0.exit == Exit::Partial) {
            write!(f, " ({})", sanitize::line(written))?;
        }
        self.errors().try_for_each(|(path, message)| {
            write!(f, "\n{}: {}", sanitize::line(path), sanitize::line(&in_own_words(message)))
        })?;
        let mut others = self.0.others.iter().filter(|other| !other.is_of_file());
        others.try_for_each(|other| write!(f, "\n{}", other.in_one_line(self.hint())))
    }
}

impl std::error::Error for CommandError {}

impl Diagnostic for CommandError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.hint().map(|it| Box::new(sanitize::line(it)) as Box<dyn fmt::Display>)
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        let others = self.0.others.iter().filter_map(|other| other.0.file.as_ref());
        let mut files = self.0.file.iter().chain(others).peekable();
        files.peek()?;
        Some(Box::new(files.map(|file| &**file as &dyn Diagnostic)))
    }
}

/// Renders a diagnostic with all related diagnostics, without the word that miette puts before each of them.
pub(crate) fn draw(handler: &MietteHandler, diagnostic: &dyn Diagnostic) -> String {
    format!("{:?}", Drawn(handler, diagnostic)).replace("\nError: \n", "\n")
}

/// A diagnostic with the handler that renders it: miette is asked for its debug form.
struct Drawn<'a>(&'a MietteHandler, &'a dyn Diagnostic);

impl fmt::Debug for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(self.1, f)
    }
}
