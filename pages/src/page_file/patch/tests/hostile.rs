//! Values, keys and texts that are made to break a patch.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::*;
use super::{insert, mark, path, remove, set, shift};

/// Strings that look like something else in YAML, in JSON or to a terminal.
pub(super) const STRINGS: &[&str] = &[
    "",
    " ",
    "\n",
    "\n\n a",
    "a\n",
    "a\n\n",
    "a\n \n",
    "a\n \nb",
    "a \nb",
    "\ta\nb",
    "a\n\tb",
    "a\r\nb",
    "a\rb",
    "- a",
    "-",
    "? a",
    ": a",
    "a:",
    "a: b",
    "a:b",
    "a #b",
    "#a",
    "a\n# b\n",
    "# <<< page: a: 1 (changed on the page since the last sync; keep the value below or take this one, then delete this line)",
    "a\n# <<< page: b\nc",
    "{a: b}",
    "[a]",
    "a]",
    "a}, {b: c",
    "a, b",
    "&a b",
    "*a",
    "!!int 1",
    "%YAML 1.1",
    "---",
    "--- a",
    "a\n---\nb",
    "a\n...\nb",
    "|",
    ">-",
    "'",
    "''",
    "\"",
    "it's \"so\"",
    "\\n",
    "\\",
    "@",
    "`a`",
    "~",
    "null",
    "Null",
    "NULL",
    "true",
    "False",
    "yes",
    "off",
    "y",
    "0",
    "-1",
    "+1",
    "007",
    "1_000",
    "0o17",
    "0x1f",
    ".5",
    "5.",
    "1e3",
    ".inf",
    "-.INF",
    ".nan",
    "1:30",
    "2026-01-01",
    "<<",
    "=",
    "\u{0}",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "a\u{a0}",
    "\u{2028}a",
    "a\u{2029}\nb",
    "\u{feff}",
    "\u{202e}",
    "\u{fffe}\u{ffff}\u{1fffe}",
    "\u{e000}\u{10fffd}",
    "e\u{301}",
    "👨‍👩‍👧",
    "кофе",
    "$$upload",
];

const FILES: &[&str] = &[
    "a: plain # c\n",
    "a: 'single' # c\n",
    "a: \"double\" # c\n",
    "a: | # c\n  literal\n# d\n",
    "a: >- # c\n  folded\n# d\n",
    "a: [list] # c\n",
    "a: # c\n  - list\n# d\n",
    "a: # c\n",
    "{a: flow, b: {c: d}}\n",
    "{\n  a: flow,\n}\n",
    "{\"a\": \"json\", \"b\": [1]}",
    "{\n  \"a\": \"json\"\n}\n",
];

fn tree(text: &str) -> Value {
    crate::page_file::read::read(text).unwrap_or_else(|bad| panic!("{text}\n{bad:?}")).to_json()
}

#[test]
fn every_string_can_be_a_value_in_every_style() {
    for file in FILES {
        for text in STRINGS {
            let after = patch(file, &[set("a", json!(text))]).unwrap();
            assert_eq!(tree(&after)["a"], *text, "{after}");
            assert!(marks(&after).is_empty(), "{after}");
            assert_eq!(file.contains("# c"), after.contains("# c"), "{after}");
            assert_eq!(file.contains("\n# d\n"), after.contains("\n# d\n"), "{after}");
        }
    }
}

#[test]
fn every_string_can_be_a_new_key_and_within_a_new_value() {
    for file in FILES {
        for text in STRINGS {
            let new = Value::Object(Map::from_iter([((*text).to_owned(), json!([text, [text]]))]));
            let edits = [
                Edit::Set { path: Path::root().key(*text), value: json!(text) },
                Edit::Set { path: Path::root().key("new"), value: new.clone() },
            ];
            let after = patch(file, &edits).unwrap();
            assert_eq!(tree(&after)[text], *text, "{after}");
            assert_eq!(tree(&after)["new"], new, "{after}");
            assert!(marks(&after).is_empty(), "{after}");
        }
    }
}

