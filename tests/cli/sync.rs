//! Tests of page files below a `links.lock`: what both sides changed since the last sync.

use std::fs;

use links_fixtures::{Choices, Fault, Slot};
use links_pages::sync::Lock;
use serde_json::{Value, json};

use crate::auth::log_in;
use crate::steps::{Beginning, SLOTS, cut_short, edit_slots, ok, path, places, text};
use crate::test_env::{TestEnv, picture};

/// Returns a café whose page was made from a file, and the record of that. No command finds the state of another one: each might run on
/// another machine that has the same files.
fn synced() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    env.server.edit(|account| account.profiles[0].slots.clear());
    ok(&env, "init");
    env.file("cafe.yaml", SLOTS);
    let applied = ok(&env, "slots apply cafe.yaml");
    assert!(applied.stdout.contains("3 created"), "{applied}");
    env.operations();
    env
}

fn set(env: &TestEnv, nth: usize, key: &str, value: &str) {
    edit_slots(env, |slots| {
        slots[nth].data.insert(key.to_owned(), value.into());
    });
}

fn page(env: &TestEnv) -> Vec<(String, Value)> {
    let slots = &env.server.account().profiles[0].slots;
    slots.iter().map(|slot| (slot.kind.clone(), json!(slot.data))).collect()
}

fn title(env: &TestEnv, nth: usize) -> Value {
    page(env)[nth].1["title"].clone()
}

#[test]
fn what_a_run_wrote_that_failed_twice_is_its_own() {
    let env = TestEnv::cafe().keeping_state().env("LINKS_TEST_NO_WAIT", "1");
    env.server.edit(|account| account.profiles[0].slots.clear());
    ok(&env, "init");
    env.file(
        "cafe.yaml",
        SLOTS.to_owned()
            + "  - {type: button, data: {title: Doomed, link: 'https://old.example'}}\n",
    );
    ok(&env, "slots apply cafe.yaml");
    let edited = SLOTS.replace("Menu", "Card");
    env.file("cafe.yaml", format!("{edited}  - {{type: text, data: {{title: Closed tody}}}}\n"));
    for operation in ["createSlots", "deleteSlots"] {
        env.server.fail_operation(operation, 1, &Fault::Before(400));
        let failed = env.run("slots apply cafe.yaml --yes");
        assert_ne!(failed.exit, 0, "{failed}");
    }
    let titles = || (0..page(&env).len()).map(|nth| title(&env, nth)).collect::<Vec<_>>();
    assert!(titles().contains(&json!("Closed tody")) && titles().contains(&json!("Doomed")));
    env.file("cafe.yaml", format!("{edited}  - {{type: text, data: {{title: Closed today}}}}\n"));
    let run = ok(&env, "slots apply cafe.yaml --yes");
    let expected = titles().iter().filter(|title| *title == "Closed today").count();
    assert!(expected == 1 && page(&env).len() == 4, "{:?}: {run}", titles());
    ok(&env, "slots plan cafe.yaml");
}

#[test]
fn a_change_of_each_side_survives_the_other() {
    let env = synced();
    set(&env, 0, "title", "Opening hours");
    env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
    let plan = env.run("slots plan cafe.yaml");
    assert_eq!(plan.exit, 3, "{plan}");
    assert!(plan.stdout.contains("`title` changed to \"Opening hours\" on the page"), "{plan}");
    assert!(plan.stdout.contains("1 to update"), "{plan}");
    ok(&env, "slots apply cafe.yaml");
    assert_eq!((title(&env, 0), title(&env, 1)), (json!("Opening hours"), json!("Card")));
    // The change of the page was kept, not adopted: it is still known as theirs.
    let plan = ok(&env, "slots plan cafe.yaml");
    assert!(plan.stdout.contains("Opening hours") && plan.stdout.contains("no changes"), "{plan}");
    ok(&env, "slots apply cafe.yaml --force");
    assert_eq!(title(&env, 0), json!("Hours"));
    let plan = ok(&env, "slots plan cafe.yaml");
    assert_eq!(plan.stdout, "= cafe: no changes\nno changes (1 request)\n");
}

#[test]
fn the_same_key_changed_on_both_sides_is_a_conflict_at_its_line() {
    let env = synced();
    set(&env, 1, "title", "Card");
    env.file("cafe.yaml", SLOTS.replace("Menu", "Our menu"));
    env.operations();
    for line in ["slots plan cafe.yaml", "slots apply cafe.yaml --yes"] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!(run.exit, 7, "{run}");
        let error = run.error();
        let first = &error["places"][0];
        assert_eq!((&first["line"], &first["column"]), (&6.into(), &19.into()), "{error:#}");
        assert!(first["message"].as_str().unwrap().contains("\"Card\""), "{error:#}");
        assert_eq!(error["outcome"], "not_executed");
        assert!(env.operations().iter().all(|it| it.starts_with("get") || it.starts_with("list")));
    }
    assert_eq!(title(&env, 1), json!("Card"));
    ok(&env, "slots apply cafe.yaml --force");
    assert_eq!(title(&env, 1), json!("Our menu"));
    // Both made the same change: nothing to settle.
    set(&env, 1, "title", "Dishes");
    env.file("cafe.yaml", SLOTS.replace("Menu", "Dishes"));
    assert_eq!(ok(&env, "slots apply cafe.yaml").stdout.lines().next(), Some("= cafe: no changes"));
    env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
    ok(&env, "slots apply cafe.yaml");
    assert_eq!(title(&env, 1), json!("Card"));
}

#[test]
fn an_item_that_was_removed_from_the_file_is_deleted_and_one_made_on_the_page_stays() {
    let env = synced();
    edit_slots(&env, |slots| {
        let data = [("title".to_owned(), "Theirs".into())].into_iter().collect();
        slots.push(Slot::new(77, "text", data));
    });
    env.file("cafe.yaml", SLOTS.replace("  - type: divider\n", ""));
    let refused = env.run("slots apply cafe.yaml");
    assert_eq!(refused.exit, 14, "{refused}");
    assert_eq!(page(&env).len(), 4);
    let applied = ok(&env, "slots apply cafe.yaml --yes");
    assert!(applied.stdout.contains("1 deleted"), "{applied}");
    let kinds: Vec<_> = page(&env).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, ["text", "button", "text"]);
    let plan = env.run("slots plan cafe.yaml --prune");
    assert!(
        plan.stdout.contains("deletes text 77, which was created on the page since the last sync"),
        "{plan}"
    );
    ok(&env, "slots apply cafe.yaml --prune --yes");
    assert_eq!(page(&env).len(), 2);
}

#[test]
fn exact_deletes_what_is_not_in_the_file_only_with_prune() {
    let env = synced();
    let slots = page(&env).len();
    let text = text(&env, "cafe.yaml");
    let at = text.rfind("\n  - ").unwrap();
    env.file("cafe.yaml", format!("{}\n", &text[..at]));
    let plan = ok(&env, "slots plan cafe.yaml --exact");
    assert!(plan.stdout.contains("1 slot kept: not in the file"), "{plan}");
    ok(&env, "slots apply cafe.yaml --exact --yes");
    assert_eq!(page(&env).len(), slots);
    ok(&env, "slots apply cafe.yaml --exact --prune --yes");
    assert_eq!(page(&env).len(), slots - 1);
}

