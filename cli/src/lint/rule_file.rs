//! `links.toml`: the rules for the page files and form files of its directory and of those below, unless one of these has its own.

use links_pages::page_file::node::Span;
use links_pages::page_file::{FieldDiagnostic, FileDiagnostics, Sources};
use links_pages::suggest::did_you_mean;
use toml_edit::Key;

use super::ready_made;
use super::rule_table::RuleTable;
use crate::apply::sync::{from_here, governing};
use crate::context::prelude::*;
use crate::output::format::query;
use crate::ui::annotations::Level;

/// Name of the file.
pub(crate) const NAME: &str = "links.toml";

/// Maximum size of the file in bytes: all filters are compiled at once.
const MOST_BYTES: u64 = 64 * 1024;

/// Maximum number of characters of a message.
const MOST_MESSAGE: usize = 500;

/// Maximum number of rules of a file.
const MOST_RULES: usize = 100;

/// Keys of a rule, apart from the options of the ready-made ones.
const KEYS: [&str; 7] = ["use", "name", "for", "values", "must", "message", "level"];

/// Rules of a file.
#[derive(Debug)]
pub(crate) struct RuleFile {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) rules: Vec<Rule>,
}

/// What must hold for items of pages and forms. The parts of it are jq filters.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) level: Level,
    /// `for`: selects items.
    pub(super) selects: String,
    /// Selects values of these items; by default, the items themselves.
    pub(super) values: Option<String>,
    /// Holds for each of the values.
    pub(super) must: String,
    message: String,
    /// Where these filters are in the file.
    pub(super) places: [Span; 3],
}

/// Returns the file that governs a page file or form file.
pub(crate) fn of(file: &Path) -> Option<PathBuf> {
    governing(file, NAME)
}

/// Returns the files that govern paths, and those in directories below them, down to a depth.
pub(crate) fn all(paths: &[PathBuf], depth: usize) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for path in paths {
        if path.is_dir() {
            found.extend(of(&path.join(NAME)));
            below(path, depth, &mut found);
        } else {
            found.extend(of(path));
        }
    }
    found
}

fn below(directory: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) {
    let entries = directory.read_dir().into_iter().flatten().flatten();
    for entry in entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b".")) {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_directory && depth > 0 {
            below(&entry.path(), depth - 1, found);
        } else if !is_directory && entry.file_name() == NAME {
            found.extend(of(&entry.path()));
        }
    }
}

impl RuleFile {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is not TOML, or has an unknown key or an invalid value.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let path = from_here(path);
        if path.is_symlink() {
            let message = format!("{} must be a file, not a symbolic link", path.display());
            return Err(CommandError::refused(message));
        }
        let (name, bytes) = named::read_most(&path, MOST_BYTES)?;
        Self::of(&name, utf8(&name, bytes)?)
    }

    /// Reads the text of a file with this name.
    ///
    /// # Errors
    ///
    /// When it is not TOML, or has an unknown key or an invalid value.
    pub(super) fn of(name: &str, text: String) -> Result<Self> {
        match parse(&text) {
            Ok(rules) => Ok(Self { name: name.to_owned(), text, rules }),
            Err(problems) => Err(FileDiagnostics::new(&Sources::new(name, text), problems).into()),
        }
    }
}

impl Rule {
    /// Returns what is said of an item that breaks the rule. `error` is why a filter failed on it.
    pub(super) fn message(&self, error: Option<&str>) -> String {
        match error.map(query::shortened) {
            Some(error) => format!("{} (a filter failed: {error})", self.message),
            None => self.message.clone(),
        }
    }

    /// Returns the path with which `must` begins, such as `.data.link`. It says where an item breaks the rule.
    pub(super) fn leading_path(&self) -> impl Iterator<Item = String> {
        let part = |c: char| c.is_ascii_alphanumeric() || "._".contains(c);
        let end = self.must.find(|c| !part(c)).unwrap_or(self.must.len());
        let path = if self.must.starts_with('.') { &self.must[..end] } else { "" };
        path.split('.').filter(|name| !name.is_empty()).map(str::to_owned)
    }
}

