//! Human-readable view of a page's slots.

use crate::commands::prelude::*;
use crate::output::label;
use links_pages::page_file::local_image::has_image_ending;

/// Fields of a slot that are shown first.
pub(crate) const FIRST: &[&str] = &["id", "type", "supported"];

const ID: Column = Column::at("ID", "id");
const TYPE: Column = Column::at("TYPE", "type");
const CONTENT: Column = Column::of("CONTENT", |slot| {
    slot["data"].as_object().and_then(label).unwrap_or_default().to_owned()
});
const LINK: Column = Column::of("LINK", |slot| {
    slot["data"].as_object().and_then(link).unwrap_or_default().to_owned()
})
.whole();
const NOTE: Column = Column::of("NOTE", |slot| {
    if slot["supported"] == false { "legacy: cannot be edited".into() } else { String::new() }
});

/// Columns of the table of a page's slots.
pub(crate) const COLUMNS: &[Column] = &[ID, TYPE, CONTENT, LINK, NOTE];

/// Columns of the table of a page's slots with their clicks.
pub(crate) const CLICKS_COLUMNS: &[Column] =
    &[ID, TYPE, Column::at("CLICKS", "clicks"), CONTENT, LINK, NOTE];

/// Returns the URL that a slot with this content leads to: its `link` or `url`, else the first string that is a URL of no image.
pub(super) fn link(data: &Map<String, Value>) -> Option<&str> {
    let named = ["link", "url"].iter().filter_map(|name| data.get(*name)?.as_str());
    let is_url = |text: &&str| {
        ["https://", "http://", "mailto:", "tel:"].iter().any(|scheme| text.starts_with(scheme))
            && !has_image_ending(text)
    };
    let urls = data.values().filter_map(Value::as_str).filter(is_url);
    named.filter(|text| !text.is_empty()).chain(urls).next()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_slot_leads_to_its_link_or_to_the_first_url_of_its_content() {
        for (data, expected) in [
            (json!({ "title": "https://a.example", "link": "b.example" }), Some("b.example")),
            (json!({ "title": "Call", "link": "", "phone": "tel:+77" }), Some("tel:+77")),
            (json!({ "title": "Menu", "deep": { "link": "https://x" } }), None),
            (json!({ "link": 5, "url": "https://x" }), Some("https://x")),
            (json!({ "cover": "https://x/a.jpg", "at": "https://y" }), Some("https://y")),
            (json!({}), None),
        ] {
            assert_eq!(link(data.as_object().unwrap()), expected, "{data}");
        }
    }
}
