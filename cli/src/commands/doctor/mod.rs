//! `links doctor`: checks the configuration, the token, the connection to the service and the limits.

mod finding;
mod local_checks;
#[cfg(feature = "redis")]
mod pacer_check;
mod service_checks;

use clap::Args;
use finding::{Finding, report};
use service_checks::CONNECTION;

use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::CommandOutput;

#[derive(Args, Debug)]
#[command(examples = ["links doctor", "links doctor --sandbox"])]
pub(crate) struct DoctorArgs {}

/// Names of the checks without which a connection is not tried.
const NEEDED: [&str; 2] = [local_checks::SERVICE, local_checks::TOKEN];

pub(crate) async fn run(
    context: &mut Context,
    _: DoctorArgs,
) -> Result<CommandOutput, CommandError> {
    let mut findings = local_checks::all(&context.settings);
    #[cfg(feature = "redis")]
    if let Some(pacing) = &context.settings.pacing {
        findings.push(pacer_check::check(pacing).await);
    }
    if findings.iter().any(|it| NEEDED.contains(&it.check) && it.state.is_bad()) {
        findings.push(Finding::doubtful(CONNECTION, "skipped because of the problems above"));
        return Ok(report(&findings));
    }
    match context.client().await {
        Ok(client) => findings.extend(service_checks::all(context, &client).await),
        Err(failure) => findings.push(Finding::bad(CONNECTION, &failure)),
    }
    Ok(report(&findings))
}
