//! Tests of page files against a page: pull, plan, apply.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::terminal;
use crate::test_env::{TestEnv, reported_exit};

const CAFE: &str = include_str!("../../fixtures/pages/cafe.yaml");

#[test]
fn a_second_apply_of_the_same_file_changes_nothing() {
    let env = TestEnv::cafe();
    env.file("cafe.yaml", CAFE);
    let plan = env.run("slots plan cafe.yaml");
    assert_eq!(env.operations(), ["getProfile", "listSlotTypes"]);

    let first = env.run("slots apply cafe.yaml");
    let writes = ["updateSlots", "createSlots", "reorderSlots"];
    assert_eq!(
        env.operations(),
        [&["getProfile", "listSlotTypes"], &writes[..], &["listSlots"]].concat()
    );

    let second = env.run("slots apply cafe.yaml");
    assert_eq!(env.operations(), ["getProfile"]);
    insta::assert_snapshot!(plan.snapshot_name(), plan);
    insta::assert_snapshot!(first.snapshot_name(), first);
    insta::assert_snapshot!("slots_apply_cafe_yaml_again", second);
    assert_eq!(env.run("slots plan cafe.yaml").exit, 0);
}

#[test]
fn plans_and_reports_in_json_have_the_changes_and_the_request_count() {
    let env = TestEnv::cafe();
    env.file("cafe.yaml", CAFE);
    let run = env.run("slots plan cafe.yaml -o json");
    assert_eq!((run.exit, run.stderr.as_str()), (3, ""));
    let plan = run.json();
    assert_eq!(plan["meta"]["refusal"], Value::Null);
    assert!(plan["meta"]["requests"].as_u64() >= Some(6), "{plan}");
    assert_eq!(plan["data"]["pages"][0]["plan"]["updates"].as_array().unwrap().len(), 5);
    assert_eq!(plan["data"]["pages"][0]["plan"]["creates"].as_array().unwrap().len(), 3);

    let run = env.run("slots apply cafe.yaml -o json");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""));
    let report = run.json();
    assert_eq!(report["meta"], json!({ "requests": 6 }));
    assert_eq!(report["data"]["pages"][0]["done"]["updated"], 5);
    assert_eq!(report["data"]["pages"][0]["done"]["deleted"], 0);
}

#[test]
fn a_pulled_page_plans_no_changes() {
    for name in ["page.yaml", "page.json"] {
        let env = TestEnv::cafe();
        let run = env.run(&format!("slots pull cafe -O {name}"));
        assert_eq!(run.exit, 0, "{run}");
        let run = env.run(&format!("slots plan {name}"));
        assert!(run.exit == 0 && run.stdout.starts_with("= cafe: no changes\n"), "{run}");
        let text = std::fs::read_to_string(env.home.path().join(name)).unwrap();
        assert_eq!(text.starts_with('{'), name.ends_with("json"));

        let run = env.run(&format!("slots pull cafe -O {name}"));
        assert_eq!(run.exit, 14, "a file that is there is not lost\n{run}");
        assert_eq!(env.run(&format!("slots pull 101 -O {name} --force")).exit, 0);
        assert_eq!(std::fs::read_to_string(env.home.path().join(name)).unwrap(), text);
        assert_eq!(
            std::fs::read_dir(env.home.path()).unwrap().count(),
            1,
            "it writes no other file"
        );
    }
}

#[test]
fn a_pulled_file_has_every_slot_of_the_page() {
    insta::assert_snapshot!(TestEnv::cafe().run("slots pull cafe").stdout);
}

const FEWER: &str =
    "profile: cafe\nslots:\n  - {id: 1001, type: text}\n  - {id: 1002, type: button}\n";

#[test]
fn deletes_need_prune_confirmation_and_a_limit() {
    let env = TestEnv::cafe();
    env.file("page.yaml", FEWER);
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    env.operations();

    let drastic = env.run("slots apply page.yaml --prune --yes");
    assert_eq!(drastic.exit, 14, "{drastic}");
    assert!(drastic.stderr.contains("--max-deletes"), "{drastic}");
    let few = env.run("slots apply page.yaml --prune --yes --max-deletes 3");
    assert_eq!(few.exit, 14, "{few}");
    let unasked = env.run("slots apply page.yaml --prune --max-deletes 20");
    assert_eq!(unasked.exit, 14, "{unasked}");
    assert!(unasked.stderr.contains("--yes"), "{unasked}");
    env.file("empty.yaml", "profile: cafe\nslots: []\n");
    let empty = env.run("slots apply empty.yaml --prune --yes --max-deletes 20");
    assert_eq!(empty.exit, 14, "{empty}");
    assert!(empty.stderr.contains("--allow-empty"), "{empty}");
    assert!(
        env.operations().iter().all(|it| matches!(it.as_str(), "getProfile" | "listSlotTypes"))
    );

    insta::assert_snapshot!(
        "pruned",
        env.run("slots apply page.yaml --prune --yes --max-deletes 20")
    );
    assert_eq!(
        env.server.account().profiles[0].slots.len(),
        5,
        "the event and the two legacy slots stay"
    );
    assert_eq!(env.run("slots plan page.yaml --prune").exit, 0);
}

