//! The program that checks rules on items of pages and forms: one jq filter, which runs in a process of its own with limits.

use links_pages::page_file::{At, Document, FieldDiagnostic, FileDiagnostics, Sources};
use serde::Deserialize;

use super::broken_rule::{BrokenRule, CheckedFile};
use super::rule_file::{Rule, RuleFile};

use crate::context::prelude::*;
use crate::output::format::query::{self, Process};
use crate::schema::fields::plain;
use crate::ui::annotations::Level;

/// Beginning of the program.
const PRELUDE: &str = include_str!("prelude.jq");

/// A rule that an item breaks: its number, and the path of a value in the item.
#[derive(Deserialize)]
struct Broken {
    rule: usize,
    path: Vec<Value>,
    /// Why a filter failed.
    error: Option<String>,
}

/// Maximum number of broken rules of a file.
const MOST_BROKEN: usize = 1000;

/// Returns what each file breaks of the rules.
///
/// # Errors
///
/// When a filter cannot be compiled, or the program exceeds a limit.
pub(super) fn run(
    rules: &RuleFile,
    files: &[CheckedFile<'_>],
    process: Option<Process>,
) -> Result<Vec<Vec<BrokenRule>>> {
    let items: Vec<Vec<Item>> = files.iter().map(items).collect();
    let input = files.iter().zip(&items).map(|(file, items)| {
        let items: Vec<_> =
            items.iter().map(|item| json!({ "kind": item.kind, "value": item.value })).collect();
        json!({ "file": file.document.root.to_json(), "items": items })
    });
    let results = query::results(&code(rules), &input.collect(), process);
    let mut results = results.map_err(|why| failure_of(rules, &why))?.into_iter();
    let mut of_item = || {
        let result = results.next().ok_or("a filter ended the program")??;
        serde_json::from_value::<Vec<Broken>>(result).map_err(|error| error.to_string())
    };
    let mut found = Vec::new();
    for (file, items) in files.iter().zip(&items) {
        let mut of_file = Vec::new();
        for item in items {
            let broken = of_item().map_err(|why: String| failure_of(rules, &why))?;
            of_file.extend(broken.into_iter().filter_map(|broken| {
                let rule = rules.rules.get(broken.rule)?;
                Some(broken.rule(file.document, item, rule))
            }));
            if of_file.len() > MOST_BROKEN {
                // No number of warnings hides an error.
                of_file.sort_by_key(|broken| broken.level != Level::Error);
                of_file.truncate(MOST_BROKEN);
            }
        }
        found.push(of_file);
    }
    if results.next().is_some() {
        return Err(failure_of(rules, "a filter returned results of its own"));
    }
    Ok(found)
}

/// Returns the error for filters that cannot be compiled, at their places, or else for the reason why the rules cannot be checked.
fn failure_of(file: &RuleFile, why: &str) -> CommandError {
    let problem = |rule: &Rule| {
        let filters = [Some(&rule.selects), rule.values.as_ref(), Some(&rule.must)];
        let wrong = filters.iter().zip(&rule.places).find_map(|(filter, place)| {
            let why = query::check(&format!("{PRELUDE}{}", (*filter)?)).err()?;
            Some(FieldDiagnostic::new(&rule.name, place.clone(), why))
        });
        wrong.map(|wrong| wrong.help("`for`, `values` and `must` are jq filters"))
    };
    let problems: Vec<_> = file.rules.iter().filter_map(problem).collect();
    if problems.is_empty() {
        return CommandError::invalid(format!("cannot check the rules of {}: {why}", file.name));
    }
    FileDiagnostics::new(&Sources::new(&file.name, file.text.clone()), problems).into()
}

/// Returns the program: a list of what is broken for each item.
fn code(rules: &RuleFile) -> String {
    // The end of a line ends a comment.
    let rule = |(nth, rule): (usize, &Rule)| {
        let Rule { selects, must, .. } = rule;
        let values = rule.values.as_deref().unwrap_or(".");
        format!(", __rule({nth};\n({selects}\n);\n({values}\n);\n({must}\n))\n")
    };
    let rules: String = rules.rules.iter().enumerate().map(rule).collect();
    format!("{PRELUDE}  [empty\n{rules}]")
}

/// A page, a form or a slot.
struct Item {
    kind: &'static str,
    value: Value,
    /// Its path in the document.
    path: Vec<String>,
}

/// Returns the items of a file: the page or form, and the slots.
fn items(file: &CheckedFile<'_>) -> Vec<Item> {
    let value = file.document.root.to_json();
    let kind = if file.is_form { "form" } else { "page" };
    let slot = |(nth, value): (usize, &Value)| {
        let path = vec!["slots".to_owned(), nth.to_string()];
        Item { kind: "slot", value: value.clone(), path }
    };
    let slots = value["slots"].as_array().filter(|_| !file.is_form).into_iter().flatten();
    let slots: Vec<Item> = slots.enumerate().map(slot).collect();
    std::iter::once(Item { kind, value, path: Vec::new() }).chain(slots).collect()
}

impl Broken {
    fn rule(self, document: &Document, item: &Item, rule: &Rule) -> BrokenRule {
        let mut path = item.path.clone();
        path.extend(self.path.iter().map(plain));
        if rule.values.is_none() {
            path.extend(rule.leading_path());
        }
        let problem = document.locate(&path, At::Value, rule.message(self.error.as_deref()));
        BrokenRule { rule: rule.name.clone(), level: rule.level, problem }
    }
}
