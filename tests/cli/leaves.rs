//! Every leaf command of the tree, in every format.

use serde_json::Value;

use crate::stage::{Run, Stage};

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

/// What each leaf is run with. A leaf that is missing here fails the test.
pub(crate) fn words(leaf: &str) -> Option<Vec<&'static str>> {
    Some(match leaf {
        "me" | "profile list" | "forms list" | "slots history" | "sandbox path"
        | "sandbox reset" | "auth status" | "auth list" | "channels list" | "slots types"
        | "doctor" | "config path" | "config list" | "help" => vec![],
        "api" => vec!["GET", "/profiles/cafe/markdown"],
        "music lookup" => vec!["KZA012600042"],
        "music add" => vec!["cafe", "KZA012600042"],
        "slots add" => vec!["cafe", "divider"],
        "slots set" => vec!["cafe", "1001", "title=Anew"],
        "slots move" => vec!["cafe", "1004", "--top"],
        "slots reorder" => vec!["qara.weddings", "1102", "1101"],
        "slots delete" => vec!["cafe", "1002", "--yes"],
        "slots explain" | "slots template" => vec!["button"],
        "profile settings" | "profile open" | "profile edit" | "slots edit" | "profile get"
        | "profile preview" | "slots list" | "slots pull" => vec!["cafe"],
        "profile create" => vec!["spring.menu"],
        "profile update" => vec!["cafe", "title=Anew"],
        "profile rename" => vec!["cafe", "cafe.mole", "--yes", "--confirm", "cafe"],
        "forms get" | "forms edit" => vec![FORM],
        "forms update" => vec![FORM, "enabled:=false"],
        "forms field add" => vec![FORM, "type=text", "label=Table"],
        "forms field set" => vec![FORM, "phone", "label=Tel"],
        "forms field remove" => vec![FORM, "phone"],
        "analytics account" => vec!["--timeline"],
        "analytics profile" => vec!["cafe"],
        "analytics form" => vec![FORM],
        "files upload" => vec!["https://images.example/menu.jpg"],
        "schema page" => vec![],
        "schema slot" => vec!["button"],
        "config get" => vec!["output"],
        "config set" => vec!["output", "table"],
        "completions" => vec!["bash"],
        "man" => vec!["pages"],
        "profile check-login" => vec!["a.new.name"],
        "slots get" => vec!["cafe", "1001"],
        "slots plan" | "slots apply" => vec!["page.yaml"],
        "forms create" => {
            vec!["title=Contact", r#"fields:=[{"type":"text","label":"Name","required":true}]"#]
        }
        // Runs until it is stopped; needs a run to restore: each has a test of its own.
        "sandbox serve" | "slots restore" | "auth login" | "auth switch" | "auth logout" => {
            return None;
        }
        other => panic!("no words for `{other}`: add them here"),
    })
}

pub(crate) fn leaves(command: &clap::Command, parents: &[String]) -> Vec<Vec<String>> {
    let below =
        |sub: &clap::Command| leaves(sub, &[parents, &[sub.get_name().to_owned()]].concat());
    if command.has_subcommands() {
        command.get_subcommands().flat_map(below).collect()
    } else {
        vec![parents.to_vec()]
    }
}

/// A leaf on a stage of its own, in a format.
fn run(leaf: &[String], more: &[&str]) -> Option<Run> {
    // On a terminal only.
    if leaf.last().is_some_and(|it| it == "edit") {
        return None;
    }
    let words = words(&leaf.join(" "))?;
    let stage = Stage::cafe();
    stage.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {type: text, data: {title: Good morning!}}\n",
    );
    let line = leaf.iter().map(String::as_str).chain(words).chain(more.iter().copied());
    Some(stage.run_args(line, b""))
}

/// The values of an option of every command.
fn values(option: &str) -> Vec<String> {
    let command = links_cli::command();
    let argument = command.get_arguments().find(|it| it.get_long() == Some(option)).unwrap();
    argument.get_possible_values().iter().map(|it| it.get_name().to_owned()).collect()
}

