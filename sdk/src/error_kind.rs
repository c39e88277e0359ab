//! What a failure means: its kind, whether something was written, and what the service says.

use crate::tolerant::FieldErrors;
use crate::transport::Answer;

/// Kind of an [`Error`](crate::Error), to `match` on. The predicates of the error, such as [`Error::is_timeout`](crate::Error::is_timeout),
/// are based on it.
///
/// ```
/// # links_test_support::example::run(async |client| {
/// use links_sdk::ErrorKind;
///
/// let error = client.profile("nobody").get().await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// # Ok(()) });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ErrorKind {
    /// An argument cannot be sent. Nothing was sent.
    InvalidInput,
    /// The service responded with 401, or there is no token to send.
    NotAuthenticated,
    /// The service responded with 403: the token is not allowed to do this.
    Forbidden,
    /// The service answered 404.
    NotFound,
    /// The service responded with 409, or another client changed what the call would have overwritten.
    Conflict,
    /// The service responded with 422: it refused fields.
    Validation,
    /// The service refused the request with another 4xx status, such as 400 or 413.
    Rejected,
    /// The wait for a rate limit would have exceeded the deadline or the maximum wait.
    RateLimited,
    /// The deadline of the call passed, or the service did not respond within the [timeouts](crate::Timeouts).
    Timeout,
    /// The service, the issuer of its tokens, or the server that shares the rate limits could not be reached, or the connection was
    /// interrupted.
    Network,
    /// The connection would not have been secure: a certificate is not trusted, or the service requires a client certificate. Nothing was
    /// sent.
    Untrusted,
    /// The service, or a proxy in front of it, responded with a 5xx status.
    Server,
    /// A response with a 2xx, 3xx or unknown status that does not match the interface, often because of a proxy or a login page in between.
    /// A response with the status of another kind is of that kind, regardless of its body.
    Unreadable,
    /// The service executed a dry run: something was written.
    DryRunExecuted,
    /// The service accepted the call as a dry run, because its client sends writes only as [dry runs](crate::WriteMode::DryRun).
    DryRunAccepted,
    /// The client [does not send writes](crate::WriteMode::Withhold).
    NotSent,
    /// A run of several requests stopped for a reason of its own, which is in the message.
    Run,
}

impl ErrorKind {
    /// Returns the kind of an answer with this status. `is_read` tells whether it is in the service's error format.
    pub(crate) fn of_status(status: u16, is_read: bool) -> Self {
        match status {
            401 => Self::NotAuthenticated,
            403 => Self::Forbidden,
            404 => Self::NotFound,
            408 => Self::Timeout,
            409 => Self::Conflict,
            422 => Self::Validation,
            429 => Self::RateLimited,
            500.. => Self::Server,
            _ if is_read => Self::Rejected,
            _ => Self::Unreadable,
        }
    }

    /// Returns whether the same call may succeed later without any changes.
    #[doc(hidden)]
    pub fn is_temporary(self) -> bool {
        matches!(
            self,
            Self::RateLimited | Self::Timeout | Self::Network | Self::Untrusted | Self::Server
        )
    }
}

/// Outcome of a call: whether something was written. A read writes nothing. Of the outcomes of several attempts, the largest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Nothing was written: the request was never sent, it was refused, or it was a read.
    NotExecuted,
    /// It is unknown whether anything was written: no response arrived, or one that proves nothing. Read before you repeat the call.
    Unknown,
    /// The request was executed; only the response was lost.
    Executed,
}

/// The service's error envelope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceError {
    /// The HTTP status.
    pub status: u16,
    /// Message in the service's own words.
    pub message: String,
    /// Code of the error, such as `not_found`. Other codes are not documented.
    pub code: String,
    /// Refused fields with the reasons; empty unless validation failed.
    pub errors: FieldErrors,
    /// URL of the service's documentation of the error.
    pub documentation: Option<String>,
}

