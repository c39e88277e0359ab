//! Changes of a record's fields, and of the order of slots, made only if they are as they were read.
//!
//! A login also identifies its page in paths (the interface, section 4.5). As soon as the service has executed a change of it, the old login
//! leads nowhere, or to another account's page. Therefore the page is addressed by its id, and after a lost answer it is read before anything
//! is sent again.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::call::{Call, Write};
use crate::call_sender::CallSender;
use crate::client::Client;
use crate::conditional_write::{
    ConditionalWrite, ReadTime, WriteAttempt, WriteStop, WriteVerdict, write_if_unchanged,
};
use crate::error::Error;
use crate::generated::types::{
    Profile, ProfileEnvelope, ProfileSettings, ProfileSettingsEnvelope, SlotList, SlotOrder,
};
use crate::generated::{Client as Api, RequestResult};
use crate::ids::{ProfileId, SlotId};
use crate::operation::{self, Operation};
use crate::same::same;
use crate::slot::Slot;
use crate::tolerant::Object;
use crate::transport::{Answer, Reservation};

/// Maximum length of a value that an error shows.
const SHOWN: usize = 60;

/// A record that is changed by a PATCH.
pub(crate) trait PatchRecord: Serialize + Sized + Send + 'static {
    type Envelope: DeserializeOwned + Send;
    /// Key of the record in the path.
    type Key: Clone + Send + Sync + 'static;
    const READ: &'static Operation;
    const WRITE: &'static Operation;

    fn open(envelope: Self::Envelope) -> Self;

    /// Returns the fields of the record under the names that a change has for them.
    fn fields(&self) -> Object {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => Object(fields),
            _ => Object::default(),
        }
    }

    fn read(api: Api<'_>, key: Self::Key) -> RequestResult<Self::Envelope>;
    fn write(api: Api<'_>, key: Self::Key, changes: &Object) -> RequestResult<Self::Envelope>;
}

/// Returns a call that changes a record where the fields that are changed hold what they held in `seen`; without it, what the first read
/// shows.
pub(super) fn update_unchanged<T: PatchRecord>(
    client: &Client,
    key: Result<T::Key, String>,
    seen: Option<&T>,
    changes: Result<Object, String>,
) -> Call<T, Write> {
    let (key, changes) = match key.and_then(|key| Ok((key, changes?))) {
        Ok(parts) => parts,
        Err(message) => return Call::refused(client, T::WRITE, message),
    };
    let seen = seen.map(T::fields);
    Call::new(client, T::WRITE, move |sender| {
        Box::pin(async move {
            if sender.is_not_sent() {
                if let Some(hear) = sender.before_write.clone() {
                    let (record, _) =
                        ConditionalPatch::<T>::read(&sender.beside(), key.clone()).await?;
                    hear(&record.fields());
                }
                let request = |api: Api<'_>| T::write(api, key, &changes);
                return sender.send(T::WRITE, request).await.map(T::open);
            }
            ConditionalPatch::<T> { sender: &sender, key, seen, changes }.run(None).await
        })
    })
}

/// A PATCH that follows a read of the record.
pub(crate) struct ConditionalPatch<'a, T: PatchRecord> {
    pub(crate) sender: &'a CallSender,
    pub(crate) key: T::Key,
    /// Fields of the record when it was first read.
    pub(crate) seen: Option<Object>,
    pub(crate) changes: Object,
}

impl<T: PatchRecord> ConditionalPatch<'_, T> {
    /// Sends the change. `seen` is the time of the read that showed the record, if that was just now.
    pub(super) async fn run(mut self, seen: Option<ReadTime>) -> Result<T, Error> {
        let (client, options) = (&self.sender.client, &self.sender.options);
        let done = write_if_unchanged(client, T::WRITE, options, seen, &mut self).await;
        done.map_err(|stop| stop.into_error(T::WRITE))
    }

    /// Reads the record. Returns it with its undecoded answer.
    pub(super) async fn read(sender: &CallSender, key: T::Key) -> Result<(T, Answer), Error> {
        let (record, answer) = sender.send_decoded(T::READ, |api| T::read(api, key)).await?;
        Ok((T::open(record), answer))
    }
}

