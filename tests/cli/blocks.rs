//! Tests of page files that use blocks, values and tables.

use std::fs;

use links_fixtures::{Slot, Social};
use serde_json::{Value, json};

use crate::lock_only::{commit, git};
use crate::steps::{Beginning, cut_short, ok, places, text};
use crate::test_env::{CommandResult, TestEnv};

const PAGE: &str = "\
profile: cafe
title: {$value: names.main}
slots:
  - type: text
    data: {title: Welcome}
  - $include: ../blocks/footer.yaml
";

const FOOTER: &str = "\
# at the end of every page
- type: button
  data:
    title: {$text: \"Call {phone}\"}
    link: {$value: links.call}
- type: text
  data: {title: See you}
";

const VALUES: &str = "\
names: {main: Qara}
links:
  call: https://call.example/7
phone: 727
";

const TABLE: &str = "\
each: places.csv
profile: \"{slug}\"
title: {$text: \"Qara in {city}\"}
slots:
  - type: text
    data: {title: {$value: hours}}
  - $include: blocks/footer.yaml
";

/// A project whose page `cafe` and, with a table, the pages `one.page` and `two.page` are as their files say.
fn project(with_table: bool) -> TestEnv {
    let path = std::env::var("PATH").unwrap();
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").env("PATH", path);
    env.server.edit(|account| account.profiles[0].slots.clear());
    ok(&env, "init");
    for directory in ["pages", "blocks"] {
        fs::create_dir(env.home.path().join(directory)).unwrap();
    }
    env.file("pages/cafe.yaml", PAGE);
    env.file("blocks/footer.yaml", FOOTER);
    env.file("values.yaml", VALUES);
    if with_table {
        env.file("places.yaml", TABLE);
        env.file(
            "places.csv",
            "key,slug,city,hours,phone\na,one.page,Oral,8-20,\nb,two.page,Almaty,\"9, 10\",9\n",
        );
    }
    let run = env.run("apply . --yes --allow-create 2");
    assert_eq!(run.exit, 0, "{run}");
    env.operations();
    env
}

/// Returns the titles of the slots of a page.
fn titles(env: &TestEnv, login: &str) -> Vec<Value> {
    let account = env.server.account();
    let page = account.profiles.iter().find(|it| it.login == login).unwrap();
    page.slots.iter().map(|slot| slot.data["title"].clone()).collect()
}

fn set_title(env: &TestEnv, login: &str, nth: usize, title: &str) {
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|it| it.login == login).unwrap();
        page.slots[nth].data.insert("title".to_owned(), title.into());
    });
}

/// Returns the place and the message of each problem.
fn problems(run: &CommandResult) -> Vec<String> {
    let error = run.error();
    let place = |found: &Value| {
        format!(
            "{}:{} {}",
            found["file"].as_str().unwrap(),
            found["line"],
            found["message"].as_str().unwrap()
        )
    };
    error["places"].as_array().unwrap().iter().map(place).collect()
}

#[test]
fn a_table_without_rows_is_reported_where_the_file_names_it() {
    let env = TestEnv::cafe();
    env.file("places.csv", "key,slug\n");
    for (each, message) in
        [("places.csv", "the table places.csv has no rows"), ("[]", "the table has no rows")]
    {
        env.file("places.yaml", format!("each: {each}\nprofile: \"{{slug}}\"\nslots: []\n"));
        for line in [
            "plan places.yaml",
            "apply . --yes",
            "pull places.yaml",
            "pull .",
            "preview places.yaml",
        ] {
            let run = env.run(&format!("{line} -o json"));
            assert_eq!(run.exit, 8, "{line}: {run}");
            assert_eq!(problems(&run), [format!("places.yaml:1 {message}")], "{line}: {run}");
        }
    }
}

#[test]
fn a_page_is_what_its_file_its_blocks_and_its_values_say() {
    let env = project(false);
    assert_eq!(titles(&env, "cafe"), ["Welcome", "Call 727", "See you"]);
    let account = env.server.account();
    assert_eq!(account.profiles[0].title.as_deref(), Some("Qara"));
    assert_eq!(account.profiles[0].slots[1].data["link"], "https://call.example/7");
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("no changes") && !plan.stderr.contains("skipped"), "{plan}");
    // Any of the files is noticed, also one that did not exist when nothing had changed.
    for (file, content, title) in [
        ("blocks/footer.yaml", FOOTER.replace("See you", "Bye"), "Bye"),
        ("values.yaml", VALUES.replace("727", "8"), "Call 8"),
        ("pages/values.yaml", "phone: 9\n".to_owned(), "Call 9"),
    ] {
        ok(&env, "plan pages/cafe.yaml");
        env.file(file, content);
        let plan = env.run("plan pages/cafe.yaml");
        assert!(plan.exit == 3 && plan.stdout.contains(title), "{file}: {plan}");
        ok(&env, "apply . --yes");
    }
}