#[test]
fn every_leaf_speaks_every_format() {
    let formats = values("output");
    assert_eq!(formats, ["table", "json", "yaml", "jsonl", "csv", "markdown", "ids"]);
    for leaf in leaves(&links_cli::command(), &[]) {
        // Only what this machine remembers of earlier runs.
        let is_empty = leaf == ["slots", "history"] || leaf == ["auth", "list"];
        for format in &formats {
            let Some(run) = run(&leaf, &["-o", format]) else { continue };
            assert_eq!(run.exit, 0, "{leaf:?}\n{run}");
            let parsed = |text: &str| serde_json::from_str::<Value>(text);
            match format.as_str() {
                "json" => {
                    assert_eq!(run.stderr, "", "{leaf:?}\n{run}");
                    assert!(run.json().get("data").is_some(), "{leaf:?} has no `data`\n{run}");
                }
                "jsonl" => {
                    assert_eq!(run.stderr, "", "{leaf:?}\n{run}");
                    let bad = run.stdout.lines().find(|line| parsed(line).is_err());
                    assert_eq!(bad, None, "{leaf:?}\n{run}");
                    assert_eq!(run.stdout.is_empty(), is_empty, "{leaf:?}\n{run}");
                }
                "yaml" => {
                    let value: Value = serde_saphyr::from_str(&run.stdout).unwrap();
                    assert!(value.get("data").is_some(), "{leaf:?} has no `data`\n{run}");
                }
                "csv" => {
                    let mut reader = csv::Reader::from_reader(run.stdout.as_bytes());
                    assert_eq!(reader.headers().unwrap().is_empty(), is_empty, "{leaf:?}\n{run}");
                    for row in reader.records() {
                        row.unwrap();
                    }
                }
                "ids" => {
                    let bad = run.stdout.lines().find(|it| it.contains(char::is_whitespace));
                    assert_eq!(bad, None, "{leaf:?}\n{run}");
                }
                _ => {
                    assert!(run.stdout.ends_with('\n'), "{leaf:?}\n{run}");
                    // A schema is JSON by itself.
                    assert!(parsed(&run.stdout).is_err() || leaf[0] == "schema", "{leaf:?}\n{run}");
                }
            }
        }
    }
}

#[test]
fn every_leaf_can_be_filtered_and_narrowed() {
    for leaf in leaves(&links_cli::command(), &[]) {
        let Some(filtered) = run(&leaf, &["--jq", "has(\"data\")"]) else { continue };
        assert_eq!(
            (filtered.exit, filtered.stdout.as_str()),
            (0, "true\n"),
            "{leaf:?}\n{filtered}"
        );
        let whole = run(&leaf, &["-o", "json"]).unwrap().json();
        let record = whole["data"].as_array().map_or(Some(&whole["data"]), |it| it.first());
        let Some(record) = record else { continue };
        let (field, value) = record.as_object().unwrap().iter().next().unwrap();
        let narrowed = run(&leaf, &["-o", "json", "--fields", field]).unwrap().json();
        let record = narrowed["data"].as_array().map_or(&narrowed["data"], |it| &it[0]);
        assert_eq!(record.as_object().unwrap().len(), 1, "{leaf:?}\n{narrowed}");
        assert_eq!(record[field].is_string(), value.is_string(), "{leaf:?}\n{narrowed}");
    }
}

#[test]
fn every_leaf_says_in_json_why_it_failed() {
    for leaf in leaves(&links_cli::command(), &[]) {
        // These need no service.
        let local = ["sandbox", "auth", "doctor", "config", "help", "completions", "man"];
        if local.contains(&leaf[0].as_str()) || leaf.ends_with(&["history".to_owned()]) {
            continue;
        }
        let words = words(&leaf.join(" ")).unwrap_or(vec!["cafe"]);
        let stage = Stage::cafe().env("LINKS_BASE_URL", "");
        stage.file("page.yaml", "profile: cafe\nslots: []\n");
        let run =
            stage.run_args(leaf.iter().map(String::as_str).chain(words).chain(["-o", "json"]), b"");
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{leaf:?}\n{run}");
        let error = run.error();
        assert_eq!((&error["exit"], &error["code"]), (&2.into(), &"usage".into()), "{leaf:?}");
        let hint = error["hint"].as_str().unwrap();
        assert!(
            ["LINKS_BASE_URL", "--base-url", "--sandbox"].iter().all(|name| hint.contains(name)),
            "{hint}"
        );
    }
}
