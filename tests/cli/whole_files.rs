//! Tests of page files with fields of the page, and of form files, in the commands that take slots or forms alone.

use serde_json::{Value, json};

use crate::test_env::{TestEnv, picture};

const WHOLE: &str = "\
profile: cafe
title: Another title
avatar: {$upload: logo.gif}
socials: []
slots:
  - {id: 1001, type: text, data: {title: Anew}}
";

fn env() -> TestEnv {
    let env = TestEnv::cafe();
    env.file("logo.gif", picture(8, 8));
    env.file("cafe.yaml", WHOLE);
    env.file("booking.yaml", "form: booking\ntitle: Book\nfields: []\n");
    env
}

#[test]
fn a_command_for_slots_writes_only_slots_and_names_what_it_leaves_out() {
    let env = env();
    let note = "ignoring title, avatar and socials: `slots` commands only write slots";
    let before = env.run("profile get cafe -o json").json()["data"].clone();
    env.operations();

    let plan = env.run("slots plan cafe.yaml");
    assert!(plan.exit == 3 && plan.stderr.contains(note), "{plan}");
    assert!(!plan.stdout.contains("logo.gif"), "{plan}");
    let plan = env.run("slots plan cafe.yaml -o json");
    assert_eq!(
        plan.json()["data"]["pages"][0]["leftOut"],
        json!(["title", "avatar", "socials"]),
        "{plan}"
    );
    assert_eq!(env.run("slots plan cafe.yaml --out plan.json").exit, 3);

    let apply = env.run("slots apply cafe.yaml -o json --yes");
    assert_eq!(apply.exit, 0, "{apply}");
    assert_eq!(
        apply.json()["data"]["pages"][0]["leftOut"],
        json!(["title", "avatar", "socials"]),
        "{apply}"
    );
    let apply = env.run("slots apply cafe.yaml");
    assert!(apply.stderr.contains(note) && apply.stdout.contains("no changes"), "{apply}");
    let operations = env.operations();
    assert!(
        operations.iter().all(|it| it != "uploadFile" && it != "updateProfile"),
        "{operations:?}"
    );
    let after = env.run("profile get cafe -o json").json()["data"].clone();
    assert_eq!(after, before);
    assert_eq!(env.run("slots get cafe 1001 -o json").json()["data"]["data"]["title"], "Anew");

    let done = env.run("slots apply --plan plan.json");
    assert!(done.exit == 0 && done.stderr.contains(note), "{done}");
    env.file("slots.yaml", "profile: cafe\nslots: [{id: 1001, type: text}]\n");
    let plan = env.run("slots plan slots.yaml -o json");
    assert_eq!(plan.json()["meta"].get("leftOut"), None, "{plan}");
}

#[test]
fn a_file_without_slots_and_a_form_file_are_refused_before_anything_is_sent() {
    let env = env();
    env.file("fields.yaml", "profile: cafe\ntitle: Another title\n");
    env.file("neither.yaml", "titel: A\nslots: []\n");
    for (file, place, message) in [
        ("fields.yaml", "fields.yaml:1:1", "this file has no `slots`"),
        ("booking.yaml", "booking.yaml:1:1", "this file is a form, not a page"),
        ("neither.yaml", "neither.yaml:1:1", "unknown field `titel`"),
    ] {
        for verb in ["plan", "apply", "apply --prune --yes --max-deletes 99"] {
            let run = env.run(&format!("slots {verb} {file}"));
            assert_eq!(run.exit, 8, "{run}");
            assert!(run.stderr.contains(place) && run.stderr.contains(message), "{run}");
        }
    }
    assert!(env.operations().is_empty());
}

#[test]
fn a_local_image_as_a_plain_string_is_refused_at_its_place() {
    let env = env();
    env.file(
        "plain.yaml",
        "profile: cafe\nslots:\n  - {id: 1003, type: picture, data: {image: ./logo.gif}}\n  - {type: gallery, data: {title: A, images: [{image: ../b.png}]}}\n",
    );
    let run = env.run("slots apply plain.yaml --yes");
    assert_eq!(run.exit, 8, "{run}");
    for text in ["plain.yaml:3:", "plain.yaml:4:", "write {$upload: ./logo.gif} to upload it"] {
        assert!(run.stderr.contains(text), "{run}");
    }
    env.file("avatar.yaml", "profile: cafe\navatar: logo.gif\nslots: []\n");
    let run = env.run("slots plan avatar.yaml");
    assert!(run.exit == 8 && run.stderr.contains("avatar.yaml:2:9"), "{run}");
    let all = env.operations();
    assert!(all.iter().all(|it| it.starts_with("get") || it.starts_with("list")), "{all:?}");
    // A value that is on the page already is not sent.
    env.file(
        "kept.yaml",
        "profile: cafe\nslots: [{id: 1001, type: text, data: {title: ./a.png}}]\n",
    );
    assert_eq!(env.run("slots set cafe 1001 title:=\"./a.png\"").exit, 0);
    assert_eq!(env.run("slots plan kept.yaml").exit, 0);
}

