//! Validation: converts a tree to a page and checks all rules that need no service, reporting all violations together.

use std::collections::{BTreeSet, HashMap};

use crate::apply::{DesiredPage, DesiredSlot};
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
pub(super) fn check(root: &Node) -> Result<PageContent, Vec<FieldDiagnostic>> {
    let entries = FileKind::Page.entries(root).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let fields = profile_fields::check(entries, &mut problems);
    let profile = match root.get("profile") {
        Some(node) => profile(node),
        None => Err(missing(root, "profile", "the login or id of the page")),
    };
    let mut marked_new = BTreeSet::new();
    let slots = match root.get("slots") {
        Some(Node { tree: Tree::List(items), .. }) => {
            Ok(slots(items, &mut marked_new, &mut problems))
        }
        Some(node) => {
            let span = root.locate("", ["slots"]);
            let problem = node.wrong("slots", "`slots` must be a list");
            Err(problem.at(&span).help("an empty page is `slots: []`"))
        }
        None if entries.iter().any(|(key, _)| profile_fields::rule_of(&key.name).is_some()) => {
            Ok(Vec::new())
        }
        None => Err(missing(root, "slots", "the list of slots")),
    };
    match (profile, slots) {
        (Ok((profile, host)), Ok(slots)) if problems.is_empty() => Ok(PageContent {
            profile,
            host,
            login: fields.get("login").and_then(Value::as_str).map(str::to_owned),
            has_slots: root.get("slots").is_some(),
            content: DesiredPage { fields, slots }.into(),
            marked_new,
        }),
        (profile, slots) => {
            problems.extend(profile.err());
            problems.extend(slots.err());
            Err(problems)
        }
    }
}

/// Converts a document that this program has written, in which no field refers to an image of this machine.
///
/// # Errors
///
/// Diagnostics of all violations.
pub(super) fn check_literal(root: &Node) -> Result<PageContent, Vec<FieldDiagnostic>> {
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

/// Returns the key of the page, and the host if it is a URL.
fn profile(node: &Node) -> Result<(ProfileKey, Option<String>), FieldDiagnostic> {
    let text = match &node.tree {
        Tree::Text(text) => text.clone(),
        Tree::Number(number) if !number.is_f64() => number.to_string(),
        Tree::Number(_) => {
            let problem = node.problem("profile", "this is parsed as a number with a fraction");
            return Err(problem.help("put a login that looks like a number in quotes"));
        }
        _ => return Err(node.wrong("profile", "`profile` must be a login or an id")),
    };
    let key = profile_key::parse(&text);
    let key = key.map_err(|error| node.problem("profile", error.to_string()))?;
    Ok((key, profile_key::host(&text).map(str::to_owned)))
}

const SLOT_KEYS: [&str; 3] = ["id", "type", "data"];

fn slots(
    items: &[Node],
    marked_new: &mut BTreeSet<usize>,
    problems: &mut Vec<FieldDiagnostic>,
) -> Vec<DesiredSlot> {
    if let Some(first) = items.get(MAX_SLOTS) {
        let message =
            format!("a page has at most {MAX_SLOTS} slots, this file has {}", items.len());
        let path = format!("slots.{MAX_SLOTS}");
        problems.push(first.problem(path, message));
    }
    let mut slots = Vec::with_capacity(items.len());
    let mut first = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        let path = format!("slots.{at}");
        match slot(item, &path, problems) {
            Ok(slot) => slots.push(slot),
            Err(problem) => problems.push(problem),
        }
        let Some(node) = item.get("id") else { continue };
        if let Tree::Number(id) = &node.tree
            && let Some(earlier) = first.insert(id.to_string(), at)
        {
            let message = format!("the id {id} is already used by item {}", earlier + 1);
            problems.push(node.problem(path + ".id", message));
        } else if matches!(node.tree, Tree::Text(_)) {
            marked_new.insert(at);
        }
    }
    slots
}

fn slot(
    item: &Node,
    path: &str,
    problems: &mut Vec<FieldDiagnostic>,
) -> Result<DesiredSlot, FieldDiagnostic> {
    let Some(entries) = item.entries() else {
        return Err(item.wrong(path, "a slot must be a mapping with `type` and `data`"));
    };
    let help = "a slot has `id`, `type` and `data`; its content goes under `data`, and its position is that in the list";
    for (key, _) in entries.iter().filter(|(key, _)| !SLOT_KEYS.contains(&key.name.as_str())) {
        problems.push(unknown_key(path, key, SLOT_KEYS, help));
    }
    let id = match item.get("id") {
        Some(Node { tree: Tree::Text(text), .. }) if text == NEW => None,
        Some(node) => Some(id(node, path)?),
        None => None,
    };
    let kind = match item.get("type") {
        Some(Node { tree: Tree::Text(kind), .. }) if !kind.trim().is_empty() => kind.clone(),
        Some(node) => {
            let must = "`type` must be the name of a slot type";
            let path = format!("{path}.type");
            return Err(match node.tree {
                Tree::Text(_) => node.problem(path, format!("{must}, not an empty string")),
                _ => node.wrong(path, must),
            });
        }
        None => {
            let problem = item.problem(path, "`type` is missing");
            return Err(problem.help("`links slots types` lists the types"));
        }
    };
    let data = match item.get("data").map(|it| (it, &it.tree)) {
        None | Some((_, Tree::Null)) => Object::default(),
        Some((_, Tree::List(items))) if items.is_empty() => Object::default(),
        Some((node, _)) => match node.to_json() {
            Value::Object(data) => data.into(),
            _ => return Err(node.wrong(format!("{path}.data"), "`data` must be a mapping")),
        },
    };
    Ok(DesiredSlot { id, kind, data })
}

fn id(node: &Node, path: &str) -> Result<SlotId, FieldDiagnostic> {
    let id = match &node.tree {
        Tree::Number(number) => number.as_i64().filter(|id| *id > 0).map(SlotId::new),
        _ => None,
    };
    id.ok_or_else(|| {
        let message = "`id` must be a whole number from 1 to 9223372036854775807";
        node.problem(format!("{path}.id"), message).help("leave `id` out for a new slot")
    })
}

fn missing(root: &Node, name: &str, what: &str) -> FieldDiagnostic {
    root.problem(name, format!("`{name}` is missing: {what}"))
}
