//! Fields of a record in a file: rules for their names, types and limits, and those of a page's profile. The JSON Schemas for editors say the
//! same.

use links_sdk::Object;
use serde_json::{Map, Value};

use super::document::Document;
use super::local_image::{self, ImageRoots, has_image_ending};
use super::node::{Key, Node, Tree};
use super::report::{At, FieldDiagnostic};
use crate::profile_key;
use crate::suggest::did_you_mean;

/// Key of a reference to an image.
pub const UPLOAD: &str = "$upload";

/// Rule for a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldRule {
    /// Name of the field in files and in the interface.
    pub name: &'static str,
    /// Type of the value.
    pub value: FieldType,
}

/// Returns a rule.
pub const fn rule(name: &'static str, value: FieldType) -> FieldRule {
    FieldRule { name, value }
}

/// Type of the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// Login that a page can take.
    Login,
    /// Any string.
    Text,
    /// Any string, or null.
    TextOrNull,
    /// String with more than white space.
    Word,
    /// String with more than white space, or null.
    WordOrNull,
    /// Path of an uploaded image, a reference to a local one, or null.
    Image,
    /// List of URLs.
    Urls,
    /// Whole number from 0, or null.
    CountOrNull,
    /// `true` or `false`.
    Flag,
    /// Value whose shape the interface does not show.
    Any,
}

impl FieldType {
    /// Tells whether the field can be cleared by null.
    pub fn is_nullable(self) -> bool {
        use FieldType::{Any, CountOrNull, Image, TextOrNull, WordOrNull};
        matches!(self, TextOrNull | WordOrNull | Image | CountOrNull | Any)
    }

    /// Description in messages.
    fn words(self) -> &'static str {
        match self {
            Self::Login => "a login",
            Self::Text | Self::Word => "a string",
            Self::TextOrNull | Self::WordOrNull => "a string or null",
            Self::Image => "the path of an uploaded image, {$upload: FILE}, or null",
            Self::Urls => "a list of URLs",
            Self::CountOrNull => "a whole number (0 or more) or null",
            Self::Flag => "true or false",
            Self::Any => "any value",
        }
    }
}

impl FieldRule {
    /// Returns the value of the field, or `None` after adding diagnostics. `path` is the place of the field in the document.
    pub fn check(
        &self,
        path: &str,
        key: &Key,
        node: &Node,
        problems: &mut Vec<FieldDiagnostic>,
    ) -> Option<Value> {
        let before = problems.len();
        let name = self.name;
        match (self.value, &node.tree) {
            (FieldType::Any, _) => {}
            (kind, Tree::Null) if kind.is_nullable() => {}
            (FieldType::Login, Tree::Text(login)) => {
                if let Some(rule) = profile_key::broken_login_rule(login) {
                    problems.push(node.problem(path, rule));
                }
            }
            (FieldType::Word | FieldType::WordOrNull, Tree::Text(text))
                if text.trim().is_empty() =>
            {
                problems.push(node.problem(path, format!("`{name}` is empty")));
            }
            (FieldType::Image, Tree::Text(_) | Tree::Map(_)) => {
                problems.extend(image_problem(name, path, node));
            }
            (FieldType::Urls, Tree::List(items)) => check_urls(path, items, problems),
            (FieldType::CountOrNull, Tree::Number(number))
                if number.as_i64().is_some_and(|it| it >= 0) => {}
            (
                FieldType::Text | FieldType::TextOrNull | FieldType::Word | FieldType::WordOrNull,
                Tree::Text(_),
            )
            | (FieldType::Flag, Tree::Bool(_)) => {}
            (kind, tree) => {
                let help = match (kind, tree) {
                    (FieldType::Urls, Tree::Null) => Some("use `[]` to clear the list"),
                    (FieldType::Flag | FieldType::CountOrNull | FieldType::Urls, _) => None,
                    (_, Tree::Number(_) | Tree::Bool(_)) => Some("quote a string"),
                    (_, Tree::Null) => Some("leave it out to keep the value"),
                    _ => None,
                };
                let span =
                    if node.is_scalar() && !node.span.is_empty() { &node.span } else { &key.span };
                let found = match (kind, tree) {
                    (FieldType::CountOrNull, Tree::Number(number)) => number.to_string(),
                    _ => node.kind().to_owned(),
                };
                let message = format!("`{name}` must be {}, not {found}", kind.words());
                let problem = FieldDiagnostic::new(path, span.clone(), message);
                problems.push(problem.help_if(help));
            }
        }
        (problems.len() == before).then(|| node.to_json())
    }
}

