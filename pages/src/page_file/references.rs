//! References in page files: `{$upload: ./menu.jpg}` for the path of an image, `{$form: booking}` for the ID of a form. A key with one
//! more leading `$` is literal.

use std::collections::BTreeMap;
use std::fmt;

use crate::apply::DesiredPage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::fields::{self, UPLOAD, referred};
use super::local_image::{ImageError, ImageRoots, LocalImage};
use super::node::{Key, Node, Span, Tree};
use super::report::FieldDiagnostic;
use crate::suggest::did_you_mean;

/// Reference in a page file, to be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Place of the reference.
    pub place: ReferencePlace,
    /// Target of the reference.
    pub target: ReferenceTarget,
    span: Span,
}

/// Place in the data of a slot, or in the fields of the page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReferencePlace {
    /// Index of the slot's item in the file; `None` for a field of the page.
    pub item: Option<usize>,
    /// Keys from the data of the item down, or the name of the field: at least one.
    pub path: Vec<String>,
}

/// Target of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// Path of this image on the service.
    Upload(String),
    /// ID of the form with this local name, otherwise of the account's form with this title.
    Form(String),
}

/// Image that a page file names.
#[derive(Clone, Debug)]
pub struct Image {
    /// Place of its reference.
    pub place: ReferencePlace,
    /// Path of the image as written in the file.
    pub name: String,
    /// The file.
    pub local: LocalImage,
    /// Set once the page file has the path that the service has for the image.
    pub is_uploaded: bool,
}

const FORM: &str = "$form";

impl Reference {
    /// Diagnostic at the place of the reference.
    pub fn problem(&self, message: impl Into<String>) -> FieldDiagnostic {
        FieldDiagnostic::new(self.place.to_string(), self.span.clone(), message)
    }
}

/// Formats the place as a path in the file: `slots.2.data.image`, or `avatar`.
impl fmt::Display for ReferencePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.join(".");
        match self.item {
            Some(item) => write!(f, "slots.{item}.data.{path}"),
            None => f.write_str(&path),
        }
    }
}

impl ReferencePlace {
    /// Returns the data of the item or the fields of the page that the place is in.
    pub fn data<'p>(&self, page: &'p DesiredPage) -> Option<&'p Map<String, Value>> {
        match self.item {
            Some(item) => page.slots.get(item).map(|slot| &slot.data.0),
            None => Some(&page.fields.0),
        }
    }

    /// Sets the value at this place of a page, if the page has the place.
    pub fn put_in(&self, page: &mut DesiredPage, value: &Value) {
        let data = match self.item {
            Some(item) => page.slots.get_mut(item).map(|slot| &mut slot.data),
            None => Some(&mut page.fields),
        };
        if let Some(data) = data {
            self.put(data, value);
        }
    }

    /// Returns the value at this place, if the data has the place.
    pub fn value<'d>(&self, data: &'d Map<String, Value>) -> Option<&'d Value> {
        data.get(self.path.first()?)?.pointer(&self.pointer())
    }

    /// Sets the value at this place, if the data has the place.
    pub fn put(&self, data: &mut Map<String, Value>, value: &Value) {
        let first = self.path.first().and_then(|first| data.get_mut(first));
        if let Some(target) = first.and_then(|first| first.pointer_mut(&self.pointer())) {
            target.clone_from(value);
        }
    }

    /// JSON pointer from the value of the first key to the place.
    fn pointer(&self) -> String {
        let below = self.path.iter().skip(1);
        below.map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
    }
}

/// Finds the references of a page file, and diagnostics of invalid ones.
pub(super) fn find(root: &Node) -> (Vec<Reference>, Vec<FieldDiagnostic>) {
    let mut search = Search::default();
    for (name, node) in fields::images(root) {
        if let Some(entry) = node.entry(UPLOAD) {
            let place = ReferencePlace { item: None, path: vec![name.to_owned()] };
            search.read(entry, node.count(), &place);
        }
    }
    if let Some(Node { tree: Tree::List(items), .. }) = root.get("slots") {
        for (index, item) in items.iter().enumerate() {
            if let Some(data) = item.get("data") {
                search.walk(data, &mut ReferencePlace { item: Some(index), path: Vec::new() });
            }
        }
    }
    (search.found, search.problems)
}

/// Finds the images that references name, and diagnostics of the others.
pub(super) fn images(
    references: &[Reference],
    roots: &ImageRoots,
) -> (Vec<Image>, Vec<FieldDiagnostic>) {
    let mut found: BTreeMap<&str, Result<LocalImage, ImageError>> = BTreeMap::new();
    let (mut images, mut problems) = (Vec::new(), Vec::new());
    for reference in references {
        let ReferenceTarget::Upload(name) = &reference.target else { continue };
        match found.entry(name).or_insert_with(|| roots.find(name)) {
            Ok(local) => {
                let (place, name) = (reference.place.clone(), name.clone());
                images.push(Image { place, name, local: local.clone(), is_uploaded: false });
            }
            Err(why) => {
                problems.push(reference.problem(&why.message).help_if(why.help));
            }
        }
    }
    (images, problems)
}

/// Returns an escaped key that the mapping also has without the escape.
fn twice(entries: &[(Key, Node)]) -> Option<&(Key, Node)> {
    let same = |name: &str| entries.iter().filter(|(key, _)| key.name == name).count();
    entries.iter().find(|(key, _)| key.is_literal && same(&key.name) > 1)
}

#[derive(Default)]
struct Search {
    found: Vec<Reference>,
    problems: Vec<FieldDiagnostic>,
}

impl Search {
    fn walk(&mut self, node: &Node, place: &mut ReferencePlace) {
        match &node.tree {
            Tree::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.below(item, at.to_string(), place);
                }
            }
            Tree::Map(entries) => {
                if let Some((key, _)) = twice(entries) {
                    let message = format!("duplicate key `{}`", key.name);
                    let problem = key.problem(place.to_string(), message);
                    self.problems.push(problem.help("remove one of them"));
                    return;
                }
                let named = |key: &Key| !key.is_literal && matches!(&*key.name, UPLOAD | FORM);
                if let Some(entry) = entries.iter().find(|(key, _)| named(key)) {
                    self.read(entry, entries.len(), place);
                    return;
                }
                if let [(key, _)] = &entries[..]
                    && !key.is_literal
                    && key.name.starts_with('$')
                    && let Some(meant) = did_you_mean(&key.name, [UPLOAD, FORM])
                {
                    let message = format!("`{}` is not a reference", key.name);
                    let problem = key.problem(place.to_string(), message);
                    self.problems.push(problem.help(meant));
                    return;
                }
                for (key, value) in entries {
                    self.below(value, key.name.clone(), place);
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, node: &Node, key: String, place: &mut ReferencePlace) {
        place.path.push(key);
        self.walk(node, place);
        place.path.pop();
    }

    fn read(&mut self, entry: &(Key, Node), entries: usize, place: &ReferencePlace) {
        let ((key, value), path) = (entry, place.to_string());
        let name = key.name.as_str();
        if place.path.is_empty() {
            let message = format!("`{name}` must be the value of a field, not of `data`");
            return self.problems.push(key.problem(path, message));
        }
        let is_upload = name == UPLOAD;
        let what = if is_upload { "an image file" } else { "a form" };
        let target = if is_upload { ReferenceTarget::Upload } else { ReferenceTarget::Form };
        match referred(&path, entry, entries, what) {
            Ok(text) => self.found.push(Reference {
                place: place.clone(),
                target: target(text.to_owned()),
                span: value.span.clone(),
            }),
            Err(problem) => self.problems.push(problem),
        }
    }
}
