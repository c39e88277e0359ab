//! Output of dry runs.

use clap::{Args, ValueEnum};
use links_sdk::{RequestView, WriteMode};
use serde_json::{Map, Value, json};

use super::{CommandOutput, StyledLine, View};
use crate::env_vars::TOKEN;
use crate::error::DryRunResult;

/// Returns the JSON of a result, and its message for people.
fn shown(result: &DryRunResult, how: DryRun) -> (Value, String) {
    let DryRunResult { operation, is_accepted, request, unchecked } = result;
    if let (Some(request), DryRun::Request) = (request, how) {
        return (described(request), curl(request));
    }
    let accepted = is_accepted.then_some(true);
    let mut data = json!({ "dryRun": "service", "operation": operation, "accepted": accepted });
    let text = match (*is_accepted, *operation) {
        (true, _) if !unchecked.is_empty() => "the service would accept the rest; ",
        (true, "uploadFile") => "the service would accept the image",
        (true, _) => "the service would accept this",
        (false, _) if !unchecked.is_empty() => "",
        (false, _) => "the service cannot check this in advance",
    };
    let mut text = text.to_owned();
    if !unchecked.is_empty() {
        data["unchecked"] = json!(unchecked);
        text.extend([&unchecked.join(", "), " cannot be checked before the upload"]);
    }
    (data, text + "; nothing was changed")
}

/// Output of a command whose writes were dry runs.
pub(crate) fn outcome(dry_run_results: &[DryRunResult], how: DryRun) -> CommandOutput {
    let (mut data, mut texts): (Vec<_>, Vec<_>) =
        dry_run_results.iter().map(|it| shown(it, how)).unzip();
    let data = if data.len() == 1 { data.remove(0) } else { data.into() };
    texts.dedup();
    let view = match how {
        DryRun::Request => View::Document(texts.join("\n") + "\n"),
        DryRun::Service => View::Lines(texts.into_iter().map(StyledLine::plain).collect()),
    };
    CommandOutput::own(data, view)
}

/// JSON of a request that is not sent.
pub(crate) fn described(request: &RequestView) -> Value {
    let headers: Map<_, _> =
        request.headers().map(|(name, value)| (name.to_owned(), value.into())).collect();
    let body = request.body().map(|bytes| {
        serde_json::from_slice(bytes)
            .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(bytes).into_owned()))
    });
    json!({
        "dryRun": "request", "method": request.method(), "url": request.url(), "headers": headers, "body": body, "curl": curl(request),
    })
}

/// Request as a curl command for a POSIX shell. The token is written as the variable that holds it.
pub(crate) fn curl(request: &RequestView) -> String {
    let quoted = |text: &str| shlex::try_quote(text).map_or_else(|_| "''".to_owned(), Into::into);
    let (method, url) = (request.method(), quoted(request.url()));
    let mut line = format!(r#"curl -X {method} {url} -H "Authorization: Bearer ${TOKEN}""#);
    let mut multipart = false;
    for (name, value) in request.headers() {
        if name == "content-type" && value.starts_with("multipart/") {
            // curl generates its own boundary.
            multipart = true;
        } else if name != "content-length" {
            line.extend([" -H ", &quoted(&format!("{name}: {value}"))]);
        }
    }
    match request.body() {
        _ if multipart => line += " -F file=@FILE",
        Some(body) => {
            line.extend([" --data-binary ", &quoted(&String::from_utf8_lossy(body))]);
        }
        None if request.is_streamed() => line += " --data-binary @FILE",
        None => {}
    }
    line
}

// The flag that every command that writes has. Not a doc comment: clap would take it for the text of the command.
//
// A command takes it and gets its client from `Context::writer`. Nothing else is needed: the client of a dry run cannot write, and the first
// call that would have written ends the command with a result made in this module.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct DryRunArgs {
    #[arg(
        long,
        value_name = "HOW",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "service",
        help = "Have the service validate the change without making it, or print the request as a curl command"
    )]
    pub(crate) dry_run: Option<DryRun>,
}

/// Kind of a dry run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DryRun {
    /// Let the service validate the change
    Service,
    /// Print the request as a curl command, without the token, and don't send it
    Request,
}

impl DryRun {
    /// Write mode of the client in this kind of dry run.
    pub(crate) fn writes(self) -> WriteMode {
        match self {
            Self::Service => WriteMode::DryRun,
            Self::Request => WriteMode::Withhold,
        }
    }
}
