//! Test of `tests/faults.txt`, which lists the tests of each row in `docs/internals/faults.md`.

use std::collections::BTreeSet;

use regex::Regex;

use crate::repository::{files, read, root, table_rows};

const DOCUMENT: &str = "docs/internals/faults.md";
const TESTS: &str = "tests/faults.txt";

/// Returns the rows of the document: `fault 1`, `defect 1`.
fn rows() -> Vec<String> {
    let text = read(DOCUMENT);
    let (faults, defects) = text.split_once("\n## Regressions").unwrap();
    let tables = [("fault", faults), ("defect", defects)].into_iter();
    tables
        .flat_map(|(kind, table)| {
            table_rows(table).into_iter().map(move |row| {
                let is_complete = row.len() == 3 && row.iter().all(|cell| !cell.is_empty());
                assert!(is_complete, "{DOCUMENT}: not three cells: {row:?}");
                format!("{kind} {}", row[0])
            })
        })
        .collect()
}

/// Returns the lines of the list: `fault 1: name_of_a_test`, the path of a script that runs tests, or `none: ` and why there is no test.
fn entries(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .map(|line| line.split_once(": ").unwrap_or_else(|| panic!("{TESTS}: {line}")))
        .collect()
}

#[test]
fn every_row_has_a_test_or_a_reason() {
    let text = read(TESTS);
    let listed: BTreeSet<_> = entries(&text).into_iter().map(|(row, _)| row).collect();
    let rows = rows();
    let rows: BTreeSet<_> = rows.iter().map(String::as_str).collect();
    let missing: Vec<_> = rows.difference(&listed).collect();
    let wrong: Vec<_> = listed.difference(&rows).collect();
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "{TESTS}: rows without a line: {missing:?}; lines without a row: {wrong:?}"
    );
}

#[test]
fn every_listed_test_exists() {
    let function = Regex::new(r"\bfn (\w+)").unwrap();
    let sources = files(&["rs"]);
    let names: BTreeSet<_> = sources
        .iter()
        .flat_map(|file| function.captures_iter(&file.text))
        .map(|captures| captures.get(1).unwrap().as_str())
        .collect();
    let text = read(TESTS);
    let missing: Vec<_> = entries(&text)
        .into_iter()
        .filter(|(_, test)| {
            !names.contains(test) && !test.starts_with("none: ") && !root().join(test).is_file()
        })
        .collect();
    assert!(missing.is_empty(), "{TESTS} lists what does not exist: {missing:#?}");
}

#[test]
fn the_rows_are_numbered_without_gaps() {
    let rows = rows();
    for (kind, last) in [("fault", 89), ("defect", 41)] {
        let of_the_kind: Vec<_> = rows.iter().filter(|row| row.starts_with(kind)).collect();
        for (index, row) in of_the_kind.iter().enumerate() {
            assert_eq!(**row, format!("{kind} {}", index + 1), "{DOCUMENT}: the order of rows");
        }
        assert!(of_the_kind.len() >= last, "{DOCUMENT}: a row of {kind} {last} is missing");
    }
}
