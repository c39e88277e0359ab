//! Notification channels of a form file: ids, and references such as `{$channel: Owner}`, which name a channel by its label or its id.

use links_sdk::ChannelId;
use links_sdk::types::NotificationChannel;
use serde_json::{Value, json};

use super::fields::{CHANNEL, CHANNELS};
use crate::page_file::field_rule::referred;
use crate::page_file::node::{Key, Node, Tree};
use crate::page_file::{At, Document, FieldDiagnostic};
use crate::suggest::{nearest, suggest};

/// Reference to a notification channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelReference {
    /// Index in the list of channels.
    pub index: usize,
    /// Label of the channel, otherwise its id.
    pub name: String,
}

/// Returns the list of channels with its references as written.
pub(super) fn check(key: &Key, node: &Node, problems: &mut Vec<FieldDiagnostic>) -> Option<Value> {
    let Tree::List(items) = &node.tree else {
        let problem = node.wrong(CHANNELS, &format!("`{CHANNELS}` must be a list"));
        let help = "leave it out to notify every verified channel of a new form; `[]` is none";
        problems.push(problem.at(&key.span).help(help));
        return None;
    };
    let before = problems.len();
    problems.extend(items.iter().enumerate().filter_map(|(at, item)| problem(at, item)));
    (problems.len() == before).then(|| node.to_json())
}

fn problem(at: usize, item: &Node) -> Option<FieldDiagnostic> {
    let path = format!("{CHANNELS}.{at}");
    let is_id = |node: &Node| matches!(&node.tree, Tree::Number(id) if id.as_i64().is_some_and(|id| id > 0));
    let Some(entries) = item.entries() else {
        let problem = item.wrong(path, "a channel must be an id or a reference").help(example());
        return (!is_id(item)).then_some(problem);
    };
    let Some(entry) = entries.iter().find(|(key, _)| key.name == CHANNEL) else {
        let meant = entries.iter().find_map(|(key, _)| nearest(&key.name, [CHANNEL]));
        let help = meant.map_or_else(example, |it| format!("did you mean `{it}`?"));
        return Some(item.problem(path, "this does not refer to a channel").help(help));
    };
    if entries.len() == 1 && is_id(&entry.1) {
        return None;
    }
    referred(&path, entry, entries.len(), "a label").err()
}

fn example() -> String {
    format!("{{{CHANNEL}: LABEL}} names a channel; `links channels list` lists them")
}

/// Returns the references in the list of channels of a valid form file.
pub(super) fn find(root: &Node) -> Vec<ChannelReference> {
    let Some(Node { tree: Tree::List(items), .. }) = root.get(CHANNELS) else { return Vec::new() };
    let reference = |(index, item): (usize, &Node)| {
        let name = match &item.get(CHANNEL)?.tree {
            Tree::Text(label) => label.clone(),
            Tree::Number(id) => id.to_string(),
            _ => return None,
        };
        Some(ChannelReference { index, name })
    };
    items.iter().enumerate().filter_map(reference).collect()
}

/// Replaces references in the list of channels by the ids of their channels. Returns diagnostics of those that name no channel, or several.
pub(super) fn resolve(
    references: &[ChannelReference],
    list: &mut Value,
    channels: &[NotificationChannel],
    document: &Document,
) -> Vec<FieldDiagnostic> {
    let mut problems = Vec::new();
    for ChannelReference { index, name } in references {
        match id(name, channels) {
            Ok(id) => {
                if let Some(place) = list.get_mut(*index) {
                    *place = json!(id);
                }
            }
            Err((message, help)) => {
                let path = [CHANNELS.to_owned(), index.to_string(), CHANNEL.to_owned()];
                problems.push(document.locate(&path, At::Value, message).help_if(help));
            }
        }
    }
    problems
}

/// Returns the id of the channel that a reference names, or a message and a hint.
fn id(name: &str, channels: &[NotificationChannel]) -> Result<ChannelId, (String, Option<String>)> {
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
                    Some("no channel has a label; `links channels list` lists the ids".to_owned())
                } else {
                    suggest(name, labels)
                };
                (format!("no channel is called \"{name}\""), help)
            })
        }
        ref several => {
            let ids: Vec<_> = several.iter().map(ToString::to_string).collect();
            let help = format!("use the channel's id: {}", ids.join(", "));
            Err((format!("{} channels are called \"{name}\"", several.len()), Some(help)))
        }
    }
}
