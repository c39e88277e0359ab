//! Tests of plans and runs over several files of which some cannot be planned, of their totals, and of the words that name their pages.

use serde_json::json;

use crate::steps::{ok, text, writes};
use crate::test_env::TestEnv;

const WEDDINGS: &str = "\
profile: qara.weddings
title: Weddings at Qara
slots:
  - {type: text, data: {title: Ask for a day}}
";

/// Returns a directory with two pages that were applied, and the ids of the pages.
fn synced() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    ok(&env, "init");
    ok(&env, "pull cafe -O cafe.yaml");
    env.server.edit(|account| account.profiles[1].slots.clear());
    env.file("weddings.yaml", WEDDINGS);
    ok(&env, "apply --yes");
    env.operations();
    env
}

/// Changes the title of the cafe in its file.
fn change(env: &TestEnv) {
    let text = text(env, "cafe.yaml").replace("Qara Coffee", "Qara at night");
    env.file("cafe.yaml", text);
}

/// Deletes a page as somebody in the dashboard does.
fn delete(env: &TestEnv, login: &str) {
    env.server.edit(|account| account.profiles.retain(|page| page.login != login));
}

#[test]
fn a_plan_tells_all_that_it_can_and_then_what_it_cannot() {
    let env = synced();
    change(&env);
    // A conflict, a page that is gone, a mistake, a file that is none, and a form that cannot be planned.
    let weddings = text(&env, "weddings.yaml").replace("Ask for a day", "Ask for our days");
    env.file("weddings.yaml", weddings);
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|page| page.login == "qara.weddings").unwrap();
        page.slots[0].data.insert("title".to_owned(), json!("Their days"));
    });
    env.file("soon.yaml", "profile: qara.soon\nslots:\n  - {type: nothing, data: {}}\n");
    env.file("broken.yaml", "profile: [\n");
    env.file("book.yaml", "form: book\nid: none\ntitle: Book\nfields: []\n");
    let plan = env.run("plan");
    assert!(plan.stdout.contains("~ cafe: title"), "{plan}");
    for file in ["weddings.yaml", "soon.yaml", "broken.yaml", "book.yaml"] {
        assert!(plan.stderr.contains(file), "{file}\n{plan}");
    }
    assert!(plan.stderr.contains("4 pages cannot be planned; nothing was written"), "{plan}");
    assert!(plan.exit != 0 && plan.exit != 3, "{plan}");

    let json = env.run("plan -o json --out plan.json");
    assert_eq!(json.json()["data"]["pages"][0]["login"], "cafe", "{json}");
    assert!(json.stderr.contains("broken.yaml"), "{json}");
    // A saved plan is of all that was named.
    assert!(!env.home.path().join("plan.json").exists());
    assert!(env.run("plan --out plan.json").stderr.contains("plan not saved to plan.json"));

    // An apply of the same files writes nothing.
    env.operations();
    let apply = env.run("apply --yes");
    assert!(apply.exit == plan.exit && apply.stderr.contains("broken.yaml"), "{apply}");
    std::fs::remove_file(env.home.path().join("broken.yaml")).unwrap();
    let apply = env.run("apply --yes --allow-create 2");
    assert!(apply.stderr.contains("3 pages cannot be planned; nothing was written"), "{apply}");
    assert_eq!(writes(&env), [""; 0]);
    // What can be planned by itself can be applied by itself.
    ok(&env, "apply cafe --yes");
}

#[test]
fn a_page_that_is_gone_keeps_no_other_from_being_applied() {
    let env = synced();
    change(&env);
    delete(&env, "qara.weddings");
    let plan = env.run("plan");
    for part in ["~ cafe: title", "! skipped weddings.yaml: its page no longer exists"] {
        assert!(plan.stdout.contains(part), "{part}\n{plan}");
    }
    assert!(plan.exit == 6 && plan.stderr.contains("also delete weddings.yaml"), "{plan}");
    let apply = env.run("apply --yes");
    assert_eq!(apply.exit, 12, "{apply}");
    for part in ["1 of 2 pages failed", "weddings.yaml", "`links init --refresh`"] {
        assert!(apply.stderr.contains(part), "{part}\n{apply}");
    }
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Qara at night"));
    // The advice ends it.
    std::fs::remove_file(env.home.path().join("weddings.yaml")).unwrap();
    ok(&env, "init --refresh");
    assert!(!text(&env, "links.lock").contains("weddings"), "{}", text(&env, "links.lock"));
    let plan = ok(&env, "plan");
    assert_eq!(plan.stdout.lines().next(), Some("= cafe: no changes"), "{plan}");
}

