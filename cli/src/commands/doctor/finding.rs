//! Results of checks, and their output.

use serde_json::{Value, json};

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{CommandOutput, Style, StyledLine, View};

/// Result of one check.
pub(super) struct Finding {
    /// Name of the check.
    pub(super) check: &'static str,
    pub(super) state: FindingState,
    message: String,
}

/// State of what was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FindingState {
    Good,
    Doubtful,
    /// Commands fail because of it, with this exit code.
    Bad(Exit),
}

impl FindingState {
    pub(super) fn is_bad(self) -> bool {
        matches!(self, Self::Bad(_))
    }
}

impl Finding {
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn good(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, state: FindingState::Good, message: message.into() }
    }

    pub(super) fn doubtful(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, state: FindingState::Doubtful, message: message.into() }
    }

    pub(super) fn bad(check: &'static str, failure: &CommandError) -> Self {
        Self { check, state: FindingState::Bad(failure.exit()), message: failure.to_string() }
    }
}

/// Returns the output with all findings; its exit code is that of the first bad one.
pub(super) fn report(findings: &[Finding]) -> CommandOutput {
    let mut lines = Vec::new();
    let mut rows: Vec<Value> = Vec::new();
    let mut exit = Exit::Ok;
    for Finding { check, state, message } in findings {
        let (sign, tone, word) = match state {
            FindingState::Good => ("✓", Style::Added, "good"),
            FindingState::Doubtful => ("!", Style::Changed, "doubtful"),
            FindingState::Bad(_) => ("✗", Style::Removed, "bad"),
        };
        if let (FindingState::Bad(code), Exit::Ok) = (state, exit) {
            exit = *code;
        }
        lines.push(StyledLine::new(tone, format!("{sign} {check}: {message}")));
        rows.push(json!({ "check": check, "state": word, "message": message }));
    }
    CommandOutput::own(rows, View::Lines(lines)).exit(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_is_that_of_the_first_bad_finding() {
        let bad = |exit| Finding::bad("token", &CommandError::new(exit, "there is none"));
        let good = || Finding::good("service", "");
        assert_eq!(report(&[good(), Finding::doubtful("clock", "")]).exit, Exit::Ok);
        let findings = [good(), bad(Exit::NotAuthenticated), bad(Exit::Network)];
        assert_eq!(report(&findings).exit, Exit::NotAuthenticated);
    }
}