impl<T: PatchRecord> ConditionalWrite for ConditionalPatch<'_, T> {
    type Snapshot = (T, Answer);
    type Done = T;

    async fn read(&mut self, place: Reservation) -> Result<(T, Answer), Error> {
        let sender = self.sender.beside().reserved(place);
        Self::read(&sender, self.key.clone()).await
    }

    fn decide(&mut self, (record, answer): (T, Answer), in_doubt: bool) -> WriteVerdict<T> {
        let (now, changed) = (record.fields(), &self.changes);
        if in_doubt && changed.iter().all(|(key, value)| is_stored(value, held(&now, key))) {
            self.sender.keep_answer(&answer);
            return WriteVerdict::Done(record);
        }
        let Some(seen) = &self.seen else {
            self.seen = Some(now);
            return WriteVerdict::Send;
        };
        let theirs: Vec<String> = changed
            .iter()
            .filter(|(key, _)| !same(held(seen, key), held(&now, key)))
            .map(|(key, wanted)| difference(key, held(seen, key), held(&now, key), wanted))
            .collect();
        if theirs.is_empty() { WriteVerdict::Send } else { WriteVerdict::Changed(theirs) }
    }

    async fn send(&mut self, attempt: &WriteAttempt) -> Result<T, Error> {
        let key = self.key.clone();
        let sender = self.sender.single_attempt(attempt);
        if let (Some(hear), Some(seen)) = (&self.sender.before_write, &self.seen) {
            hear(seen);
        }
        let request = |api: Api<'_>| T::write(api, key, &self.changes);
        let (done, answer) = sender.send_decoded(T::WRITE, request).await?;
        self.sender.keep_answer(&answer);
        Ok(T::open(done))
    }
}

fn held<'f>(fields: &'f Object, key: &str) -> &'f Value {
    fields.get(key).unwrap_or(&Value::Null)
}

/// Returns whether a value holds what was sent for it. Additions of the service to the items of a list, such as keys, do not count.
fn is_stored(sent: &Value, held: &Value) -> bool {
    let has_all = |sent: &Map<String, Value>, held: &Map<String, Value>| {
        let holds = |(key, value): (&String, &Value)| {
            value.is_null() || held.get(key).is_some_and(|held| same(value, held))
        };
        sent.iter().all(holds)
    };
    match (sent, held) {
        (Value::Array(sent), Value::Array(held)) if sent.len() == held.len() => {
            sent.iter().zip(held).all(|pair| match pair {
                (Value::Object(sent), Value::Object(held)) => has_all(sent, held),
                (sent, held) => same(sent, held),
            })
        }
        _ => same(sent, held),
    }
}

/// Describes a change that another client made to a field, with its values where they are short.
fn difference(key: &str, before: &Value, now: &Value, wanted: &Value) -> String {
    let texts = [before, now, wanted].map(ToString::to_string);
    if texts.iter().any(|text| text.chars().count() > SHOWN) {
        return key.to_owned();
    }
    let [before, now, wanted] = texts;
    format!("{key} (it was {before}, is {now}, and was to become {wanted})")
}

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
    changes: Object,
) -> Result<T, Error> {
    if sender.options.dry_run {
        let request = |api: Api<'_>| T::write(api, key, &changes);
        return sender.send(T::WRITE, request).await.map(T::open);
    }
    let (before, _) = ConditionalPatch::<T>::read(&sender.beside(), key).await?;
    let seen = ReadTime::now(&sender.client);
    let (key, fields) = (before.id().to_string(), before.fields());
    ConditionalPatch::<T> { sender: &sender, key, seen: Some(fields), changes }
        .run(Some(seen))
        .await
}

impl PatchRecord for ProfileSettings {
    type Envelope = ProfileSettingsEnvelope;
    type Key = String;
    const READ: &'static Operation = operation::GET_PROFILE_SETTINGS;
    const WRITE: &'static Operation = operation::UPDATE_PROFILE_SETTINGS;

    fn open(envelope: Self::Envelope) -> Self {
        envelope.data
    }

    fn read(api: Api<'_>, key: String) -> RequestResult<Self::Envelope> {
        api.get_profile_settings(&key)
    }