#[test]
fn a_footer_that_is_moved_to_a_block_changes_nothing() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    ok(&env, "init");
    ok(&env, "pull --all");
    let pulled = text(&env, "cafe.yaml");
    let (head, footer) = pulled.split_at(pulled.find("  - id: 1011\n").unwrap());
    let (footer, last) = footer.split_at(footer.find("  - id: 1014\n").unwrap());
    let footer: String = footer
        .lines()
        .map(|line| {
            let line = line.get(2..).unwrap_or_default();
            if line.starts_with("- id:") {
                String::new()
            } else {
                line.replacen("  type:", "- type:", 1) + "\n"
            }
        })
        .collect();
    fs::create_dir(env.home.path().join("blocks")).unwrap();
    env.file("blocks/footer.yaml", footer);
    env.file("cafe.yaml", format!("{head}  - $include: blocks/footer.yaml\n{last}"));
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("= 2 pages: no changes"), "{plan}");
    assert_eq!(
        env.run("search oat .")
            .stdout
            .lines()
            .next()
            .map(|it| it.starts_with("blocks/footer.yaml:")),
        Some(true)
    );
}

#[test]
fn each_mistake_is_shown_in_the_file_that_has_it() {
    let env = project(false);
    for (file, content, expected) in [
        (
            "pages/cafe.yaml",
            PAGE.replace("names.main", "names.mian"),
            "pages/cafe.yaml:2 there is no value `names.mian`",
        ),
        (
            "pages/cafe.yaml",
            PAGE.replace("footer", "foot"),
            "pages/cafe.yaml:6 blocks/foot.yaml does not exist",
        ),
        (
            "pages/cafe.yaml",
            PAGE.replace("../blocks/footer.yaml", "../../secret.yaml"),
            "pages/cafe.yaml:6 ../../secret.yaml is outside the page file's directory",
        ),
        (
            "pages/cafe.yaml",
            PAGE.replace("../blocks/footer.yaml", "/etc/passwd"),
            "pages/cafe.yaml:6 /etc/passwd is outside the page file's directory",
        ),
        (
            "pages/cafe.yaml",
            PAGE.replace("../blocks/footer.yaml", "../.git/config"),
            "pages/cafe.yaml:6 ../.git/config is a hidden file or is in a hidden directory",
        ),
        (
            "pages/cafe.yaml",
            PAGE.replace("{title: Welcome}", "{title: {$include: ../blocks/footer.yaml}}"),
            "pages/cafe.yaml:5 `$include` must be an item of `slots`",
        ),
        (
            "blocks/footer.yaml",
            FOOTER.replace("type: text", "typo: text"),
            "blocks/footer.yaml:6 unknown field `typo`",
        ),
        (
            "blocks/footer.yaml",
            FOOTER.replace("See you", "["),
            "blocks/footer.yaml:7 mismatched bracket '[' closed by '}'",
        ),
        (
            "blocks/footer.yaml",
            FOOTER.replace("{phone}", "{phone"),
            "blocks/footer.yaml:4 unmatched `{`",
        ),
        (
            "blocks/footer.yaml",
            FOOTER.replace("{phone}", "{links}"),
            "values.yaml:3 `links` must be a text or a number to be part of a text, not a mapping",
        ),
        (
            "blocks/footer.yaml",
            "profile: cafe\nslots: []\n".to_owned(),
            "blocks/footer.yaml:1 this file must be a list of slots",
        ),
        (
            "blocks/footer.yaml",
            "- $include: other.yaml\n".to_owned(),
            "blocks/footer.yaml:1 blocks/other.yaml does not exist",
        ),
        (
            "blocks/footer.yaml",
            "- $include: ../blocks/footer.yaml\n".to_owned(),
            "blocks/footer.yaml:1 blocks/footer.yaml includes itself",
        ),
        (
            "blocks/footer.yaml",
            format!("# <<< page: title: x\n{FOOTER}"),
            "blocks/footer.yaml:1 unresolved conflict with the page",
        ),
        (
            "values.yaml",
            "- a\n".to_owned(),
            "values.yaml:1 a file of values must be a mapping, not a list",
        ),
        (
            "values.yaml",
            VALUES.replace("Qara", "{$value: phone}"),
            "values.yaml:1 a value can't be made of other values",
        ),
    ] {
        let before = text(&env, file);
        env.file(file, content.clone());
        let run = env.run("plan pages/cafe.yaml -o json");
        assert_eq!(run.exit, 8, "{content}: {run}");
        assert!(problems(&run).iter().any(|it| it == expected), "{expected}: {run}");
        if !expected.starts_with("pages/") {
            let is_named =
                |it: &Value| it["hint"].as_str().is_some_and(|it| it.contains("used by "));
            assert!(run.error()["places"].as_array().unwrap().iter().any(is_named), "{run}");
        }
        env.file(file, before);
    }
}

