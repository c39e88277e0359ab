//! Human-readable output of analytics. The shape of the data is not documented: objects of numbers and lists of records are tables, everything
//! else is printed unchanged.

use comfy_table::{CellAlignment, Table, presets};
use unicode_width::UnicodeWidthStr;

use crate::commands::prelude::*;
use crate::output::format::compact;
use crate::ui::cut;

/// Number of cells of the bar beside a record.
const BAR: usize = 12;
/// Maximum width of a value in a table.
const VALUE_MAX: usize = 37;

/// Returns the lines to show. With `has_bars`, each record of a list has a bar for its first number.
pub(super) fn lines(data: &Value, approximate: bool, has_bars: bool) -> Vec<StyledLine> {
    let mut figures = FigureTable { approximate, has_bars, lines: Vec::new() };
    figures.part("", data, &data["previous"]);
    figures.lines
}

/// Returns the rows of a table: the first list of records.
pub(super) fn rows(data: &Value) -> Vec<Value> {
    lists(data).into_iter().next().into_iter().flatten().cloned().collect()
}

/// Returns the rows of the timeline, which may be empty; `None` if nothing is recognised as one.
pub(super) fn timeline(data: &Value) -> Option<Vec<Value>> {
    let owned = |list: Vec<&Value>| list.into_iter().cloned().collect();
    let named = match (items(&data["timeline"]), &data["timeline"]) {
        (Some(points), _) => Some(owned(points)),
        (None, Value::Object(points)) => {
            points.iter().map(|(date, point)| dated(date, point)).collect()
        }
        _ => None,
    };
    let is_dated = |list: &Vec<&Value>| list.iter().all(|it| it["date"].is_string());
    named.or_else(|| lists(data).into_iter().find(is_dated).map(owned))
}

/// Returns a point of a timeline whose key is its date; `None` if it is neither a record nor a number.
fn dated(date: &str, point: &Value) -> Option<Value> {
    let mut row = Map::new();
    row.insert("date".to_owned(), date.into());
    match point {
        Value::Object(point) => row.extend(point.clone()),
        Value::Number(_) => drop(row.insert("value".to_owned(), point.clone())),
        _ => return None,
    }
    Some(Value::Object(row))
}

/// Returns the lists of records, apart from those of the previous period.
fn lists(data: &Value) -> Vec<Vec<&Value>> {
    let parts = data.as_object().into_iter().flatten().filter(|(name, _)| *name != "previous");
    let lists = parts.filter_map(|(_, value)| items(value));
    lists.filter(|list| !list.is_empty() && list.iter().all(|it| it.is_object())).collect()
}

struct FigureTable {
    approximate: bool,
    has_bars: bool,
    lines: Vec<StyledLine>,
}

impl FigureTable {
    fn say(&mut self, text: impl AsRef<str>) {
        self.lines.push(StyledLine::plain(text.as_ref().trim_end()));
    }

    fn title(&mut self, name: &str) {
        if !self.lines.is_empty() {
            self.say("");
        }
        self.say(name);
    }

    /// Adds a part of the data under its path: of an object its own values first, then its objects and lists.
    fn part(&mut self, path: &str, value: &Value, before: &Value) {
        match (items(value), value) {
            (Some(items), _) => self.list(path, &items),
            (None, Value::Object(object)) => {
                let (parts, own): (Vec<_>, Vec<_>) =
                    object.iter().partition(|(_, value)| value.is_object() || value.is_array());
                if !own.is_empty() && !path.is_empty() {
                    self.title(path);
                }
                let indent = if path.is_empty() { "" } else { "  " };
                let width = own.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
                for (name, value) in own {
                    let change = change(value, &before[name]).unwrap_or_default();
                    let value = self.number(name, value);
                    self.say(format!("{indent}{name:width$}  {value}{change}"));
                }
                for (name, value) in parts {
                    let below =
                        if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    self.part(&below, value, &before[name]);
                }
            }
            _ => self.say(format!("{path}  {}", plain(value))),
        }
    }

    /// Formats a number; approximate numbers of unique visitors get the sign `≈`.
    fn number(&self, name: &str, value: &Value) -> String {
        let about = self.approximate && value.is_number() && name.to_lowercase().contains("unique");
        if about { format!("≈{}", plain(value)) } else { plain(value) }
    }