#[test]
fn a_file_without_slots_needs_no_flag_if_it_deletes_nothing() {
    let env = TestEnv::cafe();
    for (title, plan_exit) in [("", 0), ("title: Closed\n", 3)] {
        env.file("empty.yaml", format!("profile: cafe\n{title}slots: []\n"));
        let plan = env.run("plan empty.yaml");
        assert_eq!(plan.exit, plan_exit, "{plan}");
        let plan = env.run("slots plan empty.yaml");
        assert!([0, 3].contains(&plan.exit) && !plan.stderr.contains("--allow-empty"), "{plan}");
        let applied = env.run("apply empty.yaml --yes");
        assert_eq!(applied.exit, 0, "{applied}");
    }
}

#[test]
fn a_field_that_the_service_refuses_is_shown_at_its_line() {
    let env = TestEnv::cafe();
    let good = "  - {type: divider}\n".repeat(60);
    let text = format!(
        "profile: cafe\nslots:\n{good}  - type: button\n    data:\n      title: Shop\n      link: no link\n"
    );
    env.file("page.yaml", text);
    let run = env.run("slots apply page.yaml --no-validate -o json");
    // The first fifty are on the page already when the second batch is refused.
    assert_eq!(run.exit, 12, "{run}");
    let error = run.error();
    assert_eq!(error["places"][0]["line"], 66, "{run}");
    assert_eq!(error["places"][0]["column"], 13, "{run}");
    assert_eq!(error["places"][0]["path"], "slots.60.data.link", "{run}");
    assert_eq!(error["written"], "50 created before that", "{run}");

    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1002, type: button, data: {link: no link, colour: red}}\n",
    );
    insta::assert_snapshot!("refused_fields", env.run("slots apply page.yaml --no-validate"));
}

#[test]
fn all_invalid_ids_are_reported_at_once() {
    let env = TestEnv::cafe();
    env.file("page.yaml", "profile: cafe\nslots:\n  - {id: 1001, type: button}\n  - {id: 1101, type: button}\n  - {id: 9, type: text}\n");
    insta::assert_snapshot!("ids_that_cannot_be", env.run("slots plan page.yaml"));
    env.operations();
    assert_eq!(env.run("slots apply page.yaml --prune --yes --max-deletes 99").exit, 8);
    assert_eq!(env.operations(), ["getProfile", "listSlotTypes"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_after_the_request_in_flight() {
    let env = TestEnv::cafe();
    let dividers = "  - {type: divider}\n".repeat(300);
    env.file("page.yaml", format!("profile: cafe\nslots:\n{dividers}"));
    let mut child = env.command(["slots", "apply", "page.yaml", "-o", "json"]);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Five requests go out at once, three of them create; the sixth waits for the rest of a second.
    while env.server.requests().len() < 5 {
        std::thread::yield_now();
    }
    let told = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(told.success());
    let output = child.wait_with_output().unwrap();
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(
        (reported_exit(output.status), &error["code"]),
        (Some(130), &"interrupted".into()),
        "{error}"
    );
    let slots = || env.server.account().profiles[0].slots.len();
    let created = slots() - 14;
    assert!([150, 200].contains(&created), "{created}");
    assert_eq!(error["message"], format!("stopped by Ctrl-C: {created} created"));

    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    // One of the dividers was on the page before.
    assert_eq!(slots(), 14 + 299);
}

#[cfg(target_os = "linux")]
#[test]
fn an_apply_on_a_terminal_asks_before_deletes_and_shows_progress() {
    let env = TestEnv::cafe();
    let text = "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: Hello}}\n  - {type: text, data: {title: New}}\n";
    env.file("page.yaml", text);
    let apply =
        |typed: &str| terminal::run(&env, "slots apply page.yaml --prune --max-deletes 20", typed);
    for typed in ["n\n", "\n", ""] {
        let seen = apply(typed);
        assert_eq!(seen.exit, 14, "{}", seen.text);
        assert!(seen.text.contains("not confirmed; nothing was written"), "{}", seen.text);
    }
    assert!(!env.operations().contains(&"updateSlots".to_owned()));
    let seen = apply("y\n");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    let asked = "Apply these changes, including 10 deletes?";
    for part in [
        "  - faq 1011 \"Before you come\"",
        asked,
        "0/5 updating 1",
        "1/5 creating 1",
        "2/5 checking before deleting",
        "3/5 deleting 10",
        "4/5 verifying",
        "cafe: 1 updated, 1 created, 10 deleted",
    ] {
        assert!(seen.text.contains(part), "no {part} in\n{}", seen.text);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_read_only_token_is_refused_before_the_confirmation() {
    let env = TestEnv::cafe();
    env.server.edit(|account| {
        for token in &mut account.tokens {
            token.abilities.retain(|ability| ability == "profile:read");
        }
    });
    env.file("page.yaml", FEWER);
    let seen = terminal::run(&env, "slots apply page.yaml --prune --max-deletes 20", "y\n");
    assert_eq!(seen.exit, 5, "{}", seen.text);
    assert!(
        seen.text.contains("the token is read-only") && !seen.text.contains("Delete these"),
        "{}",
        seen.text
    );
    assert!(!env.operations().contains(&"deleteSlots".to_owned()));
}
