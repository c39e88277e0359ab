//! Tests of `slots edit` on a terminal, with an editor that follows a script.

#![cfg(target_os = "linux")]

use std::path::PathBuf;

use crate::terminal::{self, Seen};
use crate::test_env::TestEnv;

/// Runs `slots edit` with an editor that runs the first of these shell commands when it is opened first, then the second, and so on. It
/// keeps a copy of each draft that it gets.
fn edited(env: &TestEnv, flags: &str, turns: &[&str]) -> Seen {
    let turn = |(nth, turn)| format!("if [ $n = {nth} ]; then {turn}; fi\n");
    let done: Vec<String> = turns.iter().enumerate().map(turn).collect();
    let head = "n=$(wc -l < turns | tr -d ' ')\necho >> turns\ncp \"$2\" given.$n\n";
    env.file("turns", "");
    env.file("editor.sh", format!("{head}{}", done.concat()));
    let seen = terminal::run(env, &format!("slots edit cafe {flags}"), "");
    let opened = std::fs::read_to_string(env.home.path().join("turns")).unwrap();
    assert_eq!(
        opened.lines().count(),
        turns.len(),
        "the editor was opened so often\n{}",
        seen.text
    );
    seen
}

/// Returns an environment with an editor of several words; `$1` is the last of them, and `$2` the file.
fn env() -> TestEnv {
    let env = TestEnv::cafe();
    let temporary = env.home.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    env.env("TMPDIR", temporary.display().to_string())
        .env("VISUAL", "/bin/sh editor.sh '--wait for it'")
        .env("EDITOR", "/no/such/editor")
}

fn given(env: &TestEnv, nth: usize) -> String {
    std::fs::read_to_string(env.home.path().join(format!("given.{nth}"))).unwrap()
}

fn title(env: &TestEnv) -> String {
    env.server.account().profiles[0].slots[0].data["title"].as_str().unwrap().to_owned()
}

/// Returns the remaining temporary files.
fn left(env: &TestEnv) -> Vec<PathBuf> {
    let directory = std::fs::read_dir(env.home.path().join("tmp")).unwrap();
    directory.map(|it| it.unwrap().path()).collect()
}

