//! Tests of `links slots rewrite` and `links slots import` under faults of the service, edits by other clients and other runs.

use links_fixtures::{Account, Fault, World};

use crate::bulk::{APPEND, IMPORT, csv, rewrite, titles};
use crate::steps::{Beginning, ok, writes};
use crate::test_env::{CommandResult, TestEnv};
use crate::undo::cafe;

/// Rewrites the welcome text and the button of the café.
const WORDS: [&str; 8] = [
    "slots",
    "rewrite",
    "cafe",
    "--where",
    ".id == 1001 or .id == 1002",
    "--edit",
    APPEND,
    "--yes",
];

/// Returns an environment that has read the slot types.
fn begun() -> TestEnv {
    let env = cafe();
    env.file("menu.csv", csv(60));
    ok(&env, "slots types");
    env
}

/// Runs the same command until it succeeds.
fn until_done(env: &TestEnv, words: &[&str]) -> Vec<CommandResult> {
    let mut runs = Vec::new();
    for _ in 0..12 {
        runs.push(env.run_args(words, b""));
        if runs.last().unwrap().exit == 0 {
            return runs;
        }
    }
    panic!("{}", runs.last().unwrap());
}

fn each_request_fails(words: &[&str], requests: usize, check: impl Fn(&TestEnv, &str)) {
    let env = begun();
    let beginning = Beginning::of(&env);
    let faults = [
        Fault::RateLimited(Some("7".to_owned())),
        Fault::Before(500),
        Fault::After(500),
        Fault::DropAfter,
        Fault::Truncated,
    ];
    for fault in faults {
        for nth in 1..=requests {
            for count in [1, 9] {
                beginning.restore(&env);
                env.server.forget_clients();
                env.server.fail(nth..nth + count, &fault);
                let runs = until_done(&env, words);
                let shown: Vec<String> = runs.iter().map(ToString::to_string).collect();
                check(&env, &format!("{fault:?} at {nth}, {count} times:\n{}", shown.join("\n")));
                env.server.forget_faults();
            }
        }
    }
}

#[test]
fn a_rewrite_whose_requests_fail_changes_each_slot_once() {
    each_request_fails(&WORDS, 3, |env, why| {
        assert_eq!(titles(env, 0)[..2], ["Good morning!!", "Menu!"], "{why}");
    });
}

#[test]
fn an_import_whose_requests_fail_creates_each_row_once() {
    each_request_fails(&IMPORT, 4, |env, why| {
        let expected: Vec<String> = (0..60).map(|nth| format!("Dish {nth}")).collect();
        let found: Vec<String> =
            titles(env, 1).into_iter().filter(|title| title.starts_with("Dish")).collect();
        assert_eq!(found, expected, "{why}");
    });
}

fn button(account: &mut Account) -> &mut links_fixtures::Slot {
    account.profiles[0].slots.iter_mut().find(|slot| slot.id == 1002).unwrap()
}

#[test]
fn what_others_edit_meanwhile_stays() {
    let env = begun();
    let beginning = Beginning::of(&env);
    for nth in 1..=3 {
        beginning.restore(&env);
        env.server.edit_before(nth, |account| {
            button(account).data.insert("link".to_owned(), "https://foreign.example".into());
        });
        let run = env.run_args(WORDS, b"");
        // It is noticed once the page was read.
        assert_eq!(run.exit, if nth == 1 { 0 } else { 13 }, "{nth}: {run}");
        assert!(!run.stderr.contains("file") && !run.stderr.contains("slots plan"), "{run}");
        let mut account = env.server.account();
        assert_eq!(button(&mut account).data["link"], "https://foreign.example", "{nth}");
        assert_eq!(titles(&env, 0)[..2], ["Good morning!!", "Menu!"], "{nth}: {run}");
    }
}

#[test]
fn a_slot_that_others_delete_meanwhile_is_not_created_again() {
    let env = begun();
    let beginning = Beginning::of(&env);
    for nth in 1..=3 {
        beginning.restore(&env);
        env.server.edit_before(nth, |account| {
            account.profiles[0].slots.retain(|slot| slot.id != 1002);
        });
        let run = env.run_args(WORDS, b"");
        if nth == 2 {
            // The service refuses the batch, and nothing is written.
            assert!(run.exit != 0 && titles(&env, 0)[0] == "Good morning!", "{run}");
            assert_eq!(env.run_args(WORDS, b"").exit, 0);
        }
        let found = titles(&env, 0);
        assert_eq!(found[0], "Good morning!!", "{nth}: {run}");
        assert!(!found.iter().any(|title| title.starts_with("Menu")), "{nth}: {run}");
    }
}

