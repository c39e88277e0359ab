//! `links doctor`: checks the configuration, the token, the connection to the service and the limits.

mod bug_report;
mod finding;
mod local_checks;
mod service_checks;

use std::path::PathBuf;

use bug_report::ReportFile;
use clap::Args;
use finding::{Finding, report};
use service_checks::CONNECTION;

use crate::commands::common::CommandResult;
use crate::context::Context;
use crate::help::HelpText;
use crate::output::{Style, StyledLine};

#[derive(Args, Debug)]
#[command(examples = ["links doctor", "links doctor --sandbox --report report.json"])]
pub(crate) struct DoctorArgs {
    /// Also write a new file for the report of a bug: no secrets, texts, names or paths are in it
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    report: Option<PathBuf>,
}

/// Names of the checks without which a connection is not tried.
const NEEDED: [&str; 2] = [local_checks::SERVICE, local_checks::TOKEN];

pub(crate) async fn run(context: &mut Context, args: DoctorArgs) -> CommandResult {
    let file = args.report.as_deref().map(ReportFile::prepare).transpose()?;
    let findings = findings(context).await;
    if let (Some(file), Some(path)) = (file, &args.report) {
        file.write(context, &findings)?;
        let text = format!("report written to {}: read it before you send it", path.display());
        context.ui.say(&StyledLine::new(Style::Faint, text));
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
