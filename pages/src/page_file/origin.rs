//! Where the values of a page file come from: the file and the place in it that a value is written in, so that what changed on the page is
//! written back there.

use serde_json::Value;

use super::node::{Node, Span, Tree, moved};
use super::patch::{Edit, Path, PathStep};
use super::read;
use super::sources::{SourceFile, Sources};
use super::table::written_cell;

/// Documents that a page file is made of, to find where its values come from.
#[derive(Debug)]
pub struct Origins<'d> {
    root: &'d Node,
    sources: &'d Sources,
    /// Trees of the files as they are written; `None` for a table, whose cells have no tree.
    trees: Vec<Option<Node>>,
}

/// Edit of one of the files that a page file is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedEdit {
    /// Number of the file.
    pub file: usize,
    /// Place in its text that the edit is about. A page that has a value from there is affected.
    pub span: Span,
    /// Edit of the file. A cell of a table has the bytes at which it begins and ends as its path.
    pub edit: Edit,
    /// True for a table in CSV.
    pub is_table: bool,
}

impl<'d> Origins<'d> {
    /// Reads the files of a document with this tree and these texts.
    pub fn new(root: &'d Node, sources: &'d Sources) -> Self {
        let tree = |nth: usize| {
            let is_table = sources.files()[nth].is_table;
            (!is_table).then(|| read::read(sources.text_of(nth)).ok()).flatten()
        };
        Self { root, sources, trees: (0..sources.files().len()).map(tree).collect() }
    }

    /// Returns the edits of the files that an edit of the page amounts to; `None` if there is no place for it.
    pub fn place(&self, edit: &Edit) -> Option<Vec<PlacedEdit>> {
        let (file, edit) = match edit {
            Edit::Set { path, value } => {
                if let Some(node) = self.node(&path.0)
                    && !self.is_as_written(path, node)
                {
                    return self.set_below(path, node, value);
                }
                let (file, path) = self.origin(path)?;
                (file, Edit::Set { path, value: value.clone() })
            }
            Edit::Remove { path } => {
                let (file, path) = match &path.0[..] {
                    [PathStep::Key(list), PathStep::Item(_)] if list == "slots" => {
                        self.origin(path)?
                    }
                    _ => self.entry(path)?,
                };
                (file, Edit::Remove { path })
            }
            Edit::Insert { list, after, value, mark } => {
                let (file, list, after) = if is_slots(list) {
                    self.after_slot(*after)?
                } else {
                    let (file, raw) = self.origin(list)?;
                    (file, raw, *after)
                };
                (file, Edit::Insert { list, after, value: value.clone(), mark: mark.clone() })
            }
            Edit::Move { list, item, after } if is_slots(list) => {
                let (file, own, item) = self.slot(*item)?;
                let after = match after.and_then(|nth| self.slot(nth)) {
                    Some((other, list, at)) if file == other && own == list => Some(at),
                    _ => {
                        let (other, list, at) = self.after_slot(*after)?;
                        let next = self.slot(after.map_or(0, |nth| nth + 1));
                        match next {
                            _ if file == other && own == list => at,
                            // Before the first item of its block.
                            Some((other, list, 0)) if file == other && own == list => None,
                            _ => return None,
                        }
                    }
                };
                (file, Edit::Move { list: own, item, after })
            }
            Edit::Move { list, item, after } => {
                let (file, list) = self.origin(list)?;
                (file, Edit::Move { list, item: *item, after: *after })
            }
            Edit::Mark { path, conflict } => {
                let (file, path) = self.origin(path)?;
                (file, Edit::Mark { path, conflict: conflict.clone() })
            }
        };
        Some(vec![self.placed(file, edit)])
    }

    /// Number of values that the page has from a place in a file, which may be there under several numbers. Of an empty place, the number of times
    /// that the page uses the file. With `parts`, texts that are made of the value count too, and a row that it identifies.
    pub fn usages(&self, span: &Span, parts: bool, is_file: impl Fn(usize) -> bool) -> usize {
        let files = self.sources.files().iter().enumerate();
        let count = |(_, file): (usize, &SourceFile)| {
            if span.is_empty() {
                return 1;
            }
            let span = moved(span, file.start);
            let of_texts = self.sources.parts.iter().filter(|part| parts && **part == span);
            spans(self.root, &span) + of_texts.count()
        };
        files.filter(|(nth, _)| is_file(*nth)).map(count).sum()
    }

    fn placed(&self, file: usize, edit: Edit) -> PlacedEdit {
        let span = match (&edit, &self.trees[file], &edit.path().0[..]) {
            // An edit of a list is about the whole file.
            (Edit::Insert { .. } | Edit::Move { .. }, ..) => 0..0,
            (_, Some(tree), steps) => closest(tree, steps).place().clone(),
            (_, None, [PathStep::Item(start), PathStep::Item(end)]) => *start..*end,
            (_, None, _) => 0..0,
        };
        PlacedEdit { file, span, edit, is_table: self.trees[file].is_none() }
    }