    /// Adds a list: as a table if it is one of records.
    fn list(&mut self, path: &str, items: &[&Value]) {
        if items.is_empty() {
            return;
        }
        self.title(path);
        let records: Vec<_> = items.iter().filter_map(|it| it.as_object()).collect();
        if records.len() < items.len() {
            return items.iter().for_each(|item| self.say(format!("  {}", plain(item))));
        }
        let mut columns: Vec<&String> = Vec::new();
        for name in records.iter().flat_map(|record| record.keys()) {
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
        let is_number = |column: &&&String| {
            let mut values = records.iter().filter_map(|it| it.get(**column));
            values.all(|it| it.is_number() || it.is_null())
        };
        let counted = |it: &&&String| is_number(it) && **it != "id" && !it.ends_with("Id");
        let counted = columns.iter().find(counted).filter(|_| self.has_bars);
        let number = |record: &Map<String, Value>| record.get(*counted?)?.as_f64();
        let most = records.iter().filter_map(|it| number(it)).fold(0.0, f64::max);
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_header(&columns);
        for record in &records {
            let cell = |column: &&String| match record.get(*column) {
                Some(value) => cut(&self.number(column, value), VALUE_MAX),
                None => String::new(),
            };
            let bar = number(record).map(|it| bar(it, most, BAR));
            table.add_row(columns.iter().map(cell).chain(bar));
        }
        for (column, name) in table.column_iter_mut().zip(&columns) {
            if is_number(&name) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.lines().for_each(|line| self.say(format!(" {line}")));
    }
}

/// Returns the items of a list, or of a map from ids to records.
fn items(value: &Value) -> Option<Vec<&Value>> {
    match value {
        Value::Array(items) => Some(items.iter().collect()),
        Value::Object(records) if !records.is_empty() => {
            let record = |(key, value): (&String, _)| key.parse::<u64>().ok().map(|_| value);
            let records: Option<Vec<&Value>> = records.iter().map(record).collect();
            records.filter(|records| records.iter().all(|it| it.is_object()))
        }
        _ => None,
    }
}

/// Returns the change of a number from the previous period.
fn change(now: &Value, before: &Value) -> Option<String> {
    let (now, was) = (now.as_f64()?, before.as_f64()?);
    Some(if was == 0.0 {
        format!("  (from {before})")
    } else {
        format!("  ({:+.0} % from {before})", (now - was) / was * 100.0)
    })
}

fn plain(value: &Value) -> String {
    sanitize::line(&compact(value)).into_owned()
}

/// Bar of at most `width` cells, for a number of at most `most`. A positive number is never shown as empty.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the length is a small whole number, whatever the number"
)]
fn bar(number: f64, most: f64, width: usize) -> String {
    if number <= 0.0 || most <= 0.0 || !number.is_finite() {
        return String::new();
    }
    "▇".repeat(((number / most * width as f64).round() as usize).clamp(1, width))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drawn(data: &Value, has_bars: bool) -> String {
        let lines = lines(data, true, has_bars);
        lines.into_iter().map(|line| line.text().to_owned() + "\n").collect()
    }

    #[test]
    fn known_figures_are_drawn_and_unknown_ones_are_printed_by_their_path() {
        let data = json!({
            "mood": "calm",
            "totals": { "views": 12, "uniques": 9 },
            "previous": { "totals": { "views": 10, "uniques": 0 } },
            "rows": { "7": { "id": 7, "views": 4 }, "8": { "id": 8, "views": 8 } },
            "timeline": [{ "date": "2026-01-01", "views": 4 }, { "date": "2026-01-02", "views": 8 }],
            "insights": ["Fine."],
            "odd": { "deep": { "x": [1, [2]] } },
        });
        let text = drawn(&data, true);
        for part in [
            "mood  calm",
            "views    12  (+20 % from 10)",
            "uniques  ≈9  (from 0)",
            " 8      8  ▇▇▇▇▇▇▇▇▇▇▇▇",
            "2026-01-01      4  ▇▇▇▇▇▇\n",
            "  Fine.",
            "odd.deep.x",
            "  [2]",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let text = drawn(&data, false);
        assert!(!text.contains('▇') && text.contains("2026-01-02      8"), "{text}");
    }

    #[test]
    fn a_table_is_made_of_the_first_list_of_records() {
        let row = json!({ "id": 7, "views": 4 });
        let day = json!({ "date": "2026-01-01", "views": 4 });
        for (data, table) in [
            (json!({ "totals": {}, "rows": [row], "timeline": [day] }), vec![row.clone()]),
            (json!({ "insights": ["x"], "rows": [row], "timeline": [] }), vec![row.clone()]),
            (json!({ "rows": { "7": row, "8": row } }), vec![row.clone(), row.clone()]),
            (json!({ "rows": { "7": row } }), vec![row.clone()]),
            (json!({ "totals": { "views": 4 } }), vec![]),
            (json!([row]), vec![]),
        ] {
            assert_eq!(rows(&data), table, "{data}");
        }
    }

    #[test]
    fn a_timeline_is_a_table_whatever_its_points_are() {
        let row = json!({ "id": 7, "views": 4 });
        let point = json!({ "day": "2026-01-01", "views": 4 });
        let dated = json!({ "date": "2026-01-01", "views": 4 });
        let key = "2026-01-01";
        for (timeline, table) in [
            (json!([point]), Some(vec![point.clone()])),
            (json!([]), Some(vec![])),
            (json!({ key: { "views": 4 } }), Some(vec![dated.clone()])),
            (json!({ key: 4 }), Some(vec![json!({ "date": key, "value": 4 })])),
            (json!({ "points": [point] }), None),
            (json!("soon"), None),
        ] {
            let data = json!({ "rows": [row], "timeline": timeline });
            assert_eq!(super::timeline(&data), table, "{data}");
        }
        assert_eq!(timeline(&json!({ "rows": [row], "days": [dated] })), Some(vec![dated]));
        assert_eq!(timeline(&json!({ "rows": [row] })), None);
    }

    #[test]
    fn data_of_any_shape_is_shown_without_a_panic() {
        for data in [
            json!(null),
            json!([]),
            json!(7),
            json!([{}]),
            json!({ "timeline": [] }),
            json!([[[]]]),
            json!({ "timeline": [{ "date": "x", "views": 1e308 }, { "date": 3, "views": "many" }] }),
        ] {
            drawn(&data, true);
            rows(&data);
            timeline(&data);
        }
    }

    #[test]
    fn bars_are_scaled_and_small_numbers_have_one() {
        assert_eq!(bar(5.0, 10.0, 6), "▇▇▇");
        assert_eq!(bar(0.1, 10.0, 6), "▇");
        assert_eq!(bar(f64::NAN, 10.0, 6) + &bar(-3.0, 10.0, 6), "");
    }
}
