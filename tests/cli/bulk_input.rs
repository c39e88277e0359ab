//! Tests of `links slots rewrite` and `links slots import` with hostile filters, files and values, and of their output.

use serde_json::{Value, json};

use crate::bulk::{APPEND, IMPORT, csv, rewrite};
use crate::steps::writes;
use crate::test_env::TestEnv;
use crate::undo::cafe;

const BUTTON: [&str; 3] = ["cafe", "--where", ".id == 1002"];

fn edit(env: &TestEnv, filter: &str) -> crate::test_env::CommandResult {
    rewrite(env, &[&BUTTON[..], &["--edit", filter, "--yes"]].concat())
}

#[test]
fn filters_that_do_not_end_or_give_no_slot_write_nothing() {
    let env = cafe();
    env.run("slots types");
    env.operations();
    for (filter, exit, expected) in [
        ("def f: f; f", 2, "took longer than"),
        ("repeat(.)", 2, "took longer than"),
        ("halt", 2, "it stopped after"),
        ("input", 2, "--edit: unknown filter `input`"),
        ("$__loc__", 2, "--edit: unknown variable"),
        ("$selected", 2, "--edit: unknown variable"),
        ("$ENV.LINKS_TOKEN", 2, "--edit: unknown variable"),
        ("import \"a\" as a; .", 2, "--edit: "),
        ("reduce range(300) as $i (.; .data.x = [.data.x])", 8, "slot 1002: the filter returned"),
        (".data.title = nan", 8, "slot 1002: the filter returned"),
        (".data.title = infinite", 8, "slot 1002: the filter returned"),
        ("getpath([\"x\"])", 8, "slot 1002: --edit must return the slot, not null"),
        ("error({a: 1})", 8, "slot 1002: --edit: {\"a\":1}"),
        ("error(\"x\" * 1000000)", 8, "slot 1002: --edit: xxx"),
        (".data |= length", 8, "--edit must return an object in `data`"),
        (".data = []", 8, "--edit must return an object in `data`"),
        ("., .", 8, "--edit must return one value, not 2"),
        ("del(.id)", 8, "--edit must not change `id`"),
        (".made = []", 8, "--edit must not add `made`"),
    ] {
        let run = edit(&env, filter);
        assert_eq!(run.exit, exit, "{filter}: {run}");
        assert!(run.stderr.contains(expected), "{filter}: {run}");
        assert!(
            run.stderr.contains("nothing was written") || run.stderr.contains("--edit: "),
            "{filter}: {run}"
        );
        assert!(run.stderr.len() < 2000, "{filter}: {} bytes", run.stderr.len());
    }
    let run =
        rewrite(&env, &["cafe", "--where", ".data.link | test(\"a\")", "--edit", ".", "--yes"]);
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("slot 1001: --where: "), "{run}");
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_filter_that_makes_too_much_is_refused() {
    // With the clock that does not wait, filters have a tenth of their time, which a busy machine needs for this one.
    let env = TestEnv::cafe();
    let run = edit(&env, ".data.title = (\"x\" * 100000000)");
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.stderr.contains("more than 64 MiB; nothing was written"), "{run}");
    assert!(run.stderr.len() < 2000, "{} bytes", run.stderr.len());
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn values_that_no_filter_touches_stay() {
    let env = cafe();
    let odd = json!({
        "float": 1.0, "zero": -0.0, "exponent": 1e20, "small": 5e-324, "precise": 0.1,
        "unsigned": 18_446_744_073_709_551_615_u64, "signed": i64::MIN, "odd": 9_007_199_254_740_993_i64,
        "text": "\u{0}\u{7f}\u{2028}\u{1f600} \\u0041 \"", "nested": {"b": [1.0, {"a": null}], "a": {}}, "list": [],
    });
    env.server.edit(|account| {
        for slot in &mut account.profiles[0].slots {
            if slot.supported {
                slot.data.extend(odd.as_object().unwrap().clone());
            }
        }
    });
    let before = env.server.account().profiles[0].slots.clone();
    for filter in [".", ".data |= (to_entries | from_entries)", ".. |= .", "tojson | fromjson"] {
        let run = rewrite(&env, &["cafe", "--edit", filter, "--yes"]);
        assert_eq!(run.exit, 0, "{run}");
        assert!(run.stdout.contains("no changes"), "{filter}: {run}");
    }
    let run = rewrite(
        &env,
        &[&BUTTON[..], &["--edit", APPEND, "--dry-run=request", "-o", "json"]].concat(),
    );
    let body = &run.json()["data"][0]["body"]["slots"];
    assert_eq!(*body, json!([{"id": 1002, "data": {"title": "Menu!"}}]), "{run}");
    assert_eq!(env.server.account().profiles[0].slots, before);
}

