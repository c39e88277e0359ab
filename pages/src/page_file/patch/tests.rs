mod hostile;
mod printer;
mod random;

use serde_json::{Value, json};

use super::*;
use crate::page_file::Document;

/// Parses a path such as `slots.0.data.title`.
fn path(text: &str) -> Path {
    let steps = text.split('.').filter(|step| !step.is_empty());
    steps.fold(Path::root(), |path, step| match step.parse() {
        Ok(index) => path.item(index),
        Err(_) => path.key(step),
    })
}

fn set(at: &str, value: Value) -> Edit {
    Edit::Set { path: path(at), value }
}

fn remove(at: &str) -> Edit {
    Edit::Remove { path: path(at) }
}

fn insert(list: &str, after: Option<usize>, value: Value) -> Edit {
    Edit::Insert { list: path(list), after, value, mark: None }
}

fn shift(list: &str, item: usize, after: Option<usize>) -> Edit {
    Edit::Move { list: path(list), item, after }
}

fn mark(at: &str, conflict: MarkedConflict) -> Edit {
    Edit::Mark { path: path(at), conflict }
}

/// Patches a text and compares the result; the same with Windows line ends, a byte order mark, and without the last line break.
#[track_caller]
fn check(before: &str, edits: &[Edit], after: &str) {
    let plain = patch(before, edits).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(plain == after, "{plain}--- instead of\n{after}");

    let windows = patch(&format!("\u{feff}{}", before.replace('\n', "\r\n")), edits).unwrap();
    assert_eq!(windows, format!("\u{feff}{}", after.replace('\n', "\r\n")));

    if let (Some(before), Some(after)) = (before.strip_suffix('\n'), after.strip_suffix('\n')) {
        assert_eq!(patch(before, edits).unwrap(), after);
    }
}

#[track_caller]
fn refused(text: &str, edits: &[Edit]) -> String {
    patch(text, edits).unwrap_err().to_string()
}

const CAFE: &str = "\
# The page of the cafe.
profile: cafe # login

