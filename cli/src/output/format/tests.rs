use bytes::Bytes;
use serde_json::{Value, json};

use super::*;
use crate::output::{Column, StyledLine};

const COLUMNS: &[Column] = &[Column::at("ID", "id"), Column::at("TITLE", "data.title")];
const TYPES: &[Column] = &[Column::at("TYPE", "type")];
/// Number that no float can hold, a list, an object, and a string with every character that CSV and YAML have to quote.
const LIST: &str = r#"{ "data": [ {"id": 12345678901234567890123, "data": {"title": "no, \"yes\"\n| - x"}, "new": [1, {"a": null}]},
 {"id": 2, "data": [], "more": true} ], "meta": {"total": 2} }"#;

fn printed(shape: &OutputOptions, body: &str, view: View) -> Result<String> {
    let outcome = CommandOutput::new(Body::Service(Bytes::copy_from_slice(body.as_bytes())), view);
    Ok(match shape.print(&outcome)? {
        Rendering::Text(_, text) => text.into_owned(),
        Rendering::Grid(grid) => format!("{grid:?}"),
        Rendering::Markdown(_) | Rendering::Lines(_) => "(view)".to_owned(),
    })
}

fn shape(format: Format) -> OutputOptions {
    OutputOptions { format, ..OutputOptions::default() }
}

fn filtered(filter: &str, format: Format, raw: bool) -> Result<String> {
    let shape = OutputOptions { query: Some(Query::new(filter)?), raw, ..shape(format) };
    printed(&shape, LIST, View::Table(COLUMNS))
}

#[test]
fn every_format_is_named_in_the_list_of_formats() {
    let words: Vec<_> = Format::value_variants().iter().map(|it| it.word()).collect();
    assert_eq!(Format::WORDS, format!("one of {}", words.join(", ")));
}

