//! Human-readable output of analytics. The shape of the data is not documented: objects of numbers, lists of records and a timeline are
//! drawn, everything else is printed unchanged.

use unicode_width::UnicodeWidthStr;

use crate::commands::prelude::*;
use crate::output::format::compact;
use links_pages::sanitize;

/// Number of lines of the chart of a timeline.
const HEIGHT: usize = 6;
/// Number of cells of the bar beside a record.
const BAR: usize = 12;
/// Maximum number of characters of a string in a table.
const TEXT_MAX: usize = 36;

/// Returns the lines to show. `width` is that of the terminal; without it nothing is drawn.
pub(super) fn lines(data: &Value, approximate: bool, width: Option<usize>) -> Vec<StyledLine> {
    let mut figures = FigureTable { approximate, width, lines: Vec::new() };
    let before = data.get("previous").unwrap_or(&Value::Null);
    match data {
        Value::Object(object) if before.is_object() => {
            let mut now = object.clone();
            let mut rest = now.remove("previous").unwrap_or(Value::Null);
            without_compared(&mut rest, &now);
            figures.section("", &Value::Object(now), before);
            figures.section("previous", &rest, &Value::Null);
        }
        _ => figures.section("", data, &Value::Null),
    }
    figures.lines
}

/// Returns the rows of a table: the timeline if there is one, otherwise the first list of records.
pub(super) fn rows(data: &Value) -> Vec<Value> {
    let Value::Object(object) = data else { return Vec::new() };
    let lists = object.iter().filter_map(|(name, value)| match value {
        Value::Array(items) if items.iter().all(Value::is_object) => Some(items.clone()),
        Value::Object(records) if name != "previous" && is_map_of_records(records) => {
            Some(records.values().cloned().collect())
        }
        _ => None,
    });
    let lists: Vec<Vec<Value>> = lists.filter(|it| !it.is_empty()).collect();
    let is_timeline = |list: &&Vec<Value>| {
        timeline(&list.iter().filter_map(Value::as_object).collect::<Vec<_>>()).is_some()
    };
    lists.iter().find(is_timeline).or(lists.first()).cloned().unwrap_or_default()
}

struct FigureTable {
    approximate: bool,
    width: Option<usize>,
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

    /// Adds an object under its name: its own values first, then its objects and lists.
    fn section(&mut self, name: &str, value: &Value, before: &Value) {
        let Value::Object(object) = value else {
            return self.part(name, value, before);
        };
        let own: Vec<_> = object.iter().filter(|(_, value)| is_plain(value)).collect();
        if !own.is_empty() {
            if !name.is_empty() {
                self.title(name);
            }
            self.values(&own, before, if name.is_empty() { "" } else { "  " });
        }
        for (key, value) in object.iter().filter(|(_, value)| !is_plain(value)) {
            let path = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
            self.part(&path, value, &before[key]);
        }
    }

    fn part(&mut self, name: &str, value: &Value, before: &Value) {
        match value {
            Value::Object(object) if is_map_of_records(object) => {
                let records: Vec<_> = object.values().filter_map(Value::as_object).collect();
                self.records(name, &records);
            }
            Value::Object(_) => self.section(name, value, before),
            Value::Array(items) if items.is_empty() => {}
            Value::Array(items) => {
                let records: Vec<_> = items.iter().filter_map(Value::as_object).collect();
                if records.len() < items.len() {
                    self.title(name);
                    for item in items {
                        self.say(format!("  {}", plain(item)));
                    }
                } else if let Some(series) = timeline(&records) {
                    self.timeline(name, &records, &series);
                } else {
                    self.records(name, &records);
                }
            }
            plain_value => self.say(format!("{name}  {}", plain(plain_value))),
        }
    }

    fn values(&mut self, own: &[(&String, &Value)], before: &Value, indent: &str) {
        let width = own.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
        for (name, value) in own {
            let change = change(value, &before[name.as_str()]).unwrap_or_default();
            let value = self.number(name, value);
            self.say(format!("{indent}{name:width$}  {value}{change}"));
        }
    }

    /// Formats a number; approximate numbers of unique visitors get the sign `≈`.
    fn number(&self, name: &str, value: &Value) -> String {
        let about = self.approximate && value.is_number() && name.to_lowercase().contains("unique");
        if about { format!("≈{}", plain(value)) } else { plain(value) }
    }

