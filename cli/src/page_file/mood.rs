//! Status badge in a page file, for pages on which statuses are switched off.

use links_sdk::Object;
use serde_json::{Map, Value};

use super::{At, Document, FieldDiagnostic};

/// Fields of the status badge.
const MOOD: [&str; 2] = ["moodText", "moodHours"];

/// Returns the fields of the status badge among the fields of a file, if it has a text.
pub(crate) fn fields(fields: &Object) -> Object {
    if fields.get("moodText").is_none_or(Value::is_null) {
        return Object::default();
    }
    let mood = fields.iter().filter(|(name, _)| MOOD.contains(&name.as_str()));
    mood.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Returns a diagnostic for each field of the status badge that a file sets, if the page's record has no `moodText`: then statuses are
/// switched off (the interface, section 2.1).
pub(crate) fn problems(
    document: &Document,
    fields: &Object,
    record: &Map<String, Value>,
) -> Vec<FieldDiagnostic> {
    let is_set = |name: &&str| fields.get(*name).is_some_and(|value| !value.is_null());
    let problem = |name: &str| {
        let message = "statuses are switched off for this page, so it cannot have one";
        document.locate(&[name], At::Key, message).help(format!("leave out `{name}`"))
    };
    let is_off = !record.contains_key("moodText");
    MOOD.iter().filter(|name| is_off && is_set(name)).map(|name| problem(name)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_refused_where_statuses_are_switched_off() {
        let text = "profile: cafe\nmoodText: Open\nmoodHours: 4\n";
        let document = Document::from_bytes("cafe.yaml", text.into()).unwrap();
        let places = |fields: Value, record: Value| -> Vec<_> {
            let fields = fields.as_object().cloned().unwrap().into();
            let problems = problems(&document, &fields, record.as_object().unwrap());
            problems.into_iter().map(|it| (it.path, it.span)).collect()
        };
        let set = json!({ "moodText": "Open", "moodHours": 4 });
        let both = [("moodText".to_owned(), 14..22), ("moodHours".to_owned(), 29..38)];
        assert_eq!(places(set.clone(), json!({ "title": "Cafe" })), both);
        assert_eq!(places(set, json!({ "moodText": null })), []);
        assert_eq!(places(json!({ "moodText": null, "title": "A" }), json!({})), []);
    }
}
