//! Test of the features of the SDK that `docs/embedding.md` lists: every one is there, with the number of crates that it brings.
//! `LINKS_UPDATE=1 cargo test -p links-spec --test spec features` writes the numbers.

use std::collections::BTreeSet;
use std::process::Command;

use crate::dependencies::manifests;
use crate::repository::{read, root};

const DOCUMENT: &str = "docs/embedding.md";

/// Features that are no part of what a version promises.
const INTERNAL: [&str; 3] = ["crash-points", "exhaustive", "fuzzing"];

/// Returns how many other crates the SDK needs with these features, on Linux, with those that build it.
fn crates(features: &[&str]) -> usize {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["tree", "--locked", "--quiet", "--package", "links-sdk"]);
    cargo.args(["--target", "x86_64-unknown-linux-gnu", "--edges", "normal,build"]);
    cargo.args(["--prefix", "none", "--no-dedupe", "--format", "{p}"]).args(features);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    tree.lines().collect::<BTreeSet<_>>().len() - 1
}

fn row(feature: &str, before: &str, count: usize) -> String {
    let described = before.rsplit_once(" | ").map_or(before, |(described, _)| described);
    assert!(described.starts_with(&format!("| `{feature}` | ")), "{described}");
    format!("{described} | {count} |")
}

#[test]
fn the_features_of_the_sdk_are_listed_with_the_crates_they_bring() {
    let metadata = manifests();
    let packages = metadata["packages"].as_array().unwrap();
    let sdk = packages.iter().find(|it| it["name"] == "links-sdk").unwrap();
    let features = sdk["features"].as_object().unwrap().keys().map(String::as_str);
    let features = features.filter(|it| !INTERNAL.contains(it));

    let document = read(DOCUMENT);
    let mut updated = document.clone();
    for feature in features {
        let start = format!("| `{feature}` |");
        let line = document.lines().find(|line| line.starts_with(&start));
        let line = line.unwrap_or_else(|| panic!("{DOCUMENT} does not list {feature}"));
        let count = match feature {
            "default" => crates(&[]),
            alone => crates(&["--no-default-features", "--features", alone]),
        };
        updated = updated.replace(line, &row(feature, line, count));
    }
    let none = "| none | ";
    let line = document.lines().find(|line| line.starts_with(none)).unwrap();
    let (described, _) = line.rsplit_once(" | ").unwrap();
    let count = crates(&["--no-default-features"]);
    updated = updated.replace(line, &format!("{described} | {count} |"));

    if std::env::var_os("LINKS_UPDATE").is_some() {
        std::fs::write(root().join(DOCUMENT), &updated).unwrap();
    }
    assert_eq!(read(DOCUMENT), updated, "LINKS_UPDATE=1 writes the numbers");
}
