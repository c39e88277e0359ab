//! A run in a format that can be moved to another machine: its journal and the slots before it, without local paths or the account.

use std::io;
use std::path::{Path, PathBuf};

use links_sdk::ProfileId;
use serde::{Deserialize, Serialize};

use super::slots_before;
use crate::apply::{
    DesiredSlot, JournalEntries, JournalEntry, JournalError, JournalStore, RecordedRun, RunHeader,
    RunOwner, is_run_name,
};

/// A run with the data that is needed to undo it, to store in a file.
///
/// It contains neither paths of files nor the account, and ignores them when it is read: the caller decides to which account the file
/// belongs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortableRun {
    run: String,
    /// ID of the page, for a run over a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<ProfileId>,
    /// The lines of the journal.
    entries: Vec<JournalEntry>,
    /// Slots before the run, in page order, where they were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Vec<DesiredSlot>>,
}

impl PortableRun {
    /// Returns the writes of one call of a program, from its journals below `state`: its runs over pages and its single writes, oldest
    /// first. Runs that wrote nothing are left out, and so are those of another account than `owner`.
    ///
    /// # Errors
    ///
    /// When a journal cannot be read.
    pub fn of_call(
        state: &Path,
        service: &str,
        call: &str,
        owner: &RunOwner,
    ) -> io::Result<Vec<Self>> {
        let is_own = |(_, header, _): &(String, RunHeader, JournalStore)| {
            header.command.call.as_deref() == Some(call) && header.owner.is(owner) != Some(false)
        };
        let found = JournalStore::headers(state, service)?.filter(is_own);
        found.filter_map(|(run, _, store)| Self::read(run, &store).transpose()).collect()
    }

    /// Reads a run; `None` if it wrote nothing.
    fn read(run: String, store: &JournalStore) -> io::Result<Option<Self>> {
        let mut entries = match store.entries(&run) {
            Ok((log, entries)) if log.has_effect() => entries,
            Ok(_) | Err(JournalError::NotBegun) => return Ok(None),
            Err(why) => return Err(io::Error::other(format!("run {run}: {why}"))),
        };
        if let Some(JournalEntry::Open(header)) = entries.first_mut() {
            (header.owner, header.path, header.sync) = (RunOwner::default(), None, None);
        }
        let before = slots_before(store, &run)?;
        Ok(Some(Self { page: store.profile(), run, entries, before }))
    }

    /// Returns the name of the run.
    pub fn name(&self) -> &str {
        &self.run
    }

