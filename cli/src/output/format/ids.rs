//! One id per line, for `xargs` and loops.

use std::borrow::Cow;

use serde_json::Value;

use super::fields::pick;
use super::grid::compact;
use super::records::Records;
use crate::output::{Cell, View};

/// Field names of ids in records of the service.
const NAMES: &[&str] = &["id", "profileId", "userId"];

/// Prints the id of each record: its `id`, or else the field that its view names or begins with; a record that is not an object is its own id.
pub(crate) fn render(records: &Records, view: &View) -> String {
    let first = match view {
        View::Table([column, ..]) => match column.cell {
            Cell::At(path) => Some(path),
            Cell::Of(_) => None,
        },
        View::Record(first) => first.first().copied(),
        View::NamedLines(_, name) => Some(*name),
        _ => None,
    };
    let id = |record| id_of(record, first).map(|it| compact(&it) + "\n");
    records.items.iter().filter_map(id).collect()
}

fn id_of<'r>(record: &'r Value, first: Option<&str>) -> Option<Cow<'r, Value>> {
    match record {
        Value::Object(_) => NAMES
            .iter()
            .copied()
            .chain(first)
            .find_map(|name| pick(record, name).filter(|it| it.is_string() || it.is_number())),
        Value::Null | Value::Array(_) => None,
        plain => Some(Cow::Borrowed(plain)),
    }
}