/// Ends a rewrite of 120 slots after its first batches.
fn cut_after(env: &TestEnv, words: &[&str], place: &str) {
    let ended = env.command(words).env("LINKS_TEST_CRASH", place).output().unwrap();
    assert_eq!(ended.status.code(), None, "{ended:?}");
}

#[test]
fn an_interrupted_rewrite_passes_no_slot_twice_and_keeps_what_others_wrote_since() {
    let words = [
        "slots",
        "rewrite",
        "qara.weddings",
        "--where",
        ".type == \"button\"",
        "--edit",
        APPEND,
        "--yes",
    ];
    let env = begun();
    env.file("menu.csv", csv(160));
    let run = env.run_args(IMPORT, b"");
    assert_eq!(run.exit, 0, "{run}");
    let count = |env: &TestEnv| {
        titles(env, 1)
            .iter()
            .filter(|title| title.starts_with("Dish") && title.ends_with('!'))
            .count()
    };
    let mut seen = vec![count(&env)];
    for _ in 0..2 {
        let before = count(&env);
        // A kill right after a read makes no difference.
        (2..9).find(|nth| {
            cut_after(&env, &words, &format!("after_send:{nth}"));
            count(&env) > before
        });
        seen.push(count(&env));
        // One that was written, and one that was not.
        let which = seen.len();
        env.server.edit(|account| {
            let slots = account.profiles[1].slots.iter_mut();
            let mut dishes = slots
                .filter(|slot| slot.data["title"].as_str().unwrap_or_default().starts_with("Dish"));
            let first = dishes.nth(which).unwrap();
            first.data.insert("title".to_owned(), "Foreign first!".into());
            let last = dishes.last().unwrap();
            last.data.insert("title".to_owned(), "Foreign last".into());
        });
    }
    assert!(seen.is_sorted_by(|one, two| one < two) && seen[2] < 160, "{seen:?}");
    let run = env.run_args(words, b"");
    assert_eq!(run.exit, 0, "{run}");
    let found = titles(&env, 1);
    let twice: Vec<_> = found.iter().filter(|title| title.contains("!!")).collect();
    assert!(twice.is_empty(), "{twice:?}: {run}");
    assert_eq!(found.iter().filter(|title| title.starts_with("Dish")).count(), 156);
    assert_eq!(found.iter().filter(|title| *title == "Foreign first!").count(), 2, "{found:?}");
    assert_eq!(found.iter().filter(|title| *title == "Foreign last!").count(), 2, "{found:?}");
    assert!(
        found.iter().all(|title| !title.starts_with("Dish") || title.ends_with('!')),
        "{found:?}"
    );
}

#[test]
fn an_import_tells_of_the_rows_that_only_its_second_run_has_created() {
    let env = begun();
    env.file("menu.csv", csv(3));
    // The journal says that the create was begun, and it never arrived.
    cut_after(&env, &IMPORT, "before_send:2");
    assert!(!titles(&env, 1).iter().any(|title| title.starts_with("Dish")));
    let run = env.run_args([&IMPORT[..], &["-o", "json"]].concat(), b"");
    let done = &run.json()["data"]["pages"][0]["done"];
    assert_eq!((run.exit, done["created"].as_object().unwrap().len()), (0, 3), "{run}");
    assert_eq!(titles(&env, 1).iter().filter(|title| title.starts_with("Dish")).count(), 3);

    cut_after(&env, &IMPORT, "before_send:2");
    let run = env.run_args(IMPORT, b"");
    assert!(run.exit == 0 && run.stdout.contains("qara.weddings: 3 created"), "{run}");
}

#[test]
fn a_token_that_can_only_read_writes_nothing() {
    let env = TestEnv::of(World::read_only(), |builder| builder)
        .keeping_state()
        .env("LINKS_TEST_NO_WAIT", "1");
    env.file("menu.csv", csv(2));
    let before = env.server.account().profiles.clone();
    for words in [&WORDS[..], &IMPORT] {
        let run = env.run_args(words, b"");
        assert_eq!(run.exit, 5, "{run}");
    }
    assert_eq!(env.server.account().profiles, before);
}

