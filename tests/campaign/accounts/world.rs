//! Pages and forms of an account at one moment, with the edits of other clients.

use std::collections::{BTreeMap, BTreeSet};

use links_fixtures::{Account, Form, Profile};
use serde_json::{Map, Value};

use super::history::AccountEdit;
use crate::edits;
use crate::proxy::Observed;

/// The pages and forms at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AccountWorld {
    pub(crate) pages: Vec<Profile>,
    pub(crate) forms: Vec<Form>,
}

/// Place of a value: the page or form, the mark of the slot, and the key.
pub(crate) type Place = (Owner, String, String);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Page(u64),
    Form(String),
}

/// Returns what identifies a slot of these histories: a text that no change touches.
pub(crate) fn mark<'d>(kind: &str, data: &'d Map<String, Value>) -> Option<&'d str> {
    data.get(if kind == "form" { "buttonText" } else { "title" })?.as_str()
}

/// Returns the key of a slot that changes, with a value for it.
pub(crate) fn changing(kind: &str, text: &str) -> Option<(&'static str, String)> {
    match kind {
        "text" => Some(("description", text.to_owned())),
        "button" => Some(("link", format!("https://{text}.example/"))),
        _ => None,
    }
}

/// Returns the labels of the fields of a form as one value.
pub(crate) fn joined<'l>(labels: impl Iterator<Item = &'l str>) -> String {
    labels.collect::<Vec<_>>().join(",")
}

/// Returns the name of a value that another client has set.
pub(crate) fn foreign(number: usize) -> String {
    format!("f{number:06}")
}

impl AccountWorld {
    pub(crate) fn page(&self, login: &str) -> Option<&Profile> {
        self.pages.iter().find(|page| page.login == login)
    }

    /// Returns the marks on each page.
    pub(crate) fn marks(&self) -> BTreeSet<(u64, String)> {
        let marks = |page: &Profile| -> Vec<(u64, String)> {
            let marks = page.slots.iter().filter_map(|slot| mark(&slot.kind, &slot.data));
            marks.map(|mark| (page.id, mark.to_owned())).collect()
        };
        self.pages.iter().flat_map(marks).collect()
    }

    /// Returns the values that the files and other clients change.
    pub(crate) fn values(&self) -> BTreeMap<Place, String> {
        let mut values = BTreeMap::new();
        for page in &self.pages {
            let owner = Owner::Page(page.id);
            for (key, value) in [("title", &page.title), ("description", &page.description)] {
                let place = (owner.clone(), String::new(), key.to_owned());
                values.extend(value.clone().map(|value| (place, value)));
            }
            for slot in &page.slots {
                let Some(mark) = mark(&slot.kind, &slot.data) else { continue };
                let Some((key, _)) = changing(&slot.kind, "") else { continue };
                let place = (owner.clone(), mark.to_owned(), key.to_owned());
                let value = slot.data.get(key).and_then(Value::as_str);
                values.extend(value.map(|value| (place, value.to_owned())));
            }
        }
        for form in &self.forms {
            let owner = Owner::Form(form.id.clone());
            let place = |mark: &str, key: &str| (owner.clone(), mark.to_owned(), key.to_owned());
            values.insert(place("", "buttonText"), form.button_text.clone());
            let labels = form.fields.iter().map(|field| field.label.as_str());
            values.insert(place("", "fields"), joined(labels));
            let labels = form.fields.iter().map(|field| field.label.clone());
            values.extend(labels.map(|label| (place("field", &label), label)));
        }
        values
    }
}

impl Observed for AccountWorld {
    type Edit = AccountEdit;

    fn of(account: &Account, _: bool) -> Self {
        Self { pages: account.profiles.clone(), forms: account.forms.clone() }
    }

    fn carry_out(account: &mut Account, edit: &AccountEdit) {
        let new = account.next_id;
        let pages = account.profiles.len();
        let forms = account.forms.len();
        match edit {
            AccountEdit::Field(page, key, number) => {
                let page = &mut account.profiles[page % pages];
                let field = if key == "title" { &mut page.title } else { &mut page.description };
                *field = Some(foreign(*number));
            }
            AccountEdit::Set(page, at, number) => {
                let slots = &mut account.profiles[page % pages].slots;
                let count = slots.len().max(1);
                if let Some(slot) = slots.get_mut(at % count)
                    && let Some((key, value)) = changing(&slot.kind, &foreign(*number))
                {
                    slot.data.insert(key.to_owned(), value.into());
                }
            }
            AccountEdit::Add(page, at, content) => {
                account.next_id += 1;
                let slots = &mut account.profiles[page % pages].slots;
                slots.insert(at % (slots.len() + 1), edits::slot(new, content));
            }
            AccountEdit::Delete(page, at) => {
                let slots = &mut account.profiles[page % pages].slots;
                if !slots.is_empty() {
                    slots.remove(at % slots.len());
                }
            }
            AccountEdit::Move(page, from, to) => {
                let slots = &mut account.profiles[page % pages].slots;
                if !slots.is_empty() {
                    let count = slots.len();
                    let slot = slots.remove(from % count);
                    slots.insert(to % count, slot);
                }
            }
            AccountEdit::FormButton(form, number) => {
                account.forms[form % forms].button_text = foreign(*number);
            }
            AccountEdit::FormField(form, number) => {
                let field = edits::field(format!("field_{new}"), &foreign(*number));
                account.next_id += 1;
                account.forms[form % forms].fields.push(field);
            }
            AccountEdit::FormFieldRemove(form, at) => {
                let fields = &mut account.forms[form % forms].fields;
                if fields.len() > 1 {
                    fields.remove(at % fields.len());
                }
            }
        }
    }
}
