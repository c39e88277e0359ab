//! Import of the rows of a CSV file as new slots.

use links_pages::apply::DesiredSlot;

use super::AskedPage;
use crate::apply::planned::EditedItems;
use crate::context::prelude::*;
use crate::schema::fields as schema_fields;
use crate::schema::schema_of;
use crate::schema::validate::Schemas;
use links_pages::page_file::csv_rows;
use links_pages::suggest::suggest;

/// Returns what is asked of the page on which the rows of a file are to be created.
pub(crate) fn asked(file: &str, kind: &str, rows: Vec<CsvRow>, at_top: bool) -> AskedPage {
    let names = rows.iter().map(|row| format!("{file}:{}", row.line)).collect();
    let items = EditedItems { names, ..EditedItems::default() };
    let slot = |row: CsvRow| DesiredSlot { id: None, kind: kind.to_owned(), data: row.data };
    let content = rows.into_iter().map(slot).collect::<Vec<_>>().into();
    AskedPage { content, at_top, items, ..AskedPage::default() }
}

/// Maximum number of rows: that of the slots of a page.
const MOST_ROWS: usize = 500;

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CsvRow {
    /// Line of the file that the row begins on, from 1.
    pub(crate) line: usize,
    pub(crate) data: Object,
}

/// Column of the file for a key of the slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ColumnMap(pub(crate) Vec<(String, String)>);

impl ColumnMap {
    /// Parses `KEY=COLUMN,KEY=COLUMN`.
    ///
    /// # Errors
    ///
    /// When a part is not of that form, or a key is named twice.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for part in text.split(',') {
            let pair = part.split_once('=').map(|(key, column)| (key.trim(), column.trim()));
            let (key, column) = pair
                .filter(|(key, column)| !key.is_empty() && !column.is_empty())
                .ok_or_else(|| format!("`{part}` must be KEY=COLUMN, such as title=name"))?;
            if pairs.iter().any(|(other, _)| other == key) {
                return Err(format!("duplicate key `{key}`"));
            }
            pairs.push((key.to_owned(), column.to_owned()));
        }
        Ok(Self(pairs))
    }
}

/// Characters that may be between the cells of a row.
const DELIMITERS: [char; 4] = ['|', '\t', ';', ','];

/// Reads the rows of a CSV file with a heading, which has the character between the cells most often. Without a map each column is named as the
/// key that it is for. Returns every problem of the file and, if it has any, every value that the schema refuses, in the order of their lines.
pub(crate) fn rows(
    bytes: &[u8],
    kind: &str,
    map: Option<&ColumnMap>,
    types: &SlotTypeCatalog,
) -> Result<Vec<CsvRow>, Vec<String>> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let refuse = |at: usize, why: &str| {
        let line = bytes[..at].split(|byte| *byte == b'\n').count();
        vec![format!("{line}: {why}")]
    };
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(refuse(at, "the file has a NUL character; save it as UTF-8"));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| refuse(error.valid_up_to(), "the row is not UTF-8"))?;
    let heading = text.split(['\n', '\r']).find(|line| !line.trim().is_empty());
    let unquoted = || heading.unwrap_or_default().split('"').step_by(2);
    let uses = |it: &char| unquoted().map(|part| part.matches(*it).count()).sum::<usize>();
    let delimiter = DELIMITERS.into_iter().max_by_key(uses).unwrap_or(',');
    let (mut line, mut from) = (1, 0);
    let mut records = csv_rows(text, delimiter).map(|row| {
        let at = row.as_ref().map_or_else(|at| *at, |cells| cells[0].0.start);
        let before = &text[from..at];
        line += before.matches(['\n', '\r']).count() - before.matches("\r\n").count();
        from = at;
        let trimmed = |cells: Vec<(_, String)>| -> Vec<String> {
            cells.into_iter().map(|(_, cell)| cell.trim().to_owned()).collect()
        };
        (line, row.map(trimmed).map_err(|_| "unterminated quote".to_owned()))
    });
    let (heading_line, headings) = records.next().unwrap_or((1, Ok(Vec::new())));
    let headings = headings.map_err(|why| vec![format!("{heading_line}: {why}")])?;
    let columns = columns(&headings, kind, map, types)
        .map_err(|why| vec![format!("{heading_line}: {why}")])?;
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for (nth, (line, cells)) in records.enumerate() {
        if nth == MOST_ROWS {
            let more =
                format!("a page can have at most {MOST_ROWS} slots, but the file has more rows");
            problems.push((line, more));
            break;
        }
        match cells.and_then(|cells| data(&cells, &headings, &columns, map.is_none())) {
            Ok(data) => rows.push(CsvRow { line, data }),
            Err(why) => problems.push((line, why)),
        }
    }
    if problems.is_empty() {
        return Ok(rows);
    }
    let schemas = Schemas::new(types);
    for CsvRow { line, data } in rows {
        let faults = schemas.check(kind, data.0, None).into_iter();
        problems.extend(faults.map(|fault| (line, fault.in_words())));
    }
    problems.sort_by_key(|(line, _)| *line);
    Err(problems.into_iter().map(|(line, why)| format!("{line}: {why}")).collect())
}

