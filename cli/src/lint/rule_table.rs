//! The table of a rule in a `links.toml`: its values, and the problems that they have.

use links_pages::page_file::FieldDiagnostic;
use links_pages::page_file::node::Span;
use toml_edit::{Item, Table};

/// Table of a rule, with the problems of the file.
pub(super) struct RuleTable<'t> {
    pub(super) table: &'t Table,
    pub(super) problems: &'t mut Vec<FieldDiagnostic>,
}

impl RuleTable<'_> {
    /// Returns a text of the table.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let item = self.table.get(key)?;
        let text = item.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        if text.is_none() {
            self.problem(key, &format!("`{key}` must be a text"), None);
        }
        text
    }

    /// Returns a number of the table, which must have it.
    pub(super) fn number(&mut self, key: &str) -> Option<u64> {
        let number = self.table.get(key).and_then(Item::as_integer);
        let number = number.and_then(|it| u64::try_from(it).ok());
        if number.is_none() {
            self.problem(key, &format!("`{key}` must be a whole number, at least 0"), None);
        }
        number
    }

    /// Returns a list of texts of the table, which must have it.
    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let list = self.table.get(key).and_then(Item::as_array);
        let texts = list.and_then(|list| {
            list.iter().map(|it| it.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        if texts.as_ref().is_none_or(Vec::is_empty) {
            self.problem(key, &format!("`{key}` must be a list of texts"), None);
        }
        texts
    }

    /// Returns where a key is, or else the whole table.
    pub(super) fn span(&self, key: &str) -> Span {
        let item = self.table.get(key).and_then(Item::span);
        item.or_else(|| self.table.span()).unwrap_or_default()
    }

    /// Adds a problem of a key, or of the whole table if it has no such key.
    pub(super) fn problem(&mut self, key: &str, message: &str, help: Option<String>) {
        let problem = FieldDiagnostic::new(key, self.span(key), message);
        self.problems.push(problem.help_if(help));
    }
}