/// Returns the diagnostic of a string that is evidently no path of an uploaded image, and of a mapping that is no reference to one.
fn image_problem(name: &str, path: &str, node: &Node) -> Option<FieldDiagnostic> {
    let entries = match &node.tree {
        Tree::Text(text) if text.contains("://") => {
            let message = format!("`{name}` must be the path of an uploaded image, not a URL");
            let help = "upload it with `links files upload URL` and put the printed path here";
            return Some(node.problem(path, message).help(help));
        }
        Tree::Text(text) if local_image::is_local(text) => {
            let (message, help) = local_file(text);
            return Some(node.problem(path, message).help(help));
        }
        _ => node.entries()?,
    };
    // What it refers to is read with the other references.
    if entries.iter().any(|(key, _)| key.name == UPLOAD) {
        return None;
    }
    let meant = entries.iter().find_map(|(key, _)| did_you_mean(&key.name, [UPLOAD]));
    let message = format!("`{name}` must be {}, not a mapping", FieldType::Image.words());
    let span = entries.first().map_or(&node.span, |(key, _)| &key.span);
    let problem = FieldDiagnostic::new(path, span.clone(), message);
    Some(problem.help_if(meant))
}

/// Returns what a reference names: the value of the entry, which must be the only one of its mapping.
pub(crate) fn referred<'n>(
    path: &str,
    (key, value): &'n (Key, Node),
    entries: usize,
    what: &str,
) -> Result<&'n str, FieldDiagnostic> {
    let name = &key.name;
    match &value.tree {
        _ if entries > 1 => {
            Err(key.problem(path, format!("`{name}` must be the only key of its mapping")))
        }
        Tree::Text(text) if text.trim().is_empty() => {
            Err(value.problem(path, format!("`{name}` is empty")))
        }
        Tree::Text(text) => Ok(text),
        _ => Err(value.wrong(path, &format!("`{name}` must name {what}"))),
    }
}

/// Returns the message and the hint for a path of this machine that is given as a plain string.
pub fn local_file(path: &str) -> (String, String) {
    let message = format!("`{path}` is a file on this machine, which no one else can see");
    (message, format!("write {{{UPLOAD}: {path}}} to upload it"))
}

/// Refuses entries that are no plain URLs. The interface does not say how strict the service is, so any string is one.
fn check_urls(path: &str, items: &[Node], problems: &mut Vec<FieldDiagnostic>) {
    for (at, item) in items.iter().enumerate() {
        let path = format!("{path}.{at}");
        problems.push(match &item.tree {
            Tree::Text(url) if !url.trim().is_empty() => continue,
            Tree::Text(_) => item.problem(path, "this URL is empty"),
            _ => {
                let help = "write only the URL; icons and `order` are set automatically";
                let problem = item.wrong(path, "a social link must be a URL");
                problem.help_if(item.is_map().then_some(help))
            }
        });
    }
}

/// Returns a diagnostic of a key that no rule allows, with a hint at the name that may have been meant, or else `help`.
pub fn unknown_key<'k>(
    path: &str,
    key: &Key,
    known: impl IntoIterator<Item = &'k str>,
    help: &str,
) -> FieldDiagnostic {
    key.problem(below(path, key), format!("unknown field `{}`", key.name))
        .help(did_you_mean(&key.name, known).unwrap_or_else(|| help.to_owned()))
}

/// Returns a diagnostic of a key that only the service sets.
pub fn computed_key(path: &str, key: &Key) -> FieldDiagnostic {
    let message = format!("`{}` is set by the service and cannot be written", key.name);
    key.problem(below(path, key), message).help("leave it out")
}

fn below(path: &str, key: &Key) -> String {
    if path.is_empty() { key.name.clone() } else { format!("{path}.{}", key.name) }
}

/// Fields that a page file may hold, in the order in which they are written.
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

const HELP: &str = "a page file has `profile` (login or ID), `slots` (a list of `id`, `type` and `data`) and fields of the page such as `title`";

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
            let problem = unknown_key("", key, [], "use `languageCode` with a code such as kk");
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
/// switched off.
pub fn mood_problems(
    document: &Document,
    fields: &Object,
    record: &Map<String, Value>,
) -> Vec<FieldDiagnostic> {
    let is_set = |name: &&str| fields.get(*name).is_some_and(|value| !value.is_null());
    let problem = |name: &str| {
        let message = "statuses are turned off for this page";
        document.locate(&[name], At::Key, message).help(format!("leave out `{name}`"))
    };
    let is_off = !record.contains_key("moodText");
    MOOD.iter().filter(|name| is_off && is_set(name)).map(|name| problem(name)).collect()
}

#[cfg(test)]
mod tests;
