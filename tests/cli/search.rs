//! Tests of `links search`.

use links_fixtures::{Fault, World};
use serde_json::{Value, json};

use crate::test_env::{CommandResult, TestEnv};

fn env() -> TestEnv {
    TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1")
}

fn lines(run: &CommandResult) -> Vec<String> {
    let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    run.stdout.lines().map(squeezed).collect()
}

#[test]
fn everything_is_searched_with_one_request_for_each_page() {
    let env = env();
    let run = env.run("search TABLE");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(
        lines(&run),
        [
            "cafe form 1004 data.buttonText Book a table https://links.example/cafe",
            "- form \"Book a table\" title Book a table",
        ],
        "{run}"
    );
    assert_eq!(run.stderr, "");
    assert_eq!(env.operations(), ["listProfiles", "getProfile", "getProfile", "listForms"]);
}

#[test]
fn records_name_page_part_slot_and_path() {
    let run = env().run("search qara.example cafe -o json");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
    let run = run.json();
    assert_eq!(
        run["data"][0],
        json!({
            "page": 101, "login": "cafe", "where": "slots", "id": 1002, "type": "button", "path": "data.link",
            "value": "https://qara.example/menu", "url": "https://links.example/cafe",
            "file": null, "line": null, "column": null,
        })
    );
    let of_part = |line: &str| {
        let run = env().run(line);
        assert_eq!(run.exit, 0, "{run}");
        let records = run.json()["data"].as_array().unwrap().clone();
        let brief = |record: &Value| {
            format!("{} {} {}", record["where"].as_str().unwrap(), record["id"], record["path"])
        };
        records.iter().map(brief).collect::<Vec<_>>()
    };
    assert_eq!(of_part("search ethiopia -o json"), ["profile null \"moodText\""]);
    assert_eq!(of_part("search INSTAGRAM cafe -o json"), ["socials null \"socials.0\""]);
    assert_eq!(
        of_part("search buckthorn -o json --in slots"),
        ["slots 1006 \"data.images.0.title\""]
    );
    assert_eq!(of_part("search qara -o json --in profile,socials cafe").len(), 3);
}

#[test]
fn a_key_searches_that_page_and_the_forms_that_it_shows() {
    let env = env();
    // The same page, by login and by id.
    let run = env.run("search --regex Book.a.table cafe 101 -o json");
    assert_eq!(run.exit, 0, "{run}");
    let parts: Vec<Value> =
        run.json()["data"].as_array().unwrap().iter().map(|it| it["where"].clone()).collect();
    assert_eq!(parts, ["slots", "forms"]);
    assert_eq!(env.operations(), ["getProfile", "getProfile", "listForms"]);
    let run = env.run("search table qara.weddings");
    assert_eq!(run.exit, 3, "{run}");
    assert_eq!(env.operations(), ["getProfile"]);
    let run = env.run("search table --in forms -o ids");
    assert_eq!(run.stdout, "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21\n", "{run}");
    assert_eq!(env.operations(), ["listForms"]);
}

#[test]
fn fields_of_all_pages_are_searched_in_their_list() {
    let env = env();
    let run = env.run("search qara --in socials,profile -o json");
    assert_eq!((run.exit, env.operations()), (0, vec!["listProfiles".to_owned()]), "{run}");
    let found = run.json()["data"].clone();
    assert!(found.as_array().unwrap().iter().all(|it| it["url"].is_string()), "{run}");
    let named = env.run("search qara --in socials,profile -o json 101 102");
    assert_eq!(named.json()["data"], found, "{named}");
}

#[test]
fn nothing_found_is_exit_code_3() {
    let run = env().run("search nothing.like.this");
    assert_eq!((run.exit, run.stdout.as_str()), (3, ""), "{run}");
    assert_eq!(run.stderr, "`nothing.like.this` was not found in 2 pages and 1 form\n");
    let run = env().run("search nothing.like.this -o json");
    assert_eq!((run.exit, run.stderr.as_str()), (3, ""), "{run}");
    assert_eq!(run.json()["data"], json!([]));
    // Case matters in a regular expression.
    assert_eq!(env().run("search --regex QARA cafe").exit, 3);
}

#[test]
fn a_pattern_that_cannot_be_used_is_refused_before_any_request() {
    let env = env();
    for line in [
        &["search", "a(", "--regex"][..],
        &["search", ""],
        &["search", r"\w{1000}{1000}", "--regex"],
    ] {
        let run = env.run_args(line, b"");
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{run}");
    }
    assert_eq!(env.run("search a( cafe").exit, 3);
    assert_eq!(env.operations(), ["getProfile", "listForms"]);
}

