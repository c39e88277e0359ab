//! Validation: converts a tree to a page and checks all rules that need no service, reporting all violations together.

use std::collections::{BTreeSet, HashMap};

use links_sdk::apply::{DesiredPage, DesiredSlot};
use links_sdk::{Object, ProfileKey, SlotId};
use serde_json::Value;

use super::document::FileKind;
use super::field_rule::unknown_key;
use super::node::{Node, Tree};
use super::page::NEW;
use super::report::FieldDiagnostic;
use super::{PageContent, profile_fields};
use crate::profile_key;

/// Maximum number of slots of a page (the interface, section 8).
const MAX_SLOTS: usize = 500;

/// Converts a document to the content of a page.
///
/// # Errors
///
/// Diagnostics of all violations.
pub(crate) fn check(root: &Node) -> Result<PageContent, Vec<FieldDiagnostic>> {
    let mut problems = Vec::new();
    let page = page(root, &mut problems);
    match page {
        Some(page) if problems.is_empty() => Ok(page),
        _ => Err(problems),
    }
}

/// Converts a document that this program has written, in which no field refers to an image of this machine.
///
/// # Errors
///
/// Diagnostics of all violations.
pub(crate) fn check_literal(root: &Node) -> Result<PageContent, Vec<FieldDiagnostic>> {
    let page = check(root)?;
    let reference = page.content.fields.iter().find(|(_, value)| value.is_object());
    match reference.map(|(name, _)| name) {
        None => Ok(page),
        Some(name) => {
            let span = root.locate("", [name.as_str()]);
            Err(vec![FieldDiagnostic::new(name, span, "a reference has no meaning here")])
        }
    }
}

fn page(root: &Node, problems: &mut Vec<FieldDiagnostic>) -> Option<PageContent> {
    let entries = match &root.tree {
        Tree::Map(entries) => entries,
        Tree::Null => {
            problems.push(FieldDiagnostic::new("", 0..0, "the file is empty").help(SHAPE));
            return None;
        }
        _ => {
            problems.push(
                FieldDiagnostic::new(
                    "",
                    root.span.clone(),
                    format!("a page file must be a mapping, not {}", root.kind()),
                )
                .help(SHAPE),
            );
            return None;
        }
    };
    match FileKind::of(root) {
        Ok(Some(FileKind::Form)) => {
            let span = root.key_span(["form"]).unwrap_or_else(|| root.span.clone());
            let problem = FieldDiagnostic::new("form", span, "this file is a form, not a page");
            problems.push(problem.help("`links forms create` and `links forms update` take forms"));
            return None;
        }
        Ok(_) => {}
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    }
    let fields = profile_fields::check(entries, problems);
    let profile = match root.get("profile") {
        Some(node) => profile(node, problems),
        None => missing(root, "profile", "the login or id of the page", problems),
    };
    let slots = match root.get("slots").map(|it| (it, &it.tree)) {
        Some((_, Tree::List(items))) => Some(slots(items, problems)),
        Some((node, _)) => {
            let message = format!("`slots` must be a list, not {}", node.kind());
            problems.push(
                FieldDiagnostic::new("slots", root.locate("", ["slots"]), message)
                    .help("an empty page is `slots: []`"),
            );
            None
        }
        None if entries.iter().any(|(key, _)| profile_fields::rule(&key.name).is_some()) => {
            Some(Vec::new())
        }
        None => missing(root, "slots", "the list of slots", problems),
    };
    let login = fields.get("login").and_then(Value::as_str).map(str::to_owned);
    let (has_slots, content) =
        (root.get("slots").is_some(), DesiredPage { fields, slots: slots? }.into());
    let marked_new = root.get("slots").map(marked_new).unwrap_or_default();
    let (profile, host) = profile?;
    Some(PageContent { profile, host, login, has_slots, content, marked_new })
}

const SHAPE: &str =
    "a page file has `profile` (login or id) and `slots` (a list of `id`, `type` and `data`)";

const SLOT_KEYS: [&str; 3] = ["id", "type", "data"];

/// Returns the key of the page, and the host if it is a URL.
fn profile(
    node: &Node,
    problems: &mut Vec<FieldDiagnostic>,
) -> Option<(ProfileKey, Option<String>)> {
    let text = match &node.tree {
        Tree::Text(text) => text.clone(),
        Tree::Number(number) if !number.is_f64() => number.to_string(),
        Tree::Number(_) => {
            let problem = FieldDiagnostic::new(
                "profile",
                node.span.clone(),
                "this is parsed as a number with a fraction",
            );
            problems.push(problem.help("put a login that looks like a number in quotes"));
            return None;
        }
        _ => {
            let message = format!("`profile` must be a login or an id, not {}", node.kind());
            problems.push(FieldDiagnostic::new("profile", node.span.clone(), message));
            return None;
        }
    };
    match profile_key::parse(&text) {
        Ok(key) => Some((key, profile_key::host(&text).map(str::to_owned))),
        Err(error) => {
            problems.push(FieldDiagnostic::new("profile", node.span.clone(), error.to_string()));
            None
        }
    }
}

