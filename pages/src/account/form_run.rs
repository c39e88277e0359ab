//! Execution of the plan of a form.

use serde_json::Value;

use super::FormPlan;
use links_sdk::types::LeadForm;
use links_sdk::{Client, Error, Object};
use links_sdk::{FormChanges, NewForm};

impl FormPlan {
    /// Creates or changes the form. A form that another client changed in the same fields since it was read is not overwritten.
    ///
    /// A lost answer is settled by the idempotency key of a create, and by reading the form after a change.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::{DesiredForm, FormPlan};
    ///
    /// let fields = serde_json::json!({
    ///     "title": "Write to us", "buttonText": "Send", "successMessage": "Thanks",
    ///     "fields": [{"type": "text", "label": "Name", "required": true}],
    /// });
    /// let desired = DesiredForm { name: "contact".into(), id: None, fields: serde_json::from_value(fields)? };
    /// let plan = FormPlan::new(&desired, &client.forms().list().await?, None, &Default::default())?;
    /// let form = plan.execute(&client, None).await?;
    /// assert_eq!(form.title, "Write to us");
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`FormsHandle::create`](links_sdk::FormsHandle::create) and
    /// [`FormHandle::update_unchanged`](links_sdk::FormHandle::update_unchanged).
    pub async fn execute(
        &self,
        client: &Client,
        seen: Option<&LeadForm>,
    ) -> Result<LeadForm, Error> {
        let Some(id) = &self.id else {
            // Not every service joins two requests of one key: the next run finds the form by its title.
            let create = client.forms().create(NewForm::from(self.changed.clone()));
            return create.reading_first().await;
        };
        let form = client.form(id.clone());
        let result = form.update_unchanged(seen, FormChanges::from(self.changed.clone())).await;
        match result {
            Err(error) => match self.without_refused(&error) {
                Some(changes) => form.update_unchanged(seen, FormChanges::from(changes)).await,
                None => Err(error),
            },
            done => done,
        }
    }

    /// Sends the create or the change as a dry run.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::account::{DesiredForm, FormPlan};
    ///
    /// let fields = serde_json::json!({
    ///     "title": "Write to us", "buttonText": "Send", "successMessage": "Thanks",
    ///     "fields": [{"type": "text", "label": "Name", "required": true}],
    /// });
    /// let desired = DesiredForm { name: "contact".into(), id: None, fields: serde_json::from_value(fields)? };
    /// let plan = FormPlan::new(&desired, &client.forms().list().await?, None, &Default::default())?;
    /// plan.check(&client).await?;
    /// assert!(!client.forms().list().await?.iter().any(|form| form.title == "Write to us"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The refusal of the service, or another failure.
    pub async fn check(&self, client: &Client) -> Result<(), Error> {
        match &self.id {
            None => client.forms().create(NewForm::from(self.changed.clone())).dry_run().await,
            Some(id) => {
                let changes = FormChanges::from(self.changed.clone());
                client.form(id.clone()).update(changes).dry_run().await
            }
        }
    }

    /// Returns the changes without the names in the form's fields that the service adds to its own answers and refuses in requests; `None`
    /// if it refused anything else.
    fn without_refused(&self, error: &Error) -> Option<Object> {
        let mut refused = Vec::new();
        for path in error.field_errors().keys() {
            let mut parts = path.split('.');
            let (Some("fields"), Some(_), Some(name), None) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            else {
                return None;
            };
            if ["key", "type", "label", "required", "placeholder"].contains(&name) {
                return None;
            }
            refused.push(name.to_owned());
        }
        if refused.is_empty() {
            return None;
        }
        let mut changes = self.changed.clone();
        for field in changes.get_mut("fields")?.as_array_mut()?.iter_mut() {
            if let Value::Object(field) = field {
                field.retain(|name, _| !refused.contains(name));
            }
        }
        Some(changes)
    }
}
