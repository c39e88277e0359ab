//! Lead forms.

use std::fmt;

use super::conditional::{PatchRecord, update_record};
use super::profiles::converted;
use crate::api::{Listing, path_segment};
use crate::call::{Call, Create, Write};
use crate::changes::FormChanges;
use crate::client::Client;
use crate::conditional_write::Basis;
use crate::generated::types::{LeadForm, LeadFormEnvelope};
use crate::generated::{Client as Api, RequestResult};
use crate::ids::FormId;
use crate::operation::{self, Operation};
use crate::tolerant::Object;

/// All lead forms of the account. From [`Client::forms`].
#[derive(Clone, Debug)]
pub struct FormsHandle {
    client: Client,
}

/// One lead form. From [`Client::form`].
#[derive(Clone, Debug)]
pub struct FormHandle {
    pub(crate) client: Client,
    pub(crate) id: FormId,
}

impl Client {
    /// Returns the handle for all lead forms of the account.
    pub fn forms(&self) -> FormsHandle {
        FormsHandle { client: self.clone() }
    }

    /// Returns the handle for one lead form, by its UUID.
    pub fn form(&self, id: impl Into<FormId>) -> FormHandle {
        FormHandle { client: self.clone(), id: id.into() }
    }
}

impl FormsHandle {
    /// Returns every form of the account.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let forms = client.forms().list().await?;
    /// assert!(forms.iter().all(|form| !form.fields.is_empty()));
    /// # Ok(()) });
    /// ```
    pub fn list(&self) -> Call<Listing<LeadForm>> {
        Call::of(&self.client, operation::LIST_FORMS, Ok(()), |api, ()| api.list_forms())
    }

    /// Creates a form. To show it on a page, create a slot of type `form`.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::FormChanges;
    /// use links_sdk::types::NewFormField;
    /// use serde_json::json;
    ///
    /// let phone = NewFormField::new("phone", "Phone").required(true);
    /// let form = client.forms().create(FormChanges::default().title("Book a table").questions([phone])).await?;
    /// assert_eq!(form.fields[0].label, "Phone");
    ///
    /// let fields = json!([{"type": "phone", "label": "Phone", "required": true}]);
    /// client.forms().create(json!({"title": "Book a table", "fields": fields})).await?;
    /// # Ok(()) });
    /// ```
    pub fn create(
        &self,
        form: impl TryInto<FormChanges, Error: fmt::Display>,
    ) -> Call<LeadForm, Create> {
        let form = converted::<FormChanges>(form);
        Call::of(&self.client, operation::CREATE_FORM, form, |api, form| api.create_form(&form.0))
    }
}

impl FormHandle {
    /// Returns the form.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let id = client.forms().list().await?.items.remove(0).id;
    /// assert_eq!(client.form(&id).get().await?.id, id);
    /// # Ok(()) });
    /// ```
    pub fn get(&self) -> Call<LeadForm> {
        Call::of(&self.client, operation::SHOW_FORM, self.id_in_path(), |api, id| {
            api.show_form(&id)
        })
    }

    /// Changes the form. Fields that you leave out are not changed. The change is visible at once on every page that shows the form.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::FormChanges;
    ///
    /// let id = client.forms().list().await?.items.remove(0).id;
    /// let form = client.form(id).update(FormChanges::default().enabled(false)).await?;
    /// assert!(!form.active);
    /// # Ok(()) });
    /// ```
    pub fn update(
        &self,
        changes: impl TryInto<FormChanges, Error: fmt::Display>,
    ) -> Call<LeadForm, Write> {
        self.change(Basis::Nothing, None, changes)
    }

    /// Changes the form if the fields to change still have their values from `seen`. With `None`, the values of a first read count.
    ///
    /// The form is read right before each request, and again after every wait. If another client changed it in between, the call fails with
    /// [`Error::is_conflict`](crate::Error::is_conflict), and nothing is overwritten.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::FormChanges;
    ///
    /// let seen = client.forms().list().await?.items.remove(0);
    /// let form = client.form(&seen.id);
    /// form.update_unchanged(&seen, FormChanges::default().title("Ours")).await?;
    /// let error = form.update_unchanged(&seen, FormChanges::default().title("Theirs")).await.unwrap_err();
    /// assert!(error.is_conflict());
    /// # Ok(()) });
    /// ```
    pub fn update_unchanged<'s>(
        &self,
        seen: impl Into<Option<&'s LeadForm>>,
        changes: impl TryInto<FormChanges, Error: fmt::Display>,
    ) -> Call<LeadForm, Write> {
        self.change(Basis::Read(None), seen.into(), changes)
    }

    fn change(
        &self,
        basis: Basis,
        seen: Option<&LeadForm>,
        changes: impl TryInto<FormChanges, Error: fmt::Display>,
    ) -> Call<LeadForm, Write> {
        let changes = converted::<FormChanges>(changes).map(|it| it.0);
        update_record(&self.client, self.id_in_path(), basis, seen, changes)
    }

    pub(super) fn id_in_path(&self) -> Result<FormId, String> {
        path_segment("form ID", self.id.clone())
    }
}

impl PatchRecord for LeadForm {
    type Envelope = LeadFormEnvelope;
    type Key = FormId;
    const READ: &'static Operation = operation::SHOW_FORM;
    const WRITE: &'static Operation = operation::UPDATE_FORM;

    fn read(api: Api<'_>, id: &FormId) -> RequestResult<Self::Envelope> {
        api.show_form(id)
    }

    fn write(api: Api<'_>, id: &FormId, changes: &Object) -> RequestResult<Self::Envelope> {
        api.update_form(id, changes)
    }
}
