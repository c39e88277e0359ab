//! Tests of `links pull` for one page: a new file, and a file that takes over what changed on its page.

use std::fs;

use serde_json::{Value, json};

use crate::steps::{Beginning, cut_short, ok, path, places, text, writes};
use crate::test_env::{TestEnv, picture};

const CAFE: &str = "\
# The café
profile: cafe

title: Qara Coffee   # over the door
languageCode: ru
avatar: {$upload: logo.gif}
socials:
  - https://t.me/qaracoffee # news
slots:
  # Greeting
  - {id: 1001, type: text, data: {title: Good morning!}}

  - id: 1004
    type: form
    data: {formId: {$form: Book a table}, buttonText: Book a table}
";

fn env() -> TestEnv {
    TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1")
}

/// Returns an account with a lock, and a file that was applied to its page.
fn synced() -> TestEnv {
    let env = env();
    ok(&env, "init");
    env.file("logo.gif", picture(800, 800));
    env.server.edit(|account| account.profiles[0].slots.retain(|it| [1001, 1004].contains(&it.id)));
    env.file("cafe.yaml", CAFE);
    ok(&env, "apply cafe.yaml --yes");
    env.operations();
    env
}

fn edit(env: &TestEnv, change: impl Fn(&mut links_fixtures::Profile)) {
    env.server.edit(|account| change(&mut account.profiles[0]));
}

#[test]
fn a_file_that_cannot_be_read_is_shown_at_its_line_and_the_others_are_pulled() {
    let env = synced();
    let whole = text(&env, "cafe.yaml");
    for broken in [
        whole.replace("title: Qara Coffee ", "title: [Qara "),
        whole.replace("title:", "<<<<<<< HEAD\ntitle: Mine\n=======\ntitle:"),
        whole.replace("profile:", "profle:"),
    ] {
        env.file("cafe.yaml", &broken);
        let run = env.run("pull cafe.yaml");
        assert!(run.exit == 8 && run.stderr.contains("cafe.yaml:"), "{run}");
        assert_eq!(text(&env, "cafe.yaml"), broken);
    }
    env.file("weddings.yaml", "profile: qara.weddings\ntitle: Weddings\n");
    env.file("package.json", "{}");
    let run = env.run("pull .");
    assert!(run.exit == 12 && run.stderr.contains("cafe.yaml"), "{run}");
    assert!(run.stderr.contains("1 of 2 pages and forms pulled"), "{run}");
    assert!(!run.stderr.contains("package.json"), "{run}");
}

#[test]
fn a_pull_finds_a_renamed_page_by_its_id_and_takes_over_its_login() {
    let env = synced();
    for file in ["cafe.yaml", "."] {
        for login in ["cafe.neu", "cafe"] {
            edit(&env, |page| login.clone_into(&mut page.login));
            let run = ok(&env, &format!("pull {file}"));
            assert!(run.stdout.contains("cafe.yaml: 1 change merged"), "{run}");
            let expected = CAFE.replace("profile: cafe", &format!("profile: {login}"));
            assert_eq!(text(&env, "cafe.yaml"), expected);
            assert_eq!(env.run("plan").exit, 0);
        }
    }
    // A file in which another page was written is not one whose page was renamed.
    let other = CAFE.replace("profile: cafe", "profile: qara.weddings");
    env.file("cafe.yaml", &other);
    for line in ["plan", "pull cafe.yaml"] {
        let run = env.run(line);
        assert!(run.exit == 14 && run.stderr.contains("but names qara.weddings"), "{run}");
    }
    assert_eq!(text(&env, "cafe.yaml"), other);
    // A file with a `login` gets both.
    env.file("cafe.yaml", CAFE.replace("languageCode", "login: qara\nlanguageCode"));
    ok(&env, "apply --yes --allow-rename");
    edit(&env, |page| "cafe.neu".clone_into(&mut page.login));
    assert_eq!(env.run("plan").exit, 14);
    ok(&env, "pull cafe.yaml");
    let lines = text(&env, "cafe.yaml");
    assert!(
        lines.contains("profile: cafe.neu\n") && lines.contains("login: cafe.neu\n"),
        "{lines}"
    );
    assert_eq!(env.run("plan").exit, 0);
}