#[test]
fn a_form_is_created_and_updated_from_a_form_file() {
    let env = env();
    let text = include_str!("../../fixtures/forms/wedding.yaml");
    env.file("wedding.yaml", text);
    let run = env.run("forms create wedding.yaml enabled:=false -o json");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(env.operations(), ["listNotificationChannels", "createForm"]);
    let form = &run.json()["data"];
    assert_eq!(form["title"], "Ask for a date");
    assert_eq!(
        (&form["notificationChannelIds"], &form["enabled"]),
        (&json!([11, 12]), &json!(false))
    );
    let labels: Vec<_> =
        form["fields"].as_array().unwrap().iter().map(|it| it["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["Your names", "Phone", "Number of guests"]);

    let id = form["id"].as_str().unwrap();
    env.file("id.yaml", format!("form: wedding\nid: {id}\nbuttonText: Send\n"));
    let run = env.run(&format!("forms update {id} id.yaml -o json"));
    assert_eq!((run.exit, &run.json()["data"]["buttonText"]), (0, &json!("Send")), "{run}");
    env.operations();
    let run = env.run("forms update 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 id.yaml");
    assert!(run.exit == 14 && run.stderr.contains("is for form"), "{run}");
    assert!(env.operations().is_empty());
}

#[test]
fn an_invalid_form_file_is_refused_at_its_places() {
    let env = env();
    let create = |text: &str| {
        env.file("form.yaml", text);
        env.run("forms create form.yaml")
    };
    let run = create("form: a\ntitle: A\nfields:\n  - {lable: Name, type: text}\n");
    assert!(run.exit == 8 && run.stderr.contains("did you mean `label`?"), "{run}");
    assert!(run.stderr.contains("form.yaml:4:"), "{run}");
    let run = create("profile: cafe\nslots: []\n");
    assert!(run.exit == 8 && run.stderr.contains("this file is a page, not a form"), "{run}");
    assert!(env.operations().is_empty());
    let channel = "form: a\ntitle: A\nfields: []\nnotificationChannelIds: [{$channel: Barr}]\n";
    let run = create(channel);
    assert!(run.exit == 8 && run.stderr.contains("form.yaml:4:37"), "{run}");
    assert!(run.stderr.contains("did you mean `Bar`?"), "{run}");
    assert_eq!(env.operations(), ["listNotificationChannels"]);
    let refused = create("form: a\ntitle: A\nactiveTill: soon\nfields: []\n");
    assert!(refused.exit == 8 && refused.stderr.contains("form.yaml:3:13"), "{refused}");
}

#[test]
fn the_schema_of_a_form_needs_no_service() {
    let env = TestEnv::cafe().env("LINKS_BASE_URL", "");
    let schema: Value = serde_json::from_str(&env.run("schema form").stdout).unwrap();
    assert_eq!(schema["required"], json!(["form"]));
    assert_eq!(env.run("schema form -o json").json()["data"], schema);
}

#[test]
fn a_slot_that_is_marked_as_new_is_none_of_those_made_on_the_page() {
    let env = TestEnv::cafe().keeping_state();
    let first = "profile: qara.weddings\nslots:\n  - {id: 1101, type: button}\n";
    env.file("page.yaml", first);
    assert_eq!(env.run("init").exit, 0);
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    let made = "slots add qara.weddings text title=Hours description=Daily";
    assert_eq!(env.run(made).exit, 0);
    let text = |id: &str| {
        format!("{first}  - {{{id}type: text, data: {{title: Hours, description: Soon}}}}\n")
    };
    env.file("page.yaml", text(""));
    let unclear = env.run("slots apply page.yaml");
    assert!(unclear.exit != 0 && unclear.stderr.contains("`id: new`"), "{unclear}");
    env.file("page.yaml", text("id: new, "));
    let applied = env.run("slots apply page.yaml");
    assert_eq!(applied.exit, 0, "{applied}");
    let slots = env.run("slots list qara.weddings -o json").json()["data"].clone();
    let hours = slots.as_array().unwrap().iter().filter(|it| it["data"]["title"] == "Hours");
    assert_eq!(hours.count(), 2, "{slots}");
    let again = env.run("slots apply page.yaml");
    assert!(again.exit == 0 && again.stdout.contains("no changes"), "{again}");
}
