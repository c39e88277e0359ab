//! Test that every source file belongs to a target: a file that no `mod` names is neither compiled nor run, without any warning.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::dependencies::manifests;
use crate::repository::{files, root};

/// Patterns by which source files name other ones.
struct Declarations {
    module: Regex,
    included: Regex,
}

impl Declarations {
    fn new() -> Self {
        let module = r#"(?m)^[ \t]*(?:#\[path = "([^"]+)"\]\s*)?(?:#\[[^\n]+\]\s*)*(?:pub(?:\([^)]*\))? )?mod (\w+);"#;
        let included = r#"include!\("([^"]+\.rs)"\)"#;
        Self { module: Regex::new(module).unwrap(), included: Regex::new(included).unwrap() }
    }

    /// Returns the files that a file names, each with the directory of its own modules.
    fn named_by(&self, file: &Path, modules: &Path) -> Vec<(PathBuf, PathBuf)> {
        let Ok(text) = fs::read_to_string(file) else { return Vec::new() };
        let beside = file.parent().unwrap();
        let mut found = Vec::new();
        for captures in self.module.captures_iter(&text) {
            let name = &captures[2];
            match captures.get(1) {
                Some(path) => {
                    let named = beside.join(path.as_str());
                    found.push((named.clone(), named.parent().unwrap().to_owned()));
                }
                None => {
                    for named in [format!("{name}.rs"), format!("{name}/mod.rs")] {
                        found.push((modules.join(named), modules.join(name)));
                    }
                }
            }
        }
        for captures in self.included.captures_iter(&text) {
            let named = beside.join(&captures[1]);
            found.push((named.clone(), named.parent().unwrap().to_owned()));
        }
        found
    }
}

/// Returns the files below these roots that exist, the roots included.
fn reachable(roots: Vec<PathBuf>) -> BTreeSet<PathBuf> {
    let declarations = Declarations::new();
    let beside = |file: PathBuf| (file.clone(), file.parent().unwrap().to_owned());
    let mut waiting: Vec<_> = roots.into_iter().map(beside).collect();
    let mut found = BTreeSet::new();
    while let Some((file, modules)) = waiting.pop() {
        if let Ok(file) = file.canonicalize()
            && found.insert(file.clone())
        {
            waiting.extend(declarations.named_by(&file, &modules));
        }
    }
    found
}

/// Returns the first file of each target: of the workspace, and of the packages outside it.
fn target_roots() -> Vec<PathBuf> {
    let metadata = manifests();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let targets = packages.flat_map(|package| package["targets"].as_array().unwrap());
    let mut roots: Vec<PathBuf> =
        targets.map(|target| PathBuf::from(target["src_path"].as_str().unwrap())).collect();
    let path = Regex::new(r#"path = "([^"]+\.rs)""#).unwrap();
    for manifest in files(&["toml"]).iter().filter(|file| file.path.ends_with("Cargo.toml")) {
        let package = root().join(&manifest.path).parent().unwrap().to_owned();
        roots.extend(path.captures_iter(&manifest.text).map(|it| package.join(&it[1])));
        if manifest.text.contains("[workspace]") {
            roots.push(package.join("src/main.rs"));
            let tests = package.join("tests").read_dir();
            roots.extend(tests.into_iter().flatten().flatten().map(|entry| entry.path()));
        }
    }
    roots
}

#[test]
fn every_source_file_belongs_to_a_target() {
    let reachable = reachable(target_roots());
    let sources = files(&["rs"]);
    let orphans: Vec<_> = sources
        .iter()
        .filter(|file| !reachable.contains(&root().join(&file.path).canonicalize().unwrap()))
        .map(|file| file.path.as_str())
        .collect();
    assert!(orphans.is_empty(), "no target includes {orphans:#?}: name them with `mod`");
    assert!(sources.len() > 300, "only {} source files were found", sources.len());
}

#[test]
fn a_file_that_no_module_names_is_detected() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "main.rs",
        "#[cfg(unix)]\nmod plain;\n#[path = \"else/where.rs\"]\npub(crate) mod other;\n// mod comment;\n",
    );
    write("plain.rs", "mod inner;\n");
    write("plain/inner.rs", "include!(\"table.rs\");\n");
    write("plain/table.rs", "");
    write("else/where.rs", "mod beside;\n");
    write("else/beside.rs", "");
    for orphan in ["comment.rs", "inner.rs", "plain/unnamed.rs"] {
        write(orphan, "#[test] fn never_runs() {}\n");
    }
    let root = directory.path().canonicalize().unwrap();
    let found = reachable(vec![root.join("main.rs")]);
    let names: Vec<_> = found
        .iter()
        .map(|it| it.strip_prefix(&root).unwrap().to_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        names,
        [
            "else/beside.rs",
            "else/where.rs",
            "main.rs",
            "plain/inner.rs",
            "plain/table.rs",
            "plain.rs"
        ]
    );
}
