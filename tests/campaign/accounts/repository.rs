//! The files that two people apply: what they say, and the changes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use links_fixtures::Profile;
use links_pages::form_file::FormFile;
use links_pages::page_file::Document;
use serde_json::{Map, Value, json};

use super::composed;
use super::history::FileChange;
use super::world::{AccountWorld, Owner, Place, changing, joined, mark};
use crate::content::FORM;
use crate::history::SlotContent;

/// Logins of the pages that only a file makes.
const NEW_PAGES: [&str; 2] = ["qara.astana", "qara.aktobe"];

/// Local names and titles of the forms; the first exists.
pub(crate) const FORMS: [(&str, &str); 3] =
    [("main", "Book a table"), ("contact", "Write to us"), ("order", "Order a cake")];

/// The files of pages and forms by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repository {
    pub(crate) pages: BTreeMap<String, PageText>,
    pub(crate) forms: BTreeMap<String, Value>,
    /// Set if the page files are made of blocks, values and tables.
    pub(crate) is_composed: bool,
}

/// A page file.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageText {
    pub(crate) profile: String,
    pub(crate) login: Option<String>,
    pub(crate) fields: Map<String, Value>,
    pub(crate) slots: Vec<Value>,
}

fn own(number: usize) -> String {
    format!("v{number:06}")
}

impl Repository {
    /// Returns files of these pages as they are.
    pub(crate) fn of(world: &AccountWorld, has_ids: bool) -> Self {
        let file = |page: &Profile| {
            let slots = page.slots.iter().map(|slot| {
                let mut item = json!({ "type": slot.kind, "data": slot.data });
                if has_ids {
                    item["id"] = slot.id.into();
                }
                item
            });
            let text = PageText {
                profile: page.login.clone(),
                slots: slots.collect(),
                ..PageText::default()
            };
            (page.login.clone(), text)
        };
        Self {
            pages: world.pages.iter().map(file).collect(),
            forms: BTreeMap::new(),
            is_composed: false,
        }
    }

    /// Writes the files below a directory.
    pub(crate) fn write(&self, directory: &Path) {
        let (pages, forms) = (directory.join("pages"), directory.join("forms"));
        for directory in [&pages, &forms] {
            fs::create_dir_all(directory).unwrap();
        }
        let write = |directory: &Path, name: &str, text: String| {
            fs::write(directory.join(format!("{name}.yaml")), text).unwrap();
        };
        for (name, page) in &self.pages {
            if self.is_composed {
                composed::write(directory, name, page);
            } else {
                write(&pages, name, page.text());
            }
        }
        if self.is_composed {
            fs::write(directory.join("values.yaml"), composed::values(self.pages.iter())).unwrap();
        }
        for (name, form) in &self.forms {
            write(&forms, name, text(form.as_object().unwrap()));
        }
    }

