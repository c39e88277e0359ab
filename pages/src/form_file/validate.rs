//! Validation: converts a tree to a form and checks all rules that need no service, reporting all violations together.

use std::collections::HashMap;

use links_sdk::Object;
use serde_json::{Map, Value};

use super::channels;
use super::fields::{
    CHANNELS, COMPUTED, FORM_FIELDS, ID, INPUT_FIELDS, INPUT_REQUIRED, INPUTS, MAX_NAME, NAME,
};
use crate::page_file::field_rule::{FieldRule, FieldType, computed_key, rule, unknown_key};
use crate::page_file::node::{Key, Node, Tree};
use crate::page_file::{FORM_SHAPE, FieldDiagnostic, FileKind};

/// Content of a form file.
#[derive(Clone, Debug, PartialEq)]
pub struct FormContent {
    /// Name of the form in files, which `{$form: NAME}` refers to.
    pub name: String,
    /// Id of the form on the service, if the file has one.
    pub id: Option<String>,
    /// Fields of the form that the file mentions, as the service takes them; null clears one. References to channels are as written.
    pub fields: Object,
}

/// Converts a document to the content of a form.
///
/// # Errors
///
/// Diagnostics of all violations.
pub(super) fn check(root: &Node) -> Result<FormContent, Vec<FieldDiagnostic>> {
    let mut problems = Vec::new();
    let form = form(root, &mut problems);
    match form {
        Some(form) if problems.is_empty() => Ok(form),
        _ => Err(problems),
    }
}

fn form(root: &Node, problems: &mut Vec<FieldDiagnostic>) -> Option<FormContent> {
    let entries = match FileKind::Form.entries(root) {
        Ok(entries) => entries,
        Err(problem) => {
            problems.push(problem);
            return None;
        }
    };
    let (mut name, mut id, mut fields) = (None, None, Object::default());
    for (key, value) in entries {
        let field = match key.name.as_str() {
            NAME => {
                name = local_name(key, value, problems);
                continue;
            }
            ID => {
                let checked = rule(ID, FieldType::Word).check(ID, key, value, problems);
                id = checked.as_ref().and_then(Value::as_str).map(str::to_owned);
                continue;
            }
            INPUTS => inputs(key, value, problems),
            CHANNELS => channels::check(key, value, problems),
            other => match FORM_FIELDS.iter().find(|rule| rule.name == other) {
                Some(field_rule) => field_rule.check(other, key, value, problems),
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
        let message = "`title` is missing: the form is found or created by it";
        problems.push(root.problem("title", message));
    }
    if root.get(NAME).is_none() {
        let message = "`form` is missing: the local name of the form";
        problems.push(root.problem(NAME, message).help(FORM_SHAPE));
    }
    Some(FormContent { name: name?, id, fields })
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
                "a local name has 1 to {MAX_NAME} letters, digits, `.`, `_` and `-`, and begins with a letter or a digit"
            );
            node.problem(NAME, message).help("the title of the form goes under `title`")
        }
        tree => {
            let problem = node.wrong(NAME, "`form` must be the local name of the form");
            match tree {
                Tree::Number(_) | Tree::Bool(_) => problem.help("put a name in quotes"),
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
    unknown_key(path, key, names, &format!("a field has {}", all.join(", ")))
}
