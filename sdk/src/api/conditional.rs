//! Changes of a record's fields, and of the order of slots, made only if they are as they were read.
//!
//! A login also identifies its page in paths. As soon as the service has executed a change of it, the old login
//! leads nowhere, or to another account's page. Therefore the page is addressed by its ID, and after a lost answer it is read before anything
//! is sent again.

use serde::Serialize;
use serde_json::Value;

use crate::call::{Call, Write};
use crate::call_sender::{CallSender, Envelope};
use crate::client::Client;
use crate::conditional_write::{Basis, ReadTime, WriteStop, WriteVerdict, write_if_unchanged};
use crate::generated::types::{
    Profile, ProfileEnvelope, ProfileSettings, ProfileSettingsEnvelope, SlotChange, SlotChanges,
    SlotOrder,
};
use crate::generated::{Client as Api, RequestResult};
use crate::ids::SlotId;
use crate::operation::{self, Operation};
use crate::same::{holds, same};
use crate::slot::Slot;
use crate::tolerant::Object;

/// Maximum length of a value that an error shows.
const SHOWN: usize = 60;

/// A record that is changed by a PATCH.
pub(crate) trait PatchRecord: Serialize + Sized + Send + 'static {
    type Envelope: Envelope<Record = Self>;
    /// Key of the record in the path.
    type Key: Clone + Send + Sync + 'static;
    const READ: &'static Operation;
    const WRITE: &'static Operation;
    /// Returns a key that outlives a change of the login, if the key may be the login.
    const ID: Option<fn(&Self) -> Self::Key> = None;

    /// Returns the fields of the record under the names that a change has for them.
    fn fields(&self) -> Object {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => Object(fields),
            _ => Object::default(),
        }
    }

    fn read(api: Api<'_>, key: &Self::Key) -> RequestResult<Self::Envelope>;
    fn write(api: Api<'_>, key: &Self::Key, changes: &Object) -> RequestResult<Self::Envelope>;
}

/// Returns a call that changes fields of a record; with [`Basis::Read`] only where they hold what they held in `seen`, or without it what the first
/// read shows.
pub(super) fn update_record<T: PatchRecord>(
    client: &Client,
    key: Result<T::Key, String>,
    basis: Basis,
    seen: Option<&T>,
    changes: Result<Object, String>,
) -> Call<T, Write> {
    let parts = key.and_then(|key| Ok((key, changes?)));
    let mut seen = seen.map(T::fields);
    Call::new(client, T::WRITE, parts, move |sender, (mut key, changes)| async move {
        let mut basis = basis;
        // The ID of a page outlives its login.
        if let (Some(id), Basis::Nothing, false) = (T::ID, basis, sender.options.dry_run)
            && changes.get("login").is_some_and(Value::is_string)
        {
            let before = sender.beside(T::READ).send(|api| T::read(api, &key)).await?;
            basis = Basis::Read(Some(ReadTime::now(&sender.client)));
            (key, seen) = (id(&before), Some(before.fields()));
        }
        sender.finish(patch_if_unchanged(&sender, &key, seen, &changes, basis).await)
    })
}

/// Changes a record by a PATCH. `seen` are its fields when it was first read.
pub(crate) async fn patch_if_unchanged<T: PatchRecord>(
    sender: &CallSender,
    key: &T::Key,
    mut seen: Option<Object>,
    changes: &Object,
    basis: Basis,
) -> Result<T, WriteStop> {
    if sender.is_not_sent() && sender.before_write.is_some() {
        seen = Some(sender.beside(T::READ).send(|api| T::read(api, key)).await?.fields());
    }
    let write = |api: Api<'_>, seen: &Option<Object>| {
        if let (Some(hear), Some(seen)) = (&sender.before_write, seen) {
            hear(seen);
        }
        T::write(api, key, changes)
    };
    let decide = |seen: &mut Option<Object>, record: T, in_doubt| {
        let now = record.fields();
        if in_doubt && changes.iter().all(|(key, value)| holds(held(&now, key), value)) {
            return WriteVerdict::Done(record);
        }
        let Some(seen) = seen else {
            *seen = Some(now);
            return WriteVerdict::Send;
        };
        let theirs = changes.iter().filter(|(key, _)| !same(held(seen, key), held(&now, key)));
        let difference =
            |(key, wanted): (&String, _)| difference(key, held(seen, key), held(&now, key), wanted);
        WriteVerdict::unless(theirs.map(difference).collect())
    };
    let read = (T::READ, |api: Api<'_>| T::read(api, key));
    write_if_unchanged(sender, basis, &mut seen, read, write, decide).await
}

fn held<'f>(fields: &'f Object, key: &str) -> &'f Value {
    fields.get(key).unwrap_or(&Value::Null)
}

/// Describes a change that another client made to a field, with its values where they are short.
fn difference(key: &str, before: &Value, now: &Value, wanted: &Value) -> String {
    let texts = [before, now, wanted].map(ToString::to_string);
    if texts.iter().any(|text| text.chars().count() > SHOWN) {
        return key.to_owned();
    }
    let [before, now, wanted] = texts;
    format!("{key} (was {before}, is now {now}, would become {wanted})")
}

