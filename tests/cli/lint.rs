//! Tests of house rules: `links.toml`, `links lint`, and plans of files that break a rule.

use std::fs;

use serde_json::json;

use crate::steps::{edit_slots, ok};
use crate::test_env::TestEnv;

const PAGE: &str = "\
profile: cafe
title: Qara
slots:
  - type: button
    data: {title: Menu, link: 'https://qara.example/menu?utm_source=card'}
  - type: button
    data:
      title: Map
      link: http://maps.example/q
";

const RULES: &str = r#"
[[rule]]
name = "short-titles"
for = 'slot and .type == "button"'
must = '.data.title | length <= 3'
message = "a button has a short title"

[[rule]]
use = "tracking"

[[rule]]
use = "https"
level = "warning"
"#;

/// Returns a café with a page file that breaks each of three rules.
fn env() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    edit_slots(&env, Vec::clear);
    env.file("cafe.yaml", PAGE);
    env.file("links.toml", RULES);
    env
}

#[test]
fn broken_rules_are_shown_at_their_places_without_a_request() {
    let env = env();
    let run = env.run("lint");
    assert_eq!(run.exit, 3, "{run}");
    assert_eq!(
        run.stdout,
        "\
x cafe.yaml:5:19  a button has a short title (short-titles)
x cafe.yaml:5:31  links must not have tracking parameters (tracking)
! cafe.yaml:9:13  links must begin with https:// (https)
1 file: 2 errors, 1 warning
"
    );
    let run = env.run("lint cafe.yaml -o json");
    let data = &run.json()["data"];
    assert_eq!(data[1]["path"], "slots.0.data.link", "{run}");
    assert_eq!((&data[2]["rule"], &data[2]["level"]), (&"https".into(), &"warning".into()));
    assert_eq!(run.json()["meta"]["errors"], 2, "{run}");
    let run = env.run("lint --annotate github");
    let annotation = "::error file=cafe.yaml,line=5::links must not have tracking parameters\n";
    assert!(run.stderr.contains(annotation), "{run}");
    assert_eq!(env.operations(), [""; 0]);

    // A warning alone is no failure unless that is asked for.
    env.file("cafe.yaml", PAGE.replace("Menu", "Tea").replace("?utm_source=card", ""));
    assert_eq!(env.run("lint").exit, 0);
    assert_eq!(env.run("lint --strict").exit, 3);
    env.file("cafe.yaml", PAGE.replace("title: Qara", "titel: Qara"));
    let run = env.run("lint");
    assert!(run.exit == 8 && run.stderr.contains("did you mean `title`?"), "{run}");
    let run = env.run("lint nowhere.yaml -o json");
    assert_eq!((run.exit, &*run.stdout), (2, ""), "{run}");
    assert!(run.stderr.contains("cannot read nowhere.yaml"), "{run}");
    fs::remove_file(env.home.path().join("links.toml")).unwrap();
    env.file("cafe.yaml", PAGE);
    let run = env.run("lint cafe.yaml");
    assert_eq!((run.exit, &*run.stdout), (0, "1 file: no rules (no links.toml found)\n"), "{run}");
}

