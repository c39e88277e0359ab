//! Test that the paths in documents exist.

use regex::Regex;

use crate::repository::{TextFile, files, read, root};

/// Returns the paths of the repository that a document names: in code spans, and as targets of links, which count from its own directory.
/// `NOUN` and `VERB` stand for a part that the reader chooses.
fn named_paths(document: &TextFile) -> Vec<String> {
    let span = Regex::new(
        r"`((?:cli|completions|docs|fixtures|fuzz|pages|sdk|spec|tests|\.ci)/[\w./-]+)`",
    )
    .unwrap();
    let link = Regex::new(r"\]\(([\w./-]+)(?:#[\w-]*)?\)").unwrap();
    let directory = document.path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let spans = span.captures_iter(&document.text).map(|it| it[1].to_owned());
    let links = link.captures_iter(&document.text).map(|it| format!("{directory}/{}", &it[1]));
    let is_chosen =
        |path: &str| path.split(['/', '.']).any(|part| ["NOUN", "VERB"].contains(&part));
    spans.chain(links).filter(|path| !is_chosen(path)).collect()
}

#[test]
fn every_path_in_a_document_exists() {
    let documents = files(&["md"]);
    let mut broken = Vec::new();
    let mut count = 0;
    for document in &documents {
        for path in named_paths(document) {
            count += 1;
            if !root().join(path.trim_start_matches('/')).exists() {
                broken.push(format!("{}: {path}", document.path));
            }
        }
    }
    assert!(broken.is_empty(), "no such files:\n{}", broken.join("\n"));
    assert!(count > 50, "only {count} paths were recognised");
}

#[test]
fn the_lock_file_that_is_described_is_the_one_that_is_written() {
    let document = std::fs::read_to_string(root().join("docs/links-lock.md")).unwrap();
    let written = root().join("pages/src/sync/tests/lock_example.txt");
    let block = document.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(block.unwrap(), std::fs::read_to_string(written).unwrap());
}

#[test]
fn every_example_of_the_sdk_has_a_guide() {
    let guide = read("docs/embedding.md") + &read("docs/pages-in-programs.md");
    let of_crate =
        |path: &str| path.starts_with("sdk/examples/") || path.starts_with("pages/examples/");
    let programs = files(&["rs"]).into_iter().filter(|it| of_crate(&it.path));
    let programs: Vec<_> = programs.map(|it| format!(": `{}`\n", it.path)).collect();
    assert!(programs.len() >= 10, "{programs:?}");
    let without: Vec<_> = programs.iter().filter(|it| !guide.contains(&***it)).collect();
    assert!(without.is_empty(), "no guide for {without:?}");
}
