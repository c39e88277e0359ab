//! Plan of the changes to a page, as data.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;

use foldhash::{HashMap, HashMapExt, HashSet};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::plan_error::{ItemError, ItemProblem, PlanError, check_page, misfit};
use super::schema::Clearing;
use super::{
    DesiredSlot, FieldsRequest, PageSnapshot, PlanOptions, PlannedFields, RetainReason, Wanted,
    fingerprint, same,
};
use links_sdk::runs::ValueShape;
use links_sdk::types::NewSlot;
use links_sdk::{Object, SLOTS_PER_BATCH, Slot, SlotId};

/// Changes from a page as it was read to the content of a file.
///
/// Apart from slots that must make room, nothing is deleted before everything new is in place. So whenever a run stops, the page shows
/// either all of the old content or all of the new content.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Plan {
    /// The [`fingerprint`](super::fingerprint) of the page that the plan was made for.
    pub page: String,
    /// Number of items in the file.
    pub items: usize,
    /// Changes of the profile fields.
    #[serde(default, skip_serializing_if = "PlannedFields::is_empty")]
    pub fields: PlannedFields,
    /// Updates in the order of the file.
    pub updates: Vec<PlannedUpdate>,
    /// Creates in the order of the file; they are appended to the page.
    pub creates: Vec<PlannedCreate>,
    /// All slots of the resulting page, in order.
    pub order: Vec<SlotRef>,
    /// Set if the slots must be moved after the new ones were created.
    pub reorder: bool,
    /// Deletes in page order. The first [`make_room`](Self::make_room) of them are sent before the creates.
    pub deletes: Vec<PlannedDelete>,
    /// Number of slots that must be deleted to make room for the new ones. Usually none.
    pub make_room: usize,
    /// Slots that are not in the file but stay on the page, in page order.
    pub kept: Vec<RetainedSlot>,
    /// Notices for the user.
    pub notices: Vec<Notice>,
}

/// Update of a slot. The slot keeps its ID and its clicks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlannedUpdate {
    /// ID of the slot.
    pub id: SlotId,
    /// The index of the item in the file.
    pub index: usize,
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Label of the slot, for display.
    pub label: Option<String>,
    /// The top-level keys to send. Other keys are not changed.
    pub changed: Object,
    /// Values of these keys when the page was read, without keys that did not exist.
    pub before: Object,
}

/// A new slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlannedCreate {
    /// The index of the item in the file.
    pub index: usize,
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Content of the slot.
    pub data: Object,
    /// Position on the page, from 0; `None` for a slot at its end, which the plan moves where it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<i64>,
}

/// Delete of a slot and its click statistics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlannedDelete {
    /// ID of the slot.
    pub id: SlotId,
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Label of the slot, for display.
    pub label: Option<String>,
}

/// A slot that is not in the file but stays on the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RetainedSlot {
    /// ID of the slot.
    pub id: SlotId,
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Label of the slot, for display.
    pub label: Option<String>,
    /// Reason why it stays.
    pub reason: RetainReason,
}

/// A slot that may not exist yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SlotRef {
    /// By ID.
    Existing(SlotId),
    /// By the index in [`Plan::creates`].
    Created(usize),
}

/// Notice for the user about a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "notice", rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Notice {
    /// An interrupted run created a slot for the item, and another client has deleted it in the meantime.
    RemovedSince {
        /// The index of the item in the file.
        index: usize,
        /// ID of the deleted slot.
        id: SlotId,
    },
}