/// Returns the text that was kept, in the file that was named.
fn kept(env: &TestEnv, seen: &Seen) -> String {
    let [path] = &left(env)[..] else { panic!("{:?}\n{}", left(env), seen.text) };
    assert!(seen.text.contains(&path.display().to_string()), "{}", seen.text);
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn an_edit_that_is_saved_is_applied() {
    let env = env();
    let seen = edited(&env, "", &["sed -i 's/Good morning!/Good evening!/' \"$2\""]);
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert_eq!(title(&env), "Good evening!");
    assert!(seen.text.contains("title: \"Good morning!\" → \"Good evening!\""), "{}", seen.text);
    assert!(seen.text.contains("cafe: 1 updated"), "{}", seen.text);
    assert!(given(&env, 0).contains("profile: cafe\nslots:\n  - id: 1001\n"));
    assert!(left(&env).is_empty());
}

#[test]
fn an_unchanged_file_changes_nothing() {
    for turn in ["true", ": > \"$2\""] {
        let env = env();
        let seen = edited(&env, "", &[turn]);
        assert!(seen.exit == 0 && seen.text.contains("no changes"), "{}", seen.text);
        assert_eq!(env.operations(), ["getProfile", "listSlotTypes"]);
        assert!(left(&env).is_empty());
    }
}

#[test]
fn a_refused_file_is_opened_again_with_every_problem_above_its_line() {
    let env = env();
    let turns = [
        "sed -i 's/      title: Menu/      titel: Menü # mine/; s/style: primary/style: primray/' \"$2\"",
        "sed -i 's/primray/outline/' \"$2\"",
        "sed -i 's/titel/title/; s/^profile: cafe$/profile: cafe: x/' \"$2\"",
        "sed -i 's/cafe: x/cafe/' \"$2\"",
    ];
    let seen = edited(&env, "", &turns);
    assert_eq!(seen.exit, 0, "{}", seen.text);
    let button = |nth: usize| {
        let text = given(&env, nth);
        text.lines()
            .skip_while(|it| !it.contains("id: 1002"))
            .take(9)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let parsed = given(&env, 3).lines().take(4).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!("reopened_with_two_problems", button(1));
    insta::assert_snapshot!("reopened_with_one_problem", button(2));
    insta::assert_snapshot!("reopened_with_invalid_yaml", parsed);
    let slot = env.server.account().profiles[0].slots[1].clone();
    assert_eq!((&slot.data["title"], &slot.data["style"]), (&"Menü".into(), &"outline".into()));
    assert_eq!(env.operations().iter().filter(|it| *it == "updateSlots").count(), 1);
    assert!(left(&env).is_empty());
}

#[test]
fn a_refusal_of_the_service_is_shown_above_its_line() {
    let env = env();
    let turns =
        ["sed -i 's/style: primary/style: primray/' \"$2\"", "sed -i 's/primray/outline/' \"$2\""];
    let seen = edited(&env, "--no-validate", &turns);
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert!(given(&env, 1).contains("      #!! `style` must be one of"), "{}", seen.text);
}

#[test]
fn an_edit_that_is_given_up_keeps_its_text() {
    let env = env();
    let turns = ["sed -i 's/style: primary/style: primray/' \"$2\"", "true"];
    let seen = edited(&env, "", &turns);
    assert_eq!(seen.exit, 8, "{}", seen.text);
    let text = kept(&env, &seen);
    assert!(
        text.contains("      #!! `style` must be one of primary, secondary, outline"),
        "{text}"
    );
    assert!(!env.operations().contains(&"updateSlots".to_owned()));

    // The problems in the file are comments, so that it can be applied once it is corrected.
    env.file("mended.yaml", text.replace("primray", "outline"));
    assert_eq!(env.run("slots apply mended.yaml").exit, 0);
}

#[test]
fn an_editor_that_removes_the_problems_and_nothing_else_is_not_opened_for_ever() {
    for (flags, broken) in [("", "s/style: primary/style: primray/"), ("", "s/^slots:/slots: [/")] {
        let env = env();
        let change = format!("sed -i '{broken}' \"$2\"");
        let seen = edited(&env, flags, &[&change, "sed -i '/#!!/d' \"$2\""]);
        assert_eq!(seen.exit, 8, "{}", seen.text);
        assert!(!kept(&env, &seen).contains("#!!"), "{}", seen.text);
        assert!(!env.operations().contains(&"updateSlots".to_owned()));
    }
}

#[test]
fn an_editor_that_fails_loses_no_text() {
    let env = env();
    let seen = edited(&env, "", &["sed -i 's/Good morning!/Half a/' \"$2\"; exit 3"]);
    assert_eq!(seen.exit, 2, "{}", seen.text);
    assert!(seen.text.contains("failed: exit status: 3"), "{}", seen.text);
    assert!(kept(&env, &seen).contains("Half a"));
    assert_eq!(title(&env), "Good morning!");

    let env = self::env().env("VISUAL", "");
    let seen = terminal::run(&env, "slots edit cafe", "");
    assert!(seen.exit == 2 && seen.text.contains("/no/such/editor"), "{}", seen.text);
    kept(&env, &seen);
    assert_eq!(self::env().run("slots edit cafe").exit, 14, "no one is there to edit");
}

#[test]
fn an_edit_deletes_only_with_prune_and_confirmation() {
    let turn = ["sed -i '/id: 1003/,/id: 1004/{/id: 1004/!d}' \"$2\""];
    let env = env();
    let seen = edited(&env, "", &turn);
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert!(seen.text.contains("1 slot kept: not in the file; --prune deletes"), "{}", seen.text);

    let env = self::env();
    let seen = edited(&env, "--prune", &turn);
    assert_eq!(seen.exit, 14, "{}", seen.text);
    assert!(seen.text.contains("Apply these changes, including 1 delete?"), "{}", seen.text);
    assert!(!kept(&env, &seen).contains("id: 1003"));
    let there =
        |env: &TestEnv| env.server.account().profiles[0].slots.iter().any(|it| it.id == 1003);
    assert!(there(&env));

    let env = self::env();
    assert_eq!(edited(&env, "--prune --yes", &turn).exit, 0);
    assert!(!there(&env));
}

#[test]
fn a_dry_run_of_an_edit_changes_nothing_and_keeps_the_text() {
    let turn = ["sed -i 's/Good morning!/Good evening!/' \"$2\""];
    for (flags, sign) in
        [("--dry-run", "dry run: nothing was changed"), ("--dry-run=request", "curl -X PATCH ")]
    {
        let env = env();
        let seen = edited(&env, flags, &turn);
        assert_eq!(seen.exit, 3, "{}", seen.text);
        assert!(seen.text.contains(sign), "{}", seen.text);
        assert!(kept(&env, &seen).contains("Good evening!"));
        assert_eq!(title(&env), "Good morning!");
    }
}

#[test]
fn the_error_in_json_names_the_kept_draft() {
    let env = env();
    let seen = edited(&env, "-o json", &["echo 'slots: []' >> \"$2\"", "true"]);
    assert_eq!(seen.exit, 8, "{}", seen.text);
    assert!(seen.text.contains("\"draft\":\""), "{}", seen.text);
    assert!(kept(&env, &seen).ends_with("slots: []\n"));
}

/// Returns a shell command by which another client changes the café meanwhile.
fn theirs(env: &TestEnv, line: &str) -> String {
    let (links, token) = (env!("CARGO_BIN_EXE_links"), env.server.token());
    format!("LINKS_TOKEN='{token}' '{links}' {line} > theirs 2>&1 || cat theirs")
}

const MINE: &str = "sed -i 's/Good morning!/Good evening!/' \"$2\"";

#[test]
fn changes_by_others_while_the_editor_is_open_are_kept() {
    for flags in ["", "--prune --yes"] {
        let env = env();
        let turn = [
            theirs(&env, "slots set cafe 1002 title=Theirs"),
            theirs(&env, "slots add cafe text title=New --top"),
            theirs(&env, "slots move cafe 1006 --before 1003"),
            theirs(&env, "slots delete cafe 1004 --yes"),
            MINE.to_owned(),
        ];
        let seen = edited(&env, flags, &[&turn.join("\n")]);
        assert_eq!(seen.exit, 0, "{}", seen.text);
        let page = env.server.account().profiles[0].slots.clone();
        let ids: Vec<_> = page.iter().skip(1).take(5).map(|it| it.id).collect();
        assert_eq!(
            (&page[0].data["title"], ids),
            (&"New".into(), vec![1001, 1002, 1006, 1003, 1005])
        );
        assert_eq!(page[1].data["title"], "Good evening!");
        assert_eq!(page[2].data["title"], "Theirs");
        for said in [
            "slot 1002: `title` changed to \"Theirs\" on the page since the text was opened; kept",
            "slot 1004 was deleted on the page since the text was opened; not recreated",
            "was created on the page since the text was opened; kept",
            "the order changed on the page since the text was opened; kept",
        ] {
            assert!(seen.text.contains(said), "{said}\n{}", seen.text);
        }
        assert!(left(&env).is_empty());
    }
}

#[test]
fn a_field_that_both_changed_is_refused_with_both_values_and_the_text_is_kept() {
    let env = env();
    let first = [theirs(&env, "slots set cafe 1001 title=Theirs"), MINE.to_owned()].join("\n");
    let seen = edited(&env, "", &[&first, "true"]);
    assert_eq!(seen.exit, 7, "{}", seen.text);
    assert_eq!(title(&env), "Theirs");
    let text = kept(&env, &seen);
    let lines: Vec<_> = text.lines().skip_while(|it| !it.contains("#!! ")).take(2).collect();
    assert!(lines[0].contains("slot 1001 has \"Theirs\""), "{lines:?}");
    assert!(lines[1].contains("title: Good evening!"), "{lines:?}");
    assert!(!env.operations().contains(&"updateSlots".to_owned()));
}

#[test]
fn a_conflict_is_resolved_in_the_reopened_file() {
    for (turn, expected) in [
        ("sed -i '/#!! /d' \"$2\"", "Good evening!"),
        ("sed -i 's/Good evening!/Theirs/' \"$2\"", "Theirs"),
        ("sed -i 's/Good evening!/Both/' \"$2\"", "Both"),
    ] {
        let env = env();
        let first = [
            theirs(&env, "slots set cafe 1001 title=Theirs"),
            theirs(&env, "slots set cafe 1002 title=Other"),
            MINE.to_owned(),
        ];
        let seen = edited(&env, "", &[&first.join("\n"), turn]);
        assert_eq!((seen.exit, title(&env).as_str()), (0, expected), "{}", seen.text);
        assert_eq!(env.server.account().profiles[0].slots[1].data["title"], "Other");
    }
}

#[test]
fn a_slot_that_was_deleted_meanwhile_is_created_again_only_if_its_id_is_removed() {
    for (turn, expected) in [
        ("sed -i '/#!! /d; s/- id: 1001/-/' \"$2\"", true),
        ("sed -i '/#!! /d; /id: 1001/,/id: 1002/{/id: 1002/!d}' \"$2\"", false),
    ] {
        let env = env();
        let first = [theirs(&env, "slots delete cafe 1001 --yes"), MINE.to_owned()].join("\n");
        let seen = edited(&env, "", &[&first, turn]);
        assert_eq!(seen.exit, 0, "{}", seen.text);
        let reopened = given(&env, 1);
        assert!(
            reopened.contains("but slot 1001 was deleted on the page since the text was opened"),
            "{reopened}"
        );
        let page = env.server.account().profiles[0].slots.clone();
        let titles: Vec<_> = page.iter().filter_map(|slot| slot.data.get("title")).collect();
        assert_eq!(titles.contains(&&"Good evening!".into()), expected, "{titles:?}");
        assert!(page.iter().all(|slot| slot.id != 1001));
    }
}

#[test]
fn an_order_that_both_changed_is_a_conflict_until_it_was_seen() {
    let env = env();
    let swap = "awk '/- id: 1001/{held=1} /- id: 1002/{held=2} /- id: 1003/{printf \"%s\", first; held=0} \
        held==1{first=first $0 \"\\n\"; next} {print}' \"$2\" > swapped; cp swapped \"$2\"";
    let first = [theirs(&env, "slots move cafe 1001 --after 1005"), swap.to_owned()].join("\n");
    let seen = edited(&env, "", &[&first, "sed -i '/#!! /d' \"$2\""]);
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert!(
        given(&env, 1)
            .contains("#!! the order changed both here and on the page since the text was opened")
    );
    let page = env.server.account().profiles[0].slots.clone();
    let ids: Vec<_> = page.iter().take(3).map(|it| it.id).collect();
    assert_eq!(ids, [1002, 1001, 1003], "{}", seen.text);
}

#[test]
fn a_slot_that_was_removed_here_and_changed_there_is_deleted_only_after_that_was_seen() {
    let removed = "sed -i '/id: 1001/,/id: 1002/{/id: 1002/!d}' \"$2\"";
    let there =
        |env: &TestEnv| env.server.account().profiles[0].slots.iter().any(|it| it.id == 1001);
    for (flags, turns, stays) in [("--prune --yes", 2, false), ("", 1, true)] {
        let env = env();
        let first = [theirs(&env, "slots set cafe 1001 title=Theirs"), removed.to_owned()];
        let first = first.join("\n");
        let turns = &[first.as_str(), "sed -i '/#!! /d' \"$2\""][..turns];
        let seen = edited(&env, flags, turns);
        assert_eq!((seen.exit, there(&env)), (0, stays), "{}", seen.text);
    }
}

#[test]
fn the_text_of_a_page_is_not_applied_to_another_one() {
    let env = env();
    let seen = edited(&env, "", &["sed -i 's/^profile: cafe$/profile: qara.weddings/' \"$2\""]);
    assert_eq!(seen.exit, 14, "{}", seen.text);
    assert!(seen.text.contains("this is the text of the page cafe"), "{}", seen.text);
    assert!(kept(&env, &seen).contains("profile: qara.weddings"));
    assert!(env.operations().iter().all(|it| it.starts_with("get") || it.starts_with("list")));
}

#[test]
fn a_page_that_was_renamed_meanwhile_is_the_page_of_the_text() {
    let env = env();
    let rename = theirs(&env, "profile rename cafe cafe.mole --yes --confirm cafe");
    let seen = edited(&env, "", &[&[rename, MINE.to_owned()].join("\n")]);
    assert_eq!((seen.exit, title(&env).as_str()), (0, "Good evening!"), "{}", seen.text);
}

#[test]
fn lists_of_a_page_that_both_changed_are_not_reverted() {
    let profile_edit = |env: &TestEnv, script: &str| {
        env.file("editor.sh", script);
        terminal::run(env, "profile edit cafe", "")
    };
    let env = env();
    let socials = r#"'socials:=[{"link":"https://t.me/theirs","order":0}]'"#;
    let theirs = theirs(&env, &format!("profile update cafe {socials}"));
    let mine = "sed -i 's/^title:.*/title: Mine/' \"$2\"";
    let seen = profile_edit(&env, &format!("{theirs}\n{mine}\n"));
    assert_eq!(seen.exit, 0, "{}", seen.text);
    let page = env.server.account().profiles[0].clone();
    assert_eq!(page.title.as_deref(), Some("Mine"));
    assert_eq!(page.socials[0].link, "https://t.me/theirs");

    let env = self::env();
    let mine = "sed -i 's#https://[^ ]*#https://t.me/mine#' \"$2\"";
    let seen = profile_edit(
        &env,
        &format!(
            "cat \"$2\" >> seen\n[ -e done ] || {{ {theirs}; }}\n[ -e done ] || {mine}\n: > done\n"
        ),
    );
    assert_eq!(seen.exit, 7, "{}", seen.text);
    assert_eq!(env.server.account().profiles[0].socials[0].link, "https://t.me/theirs");
    assert!(kept(&env, &seen).contains("https://t.me/mine"));
    let shown = std::fs::read_to_string(env.home.path().join("seen")).unwrap();
    assert!(shown.contains("#!! another client changed this from"), "{shown}");
}

#[test]
fn changes_by_others_while_the_text_is_applied_are_kept() {
    let mut exits = Vec::new();
    for request in 3..7 {
        let env = env();
        env.server.edit_before(request, |account| {
            account.profiles[0].slots[1].data.insert("title".into(), "Theirs".into());
        });
        let seen = edited(&env, "", &[MINE]);
        assert!([0, 7, 13].contains(&seen.exit), "{request}: {}", seen.text);
        let page = env.server.account().profiles[0].clone();
        assert_eq!(page.slots[1].data["title"], "Theirs", "{request}: {}", seen.text);
        if seen.exit == 0 {
            assert_eq!(title(&env), "Good evening!", "{request}: {}", seen.text);
        }
        exits.push(seen.exit);
    }
    assert!(exits[..2] == [0, 0], "what is read before the write is merged: {exits:?}");
}