    /// Returns the run as if it had been recorded on this service by this owner, with its store below `state`, and the slots before it, if
    /// known. `call` is the name that the runs of the file share.
    ///
    /// # Errors
    ///
    /// When the name is not the name of a run, or the entries are not the entries of a journal.
    pub fn recorded(
        self,
        state: &Path,
        service: &str,
        owner: RunOwner,
        call: &str,
    ) -> Result<(JournalStore, RecordedRun, Option<Vec<DesiredSlot>>), JournalError> {
        if !is_run_name(&self.run) {
            return Err(JournalError::Io(io::Error::other("invalid run name")));
        }
        let mut log = JournalEntries::of(&self.run, self.entries)?;
        let header = &mut log.opening;
        service.clone_into(&mut header.service);
        (header.owner, header.path, header.sync) = (owner, None, None);
        header.profile = self.page.unwrap_or(header.profile);
        header.command.call = Some(call.to_owned());
        let store = match self.page {
            Some(page) => JournalStore::of(state, service, page),
            None => JournalStore::of_commands(state, service),
        };
        let opening = log.opening.clone();
        let recorded = RecordedRun { run: self.run, path: PathBuf::new(), opening, log: Ok(log) };
        Ok((store, recorded, self.before))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use links_sdk::{Object, Slot};
    use serde_json::{Value, json};

    use super::*;
    use crate::apply::{SlotTypes, Undo, UndoFacts};

    fn written() -> Value {
        let header = json!({
            "format": 1, "service": "x", "profile": 101, "login": "cafe", "file": "", "path": "/etc/passwd", "prune": false,
            "prune_unsupported": false, "page": "", "slots": 3, "time": 1, "command": {"name": "apply", "words": ["apply"]},
        });
        let plan = json!({
            "page": "", "items": 2, "make_room": 1, "makeRoom": 1, "reorder": true, "kept": [], "notices": [],
            "fields": { "changed": { "title": "B" }, "before": { "title": "A" } },
            "updates": [{ "id": 1, "index": 0, "type": "text", "label": null, "changed": { "title": "B" }, "before": { "title": "A" } }],
            "creates": [{ "index": 1, "type": "text", "data": { "title": "C" } }],
            "order": [{ "existing": 2 }, { "created": 0 }, { "existing": 1 }],
            "deletes": [{ "id": 3, "type": "text", "label": null }],
        });
        let end =
            |step: usize| json!({ "end": { "step": step, "created": { "1": 9 }, "deleted": 1 } });
        let mut entries = vec![
            json!({ "open": header }),
            json!({ "plan": { "time": 1, "keys": {}, "plan": plan } }),
        ];
        for step in 0..6 {
            entries.extend([json!({ "begin": { "step": step } }), end(step)]);
        }
        entries.push(json!({ "commit": { "slots": 3 } }));
        let before =
            [1, 2, 3].map(|id| json!({ "id": id, "type": "text", "data": { "title": "A" } }));
        json!({ "run": "0a00-0b", "page": 101, "entries": entries, "before": before })
    }

    /// Reverses what a file says, if it can be used.
    fn reverse(run: &Value) -> Option<Undo> {
        let run: PortableRun = serde_json::from_value(run.clone()).ok()?;
        let recorded = run.recorded(Path::new(""), "service", RunOwner::of_user(7), "file");
        let (_, recorded, before) = recorded.ok()?;
        assert_eq!(recorded.opening.path, None);
        assert_eq!(recorded.opening.owner, RunOwner::of_user(7));
        let slots = [2, 9, 1].map(
            |id| json!({ "id": id, "type": "text", "data": { "title": "B" }, "supported": true }),
        );
        let slots: Vec<Slot> = serde_json::from_value(json!(slots)).unwrap();
        let (types, recreated, unplaced) = (SlotTypes::default(), BTreeMap::new(), BTreeSet::new());
        let facts = UndoFacts {
            types: &types,
            before: before.as_deref(),
            recreated: &recreated,
            unplaced: &unplaced,
            overwrite: true,
        };
        Some(Undo::of(&recorded.log.ok()?, &slots, &Object::default(), &facts))
    }

    /// Returns the value with each of its parts replaced by each of these, one at a time.
    fn bent(value: &Value, by: &[Value]) -> Vec<Value> {
        let mut all = by.to_vec();
        match value {
            Value::Array(items) => {
                for (nth, item) in items.iter().enumerate() {
                    for part in bent(item, by) {
                        let mut items = items.clone();
                        items[nth] = part;
                        all.push(items.into());
                    }
                    let mut items = items.clone();
                    items.remove(nth);
                    all.push(items.into());
                }
            }
            Value::Object(fields) => {
                for (name, field) in fields {
                    for part in bent(field, by) {
                        let mut fields = fields.clone();
                        fields[name] = part;
                        all.push(fields.into());
                    }
                }
            }
            _ => {}
        }
        all
    }

    #[test]
    fn whatever_a_file_says_is_refused_or_reversed_without_a_panic() {
        let whole = reverse(&written()).unwrap();
        assert!(!whole.desired.slots.is_empty() && !whole.deletes.is_empty(), "{whole:?}");
        let by =
            [json!(null), json!(0), json!(u64::MAX), json!(-1), json!("x"), json!([]), json!({})];
        let all = bent(&written(), &by);
        let usable = all.iter().filter_map(reverse).count();
        assert!(usable > 100 && usable < all.len(), "{usable} of {}", all.len());
    }
}
