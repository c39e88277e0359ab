//! Changing a page's login, which is also how the page is addressed (the interface, section 4.5).
//!
//! As soon as the service has executed the change the old login leads nowhere, or to somebody else's page. So the page is addressed by
//! its id, and after a lost answer it is read before anything is sent again.

use serde::de::DeserializeOwned;

use crate::call::{BoxFuture, Generated, Sender};
use crate::error::{Error, Outcome};
use crate::generated::Client as Api;
use crate::generated::types::{
    Error as ServiceError, Profile, ProfileEnvelope, ProfileSettings, ProfileSettingsEnvelope,
};
use crate::operation::{self, Operation};
use crate::tolerant::Object;
use crate::transport::Answer;

/// Rounds of writing and reading after lost answers.
const MOST_ROUNDS: u32 = 4;

/// A record of a page that shows its login, and the envelope it comes in.
pub(super) trait ShowsLogin: Sized + Send + 'static {
    type Envelope: DeserializeOwned + Send;
    type Changes: Clone + Send + Sync + 'static;
    const READ: &'static Operation;
    const WRITE: &'static Operation;

    fn open(envelope: Self::Envelope) -> Self;
    fn id(&self) -> i64;
    fn login(&self) -> &str;
    fn read(api: Api, key: String) -> BoxFuture<'static, Sent<Self>>;
    fn write(api: Api, key: String, changes: Self::Changes) -> BoxFuture<'static, Sent<Self>>;
}

type Sent<T> = Generated<<T as ShowsLogin>::Envelope, ServiceError>;

/// The login among the fields of a change.
pub(super) fn login_in(fields: &Object) -> Option<String> {
    fields.get("login")?.as_str().map(str::to_owned)
}

pub(super) async fn change_login<T: ShowsLogin>(
    sender: Sender,
    key: String,
    wanted: String,
    changes: T::Changes,
) -> Result<T, Error> {
    if sender.options().dry_run {
        let request = |api| T::write(api, key, changes);
        return sender.send(T::WRITE, request).await.map(T::open);
    }
    let sender = sender.looking_first();
    let (before, _) = read::<T>(&sender, key).await?;
    let (id, old) = (before.id(), before.login());
    let mut lost: Option<Error> = None;
    for round in 1.. {
        let request = |api| T::write(api, id.to_string(), changes.clone());
        let error = match sender.send(T::WRITE, request).await {
            Ok(envelope) => return Ok(T::open(envelope)),
            Err(error) => error,
        };
        // A refusal after a lost answer may mean that the lost request was executed late.
        match (&lost, error.outcome()) {
            (None, Outcome::NotExecuted) => return Err(error),
            (Some(_), Outcome::NotExecuted) => {}
            (_, Outcome::Unknown | Outcome::Executed) => lost = Some(error),
        }
        if !sender.back_off(round).await {
            break;
        }
        let Ok((now, answer)) = read::<T>(&sender, id.to_string()).await else { break };
        if now.login() == wanted {
            sender.keep_answer(&answer);
            return Ok(now);
        }
        if now.login() != old {
            let message = format!(
                "the login was to change from {old} to {wanted}, but it is {} now: somebody else changed it meanwhile",
                now.login()
            );
            return Err(Error::conflict(T::WRITE.id, message));
        }
        if round == MOST_ROUNDS {
            break;
        }
    }
    Err(lost.unwrap_or_else(|| Error::invalid(T::WRITE.id, "nothing was sent")))
}

async fn read<T: ShowsLogin>(sender: &Sender, key: String) -> Result<(T, Answer), Error> {
    let answer = sender.beside().send_undecoded(T::READ, |api| T::read(api, key)).await?;
    match serde_json::from_slice(&answer.body) {
        Ok(envelope) => Ok((T::open(envelope), answer)),
        Err(why) => Err(Error::unreadable(T::READ.id, &answer, why.to_string())),
    }
}

impl ShowsLogin for ProfileSettings {
    type Envelope = ProfileSettingsEnvelope;
    type Changes = crate::changes::SettingsChanges;
    const READ: &'static Operation = operation::GET_PROFILE_SETTINGS;
    const WRITE: &'static Operation = operation::UPDATE_PROFILE_SETTINGS;

    fn open(envelope: Self::Envelope) -> Self {
        envelope.data
    }

    fn id(&self) -> i64 {
        self.profile_id
    }

    fn login(&self) -> &str {
        &self.login
    }

    fn read(api: Api, key: String) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.get_profile_settings(&key).await })
    }

    fn write(api: Api, key: String, changes: Self::Changes) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.update_profile_settings(&key, &changes).await })
    }
}

impl ShowsLogin for Profile {
    type Envelope = ProfileEnvelope;
    type Changes = crate::changes::ProfileChanges;
    const READ: &'static Operation = operation::GET_PROFILE;
    const WRITE: &'static Operation = operation::UPDATE_PROFILE;

    fn open(envelope: Self::Envelope) -> Self {
        envelope.data
    }

    fn id(&self) -> i64 {
        self.id
    }

    fn login(&self) -> &str {
        &self.login
    }

    fn read(api: Api, key: String) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.get_profile(&key, None).await })
    }

    fn write(api: Api, key: String, changes: Self::Changes) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.update_profile(&key, &changes).await })
    }
}