#[test]
fn a_file_that_breaks_a_rule_is_neither_planned_nor_applied() {
    let env = env();
    for line in [
        "plan cafe.yaml",
        "apply cafe.yaml --yes",
        "slots plan cafe.yaml",
        "slots apply cafe.yaml --yes",
    ] {
        let run = env.run(line);
        assert_eq!(run.exit, 8, "{run}");
        for part in ["cafe.yaml:5:19", "cafe.yaml:5:31", "rule `tracking` in links.toml"] {
            assert!(run.stderr.contains(part), "{part}: {run}");
        }
        let warning = "warning: cafe.yaml:9:13: links must begin with https://\n";
        assert!(run.stderr.contains(warning), "{run}");
    }
    assert!(
        !env.operations().iter().any(|it| it.starts_with("create") || it.starts_with("update"))
    );
    env.file("other.yaml", "profile: qara.weddings\ntitle: Weddings\n");
    let run = env.run("plan cafe.yaml other.yaml");
    assert!(run.exit == 8 && run.stdout.contains("qara.weddings"), "{run}");

    // A warning is shown each time, also if there is nothing to do.
    env.file("cafe.yaml", PAGE.replace("Menu", "Tea").replace("?utm_source=card", ""));
    ok(&env, "apply cafe.yaml --yes");
    for _ in 0..2 {
        let run = env.run("plan cafe.yaml");
        assert!(run.exit == 0 && run.stderr.contains("warning: cafe.yaml:9:13"), "{run}");
    }
    // Rules that are kept cost nothing, until they change.
    env.file("links.toml", RULES.replace("use = \"https\"", "use = \"alt-text\""));
    ok(&env, "plan cafe.yaml");
    let run = env.run("plan cafe.yaml");
    assert!(run.stdout.contains("no changes (1 request)"), "{run}");
    env.file("links.toml", RULES.replace("<= 3", "<= 2"));
    assert_eq!(env.run("plan cafe.yaml").exit, 8);
    fs::remove_file(env.home.path().join("links.toml")).unwrap();
    ok(&env, "plan cafe.yaml");
    env.file("links.toml", RULES);
    let run = env.run("plan cafe.yaml");
    assert!(run.stderr.contains("warning: cafe.yaml:9:13"), "{run}");
}

#[test]
fn the_closest_rules_govern_a_file() {
    let env = env();
    let rule =
        |message: &str| format!("[[rule]]\nfor = 'page'\nmust = 'false'\nmessage = '{message}'\n");
    let write = |name: &str, text: &str| {
        fs::create_dir_all(env.home.path().join(name).parent().unwrap()).unwrap();
        env.file(name, text);
    };
    // What lies above a repository belongs to something else.
    write("links.toml", &rule("outside"));
    write("site/.git/HEAD", "");
    write("site/clients/one/page.yaml", "profile: cafe\nslots: []\n");
    write("site/other/two/page.yaml", "profile: qara.weddings\nslots: []\n");
    let run = env.run("lint site");
    assert!(run.exit == 0 && run.stdout.contains("no rules"), "{run}");
    write("site/links.toml", &rule("top"));
    write("site/clients/links.toml", &rule("clients"));
    let run = env.run("lint site -o json");
    let found: Vec<_> = run.json()["data"].as_array().unwrap().clone();
    let found: Vec<_> =
        found.iter().map(|it| [it["file"].clone(), it["message"].clone()]).collect();
    let expected = [["site/clients/one/page.yaml", "clients"], ["site/other/two/page.yaml", "top"]];
    assert_eq!(json!(found), json!(expected), "{run}");
    let run = env.run("plan site");
    assert!(
        run.exit == 8 && run.stderr.contains("× clients") && run.stderr.contains("× top"),
        "{run}"
    );
    #[cfg(unix)]
    {
        fs::remove_file(env.home.path().join("site/clients/links.toml")).unwrap();
        let link = env.home.path().join("site/clients/links.toml");
        std::os::unix::fs::symlink("../../links.toml", link).unwrap();
        for line in ["lint site/clients", "plan site/clients"] {
            let run = env.run(line);
            assert!(
                run.exit != 0 && run.stderr.contains("must be a file, not a symbolic link"),
                "{run}"
            );
        }
    }
}

