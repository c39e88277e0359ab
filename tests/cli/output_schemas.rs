//! The JSON Schemas of outputs in `docs/schemas`: one for each command, one for dry runs and one for errors. Every output of every test is checked against them,
//! because [`TestEnv`](crate::test_env::TestEnv) checks each run with `-o json`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};

use crate::docs::compare;
use crate::leaves::{names, prepared, typed};

const ERROR: &str = "error";
const DRY_RUN: &str = "dry-run";
/// Schema of the file of `--operation-out`.
pub(crate) const OPERATION_FILE: &str = "operation-file";
/// Schemas that others refer to.
const PARTS: [&str; 2] = ["common", "records"];

struct OutputSchemas {
    schemas: Schemas,
    of: BTreeMap<String, SchemaIndex>,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schemas")
}

/// Returns the schemas by name.
fn documents() -> BTreeMap<String, Value> {
    let files = std::fs::read_dir(directory()).unwrap().map(|it| it.unwrap().path());
    let files = files.map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (
            name,
            serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
        )
    });
    files.collect()
}

impl OutputSchemas {
    fn get() -> &'static Self {
        static SCHEMAS: OnceLock<OutputSchemas> = OnceLock::new();
        SCHEMAS.get_or_init(|| {
            let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
            // They have no `$id`: what they refer to is beside them, wherever that is.
            let url = |name: &str| format!("file:///schemas/{name}.json");
            let documents = documents();
            for (name, document) in &documents {
                assert_eq!(document["$id"], Value::Null, "{name}");
                compiler.add_resource(&url(name), document.clone()).unwrap();
            }
            let names = documents.keys().filter(|it| !PARTS.contains(&it.as_str()));
            let of = names.map(|name| {
                let compiled = compiler.compile(&url(name), &mut schemas);
                (name.clone(), compiled.unwrap_or_else(|error| panic!("{name}: {error:#}")))
            });
            let of = of.collect();
            Self { schemas, of }
        })
    }

    /// Returns why a value does not fit a schema.
    fn fault(&self, name: &str, value: &Value) -> Option<String> {
        let Some(schema) = self.of.get(name) else {
            return Some(format!("docs/schemas/{name}.json is missing"));
        };
        self.schemas.validate(value, *schema).err().map(|error| format!("{name}: {error:#}"))
    }
}

static TREE: OnceLock<clap::Command> = OnceLock::new();

/// Returns the name of the schema of a command line, if it prints its whole output as JSON.
fn schema_of(words: &[String]) -> Option<String> {
    let is_json = words.windows(2).any(|it| it[0] == "-o" && it[1] == "json")
        || words.iter().any(|it| ["-ojson", "-o=json", "--output=json"].contains(&it.as_str()));
    let has = |option: &str| words.iter().any(|word| word.starts_with(option));
    if !is_json || has("--jq") || has("--fields") {
        return None;
    }
    if has("--dry-run") {
        return Some(DRY_RUN.to_owned());
    }
    let mut command = TREE.get_or_init(links_cli::command);
    let mut path = Vec::new();
    for word in words.iter().filter(|it| !it.starts_with('-')) {
        if !command.has_subcommands() {
            break;
        }
        command = command.find_subcommand(word)?;
        path.push(command.get_name());
    }
    (!command.has_subcommands()).then(|| path.join("-"))
}

/// Checks a file against its schema.
pub(crate) fn check_file(name: &str, file: &Value) {
    let fault = OutputSchemas::get().fault(name, file);
    assert!(fault.is_none(), "{}\n{file}", fault.unwrap());
}

/// Checks the output of a run against the schema of its command, and its error against that of errors.
pub(crate) fn check(words: &[String], exit: i32, stdout: &[u8], stderr: &[u8]) {
    let Some(name) = schema_of(words) else { return };
    let schemas = OutputSchemas::get();
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // Servers print lines while they run, and a pipe may be closed early.
    let is_whole = !stdout.is_empty() && !["sandbox-serve", "preview"].contains(&name.as_str());
    if is_whole {
        let output: Value = serde_json::from_slice(stdout).unwrap_or_else(|error| {
            panic!("no JSON: {error}\n$ links {}\n{}", words.join(" "), shown(stdout))
        });
        let fault = schemas.fault(&name, &output);
        assert!(
            fault.is_none(),
            "{}\n$ links {}\n{}",
            fault.unwrap(),
            words.join(" "),
            shown(stdout)
        );
    }
    let last =
        shown(stderr).lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok());
    if let Some(error) = last.filter(|it| exit != 0 && it.is_object()) {
        let fault = schemas.fault(ERROR, &error);
        assert!(fault.is_none(), "{}\n$ links {}\n{error}", fault.unwrap(), words.join(" "));
    }
}

#[test]
fn every_command_has_a_schema_and_every_schema_a_command() {
    let expected: BTreeSet<_> = names().iter().map(|it| it.replace(' ', "-")).collect();
    let mut there: BTreeSet<_> = documents().into_keys().collect();
    for other in PARTS.iter().chain([&ERROR, &DRY_RUN, &OPERATION_FILE]) {
        assert!(there.remove(*other), "{other}");
    }
    assert_eq!(there, expected);
}

#[test]
fn every_leaf_prints_what_its_schema_says() {
    for leaf in names() {
        let env = crate::leaves::env();
        let line = prepared(&env, &leaf);
        let run = typed(&env, &leaf, line, &["-o", "json"]);
        let fault = OutputSchemas::get().fault(&leaf.replace(' ', "-"), &run.json());
        assert!(fault.is_none(), "{}\n{run}", fault.unwrap());
    }
}

#[test]
fn another_shape_does_not_fit() {
    let schemas = OutputSchemas::get();
    for (name, value) in [
        ("slots-list", json!({"data": [{"id": "1001"}]})),
        ("slots-list", json!([])),
        ("me", json!({"data": {}})),
        ("plan", json!({"data": {"pages": [], "forms": []}})),
        ("log", json!({"data": [], "meta": {}})),
        ("error", json!({"code": "usage"})),
    ] {
        assert!(schemas.fault(name, &value).is_some(), "{name}: {value}");
    }
    // Whatever the command, an output has `data`.
    for name in
        schemas.of.keys().filter(|it| !["api", "error", "sandbox-serve"].contains(&it.as_str()))
    {
        assert!(schemas.fault(name, &json!({})).is_some(), "{name}");
    }
}

/// Makes references between the schemas of the description refer to the definitions of one document.
fn with_definitions(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.replace("#/components/schemas/", "#/$defs/"),
        Value::Array(items) => items.iter_mut().for_each(with_definitions),
        Value::Object(fields) => fields.values_mut().for_each(with_definitions),
        _ => {}
    }
}

#[test]
fn the_records_of_the_service_are_those_of_its_description() {
    let text = include_str!("../../spec/openapi.json");
    let mut description: Value = serde_json::from_str(text).unwrap();
    let mut schemas = description["components"]["schemas"].take();
    with_definitions(&mut schemas);
    let document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Records of the service, from spec/openapi.json",
        "$defs": schemas,
    });
    compare("docs/schemas/records.json", &format!("{document:#}\n"));
}
