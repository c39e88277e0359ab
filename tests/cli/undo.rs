//! Tests of `links undo`: what a write replaced comes back, what others changed since is a conflict, and what cannot come back is said.

use std::process::Stdio;

use links_fixtures::{Choices, Fault};
use serde_json::{Value, json};

use crate::steps::{cut_short, ok, places, text};
use crate::test_env::{TestEnv, wait};

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

/// Returns the café, with state that outlives a command and no waiting.
pub(crate) fn cafe() -> TestEnv {
    remembering(TestEnv::cafe())
}

/// Returns an environment with state that outlives a command and no waiting.
fn remembering(env: TestEnv) -> TestEnv {
    let env = env.keeping_state().keeping_cache().env("LINKS_TEST_NO_WAIT", "1");
    let directory = env.home.path().join("state").display().to_string();
    env.env("LINKS_STATE_DIR", directory)
}

/// Returns the slots of the café without their ids, in order.
pub(crate) fn page(env: &TestEnv) -> Vec<Value> {
    let account = env.server.account();
    let slots = account.profiles[0].slots.iter();
    slots.map(|slot| json!([slot.kind, slot.data])).collect()
}

#[test]
fn the_slots_of_a_page_that_was_applied_and_emptied_come_back() {
    let env = cafe();
    // No client can delete an event.
    env.server.edit(|account| account.profiles[0].slots.retain(|slot| slot.kind != "event"));
    env.file("cafe.yaml", "profile: cafe\nslots:\n  - {type: text, data: {title: One}}\n");
    ok(&env, "slots apply cafe.yaml --prune --prune-unsupported --max-deletes 100 --yes");
    let (before, all) = (page(&env), ids(&env));
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    let run = env.run(&format!("slots delete cafe {} --yes", all.join(" ")));
    assert_eq!(run.exit, 0, "{run}");
    assert!(page(&env).is_empty(), "{run}");
    let run = env.run("undo --yes");
    assert_eq!((run.exit, page(&env)), (0, before), "{run}");
}

fn ids(env: &TestEnv) -> Vec<u64> {
    env.server.account().profiles[0].slots.iter().map(|slot| slot.id).collect()
}

fn set(env: &TestEnv, id: u64, key: &str, value: &str) {
    env.server.edit(|account| {
        let slots = &mut account.profiles[0].slots;
        let slot = slots.iter_mut().find(|slot| slot.id == id).unwrap();
        slot.data.insert(key.to_owned(), value.into());
    });
}

fn newest(env: &TestEnv) -> String {
    let log = env.run("log -n 1 -o json").json();
    log["data"][0]["operation"].as_str().unwrap().to_owned()
}

/// Commands that write slots, one for each way.
pub(crate) const SLOT_COMMANDS: [&str; 8] = [
    "slots set cafe 1001 title=Anew",
    "slots set cafe 1002 style=outline title=Added",
    "slots add cafe text title=New --top",
    "music add cafe KZA012600042",
    "slots move cafe 1004 --top",
    "slots delete cafe 1002 1003 --yes",
    "slots apply page.yaml --yes",
    "slots apply page.yaml --prune --yes --max-deletes 50",
];

pub(crate) fn page_file(env: &TestEnv) {
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1003, type: picture, data: {title: Terrace}}\n  - {type: text, data: {title: New}}\n  - {id: 1001, type: text}\n",
    );
}

#[test]
fn every_write_of_slots_is_undone_and_the_undo_too() {
    for line in SLOT_COMMANDS {
        let env = cafe();
        page_file(&env);
        // The café has legacy slots and an event, which nothing can create again.
        env.server.edit(|account| account.profiles[0].slots.retain(|slot| slot.id < 1005));
        let before = page(&env);
        ok(&env, line);
        let after = page(&env);
        assert_ne!(before, after, "{line}");
        let undone = ok(&env, "undo --yes");
        assert_eq!(page(&env), before, "{line}\n{undone}");
        assert!(undone.stderr.contains(&format!("undoing `links {line}`")), "{undone}");
        let again = ok(&env, "redo --yes");
        assert_eq!(page(&env), after, "{line}\n{again}");
        ok(&env, "undo --yes");
        assert_eq!(page(&env), before, "{line}");
        let states = env.run("log -o json").json();
        let states = states["data"].as_array().unwrap().iter().map(|row| {
            assert_eq!(row["state"], "done", "{row}");
            (row["kind"].as_str().unwrap(), row["undone"].as_str().unwrap_or_default())
        });
        let expected = [("undo", ""), ("redo", ""), ("undo", "whole"), ("write", "whole")];
        assert_eq!(states.collect::<Vec<_>>(), expected, "{line}");
    }
}

