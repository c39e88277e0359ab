//! Test of `docs/internals/faults.md` against the names of the tests. `LINKS_UPDATE=1 cargo test -p links-spec --test spec faults` writes the files
//! of the tests anew, after some were moved.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use crate::repository::{files, read, root, table_rows};

const DOCUMENT: &str = "docs/internals/faults.md";

/// A test function whose name carries the number of a fault.
struct NumberedTest {
    name: String,
    path: String,
    /// `fault_16`, `found_h`; a name can carry several.
    tags: Vec<String>,
}

/// Evidence of a row for its tests.
#[derive(Debug, PartialEq)]
enum Evidence {
    /// A file, or a directory of sources, with tests that carry the number of the row.
    Place(String),
    /// One test in such a place.
    Test { name: String, place: String },
    /// Reason why there is no test.
    None(String),
}

struct Row {
    tag: String,
    evidence: Vec<Evidence>,
}

/// Returns the tags in the name of a test: `found_10_11_no_text_acts` carries `found_10` and `found_11`.
fn tags(pattern: &Regex, name: &str) -> Vec<String> {
    let Some(captures) = pattern.captures(name) else { return Vec::new() };
    let numbers = captures[2].trim_matches('_').split('_');
    numbers.map(|number| format!("{}_{number}", &captures[1])).collect()
}

fn tag_pattern() -> Regex {
    Regex::new(r"(?:^|_)(fault|found)((?:_\d\d)+|_h)(?:_|$)").unwrap()
}

fn numbered_tests() -> Vec<NumberedTest> {
    let function = Regex::new(r"\bfn (\w+)").unwrap();
    let tag = tag_pattern();
    let mut found = Vec::new();
    for file in files(&["rs"]) {
        for line in file.text.lines().filter(|line| line.contains("fn ")) {
            let Some(captures) = function.captures(line) else { continue };
            let name = captures[1].to_owned();
            let tags = tags(&tag, &name);
            if !tags.is_empty() {
                found.push(NumberedTest { name, path: file.path.clone(), tags });
            }
        }
    }
    found
}

/// Reads the cell of a row: `` `place` ``, `` `name` in `place` ``, separated by commas, or `none: reason`.
fn evidence(cell: &str) -> Vec<Evidence> {
    if let Some(reason) = cell.strip_prefix("none: ") {
        return vec![Evidence::None(reason.to_owned())];
    }
    let entries = cell.split(", ").filter(|entry| !entry.is_empty());
    entries
        .map(|entry| match entry.split_once(" in ") {
            Some((name, place)) => {
                Evidence::Test { name: name.replace('`', ""), place: place.replace('`', "") }
            }
            None => Evidence::Place(entry.replace('`', "")),
        })
        .collect()
}

fn rows() -> Vec<Row> {
    let rows = table_rows(&read(DOCUMENT)).into_iter();
    rows.map(|row| {
        assert_eq!(row.len(), 4, "{DOCUMENT}: a row needs 4 cells: {row:?}");
        assert!(
            row[..3].iter().all(|cell| !cell.is_empty()),
            "{DOCUMENT}: a cell is empty: {row:?}"
        );
        Row { tag: row[0].replace('`', ""), evidence: evidence(&row[3]) }
    })
    .collect()
}

