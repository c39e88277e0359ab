//! Lead forms (the interface, sections 2.4 and 4.7).

use serde_json::Value;

use super::listing::Listing;
use super::path_segment;
use crate::apply::same;
use crate::call::{Call, Create, Generated, Sender, Write};
use crate::changes::{FormChanges, NewForm};
use crate::client::Client;
use crate::error::Error;
use crate::generated::Client as Api;
use crate::generated::types::LeadForm;
use crate::operation::{self, Operation};
use crate::seen::{Attempt, SeenWrite, Stop, Verdict, write_seen};
use crate::tolerant::Object;
use crate::transport::{Answer, Reserved};

/// All lead forms of the account. From [`Client::forms`].
#[derive(Clone, Debug)]
pub struct FormsHandle {
    client: Client,
}

/// One lead form. From [`Client::form`].
#[derive(Clone, Debug)]
pub struct FormHandle {
    pub(crate) client: Client,
    pub(crate) id: String,
}

impl Client {
    /// All lead forms of the account.
    pub fn forms(&self) -> FormsHandle {
        FormsHandle { client: self.clone() }
    }

    /// One lead form, by its uuid.
    pub fn form(&self, id: impl Into<String>) -> FormHandle {
        FormHandle { client: self.clone(), id: id.into() }
    }
}

impl FormsHandle {
    /// Every form of the account.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let forms = client.forms().list().await?;
    /// assert!(forms.iter().all(|form| !form.fields.is_empty()));
    /// # Ok(()) });
    /// ```
    pub fn list(&self) -> Call<Listing<LeadForm>> {
        Call::of(
            &self.client,
            operation::LIST_FORMS,
            |api| async move { api.list_forms().await },
            |envelope| Listing::new(envelope.data, envelope.meta.total),
        )
    }

    /// Makes a form. A slot of type `form` puts it on a page.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::{NewForm, Object};
    ///
    /// let form: Object = serde_json::from_str(
    ///     r#"{"title": "Book a table", "fields": [{"type": "phone", "label": "Phone", "required": true}]}"#,
    /// )?;
    /// let form = client.forms().create(NewForm::from(form)).await?;
    /// assert_eq!(form.fields[0].label, "Phone");
    /// # Ok(()) });
    /// ```
    pub fn create(&self, form: NewForm) -> Call<LeadForm, Create> {
        Call::of(
            &self.client,
            operation::CREATE_FORM,
            move |api| async move { api.create_form(&form).await },
            |envelope| envelope.data,
        )
    }
}

impl FormHandle {
    /// The form.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let id = client.forms().list().await?.items.remove(0).id;
    /// assert_eq!(client.form(&id).get().await?.id, id);
    /// # Ok(()) });
    /// ```
    pub fn get(&self) -> Call<LeadForm> {
        self.call(
            operation::SHOW_FORM,
            |api, id| async move { api.show_form(&id).await },
            |envelope| envelope.data,
        )
    }

    /// Changes the form; fields that are not mentioned stay. It changes at once on every page that holds it.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::FormChanges;
    ///
    /// let id = client.forms().list().await?.items.remove(0).id;
    /// let form = client.form(id).update(FormChanges::default().enabled(false)).await?;
    /// assert!(!form.active);
    /// # Ok(()) });
    /// ```
    pub fn update(&self, changes: FormChanges) -> Call<LeadForm, Write> {
        self.call(
            operation::UPDATE_FORM,
            move |api, id| async move { api.update_form(&id, &changes).await },
            |envelope| envelope.data,
        )
    }