    /// Returns the number of the file of a value, and its path there. A value that the page lacks is where what would hold it is. A text of values has
    /// no place.
    pub fn origin(&self, path: &Path) -> Option<(usize, Path)> {
        let steps = &path.0;
        let Some(node) = self.node(steps) else {
            return self.entry(path).filter(|(file, _)| self.trees[*file].is_some());
        };
        if steps.is_empty() {
            return Some((0, Path::root()));
        }
        let place = node.place();
        if place.is_empty() {
            let (file, raw) = self.entry(path)?;
            let PathStep::Key(_) = steps.last()? else { return None };
            // A value without a text may be one of another file.
            let written = self.trees[file].as_ref().map(|tree| closest(tree, &raw.0));
            let is_own = written.is_some_and(|written| !written.is_map());
            return is_own.then_some((file, raw));
        }
        let sources = self.sources;
        let file = sources.file_of(place.start);
        let start = sources.files()[file].start;
        let span = place.start - start..place.end - start;
        let Some(tree) = &self.trees[file] else {
            return Some((file, Path::root().item(span.start).item(span.end)));
        };
        let mut raw = Vec::new();
        let is_it = |it: &Node| *it.place() == span && it.kind() == node.kind();
        let is_found = find(tree, &mut raw, &is_it);
        // The text of a `$text` is none of the page.
        let is_made = matches!(raw.last(), Some(PathStep::Key(name)) if name == "$text");
        (is_found && !is_made).then_some((file, Path(raw)))
    }

    /// Returns the number of the file of the collection that an entry is in, and the path of the entry there.
    fn entry(&self, path: &Path) -> Option<(usize, Path)> {
        let (last, above) = path.0.split_last()?;
        let (file, Path(mut raw)) = self.origin(&Path(above.to_vec()))?;
        raw.push(last.clone());
        Some((file, Path(raw)))
    }

    /// Tells whether a value is written in one place as it is, without references in it.
    fn is_as_written(&self, path: &Path, node: &Node) -> bool {
        if node.is_scalar() {
            return true;
        }
        let Some((file, raw)) = self.origin(path) else { return false };
        let Some(tree) = &self.trees[file] else { return false };
        let mut raw = closest(tree, &raw.0).clone();
        raw.unescape();
        raw.to_json() == node.to_json()
    }

    /// Returns the edits of the values below a value that are different.
    fn set_below(&self, path: &Path, node: &Node, value: &Value) -> Option<Vec<PlacedEdit>> {
        let length = match (&node.tree, value) {
            (Tree::List(_), Value::Array(values)) => values.len(),
            (Tree::Map(_), Value::Object(values)) => values.len(),
            _ => return None,
        };
        if length != node.count() {
            return None;
        }
        let mut edits = Vec::new();
        for (at, below) in node.children().enumerate() {
            let value = match PathStep::of(node, at) {
                PathStep::Key(name) => value.get(name)?,
                PathStep::Item(nth) => value.get(nth)?,
            };
            if *value != written(below) {
                let (path, value) = (path.entry(node, at), value.clone());
                edits.extend(self.place(&Edit::Set { path, value })?);
            }
        }
        Some(edits)
    }

    /// Returns the file, the list and the index of an item of `slots`.
    fn slot(&self, nth: usize) -> Option<(usize, Path, usize)> {
        let (file, Path(mut raw)) = self.origin(&Path::root().key("slots").item(nth))?;
        let Some(PathStep::Item(index)) = raw.pop() else { return None };
        Some((file, Path(raw), index))
    }

    /// Returns where an item is added after another one: beside that, or beside the block of which it is the last.
    fn after_slot(&self, after: Option<usize>) -> Option<(usize, Path, Option<usize>)> {
        let Some(nth) = after else { return Some((0, Path::root().key("slots"), None)) };
        let (mut file, mut list, mut index) = self.slot(nth)?;
        let next = self.slot(nth + 1).map(|(file, ..)| self.chain(file)).unwrap_or_default();
        while file != 0 && !next.contains(&file) {
            let used_at = self.sources.files()[file].used_at?;
            file = self.sources.file_of(used_at);
            let at = used_at - self.sources.files()[file].start;
            let mut raw = Vec::new();
            let tree = self.trees[file].as_ref()?;
            let begins_there = |it: &Node| it.is_scalar() && it.span.start == at;
            if !find(tree, &mut raw, &begins_there) || raw.len() < 2 {
                return None;
            }
            // The path of an include ends with the index of its item and `$include`.
            raw.pop();
            let Some(PathStep::Item(place)) = raw.pop() else { return None };
            (list, index) = (Path(raw), place);
        }
        Some((file, list, Some(index)))
    }

