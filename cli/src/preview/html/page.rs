//! The page itself: its head, its socials and its slots.

use maud::{Markup, html};
use serde_json::Value;

use super::address::{image, link};
use super::slot::slot;
use crate::preview::shown_page::ShownPage;

/// Returns the page.
pub(super) fn page(page: &ShownPage) -> Markup {
    let record = &page.snapshot.record;
    let text = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default();
    let title = Some(text("title")).filter(|it| !it.is_empty());
    let title = title.unwrap_or(&page.snapshot.login);
    let computed = record.get("computed");
    let is_active = computed.and_then(|it| it["moodActive"].as_bool()) != Some(false);
    html! {
        main #page {
            @if let Some(source) = image(page, text("bgImage")) { img .background src=(source) alt=""; }
            @match image(page, text("avatar")) {
                Some(source) => { img .avatar src=(source) alt="Avatar"; }
                None => { p .avatar aria-hidden="true" { (title.chars().next().unwrap_or(' ')) } }
            }
            h1 { (title) }
            @if !text("moodText").is_empty() && is_active { p .mood { (text("moodText")) } }
            @if !text("description").is_empty() { p .description { (text("description")) } }
            (socials(page))
            @for item in &page.snapshot.slots { (slot(page, item)) }
        }
    }
}

fn socials(page: &ShownPage) -> Markup {
    let record = &page.snapshot.record;
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let icons = list(record.get("computed").and_then(|computed| computed.get("socials")));
    let links = list(record.get("socials"));
    html! {
        @if !links.is_empty() {
            ul .socials {
                @for (nth, social) in links.iter().enumerate() {
                    @let url = social["link"].as_str().unwrap_or_default();
                    @let icon = icons.get(nth).and_then(|it| it["icon"].as_str()).unwrap_or("link");
                    li { a href=[link(url)] title=(url) target="_blank" rel="noopener noreferrer" { (icon) } }
                }
            }
        }
    }
}
