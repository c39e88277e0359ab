//! What a page file takes from elsewhere, resolved when it is read, so that everything else sees a plain page: `{$include: FILE}` for items,
//! `{$value: NAME}` and `{$text: "Call {phone}"}` for values, and the row of its table.

use std::path::{Path, PathBuf};

use super::document::Document;
use super::fields::{UPLOAD, referred};
use super::local_image::{self, ImageRoots};
use super::node::{Key, Node, Span, Tree, moved};
use super::patch::marks;
use super::report::FieldDiagnostic;
use super::sources::Sources;
use super::table::{self, EACH, Row, read_at};
use crate::suggest::did_you_mean;

const INCLUDE: &str = "$include";
const VALUE: &str = "$value";
const TEXT: &str = "$text";
const REFERENCES: [&str; 3] = [INCLUDE, VALUE, TEXT];

/// Key of the values of a page file.
const VALUES: &str = "values";

/// File with the values of a directory and of those below it.
const VALUES_FILE: &str = "values.yaml";

/// Number of directories in which values are looked for.
const MOST_LEVELS: usize = 8;

/// Maximum depth of files that include each other.
const MOST_NESTED: usize = 8;

/// Maximum number of bytes of the texts and values that a page file takes from elsewhere.
const MOST_BYTES: usize = 5 * 1024 * 1024;

/// Maximum number of files that a page file uses, each time counted.
const MOST_FILES: usize = 200;

/// Maximum number of items that are spliced, which is more than a page may have.
const MOST_ITEMS: usize = 1000;

impl Document {
    /// Returns the keys of the rows that the document has a page for; none for a document without a table.
    ///
    /// # Errors
    ///
    /// When the table cannot be read, or has no rows.
    pub fn row_keys(
        &self,
        roots: &ImageRoots,
    ) -> Result<Option<Vec<String>>, super::FileDiagnostics> {
        let Some(each) = self.root.get(EACH) else { return Ok(None) };
        let mut document = self.clone();
        match table::rows(&mut document, roots) {
            Ok(rows) if rows.is_empty() => {
                let message = match &each.tree {
                    Tree::Text(name) => format!("the table {name} has no rows"),
                    _ => "the table has no rows".to_owned(),
                };
                Err(document.bad(vec![each.problem(EACH, message)]))
            }
            Ok(rows) => Ok(Some(rows.into_iter().map(|(key, _)| key).collect())),
            Err(problems) => Err(document.bad(problems)),
        }
    }
}

/// Returns the files in which values may be that the page files of a directory use, the closest first.
pub fn values_files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    directory.ancestors().take(MOST_LEVELS).map(|directory| directory.join(VALUES_FILE))
}

/// Tells whether the text of a page file may use other files.
pub fn is_composed(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let is_key = |(at, name): (usize, &str)| {
        text[at + name.len()..].trim_start_matches(['"', '\'', ' ', '\t']).starts_with(':')
    };
    text.contains('$') && REFERENCES.iter().any(|name| text.contains(name))
        || text.match_indices(EACH).any(is_key)
}

/// Resolves what a page file takes from elsewhere, once. Returns the problems of that.
pub(crate) fn expand(document: &mut Document, roots: &ImageRoots) -> Vec<FieldDiagnostic> {
    let is_whole = [VALUES, EACH].iter().all(|name| document.root.get(name).is_none());
    if is_whole && document.row.is_none() && !refers(&document.root) {
        return Vec::new();
    }
    let (row, values) = match row(document, roots) {
        Ok(row) => row.unzip(),
        Err(problems) => return problems,
    };
    (document.row, document.is_composed) = (None, true);
    let mut root = std::mem::take(&mut document.root);
    let mut expander = Expander {
        sources: &mut document.sources,
        roots,
        row,
        scopes: values.into_iter().collect(),
        has_read_files: false,
        taken: 0,
        within: Vec::new(),
        path: Vec::new(),
        problems: Vec::new(),
    };
    if let Tree::Map(entries) = &mut root.tree {
        if let Some((_, values)) = entries.iter().find(|(key, _)| key.name == VALUES) {
            if !values.is_map() && values.tree != Tree::Null {
                expander.problems.push(values.wrong(VALUES, "`values` must be a mapping"));
            }
            expander.scopes.push(values.clone());
        }
        entries.retain(|(key, _)| key.name != VALUES && key.name != EACH);
        for (key, value) in entries {
            expander.path = vec![key.name.clone()];
            match &mut value.tree {
                Tree::List(items) if key.name == "slots" => {
                    let mut out = Vec::with_capacity(items.len());
                    expander.items(std::mem::take(items), &mut out);
                    *items = out;
                }
                // With a table, the page is named by its row.
                Tree::Text(_) if expander.row.is_some() && key.name == "profile" => {
                    match expander.text(value) {
                        Ok(text) => value.tree = Tree::Text(text),
                        Err(problem) => expander.problems.push(problem),
                    }
                }
                _ => expander.node(value, ""),
            }
        }
    }
    let problems = expander.problems;
    document.root = root;
    problems
}

