//! Checks whether an answer with a 2xx status is a success of its operation.

use reqwest::header::CONTENT_TYPE;
use serde::de::Error as _;
use serde_json::{Map, Value};

use crate::operation::{Operation, SuccessContent, from_json};
use crate::transport::{Answer, CallFailure};

/// Decodes the record of an answer for its caller, so that it is not read once to check it and once more to decode it.
pub(crate) type RecordCheck<'a> = &'a (dyn Fn(&[u8]) -> serde_json::Result<()> + Sync);

impl Operation {
    /// Returns why an answer with a 2xx status is not a success.
    fn problem(&self, answer: &Answer, record: Option<RecordCheck<'_>>) -> Option<String> {
        self.head_problem(answer).or_else(|| {
            let check: RecordCheck<'_> = match self.success {
                SuccessContent::Json => record.unwrap_or(&is_any_record),
                SuccessContent::Any => record?,
                SuccessContent::Markdown if answer.body.trim_ascii().is_empty() => {
                    return Some("the body is empty".to_owned());
                }
                SuccessContent::Nothing | SuccessContent::Markdown => return None,
            };
            check(&answer.body).err().map(|error| error.to_string())
        })
    }

    /// Returns why the status and the content type of an answer, which come before its body, are not those of a success.
    fn head_problem(&self, answer: &Answer) -> Option<String> {
        if let Some(expected) = self.status.filter(|it| *it != answer.status()) {
            return Some(format!("expected status {expected}"));
        }
        let found = media_type(answer);
        let (fits, expected) = match self.success {
            SuccessContent::Nothing | SuccessContent::Any => return None,
            // Without a type, whether it is JSON is told by its content.
            SuccessContent::Json => (found.as_deref().is_none_or(is_json), "JSON"),
            SuccessContent::Markdown => (found.as_deref().is_some_and(is_markdown), "Markdown"),
        };
        let found = found.as_deref().unwrap_or("no content type");
        (!fits).then(|| format!("expected {expected}, got {found}"))
    }
}

/// Returns the result of an attempt, in which an answer with a 2xx status is a success of the operation.
pub(crate) fn check_answer(
    operation: &Operation,
    dry_run: bool,
    record: Option<RecordCheck<'_>>,
    result: Result<Answer, CallFailure>,
) -> Result<Answer, CallFailure> {
    let (answer, why) = match result {
        Ok(answer) if !answer.status.is_success() => return Ok(answer),
        // Anything but a web page may mean that the service executed the dry run.
        Ok(answer) if dry_run => {
            let why = media_type(&answer).filter(|it| it.contains("html"));
            (answer, why.map(|found| format!("expected no content, got {found}")))
        }
        Ok(answer) => {
            let why = operation.problem(&answer, record);
            (answer, why)
        }
        Err(failure) => {
            let CallFailure::Broken { begun: Some(answer), .. } = &failure else {
                return Err(failure);
            };
            let why = operation.head_problem(answer);
            let answer = answer.clone();
            return Err(why.map_or(failure, |why| CallFailure::Unusable { answer, why }));
        }
    };
    match why {
        None => Ok(answer),
        Some(why) => Err(CallFailure::Unusable { answer: Box::new(answer), why }),
    }
}

/// Returns the content type without its parameters, in lower case.
fn media_type(answer: &Answer) -> Option<String> {
    let value = String::from_utf8_lossy(answer.headers.get(CONTENT_TYPE)?.as_bytes());
    Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// Checks the answer to a raw call, of which nobody decodes the record: there has to be one.
fn is_any_record(json: &[u8]) -> serde_json::Result<()> {
    let record: Map<String, Value> = from_json(json)?;
    if record.is_empty() {
        Err(serde_json::Error::custom("the JSON object is empty"))
    } else {
        Ok(())
    }
}

fn is_json(media_type: &str) -> bool {
    matches!(media_type, "application/json" | "text/json") || media_type.ends_with("+json")
}

fn is_markdown(media_type: &str) -> bool {
    matches!(media_type, "text/markdown" | "text/x-markdown")
}

#[cfg(test)]
mod tests;