fn slots(items: &[Node], problems: &mut Vec<FieldDiagnostic>) -> Vec<DesiredSlot> {
    if let Some(first) = items.get(MAX_SLOTS) {
        let message =
            format!("a page has at most {MAX_SLOTS} slots, this file has {}", items.len());
        problems.push(FieldDiagnostic::new(
            format!("slots.{MAX_SLOTS}"),
            first.span.clone(),
            message,
        ));
    }
    let blocks: Vec<_> =
        items.iter().enumerate().filter_map(|(at, item)| block(at, item, problems)).collect();
    let mut first = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        if let Some(node) = item.get("id")
            && let Tree::Number(id) = &node.tree
            && let Some(earlier) = first.insert(id.to_string(), at)
        {
            let message = format!("the id {id} is already used by item {}", earlier + 1);
            problems.push(FieldDiagnostic::new(
                format!("slots.{at}.id"),
                node.span.clone(),
                message,
            ));
        }
    }
    blocks
}

fn block(at: usize, item: &Node, problems: &mut Vec<FieldDiagnostic>) -> Option<DesiredSlot> {
    let path = format!("slots.{at}");
    let Tree::Map(entries) = &item.tree else {
        let message =
            format!("a slot must be a mapping with `type` and `data`, not {}", item.kind());
        problems.push(FieldDiagnostic::new(path, item.span.clone(), message));
        return None;
    };
    let help = "a slot has `id`, `type` and `data`; its content goes under `data`, and its position is that in the list";
    for (key, _) in entries.iter().filter(|(key, _)| !SLOT_KEYS.contains(&key.name.as_str())) {
        problems.push(unknown_key(&path, key, SLOT_KEYS, help));
    }
    let id = match item.get("id") {
        Some(Node { tree: Tree::Text(text), .. }) if text == NEW => None,
        Some(node) => Some(id(node, &path, problems)?),
        None => None,
    };
    let kind = match item.get("type") {
        Some(Node { tree: Tree::Text(kind), .. }) if !kind.trim().is_empty() => kind.clone(),
        Some(node) => {
            let found =
                if matches!(node.tree, Tree::Text(_)) { "an empty string" } else { node.kind() };
            let message = format!("`type` must be the name of a slot type, not {found}");
            problems.push(FieldDiagnostic::new(format!("{path}.type"), node.span.clone(), message));
            return None;
        }
        None => {
            problems.push(
                FieldDiagnostic::new(path, item.span.clone(), "`type` is missing")
                    .help("`links slots types` lists the types"),
            );
            return None;
        }
    };
    let data = match item.get("data").map(|it| (it, &it.tree)) {
        None | Some((_, Tree::Null)) => Object::default(),
        Some((_, Tree::List(items))) if items.is_empty() => Object::default(),
        Some((node, Tree::Map(_))) => match node.to_json() {
            Value::Object(data) => data.into(),
            _ => Object::default(),
        },
        Some((node, _)) => {
            let message = format!("`data` must be a mapping, not {}", node.kind());
            problems.push(FieldDiagnostic::new(format!("{path}.data"), node.span.clone(), message));
            return None;
        }
    };
    Some(DesiredSlot { id, kind, data })
}

/// Returns the indices of the items with `id: new`.
fn marked_new(slots: &Node) -> BTreeSet<usize> {
    let Tree::List(items) = &slots.tree else { return BTreeSet::new() };
    let is_new = |item: &Node| matches!(item.get("id").map(|id| &id.tree), Some(Tree::Text(_)));
    items.iter().enumerate().filter(|(_, item)| is_new(item)).map(|(index, _)| index).collect()
}

fn id(node: &Node, path: &str, problems: &mut Vec<FieldDiagnostic>) -> Option<SlotId> {
    let id = match &node.tree {
        Tree::Number(number) => number.as_i64().filter(|id| *id > 0).map(SlotId::new),
        _ => None,
    };
    if id.is_none() {
        let problem = FieldDiagnostic::new(
            format!("{path}.id"),
            node.span.clone(),
            "`id` must be a whole number from 1 to 9223372036854775807",
        );
        problems.push(problem.help("leave `id` out for a new slot"));
    }
    id
}

fn missing<T>(
    root: &Node,
    name: &str,
    what: &str,
    problems: &mut Vec<FieldDiagnostic>,
) -> Option<T> {
    problems.push(FieldDiagnostic::new(
        name,
        root.span.clone(),
        format!("`{name}` is missing: {what}"),
    ));
    None
}
