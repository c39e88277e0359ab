//! Tests of undoing a deletion of slots: what counts as a deleted slot that is there again, and what is another slot.

use links_fixtures::{Choices, Slot};
use serde_json::{Value, json};

use crate::steps::cut_short;
use crate::test_env::{CommandResult, TestEnv};

const CREATED_ONE: &str = "recreates 1 deleted slot, with a new ID; its click statistics are lost";

/// Returns the café with these slots alone, with state that outlives a command.
fn cafe(slots: &[(u64, &str, Value)]) -> TestEnv {
    with_slots(TestEnv::cafe(), slots)
}

fn with_slots(env: TestEnv, slots: &[(u64, &str, Value)]) -> TestEnv {
    let slot = |(id, kind, data): &(u64, &str, Value)| {
        Slot::new(*id, *kind, data.as_object().unwrap().clone())
    };
    let slots = slots.iter().map(slot).collect();
    env.server.edit(|account| account.profiles[0].slots = slots);
    let directory = env.home.path().join("state").display().to_string();
    env.keeping_state().env("LINKS_TEST_NO_WAIT", "1").env("LINKS_STATE_DIR", directory)
}

/// Ends an undo right after its creates were sent.
fn interrupt(env: &TestEnv, line: &str) {
    let ended = cut_short(env, line, "after_send:3");
    assert_eq!(ended.status.code(), None, "{}", String::from_utf8_lossy(&ended.stderr));
}

/// Leaves only these slots, and returns the command that undoes it.
fn delete_all_but(env: &TestEnv, ids: &[u64]) -> String {
    let slots = &env.server.account().profiles[0].slots;
    let kept = slots.iter().filter(|slot| ids.contains(&slot.id));
    let items: Vec<_> = kept.map(|slot| json!({ "id": slot.id, "type": slot.kind })).collect();
    env.file("less.json", json!({ "profile": "cafe", "slots": items }).to_string());
    let pruned = env.run("slots apply less.json --prune --yes --max-deletes 9 --allow-empty");
    assert_eq!(pruned.exit, 0, "{pruned}");
    let history = env.run("log -o json").json();
    format!("undo {} --yes", history["data"][0]["operation"].as_str().unwrap())
}

/// Returns the ids and the content of the slots.
fn page(env: &TestEnv) -> Vec<(u64, Value)> {
    let slots = &env.server.account().profiles[0].slots;
    slots.iter().map(|slot| (slot.id, json!(slot.data))).collect()
}

fn contents(env: &TestEnv) -> Vec<Value> {
    page(env).into_iter().map(|(_, data)| data).collect()
}

fn restored(env: &TestEnv, line: &str) -> CommandResult {
    let restored = env.run(line);
    assert_eq!(restored.exit, 0, "{restored}");
    restored
}

fn changes_nothing(env: &TestEnv, line: &str) {
    let before = page(env);
    let again = restored(env, line);
    assert!(again.stdout.contains("no changes"), "{again}");
    assert!(!again.stderr.contains("created again"), "{again}");
    assert_eq!(page(env), before);
}

fn menu() -> Value {
    json!({ "title": "Menu", "link": "https://qara.example/menu" })
}

#[test]
fn a_newer_slot_with_the_same_title_stays_and_the_deleted_one_is_created() {
    let text = json!({ "title": "Hours", "description": "8 to 8" });
    let env = cafe(&[(1, "button", menu()), (2, "text", text.clone())]);
    let line = delete_all_but(&env, &[2]);
    for data in [
        "title=Menu link=https://qara.example/menu style=outline",
        "title=Menu link=https://a.example",
    ] {
        assert_eq!(env.run(&format!("slots add cafe button {data}")).exit, 0);
    }
    let newer = page(&env).split_off(1);

    let result = restored(&env, &line);
    assert!(result.stderr.contains(CREATED_ONE), "{result}");
    assert!(result.stdout.contains("1 created"), "{result}");
    let page = page(&env);
    assert_eq!(contents(&env)[..2], [menu(), text]);
    assert_eq!(page[2..], newer);
    changes_nothing(&env, &line);
}

