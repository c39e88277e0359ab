//! Slots of a page, each as a visitor sees it.

use links_sdk::Slot;
use links_sdk::types::LeadForm;
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::address::{image, link};
use crate::preview::shown_page::ShownPage;

/// Returns a slot. What is not known to be shown is a box with the type.
pub(super) fn slot(page: &ShownPage, slot: &Slot) -> Markup {
    let data = &slot.data;
    if !slot.supported {
        return html! { p .other { "A slot of the legacy type " (slot.kind) " is shown here." } };
    }
    match slot.kind.as_str() {
        "button" => button(data),
        "picture" => picture(page, data),
        "gallery" => titled(
            "gallery",
            data,
            html! {
                div .pictures { @for item in items(data, "images") { (picture(page, item)) } }
            },
        ),
        "text" => titled("text", data, html! { p { (text(data, "description")) } }),
        "youtube" => {
            let title = or(text(data, "title"), "Video");
            html! { p .card { a href=[link(text(data, "link"))] target="_blank" rel="noopener noreferrer" { "▶ " (title) } } }
        }
        "faq" => titled(
            "faq",
            data,
            html! {
                @for item in items(data, "items") {
                    details { summary { (text(item, "question")) } p { (text(item, "answer")) } }
                }
            },
        ),
        "divider" => html! { hr; },
        "event" => titled(
            "event",
            data,
            html! {
                p { (text(data, "startsAt")) } p { (text(data, "place")) }
            },
        ),
        "music" => music(data),
        "form" => form(data, &page.forms),
        "wishlist" => titled(
            "wishlist",
            data,
            html! {
                ul { @for item in items(data, "items") { li { (named_link(text(item, "title"), text(item, "link"))) " " span .faint { (text(item, "price")) } } } }
            },
        ),
        "question" => titled(
            "question",
            data,
            html! {
                input type="text" disabled placeholder=(or(text(data, "placeholder"), "Ask a question"));
            },
        ),
        other => html! { p .other { "A slot of the type " (other) " is shown here." } },
    }
}

fn button(data: &Map<String, Value>) -> Markup {
    let style = match text(data, "style") {
        "secondary" => "button secondary",
        "outline" => "button outline",
        _ => "button primary",
    };
    html! {
        p { a class=(style) href=[link(text(data, "link"))] title=(text(data, "link")) target="_blank" rel="noopener noreferrer" { (text(data, "title")) } }
    }
}

fn picture(page: &ShownPage, data: &Map<String, Value>) -> Markup {
    let title = text(data, "title");
    let shown = html! {
        @match image(page, text(data, "image")) {
            Some(source) => { img src=(source) alt=(title) loading="lazy"; }
            None => { p .other { (or(text(data, "image"), "no image")) } }
        }
    };
    html! {
        figure {
            @match link(text(data, "link")) {
                Some(url) => { a href=(url) target="_blank" rel="noopener noreferrer" { (shown) } }
                None => { (shown) }
            }
            @if !title.is_empty() { figcaption { (title) } }
        }
    }
}

fn music(data: &Map<String, Value>) -> Markup {
    html! {
        section .card {
            h2 { (text(data, "title")) }
            p { (text(data, "artist")) }
            ul { @for item in items(data, "links") { li { (named_link(text(item, "label"), text(item, "url"))) } } }
        }
    }
}

fn form(data: &Map<String, Value>, forms: &[LeadForm]) -> Markup {
    let id = text(data, "formId");
    let Some(form) = forms.iter().find(|form| form.id.eq_ignore_ascii_case(id)) else {
        return html! { p .other { "The form " (id) " does not exist." } };
    };
    let label = or(text(data, "buttonText"), &form.button_text);
    let fields = html! {
        @if let Some(text) = &form.description { p { (text) } }
        @if form.active {
            @for field in &form.fields {
                label { (field.label) @if field.required { " *" } input type="text" disabled placeholder=[field.placeholder.as_deref()]; }
            }
        } @else { p .faint { "This form is closed." } }
    };
    if text(data, "view") == "inline" {
        return html! {
            section .card.form { h2 { (form.title) } (fields) p { span .button.primary { (label) } } }
        };
    }
    html! {
        details .form { summary .button.primary { (label) } section .card { h2 { (form.title) } (fields) } }
    }
}

fn titled(class: &str, data: &Map<String, Value>, content: Markup) -> Markup {
    let title = text(data, "title");
    html! {
        section class={ "card " (class) } { @if !title.is_empty() { h2 { (title) } } (content) }
    }
}

fn named_link(name: &str, url: &str) -> Markup {
    html! {
        @match link(url) {
            Some(url) => { a href=(url) target="_blank" rel="noopener noreferrer" { (or(name, url)) } }
            None => { (name) }
        }
    }
}

fn text<'d>(data: &'d Map<String, Value>, key: &str) -> &'d str {
    data.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn items<'d>(
    data: &'d Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'d Map<String, Value>> {
    data.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn or<'t>(text: &'t str, otherwise: &'t str) -> &'t str {
    if text.is_empty() { otherwise } else { text }
}
