//! The blocks of a page (the interface, sections 2.2 and 4.6).

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::order::reorder_seen;
use super::patch::{Record, Sent, update_unchanged};
use super::profiles::ProfileHandle;
use crate::apply::is_unchanged;
use crate::batch::Many;
use crate::call::{BoxFuture, Call, Create, Delete, DeleteMany, Generated, Sender, Write};
use crate::error::{Error, Outcome};
use crate::generated::Client as Api;
use crate::generated::types::{
    NewSlot, NewSlots, SlotChange, SlotChanges, SlotDataChange, SlotEnvelope, SlotOrder,
};
use crate::operation::{self, Operation};
use crate::seen::{Attempt, Seen, SeenWrite, Stop, Verdict, write_seen};
use crate::slot::Slot;
use crate::tolerant::Object;
use crate::transport::{Answer, Reserved};

/// The blocks of one page. From [`ProfileHandle::slots`].
#[derive(Clone, Debug)]
pub struct SlotsHandle {
    page: ProfileHandle,
}

/// What a batch delete did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Deleted {
    /// Slots deleted.
    pub deleted: i64,
    /// Slots left on the page.
    pub total: i64,
}

impl NewSlot {
    /// A slot of this type with no data yet, to go to the end of the page.
    pub fn of(kind: impl Into<String>) -> Self {
        Self { type_: kind.into(), data: None, order: None }
    }

    /// With this field of its data.
    #[must_use]
    pub fn with(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.data.get_or_insert_default().insert(field.into(), value.into());
        self
    }

    /// At this position of the page, counted from 0.
    #[must_use]
    pub fn at(mut self, position: i64) -> Self {
        self.order = Some(position);
        self
    }
}

impl SlotsHandle {
    pub(crate) fn new(page: ProfileHandle) -> Self {
        Self { page }
    }

    /// All slots in page order, legacy ones included.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let slots = client.profile("cafe").slots().list().await?;
    /// assert_eq!(slots.iter().filter(|slot| !slot.supported).count(), 2);
    /// # Ok(()) });
    /// ```
    pub fn list(&self) -> Call<Vec<Slot>> {
        self.page.call(
            operation::LIST_SLOTS,
            |api, key| async move { api.list_slots(&key).await },
            |envelope| envelope.data,
        )
    }

    /// One slot. Ids begin at 1.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let first = slots.list().await?.remove(0);
    /// assert_eq!(slots.get(first.id).await?, first);
    /// # Ok(()) });
    /// ```
    pub fn get(&self, id: i64) -> Call<Slot> {
        self.one(
            operation::GET_SLOT,
            id,
            move |api, key| async move { api.get_slot(&key, id).await },
            |envelope| envelope.data,
        )
    }

    /// Makes one slot, at the end of the page unless it says where. More than 500 on a page, or an `event`, is a 409.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::types::NewSlot;
    ///
    /// let button = NewSlot::of("button").with("title", "Menu").with("link", "https://cafe.example/menu");
    /// let slot = client.profile("cafe").slots().create(button).await?;
    /// assert_eq!(slot.data["title"], "Menu");
    /// # Ok(()) });
    /// ```
    pub fn create(&self, slot: NewSlot) -> Call<Slot, Create> {
        self.page.call(
            operation::CREATE_SLOT,
            |api, key| async move { api.create_slot(&key, &slot).await },
            |envelope| envelope.data,
        )
    }

    /// Makes up to 50 slots, all or none, in page order. A refused field of the third one is keyed `slots.2.data.*`.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::types::NewSlot;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let made = slots.create_batch(vec![NewSlot::of("divider"), NewSlot::of("divider")]).await?;
    /// assert_eq!(made.len(), 2);
    ///
    /// let wrong = NewSlot::of("button").with("titel", "Menu");
    /// let error = slots.create_batch(vec![NewSlot::of("divider"), wrong]).await.unwrap_err();
    /// assert!(error.field_errors().contains_key("slots.1.data.titel"));
    /// # Ok(()) });
    /// ```
    pub fn create_batch(&self, slots: Vec<NewSlot>) -> Call<Vec<Slot>, Create> {
        let body = NewSlots { slots };
        self.page.call(
            operation::CREATE_SLOTS,
            |api, key| async move { api.create_slots(&key, &body).await },
            |envelope| envelope.data,
        )
    }

