//! URLs at which the service serves the images of a page, by their paths. Only what the service computes counts, never what a user wrote.

use links_pages::apply::DesiredPage;

use crate::apply::image::find_strings;
use crate::context::prelude::*;
use links_pages::page_file::ReferencePlace;
use links_pages::page_file::local_image::has_image_ending;

/// Ending of the computed keys that hold the URL of the key before it: `imageUrl` of `image`.
const URL: &str = "Url";

/// Fields of a page that hold the path of an image.
const FIELDS: [&str; 2] = ["avatar", "bgImage"];

/// Returns the URLs that the record of a page and its slots give, by the path of the image.
pub(super) fn urls(page: &PageSnapshot, types: &SlotTypeCatalog) -> BTreeMap<String, String> {
    let mut urls = BTreeMap::new();
    if let Some(Value::Object(computed)) = page.record.get("computed") {
        add(&page.record, computed.iter(), &mut urls);
    }
    for slot in &page.slots {
        if let Some(Value::Object(computed)) = slot.extra.get("computed") {
            add(&slot.data, computed.iter(), &mut urls);
        }
        let known = types.get(&slot.kind).map(|kind| &kind.computed);
        let is_computed = |key: &str| known.is_some_and(|known| known.contains_key(key));
        add(&slot.data, slot.data.iter().filter(|(key, _)| is_computed(key)), &mut urls);
    }
    urls
}

fn add<'v>(
    data: &Map<String, Value>,
    computed: impl Iterator<Item = (&'v String, &'v Value)>,
    urls: &mut BTreeMap<String, String>,
) {
    for (key, url) in computed {
        let path = key.strip_suffix(URL).and_then(|key| data.get(key)).and_then(Value::as_str);
        if let (Some(path), Some(url)) = (path.filter(|path| !path.is_empty()), url.as_str()) {
            urls.entry(path.to_owned()).or_insert_with(|| url.to_owned());
        }
    }
}

/// Returns the places of a page's content that hold a path of an image, each with the path: those with a URL, and those that look like one.
pub(super) fn places(
    content: &DesiredPage,
    urls: &BTreeMap<String, String>,
) -> Vec<(ReferencePlace, String)> {
    let mut found = Vec::new();
    for name in FIELDS {
        if let Some(path) = content.fields.get(name).and_then(Value::as_str) {
            let place = ReferencePlace { item: None, path: vec![name.to_owned()] };
            found.push((place, path.to_owned()));
        }
    }
    for (item, slot) in content.slots.iter().enumerate() {
        for (key, value) in slot.data.iter() {
            find_strings(key, value, &mut Vec::new(), &mut |path, text| {
                if urls.contains_key(text) || is_path(text) {
                    let place = ReferencePlace { item: Some(item), path: path.to_owned() };
                    found.push((place, text.to_owned()));
                }
            });
        }
    }
    found
}

/// Tells by the text alone whether it may be the path of an uploaded image.
fn is_path(text: &str) -> bool {
    has_image_ending(text)
        && text.contains('/')
        && !text.contains("://")
        && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use links_sdk::Slot;
    use links_sdk::types::SlotType;
    use serde_json::json;

    use super::*;

    fn types() -> SlotTypeCatalog {
        let picture = json!({ "type": "picture", "title": "", "description": "", "writable": true, "schema": {},
            "computed": { "imageUrl": "" }, "enumLabels": {}, "example": {} });
        let picture: SlotType = serde_json::from_value(picture).unwrap();
        SlotTypeCatalog::of(vec![picture], true)
    }

    fn slot(value: Value) -> Slot {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn only_computed_urls_count() {
        let mut urls = BTreeMap::new();
        let computed =
            json!({ "avatarUrl": "https://a", "url": "https://page", "bgImageUrl": null });
        let record = json!({ "avatar": "u/a.png", "bgImage": "u/b.png" });
        add(record.as_object().unwrap(), computed.as_object().unwrap().iter(), &mut urls);
        assert_eq!(json!(urls), json!({ "u/a.png": "https://a" }));

        let known = types();
        let is_known = |slot: &Slot| {
            let known = known.get(&slot.kind).map(|kind| &kind.computed);
            slot.data.keys().any(|key| known.is_some_and(|known| known.contains_key(key)))
        };
        assert!(is_known(&slot(
            json!({ "id": 1, "type": "picture", "data": { "imageUrl": "x" } })
        )));
        assert!(!is_known(&slot(json!({ "id": 1, "type": "text", "data": { "imageUrl": "x" } }))));
    }

    #[test]
    fn paths_are_found_at_any_depth() {
        let content: DesiredPage = serde_json::from_value(json!({ "slots": [{ "type": "gallery", "data": {
            "title": "a.png", "link": "https://x.example/a.png", "images": [{ "image": "u/a.png" }, { "image": "odd" }],
        }}]}))
        .unwrap();
        let urls = BTreeMap::from([("odd".to_owned(), "https://odd".to_owned())]);
        let found: Vec<_> = places(&content, &urls)
            .into_iter()
            .map(|(place, path)| (place.to_string(), path))
            .collect();
        let at = |nth: usize| format!("slots.0.data.images.{nth}.image");
        assert_eq!(found, [(at(0), "u/a.png".to_owned()), (at(1), "odd".to_owned())]);
    }
}