#[test]
fn each_mistake_of_a_table_is_shown_at_its_cell_or_row() {
    let env = project(true);
    let table = "places.csv";
    let rows = text(&env, table);
    for (content, expected) in [
        (rows.replace("key,", "kye,"), "places.csv:2 this row has no `key`"),
        (rows.replace("\nb,", "\na,"), "places.csv:3 another row has the key `a`"),
        (
            rows.replace("\nb,", "\n../b,"),
            "places.csv:3 a key may have only letters, digits, `-` and `_`",
        ),
        (rows.replace("city", "slug"), "places.csv:1 another column is named `slug`"),
        (rows.replace("8-20,", "8-20,,"), "places.csv:2 this row has more cells than the first"),
        (rows.replace("\"9, 10\"", "\"9, 10"), "places.csv:3 unclosed quote"),
        (rows.replace("8-20", ""), "places.yaml:6 there is no value `hours` (row `a`)"),
        (
            rows.clone() + &(0..99).map(|nth| format!("k{nth},x\n")).collect::<String>(),
            "places.csv:102 a table can have at most 100 rows, but has 101",
        ),
    ] {
        env.file(table, content);
        let run = env.run("plan places.yaml -o json");
        assert_eq!(run.exit, 8, "{expected}: {run}");
        assert_eq!(problems(&run)[0], expected, "{run}");
    }
    env.file(table, rows);
    let run = env.run("plan places.yaml#c -o json");
    assert!(run.exit == 8 && problems(&run) == ["places.yaml:1 the table has no row `c`"], "{run}");
    let run = env.run("plan pages/cafe.yaml#c -o json");
    assert!(
        run.exit == 8 && problems(&run) == ["pages/cafe.yaml:1 this file has no table"],
        "{run}"
    );
}

#[test]
fn files_that_use_each_other_without_end_or_measure_are_refused() {
    let env = project(false);
    // Each level includes the next one twice.
    for nth in 0..12 {
        let next = format!("- $include: b{}.yaml\n", nth + 1);
        env.file(&format!("blocks/b{nth}.yaml"), next.repeat(2));
    }
    env.file("pages/cafe.yaml", PAGE.replace("footer", "b0"));
    let run = env.run("plan pages/cafe.yaml -o json");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("8 levels deep"), "{run}");
    env.file("values.yaml", format!("big: \"{}\"\n", "x".repeat(1 << 20)));
    let items = "  - {type: text, data: {title: {$value: big}}}\n".repeat(20);
    env.file("pages/cafe.yaml", format!("profile: cafe\nslots:\n{items}"));
    let run = env.run("plan pages/cafe.yaml -o json");
    assert!(run.exit == 8 && run.stderr.contains("larger than 5 MiB"), "{run}");
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_not_followed() {
    let env = project(false);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.yaml"), "- type: text\n").unwrap();
    let link = env.home.path().join("blocks/secret.yaml");
    std::os::unix::fs::symlink(outside.path().join("secret.yaml"), link).unwrap();
    env.file("pages/cafe.yaml", PAGE.replace("footer", "secret"));
    let run = env.run("plan pages/cafe.yaml -o json");
    assert_eq!(run.exit, 8, "{run}");
    let expected = "pages/cafe.yaml:6 ../blocks/secret.yaml is outside the page file's directory";
    assert_eq!(problems(&run), [expected], "{run}");
}

#[test]
fn a_table_has_a_page_for_each_row() {
    let env = project(true);
    assert_eq!(titles(&env, "one.page"), ["8-20", "Call 727", "See you"]);
    assert_eq!(titles(&env, "two.page"), ["9, 10", "Call 9", "See you"]);
    let lock = text(&env, "links.lock");
    assert!(
        lock.contains(" one.page places.yaml#a\n") && lock.contains(" two.page places.yaml#b\n"),
        "{lock}"
    );
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("= 3 pages: no changes"), "{plan}");
    // One row is planned alone, and a row that is renamed keeps its page.
    env.file(
        "places.csv",
        text(&env, "places.csv").replace("8-20", "7-20").replace("\nb,", "\nsecond,"),
    );
    let plan = env.run("plan places.yaml#a");
    assert!(
        plan.exit == 3 && plan.stdout.contains("7-20") && !plan.stdout.contains("two"),
        "{plan}"
    );
    let apply = ok(&env, "apply . --yes");
    assert!(
        apply.stdout.contains("one.page: 1 updated") && !apply.stdout.contains("two.page:"),
        "{apply}"
    );
    assert!(text(&env, "links.lock").contains(" two.page places.yaml#second\n"));
    // A row that is gone leaves its page alone.
    let rows = text(&env, "places.csv");
    env.file("places.csv", rows.lines().take(2).map(|it| format!("{it}\n")).collect::<String>());
    let plan = ok(&env, "plan .");
    assert!(
        plan.stdout
            .contains("places.yaml#second is no longer in its table, so its page is left alone"),
        "{plan}"
    );
    assert_eq!(titles(&env, "two.page").len(), 3);
}