impl PatchRecord for ProfileSettings {
    type Envelope = ProfileSettingsEnvelope;
    type Key = String;
    const READ: &'static Operation = operation::GET_PROFILE_SETTINGS;
    const WRITE: &'static Operation = operation::UPDATE_PROFILE_SETTINGS;
    const ID: Option<fn(&Self) -> String> = Some(|settings| settings.profile_id.to_string());

    fn read(api: Api<'_>, key: &String) -> RequestResult<Self::Envelope> {
        api.get_profile_settings(key)
    }

    fn write(api: Api<'_>, key: &String, changes: &Object) -> RequestResult<Self::Envelope> {
        api.update_profile_settings(key, changes)
    }
}

impl PatchRecord for Profile {
    type Envelope = ProfileEnvelope;
    type Key = String;
    const READ: &'static Operation = operation::GET_PROFILE;
    const WRITE: &'static Operation = operation::UPDATE_PROFILE;
    const ID: Option<fn(&Self) -> String> = Some(|page| page.id.to_string());

    fn read(api: Api<'_>, key: &String) -> RequestResult<Self::Envelope> {
        api.get_profile(key, None)
    }

    fn write(api: Api<'_>, key: &String, changes: &Object) -> RequestResult<Self::Envelope> {
        api.update_profile(key, changes)
    }
}

/// Changes slots, all or none, if `judge` finds no change that another client made to the page. Returns the slots in the answer, or those of
/// the page where no answer came.
pub(crate) async fn update_if_unchanged(
    sender: &CallSender,
    key: &str,
    changes: Vec<SlotChange>,
    basis: Basis,
    mut judge: impl FnMut(&[Slot]) -> Vec<String> + Send,
) -> Result<Vec<Slot>, WriteStop> {
    let is_done = |change: &SlotChange, page: &[Slot]| {
        let slot = page.iter().find(|slot| slot.id == change.id);
        let is_set = |slot: &Slot| {
            change.data.iter().all(|(key, value)| holds(held(&slot.data, key), value))
        };
        slot.is_some_and(is_set)
    };
    let decide = |body: &mut SlotChanges, page: Vec<Slot>, in_doubt| {
        if in_doubt && body.slots.iter().all(|change| is_done(change, &page)) {
            return WriteVerdict::Done(page);
        }
        WriteVerdict::unless(judge(&page))
    };
    let mut body = SlotChanges { slots: changes };
    let read = (operation::LIST_SLOTS, |api: Api<'_>| api.list_slots(key));
    let write = |api: Api<'_>, body: &SlotChanges| api.update_slots(key, body);
    write_if_unchanged(sender, basis, &mut body, read, write, decide).await
}

/// The order to write, if anything is left to move, or the changes that another client made.
pub(crate) type OrderJudgment = Result<Option<Vec<SlotId>>, Vec<String>>;

/// Moves slots. `judge` is told the page of each read, and returns the order to write instead, if any is left, or the changes that another
/// client made. Returns the slots in the answer, and the order that was written; `None` if there was nothing to move.
pub(crate) async fn reorder_if_unchanged(
    sender: &CallSender,
    key: &str,
    order: Vec<SlotId>,
    basis: Basis,
    mut judge: impl FnMut(&[Slot]) -> OrderJudgment + Send,
) -> Result<(Vec<Slot>, Option<Vec<SlotId>>), WriteStop> {
    let mut is_moved = true;
    let decide = |body: &mut SlotOrder, page: Vec<Slot>, in_doubt| {
        if in_doubt && page.iter().map(|slot| slot.id).eq(body.order.iter().copied()) {
            return WriteVerdict::Done(page);
        }
        match judge(&page) {
            Ok(Some(order)) => {
                body.order = order;
                WriteVerdict::Send
            }
            Ok(None) => {
                is_moved = false;
                WriteVerdict::Done(page)
            }
            Err(found) => WriteVerdict::Changed(found),
        }
    };
    let mut body = SlotOrder { order };
    let read = (operation::LIST_SLOTS, |api: Api<'_>| api.list_slots(key));
    let write = |api: Api<'_>, body: &SlotOrder| api.reorder_slots(key, body);
    let slots = write_if_unchanged(sender, basis, &mut body, read, write, decide).await?;
    Ok((slots, is_moved.then_some(body.order)))
}

/// Judges the order of a page, for [`reorder_if_unchanged`]: nothing is moved unless the page is in the order `seen`.
pub(super) fn judge_order(seen: &[SlotId], wanted: &[SlotId], page: &[Slot]) -> OrderJudgment {
    let now: Vec<SlotId> = page.iter().map(|slot| slot.id).collect();
    let changes = changes(seen, &now);
    if now == wanted && now != seen {
        Ok(None)
    } else if changes.is_empty() {
        Ok(Some(wanted.to_vec()))
    } else {
        Err(changes)
    }
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
        assert!(holds(&stored, &sent));
        for other in [
            json!([{"key": "a", "label": "A"}]),
            json!([{"key": "field_1", "label": "New"}, {"key": "a", "label": "A"}]),
            json!([{"key": "a", "label": "B"}, {"label": "New"}]),
            json!(null),
        ] {
            assert!(!holds(&other, &sent), "{other}");
        }
        assert!(holds(&json!(" x"), &json!("x")) && !holds(&json!("y"), &json!("x")));
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