/// Returns the row of a document that names one.
fn row(document: &mut Document, roots: &ImageRoots) -> Result<Option<Row>, Vec<FieldDiagnostic>> {
    let each = document.root.entry(EACH).cloned();
    let (key, each) = match (document.row.clone(), each) {
        (None, None) => return Ok(None),
        (None, Some((key, _))) => {
            let message = "this file stands for the pages of a table";
            let help = format!("name the row of one page: {}#KEY", document.name());
            return Err(vec![key.problem(EACH, message).help(help)]);
        }
        (Some(row), None) => {
            let problem = document.root.problem("", "this file has no table");
            return Err(vec![problem.help(format!("leave out `#{row}`"))]);
        }
        (Some(row), Some((_, each))) => (row, each),
    };
    let rows = table::rows(document, roots)?;
    let keys = rows.iter().filter_map(|(_, row)| Some(row.get(table::KEY)?.place().clone()));
    document.sources.parts.extend(keys);
    let found = rows.iter().find(|(other, _)| *other == key).cloned();
    found.map(Some).ok_or_else(|| {
        let known = rows.iter().map(|(key, _)| key);
        let problem = each.problem(EACH, format!("the table has no row `{key}`"));
        vec![problem.help_if(did_you_mean(&key, known))]
    })
}

/// Tells whether anything below a node is taken from elsewhere.
fn refers(node: &Node) -> bool {
    reference(node).is_some() || node.children().any(refers)
}

/// Returns the entry of a mapping that stands for something from elsewhere.
fn reference(node: &Node) -> Option<&(Key, Node)> {
    node.entries()?.iter().find(|(key, _)| REFERENCES.contains(&&*key.name))
}

/// Returns a path of a file that is relative to a directory, as one relative to the directory of the page file.
fn joined(directory: &str, name: &str) -> String {
    let path = local_image::joined(Path::new(directory), Path::new(name));
    let parts = path.components().map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

struct Expander<'d> {
    sources: &'d mut Sources,
    roots: &'d ImageRoots,
    /// Mappings in which values are looked for, in this order.
    scopes: Vec<Node>,
    /// Key of the row that the page is of.
    row: Option<String>,
    /// True once the values of the directories are among them.
    has_read_files: bool,
    /// Number of bytes taken from elsewhere.
    taken: usize,
    /// Files that include the current one, from the page file on.
    within: Vec<String>,
    /// Path of the current value.
    path: Vec<String>,
    problems: Vec<FieldDiagnostic>,
}