#[test]
fn a_slot_that_was_deleted_on_the_page_is_created_again_only_with_overwrite() {
    let env = synced();
    edit_slots(&env, |slots| drop(slots.remove(1)));
    let applied = ok(&env, "slots apply cafe.yaml");
    assert!(
        applied.stdout.contains("item 2: slot") && applied.stdout.contains("not recreated"),
        "{applied}"
    );
    assert_eq!(page(&env).len(), 2);
    // An edit of what is gone is a conflict.
    env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
    assert_eq!(env.run("slots apply cafe.yaml").exit, 7);
    env.file("cafe.yaml", SLOTS);
    ok(&env, "slots apply cafe.yaml --force");
    assert_eq!(page(&env).len(), 3);
    assert_eq!(title(&env, 1), json!("Menu"));
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
    // The item can go without a deletion once its slot is gone.
    edit_slots(&env, |slots| drop(slots.remove(1)));
    env.file(
        "cafe.yaml",
        SLOTS.replace(
            "  - type: button\n    data: {title: Menu, link: 'https://qara.example/menu'}\n",
            "",
        ),
    );
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn a_slot_that_both_sides_deleted_or_changed_is_no_silent_loss() {
    let env = synced();
    set(&env, 1, "title", "Card");
    env.file(
        "cafe.yaml",
        SLOTS.replace(
            "  - type: button\n    data: {title: Menu, link: 'https://qara.example/menu'}\n",
            "",
        ),
    );
    let run = env.run("slots apply cafe.yaml --yes");
    assert_eq!(run.exit, 7, "{run}");
    assert!(run.stderr.contains("is no longer in the file, but was changed on the page"), "{run}");
    assert_eq!(page(&env).len(), 3);
    ok(&env, "slots apply cafe.yaml --yes --force");
    assert_eq!(page(&env).len(), 2);
}

#[test]
fn the_order_of_either_side_is_taken_and_of_both_is_a_conflict() {
    let env = synced();
    let kinds = |env: &TestEnv| -> String {
        page(env).iter().map(|(kind, _)| kind.chars().next().unwrap()).collect()
    };
    edit_slots(&env, |slots| slots.rotate_left(1));
    ok(&env, "slots apply cafe.yaml");
    assert_eq!(kinds(&env), "bdt");
    let moved = "profile: cafe
slots:
  - type: divider
  - type: text
    data: {title: Hours, description: 8 to 8}
  - type: button
    data: {title: Menu, link: 'https://qara.example/menu'}
";
    env.file("cafe.yaml", moved);
    let run = env.run("slots apply cafe.yaml");
    assert_eq!(run.exit, 7, "{run}");
    ok(&env, "slots apply cafe.yaml --force");
    assert_eq!(kinds(&env), "dtb");
    env.file("cafe.yaml", SLOTS);
    ok(&env, "slots apply cafe.yaml");
    assert_eq!(kinds(&env), "tbd");
}

#[test]
fn an_applied_file_with_images_needs_nothing_on_another_machine() {
    let env = synced();
    env.file("menu.gif", picture(800, 800));
    let text = format!(
        "{SLOTS}  - type: picture\n    data: {{image: {{$upload: menu.gif}}, title: Menu}}\n"
    );
    env.file("cafe.yaml", &text);
    ok(&env, "slots apply cafe.yaml --yes");
    assert!(env.operations().contains(&"uploadFile".to_owned()));
    let plan = ok(&env, "slots plan cafe.yaml");
    assert_eq!(
        (plan.stdout.as_str(), env.operations().len()),
        ("= cafe: no changes\nno changes (1 request)\n", 1)
    );
    ok(&env, "slots apply cafe.yaml --yes");
    assert_eq!(env.operations(), ["getProfile"]);
    // The image itself changes.
    env.file("menu.gif", picture(900, 900));
    ok(&env, "slots apply cafe.yaml --yes");
    assert!(env.operations().contains(&"uploadFile".to_owned()));
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn a_lock_that_cannot_be_trusted_is_refused() {
    let env = synced();
    let lock = text(&env, "links.lock");
    let again = env.run("init");
    assert_eq!(again.exit, 14, "{again}");
    assert_eq!(text(&env, "links.lock"), lock);
    let service = env.server.base_url();
    for broken in [
        String::new(),
        lock.replace("links.lock 2", "links.lock 3"),
        lock.replace("page ", "sage "),
        lock.replacen("key ", "key x", 1),
        lock.replace(&service, "https://other.example"),
        lock[..lock.len() / 2].to_owned(),
    ] {
        assert_ne!(broken, lock);
        env.file("links.lock", &broken);
        env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
        env.operations();
        for line in
            ["slots plan cafe.yaml", "slots apply cafe.yaml --force", "slots pull cafe -O new.yaml"]
        {
            let run = env.run(line);
            assert_eq!(run.exit, 14, "{broken}\n{run}");
            assert!(run.stderr.contains("links.lock"), "{run}");
        }
        assert!(env.operations().iter().all(|it| it.starts_with("get") || it.starts_with("list")));
        assert_eq!(text(&env, "links.lock"), broken);
    }
    // A damaged one is rebuilt.
    env.file("links.lock", lock.replace("page ", "sage "));
    env.file("cafe.yaml", SLOTS);
    ok(&env, "init --refresh");
    let base = |text: &str| Lock::parse(text).unwrap().base("cafe.yaml").unwrap();
    assert_eq!(base(&text(&env, "links.lock")).slots, base(&lock).slots);
}

/// Returns a lock without the values of profile fields, which a page file of slots alone does not have.
fn without_fields(lock: &str) -> String {
    let lines = lock.lines().filter(|line| !line.starts_with("field "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_page_that_was_renamed_is_found_by_its_id() {
    let env = synced();
    env.server.edit(|account| account.profiles[0].login = "qara".to_owned());
    let run = env.run("slots plan cafe.yaml");
    assert_eq!(run.exit, 14, "{run}");
    assert!(run.stderr.contains("qara"), "{run}");
    env.file("cafe.yaml", SLOTS.replace("profile: cafe", "profile: qara").replace("Menu", "Card"));
    ok(&env, "slots apply cafe.yaml");
    assert_eq!(title(&env, 1), json!("Card"));
    assert!(text(&env, "links.lock").contains(" qara cafe.yaml\n"));
}

#[test]
fn a_pull_below_a_lock_is_recorded() {
    let env = synced();
    ok(&env, "slots pull cafe -O cafe.yaml --force");
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
    set(&env, 0, "title", "Opening hours");
    let plan = ok(&env, "slots plan cafe.yaml");
    assert!(plan.stdout.contains("on the page since the last sync; kept"), "{plan}");
    ok(&env, "slots pull cafe -O cafe.yaml --force");
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

/// A run that ends anywhere leaves a record by which the next run neither creates a slot twice nor takes its own changes for others'.
#[test]
fn a_run_that_is_cut_short_anywhere_is_finished_by_the_next_one() {
    let after = SLOTS.replace("Menu", "Card").replace("  - type: divider\n", "")
        + "  - type: text\n    data: {title: New}\n  - type: divider\n";
    for keeps_state in [true, false] {
        let mut env = synced();
        if keeps_state {
            let directory = env.home.path().join("kept").display().to_string();
            env = env.keeping_state().env("LINKS_STATE_DIR", directory);
        }
        set(&env, 0, "title", "Opening hours");
        env.file("cafe.yaml", &after);
        let beginning = Beginning::of(&env);
        for nth in places() {
            beginning.restore(&env);
            let ended = cut_short(&env, "slots apply cafe.yaml --yes", &format!("any:{nth}"));
            let finished = env.run("slots apply cafe.yaml --yes");
            assert_eq!(finished.exit, 0, "place {nth}: {finished}");
            let titles: Vec<_> =
                page(&env).into_iter().map(|(_, data)| data["title"].clone()).collect();
            assert_eq!(
                titles,
                [json!("Opening hours"), json!("Card"), json!("New"), Value::Null],
                "place {nth}"
            );
            let plan = ok(&env, "slots plan cafe.yaml");
            assert!(plan.stdout.contains("no changes"), "place {nth}: {plan}");
            if ended.status.success() {
                assert!(nth > 5, "only {nth} places");
                break;
            }
        }
    }
}

/// Returns a café whose service trims texts, adds schemes to links and puts defaults in place of what is cleared.
fn normalizing() -> TestEnv {
    let button = json!({
        "type": "object",
        "properties": {
            "title": { "type": "string" },
            "link": { "type": "string" },
            "style": { "type": "string", "enum": ["primary", "outline"], "default": "primary" },
        },
        "required": ["title", "link"],
    });
    let choices = Choices {
        strings_normalized: true,
        bare_links: true,
        slot_schemas: [("button".to_owned(), button)].into(),
        ..Choices::default()
    };
    let env = TestEnv::with(|it| it.choices(choices)).env("LINKS_TEST_NO_WAIT", "1");
    env.server.edit(|account| account.profiles[0].slots.clear());
    ok(&env, "init");
    env
}

/// What an interrupted run wrote is no change of another client, in whatever form the service stores it.
#[test]
fn what_an_interrupted_run_wrote_is_not_in_conflict_with_its_file() {
    let before = "profile: cafe
slots:
  - {type: button, data: {title: Menu, link: qara.example/menu, style: outline}}
  - {type: text, data: {title: Hours}}
  - {type: divider}
";
    let after = "profile: cafe
slots:
  - {type: divider}
  - {type: button, data: {title: ' Card ', link: qara.example/card, style: null}}
  - {type: button, data: {title: New, link: new.example, style: null}}
";
    let further = after.replace("/card", "/dishes").replace("title: New", "title: Newer");
    let env = normalizing().keeping_state();
    env.file("cafe.yaml", before);
    ok(&env, "slots apply cafe.yaml");
    env.file("cafe.yaml", after);
    let beginning = Beginning::of(&env);
    for changes_again in [false, true] {
        for nth in places() {
            beginning.restore(&env);
            let ended = cut_short(&env, "slots apply cafe.yaml --yes", &format!("any:{nth}"));
            if changes_again {
                env.file("cafe.yaml", &further);
            }
            let finished = env.run("slots apply cafe.yaml --yes");
            assert_eq!(finished.exit, 0, "place {nth}: {finished}");
            assert_eq!(
                ok(&env, "slots plan cafe.yaml").stdout,
                "= cafe: no changes\nno changes (1 request)\n",
                "place {nth}"
            );
            let links: Vec<_> =
                page(&env).into_iter().map(|(_, data)| data["link"].clone()).collect();
            let card = if changes_again { "dishes" } else { "card" };
            let card = format!("https://qara.example/{card}");
            assert_eq!(
                links,
                [Value::Null, json!(card), json!("https://new.example")],
                "place {nth}"
            );
            // A change of another client is one all the same.
            set(&env, 1, "link", "https://theirs.example");
            let plan = env.run("slots plan cafe.yaml --fail-on remote");
            assert_eq!(plan.exit, 3, "place {nth}: {plan}");
            if ended.status.success() {
                assert!(nth > 10, "only {nth} places");
                break;
            }
        }
    }
}

#[test]
fn what_a_failed_run_created_is_recorded_as_the_service_stored_it() {
    let slots = "profile: cafe\nslots:\n  - {type: divider}\n";
    let new = "  - {type: button, data: {title: ' New ', link: new.example, style: null}}\n";
    for is_lost in [false, true] {
        let env = normalizing().keeping_state();
        env.file("cafe.yaml", format!("{slots}  - {{type: text, data: {{title: Hours}}}}\n"));
        ok(&env, "slots apply cafe.yaml");
        env.file("cafe.yaml", format!("{slots}{new}"));
        if is_lost {
            env.server.fail_operation("createSlots", 1, &Fault::After(500));
        }
        env.server.fail_operation("deleteSlots", 1, &Fault::Before(400));
        assert_ne!(env.run("slots apply cafe.yaml --yes").exit, 0);
        let plan = env.run("slots plan cafe.yaml -o json").json();
        let page = &plan["data"]["pages"][0];
        assert_eq!(page["sync"]["remote"], json!([]), "{plan}");
        assert_eq!(page["plan"]["deletes"].as_array().map(Vec::len), Some(1), "{plan}");
        // The next edit of the file meets no edit of others.
        env.file("cafe.yaml", format!("{slots}{}", new.replace("new.example", "newer.example")));
        ok(&env, "slots apply cafe.yaml --yes");
        assert_eq!(page_of(&env), json!("https://newer.example"));
    }
}

#[test]
fn what_a_failed_run_created_again_is_that_of_the_item() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
    ok(&env, "init");
    ok(&env, "slots pull cafe -O cafe.yaml");
    let count = page(&env).len();
    edit_slots(&env, |slots| slots.retain(|slot| slot.id != 1001));
    let file = text(&env, "cafe.yaml").replace("Good morning!", "Hello");
    let (first, rest) = file.split_once("  - id: 1003").unwrap();
    let (_, last) = rest.split_once("  - id: 1004").unwrap();
    env.file("cafe.yaml", format!("{first}  - id: 1004{last}"));
    // An edit of others ends the run after all was written.
    env.server.edit_after_operation("deleteSlots", 1, |account| {
        let slots = &mut account.profiles[0].slots;
        let menu = slots.iter_mut().find(|slot| slot.id == 1002).unwrap();
        menu.data.insert("title".to_owned(), json!("Theirs"));
    });
    let failed = env.run("slots apply cafe.yaml --force --yes");
    assert_ne!(failed.exit, 0, "{failed}{}", text(&env, "cafe.yaml"));
    let created = |env: &TestEnv| {
        let account = env.server.account();
        let hello = account.profiles[0]
            .slots
            .iter()
            .filter(|it| it.data.get("title") == Some(&json!("Hello")));
        hello.map(|slot| slot.id).collect::<Vec<_>>()
    };
    let before = created(&env);
    assert_eq!(before.len(), 1);
    let run = ok(&env, "slots apply cafe.yaml --force --yes");
    assert_eq!(created(&env), before, "{run}");
    assert_eq!(page(&env).len(), count - 1, "{run}");
}

/// Returns the link of the last slot of the page.
fn page_of(env: &TestEnv) -> Value {
    page(env).pop().map(|(_, data)| data["link"].clone()).unwrap_or_default()
}

#[test]
fn a_resumed_run_decides_as_the_run_did() {
    let env = synced().keeping_state();
    set(&env, 1, "title", "Theirs");
    env.file("cafe.yaml", SLOTS.replace("Menu", "Mine").replace("Hours", "Open"));
    let lock = text(&env, "links.lock");
    let ended = cut_short(&env, "slots apply cafe.yaml --force --locked", "any:9");
    assert!(!ended.status.success());
    ok(&env, "slots apply --resume");
    assert_eq!((title(&env, 0), title(&env, 1)), (json!("Open"), json!("Mine")));
    assert_eq!(text(&env, "links.lock"), lock);
}

#[test]
fn a_write_without_an_answer_is_recorded_once_it_is_known() {
    for fault in [Fault::DropAfter, Fault::After(500)] {
        let env = synced();
        env.file("cafe.yaml", SLOTS.to_owned() + "  - type: text\n    data: {title: New}\n");
        env.server.fail([2, 3, 4], &fault);
        let _ = env.run("slots apply cafe.yaml");
        ok(&env, "slots apply cafe.yaml");
        assert_eq!(page(&env).len(), 4);
        assert_eq!(
            ok(&env, "slots plan cafe.yaml").stdout,
            "= cafe: no changes\nno changes (1 request)\n"
        );
    }
}

const COMMENTED: &str = "# The café at the corner
profile: cafe
slots:
  # Opening hours
  - type: text
    data: {title: Hours, description: 8 to 8}   # daily
  - type: button
    data:
      title: 'Menu'   # the summer menu
      link: https://qara.example/menu

  - type: divider
";

/// Returns a café that was synced with a file that has comments.
fn commented() -> TestEnv {
    let env = synced();
    env.file("cafe.yaml", COMMENTED);
    assert_eq!(ok(&env, "slots apply cafe.yaml").stdout.lines().next(), Some("= cafe: no changes"));
    env
}

#[test]
fn a_pull_into_a_file_takes_over_what_changed_and_leaves_the_rest() {
    let env = commented();
    assert!(ok(&env, "slots pull cafe -O cafe.yaml").stdout.contains("no changes"));
    assert_eq!(text(&env, "cafe.yaml"), COMMENTED);
    // Edits of both sides, at different places.
    env.file("cafe.yaml", COMMENTED.replace("8 to 8", "9 to 9"));
    set(&env, 1, "title", "Card: \"all\"");
    set(&env, 1, "style", "outline");
    edit_slots(&env, |slots| {
        let data = [("title".to_owned(), "{$upload: x.png} # no".into())];
        slots.insert(1, Slot::new(77, "text", data.into_iter().collect()));
    });
    let pulled = ok(&env, "slots pull cafe -O cafe.yaml");
    assert!(pulled.stdout.contains("2 changes merged, 1 slot added"), "{pulled}");
    let text = text(&env, "cafe.yaml");
    for kept in [
        "# The café at the corner\n",
        "  # Opening hours\n",
        "9 to 9}   # daily",
        "# the summer menu",
    ] {
        assert!(text.contains(kept), "{text}");
    }
    assert!(text.contains("Card: \"all\"") && text.contains("style: outline"), "{text}");
    assert!(text.contains("id: 77"), "{text}");
    // Only the own edit is left to write.
    let plan = env.run("slots plan cafe.yaml");
    assert!(
        plan.exit == 3 && plan.stdout.contains("1 to update") && !plan.stdout.contains('<'),
        "{plan}"
    );
    ok(&env, "slots apply cafe.yaml");
    assert_eq!(page(&env)[0].1["description"], "9 to 9");
    assert_eq!(title(&env, 1), "{$upload: x.png} # no");
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn a_pull_marks_conflicts_and_no_file_with_marks_is_applied() {
    let env = commented();
    env.file("cafe.yaml", COMMENTED.replace("'Menu'", "Dishes"));
    set(&env, 1, "title", "Card");
    let pulled = env.run("slots pull cafe -O cafe.yaml");
    assert_eq!(pulled.exit, 7, "{pulled}");
    assert!(pulled.stdout.contains("1 conflict marked"), "{pulled}");
    let text = text(&env, "cafe.yaml");
    let mark = text.lines().find(|line| line.contains("# <<< page:")).unwrap();
    assert!(mark.contains("\"Card\""), "{text}");
    for line in
        ["slots plan cafe.yaml", "slots apply cafe.yaml --force", "slots pull cafe -O cafe.yaml"]
    {
        let run = env.run(line);
        assert_eq!(run.exit, 8, "{run}");
        assert!(run.stderr.contains("unresolved conflict with the page"), "{run}");
    }
    // Without its mark the file's value is meant.
    env.file("cafe.yaml", text.replace(&format!("{mark}\n"), ""));
    ok(&env, "slots apply cafe.yaml");
    assert_eq!(title(&env, 1), json!("Dishes"));
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn a_pull_removes_what_was_deleted_there_and_brings_back_what_changed_there() {
    let env = commented();
    edit_slots(&env, |slots| drop(slots.remove(2)));
    set(&env, 0, "title", "Opening hours");
    // The text is gone here, and changed there.
    let without = COMMENTED.replace(
        "  # Opening hours\n  - type: text\n    data: {title: Hours, description: 8 to 8}   # daily\n",
        "",
    );
    env.file("cafe.yaml", &without);
    let pulled = env.run("slots pull cafe -O cafe.yaml");
    assert_eq!(pulled.exit, 7, "{pulled}");
    assert!(pulled.stdout.contains("1 item removed, 1 conflict marked"), "{pulled}");
    let text = text(&env, "cafe.yaml");
    assert!(!text.contains("divider") && text.contains("Opening hours"), "{text}");
    let settled: String = text
        .lines()
        .filter(|line| !line.contains("# <<< page:"))
        .map(|it| format!("{it}\n"))
        .collect();
    env.file("cafe.yaml", &settled);
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
    assert_eq!(page(&env).len(), 2);
}

#[test]
fn a_pull_follows_the_order_of_the_page() {
    let env = commented();
    edit_slots(&env, |slots| slots.reverse());
    let pulled = ok(&env, "slots pull cafe -O cafe.yaml");
    assert!(pulled.stdout.contains("reordered"), "{pulled}");
    let text = text(&env, "cafe.yaml");
    let at = |word: &str| text.find(word).unwrap();
    assert!(at("divider") < at("button") && at("button") < at("# Opening hours"), "{text}");
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn a_pull_leaves_a_file_that_it_cannot_patch_as_it_is() {
    let env = commented();
    // JSON has no comments for marks.
    fs::remove_file(env.home.path().join("cafe.yaml")).unwrap();
    let json = json!({"profile": "cafe", "slots": [
        {"type": "text", "data": {"title": "Times", "description": "8 to 8"}},
        {"type": "button", "data": {"title": "Menu", "link": "https://qara.example/menu"}},
        {"type": "divider"},
    ]});
    env.file("cafe.json", json.to_string());
    ok(&env, "slots apply cafe.json");
    env.file("cafe.json", json.to_string().replace("Times", "Mine"));
    set(&env, 0, "title", "Theirs");
    let run = env.run("slots pull cafe -O cafe.json");
    assert_eq!(run.exit, 7, "{run}");
    assert!(run.stderr.contains("nothing was written"), "{run}");
    assert!(text(&env, "cafe.json").contains("Mine"));
}

fn add_theirs(env: &TestEnv) {
    edit_slots(env, |slots| {
        let data = [("title".to_owned(), "Theirs".into())].into_iter().collect();
        slots.push(Slot::new(77, "text", data));
    });
}

/// Makes a directory that no lock above it governs.
fn repository(env: &TestEnv, name: &str) {
    fs::create_dir_all(path(env, name).join(".git")).unwrap();
}

/// Exit codes of a plan for `pending`, `remote` and `any`, with further options.
fn exits(env: &TestEnv, options: &str) -> [i32; 3] {
    ["pending", "remote", "any"]
        .map(|what| env.run(&format!("slots plan cafe.yaml --fail-on {what} {options}")).exit)
}

#[test]
fn a_plan_that_was_shown_before_hides_no_change_of_others() {
    let env = synced().keeping_state();
    edit_slots(&env, |slots| slots.push(Slot::new(77, "event", [].into_iter().collect())));
    ok(&env, "slots plan cafe.yaml");
    assert_eq!(exits(&env, ""), [0, 3, 3]);
    ok(&env, "slots plan cafe.yaml");
    assert_eq!(exits(&env, ""), [0, 3, 3]);
}

#[test]
fn a_lock_below_another_one_that_has_its_files_is_refused() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    ok(&env, "init");
    fs::create_dir(path(&env, "sub")).unwrap();
    ok(&env, "pull cafe -O sub/cafe.yaml");
    set(&env, 1, "title", "Theirs");
    let run = env.run("init sub");
    assert!(
        run.exit == 14 && run.stderr.contains("links.lock already records sub/cafe.yaml"),
        "{run}"
    );
    assert!(!path(&env, "sub/links.lock").exists());
    ok(&env, "init sub --refresh");
    assert_eq!(env.run("apply sub/cafe.yaml --yes").exit, 7);
    assert_eq!(title(&env, 1), "Theirs");
}

#[test]
fn the_exit_code_of_a_plan_tells_apart_who_changed_something() {
    let env = synced();
    assert_eq!(exits(&env, ""), [0, 0, 0]);
    // Keys that the file does not mention do not count.
    set(&env, 1, "style", "primary");
    assert_eq!(exits(&env, ""), [0, 0, 0]);
    env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
    assert_eq!(exits(&env, ""), [3, 0, 3]);
    assert_eq!(env.run("slots plan cafe.yaml").exit, 3);
    set(&env, 0, "title", "Opening hours");
    assert_eq!(exits(&env, ""), [3, 3, 3]);
    env.file("cafe.yaml", SLOTS);
    assert_eq!(exits(&env, ""), [0, 3, 3]);
    assert_eq!(env.run("slots plan cafe.yaml").exit, 0);
    // What is replaced was changed there all the same.
    assert_eq!(exits(&env, "--force"), [3, 3, 3]);
    assert_eq!(exits(&env, "--exact"), [3, 3, 3]);
    // A conflict and a refusal have their own exit codes.
    env.file("cafe.yaml", SLOTS.replace("Hours", "Open"));
    assert_eq!(exits(&env, ""), [7, 7, 7]);
    env.file("cafe.yaml", "profile: cafe\nslots: []\n");
    assert_eq!(exits(&env, "--force"), [14, 14, 14]);
}

#[test]
fn a_slot_made_deleted_or_moved_on_the_page_is_a_remote_change() {
    let changes: [fn(&TestEnv); 3] = [
        add_theirs,
        |env| edit_slots(env, |slots| drop(slots.remove(1))),
        |env| edit_slots(env, |slots| slots.rotate_left(1)),
    ];
    for change in changes {
        let env = synced();
        change(&env);
        assert_eq!(exits(&env, ""), [0, 3, 3]);
    }
    let env = synced();
    add_theirs(&env);
    assert_eq!(exits(&env, "--prune"), [3, 3, 3]);
}

#[test]
fn without_a_record_it_is_unknown_what_was_changed_elsewhere() {
    let env = synced();
    repository(&env, "other");
    env.file("other/cafe.yaml", SLOTS);
    // A lock that has no record of the page.
    let lock = text(&env, "links.lock");
    env.file("links.lock", format!("{}\n", lock.lines().next().unwrap()));
    for file in ["other/cafe.yaml", "cafe.yaml"] {
        for what in ["remote", "any"] {
            let run = env.run(&format!("slots plan {file} --fail-on {what}"));
            assert_eq!(run.exit, 14, "{run}");
            assert!(run.stderr.contains("links.lock has no record of"), "{run}");
        }
        ok(&env, &format!("slots plan {file} --fail-on pending"));
    }
}

#[test]
fn json_lists_what_was_changed_since_the_last_sync() {
    let env = synced();
    let none = json!({ "remote": [], "replaced": [], "deletions": [], "notes": [] });
    assert_eq!(ok(&env, "slots plan cafe.yaml -o json").json()["data"]["pages"][0]["sync"], none);
    set(&env, 0, "title", "Opening hours");
    add_theirs(&env);
    env.file(
        "cafe.yaml",
        SLOTS.replace(", description: 8 to 8", "").replace("  - type: divider\n", ""),
    );
    let ids: Vec<u64> = env.server.account().profiles[0].slots.iter().map(|slot| slot.id).collect();
    let deletion =
        json!({ "id": ids[2], "type": "divider", "label": null, "reason": "deleted_here" });
    let note = json!({ "note": "key_stays", "item": 0, "id": ids[0], "key": "description" });
    let made = json!({ "change": "made", "id": 77, "type": "text", "label": "Theirs" });
    let key = json!({ "change": "key", "item": 0, "id": ids[0], "key": "title", "file": "Hours", "page": "Opening hours" });
    let sync =
        json!({ "remote": [key, made], "replaced": [], "deletions": [deletion], "notes": [note] });
    let plan = env.run("slots plan cafe.yaml -o json");
    assert_eq!((plan.exit, &plan.json()["data"]["pages"][0]["sync"]), (3, &sync), "{plan}");
    let overwritten = env.run("slots plan cafe.yaml --force -o json");
    let replaced = json!([{ "replaced": "key", "item": 0, "id": ids[0], "key": "title", "page": "Opening hours" }]);
    assert_eq!(
        overwritten.json()["data"]["pages"][0]["sync"]["replaced"],
        replaced,
        "{overwritten}"
    );
    let applied = ok(&env, "slots apply cafe.yaml --yes -o json");
    assert_eq!(applied.json()["data"]["pages"][0]["sync"], sync, "{applied}");
}

#[test]
fn a_locked_apply_leaves_the_lock_as_it_is() {
    let env = synced();
    let lock = text(&env, "links.lock");
    let edited = SLOTS.replace("Menu", "Card").replace("  - type: divider\n", "")
        + "  - type: text\n    data: {title: New}\n";
    env.file("cafe.yaml", &edited);
    let applied = ok(&env, "slots apply cafe.yaml --locked --yes");
    assert!(applied.stdout.contains("1 updated, 1 created, 1 deleted"), "{applied}");
    assert_eq!(text(&env, "links.lock"), lock);
    // By the old record, file and page agree all the same: nothing is made twice.
    ok(&env, "slots apply cafe.yaml --locked --yes");
    assert_eq!(page(&env).len(), 3);
    assert_eq!(text(&env, "links.lock"), lock);
    // Until the lock is updated, what was written counts as changed on the page.
    env.file("cafe.yaml", edited.replace("Card", "Menu"));
    assert_eq!(exits(&env, ""), [0, 3, 3]);
    env.file("cafe.yaml", edited.replace("Card", "Dishes"));
    assert_eq!(env.run("slots apply cafe.yaml --locked --yes").exit, 7);
    env.file("cafe.yaml", &edited);
    ok(&env, "slots apply cafe.yaml");
    assert_ne!(text(&env, "links.lock"), lock);
    env.file("cafe.yaml", edited.replace("Card", "Dishes"));
    ok(&env, "slots apply cafe.yaml --locked");
    assert_eq!(title(&env, 1), json!("Dishes"));
}

#[test]
fn runs_with_locked_are_recorded_in_the_state_directory() {
    let env = synced().keeping_state();
    let lock = text(&env, "links.lock");
    let locked = "slots apply cafe.yaml --locked --yes";
    // Each edit is written, also one back to what the lock says.
    for (title_here, exits_before) in [("Card", 3), ("Dishes", 3), ("Menu", 3), ("Card", 3)] {
        env.file("cafe.yaml", SLOTS.replace("Menu", title_here));
        assert_eq!(env.run("slots plan cafe.yaml").exit, exits_before, "{title_here}");
        ok(&env, locked);
        assert_eq!(title(&env, 1), json!(title_here));
        assert_eq!(
            ok(&env, "slots plan cafe.yaml").stdout,
            "= cafe: no changes\nno changes (1 request)\n",
            "{title_here}"
        );
    }
    // What another client changes is theirs.
    set(&env, 1, "title", "Theirs");
    assert_eq!(exits(&env, ""), [0, 3, 3]);
    env.file("cafe.yaml", SLOTS);
    assert_eq!(env.run(locked).exit, 7);
    set(&env, 1, "title", "Card");
    // Items come and go.
    let more =
        SLOTS.replace("  - type: divider\n", "") + "  - type: text\n    data: {title: New}\n";
    env.file("cafe.yaml", &more);
    ok(&env, locked);
    env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
    let plan = env.run("slots plan cafe.yaml");
    assert!(plan.stdout.contains("1 to create, 1 to update, 1 to delete"), "{plan}");
    assert_eq!(text(&env, "links.lock"), lock);
    // Without --locked the lock catches up, and a lock that others committed counts more than what was recorded here.
    env.file("cafe.yaml", &more);
    ok(&env, "slots apply cafe.yaml");
    let caught_up = text(&env, "links.lock");
    assert_ne!(caught_up, lock);
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
    env.file("cafe.yaml", more.replace("New", "Newer"));
    ok(&env, locked);
    env.file("links.lock", &lock);
    let plan = env.run("slots plan cafe.yaml");
    assert!(!plan.stdout.starts_with("no changes"), "{plan}");
    env.file("links.lock", &caught_up);
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn the_lock_of_another_user_is_refused_before_anything_is_read() {
    let env = synced();
    let lock = text(&env, "links.lock");
    let other = lock.replacen(" 4021\n", " 7\n", 1);
    assert_ne!(other, lock);
    env.file("links.lock", &other);
    // A token alone does not tell whose it is.
    ok(&env, "slots plan cafe.yaml");
    let env = env.env("LINKS_TOKEN", "");
    assert_eq!(log_in(&env, &env.server.token(), &[]).exit, 0);
    env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
    env.operations();
    let lines = ["slots plan cafe.yaml", "slots apply cafe.yaml", "slots pull cafe -O cafe.yaml"];
    for line in lines {
        let run = env.run(line);
        assert_eq!(run.exit, 14, "{run}");
        assert!(run.stderr.contains("is for user 7, but the token is for user 4021"), "{run}");
        assert!(env.operations().is_empty(), "{run}");
    }
    env.file("links.lock", &lock);
    ok(&env, "slots apply cafe.yaml");
}

#[test]
fn a_locked_apply_refuses_what_the_lock_does_not_identify() {
    let env = synced();
    let lock = text(&env, "links.lock");
    let refused = |line: &str, why: &str| {
        env.operations();
        let run = env.run(&format!("{line} --locked --yes --force"));
        assert_eq!(run.exit, 14, "{run}");
        assert!(run.stderr.contains(why) && run.stderr.contains("nothing was written"), "{run}");
        assert!(env.operations().iter().all(|it| it.starts_with("get")), "{run}");
        assert_eq!((page(&env).len(), text(&env, "links.lock")), (3, lock.clone()));
    };
    let changed = SLOTS.replace("Menu", "Card");
    env.file("copy.yaml", &changed);
    refused("slots apply copy.yaml", "links.lock has no record of copy.yaml");
    repository(&env, "other");
    env.file("other/cafe.yaml", &changed);
    refused("slots apply other/cafe.yaml", "no links.lock covers other/cafe.yaml");
    env.file("menu.gif", picture(800, 800));
    let with_image = SLOTS.to_owned()
        + "  - type: picture\n    data: {image: {$upload: menu.gif}, title: Menu}\n";
    env.file("cafe.yaml", &with_image);
    refused("slots apply cafe.yaml", "cafe.yaml:9:");
    // Once the lock has the image, another machine may use it.
    ok(&env, "slots apply cafe.yaml --yes");
    env.file("cafe.yaml", with_image.replace("title: Menu}", "title: Card}"));
    env.operations();
    ok(&env, "slots apply cafe.yaml --locked");
    assert!(!env.operations().contains(&"uploadFile".to_owned()));
}

#[test]
fn a_refresh_takes_files_without_slots_and_leaves_out_forms() {
    let env = synced();
    env.file("fields.yaml", "profile: qara.weddings\ntitle: Qara at your wedding\n");
    env.file("booking.yaml", "form: booking\ntitle: Book a table\n");
    let run = ok(&env, "init --refresh -o json");
    let files = run.json()["data"]["files"].clone();
    assert_eq!(files.as_array().map(Vec::len), Some(2), "{run}");
    assert!(ok(&env, "plan fields.yaml").stdout.contains("no changes"));
}

/// The name of a form is known by its file alone where the lock is damaged.
#[test]
fn a_refresh_finds_the_forms_of_the_form_files() {
    let env = TestEnv::cafe();
    ok(&env, "init");
    ok(&env, "pull --all");
    let lock = text(&env, "links.lock");
    let timeless = |lock: &str| {
        let word = |word: &str| word.parse::<u64>().is_ok_and(|it| it > 1 << 40);
        let words =
            |line: &str| line.split(' ').filter(|it| !word(it)).collect::<Vec<_>>().join(" ");
        lock.lines().map(words).collect::<Vec<_>>()
    };
    for damaged in [String::new(), format!("{lock}damaged\n")] {
        env.file("links.lock", damaged);
        let run = env.run("init --refresh");
        assert_eq!(run.exit, 0, "{run}");
        assert!(run.stdout.contains("recorded 2 page files\nrecorded 1 form"), "{run}");
        assert_eq!(timeless(&text(&env, "links.lock")), timeless(&lock));
        ok(&env, "apply --locked");
    }
    env.file("forms/broken.yaml", "form: broken\nfields: 3\n");
    let run = env.run("init --refresh -o json");
    assert_eq!(run.exit, 8, "{run}");
    let data = &run.json()["data"];
    assert_eq!(data["forms"], json!(["book-a-table"]), "{run}");
    assert_eq!(data["failed"][0]["file"], "forms/broken.yaml", "{run}");
}

#[test]
fn what_changed_on_several_pages_is_listed_below_each_of_them() {
    let env = TestEnv::cafe();
    ok(&env, "init");
    ok(&env, "pull --all");
    set(&env, 0, "title", "Theirs");
    env.server.edit(|account| account.profiles[1].title = Some("Anew".to_owned()));
    let applied = ok(&env, "apply");
    let page = |login: &str| applied.stdout.find(&format!("{login}: no changes\n  < ")).unwrap();
    assert!(page("cafe") < page("qara.weddings"), "{applied}");
}

#[test]
fn a_refresh_takes_no_difference_for_agreed() {
    let env = synced();
    env.file("cafe.yaml", SLOTS.replace("title: Menu", "style: primary, title: Mine"));
    set(&env, 1, "style", "outline");
    set(&env, 0, "title", "Theirs");
    ok(&env, "init --refresh");
    let plan = env.run("slots plan cafe.yaml -o json");
    assert_eq!(plan.exit, 7, "{plan}");
    let paths: Vec<_> =
        plan.error()["places"].as_array().unwrap().iter().map(|it| it["path"].clone()).collect();
    assert_eq!(paths, ["slots.0.data.title", "slots.1.data.style", "slots.1.data.title"]);
    ok(&env, "slots apply cafe.yaml --force");
    assert_eq!((title(&env, 0), title(&env, 1)), (json!("Hours"), json!("Mine")));
    // A file with marks is not recorded.
    set(&env, 1, "title", "Theirs");
    env.file("cafe.yaml", SLOTS.replace("Menu", "Other"));
    assert_eq!(env.run("slots pull cafe -O cafe.yaml").exit, 7);
    let lock = text(&env, "links.lock");
    assert_eq!(env.run("init --refresh").exit, 8);
    assert_eq!(text(&env, "links.lock"), lock);
}

#[test]
fn a_refresh_goes_on_after_a_file_that_cannot_be_recorded() {
    let env = synced();
    env.file("broken.yaml", "profile: qara.weddings\nslots: {}\n");
    env.file("gone.yaml", "profile: no.such.page\nslots: []\n");
    env.file("wedding.yaml", "profile: qara.weddings\nslots: []\n");
    let lock = text(&env, "links.lock");
    let run = env.run("init --refresh");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stdout.contains("recorded 2 page files"), "{run}");
    for failed in ["did not record broken.yaml", "did not record gone.yaml"] {
        assert!(run.stderr.contains(failed), "{run}");
    }
    let now = text(&env, "links.lock");
    assert!(now.contains(" wedding.yaml\n") && !now.contains("gone.yaml"), "{now}");
    assert!(lock.lines().all(|line| now.contains(line)), "{now}");
    let run = env.run("init --refresh -o json");
    let failed = run.json()["data"]["failed"].clone();
    assert_eq!((&failed[0]["exit"], &failed[1]["exit"]), (&8.into(), &6.into()), "{run}");
}

#[test]
fn a_refresh_takes_no_order_for_agreed() {
    let env = synced();
    env.file(
        "cafe.yaml",
        "profile: cafe
slots:
  - type: divider
  - type: button
    data: {title: Menu, link: 'https://qara.example/menu'}
  - type: text
    data: {title: Hours, description: 8 to 8}
",
    );
    ok(&env, "init --refresh");
    let run = env.run("slots apply cafe.yaml");
    assert!(run.exit == 7 && run.stderr.contains("the order changed both"), "{run}");
    ok(&env, "slots apply cafe.yaml --force");
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn a_recorded_page_that_is_gone_is_named_with_its_lock() {
    let env = synced();
    env.server.edit(|account| drop(account.profiles.remove(0)));
    for line in ["slots plan cafe.yaml", "slots apply cafe.yaml"] {
        let run = env.run(line);
        assert_eq!(run.exit, 6, "{run}");
        assert!(run.stderr.contains("links.lock records it as page 101 (cafe)"), "{run}");
    }
}

#[test]
fn what_was_changed_there_is_said_once_and_a_schema_is_set_in_a_file() {
    let env = synced();
    set(&env, 0, "title", "Theirs");
    env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
    let applied = ok(&env, "slots apply cafe.yaml");
    assert_eq!(format!("{applied}").matches("\"Theirs\" on the page").count(), 1, "{applied}");
    for schema in ["../page.json", "page.json"] {
        ok(&env, &format!("slots pull cafe -O cafe.yaml --schema {schema}"));
        let text = text(&env, "cafe.yaml");
        let line = format!("# yaml-language-server: $schema={schema}\nprofile: cafe\n");
        assert!(text.starts_with(&line), "{text}");
    }
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn a_page_has_one_file_and_keeps_its_record_when_that_is_moved() {
    let env = synced();
    let lock = text(&env, "links.lock");
    // A copy of the page elsewhere is no file of the page.
    ok(&env, "slots pull cafe -O backup.yaml");
    assert_eq!(text(&env, "links.lock"), lock);
    for line in ["slots plan backup.yaml", "slots apply backup.yaml", "init --refresh"] {
        let run = env.run(line);
        assert_eq!(run.exit, 14, "{run}");
        assert!(run.stderr.contains("are both files for the page cafe"), "{run}");
    }
    assert_eq!(without_fields(&text(&env, "links.lock")), lock);
    let home = env.home.path();
    fs::remove_file(home.join("backup.yaml")).unwrap();
    fs::create_dir(home.join("pages")).unwrap();
    fs::rename(home.join("cafe.yaml"), home.join("pages/main.yaml")).unwrap();
    set(&env, 0, "title", "Theirs");
    let plan = ok(&env, "slots plan pages/main.yaml");
    assert!(plan.stdout.contains("\"Theirs\" on the page since the last sync"), "{plan}");
    ok(&env, "slots apply pages/main.yaml");
    let moved = text(&env, "links.lock");
    assert!(moved.contains(" pages/main.yaml\n") && !moved.contains(" cafe.yaml\n"), "{moved}");
    assert_eq!(title(&env, 0), json!("Theirs"));
    // The same file for another page.
    env.file("pages/main.yaml", SLOTS.replace("profile: cafe", "profile: qara.weddings"));
    for line in ["slots plan pages/main.yaml", "slots pull qara.weddings -O pages/main.yaml"] {
        let run = env.run(line);
        assert_eq!(run.exit, 14, "{run}");
    }
    assert_eq!(text(&env, "links.lock"), moved);
}

#[test]
fn a_saved_plan_below_a_lock_is_carried_out_as_it_was_made() {
    let env = synced();
    fs::create_dir(env.home.path().join("plans")).unwrap();
    set(&env, 0, "title", "Theirs");
    env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
    assert_eq!(env.run("slots plan cafe.yaml --out plans/kept.json").exit, 3);
    assert_eq!(env.run("slots plan cafe.yaml --force --out plans/over.json").exit, 3);
    ok(&env, "slots apply --plan plans/kept.json");
    assert_eq!((title(&env, 0), title(&env, 1)), (json!("Theirs"), json!("Card")));
    let stale = env.run("slots plan --plan plans/over.json");
    assert!(stale.exit == 7 && stale.stderr.contains("since the plan was made"), "{stale}");
    assert_eq!(env.run("slots plan cafe.yaml --force --out plans/over.json").exit, 3);
    ok(&env, "slots apply --plan plans/over.json");
    assert_eq!(title(&env, 0), json!("Hours"));
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn a_legacy_slot_is_deleted_only_with_its_own_flag() {
    let env = synced();
    edit_slots(&env, |slots| {
        let mut slot =
            Slot::new(90, "messenger", json!({"phone": "1"}).as_object().unwrap().clone());
        slot.supported = false;
        slots.push(slot);
    });
    ok(&env, "slots apply cafe.yaml --prune --yes");
    assert_eq!(page(&env).len(), 4);
    ok(&env, "slots apply cafe.yaml --prune-unsupported --yes");
    assert_eq!(page(&env).len(), 3);
}

#[test]
fn a_legacy_slot_whose_item_was_removed_was_not_made_on_the_page() {
    let env = synced();
    edit_slots(&env, |slots| {
        let mut slot =
            Slot::new(90, "messenger", json!({"phone": "1"}).as_object().unwrap().clone());
        slot.supported = false;
        slots.push(slot);
        let data = json!({"title": "Party", "startsAt": "2026-12-05T18:00:00+05:00"});
        slots.push(Slot::new(91, "event", data.as_object().unwrap().clone()));
    });
    ok(&env, "slots pull cafe -O cafe.yaml");
    assert!(text(&env, "cafe.yaml").contains("id: 90"));
    for text in [SLOTS.to_owned(), SLOTS.replace("Menu", "Card")] {
        env.file("cafe.yaml", text);
        for line in ["slots plan cafe.yaml", "slots apply cafe.yaml", "slots plan cafe.yaml"] {
            let run = env.run(line);
            assert!(!format!("{run}").contains("made on the page"), "{run}");
        }
        assert_eq!(exits(&env, ""), [0, 0, 0]);
    }
}

#[test]
fn a_file_whose_slots_are_gone_from_the_page_has_nothing_to_do() {
    let env = synced();
    edit_slots(&env, Vec::clear);
    for line in ["slots plan cafe.yaml", "slots apply cafe.yaml"] {
        let run = ok(&env, line);
        assert!(run.stdout.contains("no changes") && !run.stdout.contains("refuse"), "{run}");
    }
    assert!(page(&env).is_empty());
}

#[test]
fn a_lock_that_no_refresh_can_mend_is_kept() {
    let env = synced();
    let lock = text(&env, "links.lock");
    let service = env.server.base_url();
    for other in [
        lock.replace("links.lock 2", "links.lock 3"),
        lock.replace(&service, "https://other.example"),
        lock.replacen(" 4021\n", " 7\n", 1),
    ] {
        assert_ne!(other, lock);
        env.file("links.lock", &other);
        let run = env.run("init --refresh");
        assert_eq!(run.exit, 14, "{run}");
        assert_eq!(text(&env, "links.lock"), other);
    }
}

#[test]
fn an_image_that_the_service_has_dropped_is_uploaded_again() {
    let picture_type = json!({
        "type": "object",
        "properties": {
            "image": { "type": "string", "pattern": "^uploads/" },
            "title": { "type": ["string", "null"] },
        },
        "required": ["image"],
    });
    let slot_schemas = [("picture".to_owned(), picture_type)].into();
    let choices = Choices { slot_schemas, ..Choices::default() };
    let env = TestEnv::with(|it| it.choices(choices)).env("LINKS_TEST_NO_WAIT", "1");
    env.server.edit(|account| account.profiles[0].slots.clear());
    ok(&env, "init");
    for (name, size) in [("menu.gif", 800), ("logo.gif", 700)] {
        env.file(name, picture(size, size));
    }
    let item = |image: &str, title: &str| {
        format!("  - type: picture\n    data: {{image: {{$upload: {image}}}, title: {title}}}\n")
    };
    let slots =
        format!("profile: cafe\nslots:\n{}", item("menu.gif", "A") + &item("logo.gif", "B"));
    env.file("cafe.yaml", &slots);
    ok(&env, "slots apply cafe.yaml --yes");
    // The path that the lock has for one of the images is refused.
    let path = page(&env)[0].1["image"].as_str().unwrap().to_owned();
    env.file("links.lock", text(&env, "links.lock").replace(&path, "gone/menu.gif"));
    env.file("cafe.yaml", slots + &item("menu.gif", "C") + &item("logo.gif", "D"));
    env.operations();
    let refused = env.run("slots apply cafe.yaml --yes --no-validate");
    assert_eq!(refused.exit, 8, "{refused}");
    let lock = text(&env, "links.lock");
    assert!(!lock.contains("gone/") && lock.contains("\nimage "), "{lock}");
    ok(&env, "slots apply cafe.yaml --yes --no-validate");
    let uploads = env.operations().iter().filter(|it| *it == "uploadFile").count();
    assert_eq!((uploads, page(&env).len()), (1, 4));
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
}

#[test]
fn a_path_in_the_lock_that_is_no_upload_is_not_written_to_the_page() {
    for hostile in ["/etc/passwd", "../x.png", "https://a.example/x.png", "a//b", "%"] {
        let env = synced();
        env.file("menu.gif", picture(800, 800));
        let item = "  - type: picture\n    data: {image: {$upload: menu.gif}, title: Menu}\n";
        env.file("cafe.yaml", format!("{SLOTS}{item}"));
        ok(&env, "slots apply cafe.yaml --yes");
        let path = page(&env)[3].1["image"].as_str().unwrap().to_owned();
        env.file("links.lock", text(&env, "links.lock").replace(&path, hostile));
        let more = item.replace("title: Menu", "title: More");
        env.file("cafe.yaml", format!("{SLOTS}{item}{more}"));
        ok(&env, "slots apply cafe.yaml --yes");
        let image = page(&env)[4].1["image"].clone();
        assert!(image.as_str().unwrap().starts_with("uploads/"), "{hostile}: {image}");
    }
}

#[test]
fn a_directory_above_a_lock_is_applied_and_pulled_like_that_of_the_lock() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    repository(&env, "team");
    fs::create_dir_all(path(&env, "team/deep/site")).unwrap();
    let run = |directory: &str, line: &str| {
        let mut command = env.command(line.split(' '));
        let output = command.current_dir(path(&env, directory)).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{line}: {text}");
        text
    };
    run("team/deep/site", "init");
    run("team/deep/site", "pull --all");
    let file = "team/deep/site/cafe.yaml";
    env.file(file, text(&env, file).replace("Good morning!", "Hello"));
    for directory in ["team", "team/deep"] {
        run(directory, "apply . --yes");
    }
    assert_eq!(title(&env, 0), "Hello");
    set(&env, 0, "title", "Theirs");
    env.server.edit(|account| account.forms[0].title = "Their form".to_owned());
    run("team", "pull .");
    assert!(text(&env, file).contains("Theirs"));
    let form = fs::read_dir(path(&env, "team/deep/site/forms")).unwrap().next().unwrap().unwrap();
    assert!(fs::read_to_string(form.path()).unwrap().contains("Their form"));
}