#[test]
fn mistakes_in_rules_are_shown_at_their_places() {
    let env = env();
    for (rules, place, message) in [
        ("[[rule]]\nuse = 'tracing'\n", "links.toml:2:7", "did you mean `tracking`?"),
        ("[[rule]]\nuse = 'nothing'\n", "links.toml:2:7", "use one of: alt-text, hosts,"),
        ("[[rule]]\nuse = 'hosts'\n", "links.toml:1:1", "`hosts` must be a list of texts"),
        ("[[rule]]\nuse = 'https'\nlevl = 'x'\n", "links.toml:3:1", "did you mean `level`?"),
        (
            "[[rule]]\nuse = 'https'\nlevel = 'x'\n",
            "links.toml:3:9",
            "must be `error` or `warning`",
        ),
        ("[[rule]]\nuse = 'https'\nmust = 'true'\n", "links.toml:3:8", "has its own `must`"),
        (
            "[[rule]]\nuse = 'max-length'\nof = '.a'\nmax = -1\n",
            "links.toml:4:7",
            "must be a whole number, at least 0",
        ),
        ("[[rule]]\nfor = 'slot'\n", "links.toml:1:1", "the rule has no `must`"),
        ("[[rule]]\nuse = 'https'\nname = 'a b'\n", "links.toml:3:8", "must not contain spaces"),
        ("[rule]\nfor = 'slot'\n", "links.toml:1:2", "a rule begins with `[[rule]]`"),
        ("a = 1\n", "links.toml:1:1", "unknown key `a`"),
        ("a = \n", "links.toml:1:5", "must be quoted"),
        (
            "[[rule]]\nfor = 'slot'\nmust = 'tru'\nmessage = 'x'\n",
            "links.toml:3:8",
            "unknown filter `tru`",
        ),
        (
            "[[rule]]\nfor = 'slot and'\nmust = 'true'\nmessage = 'x'\n",
            "links.toml:2:7",
            "the filter ends unexpectedly",
        ),
    ] {
        env.file("links.toml", rules);
        for line in ["lint cafe.yaml", "plan cafe.yaml"] {
            let run = env.run(line);
            assert_eq!(run.exit, 8, "{rules}: {run}");
            assert!(run.stderr.contains(place) && run.stderr.contains(message), "{rules}: {run}");
        }
    }
    env.file("links.toml", "[[rule]]\nuse = 'https'\n".repeat(101));
    let run = env.run("lint cafe.yaml");
    assert!(run.stderr.contains("at most 100 rules, not 101"), "{run}");
}

#[test]
fn rules_of_a_repository_cannot_harm_the_command() {
    let env = env().env("LINKS_TOKEN", "lnk_secret");
    for (must, expected) in [
        ("def f: f; f", "cannot check the rules of links.toml: took longer than"),
        ("halt", "cannot check the rules of links.toml: a filter ended the program"),
        ("[limit(1e9; repeat(\"a\" * 1000))]", "cannot check the rules of links.toml: "),
        ("$ENV", "unknown variable `$ENV`"),
        ("env", "unknown filter `env`"),
        ("input", "unknown filter `input`"),
        ("error(\"\\u001b[2J\\n\" * 500)", "a filter failed: "),
    ] {
        env.file("links.toml", format!("[[rule]]\nfor = 'page'\nmessage = 'm'\nmust = '{must}'\n"));
        let run = env.run("plan cafe.yaml");
        assert_eq!(run.exit, 8, "{must}: {run}");
        assert!(run.stderr.contains(expected), "{must}: {run}");
        assert!(!run.stderr.contains('\u{1b}') && run.stderr.len() < 2000, "{must}: {run}");
    }
    env.file(
        "links.toml",
        "[[rule]]\nfor = 'page'\nmust = 'false'\nmessage = \"::error::x\\n\\u001b[2J\"\n",
    );
    let run = env.run("lint --annotate github");
    assert!(!run.stderr.contains("\n::error::x"), "{run}");
    assert!(!run.stdout.contains('\u{1b}'), "{run}");
}

