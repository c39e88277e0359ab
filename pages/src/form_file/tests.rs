use links_sdk::types::NotificationChannel;
use serde_json::{Value, json};

use super::*;

fn read(text: &str) -> Result<FormFile, FileDiagnostics> {
    FormFile::of(Document::from_bytes("booking.yaml", text.into())?)
}

/// Places and messages of the diagnostics.
fn refused(text: &str) -> Vec<String> {
    places(read(text).map(|file| file.form).unwrap_err())
}

fn places(bad: FileDiagnostics) -> Vec<String> {
    bad.places()
        .map(|(place, problem)| format!("{}:{} {}", place.line, place.column, problem.message))
        .collect()
}

const BOOKING: &str = "\
form: booking
title: Book a table
description: null
submissionsLimit: 50
fields:
  - {label: Name, type: text, required: true}
  - {key: size, label: Size, type: select, options: [S, M], multi: false, placeholder: null}
notificationChannelIds: [{$channel: Owner}, 12, {$channel: 13}]
";

#[test]
fn a_form_is_read_from_yaml_and_from_json() {
    let file = read(BOOKING).unwrap();
    let fields = json!({
        "title": "Book a table", "description": null, "submissionsLimit": 50,
        "fields": [
            { "label": "Name", "type": "text", "required": true },
            { "key": "size", "label": "Size", "type": "select", "options": ["S", "M"], "multi": false, "placeholder": null },
        ],
        "notificationChannelIds": [{ "$channel": "Owner" }, 12, { "$channel": 13 }],
    });
    assert_eq!((file.form.name.as_str(), &file.form.id), ("booking", &None));
    assert_eq!(json!(file.form.fields), fields);
    let mut whole = fields.clone();
    whole["form"] = json!("booking");
    whole["id"] = json!("6f1c");
    let from_json = read(&whole.to_string()).unwrap();
    assert_eq!(json!(from_json.form.fields), fields);
    assert_eq!(from_json.form.id.as_deref(), Some("6f1c"));
    assert_eq!(from_json.channels, file.channels);
    assert!(read("form: запись-1\ntitle: A\n").is_ok() && read("form: a\nid: x\n").is_ok());
}

#[test]
fn every_problem_of_a_form_is_reported_at_its_line_and_column() {
    let text = "\
form: Book a table
titel: Book
enabled: sometimes
submissionsLimit: -1
whatsappPhone: 7
buttonText:
active: true
fields:
  - {label: Name}
  - {label: ' ', type: text, requried: true}
  - words
  - {key: a, label: A, type: text}
  - {key: a, label: A, type: text}
notificationChannelIds: [Owner, {$chanel: Owner}, {$channel: ''}, {$channel: A, x: 1}, 0]
";
    assert_eq!(
        refused(text),
        [
            "1:1 `title` is missing; it identifies the form",
            "1:7 use 1 to 64 letters, digits, `.`, `_` and `-`, starting with a letter or a digit",
            "2:1 unknown field `titel`",
            "3:10 `enabled` must be true or false, not a string",
            "4:19 `submissionsLimit` must be a whole number (0 or more) or null, not -1",
            "5:16 `whatsappPhone` must be a string or null, not a number",
            "6:1 `buttonText` must be a string, not nothing",
            "7:1 `active` is set by the service and cannot be written",
            "9:5 `type` is missing",
            "10:13 `label` is empty",
            "10:30 unknown field `requried`",
            "11:5 a field must be a mapping with `label` and `type`, not a string",
            "13:11 the key a is already used by field 4",
            "14:26 a channel must be an ID or a reference, not a string",
            "14:33 this is not a reference to a channel",
            "14:62 `$channel` is empty",
            "14:68 `$channel` must be the only key of its mapping",
            "14:88 a channel must be an ID or a reference, not a number",
        ]
    );
    for (text, expected) in [
        ("", "1:1 the file is empty"),
        ("- a\n", "1:1 a form file must be a mapping, not a list"),
        ("profile: cafe\nslots: []\n", "1:1 this file is a page, not a form"),
        (
            "profile: cafe\nform: a\n",
            "2:1 a file must be a page (`profile`) or a form (`form`), not both",
        ),
        ("title: A\n", "1:1 `form` is missing (the local name of the form)"),
        ("form: 7\ntitle: A\n", "1:7 `form` must be the local name of the form, not a number"),
        ("form: a\ntitle: A\nfields: {}\n", "3:1 `fields` must be a list, not a mapping"),
    ] {
        assert_eq!(refused(text), [expected], "{text}");
    }
}

fn channels() -> Vec<NotificationChannel> {
    let channel = |id: i64, label: Value| json!({ "id": id, "channel": "email", "label": label, "recipient": "x", "isActive": true });
    let all = [
        channel(11, json!("Owner")),
        channel(12, json!("Bar")),
        channel(13, Value::Null),
        channel(14, json!("Bar")),
        channel(15, json!("13")),
    ];
    serde_json::from_value(all.into_iter().collect()).unwrap()
}

#[test]
fn a_channel_is_found_by_its_label_otherwise_by_its_id() {
    let list = |items: &str| format!("form: a\ntitle: A\nnotificationChannelIds: {items}\n");
    let resolved = |items: &str, channels: &[NotificationChannel]| {
        let mut file = read(&list(items)).unwrap();
        let ids = file.resolve_channels(channels).map_err(places);
        ids.map(|()| file.form.fields["notificationChannelIds"].clone())
    };
    let all = channels();
    let found = resolved("[{$channel: Owner}, 99, {$channel: 13}, {$channel: '12'}]", &all);
    assert_eq!(found, Ok(json!([11, 99, 15, 12])));
    let problems = resolved("[{$channel: Bar}, {$channel: Ownr}, {$channel: 7}]", &all);
    assert_eq!(
        problems.unwrap_err(),
        [
            "3:37 2 channels are called \"Bar\"",
            "3:54 no channel is called \"Ownr\"",
            "3:72 no channel is called \"7\"",
        ]
    );
    assert!(resolved("[{$channel: Owner}]", &[]).is_err());
    // An empty list stands for every verified channel.
    let bad = read(&list("none")).unwrap_err();
    let helps: Vec<_> = bad.places().filter_map(|(_, problem)| problem.help.as_deref()).collect();
    assert_eq!(
        helps,
        ["list the channels; without any, the service notifies every verified channel"]
    );
}