#[test]
fn json_is_printed_as_received_and_jsonl_keeps_every_digit() {
    assert_eq!(printed(&shape(Format::Json), LIST, View::Any).unwrap(), format!("{LIST}\n"));
    let lines = printed(&shape(Format::Jsonl), LIST, View::Any).unwrap();
    assert_eq!(lines.lines().count(), 2);
    assert!(lines.starts_with(r#"{"id": 12345678901234567890123, "#), "{lines}");
    let pretty = "{\"data\":\n{\"id\":\n1}}";
    assert_eq!(printed(&shape(Format::Jsonl), pretty, View::Any).unwrap(), "{\"id\":1}\n");
}

#[test]
fn yaml_has_the_same_value_as_the_json() {
    let text =
        printed(&shape(Format::Yaml), &LIST.replace("12345678901234567890123", "1"), View::Any)
            .unwrap();
    let value: Value = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(value["data"][0]["data"]["title"], "no, \"yes\"\n| - x");
    assert_eq!(value["meta"], json!({ "total": 2 }));
}

#[test]
fn csv_has_every_field_of_every_record() {
    let text = printed(&shape(Format::Csv), LIST, View::Table(COLUMNS)).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(reader.headers().unwrap(), ["id", "data.title", "new", "data", "more"].as_slice());
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(&rows[0][1], "no, \"yes\"\n| - x");
    assert_eq!(&rows[0][2], r#"[1,{"a":null}]"#);
    assert_eq!((&rows[1][0], &rows[1][3], &rows[1][4]), ("2", "[]", "true"));
}

#[test]
fn ids_are_the_identifiers_of_the_records() {
    let ids = |body, view| printed(&shape(Format::Ids), body, view).unwrap();
    assert_eq!(ids(r#"{"data":[{"id":1},{"id":"x"},{}]}"#, View::Any), "1\nx\n");
    assert_eq!(ids(r#"{"data":[{"type":"text","id":null}]}"#, View::Table(TYPES)), "text\n");
    assert_eq!(ids(r#"{"data":{"path":"a/b"}}"#, View::Record(&["path"])), "a/b\n");
    assert_eq!(ids(r#"{"data":["a",2,null,[1]]}"#, View::Any), "a\n2\n");
}

#[test]
fn json_of_any_shape_is_printed_in_every_format() {
    for body in [
        "{}",
        "[]",
        "null",
        "7",
        r#""x""#,
        r#"{"data":null}"#,
        r#"{"data":[[1],{"a":{"b":{}}},null]}"#,
        r#"{"data":{"x":[]},"y":1}"#,
    ] {
        for format in Format::value_variants() {
            for view in [
                View::Any,
                View::Table(COLUMNS),
                View::Record(&["id"]),
                View::Lines(vec![StyledLine::plain("x")]),
            ] {
                let text = printed(&shape(*format), body, view).unwrap();
                if *format == Format::Json {
                    assert_eq!(text, format!("{body}\n"));
                }
            }
        }
    }
}

#[test]
fn a_body_that_is_not_json_is_a_server_error() {
    // The client has checked what is printed as it was received.
    for format in Format::value_variants().iter().filter(|it| **it != Format::Json) {
        let failure = printed(&shape(*format), "<html>log in</html>", View::Any).unwrap_err();
        assert_eq!(failure.exit(), crate::error::exit_code::Exit::Server);
    }
}

#[test]
fn results_of_a_filter_are_printed_in_the_selected_format() {
    assert_eq!(filtered("length, .[1].more", Format::Json, false).unwrap(), "2\ntrue\n");
    assert_eq!(
        filtered(".[0].data.title | ascii_upcase", Format::Json, false).unwrap(),
        "\"NO, \\\"YES\\\"\\n| - X\"\n"
    );
    assert_eq!(filtered(".[1] | keys[]", Format::Json, true).unwrap(), "data\nid\nmore\n");
    assert_eq!(filtered("map({n: .id})[1:]", Format::Csv, false).unwrap(), "n\n2\n");
    assert_eq!(
        filtered(".[] | {more}", Format::Jsonl, false).unwrap(),
        "{\"more\":null}\n{\"more\":true}\n"
    );
    assert_eq!(filtered("empty", Format::Json, false).unwrap(), "");
    assert_eq!(filtered("1, halt, 2", Format::Json, false).unwrap(), "1\n");
}

#[test]
fn a_filter_sees_the_data_and_the_content_of_every_slot_as_an_object() {
    let root = |body| {
        let shape = OutputOptions { query: Some(Query::new(".").unwrap()), ..shape(Format::Json) };
        printed(&shape, body, View::Any).unwrap()
    };
    assert_eq!(root(r#"{"data": {"a": 1}, "meta": {}}"#), "{\"a\":1}\n");
    assert_eq!(root(r#"{"data": null}"#), "null\n");
    assert_eq!(root(r#"{"a": 1}"#), "{\"a\":1}\n");
    assert_eq!(root("[1]"), "[1]\n");
    // The type of what the service sent decides whether it is a slot.
    let slots = r#"{"data": [{"type": "divider", "data": []}]}"#;
    assert_eq!(root(slots), "[{\"type\":\"divider\",\"data\":{}}]\n");
    let fields = FieldSelection::parse("data").unwrap();
    let shape = OutputOptions { fields: Some(fields), ..shape(Format::Json) };
    assert_eq!(printed(&shape, slots, View::Any).unwrap(), "{\"data\":[{\"data\":{}}]}\n");
    let whole = printed(&super::tests::shape(Format::Json), slots, View::Any).unwrap();
    assert_eq!(whole, format!("{slots}\n"));
}

#[test]
fn the_formatters_of_jq_format_rows_and_queries() {
    let made = |filter: &str| filtered(filter, Format::Json, true).unwrap();
    for (filter, expected) in [
        (r#"["a", "b\"c", 1.5, true, null, ""] | @csv"#, "\"a\",\"b\"\"c\",1.5,true,,\"\"\n"),
        (
            r#"["a\tb", "c\\d", "e\nf\r", 1, null, false] | @tsv"#,
            "a\\tb\tc\\\\d\te\\nf\\r\t1\t\tfalse\n",
        ),
        (r#""a b/c?d=é&e~f" | @uri"#, "a%20b%2Fc%3Fd%3D%C3%A9%26e~f\n"),
        (r#"@csv "row: \(["x"])""#, "row: \"x\"\n"),
        (r#"@uri "?q=\("a b")""#, "?q=a%20b\n"),
        (r"[] | @csv, @tsv", "\n\n"),
        (r"[.[1] | [.id, .new] | @tsv] | .[0]", "2\t\n"),
    ] {
        assert_eq!(made(filter), expected, "{filter}");
    }
    for filter in [r#""x" | @csv"#, "[[1]] | @csv", "[{}] | @tsv", "{} | @tsv"] {
        let failure = filtered(filter, Format::Json, false).unwrap_err().to_string();
        assert!(failure.contains("CSV") || failure.contains("TSV"), "{filter}: {failure}");
    }
}

#[test]
fn an_invalid_or_failing_filter_is_a_usage_error() {
    for filter in [".[", "nonsense", "$ENV", "env", ". as", "\"", "input"] {
        let failure = Query::new(filter).unwrap_err();
        assert_eq!(failure.exit(), crate::error::exit_code::Exit::Usage, "{filter}");
        assert!(
            failure.to_string().starts_with("--jq: ") && failure.to_string().len() > 12,
            "{failure}"
        );
    }
    for filter in [".x", "nan", "error(\"no\")", "{(1): 2}"] {
        let failure = filtered(filter, Format::Json, false).unwrap_err();
        assert_eq!(failure.exit(), crate::error::exit_code::Exit::Usage, "{filter}");
    }
}

#[test]
fn an_error_of_a_filter_is_a_short_line_that_names_the_place() {
    for (filter, expected) in [
        (".[", "missing closing bracket"),
        (".[] | @ | x", "expected identifier at `| x`"),
        (".[] | titel", "unknown filter `titel`"),
    ] {
        assert_eq!(Query::new(filter).unwrap_err().to_string(), format!("--jq: {expected}"));
    }
    let long = |filter: &str| filtered(filter, Format::Json, false).unwrap_err();
    let failure = long("[range(1000)] | .title");
    let message = failure.to_string();
    assert!(message.starts_with("--jq: cannot index [0,1,2,"), "{message}");
    assert!(message.ends_with("998,999] with \"title\""), "{message}");
    assert!(message.chars().count() < 160, "{message}");
    assert_eq!(failure.hint(), Some(super::query::LIST));
    let message = long(".[1].id + \"x\" | length").to_string();
    assert_eq!(message, "--jq: cannot calculate 2 + \"x\"");
    let message = long("repeat(1) | error(\"no\")").to_string();
    assert_eq!(message, "--jq: \"no\"");
}