#[test]
fn a_pull_writes_to_where_the_value_comes_from_if_its_pages_agree() {
    let env = project(true);
    set_title(&env, "cafe", 0, "Hello");
    for login in ["cafe", "one.page", "two.page"] {
        set_title(&env, login, 2, "Bye");
    }
    set_title(&env, "two.page", 0, "9, \"11\"");
    env.server.edit(|account| account.profiles[0].title = Some("Qara 2".to_owned()));
    let pull = ok(&env, "pull .");
    assert!(pull.stdout.contains("pages/cafe.yaml: 3 changes merged"), "{pull}");
    assert_eq!(text(&env, "pages/cafe.yaml"), PAGE.replace("Welcome", "Hello"));
    assert_eq!(text(&env, "blocks/footer.yaml"), FOOTER.replace("See you", "Bye"));
    assert_eq!(text(&env, "values.yaml"), VALUES.replace("Qara", "Qara 2"));
    assert!(text(&env, "places.csv").contains("b,two.page,Almaty,\"9, \"\"11\"\"\",9\n"));
    assert_eq!(text(&env, "places.yaml"), TABLE);
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("= 3 pages: no changes") && !plan.stdout.contains('<'), "{plan}");
}

#[test]
fn what_pages_disagree_on_stays_and_is_named() {
    let env = project(true);
    set_title(&env, "cafe", 2, "Bye");
    set_title(&env, "one.page", 1, "Ring us");
    set_title(&env, "one.page", 0, "7-20");
    for line in ["pull .", "pull pages", "pull cafe -O pages/cafe.yaml"] {
        let pull = env.run(line);
        assert_eq!(pull.exit, 7, "{line}: {pull}");
        let expected = "pages/cafe.yaml: `slots.2.data.title` was not merged: it is from blocks/footer.yaml, which ";
        assert!(
            pull.stdout.contains(expected) && pull.stdout.contains("places.yaml#a"),
            "{line}: {pull}"
        );
        assert_eq!(text(&env, "blocks/footer.yaml"), FOOTER, "{line}");
    }
    let pull = env.run("pull .");
    let all = "which pages/cafe.yaml, places.yaml#a and places.yaml#b use";
    assert!(pull.stdout.contains(all), "{pull}");
    let expected =
        "places.yaml#a: `slots.1.data.title` was not merged: the text is made of several values";
    set_title(&env, "one.page", 0, "6-20");
    let pull = env.run("pull places.yaml");
    assert!(pull.exit == 7 && pull.stdout.contains(expected), "{pull}");
    assert!(text(&env, "places.csv").contains("a,one.page,Oral,6-20,\n"), "the rest is merged");
    // It is still known as a change of the page, which no plan takes back by itself.
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("`title` changed to \"Bye\" on the page"), "{plan}");
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("`title` changed to \"Ring us\" on the page"), "{plan}");
    ok(&env, "apply . --exact --yes");
    assert_eq!(titles(&env, "cafe")[2], "See you");
    assert_eq!(titles(&env, "one.page"), ["6-20", "Call 727", "See you"]);
}

#[test]
fn slots_that_come_and_go_on_the_page_do_so_in_the_file_that_has_their_neighbors() {
    let env = project(false);
    let add = |at: usize, title: &str| {
        env.server.edit(|account| {
            let mut slot = account.profiles[0].slots[0].clone();
            slot.id = 9000 + at as u64;
            slot.data.insert("title".to_owned(), title.into());
            account.profiles[0].slots.insert(at, slot);
        });
    };
    add(1, "Second");
    add(4, "Last");
    ok(&env, "pull .");
    let page = text(&env, "pages/cafe.yaml");
    let order = ["Welcome", "Second", "$include", "Last"].map(|it| page.find(it).unwrap());
    assert!(order.is_sorted(), "{page}");
    assert_eq!(text(&env, "blocks/footer.yaml"), FOOTER);
    // Within a block that only this page has.
    add(3, "Between");
    ok(&env, "pull .");
    let block = text(&env, "blocks/footer.yaml");
    assert!(block.find("Between").unwrap() < block.find("See you").unwrap(), "{block}");
    env.server.edit(|account| drop(account.profiles[0].slots.remove(2)));
    ok(&env, "pull .");
    assert!(!text(&env, "blocks/footer.yaml").contains("Call"));
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("no changes") && !plan.stdout.contains('<'), "{plan}");
    // A block that another page has too is not changed for one of them.
    env.file(
        "pages/other.yaml",
        "profile: qara.weddings\nslots:\n  - $include: ../blocks/footer.yaml\n",
    );
    env.server.edit(|account| drop(account.profiles[0].slots.remove(3)));
    let block = text(&env, "blocks/footer.yaml");
    let pull = env.run("pull pages/cafe.yaml -o json");
    assert_eq!(pull.exit, 7, "{pull}");
    assert!(pull.stderr.contains("pages/other.yaml use"), "{pull}");
    assert_eq!(text(&env, "blocks/footer.yaml"), block);
}

