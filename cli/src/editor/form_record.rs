//! Record of a form: as JSON for editing, and as a typed value for the comparison with a later read.

use links_sdk::types::LeadForm;
use links_sdk::{Answer, FormHandle};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::CommandError;

/// Reads a form as JSON, and as a typed value for the comparison with a later read.
pub(crate) async fn record(
    form: &FormHandle,
) -> Result<(Map<String, Value>, LeadForm), CommandError> {
    #[derive(Deserialize)]
    struct FormEnvelope {
        data: LeadForm,
    }
    let answer = form.get().answer().await?;
    let FormEnvelope { data } =
        serde_json::from_slice(answer.body()).map_err(CommandError::unreadable)?;
    Ok((read(&answer)?, data))
}

/// Returns a form as it was sent, except that a list which came as an object with numbers as names is a list again.
pub(crate) fn read(answer: &Answer) -> Result<Map<String, Value>, CommandError> {
    let mut body: Value =
        serde_json::from_slice(answer.body()).map_err(CommandError::unreadable)?;
    let Value::Object(mut record) = body["data"].take() else {
        return Err(CommandError::unreadable("there is no record in it"));
    };
    for value in record.values_mut() {
        if let Value::Object(items) = value
            && !items.is_empty()
            && items.keys().all(|name| name.bytes().all(|it| it.is_ascii_digit()))
        {
            *value = std::mem::take(items).into_values().collect();
        }
    }
    Ok(record)
}