#[test]
fn a_locked_slot_changes_only_with_unlock() {
    for has_lock in [false, true] {
        let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
        edit_slots(&env, Vec::clear);
        if has_lock {
            ok(&env, "init");
        }
        let page = "\
profile: cafe
slots:
  - {type: button, data: {title: Menu, link: 'https://qara.example/menu'}}
  - {type: text, locked: true, data: {description: Legal notice}}
";
        env.file("cafe.yaml", page);
        ok(&env, "apply cafe.yaml --yes");
        ok(&env, "plan cafe.yaml");
        let refused = |text: &str, place: &str, message: &str| {
            env.file("cafe.yaml", text);
            for line in ["plan cafe.yaml", "apply cafe.yaml --yes", "slots apply cafe.yaml --yes"] {
                let run = env.run(line);
                assert_eq!(run.exit, 14, "{has_lock} {message}: {run}");
                assert!(run.stderr.contains(place) && run.stderr.contains(message), "{run}");
                assert!(run.stderr.contains("pass --unlock to allow it"), "{run}");
            }
        };
        refused(&page.replace("Legal", "No"), "cafe.yaml:4:52", "is locked");
        refused(
            &page.replace("locked: true, ", ""),
            "cafe.yaml:4:5",
            "is locked since the last sync",
        );
        let changed = page.replace("locked: true, ", "").replace("Legal", "No");
        refused(&changed, "cafe.yaml:4:", "is locked");
        let removed = page.lines().take(3).collect::<Vec<_>>().join("\n");
        refused(&removed, "cafe.yaml:2:1", "is locked, but was removed");
        // Other slots and the order may change, and a pull neither unlocks a slot nor loses the lock.
        env.file("cafe.yaml", page.replace("title: Menu", "title: Tea"));
        ok(&env, "apply cafe.yaml --yes");
        env.file("cafe.yaml", page.replace("locked: true, ", "").replace("Menu", "Tea"));
        ok(&env, "pull cafe -O cafe.yaml");
        let run = env.run("plan cafe.yaml");
        assert_eq!(run.exit, 14, "{run}");
        let pulled = fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap();
        env.file("cafe.yaml", pulled.replace("type: text", "type: text, locked: true"));
        ok(&env, "plan cafe.yaml");

        env.file("cafe.yaml", page.replace("Legal", "No").replace("Menu", "Tea"));
        assert_eq!(env.run("plan cafe.yaml --unlock --out plan.json").exit, 3);
        let run = env.run("apply --plan plan.json --unlock");
        assert!(run.exit == 2 && run.stderr.contains("pass --unlock to `links plan`"), "{run}");
        ok(&env, "apply --plan plan.json --yes");
        env.file("cafe.yaml", removed.replace("Menu", "Tea"));
        assert_eq!(env.run("apply cafe.yaml --yes").exit, 14);
        ok(&env, "apply cafe.yaml --yes --unlock");
        assert_eq!(env.server.account().profiles[0].slots.len(), 1);
        ok(&env, "plan cafe.yaml");
        env.file("cafe.yaml", page.replace("locked: true", "locked: yes please"));
        let run = env.run("plan cafe.yaml");
        assert!(run.stderr.contains("`locked` must be true or false, not a string"), "{run}");
    }
}

#[test]
fn rules_of_one_directory_cannot_disable_those_of_another() {
    let env = env();
    fs::create_dir(env.home.path().join("a")).unwrap();
    env.file("a/page.yaml", "profile: qara.weddings\nslots: []\n");
    let escape = "true))) else empty end, empty], ([],[],[]), [if false then (empty, __rule(0; true; .; (true";
    for must in [escape, "true) , (1", "true # ", "true # \\", "true | [], [], []"] {
        let rule = format!("[[rule]]\nfor = 'page'\nmessage = 'm'\nmust = '''{must}'''\n");
        env.file("a/links.toml", rule);
        let run = env.run("lint . -o json");
        assert!(run.exit != 0, "{must}: {run}");
        let run = env.run("apply . --yes");
        assert_eq!(run.exit, 8, "{must}: {run}");
    }
}

