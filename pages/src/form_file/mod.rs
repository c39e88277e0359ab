//! Form files: a lead form in YAML or JSON, written by users.

use std::collections::HashMap;

use links_sdk::types::NotificationChannel;
use links_sdk::{ChannelId, FormId, Object};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::page_file::fields::{FieldRule, FieldType, computed_key, referred, rule, unknown_key};
use crate::page_file::node::{Key, Node, Tree};
use crate::page_file::{At, Document, FORM_SHAPE, FieldDiagnostic, FileDiagnostics, FileKind};
use crate::suggest::{did_you_mean, suggest};
use crate::sync::PageBase;

#[cfg(test)]
mod tests;

/// Parsed form file.
#[derive(Debug)]
pub struct FormFile {
    /// Content of the form. References to channels are as written.
    pub form: DesiredForm,
    /// Document with the text and its spans.
    pub document: Document,
    /// References to notification channels, to be resolved by [`resolve_channels`](Self::resolve_channels).
    pub channels: Vec<ChannelReference>,
}

impl FormFile {
    /// Converts a document to a form file. Reports all problems that can be found without the service together.
    pub fn of(document: Document) -> Result<Self, FileDiagnostics> {
        match check(&document.root) {
            Ok((form, channels)) => Ok(Self { form, document, channels }),
            Err(problems) => Err(document.bad(problems)),
        }
    }

    /// Replaces the references to channels by ids: a reference names the only channel of that label, otherwise the channel of that ID.
    ///
    /// # Errors
    ///
    /// When a reference names no channel, or several.
    pub fn resolve_channels(
        &mut self,
        channels: &[NotificationChannel],
    ) -> Result<(), FileDiagnostics> {
        let Some(list) = self.form.fields.get_mut(CHANNELS) else { return Ok(()) };
        let mut problems = Vec::new();
        for ChannelReference { index, name } in &self.channels {
            match channel_id(name, channels) {
                Ok(id) => {
                    if let Some(place) = list.get_mut(*index) {
                        *place = json!(id);
                    }
                }
                Err((message, help)) => {
                    let path = [CHANNELS, &index.to_string(), CHANNEL];
                    let problem = self.document.locate(&path, At::Value, message);
                    problems.push(problem.help_if(help));
                }
            }
        }
        if problems.is_empty() {
            self.channels.clear();
            return Ok(());
        }
        Err(self.document.bad(problems))
    }
}

/// Keys of a form file with a meaning of their own.
pub const NAME: &str = "form";
pub const ID: &str = "id";
pub const INPUTS: &str = "fields";
pub const CHANNELS: &str = "notificationChannelIds";

/// Key of a reference to a notification channel.
pub const CHANNEL: &str = "$channel";

/// Maximum length of the local name of a form in characters.
const MAX_NAME: usize = 64;

/// Fields of a form with a single value, in the order of the interface.
pub const FORM_FIELDS: &[FieldRule] = &[
    rule("title", FieldType::Word),
    rule("description", FieldType::TextOrNull),
    rule("buttonText", FieldType::Text),
    rule("successMessage", FieldType::Text),
    rule("whatsappPhone", FieldType::TextOrNull),
    rule("whatsappMessage", FieldType::TextOrNull),
    rule("enabled", FieldType::Flag),
    rule("submissionsLimit", FieldType::CountOrNull),
    rule("activeTill", FieldType::WordOrNull),
];

/// Keys of a field of a form.
pub const INPUT_FIELDS: &[FieldRule] = &[
    rule("key", FieldType::Word),
    rule("type", FieldType::Word),
    rule("label", FieldType::Word),
    rule("placeholder", FieldType::TextOrNull),
    rule("required", FieldType::Flag),
    rule("options", FieldType::Any),
    rule("multi", FieldType::Any),
];

/// Keys that a field of a form must have.
const INPUT_REQUIRED: [&str; 2] = ["type", "label"];

/// Fields of a form's record that only the service sets.
const COMPUTED: [&str; 2] = ["active", "createdAt"];

/// A form as it should be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesiredForm {
    /// Name by which pages refer to the form: `{"$form": NAME}`.
    pub name: String,
    /// ID of the form, if it is known. Without it a form is found by its title, or created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<FormId>,
    /// Fields to hold, under the names of the interface. A field that is not mentioned stays as it is; null clears one.
    pub fields: Object,
    /// Record of the last sync, from [`AppliedForm::base`](crate::account::AppliedForm::base). Without one the form's values are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<PageBase>,
}