/// Returns the data of the slot of a row. `needs_headings` refuses cells of columns without a heading.
fn data(
    cells: &[String],
    headings: &[String],
    columns: &[TypedColumn],
    needs_headings: bool,
) -> Result<Object, String> {
    if cells.len() != headings.len() {
        let has = count(cells.len(), "column");
        return Err(format!("the row has {has}, but the header has {}", headings.len()));
    }
    let is_unnamed = |(heading, cell): (&String, &String)| heading.is_empty() && !cell.is_empty();
    let unnamed = headings.iter().zip(cells).position(is_unnamed);
    if let Some(column) = unnamed.filter(|_| needs_headings) {
        return Err(format!("column {} has a value, but no header", column + 1));
    }
    let mut data = Object::default();
    for column in columns {
        let cell = &cells[column.index];
        if !cell.is_empty() {
            data.insert(column.key.clone(), column.value(cell));
        }
    }
    if data.is_empty() {
        return Err("the row has no values for the slot".to_owned());
    }
    Ok(data)
}

/// Column of a key. Several keys may have the same one.
struct TypedColumn {
    index: usize,
    key: String,
    /// True if the schema takes no string: the cell is JSON.
    is_json: bool,
}

impl TypedColumn {
    fn value(&self, text: &str) -> Value {
        let json = || serde_json::from_str(text).ok();
        // What is neither is refused with the words of the schema.
        self.is_json.then(json).flatten().unwrap_or_else(|| Value::from(text))
    }
}

/// Returns the columns of the keys.
fn columns(
    headings: &[String],
    kind: &str,
    map: Option<&ColumnMap>,
    types: &SlotTypeCatalog,
) -> Result<Vec<TypedColumn>, String> {
    let names: Vec<&str> = headings.iter().map(String::as_str).collect();
    let pairs: Vec<(&str, &str)> = match map {
        Some(map) => map.0.iter().map(|(key, column)| (&**key, &**column)).collect(),
        // Spreadsheets write empty columns.
        None => names.iter().filter(|it| !it.is_empty()).map(|name| (*name, *name)).collect(),
    };
    if pairs.is_empty() && !names.is_empty() {
        return Err("the header is missing".to_owned());
    }
    let schema = types.get(kind).map(schema_of);
    let keys = schema.as_ref().map_or_else(Vec::new, |schema| schema_fields::names(schema));
    let mut columns = Vec::new();
    for (key, name) in pairs {
        let mut found = names.iter().enumerate().filter(|(_, heading)| **heading == name);
        let Some((index, _)) = found.next() else {
            let hint = said_hint(suggest(name, names.iter().copied()));
            return Err(format!("unknown column `{name}`{hint}; columns: {}", names.join(", ")));
        };
        if found.next().is_some() {
            return Err(format!("duplicate column `{name}`"));
        }
        if !keys.is_empty() && !keys.contains(&key) {
            let hint = said_hint(suggest(key, keys.iter().copied()));
            return Err(format!(
                "a {kind} has no field `{key}`{hint}; use --map KEY=COLUMN to map columns to fields"
            ));
        }
        let place = schema.as_ref().and_then(|schema| schema_fields::at(schema, key));
        let is_json = place.is_some_and(takes_no_string);
        columns.push(TypedColumn { index, key: key.to_owned(), is_json });
    }
    Ok(columns)
}

/// Returns a hint as it follows a message, if there is one.
fn said_hint(hint: Option<String>) -> String {
    hint.map(|hint| format!("; {hint}")).unwrap_or_default()
}

