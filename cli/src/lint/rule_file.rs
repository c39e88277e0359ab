//! `links.toml`: the rules for the page files and form files of its directory and of those below, unless one of these has its own.

use links_pages::page_file::node::Span;
use links_pages::page_file::{FieldDiagnostic, FileDiagnostics};
use links_pages::suggest::nearest;
use toml_edit::{Item, Key, Table};

use super::program;
use super::ready_made::{self, MadeRule};
use crate::account::files::DEPTH;
use crate::apply::sync::{from_here, governing};
use crate::context::prelude::*;
use crate::output::format::query;
use crate::ui::annotations::Level;

/// Name of the file.
pub(crate) const NAME: &str = "links.toml";

/// Maximum number of rules of a file.
const MOST_RULES: usize = 100;

/// Keys of a rule, apart from the options of the ready-made ones.
const KEYS: [&str; 7] = ["use", "name", "for", "values", "must", "message", "level"];

/// Rules of a file.
#[derive(Debug)]
pub(crate) struct RuleFile {
    name: String,
    text: String,
    pub(super) rules: Vec<Rule>,
}

/// What must hold for items of pages and forms. The parts of it are jq filters.
#[derive(Clone, Debug)]
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
    places: [Span; 3],
}

/// Returns the file that governs a page file or form file.
pub(crate) fn of(file: &Path) -> Option<PathBuf> {
    governing(file, NAME)
}

/// Returns the files that govern paths, and those in directories below them.
pub(crate) fn all(paths: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for path in paths {
        if path.is_dir() {
            found.extend(of(&path.join(NAME)));
            below(path, DEPTH, &mut found);
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
        let (name, bytes) = named::read(&from_here(path))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| CommandError::invalid(format!("{name} must be UTF-8 text")))?;
        Self::of(&name, text)
    }

    /// Reads the text of a file with this name.
    ///
    /// # Errors
    ///
    /// When it is not TOML, or has an unknown key or an invalid value.
    pub(super) fn of(name: &str, text: String) -> Result<Self> {
        match parse(&text) {
            Ok(rules) => Ok(Self { name: name.to_owned(), text, rules }),
            Err(problems) => Err(FileDiagnostics::new(name, &text, problems).into()),
        }
    }

    /// Returns the error for a filter of a rule that cannot be compiled, or else for the reason why the rules cannot be checked.
    pub(super) fn failure(&self, why: &str) -> CommandError {
        let problem = |rule: &Rule| {
            let filters = [Some(&rule.selects), rule.values.as_ref(), Some(&rule.must)];
            let wrong = filters.iter().zip(&rule.places).find_map(|(filter, place)| {
                let why = program::check((*filter)?).err()?;
                Some(FieldDiagnostic::new(&rule.name, place.clone(), why))
            });
            wrong.map(|it| it.help("`for`, `values` and `must` are jq filters"))
        };
        let problems: Vec<_> = self.rules.iter().filter_map(problem).collect();
        if problems.is_empty() {
            return CommandError::invalid(format!(
                "cannot check the rules of {}: {why}",
                self.name
            ));
        }
        FileDiagnostics::new(&self.name, &self.text, problems).into()
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
                    rules.extend(RuleTable { table, problems: &mut problems }.rule(number));
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

/// Table of a rule, with the problems of the file.
pub(super) struct RuleTable<'t> {
    table: &'t Table,
    problems: &'t mut Vec<FieldDiagnostic>,
}

impl RuleTable<'_> {
    /// Returns the rule, unless a problem keeps it from being one.
    fn rule(mut self, number: usize) -> Option<Rule> {
        let before = self.problems.len();
        let ready = self.text("use").and_then(|name| {
            let known = ready_made::ALL.iter().find(|rule| rule.name == name);
            if known.is_none() {
                let names = ready_made::ALL.map(|rule| rule.name);
                let help = nearest(&name, names).map_or_else(
                    || format!("use one of: {}", names.join(", ")),
                    |name| format!("did you mean `{name}`?"),
                );
                self.problem("use", &format!("unknown ready-made rule `{name}`"), Some(help));
            }
            known
        });
        let options = ready.map_or(&[][..], |ready| ready.options);
        for (key, _) in self.table {
            if !KEYS.contains(&key) && !options.contains(&key) {
                let known = KEYS.iter().chain(options).copied();
                let help = nearest(key, known).map(|it| format!("did you mean `{it}`?"));
                let place = self.table.key(key).and_then(Key::span).unwrap_or_default();
                let problem = FieldDiagnostic::new(key, place, format!("unknown key `{key}`"));
                self.problems.push(problem.help_if(help));
            }
        }
        let level = match self.text("level").as_deref() {
            None | Some("error") => Level::Error,
            Some("warning") => Level::Warning,
            Some(_) => {
                self.problem("level", "`level` must be `error` or `warning`", None);
                Level::Error
            }
        };
        let made = ready.and_then(|ready| (ready.make)(&mut self));
        let given = ["name", "for", "values", "must", "message"].map(|key| self.text(key));
        let [name, selects, values, must, message] = given;
        if ready.is_none() && self.problems.len() == before {
            for (key, value) in [("for", &selects), ("must", &must), ("message", &message)] {
                if value.is_none() {
                    self.problem("", &format!("the rule has no `{key}`"), None);
                }
            }
        }
        if ready.is_some() && must.is_some() {
            self.problem("must", "a ready-made rule has its own `must`", None);
        }
        let places = ["for", "values", "must"].map(|key| self.span(key));
        let name = name.unwrap_or_else(|| match ready {
            Some(ready) => ready.name.to_owned(),
            None => format!("rule {number}"),
        });
        if self.problems.len() > before {
            return None;
        }
        let (made_values, made_must, made_message) = match made {
            Some(MadeRule { values, must, message }) => (Some(values), Some(must), Some(message)),
            None => (None, None, None),
        };
        Some(Rule {
            name,
            level,
            selects: selects.unwrap_or_else(|| "true".to_owned()),
            values: values.or(made_values),
            must: must.or(made_must)?,
            message: message.or(made_message)?,
            places,
        })
    }

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
            self.problem(key, &format!("`{key}` must be a number"), None);
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

    fn span(&self, key: &str) -> Span {
        let item = self.table.get(key).and_then(Item::span);
        item.or_else(|| self.table.span()).unwrap_or_default()
    }

    /// Adds a problem of a key, or of the whole table if it has no such key.
    fn problem(&mut self, key: &str, message: &str, help: Option<String>) {
        let problem = FieldDiagnostic::new(key, self.span(key), message);
        self.problems.push(problem.help_if(help));
    }
}
