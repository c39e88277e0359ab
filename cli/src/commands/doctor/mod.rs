//! `links doctor`: checks the configuration, the token, the connection to the service and the limits.

mod bug_report;
mod finding;
mod local_checks;
mod service_checks;

use std::path::PathBuf;

use bug_report::ReportFile;
use finding::{Finding, report};
use service_checks::CONNECTION;

use crate::commands::common::CommandResult;
use crate::context::Context;
use crate::output::Style;

/// Names of the checks without which a connection is not tried.
const NEEDED: [&str; 2] = [local_checks::SERVICE, local_checks::TOKEN];

pub(crate) async fn run(context: &mut Context, path: Option<PathBuf>) -> CommandResult {
    let file = path.as_deref().map(ReportFile::prepare).transpose()?;
    let findings = findings(context).await;
    if let (Some(file), Some(path)) = (file, &path) {
        file.write(context, &findings)?;
        let text = format!("report written to {}: read it before you send it", path.display());
        context.ui.tell(Style::Faint, text);
    }
    Ok(report(&findings))
}

async fn findings(context: &mut Context) -> Vec<Finding> {
    let mut findings = local_checks::all(&context.settings);
    #[cfg(feature = "redis")]
    if let Some(pacing) = &context.settings.pacing {
        findings.push(service_checks::shared_limits(pacing).await);
    }
    if findings.iter().any(|it| NEEDED.contains(&it.check) && it.state.is_bad()) {
        findings.push(Finding::doubtful(CONNECTION, "skipped because of the problems above"));
        return findings;
    }
    match context.client().await {
        Ok(client) => findings.extend(service_checks::all(context, &client).await),
        Err(failure) => findings.push(Finding::bad(CONNECTION, &failure)),
    }
    findings
}