    /// Changes one slot: the given fields replace those of its data, the others stay.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let button = slots.list().await?.into_iter().find(|slot| slot.kind == "button").unwrap();
    /// let changed = slots.update(button.id, [("title", "Book a table")].into_iter().collect()).await?;
    /// assert_eq!(changed.data["link"], button.data["link"]);
    /// # Ok(()) });
    /// ```
    pub fn update(&self, id: i64, data: Object) -> Call<Slot, Write> {
        let body = SlotDataChange { data };
        self.one(
            operation::UPDATE_SLOT,
            id,
            move |api, key| async move { api.update_slot(&key, id, &body).await },
            |envelope| envelope.data,
        )
    }

    /// Changes one slot if the fields that are changed still hold what they held in `seen`; with `None`, what a first look shows.
    ///
    /// The slot is read right before each request, and again after every wait. What somebody else changed meanwhile is an
    /// [`Error::is_conflict`], and nothing is written over it.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let seen = slots.list().await?.into_iter().find(|slot| slot.kind == "button").unwrap();
    /// let title = |title| [("title", title)].into_iter().collect();
    /// slots.update_unchanged(seen.id, &seen, title("Ours")).await?;
    /// let error = slots.update_unchanged(seen.id, &seen, title("Theirs")).await.unwrap_err();
    /// assert!(error.is_conflict());
    /// # Ok(()) });
    /// ```
    pub fn update_unchanged<'s>(
        &self,
        id: i64,
        seen: impl Into<Option<&'s Slot>>,
        data: Object,
    ) -> Call<Slot, Write> {
        let key = self.key_and_id(id).map(|key| (key, id));
        update_unchanged(&self.page.client, key, seen.into(), data)
    }

    /// Changes up to 50 slots, all or none, each as [`SlotsHandle::update`] does. Positions stay.
    ///
    /// What comes back is not documented: the changed slots, or the whole page.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::types::SlotChange;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let text = slots.list().await?.into_iter().find(|slot| slot.kind == "text").unwrap();
    /// let data = [("title", "Hello")].into_iter().collect();
    /// let changed = slots.update_batch(vec![SlotChange { id: text.id, data }]).await?;
    /// assert!(changed.iter().any(|slot| slot.data["title"] == "Hello"));
    /// # Ok(()) });
    /// ```
    pub fn update_batch(&self, changes: Vec<SlotChange>) -> Call<Vec<Slot>, Write> {
        let body = SlotChanges { slots: changes };
        self.page.call(
            operation::UPDATE_SLOTS,
            |api, key| async move { api.update_slots(&key, &body).await },
            |envelope| envelope.data,
        )
    }

    /// Puts the page into this order, which names every slot of the page exactly once.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let mut order: Vec<i64> = slots.list().await?.iter().map(|slot| slot.id).collect();
    /// order.reverse();
    /// let page = slots.reorder(order.clone()).await?;
    /// assert_eq!(page[0].id, order[0]);
    /// # Ok(()) });
    /// ```
    pub fn reorder(&self, order: Vec<i64>) -> Call<Vec<Slot>, Write> {
        let body = SlotOrder { order };
        self.page.call(
            operation::REORDER_SLOTS,
            |api, key| async move { api.reorder_slots(&key, &body).await },
            |envelope| envelope.data,
        )
    }

    /// Puts the page into this order if its slots still are in the order `seen`.
    ///
    /// The page is read right before each request, and again after every wait. Where somebody else moved, added or deleted slots
    /// meanwhile that is an [`Error::is_conflict`], and nothing is moved.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let seen: Vec<i64> = slots.list().await?.iter().map(|slot| slot.id).collect();
    /// let mut order = seen.clone();
    /// order.reverse();
    /// slots.reorder_unchanged(seen.clone(), order).await?;
    /// let error = slots.reorder_unchanged(seen.clone(), vec![seen[1]]).await.unwrap_err();
    /// assert!(error.is_conflict());
    /// # Ok(()) });
    /// ```
    pub fn reorder_unchanged(&self, seen: Vec<i64>, order: Vec<i64>) -> Call<Vec<Slot>, Write> {
        let client = &self.page.client;
        match self.page.key_text() {
            Ok(key) => Call::new(client, operation::REORDER_SLOTS, move |sender| {
                Box::pin(reorder_seen(sender, key, seen, order))
            }),
            Err(message) => Call::refused(client, operation::REORDER_SLOTS, message),
        }
    }

    /// Deletes one slot and its click statistics, for good. Repeated after a lost answer, "not found" means that it is done.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let divider = slots.list().await?.into_iter().find(|slot| slot.kind == "divider").unwrap();
    /// slots.delete(divider.id).await?;
    /// assert!(slots.get(divider.id).await.unwrap_err().is_not_found());
    /// # Ok(()) });
    /// ```
    pub fn delete(&self, id: i64) -> Call<(), Delete> {
        let key = match self.key_and_id(id) {
            Ok(key) => key,
            Err(message) => {
                return Call::refused(&self.page.client, operation::DELETE_SLOT, message);
            }
        };
        Call::new(&self.page.client, operation::DELETE_SLOT, move |sender| {
            Box::pin(async move {
                let request = |api: Api| async move { api.delete_slot(&key, id).await };
                match sender.send(operation::DELETE_SLOT, request).await {
                    Err(error) if error.is_not_found() && error.outcome() == Outcome::Unknown => {
                        Ok(())
                    }
                    result => result,
                }
            })
        })
    }

    /// Deletes up to 50 slots and their click statistics, for good, all or none. After a lost answer the page is read and only what is
    /// left is sent again. It can be rehearsed, unlike the delete of a single slot by its address.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let ids: Vec<i64> =
    ///     slots.list().await?.iter().filter(|slot| slot.kind == "button").map(|slot| slot.id).collect();
    /// slots.delete_batch(ids.clone()).dry_run().await?;
    /// let done = slots.delete_batch(ids.clone()).await?;
    /// assert_eq!(done.deleted, ids.len() as i64);
    /// # Ok(()) });
    /// ```
    pub fn delete_batch(&self, ids: Vec<i64>) -> Call<Deleted, DeleteMany> {
        let key = match &self.page.key {
            Ok(key) => key.to_string(),
            Err(message) => {
                return Call::refused(&self.page.client, operation::DELETE_SLOTS, message);
            }
        };
        Call::new(&self.page.client, operation::DELETE_SLOTS, move |sender| {
            Box::pin(delete_until_gone(sender, key, ids))
        })
    }

    /// Deletes up to 50 slots and their click statistics, for good, all or none, if they still hold what they held when they were read.
    ///
    /// The page is looked at right before each request, and again after every wait. A slot that somebody else changed or deleted
    /// meanwhile is an [`Error::is_conflict`], and nothing more is deleted.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::Outcome;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let seen: Vec<_> = slots.list().await?.into_iter().filter(|slot| slot.kind == "text").collect();
    /// slots.update(seen[0].id, [("title", "Mine now")].into_iter().collect()).await?;
    /// let error = slots.delete_unchanged(seen.clone()).await.unwrap_err();
    /// assert!(error.is_conflict() && error.outcome() == Outcome::NotExecuted);
    ///
    /// let seen: Vec<_> = slots.list().await?.into_iter().filter(|slot| slot.kind == "text").collect();
    /// assert_eq!(slots.delete_unchanged(seen.clone()).await?.deleted, seen.len() as i64);
    /// # Ok(()) });
    /// ```
    pub fn delete_unchanged(&self, seen: Vec<Slot>) -> Call<Deleted, DeleteMany> {
        let key = match &self.page.key {
            Ok(key) => key.to_string(),
            Err(message) => {
                return Call::refused(&self.page.client, operation::DELETE_SLOTS, message);
            }
        };
        Call::new(&self.page.client, operation::DELETE_SLOTS, move |sender| {
            Box::pin(async move {
                let ids: Vec<i64> = seen.iter().map(|slot| slot.id).collect();
                if sender.options().dry_run {
                    return delete_these(&sender, &key, &ids).await;
                }
                let judge = |page: &[Slot]| edits(&seen, page);
                match delete_seen(&sender, &key, ids, None, judge).await {
                    Ok(done) => Ok(done),
                    Err(Stop::Failed(error)) => Err(error),
                    Err(Stop::Changed { found, outcome }) => {
                        Err(Error::changed(sender.operation().id, outcome, &found))
                    }
                }
            })
        })
    }

    /// Makes any number of slots, 50 a request, in page order.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::types::NewSlot;
    ///
    /// let lines = (1..=120).map(|n| NewSlot::of("text").with("title", format!("Line {n}")));
    /// let many = client.profile("cafe").slots().create_many(lines);
    /// let run = many.run_key().clone();
    /// let made = many.on_progress(|at| println!("{} of {}", at.done, at.total)).await?;
    /// assert_eq!((made.len(), &made[119].data["title"]), (120, &"Line 120".into()));
    ///
    /// // Once more under the same key, as after a crash: nothing is created twice.
    /// let lines = (1..=120).map(|n| NewSlot::of("text").with("title", format!("Line {n}")));
    /// let again = client.profile("cafe").slots().create_many(lines).with_run_key(run).await?;
    /// assert_eq!(again, made);
    /// # Ok(()) });
    /// ```
    pub fn create_many(&self, slots: impl IntoIterator<Item = NewSlot>) -> Many<NewSlot> {
        Many::new(self.clone(), slots)
    }

    /// Changes any number of slots, 50 a request, each as [`SlotsHandle::update`] does. Gives their ids; sending the same changes again
    /// changes nothing more.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// use links_sdk::types::SlotChange;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let buttons = slots.list().await?.into_iter().filter(|slot| slot.kind == "button");
    /// let quiet = buttons.map(|slot| SlotChange { id: slot.id, data: [("style", "primary")].into_iter().collect() });
    /// let changed = slots.update_many(quiet).await?;
    /// assert!(!changed.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn update_many(&self, changes: impl IntoIterator<Item = SlotChange>) -> Many<SlotChange> {
        Many::new(self.clone(), changes)
    }

    /// Deletes any number of slots and their click statistics, for good, 50 a request. Gives their ids. An id named twice is refused
    /// before anything is sent.
    ///
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/support/example.rs")); }
    /// # example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let page = slots.list().await?;
    /// let dividers = page.iter().filter(|slot| slot.kind == "divider").map(|slot| slot.id);
    /// let deleted = slots.delete_many(dividers).await?;
    /// assert_eq!(slots.list().await?.len(), page.len() - deleted.len());
    /// # Ok(()) });
    /// ```
    pub fn delete_many(&self, ids: impl IntoIterator<Item = i64>) -> Many<i64> {
        Many::new(self.clone(), ids)
    }

    fn one<T, K, R, F, E>(
        &self,
        operation: &'static Operation,
        id: i64,
        request: impl FnOnce(Api, String) -> F + Send + 'static,
        unwrap: impl FnOnce(R) -> T + Send + 'static,
    ) -> Call<T, K>
    where
        T: Send + 'static,
        R: Send,
        E: Send,
        F: Future<Output = Generated<R, E>> + Send + 'static,
    {
        match self.key_and_id(id) {
            Ok(_) => self.page.call(operation, request, unwrap),
            Err(message) => Call::refused(&self.page.client, operation, message),
        }
    }

    fn key_and_id(&self, id: i64) -> Result<String, String> {
        if id < 1 {
            return Err(format!("{id} is not a slot id: ids begin at 1"));
        }
        self.page.key.as_ref().map(ToString::to_string).map_err(Clone::clone)
    }
}

