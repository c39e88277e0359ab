//! Pages: made, changed, edited, renamed, opened.

use serde_json::json;

use crate::stage::Stage;
#[cfg(target_os = "linux")]
use crate::terminal;

#[test]
fn pages_as_people_see_them() {
    let stage = Stage::cafe();
    let lines = [
        "profile create spring.menu title=Spring",
        "profile create cafe",
        "profile update cafe title=Qara moodText:=null",
        "profile settings cafe languageCode=kk",
        "profile settings cafe login=other",
        "profile open cafe",
        "profile rename cafe cafe.mole",
        "profile rename cafe cafe.mole --yes --confirm cafe",
        "profile rename cafe.mole cafe.mole",
    ];
    insta::assert_snapshot!(lines.map(|line| stage.run(line).to_string()).join("\n"));
}

#[test]
fn a_login_that_is_not_free_is_not_asked_for() {
    let stage = Stage::cafe();
    for login in ["my-links", "abc", "settings", "qara.weddings"] {
        let run = stage.run(&format!("profile create {login} -o json"));
        assert_eq!((run.exit, &run.error()["code"]), (3, &json!("no")), "{run}");
        let run = stage.run(&format!("profile rename cafe {login} --yes --confirm cafe -o json"));
        assert_eq!(run.exit, 3, "{run}");
    }
    let writes = ["createProfile", "updateProfileSettings", "updateProfile"];
    assert!(stage.operations().iter().all(|it| !writes.contains(&it.as_str())));
}

#[test]
fn fields_are_refused_where_they_were_written() {
    let stage = Stage::cafe();
    stage.file("page.yaml", "title: Spring\ncolour: red\n");
    for line in ["profile create spring.menu page.yaml", "profile update cafe page.yaml"] {
        let run = stage.run(&format!("{line} -o json"));
        assert_eq!((run.exit, &run.error()["places"][0]["line"]), (8, &json!(2)), "{run}");
    }
    assert_eq!(stage.run("profile update cafe").exit, 2);
    assert_eq!(stage.run("profile create spring.menu login=other").exit, 2);
    let run = stage.run("profile update cafe login=other");
    assert!(run.exit == 2 && run.stderr.contains("profile rename"), "{run}");
    assert_eq!(stage.run("profile settings cafe languageCode=xx").exit, 8);
    assert_eq!(stage.run("profile settings nobody.here").exit, 6);
    assert_eq!(stage.run("profile open nobody.here").exit, 6);
    assert_eq!(stage.server.account().profiles.len(), 2);
}