#[test]
fn slots_that_are_added_or_moved_together_are_pulled_together() {
    let env = project(false);
    let socials = "socials: [https://t.me/qara]\n";
    env.file("pages/cafe.yaml", PAGE.replace("slots:\n", &format!("{socials}slots:\n")));
    ok(&env, "apply . --yes");
    let add = |at: usize, titles: [&str; 2]| {
        env.server.edit(|account| {
            for (nth, title) in titles.into_iter().enumerate() {
                let mut slot = account.profiles[0].slots[0].clone();
                slot.id = (9000 + 10 * at + nth) as u64;
                slot.data.insert("title".to_owned(), title.into());
                account.profiles[0].slots.insert(at + nth, slot);
            }
        });
    };
    add(1, ["Second", "Third"]);
    add(4, ["Fifth", "Sixth"]);
    env.server.edit(|account| {
        let social = |order| Social { link: "https://x.com/q".to_owned(), order };
        account.profiles[0].socials.extend([social(1), social(2)]);
    });
    let all = ["Welcome", "Second", "Third", "Call 727", "Fifth", "Sixth", "See you"];
    assert_eq!(titles(&env, "cafe"), all);
    ok(&env, "pull .");
    let order = |file: &str, titles: &[&str]| {
        let text = text(&env, file);
        let places: Vec<_> = titles.iter().map(|title| text.find(title).unwrap()).collect();
        assert!(places.is_sorted(), "{text}");
    };
    order("pages/cafe.yaml", &["Welcome", "Second", "Third", "$include"]);
    order("blocks/footer.yaml", &["Call", "Fifth", "Sixth", "See you"]);
    assert_eq!(text(&env, "pages/cafe.yaml").matches("https://x.com/q").count(), 2);
    env.server.edit(|account| account.profiles[0].slots[3..].reverse());
    ok(&env, "pull .");
    order("blocks/footer.yaml", &["See you", "Sixth", "Fifth", "Call"]);
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("no changes") && !plan.stdout.contains('<'), "{plan}");
    // A slot that leaves its block has no place.
    env.server.edit(|account| account.profiles[0].slots.swap(2, 3));
    let pull = env.run("pull .");
    assert!(pull.exit == 7 && pull.stderr.contains("can't be moved to another file"), "{pull}");
    env.server.edit(|account| account.profiles[0].slots.swap(2, 3));
    // Another page that has the block keeps it as it is, however many edits there are.
    env.file(
        "pages/other.yaml",
        "profile: qara.weddings\nslots:\n  - $include: ../blocks/footer.yaml\n",
    );
    let block = text(&env, "blocks/footer.yaml");
    let changes: [fn(&mut Vec<Slot>); 2] =
        [|slots| slots[3..].reverse(), |slots| slots.truncate(3)];
    for change in changes {
        let before = env.server.account();
        env.server.edit(|account| change(&mut account.profiles[0].slots));
        let pull = env.run("pull pages/cafe.yaml");
        assert!(pull.exit == 7 && pull.stderr.contains("pages/other.yaml use"), "{pull}");
        assert_eq!(text(&env, "blocks/footer.yaml"), block);
        env.server.edit(|account| account.clone_from(&before));
    }
    add(5, ["New", "Newer"]);
    let pull = env.run("pull pages/cafe.yaml");
    assert!(pull.exit == 7 && pull.stderr.contains("pages/other.yaml use"), "{pull}");
    assert_eq!(text(&env, "blocks/footer.yaml"), block);
}

#[test]
fn what_another_run_applies_during_a_pull_stays_recorded() {
    let env = project(true);
    let edited = PAGE.replace("  - $include", "  - {type: text, data: {title: New}}\n  - $include");
    let beginning = Beginning::of(&env);
    env.file("pages/cafe.yaml", &edited);
    ok(&env, "apply . --yes");
    let (account, lock) = (env.server.account(), text(&env, "links.lock"));
    beginning.restore(&env);
    env.file("pages/cafe.yaml", &edited);
    ok(&env, "pull .");
    let requests = env.operations().len();
    assert_ne!(text(&env, "links.lock"), lock);
    // The edited file is applied once its page was read.
    let (target, bytes) = (env.home.path().join("links.lock"), lock.clone());
    env.server.edit_after(requests, move |now| {
        now.clone_from(&account);
        fs::write(target, bytes).unwrap();
    });
    let pull = env.run("pull .");
    let expected = "the record of pages/cafe.yaml changed in the meantime; nothing was written";
    assert!(pull.exit != 0 && pull.stderr.contains(expected), "{pull}");
    assert_eq!(text(&env, "links.lock"), lock);
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("= 3 pages: no changes"), "{plan}");
    // A block that is edited meanwhile is not recorded as it was, though no page has changed.
    env.operations();
    let target = env.home.path().join("blocks/footer.yaml");
    let bytes = FOOTER.replace("See you", "Bye");
    env.server.edit_after(requests, move |_| fs::write(target, bytes).unwrap());
    let pull = env.run("pull .");
    let expected = "blocks/footer.yaml changed in the meantime; nothing was written";
    assert!(pull.exit != 0 && pull.stderr.contains(expected), "{pull}");
    assert_eq!(text(&env, "links.lock"), lock);
}

