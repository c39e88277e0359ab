//! Tests of pages: created, changed, edited, renamed, opened.

use serde_json::json;

#[cfg(target_os = "linux")]
use crate::terminal;
use crate::test_env::TestEnv;

#[test]
fn page_commands_print_human_readable_output() {
    let env = TestEnv::cafe();
    let lines = [
        "profile create spring.menu -y title=Spring",
        "profile create cafe -y",
        "profile update cafe title=Qara moodText:=null",
        "profile settings cafe languageCode=kk",
        "profile settings cafe login=other",
        "profile open cafe",
        "profile rename cafe cafe.mole",
        "profile rename cafe cafe.mole --yes --confirm cafe",
        "profile rename cafe.mole cafe.mole",
    ];
    for line in lines {
        let run = env.run(line);
        insta::assert_snapshot!(run.snapshot_name(), run);
    }
}

#[test]
fn a_login_that_is_not_free_is_refused_before_any_write() {
    let env = TestEnv::cafe();
    for login in ["my-links", "abc", "settings", "qara.weddings"] {
        let run = env.run(&format!("profile create {login} -y -o json"));
        assert_eq!((run.exit, &run.error()["code"]), (3, &json!("no")), "{run}");
        let run = env.run(&format!("profile rename cafe {login} --yes --confirm cafe -o json"));
        assert_eq!(run.exit, 3, "{run}");
    }
    let writes = ["createProfile", "updateProfileSettings", "updateProfile"];
    assert!(env.operations().iter().all(|it| !writes.contains(&it.as_str())));
}

#[test]
fn invalid_fields_are_refused_before_any_write() {
    let env = TestEnv::cafe();
    env.file("page.yaml", "title: Spring\ncolour: red\n");
    for line in ["profile create spring.menu -y page.yaml", "profile update cafe page.yaml"] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!((run.exit, &run.error()["places"][0]["line"]), (8, &json!(2)), "{run}");
    }
    assert_eq!(env.run("profile update cafe").exit, 2);
    for line in
        ["profile create spring.menu -y login=other", "profile create login=good.one title=T -y"]
    {
        let run = env.run(line);
        assert_eq!(run.exit, 2, "{run}");
        assert!(run.stderr.contains("links profile create LOGIN"), "{run}");
    }
    let run = env.run("profile update cafe login=other");
    assert!(run.exit == 2 && run.stderr.contains("profile rename"), "{run}");
    assert_eq!(env.run("profile settings cafe languageCode=xx").exit, 8);
    assert_eq!(env.run("profile settings nobody.here").exit, 6);
    assert_eq!(env.run("profile open nobody.here").exit, 6);
    assert_eq!(env.server.account().profiles.len(), 2);
}