    /// Changes the form if the fields that are changed still hold what they held in `seen`.
    ///
    /// The form is read right before each request, and again after every wait. What somebody else changed meanwhile is an
    /// [`Error::is_conflict`], and nothing is written over it.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::FormChanges;
    ///
    /// let seen = client.forms().list().await?.items.remove(0);
    /// let form = client.form(&seen.id);
    /// form.update_unchanged(&seen, FormChanges::default().title("Ours")).await?;
    /// let error = form.update_unchanged(&seen, FormChanges::default().title("Theirs")).await.unwrap_err();
    /// assert!(error.is_conflict());
    /// # Ok(()) });
    /// ```
    pub fn update_unchanged(&self, seen: &LeadForm, changes: FormChanges) -> Call<LeadForm, Write> {
        let (id, seen) = (self.id.clone(), as_object(seen));
        if let Err(message) = path_segment("form id", &id) {
            return Call::refused(&self.client, operation::UPDATE_FORM, message);
        }
        Call::new(&self.client, operation::UPDATE_FORM, move |sender| {
            Box::pin(async move {
                let mut write = UpdateSeen { sender: &sender, id, seen, changes };
                if sender.options().dry_run {
                    return write.send_by(&sender).await;
                }
                let (client, options) = (sender.client(), sender.options());
                let done =
                    write_seen(client, operation::UPDATE_FORM, options, None, &mut write).await;
                done.map_err(|stop| match stop {
                    Stop::Failed(error) => error,
                    Stop::Changed { found, outcome } => {
                        Error::changed(operation::UPDATE_FORM.id, outcome, &found)
                    }
                })
            })
        })
    }

    /// A call below this form's address.
    pub(crate) fn call<T, K, R, F, E>(
        &self,
        operation: &'static Operation,
        request: impl FnOnce(Api, String) -> F + Send + 'static,
        unwrap: impl FnOnce(R) -> T + Send + 'static,
    ) -> Call<T, K>
    where
        T: Send + 'static,
        R: Send,
        E: Send,
        F: Future<Output = Generated<R, E>> + Send + 'static,
    {
        let id = self.id.clone();
        match path_segment("form id", &id) {
            Ok(()) => Call::of(&self.client, operation, move |api| request(api, id), unwrap),
            Err(message) => Call::refused(&self.client, operation, message),
        }
    }
}

#[derive(serde::Deserialize)]
struct Envelope {
    data: LeadForm,
}

/// An update of a form that is sent only where the form is as it was.
struct UpdateSeen<'a> {
    sender: &'a Sender,
    id: String,
    seen: Object,
    changes: FormChanges,
}

impl UpdateSeen<'_> {
    async fn send_by(&self, sender: &Sender) -> Result<LeadForm, Error> {
        let (id, changes) = (self.id.clone(), self.changes.clone());
        let request = |api: Api| async move { api.update_form(&id, &changes).await };
        let answer = sender.send_undecoded(operation::UPDATE_FORM, request).await?;
        let envelope: Envelope = answer.decode(operation::UPDATE_FORM)?;
        self.sender.keep_answer(&answer);
        Ok(envelope.data)
    }
}

impl SeenWrite for UpdateSeen<'_> {
    type View = LeadForm;
    type Done = LeadForm;

    async fn look(&mut self, place: Reserved) -> Result<LeadForm, Error> {
        let id = self.id.clone();
        let request = |api: Api| async move { api.show_form(&id).await };
        let sender = self.sender.beside().reserved(place);
        Ok(sender.send(operation::SHOW_FORM, request).await?.data)
    }

    fn judge(&mut self, form: LeadForm, in_doubt: bool) -> Verdict<LeadForm> {
        let now = as_object(&form);
        let changed = self.changes.fields();
        let holds = |key: &str, value: &Value| same(now.get(key).unwrap_or(&Value::Null), value);
        if in_doubt && changed.iter().all(|(key, value)| holds(key, value)) {
            self.sender.keep_answer(&Answer::json(&serde_json::json!({ "data": form })));
            return Verdict::Done(form);
        }
        let before = |key: &str| self.seen.get(key).unwrap_or(&Value::Null);
        let theirs = changed.iter().filter(|(key, _)| !holds(key, before(key)));
        let found: Vec<String> = theirs.map(|(key, _)| format!("{key} of the form")).collect();
        if found.is_empty() { Verdict::Send } else { Verdict::Changed(found) }
    }

    async fn send(&mut self, attempt: &Attempt) -> Result<LeadForm, Error> {
        self.send_by(&self.sender.once(attempt)).await
    }
}

fn as_object(form: &LeadForm) -> Object {
    match serde_json::to_value(form) {
        Ok(Value::Object(fields)) => Object(fields),
        _ => Object::default(),
    }
}
