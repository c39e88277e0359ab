//! Forms that references of page files may mean: those of form files by their local names, then those of the account by their titles.

use links_pages::suggest::suggest;
use links_sdk::runs::all_forms;

use crate::context::prelude::*;

/// Forms that references may mean. The forms of the account are read when they are first needed.
#[derive(Debug, Default)]
pub(crate) struct KnownForms {
    account: Option<Vec<LeadForm>>,
    /// Ids by local name; `None` for a form that is created by the same command.
    local: BTreeMap<String, Option<String>>,
    /// True if a title names no form: only form files and what a lock has do.
    pub(crate) is_locked: bool,
}

/// What to do about a form that a lock does not have.
pub(crate) const LOCKED: &str =
    "use the form's ID, or the name of a form file that is in links.lock";

/// Reason why a reference means no form: a message and a hint.
pub(crate) type UnknownForm = (String, Option<String>);

impl KnownForms {
    /// Returns the forms that references may mean, by their titles only if they are not bound to a lock.
    pub(crate) fn of(is_locked: bool) -> Self {
        Self { is_locked, ..Self::default() }
    }

    /// Adds the form of a local name; `None` if it is created by the same command.
    pub(crate) fn add(&mut self, name: &str, id: Option<String>) {
        self.local.insert(name.to_owned(), id);
    }

    /// Returns whether a form file of this run has a local name.
    pub(crate) fn is_local(&self, name: &str) -> bool {
        self.local.contains_key(name)
    }

    /// Returns the forms of the account.
    pub(crate) async fn account(&mut self, client: &Client) -> Result<&[LeadForm]> {
        if self.account.is_none() {
            self.account = Some(all_forms(client).await?);
        }
        Ok(self.account.as_deref().unwrap_or_default())
    }

    /// Returns the value of a reference: the id of its form, or a placeholder for one that is created. `recorded` is the id that a lock has
    /// for the name.
    pub(crate) async fn value(
        &mut self,
        client: &Client,
        name: &str,
        recorded: Option<&str>,
    ) -> Result<Result<Value, UnknownForm>> {
        if let Some(id) = self.local.get(name) {
            return Ok(Ok(id.as_ref().map_or_else(|| form_of(name), |id| json!(id))));
        }
        let is_locked = self.is_locked;
        let forms = self.account(client).await?;
        if let Some(form) = forms.iter().find(|form| Some(&*form.id) == recorded) {
            return Ok(Ok(json!(form.id)));
        }
        if is_locked {
            let id = recorded.unwrap_or_default();
            let message = format!(
                "--locked: the form {id}, which links.lock records for \"{name}\", no longer exists"
            );
            return Ok(Err((message, Some(LOCKED.to_owned()))));
        }
        Ok(titled(name, forms).map(|form| json!(form.id)))
    }
}

/// Placeholder of a form that is not created yet.
pub(crate) fn form_of(name: &str) -> Value {
    json!(format!("(form {name})"))
}

/// Returns the only form with this title.
fn titled<'f>(title: &str, forms: &'f [LeadForm]) -> Result<&'f LeadForm, UnknownForm> {
    let same: Vec<_> = forms.iter().filter(|it| it.title.trim() == title.trim()).collect();
    match same[..] {
        [only] => Ok(only),
        [] => {
            let titles: BTreeSet<_> = forms.iter().map(|it| it.title.as_str()).collect();
            let help = match forms.len() {
                0 => Some("this account has no forms".to_owned()),
                _ => suggest(title, titles),
            };
            Err((format!("no form is called \"{title}\""), help))
        }
        ref several => {
            let ids: Vec<_> = several.iter().map(|it| it.id.clone()).collect();
            let help = format!("use the form's ID: {}", ids.join(", "));
            Err((format!("{} forms are called \"{title}\"", several.len()), Some(help)))
        }
    }
}
