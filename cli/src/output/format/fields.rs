//! `--fields a,b.c`: paths into records. A number is an index in a list; a name after a list applies to each of its items.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Requested fields of a record, in the requested order.
#[derive(Clone, Debug)]
pub(crate) struct FieldSelection(Vec<String>);

impl FieldSelection {
    /// Parses names separated by commas.
    ///
    /// # Errors
    ///
    /// When a name or a part of a path is missing.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let paths: Vec<String> = text.split(',').map(|it| it.trim().to_owned()).collect();
        if paths.iter().any(|path| path.split('.').any(str::is_empty)) {
            return Err("must be comma-separated names, such as `id,data.title`".to_owned());
        }
        Ok(Self(paths))
    }

    /// Paths of the fields.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns the body with only these fields of each record in its `data`; other parts of the envelope stay.
    pub(crate) fn narrow(&self, mut body: Value) -> Value {
        let records = match body.get_mut("data") {
            Some(data) => data,
            None => &mut body,
        };
        match records {
            Value::Array(items) => items.iter_mut().for_each(|it| *it = self.of(it)),
            one => *one = self.of(one),
        }
        body
    }

    fn of(&self, record: &Value) -> Value {
        let mut kept = Value::Object(Map::new());
        for path in self.paths() {
            copy(record, &path.split('.').collect::<Vec<_>>(), &mut kept);
        }
        kept
    }

    /// Returns the paths of the fields that no record has, each with a similar path that the records have, and whether another record might
    /// have the field.
    pub(crate) fn missing(&self, records: &[Value]) -> Vec<(&str, Option<String>, bool)> {
        let missing =
            self.paths().filter(|path| !records.iter().any(|it| pick(it, path).is_some()));
        let known = |path: &str| {
            let mut known = BTreeSet::new();
            for record in records {
                add_paths(record, "", &mut known);
            }
            nearest_path(path, known)
        };
        let may_come = |field: &str| {
            let path: Vec<_> = field.split('.').collect();
            records.iter().any(|record| !record.is_object() || may_hold(record, &path))
        };
        let of = |field| (field, known(field), may_come(field));
        if records.is_empty() { Vec::new() } else { missing.map(of).collect() }
    }
}

/// Returns the path that is most like this one; for a name alone, also one that ends in a name like it.
fn nearest_path(path: &str, known: BTreeSet<String>) -> Option<String> {
    let deeper: Vec<String> =
        if path.contains('.') { Vec::new() } else { known.iter().cloned().collect() };
    links_pages::suggest::nearest(path, known).or_else(|| {
        let last = |deep: &String| deep.rsplit('.').next().unwrap_or(deep).to_owned();
        let name = links_pages::suggest::nearest(path, deeper.iter().map(last))?;
        deeper.into_iter().find(|deep| last(deep) == name)
    })
}

/// Collects the paths of all fields in a value.
fn add_paths(value: &Value, above: &str, paths: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
                add_paths(value, &path, paths);
                paths.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_paths(item, above, paths)),
        _ => {}
    }
}

/// Fields that the service omits from some records, or sends only if they are asked for.
const SOMETIMES: &[&str] =
    &["moodText", "moodHours", "slots", "options", "multi", "timeline", "insights", "previous"];

/// Fields whose content differs from record to record: that of a slot is determined by its type.
const OPEN: &[&str] = &["data", "computed"];

/// Tells whether the value at a path may be there in a similar value: below an open field or one that is empty here, or by the name of a
/// field that only some records have.
fn may_hold(value: &Value, path: &[&str]) -> bool {
    let Some((name, rest)) = path.split_first() else { return true };
    match value {
        Value::Null => true,
        Value::Object(object) => match object.get(*name) {
            Some(_) if OPEN.contains(name) => true,
            Some(value) => may_hold(value, rest),
            None => SOMETIMES.contains(name) || OPEN.contains(name),
        },
        Value::Array(items) => {
            let path = if name.parse::<usize>().is_ok() { rest } else { path };
            items.is_empty() || items.iter().any(|item| may_hold(item, path))
        }
        _ => false,
    }
}

/// Returns the value at a path, if the record has one.
pub(crate) fn pick<'r>(record: &'r Value, path: &str) -> Option<Cow<'r, Value>> {
    pick_parts(record, &path.split('.').collect::<Vec<_>>())
}

fn pick_parts<'r>(value: &'r Value, path: &[&str]) -> Option<Cow<'r, Value>> {
    let Some((name, rest)) = path.split_first() else { return Some(Cow::Borrowed(value)) };
    match (value, name.parse::<usize>()) {
        (Value::Object(object), _) => pick_parts(object.get(*name)?, rest),
        (Value::Array(items), Ok(at)) => pick_parts(items.get(at)?, rest),
        (Value::Array(items), Err(_)) => {
            let found = items.iter().filter_map(|item| pick_parts(item, path));
            let found: Vec<_> = found.map(Cow::into_owned).collect();
            (!found.is_empty()).then_some(Cow::Owned(Value::Array(found)))
        }
        _ => None,
    }
}

