//! Records in responses of the service, as far as they have names. Everything else in a response is skipped without being decoded.

use serde::Deserialize;

use crate::output::label::SlotSummary;

/// Body of a response.
#[derive(Deserialize)]
pub(super) struct DataEnvelope<T> {
    data: T,
}

impl<'a, T: Deserialize<'a>> DataEnvelope<T> {
    /// Reads the records in a body.
    pub(super) fn read(body: &'a [u8]) -> serde_json::Result<T> {
        serde_json::from_slice::<Self>(body).map(|it| it.data)
    }
}

/// Page.
#[derive(Deserialize)]
pub(super) struct ProfileRecord {
    pub(super) id: i64,
    pub(super) login: String,
    #[serde(default)]
    pub(super) title: Option<String>,
    /// Slots, if the request asked for them.
    #[serde(default)]
    pub(super) slots: Option<Vec<SlotRecord>>,
}

/// Form.
#[derive(Deserialize)]
pub(super) struct FormRecord {
    pub(super) id: String,
    pub(super) title: String,
}

/// Slot.
#[derive(Deserialize)]
pub(super) struct SlotRecord {
    pub(super) id: i64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) data: SlotSummary,
}
