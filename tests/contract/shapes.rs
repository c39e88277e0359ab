//! The records of section 2 as tables of fields, and the check of a value against them.

use serde_json::Value;

use crate::support::Answer;

/// Field name and kind; a kind is `integer`, `string or null`, `optional boolean` and the like.
pub(crate) type Fields = &'static [(&'static str, &'static str)];

pub(crate) const PROFILE: Fields = &[
    ("id", "integer"),
    ("login", "string"),
    ("title", "string or null"),
    ("description", "string or null"),
    ("avatar", "string or null"),
    ("bgImage", "string or null"),
    ("socials", "array"),
    ("themeId", "integer"),
    ("languageId", "integer or null"),
    ("moodText", "optional string or null"),
    ("moodHours", "optional integer or null"),
    ("computed", "object"),
    ("slots", "optional array"),
];

pub(crate) const PROFILE_COMPUTED: Fields = &[
    ("url", "string"),
    ("avatarUrl", "string or null"),
    ("bgImageUrl", "string or null"),
    ("socials", "array"),
    ("isMain", "boolean"),
    ("status", "boolean"),
    ("moodActive", "optional boolean"),
    ("moodExpiresAt", "optional string or null"),
];

pub(crate) const SLOT: Fields =
    &[("id", "integer"), ("type", "string"), ("data", "object"), ("supported", "boolean")];

pub(crate) const SLOT_TYPE: Fields = &[
    ("type", "string"),
    ("title", "string"),
    ("description", "string"),
    ("writable", "boolean"),
    ("schema", "object"),
    ("computed", "object"),
    ("enumLabels", "object"),
    ("example", "object"),
];

pub(crate) const FORM: Fields = &[
    ("id", "string"),
    ("title", "string"),
    ("description", "string or null"),
    ("buttonText", "string"),
    ("successMessage", "string"),
    ("whatsappPhone", "string or null"),
    ("whatsappMessage", "string or null"),
    ("fields", "array"),
    ("enabled", "boolean"),
    ("submissionsLimit", "integer or null"),
    ("activeTill", "string or null"),
    ("notificationChannelIds", "array"),
    ("active", "boolean"),
    ("createdAt", "string"),
];

pub(crate) const FORM_FIELD: Fields = &[
    ("key", "string"),
    ("type", "string"),
    ("label", "string"),
    ("placeholder", "string or null"),
    ("required", "boolean"),
    ("options", "optional array or null"),
    ("multi", "optional boolean or null"),
];

pub(crate) const CHANNEL: Fields = &[
    ("id", "integer"),
    ("channel", "string"),
    ("label", "string or null"),
    ("recipient", "string"),
    ("isActive", "boolean"),
];

pub(crate) const SETTINGS: Fields = &[
    ("profileId", "integer"),
    ("login", "string"),
    ("languageId", "integer or null"),
    ("languageCode", "string or null"),
    ("computed", "object"),
    ("options", "object"),
];

pub(crate) const ANALYTICS_META: Fields = &[
    ("generatedAt", "string"),
    ("cacheSeconds", "integer"),
    ("retentionDays", "integer"),
    ("dataStartsAt", "string"),
    ("uniquesAreApproximate", "boolean"),
];

pub(crate) const ME: Fields = &[
    ("userId", "integer"),
    ("name", "string"),
    ("abilities", "array"),
    ("canWrite", "boolean"),
    ("limits", "object"),
    ("analytics", "object"),
];

pub(crate) const FILE: Fields = &[
    ("path", "string"),
    ("src", "string"),
    ("width", "integer or null"),
    ("height", "integer or null"),
];

/// Checks that `value` has every field of the table and no other.
#[track_caller]
pub(crate) fn record(what: &str, value: &Value, fields: Fields) {
    at_least(what, value, fields);
    for name in value.as_object().expect("checked above").keys() {
        assert!(
            fields.iter().any(|(known, _)| known == name),
            "{what} has the unknown field {name}: {value}"
        );
    }
}

