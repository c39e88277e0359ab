//! Tables of a page file with `each`: a page for every row, from a CSV file, a YAML or JSON file, or a list in the page file.

use std::collections::BTreeSet;

use super::document::Document;
use super::fields::referred;
use super::local_image::ImageRoots;
use super::node::{Key, Node, Span, Tree, moved};
use super::read;
use super::report::FieldDiagnostic;

/// Key of the table in a page file.
pub(super) const EACH: &str = "each";

/// Column that identifies a row.
pub(super) const KEY: &str = "key";

/// Maximum number of rows: an account has no more pages.
const MOST_ROWS: usize = 100;

/// Maximum number of characters of a row's key.
const KEY_LENGTH: usize = 64;

/// Row of a table: its key, and its values by column.
pub(super) type Row = (String, Node);

/// Returns the rows of the table of a document; none without a table.
///
/// # Errors
///
/// All problems of the table.
pub(super) fn rows(
    document: &mut Document,
    roots: &ImageRoots,
) -> Result<Vec<Row>, Vec<FieldDiagnostic>> {
    let Some(entry) = document.root.entry(EACH).cloned() else { return Ok(Vec::new()) };
    let value = &entry.1;
    if let Tree::List(rows) = &value.tree {
        return listed(rows);
    }
    let name = referred(EACH, &entry, 1, "a table file").map_err(|it| vec![it])?;
    let found = roots.text(name);
    let (shown, text) =
        found.map_err(|why| vec![value.problem(EACH, why.message).help_if(why.help)])?;
    let is_csv = name.to_ascii_lowercase().ends_with(".csv");
    let start = document.sources.add(shown, name.into(), &text, value.span.start, is_csv);
    if !is_csv {
        let root = read_at(&text, start)?;
        return match &root.tree {
            Tree::List(rows) => listed(rows),
            _ => Err(vec![root.wrong(EACH, "a table must be a list of rows")]),
        };
    }
    let cells: Result<Vec<_>, usize> = csv_rows(&text, separator(&text)).collect();
    let cells = cells.map_err(|at| {
        let problem = FieldDiagnostic::new(EACH, start + at..start + at + 1, "unclosed quote");
        vec![problem.help("write two quotes for one within a cell")]
    })?;
    let (rows, problems) = of_cells(cells, start);
    if problems.is_empty() { listed(&rows) } else { Err(problems) }
}

/// Reads a text that begins at a place in the texts of a document.
pub(super) fn read_at(text: &str, start: usize) -> Result<Node, Vec<FieldDiagnostic>> {
    let placed = |problem: FieldDiagnostic| {
        let span = moved(&problem.span, start);
        problem.at(&span)
    };
    match read::read(text) {
        Ok(mut root) => {
            root.shift(start);
            Ok(root)
        }
        Err(problems) => Err(problems.into_iter().map(placed).collect()),
    }
}

/// Returns rows with their keys. A value that is null is absent.
fn listed(rows: &[Node]) -> Result<Vec<Row>, Vec<FieldDiagnostic>> {
    let (mut found, mut keys, mut problems) = (Vec::new(), BTreeSet::new(), Vec::new());
    if let Some(row) = rows.get(MOST_ROWS) {
        let message = format!("a table can have at most {MOST_ROWS} rows, but has {}", rows.len());
        return Err(vec![row.problem(EACH, message)]);
    }
    for row in rows {
        let mut row = row.clone();
        let Tree::Map(values) = &mut row.tree else {
            problems.push(row.wrong(EACH, "a row must be a mapping"));
            continue;
        };
        values.retain(|(_, value)| value.tree != Tree::Null);
        let Some(key) = row.get(KEY) else {
            let problem = row.problem(EACH, "this row has no `key`");
            problems.push(problem.help("a `key` identifies each row"));
            continue;
        };
        match key.text_of_scalar().filter(|key| is_key(key)) {
            None => {
                let message = "a key may have only letters, digits, `-` and `_`";
                problems.push(key.problem(EACH, message));
            }
            Some(key) if keys.insert(key.clone()) => found.push((key, row)),
            Some(key) => {
                problems.push(row.problem(EACH, format!("another row has the key `{key}`")));
            }
        }
    }
    if problems.is_empty() { Ok(found) } else { Err(problems) }
}