# Everything that is shown.
slots:
  # The shop comes first.
  - id: 1 # from the page
    type: button
    data: {title: 'Shop', link: \"https://cafe.test\", image: {$upload: ./shop.jpg}}

  # --- below the fold ---

  # Opening hours
  - type: text
    data:
      # shown large
      title: |
        Hello
        there
      size: 2 # rem
      # end of the text
  - type: divider
    # nothing else
# The end.
";

#[test]
fn no_edit_changes_no_byte() {
    check(CAFE, &[], CAFE);
}

#[test]
fn a_scalar_keeps_its_quotes_and_the_comment_beside_it() {
    let after = CAFE
        .replace("profile: cafe # login", "profile: bar # login")
        .replace("'Shop'", "'It''s: {new} # 1'")
        .replace("\"https://cafe.test\"", "\"https://bar.test/\\\"\"")
        .replace("size: 2 # rem", "size: null # rem")
        .replace("        Hello\n        there\n", "        Bye\n\n          all\n");
    let edits = [
        set("slots.1.data.title", json!("Bye\n\n  all\n")),
        set("profile", json!("bar")),
        set("slots.0.data.link", json!("https://bar.test/\"")),
        set("slots.0.data.title", json!("It's: {new} # 1")),
        set("slots.1.data.size", json!(null)),
    ];
    check(CAFE, &edits, &after);
}

#[test]
fn a_scalar_that_needs_quotes_gets_them() {
    let values = [
        ("2 coffees", "2 coffees"),
        ("https://a.test/?b=c#d", "https://a.test/?b=c#d"),
        ("a: b", "\"a: b\""),
        ("a #b", "\"a #b\""),
        ("true", "\"true\""),
        ("No", "\"No\""),
        ("12", "\"12\""),
        ("1e3", "\"1e3\""),
        ("", "\"\""),
        ("- a", "\"- a\""),
        (" a", "\" a\""),
        ("{$form: a}", "\"{$form: a}\""),
        ("~", "\"~\""),
        ("key:", "\"key:\""),
        ("Кофе, чай", "Кофе, чай"),
        ("10\u{a0}000 ₸", "10\u{a0}000 ₸"),
        ("\u{e0067}", "\"\\U000e0067\""),
        ("a\u{202e}b\u{85}\u{1b}", "\"a\\u202eb\\u0085\\u001b\""),
    ];
    for (value, written) in values {
        check("title: old\n", &[set("title", json!(value))], &format!("title: {written}\n"));
    }
    check("{title: old, b: 'x'}\n", &[set("title", json!("a, b"))], "{title: \"a, b\", b: 'x'}\n");
    check("a: 'x'\n", &[set("a", json!("tab\there"))], "a: \"tab\\there\"\n");
    check("a: x\n", &[set("a", json!("two\nlines"))], "a: |-\n  two\n  lines\n");
    check("a: \"x\"\n", &[set("a", json!("two\nlines"))], "a: \"two\\nlines\"\n");
    check("a: x\n", &[set("a", json!(" two\nlines"))], "a: \" two\\nlines\"\n");
    check("a: [x, y]\n", &[set("a.1", json!(1.5))], "a: [x, 1.5]\n");
}

#[test]
fn a_block_scalar_keeps_its_indentation() {
    check(
        "a: | # long\n     one\n     two\n\n# about b\nb: >-\n   x\n   y\nc: 1\n",
        &[set("a", json!("# three")), set("b", json!("one\ntwo\n"))],
        "a: |- # long\n     # three\n\n# about b\nb: |\n   one\n   two\nc: 1\n",
    );
    check("a: | # long\n  x\nb: 1\n", &[set("a", json!(3))], "a: 3 # long\nb: 1\n");
    check("a:\n- |+\n  x\n\n- y\n", &[set("a.0", json!("z\n"))], "a:\n- |\n  z\n- y\n");
}

#[test]
fn a_scalar_becomes_a_collection_and_back() {
    check(
        "a: x # about a\nb:\n  c:\n    d: 1\n",
        &[set("a", json!({"k": [1, {"x": 2, "z": "x"}], "e": []}))],
        "a: # about a\n  k:\n    - 1\n    - x: 2\n      z: x\n  e: []\nb:\n  c:\n    d: 1\n",
    );
    check("a:\n- x\n- y\n", &[set("a.0", json!({"k": 1, "l": 2}))], "a:\n- k: 1\n  l: 2\n- y\n");
    check("a:\n- x # c\n- y\n", &[set("a.0", json!({"k": 1}))], "a:\n- # c\n  k: 1\n- y\n");
    check(
        "a: # about a\n  # inside\n  k: 1 # one\n  l: 2 # two\n# after\nb: 1\n",
        &[set("a", json!("x"))],
        "a: x # about a\n# after\nb: 1\n",
    );
    check(
        "a:\n    k: 1\nb: 2\n",
        &[set("a", json!({"m": {"o": 1}}))],
        "a:\n    m:\n        o: 1\nb: 2\n",
    );
    check("a:\n- 1\n- 2\nb: 1\n", &[set("a", json!([{"k": [3]}]))], "a:\n- k:\n  - 3\nb: 1\n");
    check("a: {b: 1} # c\n", &[set("a", json!({"x": [1, "y, z"]}))], "a: {x: [1, \"y, z\"]} # c\n");
    check("a: {b: 1} # c\n", &[set("a", json!(1))], "a: 1 # c\n");
    check(
        "a: # c\nb: ~\n",
        &[set("a", json!(1)), set("b", json!({"k": 1}))],
        "a: 1 # c\nb:\n  k: 1\n",
    );
}

#[test]
fn a_new_field_of_the_page_is_added_above_its_slots() {
    let edits = ["title", "bgImage"].map(|name| set(name, json!(name)));
    let patched = |text: &str| patch(text, &edits).unwrap();
    assert_eq!(
        patched("profile: cafe # login\n\n# All\nslots:\n  - type: divider\n"),
        "profile: cafe # login\ntitle: title\nbgImage: bgImage\n\n# All\nslots:\n  - type: divider\n"
    );
    assert_eq!(
        patched("slots: []\nprofile: a\n"),
        "slots: []\nprofile: a\ntitle: title\nbgImage: bgImage\n"
    );
    assert_eq!(patched("profile: a\n"), "profile: a\ntitle: title\nbgImage: bgImage\n");
    assert_eq!(
        patched("{profile: a, title: b, slots: []}\n"),
        "{profile: a, title: title, bgImage: bgImage, slots: []}\n"
    );
    let json = "{\n  \"profile\": \"a\",\n  \"slots\": []\n}\n";
    assert_eq!(
        patched(json),
        "{\n  \"profile\": \"a\",\n  \"title\": \"title\",\n  \"bgImage\": \"bgImage\",\n  \"slots\": []\n}\n"
    );
}

#[test]
fn a_new_key_follows_the_last_one_of_its_mapping() {
    let after = CAFE
        .replace("      size: 2 # rem\n", "      size: 2 # rem\n      color: red\n")
        .replace("./shop.jpg}}", "./shop.jpg}, style: round}")
        .replace(
            "    # nothing else\n",
            "    # nothing else\n    data:\n      a: 1\n      b:\n        c: x\n",
        )
        .replace("# login\n", "# login\nlanguageCode: kk\nsocials:\n  - https://a.test\n");
    let edits = [
        set("slots.1.data.color", json!("red")),
        set("slots.0.data.style", json!("round")),
        set("languageCode", json!("kk")),
        set("slots.2.data.a", json!(1)),
        set("slots.2.data.b.c", json!("x")),
        insert("socials", None, json!("https://a.test")),
    ];
    // The comment is indented deeper than the item, but not deeper than its keys.
    let after = after.replace(
        "    # nothing else\n    data:\n      a: 1\n      b:\n        c: x\n",
        "    data:\n      a: 1\n      b:\n        c: x\n    # nothing else\n",
    );
    check(CAFE, &edits, &after);
    assert_eq!(patch("a: 1", &[set("b", json!(2))]).unwrap(), "a: 1\nb: 2");
    check(
        "a:\n  - b: 1\n\nc: 2\n\n\n# end\n",
        &[set("a.0.d", json!(1)), set("e", json!(1))],
        "a:\n  - b: 1\n    d: 1\n\nc: 2\ne: 1\n\n\n# end\n",
    );
}

#[test]
fn a_key_is_removed_with_its_own_comments() {
    let after = CAFE
        .replace("      # shown large\n      title: |\n        Hello\n        there\n", "")
        .replace("id: 1 # from the page\n    ", "")
        .replace("link: \"https://cafe.test\", ", "");
    let edits = [remove("slots.0.id"), remove("slots.1.data.title"), remove("slots.0.data.link")];
    check(CAFE, &edits, &after);
    check(
        "# file\na: 1\n# about b\nb: 2 # two\n\n# about c\nc: 3\n",
        &[remove("a")],
        "# file\n# about b\nb: 2 # two\n\n# about c\nc: 3\n",
    );
    check(
        "a: 1\n# about b\nb: 2 # two\n\n# about c\nc: 3\n",
        &[remove("b")],
        "a: 1\n\n# about c\nc: 3\n",
    );
    check("a:\n  b: 1\nc: 2\n", &[remove("a.b")], "a: {}\nc: 2\n");
    check("{a: 1, b: 2}\n", &[remove("a"), set("c", json!(3))], "{b: 2, c: 3}\n");
}

#[test]
fn an_item_is_inserted_after_another_one() {
    let after = CAFE
        .replace(
            "  # The shop comes first.\n",
            "  - type: video\n    data:\n      url: a\n  # The shop comes first.\n",
        )
        .replace(
            "      # end of the text\n",
            "      # end of the text\n  - type: text\n  - type: link\n",
        );
    let edits = [
        insert("slots", Some(1), json!({"type": "text"})),
        insert("slots", Some(1), json!({"type": "link"})),
        insert("slots", None, json!({"type": "video", "data": {"url": "a"}})),
    ];
    // New items follow the example of the first one, whose data is in flow style.
    let after = after.replace("    data:\n      url: a\n", "    data: {url: a}\n");
    check(CAFE, &edits, &after);
    check(
        "slots: [] # none\nb: 1\n",
        &[insert("slots", None, json!({"a": 1, "b": 2}))],
        "slots: # none\n  - a: 1\n    b: 2\nb: 1\n",
    );
    check("slots:\nb: 1\n", &[insert("slots", None, json!({"a": 1}))], "slots:\n  - a: 1\nb: 1\n");
    check(
        "b: 1\n",
        &[insert("slots", None, json!({"a": 1})), insert("slots", None, json!(2))],
        "b: 1\nslots:\n  - a: 1\n  - 2\n",
    );
    check(
        "a:\n-   x: 1\n    y: 2\n",
        &[insert("a", Some(0), json!({"x": 3, "z": 4}))],
        "a:\n-   x: 1\n    y: 2\n-   x: 3\n    z: 4\n",
    );
    check("a:\n- x\n\n- y\n", &[insert("a", Some(0), json!("z"))], "a:\n- x\n\n- z\n\n- y\n");
    check(
        "a:\n- {x: 1}\n",
        &[insert("a", Some(0), json!({"x": [1]}))],
        "a:\n- {x: 1}\n- {x: [1]}\n",
    );
    check(
        "a: [x, y]\n",
        &[insert("a", None, json!("w")), insert("a", Some(1), json!({"k": "z"}))],
        "a: [w, x, y, {k: z}]\n",
    );
    check(
        "a: [\n  x, y\n]\n",
        &[insert("a", Some(1), json!("z")), remove("a.0")],
        "a: [\n  y, z\n]\n",
    );
}

#[test]
fn an_item_is_removed_with_the_comments_directly_above_it() {
    let after = "\
# The page of the cafe.
profile: cafe # login

# Everything that is shown.
slots:

  # --- below the fold ---

  - type: divider
    # nothing else
# The end.
";
    check(CAFE, &[remove("slots.0"), remove("slots.1")], &after.replace("slots:\n\n", "slots:\n"));
    check("a:\n- 1\n\n- 2\n\n- 3\nb: 1\n", &[remove("a.1")], "a:\n- 1\n\n- 3\nb: 1\n");
    check("a:\n- 1\n\n- 2\n\n- 3\nb: 1\n", &[remove("a.2")], "a:\n- 1\n\n- 2\nb: 1\n");
    check("a:\n- 1\n\n- 2\nb: 1\n", &[remove("a.0"), remove("a.1")], "a: []\nb: 1\n");
    check("a: [1, 2, 3]\n", &[remove("a.2"), remove("a.0")], "a: [2]\n");
    check("a: [1,\n\n  2,\n  3,\n]\n", &[remove("a.1")], "a: [1,\n  3,\n]\n");
}

#[test]
fn an_item_moves_with_its_comments_and_its_own_edits() {
    let after = "\
# The page of the cafe.
profile: cafe # login

# Everything that is shown.
slots:
  # Opening hours
  - type: text
    data:
      # shown large
      title: |
        Hello
        there
      size: 3 # rem
      # end of the text

  # --- below the fold ---

  - type: divider
    # nothing else
  # The shop comes first.
  - id: 1 # from the page
    type: button
    data: {title: 'Store', link: \"https://cafe.test\", image: {$upload: ./shop.jpg}}
# The end.
";
    let edits = [
        shift("slots", 1, None),
        shift("slots", 0, Some(2)),
        set("slots.1.data.size", json!(3)),
        set("slots.0.data.title", json!("Store")),
    ];
    check(CAFE, &edits, after);
    check("a: [1, 2, 3]\n", &[shift("a", 0, Some(2)), shift("a", 1, Some(0))], "a: [3, 1, 2]\n");
    check("a:\n- 1\n\n- 2\n\n- 3\n", &[shift("a", 0, Some(2))], "a:\n- 2\n\n- 3\n\n- 1\n");
    check("- - a\n  - b # b\n", &[shift("0", 1, None)], "- - b # b\n  - a\n");
}

#[test]
fn items_come_into_an_order_with_the_fewest_moves() {
    let list = path("a");
    let ordered = |order: &[usize]| {
        let edits = moves(&list, order);
        (edits.len(), patch("a: [0, 1, 2, 3, 4]\n", &edits).unwrap())
    };
    assert_eq!(ordered(&[0, 1, 2, 3, 4]), (0, "a: [0, 1, 2, 3, 4]\n".into()));
    assert_eq!(ordered(&[4, 0, 1, 2, 3]), (1, "a: [4, 0, 1, 2, 3]\n".into()));
    assert_eq!(ordered(&[1, 2, 0, 4, 3]), (2, "a: [1, 2, 0, 4, 3]\n".into()));
    assert_eq!(ordered(&[4, 3, 2, 1, 0]), (4, "a: [4, 3, 2, 1, 0]\n".into()));
    assert_eq!(ordered(&[3, 1]), (1, "a: [3, 0, 1, 2, 4]\n".into()), "some of the items");
    assert_eq!(ordered(&[]), (0, "a: [0, 1, 2, 3, 4]\n".into()));
}

#[test]
fn json_stays_json() {
    let before = "{\n\t\"profile\": \"cafe\",\n\t\"slots\": [\n\t\t{\n\t\t\t\"id\": 1,\n\t\t\t\"type\": \"text\"\n\t\t},\n\t\t{\n\t\t\t\"id\": 2,\n\t\t\t\"type\": \"text\"\n\t\t}\n\t]\n}\n";
    let after = "{\n\t\"profile\": \"ba\\\"r\",\n\t\"mood\": null,\n\t\"slots\": [\n\t\t{\n\t\t\t\"id\": 2,\n\t\t\t\"type\": \"text\",\n\t\t\t\"data\": {\n\t\t\t\t\"a\": [\n\t\t\t\t\t1\n\t\t\t\t],\n\t\t\t\t\"b\": {}\n\t\t\t}\n\t\t},\n\t\t{\n\t\t\t\"type\": \"new\"\n\t\t}\n\t]\n}\n";
    let edits = [
        set("profile", json!("ba\"r")),
        remove("slots.0"),
        insert("slots", Some(1), json!({"type": "new"})),
        set("slots.1.data", json!({"a": [1], "b": {}})),
        set("mood", json!(null)),
    ];
    check(before, &edits, after);
    check("{\"a\": 1}\n", &[set("a", json!("\u{e0067}"))], "{\"a\": \"\\udb40\\udc67\"}\n");
    check(
        "{\"a\":1,\"b\":[]}",
        &[set("c", json!({"d": 2, "e": "f"})), insert("b", None, json!({"x": 1}))],
        "{\"a\":1,\"b\":[{\"x\": 1}],\"c\": {\"d\": 2, \"e\": \"f\"}}",
    );
    check(
        "{\n  \"a\": []\n}\n",
        &[insert("a", None, json!({"x": 1}))],
        "{\n  \"a\": [\n    {\n      \"x\": 1\n    }\n  ]\n}\n",
    );
    check(
        "{\"a\": [\n  {\"x\": 1},\n  {\"x\": 2}\n]}\n",
        &[insert("a", Some(0), json!({"x": 3}))],
        "{\"a\": [\n  {\"x\": 1},\n  {\"x\": 3},\n  {\"x\": 2}\n]}\n",
    );
}

#[test]
fn references_survive() {
    check(
        "a: x # 1\nc: # 2\n  d: {$form: Contact us}\n  e: {$upload: ./a.jpg}\n",
        &[set("a", json!("z")), set("c.f", json!(1)), set("c.e", json!("/u/a.jpg"))],
        "a: z # 1\nc: # 2\n  d: {$form: Contact us}\n  e: /u/a.jpg\n  f: 1\n",
    );
}

#[test]
fn a_conflict_is_marked_above_its_line() {
    let edits = [
        mark("slots.1.data.title", MarkedConflict::Changed(json!("Hi\n\"there\" # 😀"))),
        mark("slots.0.data.link", MarkedConflict::Removed),
        mark("slots.2", MarkedConflict::Twin(1008.into())),
        mark("profile", MarkedConflict::Changed(json!(null))),
    ];
    let changed = "(changed on the page since the last sync; keep the value below or take this one, then delete this line)";
    let after = CAFE
        .replace("profile: cafe", &format!("# <<< page: profile: null {changed}\nprofile: cafe"))
        .replace("      title: |", &format!("      # <<< page: data.title: \"Hi\\n\\\"there\\\" # 😀\" {changed}\n      title: |"))
        .replace("    data: {", "    # <<< page: data.link: nothing (removed on the page since the last sync; keep the value below or remove it, then delete this line)\n    data: {")
        .replace("  - type: divider", "  # <<< page: slot 1008 (also created on the page; remove this item or that one if they are the same, then delete this line)\n  - type: divider");
    check(CAFE, &edits, &after);
    assert!(marks(CAFE).is_empty());
    let found = marks(&after);
    assert_eq!(found.len(), 4);
    assert_eq!(&after[found[0].clone()], format!("# <<< page: profile: null {changed}"));
    assert_eq!(marks(&format!("\u{feff}{after}"))[0].start, found[0].start + 3);
    // A marked file can be patched again, and its marks move with their items.
    check(&after, &[shift("slots", 2, None), set("profile", json!("bar"))], &{
        let mark = "  # <<< page: slot 1008 (also created on the page; remove this item or that one if they are the same, then delete this line)\n";
        let item = "  - type: divider\n    # nothing else\n";
        after
            .replace(mark, "")
            .replace(item, "")
            .replace("slots:\n", &format!("slots:\n{mark}{item}"))
            .replace("profile: cafe", "profile: bar")
    });
}

#[test]
fn a_file_with_marks_is_refused_at_each_of_them() {
    let text = patch(
        &format!("\u{feff}{CAFE}"),
        &[
            mark("profile", MarkedConflict::Removed),
            mark("slots.2", MarkedConflict::Twin(7.into())),
        ],
    );
    let document = |text: &str| Document::from_bytes("page.yaml", text.into()).unwrap();
    let refused = refuse_marks(&document(&text.unwrap())).unwrap_err();
    let places: Vec<_> = refused.places().map(|(place, _)| (place.line, place.column)).collect();
    assert_eq!(places, [(2, 1), (23, 3)]);
    assert!(refuse_marks(&document(CAFE)).is_ok());
}

#[test]
fn a_mark_stays_on_a_line_of_its_own() {
    check(
        "a:\n- b: 1\n  # <<< page: c\n  c: 2\n",
        &[remove("a.0.b")],
        "a:\n-\n  # <<< page: c\n  c: 2\n",
    );
    check(
        "- - a\n  # <<< page: b\n  - b\n",
        &[shift("0", 1, None)],
        "-\n  # <<< page: b\n  - b\n  - a\n",
    );
    check(
        "a: [\n  1,\n  2]\n",
        &[shift("a", 1, None), mark("a.1", MarkedConflict::Twin(1.into()))],
        "a: [\n  # <<< page: slot 1 (also created on the page; remove this item or that one if they are the same, then delete this line)\n  2,\n  1]\n",
    );
}

#[test]
fn a_mark_is_a_comment_on_a_line_of_its_own() {
    let text = "a: |\n  # <<< page: a: 1\nb: \"\n  # <<< page: b\n  \"\nc: 1 # <<< page: c\n# <<< pages\n  # <<< page: edited by hand\nd: 2\n";
    let found = marks(text);
    assert_eq!(found.len(), 1);
    assert_eq!(&text[found[0].clone()], "# <<< page: edited by hand");
    assert_eq!(marks("a: [\n# <<< page: a\n").len(), 1, "in a text with errors");
    let value = json!("# <<< page: x\n# <<< page: y");
    let after = patch(
        "a: 1\n",
        &[
            set("a", value.clone()),
            set("b", value.clone()),
            mark("a", MarkedConflict::Changed(value)),
        ],
    )
    .unwrap();
    assert_eq!(marks(&after).len(), 1, "{after}");
}

#[test]
fn a_mark_goes_above_the_line_in_which_the_value_begins() {
    let twin = |at: &str| [mark(at, MarkedConflict::Twin(1.into()))];
    let line = "slot 1 (also created on the page; remove this item or that one if they are the same, then delete this line)";
    check(
        "a: {b: \"x\n  y\", c: 1}\n",
        &twin("a.c"),
        &format!("# <<< page: a.c: {line}\na: {{b: \"x\n  y\", c: 1}}\n"),
    );
    check(
        "a: {b: 1,\n    c: 1}\n",
        &twin("a.c"),
        &format!("a: {{b: 1,\n    # <<< page: a.c: {line}\n    c: 1}}\n"),
    );
    check("a:\n- - x\n", &twin("a.0.0"), &format!("a:\n# <<< page: {line}\n- - x\n"));
    check("a: 1\n", &twin("b.c d\n"), &format!("# <<< page: b.\"c d\\n\": {line}\na: 1\n"));
    check(
        "a:\n- b: 1\n",
        &[twin("a.0.b"), [set("a.0.c", json!(2))], [remove("a.0.b")]].concat()[..2],
        &format!("a:\n# <<< page: b: {line}\n- b: 1\n  c: 2\n"),
    );
    check(
        "a: 1\nb: 2\n",
        &[mark("b", MarkedConflict::Removed), set("b", json!(3))],
        "a: 1\n# <<< page: b: nothing (removed on the page since the last sync; keep the value below or remove it, then delete this line)\nb: 3\n",
    );
}

#[test]
fn a_new_item_can_be_marked() {
    let kept = |list: &str, after| Edit::Insert {
        list: path(list),
        after,
        value: json!({"id": 9}),
        mark: Some(MarkedConflict::Kept(9.into())),
    };
    let line = "# <<< page: slot 9 (removed from this file, changed on the page since the last sync; keep the item below or remove it, then delete this line)";
    check(
        "a:\n  - id: 8\nb: 1\n",
        &[kept("a", Some(0))],
        &format!("a:\n  - id: 8\n  {line}\n  - id: 9\nb: 1\n"),
    );
    check(
        "a:\n  - id: 8\nb: 1\n",
        &[kept("a", None), shift("a", 0, None)],
        &format!("a:\n  {line}\n  - id: 9\n  - id: 8\nb: 1\n"),
    );
    check("a: [{id: 8}]\n", &[kept("a", None)], &format!("{line}\na: [{{id: 9}}, {{id: 8}}]\n"));
    check("a: []\n", &[kept("a", None)], &format!("{line}\na:\n  - id: 9\n"));
    check(
        "b: 1\n",
        &[kept("a", None)],
        &format!("{}\nb: 1\na:\n  - id: 9\n", line.replace("page: ", "page: a: ")),
    );
    check(
        "a: [1]\n",
        &[mark("a", MarkedConflict::Order(vec![2.into(), 1.into()]))],
        "# <<< page: a: order 2, 1 (changed on the page since the last sync; keep the order below or take this one, then delete this line)\na: [1]\n",
    );
    let refused = patch("{\"a\": []}", &[kept("a", None)]);
    assert!(matches!(refused, Err(PatchError::NotMarkable { .. })), "{refused:?}");
    let refused = patch("{\"b\": []}", &[kept("a", None)]);
    assert!(matches!(refused, Err(PatchError::NotMarkable { .. })), "{refused:?}");
}

#[test]
fn a_conflict_in_json_cannot_be_marked() {
    let error = patch("{\n  \"a\": 1\n}\n", &[mark("a", MarkedConflict::Removed)]).unwrap_err();
    assert!(
        matches!(&error, PatchError::NotMarkable { path, span } if path.to_string() == "a" && span.start == 4)
    );
    assert!(patch("{a: 1}\n", &[mark("a", MarkedConflict::Removed)]).is_ok());
}

#[test]
fn edits_that_contradict_each_other_are_refused() {
    let text = "a:\n  b: 1\nc: [1, 2, 3]\n";
    for edits in [
        [set("a.b", json!(1)), set("a.b", json!(2))],
        [set("a", json!(1)), set("a.b", json!(2))],
        [set("a.b", json!(2)), remove("a")],
        [remove("a"), set("a.x", json!(2))],
        [remove("a.b"), set("a.b", json!(2))],
        [set("x.y", json!(1)), set("x", json!({}))],
        [set("x", json!({})), set("x.y", json!(1))],
        [set("x.y", json!(1)), insert("x", None, json!(1))],
        [shift("c", 0, Some(1)), shift("c", 0, Some(2))],
        [shift("c", 0, Some(1)), shift("c", 1, Some(0))],
        [shift("c", 0, Some(1)), remove("c.0")],
        [shift("c", 0, Some(1)), set("c", json!(1))],
        [insert("c", None, json!(1)), remove("c")],
        [remove("a"), mark("a.b", MarkedConflict::Removed)],
        [mark("a.b", MarkedConflict::Removed), remove("a")],
        [mark("a", MarkedConflict::Removed), remove("a")],
    ] {
        let refused = patch(text, &edits);
        assert!(matches!(refused, Err(PatchError::Overlap(_))), "{edits:?} {refused:?}");
    }
    assert_eq!(refused(text, &[shift("c", 1, Some(1))]), "conflicting edits to `c`");
}

#[test]
fn a_place_that_does_not_exist_is_refused() {
    let text = "a: 1\nc: [1]\nd: {x: 1}\n";
    for edit in [
        remove("b"),
        remove(""),
        set("", json!({})),
        set("a.b", json!(1)),
        set("c.1", json!(1)),
        set("c.b", json!(1)),
        set("d.0", json!(1)),
        set("x.0", json!(1)),
        insert("c", Some(1), json!(1)),
        insert("x", Some(0), json!(1)),
        insert("d", None, json!(1)),
        shift("c", 1, None),
        shift("c", 0, Some(1)),
        shift("x", 0, None),
    ] {
        let refused = patch(text, std::slice::from_ref(&edit));
        assert!(matches!(refused, Err(PatchError::NotFound(_))), "{edit:?} {refused:?}");
    }
}

#[test]
fn what_cannot_be_changed_in_place_is_refused_with_its_place() {
    assert!(matches!(
        patch("a: &x 1\nb: *x\n", &[set("a", json!(2))]),
        Err(PatchError::Invalid(_))
    ));
    for (text, edits) in [
        ("? a\n: b\n? c\n: d\n", vec![remove("a")]),
        ("a: [b: 1]\n", vec![set("a.0.c", json!(1))]),
        ("&x a: 1\nb: 2\n", vec![remove("b")]),
        ("a: &one x\n", vec![set("a", json!(1))]),
        ("a: {b, c: 1}\n", vec![set("a.c", json!(2))]),
        ("a: # 1\n  x # 2\n", vec![set("a", json!({"k": 1}))]),
        ("a: [1 # one\n  , 2]\n", vec![remove("a.1")]),
        ("a: [1, # one\n  2]\n", vec![insert("a", None, json!(0))]),
        ("a: [\n  # one\n  1]\n", vec![insert("a", None, json!(0))]),
        ("a: [1,\n  2]\n", vec![mark("a.1", MarkedConflict::Removed), shift("a", 1, None)]),
        ("a: 1\n", vec![remove("a")]),
        ("a: 1\rb: 2\n", vec![set("a", json!(2))]),
    ] {
        let refused = patch(text, &edits);
        let Err(PatchError::NotInPlace { span, .. }) = &refused else {
            panic!("{text:?} {refused:?}")
        };
        assert!(text.get(span.clone()).is_some());
    }
}

#[test]
fn an_equal_value_is_left_as_it_is_written() {
    let text = "a: 'x'\nb: {c: \"1\", d: 0.5}\ne: \"\\u0041\"\n";
    check(
        text,
        &[set("a", json!("x")), set("b", json!({"c": "1", "d": 0.5})), set("e", json!("A"))],
        text,
    );
}