/// Gives a page another login as somebody in the dashboard does.
fn rename(env: &TestEnv, login: &str, new: &str) {
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|page| page.login == login).unwrap();
        new.clone_into(&mut page.login);
    });
}

#[test]
fn a_page_that_somebody_renamed_keeps_no_other_from_being_applied() {
    let env = synced();
    change(&env);
    rename(&env, "qara.weddings", "qara.feasts");
    let plan = env.run("plan");
    for part in [
        "~ cafe: title",
        "! skipped weddings.yaml: its page was renamed to qara.feasts",
        "1 of 2 pages change; ",
    ] {
        assert!(plan.stdout.contains(part), "{part}\n{plan}");
    }
    assert!(plan.exit == 14 && plan.stderr.contains("`links pull weddings.yaml`"), "{plan}");
    let apply = env.run("apply --yes");
    assert_eq!(apply.exit, 12, "{apply}");
    for part in
        ["1 of 2 pages failed (the other pages match their files)", "weddings.yaml", "qara.feasts"]
    {
        assert!(apply.stderr.contains(part), "{part}\n{apply}");
    }
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Qara at night"));
    // The advice ends it.
    ok(&env, "pull weddings.yaml");
    assert_eq!(env.run("plan").stdout, "= 2 pages: no changes\nno changes (3 requests)\n");
    // A page alone is refused.
    rename(&env, "qara.feasts", "qara.parties");
    assert_eq!(env.run("apply weddings.yaml --yes").exit, 14);
}

#[test]
fn a_slot_that_moves_to_a_page_that_is_left_out_stays_where_it_is() {
    for is_gone in [false, true] {
        let env = synced();
        let cafe = text(&env, "cafe.yaml");
        let first = env.server.account().profiles[0].slots[0].clone();
        env.file(
            "weddings.yaml",
            format!("{WEDDINGS}  - {{type: text, data: {{title: Moved}}}}\n"),
        );
        let (start, slots) = cafe.split_once("\nslots:\n  - ").unwrap();
        let (_, rest) = slots.split_once("\n  - ").unwrap();
        env.file(
            "cafe.yaml",
            format!("{start}\nslots:\n  - {rest}").replace("Qara Coffee", "Qara at night"),
        );
        if is_gone {
            delete(&env, "qara.weddings");
        } else {
            rename(&env, "qara.weddings", "qara.feasts");
        }
        let apply = env.run("apply --yes");
        assert_eq!(apply.exit, 12, "{apply}");
        let why = "nothing was deleted or renamed on this page";
        assert!(apply.stderr.contains(why), "{apply}");
        let cafe = env.server.account().profiles[0].clone();
        assert_eq!(cafe.title.as_deref(), Some("Qara at night"), "{apply}");
        assert!(cafe.slots.contains(&first), "{apply}");
        if is_gone {
            std::fs::remove_file(env.home.path().join("weddings.yaml")).unwrap();
            ok(&env, "init --refresh");
        } else {
            ok(&env, "pull weddings.yaml");
        }
        ok(&env, "apply --yes");
        // A record that is new deletes nothing.
        let slots = env.server.account().profiles[0].slots.clone();
        assert_eq!(slots.contains(&first), is_gone, "{apply}");
    }
}

#[test]
fn the_hint_of_a_page_that_is_gone_is_one_sentence_with_its_reason() {
    let env = synced();
    delete(&env, "qara.weddings");
    env.file("soon.yaml", "profile: [\n");
    let plan = env.run("plan");
    assert!(plan.stderr.contains("page not found; links.lock records it"), "{plan}");
}

