//! Random content of slots: few different values, so that equal and almost equal slots are frequent.

use serde_json::{Map, Value, json};

use crate::history::{Import, Rewrite, RewriteEdit, SlotContent};
use crate::random::Random;

/// The form that every case has.
pub(crate) const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

const WORDS: [&str; 12] = [
    "Menu",
    "menu",
    " Menu",
    "Menu ",
    "Меню",
    "مرحبا",
    "☕️🥐",
    "A",
    "B",
    "C: #1 - {x}",
    "2024",
    "no",
];

fn word(random: &mut Random) -> String {
    match random.below(20) {
        0 => "long ".repeat(40 + random.below(60)),
        1 => "line\nline \"quoted\" 'x' \\ \t end".to_owned(),
        2 => format!("n{}", random.below(1000)),
        _ => random.pick(&WORDS).to_owned(),
    }
}

fn link(random: &mut Random) -> String {
    format!("https://shop.example/{}", random.below(6))
}

/// Returns a slot of any type that can be created.
pub(crate) fn new_slot(random: &mut Random) -> SlotContent {
    let kinds = [
        "text", "text", "text", "text", "button", "button", "button", "divider", "divider",
        "picture", "gallery", "youtube", "faq", "music", "form", "wishlist", "question",
    ];
    let kind = random.pick(&kinds);
    SlotContent { kind: kind.to_owned(), data: data(kind, random), legacy: false }
}

/// Returns any slot that a page can have.
pub(crate) fn on_page(random: &mut Random) -> SlotContent {
    match random.below(20) {
        0 | 1 => {
            let data = json!({ "title": word(random), "startsAt": "2026-12-05T18:00:00+05:00" });
            SlotContent { kind: "event".to_owned(), data: object(data), legacy: false }
        }
        2 => {
            let data = json!({ "base": word(random) });
            SlotContent { kind: "currency".to_owned(), data: object(data), legacy: true }
        }
        3 => SlotContent { legacy: true, ..text(random) },
        _ => new_slot(random),
    }
}

fn text(random: &mut Random) -> SlotContent {
    SlotContent { kind: "text".to_owned(), data: data("text", random), legacy: false }
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { unreachable!("data is an object") };
    map
}

fn data(kind: &str, random: &mut Random) -> Map<String, Value> {
    let mut data = object(match kind {
        "text" => json!({ "title": word(random), "description": word(random) }),
        "button" => {
            let style = random.pick(&["primary", "secondary", "outline"]);
            json!({ "title": word(random), "link": link(random), "style": style })
        }
        "picture" => {
            json!({ "image": format!("uploads/{}.jpg", random.below(4)), "title": word(random), "link": null })
        }
        "gallery" => {
            let images: Vec<_> = (0..random.below(4))
                .map(|_| json!({ "image": format!("uploads/{}.jpg", random.below(4)), "title": word(random) }))
                .collect();
            json!({ "title": word(random), "images": images })
        }
        "youtube" => {
            json!({ "link": format!("https://www.youtube.com/watch?v=cafe000000{}", random.below(4)), "title": word(random) })
        }
        "faq" => {
            let items: Vec<_> = (0..random.below(4))
                .map(|_| json!({ "question": word(random), "answer": word(random) }))
                .collect();
            json!({ "title": word(random), "items": items })
        }
        "music" => {
            let url = format!("https://open.spotify.com/album/{}", random.below(4));
            json!({ "title": word(random), "artist": word(random), "links": [
                { "platform": "spotify", "label": "Spotify", "icon": "spotify", "url": url },
            ] })
        }
        "form" => {
            json!({ "formId": FORM, "view": random.pick(&["button", "inline"]), "buttonText": word(random) })
        }
        "wishlist" => {
            json!({ "title": word(random), "items": [{ "title": word(random), "link": null, "price": "1 000 ₸" }] })
        }
        "question" => json!({ "title": word(random), "placeholder": word(random) }),
        _ => json!({}),
    });
    // Keys that can be left out are, now and then.
    for key in ["description", "style", "artist", "placeholder", "buttonText"] {
        if random.percent(30) {
            data.remove(key);
        }
    }
    data
}