#[test]
fn an_interrupted_rewrite_is_continued_by_the_same_filters_alone() {
    let long = |end: &str| {
        format!(".data.title += \"!\" {} | .data.title += \"{end}\"", "| . ".repeat(80))
    };
    let interrupted = |env: &TestEnv| {
        let mut command = env.command([
            "slots",
            "rewrite",
            "cafe",
            "--where",
            ".id == 1002",
            "--edit",
            &long("A"),
            "--yes",
        ]);
        let ended = command.env("LINKS_TEST_CRASH", "after_send:2").output().unwrap();
        assert_eq!((ended.status.code(), &*titles(env, 0)[1]), (None, "Menu!A"), "{ended:?}");
    };
    let env = begun();
    interrupted(&env);
    let run = env.run("slots apply --resume --yes");
    assert!(run.exit == 2 && run.stderr.contains("`links slots rewrite`"), "{run}");
    // Other words around the same filters.
    let run = rewrite(
        &env,
        &["101", "--where", ".id == 1002", "--edit", &long("A"), "--yes", "-o", "json"],
    );
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(titles(&env, 0)[1], "Menu!A");
    let env = begun();
    interrupted(&env);
    let run = rewrite(&env, &["cafe", "--where", ".id == 1002", "--edit", &long("B"), "--yes"]);
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(titles(&env, 0)[1], "Menu!A!B", "{run}");
}

#[test]
fn a_dry_run_plans_what_a_run_after_an_interrupted_import_does() {
    // The last create was not sent, or was executed without its answer being recorded.
    for place in ["before_send:4", "after_send:3"] {
        let env = begun();
        env.file("menu.csv", csv(130));
        let before = env.server.account().profiles[1].slots.len();
        let mut command = env.command(IMPORT);
        let ended = command.env("LINKS_TEST_CRASH", place).output().unwrap();
        let on_page = || env.server.account().profiles[1].slots.len();
        let made = on_page() - before;
        assert!(ended.status.code().is_none() && made == 100, "{place}: {made} {ended:?}");
        let dry = env.run_args(IMPORT.iter().copied().chain(["--dry-run"]), b"");
        assert_eq!(dry.exit, 3, "{dry}");
        assert!(
            dry.stderr.contains(&format!("({made} created so far)"))
                && dry.stderr.contains("resuming the run interrupted"),
            "{dry}"
        );
        assert!(dry.stdout.contains("qara.weddings: 30 to create"), "{dry}");
        assert_eq!(on_page() - before, made);
        let run = env.run_args(IMPORT, b"");
        assert_eq!((run.exit, on_page() - before), (0, 130), "{run}");
    }
}

#[test]
fn a_page_named_twice_is_written_once_or_refused() {
    let env = begun();
    let run = rewrite(&env, &["cafe", "cafe", "--where", ".id == 1002", "--edit", APPEND, "--yes"]);
    assert_eq!((run.exit, &*titles(&env, 0)[1]), (0, "Menu!"), "{run}");
    writes(&env);
    let run = rewrite(&env, &["cafe", "101", "--where", ".id == 1002", "--edit", APPEND, "--yes"]);
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.stderr.contains("passed twice; nothing was written"), "{run}");
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_rewrite_of_two_pages_is_undone_at_once_and_so_is_an_import() {
    let env = begun();
    let before = [titles(&env, 0), titles(&env, 1)];
    let run =
        rewrite(&env, &["--all", "--where", ".type == \"button\"", "--edit", APPEND, "--yes"]);
    assert_eq!(run.exit, 0, "{run}");
    let undone = env.run("undo --yes");
    assert_eq!(undone.exit, 0, "{undone}");
    assert!(undone.stderr.contains("(cafe, qara.weddings)"), "{undone}");
    assert_eq!([titles(&env, 0), titles(&env, 1)], before);
    let run = env.run_args(IMPORT, b"");
    assert_eq!(run.exit, 0, "{run}");
    let shown = env.run("log");
    assert!(
        shown.stdout.contains("slots import") && shown.stdout.contains("60 created"),
        "{shown}"
    );
    ok(&env, "undo --yes");
    assert_eq!([titles(&env, 0), titles(&env, 1)], before);
}