#[test]
fn every_string_can_be_in_a_mark_and_leaves_one_line() {
    for text in STRINGS {
        let new = Value::Object(Map::from_iter([((*text).to_owned(), json!(text))]));
        let at = Path::root().key("a").key(*text).key("b");
        let edit = Edit::Mark { path: at, conflict: MarkedConflict::Changed(new) };
        let after = patch("a:\n  b: 1\n", &[edit]).unwrap();
        assert_eq!(after.lines().count(), 3, "{after}");
        assert_eq!(marks(&after).len(), 1);
        assert!(after.chars().all(|c| c == '\n' || !crate::sanitize::is_unsafe(c)), "{after:?}");
    }
}

#[test]
fn a_long_string_is_written_on_one_line() {
    let long = "ы # ".repeat(100_000);
    let edits = [set("a", json!(long)), mark("a", MarkedConflict::Changed(json!(long)))];
    let after = patch("a: 1 # c\nb: 2\n", &edits).unwrap();
    assert_eq!(after.lines().count(), 3);
    assert_eq!(tree(&after)["a"], long);
}

#[test]
fn what_the_parser_does_not_read_is_refused() {
    let deep = (0..40).fold(json!(1), |value, _| json!([value]));
    let long_key = "k".repeat(2_000);
    for edit in [set("b", deep), set(&long_key, json!(1))] {
        let refused = patch("a: 1\n", &[edit]);
        let Err(PatchError::NotInPlace { path, .. }) = &refused else { panic!("{refused:?}") };
        assert!(!path.0.is_empty());
    }
}

#[test]
fn five_hundred_slots_change_at_once() {
    let slot = |id: usize| {
        format!(
            "  # slot {id}\n  - id: {id}\n    type: text\n    data:\n      title: 't{id}' # {id}\n"
        )
    };
    let text = format!("profile: cafe\nslots:\n{}", (0..500).map(slot).collect::<String>());
    let titles = (0..500)
        .map(|at| set(&format!("slots.{at}.data.title"), json!(format!("t{}", at + 1_000))));
    let moves = (0..499).map(|at| shift("slots", at, Some(at + 1)));
    let edits: Vec<_> = titles.chain(moves).collect();
    let after = patch(&text, &edits).unwrap();
    let slot = |id: usize| slot(id).replace(&format!("'t{id}'"), &format!("'t{}'", id + 1_000));
    let expected = (0..500).rev().map(slot).collect::<String>();
    assert_eq!(after, format!("profile: cafe\nslots:\n{expected}"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_a_patch_panic_or_change_a_byte_without_need(
        text in "(\u{feff})?(%YAML 1.2\n)?(---)?[ab0é '\"#:,&*!|>?\\[\\]{}\t\r\n-]{0,40}",
        head in "(a: |a:\n - |- |\\{a: \\[|)",
    ) {
        let text = format!("{head}{text}");
        for span in marks(&text) {
            prop_assert!(text.get(span).is_some());
        }
        if let Ok(same) = patch(&text, &[]) {
            prop_assert_eq!(&same, &text);
        }
        for edit in [
            set("a", json!("x\ny")),
            set("a.0", json!({"b": [1]})),
            set("b", json!([])),
            remove("a"),
            remove("a.0"),
            insert("a", None, json!(1)),
            insert("0", Some(0), json!({"b": 1})),
            insert("", Some(0), json!({"b": 1})),
            shift("a", 0, Some(1)),
            shift("", 1, None),
            Edit::Mark { path: path("a.0"), conflict: MarkedConflict::Twin(1.into()) },
        ] {
            // The result was compared with the expected tree.
            let refused = patch(&text, &[edit]).err();
            if let Some(PatchError::NotInPlace { span, .. } | PatchError::NotMarkable { span, .. }) = refused {
                let content = text.strip_prefix('\u{feff}').unwrap_or(&text);
                prop_assert!(content.is_char_boundary(span.start) && content.is_char_boundary(span.end));
            }
        }
    }
}