/// One write request of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PlanBatch<'p> {
    /// `updateProfile` or `updateProfileSettings`.
    Fields(FieldsRequest, &'p PlannedFields),
    /// `updateSlots`.
    Update(&'p [PlannedUpdate]),
    /// `createSlots` as a dry run, so that nothing is deleted to make room for slots that the service would refuse.
    TryCreate(&'p [PlannedCreate]),
    /// `deleteSlots` before the creates, for exactly as many slots as must make room.
    MakeRoom(&'p [PlannedDelete]),
    /// `createSlots`, appended to the page.
    Create(&'p [PlannedCreate]),
    /// `reorderSlots`, with the IDs of [`Plan::resolve_order`].
    Reorder,
    /// `deleteSlots`.
    Delete(&'p [PlannedDelete]),
}

impl Plan {
    /// Plans the changes from the slots of `page`, in page order, to the wanted slots.
    ///
    /// # Errors
    ///
    /// When the page cannot have the wanted content.
    pub fn new(page: &[Slot], wanted: &Wanted, options: &PlanOptions) -> Result<Self, PlanError> {
        let items = &wanted.page.slots;
        check_page(page, items.len(), options.max_slots)?;
        let on_page: HashMap<SlotId, &Slot> = page.iter().map(|slot| (slot.id, slot)).collect();
        let served: HashSet<SlotId> = wanted.bound.iter().filter_map(|it| it.slot).collect();
        let mut errors = wanted.refused.clone();
        let mut plan = Self { page: fingerprint(page), items: items.len(), ..Self::default() };
        let mut order = Vec::with_capacity(items.len());
        for (bound, item) in wanted.bound.iter().zip(items) {
            let index = bound.item;
            if wanted.refused.iter().any(|refused| refused.index == index) {
                continue;
            }
            let planned = match bound.slot {
                Some(id) => {
                    order.push(SlotRef::Existing(id));
                    update(index, item, on_page.get(&id).copied(), id, options)
                        .map(|update| plan.updates.extend(update))
                }
                None => {
                    order.push(SlotRef::Created(plan.creates.len()));
                    let created = options.created.get(&index).copied();
                    let gone = created.filter(|id| !on_page.contains_key(id));
                    plan.notices.extend(gone.map(|id| Notice::RemovedSince { index, id }));
                    create(index, item, options).map(|create| plan.creates.push(create))
                }
            };
            let problems = planned.err().into_iter().flatten();
            errors.extend(problems.map(|problem| ItemError { index, problem }));
        }
        if !errors.is_empty() {
            errors.sort_by_key(|error| error.index);
            return Err(PlanError::Items(errors));
        }

        for slot in page.iter().filter(|slot| !served.contains(&slot.id)) {
            let (id, kind, label) = (slot.id, slot.kind.clone(), label(&slot.data));
            let reason = RetainReason::of(slot, &options.types);
            if reason != RetainReason::ReadOnly && wanted.deleted.contains(&id) {
                plan.deletes.push(PlannedDelete { id, kind, label });
            } else {
                plan.kept.push(RetainedSlot { id, kind, label, reason });
            }
        }
        // Only as many slots as do not fit have to make room for the new ones.
        let (slots, max) = (page.len() + plan.creates.len(), options.max_slots);
        plan.make_room = if plan.creates.is_empty() { 0 } else { slots.saturating_sub(max) };
        if plan.make_room > plan.deletes.len() {
            let slots = slots - plan.deletes.len();
            return Err(PlanError::TooManySlots { slots, kept: plan.kept.len(), max });
        }

        let to_delete: HashSet<SlotRef> =
            plan.deletes.iter().map(|delete| SlotRef::Existing(delete.id)).collect();
        let mut as_created: Vec<SlotRef> =
            page.iter().map(|slot| SlotRef::Existing(slot.id)).collect();
        as_created.extend((0..plan.creates.len()).map(SlotRef::Created));
        plan.order = arrange(&as_created, &order, &to_delete);
        as_created.retain(|slot| !to_delete.contains(slot));
        plan.reorder = plan.order != as_created;
        Ok(plan)
    }

    /// Plans the changes of a whole page: its profile fields and its slots.
    ///
    /// # Errors
    ///
    /// The errors of [`Plan::new`].
    pub fn of_page(
        page: &PageSnapshot,
        wanted: &Wanted,
        options: &PlanOptions,
    ) -> Result<Self, PlanError> {
        let (mut plan, fields) = (Self::new(&page.slots, wanted, options)?, page.fields());
        plan.fields = PlannedFields::new(&fields, &wanted.page.fields);
        if page.has_expired_mood() {
            plan.fields.renew(&fields, &options.renewed_mood);
        }
        Ok(plan)
    }

    /// Plans new values of a slot. Those from before are known once the slot is read.
    ///
    /// ```
    /// let plan = links_pages::apply::Plan::updating(7.into(), [("title", "Menu")].into_iter().collect());
    /// assert_eq!(plan.updates[0].changed["title"], "Menu");
    /// ```
    pub fn updating(id: SlotId, changed: Object) -> Self {
        let (kind, label, before) = (String::new(), None, Object::default());
        let update = PlannedUpdate { id, index: 0, kind, label, changed, before };
        Self { updates: vec![update], items: 1, ..Self::default() }
    }

    /// Plans a new slot.
    ///
    /// ```
    /// let plan = links_pages::apply::Plan::creating(links_sdk::types::NewSlot::of("divider"));
    /// assert_eq!(plan.creates[0].kind, "divider");
    /// ```
    pub fn creating(slot: NewSlot) -> Self {
        let NewSlot { kind, data, order, .. } = slot;
        let create = PlannedCreate { index: 0, kind, data: data.unwrap_or_default(), order };
        Self { creates: vec![create], items: 1, ..Self::default() }
    }

    /// Plans another order of the slots of a page.
    ///
    /// ```
    /// let plan = links_pages::apply::Plan::reordering([8, 7].map(Into::into));
    /// assert_eq!(plan.batches().len(), 1);
    /// ```
    pub fn reordering(order: impl IntoIterator<Item = SlotId>) -> Self {
        let order = order.into_iter().map(SlotRef::Existing).collect();
        Self { order, reorder: true, ..Self::default() }
    }

    /// Plans to delete slots of a page.
    ///
    /// ```
    /// use links_pages::apply::Plan;
    ///
    /// let page = serde_json::from_str::<Vec<links_sdk::Slot>>(
    ///     r#"[{"id": 7, "type": "divider", "data": {}, "supported": true}, {"id": 8, "type": "text", "data": {}, "supported": true}]"#,
    /// )?;
    /// let plan = Plan::deleting(&page, &[page[0].id]);
    /// assert_eq!((plan.deletes[0].id, plan.batches().len()), (page[0].id, 1));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn deleting(page: &[Slot], ids: &[SlotId]) -> Self {
        let mut plan = Self { page: fingerprint(page), ..Self::default() };
        for slot in page {
            if ids.contains(&slot.id) {
                let (id, kind) = (slot.id, slot.kind.clone());
                plan.deletes.push(PlannedDelete { id, kind, label: label(&slot.data) });
            } else {
                plan.order.push(SlotRef::Existing(slot.id));
            }
        }
        plan
    }

    /// Returns whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.batches().is_empty()
    }

    /// Returns the write requests, in a safe order.
    pub fn batches(&self) -> Vec<PlanBatch<'_>> {
        let (early, late) = self.deletes.split_at(self.make_room.min(self.deletes.len()));
        let tried = if early.is_empty() { &[][..] } else { &self.creates };
        // Deletes due before the last `left` creates: no slot is deleted before a new one needs its place.
        let room_for = |left: usize| early.len().saturating_sub(left);
        let fields = |request: FieldsRequest| {
            self.fields.needs(request).then_some(PlanBatch::Fields(request, &self.fields))
        };
        let mut batches = Vec::new();
        batches.extend(fields(FieldsRequest::Profile));
        batches.extend(self.updates.chunks(SLOTS_PER_BATCH).map(PlanBatch::Update));
        batches.extend(tried.chunks(SLOTS_PER_BATCH).map(PlanBatch::TryCreate));
        let (mut gone, mut left) = (0, self.creates.len());
        for creates in self.creates.chunks(SLOTS_PER_BATCH) {
            left -= creates.len();
            let going = &early[gone..room_for(left).max(gone)];
            gone += going.len();
            batches.extend(going.chunks(SLOTS_PER_BATCH).map(PlanBatch::MakeRoom));
            batches.push(PlanBatch::Create(creates));
        }
        batches.extend(self.reorder.then_some(PlanBatch::Reorder));
        batches.extend(fields(FieldsRequest::Language));
        batches.extend(fields(FieldsRequest::Login));
        batches.extend(late.chunks(SLOTS_PER_BATCH).map(PlanBatch::Delete));
        batches
    }

    /// Returns whether the first request of the plan, which follows its own read, checks everything that the plan relies on. This is so if
    /// the plan writes only slots or only fields, and creates do not come first.
    pub fn is_compared_when_written(&self) -> bool {
        let batches = self.batches();
        let of_fields = |batch: &PlanBatch<'_>| matches!(batch, PlanBatch::Fields(..));
        match batches.first() {
            None | Some(PlanBatch::TryCreate(_) | PlanBatch::Create(_)) => false,
            Some(first) => batches.iter().all(|batch| of_fields(batch) == of_fields(first)),
        }
    }

    /// Returns the number of requests to execute the plan if nothing goes wrong and nothing has to wait: one to read the page, its batches,
    /// one read before something is deleted, and one to read the page again as a check.
    pub fn request_count(&self) -> usize {
        self.requests(false)
    }

    /// Returns the number of requests to execute the plan if nothing goes wrong. If the run has to wait for the rate limits, this is the
    /// maximum: each change of existing content follows another read of the page.
    pub fn requests(&self, waits: bool) -> usize {
        let batches = self.batches();
        if batches.is_empty() {
            return 1;
        }
        let is_read_for = |(nth, batch): &(usize, &PlanBatch<'_>)| match batch {
            PlanBatch::TryCreate(_) | PlanBatch::Create(_) => false,
            _ if waits => true,
            // The answer to a reorder shows the page.
            _ => {
                !batch.deletes().is_empty() && (*nth == 0 || batches[nth - 1] != PlanBatch::Reorder)
            }
        };
        let reads = batches.iter().enumerate().filter(is_read_for).count();
        // Before slots are deleted, the page is read anyway.
        let is_looked_for = self.removes() && (waits || self.deletes.is_empty());
        let looks = usize::from(is_looked_for && self.is_looked_for());
        1 + batches.len() + reads + looks + 1
    }

    /// Returns whether something is removed: slots, or the login under which links lead to the page.
    pub fn removes(&self) -> bool {
        !self.deletes.is_empty() || self.fields.needs(FieldsRequest::Login)
    }

    /// Returns whether the page is read once more for the new slots, before something is removed from any page of the run.
    pub fn is_looked_for(&self) -> bool {
        !self.creates.is_empty() && !self.reorder
    }

    /// Returns the full list of IDs for `reorderSlots`; `None` if the slots that stay are already in order.
    ///
    /// `page` are the current IDs on the page, and `created` the IDs of the slots created so far, by the index of their item. Slots that are not in the plan go after their left neighbor, and slots that are still to be deleted go
    /// to the end.
    pub fn resolve_order(
        &self,
        page: &[SlotId],
        created: &BTreeMap<usize, SlotId>,
    ) -> Option<Vec<SlotId>> {
        let present: HashSet<SlotId> = page.iter().copied().collect();
        let wanted: Vec<SlotId> =
            self.ordered(created).into_iter().filter(|id| present.contains(id)).collect();
        let to_delete: HashSet<SlotId> = self.deletes.iter().map(|delete| delete.id).collect();
        let mut order = arrange(page, &wanted, &to_delete);
        let (leaving, staying): (Vec<SlotId>, Vec<SlotId>) =
            page.iter().partition(|id| to_delete.contains(id));
        if order == staying {
            return None;
        }
        order.extend(leaving);
        Some(order)
    }

    /// Returns the IDs of the resulting page in order; `created` has those of the slots that were created, by the index of their item.
    pub(super) fn ordered(&self, created: &BTreeMap<usize, SlotId>) -> Vec<SlotId> {
        let id = |slot: &SlotRef| match slot {
            SlotRef::Existing(id) => Some(*id),
            SlotRef::Created(nth) => created.get(&self.creates.get(*nth)?.index).copied(),
        };
        self.order.iter().filter_map(id).collect()
    }

    /// Returns the slots that were on the page when the plan was made, and those that were created since.
    pub(super) fn known(
        &self,
        created: &BTreeMap<usize, SlotId>,
    ) -> std::collections::HashSet<SlotId> {
        let to_delete = self.deletes.iter().map(|delete| delete.id);
        let on_page = self.ordered(&BTreeMap::new()).into_iter().chain(to_delete);
        on_page.chain(created.values().copied()).collect()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no changes");
        }
        let mut parts: Vec<String> = self.fields.changed.keys().cloned().collect();
        for (count, what) in [
            (self.creates.len(), "to create"),
            (self.updates.len(), "to update"),
            (self.deletes.len(), "to delete"),
        ] {
            parts.extend((count > 0).then(|| format!("{count} {what}")));
        }
        parts.extend(self.reorder.then(|| "order changes".to_owned()));
        f.write_str(&parts.join(", "))
    }
}

fn update(
    index: usize,
    item: &DesiredSlot,
    slot: Option<&Slot>,
    id: SlotId,
    options: &PlanOptions,
) -> Result<Option<PlannedUpdate>, Vec<ItemProblem>> {
    let slot = match (slot, misfit(item, id, slot)) {
        (Some(slot), None) => slot,
        (_, problem) => return Err(problem.into_iter().collect()),
    };
    let is_editable = options.types.is_editable(slot);
    let (mut changed, mut before, mut problems) = (Map::new(), Map::new(), Vec::new());
    for (key, value) in item.data.iter() {
        let held = slot.data.get(key);
        if same(held.unwrap_or(&Value::Null), value) {
            continue;
        }
        let cleared = value.is_null().then(|| options.types.clearing(&item.kind, key));
        let value = match cleared {
            Some(Clearing::Default(default)) if held.is_some_and(|held| same(held, default)) => {
                continue;
            }
            Some(Clearing::Impossible) if is_editable => {
                problems
                    .push(ItemProblem::NotClearable { kind: item.kind.clone(), key: key.clone() });
                continue;
            }
            Some(Clearing::Default(default)) => default,
            Some(Clearing::Null | Clearing::Impossible) | None => value,
        };
        changed.insert(key.clone(), value.clone());
        before.extend(held.map(|held| (key.clone(), held.clone())));
    }
    if !changed.is_empty() && !is_editable {
        let keys = changed.keys().cloned().collect();
        problems.push(ItemProblem::NotEditable { id, kind: item.kind.clone(), keys });
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok((!changed.is_empty()).then(|| PlannedUpdate {
        id,
        index,
        kind: slot.kind.clone(),
        label: label(&slot.data),
        changed: Object(changed),
        before: Object(before),
    }))
}

fn create(
    index: usize,
    item: &DesiredSlot,
    options: &PlanOptions,
) -> Result<PlannedCreate, Vec<ItemProblem>> {
    if !options.types.is_creatable(&item.kind) {
        return Err(vec![ItemProblem::NotCreatable { kind: item.kind.clone() }]);
    }
    // There is nothing to clear yet; `null` is sent only if the schema declares it as a value.
    let data = item
        .data
        .iter()
        .filter(|(key, value)| !value.is_null() || options.types.declares_null(&item.kind, key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Ok(PlannedCreate { index, kind: item.kind.clone(), data, order: None })
}

/// Returns the label of a slot: its title, else its first string.
pub(crate) fn label(data: &Map<String, Value>) -> Option<String> {
    let text = |value| match ValueShape::of(value) {
        ValueShape::Text(text) => Some(text.to_owned()),
        _ => None,
    };
    let named = ["title", "buttonText"].iter().filter_map(|key| data.get(*key));
    named.chain(data.values()).find_map(text)
}

/// Returns the IDs of slots in their order.
pub(crate) fn ids_of(slots: &[Slot]) -> Vec<SlotId> {
    slots.iter().map(|slot| slot.id).collect()
}

/// Returns the slots of `page` that are not to be deleted, in the order of `wanted`. A slot that `wanted` does not mention stays after the
/// nearest mentioned slot to its left, or before all others.
pub(crate) fn arrange<T: Copy + Eq + Hash>(
    page: &[T],
    wanted: &[T],
    to_delete: &HashSet<T>,
) -> Vec<T> {
    let mentioned: HashSet<T> = wanted.iter().copied().collect();
    let mut followers: HashMap<Option<T>, Vec<T>> = HashMap::new();
    let mut left = None;
    for slot in page.iter().copied().filter(|slot| !to_delete.contains(slot)) {
        if mentioned.contains(&slot) {
            left = Some(slot);
        } else {
            followers.entry(left).or_default().push(slot);
        }
    }
    let with_followers = |slot: Option<T>| {
        slot.into_iter().chain(followers.get(&slot).into_iter().flatten().copied())
    };
    std::iter::once(None).chain(wanted.iter().copied().map(Some)).flat_map(with_followers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_that_are_not_mentioned_follow_their_left_neighbour() {
        for (page, wanted, to_delete, expected) in [
            ("abc", "abc", "", "abc"),
            ("abc", "cba", "", "cba"),
            ("xaybz", "ba", "", "xbzay"),
            ("axyb", "ba", "", "baxy"),
            ("adxb", "ba", "d", "bax"),
            ("dxab", "ab", "d", "xab"),
            ("xy", "", "", "xy"),
            ("xy", "", "xy", ""),
            ("abcN", "aNb", "c", "aNb"),
        ] {
            let slots = |text: &str| text.chars().collect::<Vec<_>>();
            let arranged = arrange(&slots(page), &slots(wanted), &to_delete.chars().collect());
            assert_eq!(arranged, slots(expected), "{page} as {wanted} without {to_delete}");
        }
    }
}
