//! The slots of a page as people see them, and how they are read.

use bytes::Bytes;
use links_sdk::{Slot, SlotsHandle};
use serde::Deserialize;

use crate::error::CommandError;
use crate::output::Column;
use crate::output::label::label;
/// What those take turns at who write the order of a page. One for all pages: which page a login or a URL means, only the service
/// knows.
pub(crate) const ORDER: &str = "order";

/// What people see first of a slot.
pub(crate) const FIRST: &[&str] = &["id", "type", "supported"];

/// The slots of a page, as people see them.
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

/// The slots of a page, and the answer they came in.
pub(crate) async fn page(slots: &SlotsHandle) -> Result<(Bytes, Vec<Slot>), CommandError> {
    #[derive(Deserialize)]
    struct Page {
        data: Vec<Slot>,
    }
    let answer = slots.list().answer().await?;
    let page: Page = serde_json::from_slice(answer.body()).map_err(CommandError::unreadable)?;
    Ok((answer.body().clone(), page.data))
}
