//! Which request a batch of a plan is, and the dry run of a whole plan by the service.

use std::collections::BTreeSet;

use super::apply_error::refusals;
use super::{
    FieldsRequest, ItemRefusal, Plan, PlanBatch, PlannedCreate, PlannedDelete, PlannedFields,
    PlannedUpdate,
};
use links_sdk::types::{NewSlot, SlotChange};
use links_sdk::{
    Answer, Call, Client, Create, Error, ProfileChanges, ProfileHandle, ProfileId, SettingsChanges,
    Slot, SlotId, SupportsDryRun, Write,
};

impl<'p> PlanBatch<'p> {
    /// Returns the updates, if it is a request with some.
    pub(super) fn updates(self) -> &'p [PlannedUpdate] {
        match self {
            Self::Update(updates) => updates,
            _ => &[],
        }
    }

    /// Returns the deletes, if it is a request with some.
    pub fn deletes(self) -> &'p [PlannedDelete] {
        match self {
            Self::MakeRoom(deletes) | Self::Delete(deletes) => deletes,
            _ => &[],
        }
    }

    /// Returns whether the request removes slots, or the login under which links lead to the page. It then comes after all that adds.
    pub(super) fn is_removal(&self) -> bool {
        matches!(self, Self::Delete(_) | Self::Fields(FieldsRequest::Login, _))
    }

    /// Returns whether the request replaces values, so that its plan has those before it.
    pub(super) fn replaces(&self) -> bool {
        matches!(self, Self::Update(_) | Self::Fields(..))
    }

    /// Returns the operation of the request.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Fields(request, fields) if fields.body(*request).0 => "updateProfileSettings",
            Self::Fields(..) => "updateProfile",
            Self::Update(_) => "updateSlots",
            Self::TryCreate(_) | Self::Create(_) => "createSlots",
            Self::Reorder => "reorderSlots",
            Self::MakeRoom(_) | Self::Delete(_) => "deleteSlots",
        }
    }

    /// Returns the creates, if it is a request with some.
    pub(super) fn creates(self) -> &'p [PlannedCreate] {
        match self {
            Self::TryCreate(creates) | Self::Create(creates) => creates,
            _ => &[],
        }
    }

    /// Returns the index of the item in the file from which the n-th slot of the request was made.
    pub(super) fn item(&self, nth: usize) -> Option<usize> {
        let update = self.updates().get(nth).map(|update| update.index);
        update.or_else(|| self.creates().get(nth).map(|create| create.index))
    }

    /// Sends the request without a comparison with the page, as a dry run or by a client that withholds its writes; `order` is what a reorder
    /// writes.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{DesiredPage, PageSnapshot, PlanOptions, Proposal};
    ///
    /// let page = PageSnapshot::read(&client, &"cafe".parse()?).await?;
    /// let desired: DesiredPage =
    ///     serde_json::from_str(r#"{"slots": [{"type": "divider"}, {"type": "button", "data": {"titel": "Menu"}}]}"#)?;
    /// let plan = Proposal::new(&page, desired.into(), PlanOptions::default())?.plan;
    /// let refused = plan.batches()[0].send(&client.profile(page.id), Vec::new(), true).await.unwrap_err();
    /// assert!(refused.is_validation());
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the request is refused or withheld.
    pub async fn send(
        self,
        page: &ProfileHandle,
        order: Vec<SlotId>,
        is_dry_run: bool,
    ) -> Result<(), Error> {
        async fn send<T: Send + 'static, K: SupportsDryRun>(
            call: Call<T, K>,
            is_dry_run: bool,
        ) -> Result<(), Error> {
            if is_dry_run { call.dry_run().await } else { call.send().await.map(drop) }
        }
        match self.call(page, order, None) {
            BatchCall::Create(call) => {
                send(call, is_dry_run || matches!(self, Self::TryCreate(_))).await
            }
            BatchCall::Write(call) => send(call, is_dry_run).await,
        }
    }

    /// Returns the request of the batch; `order` is what a reorder writes. With `seen`, the slots of the page as it was read, it is that of a
    /// single write: about one slot if it updates or creates slots, and not sent if others have changed the slots since.
    pub(super) fn call(
        self,
        page: &ProfileHandle,
        order: Vec<SlotId>,
        seen: Option<&[Slot]>,
    ) -> BatchCall {
        let slots = page.slots();
        BatchCall::Write(match (self, seen) {
            (Self::Fields(request, fields), _) => match fields.body(request) {
                (true, body) => page.update_settings(SettingsChanges(body)).answer(),
                (false, body) => page.update(ProfileChanges(body)).answer(),
            },
            (Self::Update([one]), Some(_)) => {
                slots.update_unchanged(one.id, None, one.changed.clone()).answer()
            }
            (Self::Update(updates), _) => slots.update_batch(changes(updates)).answer(),
            (Self::Create([one]), Some(_)) => {
                let mut slot = new_slot(one);
                (slot.data, slot.order) = (slot.data.filter(|data| !data.is_empty()), one.order);
                return BatchCall::Create(slots.create(slot).answer());
            }
            (Self::TryCreate(creates) | Self::Create(creates), _) => {
                return BatchCall::Create(slots.create_batch(new_slots(creates)).answer());
            }
            (Self::Reorder, Some(seen)) => {
                slots.reorder_unchanged(seen.iter().map(|slot| slot.id), order).answer()
            }
            (Self::Reorder, None) => slots.reorder(order).answer(),
            (Self::MakeRoom(deletes) | Self::Delete(deletes), Some(seen)) => {
                let is_its = |slot: &&Slot| deletes.iter().any(|delete| delete.id == slot.id);
                let seen = seen.iter().filter(is_its).cloned().collect();
                slots.delete_unchanged(seen).answer()
            }
            (Self::MakeRoom(deletes) | Self::Delete(deletes), None) => {
                slots.delete_batch(deletes.iter().map(|delete| delete.id)).answer()
            }
        })
    }
}

