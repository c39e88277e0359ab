//! Tests of the order of modules within each crate: no module imports one that is above it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::modules::{Import, Module, Modules};

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn shown(import: &Import) -> String {
    format!("{} -> {}: {}", named(&import.from), named(&import.to), import.name)
}

fn named(module: &Module) -> String {
    if module.is_empty() { "lib".to_owned() } else { module.join("::") }
}

/// Returns the imports within each cycle, one a line.
fn cycles(modules: &Modules) -> Vec<String> {
    let within = |cycle: &BTreeSet<&Module>| {
        let imports = modules.imports.iter();
        let imports = imports.filter(|it| cycle.contains(&it.from) && cycle.contains(&it.to));
        imports.map(shown).collect::<Vec<_>>().join("\n")
    };
    modules.cycles().iter().map(within).collect()
}

/// The modules of the command-line tool, each above all that it may import.
const LAYERS: &[&str] = &[
    "lib",
    "fuzzing",
    "app",
    "commands",
    "account",
    "apply",
    "completion",
    "confine",
    "editor",
    "help",
    "args",
    "journal",
    "context",
    "sandbox",
    "ui",
    "cache",
    "settings",
    "auth",
    "output",
    "schema",
    "fs",
    "process",
    "signal",
    "error",
    "form_file",
    "page_file",
    "testing",
    "env_vars",
    "profile_key",
    "sanitize",
    "suggest",
];

#[test]
fn a_module_imports_only_what_is_below_it() {
    let modules = Modules::read(&source("cli/src"));
    let layer = |module: &Module| {
        let name = module.first().map_or("lib", String::as_str);
        let found = LAYERS.iter().position(|it| *it == name);
        found.unwrap_or_else(|| panic!("`{name}` has no place among the layers in this file"))
    };
    let upwards = modules.imports.iter().filter(|it| layer(&it.from) > layer(&it.to));
    let upwards: Vec<_> = upwards.map(shown).collect();
    assert!(upwards.is_empty(), "imports of something above:\n{}", upwards.join("\n"));
    let read: BTreeSet<_> = modules.all().map(&layer).collect();
    assert_eq!(read.len(), LAYERS.len(), "a layer is gone");
}

#[test]
fn no_files_import_each_other_in_a_cycle() {
    for name in ["cli/src", "sdk/src", "fixtures/src"] {
        let modules = Modules::read(&source(name));
        assert!(modules.imports.len() > 100, "{name} was not read");
        let cycles = cycles(&modules);
        assert!(cycles.is_empty(), "{name}: {} cycles\n{}", cycles.len(), cycles.join("\n\n"));
    }
}
