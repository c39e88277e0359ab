//! `links doctor`: checks the configuration, the token, the connection to the service and the limits.

mod bug_report;
mod checks;

use crate::commands::prelude::*;
use checks::{CONNECTION, Finding, FindingState};

pub(crate) async fn run(context: &mut Context, report_path: Option<PathBuf>) -> CommandResult {
    let findings = findings(context).await;
    if let Some(path) = report_path {
        bug_report::write(&path, context, &findings)?;
        let text = format!("wrote {}; read the file before you send it", path.display());
        context.ui.tell(Style::Faint, text);
    }
    Ok(report(&findings))
}

async fn findings(context: &mut Context) -> Vec<Finding> {
    let mut findings = checks::of_machine(&context.settings);
    if let Some(pacing) = &context.settings.pacing {
        findings.push(checks::shared_limits(&pacing.server).await);
    }
    let service = checks::service(&context.settings.target);
    let is_known = service.state == FindingState::Good;
    findings.push(service);
    let client = context.client().await;
    if is_known {
        findings.push(checks::token(&context.settings, &client));
    }
    match client {
        Ok(client) => findings.extend(checks::of_service(context, &client).await),
        Err(_) => {
            findings.push(Finding::doubtful(CONNECTION, "skipped because of the problems above"));
        }
    }
    findings
}

/// Returns the output with all findings; its exit code is that of the first bad one.
fn report(findings: &[Finding]) -> CommandOutput {
    let mut lines = Vec::new();
    let mut rows: Vec<Value> = Vec::new();
    let mut exit = Exit::Ok;
    for Finding { check, state, message } in findings {
        let (sign, tone) = match state {
            FindingState::Good => ("✓", Style::Added),
            FindingState::Doubtful => ("!", Style::Changed),
            FindingState::Bad(_) => ("✗", Style::Removed),
        };
        if let (FindingState::Bad(code), Exit::Ok) = (state, exit) {
            exit = *code;
        }
        lines.push(StyledLine::new(tone, format!("{sign} {check}: {message}")));
        rows.push(json!({ "check": check, "state": state.word(), "message": message }));
    }
    CommandOutput::own(rows, View::Lines(lines)).exit(exit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CommandError;

    #[test]
    fn the_exit_code_is_that_of_the_first_bad_finding() {
        let bad = |exit| Finding::bad("token", &CommandError::new(exit, "there is none"));
        let good = || Finding::good("service", "");
        assert_eq!(report(&[good(), Finding::doubtful("clock", "")]).exit, Exit::Ok);
        let findings = [good(), bad(Exit::NotAuthenticated), bad(Exit::Network)];
        assert_eq!(report(&findings).exit, Exit::NotAuthenticated);
    }
}
