//! Fields of a page's profile in a page file.

use links_sdk::Object;
use serde_json::{Map, Value};

use super::document::Document;
use super::field_rule::{FieldRule, FieldType, computed_key, local_file, rule, unknown_key};
use super::local_image::{ImageRoots, has_image_ending};
use super::node::{Key, Node, Tree};
use super::report::{At, FieldDiagnostic};

/// Fields that a page file may hold, in the order in which they are written (the interface, sections 2.1, 2.6 and 4.5).
pub const PROFILE_FIELDS: &[FieldRule] = &[
    rule("login", FieldType::Login),
    rule("title", FieldType::TextOrNull),
    rule("description", FieldType::TextOrNull),
    rule("avatar", FieldType::Image),
    rule("bgImage", FieldType::Image),
    rule("socials", FieldType::Urls),
    rule("languageCode", FieldType::WordOrNull),
    rule("moodText", FieldType::TextOrNull),
    rule("moodHours", FieldType::CountOrNull),
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
        if let Some(rule) = rule_of(name) {
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
pub(super) fn rule_of(name: &str) -> Option<&'static FieldRule> {
    PROFILE_FIELDS.iter().find(|rule| rule.name == name)
}

/// Returns the fields of a document that hold images.
pub(super) fn images(root: &Node) -> impl Iterator<Item = (&'static str, &Node)> {
    let images = PROFILE_FIELDS.iter().filter(|rule| rule.value == FieldType::Image);
    images.filter_map(|rule| Some((rule.name, root.get(rule.name)?)))
}

/// Returns diagnostics of fields that are paths of images of this machine as plain strings.
pub(super) fn local_paths(root: &Node, roots: &ImageRoots) -> Vec<FieldDiagnostic> {
    let problem = |(name, node): (&str, &Node)| match &node.tree {
        Tree::Text(text) if has_image_ending(text) && roots.find(text).is_ok() => {
            let (message, help) = local_file(text);
            Some(node.problem(name, message).help(help))
        }
        _ => None,
    };
    images(root).filter_map(problem).collect()
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