fn is_below(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Evidence {
    /// Returns whether the place covers a test that carries the tag of its row. A place covers no test of a group, whose rows have no
    /// numbers of their own.
    fn covers(&self, tag: &str, test: &NumberedTest) -> bool {
        match self {
            Evidence::Place(place) => tag != "found_h" && is_below(&test.path, place),
            Evidence::Test { name, place } => *name == test.name && is_below(&test.path, place),
            Evidence::None(_) => false,
        }
    }

    /// Returns whether the place is a script that runs tests of its own.
    fn is_script(&self) -> bool {
        matches!(self, Evidence::Place(place) if place.ends_with("/run") && root().join(place).is_file())
    }
}

/// Returns the last cell of a row with the files in which its tests are now.
fn with_current_files(row: &Row, tests: &[NumberedTest]) -> String {
    let mut entries = Vec::new();
    if row.tag != "found_h" {
        let of_the_row = tests.iter().filter(|test| test.tags.contains(&row.tag));
        let files: BTreeSet<_> =
            of_the_row.map(|test| (!test.path.starts_with("tests/"), &test.path)).collect();
        entries.extend(files.into_iter().map(|(_, path)| format!("`{path}`")));
    }
    for evidence in &row.evidence {
        match evidence {
            Evidence::Place(place) if evidence.is_script() => entries.push(format!("`{place}`")),
            Evidence::Place(_) => {}
            Evidence::Test { name, place } => {
                let current = tests.iter().find(|test| test.name == *name);
                let place = current.map_or(place, |test| &test.path);
                entries.push(format!("`{name}` in `{place}`"));
            }
            Evidence::None(reason) => entries.push(format!("none: {reason}")),
        }
    }
    entries.join(", ")
}

fn write_current_files() {
    let (rows, tests) = (rows(), numbered_tests());
    let mut rows = rows.iter();
    let mut text = String::new();
    for line in read(DOCUMENT).lines() {
        let is_row = line.starts_with("| `fault_") || line.starts_with("| `found_");
        let cell = is_row.then(|| with_current_files(rows.next().unwrap(), &tests));
        let cells = line.trim_end_matches([' ', '|']).rsplit_once(" | ");
        match (cell, cells) {
            (Some(cell), Some((before, _))) => text.extend([before, " | ", &cell, " |\n"]),
            _ => text.extend([line, "\n"]),
        }
    }
    std::fs::write(root().join(DOCUMENT), text).unwrap();
}

#[test]
fn every_numbered_test_is_covered_by_its_row() {
    let mut rows_of: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in rows() {
        rows_of.entry(row.tag.clone()).or_default().push(row);
    }
    let mut uncovered = Vec::new();
    for test in numbered_tests() {
        for tag in &test.tags {
            let mut evidence = rows_of.get(tag).into_iter().flatten().flat_map(|row| &row.evidence);
            if !evidence.any(|it| it.covers(tag, &test)) {
                uncovered.push(format!("row {tag}: `{}` in `{}`", test.name, test.path));
            }
        }
    }
    assert!(uncovered.is_empty(), "{DOCUMENT} does not name\n{}", uncovered.join("\n"));
}

#[test]
fn every_row_names_tests_that_exist() {
    if std::env::var_os("LINKS_UPDATE").is_some() {
        write_current_files();
    }
    let tests = numbered_tests();
    let mut wrong = Vec::new();
    for row in rows() {
        let carry_it = || tests.iter().filter(|test| test.tags.contains(&row.tag));
        if row.evidence.is_empty() {
            wrong.push(format!("row {}: no test, and no reason why", row.tag));
        }
        for evidence in &row.evidence {
            let is_reason = matches!(evidence, Evidence::None(_));
            let is_covering = carry_it().any(|test| evidence.covers(&row.tag, test));
            if !is_reason && !is_covering && !evidence.is_script() {
                let places: BTreeSet<_> = carry_it().map(|test| test.path.as_str()).collect();
                wrong.push(format!(
                    "row {}: {evidence:?} has no such test; they are in {places:?}",
                    row.tag
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{DOCUMENT} (LINKS_UPDATE=1 follows moved files):\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_numbered_test_that_scripts_and_documents_name_exists() {
    let name = Regex::new(r"\b(?:fault|found)_(?:\d\d|h)_\w*[a-z]\w*").unwrap();
    let tests = numbered_tests();
    let scripts = std::fs::read_dir(root().join("tests")).unwrap();
    let scripts = scripts.map(|entry| entry.unwrap().path().join("run"));
    let scripts = scripts.filter_map(|path| std::fs::read_to_string(path).ok());
    let mut count = 0;
    for text in scripts.chain(files(&["md"]).into_iter().map(|file| file.text)) {
        for named in name.find_iter(&text).map(|it| it.as_str()) {
            count += 1;
            assert!(tests.iter().any(|test| test.name == named), "there is no test `{named}`");
        }
    }
    assert!(count > 10, "only {count} names were recognised");
}

#[test]
fn the_rows_are_numbered_without_gaps() {
    for (prefix, last) in [("fault_", 89), ("found_", 41)] {
        let tags = rows().into_iter().map(|row| row.tag);
        let tags: Vec<_> = tags.filter(|tag| tag != "found_h" && tag.starts_with(prefix)).collect();
        for (index, tag) in tags.iter().enumerate() {
            assert_eq!(*tag, format!("{prefix}{:02}", index + 1), "{DOCUMENT}: the order of rows");
        }
        assert!(tags.len() >= last, "{DOCUMENT}: {prefix}{:02} has no row", tags.len() + 1);
    }
}

#[test]
fn tags_are_recognised_anywhere_in_a_name() {
    let tag = tag_pattern();
    assert_eq!(tags(&tag, "fault_16_an_answer_stalls"), ["fault_16"]);
    assert_eq!(tags(&tag, "an_answer_stalls_fault_16"), ["fault_16"]);
    assert_eq!(tags(&tag, "found_10_11_no_text_acts"), ["found_10", "found_11"]);
    assert_eq!(tags(&tag, "found_h_directories_are_private"), ["found_h"]);
    assert!(tags(&tag, "a_slot_is_not_found_hidden_or_by_default_1").is_empty());
}
