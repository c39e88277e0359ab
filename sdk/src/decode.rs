//! Decoding of an answer into the record of its operation.

use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::operation::Operation;
use crate::success::SuccessContent;
use crate::transport::Answer;

/// Decodes a record. UTF-8 is checked once for all rather than for each string.
pub(crate) fn from_json<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(json) {
        Ok(text) => serde_json::from_str(text),
        // Not JSON, which is what the error says.
        Err(_) => serde_json::from_slice(json),
    }
}

impl Answer {
    /// Decodes the record that the interface describes. An answer without it is unreadable.
    pub(crate) fn decode<T: DeserializeOwned>(
        &self,
        operation: &'static Operation,
    ) -> Result<T, Error> {
        let json: &[u8] = match operation.success.content {
            SuccessContent::Nothing => b"null",
            _ => &self.body,
        };
        from_json(json).map_err(|why| Error::unreadable(operation, self, why.to_string()))
    }
}