    /// Returns a file and those that include it.
    fn chain(&self, file: usize) -> Vec<usize> {
        let user = |file: &usize| Some(self.sources.file_of(self.sources.files()[*file].used_at?));
        std::iter::successors(Some(file), user).collect()
    }

    fn node(&self, steps: &[PathStep]) -> Option<&'d Node> {
        steps.iter().try_fold(self.root, below)
    }
}

fn is_slots(list: &Path) -> bool {
    matches!(&list.0[..], [PathStep::Key(name)] if name == "slots")
}

/// Returns a value as a page file writes it.
fn written(node: &Node) -> Value {
    match &node.tree {
        Tree::List(items) => items.iter().map(written).collect(),
        Tree::Map(entries) => {
            entries.iter().map(|(key, it)| (key.written(), written(it))).collect()
        }
        _ => node.to_json(),
    }
}

fn below<'n>(node: &'n Node, step: &PathStep) -> Option<&'n Node> {
    node.child(step.index_in(node)?)
}

/// Returns the last value of a path that exists.
fn closest<'n>(tree: &'n Node, steps: &[PathStep]) -> &'n Node {
    let mut node = tree;
    for step in steps {
        let Some(next) = below(node, step) else { break };
        node = next;
    }
    node
}

/// Finds the path of a value.
fn find(node: &Node, path: &mut Vec<PathStep>, is_it: &impl Fn(&Node) -> bool) -> bool {
    is_it(node)
        || node.children().enumerate().any(|(at, below)| {
            path.push(PathStep::of(node, at));
            let is_found = find(below, path, is_it);
            if !is_found {
                path.pop();
            }
            is_found
        })
}

/// Number of values with a span.
fn spans(node: &Node, span: &Span) -> usize {
    usize::from(*node.place() == *span)
        + node.children().map(|below| spans(below, span)).sum::<usize>()
}

