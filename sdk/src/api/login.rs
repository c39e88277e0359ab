//! Changing a page's login, which is also how the page is addressed (the interface, section 4.5).
//!
//! As soon as the service has executed the change the old login leads nowhere, or to somebody else's page. So the page is addressed by
//! its id, and after a lost answer it is read before anything is sent again.

use super::patch::{Patch, Record, Sent};
use crate::call::Sender;
use crate::error::Error;
use crate::generated::Client as Api;
use crate::generated::types::{Profile, ProfileEnvelope, ProfileSettings, ProfileSettingsEnvelope};
use crate::operation::{self, Operation};
use crate::seen::Seen;
use crate::tolerant::Object;
use crate::transport::BoxFuture;

/// A record of a page that shows its login.
pub(super) trait ShowsLogin: Record<Key = String> {
    fn id(&self) -> i64;
}

/// The login among the fields of a change.
pub(super) fn login_in(fields: &Object) -> Option<String> {
    fields.get("login")?.as_str().map(str::to_owned)
}

pub(super) async fn change_login<T: ShowsLogin>(
    sender: Sender,
    key: String,
    changes: T::Changes,
) -> Result<T, Error> {
    if sender.options().dry_run {
        let request = |api| T::write(api, key, changes);
        return sender.send(T::WRITE, request).await.map(T::open);
    }
    let (before, _) = Patch::<T>::read(&sender.beside(), key).await?;
    let seen = Seen::now(sender.shared());
    let (key, fields) = (before.id().to_string(), before.fields());
    Patch::<T> { sender: &sender, key, seen: Some(fields), changes }.run(Some(seen)).await
}

impl Record for ProfileSettings {
    type Envelope = ProfileSettingsEnvelope;
    type Key = String;
    type Changes = crate::changes::SettingsChanges;
    const READ: &'static Operation = operation::GET_PROFILE_SETTINGS;
    const WRITE: &'static Operation = operation::UPDATE_PROFILE_SETTINGS;

    fn open(envelope: Self::Envelope) -> Self {
        envelope.data
    }

    fn changed(changes: &Self::Changes) -> &Object {
        changes.fields()
    }

    fn read(api: Api, key: String) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.get_profile_settings(&key).await })
    }

    fn write(api: Api, key: String, changes: Self::Changes) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.update_profile_settings(&key, changes.fields()).await })
    }
}

impl ShowsLogin for ProfileSettings {
    fn id(&self) -> i64 {
        self.profile_id
    }
}

impl Record for Profile {
    type Envelope = ProfileEnvelope;
    type Key = String;
    type Changes = crate::changes::ProfileChanges;
    const READ: &'static Operation = operation::GET_PROFILE;
    const WRITE: &'static Operation = operation::UPDATE_PROFILE;

    fn open(envelope: Self::Envelope) -> Self {
        envelope.data
    }

    fn changed(changes: &Self::Changes) -> &Object {
        changes.fields()
    }

    fn read(api: Api, key: String) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.get_profile(&key, None).await })
    }

    fn write(api: Api, key: String, changes: Self::Changes) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.update_profile(&key, changes.fields()).await })
    }
}

impl ShowsLogin for Profile {
    fn id(&self) -> i64 {
        self.id
    }
}