#[test]
fn files_are_searched_with_line_and_column_and_without_an_account() {
    let env = env().env("LINKS_TOKEN", "").env("LINKS_BASE_URL", "");
    std::fs::create_dir(env.home.path().join("pages")).unwrap();
    env.file("pages/cafe.yaml", "profile: cafe\n# old menu\ntitle: The old menu\nslots:\n  - {id: 7, type: text, data: {title: Old}}\n");
    env.file(
        "pages/form.yaml",
        "form: book\ntitle: Book\nfields: [{type: text, label: 'As of old?'}]\n",
    );
    let run = env.run("search old pages/");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
    assert_eq!(
        lines(&run),
        [
            "pages/cafe.yaml:3:12 profile title The old menu",
            "pages/cafe.yaml:5:39 text 7 data.title Old",
            "pages/form.yaml:3:37 form \"Book\" fields.0.label As of old?",
        ],
        "{run}"
    );
    let record = &env.run("search old pages/cafe.yaml --in slots -o json").json()["data"][0];
    assert_eq!(
        *record,
        json!({
            "page": null, "login": "cafe", "where": "slots", "id": 7, "type": "text", "path": "data.title", "value": "Old",
            "url": null, "file": "pages/cafe.yaml", "line": 5, "column": 39,
        })
    );
    // A word is a path by its form alone.
    let run = env.run("search old missing.yaml");
    assert_eq!(run.exit, 2, "{run}");
    assert_eq!(env.operations(), [""; 0]);
}

#[test]
fn a_page_that_fails_does_not_stop_the_others() {
    let env = env();
    let run = env.run("search qara no.such.page cafe");
    assert_eq!(run.exit, 6, "{run}");
    assert!(run.stdout.contains("cafe  profile"), "{run}");
    assert!(run.stderr.contains("only 1 page and 1 form could be searched"), "{run}");
    assert!(run.stderr.contains("no.such.page"), "{run}");
    let run = env.run("search qara no.such.page cafe -o json");
    assert_eq!(run.exit, 6, "{run}");
    assert!(run.json()["data"].as_array().unwrap().len() > 2, "{run}");
    assert_eq!(run.error()["failures"].as_array().map(Vec::len), Some(1), "{run}");
    // A failure of every page is reported once.
    env.operations();
    env.server.fail(3..99, &Fault::Before(401));
    let run = env.run("search qara cafe qara.weddings 101");
    assert_eq!(run.exit, 4, "{run}");
    assert!(run.stderr.contains("only 2 pages could be searched"), "{run}");
}

#[test]
fn a_token_that_fails_at_once_is_the_error_itself() {
    let env = env();
    env.server.fail(1..99, &Fault::Before(401));
    let run = env.run("search qara");
    assert_eq!((run.exit, run.stdout.as_str()), (4, ""), "{run}");
    assert_eq!(env.operations().len(), 1);
}

#[test]
fn hits_stand_out_where_colours_are_shown() {
    let run = env().run("search menu cafe --color always");
    assert!(run.stdout.contains("\u{1b}[1m\u{1b}[31mMenu\u{1b}[0m"), "{run}");
    assert!(run.stdout.contains("https://qara.example/\u{1b}[1m\u{1b}[31mmenu\u{1b}[0m"), "{run}");
    assert!(!env().run("search menu cafe").stdout.contains('\u{1b}'));
}

#[test]
fn hostile_values_are_sanitized() {
    let env = env();
    env.server.edit(|account| {
        account.profiles[0].title =
            Some("needle \u{1b}]52;c;x\u{7}\u{1b}[2J\u{202e}\n::error::x".to_owned());
        account.forms[0].title = "needle\r\u{1b}[31m".to_owned();
    });
    for line in ["search needle", "search needle --color always", "search needle -o markdown"] {
        let run = env.run(line);
        assert_eq!(run.exit, 0, "{run}");
        let text = run.stdout.replace("\u{1b}[1m\u{1b}[31mneedle\u{1b}[0m", "");
        let is_bare =
            line.ends_with("markdown") || !text.contains(['\u{1b}', '\u{7}', '\u{202e}', '\r']);
        assert!(is_bare, "{text:?}");
        assert!(!text.lines().any(|line| line.starts_with("::")), "{text:?}");
    }
}

#[test]
fn documents_and_tables_have_one_row_for_each_value() {
    let run = env().run("search menu cafe -o markdown");
    assert!(run.stdout.starts_with("| PAGE | WHERE | ID | TYPE | PATH | VALUE | URL |\n"), "{run}");
    assert_eq!(run.stdout.lines().count(), 4, "{run}");
    let run = env().run("search menu cafe -o csv");
    assert!(
        run.stdout.starts_with(
            "page,login,where,id,type,path,value,url,file,line,column\n101,cafe,slots,1002,button,"
        ),
        "{run}"
    );
    let run = env().run("search menu cafe -o jsonl --fields id,path");
    assert_eq!(run.stdout.lines().next(), Some("{\"id\":1002,\"path\":\"data.title\"}"), "{run}");
}

#[test]
fn a_large_account_is_announced() {
    let env = TestEnv::of(World::full(), |builder| builder).env("LINKS_TEST_NO_WAIT", "1");
    let run = env.run("search nothing.like.this");
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stderr.contains("reading 100 pages: at least 102 requests, about"), "{run}");
    assert_eq!(env.operations().len(), 102);
}
