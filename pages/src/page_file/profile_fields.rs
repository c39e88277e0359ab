//! Fields of a page's profile in a page file.

use links_sdk::Object;
use serde_json::{Map, Value};

use super::document::Document;
use super::field_rule::{FieldRule, FieldType, UPLOAD, computed_key, local_file, unknown_key};
use super::local_image::{ImageRoots, has_image_ending};
use super::node::{Key, Node, Span, Tree};
use super::report::{At, FieldDiagnostic};

/// Fields that a page file may hold, in the order in which they are written (the interface, sections 2.1, 2.6 and 4.5).
pub const PROFILE_FIELDS: &[FieldRule] = &[
    FieldRule {
        name: "login",
        value: FieldType::Login,
        about: "Login that the page should have; a new one breaks every link to the page",
    },
    FieldRule { name: "title", value: FieldType::TextOrNull, about: "Heading of the page" },
    FieldRule {
        name: "description",
        value: FieldType::TextOrNull,
        about: "Text below the heading",
    },
    FieldRule {
        name: "avatar",
        value: FieldType::Image,
        about: "Square image of at least 800x800: its path on the service, or {$upload: FILE}",
    },
    FieldRule {
        name: "bgImage",
        value: FieldType::Image,
        about: "16:9 image of at least 1600x900: its path on the service, or {$upload: FILE}",
    },
    FieldRule {
        name: "socials",
        value: FieldType::Urls,
        about: "URLs of all social links, in order; the icons follow from them",
    },
    FieldRule {
        name: "languageCode",
        value: FieldType::WordOrNull,
        about: "Code of the page's language; null for the language of the owner",
    },
    FieldRule {
        name: "moodText",
        value: FieldType::TextOrNull,
        about: "Text of the status badge under the avatar",
    },
    FieldRule {
        name: "moodHours",
        value: FieldType::CountOrNull,
        about: "Number of hours for which the status badge is shown",
    },
];

/// Fields of a page's record that only the service sets.
const COMPUTED: [&str; 3] = ["id", "themeId", "computed"];

const HELP: &str = "a page file has `profile` (login or id), `slots` (a list of `id`, `type` and `data`) and fields of the page such as `title`";

/// Returns the fields among the entries of a page file. Adds diagnostics of invalid fields and of keys that no page file has.
pub(super) fn check(entries: &[(Key, Node)], problems: &mut Vec<FieldDiagnostic>) -> Object {
    let mut fields = Object::default();
    let known = || PROFILE_FIELDS.iter().map(|rule| rule.name).chain(["profile", "slots"]);
    for (key, value) in entries {
        let name = key.name.as_str();
        if let Some(rule) = rule(name) {
            if let Some(value) = rule.check(name, key, value, problems) {
                fields.insert(name.to_owned(), value);
            }
        } else if name == "languageId" {
            let problem = unknown_key("", key, [], "write `languageCode` with a code such as kk");
            problems.push(problem);
        } else if COMPUTED.contains(&name) {
            problems.push(computed_key("", key));
        } else if !matches!(name, "profile" | "slots") {
            problems.push(unknown_key("", key, known(), HELP));
        }
    }
    fields
}

/// Returns the rule for a field.
pub(super) fn rule(name: &str) -> Option<&'static FieldRule> {
    PROFILE_FIELDS.iter().find(|rule| rule.name == name)
}

/// Returns the valid references to images in fields: the name of the field, the path of the image, and its span.
pub(super) fn uploads(root: &Node) -> impl Iterator<Item = (&'static str, &str, &Span)> {
    let images = PROFILE_FIELDS.iter().filter(|rule| rule.value == FieldType::Image);
    images.filter_map(|rule| {
        let (image, span) = upload(root.get(rule.name)?)?;
        Some((rule.name, image, span))
    })
}

/// Returns diagnostics of fields that are paths of images of this machine as plain strings.
pub(super) fn local_paths(root: &Node, roots: &ImageRoots) -> Vec<FieldDiagnostic> {
    let images = PROFILE_FIELDS.iter().filter(|rule| rule.value == FieldType::Image);
    let problem = |rule: &FieldRule| match root.get(rule.name)? {
        Node { tree: Tree::Text(text), span, .. }
            if has_image_ending(text) && roots.find(text).is_ok() =>
        {
            let (message, help) = local_file(text);
            Some(FieldDiagnostic::new(rule.name, span.clone(), message).help(help))
        }
        _ => None,
    };
    images.filter_map(problem).collect()
}

/// Returns the path of a valid reference to an image, with its span.
fn upload(node: &Node) -> Option<(&str, &Span)> {
    match node.entries()? {
        [(key, Node { tree: Tree::Text(name), span, .. })]
            if key.name == UPLOAD && !name.trim().is_empty() =>
        {
            Some((name, span))
        }
        _ => None,
    }
}

/// Fields of the status badge.
const MOOD: [&str; 2] = ["moodText", "moodHours"];

/// Returns the fields of the status badge among the fields of a file, if it has a text.
pub fn mood_fields(fields: &Object) -> Object {
    if fields.get("moodText").is_none_or(Value::is_null) {
        return Object::default();
    }
    let mood = fields.iter().filter(|(name, _)| MOOD.contains(&name.as_str()));
    mood.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Returns a diagnostic for each field of the status badge that a file sets, if the page's record has no `moodText`: then statuses are
/// switched off (the interface, section 2.1).
pub fn mood_problems(
    document: &Document,
    fields: &Object,
    record: &Map<String, Value>,
) -> Vec<FieldDiagnostic> {
    let is_set = |name: &&str| fields.get(*name).is_some_and(|value| !value.is_null());
    let problem = |name: &str| {
        let message = "statuses are switched off for this page, so it cannot have one";
        document.locate(&[name], At::Key, message).help(format!("leave out `{name}`"))
    };
    let is_off = !record.contains_key("moodText");
    MOOD.iter().filter(|name| is_off && is_set(name)).map(|name| problem(name)).collect()
}

#[cfg(test)]
mod tests;