/// Tells whether a row may have this key, which is a part of the names of its page.
fn is_key(key: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    !key.is_empty() && key.chars().count() <= KEY_LENGTH && key.chars().all(is_part)
}

/// Cell with its place in the text, which includes its quotes.
type Cell = (Span, String);

/// Returns the rows of a table whose first row has the names of the columns. An empty cell is absent. Rows of empty cells are left out.
fn of_cells(cells: Vec<Vec<Cell>>, start: usize) -> (Vec<Node>, Vec<FieldDiagnostic>) {
    let placed = |span: &Span| moved(span, start);
    let is_full = |line: &Vec<Cell>| line.iter().any(|(_, cell)| !cell.trim().is_empty());
    let mut lines = cells.into_iter().filter(is_full);
    let (mut names, mut problems) = (lines.next().unwrap_or_default(), Vec::new());
    for (_, name) in &mut names {
        *name = name.trim().to_owned();
    }
    for (nth, (span, name)) in names.iter().enumerate() {
        if names[..nth].iter().any(|(_, other)| other == name) {
            let message = format!("another column is named `{name}`");
            problems.push(FieldDiagnostic::new(EACH, placed(span), message));
        }
    }
    let mut rows = Vec::new();
    for line in lines {
        if let Some((span, _)) = line.get(names.len()) {
            let message = "this row has more cells than the first";
            let problem = FieldDiagnostic::new(EACH, placed(span), message);
            problems.push(problem.help("put quotes around a cell that contains the separator"));
            continue;
        }
        let first = line.first().map_or(0..0, |(span, _)| placed(span));
        let mut values = Vec::new();
        for ((of_name, name), (of_cell, text)) in names.iter().zip(line) {
            if text.trim().is_empty() {
                continue;
            }
            let key = Key { span: placed(of_name), name: name.clone(), is_literal: true };
            // Git may write the same line break so on one machine and not on another.
            let tree = Tree::Text(text.replace("\r\n", "\n"));
            values.push((key, Node { span: placed(&of_cell), tree, ..Node::default() }));
        }
        rows.push(Node { span: first, tree: Tree::Map(values), ..Node::default() });
    }
    (rows, problems)
}

/// Returns the separator of a table: the comma, the semicolon or the tab, whichever is most frequent in its first line.
fn separator(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    let count = |separator: &char| first.matches(*separator).count();
    ['\t', ';', ','].into_iter().max_by_key(count).unwrap_or(',')
}

/// Splits a CSV text into the cells of its rows, each with its place, which includes its quotes. Empty lines are left out. A quote that is
/// not closed ends the rows with its place as the error.
pub fn csv_rows(text: &str, separator: char) -> impl Iterator<Item = Result<Vec<Cell>, usize>> {
    let mut at = 0;
    let rows = std::iter::from_fn(move || {
        if at == text.len() { None } else { Some(csv_row(text, separator, &mut at)) }
    });
    rows.filter(|row| !matches!(row.as_deref(), Ok([(span, _)]) if span.is_empty()))
}

/// Reads a row from a place on, which is moved past the line breaks after it.
fn csv_row(text: &str, separator: char, at: &mut usize) -> Result<Vec<Cell>, usize> {
    let mut row = Vec::new();
    loop {
        let (start, mut cell) = (*at, String::new());
        if text[*at..].starts_with('"') {
            loop {
                let rest = &text[*at + 1..];
                let Some(length) = rest.find('"') else {
                    *at = text.len();
                    return Err(start);
                };
                cell.push_str(&rest[..length]);
                *at += length + 2;
                if !text[*at..].starts_with('"') {
                    break;
                }
                cell.push('"');
            }
        }
        let rest = &text[*at..];
        let length = rest.find([separator, '\r', '\n']).unwrap_or(rest.len());
        cell.push_str(&rest[..length]);
        *at += length;
        row.push((start..*at, cell));
        let rest = &rest[length..];
        if !rest.starts_with(separator) {
            *at = text.len() - rest.trim_start_matches(['\r', '\n']).len();
            return Ok(row);
        }
        *at += separator.len_utf8();
    }
}

