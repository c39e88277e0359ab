//! Escaping of slot data in a page file. There a key that begins with `$` makes a reference (`$upload`, `$form`); such a key of the
//! service's own is written with one more `$`, so that data of the service never becomes a reference.

use serde_json::Value;

use links_sdk::Object;

/// Returns data of the service as a page file holds it: every key that begins with `$`, at any depth, begins with `$$`.
///
/// ```
/// use links_pages::apply;
///
/// let data: links_sdk::Object = serde_json::from_str(r#"{"image": {"$upload": "/etc/passwd"}}"#)?;
/// assert_eq!(serde_json::to_string(&apply::literal(&data))?, r#"{"image":{"$$upload":"/etc/passwd"}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn literal(data: &Object) -> Object {
    data.iter().map(|(key, value)| (written(key), literal_value(value))).collect()
}

/// Returns the key that a key of a page file stands for, where it is an escaped one: `$upload` for `$$upload`.
///
/// ```
/// assert_eq!(links_pages::apply::literal_key("$$upload"), Some("$upload"));
/// assert_eq!(links_pages::apply::literal_key("$upload"), None);
/// ```
pub fn literal_key(written: &str) -> Option<&str> {
    written.strip_prefix('$').filter(|key| key.starts_with('$'))
}

fn written(key: &str) -> String {
    if key.starts_with('$') { format!("${key}") } else { key.to_owned() }
}

fn literal_value(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(literal_value).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (written(key), literal_value(value))).collect()
        }
        plain => plain.clone(),
    }
}
