//! Slots of a page.

use std::fmt;

use serde_json::Value;

use super::conditional::{
    PatchRecord, judge_order, reorder_if_unchanged, update_if_unchanged, update_record,
};
use super::profiles::{ProfileHandle, converted};
use crate::call::{Call, Create, Write};
use crate::conditional_write::Basis;
use crate::generated::types::{NewSlot, NewSlots, SlotChange, SlotDataChange, SlotEnvelope};
use crate::generated::{Client as Api, RequestResult};
use crate::ids::SlotId;
use crate::operation::{self, Operation};
use crate::slot::Slot;
use crate::tolerant::Object;

/// The slots of one page. From [`ProfileHandle::slots`].
#[derive(Clone, Debug)]
pub struct SlotsHandle {
    pub(super) page: ProfileHandle,
}

impl NewSlot {
    /// Returns a slot of this type without data, for the end of the page.
    pub fn of(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), data: None, order: None }
    }

    /// Sets a field of the data.
    #[must_use]
    pub fn with(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.data.get_or_insert_default().insert(field.into(), value.into());
        self
    }

    /// Sets the position on the page, counted from 0.
    #[must_use]
    pub fn at(mut self, position: i64) -> Self {
        self.order = Some(position);
        self
    }
}

impl TryFrom<Value> for NewSlot {
    type Error = serde_json::Error;

    fn try_from(slot: Value) -> Result<Self, serde_json::Error> {
        serde_json::from_value(slot)
    }
}

impl SlotChange {
    /// Returns a change of these fields of a slot.
    ///
    /// ```
    /// use links_sdk::content::Button;
    /// use links_sdk::types::SlotChange;
    ///
    /// let change = SlotChange::new(7, Button::default().title("Menu"));
    /// assert_eq!(change, SlotChange::new(7, [("title", "Menu")]));
    /// ```
    pub fn new(id: impl Into<SlotId>, data: impl Into<Object>) -> Self {
        Self { id: id.into(), data: data.into() }
    }
}

impl ProfileHandle {
    /// Returns the handle of the page's slots.
    pub fn slots(&self) -> SlotsHandle {
        SlotsHandle { page: self.clone() }
    }
}

impl SlotsHandle {
    /// Returns all slots in page order, including legacy slots.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let slots = client.profile("cafe").slots().list().await?;
    /// assert_eq!(slots.iter().filter(|slot| !slot.supported).count(), 2);
    /// # Ok(()) });
    /// ```
    pub fn list(&self) -> Call<Vec<Slot>> {
        let key = self.page.key_text();
        Call::of(&self.page.client, operation::LIST_SLOTS, key, |api, key| api.list_slots(&key))
    }

    /// Returns one slot. IDs start at 1.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let first = slots.list().await?.remove(0);
    /// assert_eq!(slots.get(first.id).await?, first);
    /// # Ok(()) });
    /// ```
    pub fn get(&self, id: impl Into<SlotId>) -> Call<Slot> {
        let path = self.key_and_id(id.into());
        Call::of(&self.page.client, operation::GET_SLOT, path, |api, (key, id)| {
            api.get_slot(&key, &id)
        })
    }

    /// Creates one slot: [content](crate::content), a [`NewSlot`], or JSON with `type` and `data`. The slot is added at the end of the
    /// page, unless it has a position. An `event` slot, and a slot beyond 500 on a page, are a 409.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::content::Button;
    /// use links_sdk::types::NewSlot;
    /// use serde_json::json;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let slot = slots.create(Button::new("Menu", "https://cafe.example/menu")).await?;
    /// assert_eq!(slot.data["title"], "Menu");
    /// slots.create(NewSlot::of("text").with("title", "Hours").at(0)).await?;
    /// slots.create(json!({"type": "text", "data": {"title": "Prices"}})).await?;
    /// # Ok(()) });
    /// ```
    pub fn create(&self, slot: impl TryInto<NewSlot, Error: fmt::Display>) -> Call<Slot, Create> {
        let slot = converted::<NewSlot>(slot);
        let parts = self.page.key_text().and_then(|key| Ok((key, slot?)));
        Call::of(&self.page.client, operation::CREATE_SLOT, parts, |api, (key, slot)| {
            api.create_slot(&key, &slot)
        })
    }

    /// Creates up to 50 slots, all or none, in page order. A refused field of the third slot has the key `slots.2.data.*`.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
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
    pub fn create_batch(
        &self,
        slots: impl IntoIterator<Item = impl Into<NewSlot>>,
    ) -> Call<Vec<Slot>, Create> {
        let body = NewSlots { slots: slots.into_iter().map(Into::into).collect() };
        let key = self.page.key_text();
        Call::of(&self.page.client, operation::CREATE_SLOTS, key, move |api, key| {
            api.create_slots(&key, &body)
        })
    }

    /// Changes one slot: the given fields replace the fields of its data, and other fields are kept. JSON that is not an object is refused
    /// before anything is sent.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::content::Button;
    /// use serde_json::json;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let button = slots.list().await?.into_iter().find(|slot| slot.kind == "button").unwrap();
    /// let changed = slots.update(button.id, json!({"title": "Book a table"})).await?;
    /// assert_eq!(changed.data["link"], button.data["link"]);
    /// slots.update(button.id, [("title", "Book")]).await?;
    /// slots.update(button.id, Button::default().title("Book now")).await?;
    /// # Ok(()) });
    /// ```
    pub fn update(
        &self,
        id: impl Into<SlotId>,
        data: impl TryInto<Object, Error: fmt::Display>,
    ) -> Call<Slot, Write> {
        let path = self.key_and_id(id.into());
        update_record(&self.page.client, path, Basis::Nothing, None, converted(data))
    }