    /// Adds a table, with a bar for the first number if there is a terminal.
    fn records(&mut self, name: &str, records: &[&Map<String, Value>]) {
        self.title(name);
        let mut columns: Vec<&str> = Vec::new();
        for key in records.iter().flat_map(|record| record.keys()) {
            if !columns.contains(&key.as_str()) {
                columns.push(key);
            }
        }
        let is_number = |column: &str| {
            let mut values = records.iter().filter_map(|it| it.get(column));
            values.all(|it| it.is_number() || it.is_null())
        };
        // The heading, then the records.
        let mut rows = vec!["  ".to_owned(); records.len() + 1];
        for column in &columns {
            let cell = |record: &&Map<String, Value>| match record.get(*column) {
                Some(value) => cut(&self.number(column, value)),
                None => String::new(),
            };
            let cells: Vec<String> =
                std::iter::once((*column).to_owned()).chain(records.iter().map(cell)).collect();
            let width = cells.iter().map(|it| it.width()).max().unwrap_or(0);
            for (row, cell) in rows.iter_mut().zip(cells) {
                let fill = " ".repeat(width - cell.width());
                let cell = if is_number(column) { fill + &cell } else { cell + &fill };
                *row += &(cell + "  ");
            }
        }
        let counted =
            columns.iter().find(|it| is_number(it) && **it != "id" && !it.ends_with("Id"));
        if let Some(column) = counted.filter(|_| self.width.is_some()) {
            let numbers = floats(records, column);
            let most = most(&numbers);
            for (row, number) in rows.iter_mut().skip(1).zip(numbers) {
                *row += &bar(number, most, BAR);
            }
        }
        for row in &rows {
            self.say(row);
        }
    }

    /// Adds a chart of the first series and a sparkline of each, or a table if nothing can be drawn.
    fn timeline(&mut self, name: &str, records: &[&Map<String, Value>], series: &[&str]) {
        let Some(width) = self.width else { return self.records(name, records) };
        self.title(name);
        let label = series.iter().map(|it| it.width()).max().unwrap_or(0);
        let room = width.saturating_sub(label + 12).max(10);
        let (parts, each) = gathered(&floats(records, series[0]), room);
        for line in columns(&parts, HEIGHT) {
            self.say(format!("  {:label$}  {line}", ""));
        }
        for series in series {
            let (parts, _) = gathered(&floats(records, series), room);
            let most = parts.iter().copied().fold(0.0, f64::max);
            self.say(format!("  {series:label$}  {}  ≤ {most}", sparkline(&parts)));
        }
        let date = |record: Option<&&Map<String, Value>>| {
            record.and_then(|it| it["date"].as_str()).unwrap_or_default().to_owned()
        };
        let step = if each > 1 { format!(", {each} steps per column") } else { String::new() };
        self.say(format!(
            "  {:label$}  {} to {}{step}",
            "",
            date(records.first()),
            date(records.last())
        ));
    }
}

/// Returns the numbers of one name.
fn floats(records: &[&Map<String, Value>], name: &str) -> Vec<f64> {
    records.iter().map(|it| it.get(name).and_then(Value::as_f64).unwrap_or(0.0)).collect()
}

/// Removes from the previous period the numbers that are shown beside the current ones.
fn without_compared(before: &mut Value, now: &Map<String, Value>) {
    let Value::Object(before) = before else { return };
    before.retain(|name, value| match (value, now.get(name)) {
        (Value::Number(_), Some(Value::Number(_))) => false,
        (Value::Object(inner), Some(Value::Object(now))) => {
            inner.retain(|name, value| {
                !(value.is_number() && now.get(name).is_some_and(Value::is_number))
            });
            !inner.is_empty()
        }
        _ => true,
    });
}

/// Returns the names of the numbers if every record has a date.
fn timeline<'r>(records: &[&'r Map<String, Value>]) -> Option<Vec<&'r str>> {
    let dated = records.iter().all(|it| it.get("date").is_some_and(Value::is_string));
    let first = records.first().filter(|_| dated)?;
    let numbers: Vec<_> = first
        .iter()
        .filter(|(_, value)| value.is_number())
        .map(|(name, _)| name.as_str())
        .collect();
    (!numbers.is_empty()).then_some(numbers)
}

fn is_map_of_records(object: &Map<String, Value>) -> bool {
    object.len() > 1
        && object.iter().all(|(key, value)| value.is_object() && key.parse::<u64>().is_ok())
}