fn takes_no_string(schema: &Value) -> bool {
    match &schema["type"] {
        Value::String(kind) => kind != "string",
        Value::Array(kinds) => !kinds.iter().any(|kind| kind == "string"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use links_sdk::types::SlotType;
    use serde_json::json;

    use super::*;

    fn types() -> SlotTypeCatalog {
        let button: SlotType = serde_json::from_value(json!({
            "type": "button", "title": "Button", "description": "A link", "writable": true, "computed": {}, "enumLabels": {}, "example": {},
            "schema": {"type": "object", "required": ["title"], "properties": {
                "title": {"type": "string"}, "link": {"type": "string", "format": "uri"}, "count": {"type": ["integer", "null"]},
            }},
        }))
        .unwrap();
        SlotTypeCatalog::of(vec![button], true)
    }

    fn read(text: &str, map: Option<&str>) -> Result<Vec<Value>, Vec<String>> {
        let map = map.map(|map| ColumnMap::parse(map).unwrap());
        let rows = rows(text.as_bytes(), "button", map.as_ref(), &types())?;
        Ok(rows.into_iter().map(|row| json!([row.line, row.data])).collect())
    }

    #[test]
    fn cells_become_values_by_the_schema_and_empty_ones_are_left_out() {
        let text = "\u{feff}name,url,n\n\"Tea, black\",https://a.example,3\nCake,,\n\"two\nlines\",https://b.example,x\n";
        let found = read(text, Some("title=name, link=url,count=n")).unwrap();
        assert_eq!(
            json!(found),
            json!([
                [2, {"title": "Tea, black", "link": "https://a.example", "count": 3}],
                [3, {"title": "Cake"}],
                [4, {"title": "two\nlines", "link": "https://b.example", "count": "x"}],
            ])
        );
        assert_eq!(
            json!(read("name\nhttps://a.example\n", Some("title=name,link=name")).unwrap()),
            json!([[2, {"title": "https://a.example", "link": "https://a.example"}]])
        );
        let same = [2, 3].map(|line| json!([line, {"title": "A"}]));
        assert_eq!(json!(read("title,,\nA,,\nA, ,\n", None).unwrap()), json!(same));
        assert_eq!(json!(read("title\nA\n", None).unwrap()), json!([[2, {"title": "A"}]]));
    }

    #[test]
    fn lines_count_with_every_line_break_blank_lines_and_breaks_in_quotes() {
        let text = "\n\ntitle,link\n\nA,bad\n\n\n\"two\nlines\",bad\nB,bad\n";
        for line_break in ["\n", "\r\n", "\r"] {
            let found = read(&text.replace('\n', line_break), None).unwrap();
            let lines: Vec<&Value> = found.iter().map(|row| &row[0]).collect();
            assert_eq!(json!(lines), json!([5, 8, 10]), "{line_break:?}");
            let found = read(&format!("{line_break}titel,link{line_break}A,{line_break}"), None);
            assert!(found.unwrap_err()[0].starts_with("2: a button has no field `titel`"));
            let short = format!("title,link{line_break}{line_break}A{line_break}B,c,d{line_break}");
            let found = read(&short, None).unwrap_err();
            assert!(found[0].starts_with("3: ") && found[1].starts_with("4: "), "{found:?}");
        }
    }

    #[test]
    fn the_delimiter_is_the_character_that_the_header_has_most_often() {
        for delimiter in [",", ";", "\t", "|"] {
            let text = "\u{feff}title;link\n\"A, B\";https://a.example\n".replace(';', delimiter);
            let found = read(&text, None).unwrap();
            assert_eq!(json!(found), json!([[2, {"title": "A, B", "link": "https://a.example"}]]));
        }
        for (text, map) in [
            ("\"name, short\";name;n\nA;B;\n", "title=name"),
            ("\"name|a|b\",title\nA,B\n", "title=title"),
            ("title;link\rB, two, three;\r", "title=title"),
        ] {
            let found = read(text, Some(map)).unwrap();
            assert!(json!(found)[0][1]["title"].as_str().unwrap().starts_with('B'), "{text}");
        }
    }

    #[test]
    fn every_bad_row_and_column_is_named_with_its_line() {
        for (text, map, expected) in [
            (
                "title,link\nA\n\"\",\nB,c,d\n",
                None,
                vec!["2: the row has 1 column,", "3: the row has no value", "4: the row has 3"],
            ),
            (
                "title,link\nA\nB,none\n,https://a.example\nC,https://a.example\n",
                None,
                vec!["2: the row has 1 column", "3: link: ", "4: "],
            ),
            ("name\nA\n", None, vec!["1: a button has no field `name`"]),
            ("title\nA\n", Some("title=titel"), vec!["1: unknown column `titel`"]),
            ("title,title\nA,B\n", None, vec!["1: duplicate column `title`"]),
            ("title,\nA,\nB,x\n", None, vec!["3: column 2 has a value, but no header"]),
            (" \nA\n", None, vec!["1: the header is missing"]),
            ("title\nA\nB\0\n", None, vec!["3: the file has a NUL character"]),
            ("title\nA\n\"B\nC\nD\n", None, vec!["3: unterminated quote"]),
            (
                &format!("title\n{}", "A\n".repeat(501)),
                None,
                vec!["502: a page can have at most 500 slots"],
            ),
        ] {
            let found = read(text, map).unwrap_err();
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.starts_with(expected), "{found}");
            }
        }
        let not_text = rows(b"title\n\xff\n", "button", None, &types()).unwrap_err();
        assert_eq!(not_text, ["2: the row is not UTF-8"]);
        for map in ["title", "=a", "title=", "title=a,title=b", ""] {
            assert!(ColumnMap::parse(map).is_err(), "{map}");
        }
    }
}
