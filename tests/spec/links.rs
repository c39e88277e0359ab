//! Tests of the links between documents: files and headings that they name, and the chapters of the book in `docs`.

use std::collections::BTreeSet;

use regex::Regex;

use crate::repository::{TextFile, files, read, root};

/// Returns a Markdown text without blocks and spans of code.
fn prose(text: &str) -> String {
    let fence = Regex::new(r"(?ms)^ *```.*?^ *```$").unwrap();
    let span = Regex::new(r"`[^`\n]*`").unwrap();
    span.replace_all(&fence.replace_all(text, ""), "").into_owned()
}

/// Returns the targets of the links and images of a document.
fn targets(document: &TextFile) -> Vec<String> {
    let link = Regex::new(r#"\]\(([^)\s]+)\)|(?:src|href)="([^"]+)""#).unwrap();
    let text = prose(&document.text);
    let found = link.captures_iter(&text);
    found.map(|it| it.get(1).or(it.get(2)).unwrap().as_str().to_owned()).collect()
}

/// Returns the anchors of the headings of a document, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let fence = Regex::new(r"(?ms)^ *```.*?^ *```$").unwrap();
    let text = fence.replace_all(text, "");
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = |c: &char| c.is_alphanumeric() || [' ', '-', '_'].contains(c);
        let title: String = title.trim().to_lowercase().chars().filter(kept).collect();
        let anchor = title.replace(' ', "-");
        let repeated = (1..).map(|nth| format!("{anchor}-{nth}"));
        let free = std::iter::once(anchor.clone()).chain(repeated).find(|it| !found.contains(it));
        found.extend(free);
    }
    found
}

/// Returns a path with its `..` resolved.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            ".." => {
                assert!(parts.pop().is_some_and(|it| it != ".."), "{path} leaves the repository");
            }
            "" | "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn every_link_of_a_document_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    let mut count = 0;
    for document in &files(&["md"]) {
        let directory = document.path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let links = targets(document);
        for target in links.iter().filter(|it| !it.contains("://") && !it.starts_with("mailto:")) {
            count += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match path {
                "" => document.path.clone(),
                path => normal(&format!("{directory}/{path}")),
            };
            let is_there = root().join(&path).exists();
            if !is_there || !(anchor.is_empty() || anchors(&read(&path)).contains(anchor)) {
                broken.push(format!("{}: {target}", document.path));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
    assert!(count > 100, "only {count} links were found");
}

#[test]
fn links_and_anchors_are_recognised() {
    let text = "# A `b`, c\n\n## One\n```\n# no [x](no)\n```\n## One\n[a](b.md#c) `[d](e)` <img src=\"f.png\">\n";
    let document = TextFile { path: "x.md".into(), text: text.into() };
    assert_eq!(targets(&document), ["b.md#c", "f.png"]);
    assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), ["a-b-c", "one", "one-1"]);
}

/// A page of the book shows only what is below `docs`, and a reader finds only what the summary lists.
#[test]
fn the_book_has_every_document_and_links_to_nothing_outside() {
    let listed: BTreeSet<_> =
        targets(&TextFile { path: String::new(), text: read("docs/SUMMARY.md") })
            .into_iter()
            .map(|path| format!("docs/{path}"))
            .collect();
    let documents = files(&["md"]);
    let chapters: Vec<_> = documents
        .iter()
        .filter(|it| it.path.starts_with("docs/") && it.path != "docs/SUMMARY.md")
        .collect();
    let there: BTreeSet<_> = chapters.iter().map(|it| it.path.clone()).collect();
    assert_eq!(listed, there, "docs/SUMMARY.md lists other files than those of docs");
    let outside: Vec<_> = chapters
        .iter()
        .flat_map(|chapter| {
            let directory = chapter.path.rsplit_once('/').unwrap().0;
            let links = targets(chapter).into_iter().filter(|it| !it.contains("://"));
            let leaves =
                move |it: &String| !normal(&format!("{directory}/{it}")).starts_with("docs/");
            links.filter(leaves).map(|it| format!("{}: {it}", chapter.path))
        })
        .collect();
    assert!(outside.is_empty(), "name these files without a link:\n{}", outside.join("\n"));
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 200, "{lines} lines; at most 200");
}