#[test]
fn a_saved_plan_keeps_the_blocks_and_values_that_it_was_made_from() {
    let env = project(true);
    env.file("blocks/footer.yaml", FOOTER.replace("See you", "Bye"));
    let plan = env.run("plan . --out p.plan");
    assert_eq!(plan.exit, 3, "{plan}");
    env.file("blocks/footer.yaml", FOOTER.replace("See you", "Later"));
    env.file("values.yaml", VALUES.replace("727", "1"));
    ok(&env, "apply --plan p.plan --yes");
    for login in ["cafe", "one.page", "two.page"] {
        assert_eq!(titles(&env, login)[2], "Bye");
    }
    let plan = env.run("plan . -o json");
    assert_eq!(plan.exit, 3, "{plan}");
}

#[test]
fn only_the_pages_that_use_what_changed_are_planned() {
    let env = project(true);
    git(&env, "init -q");
    commit(&env);
    for (file, content, expected) in [
        ("values.yaml", VALUES.replace("Qara", "Qara 2"), &["pages/cafe.yaml"][..]),
        ("values.yaml", VALUES.replace("727", "728"), &["pages/cafe.yaml", "places.yaml#a"]),
        ("places.csv", text(&env, "places.csv").replace("8-20", "7-20"), &["places.yaml#a"]),
        (
            "blocks/footer.yaml",
            FOOTER.replace("See you", "Bye"),
            &["pages/cafe.yaml", "places.yaml#a", "places.yaml#b"],
        ),
        ("blocks/footer.yaml", FOOTER.replace("at the end", "below"), &[]),
    ] {
        let before = text(&env, file);
        env.file(file, content);
        let plan = env.run("plan . --changed-since HEAD -o json");
        let planned = plan.json();
        let files: Vec<&str> = planned["data"]["pages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["file"].as_str().unwrap())
            .collect();
        assert_eq!(files, expected, "{file}: {plan}");
        env.file(file, before);
    }
    // A mistake that is new is reported, though the page file is as it was.
    env.file("blocks/footer.yaml", FOOTER.replace("type: text", "typo: text"));
    assert_eq!(env.run("plan . --changed-since HEAD").exit, 8);
}

#[test]
fn a_branch_without_an_item_of_a_block_deletes_its_slot_without_a_question() {
    let env = project(false);
    git(&env, "init -q");
    commit(&env);
    let (first, _) = FOOTER.split_at(FOOTER.find("- type: text").unwrap());
    env.file("blocks/footer.yaml", first);
    let plan = env.run("plan . -o json");
    assert_eq!(
        plan.json()["data"]["pages"][0]["plan"]["deletes"].as_array().unwrap().len(),
        1,
        "{plan}"
    );
    ok(&env, "apply . --yes");
    assert_eq!(titles(&env, "cafe"), json!(["Welcome", "Call 727"]).as_array().unwrap()[..]);
}

#[test]
fn a_pull_that_is_killed_between_its_files_is_finished_by_the_next_one() {
    let env = project(true);
    set_title(&env, "cafe", 0, "Hello");
    for login in ["cafe", "one.page", "two.page"] {
        set_title(&env, login, 2, "Bye");
    }
    set_title(&env, "two.page", 0, "7-20");
    env.server.edit(|account| {
        let mut slot = account.profiles[0].slots[0].clone();
        slot.id = 9000;
        slot.data.insert("title".to_owned(), "New".into());
        account.profiles[0].slots.insert(1, slot);
    });
    let files = ["pages/cafe.yaml", "blocks/footer.yaml", "places.csv", "places.yaml"];
    let beginning = Beginning::of(&env);
    ok(&env, "pull .");
    let expected = files.map(|file| text(&env, file));
    assert!(expected[0].contains("New") && expected[1].contains("Bye"), "{expected:?}");
    for nth in places() {
        beginning.restore(&env);
        let ended = cut_short(&env, "pull .", &format!("any:{nth}"));
        ok(&env, "pull .");
        assert_eq!(files.map(|file| text(&env, file)), expected, "place {nth}");
        let plan = ok(&env, "plan .");
        assert!(plan.stdout.contains("= 3 pages: no changes"), "place {nth}: {plan}");
        if ended.status.success() {
            assert!(nth > 8, "only {nth} places");
            break;
        }
    }
}

#[test]
fn a_rule_that_a_block_breaks_is_broken_once() {
    let env = project(true);
    env.file("links.toml", "[[rule]]\nname = 'short'\nfor = 'slot'\nmust = '.data.title != \"See you\"'\nmessage = 'too short'\n");
    let lint = env.run("lint .");
    assert_eq!(lint.exit, 3, "{lint}");
    assert_eq!(lint.stdout, "x blocks/footer.yaml:7:17  too short (short)\n3 files: 1 error\n");
    let plan = env.run("plan places.yaml -o json");
    assert!(plan.exit == 8 && plan.stderr.contains("blocks/footer.yaml"), "{plan}");
}

/// A project of these files, whose pages are as their files say.
fn made_of(files: &[(&str, &str)]) -> TestEnv {
    let path = std::env::var("PATH").unwrap();
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").env("PATH", path);
    ok(&env, "init");
    for (name, text) in files {
        env.file(name, text);
    }
    ok(&env, "apply . --yes --allow-create 3");
    env
}

fn set_page_title(env: &TestEnv, login: &str, title: &str) {
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|it| it.login == login).unwrap();
        page.title = Some(title.to_owned());
    });
}

