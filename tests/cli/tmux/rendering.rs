//! Tests of output on a terminal: its width, its colours, and texts of the service that try to control it.

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::Tmux;
use crate::test_env::TestEnv;

/// Text that would copy something to the clipboard, begin a link, colour, go back on the line, and turn the direction of writing.
const BAD: &str = "\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}]8;;http://evil.test\u{1b}\\\u{9b}31m\u{202e}moc\u{200b}\rtrap\nnext";

fn titled(title: &str) -> TestEnv {
    let env = TestEnv::cafe().keeping_state();
    env.server.edit(|account| {
        account.profiles[0].title = Some(title.to_owned());
        account.profiles[0].slots[0].data["title"] = title.into();
        account.profiles[0].slots[4].data["title"] = title.into();
    });
    env
}

/// Returns the column in which a text begins, on the row that holds another.
fn column(rows: &[String], row: &str, text: &str) -> usize {
    let row = rows.iter().find(|it| it.contains(row)).unwrap_or_else(|| panic!("{row}: {rows:?}"));
    row[..row.find(text).unwrap_or_else(|| panic!("no {text} in {row}"))].width()
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn a_table_keeps_to_the_width_of_the_terminal() {
    let long = "A title that goes on and on, ".repeat(20);
    let env = titled(&long);
    let terminal = Tmux::bash(&env, 80, 50);
    for width in [80, 40, 200, 60] {
        terminal.resize(width);
        assert_eq!(terminal.run("links slots list cafe").exit, 0);
        let rows = terminal.rows();
        // No row was longer than the terminal, which would have cut it in the middle of a column.
        let cells: Vec<_> = rows.iter().filter(|it| it.starts_with("100")).collect();
        assert_eq!(cells.len(), 9, "{rows:?}");
        assert!(cells.iter().all(|it| it.get(4..6) == Some("  ")), "{rows:?}");
        let content = column(&rows, "CONTENT", "CONTENT");
        assert_eq!(column(&rows, "1001", "A tit"), content, "at {width}");
        assert_eq!(column(&rows, "1005", "A tit"), content, "at {width}");
        if width >= 80 {
            assert_eq!(column(&rows, "1005", "legacy"), column(&rows, "NOTE", "NOTE"));
        }
        assert!(rows.iter().any(|it| it.contains('…')), "at {width}");
    }
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn wide_characters_keep_the_columns_aligned() {
    for title in ["日本語のとても長いタイトルのページ".repeat(4), "Кофе 😀 café 한국어".to_owned()]
    {
        let env = titled(&title);
        let terminal = Tmux::bash(&env, 120, 50);
        terminal.run("links slots list cafe");
        let rows = terminal.rows();
        let note = column(&rows, "NOTE", "NOTE");
        assert_eq!(column(&rows, "1005", "legacy"), note, "{rows:?}");
        assert_eq!(column(&rows, "1014", "legacy"), note, "{rows:?}");
    }
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn texts_of_the_service_cannot_control_the_terminal() {
    let env = titled(BAD);
    env.server.edit(|account| {
        account.forms[0].title = BAD.to_owned();
        account.profiles[0].description = Some(BAD.to_owned());
    });
    let data = json!({ "title": "New", BAD: BAD }).to_string();
    let page = json!({ "profile": "cafe", "slots": [{ "id": 1001, "type": "text", "data": { "title": BAD } }, { "type": "text", "data": { "title": BAD } }] });
    env.file("page.json", page.to_string());
    env.file("bad.json", data);
    let terminal = Tmux::bash(&env, 150, 50);
    for line in [
        "links profile list",
        "links profile get cafe",
        "links profile preview cafe",
        "links profile update cafe title=x --dry-run=request",
        "links slots list cafe",
        "links slots get cafe 1001",
        "links slots get cafe 1001 -o yaml",
        "links slots get cafe 1001 -o csv",
        "links slots get cafe 1001 -o markdown",
        "links slots get cafe 1001 -o json",
        "links slots get cafe 1001 --jq .data.title --raw",
        "links slots set cafe 1001 bad.json",
        "links slots plan page.json",
        "links slots pull cafe",
        "links forms list",
        "links me -vv",
        "links slots list cafe -vv",
        "links slots delete cafe 1001 < /dev/null",
        "links api GET /profiles/cafe",
        "links slots get cafe \"$(printf '\\033]52;c;x\\007')\"",
    ] {
        let shown = terminal.run(&format!("{line} 2>&1"));
        let quiet = |c: char| {
            c == '\n' || !c.is_control() && !matches!(c, '\u{202e}' | '\u{200b}' | '\u{9b}')
        };
        assert!(shown.text.chars().all(quiet), "{line}\n{}", shown.text);
        assert!(!shown.text.lines().any(|it| it.starts_with("trap")), "{line}\n{}", shown.text);
    }
    // Questions too; the terminal's buffer, which the first sequence would fill, stays empty.
    terminal.begin("links slots delete cafe 1001");
    let asked = terminal.wait_for("a question", |screen| screen.contains("[y/N]"));
    assert!(asked.contains("\\u{1b}]52;c;") && asked.contains("\\u{202e}moc"), "{asked}");
    terminal.write("no");
    terminal.press(&["Enter"]);
    assert_eq!(terminal.end().exit, 14);
    assert_eq!(terminal.buffers(), "");
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn colour_is_used_on_terminals_and_on_request() {
    let env = TestEnv::cafe();
    env.file("page.yaml", "profile: cafe\nslots:\n  - {type: text, data: {title: Hi}}\n");
    env.file("bad.yaml", "profile: cafe\nslots:\n  - {type: text, data: {titel: Hi}}\n");
    let terminal = Tmux::bash(&env, 100, 50);
    for (line, coloured) in [
        ("links slots plan page.yaml", true),
        ("links slots plan bad.yaml", true),
        ("links slots plan page.yaml | cat", false),
        ("links slots plan bad.yaml 2>&1 | cat", false),
        ("NO_COLOR=1 links slots plan page.yaml", false),
        ("NO_COLOR=1 links slots plan bad.yaml", false),
        ("TERM=dumb links slots plan page.yaml", false),
        ("links slots plan page.yaml --color never", false),
        ("NO_COLOR=1 links slots plan page.yaml --color always", true),
        ("CLICOLOR_FORCE=1 links slots plan page.yaml | cat", true),
        ("CLICOLOR_FORCE=0 links slots plan page.yaml | cat", false),
        ("links slots plan page.yaml --color always | cat", true),
        ("links slots plan bad.yaml --color always 2>&1 | cat", true),
        ("links --help | cat", false),
        ("NO_COLOR=1 links --help", false),
        ("links slots --nonsense --color never", false),
    ] {
        terminal.run(line);
        assert_eq!(
            terminal.styled().contains("\u{1b}["),
            coloured,
            "{line}\n{}",
            terminal.styled()
        );
    }
}

#[test]
#[ignore = "needs tmux: see tests/terminal/run"]
fn a_closed_pipe_ends_the_program_quietly() {
    let env = TestEnv::cafe();
    let many = "A long line of words. ".repeat(400);
    env.server.edit(|account| {
        for slot in &mut account.profiles[0].slots {
            slot.data.insert("title".to_owned(), many.clone().into());
        }
    });
    let terminal = Tmux::bash(&env, 100, 50);
    for line in ["slots list cafe", "slots list cafe -o json", "slots pull cafe", "--help"] {
        let shown = terminal.run(&format!(
            "links {line} | (read -r -n 1; echo \"got $REPLY\"); echo \"ended ${{PIPESTATUS[0]}}\""
        ));
        assert!(shown.text.ends_with("ended 0"), "{line}\n{}", shown.text);
        assert_eq!(shown.text.lines().count(), 2, "{line}\n{}", shown.text);
    }
}
