//! Lines about the changes of a lead form.

use links_sdk::Object;
use links_sdk::apply::same;
use serde_json::{Map, Value};

use super::model::{Change, differences};
use super::{change, text};
use crate::output::{Style, StyledLine};
use crate::sanitize;
use crate::ui::width;

const FIELDS: &str = "fields";

/// Lines about the changes of a form, as those of a slot: a line for each value. Its fields are named by their keys; `removed` are the names of
/// those that are removed.
pub(crate) fn form_lines(before: &Object, changed: &Object, removed: &[String]) -> Vec<StyledLine> {
    let width = width();
    let mut lines = value_lines(before, changed.iter().filter(|(name, _)| *name != FIELDS));
    lines.extend(fields(&list(before.get(FIELDS)), &list(changed.get(FIELDS)), width));
    lines.extend(removed.iter().map(|name| {
        StyledLine::new(Style::Removed, format!("    - field {}", sanitize::line(name)))
    }));
    lines
}

/// Lines about new values of a record: a line for each value that differs.
pub(crate) fn value_lines<'v>(
    before: &'v Object,
    changed: impl Iterator<Item = (&'v String, &'v Value)>,
) -> Vec<StyledLine> {
    let mut changes = Vec::new();
    for (name, new) in changed {
        differences(name, before.get(name), Some(new), &mut changes);
    }
    shown(&changes, width())
}

fn shown(changes: &[Change<'_>], width: usize) -> Vec<StyledLine> {
    changes.iter().flat_map(|it| change(it, width)).collect()
}

/// Lines about the fields of the form that stay or are new, and about their order.
fn fields(
    old: &[&Map<String, Value>],
    new: &[&Map<String, Value>],
    width: usize,
) -> Vec<StyledLine> {
    let place = |field: &Map<String, Value>| {
        let key = field.get("key").filter(|key| !key.is_null())?;
        old.iter().position(|old| old.get("key") == Some(key))
    };
    let mut lines = Vec::new();
    for field in new {
        match place(field) {
            Some(at) => lines.extend(changed_field(old[at], field, width)),
            None => lines.extend(new_field(field, width)),
        }
    }
    let places: Vec<usize> = new.iter().filter_map(|field| place(field)).collect();
    if !places.is_sorted() {
        let order: Vec<&str> = new.iter().map(|field| name(field)).collect();
        let text = format!("    order of the fields: {}", order.join(", "));
        lines.push(StyledLine::new(Style::Changed, text::cut(&text, width)));
    }
    lines
}

fn changed_field(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    width: usize,
) -> Vec<StyledLine> {
    let key = old.get("key").and_then(Value::as_str).unwrap_or_default();
    let mut changes = Vec::new();
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    for attribute in names {
        let (old, new) = (old.get(attribute), new.get(attribute));
        let value = |it: Option<&Value>| it.cloned().unwrap_or_default();
        if !same(&value(old), &value(new)) {
            differences(&format!("fields.{key}.{attribute}"), old, new, &mut changes);
        }
    }
    shown(&changes, width)
}

fn new_field(field: &Map<String, Value>, width: usize) -> Vec<StyledLine> {
    let heading = format!("    + field {}", text::value(&Value::from(name(field))));
    let values =
        field.iter().filter(|(attribute, value)| *attribute != "label" && !value.is_null());
    let value = |(attribute, value): (&String, &Value)| {
        format!("        {}: {}", sanitize::line(attribute), text::value(value))
    };
    let lines = std::iter::once(heading).chain(values.map(value));
    lines.map(|line| StyledLine::new(Style::Added, text::cut(&line, width))).collect()
}

fn list(fields: Option<&Value>) -> Vec<&Map<String, Value>> {
    fields.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect()
}

/// Returns the label of a field, else its key.
fn name(field: &Map<String, Value>) -> &str {
    let text = |attribute: &str| field.get(attribute).and_then(Value::as_str);
    text("label").or_else(|| text("key")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Object {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn each_change_of_a_form_has_a_line_of_its_own() {
        let before = object(json!({ "title": "Old", "fields": [
            { "key": "name", "label": "Name", "type": "text", "required": true },
            { "key": "tel", "label": "Phone", "type": "phone", "required": false },
            { "key": "x", "label": "X", "type": "text" },
        ] }));
        let changed = object(json!({ "title": "New", "buttonText": "Go", "fields": [
            { "key": "tel", "label": "Phone", "type": "phone", "required": true },
            { "key": "name", "label": "Name ", "type": "text", "required": true },
            { "label": "More\u{1b}", "type": "text", "required": null },
        ] }));
        let lines = form_lines(&before, &changed, &["X".to_owned()]);
        let lines: Vec<_> = lines.iter().map(StyledLine::text).collect();
        let expected = [
            "    title: \"Old\" → \"New\"",
            "    + buttonText: \"Go\"",
            "    fields.tel.required: false → true",
            "    + field \"More\\u{1b}\"",
            "        type: \"text\"",
            "    order of the fields: Phone, Name , More\\u{1b}",
            "    - field X",
        ];
        assert_eq!(lines, expected);
    }
}
