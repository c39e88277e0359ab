//! One id a line, for `xargs` and loops.

use serde_json::Value;

use super::fields::pick;
use super::grid::compact;
use super::records::Records;
use crate::output::{Cell, View};

/// The names under which records of the service are found again.
const NAMES: &[&str] = &["id", "profileId", "userId"];

/// The id of each record: its `id`, else what its view shows first; a record that is no object is its own id.
pub(crate) fn render(records: &Records, view: &View) -> String {
    let first = match view {
        View::Table([column, ..]) => match column.cell {
            Cell::At(path) => Some(path),
            Cell::Of(_) => None,
        },
        View::Record(first) => first.first().copied(),
        _ => None,
    };
    let id = |record: &Value| match record {
        Value::Object(_) => NAMES
            .iter()
            .copied()
            .chain(first)
            .find_map(|name| pick(record, name).filter(|it| it.is_string() || it.is_number())),
        Value::Null | Value::Array(_) => None,
        plain => Some(plain.clone()),
    };
    records.items.iter().filter_map(id).map(|it| compact(&it) + "\n").collect()
}
