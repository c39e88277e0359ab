//! Slots that an undo has created again, in the locks whose files know their earlier ids.

use std::collections::BTreeMap;
use std::path::Path;

use links_pages::sync::{Lock, SlotBase};
use links_sdk::{ProfileId, SlotId};

use super::LockStore;
use super::state_records::StateRecords;
use crate::apply::runs;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::StyledLine;

/// Records new ids in the lock of this directory, in that of the file of the undone run, and in the records of the state directory, so that
/// files with the earlier ids still apply.
/// Returns a line for each lock that could not be written.
pub(crate) fn record(
    context: &Context,
    page: ProfileId,
    ids: &BTreeMap<SlotId, SlotId>,
    file: Option<&Path>,
) -> Vec<StyledLine> {
    if ids.is_empty() {
        return Vec::new();
    }
    let service = runs::service(context).unwrap_or_default();
    let mut stores: Vec<LockStore> = [Some(Path::new("page.yaml")), file]
        .into_iter()
        .flatten()
        .filter_map(LockStore::of)
        .collect();
    stores.dedup();
    let written = stores
        .iter()
        .filter_map(|store| store.update(context, &service, |lock| rename(lock, page, ids)).err());
    let mut errors: Vec<CommandError> = written.collect();
    for (records, mut lock) in StateRecords::all(context, &service) {
        let before = lock.clone();
        rename(&mut lock, page, ids);
        if lock != before {
            errors.extend(records.put_own(context, page, &lock).err());
        }
    }
    let line = |error| {
        let text = format!("the new ids of slots could not be recorded: {error}");
        StyledLine::removed(text)
    };
    errors.into_iter().map(line).collect()
}

fn rename(lock: &mut Lock, page: ProfileId, ids: &BTreeMap<SlotId, SlotId>) {
    let pages = lock.pages.values_mut().filter(|base| base.id == page);
    for slot in pages.flat_map(|base| &mut base.slots) {
        let new = ids.iter().find(|(old, _)| slot.is_named(**old)).map(|(_, new)| *new);
        if let Some(new) = new.filter(|new| *new != slot.id) {
            let SlotBase { id, was, .. } = slot;
            was.push(std::mem::replace(id, new));
        }
    }
}
