//! Decoding of an answer into the record of its operation.

use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::operation::Operation;
use crate::transport::Answer;

impl Answer {
    /// Decodes the record that the interface describes. An answer without it is unreadable.
    pub(crate) fn decode<T: DeserializeOwned>(
        &self,
        operation: &'static Operation,
    ) -> Result<T, Error> {
        serde_json::from_slice(&self.body)
            .map_err(|why| Error::unreadable(operation, self, why.to_string()))
    }
}
