//! Flattening of records into fields with paths such as `data.title`.

use serde_json::Value;

/// Fields of a record by path; if `deep`, also the fields of list items.
pub(crate) fn flat(record: &Value, deep: bool) -> Vec<(String, &Value)> {
    let mut fields = Vec::new();
    flatten(record, String::new(), deep, &mut fields);
    fields
}

pub(crate) fn flatten<'v>(
    value: &'v Value,
    name: String,
    deep: bool,
    to: &mut Vec<(String, &'v Value)>,
) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (key, value) in object {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                flatten(value, name, deep, to);
            }
        }
        Value::Array(items) if deep && items.iter().any(|it| it.is_object() || it.is_array()) => {
            for (at, item) in items.iter().enumerate() {
                let name = if name.is_empty() { at.to_string() } else { format!("{name}.{at}") };
                flatten(item, name, deep, to);
            }
        }
        Value::Object(_) => {}
        other => to.push((if name.is_empty() { "value".to_owned() } else { name }, other)),
    }
}
