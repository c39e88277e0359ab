//! Trace of requests for `-v` and `-vv`. Only the values of listed headers are shown, and only bodies that are text.

use links_sdk::{AnswerView, AttemptReport, RequestView};
use serde_json::Value;

use crate::sanitize;

/// Headers whose values are not secret.
const SHOWN: &[&str] = &[
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

/// Maximum number of characters of a body to show.
const BODY_MAX: usize = 4000;

/// One line about an attempt, and if `inside` is true its headers and bodies.
pub(crate) fn lines(attempt: &AttemptReport<'_>, left: Option<usize>, inside: bool) -> Vec<String> {
    let ended = attempt.status.map_or_else(|| "no answer".to_owned(), |it| it.to_string());
    let mut first =
        format!("{} {} → {ended}, {} ms", attempt.method, attempt.target, attempt.took.as_millis());
    if let Some(left) = left {
        first = format!("{first}, {left} requests left this minute");
    }
    let mut lines = vec![first];
    if inside {
        attempt.request.into_iter().for_each(|it| push_request(it, &mut lines));
        attempt.answer.into_iter().for_each(|it| push_answer(it, &mut lines));
    }
    lines.iter().map(|line| sanitize::line(line).into_owned()).collect()
}

fn push_request(request: &RequestView, lines: &mut Vec<String>) {
    lines.push("> authorization: ***".to_owned());
    lines.extend(request.headers().map(|(name, value)| format!("> {}", header(name, value))));
    match request.body() {
        Some(body) => lines.push(format!("> {}", text(&String::from_utf8_lossy(body)))),
        None if request.is_streamed() => lines.push("> (a file)".to_owned()),
        None => {}
    }
}

fn push_answer(answer: AnswerView<'_>, lines: &mut Vec<String>) {
    lines.extend(answer.headers().map(|(name, value)| format!("< {}", header(name, &value))));
    if !answer.body().is_empty() {
        lines.push(format!("< {}", text(&answer.text())));
    }
}

fn header(name: &str, value: &str) -> String {
    if SHOWN.contains(&name) { format!("{name}: {value}") } else { format!("{name}: ***") }
}

/// Formats a body on one line: JSON without its secrets, other text cut to the limit.
fn text(body: &str) -> String {
    let text = match serde_json::from_str::<Value>(body) {
        Ok(mut value) => {
            hide(&mut value);
            value.to_string()
        }
        Err(_) => body.to_owned(),
    };
    match text.char_indices().nth(BODY_MAX) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], body.len()),
        None => text,
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_headers_outside_the_allow_list_are_hidden() {
        assert_eq!(header("content-type", "text/html"), "content-type: text/html");
        for name in ["set-cookie", "authorization", "x-new", "location"] {
            assert_eq!(header(name, "s3cret"), format!("{name}: ***"));
        }
    }

    #[test]
    fn secrets_in_a_body_are_hidden_and_long_bodies_are_cut() {
        let body = r#"{"data":{"upload_url":"https://up.test/s3cret","l":[{"token":"s3cret"}],"path":"a"}}"#;
        assert_eq!(text(body), r#"{"data":{"upload_url":"***","l":[{"token":"***"}],"path":"a"}}"#);
        assert!(text(&"x".repeat(5000)).ends_with("x… (5000 bytes)"));
    }
}
