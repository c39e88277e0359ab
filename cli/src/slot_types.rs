//! What the service says about its slot types. Read once a day, because a list of types costs a request and seldom changes.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use links_sdk::apply::SlotTypes;
use links_sdk::types::SlotType;
use links_sdk::{Clock, SystemClock};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::kept;

/// Longest time for which a description is relied on.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The slot types by name.
#[derive(Clone, Debug)]
pub(crate) struct Described {
    types: BTreeMap<String, SlotType>,
    /// Whether they were just read from the service.
    pub(crate) fresh: bool,
}

/// What the service sends.
#[derive(Deserialize)]
struct List {
    data: Vec<SlotType>,
}

/// What the file holds.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The program that wrote it: another version may read the same answer otherwise.
    by: String,
    /// In seconds since 1970.
    read_at: u64,
    types: Vec<SlotType>,
}

impl Described {
    pub(crate) fn of(types: Vec<SlotType>, fresh: bool) -> Self {
        Self { types: types.into_iter().map(|it| (it.type_.clone(), it)).collect(), fresh }
    }

    /// One type.
    pub(crate) fn get(&self, kind: &str) -> Option<&SlotType> {
        self.types.get(kind)
    }

    /// The names of all types.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    /// The names of the types that can be created.
    pub(crate) fn creatable(&self) -> impl Iterator<Item = &str> + Clone {
        self.types.values().filter(|it| it.writable).map(|it| it.type_.as_str())
    }

    /// As far as planning needs them.
    pub(crate) fn rules(&self) -> SlotTypes {
        let mut rules = SlotTypes::default();
        for (name, it) in &self.types {
            rules.insert(name.as_str(), it.writable, Value::Object(it.schema.0.clone()));
            rules.computes(name, it.computed.0.keys());
        }
        rules
    }
}

/// What was read within the last day, else what the service says now.
pub(crate) async fn read(context: &mut Context) -> Result<Described, Failure> {
    match kept(context) {
        Some(described) => Ok(described),
        None => fetch(context).await,
    }
}

/// What was read within the last day, if anything was.
pub(crate) fn kept(context: &Context) -> Option<Described> {
    load(&path(context)?, Some(SystemClock::new().wall()))
}

/// What was read at any time, which is good enough to complete a word with.
pub(crate) fn known(context: &Context) -> Option<Described> {
    load(&path(context)?, None)
}

/// What the service says now, in one request.
pub(crate) async fn fetch(context: &mut Context) -> Result<Described, Failure> {
    let types = context.client().await?.slot_types().await?;
    if let Some(path) = path(context) {
        // A day without the file costs a request a command, no more.
        let _ = store(&path, &types, SystemClock::new().wall());
    }
    Ok(Described::of(types, true))
}

/// Keeps a list of them that a command has read for itself.
pub(crate) fn keep(context: &Context, body: &[u8]) {
    if let (Some(path), Ok(List { data })) = (path(context), serde_json::from_slice(body)) {
        let _ = store(&path, &data, SystemClock::new().wall());
    }
}

/// Relies no longer on what was read: the service has contradicted it.
pub(crate) fn forget(context: &Context) {
    if let Some(path) = path(context) {
        let _ = std::fs::remove_file(path);
    }
}

fn path(context: &Context) -> Option<PathBuf> {
    context.cache_file("slot-types")
}

/// What the file holds, if it is recent at this time.
fn load(path: &Path, now: Option<SystemTime>) -> Option<Described> {
    let kept: Kept = kept::load(path)?;
    let read_at = UNIX_EPOCH.checked_add(Duration::from_secs(kept.read_at))?;
    // What comes from the future says that the clock was set, not that it is new.
    let is_recent = |now: SystemTime| now.duration_since(read_at).is_ok_and(|age| age < MAX_AGE);
    let recent = now.is_none_or(is_recent);
    (kept.by == env!("CARGO_PKG_VERSION") && recent).then(|| Described::of(kept.types, false))
}

fn store(path: &Path, types: &[SlotType], now: SystemTime) -> io::Result<()> {
    let read_at = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let kept = Kept { by: env!("CARGO_PKG_VERSION").to_owned(), read_at, types: types.to_vec() };
    kept::store(path, &kept)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn button() -> SlotType {
        let described = json!({
            "type": "button", "title": "Button", "description": "", "writable": true,
            "schema": {"type": "object"}, "computed": [], "enumLabels": {}, "example": {}, "since": 2026,
        });
        serde_json::from_value(described).unwrap()
    }

    #[test]
    fn a_description_is_kept_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/types.json");
        let at = |hours: u64| UNIX_EPOCH + Duration::from_secs(1_000_000 + hours * 3600);
        assert!(load(&path, Some(at(0))).is_none());
        store(&path, &[button()], at(1)).unwrap();
        for (hours, found) in [(1, true), (24, true), (25, false), (0, false)] {
            let kept = load(&path, Some(at(hours)));
            assert_eq!(kept.is_some(), found, "{hours}");
            assert!(kept.is_none_or(|it| it.get("button") == Some(&button()) && !it.fresh));
        }
        assert!(load(&path, None).is_some());
    }

    #[test]
    fn what_is_not_ours_counts_as_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("types.json");
        let other = json!({"by": "0.0.0-other", "read_at": 1_000_000, "types": []}).to_string();
        for text in ["", "{", "[]", "{\"by\": 1}", &other] {
            std::fs::write(&path, text).unwrap();
            assert!(load(&path, None).is_none(), "{text}");
        }
    }
}
