//! Human-readable view of a page's slots, and the request that reads them.

use bytes::Bytes;
use links_sdk::{Slot, SlotsHandle};
use serde::Deserialize;

use crate::error::CommandError;
use crate::output::Column;
use crate::output::label::label;

/// Name of the lock for commands that write the order of a page. All pages share it, because only the service knows which page a login or a
/// URL means.
pub(crate) const ORDER: &str = "order";

/// Fields of a slot that are shown first.
pub(crate) const FIRST: &[&str] = &["id", "type", "supported"];

/// Columns of the table of a page's slots.
pub(crate) const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("TYPE", "type"),
    Column::of("CONTENT", |slot| {
        slot["data"].as_object().and_then(label).unwrap_or_default().to_owned()
    }),
    Column::of("NOTE", |slot| {
        if slot["supported"] == false { "legacy: cannot be edited".into() } else { String::new() }
    }),
];

/// Reads the slots of a page, and returns them with the body of the answer.
pub(crate) async fn page(slots: &SlotsHandle) -> Result<(Bytes, Vec<Slot>), CommandError> {
    #[derive(Deserialize)]
    struct PageRecord {
        data: Vec<Slot>,
    }
    let answer = slots.list().answer().await?;
    let page: PageRecord =
        serde_json::from_slice(answer.body()).map_err(CommandError::unreadable)?;
    Ok((answer.body().clone(), page.data))
}