#[test]
fn a_rename_is_confirmed_with_the_old_login() {
    let env = TestEnv::cafe();
    let run = env.run("profile rename cafe cafe.mole");
    assert_eq!(run.exit, 14, "{run}");
    for part in ["QR code", "NFC tag", "not redirected", "--confirm cafe"] {
        assert!(run.stderr.contains(part), "{part}\n{run}");
    }
    assert_eq!(env.run("profile rename cafe cafe.mole --yes --confirm weddings").exit, 14);
    assert_eq!(env.run("profile rename cafe cafe.mole --yes").exit, 2);
    assert_eq!(env.server.account().profiles[0].login, "cafe");
    assert_eq!(env.run("profile rename 101 cafe.mole --yes --confirm cafe").exit, 0);
    assert_eq!(env.server.account().profiles[0].login, "cafe.mole");
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_rename_asks_for_the_old_login() {
    let env = TestEnv::cafe();
    let seen = terminal::run(&env, "profile rename cafe cafe.mole", "cafe.mole\n");
    assert_eq!(seen.exit, 14, "{}", seen.text);
    let seen = terminal::run(&env, "profile rename cafe cafe.mole", "cafe\n");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert!(seen.text.contains("Type cafe to continue:"), "{}", seen.text);
    assert_eq!(env.server.account().profiles[0].login, "cafe.mole");
}

/// Returns an environment whose editor does this with the file, once for each line.
#[cfg(target_os = "linux")]
fn editor(env: TestEnv, steps: &[&str]) -> TestEnv {
    let cases: Vec<_> =
        steps.iter().enumerate().map(|(at, step)| format!("{at}) {step} ;;")).collect();
    let script = format!(
        "#!/bin/sh\nn=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count\n\
         cp \"$1\" seen.$n; echo \"${{LINKS_TOKEN-unset}}\" > token\ncase $n in\n{}\nesac\n",
        cases.join("\n")
    );
    let path = env.file("editor.sh", script);
    env.env("EDITOR", format!("sh {}", path.display()))
}

#[cfg(target_os = "linux")]
#[test]
fn an_invalid_edit_is_opened_again_until_it_is_valid() {
    let steps = [
        "sed -i 's/^title:.*/title: 7\\ncolour: red/' \"$1\"",
        "sed -i 's/^title:.*/title: Anew/; /^colour/d' \"$1\"",
    ];
    let env = editor(TestEnv::cafe(), &steps);
    let seen = terminal::run(&env, "profile edit cafe", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    let page = &env.server.account().profiles[0];
    assert_eq!(page.title.as_deref(), Some("Anew"));
    assert_eq!(page.mood_text.as_deref(), Some("Fresh Ethiopia on batch brew"));
    let read = |name: &str| std::fs::read_to_string(env.home.path().join(name)).unwrap();
    assert!(
        !["id:", "login:", "computed:", "themeId:"].iter().any(|it| read("seen.0").contains(it))
    );
    let second = read("seen.1");
    let above = |line: &str| second.lines().take_while(|it| *it != line).last().unwrap();
    assert!(above("title: 7").starts_with("#!! "), "{second}");
    assert!(above("colour: red").starts_with("#!! "), "{second}");
    assert_eq!(read("token"), "unset\n");
    let patches = env.operations();
    let write = ["getProfile", "getProfile", "updateProfile"];
    assert_eq!(patches, [&["getProfile"][..], &write, &write].concat());
}

#[cfg(target_os = "linux")]
#[test]
fn an_edit_that_changes_nothing_sends_nothing_and_one_that_stays_wrong_is_kept() {
    let env = editor(TestEnv::cafe(), &["true"]);
    let seen = terminal::run(&env, "profile edit cafe", "");
    assert!(seen.exit == 0 && seen.text.contains("no changes"), "{}", seen.text);
    assert_eq!(env.operations(), ["getProfile"]);

    // A text that looks like a problem is the text of the page.
    let env = editor(TestEnv::cafe(), &["true"]);
    let text = "Open\n#!! Sale\nSee you";
    env.server.edit(|account| account.profiles[0].description = Some(text.into()));
    let seen = terminal::run(&env, "profile edit cafe", "");
    assert!(seen.exit == 0 && seen.text.contains("no changes"), "{}", seen.text);

    let env = editor(TestEnv::cafe(), &["echo 'colour: red' >> \"$1\"", "true"]);
    let seen = terminal::run(&env, "profile edit cafe", "");
    assert_eq!(seen.exit, 8, "{}", seen.text);
    assert!(seen.text.contains("was saved to"), "{}", seen.text);

    let env = editor(TestEnv::cafe(), &["exit 3"]);
    assert_eq!(terminal::run(&env, "profile edit cafe", "").exit, 2);
    assert_eq!(env.run("profile edit cafe").exit, 14, "no one is there to edit");
}

#[cfg(target_os = "linux")]
#[test]
fn a_browser_is_started_only_from_a_terminal() {
    let env = TestEnv::cafe();
    let path = env.file(
        "browser.sh",
        "echo \"$1 ${LINKS_TOKEN-unset}\" > opened.new; mv opened.new opened\n",
    );
    let env = env.env("BROWSER", format!("sh {}", path.display()));
    let opened = env.home.path().join("opened");
    let run = env.run("profile open cafe");
    assert_eq!(run.stdout, "https://links.example/cafe\n", "{run}");
    assert!(!opened.exists());
    let seen = terminal::run(&env, "profile open cafe", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    // It is not waited for.
    let is_there = (0..1_000_000).any(|_| {
        std::thread::yield_now();
        opened.exists()
    });
    assert!(is_there, "{}", seen.text);
    assert_eq!(std::fs::read_to_string(opened).unwrap(), "https://links.example/cafe unset\n");
}