/// Runs a pull that must merge nothing, after which the files are as they were, and the plan takes nothing back.
fn refused_pull(env: &TestEnv, line: &str, files: &[(&str, &str)], why: &str) {
    let pull = env.run(line);
    assert_eq!(pull.exit, 7, "{pull}");
    assert!(format!("{pull}").contains(why), "{why}: {pull}");
    for (name, before) in files {
        assert_eq!(text(env, name), *before, "{name}: {pull}");
    }
    let plan = ok(env, "plan .");
    assert!(plan.stdout.contains("no changes"), "{plan}");
}

#[test]
fn a_value_that_is_a_part_of_other_texts_is_not_changed_for_one_page() {
    let files = [
        ("values.yaml", "phone: \"111\"\n"),
        ("a.yaml", "profile: page.a\ntitle: {$value: phone}\nslots: [{type: divider}]\n"),
        ("b.yaml", "profile: page.b\ntitle: {$text: \"Call {phone}\"}\nslots: [{type: divider}]\n"),
    ];
    let env = made_of(&files);
    set_page_title(&env, "page.a", "222");
    refused_pull(&env, "pull .", &files, "a.yaml: `title` was not merged: it is from values.yaml");
    // If the text changed with it, both are merged.
    set_page_title(&env, "page.b", "Call 222");
    let pull = ok(&env, "pull .");
    assert_eq!(text(&env, "values.yaml"), "phone: \"222\"\n", "{pull}");
    let plan = ok(&env, "plan .");
    assert!(plan.stdout.contains("= 2 pages: no changes") && !plan.stdout.contains('<'), "{plan}");
}

#[test]
fn what_identifies_a_row_or_its_page_is_never_written() {
    let files = [
        ("t.csv", "key,slug\na,page.a\nb,page.b\n"),
        (
            "t.yaml",
            "each: t.csv\nprofile: \"{slug}\"\ntitle: {$value: slug}\ndescription: {$value: key}\nslots: [{type: divider}]\n",
        ),
    ];
    let env = made_of(&files);
    set_page_title(&env, "page.a", "cafe");
    refused_pull(&env, "pull .", &files, "t.yaml#a: `title` was not merged: it is from t.csv");
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|it| it.login == "page.b").unwrap();
        page.description = Some("z".to_owned());
    });
    refused_pull(
        &env,
        "pull .",
        &files,
        "t.yaml#b: `description` was not merged: it is from t.csv",
    );
}

#[test]
fn a_cell_takes_no_line_break_that_it_would_not_be_read_with() {
    let files = [
        ("t.csv", "key,slug,note\na,page.a,Hi\n"),
        (
            "t.yaml",
            "each: t.csv\nprofile: \"{slug}\"\ndescription: {$value: note}\nslots: [{type: divider}]\n",
        ),
    ];
    let env = made_of(&files);
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|it| it.login == "page.a").unwrap();
        page.description = Some("One\r\nTwo".to_owned());
    });
    let why = r"`description` was not merged: t.csv cannot hold the line break `\r\n`";
    refused_pull(&env, "pull .", &files, why);
}

#[test]
fn a_value_without_a_text_and_a_page_that_cannot_be_read_count_as_users() {
    let page = |login: &str| format!("profile: {login}\nslots: [{{$include: f.yaml}}]\n");
    let (a, b) = (page("page.a"), page("page.b"));
    let files = [
        ("values.yaml", "note:\ngreeting: Hi\n"),
        (
            "f.yaml",
            "- type: text\n  data: {title: {$value: greeting}, description: {$value: note}}\n",
        ),
        ("a.yaml", &*a),
        ("b.yaml", &*b),
    ];
    let env = made_of(&files);
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|it| it.login == "page.a").unwrap();
        page.slots[0].data.insert("description".to_owned(), "New".into());
    });
    refused_pull(&env, "pull a.yaml", &files, "`slots.0.data.description` was not merged");
    set_title(&env, "page.a", 0, "Hello");
    set_title(&env, "page.b", 0, "Hello");
    env.file("b.yaml", format!("# <<< page: title: \"x\"\n{b}"));
    let pull = env.run("pull .");
    assert!(pull.exit != 0 && format!("{pull}").contains("b.yaml"), "{pull}");
    assert_eq!(text(&env, "values.yaml"), files[0].1, "{pull}");
}