    /// Reads the files below a directory as Git has left them. `None` if a merge made nonsense of one, or nothing is left. A slot that a merge has doubled is
    /// there once.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let mut files = Self::default();
        for (name, map) in documents(&directory.join("pages"))? {
            files.pages.insert(name, PageText::of(map)?);
        }
        for (name, map) in documents(&directory.join("forms"))? {
            files.forms.insert(name, Value::Object(map));
        }
        (!files.pages.is_empty()).then_some(files)
    }

    /// Reads the page files that the program may have changed.
    pub(crate) fn read_pages(&mut self, directory: &Path) {
        for (name, page) in &mut self.pages {
            *page = composed::read(directory, name);
        }
    }

    /// Reads a form file that the program has changed.
    pub(crate) fn read_form(&mut self, directory: &Path, name: &str) {
        let path = directory.join("forms").join(format!("{name}.yaml"));
        let document = Document::of_page_or_form(name, fs::read(path).unwrap()).unwrap();
        let form = FormFile::of(document).unwrap().form;
        let mut map = Map::from_iter([("form".to_owned(), form.name.into())]);
        map.extend(form.fields.0);
        self.forms.insert(name.to_owned(), Value::Object(map));
    }

    pub(crate) fn change(&mut self, change: &FileChange) {
        match change {
            FileChange::Field(page, key, number) => {
                let value = own(*number).into();
                self.page(*page).fields.insert(key.clone(), value);
            }
            FileChange::Language(page, code) => {
                let code = code.as_str().into();
                self.page(*page).fields.insert("languageCode".to_owned(), code);
            }
            FileChange::Rename(page) => {
                let page = self.page(*page);
                page.login = Some(format!("{}.kz", page.profile));
            }
            FileChange::Set(page, at, number) => {
                let slots = &mut self.page(*page).slots;
                let count = slots.len().max(1);
                if let Some(item) = slots.get_mut(at % count)
                    && let Some((key, value)) =
                        changing(item["type"].as_str().unwrap_or_default(), &own(*number))
                {
                    item["data"][key] = value.into();
                }
            }
            FileChange::Insert(page, at, SlotContent { kind, data, .. }) => {
                let slots = &mut self.page(*page).slots;
                slots.insert(at % (slots.len() + 1), json!({ "type": kind, "data": data }));
            }
            FileChange::Remove(page, at) => drop(self.take(*page, *at)),
            FileChange::Move(page, from, to) => {
                if let Some(item) = self.take(*page, *from) {
                    let slots = &mut self.page(*page).slots;
                    slots.insert(to % (slots.len() + 1), item);
                }
            }
            FileChange::MoveTo { page, slot, to, at } => {
                if let Some(mut item) = self.take(*page, *slot) {
                    item.as_object_mut().unwrap().remove("id");
                    let slots = &mut self.page(*to).slots;
                    // A pull may have brought it back to the page that it was moved from.
                    if slots.iter().all(|other| item_mark(other) != item_mark(&item)) {
                        slots.insert(at % (slots.len() + 1), item);
                    }
                }
            }
            FileChange::Show { page, at, form, mark } => {
                let names: Vec<String> = self.forms.keys().cloned().collect();
                let Some(name) = names.get(form % names.len().max(1)) else { return };
                let data = json!({ "formId": { "$form": name }, "view": "button", "buttonText": format!("m{mark:06}") });
                let slots = &mut self.page(*page).slots;
                slots.insert(at % (slots.len() + 1), json!({ "type": "form", "data": data }));
            }
            FileChange::NewPage(nth) => {
                let login = NEW_PAGES[nth % NEW_PAGES.len()].to_owned();
                let text = PageText { profile: login.clone(), ..PageText::default() };
                self.pages.entry(login).or_insert(text);
            }
            FileChange::NewForm(nth) => {
                let (name, title) = FORMS[nth % FORMS.len()];
                let text = json!({
                    "form": name, "title": title, "buttonText": "Send", "successMessage": "Thanks",
                    "fields": [{ "label": "Name", "type": "text", "required": false }],
                });
                self.forms.entry(name.to_owned()).or_insert(text);
            }
            FileChange::FormButton(form, number) => {
                if let Some(form) = self.form(*form) {
                    form["buttonText"] = own(*number).into();
                }
            }
            FileChange::FormField(form, number) => {
                if let Some(fields) = self.form(*form).and_then(|it| it["fields"].as_array_mut()) {
                    fields.push(json!({ "label": own(*number), "type": "text" }));
                }
            }
            FileChange::FormFieldRemove(form, at) => {
                let fields = self.form(*form).and_then(|it| it["fields"].as_array_mut());
                if let Some(fields) = fields.filter(|it| it.len() > 1) {
                    fields.remove(at % fields.len());
                }
            }
        }
    }

    /// Returns the marks that a file of this page has.
    pub(crate) fn marks(&self, name: &str) -> BTreeSet<String> {
        let items = self.pages.get(name).into_iter().flat_map(|page| &page.slots);
        items.filter_map(|item| Some(item_mark(item)?.to_owned())).collect()
    }

    /// Returns the number of items of a file that are known by the same.
    pub(crate) fn count(&self, name: &str, mark: &str) -> usize {
        let items = self.pages.get(name).into_iter().flat_map(|page| &page.slots);
        items.filter(|item| item_mark(item) == Some(mark)).count()
    }

    /// Returns the name of the file of a page.
    pub(crate) fn file_of(&self, page: &Profile) -> Option<&str> {
        let has = |file: &PageText| file.logins().any(|login| login == page.login);
        self.pages.iter().find(|(_, file)| has(file)).map(|(name, _)| name.as_str())
    }

    /// Returns the page of a file, by its login.
    pub(crate) fn page_of<'w>(&self, name: &str, world: &'w AccountWorld) -> Option<&'w Profile> {
        self.pages.get(name)?.logins().find_map(|login| world.page(login))
    }

    /// Returns the values that the files say, by their places in the account.
    pub(crate) fn values(&self, world: &AccountWorld) -> BTreeMap<Place, String> {
        let mut values = BTreeMap::new();
        for (name, file) in &self.pages {
            let Some(page) = self.page_of(name, world) else { continue };
            for key in ["title", "description"] {
                let place = (Owner::Page(page.id), String::new(), key.to_owned());
                let value = file.fields.get(key).and_then(Value::as_str);
                values.extend(value.map(|value| (place, value.to_owned())));
            }
            for item in &file.slots {
                let kind = item["type"].as_str().unwrap_or_default();
                let (Some(mark), Some((key, _))) = (item_mark(item), changing(kind, "")) else {
                    continue;
                };
                let place = (Owner::Page(page.id), mark.to_owned(), key.to_owned());
                let value = item["data"][key].as_str();
                values.extend(value.map(|value| (place, value.to_owned())));
            }
        }
        for (name, form) in &self.forms {
            let title = FORMS.iter().find(|(known, _)| known == name).map(|(_, title)| *title);
            let Some(stored) = world.forms.iter().find(|form| Some(form.title.as_str()) == title)
            else {
                continue;
            };
            let place = |key: &str| (Owner::Form(stored.id.clone()), String::new(), key.to_owned());
            let button = form["buttonText"].as_str().unwrap_or_default().to_owned();
            values.insert(place("buttonText"), button);
            let labels = form["fields"].as_array().into_iter().flatten();
            let labels = labels.map(|field| field["label"].as_str().unwrap_or_default());
            values.insert(place("fields"), joined(labels));
        }
        values
    }

    /// Returns the places of the form of a file.
    pub(crate) fn places_of_form(name: &str, world: &AccountWorld) -> Vec<Place> {
        let title = FORMS.iter().find(|(known, _)| *known == name).map(|(_, title)| *title);
        let forms = world.forms.iter().filter(|form| Some(form.title.as_str()) == title);
        let ids: Vec<Owner> = forms.map(|form| Owner::Form(form.id.clone())).collect();
        world.values().into_keys().filter(|(owner, ..)| ids.contains(owner)).collect()
    }

    /// Returns the text of the form that exists, as the account has to have it.
    pub(crate) fn existing_form() -> (&'static str, &'static str) {
        (FORM, FORMS[0].1)
    }

    fn page(&mut self, nth: usize) -> &mut PageText {
        let count = self.pages.len();
        self.pages.values_mut().nth(nth % count).unwrap()
    }

    fn form(&mut self, nth: usize) -> Option<&mut Value> {
        let count = self.forms.len().max(1);
        self.forms.values_mut().nth(nth % count)
    }

    fn take(&mut self, page: usize, at: usize) -> Option<Value> {
        let slots = &mut self.page(page).slots;
        (!slots.is_empty()).then(|| slots.remove(at % slots.len()))
    }
}

