//! A recording of requests and their responses, without secrets: a line of JSON for each attempt, at the end of a file.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use links_pages::fs::private;
use links_sdk::AttemptReport;
use serde_json::{Map, Value, json};

use crate::auth::redacted;
use crate::signal::lock;

/// Headers whose values are not secret.
pub(super) const SHOWN: &[&str] = &[
    "accept",
    "content-length",
    "content-type",
    "date",
    "idempotency-key",
    "precognition",
    "precognition-success",
    "retry-after",
    "user-agent",
    "x-markdown-tokens",
];

/// Fields of a body whose values are secret, at any depth.
const SECRET: &[&str] = &[
    "access_token",
    "accessToken",
    "authorization",
    "client_secret",
    "code_verifier",
    "password",
    "refresh_token",
    "refreshToken",
    "secret",
    "token",
    "upload_url",
    "uploadUrl",
];

static FILE: OnceLock<Mutex<File>> = OnceLock::new();

/// Records from now on. The file is opened at once: a confined command could not do that later.
///
/// # Errors
///
/// When the file cannot be opened.
pub(crate) fn begin(path: &Path) -> io::Result<()> {
    let _ = FILE.set(Mutex::new(private::append(path)?));
    Ok(())
}

pub(super) fn is_on() -> bool {
    FILE.get().is_some()
}

/// Records an attempt. A recording that cannot be written stops no command.
pub(super) fn note(attempt: &AttemptReport<'_>) {
    let Some(file) = FILE.get() else { return };
    let request = attempt.request.map(|request| {
        json!({
            "headers": shown(request.headers()),
            "body": request.body().map(|body| content(body)),
            "isStreamed": request.is_streamed(),
        })
    });
    let response = attempt.answer.map(|answer| {
        let headers = answer.headers();
        json!({ "headers": shown(headers), "body": content(answer.body()) })
    });
    let exchange = json!({
        "operation": attempt.operation,
        "method": attempt.method,
        "target": redacted(attempt.target),
        "request": request,
        "status": attempt.status,
        "response": response,
        "milliseconds": u64::try_from(attempt.took.as_millis()).unwrap_or(u64::MAX),
    });
    let _ = lock(file).write_all(format!("{exchange}\n").as_bytes());
}

/// Returns the headers whose values are not secret.
fn shown<V: AsRef<str>>(headers: impl Iterator<Item = (impl AsRef<str>, V)>) -> Map<String, Value> {
    let shown = headers.filter(|(name, _)| SHOWN.contains(&name.as_ref()));
    shown.map(|(name, value)| (name.as_ref().to_owned(), redacted(value.as_ref()).into())).collect()
}

/// Returns a body without secrets: JSON as JSON, other content as text.
pub(super) fn content(body: &[u8]) -> Value {
    let text = String::from_utf8_lossy(body);
    let text = redacted(&text);
    let mut value = serde_json::from_str(&text).unwrap_or_else(|_| Value::from(&*text));
    hide(&mut value);
    value
}

/// Replaces the secret values, at any depth.
fn hide(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                if SECRET.contains(&name.as_str()) { *value = "***".into() } else { hide(value) }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide),
        _ => {}
    }
}