#[test]
fn data_without_fields_is_an_object() {
    let env = cafe();
    let divider =
        ["cafe", "--where", ".type == \"divider\" and (.data | type) == \"object\"", "--edit"];
    let run = rewrite(&env, &[&divider[..], &["error(.data | tojson)", "--yes"]].concat());
    assert!(run.stderr.contains("slot 1007: --edit: {}"), "{run}");
}

#[test]
fn files_that_are_no_table_are_refused_at_their_line() {
    let env = cafe();
    env.run("slots types");
    env.operations();
    let long = "x".repeat(10_000_000);
    for (text, expected) in [
        (
            "name,url\nA\0,https://a.example\n".to_owned(),
            "menu.csv:2: the file has a NUL character",
        ),
        (
            "name,url\n\"A,https://a.example\nB,https://b.example\n".to_owned(),
            "menu.csv:2: unterminated quote",
        ),
        (
            "name,name,url\nA,B,https://a.example\n".to_owned(),
            "menu.csv:1: duplicate column `name`",
        ),
        (csv(1_000_000), "menu.csv:502: a page can have at most 500 slots"),
        ("name,url\n".to_owned() + &"A\n".repeat(100_000), "501 problems; the first 20 are listed"),
        ("name,url\nA,not\u{1b}[2J a url\n".to_owned(), "menu.csv:2: link: "),
        (format!("name,url\n{long},https://a.example\nB\n"), "menu.csv:3: the row has 1 column, "),
    ] {
        env.file("menu.csv", &text);
        let run = env.run_args(IMPORT, b"");
        assert_eq!(run.exit, 8, "{expected}: {run}");
        assert!(
            run.stderr.contains(expected) && run.stderr.contains("nothing was written"),
            "{run}"
        );
        assert!(!run.stderr.contains('\u{1b}') && run.stderr.lines().count() < 30, "{run}");
    }
    env.file(
        "menu.csv",
        "name,url\nA,https://a.example\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>(),
    );
    assert_eq!(env.run_args(IMPORT, b"").exit, 8);
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn cells_are_taken_as_they_are() {
    let env = cafe();
    let there = env.server.account().profiles[1].slots.len();
    env.file("menu.csv", "\u{feff}name;url;\r\n=1+1;https://a.example;\r\n\"say \"\"x\"\"\r\n2\";https://b.example;\r\n19\" screen;https://c.example;\r\n");
    let run = env.run_args(IMPORT, b"");
    assert_eq!(run.exit, 0, "{run}");
    let account = env.server.account();
    let titles: Vec<&Value> =
        account.profiles[1].slots[there..].iter().map(|slot| &slot.data["title"]).collect();
    assert_eq!(titles, ["=1+1", "say \"x\"\r\n2", "19\" screen"]);
}

#[test]
fn every_format_has_the_pages() {
    let env = cafe();
    env.file("menu.csv", csv(2));
    let import = |more: &[&str]| env.run_args([&IMPORT[..], more].concat(), b"");
    let run = import(&["-o", "csv"]);
    assert!(
        run.stdout.starts_with("kind,id,name,file,action,fields,updates,creates,deletes,run,finished\npage,102,qara.weddings,,change,0,0,2,0,"),
        "{run}"
    );
    assert_eq!(import(&["-o", "ids"]).stdout, "102\n");
    assert_eq!(import(&["--jq", ".pages[0].done.created | length"]).stdout, "2\n");
    let json = import(&["-o", "json"]);
    assert_eq!((json.exit, json.stderr.as_str()), (0, ""), "{json}");
    let pages = &json.json()["data"]["pages"];
    assert_eq!((&pages[0]["login"], &pages[0]["notes"]), (&json!("qara.weddings"), &json!([])));
    let planned = rewrite(
        &env,
        &["--all", "--edit", APPEND, "--where", ".type == \"button\"", "--dry-run", "-o", "csv"],
    );
    assert_eq!(planned.exit, 3, "{planned}");
    assert!(planned.stdout.contains("\npage,101,cafe,,change,0,1,0,0,0\n"), "{planned}");
    let ids = rewrite(
        &env,
        &["--all", "--edit", APPEND, "--where", ".type == \"button\"", "--dry-run", "-o", "ids"],
    );
    assert_eq!(ids.stdout, "101\n102\n", "{ids}");
}

#[test]
fn every_row_that_cannot_be_created_is_shown_at_once() {
    let env = cafe();
    env.file(
        "menu.csv",
        "name,url\nA,https://a.example,x\n,https://b.example\nC,none\nD,https://d.example\n",
    );
    let run = env.run_args(IMPORT, b"");
    assert_eq!(run.exit, 8, "{run}");
    for part in
        ["menu.csv:2: the row has 3 columns", "menu.csv:3: ", "menu.csv:4: link: ", "3 problems"]
    {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    assert_eq!(writes(&env), [""; 0]);
}