#[test]
fn a_rename_needs_the_old_name() {
    let stage = Stage::cafe();
    let run = stage.run("profile rename cafe cafe.mole");
    assert_eq!(run.exit, 14, "{run}");
    for part in ["QR code", "NFC tag", "not redirected", "--confirm cafe"] {
        assert!(run.stderr.contains(part), "{part}\n{run}");
    }
    assert_eq!(stage.run("profile rename cafe cafe.mole --yes --confirm weddings").exit, 14);
    assert_eq!(stage.run("profile rename cafe cafe.mole --yes").exit, 2);
    assert_eq!(stage.server.account().profiles[0].login, "cafe");
    assert_eq!(stage.run("profile rename 101 cafe.mole --yes --confirm cafe").exit, 0);
    assert_eq!(stage.server.account().profiles[0].login, "cafe.mole");
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_rename_asks_for_the_old_name() {
    let stage = Stage::cafe();
    let seen = terminal::run(&stage, "profile rename cafe cafe.mole", "cafe.mole\n");
    assert_eq!(seen.exit, 14, "{}", seen.text);
    let seen = terminal::run(&stage, "profile rename cafe cafe.mole", "cafe\n");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert!(seen.text.contains("Type cafe to go on:"), "{}", seen.text);
    assert_eq!(stage.server.account().profiles[0].login, "cafe.mole");
}

/// An editor that does this with the file, once for each line.
#[cfg(target_os = "linux")]
fn editor(stage: Stage, steps: &[&str]) -> Stage {
    let cases: Vec<_> =
        steps.iter().enumerate().map(|(at, step)| format!("{at}) {step} ;;")).collect();
    let script = format!(
        "#!/bin/sh\nn=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count\n\
         cp \"$1\" seen.$n; echo \"${{LINKS_TOKEN-unset}}\" > token\ncase $n in\n{}\nesac\n",
        cases.join("\n")
    );
    let path = stage.file("editor.sh", script);
    stage.env("EDITOR", format!("sh {}", path.display()))
}

#[cfg(target_os = "linux")]
#[test]
fn a_page_is_edited_until_it_is_right() {
    let steps = [
        "sed -i 's/^title:.*/title: 7\\ncolour: red/' \"$1\"",
        "sed -i 's/^title:.*/title: Anew/; /^colour/d' \"$1\"",
    ];
    let stage = editor(Stage::cafe(), &steps);
    let seen = terminal::run(&stage, "profile edit cafe", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    let page = &stage.server.account().profiles[0];
    assert_eq!(page.title.as_deref(), Some("Anew"));
    assert_eq!(page.mood_text.as_deref(), Some("Fresh Ethiopia on batch brew"));
    let read = |name: &str| std::fs::read_to_string(stage.home.path().join(name)).unwrap();
    assert!(
        !["id:", "login:", "computed:", "themeId:"].iter().any(|it| read("seen.0").contains(it))
    );
    let second = read("seen.1");
    let above = |line: &str| second.lines().take_while(|it| *it != line).last().unwrap();
    assert!(above("title: 7").starts_with("#!! "), "{second}");
    assert!(above("colour: red").starts_with("#!! "), "{second}");
    assert_eq!(read("token"), "unset\n");
    let patches = stage.operations();
    let write = ["getProfile", "getProfile", "updateProfile"];
    assert_eq!(patches, [&["getProfile"][..], &write, &write].concat());
}

#[cfg(target_os = "linux")]
#[test]
fn an_edit_that_changes_nothing_sends_nothing_and_one_that_stays_wrong_is_kept() {
    let stage = editor(Stage::cafe(), &["true"]);
    let seen = terminal::run(&stage, "profile edit cafe", "");
    assert!(seen.exit == 0 && seen.text.contains("no changes"), "{}", seen.text);
    assert_eq!(stage.operations(), ["getProfile"]);

    let stage = editor(Stage::cafe(), &["echo 'colour: red' >> \"$1\"", "true"]);
    let seen = terminal::run(&stage, "profile edit cafe", "");
    assert_eq!(seen.exit, 8, "{}", seen.text);
    assert!(seen.text.contains("is kept in"), "{}", seen.text);

    let stage = editor(Stage::cafe(), &["exit 3"]);
    assert_eq!(terminal::run(&stage, "profile edit cafe", "").exit, 2);
    assert_eq!(stage.run("profile edit cafe").exit, 14, "nobody is there to edit");
}

#[cfg(target_os = "linux")]
#[test]
fn a_browser_is_started_only_for_somebody_who_sees_it() {
    let stage = Stage::cafe();
    let path = stage.file(
        "browser.sh",
        "echo \"$1 ${LINKS_TOKEN-unset}\" > opened.new; mv opened.new opened\n",
    );
    let stage = stage.env("BROWSER", format!("sh {}", path.display()));
    let opened = stage.home.path().join("opened");
    let run = stage.run("profile open cafe");
    assert_eq!(run.stdout, "https://links.example/cafe\n", "{run}");
    assert!(!opened.exists());
    let seen = terminal::run(&stage, "profile open cafe", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    // It is not waited for.
    let is_there = (0..1_000_000).any(|_| {
        std::thread::yield_now();
        opened.exists()
    });
    assert!(is_there, "{}", seen.text);
    assert_eq!(std::fs::read_to_string(opened).unwrap(), "https://links.example/cafe unset\n");
}