/// Returns a cell as it is written: in quotes, if it needs them.
pub(super) fn written_cell(text: &str) -> String {
    let is_plain = !text.contains(['"', ',', ';', '\t', '\r', '\n']) && text.trim() == text;
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(table: &str) -> Vec<Vec<String>> {
        let rows = csv_rows(table, separator(table)).map(Result::unwrap);
        rows.map(|row| row.into_iter().map(|(_, text)| text).collect()).collect()
    }

    #[test]
    fn a_table_has_the_cells_that_spreadsheets_write() {
        let expected = [["key", "title"], ["a", "x, \"y\"\nz"], ["b", ""]];
        for table in [
            "key,title\na,\"x, \"\"y\"\"\nz\"\nb,\n",
            "key,title\r\n\r\na,\"x, \"\"y\"\"\nz\"\r\nb,",
            "key;title\na;\"x, \"\"y\"\"\nz\"\nb;\n\n",
            "key\ttitle\na\t\"x, \"\"y\"\"\nz\"\nb\t\n",
        ] {
            assert_eq!(texts(table), expected, "{table}");
        }
        assert_eq!(texts(""), [[""; 0]; 0]);
        assert_eq!(csv_rows("key,title\na,\"x", ',').last(), Some(Err(12)));
    }

    #[test]
    fn rows_of_empty_cells_are_left_out() {
        let cells: Result<Vec<_>, usize> = csv_rows(",\n key ,a\n, \nx,1\n", ',').collect();
        let (rows, problems) = of_cells(cells.unwrap(), 0);
        assert!(problems.is_empty());
        let keys: Vec<String> = listed(&rows).unwrap().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["x"]);
    }

    #[test]
    fn a_cell_has_the_same_line_breaks_on_every_system() {
        for table in ["key,a\nx,\"b\nc\"\n", "key,a\r\nx,\"b\r\nc\"\r\n"] {
            let cells: Result<Vec<_>, usize> = csv_rows(table, ',').collect();
            let (rows, _) = of_cells(cells.unwrap(), 0);
            let values: Vec<Tree> = rows[0].children().map(|it| it.tree.clone()).collect();
            assert_eq!(values, ["x", "b\nc"].map(|it| Tree::Text(it.to_owned())));
        }
    }

    #[test]
    fn only_an_open_quote_at_the_beginning_of_a_cell_never_ends() {
        for (rows, expected) in [
            ("", false),
            ("a,b\n", false),
            ("\"a\",b\n", false),
            ("\"a\nb\",c", false),
            ("\"say \"\"x\"\"\",c", false),
            ("19\" screen,b\n", false),
            ("a,\"b\nc,d\n", true),
            ("\"a\"\"", true),
            ("\"", true),
            ("a\n\"\"\n\"x", true),
        ] {
            assert_eq!(csv_rows(rows, ',').any(|row| row.is_err()), expected, "{rows:?}");
        }
    }

    proptest! {
        #[test]
        fn a_written_cell_reads_back(cell in any::<String>(), next in "[a-z]{0,3}") {
            let table = format!("key,a,b\nk,{},{next}\n", written_cell(&cell));
            prop_assert_eq!(&texts(&table)[1], &["k".to_owned(), cell, next]);
        }

        #[test]
        fn no_table_is_a_panic_and_each_cell_is_where_it_says(table in "[a,\"\r\né]{0,30}") {
            for (span, text) in csv_rows(&table, ',').flatten().flatten() {
                let alone = texts(&format!("a\n{}", &table[span]));
                let alone = alone.into_iter().skip(1).flatten().next().unwrap_or_default();
                prop_assert_eq!(alone, text);
            }
        }
    }
}
