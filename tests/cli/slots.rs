//! Tests of single slots: added, changed, moved, deleted, and their types explained.

use std::process::Stdio;

use links_fixtures::{Account, Fault};
use serde_json::{Value, json};

use crate::test_env::TestEnv;

/// Returns the ids of the café's slots, as the page shows them.
fn order(env: &TestEnv) -> Vec<u64> {
    env.server.account().profiles[0].slots.iter().map(|slot| slot.id).collect()
}

#[test]
fn slot_commands_print_human_readable_output() {
    let env = TestEnv::in_june();
    let lines = [
        "slots add qara.weddings button title=Menu link=https://qara.example/menu --top",
        "slots set qara.weddings 1101 title=Costs",
        "slots move qara.weddings 1102 --before 1101",
        "slots delete qara.weddings 1102 1101",
        "slots delete qara.weddings 1102 --yes",
        "slots types",
        "slots explain button",
        "slots explain event",
        "slots explain faq items",
        "slots template button",
        "slots template divider",
    ];
    for line in lines {
        let run = env.run(line);
        insta::assert_snapshot!(run.snapshot_name(), run);
    }
}

#[test]
fn a_new_slot_is_placed_by_its_position_flag() {
    for (place, at) in [
        ("", 14),
        ("--bottom", 14),
        ("--top", 0),
        ("--at 4", 3),
        ("--at 1", 0),
        ("--before 1004", 3),
        ("--after 1004", 4),
    ] {
        let env = TestEnv::cafe();
        let run = env.run(&format!("slots add cafe divider {place} -o json"));
        assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
        let id = run.json()["data"]["id"].as_u64().unwrap();
        assert_eq!(order(&env).iter().position(|it| *it == id), Some(at), "{place}");
        let reads = usize::from(place.contains("100"));
        assert_eq!(env.operations().len(), 1 + reads, "{place}");
    }
    let env = TestEnv::cafe();
    assert_eq!(env.run("slots add cafe divider --before 9").exit, 6);
    assert_eq!(env.run("slots add cafe divider --top --bottom").exit, 2);
    assert_eq!(env.run("slots add cafe divider --at 0").exit, 2);
    assert_eq!(env.run("slots add cafe divider one.yaml two.yaml").exit, 2);
    assert_eq!(env.run("slots add cafe event title=New").exit, 7);
    assert_eq!(order(&env).len(), 14);
}

#[test]
fn the_data_of_a_slot_comes_from_a_file_from_stdin_and_from_values() {
    let env = TestEnv::cafe();
    env.file("data.yaml", "title: Menu\nlink: https://qara.example/menu\n");
    let run = env.run("slots add cafe button data.yaml title=Carte -o json");
    let expected = json!({ "title": "Carte", "link": "https://qara.example/menu" });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&run.json()["data"]["data"][field], value, "{run}");
    }
    let run = env.run_args(["slots", "set", "cafe", "1001", "-"], b"{\"title\": null}");
    assert_eq!(run.exit, 0, "{run}");
    let slot = &env.server.account().profiles[0].slots[0];
    assert_eq!(slot.data["title"], Value::Null);
    assert!(slot.data["description"].is_string(), "what is not named stays");

    env.file("data.yaml", "title: Menu\ncolour: red\nlink: no link\n");
    for line in ["slots add cafe button data.yaml", "slots set cafe 1002 data.yaml"] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!(run.exit, 8, "{run}");
        let places: Vec<_> =
            run.error()["places"].as_array().unwrap().iter().map(|it| it["line"].clone()).collect();
        assert_eq!(places, [2, 3], "{run}");
    }
    let run = env.run("slots add cafe button data.yaml colour=blue -o json");
    assert!(
        run.error()["errors"].get("data.colour").is_some(),
        "a value is no line of the file\n{run}"
    );
}

#[test]
fn a_move_is_one_write_and_none_where_the_slot_is_there_already() {
    for (id, place, at) in [
        (1004, "--top", 0),
        (1004, "--bottom", 13),
        (1004, "--before 1002", 1),
        (1002, "--after 1004", 3),
        (1004, "--at 99", 13),
    ] {
        let env = TestEnv::cafe();
        let run = env.run(&format!("slots move cafe {id} {place} -o json"));
        assert_eq!(run.exit, 0, "{run}");
        assert_eq!(run.json()["data"][at]["id"], id, "{run}");
        assert_eq!(order(&env).iter().position(|it| *it == id), Some(at), "{place}");
        assert_eq!(env.operations(), ["listSlots", "listSlots", "reorderSlots"]);
    }
    let env = TestEnv::cafe();
    for line in ["slots move cafe 1001 --top", "slots move cafe 1002 --after 1001"] {
        assert_eq!(env.run(line).exit, 0);
        assert_eq!(env.operations(), ["listSlots"], "{line}");
    }
    assert_eq!(env.run("slots move cafe 1001").exit, 2);
    assert_eq!(env.run("slots move cafe 9 --top").exit, 6);
    assert_eq!(env.run("slots move cafe 1001 --before 1001").exit, 6);
}

