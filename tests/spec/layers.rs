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
    "simulation",
    "app",
    "commands",
    "preview",
    "check",
    "search",
    "account",
    "bulk",
    "lint",
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
    "git",
    "process",
    "signal",
    "error",
    "testing",
    "env_vars",
];

/// Those of the crate of pages.
const LAYERS_OF_PAGES: &[&str] = &[
    "lib",
    "undo",
    "account",
    "form_file",
    "page_file",
    "sync",
    "apply",
    "fs",
    "profile_key",
    "sanitize",
    "suggest",
];

#[test]
fn a_module_imports_only_what_is_below_it() {
    for (name, layers) in [("cli/src", LAYERS), ("pages/src", LAYERS_OF_PAGES)] {
        let modules = Modules::read(&source(name));
        let layer = |module: &Module| {
            let name = module.first().map_or("lib", String::as_str);
            let found = layers.iter().position(|it| *it == name);
            found.unwrap_or_else(|| panic!("`{name}` has no place among the layers in this file"))
        };
        let upwards = modules.imports.iter().filter(|it| layer(&it.from) > layer(&it.to));
        let upwards: Vec<_> = upwards.map(shown).collect();
        assert!(upwards.is_empty(), "imports of something above:\n{}", upwards.join("\n"));
        let read: BTreeSet<_> = modules.all().map(&layer).collect();
        assert_eq!(read.len(), layers.len(), "a layer of {name} is gone");
    }
}

#[test]
fn no_files_import_each_other_in_a_cycle() {
    for name in ["cli/src", "pages/src", "sdk/src", "fixtures/src"] {
        let modules = Modules::read(&source(name));
        assert!(modules.imports.len() > 100, "{name} was not read");
        let cycles = cycles(&modules);
        assert!(cycles.is_empty(), "{name}: {} cycles\n{}", cycles.len(), cycles.join("\n\n"));
    }
}

/// What the requests of links may import of the SDK: nothing that knows a token, a client or its connections.
const OF_SDK: [&str; 3] =
    ["use links_sdk::Clock;", "use links_sdk::SystemClock;", "links_sdk::public_hosts::"];

#[test]
fn the_check_of_links_imports_nothing_that_knows_a_token() {
    let modules = Modules::read(&source("cli/src"));
    let is_within = |module: &Module| module.starts_with(&["check".to_owned(), "web".to_owned()]);
    let imports: Vec<&Import> = modules.imports.iter().filter(|it| is_within(&it.from)).collect();
    assert!(imports.len() > 10, "{imports:?}");
    let others = imports.iter().filter(|it| !is_within(&it.to)).map(|it| shown(it));
    let mut others: Vec<String> = others.collect();
    for file in std::fs::read_dir(source("cli/src/check/web")).unwrap() {
        let path = file.unwrap().path();
        let text = if path.is_file() { std::fs::read_to_string(path).unwrap() } else { continue };
        let of_sdk = text.lines().filter(|line| line.contains("links_sdk"));
        let strange = of_sdk.filter(|line| !OF_SDK.iter().any(|allowed| line.contains(allowed)));
        others.extend(strange.map(str::to_owned));
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}
