//! Forms that references of pages may mean: those of form files by their local names, then those of the account by their titles.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::suggest::suggest;
use links_sdk::runs::all_forms;
use links_sdk::types::LeadForm;
use links_sdk::{Client, Error, FormId};

/// Forms that references may mean. The forms of the account are read when they are first needed.
#[derive(Clone, Debug, Default)]
pub struct KnownForms {
    account: Option<Vec<LeadForm>>,
    /// IDs by local name; `None` for a form that is created by the same run.
    local: BTreeMap<String, Option<FormId>>,
    is_locked: bool,
}

/// Reason why a reference means no form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct UnknownForm {
    /// The reason.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl KnownForms {
    /// Returns the forms that references may mean. With `is_locked`, a title means no form: only names and the IDs that a lock has do.
    pub fn new(is_locked: bool) -> Self {
        Self { is_locked, ..Self::default() }
    }

    /// Returns whether a title means no form.
    pub fn is_locked(&self) -> bool {
        self.is_locked
    }

    /// Adds the form of a local name; `None` if it is created by the same run.
    pub fn add(&mut self, name: &str, id: Option<FormId>) {
        self.local.insert(name.to_owned(), id);
    }

    /// Returns whether a form has this local name.
    pub fn is_local(&self, name: &str) -> bool {
        self.local.contains_key(name)
    }

    /// Returns the forms of the account.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::KnownForms;
    ///
    /// let mut forms = KnownForms::default();
    /// assert_eq!(forms.account(&client).await?.len(), client.forms().list().await?.items.len());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub async fn account(&mut self, client: &Client) -> Result<&[LeadForm], Error> {
        if self.account.is_none() {
            self.account = Some(all_forms(client).await?);
        }
        Ok(self.read())
    }

    /// Returns the forms of the account, if they were read.
    fn read(&self) -> &[LeadForm] {
        self.account.as_deref().unwrap_or_default()
    }

    /// Returns the form with an ID, if the forms of the account were read.
    pub(super) fn of_id(&self, id: &str) -> Option<&LeadForm> {
        self.read().iter().find(|form| form.id == id)
    }

    /// Puts a form that was written among those of the account, with its local name.
    pub(super) fn put(&mut self, name: &str, form: LeadForm) {
        self.add(name, Some(form.id.clone()));
        let forms = self.account.get_or_insert_default();
        forms.retain(|held| held.id != form.id);
        forms.push(form);
    }

    /// Returns the value of a reference: the ID of its form, or a placeholder for one that is created. `recorded` is the ID that a lock has
    /// for the name.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::KnownForms;
    ///
    /// let mut forms = KnownForms::default();
    /// forms.add("contact", None);
    /// assert_eq!(forms.value(&client, "contact", None).await??, "(form contact)");
    /// let title = forms.account(&client).await?[0].title.clone();
    /// assert!(forms.value(&client, &title, None).await?.is_ok());
    /// assert!(forms.value(&client, "Unknown", None).await?.is_err());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the forms of the account cannot be read; the inner error says why the reference means no form.
    pub async fn value(
        &mut self,
        client: &Client,
        name: &str,
        recorded: Option<&str>,
    ) -> Result<Result<Value, UnknownForm>, Error> {
        if !self.is_local(name) {
            self.account(client).await?;
        }
        Ok(self.find(name, recorded))
    }

    /// Returns the value of a reference as far as the forms of the account were read.
    pub(super) fn find(&self, name: &str, recorded: Option<&str>) -> Result<Value, UnknownForm> {
        if let Some(id) = self.local.get(name) {
            let placeholder = || json!(format!("(form {name})"));
            return Ok(id.as_ref().map_or_else(placeholder, |id| json!(id)));
        }
        if let Some(form) = recorded.and_then(|id| self.of_id(id)) {
            return Ok(json!(form.id));
        }
        if self.is_locked {
            let id = recorded.unwrap_or_default();
            let message =
                format!("the form {id}, which links.lock records for \"{name}\", no longer exists");
            return Err(UnknownForm { message, help: None });
        }
        titled(name, self.read()).map(|form| json!(form.id))
    }
}

/// Returns the only form with this title.
fn titled<'f>(title: &str, forms: &'f [LeadForm]) -> Result<&'f LeadForm, UnknownForm> {
    let same: Vec<_> = forms.iter().filter(|it| it.title.trim() == title.trim()).collect();
    let (message, help) = match same[..] {
        [only] => return Ok(only),
        [] => {
            let titles: BTreeSet<_> = forms.iter().map(|it| it.title.as_str()).collect();
            let help = match forms.len() {
                0 => Some("this account has no forms".to_owned()),
                _ => suggest(title, titles),
            };
            (format!("no form is called \"{title}\""), help)
        }
        ref several => {
            let ids: Vec<_> = several.iter().map(|it| it.id.clone()).collect();
            let help = format!("use the form's ID: {}", ids.join(", "));
            (format!("{} forms are called \"{title}\"", several.len()), Some(help))
        }
    };
    Err(UnknownForm { message, help })
}