/// Returns the rules of a text.
///
/// # Errors
///
/// All problems of the text.
fn parse(text: &str) -> Result<Vec<Rule>, Vec<FieldDiagnostic>> {
    let document = toml_edit::Document::parse(text).map_err(|error| {
        vec![FieldDiagnostic::new("", error.span().unwrap_or_default(), error.message())]
    })?;
    let (mut rules, mut problems) = (Vec::new(), Vec::new());
    for (name, item) in document.iter() {
        let place = document.key(name).and_then(Key::span).unwrap_or_default();
        match item.as_array_of_tables() {
            _ if name != "rule" => {
                let problem = FieldDiagnostic::new(name, place, format!("unknown key `{name}`"));
                problems.push(problem.help("a rule begins with `[[rule]]`"));
            }
            None => {
                problems.push(FieldDiagnostic::new(name, place, "a rule begins with `[[rule]]`"));
            }
            Some(tables) => {
                for table in tables {
                    let number = rules.len() + 1;
                    rules.extend(rule(RuleTable { table, problems: &mut problems }, number));
                }
            }
        }
    }
    if rules.len() > MOST_RULES {
        let message = format!("a file has at most {MOST_RULES} rules, not {}", rules.len());
        problems.push(FieldDiagnostic::new("rule", 0..0, message));
    }
    if problems.is_empty() { Ok(rules) } else { Err(problems) }
}

/// Returns the rule, unless a problem keeps it from being one.
fn rule(mut table: RuleTable<'_>, number: usize) -> Option<Rule> {
    let before = table.problems.len();
    let ready = table.text("use").filter(|name| {
        let is_known = ready_made::NAMES.contains(&name.as_str());
        if !is_known {
            let help = did_you_mean(name, ready_made::NAMES)
                .unwrap_or_else(|| format!("use one of: {}", ready_made::NAMES.join(", ")));
            table.problem("use", &format!("unknown ready-made rule `{name}`"), Some(help));
        }
        is_known
    });
    let options = ready.as_deref().map_or(&[][..], ready_made::options);
    for (key, _) in table.table {
        if !KEYS.contains(&key) && !options.contains(&key) {
            let known = KEYS.iter().chain(options).copied();
            let help = did_you_mean(key, known);
            let place = table.table.key(key).and_then(Key::span).unwrap_or_default();
            let problem = FieldDiagnostic::new(key, place, format!("unknown key `{key}`"));
            table.problems.push(problem.help_if(help));
        }
    }
    let level = match table.text("level").as_deref() {
        None | Some("error") => Level::Error,
        Some("warning") => Level::Warning,
        Some(_) => {
            table.problem("level", "`level` must be `error` or `warning`", None);
            Level::Error
        }
    };
    let made = ready.as_deref().and_then(|name| ready_made::made(name, &mut table));
    let [made_values, made_must, made_message] =
        made.map(|made| made.map(Some)).unwrap_or_default();
    let given = ["name", "for", "values", "must", "message"].map(|key| table.text(key));
    let [name, selects, values, must, message] = given;
    if ready.is_none() && table.problems.len() == before {
        for (key, value) in [("for", &selects), ("must", &must), ("message", &message)] {
            if value.is_none() {
                table.problem("", &format!("the rule has no `{key}`"), None);
            }
        }
    }
    if ready.is_some() && must.is_some() {
        table.problem("must", "a ready-made rule has its own `must`", None);
    }
    let places = ["for", "values", "must"].map(|key| table.span(key));
    if name.as_ref().is_some_and(|name| name.contains(char::is_whitespace)) {
        table.problem("name", "`name` must not contain spaces", None);
    }
    if message.as_ref().is_some_and(|message| message.chars().count() > MOST_MESSAGE) {
        let text = format!("`message` must have at most {MOST_MESSAGE} characters");
        table.problem("message", &text, None);
    }
    if table.problems.len() > before {
        return None;
    }
    Some(Rule {
        name: name.or(ready).unwrap_or_else(|| format!("rule-{number}")),
        level,
        selects: selects.unwrap_or_else(|| "true".to_owned()),
        values: values.or(made_values),
        must: must.or(made_must)?,
        message: message.or(made_message)?,
        places,
    })
}