/// Converts a document to the content of a form, with its references to channels.
///
/// # Errors
///
/// Diagnostics of all violations.
fn check(root: &Node) -> Result<(DesiredForm, Vec<ChannelReference>), Vec<FieldDiagnostic>> {
    let entries = FileKind::Form.entries(root).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let (mut name, mut id) = (None, None);
    let (mut fields, mut channels) = (Object::default(), Vec::new());
    for (key, value) in entries {
        let field = match key.name.as_str() {
            NAME => {
                name = local_name(key, value, &mut problems);
                continue;
            }
            ID => {
                let checked = rule(ID, FieldType::Word).check(ID, key, value, &mut problems);
                id = checked.as_ref().and_then(Value::as_str).map(str::to_owned);
                continue;
            }
            INPUTS => inputs(key, value, &mut problems),
            CHANNELS => check_channels(key, value, &mut channels, &mut problems),
            other => match FORM_FIELDS.iter().find(|rule| rule.name == other) {
                Some(field_rule) => field_rule.check(other, key, value, &mut problems),
                None => {
                    problems.push(unknown("", key, FORM_FIELDS));
                    None
                }
            },
        };
        if let Some(value) = field {
            fields.insert(key.name.clone(), value);
        }
    }
    if root.get("title").is_none() && root.get(ID).is_none() {
        let message = "`title` is missing; it identifies the form";
        problems.push(root.problem("title", message));
    }
    if root.get(NAME).is_none() {
        let message = "`form` is missing (the local name of the form)";
        problems.push(root.problem(NAME, message).help(FORM_SHAPE));
    }
    match name {
        Some(name) if problems.is_empty() => {
            let form = DesiredForm { name, id: id.map(FormId::from), fields, base: None };
            Ok((form, channels))
        }
        _ => Err(problems),
    }
}

/// Returns the local name of a form: letters, digits, `.`, `_` and `-`, because it also names files.
fn local_name(key: &Key, node: &Node, problems: &mut Vec<FieldDiagnostic>) -> Option<String> {
    let is_name = |text: &str| {
        text.starts_with(char::is_alphanumeric)
            && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'))
            && text.chars().count() <= MAX_NAME
    };
    let problem = match &node.tree {
        Tree::Text(text) if is_name(text) => return Some(text.clone()),
        Tree::Text(_) => {
            let message = format!(
                "use 1 to {MAX_NAME} letters, digits, `.`, `_` and `-`, starting with a letter or a digit"
            );
            node.problem(NAME, message).help("put the title of the form under `title`")
        }
        tree => {
            let problem = node.wrong(NAME, "`form` must be the local name of the form");
            match tree {
                Tree::Number(_) | Tree::Bool(_) => problem.help("quote it"),
                _ => problem.at(&key.span),
            }
        }
    };
    problems.push(problem);
    None
}

/// Returns the fields of the form.
fn inputs(key: &Key, node: &Node, problems: &mut Vec<FieldDiagnostic>) -> Option<Value> {
    let Tree::List(items) = &node.tree else {
        let problem = node.wrong(INPUTS, "`fields` must be a list");
        problems.push(problem.at(&key.span));
        return None;
    };
    let before = problems.len();
    let mut first = HashMap::new();
    let mut list = Vec::new();
    for (at, item) in items.iter().enumerate() {
        list.push(input(at, item, problems));
        if let Some(node) = item.get("key")
            && let Tree::Text(key) = &node.tree
            && let Some(earlier) = first.insert(key, at)
        {
            let message = format!("the key {key} is already used by field {}", earlier + 1);
            let path = format!("{INPUTS}.{at}.key");
            problems.push(node.problem(path, message));
        }
    }
    (problems.len() == before).then(|| Value::Array(list))
}

fn input(at: usize, item: &Node, problems: &mut Vec<FieldDiagnostic>) -> Value {
    let path = format!("{INPUTS}.{at}");
    let Some(entries) = item.entries() else {
        problems.push(item.wrong(path, "a field must be a mapping with `label` and `type`"));
        return Value::Null;
    };
    let mut input = Map::new();
    for (key, value) in entries {
        match INPUT_FIELDS.iter().find(|rule| rule.name == key.name) {
            Some(rule) => {
                let checked = rule.check(&format!("{path}.{}", rule.name), key, value, problems);
                input.extend(checked.map(|value| (key.name.clone(), value)));
            }
            None => problems.push(unknown(&path, key, INPUT_FIELDS)),
        }
    }
    for name in INPUT_REQUIRED.iter().filter(|name| item.get(name).is_none()) {
        let message = format!("`{name}` is missing");
        problems.push(item.problem(path.clone(), message));
    }
    Value::Object(input)
}

