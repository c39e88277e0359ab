//! What runs on this machine wrote into a `links.lock`. It is kept in the state directory, where no pull request can change it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use links_pages::sync::{Lock, SlotBase};
use links_sdk::ProfileId;

use super::state_records::StateRecords;
use crate::context::Context;
use links_pages::fs::private;
use links_pages::page_file::local_image::hash_of;

/// Number of hexadecimal digits that stand for one fact.
const DIGITS: usize = 24;

/// The facts of a lock that runs here wrote: which slots its files hold, and which forms and images its names stand for. Each is one line with
/// a hash. A fact that was in the lock before a run is not written by it, whatever else the run writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct LockWrites {
    /// `None` without a state directory.
    path: Option<PathBuf>,
    facts: BTreeSet<String>,
}

impl LockWrites {
    /// Reads what was written here. A file that cannot be read says nothing.
    pub(crate) fn of(context: &Context, service: &str, lock: &Path) -> Self {
        let records = lock.to_str().and_then(|lock| StateRecords::of(context, service, lock));
        let path = records.map(|it| it.lock_writes_path());
        let bytes = path.as_ref().and_then(|path| private::read(path).ok().flatten());
        let text = String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default();
        Self { path, facts: text.lines().map(str::to_owned).collect() }
    }

    /// Adds what a run has written, and forgets what the lock no longer has. Where no state can be stored, the commits of the files have to
    /// show it.
    pub(super) fn add(mut self, before: &Lock, after: &Lock) {
        let (before, after) = (facts(before), facts(after));
        self.facts.retain(|fact| after.contains(fact));
        self.facts.extend(after.difference(&before).cloned());
        let lines: Vec<&str> = self.facts.iter().map(String::as_str).collect();
        let _ = self.path.map(|path| private::write_unsynced(&path, lines.join("\n").as_bytes()));
    }

    /// Returns whether a run here wrote the entry of a slot.
    pub(crate) fn has_slot(&self, page: ProfileId, entry: &SlotBase) -> bool {
        self.facts.contains(&slot_fact(page, entry))
    }

    /// Returns whether a run here wrote which form a name stands for.
    pub(crate) fn has_form(&self, name: &str, id: &str) -> bool {
        self.facts.contains(&fact("form", name, id))
    }

    /// Returns whether a run here wrote the path of an image.
    pub(crate) fn has_image(&self, hash: &str, path: &str) -> bool {
        self.facts.contains(&fact("image", hash, path))
    }
}

fn facts(lock: &Lock) -> BTreeSet<String> {
    let pages = lock.pages.values();
    let slots = pages.flat_map(|page| page.slots.iter().map(|entry| slot_fact(page.id, entry)));
    let forms = lock.forms.iter().map(|(name, id)| fact("form", name, id));
    let images = lock.images.iter().flat_map(|(hash, paths)| {
        let paths = paths.0.iter();
        paths.map(move |path| fact("image", hash, path))
    });
    slots.chain(forms).chain(images).collect()
}

fn slot_fact(page: ProfileId, entry: &SlotBase) -> String {
    let entry = serde_json::to_string(entry).unwrap_or_default();
    fact("slot", &page.to_string(), &entry)
}

fn fact(kind: &str, name: &str, value: &str) -> String {
    let mut hash = hash_of(format!("{kind}\0{name}\0{value}").as_bytes());
    hash.truncate(DIGITS);
    hash
}