/// Returns the keys of a type that get other values.
fn keys(kind: &str) -> &'static [&'static str] {
    match kind {
        "button" => &["title", "link", "style"],
        "text" => &["title", "description"],
        "form" => &["buttonText", "view"],
        "picture" => &["title", "image"],
        "faq" | "wishlist" => &["title", "items"],
        "gallery" => &["title", "images"],
        "question" => &["title", "placeholder"],
        "music" | "youtube" => &["title"],
        _ => &[],
    }
}

/// Returns whether a slot of this type can get such a value, among those that the campaign makes.
pub(crate) fn takes(kind: &str, key: &str, value: &Value) -> bool {
    let fits = match value {
        Value::Null => is_nullable(kind, key),
        Value::String(text) => key != "title" || kind != "button" || !text.trim().is_empty(),
        _ => kind != "wishlist" || value[0].get("answer").is_none(),
    };
    keys(kind).contains(&key) && fits
}

/// Returns whether the service can clear a value.
pub(crate) fn is_clearable(kind: &str, key: &str) -> bool {
    is_nullable(kind, key) || matches!(key, "style" | "view")
}

fn is_nullable(kind: &str, key: &str) -> bool {
    !matches!(
        (kind, key),
        ("button" | "music", _)
            | ("text", "description")
            | (_, "view" | "image" | "images" | "items")
    )
}

/// Returns a key of a slot with a new value for it.
pub(crate) fn new_value(kind: &str, random: &mut Random) -> (String, Value) {
    let key = random.pick(keys(kind));
    let nullable = is_nullable(kind, key);
    let value = match key {
        _ if nullable && random.percent(10) => Value::Null,
        "link" => link(random).into(),
        "style" => random.pick(&["primary", "secondary", "outline"]).into(),
        "view" => random.pick(&["button", "inline"]).into(),
        "image" => format!("uploads/{}.jpg", random.below(4)).into(),
        "images" => json!([{ "image": "uploads/9.jpg", "title": word(random) }]),
        "items" if kind == "faq" => json!([{ "question": word(random), "answer": word(random) }]),
        "items" => json!([{ "title": word(random), "link": null, "price": null }]),
        _ => word(random).into(),
    };
    (key.to_owned(), value)
}

/// Returns a rewrite of slots that most pages have.
pub(crate) fn rewrite(random: &mut Random) -> Rewrite {
    let (kind, key) = random.pick(&[
        (Some("button"), "style"),
        (Some("button"), "link"),
        (Some("text"), "description"),
        (Some("question"), "placeholder"),
        (Some("text"), "title"),
        (None, "title"),
    ]);
    let mark = random.pick(&["!", "?", " ☕️"]).to_owned();
    let edit = match random.below(10) {
        0..4 => RewriteEdit::Append(mark),
        4..6 => RewriteEdit::Prepend(mark),
        6..9 => {
            let (key, value) = match key {
                "style" => (key, random.pick(&["primary", "outline"]).into()),
                "link" => (key, link(random).into()),
                key => (key, word(random).into()),
            };
            RewriteEdit::Put(key.to_owned(), value)
        }
        _ => RewriteEdit::Clear(key.to_owned()),
    };
    Rewrite { kind: kind.map(str::to_owned), edit }
}

/// Returns rows of a CSV file, some of them equal.
pub(crate) fn import(random: &mut Random) -> Import {
    let kind = random.pick(&["text", "button"]);
    let count = match random.below(25) {
        0 => 100 + random.below(420),
        1..4 => 45 + random.below(80),
        _ => 1 + random.below(8),
    };
    let mut row = || {
        let (title, text) = (word(random), word(random));
        // The service takes no button without a title, and no link of this kind.
        object(match kind {
            "text" => json!({ "title": title, "description": text }),
            _ if random.percent(1) => json!({ "title": title, "link": "no link" }),
            _ => json!({ "title": title, "link": link(random) }),
        })
    };
    let rows = (0..count).map(|_| row()).collect();
    Import { kind: kind.to_owned(), rows, at_top: random.percent(40) }
}

/// Returns a label for a field of the form.
pub(crate) fn label(random: &mut Random) -> String {
    random.pick(&["Name", "Phone", "Wishes", "Имя", "Anything else?", "E-mail"]).to_owned()
}