/// Returns a diagnostic of a key that no rule allows.
fn unknown(path: &str, key: &Key, rules: &[FieldRule]) -> FieldDiagnostic {
    if path.is_empty() && COMPUTED.contains(&key.name.as_str()) {
        return computed_key(path, key);
    }
    let names = rules.iter().map(|rule| rule.name);
    if path.is_empty() {
        return unknown_key(path, key, names.chain([NAME, ID, INPUTS, CHANNELS]), FORM_SHAPE);
    }
    let all: Vec<_> = rules.iter().map(|rule| format!("`{}`", rule.name)).collect();
    unknown_key(path, key, names, &format!("fields: {}", all.join(", ")))
}

/// Reference to a notification channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelReference {
    /// Index in the list of channels.
    pub index: usize,
    /// Label of the channel, otherwise its ID.
    pub name: String,
}

/// Returns the list of channels with its references as written.
fn check_channels(
    key: &Key,
    node: &Node,
    references: &mut Vec<ChannelReference>,
    problems: &mut Vec<FieldDiagnostic>,
) -> Option<Value> {
    let Tree::List(items) = &node.tree else {
        let problem = node.wrong(CHANNELS, &format!("`{CHANNELS}` must be a list"));
        let help = "list the channels; without any, the service notifies every verified channel";
        problems.push(problem.at(&key.span).help(help));
        return None;
    };
    let before = problems.len();
    for (index, item) in items.iter().enumerate() {
        match referred_channel(index, item) {
            Ok(name) => references.extend(name.map(|name| ChannelReference { index, name })),
            Err(problem) => problems.push(problem),
        }
    }
    (problems.len() == before).then(|| node.to_json())
}

/// Returns the label or ID that a channel refers to; `None` for an ID alone.
fn referred_channel(index: usize, item: &Node) -> Result<Option<String>, FieldDiagnostic> {
    let path = format!("{CHANNELS}.{index}");
    let id = |node: &Node| node.to_json().as_i64().filter(|id| *id > 0);
    let Some(entries) = item.entries() else {
        let problem = item.wrong(path, "a channel must be an ID or a reference").help(example());
        return if id(item).is_some() { Ok(None) } else { Err(problem) };
    };
    let Some(entry) = item.entry(CHANNEL) else {
        let meant = entries.iter().find_map(|(key, _)| did_you_mean(&key.name, [CHANNEL]));
        let problem = item.problem(path, "this is not a reference to a channel");
        return Err(problem.help(meant.unwrap_or_else(example)));
    };
    match id(&entry.1) {
        Some(id) if entries.len() == 1 => Ok(Some(id.to_string())),
        _ => Ok(Some(referred(&path, entry, entries.len(), "a label")?.to_owned())),
    }
}

fn example() -> String {
    format!("use {{{CHANNEL}: LABEL}}; `links channels list` lists the channels")
}

/// Returns the ID of the channel that a reference names, or a message and a hint.
fn channel_id(
    name: &str,
    channels: &[NotificationChannel],
) -> Result<ChannelId, (String, Option<String>)> {
    let label = |channel: &NotificationChannel| {
        channel.label.as_deref().map(str::trim) == Some(name.trim())
    };
    let same: Vec<_> = channels.iter().filter(|it| label(it)).map(|it| it.id).collect();
    match same[..] {
        [only] => Ok(only),
        [] => {
            let by_id = name.trim().parse().ok();
            let found = channels.iter().map(|it| it.id).find(|id| by_id == Some(*id));
            found.ok_or_else(|| {
                let labels: Vec<_> = channels.iter().filter_map(|it| it.label.as_deref()).collect();
                let help = if labels.is_empty() {
                    Some("no channel has a label; `links channels list` lists the IDs".to_owned())
                } else {
                    suggest(name, labels)
                };
                (format!("no channel is called \"{name}\""), help)
            })
        }
        ref several => {
            let ids: Vec<_> = several.iter().map(ToString::to_string).collect();
            let help = format!("use the channel's ID: {}", ids.join(", "));
            Err((format!("{} channels are called \"{name}\"", several.len()), Some(help)))
        }
    }
}