/// Copies the value at a path, with the objects and lists around it.
fn copy(from: &Value, path: &[&str], to: &mut Value) {
    let Some((name, rest)) = path.split_first() else {
        *to = from.clone();
        return;
    };
    match from {
        Value::Object(object) => {
            if let Some(value) = object.get(*name) {
                if !to.is_object() {
                    *to = Value::Object(Map::new());
                }
                copy(value, rest, &mut to[*name]);
            }
        }
        Value::Array(items) => {
            let at = name.parse::<usize>().ok();
            if at.is_some_and(|at| at >= items.len()) {
                return;
            }
            if !to.is_array() {
                *to = Value::Array(Vec::new());
            }
            let Value::Array(kept) = to else { return };
            if let Some(at) = at {
                kept.resize(kept.len().max(at + 1), Value::Null);
                copy(&items[at], rest, &mut kept[at]);
            } else {
                kept.resize(items.len(), Value::Object(Map::new()));
                items.iter().zip(kept).for_each(|(item, kept)| copy(item, path, kept));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn narrowed(fields: &str, body: Value) -> Value {
        FieldSelection::parse(fields).unwrap().narrow(body)
    }

    #[test]
    fn a_name_alone_is_also_looked_for_deeper() {
        let slot = json!({ "id": 1, "type": "button", "data": { "title": "Menu" } });
        let meant = |fields: &str| {
            let fields = FieldSelection::parse(fields).unwrap();
            fields.missing(std::slice::from_ref(&slot)).remove(0).1
        };
        assert_eq!(meant("titel").as_deref(), Some("data.title"));
        assert_eq!(meant("typ").as_deref(), Some("type"));
        assert_eq!(meant("data.titel").as_deref(), Some("data.title"));
        assert_eq!(meant("colour"), None);
    }

    #[test]
    fn selected_fields_keep_the_envelope_and_their_nesting() {
        let body = json!({ "data": [{ "id": 1, "a": { "b": 2, "c": 3 }, "l": [{ "x": 1, "y": 2 }, { "x": 3 }] }], "meta": { "total": 1 } });
        assert_eq!(
            narrowed("id,a.b,nothing", body.clone()),
            json!({ "data": [{ "id": 1, "a": { "b": 2 } }], "meta": { "total": 1 } })
        );
        assert_eq!(
            narrowed("a.c,a.b", body.clone())["data"][0],
            json!({ "a": { "c": 3, "b": 2 } })
        );
        assert_eq!(
            narrowed("l.x,l.y", body.clone())["data"][0],
            json!({ "l": [{ "x": 1, "y": 2 }, { "x": 3 }] })
        );
        assert_eq!(narrowed("l.1.x,l.1.y", body)["data"][0], json!({ "l": [null, { "x": 3 }] }));
        assert_eq!(narrowed("a", json!({ "a": 1, "b": 2 })), json!({ "a": 1 }));
    }

    #[test]
    fn a_path_picks_its_value_or_none() {
        let record = json!({ "a": { "b": null }, "l": [{ "x": 1 }, { "x": 3 }], "n": 4 });
        let pick = |path| pick(&record, path).map(Cow::into_owned);
        assert_eq!(pick("a.b"), Some(Value::Null));
        assert_eq!(pick("l.x"), Some(json!([1, 3])));
        assert_eq!(pick("l.1.x"), Some(json!(3)));
        for nothing in ["b", "a.c", "n.a", "l.2", "l.y", "n.0"] {
            assert_eq!(pick(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn missing_fields_are_listed_with_a_similar_name() {
        let records = [json!({ "title": "x", "data": { "link": 1 } })];
        let fields = FieldSelection::parse("titel,data.lnk,title,data.qqqqqq").unwrap();
        let missing: Vec<_> = fields.missing(&records).into_iter().collect();
        let found = missing.iter().map(|it| (it.0, it.1.as_deref(), it.2));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                ("titel", Some("title"), false),
                ("data.lnk", Some("data.link"), true),
                ("data.qqqqqq", None, true)
            ]
        );
        assert!(fields.missing(&[]).is_empty());
    }

    #[test]
    fn a_field_may_come_only_where_another_record_can_have_it() {
        let record = json!({ "id": 1, "data": {}, "computed": {}, "mood": null, "socials": [], "limits": { "slots": { "used": 1 } }, "fields": [{ "key": "a" }] });
        for (field, expected) in [
            ("data.nothing", true),
            ("computed.imageUrl", true),
            ("mood.text", true),
            ("socials.link", true),
            ("socials.3.link", true),
            ("fields.options", true),
            ("moodText", true),
            ("timeline", true),
            ("limits.slots.usd", false),
            ("fields.kei", false),
            ("fields.0.kei", false),
            ("fields.7.key", true),
            ("id.x", false),
            ("titel", false),
        ] {
            let path: Vec<_> = field.split('.').collect();
            assert_eq!(may_hold(&record, &path), expected, "{field}");
        }
    }

    #[test]
    fn empty_field_names_are_refused() {
        for text in ["", "a,", ",a", "a..b", ".a"] {
            FieldSelection::parse(text).unwrap_err();
        }
    }
}
