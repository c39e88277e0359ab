//! Changes of a page's login, which also identifies the page in paths (the interface, section 4.5).
//!
//! As soon as the service has executed the change, the old login leads nowhere, or to another account's page. Therefore the page is
//! addressed by its id, and after a lost answer it is read before anything is sent again.

use super::conditional_patch::{ConditionalPatch, PatchRecord};
use crate::call_sender::CallSender;
use crate::conditional_write::ReadTime;
use crate::error::Error;
use crate::generated::Client as Api;
use crate::generated::types::{Profile, ProfileEnvelope, ProfileSettings, ProfileSettingsEnvelope};
use crate::ids::ProfileId;
use crate::operation::{self, Operation};
use crate::tolerant::Object;
use crate::transport::RequestResult;

/// A record of a page that shows its login.
pub(super) trait HasLogin: PatchRecord<Key = String> {
    fn id(&self) -> ProfileId;
}

/// Returns the login among the fields of a change.
pub(super) fn login_in(fields: &Object) -> Option<String> {
    fields.get("login")?.as_str().map(str::to_owned)
}

pub(super) async fn change_login<T: HasLogin>(
    sender: CallSender,
    key: String,
    changes: T::Changes,
) -> Result<T, Error> {
    if sender.options().dry_run {
        let request = |api: Api<'_>| T::write(api, key, changes);
        return sender.send(T::WRITE, request).await.map(T::open);
    }
    let (before, _) = ConditionalPatch::<T>::read(&sender.beside(), key).await?;
    let seen = ReadTime::now(sender.shared());
    let (key, fields) = (before.id().to_string(), before.fields());
    ConditionalPatch::<T> { sender: &sender, key, seen: Some(fields), changes }
        .run(Some(seen))
        .await
}

impl PatchRecord for ProfileSettings {
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

    fn read(api: Api<'_>, key: String) -> RequestResult<Self::Envelope> {
        api.get_profile_settings(&key)
    }

    fn write(api: Api<'_>, key: String, changes: Self::Changes) -> RequestResult<Self::Envelope> {
        api.update_profile_settings(&key, changes.fields())
    }
}

impl HasLogin for ProfileSettings {
    fn id(&self) -> ProfileId {
        self.profile_id
    }
}

impl PatchRecord for Profile {
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

    fn read(api: Api<'_>, key: String) -> RequestResult<Self::Envelope> {
        api.get_profile(&key, None)
    }

    fn write(api: Api<'_>, key: String, changes: Self::Changes) -> RequestResult<Self::Envelope> {
        api.update_profile(&key, changes.fields())
    }
}

impl HasLogin for Profile {
    fn id(&self) -> ProfileId {
        self.id
    }
}