#[test]
fn a_whole_page_is_pulled_into_a_new_file_and_has_nothing_to_do() {
    let env = env();
    let printed = ok(&env, "pull cafe");
    for line in [
        "profile: cafe\ntitle: Qara Coffee\n",
        "avatar: uploads/4021/logo.png\n",
        "socials:\n  - https://www.instagram.com/qara.coffee\n",
        "languageCode: en\n",
        "moodText: Fresh Ethiopia on batch brew\nslots:\n  - id: 1001\n",
    ] {
        assert!(printed.stdout.contains(line), "{line}: {printed}");
    }
    assert!(
        !printed.stdout.contains("login:") && !printed.stdout.contains("moodHours"),
        "{printed}"
    );
    assert_eq!(ok(&env, "pull cafe -o json").json()["data"]["title"], "Qara Coffee");

    for (file, lock) in [("cafe.yaml", false), ("cafe.json", false), ("locked.yaml", true)] {
        if lock {
            ok(&env, "init");
        }
        let pulled = ok(&env, &format!("pull 101 -O {file}"));
        assert!(pulled.stdout.contains(&format!("wrote {file} (page cafe, 14 slots)")), "{pulled}");
        let plan = ok(&env, &format!("plan {file}"));
        assert!(plan.stdout.contains("no changes"), "{plan}");
        ok(&env, &format!("apply {file}"));
        let again = env.run(&format!("pull cafe -O {file}"));
        assert!(again.exit == 0 && again.stdout.contains("no changes"), "{again}");
    }
    assert!(text(&env, "links.lock").contains(" title\n"));
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn fields_and_slots_that_changed_are_taken_over_and_all_else_stays() {
    let env = synced();
    assert!(ok(&env, "pull cafe -O cafe.yaml").stdout.contains("no changes"));
    assert_eq!(text(&env, "cafe.yaml"), CAFE);
    edit(&env, |page| {
        page.title = Some("Qara at night".to_owned());
        page.bg_image = None;
        page.description = Some("Until midnight".to_owned());
        page.language_id = Some(3);
        page.socials.push(links_fixtures::Social { link: "https://x.com/qara".into(), order: 7 });
        page.slots[0].data.insert("title".to_owned(), "Good evening!".into());
    });
    let pulled = ok(&env, "pull cafe -O cafe.yaml");
    assert!(pulled.stdout.contains("5 changes merged"), "{pulled}");
    let after = text(&env, "cafe.yaml");
    for part in [
        "# The café\nprofile: cafe\n\ntitle: Qara at night   # over the door\n",
        "avatar: {$upload: logo.gif}\n",
        "  - https://t.me/qaracoffee # news\n",
        "https://x.com/qara",
        "  # Greeting\n",
        "Good evening!",
        "{$form: Book a table}",
        "description: Until midnight\nslots:\n  # Greeting\n",
    ] {
        assert!(after.contains(part), "{part}: {after}");
    }
    assert!(ok(&env, "plan cafe.yaml").stdout.contains("no changes"));
    assert!(ok(&env, "pull cafe -O cafe.yaml").stdout.contains("no changes"));
    assert_eq!(writes(&env), [""; 0]);
    // The slots alone are the business of `slots pull`.
    edit(&env, |page| {
        page.title = Some("Qara".to_owned());
        page.slots[0].data.insert("title".to_owned(), "Hello!".into());
    });
    ok(&env, "slots pull cafe -O cafe.yaml");
    let slots = text(&env, "cafe.yaml");
    assert!(slots.contains("Hello!") && slots.contains("title: Qara at night"), "{slots}");
    ok(&env, "pull cafe -O cafe.yaml");
    assert!(text(&env, "cafe.yaml").contains("title: Qara   # over the door"));
}

#[test]
fn slots_pull_names_the_fields_of_a_whole_page_that_it_leaves_out() {
    let env = synced();
    edit(&env, |page| {
        page.slots[0].data.insert("title".to_owned(), "Hello!".into());
    });
    let pulled = ok(&env, "slots pull cafe -O cafe.yaml");
    let names = "not title, languageCode, avatar and socials";
    let rest = "to include the rest, run `links pull cafe -O cafe.yaml`";
    for part in ["only slots were merged", names, rest] {
        assert!(pulled.stderr.contains(part), "{part}: {pulled}");
    }
    assert!(text(&env, "cafe.yaml").contains("Hello!"));
    let replaced = ok(&env, "slots pull cafe -O cafe.yaml --force");
    for part in [names, "to write the whole page, run `links pull cafe -O cafe.yaml --force`"] {
        assert!(replaced.stderr.contains(part), "{part}: {replaced}");
    }
    assert!(!text(&env, "cafe.yaml").contains("socials"));
    // Now the file has nothing but slots.
    for line in ["slots pull cafe -O cafe.yaml", "slots pull cafe -O cafe.yaml --force"] {
        let pulled = ok(&env, line);
        assert!(!pulled.stderr.contains("only slots were"), "{pulled}");
        let shown = ok(&env, &format!("{line} -o json")).json();
        let page = &shown["data"]["pages"][0];
        assert_eq!((&page["id"], &page["conflicts"]), (&101.into(), &0.into()));
    }
}

#[test]
fn edits_of_the_file_survive_and_conflicts_are_marked() {
    let env = synced();
    edit(&env, |page| {
        page.title = Some("Theirs".to_owned());
        page.mood_text = Some("Open".to_owned());
    });
    env.file("cafe.yaml", CAFE.replace("Qara Coffee", "Ours").replace("Good morning!", "Hi!"));
    let pulled = env.run("pull cafe -O cafe.yaml");
    assert_eq!(pulled.exit, 7, "{pulled}");
    assert!(pulled.stdout.contains("1 conflict marked"), "{pulled}");
    let marked = text(&env, "cafe.yaml");
    assert!(marked.contains("# <<< page: title: \"Theirs\""), "{marked}");
    assert!(marked.contains("title: Ours   # over the door") && marked.contains("Hi!"), "{marked}");
    env.operations();
    for line in ["pull cafe -O cafe.yaml", "plan cafe.yaml", "apply cafe.yaml", "pull cafe -O ."] {
        let run = env.run(line);
        assert!(run.exit == 8 && run.stderr.contains("cafe.yaml:4:1"), "{run}");
    }
    assert_eq!(text(&env, "cafe.yaml"), marked);
    assert_eq!(writes(&env), [""; 0]);
    // Without the mark the file's value counts.
    let settled: String =
        marked.lines().filter(|it| !it.starts_with("# <<<")).map(|it| format!("{it}\n")).collect();
    env.file("cafe.yaml", settled);
    ok(&env, "apply cafe.yaml");
    let page = env.server.account().profiles[0].clone();
    assert_eq!((page.title.as_deref(), page.mood_text.as_deref()), (Some("Ours"), Some("Open")));
}

#[test]
fn a_file_that_was_never_synced_keeps_its_values_and_has_the_others_marked() {
    for lock in [false, true] {
        let env = env().keeping_state();
        if lock {
            ok(&env, "init");
        }
        let written = "profile: cafe\ntitle: Ours\nslots:\n  - {id: 1001, type: text}\n";
        env.file("cafe.yaml", written);
        let pulled = env.run("pull cafe -O cafe.yaml");
        assert_eq!(pulled.exit, 7, "{pulled}");
        let marked = text(&env, "cafe.yaml");
        assert!(
            marked.contains("# <<< page: title: \"Qara Coffee\"") && marked.contains("title: Ours"),
            "{marked}"
        );
        assert!(marked.contains("id: 1002"), "{marked}");
        // The file of another page is none of this one.
        env.file("weddings.yaml", "profile: qara.weddings\ntitle: A\n");
        let refused = env.run("pull cafe -O weddings.yaml");
        assert!(
            refused.exit == 14
                && ["is for the page qara.weddings", "are both files for the page cafe"]
                    .iter()
                    .any(|why| refused.stderr.contains(why)),
            "{refused}"
        );
        assert_eq!(text(&env, "weddings.yaml"), "profile: qara.weddings\ntitle: A\n");
        ok(&env, "pull cafe -O weddings.yaml --force");
        assert!(text(&env, "weddings.yaml").starts_with("profile: cafe\n"));
    }
}

#[test]
fn a_file_without_slots_stays_one() {
    let env = env();
    ok(&env, "init");
    env.file("cafe.yaml", "profile: cafe\ntitle: Qara Coffee\n");
    ok(&env, "apply cafe.yaml");
    edit(&env, |page| page.title = Some("Anew".to_owned()));
    ok(&env, "pull cafe -O cafe.yaml");
    assert_eq!(text(&env, "cafe.yaml"), "profile: cafe\ntitle: Anew\n");
    assert!(ok(&env, "plan cafe.yaml").stdout.contains("no changes"));
}

#[test]
fn a_value_that_no_file_can_hold_is_left_out_and_named() {
    let env = env();
    ok(&env, "init");
    ok(&env, "pull cafe -O cafe.yaml");
    let before = text(&env, "cafe.yaml");
    edit(&env, |page| page.avatar = Some("https://files.example/a.png".to_owned()));
    let new = ok(&env, "pull cafe -O new.yaml");
    assert!(new.stdout.contains("left out") && new.stdout.contains("avatar"), "{new}");
    assert!(!text(&env, "new.yaml").contains("avatar"));
    fs::remove_file(path(&env, "new.yaml")).unwrap();
    ok(&env, "pull cafe -O cafe.yaml");
    assert_eq!(text(&env, "cafe.yaml"), before);
    ok(&env, "plan cafe.yaml");
}

#[test]
fn a_locked_item_that_a_pull_brings_back_is_still_locked() {
    let env = synced();
    let locked = CAFE.replace("id: 1001, type: text,", "id: 1001, type: text, locked: true,");
    env.file("cafe.yaml", &locked);
    ok(&env, "apply cafe.yaml --yes");
    let item = locked.lines().find(|line| line.contains("1001")).unwrap();
    env.file("cafe.yaml", locked.replace(&format!("{item}\n"), ""));
    edit(&env, |page| drop(page.slots[0].data.insert("title".to_owned(), "Hello!".into())));
    let pulled = env.run("pull cafe.yaml");
    assert!(pulled.exit == 7 && pulled.stdout.contains("1 conflict marked"), "{pulled}");
    let lines: Vec<_> = text(&env, "cafe.yaml").lines().map(str::to_owned).collect();
    let unmarked: Vec<_> = lines.iter().filter(|it| !it.contains("# <<<")).cloned().collect();
    assert_eq!(unmarked.len() + 1, lines.len(), "{lines:?}");
    env.file("cafe.yaml", unmarked.join("\n") + "\n");
    let plan = env.run("plan cafe.yaml");
    assert!(plan.exit == 0 && plan.stdout.contains("no changes"), "{plan}");
    // The others are not.
    assert_eq!(text(&env, "cafe.yaml").matches("locked: true").count(), 1);
}

#[test]
fn the_line_of_the_schema_keeps_the_byte_order_mark_and_the_line_ends_of_the_file() {
    let env = synced();
    for (mark, end) in [("", "\n"), ("\u{feff}", "\n"), ("", "\r\n"), ("\u{feff}", "\r\n")] {
        let file = CAFE.replace('\n', end);
        env.file("cafe.yaml", format!("{mark}{file}"));
        for schema in ["a.json", "../b.json"] {
            ok(&env, &format!("pull cafe.yaml --schema {schema}"));
            let expected = format!("{mark}# yaml-language-server: $schema={schema}{end}{file}");
            assert_eq!(text(&env, "cafe.yaml"), expected);
        }
        assert!(ok(&env, "pull cafe.yaml").stdout.contains("no changes"));
        assert_eq!(env.run("plan cafe.yaml").exit, 0);
    }
}

#[test]
fn an_edit_of_the_file_during_the_pull_is_not_lost() {
    let env = synced();
    edit(&env, |page| page.title = Some("Theirs".to_owned()));
    let file = path(&env, "cafe.yaml");
    let edited = CAFE.replace("over the door", "above the door");
    let (target, bytes) = (file.clone(), edited.clone());
    env.server.edit_after(2, move |_| fs::write(target, bytes).unwrap());
    let run = env.run("pull cafe -O cafe.yaml");
    assert!(
        run.exit == 7 && run.stderr.contains("changed in the meantime; nothing was written"),
        "{run}"
    );
    assert_eq!(text(&env, "cafe.yaml"), edited);
    ok(&env, "pull cafe -O cafe.yaml");
    assert!(text(&env, "cafe.yaml").contains("title: Theirs   # above the door"));
    // Nor is the text before it recorded if nothing changed on the page.
    let target = file.clone();
    env.server.edit_after(2, move |_| fs::write(target, CAFE).unwrap());
    env.server.forget_requests();
    let run = env.run("pull cafe -O cafe.yaml");
    assert!(run.exit == 7 && run.stderr.contains("cafe.yaml changed in the meantime"), "{run}");
    assert_eq!(text(&env, "cafe.yaml"), CAFE);
    // A file that appears meanwhile is not replaced.
    let target = path(&env, "new.yaml");
    env.server.edit_after(2, move |_| fs::write(target, "mine").unwrap());
    env.server.forget_requests();
    let run = env.run("pull cafe -O new.yaml");
    assert!(run.exit == 14 && run.stderr.contains("already exists"), "{run}");
    assert_eq!(text(&env, "new.yaml"), "mine");
}

#[test]
fn what_is_applied_during_a_pull_is_not_taken_for_a_change_of_the_page() {
    let env = synced();
    let edited = CAFE.replace("Qara Coffee ", "Ours ");
    let beginning = Beginning::of(&env);
    env.file("cafe.yaml", &edited);
    ok(&env, "apply cafe.yaml --yes");
    let (account, lock) = (env.server.account(), text(&env, "links.lock"));
    for line in ["pull cafe -O cafe.yaml", "pull cafe.yaml", "pull cafe -O ./", "pull --all"] {
        for operation in ["getProfile", "getProfileSettings"] {
            beginning.restore(&env);
            env.file("cafe.yaml", &edited);
            let (account, lock) = (account.clone(), lock.clone());
            let target = path(&env, "links.lock");
            env.server.edit_after_operation(operation, 1, move |now| {
                now.clone_from(&account);
                fs::write(target, lock).unwrap();
            });
            let run = env.run(line);
            let expected = "the record of cafe.yaml changed in the meantime; nothing was written";
            assert!(run.exit != 0 && run.stderr.contains(expected), "{operation}: {run}");
            assert_eq!(text(&env, "cafe.yaml"), edited, "{operation}: {run}");
            let plan = ok(&env, "plan cafe.yaml --fail-on any");
            assert!(plan.stdout.contains("no changes"), "{operation}: {plan}");
        }
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named_and_nothing_is_recorded() {
    let env = env();
    ok(&env, "init");
    let lock = text(&env, "links.lock");
    env.file("taken", "a file");
    for line in [
        "pull cafe -O missing/cafe.yaml",
        "pull cafe -O taken/cafe.yaml",
        "pull cafe qara.weddings -O taken/pages",
    ] {
        let run = env.run(line);
        assert!(
            run.exit == 2 && (run.stderr.contains("missing") || run.stderr.contains("taken")),
            "{run}"
        );
    }
    let several = env.run("pull cafe qara.weddings -O taken");
    assert!(
        several.exit == 2 && several.stderr.contains("several pages need a directory"),
        "{several}"
    );
    for line in ["pull cafe qara.weddings -O site.yaml", "pull --all -O site.json"] {
        let run = env.run(line);
        assert!(run.exit == 2 && run.stderr.contains("several pages need a directory"), "{run}");
        assert!(!path(&env, "site.yaml").exists() && !path(&env, "site.json").exists());
    }
    assert_eq!(text(&env, "links.lock"), lock);
    for line in ["pull cafe --images", "pull cafe --portable", "pull", "pull cafe --all"] {
        assert_eq!(env.run(line).exit, 2, "{line}");
    }
}

#[test]
fn a_file_that_is_not_a_page_file_is_replaced_with_force_alone() {
    let env = env();
    for content in ["", "hello\n", "a: 1\n"] {
        env.file("other.yaml", content);
        let run = env.run("pull cafe -O other.yaml");
        assert_eq!(run.exit, 8, "{run}");
        assert!(run.stderr.contains("other.yaml is not a page file"), "{run}");
        assert!(run.stderr.contains("use --force to replace it"), "{run}");
        ok(&env, "pull cafe -O other.yaml --force");
        assert!(text(&env, "other.yaml").contains("profile: cafe"));
    }
    // Mistakes in a page file are to be corrected.
    env.file("other.yaml", "profile: cafe\ntitel: A\n");
    let run = env.run("pull cafe -O other.yaml");
    assert!(run.exit == 8 && run.stderr.contains("unknown field `titel`"), "{run}");
}

#[test]
fn a_pull_that_is_cut_short_anywhere_is_finished_by_the_next_one() {
    let env = synced();
    edit(&env, |page| page.title = Some("Theirs".to_owned()));
    let beginning = Beginning::of(&env);
    for is_new in [false, true] {
        for nth in places() {
            beginning.restore(&env);
            if is_new {
                fs::remove_file(path(&env, "cafe.yaml")).unwrap();
            }
            let ended = cut_short(&env, "pull cafe -O cafe.yaml", &format!("any:{nth}"));
            ok(&env, "pull cafe -O cafe.yaml");
            assert!(text(&env, "cafe.yaml").contains("Theirs"), "{nth}");
            let plan = ok(&env, "plan cafe.yaml --fail-on any");
            assert!(plan.stdout.contains("no changes"), "{nth} {plan}");
            edit(&env, |page| page.title = Some("Later".to_owned()));
            assert_eq!(env.run("plan cafe.yaml --fail-on remote").exit, 3, "{nth}");
            if ended.status.success() {
                assert!(nth > 4, "only {nth} places");
                break;
            }
        }
    }
}

#[test]
fn an_answer_without_slots_is_not_taken_for_an_empty_page() {
    let env = synced();
    let answer = |path: &str| (200, env.run(&format!("api GET {path}")).stdout);
    let page = answer("/profiles/cafe");
    assert!(serde_json::from_str::<Value>(&page.1).unwrap()["data"].get("slots").is_none());
    let answers = [
        page,
        answer("/profiles/cafe/slots"),
        answer("/profiles/cafe/settings"),
        answer("/slot-types"),
    ];
    let canned = links_test_support::canned::Canned::start(answers);
    let lock = text(&env, "links.lock")
        .replace(&env.server.base_url(), &format!("{}/api/v1", canned.origin()));
    env.file("links.lock", lock);
    let mut command = env.command(["pull", "cafe", "-O", "cafe.yaml"]);
    let output =
        command.env("LINKS_BASE_URL", format!("{}/api/v1", canned.origin())).output().unwrap();
    assert!(text(&env, "cafe.yaml").contains("id: 1001"), "{output:?}");
    assert_eq!(text(&env, "cafe.yaml"), CAFE, "{output:?}");
}

#[test]
fn the_output_for_programs_names_files_pages_and_conflicts() {
    let env = synced();
    let pulled = ok(&env, "pull cafe -O cafe.yaml -o json").json();
    let page = &pulled["data"]["pages"][0];
    assert_eq!(
        (&page["file"], &page["login"], &page["conflicts"]),
        (&json!("cafe.yaml"), &json!("cafe"), &json!(0))
    );
    assert!(pulled["meta"]["requests"].as_i64().unwrap() > 1);
}