/// Checks that `value` has every field of the table.
#[track_caller]
pub(crate) fn at_least(what: &str, value: &Value, fields: Fields) {
    let object = value.as_object().unwrap_or_else(|| panic!("{what} is no object: {value}"));
    for (name, kind) in fields {
        let (optional, kind) =
            kind.strip_prefix("optional ").map_or((false, *kind), |kind| (true, kind));
        match object.get(*name) {
            Some(found) => assert!(fits(found, kind), "{what}.{name} is not {kind}: {found}"),
            None => assert!(optional, "{what} lacks {name}: {value}"),
        }
    }
}

/// Checks each record of a list, and returns the list.
#[track_caller]
pub(crate) fn records<'a>(what: &str, list: &'a Value, fields: Fields) -> &'a [Value] {
    let list = list.as_array().unwrap_or_else(|| panic!("{what} is no list: {list}"));
    for (index, value) in list.iter().enumerate() {
        record(&format!("{what}[{index}]"), value, fields);
    }
    list
}

/// Checks a slot, which may carry fields that the interface does not show (2.2).
#[track_caller]
pub(crate) fn slot(what: &str, value: &Value) {
    at_least(what, value, SLOT);
}

#[track_caller]
pub(crate) fn profile(what: &str, value: &Value) {
    record(what, value, PROFILE);
    record(&format!("{what}.computed"), &value["computed"], PROFILE_COMPUTED);
    records(
        &format!("{what}.socials"),
        &value["socials"],
        &[("link", "string"), ("order", "integer")],
    );
    records(
        &format!("{what}.computed.socials"),
        &value["computed"]["socials"],
        &[("icon", "string")],
    );
}

#[track_caller]
pub(crate) fn form(what: &str, value: &Value) {
    record(what, value, FORM);
    records(&format!("{what}.fields"), &value["fields"], FORM_FIELD);
    assert!(
        value["notificationChannelIds"]
            .as_array()
            .expect("checked above")
            .iter()
            .all(Value::is_i64),
        "{what}.notificationChannelIds holds more than ids: {value}"
    );
}

#[track_caller]
pub(crate) fn settings(what: &str, value: &Value) {
    record(what, value, SETTINGS);
    record(what, &value["computed"], &[("url", "string"), ("effectiveLanguageCode", "string")]);
    record(what, &value["options"], &[("languages", "array"), ("login", "object")]);
    let languages = &value["options"]["languages"];
    records(what, languages, &[("id", "integer"), ("code", "string"), ("name", "string")]);
    record(
        what,
        &value["options"]["login"],
        &[
            ("minLength", "integer"),
            ("maxLength", "integer"),
            ("pattern", "string"),
            ("reserved", "array"),
        ],
    );
}

/// Checks the error envelope of 2.7.
#[track_caller]
pub(crate) fn error(answer: &Answer) {
    let what = format!("the error of {} ({})", answer.asked, answer.status);
    record(
        &what,
        &answer.json,
        &[
            ("message", "string"),
            ("code", "string"),
            ("errors", "optional object or null"),
            ("documentation", "optional string"),
        ],
    );
    if answer.status == 422 {
        let errors = answer.json["errors"]
            .as_object()
            .unwrap_or_else(|| panic!("{what} names no field: {}", answer.text));
        for (path, messages) in errors {
            let messages = messages
                .as_array()
                .unwrap_or_else(|| panic!("{what}: {path} holds no list: {messages}"));
            assert!(
                !messages.is_empty() && messages.iter().all(Value::is_string),
                "{what}: {path} holds no list of strings: {messages:?}"
            );
        }
    }
}

/// Fails unless the text is an ISO 8601 date or timestamp.
#[track_caller]
pub(crate) fn iso_8601(what: &str, value: &Value) {
    let text = value.as_str().unwrap_or_else(|| panic!("{what} is no string: {value}"));
    let reads =
        text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::Date>().is_ok();
    assert!(reads, "{what} is not ISO 8601: {text}");
}

fn fits(value: &Value, kind: &str) -> bool {
    kind.split(" or ").any(|kind| match kind {
        "integer" => value.is_i64(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        // An empty object may be written as an empty list (2.2).
        "object" => value.is_object() || value.as_array().is_some_and(Vec::is_empty),
        _ => unreachable!("{kind} is no kind"),
    })
}