#[test]
fn the_kind_of_a_file_is_what_it_is_used_as() {
    let files = [
        ("block.csv", "- type: text\n  data: {title: One}\n"),
        ("a.yaml", "profile: page.a\nslots: [{$include: block.csv}]\n"),
    ];
    let env = made_of(&files);
    set_title(&env, "page.a", 0, "New, \"x\": y");
    ok(&env, "pull .");
    assert!(
        text(&env, "block.csv").contains("title: \"New, \\\"x\\\": y\""),
        "{}",
        text(&env, "block.csv")
    );
    ok(&env, "plan .");
}

#[test]
fn a_table_is_not_replaced_by_a_page_nor_read_from_standard_input() {
    let table = "each: [{key: a, t: A}, {key: b, t: B}]\nprofile: \"page.{key}\"\ntitle: {$value: t}\nslots: [{type: divider}]\n";
    let env = made_of(&[("t.yaml", table)]);
    for line in ["pull page.a -O t.yaml --force", "pull page.a -O t.yaml#a --force"] {
        let pull = env.run(line);
        assert!(pull.exit == 14 && pull.stderr.contains("is made of a table"), "{pull}");
        assert_eq!(text(&env, "t.yaml"), table);
    }
    let plan = env.run_args(["plan", "-"], table.as_bytes());
    assert!(plan.exit == 2 && plan.stderr.contains("must be a file with the ending"), "{plan}");
    // Records of rows that were made without a lock are taken over.
    fs::remove_file(env.home.path().join("links.lock")).unwrap();
    let env = env.keeping_state();
    ok(&env, "apply t.yaml --yes");
    let init = ok(&env, "init");
    assert!(init.stdout.contains("imported 2 records"), "{init}");
}

#[test]
fn an_image_of_values_is_beside_the_values() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    ok(&env, "init");
    for directory in ["pages", "img", "pages/img"] {
        fs::create_dir(env.home.path().join(directory)).unwrap();
    }
    env.file("pages/img/a.png", crate::test_env::picture(800, 800));
    env.file("img/a.png", crate::test_env::picture(900, 900));
    env.file("values.yaml", "logo: {$upload: img/a.png}\n");
    env.file("pages/cafe.yaml", "profile: cafe\navatar: {$value: logo}\n");
    let plan = env.run("plan pages/cafe.yaml -o json");
    assert!(plan.exit == 8 && plan.stderr.contains("../img/a.png is outside"), "{plan}");
    let plan = env.run("plan pages/cafe.yaml --upload-root . -o json");
    assert!(plan.exit == 3 && plan.stdout.contains("../img/a.png"), "{plan}");
}

#[test]
fn a_mistake_in_a_block_that_only_a_table_uses_is_new_too() {
    let env = project(true);
    fs::remove_file(env.home.path().join("pages/cafe.yaml")).unwrap();
    git(&env, "init -q");
    commit(&env);
    fs::remove_file(env.home.path().join("blocks/footer.yaml")).unwrap();
    for line in ["plan . --changed-since HEAD", "lint . --changed-since HEAD"] {
        let run = env.run(line);
        assert!(run.exit == 8 && run.stderr.contains("blocks/footer.yaml does not exist"), "{run}");
    }
    env.file("blocks/footer.yaml", FOOTER);
    env.file("places.csv", text(&env, "places.csv").replace("8-20", ""));
    let run = env.run("plan . --changed-since HEAD");
    assert!(run.exit == 8 && run.stderr.contains("no value `hours` (row `a`)"), "{run}");
}

#[test]
fn a_conflict_that_a_file_cannot_show_keeps_no_other_page_from_being_pulled() {
    let files = [
        ("values.yaml", "t: A\n"),
        (
            "a.json",
            "{\"profile\": \"page.a\", \"title\": {\"$value\": \"t\"}, \"description\": \"one\", \"slots\": []}",
        ),
        ("b.yaml", "profile: page.b\ndescription: {$value: t}\ntitle: B\nslots: []\n"),
    ];
    let env = made_of(&files);
    env.server.edit(|account| {
        let page = account.profiles.iter_mut().find(|it| it.login == "page.a").unwrap();
        page.description = Some("theirs".to_owned());
    });
    env.file("a.json", files[1].1.replace("one", "ours"));
    set_page_title(&env, "page.b", "C");
    let pull = env.run("pull .");
    assert_eq!(pull.exit, 7, "{pull}");
    assert!(pull.stdout.contains("a.json: `description` was not merged"), "{pull}");
    assert!(text(&env, "b.yaml").contains("title: C"), "{pull}");
}
