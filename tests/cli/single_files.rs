//! Tests of page files that no `links.lock` governs: the state directory has the record of their last sync.

use std::fs;

use links_fixtures::Slot;
use serde_json::{Value, json};

use crate::steps::{SLOTS, cut_short, edit_slots, ok};
use crate::test_env::TestEnv;

/// Returns a café whose page was made from a file, on a machine that keeps its state.
fn synced() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
    env.server.edit(|account| account.profiles[0].slots.clear());
    env.file("cafe.yaml", SLOTS);
    ok(&env, "slots apply cafe.yaml --allow-empty");
    env.operations();
    env
}

fn set(env: &TestEnv, nth: usize, value: &str) {
    edit_slots(env, |slots| {
        slots[nth].data.insert("title".to_owned(), value.into());
    });
}

fn titles(env: &TestEnv) -> Vec<Value> {
    let slots = &env.server.account().profiles[0].slots;
    slots.iter().map(|slot| slot.data.get("title").cloned().unwrap_or_default()).collect()
}

#[test]
fn a_change_of_each_side_survives_the_other_without_a_lock() {
    let env = synced();
    set(&env, 0, "Opening hours");
    env.file("cafe.yaml", SLOTS.replace("Menu", "Card"));
    let plan = env.run("slots plan cafe.yaml");
    assert_eq!(plan.exit, 3, "{plan}");
    assert!(plan.stdout.contains("on the page since the last sync; kept"), "{plan}");
    ok(&env, "slots apply cafe.yaml");
    assert_eq!(titles(&env), [json!("Opening hours"), json!("Card"), Value::Null]);
    assert_eq!(env.run("slots plan cafe.yaml --fail-on remote").exit, 3);
    // A conflict, and its ways out.
    set(&env, 1, "Theirs");
    env.file("cafe.yaml", SLOTS.replace("Menu", "Mine"));
    assert_eq!(env.run("slots apply cafe.yaml").exit, 7);
    ok(&env, "slots apply cafe.yaml --force");
    assert_eq!(titles(&env), [json!("Hours"), json!("Mine"), Value::Null]);
    set(&env, 1, "Theirs");
    assert_eq!(env.run("slots plan cafe.yaml --exact").exit, 3);
    assert_eq!(
        ok(&env, "slots plan cafe.yaml").stdout.lines().last(),
        Some("no changes (1 request)")
    );
    // Nothing of it is beside the file.
    let beside: Vec<_> = fs::read_dir(env.home.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    assert_eq!(beside, ["cafe.yaml"]);
}

#[test]
fn a_removed_item_is_deleted_after_confirmation_and_an_unknown_slot_stays() {
    let env = synced();
    edit_slots(&env, |slots| {
        let data = [("title".to_owned(), "Theirs".into())].into_iter().collect();
        slots.push(Slot::new(77, "text", data));
    });
    env.file("cafe.yaml", SLOTS.replace("  - type: divider\n", ""));
    assert_eq!(env.run("slots apply cafe.yaml").exit, 14);
    ok(&env, "slots apply cafe.yaml --yes");
    assert_eq!(titles(&env), [json!("Hours"), json!("Menu"), json!("Theirs")]);
}

#[test]
fn a_pulled_file_knows_the_page_that_it_was_pulled_from() {
    let env = synced();
    fs::remove_file(env.home.path().join("cafe.yaml")).unwrap();
    ok(&env, "slots pull cafe -O pulled.yaml");
    set(&env, 0, "Opening hours");
    let file = env.home.path().join("pulled.yaml");
    let text = fs::read_to_string(&file).unwrap().replace("title: Menu", "title: Card  # new");
    fs::write(&file, &text).unwrap();
    ok(&env, "slots apply pulled.yaml");
    assert_eq!(titles(&env), [json!("Opening hours"), json!("Card"), Value::Null]);
    // It can take over what was changed there.
    let pulled = ok(&env, "slots pull cafe -O pulled.yaml");
    assert!(pulled.stdout.contains("1 change merged"), "{pulled}");
    assert!(fs::read_to_string(&file).unwrap().contains("title: Card  # new"));
    assert_eq!(
        ok(&env, "slots plan pulled.yaml").stdout,
        "= cafe: no changes\nno changes (1 request)\n"
    );
    // A file that was never synced is not touched.
    env.file("other.yaml", SLOTS);
    let refused = env.run("slots pull cafe -O other.yaml");
    assert!(refused.exit == 14 && refused.stderr.contains("already exists"), "{refused}");
}

#[test]
fn the_file_that_was_applied_last_is_that_of_the_page() {
    let env = synced();
    let winter = SLOTS.replace("8 to 8", "9 to 5").replace("Menu", "Soups");
    env.file("winter.yaml", &winter);
    // A copy of the page is no file of it.
    ok(&env, "slots pull cafe -O backup.yaml");
    for (file, menu) in [("winter.yaml", "Soups"), ("cafe.yaml", "Menu"), ("winter.yaml", "Soups")]
    {
        ok(&env, &format!("slots apply {file}"));
        assert_eq!(titles(&env)[1], json!(menu), "{file}");
    }
    set(&env, 0, "Theirs");
    ok(&env, "slots apply winter.yaml");
    assert_eq!(titles(&env)[0], json!("Theirs"));
    let first = env.run("slots plan cafe.yaml");
    assert!(first.stdout.contains("no previous sync recorded for this file"), "{first}");
    // The same file for another page begins anew.
    env.file("winter.yaml", winter.replace("profile: cafe", "profile: qara.weddings"));
    let plan = env.run("slots plan winter.yaml");
    assert!(plan.exit == 3 && plan.stdout.contains("3 to create"), "{plan}");
}

#[test]
fn a_lock_takes_over_what_this_machine_recorded() {
    let env = synced();
    set(&env, 0, "Opening hours");
    let begun = ok(&env, "init");
    assert!(begun.stdout.contains("imported 1 record from this machine"), "{begun}");
    let plan = ok(&env, "slots plan cafe.yaml");
    assert!(plan.stdout.contains("on the page since the last sync; kept"), "{plan}");
    let lock = fs::read_to_string(env.home.path().join("links.lock")).unwrap();
    assert!(lock.contains(" cafe.yaml\n"), "{lock}");
    // The lock alone counts from now on.
    fs::remove_file(env.home.path().join("links.lock")).unwrap();
    assert_eq!(env.run("slots plan cafe.yaml --fail-on remote").exit, 14);
}

#[test]
fn a_damaged_record_is_refused_with_its_path() {
    let env = synced();
    let directory = env.home.path().join(".local/state/links/sync");
    let service = fs::read_dir(directory).unwrap().next().unwrap().unwrap().path();
    let mut paths = fs::read_dir(service).unwrap().map(|entry| entry.unwrap().path());
    let record = paths.find(|path| path.extension() == Some("lock".as_ref())).unwrap();
    let text = fs::read_to_string(&record).unwrap();
    assert!(!text.contains("Hours"), "{text}");
    fs::write(&record, &text[..text.len() / 2]).unwrap();
    for line in ["slots plan cafe.yaml", "slots apply cafe.yaml"] {
        let run = env.run(line);
        assert_eq!(run.exit, 14, "{run}");
        assert!(run.stderr.contains(record.to_str().unwrap()), "{run}");
    }
    fs::remove_file(record).unwrap();
    ok(&env, "slots apply cafe.yaml");
}

#[test]
fn standard_input_has_no_record() {
    let env = synced();
    set(&env, 0, "Theirs");
    let run = env.run_args(["slots", "plan", "-"], SLOTS.as_bytes());
    assert!(run.exit == 3 && run.stdout.contains("1 to update"), "{run}");
    ok(&env, "init");
    let run = env.run_args(["slots", "apply", "-"], SLOTS.as_bytes());
    assert_eq!(run.exit, 0, "{run}");
    assert!(run.stderr.contains("standard input has no recorded sync"), "{run}");
    assert_eq!(titles(&env)[0], json!("Hours"));
}

/// A first run that ends anywhere is finished by the next one, and recorded.
#[test]
fn a_first_run_that_is_cut_short_anywhere_is_recorded_by_the_next_one() {
    for nth in 1.. {
        let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
        env.server.edit(|account| account.profiles[0].slots.clear());
        env.file("cafe.yaml", SLOTS);
        let ended = cut_short(&env, "slots apply cafe.yaml", &format!("any:{nth}"));
        ok(&env, "slots apply cafe.yaml");
        assert_eq!(titles(&env).len(), 3, "place {nth}");
        assert_eq!(env.run("slots plan cafe.yaml --fail-on any").exit, 0, "place {nth}");
        set(&env, 0, "Theirs");
        assert_eq!(env.run("slots plan cafe.yaml --fail-on any").exit, 3, "place {nth}");
        ok(&env, "slots apply cafe.yaml");
        assert_eq!(titles(&env)[0], json!("Theirs"), "place {nth}");
        if ended.status.success() {
            assert!(nth > 5, "only {nth} places");
            break;
        }
    }
}
