//! The files that two people apply: what they say, and the changes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use links_fixtures::Profile;
use serde_json::{Map, Value, json};

use super::history::FileChange;
use super::world::{AccountWorld, Owner, Place, changing, mark};
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
        Self { pages: world.pages.iter().map(file).collect(), forms: BTreeMap::new() }
    }

    /// Writes the files below a directory.
    pub(crate) fn write(&self, directory: &Path) {
        let (pages, forms) = (directory.join("pages"), directory.join("forms"));
        for directory in [&pages, &forms] {
            fs::create_dir_all(directory).unwrap();
        }
        let write = |directory: &Path, name: &str, value: &Value| {
            fs::write(directory.join(format!("{name}.yaml")), value.to_string()).unwrap();
        };
        for (name, page) in &self.pages {
            let mut value = json!({ "profile": page.profile, "slots": page.slots });
            let object = value.as_object_mut().unwrap();
            object.extend(page.login.clone().map(|login| ("login".to_owned(), login.into())));
            object.extend(page.fields.clone());
            write(&pages, name, &value);
        }
        for (name, form) in &self.forms {
            write(&forms, name, form);
        }
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
                    slots.insert(at % (slots.len() + 1), item);
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
            let owner = Owner::Form(stored.id.clone());
            let button = form["buttonText"].as_str().unwrap_or_default().to_owned();
            values.insert((owner, String::new(), "buttonText".to_owned()), button);
        }
        values
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
    /// Returns the logins that the page may have.
    pub(crate) fn logins(&self) -> impl Iterator<Item = &str> {
        self.login.iter().map(String::as_str).chain([self.profile.as_str()])
    }
}

fn item_mark(item: &Value) -> Option<&str> {
    mark(item["type"].as_str()?, item["data"].as_object()?)
}