#[test]
fn an_order_is_restored_as_a_whole() {
    let env = cafe();
    env.server.edit(|account| account.profiles[0].slots.truncate(4));
    ok(&env, "slots reorder cafe 1004 1003 1002 1001");
    ok(&env, "slots add cafe divider --at 2");
    let run = env.run("log -o json").json()["data"][1]["operation"].as_str().unwrap().to_owned();
    let undone = ok(&env, &format!("undo {run} --yes"));
    let ids = ids(&env);
    assert_eq!(
        ids.iter().filter(|id| **id < 2000).collect::<Vec<_>>(),
        [&1001, &1002, &1003, &1004],
        "{undone}"
    );
    let at = ids.iter().position(|id| *id > 2000).unwrap();
    assert_eq!(ids[at - 1], 1004, "the newer slot stays behind its neighbour: {ids:?}");
}

#[test]
fn nothing_is_undone_without_a_confirmation_or_in_a_dry_run() {
    let env = cafe();
    ok(&env, "slots set cafe 1001 title=Anew");
    let after = page(&env);
    let asked = env.run("undo");
    assert!(asked.exit == 14 && asked.stderr.contains("pass --yes"), "{asked}");
    let dry = env.run("undo --dry-run");
    assert_eq!(dry.exit, 3, "{dry}");
    assert!(dry.stdout.contains("Good morning!"), "{dry}");
    let requests = env.run("undo --dry-run=request");
    assert!(requests.stdout.contains("PATCH"), "{requests}");
    assert_eq!(page(&env), after);
    assert_eq!(env.run("log -o json").json()["data"].as_array().unwrap().len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn an_undo_that_deletes_says_that_it_can_be_undone_with_a_new_id() {
    let env = cafe();
    ok(&env, "slots add cafe text title=New --top");
    let seen = crate::terminal::run(&env, "undo", "y\n");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert!(!seen.text.contains("cannot be undone"), "{}", seen.text);
    let asked = "`links undo` can recreate slots of most types";
    assert!(seen.text.contains(asked), "{}", seen.text);
    assert!(!json!(page(&env)).to_string().contains("\"New\""));
    let seen = crate::terminal::run(&env, "redo", "y\n");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert!(json!(page(&env)).to_string().contains("\"New\""), "{}", seen.text);
}

#[test]
fn a_foreign_edit_is_a_conflict_that_names_both_values() {
    let env = cafe();
    ok(&env, "slots set cafe 1001 title=Anew");
    set(&env, 1001, "title", "Theirs");
    set(&env, 1001, "description", "Untouched");
    let before = page(&env);
    let run = env.run("undo --yes");
    assert_eq!(run.exit, 7, "{run}");
    for part in ["slot 1001, title", "\"Anew\"", "\"Theirs\"", "nothing was written", "--force"] {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    assert_eq!(page(&env), before);
    ok(&env, "undo --yes --force");
    assert_eq!(page(&env)[0][1]["title"], "Good morning!");
    assert_eq!(page(&env)[0][1]["description"], "Untouched");
}

#[test]
fn a_new_slot_that_someone_edited_is_not_deleted() {
    let env = cafe();
    ok(&env, "slots add cafe text title=New");
    let id = *ids(&env).last().unwrap();
    set(&env, id, "description", "Written with care");
    let run = env.run("undo --yes");
    assert_eq!(run.exit, 7, "{run}");
    assert!(run.stderr.contains("Written with care"), "{run}");
    assert!(ids(&env).contains(&id));
    ok(&env, "undo --yes --force");
    assert!(!ids(&env).contains(&id));
}

#[test]
fn a_slot_that_was_deleted_since_is_a_conflict() {
    let env = cafe();
    ok(&env, "slots set cafe 1001 title=Anew");
    env.server.edit(|account| account.profiles[0].slots.retain(|slot| slot.id != 1001));
    let run = env.run("undo --yes");
    assert!(run.exit == 7 && run.stderr.contains("slot 1001: deleted since"), "{run}");
    let run = env.run("undo --yes --force");
    assert!(run.exit == 14 && run.stderr.contains("1001 cannot be restored"), "{run}");
    assert!(run.stderr.contains("nothing was written"), "{run}");
}

#[test]
fn slots_that_others_moved_since_are_a_conflict() {
    let env = cafe();
    env.server.edit(|account| account.profiles[0].slots.truncate(4));
    ok(&env, "slots move cafe 1004 --top");
    env.server.edit(|account| account.profiles[0].slots.swap(1, 3));
    let run = env.run("undo --yes");
    assert!(
        run.exit == 7 && run.stderr.contains("order: 1004 1001 1002 1003 after the run"),
        "{run}"
    );
    ok(&env, "undo --yes --force");
    assert_eq!(ids(&env), [1001, 1002, 1003, 1004]);
}

#[test]
fn an_older_write_is_undone_alone() {
    let env = cafe();
    ok(&env, "slots set cafe 1001 title=Anew");
    let first = newest(&env);
    ok(&env, "slots set cafe 1001 description=Added");
    ok(&env, "slots delete cafe 1002 --yes");
    ok(&env, &format!("undo {} --yes", &first[..12]));
    let data = &page(&env)[0][1];
    assert_eq!((&data["title"], &data["description"]), (&"Good morning!".into(), &"Added".into()));
    assert!(!ids(&env).contains(&1002));
    let log = env.run("log -o json").json();
    let rows = log["data"].as_array().unwrap();
    assert_eq!(rows[0]["undoes"], first.as_str());
    assert_eq!(rows[3]["undoneBy"], rows[0]["operation"]);
    let again = ok(&env, &format!("undo {first} --yes"));
    assert!(again.stdout.contains("no changes"), "{again}");
}

#[test]
fn what_cannot_be_created_again_is_said() {
    let env = cafe();
    ok(&env, "slots delete cafe 1005 1001 --yes");
    let run = env.run("undo");
    assert!(run.stderr.contains("messenger 1005 cannot be restored"), "{run}");
    assert!(run.stderr.contains("with a new ID; its click statistics are lost"), "{run}");
    let run = ok(&env, "undo --yes -o json");
    assert_eq!(
        run.json()["data"]["notRestored"],
        json!([{"id": 1005, "type": "messenger", "page": "cafe"}])
    );
    assert_eq!(page(&env)[0][1]["title"], "Good morning!");
}

#[test]
fn fields_of_a_page_are_restored() {
    let env = cafe();
    let before = env.server.account().profiles[0].clone();
    for line in [
        "profile update cafe title=New description:=null",
        "profile settings cafe languageCode=kk",
        "profile update cafe moodText=Open moodHours:=4",
        "profile update cafe avatar=uploads/4021/terrace.jpg bgImage:=null",
        "profile update cafe socials:=[{\"link\":\"https://t.me/new\",\"order\":0}]",
    ] {
        ok(&env, line);
        let undone = ok(&env, "undo --yes");
        let now = env.server.account().profiles[0].clone();
        // A status begins anew when its text comes back.
        let without_time = |mut page: Value| {
            page["moodSetAt"].take();
            page
        };
        assert_eq!(without_time(json!(now)), without_time(json!(before)), "{line}: {undone}");
    }
    ok(&env, "profile update cafe title=New");
    env.server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    let run = env.run("undo --yes");
    assert!(
        run.exit == 7 && run.stderr.contains("title: \"New\" after the run, now \"Theirs\""),
        "{run}"
    );
    ok(&env, "undo --yes --force");
    assert_eq!(env.server.account().profiles[0].title, before.title);
}

#[test]
fn a_status_that_had_expired_is_cleared_instead_of_posted_again() {
    let env = cafe();
    env.file("cafe.yaml", "profile: cafe\nmoodText: Open\nmoodHours: 4\n");
    let status = || {
        let page = env.server.account().profiles[0].clone();
        (page.mood_text, page.mood_hours)
    };
    for line in ["apply cafe.yaml --yes", "profile update cafe moodText=Open moodHours:=4"] {
        env.server.edit(|account| {
            let page = &mut account.profiles[0];
            (page.mood_text, page.mood_hours) = (Some("Sale".to_owned()), Some(1));
            page.mood_set_at = Some("2020-01-01T00:00:00Z".parse().unwrap());
        });
        ok(&env, line);
        let undone = ok(&env, "undo --yes -o json");
        let left = json!([{"field": "moodText", "page": "cafe"}]);
        assert_eq!(undone.json()["data"]["notRestored"], left, "{line}: {undone}");
        assert_eq!(status(), (None, None), "{line}: {undone}");
        let redone = ok(&env, "redo --yes");
        assert_eq!(status(), (Some("Open".to_owned()), Some(4)), "{line}: {redone}");
        let undone = ok(&env, "undo --yes").to_string();
        assert!(undone.contains("the previous status had expired"), "{line}: {undone}");
    }
}

#[test]
fn a_login_is_changed_back_with_the_consent_that_a_rename_needs() {
    let env = cafe();
    ok(&env, "slots set cafe 1001 title=Anew");
    let older = newest(&env);
    ok(&env, "profile rename cafe cafe.mole --yes --confirm cafe");
    let run = env.run("undo --page https://links.example/cafe --dry-run");
    assert_eq!(run.exit, 3, "the page is found by its earlier URL: {run}");
    let run = env.run("undo --yes");
    assert_eq!(run.exit, 14, "{run}");
    assert!(run.stderr.contains("QR code") && run.stderr.contains("--confirm cafe.mole"), "{run}");
    ok(&env, &format!("undo {older} --yes"));
    assert_eq!(page(&env)[0][1]["title"], "Good morning!", "the page is found under its new login");
    let rename = env.run("log -o json").json()["data"][1]["operation"].as_str().unwrap().to_owned();
    let undone = ok(&env, &format!("undo {rename} --yes --confirm cafe.mole"));
    assert_eq!(env.server.account().profiles[0].login, "cafe");
    assert!(
        undone.stdout.starts_with("cafe: login\n") && undone.stdout.contains("/cafe\n"),
        "{undone}"
    );
}

#[test]
fn a_form_is_restored_with_the_keys_of_its_fields() {
    let env = cafe();
    let form = |env: &TestEnv| json!(env.server.account().forms[0]);
    let before = form(&env);
    for line in [
        format!("forms update {FORM} title=Other enabled:=false"),
        format!("forms field set {FORM} phone label=Tel"),
        format!("forms field add {FORM} type=text label=Table"),
        format!("forms field remove {FORM} phone --yes"),
    ] {
        ok(&env, &line);
        assert_ne!(form(&env), before, "{line}");
        let asked = env.run("undo");
        assert_eq!(asked.exit, 14, "{asked}");
        assert!(asked.stderr.contains("must be confirmed"), "{asked}");
        assert!(!asked.stderr.contains("cannot be undone"), "{asked}");
        let undone = ok(&env, "undo --yes");
        assert_eq!(form(&env)["title"], before["title"], "{line}: {undone}");
        let labels = |form: &Value| {
            let fields = form["fields"].as_array().unwrap();
            fields.iter().map(|it| it["label"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(labels(&form(&env)), labels(&before), "{line}: {undone}");
        if !line.contains("remove") {
            assert_eq!(form(&env), before, "{line}: {undone}");
        }
    }
}

#[test]
fn a_form_field_that_comes_back_is_sent_without_its_key() {
    let choices = Choices { foreign_keys_refused: true, ..Choices::default() };
    let env = remembering(TestEnv::with(|it| it.choices(choices)));
    let labels = || -> Vec<String> {
        let fields = env.server.account().forms[0].fields.clone();
        fields.into_iter().map(|field| field.label).collect()
    };
    let before = labels();
    for line in [
        format!("forms field remove {FORM} phone --yes"),
        format!("forms field add {FORM} type=text label=Table"),
    ] {
        ok(&env, &line);
        let (after, operation) = (labels(), newest(&env));
        let undone = ok(&env, "undo --yes");
        assert_eq!(labels(), before, "{line}: {undone}");
        ok(&env, &format!("undo {operation} --yes"));
        let redone = ok(&env, "redo --yes");
        assert_eq!(labels(), after, "{line}: {redone}");
        let undone = ok(&env, "undo --yes");
        assert_eq!(labels(), before, "{line}: {undone}");
    }
}

#[test]
fn a_slot_that_another_undo_has_made_again_is_not_taken_for_an_equal_one() {
    let env = cafe();
    let divider = |id: u64| links_fixtures::Slot::new(id, "divider", serde_json::Map::new());
    env.server.edit(|account| {
        let slots = &mut account.profiles[0].slots;
        slots.truncate(1);
        slots.insert(0, divider(1));
        slots.push(divider(3));
    });
    let before = page(&env);
    ok(&env, "slots delete cafe 1 --yes");
    let first = newest(&env);
    ok(&env, "slots delete cafe 3 --yes");
    ok(&env, &format!("undo {first} --yes"));
    let run = ok(&env, "undo --yes");
    assert_eq!(page(&env), before, "{run}");
}

#[test]
fn what_an_undo_kept_and_a_later_one_restored_counts_as_undone() {
    let env = cafe();
    ok(&env, "slots set cafe 1001 title=Anew description=Added");
    let first = newest(&env);
    set(&env, 1001, "title", "Theirs");
    ok(&env, "undo --yes --keep-changed");
    let undone = |env: &TestEnv| {
        let log = env.run("log -o json").json();
        let rows = log["data"].as_array().unwrap().clone();
        rows.last().unwrap()["undone"].clone()
    };
    assert_eq!(undone(&env), "part");
    ok(&env, &format!("undo {first} --yes --force"));
    assert_eq!(undone(&env), "whole");
}

#[test]
fn a_form_that_someone_edited_is_a_conflict() {
    let env = cafe();
    ok(&env, &format!("forms update {FORM} title=Other"));
    env.server.edit(|account| account.forms[0].title = "Theirs".to_owned());
    let run = env.run("undo --yes");
    assert!(
        run.exit == 7 && run.stderr.contains("\"Other\" after the run, now \"Theirs\""),
        "{run}"
    );
    ok(&env, "undo --yes --force");
    assert_eq!(env.server.account().forms[0].title, "Book a table");
    ok(&env, "redo --yes");
    assert_eq!(env.server.account().forms[0].title, "Theirs", "the undo of an undo");
}

#[test]
fn new_forms_and_pages_are_listed_and_cannot_be_undone() {
    let env = cafe();
    ok(&env, "slots set cafe 1001 title=Anew");
    ok(&env, "forms create title=Contact fields:=[{\"type\":\"text\",\"label\":\"Name\"}]");
    let form = newest(&env);
    ok(&env, "profile create spring.menu -y");
    let page_run = newest(&env);
    for (run, why) in [
        (&form, ": lead forms can only be deleted in the dashboard"),
        (&page_run, "pages can only be deleted in the dashboard"),
    ] {
        let refused = env.run(&format!("undo {run} --yes"));
        assert!(refused.exit == 14 && refused.stderr.contains(why), "{refused}");
    }
    let table = ok(&env, "log").stdout;
    assert!(table.contains("forms create") && table.contains("created "), "{table}");
    let undone = ok(&env, "undo --yes");
    assert!(undone.stderr.contains("slots set"), "the newest that can be undone: {undone}");
    assert!(undone.stderr.contains("skipped `links profile create"), "{undone}");
}

#[test]
fn why_nothing_can_be_undone_is_said_once() {
    let env = cafe();
    env.file("form.yaml", "title: New\nfields:\n  - {label: Name, type: text, required: true}\n");
    ok(&env, "forms create form.yaml");
    let run = env.run("undo --yes");
    assert_eq!(run.exit, 6, "{run}");
    assert_eq!(run.stderr.matches("skipped `links forms create").count(), 1, "{run}");
    assert!(run.stderr.contains("nothing to undo"), "{run}");
}

#[test]
fn there_may_be_nothing_to_undo() {
    let env = cafe();
    let run = env.run("undo --yes");
    assert!(run.exit == 6 && run.stderr.contains("nothing to undo"), "{run}");
    assert_eq!(env.run("undo 00 --yes").exit, 6);
    assert_eq!(env.run("slots set cafe 1001 colour=red").exit, 8);
    assert_eq!(env.run("log -o json").json()["data"][0]["state"], "refused");
    assert_eq!(env.run("undo --yes").exit, 6);
}

/// The file has the old id, and the lock knows the new one.
#[test]
fn a_file_with_the_id_of_a_restored_slot_still_applies() {
    let env = cafe();
    env.server.edit(|account| account.profiles[0].slots.truncate(2));
    ok(&env, "init");
    env.file(
        "cafe.yaml",
        "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: Good morning!}}\n  - {id: 1002, type: button, data: {title: Menu}}\n",
    );
    ok(&env, "slots apply cafe.yaml");
    ok(&env, "slots delete cafe 1002 --yes");
    ok(&env, "undo --yes");
    let new = ids(&env)[1];
    assert_ne!(new, 1002);
    let lock = std::fs::read_to_string(env.home.path().join("links.lock")).unwrap();
    assert!(
        lock.lines().any(|it| it.contains(&format!(" {new} ")) && it.ends_with(" 1002")),
        "{lock}"
    );
    let applied = ok(&env, "slots apply cafe.yaml");
    assert!(applied.stdout.contains("no changes"), "{applied}");
    env.file(
        "cafe.yaml",
        "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: Good morning!}}\n  - {id: 1002, type: button, data: {title: Our menu}}\n",
    );
    let applied = ok(&env, "slots apply cafe.yaml");
    assert!(applied.stdout.contains("1 updated"), "{applied}");
    assert_eq!(page(&env)[1][1]["title"], "Our menu");
}

/// Without a lock, the record of the file in the state directory knows the new one.
#[test]
fn a_file_without_a_lock_still_applies_with_the_id_of_a_restored_slot() {
    let env = cafe();
    env.server.edit(|account| account.profiles[0].slots.truncate(2));
    let file = |title: &str| {
        let slots = format!(
            "  - {{id: 1001, type: text}}\n  - {{id: 1002, type: button, data: {{title: {title}}}}}\n"
        );
        env.file("cafe.yaml", format!("profile: cafe\nslots:\n{slots}"));
    };
    file("Menu");
    ok(&env, "slots apply cafe.yaml");
    ok(&env, "slots delete cafe 1002 --yes");
    ok(&env, "undo --yes");
    assert!(!ids(&env).contains(&1002));
    file("Our menu");
    let applied = ok(&env, "slots apply cafe.yaml");
    assert!(applied.stdout.contains("1 updated"), "{applied}");
    assert_eq!(page(&env)[1][1]["title"], "Our menu");
}

/// A form and a page that `links apply` has written are one operation.
#[test]
fn a_form_and_a_page_of_one_command_are_undone_and_redone_together() {
    let env = cafe();
    env.file("cafe.yaml", "profile: cafe\ntitle: New title\nslots:\n  - {id: 1001, type: text, data: {title: Anew}}\n");
    env.file(
        "form.yaml",
        format!("form: booking\nid: {FORM}\ntitle: Other\nfields: []\n")
            .replace("fields: []\n", ""),
    );
    let before = (page(&env), env.server.account().profiles[0].title.clone());
    let applied = env.run("apply cafe.yaml form.yaml --yes");
    assert_eq!(applied.exit, 0, "{applied}");
    assert_eq!(env.server.account().forms[0].title, "Other");
    assert_ne!(page(&env), before.0);
    let log = env.run("log -o json").json();
    let rows = log["data"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{log}");
    assert_eq!(
        (&rows[0]["command"], &rows[0]["state"], &rows[0]["wrote"]),
        (
            &"apply cafe.yaml form.yaml --yes".into(),
            &"done".into(),
            &json!([format!("form {FORM}"), "cafe"])
        )
    );
    let after = (page(&env), env.server.account().profiles[0].title.clone());
    let asked = env.run("undo");
    assert_eq!(asked.exit, 14, "{asked}");
    for part in ["Book a table", "Good morning!", "pass --yes"] {
        assert!(asked.stderr.contains(part), "{part}: {asked}");
    }
    assert_eq!(env.server.account().forms[0].title, "Other", "nothing was written");
    let undone = ok(&env, "undo --yes");
    assert_eq!((page(&env), env.server.account().profiles[0].title.clone()), before, "{undone}");
    assert_eq!(env.server.account().forms[0].title, "Book a table");
    let redone = ok(&env, "redo --yes -o json").json();
    assert_eq!(redone["data"]["forms"], json!({ "Other": FORM }), "{redone}");
    assert_eq!((page(&env), env.server.account().profiles[0].title.clone()), after);
    assert_eq!(env.server.account().forms[0].title, "Other");
    let shown = ok(&env, &format!("log {}", newest(&env))).stdout;
    for part in ["redo --yes", "~ cafe: ", "Anew", &format!("~ form {FORM}: title"), "Other"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

/// A deletion that was applied from a file is regretted: the undo brings the slots back, and version control the file, with or without the lock.
#[test]
fn a_file_from_before_a_deletion_that_was_undone_still_applies() {
    for is_lock_restored in [false, true] {
        let env = cafe();
        ok(&env, "init");
        ok(&env, "pull cafe -O cafe.yaml");
        let (file, lock) = (text(&env, "cafe.yaml"), text(&env, "links.lock"));
        let items: Vec<&str> = file.split("  - id: ").collect();
        let without =
            |id: &&&str| ["1002", "1006", "1007"].iter().all(|gone| !id.starts_with(gone));
        let kept: Vec<&str> = items.iter().filter(without).copied().collect();
        env.file("cafe.yaml", kept.join("  - id: "));
        let before = page(&env);
        ok(&env, "apply cafe.yaml --yes");
        assert_eq!(page(&env).len(), before.len() - 3);
        ok(&env, "undo --yes");
        assert_eq!(page(&env), before);
        env.file("cafe.yaml", file);
        if is_lock_restored {
            env.file("links.lock", lock);
        }
        let all = ids(&env);
        let plan = ok(&env, "plan cafe.yaml");
        assert!(plan.stdout.contains("no changes"), "{plan}");
        assert!(plan.stdout.contains("recreated in place of slot 1002"), "{plan}");
        ok(&env, "apply cafe.yaml");
        assert_eq!(ids(&env), all);
        // From now on the lock knows the earlier ids, also of what is edited.
        let edited = text(&env, "cafe.yaml").replace("title: Menu", "title: Our menu");
        env.file("cafe.yaml", edited);
        let applied = ok(&env, "apply cafe.yaml");
        assert!(applied.stdout.contains("1 updated"), "{applied}");
        assert_eq!((ids(&env), &page(&env)[1][1]["title"]), (all, &json!("Our menu")));
    }
}

/// The page, its title and the title of the form.
fn written(env: &TestEnv) -> (Vec<Value>, Option<String>, String) {
    let account = env.server.account();
    (page(env), account.profiles[0].title.clone(), account.forms[0].title.clone())
}

/// The same line again continues an undo that was ended anywhere, and creates nothing twice. It can be redone, and the operation before it
/// undone.
#[test]
fn an_undo_that_is_ended_anywhere_is_continued_by_the_next() {
    for (line, most) in [
        ("slots delete cafe 1002 1003 --yes", 2),
        ("slots apply page.yaml --prune --yes --max-deletes 50", 2),
        ("slots move cafe 1004 --top", 0),
        ("slots add cafe text title=New --top", 0),
        ("profile update cafe title=New", 0),
        ("forms update 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 title=Other", 0),
    ] {
        let mut cuts = 0;
        for nth in places() {
            let env = cafe();
            page_file(&env);
            env.server.edit(|account| account.profiles[0].slots.retain(|slot| slot.id < 1005));
            let first = written(&env);
            ok(&env, "profile update cafe title=Older");
            let before = written(&env);
            ok(&env, line);
            let after = written(&env);
            let next_id = env.server.account().next_id;
            let cut = cut_short(&env, "undo --yes", &format!("any:{nth}"));
            if cut.status.success() {
                break;
            }
            cuts += 1;
            let last = newest(&env);
            let rows = env.run("log -n 1 -o json").json();
            let is_done =
                rows["data"][0]["command"] == "undo --yes" && rows["data"][0]["state"] == "done";
            let again = if is_done { ok(&env, "log") } else { ok(&env, "undo --yes") };
            assert_eq!(written(&env), before, "{line}, any:{nth}, {last}: {again}");
            let created = env.server.account().next_id - next_id;
            assert!(created <= most, "{line}, any:{nth}: {created} created");
            let redone = ok(&env, "redo --yes");
            assert_eq!(written(&env), after, "{line}, any:{nth}, {last}: {redone}");
            ok(&env, "undo --yes");
            let older = ok(&env, "undo --yes");
            assert_eq!(written(&env), first, "{line}, any:{nth}, {last}: {older}");
        }
        assert!(cuts > 2, "{line}: {cuts}");
    }
}

/// Writes, and begins an undo that is ended before its write.
fn begun_undo(line: &str) -> TestEnv {
    for nth in 1.. {
        let env = cafe();
        ok(&env, "slots types");
        ok(&env, line);
        let before = written(&env);
        let cut = cut_short(&env, "undo --yes", &format!("any:{nth}"));
        assert!(!cut.status.success(), "{line}: it was never ended before its write");
        let row = env.run("log -n 1 -o json").json()["data"][0].clone();
        if row["kind"] == "undo" && row["state"] == "unfinished" && written(&env) == before {
            return env;
        }
    }
    unreachable!()
}

/// Changes the page as another client does, while the undo waits for the answer to each of its reads in turn.
#[test]
fn what_others_change_during_an_undo_is_not_overwritten() {
    let lines = ["slots set cafe 1001 title=Anew", "profile update cafe title=New"];
    for (line, is_begun) in lines.into_iter().flat_map(|line| [(line, false), (line, true)]) {
        let is_slot = line.starts_with("slots");
        let mut conflicts = 0;
        for request in 1.. {
            let env = if is_begun { begun_undo(line) } else { cafe() };
            if !is_begun {
                ok(&env, "slots types");
                ok(&env, line);
            }
            env.operations();
            env.server.fail(request..=request, &Fault::StallAfter);
            let mut command = env.command(["undo", "--yes"]);
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            while env.server.requests().len() < request && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
            if env.server.requests().len() < request {
                assert_eq!(child.wait().unwrap().code(), Some(0));
                break;
            }
            wait(env.server.until_stalled(1));
            env.server.edit(|account| {
                let page = &mut account.profiles[0];
                page.title = Some("Theirs".to_owned());
                page.slots[0].data.insert("title".to_owned(), "Theirs".into());
            });
            env.server.release();
            let output = child.wait_with_output().unwrap();
            let shown = String::from_utf8_lossy(&output.stderr);
            let page = &env.server.account().profiles[0];
            let now = if is_slot { page.slots[0].data["title"].clone() } else { json!(page.title) };
            // Nothing is known of what happens between the last read and the write after it.
            let is_last_read =
                env.server.requests().get(request).is_some_and(|it| it.method != "GET");
            let at = format!("{line}, begun: {is_begun}, request {request}: {shown}");
            assert!(now == "Theirs" || is_last_read, "{at}");
            conflicts += usize::from(output.status.code() == Some(7));
        }
        assert!(conflicts > 0, "{line}");
    }
}

#[test]
fn the_beginning_of_several_runs_names_them() {
    let env = cafe();
    for nth in 0..12 {
        ok(&env, &format!("slots set cafe 1002 title=Menu{nth}"));
    }
    for title in ["A", "B"] {
        let item = format!("{{id: 1001, type: text, data: {{title: {title}}}}}");
        env.file("page.yaml", format!("profile: cafe\nslots:\n  - {item}\n"));
        ok(&env, "slots apply page.yaml");
    }
    let runs = ok(&env, "log -o ids").stdout;
    let start = &runs[..2];
    env.operations();
    let run = env.run(&format!("undo {start} --yes"));
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.stderr.contains(&format!("{start} matches ")), "{run}");
    assert!(run.stderr.contains("operations; nothing was written"), "{run}");
    let named = runs.lines().filter(|name| run.stderr.contains(name)).count();
    assert!((2..=10).contains(&named), "{named}: {run}");
    assert_eq!(run.stderr.contains(", …"), named == 10, "{run}");
    assert_eq!(env.operations(), [""; 0]);
}

#[test]
fn the_plan_of_a_large_undo_is_shortened() {
    let env = cafe();
    let rows: String =
        (0..120).map(|nth| format!("Row {nth},https://qara.example/{nth}\n")).collect();
    env.file("menu.csv", format!("title,link\n{rows}"));
    ok(&env, "slots import cafe menu.csv --type button --yes");
    let edit = [
        "slots",
        "rewrite",
        "cafe",
        "--where",
        ".type == \"button\"",
        "--edit",
        ".data.title += \"!\"",
        "--yes",
    ];
    let rewritten = env.run_args(edit.iter(), b"");
    assert_eq!(rewritten.exit, 0, "{rewritten}");
    let lines = |options: &str| {
        let run = env.run(&format!("undo --dry-run {options}"));
        assert_eq!(run.exit, 3, "{run}");
        format!("{}{}", run.stdout, run.stderr).lines().filter(|line| line.contains("Row ")).count()
    };
    let (short, full) = (lines(""), lines("--full"));
    assert!(short < 40 && full >= 120, "{short} {full}");
}