#[cfg(unix)]
#[test]
fn a_file_that_links_lock_names_is_never_left_out() {
    use std::fs;
    use std::process::Command;

    let env = synced();
    change(&env);
    let file = env.home.path().join("weddings.yaml");
    fs::create_dir(env.home.path().join("more")).unwrap();
    fs::rename(&file, env.home.path().join("more/weddings.txt")).unwrap();
    let check = |what: &str| {
        let plan = env.run("plan");
        assert!(plan.stdout.contains("~ cafe: title"), "{what}\n{plan}");
        assert!(plan.exit == 8 && plan.stderr.contains(what), "{what}\n{plan}");
        let apply = env.run("apply --yes");
        assert!(apply.exit == 8 && apply.stderr.contains(what), "{what}\n{apply}");
        assert_eq!(writes(&env), [""; 0]);
    };
    for target in ["more/weddings.txt", "nowhere.txt"] {
        std::os::unix::fs::symlink(target, &file).unwrap();
        check(
            "weddings.yaml is a symbolic link, but links.lock records it as the file of page qara.weddings",
        );
        if target != "nowhere.txt" {
            ok(&env, "plan weddings.yaml");
        }
        fs::remove_file(&file).unwrap();
    }
    fs::create_dir(&file).unwrap();
    check("weddings.yaml is not a file, but links.lock records it");
    fs::remove_dir(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    check("weddings.yaml is not a file, but links.lock records it");
    fs::remove_file(&file).unwrap();
    env.file("weddings.yaml", WEDDINGS.replace("profile", "profle"));
    check("weddings.yaml:1:1");
    check("this is neither a page nor a form");
}

#[test]
fn a_general_failure_is_said_once() {
    let env = synced().env("LINKS_TOKEN", "wrong");
    let plan = env.run("plan");
    assert_eq!(plan.exit, 4, "{plan}");
    assert!(plan.stderr.starts_with("  × unauthenticated"), "{plan}");
}

#[test]
fn the_last_line_of_a_plan_has_the_totals() {
    let env = synced();
    assert_eq!(env.run("plan").stdout, "= 2 pages: no changes\nno changes (3 requests)\n");
    change(&env);
    let more = "  - {type: text, data: {title: New}}\n  - {type: text, data: {title: Newer}}\n";
    env.file("weddings.yaml", text(&env, "weddings.yaml") + more);
    let plan = env.run("plan");
    let last = plan.stdout.lines().last().unwrap();
    assert!(last.starts_with("2 of 2 pages change: 2 new slots; up to "), "{plan}");
}

#[test]
fn a_slot_that_moves_to_another_file_is_recognised() {
    let env = synced();
    let cafe = text(&env, "cafe.yaml");
    let line = cafe.lines().position(|line| line.contains("id: 1003")).expect("slot 1003");
    let lines: Vec<&str> = cafe.lines().collect();
    let end = (line + 1..lines.len()).find(|nth| lines[*nth].starts_with("  - "));
    let (from, to) = (line, end.unwrap_or(lines.len()));
    let moved = lines[from..to].join("\n") + "\n";
    let rest = [&lines[..from], &lines[to..]].concat().join("\n") + "\n";
    env.file("cafe.yaml", rest);
    env.file("weddings.yaml", text(&env, "weddings.yaml") + &moved);
    let plan = env.run("plan");
    assert!(plan.stderr.contains("slot 1003 is on the page cafe (cafe.yaml)"), "{plan}");
    // Without its id it is a new slot, and the plan says where it comes from.
    let anew = moved.replace("id: 1003, ", "").replace("- id: 1003\n    ", "- ");
    assert!(!anew.contains("1003"), "{anew}");
    env.file("weddings.yaml", WEDDINGS.to_owned() + &anew);
    let plan = env.run("plan");
    assert!(
        plan.stdout.contains(" 1003 ") && plan.stdout.contains("moves here from cafe"),
        "{plan}"
    );
    let moved = env.run("plan -o json").json()["data"]["pages"][1]["moved"].clone();
    assert_eq!((&moved[0]["id"], &moved[0]["from"]), (&json!(1003), &json!("cafe")), "{moved}");
}

#[test]
fn files_directories_and_keys_are_named_in_the_same_way_everywhere() {
    let env = synced();
    std::fs::create_dir(env.home.path().join("pages")).unwrap();
    for file in ["cafe.yaml", "weddings.yaml"] {
        let from = env.home.path().join(file);
        std::fs::rename(from, env.home.path().join("pages").join(file)).unwrap();
    }
    ok(&env, "apply --yes");
    for words in
        ["pages", "pages/", ".", "pages/cafe.yaml pages/weddings.yaml", "", "cafe qara.weddings"]
    {
        for command in ["plan", "apply --yes", "preview"] {
            let run = ok(&env, &format!("{command} {words}"));
            assert_ne!(run.stdout, "", "{command} {words}");
        }
        let both = ok(&env, &format!("preview {words} -o json")).json();
        assert_eq!(both["data"].as_array().map(Vec::len), Some(2), "{words}");
    }
    for words in ["pages", "pages/", ".", "pages/cafe.yaml", "cafe"] {
        for command in ["pull", "check --no-cache", "search coffee"] {
            let command = if command.starts_with("check") { "check --help" } else { command };
            let run = env.run(&format!("{command} {words}"));
            assert_eq!(run.exit, 0, "{command} {words}\n{run}");
        }
    }
    // A key of a page that has no file.
    let run = env.run("plan nobody");
    assert!(run.exit == 6 && run.stderr.contains("`links pull nobody -O nobody.yaml`"), "{run}");
    // One whose file cannot be read is not to be pulled there.
    env.file("third.page.yaml", "profile: third.page\ntitle: [\n");
    let run = env.run("plan third.page");
    assert!(run.exit == 8 && run.stderr.contains("third.page.yaml:"), "{run}");
    // Files and keys are pulled in two runs.
    let run = env.run("pull pages/cafe.yaml nope");
    assert!(run.exit == 2 && run.stderr.contains("nothing was written"), "{run}");
    assert!(run.stderr.contains("`links pull nope -O FILE`"), "{run}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_apply_on_a_terminal_asks_before_anything_is_written() {
    use crate::terminal;
    let env = synced();
    change(&env);
    let title = || env.server.account().profiles[0].title.clone().unwrap();
    for typed in ["n\n", "\n", ""] {
        let seen = terminal::run(&env, "apply", typed);
        assert_eq!(seen.exit, 14, "{}", seen.text);
        let (plan, question) =
            ("title: \"Qara Coffee\" → \"Qara at night\"", "Apply these changes?");
        assert!(seen.text.contains(plan) && seen.text.contains(question), "{}", seen.text);
        assert!(seen.text.contains("not confirmed; nothing was written"), "{}", seen.text);
    }
    assert_eq!((title(), writes(&env)), ("Qara Coffee".to_owned(), Vec::new()));
    let seen = terminal::run(&env, "apply", "y\n");
    assert_eq!((seen.exit, title().as_str()), (0, "Qara at night"), "{}", seen.text);
    // The plan is shown where the data is JSON, too.
    let own = text(&env, "cafe.yaml");
    env.file("cafe.yaml", own.replace("Qara at night", "Qara at noon"));
    let seen = terminal::run(&env, "apply -o json", "n\n");
    assert!(seen.exit == 14 && seen.text.contains("→ \"Qara at noon\""), "{}", seen.text);
    env.file("cafe.yaml", own);
    // Nothing to write, nothing to ask.
    let seen = terminal::run(&env, "apply", "");
    assert!(seen.exit == 0 && !seen.text.contains("Apply these"), "{}", seen.text);

    let turn = |title: &str| {
        let now = text(&env, "cafe.yaml");
        let line = now.lines().find(|line| line.starts_with("title:")).unwrap().to_owned();
        env.file("cafe.yaml", now.replace(&line, &format!("title: {title}")));
    };
    turn("Yes");
    let seen = terminal::run(&env, "apply -y", "");
    assert_eq!((seen.exit, title().as_str()), (0, "Yes"), "{}", seen.text);
    turn("Planned");
    env.run("plan --out plan.json");
    let seen = terminal::run(&env, "apply --plan plan.json", "");
    assert_eq!((seen.exit, title().as_str()), (0, "Planned"), "{}", seen.text);
    turn("Deletes");
    ok(&env, "config set confirm deletes");
    let seen = terminal::run(&env, "apply", "");
    assert_eq!((seen.exit, title().as_str()), (0, "Deletes"), "{}", seen.text);
    let wrong = env.run("config set confirm nothing");
    assert!(wrong.exit == 2 && wrong.stderr.contains("all or deletes"), "{wrong}");
    // A script is not asked.
    ok(&env, "config set confirm all");
    turn("Script");
    ok(&env, "apply");
}