fn is_plain(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
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

fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// Characters for zero to eight eighths of a cell.
const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Row of bars, one per number; the highest fills its cell. A positive number is never shown as empty.
pub(crate) fn sparkline(numbers: &[f64]) -> String {
    let most = most(numbers);
    numbers.iter().map(|it| LEVELS[level(*it, most, 8)]).collect()
}

/// Bar of at most `width` cells, for a number of at most `most`.
pub(crate) fn bar(number: f64, most: f64, width: usize) -> String {
    "▇".repeat(level(number, most, width))
}

/// Vertical bars in `height` lines; the highest bar takes all lines.
pub(crate) fn columns(numbers: &[f64], height: usize) -> Vec<String> {
    let most = most(numbers);
    let line = |row: usize| {
        let of = |it: &f64| LEVELS[level(*it, most, height * 8).saturating_sub(row * 8).min(8)];
        numbers.iter().map(of).collect::<String>().trim_end().to_owned()
    };
    (0..height).rev().map(line).collect()
}

/// Sums of neighbouring numbers in at most `width` parts, and the number of neighbours per part.
pub(crate) fn gathered(numbers: &[f64], width: usize) -> (Vec<f64>, usize) {
    let each = numbers.len().div_ceil(width.max(1)).max(1);
    (numbers.chunks(each).map(|part| part.iter().sum()).collect(), each)
}

fn most(numbers: &[f64]) -> f64 {
    numbers.iter().copied().filter(|it| it.is_finite()).fold(0.0, f64::max)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a level is a small whole number from 0 to `full`, whatever the number"
)]
fn level(number: f64, most: f64, full: usize) -> usize {
    if number <= 0.0 || most <= 0.0 || !number.is_finite() {
        return 0;
    }
    ((number / most * full as f64).round() as usize).clamp(1, full)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drawn(data: &Value, width: Option<usize>) -> String {
        lines(data, true, width).into_iter().map(|line| line.text().to_owned() + "\n").collect()
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
        let text = drawn(&data, Some(80));
        for part in [
            "mood  calm",
            "views    12  (+20 % from 10)",
            "uniques  ≈9  (from 0)",
            " 8      8  ▇▇▇▇▇▇▇▇▇▇▇▇",
            "2026-01-01 to 2026-01-02",
            "  Fine.",
            "odd.deep.x",
            "  [2]",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let text = drawn(&data, None);
        assert!(!text.contains(['▇', '█']) && text.contains("2026-01-02      8"), "{text}");
    }

    #[test]
    fn a_table_is_made_of_the_timeline_else_of_the_rows() {
        let row = json!({ "id": 7, "views": 4 });
        let day = json!({ "date": "2026-01-01", "views": 4 });
        for (data, table) in [
            (json!({ "totals": {}, "rows": [row], "timeline": [day] }), vec![day.clone()]),
            (json!({ "insights": ["x"], "rows": [row], "timeline": [] }), vec![row.clone()]),
            (json!({ "rows": { "7": row, "8": row } }), vec![row.clone(), row.clone()]),
            (json!({ "totals": { "views": 4 } }), vec![]),
            (json!([row]), vec![]),
        ] {
            assert_eq!(rows(&data), table, "{data}");
        }
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
            drawn(&data, Some(0));
            rows(&data);
        }
    }

    #[test]
    fn a_long_timeline_fits_the_width() {
        let days: Vec<_> =
            (0..366).map(|at| json!({ "date": format!("d{at}"), "views": at })).collect();
        let text = drawn(&json!({ "timeline": days }), Some(60));
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        assert!(text.contains("steps per column"), "{text}");
    }
}

#[cfg(test)]
mod chart_tests {
    use super::*;

    #[test]
    fn the_highest_number_fills_its_cell_and_small_ones_are_not_empty() {
        assert_eq!(sparkline(&[0.0, 1.0, 50.0, 100.0]), " ▁▄█");
        assert_eq!(sparkline(&[0.0, 0.0]), "  ");
        assert_eq!(sparkline(&[-3.0, f64::NAN, 5.0]), "  █");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn columns_and_bars_are_scaled_to_their_size() {
        assert_eq!(columns(&[4.0, 8.0, 0.0, 1.0], 2), [" █", "██ ▂"]);
        assert_eq!(columns(&[], 2), ["", ""]);
        assert_eq!(bar(5.0, 10.0, 6), "▇▇▇");
    }

    #[test]
    fn adjacent_numbers_are_summed_to_fit_the_width() {
        assert_eq!(gathered(&[1.0, 2.0, 3.0], 10), (vec![1.0, 2.0, 3.0], 1));
        assert_eq!(gathered(&[1.0, 2.0, 3.0], 2), (vec![3.0, 3.0], 2));
        assert_eq!(gathered(&[], 0), (vec![], 1));
    }
}
