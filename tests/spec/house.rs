//! Who may import whom, read from what cargo itself resolves.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

fn cargo(arguments: &[&str]) -> String {
    let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let output = Command::new(env!("CARGO"))
        .current_dir(workspace)
        .args(arguments)
        .arg("--offline")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What each crate of ours names among its dependencies, tests left out.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version=1", "--no-deps"])).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |package: &Value| {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        dependencies.filter(|it| it["kind"] != "dev").map(|it| text(&it["name"])).collect()
    };
    metadata["packages"].as_array().unwrap().iter().map(|it| (text(&it["name"]), of(it))).collect()
}

#[test]
fn each_library_is_imported_only_in_its_room() {
    let rooms: [(&str, &[&str]); 12] = [
        ("clap", &["links-cli"]),
        ("comfy-table", &["links-cli"]),
        ("indicatif", &["links-cli"]),
        ("keyring", &["links-cli"]),
        ("links-fixtures", &["links-cli"]),
        ("links-sdk", &["links-cli"]),
        ("links-spec", &[]),
        ("miette", &["links-cli"]),
        ("progenitor-impl", &["links-spec"]),
        ("reqwest", &["links-sdk"]),
        ("rmcp", &["links-sdk"]),
        ("wiremock", &["links-fixtures"]),
    ];
    let imports = imports();
    assert_eq!(imports.len(), 4);
    for (library, allowed) in rooms {
        let importers = imports.iter().filter(|(_, names)| names.contains(library));
        let strangers: Vec<_> = importers
            .map(|(name, _)| name)
            .filter(|name| !allowed.contains(&name.as_str()))
            .collect();
        assert!(
            strangers.is_empty(),
            "{library} is imported by {strangers:?}, only {allowed:?} may"
        );
    }
}

#[test]
fn building_the_client_compiles_no_generator() {
    let tree = cargo(&[
        "tree",
        "--package=links-sdk",
        "--edges=normal,build",
        "--prefix=none",
        "--target=all",
    ]);
    let names: BTreeSet<&str> =
        tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains("progenitor-client") && names.contains("reqwest"), "{names:?}");
    let generators = [
        "progenitor",
        "progenitor-impl",
        "progenitor-macro",
        "typify",
        "typify-impl",
        "openapiv3",
        "prettyplease",
    ];
    let compiled: Vec<_> = generators.iter().filter(|name| names.contains(*name)).collect();
    assert!(compiled.is_empty(), "{compiled:?}");
}
