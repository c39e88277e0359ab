//! Checks whether an answer with a 2xx status is a success of its operation.

use reqwest::header::CONTENT_TYPE;

use super::{Success, SuccessContent};
use crate::operation::Operation;
use crate::transport::{Answer, BrokenAttempt, CallFailure};

impl Success {
    /// Returns why an answer with a 2xx status is not a success.
    pub(super) fn problem(&self, answer: &Answer) -> Option<String> {
        self.head_problem(answer).or_else(|| match self.content {
            SuccessContent::Json(shape) => {
                shape.check(&answer.body).err().map(|why| why.to_string())
            }
            SuccessContent::Markdown if answer.body.trim_ascii().is_empty() => {
                Some("it is empty".to_owned())
            }
            SuccessContent::Nothing | SuccessContent::Markdown | SuccessContent::Any => None,
        })
    }

    /// Returns why the status and the content type of an answer, which come before its body, are not those of a success.
    pub(super) fn head_problem(&self, answer: &Answer) -> Option<String> {
        let status = answer.status();
        if !self.status.is_empty() && !self.status.contains(&status) {
            let expected: Vec<_> = self.status.iter().map(ToString::to_string).collect();
            return Some(format!("its status should be {}", expected.join(" or ")));
        }
        let (fits, expected): (fn(&str) -> bool, _) = match self.content {
            SuccessContent::Nothing | SuccessContent::Any => return None,
            SuccessContent::Json(_) => (is_json, "JSON"),
            SuccessContent::Markdown => (is_markdown, "Markdown"),
        };
        let Some(found) = media_type(answer) else {
            let is_told_by_content = matches!(self.content, SuccessContent::Json(_));
            return (!is_told_by_content).then(|| format!("it does not say that it is {expected}"));
        };
        (!fits(&found)).then(|| format!("it should be {expected}, and is {found}"))
    }
}

/// Returns the result of an attempt, in which an answer with a 2xx status is a success of the operation.
pub(crate) fn check_answer(
    operation: &Operation,
    dry_run: bool,
    result: Result<Answer, CallFailure>,
) -> Result<Answer, CallFailure> {
    let (answer, why) = match result {
        Ok(answer) if !answer.status.is_success() => return Ok(answer),
        // Anything but a web page may mean that the service executed the dry run.
        Ok(answer) if dry_run => {
            let why = media_type(&answer).filter(|it| it.contains("html"));
            (answer, why.map(|found| format!("it should have no content, and is {found}")))
        }
        Ok(answer) => {
            let why = operation.success.problem(&answer);
            (answer, why)
        }
        Err(CallFailure::Broken(BrokenAttempt { end, source, begun: Some(answer) })) => {
            match operation.success.head_problem(&answer) {
                None => {
                    return Err(CallFailure::Broken(BrokenAttempt {
                        end,
                        source,
                        begun: Some(answer),
                    }));
                }
                why => (*answer, why),
            }
        }
        Err(failure) => return Err(failure),
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

fn is_json(media_type: &str) -> bool {
    matches!(media_type, "application/json" | "text/json") || media_type.ends_with("+json")
}

fn is_markdown(media_type: &str) -> bool {
    matches!(media_type, "text/markdown" | "text/x-markdown")
}