#[derive(serde::Deserialize)]
struct ErrorEnvelope {
    message: String,
    code: Option<String>,
    #[serde(default)]
    errors: FieldErrors,
    documentation: Option<String>,
}

/// Maximum size of an error in the service's format in bytes: room for two thousand refused fields. A larger body is a page of a proxy, which is
/// not worth the search for secrets.
const LARGEST: usize = 1024 * 1024;

/// Maximum size of each text in such an error. To search a text, much more memory than that is used for a moment.
const LONGEST: usize = 64 * 1024;

impl ServiceError {
    /// Reads the error of an answer, without the secrets that the service repeats; `None` if the answer is not in the service's format.
    pub(crate) fn of(answer: &Answer) -> Option<Self> {
        let is_error = !answer.status.is_success() && !answer.status.is_redirection();
        if !is_error || answer.body.len() > LARGEST {
            return None;
        }
        let text = String::from_utf8_lossy(&answer.body);
        let ErrorEnvelope { message, code, errors, documentation } =
            serde_json::from_str(&text).ok()?;
        let hidden =
            |text: String| (text.len() <= LONGEST).then(|| answer.secrets.hide(&text).into_owned());
        let errors = errors.0.into_iter().map(|(path, messages)| {
            let messages: Option<Vec<String>> = messages.into_iter().map(hidden).collect();
            Some((hidden(path)?, messages?))
        });
        Some(Self {
            status: answer.status(),
            message: hidden(message)?,
            code: hidden(code.unwrap_or_default())?,
            errors: FieldErrors(errors.collect::<Option<_>>()?),
            documentation: documentation.map_or(Some(None), |url| hidden(url).map(Some))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, StatusCode};
    use serde_json::json;

    use super::*;

    fn read(body: String) -> Option<ServiceError> {
        let mut answer =
            Answer::new(StatusCode::UNPROCESSABLE_ENTITY, HeaderMap::new(), Bytes::from(body));
        answer.secrets = answer.secrets.with(["sécret-of-a-test"]);
        ServiceError::of(&answer)
    }

    #[test]
    fn secrets_are_hidden_in_each_text_of_an_error_however_they_are_escaped() {
        let escaped = "s\\u00e9cret-of-a-test";
        let body = format!(
            r#"{{"message": "a {escaped}", "code": "b {escaped}", "documentation": "c {escaped}", "errors": {{"d {escaped}": ["e {escaped}"]}}}}"#
        );
        let error = read(body).unwrap();
        assert_eq!((&*error.message, &*error.code), ("a ***", "b ***"));
        assert_eq!(error.documentation.as_deref(), Some("c ***"));
        assert_eq!(error.errors["d ***"], ["e ***"]);
    }

    #[test]
    fn a_body_that_is_too_large_for_an_error_is_not_read() {
        let body = |length| json!({"message": "x".repeat(length)}).to_string();
        assert!(read(body(LONGEST)).is_some());
        assert_eq!(read(body(LONGEST + 1)), None);
        let body =
            |texts| json!({"message": "x", "errors": {"a": vec!["x".repeat(LONGEST - 2); texts]}});
        let texts = LARGEST / LONGEST;
        assert!(read(body(texts - 1).to_string()).is_some());
        assert_eq!(read(body(texts + 1).to_string()), None);
    }

    #[test]
    fn an_error_of_two_thousand_fields_is_read_whole() {
        let message = "Поле обязательно для заполнения, а значение не должно быть пустым.";
        let escaped: String =
            message.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect();
        let field = |nth: usize| format!(r#""slots.{nth}.data": ["{escaped}"]"#);
        let fields: Vec<_> = (0..2000).map(field).collect();
        let errors = fields.join(",");
        let error = read(format!(r#"{{"message": "{escaped}", "errors": {{{errors}}}}}"#)).unwrap();
        assert_eq!(error.errors["slots.1999.data"], [message]);
    }
}
