//! Test of the guide in the documentation of the SDK: the part of `docs/embedding.md` on features and programs, which the package has to hold.
//! `LINKS_UPDATE=1 cargo test -p links-spec --test spec guide` writes it.

use regex::Regex;

use crate::repository::{read, root};

const DOCUMENT: &str = "docs/embedding.md";
const GUIDE: &str = "sdk/src/guide.md";

/// Returns the guide: the chapters of the book are no pages beside it.
fn guide(document: &str) -> String {
    let (_, part) = document.split_once("\n## Features\n").unwrap();
    let chapter = Regex::new(r"\[([^\]]+)\]\(([\w-]+\.md)\)").unwrap();
    let part = chapter.replace_all(part, "$1: `docs/$2`");
    let part = part.replace("\n## ", "\n# ").replace("\n### ", "\n## ");
    format!("Features, and a guide for each program in `sdk/examples`.\n\n# Features\n{part}")
}

#[test]
fn the_documentation_of_the_sdk_has_the_guide() {
    let expected = guide(&read(DOCUMENT));
    if std::env::var_os("LINKS_UPDATE").is_some() {
        std::fs::write(root().join(GUIDE), &expected).unwrap();
    }
    assert_eq!(read(GUIDE), expected, "LINKS_UPDATE=1 writes it");
}