#[test]
fn a_created_slot_is_found_again_with_what_the_service_filled_in() {
    let picture = json!({ "image": "uploads/4021/terrace.jpg", "title": "Terrace" });
    let choices = Choices { computed_in_data: true, open_schemas: true, ..Choices::default() };
    let slots = [(1, "button", menu()), (2, "picture", picture), (3, "divider", json!({}))];
    let env = with_slots(TestEnv::with(|it| it.choices(choices)), &slots);
    let line = delete_all_but(&env, &[]);
    let dry = env.run(&line.replace("--yes", "--dry-run"));
    assert!(dry.stdout.contains("recreates 3 deleted slots, with new IDs"), "{dry}");
    let result = restored(&env, &line);
    assert!(result.stderr.contains("recreates 3 deleted slots, with new IDs"), "{result}");
    env.server.edit(|account| {
        let data = &mut account.profiles[0].slots[0].data;
        data.insert("style".to_owned(), "primary".into());
    });
    changes_nothing(&env, &line);
}

#[test]
fn a_restored_slot_is_found_again_whatever_others_made_of_it() {
    let env = cafe(&[(1, "button", menu()), (2, "text", json!({ "title": "Hours" }))]);
    let line = delete_all_but(&env, &[2]);
    restored(&env, &line);
    let (id, _) = page(&env)[0];
    assert_eq!(env.run(&format!("slots set cafe {id} style=outline title=Card")).exit, 0);

    let result = restored(&env, &line);
    assert!(!result.stderr.contains("created again"), "{result}");
    let edited =
        json!({ "title": "Card", "link": "https://qara.example/menu", "style": "outline" });
    assert_eq!(page(&env), [(id, edited), (2, json!({ "title": "Hours" }))]);
    changes_nothing(&env, &line);
}

/// Key values that the service fills in are on the page right after the create, and no schema says so.
#[test]
fn a_restored_slot_is_found_again_with_values_that_no_schema_declares() {
    let env = cafe(&[(1, "button", menu()), (2, "text", json!({ "title": "Hours" }))]);
    let line = delete_all_but(&env, &[2]);
    interrupt(&env, &line);
    let fill_in = |key: &str, value: &str| {
        env.server.edit(|account| {
            let mut slots = account.profiles[0].slots.iter_mut();
            let button = slots.find(|slot| slot.kind == "button").unwrap();
            button.data.insert(key.to_owned(), value.into());
        });
    };
    fill_in("layout", "grid");
    for style in ["outline", "primary"] {
        fill_in("style", style);
        let result = restored(&env, &line);
        assert!(!result.stderr.contains("created again"), "{result}");
        assert_eq!(page(&env).len(), 2, "{result}");
    }
    changes_nothing(&env, &line);
}

#[test]
fn an_interrupted_undo_creates_nothing_twice_whether_it_is_continued_or_not() {
    for is_discarded in [false, true] {
        let env = cafe(&[
            (1, "button", menu()),
            (2, "text", json!({ "title": "Hours" })),
            (3, "divider", json!({})),
        ]);
        let line = delete_all_but(&env, &[2]);
        interrupt(&env, &line);
        assert_eq!(page(&env).len(), 3, "both slots were created");
        if is_discarded {
            let aborted = env.run("slots apply --abort less.json");
            assert_eq!(aborted.exit, 0, "{aborted}");
        }
        let again = restored(&env, &line);
        assert!(!again.stderr.contains("created again"), "{again}");
        assert_eq!(contents(&env), [menu(), json!({ "title": "Hours" }), json!({})]);
        changes_nothing(&env, &line);
    }
}

#[test]
fn a_continued_undo_keeps_what_others_added_to_a_slot_that_it_created() {
    let env = cafe(&[(1, "button", menu()), (2, "text", json!({ "title": "Hours" }))]);
    let line = delete_all_but(&env, &[2]);
    interrupt(&env, &line);
    env.server.edit(|account| {
        let slot = account.profiles[0].slots.iter_mut().find(|slot| slot.kind == "button").unwrap();
        slot.data.insert("style".to_owned(), "outline".into());
    });
    let result = restored(&env, &line);
    assert!(!result.stderr.contains("created again"), "{result}");
    let with_style =
        json!({ "title": "Menu", "link": "https://qara.example/menu", "style": "outline" });
    assert_eq!(contents(&env), [with_style, json!({ "title": "Hours" })]);
    changes_nothing(&env, &line);
}