impl Expander<'_> {
    /// Expands the items of a list.
    fn items(&mut self, items: Vec<Node>, out: &mut Vec<Node>) {
        for mut item in items {
            self.path = vec!["slots".to_owned(), out.len().to_string()];
            match item.entry(INCLUDE).cloned() {
                Some(entry) => {
                    if let Err(problem) = self.include(&entry, item.count(), out) {
                        self.problems.push(problem);
                    }
                }
                None => {
                    self.node(&mut item, &self.directory());
                    out.push(item);
                }
            }
            if out.len() > MOST_ITEMS {
                return;
            }
        }
    }

    /// Adds the items of a file.
    fn include(
        &mut self,
        entry: &(Key, Node),
        length: usize,
        out: &mut Vec<Node>,
    ) -> Result<(), FieldDiagnostic> {
        let (path, (_, value)) = (self.path.join("."), entry);
        let name = referred(&path, entry, length, "a file with items")?;
        let problem = |message: String| value.problem(&*path, message);
        let is_absolute = name.starts_with('/');
        let file = if is_absolute { name.to_owned() } else { joined(&self.directory(), name) };
        if self.within.contains(&file) {
            return Err(problem(format!("{} includes itself", self.roots.shown(&file))));
        }
        if self.sources.files().len() > MOST_FILES {
            return Err(problem(format!("a page file can include up to {MOST_FILES} files")));
        }
        if self.within.len() >= MOST_NESTED {
            return Err(problem(format!("files can include each other {MOST_NESTED} levels deep")));
        }
        let found = self.roots.text(&file);
        let found = found.map_err(|why| problem(why.message).help_if(why.help))?;
        let Some(root) = self.read(found, &file, value.span.start)? else { return Ok(()) };
        let Tree::List(items) = root.tree else {
            let problem = root.problem(path, "this file must be a list of slots");
            return Err(problem.help("write one item for each slot: `- type: button`"));
        };
        self.within.push(file);
        self.items(items, out);
        self.within.pop();
        Ok(())
    }

    /// Directory of the file that is expanded, relative to that of the page file.
    fn directory(&self) -> String {
        self.within.last().map_or("", |file| directory_of(file)).to_owned()
    }

    /// Adds the text of a file, and returns its tree; `None` if it has problems.
    fn read(
        &mut self,
        (shown, text): (String, String),
        file: &str,
        used_at: usize,
    ) -> Result<Option<Node>, FieldDiagnostic> {
        self.take(text.len(), used_at)?;
        let start = self.sources.add(shown, file.into(), &text, used_at, false);
        let marked = |span: Span| {
            FieldDiagnostic::new("", moved(&span, start), "unresolved conflict with the page")
        };
        self.problems.extend(marks(&text).into_iter().map(marked));
        let root = read_at(&text, start).map_err(|problems| self.problems.extend(problems));
        Ok(root.ok())
    }

    /// Counts what is taken from elsewhere.
    fn take(&mut self, bytes: usize, at: usize) -> Result<(), FieldDiagnostic> {
        self.taken = self.taken.saturating_add(bytes);
        if self.taken <= MOST_BYTES {
            return Ok(());
        }
        let message = "the blocks and values of this page are larger than 5 MiB";
        Err(FieldDiagnostic::new(self.path.join("."), at..at, message))
    }

    /// Expands a value. `directory` is that of its file, relative to the directory of the page file.
    fn node(&mut self, node: &mut Node, directory: &str) {
        if let Some(entry) = reference(node).cloned() {
            match self.resolved(&entry, node.count()) {
                Ok(value) => *node = value,
                Err(problem) => self.problems.push(problem),
            }
            return;
        }
        match &mut node.tree {
            Tree::List(items) => {
                for (nth, item) in items.iter_mut().enumerate() {
                    self.below(nth.to_string(), item, directory);
                }
            }
            Tree::Map(entries) => {
                if let [(key, Node { tree: Tree::Text(name), .. })] = &mut entries[..]
                    && key.name == UPLOAD
                    && !directory.is_empty()
                    && !name.starts_with('/')
                    && !name.contains("://")
                {
                    *name = joined(directory, name);
                    return;
                }
                for (key, value) in entries {
                    self.below(key.name.clone(), value, directory);
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, name: String, node: &mut Node, directory: &str) {
        self.path.push(name);
        self.node(node, directory);
        self.path.pop();
    }

    /// Returns what a reference stands for.
    fn resolved(&mut self, entry: &(Key, Node), length: usize) -> Result<Node, FieldDiagnostic> {
        let ((key, value), path) = (entry, self.path.join("."));
        match key.name.as_str() {
            VALUE => {
                let name = referred(&path, entry, length, "a value")?.to_owned();
                let mut found = self.value(&name, value)?;
                if refers(&found) {
                    let message = "a value can't be made of other values";
                    return Err(found.problem(path, message));
                }
                self.take(size(&found), value.span.start)?;
                let file = &self.sources.files()[self.sources.file_of(found.place().start)];
                let directory = file.path.to_str().map_or("", directory_of).to_owned();
                self.node(&mut found, &directory);
                Ok(found)
            }
            TEXT => {
                referred(&path, entry, length, "a text")?;
                let text = self.text(value)?;
                let span = value.span.clone();
                Ok(Node { span, tree: Tree::Text(text), ..Node::default() })
            }
            name => {
                let problem = key.problem(path, format!("`{name}` must be an item of `slots`"));
                Err(problem.help("it stands for a list of slots, not for a value"))
            }
        }
    }

    /// Returns a text with the values of the names in braces.
    fn text(&mut self, node: &Node) -> Result<String, FieldDiagnostic> {
        let Tree::Text(template) = &node.tree else { return Ok(String::new()) };
        let (mut text, mut rest, path) = (String::new(), template.as_str(), self.path.join("."));
        while let Some(at) = rest.find(['{', '}']) {
            text.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                text.push_str(brace);
                rest = after;
                continue;
            }
            let name = rest.split_once('}').filter(|(name, _)| brace == "{" && !name.contains('{'));
            let Some((name, after)) = name else {
                let problem = node.problem(path, format!("unmatched `{brace}`"));
                return Err(problem.help(format!("write `{brace}{brace}` for a single `{brace}`")));
            };
            let name = name.trim();
            let found = self.value(name, node)?;
            self.sources.parts.push(found.place().clone());
            match found.text_of_scalar() {
                Some(found) => text.push_str(&found),
                None => {
                    let must = format!("`{name}` must be a text or a number to be part of a text");
                    return Err(found.wrong(path, &must));
                }
            }
            self.take(text.len(), node.span.start)?;
            rest = after;
        }
        text.push_str(rest);
        Ok(text)
    }

    /// Returns the value with a name, of the first place that has it.
    fn value(&mut self, name: &str, used_at: &Node) -> Result<Node, FieldDiagnostic> {
        let find = |scopes: &[Node]| scopes.iter().find_map(|scope| named(scope, name)).cloned();
        if let Some(found) = find(&self.scopes) {
            return Ok(found);
        }
        self.read_values(used_at)?;
        if let Some(found) = find(&self.scopes) {
            return Ok(found);
        }
        let mut known = Vec::new();
        self.scopes.iter().for_each(|scope| names(scope, String::new(), &mut known));
        let help = did_you_mean(name, &known).unwrap_or_else(|| format!(
            "values are in `values` of the page file, in {VALUES_FILE} of its directory or one above, and in the row of a table"
        ));
        let (path, row) = (self.path.join("."), &self.row);
        let row = row.as_ref().map(|row| format!(" (row `{row}`)")).unwrap_or_default();
        Err(used_at.problem(path, format!("there is no value `{name}`{row}")).help(help))
    }

    /// Reads the values of the directory of the page file and of those above it, once.
    fn read_values(&mut self, used_at: &Node) -> Result<(), FieldDiagnostic> {
        if std::mem::replace(&mut self.has_read_files, true) {
            return Ok(());
        }
        for level in 0..MOST_LEVELS {
            let file = "../".repeat(level) + VALUES_FILE;
            if !self.roots.contains(&file) {
                break;
            }
            let found = match self.roots.text(&file) {
                Err(why) if why.is_missing => continue,
                found => found.map_err(|why| {
                    used_at.problem(self.path.join("."), why.message).help_if(why.help)
                })?,
            };
            match self.read(found, &file, used_at.span.start)? {
                Some(root) if root.is_map() => self.scopes.push(root),
                Some(Node { tree: Tree::Null, .. }) | None => {}
                Some(root) => {
                    self.problems.push(root.wrong("", "a file of values must be a mapping"));
                }
            }
        }
        Ok(())
    }
}

/// Returns the directory of a path with `/`.
fn directory_of(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns the value of a name in a mapping: of a key with this whole name, else of the keys between its dots.
fn named<'n>(scope: &'n Node, name: &str) -> Option<&'n Node> {
    scope.get(name).or_else(|| name.split('.').try_fold(scope, |node, part| node.get(part)))
}

/// Collects the names of all values below a mapping.
fn names(scope: &Node, prefix: String, out: &mut Vec<String>) {
    for (key, value) in scope.entries().unwrap_or_default() {
        let name = format!("{prefix}{}", key.name);
        match value.entries() {
            Some(_) => names(value, name + ".", out),
            None => out.push(name),
        }
    }
}

/// Number of bytes that a value takes, roughly.
fn size(node: &Node) -> usize {
    let own = match &node.tree {
        Tree::Text(text) => text.len(),
        Tree::Map(entries) => entries.iter().map(|(key, _)| key.name.len()).sum(),
        _ => 0,
    };
    64 + own + node.children().map(size).sum::<usize>()
}
