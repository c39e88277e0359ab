//! Error in the service's own format.

use crate::tolerant::FieldErrors;
use crate::transport::Answer;

/// The service's error envelope (the interface, section 2.7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceError {
    /// The HTTP status.
    pub status: u16,
    /// Message in the service's own words.
    pub message: String,
    /// Code of the error, `not_found` for example; the others are not documented.
    pub code: String,
    /// Refused fields with the reasons; empty unless a validation failed.
    pub errors: FieldErrors,
    /// URL of the service's documentation of the error.
    pub documentation: Option<String>,
}

#[derive(serde::Deserialize)]
struct ErrorEnvelope {
    message: String,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    errors: FieldErrors,
    #[serde(default)]
    documentation: Option<String>,
}

impl ServiceError {
    /// Reads the error of an answer, without the secrets that the service repeats; `None` if the answer is not in the service's format.
    pub(crate) fn of(answer: &Answer) -> Option<Self> {
        if answer.status.is_success() || answer.status.is_redirection() {
            return None;
        }
        let envelope: ErrorEnvelope = serde_json::from_slice(&answer.body).ok()?;
        let (secrets, status) = (&answer.secrets, answer.status());
        let mut hidden = Self {
            status,
            message: envelope.message,
            code: envelope.code.unwrap_or_default(),
            errors: envelope.errors,
            documentation: envelope.documentation,
        };
        secrets.hide_in(&mut hidden.message);
        secrets.hide_in(&mut hidden.code);
        hidden.documentation.iter_mut().for_each(|text| secrets.hide_in(text));
        let errors = std::mem::take(&mut hidden.errors.0).into_iter();
        hidden.errors.0 = errors
            .map(|(path, mut messages)| {
                for text in &mut messages {
                    secrets.hide_in(text);
                }
                (secrets.hide(&path).into_owned(), messages)
            })
            .collect();
        Some(hidden)
    }
}
