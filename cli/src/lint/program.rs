//! The program that checks rules on items of pages and forms: one jq filter, which runs in a process of its own with limits.

use links_pages::page_file::{At, Document};
use serde::Deserialize;

use super::Finding;
use super::rule_file::{Rule, RuleFile};
use crate::context::prelude::*;
use crate::output::format::query::{self, Process};

/// Beginning of the program.
const PRELUDE: &str = include_str!("prelude.jq");

/// A page file or form file, with the number of its rules.
pub(super) struct Governed<'d> {
    pub(super) document: &'d Document,
    pub(super) is_form: bool,
    pub(super) rules: Option<usize>,
}

/// A rule that an item breaks: its number, and the path of a value in the item.
#[derive(Deserialize)]
struct Broken {
    rule: usize,
    path: Vec<Value>,
    /// Why a filter failed.
    error: Option<String>,
}

/// Returns what each document breaks of its rules.
///
/// # Errors
///
/// When a filter cannot be compiled, or the program exceeds a limit.
pub(super) fn run(
    rule_files: &[RuleFile],
    files: &[Governed<'_>],
    process: Option<Process>,
) -> Result<Vec<Vec<Finding>>> {
    let failure = |why: &str| {
        let failures = rule_files.iter().map(|file| file.failure(why)).collect();
        CommandError::of_several(failures, "cannot check the rules")
    };
    let items: Vec<Vec<Item>> = files.iter().map(items).collect();
    let input = files.iter().zip(&items).map(|(file, items)| {
        let items: Vec<_> =
            items.iter().map(|it| json!({ "kind": it.kind, "value": it.value })).collect();
        json!({ "rules": file.rules, "file": file.document.root.to_json(), "items": items })
    });
    let results = query::results_of(&code(rule_files), &input.collect(), process);
    let mut results = results.map_err(|why| failure(&why))?.into_iter();
    let mut of_item = || {
        let result = results.next().ok_or("a filter ended the program")??;
        serde_json::from_value::<Vec<Broken>>(result).map_err(|error| error.to_string())
    };
    let mut found = Vec::new();
    for (file, items) in files.iter().zip(&items) {
        let rules = file.rules.and_then(|nth| rule_files.get(nth)).map_or(&[][..], |it| &it.rules);
        let mut of_file = Vec::new();
        for item in items {
            let broken = of_item().map_err(|why: String| failure(&why))?;
            of_file.extend(broken.into_iter().filter_map(|it| {
                let rule = rules.get(it.rule)?;
                Some(it.finding(file.document, item, rule))
            }));
        }
        found.push(of_file);
    }
    Ok(found)
}

/// Returns why a filter of a rule cannot be compiled.
pub(super) fn check(filter: &str) -> Result<(), String> {
    query::check(&format!("{PRELUDE}{filter}"))
}

/// Returns the program: a list of what is broken for each item.
fn code(rule_files: &[RuleFile]) -> String {
    // The end of a line ends a comment.
    let rule = |(nth, rule): (usize, &Rule)| {
        let Rule { selects, must, .. } = rule;
        let values = rule.values.as_deref().unwrap_or(".");
        format!(", __rule({nth};\n({selects}\n);\n({values}\n);\n({must}\n))\n")
    };
    let rules = |(nth, file): (usize, &RuleFile)| {
        let rules: String = file.rules.iter().enumerate().map(rule).collect();
        format!("if $__rules == {nth} then (empty\n{rules}) else empty end,\n")
    };
    let all: String = rule_files.iter().enumerate().map(rules).collect();
    format!("{PRELUDE}  [\n{all}empty]")
}

/// A page, a form or a slot.
struct Item {
    kind: &'static str,
    value: Value,
    /// Its path in the document.
    path: Vec<String>,
}

/// Returns the items of a file that has rules: the page or form, and the slots.
fn items(file: &Governed<'_>) -> Vec<Item> {
    let value = file.document.root.to_json();
    let kind = if file.is_form { "form" } else { "page" };
    let slot = |(nth, value): (usize, &Value)| {
        let path = vec!["slots".to_owned(), nth.to_string()];
        Item { kind: "slot", value: value.clone(), path }
    };
    let slots = value["slots"].as_array().filter(|_| !file.is_form).into_iter().flatten();
    let slots: Vec<Item> = slots.enumerate().map(slot).collect();
    let items = std::iter::once(Item { kind, value, path: Vec::new() }).chain(slots);
    items.filter(|_| file.rules.is_some()).collect()
}

impl Broken {
    fn finding(self, document: &Document, item: &Item, rule: &Rule) -> Finding {
        let name = |part: &Value| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
        let mut path = item.path.clone();
        path.extend(self.path.iter().map(name));
        if rule.values.is_none() {
            path.extend(rule.leading_path());
        }
        let problem = document.locate(&path, At::Value, rule.message(self.error.as_deref()));
        Finding { rule: rule.name.clone(), level: rule.level, problem }
    }
}