#[test]
fn slots_that_are_moved_at_the_same_time_are_all_moved() {
    let env = TestEnv::cafe().keeping_state();
    let moved = order(&env)[8..].to_vec();
    let children: Vec<_> = moved
        .iter()
        .map(|id| {
            let line = format!("slots move cafe {id} --top");
            let mut command = env.command(line.split(' '));
            command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut top = order(&env)[..moved.len()].to_vec();
    top.sort_unstable();
    assert_eq!(top, moved);
}

#[test]
fn an_incomplete_order_is_refused_with_the_ids_that_are_wrong() {
    let env = TestEnv::cafe();
    let run = env.run("slots reorder qara.weddings 1102 1101");
    assert_eq!(run.exit, 0, "{run}");
    let ids: Vec<_> = env.server.account().profiles[1].slots.iter().map(|slot| slot.id).collect();
    assert_eq!(ids, [1102, 1101]);
    env.operations();
    let run = env.run("slots reorder qara.weddings 1101 1101 7 -o json");
    assert_eq!(run.exit, 8, "{run}");
    let message = run.error()["message"].as_str().unwrap().to_owned();
    for part in ["missing: 1102", "duplicate or unknown: 1101 7"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(env.operations(), ["listSlots"]);
}

#[test]
fn a_delete_shows_the_slots_and_returns_their_data() {
    let env = TestEnv::cafe();
    let run = env.run("slots delete cafe 1002 1007");
    assert_eq!((run.exit, run.stdout.as_str()), (14, ""), "{run}");
    for part in ["\"Menu\"", "https://qara.example/menu", "clicks in the last 28 days", "--yes"] {
        assert!(run.stderr.contains(part), "{part}\n{run}");
    }
    assert_eq!(env.operations(), ["listSlots", "getProfileAnalytics"]);

    let run = env.run("slots delete cafe 1002 1002 1007 --yes -o json");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
    assert_eq!(run.json()["meta"], json!({ "deleted": 2, "total": 12 }));
    assert_eq!(run.json()["data"][0]["data"]["title"], "Menu");
    assert_eq!(env.operations(), ["listSlots", "listSlots", "deleteSlots"]);

    let run = env.run("slots delete cafe 1001 9 --yes");
    assert_eq!(run.exit, 6, "{run}");
    assert!(run.stderr.contains('9') && order(&env).contains(&1001), "{run}");
    assert_eq!(env.run("slots delete cafe 1008 --yes").exit, 7, "an event cannot be deleted");
}

#[test]
fn more_slots_than_a_request_takes_are_deleted_in_several() {
    let env = TestEnv::cafe();
    env.file(
        "page.yaml",
        format!("profile: qara.weddings\nslots:\n{}", "  - {type: divider}\n".repeat(60)),
    );
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    let ids: Vec<String> = env.server.account().profiles[1].slots[2..]
        .iter()
        .map(|slot| slot.id.to_string())
        .collect();
    env.operations();
    let run = env.run(&format!("slots delete qara.weddings --yes {}", ids.join(" ")));
    assert_eq!(run.stdout, "deleted 60 slots, 2 left\n", "{run}");
    assert_eq!(
        env.operations(),
        ["listSlots", "listSlots", "deleteSlots", "listSlots", "deleteSlots"]
    );
}

#[test]
fn types_are_explained_from_what_the_service_says() {
    let env = TestEnv::cafe();
    assert_eq!(env.run("slots types -o json").json()["data"].as_array().unwrap().len(), 12);
    assert_eq!(env.run("slots explain button -o json").json()["data"]["type"], "button");
    let field = env.run("slots explain button style -o json").json()["data"].clone();
    assert_eq!(
        (&field["required"], &field["enumLabels"]["outline"]),
        (&json!(false), &json!("Outlined"))
    );
    let run = env.run("slots explain faq items.question");
    assert!(run.stdout.contains("items.question: string"), "{run}");
    assert_eq!(env.run("slots explain button colour").exit, 6);
    for line in ["slots explain nothing", "slots template nothing"] {
        assert_eq!(env.run(line).exit, 6, "{line}");
    }
    assert_eq!(env.run("slots template event").exit, 7);
}

#[test]
fn a_template_can_be_pasted_into_a_page_file_and_applied() {
    let env = TestEnv::cafe();
    for kind in ["button", "text", "faq", "divider", "music"] {
        let item = env.run(&format!("slots template {kind}")).stdout;
        env.file("page.yaml", format!("profile: qara.weddings\nslots:\n{item}"));
        let run = env.run("slots apply page.yaml");
        assert_eq!(run.exit, 0, "{kind}\n{item}\n{run}");
    }
    assert_eq!(env.server.account().profiles[1].slots.len(), 2 + 5);
}

/// Returns a café whose server refuses a request because of its rate limit, and where another client uses the wait.
fn meddled(request: usize, edit: impl FnOnce(&mut Account) + Send + 'static) -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    env.server.fail([request], &Fault::RateLimited(Some("30".into())));
    env.server.edit_after(request, edit);
    env
}

fn rename_first(account: &mut Account) {
    account.profiles[0].slots[0].data.insert("title".into(), "Theirs".into());
}

#[test]
fn changes_by_others_in_a_wait_are_not_overwritten() {
    let move_first: fn(&mut Account) = |account| account.profiles[0].slots.swap(0, 1);
    let retitle: fn(&mut Account) = |account| account.profiles[0].title = Some("Theirs".into());
    let relogin: fn(&mut Account) = |account| account.profiles[0].login = "cafe.theirs".into();
    let order = TestEnv::cafe().server.account().profiles[0].slots.clone();
    let order: Vec<_> = order.iter().rev().map(|slot| slot.id.to_string()).collect();
    let reorder = format!("slots reorder cafe {}", order.join(" "));
    let language: fn(&mut Account) = |account| account.profiles[0].language_id = Some(2);
    for (request, edit, line) in [
        (2, rename_first as fn(&mut Account), "slots set cafe 1001 title=Mine"),
        (3, rename_first, "slots delete cafe 1001 1002 --yes"),
        (3, move_first, &*reorder),
        (2, retitle, "profile update cafe title=Mine"),
        (2, language, "profile settings cafe languageCode=kk"),
        (4, relogin, "profile rename cafe cafe.mine --yes --confirm cafe"),
    ] {
        let env = meddled(request, edit);
        let run = env.run(line);
        assert_eq!(run.exit, 7, "{run}");
        let mut expected = TestEnv::cafe().server.account().profiles.remove(0);
        let account = env.server.account();
        let mut theirs = account.clone();
        theirs.profiles[0] = expected.clone();
        edit(&mut theirs);
        expected = theirs.profiles.remove(0);
        assert_eq!(account.profiles[0], expected, "only what they did: {run}");
        let error = env.run(&format!("{line} -o json"));
        assert!(error.exit == 0 || error.exit == 6, "it may be run again: {error}");
    }
}

#[test]
fn a_move_is_made_in_the_order_that_others_left() {
    let env = meddled(3, |account| account.profiles[0].slots.swap(0, 1));
    let run = env.run("slots move cafe 1007 --top");
    assert_eq!(run.exit, 0, "{run}");
    let slots = env.server.account().profiles[0].slots.clone();
    let ids: Vec<_> = slots.iter().take(4).map(|it| it.id).collect();
    assert_eq!(ids, [1007, 1002, 1001, 1003], "{run}");
}

#[test]
fn a_write_whose_answer_is_lost_is_found_and_not_repeated() {
    for (request, line) in [
        (2, "slots set cafe 1001 title=Mine"),
        (3, "slots delete cafe 1001 1002 --yes"),
        (3, "slots move cafe 1007 --top"),
        (2, "profile update cafe title=Mine"),
        (4, "profile rename cafe cafe.mine --yes --confirm cafe"),
    ] {
        for fault in [Fault::DropAfter, Fault::Truncated, Fault::After(502)] {
            let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
            env.server.fail([request], &fault);
            // Another client edits after the next request.
            env.server.edit_after(request + 1, rename_first);
            let run = env.run(line);
            assert_eq!(run.exit, 0, "{fault:?}: {run}");
            let requests = env.server.requests();
            let writes = requests.iter().filter(|it| it.method != "GET").count();
            assert_eq!(writes, 1, "{fault:?}: {run}");
        }
    }
}

#[test]
fn a_rename_prints_the_old_and_the_new_login() {
    let env = TestEnv::cafe();
    let run = env.run("profile rename cafe cafe.mole --yes --confirm cafe");
    assert_eq!(
        (run.exit, run.stdout.as_str()),
        (0, "changed the login from cafe to cafe.mole\n"),
        "{run}"
    );
}
