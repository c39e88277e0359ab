//! Tests of the dependencies between crates, read from the manifests and `Cargo.lock`, so that nothing has to be downloaded.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Returns the manifests of the workspace as cargo reads them.
pub(crate) fn manifests() -> Value {
    let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let output = Command::new(env!("CARGO"))
        .current_dir(workspace)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the dependencies of each of our crates, without those of tests.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = manifests();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let of = |package: &Value| {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        dependencies.filter(|it| it["kind"] != "dev").map(|it| text(&it["name"])).collect()
    };
    metadata["packages"].as_array().unwrap().iter().map(|it| (text(&it["name"]), of(it))).collect()
}

#[test]
fn each_library_is_imported_only_by_the_crates_that_may() {
    let allowed_importers: [(&str, &[&str]); 14] = [
        ("clap", &["links-cli"]),
        ("comfy-table", &["links-cli"]),
        ("indicatif", &["links-cli"]),
        ("keyring", &["links-cli"]),
        ("links-fixtures", &["links-cli", "links-test-support"]),
        ("links-pages", &["links-cli"]),
        ("links-sdk", &["links-cli", "links-pages", "links-test-support"]),
        ("links-spec", &[]),
        // Tests only, which do not count here.
        ("links-test-support", &[]),
        ("miette", &["links-cli", "links-pages"]),
        ("progenitor-impl", &["links-spec"]),
        // The tool requests the links of pages, beside the client of the service.
        ("reqwest", &["links-cli", "links-sdk"]),
        ("rmcp", &["links-sdk"]),
        ("wiremock", &["links-fixtures"]),
    ];
    let imports = imports();
    assert_eq!(imports.len(), 6);
    for (library, allowed) in allowed_importers {
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

/// Returns the packages that building a crate may compile, whatever the platform and the features: its own dependencies without those of
/// its tests, and all that `Cargo.lock` lists below them. Nothing has to be downloaded for that.
fn compiled(package: &str) -> BTreeSet<String> {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"));
    let below = locked(&lock.unwrap());
    let mut waiting: Vec<String> = imports().remove(package).unwrap().into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        let further = below.get(&name).unwrap_or_else(|| panic!("{name} is not locked"));
        if found.insert(name) {
            waiting.extend(further.iter().cloned());
        }
    }
    found
}

/// Returns the names of the direct dependencies of each package of a lock file; those of several versions of one package together.
fn locked(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut packages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in text.split("[[package]]").skip(1) {
        let name = package.split('"').nth(1).unwrap().to_owned();
        let list = package.split("dependencies = [").nth(1).unwrap_or_default();
        let lines = list.lines().take_while(|line| !line.starts_with(']'));
        let names = lines.filter_map(|line| line.split('"').nth(1)?.split(' ').next());
        packages.entry(name).or_default().extend(names.map(str::to_owned));
    }
    packages
}

#[test]
fn building_the_client_compiles_no_generator() {
    let names = compiled("links-sdk");
    assert!(names.contains("progenitor-client") && names.contains("hyper"), "{names:?}");
    let generators = [
        "progenitor",
        "progenitor-impl",
        "progenitor-macro",
        "typify",
        "typify-impl",
        "openapiv3",
        "prettyplease",
    ];
    let compiled: Vec<_> = generators.iter().filter(|name| names.contains(**name)).collect();
    assert!(compiled.is_empty(), "{compiled:?}");
    // The generator itself does, so that this can be seen.
    assert!(self::compiled("links-spec").contains("openapiv3"));
}