    fn write(api: Api<'_>, key: String, changes: &Object) -> RequestResult<Self::Envelope> {
        api.update_profile_settings(&key, changes)
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
    const READ: &'static Operation = operation::GET_PROFILE;
    const WRITE: &'static Operation = operation::UPDATE_PROFILE;

    fn open(envelope: Self::Envelope) -> Self {
        envelope.data
    }

    fn read(api: Api<'_>, key: String) -> RequestResult<Self::Envelope> {
        api.get_profile(&key, None)
    }

    fn write(api: Api<'_>, key: String, changes: &Object) -> RequestResult<Self::Envelope> {
        api.update_profile(&key, changes)
    }
}

impl HasLogin for Profile {
    fn id(&self) -> ProfileId {
        self.id
    }
}

/// Write of slots of a page that follows a read of them.
pub(crate) struct SlotsWrite<'a, B, R, D> {
    pub(crate) sender: &'a CallSender,
    pub(crate) key: String,
    /// What is sent. A read may change it.
    pub(crate) body: B,
    pub(crate) request: fn(Api<'_>, &str, &B) -> RequestResult<R>,
    /// Compares the slots with what was read before. The flag tells whether the write may have been executed already.
    pub(crate) decide: D,
}

impl<B, R, D> SlotsWrite<'_, B, R, D>
where
    B: Send + Sync,
    R: DeserializeOwned + Send,
    D: FnMut(&mut B, (Vec<Slot>, &Answer), bool) -> WriteVerdict<R> + Send,
{
    /// Sends the write. `seen` is the time of the read that showed the slots, if that was just now.
    pub(crate) async fn run(&mut self, seen: Option<ReadTime>) -> Result<R, WriteStop> {
        let CallSender { client, operation, options, .. } = self.sender;
        write_if_unchanged(client, operation, options, seen, self).await
    }
}

impl<B, R, D> ConditionalWrite for SlotsWrite<'_, B, R, D>
where
    B: Send + Sync,
    R: DeserializeOwned + Send,
    D: FnMut(&mut B, (Vec<Slot>, &Answer), bool) -> WriteVerdict<R> + Send,
{
    type Snapshot = (SlotList, Answer);
    type Done = R;

    async fn read(&mut self, place: Reservation) -> Result<(SlotList, Answer), Error> {
        let request = |api: Api<'_>| api.list_slots(&self.key);
        self.sender.beside().reserved(place).send_decoded(operation::LIST_SLOTS, request).await
    }

    fn decide(&mut self, (page, answer): Self::Snapshot, in_doubt: bool) -> WriteVerdict<R> {
        (self.decide)(&mut self.body, (page.data, &answer), in_doubt)
    }

    async fn send(&mut self, attempt: &WriteAttempt) -> Result<R, Error> {
        let request = |api: Api<'_>| (self.request)(api, &self.key, &self.body);
        let sender = self.sender.single_attempt(attempt);
        let (done, answer) = sender.send_decoded(self.sender.operation, request).await?;
        self.sender.keep_answer(&answer);
        Ok(done)
    }
}

pub(super) async fn reorder_if_unchanged(
    sender: CallSender,
    key: String,
    seen: Vec<SlotId>,
    order: Vec<SlotId>,
) -> Result<Vec<Slot>, Error> {
    let request = |api: Api<'_>, key: &str, body: &SlotOrder| api.reorder_slots(key, body);
    let body = SlotOrder { order };
    if sender.is_not_sent() {
        let request = |api: Api<'_>| request(api, &key, &body);
        return sender.send(operation::REORDER_SLOTS, request).await.map(|list| list.data);
    }
    let decide = |body: &mut SlotOrder, (page, answer): (Vec<Slot>, &Answer), in_doubt| {
        let now: Vec<SlotId> = page.iter().map(|slot| slot.id).collect();
        if now == body.order && (in_doubt || now != seen) {
            sender.keep_answer(answer);
            return WriteVerdict::Done(SlotList { data: page });
        }
        let changes = changes(&seen, &now);
        if changes.is_empty() { WriteVerdict::Send } else { WriteVerdict::Changed(changes) }
    };
    let done = SlotsWrite { sender: &sender, key, body, request, decide }.run(None).await;
    done.map(|list| list.data).map_err(|stop| stop.into_error(operation::REORDER_SLOTS))
}

/// Describes the changes that another client made to the order of a page.
fn changes(seen: &[SlotId], now: &[SlotId]) -> Vec<String> {
    let new = now.iter().filter(|id| !seen.contains(id)).map(|id| format!("slot {id} is new"));
    let gone =
        seen.iter().filter(|id| !now.contains(id)).map(|id| format!("slot {id} was deleted"));
    let mut changes: Vec<String> = new.chain(gone).collect();
    if changes.is_empty() && seen != now {
        changes.push("the order of the slots".to_owned());
    }
    changes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_count_as_stored_although_the_service_added_keys() {
        let sent = json!([{"key": "a", "label": "A"}, {"label": "New", "key": null}]);
        let stored =
            json!([{"key": "a", "label": "A", "icon": "x"}, {"key": "field_1", "label": "New "}]);
        assert!(is_stored(&sent, &stored));
        for other in [
            json!([{"key": "a", "label": "A"}]),
            json!([{"key": "field_1", "label": "New"}, {"key": "a", "label": "A"}]),
            json!([{"key": "a", "label": "B"}, {"label": "New"}]),
            json!(null),
        ] {
            assert!(!is_stored(&sent, &other), "{other}");
        }
        assert!(is_stored(&json!("x"), &json!(" x")) && !is_stored(&json!("x"), &json!("y")));
    }
}

#[cfg(test)]
mod tests_1 {
    use super::changes;

    #[test]
    fn foreign_changes_of_an_order_are_named() {
        assert!(changes(&[1.into(), 2.into()], &[1.into(), 2.into()]).is_empty());
        assert_eq!(
            changes(&[1.into(), 2.into()], &[2.into(), 1.into()]),
            ["the order of the slots"]
        );
        assert_eq!(
            changes(&[1.into(), 2.into()], &[2.into(), 3.into()]),
            ["slot 3 is new", "slot 1 was deleted"]
        );
    }
}