#[test]
fn a_rewrite_that_failed_on_a_page_changes_no_slot_of_the_others_again() {
    let env = begun();
    assert_eq!(env.run_args(IMPORT, b"").exit, 0);
    let beginning = Beginning::of(&env);
    let words = ["--all", "--where", ".type == \"button\"", "--edit", APPEND, "--yes"];
    // The first batch is that of the café; the second page fails at its first write, or at a later one.
    for nth in [2, 3] {
        beginning.restore(&env);
        env.server.forget_clients();
        env.server.fail_operation("updateSlots", nth, &Fault::Before(400));
        let failed = rewrite(&env, &words);
        assert_eq!(failed.exit, 12, "{failed}");
        let again = rewrite(&env, &words);
        assert_eq!(again.exit, 0, "{again}");
        for page in [0, 1] {
            let twice: Vec<_> =
                titles(&env, page).into_iter().filter(|it| it.ends_with("!!")).collect();
            assert!(twice.is_empty(), "batch {nth}, page {page}: {twice:?}: {again}");
        }
        assert!(titles(&env, 0).contains(&"Menu!".to_owned()), "{again}");
        // Once it is done, the same command is a new one.
        let new = rewrite(&env, &words);
        assert_eq!(new.exit, 0, "{new}");
        assert!(titles(&env, 0).contains(&"Menu!!".to_owned()), "{new}");
    }
}

#[test]
fn a_run_that_fails_on_a_page_reports_the_others_and_what_was_written_of_it() {
    let env = begun();
    assert_eq!(env.run_args(IMPORT, b"").exit, 0);
    let beginning = Beginning::of(&env);
    let run = |format: &str| {
        let select = ".type == \"button\"";
        rewrite(&env, &["--all", "--where", select, "--edit", APPEND, "--yes", "-o", format])
    };
    for format in ["json", "csv", "ids", "table"] {
        beginning.restore(&env);
        env.server.forget_clients();
        // The first batch is that of the café.
        env.server.fail_operation("updateSlots", 3, &Fault::Before(400));
        let failed = run(format);
        assert_eq!(failed.exit, 12, "{failed}");
        let is_written = |title: &String| title.ends_with('!');
        let count = titles(&env, 1).iter().filter(|title| is_written(title)).count();
        assert!(count > 0 && titles(&env, 0).contains(&"Menu!".to_owned()), "{failed}");
        if format == "json" {
            let shown = failed.json();
            let pages = shown["data"]["pages"].as_array().unwrap();
            let of = |page: &serde_json::Value| {
                (page["login"].clone(), page["done"]["updated"].clone(), page["finished"].clone())
            };
            let expected = [
                ("cafe".into(), 1.into(), true.into()),
                ("qara.weddings".into(), count.into(), false.into()),
            ];
            assert_eq!(pages.iter().map(of).collect::<Vec<_>>(), expected, "{failed}");
            assert!(pages.iter().all(|page| page["run"].is_string()), "{failed}");
            assert_eq!(failed.error()["outcome"], "executed", "{failed}");
            continue;
        }
        let expected = match format {
            "csv" => [",1,0,".to_owned(), format!(",{count},0,")],
            "ids" => ["101".to_owned(), "102".to_owned()],
            _ => [
                "cafe: 1 updated".to_owned(),
                format!("qara.weddings: {count} updated (not finished)"),
            ],
        };
        assert!(expected.iter().all(|it| failed.stdout.contains(it)), "{expected:?}: {failed}");
        assert!(failed.stderr.contains("1 of 2 pages failed"), "{failed}");
    }
}

#[test]
fn a_page_of_500_slots_is_rewritten_with_few_requests() {
    let env = begun();
    env.file("menu.csv", csv(498));
    let run = env.run_args(IMPORT, b"");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(env.server.account().profiles[1].slots.len(), 500);
    env.operations();
    let run = rewrite(
        &env,
        &[
            "qara.weddings",
            "--where",
            ".data.title // \"\" | startswith(\"Dish\")",
            "--edit",
            APPEND,
            "--yes",
        ],
    );
    assert_eq!(run.exit, 0, "{run}");
    let sent = env.operations();
    assert_eq!(sent.iter().filter(|it| *it == "updateSlots").count(), 10, "{sent:?}");
    assert!(sent.len() <= 16, "{sent:?}");
    let dishes = titles(&env, 1).into_iter().filter(|title| title.starts_with("Dish"));
    assert!(dishes.clone().all(|title| title.ends_with('!')) && dishes.count() == 498);
    env.file("menu.csv", csv(1));
    let run = env.run_args(IMPORT, b"");
    assert_eq!(run.exit, 14, "{run}");
    assert!(
        run.stderr.contains("501 slots, but can have at most 500; nothing was written"),
        "{run}"
    );
}

