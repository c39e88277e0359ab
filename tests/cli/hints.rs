//! Tests of hints for mistyped words, and for features that the program does not have.

use crate::test_env::TestEnv;

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

fn hint(env: &TestEnv, line: &str, exit: i32) -> String {
    let run = env.run(&format!("{line} -o json"));
    assert_eq!((run.exit, run.stdout.as_str()), (exit, ""), "{run}");
    run.error()["hint"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn mistyped_commands_flags_values_and_fields_get_a_suggestion() {
    let env = TestEnv::cafe().keeping_cache();
    env.run("profile list");
    for (line, exit, meant) in [
        ("profle list", 2, "links profile list"),
        ("profile lst", 2, "list"),
        ("profile list --ouput", 2, "--output"),
        ("profile list --color alway", 2, "always"),
        ("analytics account --period lst7", 2, "last7"),
        ("config get ouput", 2, "output"),
        ("help exit-code", 2, "exit-codes"),
        ("slots explain buton", 6, "button"),
        ("slots template buton", 6, "button"),
        ("schema slot buton", 6, "button"),
        ("slots explain button titel", 6, "title"),
        ("slots add cafe buton title=x", 8, "button"),
        ("slots add cafe button titel=x", 8, "title"),
        ("slots set cafe 1002 titel=x", 8, "title"),
        ("profile update cafe titel=x", 8, "title"),
        ("profile settings cafe languageCod=kk", 8, "languageCode"),
        ("profile get cafee", 6, "cafe"),
        ("pull cafee", 6, "cafe"),
        ("check cafee", 6, "cafe"),
        ("slots list qara.wedding", 6, "qara.weddings"),
        (&format!("forms update {FORM} buttontext=x"), 8, "buttonText"),
        (&format!("forms field set {FORM} phone lable=x"), 8, "label"),
    ] {
        assert_eq!(hint(&env, line, exit), format!("did you mean `{meant}`?"), "{line}");
    }
    let run = env.run("profile list --fields titel");
    assert!(run.stderr.contains("did you mean `title`?"), "{run}");
}

#[test]
fn a_missing_command_or_argument_is_named_in_plain_words() {
    let env = TestEnv::cafe();
    assert_eq!(hint(&env, "slots", 2), "`links slots --help` lists the commands");
    for (line, message) in [
        ("slots", "a command is missing"),
        ("slots delete cafe", "missing <ID>..."),
        ("music lookup x --type track", "missing --artist <ARTIST>"),
        ("api POST /me -F title", "`title` is not a field=value pair"),
    ] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!(run.error()["message"], message, "{run}");
    }
    assert!(env.operations().is_empty());
}

#[test]
fn without_a_similar_name_the_hint_names_the_list_command() {
    let env = TestEnv::cafe();
    for (line, list) in [
        ("profile get nobody.here", "links profile list"),
        ("slots get cafe 9", "links slots list"),
        (&format!("forms get {}", FORM.replace('6', "7")), "links forms list"),
        ("slots explain xyz", "links slots types"),
        ("config get xyz", "links config list"),
    ] {
        let run = env.run(&format!("{line} -o json"));
        let hint = run.error()["hint"].as_str().unwrap().to_owned();
        assert!(hint.contains(list), "{run}");
    }
}

#[test]
fn a_field_within_another_is_looked_for_among_its_fields() {
    let env = TestEnv::cafe();
    let explained = |field: &str| hint(&env, &format!("slots explain faq {field}"), 6);
    assert_eq!(explained("items.q"), "available: `items.question`, `items.answer`");
    assert_eq!(explained("items.qestion"), "did you mean `items.question`?");
    assert_eq!(explained("q.items"), "available: `title`, `items`");
}

#[test]
fn commands_for_what_only_the_dashboard_can_do_get_a_hint() {
    let env = TestEnv::cafe();
    for line in [
        "profile delete cafe",
        "profile theme cafe",
        "themes list",
        "forms delete x",
        "forms submissions x",
        "forms webhook x",
        "channels add telegram",
        "events create",
        "orders list",
        "password change",
    ] {
        let said = hint(&env, line, 2);
        assert!(said.contains("`links "), "{said}");
        let people = env.run(line);
        assert!(!people.stderr.contains("unrecognized"), "{people}");
        assert!(env.operations().is_empty(), "{line}");
    }
}