/// The request of a batch. Only one that creates slots has a key.
pub(super) enum BatchCall {
    Create(Call<Answer, Create>),
    Write(Call<Answer, Write>),
}

pub(super) fn changes(updates: &[PlannedUpdate]) -> Vec<SlotChange> {
    updates.iter().map(|update| SlotChange::new(update.id, update.changed.clone())).collect()
}

pub(super) fn new_slots(creates: &[PlannedCreate]) -> Vec<NewSlot> {
    creates.iter().map(new_slot).collect()
}

fn new_slot(create: &PlannedCreate) -> NewSlot {
    let mut slot = NewSlot::of(create.kind.clone());
    slot.data = Some(create.data.clone());
    slot
}

impl Plan {
    /// Sends every update and create of the plan as a dry run, and gathers what is refused. Items of `skip` are left out.
    ///
    /// Where the plan has to make room first, a refusal that names no slot is about the room, not about the slots.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{DesiredPage, PageSnapshot, PlanOptions, Proposal};
    ///
    /// let page = PageSnapshot::read(&client, &"cafe".parse()?).await?;
    /// let desired: DesiredPage =
    ///     serde_json::from_str(r#"{"slots": [{"type": "button", "data": {"titel": "Menu"}}]}"#)?;
    /// let plan = Proposal::new(&page, desired.into(), PlanOptions::default())?.plan;
    /// let refused = plan.check(&client, page.id, &Default::default()).await?;
    /// assert_eq!(refused[0].index, 0);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When a request fails for another reason.
    pub async fn check(
        &self,
        client: &Client,
        page: ProfileId,
        skip: &BTreeSet<usize>,
    ) -> Result<Vec<ItemRefusal>, Error> {
        let mut checked = Self { updates: self.updates.clone(), ..Self::default() };
        checked.creates.clone_from(&self.creates);
        checked.updates.retain(|it| !skip.contains(&it.index));
        checked.creates.retain(|it| !skip.contains(&it.index));
        let mut refused = Vec::new();
        for batch in checked.batches() {
            let is_full = self.make_room > 0 && matches!(batch, PlanBatch::Create(_));
            let answer = batch.send(&client.profile(page), Vec::new(), true).await;
            let Err(error) = answer else { continue };
            let items = refusals(batch, &error);
            // The page may not have room for the new slots yet.
            let is_about_room = is_full && (error.is_conflict() || error.is_validation());
            if items.is_empty() && !is_about_room {
                return Err(error);
            }
            refused.extend(items);
        }
        Ok(refused)
    }
}

impl PlannedFields {
    /// Sends every request about fields as a dry run. Fields of `skip` are left out.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_pages::apply::{PageSnapshot, PlannedFields};
    ///
    /// let page = PageSnapshot::read(&client, &"cafe".parse()?).await?;
    /// let desired = [("title", "Closed on Mondays")].into_iter().collect();
    /// let planned = PlannedFields::new(&page.fields(), &desired);
    /// planned.check(&client, page.id, &Default::default()).await?;
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The first refusal, with the service's messages for each field, or another failure.
    pub async fn check(
        &self,
        client: &Client,
        page: ProfileId,
        skip: &BTreeSet<&str>,
    ) -> Result<(), Error> {
        let mut checked = Plan { fields: self.clone(), ..Plan::default() };
        checked.fields.changed.retain(|name, _| !skip.contains(&**name));
        for batch in checked.batches() {
            batch.send(&client.profile(page), Vec::new(), true).await?;
        }
        Ok(())
    }
}