/// Returns a table after edits of its cells, each of which has the bytes at which the cell begins and ends as its path; `None` if an edit is none of a
/// cell.
pub fn patch_cells(table: &str, edits: &[Edit]) -> Option<String> {
    let mut cells: Vec<(Span, String)> = Vec::new();
    for edit in edits {
        let Edit::Set { path, value: Value::String(text) } = edit else { return None };
        let [PathStep::Item(start), PathStep::Item(end)] = path.0[..] else { return None };
        cells.push((start..end, written_cell(text)));
    }
    cells.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut table = table.to_owned();
    for (span, text) in cells {
        table.get(span.clone())?;
        table.replace_range(span, &text);
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;
    use crate::page_file::local_image::ImageRoots;
    use crate::page_file::patch::patch;
    use crate::page_file::{PageFile, SourceFile};

    const FILES: [(&str, &str); 5] = [
        (
            "places.yaml",
            "each: t.csv\nprofile: \"{slug}\"\ntitle: {$value: title}\nvalues: {title: T, faq: {items: [{q: 1, a: {$$x: 2}}]}}\nslots:\n\
             - type: text\n  data:\n    title: Own\n- $include: b/one.yaml\n- {type: faq, data: {$value: faq}}\n- type: text\n  data: {title: {$value: hours}}\n",
        ),
        ("t.csv", "key,slug,hours\na,one,\"8, 20\"\nb,two,9\n"),
        (
            "b/one.yaml",
            "# first\n- type: button\n  data: {title: {$value: cta.title}, link: {$text: \"https://{slug}\"}}\n- $include: two.yaml\n- {type: text, data: {title: Last}}\n",
        ),
        (
            "b/two.yaml",
            "- type: text\n  data:\n    title: |\n      Long\n      text\n    items: [a, {b: c}]\n",
        ),
        ("values.yaml", "cta:\n  title: Call # us\n"),
    ];

    fn files() -> BTreeMap<PathBuf, String> {
        FILES.iter().map(|(name, text)| ((*name).into(), (*text).to_owned())).collect()
    }

    fn read(files: &BTreeMap<PathBuf, String>) -> PageFile {
        let texts = files.clone();
        let read = move |path: &std::path::Path| {
            texts.get(path).map(|text: &String| text.clone().into_bytes())
        };
        let own = files[&PathBuf::from("places.yaml")].clone().into_bytes();
        let roots = ImageRoots::none().with_texts(read);
        PageFile::from_bytes("places.yaml#a", own, &roots).unwrap()
    }

    /// Collects the paths of all scalars below a value.
    fn scalars(node: &Node, path: &Path, out: &mut Vec<Path>) {
        match &node.tree {
            Tree::List(items) => {
                for (nth, item) in items.iter().enumerate() {
                    scalars(item, &path.clone().item(nth), out);
                }
            }
            Tree::Map(entries) => {
                for (key, value) in entries {
                    scalars(value, &path.clone().key(key.written()), out);
                }
            }
            _ => out.push(path.clone()),
        }
    }

    fn applied(
        files: &BTreeMap<PathBuf, String>,
        page: &PageFile,
        edit: &Edit,
    ) -> Option<BTreeMap<PathBuf, String>> {
        let document = &page.document;
        let placed = Origins::new(&document.root, &document.sources).place(edit)?;
        let name = |file: &SourceFile| {
            let is_own = file.path.as_os_str().is_empty();
            if is_own { PathBuf::from("places.yaml") } else { file.path.clone() }
        };
        let mut after = files.clone();
        for PlacedEdit { file, edit, .. } in placed {
            let file = name(&page.document.sources.files()[file]);
            let text = after.get_mut(&file).unwrap();
            let is_table = file.extension().is_some_and(|it| it == "csv");
            *text = if is_table {
                patch_cells(text, &[edit]).unwrap()
            } else {
                patch(text, &[edit]).unwrap()
            };
        }
        Some(after)
    }

    #[test]
    fn a_value_that_is_written_back_is_read_again_and_nothing_else_changes() {
        let files = files();
        let page = read(&files);
        let mut paths = Vec::new();
        scalars(&page.document.root, &Path::root(), &mut paths);
        let mut made = Vec::new();
        for path in &paths {
            let edit = Edit::Set { path: path.clone(), value: json!("new, \"x\"") };
            let Some(after) = applied(&files, &page, &edit) else {
                made.push(path.to_string());
                continue;
            };
            let changed: Vec<_> =
                after.iter().filter(|(name, text)| files[*name] != **text).collect();
            assert_eq!(changed.len(), 1, "{path}: {after:?}");
            let is_kind = path.0.last() == Some(&PathStep::Key("type".to_owned()));
            if path.to_string() == "profile" || is_kind {
                continue;
            }
            let again = read(&after);
            for other in &paths {
                let (old, new) = (page.document.root.clone(), again.document.root.clone());
                let value = if other == path {
                    json!("new, \"x\"")
                } else {
                    written(closest(&old, &other.0))
                };
                assert_eq!(written(closest(&new, &other.0)), value, "{path} {other}");
            }
        }
        assert_eq!(made, ["slots.1.data.link"], "only a text of values has no place");
        assert!(paths.len() > 15, "{paths:?}");
    }

    #[test]
    fn a_collection_is_written_value_by_value_where_its_parts_come_from() {
        let files = files();
        let page = read(&files);
        let data = Path::root().key("slots").item(1).key("data");
        let set = |path: Path, value| applied(&files, &page, &Edit::Set { path, value });
        let after = set(data.clone(), json!({ "title": "Ring", "link": "https://one" })).unwrap();
        assert_eq!(after[&PathBuf::from("values.yaml")], "cta:\n  title: Ring # us\n");
        assert_eq!(set(data.clone(), json!({ "title": "Ring", "link": "https://other" })), None);
        assert_eq!(set(data, json!({ "title": "Ring" })), None, "a key less has no place");
        let items = Path::root().key("slots").item(2).key("data").key("items");
        let after = set(items, json!(["a", "b", "c"])).unwrap();
        assert!(after[&PathBuf::from("b/two.yaml")].contains("[a, b, c]"), "{after:?}");
    }

    #[test]
    fn an_item_is_added_beside_the_block_that_ends_before_it() {
        let files = files();
        let page = read(&files);
        for (after, file, expected) in [
            (None, "places.yaml", "slots:\n- type: new\n- type: text"),
            (Some(0), "places.yaml", "title: Own\n- type: new\n- $include"),
            (Some(1), "b/one.yaml", "}}\n- type: new\n- $include: two.yaml"),
            (Some(2), "b/one.yaml", "two.yaml\n- type: new\n"),
            (Some(3), "places.yaml", "b/one.yaml\n- type: new\n- {type: faq"),
            (Some(5), "places.yaml", "hours}}\n- type: new\n"),
        ] {
            let (list, value) = (Path::root().key("slots"), json!({ "type": "new" }));
            let edit = Edit::Insert { list, after, value, mark: None };
            let changed = applied(&files, &page, &edit).unwrap();
            let text = &changed[&PathBuf::from(file)];
            assert!(text.contains(expected), "{after:?}: {text}");
            let kinds: Vec<_> =
                read(&changed).page.content.slots.iter().map(|it| it.kind.clone()).collect();
            assert_eq!(kinds[after.map_or(0, |nth| nth + 1)], "new", "{text}");
        }
    }
}