impl PageText {
    fn of(mut map: Map<String, Value>) -> Option<Self> {
        let Some(Value::Array(mut slots)) = map.remove("slots") else { return None };
        let mut marks = BTreeSet::new();
        slots.retain(|item| item_mark(item).is_none_or(|mark| marks.insert(mark.to_owned())));
        let profile = map.remove("profile")?.as_str()?.to_owned();
        let login = map.remove("login").and_then(|it| Some(it.as_str()?.to_owned()));
        Some(Self { profile, login, fields: map, slots })
    }

    fn text(&self) -> String {
        let mut map = Map::from_iter([("profile".to_owned(), self.profile.as_str().into())]);
        map.extend(self.login.clone().map(|login| ("login".to_owned(), login.into())));
        map.extend(self.fields.clone());
        map.insert("slots".to_owned(), self.slots.clone().into());
        text(&map)
    }

    /// Returns the logins that the page may have.
    pub(crate) fn logins(&self) -> impl Iterator<Item = &str> {
        self.login.iter().map(String::as_str).chain([self.profile.as_str()])
    }
}

fn item_mark(item: &Value) -> Option<&str> {
    mark(item["type"].as_str()?, item["data"].as_object()?)
}

/// Returns the text of a file: a line for each value and for each item of a list, with an empty line between them, so that Git merges the
/// changes of different ones.
fn text(map: &Map<String, Value>) -> String {
    let mut text = String::new();
    for (key, value) in map {
        match value.as_array().filter(|items| !items.is_empty()) {
            Some(items) => {
                let _ = writeln!(text, "{key}:\n");
                for item in items {
                    let _ = writeln!(text, "  - {item}\n");
                }
            }
            None => {
                let _ = writeln!(text, "{key}: {value}\n");
            }
        }
    }
    text
}

/// Reads what [`text`] has written.
fn parsed(text: &str) -> Option<Map<String, Value>> {
    let (mut map, mut list) = (Map::new(), String::new());
    for line in text.lines().filter(|line| !line.is_empty()) {
        if let Some(item) = line.strip_prefix("  - ") {
            map.get_mut(&list)?.as_array_mut()?.push(serde_json::from_str(item).ok()?);
        } else if let Some(key) = line.strip_suffix(':') {
            key.clone_into(&mut list);
            map.insert(list.clone(), Value::Array(Vec::new()));
        } else {
            let (key, value) = line.split_once(": ")?;
            map.insert(key.to_owned(), serde_json::from_str(value).ok()?);
        }
    }
    Some(map)
}

/// Returns the files in a directory by their names without the extension.
fn documents(directory: &Path) -> Option<BTreeMap<String, Map<String, Value>>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.path().file_stem()?.to_str()?.to_owned();
        all.insert(name, parsed(&fs::read_to_string(entry.path()).ok()?)?);
    }
    Some(all)
}