impl Record for Slot {
    type Envelope = SlotEnvelope;
    type Key = (String, i64);
    type Changes = Object;
    const READ: &'static Operation = operation::GET_SLOT;
    const WRITE: &'static Operation = operation::UPDATE_SLOT;

    fn open(envelope: Self::Envelope) -> Self {
        envelope.data
    }

    fn fields(&self) -> Object {
        self.data.clone()
    }

    fn changed(changes: &Object) -> &Object {
        changes
    }

    fn read(api: Api, (key, id): Self::Key) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.get_slot(&key, id).await })
    }

    fn write(api: Api, (key, id): Self::Key, data: Object) -> BoxFuture<'static, Sent<Self>> {
        Box::pin(async move { api.update_slot(&key, id, &SlotDataChange { data }).await })
    }
}

/// Times that what is left after a lost answer is sent again.
const MOST_REPEATS: u32 = 3;

async fn delete_until_gone(sender: Sender, key: String, ids: Vec<i64>) -> Result<Deleted, Error> {
    if sender.options().dry_run {
        return delete_these(&sender, &key, &ids).await;
    }
    let asked = count(&ids);
    let mut lost = match delete_these(&sender, &key, &ids).await {
        Ok(done) => return Ok(done),
        Err(error) if error.outcome() == Outcome::NotExecuted => return Err(error),
        Err(error) => error,
    };
    let mut left = ids;
    for failed in 1..=MOST_REPEATS {
        if !sender.back_off(failed).await {
            break;
        }
        let of = key.clone();
        let request = |api: Api| async move { api.list_slots(&of).await };
        // Where the page cannot be read, what matters to the caller is the delete, whose outcome stays unknown.
        let Ok(page) = sender.beside().send(operation::LIST_SLOTS, request).await else { break };
        let there: HashSet<i64> = page.data.iter().map(|slot| slot.id).collect();
        left.retain(|id| there.contains(id));
        if left.is_empty() {
            let done = Deleted { deleted: asked, total: count(&page.data) };
            sender.keep_answer(&Answer::json(&serde_json::json!({ "meta": done })));
            return Ok(done);
        }
        match delete_these(&sender, &key, &left).await {
            Ok(Deleted { deleted, total }) => {
                return Ok(Deleted { deleted: asked - count(&left) + deleted, total });
            }
            // Perhaps because the lost request was executed after the page was read.
            Err(error) if error.outcome() == Outcome::NotExecuted => {}
            Err(error) => lost = error,
        }
    }
    Err(lost)
}