#[test]
fn a_saved_plan_keeps_the_rules_of_the_moment_when_it_is_applied() {
    for (plan, apply) in [("plan", "apply"), ("slots plan", "slots apply")] {
        let env = env();
        fs::remove_file(env.home.path().join("links.toml")).unwrap();
        assert_eq!(env.run(&format!("{plan} cafe.yaml --out plan.json")).exit, 3);
        env.file("links.toml", RULES);
        let run = env.run(&format!("{apply} --plan plan.json --yes"));
        assert!(run.exit == 8 && run.stderr.contains("rule `tracking`"), "{run}");
        assert!(env.server.account().profiles[0].slots.is_empty());
    }
}

#[test]
fn a_flood_of_broken_rules_is_bounded() {
    let env = env();
    let message = "m".repeat(500);
    let rule = format!(
        "[[rule]]\nfor = 'true'\nvalues = 'range(10000) as $i | .'\nmust = 'false'\nmessage = '{message}'\n"
    );
    env.file("links.toml", rule.repeat(20));
    let run = env.run("lint . -o json");
    let found = run.json()["data"].as_array().unwrap().len();
    assert!((100..=1000).contains(&found), "{found}");
    env.file("links.toml", format!("[[rule]]\nuse = 'https'\nmessage = '{message}m'\n"));
    assert!(env.run("lint .").stderr.contains("at most 500 characters"));
    env.file("links.toml", "# ".to_owned() + &"x".repeat(70_000));
    assert_ne!(env.run("lint .").exit, 0);
}

#[test]
fn no_number_of_warnings_hides_an_error() {
    let env = env();
    let warning = "[[rule]]\nfor = 'true'\nvalues = 'range(300) as $i | .'\nmust = 'false'\nlevel = 'warning'\nmessage = 'w'\n";
    let error = "[[rule]]\nuse = 'https'\nlevel = 'error'\n";
    env.file("links.toml", warning.repeat(9) + error);
    let slots = "  - {type: text, data: {title: A}}\n".repeat(9);
    let last = "  - {type: button, data: {title: B, link: http://qara.example}}\n";
    env.file("cafe.yaml", format!("profile: cafe\nslots:\n{slots}{last}"));
    let run = env.run("lint cafe.yaml");
    assert!(run.exit == 3 && run.stdout.contains("1 error"), "{run}");
}

#[test]
fn a_lock_is_recorded_and_removed_without_any_other_change() {
    for has_lock in [false, true] {
        let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
        edit_slots(&env, Vec::clear);
        if has_lock {
            ok(&env, "init");
        }
        let page = "profile: cafe\nslots:\n  - {type: text, data: {description: Notice}}\n";
        let locked = page.replace("type: text,", "type: text, locked: true,");
        env.file("cafe.yaml", page);
        ok(&env, "apply cafe.yaml --yes");
        env.file("cafe.yaml", &locked);
        ok(&env, "apply cafe.yaml --yes");
        env.file("cafe.yaml", page);
        assert_eq!(env.run("apply cafe.yaml --yes").exit, 14, "{has_lock}");
        env.file("cafe.yaml", "profile: cafe\nslots: []\n");
        assert_eq!(env.run("apply cafe.yaml --yes --allow-empty").exit, 14, "{has_lock}");
        env.file("cafe.yaml", page);
        ok(&env, "apply cafe.yaml --yes --unlock");
        ok(&env, "apply cafe.yaml --yes");
        env.file("cafe.yaml", page.replace("Notice", "Other"));
        ok(&env, "apply cafe.yaml --yes");
    }
}

#[test]
fn standard_input_is_checked_by_the_rules_of_the_current_directory() {
    let env = env();
    for line in ["preview -", "slots plan -"] {
        let words: Vec<_> = line.split(' ').collect();
        let run = env.run_args(words.clone(), PAGE.as_bytes());
        assert!(run.exit == 8 && run.stderr.contains("rule `tracking`"), "{run}");
        let kept = PAGE.replace("Menu", "Tea").replace("?utm_source=card", "");
        let run = env.run_args(words, kept.as_bytes());
        assert!([0, 3].contains(&run.exit), "{run}");
    }
}