#[test]
fn a_rewrite_that_more_slots_match_since_is_a_second_run_with_an_undo_of_its_own() {
    let words = [
        "slots",
        "rewrite",
        "cafe",
        "--where",
        ".data.title // \"\" | startswith(\"Menu\")",
        "--edit",
        APPEND,
        "--yes",
    ];
    let env = begun();
    cut_after(&env, &words, "after_send:2");
    assert_eq!(titles(&env, 0)[1], "Menu!");
    env.server.edit(|account| {
        account.profiles[0].slots[0].data.insert("title".to_owned(), "Menu of today".into());
    });
    let run = env.run_args(words, b"");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(titles(&env, 0)[..2], ["Menu of today!", "Menu!"], "{run}");
    let (_, said) = run
        .stderr
        .split_once("its content was different; its writes stay on the page (1 updated); ")
        .unwrap();
    let (_, first) = said.split_once("`links undo ").unwrap();
    let first = first.split('`').next().unwrap();
    ok(&env, "undo --yes");
    assert_eq!(titles(&env, 0)[..2], ["Menu of today", "Menu!"]);
    ok(&env, &format!("undo {first} --yes"));
    assert_eq!(titles(&env, 0)[..2], ["Menu of today", "Menu"]);
}

/// Rewrites the 60 dishes of the import, in two batches.
const DISHES: [&str; 10] = [
    "slots",
    "rewrite",
    "qara.weddings",
    "--where",
    ".data.title // \"\" | startswith(\"Dish\")",
    "--edit",
    APPEND,
    "--yes",
    "-o",
    "json",
];

/// Changes the title of the last dish as another client.
fn edit_last_dish(account: &mut Account) {
    let slot = account.profiles[1].slots.last_mut().unwrap();
    slot.data.insert("title".to_owned(), "Dish of the day".into());
}

#[test]
fn a_rewrite_that_ends_with_an_edit_by_others_says_that_it_has_ended() {
    let env = begun();
    assert_eq!(env.run_args(IMPORT, b"").exit, 0);
    // The last write.
    env.server.edit_after_operation("updateSlots", 2, edit_last_dish);
    let run = env.run_args(DISHES, b"");
    assert_eq!(run.exit, 13, "{run}");
    let page = &run.json()["data"]["pages"][0];
    assert_eq!((&page["done"]["updated"], &page["finished"]), (&60.into(), &true.into()), "{run}");
    let hint = run.error()["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("running the same command again would start a new run"), "{run}");
    assert!(ok(&env, "log").stdout.contains("drift"), "{run}");
    assert_eq!(env.run_args(DISHES, b"").exit, 0);
    let ends = |end: &str| titles(&env, 1).iter().filter(|title| title.ends_with(end)).count();
    assert_eq!((ends("!!"), ends("Dish of the day!")), (59, 1));
}

#[test]
fn a_rewrite_that_an_edit_by_others_interrupts_says_that_the_same_command_continues_it() {
    let env = begun();
    assert_eq!(env.run_args(IMPORT, b"").exit, 0);
    // The second batch waits, and the page is read once more after that.
    env.server.fail_operation("updateSlots", 2, &Fault::RateLimited(None));
    env.server.edit_after_operation("updateSlots", 2, edit_last_dish);
    let run = env.run_args(DISHES, b"");
    assert_eq!(run.exit, 13, "{run}");
    let page = &run.json()["data"]["pages"][0];
    assert_eq!((&page["done"]["updated"], &page["finished"]), (&50.into(), &false.into()), "{run}");
    let hint = run.error()["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("run the same command again to continue"), "{run}");
    assert_eq!(env.run_args(DISHES, b"").exit, 0);
    let ends = |end: &str| titles(&env, 1).iter().filter(|title| title.ends_with(end)).count();
    assert_eq!((ends("!"), ends("!!"), ends("Dish of the day!")), (60, 0, 1));
}

#[test]
fn a_move_by_others_that_the_read_after_a_lost_answer_shows_is_kept() {
    for fault in [Fault::DropAfter, Fault::Truncated, Fault::After(502)] {
        let env = cafe();
        env.file("one.csv", "title,link\nNew,https://new.example\n");
        ok(&env, "slots types");
        // The slot is created, its answer is lost, and the page that is read then has another order.
        env.server.fail_operation("createSlots", 1, &fault);
        env.server.edit_after_operation("createSlots", 1, |account| {
            account.profiles[0].slots.swap(0, 1);
        });
        let run = env.run("slots import cafe one.csv --type button --top --yes");
        assert_eq!(run.exit, 13, "{fault:?}: {run}");
        assert!(run.stderr.contains("slots were moved"), "{fault:?}: {run}");
        let account = env.server.account();
        let slots = account.profiles[0].slots.iter();
        let ids: Vec<u64> = slots.map(|slot| slot.id).collect();
        assert_eq!((ids.len(), &ids[..2]), (15, &[1002, 1001][..]), "{fault:?}: {run}");
    }
}