/// Deletes slots by requests that each follow a look at the page, if the first may not rely on what was `seen`. `judge` says what somebody else did to the slots that are still there.
pub(crate) async fn delete_seen(
    sender: &Sender,
    key: &str,
    ids: Vec<i64>,
    seen: Option<Seen>,
    judge: impl FnMut(&[Slot]) -> Vec<String> + Send,
) -> Result<Deleted, Stop> {
    let mut write = DeleteSeen { sender, key, asked: count(&ids), left: ids, judge };
    let (client, options) = (sender.client(), sender.options());
    write_seen(client, operation::DELETE_SLOTS, options, seen, &mut write).await
}

struct DeleteSeen<'a, J> {
    sender: &'a Sender,
    key: &'a str,
    asked: i64,
    left: Vec<i64>,
    judge: J,
}

impl<J: FnMut(&[Slot]) -> Vec<String> + Send> SeenWrite for DeleteSeen<'_, J> {
    type View = Vec<Slot>;
    type Done = Deleted;

    async fn look(&mut self, place: Reserved) -> Result<Vec<Slot>, Error> {
        let key = self.key.to_owned();
        let request = |api: Api| async move { api.list_slots(&key).await };
        let sender = self.sender.beside().reserved(place);
        Ok(sender.send(operation::LIST_SLOTS, request).await?.data)
    }

    fn judge(&mut self, page: Vec<Slot>, in_doubt: bool) -> Verdict<Deleted> {
        let there: HashSet<i64> = page.iter().map(|slot| slot.id).collect();
        if in_doubt {
            self.left.retain(|id| there.contains(id));
            if self.left.is_empty() {
                let done = Deleted { deleted: self.asked, total: count(&page) };
                self.sender.keep_answer(&Answer::json(&serde_json::json!({ "meta": done })));
                return Verdict::Done(done);
            }
        }
        let mut found = (self.judge)(&page);
        let gone = self.left.iter().filter(|id| !there.contains(id));
        found.extend(gone.map(|id| format!("slot {id} is gone")));
        if found.is_empty() { Verdict::Send } else { Verdict::Changed(found) }
    }

    async fn send(&mut self, attempt: &Attempt) -> Result<Deleted, Error> {
        let (key, ids) = (self.key.to_owned(), self.left.clone());
        let request = |api: Api| async move { api.delete_slots(&key, &ids).await };
        let sender = self.sender.once(attempt);
        let answer = sender.send_undecoded(operation::DELETE_SLOTS, request).await?;
        let Envelope { meta } = answer.decode(operation::DELETE_SLOTS)?;
        self.sender.keep_answer(&answer);
        let before = self.asked - count(&self.left);
        Ok(Deleted { deleted: before + meta.deleted, ..meta })
    }
}

#[derive(Deserialize)]
struct Envelope {
    meta: Deleted,
}

/// What somebody else did to slots that are still there.
fn edits(seen: &[Slot], page: &[Slot]) -> Vec<String> {
    let now: HashMap<i64, &Slot> = page.iter().map(|slot| (slot.id, slot)).collect();
    let is_edited = |seen: &&Slot| now.get(&seen.id).is_some_and(|now| !is_unchanged(seen, now));
    let edited = seen.iter().filter(is_edited);
    edited.map(|slot| format!("slot {} ({}) was edited", slot.id, slot.kind)).collect()
}

async fn delete_these(sender: &Sender, key: &str, ids: &[i64]) -> Result<Deleted, Error> {
    let (key, ids) = (key.to_owned(), ids.to_vec());
    let request = |api: Api| async move { api.delete_slots(&key, &ids).await };
    let meta = sender.send(operation::DELETE_SLOTS, request).await?.meta;
    Ok(Deleted { deleted: meta.deleted, total: meta.total })
}

fn count<T>(items: &[T]) -> i64 {
    i64::try_from(items.len()).unwrap_or(i64::MAX)
}
