//! Beginning of the URLs of files, which the path of a file follows.

use links_sdk::{Object, Slot};
use serde_json::Value;

/// Returns the beginning of the URLs of files for a text: from the page as the service renders it, else as [`image_base`]. Somebody may have
/// written what looks like it into a text of the page, so nothing is loaded from there. `None` if the page shows no file.
pub(super) fn file_base(markdown: Option<&str>, record: &Object, slots: &[Slot]) -> Option<String> {
    let shown = markdown.and_then(|text| shown_base(text, record, slots));
    shown.or_else(|| image_base(record))
}

/// Returns the beginning of the URLs of images: from the URL that the service computes for the avatar or the background image. `None` without
/// one.
pub(super) fn image_base(record: &Object) -> Option<String> {
    computed_base(record, "avatar", "avatarUrl")
        .or_else(|| computed_base(record, "bgImage", "bgImageUrl"))
}

fn computed_base(record: &Object, path: &str, url: &str) -> Option<String> {
    let path = record.get(path)?.as_str()?;
    let url = record.get("computed")?.get(url)?.as_str()?;
    Some(url.strip_suffix(path).filter(|base| is_base(base))?.to_owned())
}

fn shown_base(text: &str, record: &Object, slots: &[Slot]) -> Option<String> {
    let mut paths = Vec::new();
    paths.extend(record.get("avatar").and_then(Value::as_str));
    for slot in slots {
        slot.data.values().for_each(|value| strings(value, &mut paths));
    }
    paths.into_iter().filter(|path| path.contains('/')).find_map(|path| {
        let end = text.find(&format!("{path})"))?;
        let start = text[..end].rfind("](")? + 2;
        let base = &text[start..end];
        is_base(base).then(|| base.to_owned())
    })
}

fn is_base(text: &str) -> bool {
    text.ends_with('/') && text.contains("://")
}

/// Collects the strings in a value that are neither text nor URLs.
fn strings<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) if !text.contains("://") && !text.contains(char::is_whitespace) => {
            found.push(text);
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, found)),
        Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_beginning_is_found_by_the_path_of_a_file() {
        let record = json!({"avatar": "up/logo.png", "bgImage": "up/sea.png", "computed": {"bgImageUrl": "http://b.example/up/sea.png"}});
        let record: Object = serde_json::from_value(record).unwrap();
        let slots = json!([{"id": 1, "type": "picture", "data": {"title": "a b/c", "image": "up/a.jpg"}, "supported": true}]);
        let slots: Vec<Slot> = serde_json::from_value(slots).unwrap();
        let base = |text| file_base(text, &record, &slots);
        let shown = Some("https://files.example/v2/".to_owned());
        assert_eq!(base(Some("![Avatar](https://files.example/v2/up/logo.png)")), shown);
        let linked = "[![x](https://files.example/v2/up/a.jpg)](https://a.example)";
        assert_eq!(base(Some(linked)), shown);
        let computed = Some("http://b.example/".to_owned());
        assert_eq!(base(Some("![x](up/a.jpg)")), computed);
        assert_eq!(base(None), computed);
        assert_eq!(file_base(None, &Object::default(), &slots), None);
        assert_eq!(image_base(&record).as_deref(), Some("http://b.example/"));
    }
}