    /// Changes one slot if the fields to change still have their values from `seen`. With `None`, the values of a first read count.
    ///
    /// The slot is read right before each request, and again after every wait. If another client changed it in between, the call fails with
    /// [`Error::is_conflict`](crate::Error::is_conflict), and nothing is overwritten.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let seen = slots.list().await?.into_iter().find(|slot| slot.kind == "button").unwrap();
    /// slots.update_unchanged(seen.id, &seen, [("title", "Ours")]).await?;
    /// let error = slots.update_unchanged(seen.id, &seen, [("title", "Theirs")]).await.unwrap_err();
    /// assert!(error.is_conflict());
    /// # Ok(()) });
    /// ```
    pub fn update_unchanged<'s>(
        &self,
        id: impl Into<SlotId>,
        seen: impl Into<Option<&'s Slot>>,
        data: impl TryInto<Object, Error: fmt::Display>,
    ) -> Call<Slot, Write> {
        let path = self.key_and_id(id.into());
        update_record(&self.page.client, path, Basis::Read(None), seen.into(), converted(data))
    }

    /// Changes up to 50 slots, all or none, like [`SlotsHandle::update`] does for each. Positions do not change.
    ///
    /// The content of the response is not documented: it may be the changed slots, or the whole page.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::types::SlotChange;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let text = slots.list().await?.into_iter().find(|slot| slot.kind == "text").unwrap();
    /// let changed = slots.update_batch([SlotChange::new(text.id, [("title", "Hello")])]).await?;
    /// assert!(changed.iter().any(|slot| slot.data["title"] == "Hello"));
    /// # Ok(()) });
    /// ```
    pub fn update_batch(
        &self,
        changes: impl IntoIterator<Item = SlotChange>,
    ) -> Call<Vec<Slot>, Write> {
        let changes = changes.into_iter().collect();
        let key = self.page.key_text();
        Call::new(&self.page.client, operation::UPDATE_SLOTS, key, |sender, key| async move {
            let updated =
                update_if_unchanged(&sender, &key, changes, Basis::Nothing, |_| Vec::new());
            sender.finish(updated.await)
        })
    }

    /// Reorders the page. The order must contain every slot of the page exactly once.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let mut order: Vec<_> = slots.list().await?.iter().map(|slot| slot.id).collect();
    /// order.reverse();
    /// let page = slots.reorder(order.clone()).await?;
    /// assert_eq!(page[0].id, order[0]);
    /// # Ok(()) });
    /// ```
    pub fn reorder(
        &self,
        order: impl IntoIterator<Item = impl Into<SlotId>>,
    ) -> Call<Vec<Slot>, Write> {
        self.reorder_if(None, order)
    }

    /// Reorders the page if its slots are still in the order `seen`.
    ///
    /// The page is read right before each request, and again after every wait. If another client moved, added or deleted slots in between,
    /// the call fails with [`Error::is_conflict`](crate::Error::is_conflict), and nothing is moved.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let slots = client.profile("cafe").slots();
    /// let seen: Vec<_> = slots.list().await?.iter().map(|slot| slot.id).collect();
    /// let mut order = seen.clone();
    /// order.reverse();
    /// slots.reorder_unchanged(seen.clone(), order).await?;
    /// let error = slots.reorder_unchanged(seen.clone(), vec![seen[1]]).await.unwrap_err();
    /// assert!(error.is_conflict());
    /// # Ok(()) });
    /// ```
    pub fn reorder_unchanged(
        &self,
        seen: impl IntoIterator<Item = impl Into<SlotId>>,
        order: impl IntoIterator<Item = impl Into<SlotId>>,
    ) -> Call<Vec<Slot>, Write> {
        self.reorder_if(Some(seen.into_iter().map(Into::into).collect()), order)
    }

    /// Reorders the page, only from the order `seen` if there is one.
    fn reorder_if(
        &self,
        seen: Option<Vec<SlotId>>,
        order: impl IntoIterator<Item = impl Into<SlotId>>,
    ) -> Call<Vec<Slot>, Write> {
        let order: Vec<SlotId> = order.into_iter().map(Into::into).collect();
        let key = self.page.key_text();
        Call::new(&self.page.client, operation::REORDER_SLOTS, key, move |sender, key| async move {
            let basis = if seen.is_some() { Basis::Read(None) } else { Basis::Nothing };
            let judge = |page: &[Slot]| match &seen {
                Some(seen) => judge_order(seen, &order, page),
                None => Ok(Some(order.clone())),
            };
            let moved = reorder_if_unchanged(&sender, &key, order.clone(), basis, judge).await;
            let (slots, _) = sender.finish(moved)?;
            Ok(slots)
        })
    }

    pub(super) fn key_and_id(&self, id: SlotId) -> Result<(String, SlotId), String> {
        if id.get() < 1 {
            return Err(format!("a slot ID must be 1 or more, not {id}"));
        }
        Ok((self.page.key_text()?, id))
    }
}

impl PatchRecord for Slot {
    type Envelope = SlotEnvelope;
    type Key = (String, SlotId);
    const READ: &'static Operation = operation::GET_SLOT;
    const WRITE: &'static Operation = operation::UPDATE_SLOT;

    fn fields(&self) -> Object {
        self.data.clone()
    }

    fn read(api: Api<'_>, (key, id): &Self::Key) -> RequestResult<Self::Envelope> {
        api.get_slot(key, id)
    }

    fn write(api: Api<'_>, (key, id): &Self::Key, data: &Object) -> RequestResult<Self::Envelope> {
        api.update_slot(key, id, &SlotDataChange { data: data.clone() })
    }
}
