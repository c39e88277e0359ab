//! Cache file of the slot types.

use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use links_sdk::types::SlotType;
use serde::{Deserialize, Serialize};

use super::json_file;
use crate::schema::slot_types::SlotTypeCatalog;

/// Maximum age of a usable cache file.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Content of the cache file.
#[derive(Serialize, Deserialize)]
struct CachedSlotTypes {
    /// Version of the program that wrote the file: another version may interpret the response differently.
    by: String,
    /// Time of the request in seconds since 1970.
    read_at: u64,
    types: Vec<SlotType>,
}

/// Returns the cached slot types if they are recent at this time; of any age without a time.
pub(crate) fn load(path: &Path, now: Option<SystemTime>) -> Option<SlotTypeCatalog> {
    let kept: CachedSlotTypes = json_file::load(path)?;
    let read_at = UNIX_EPOCH.checked_add(Duration::from_secs(kept.read_at))?;
    // A time in the future means that the clock was changed, not that the file is recent.
    let is_recent = |now: SystemTime| now.duration_since(read_at).is_ok_and(|age| age < MAX_AGE);
    let recent = now.is_none_or(is_recent);
    (kept.by == env!("CARGO_PKG_VERSION") && recent).then(|| SlotTypeCatalog::of(kept.types, false))
}

pub(crate) fn store(path: &Path, types: &[SlotType], now: SystemTime) -> io::Result<()> {
    let read_at = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let kept = CachedSlotTypes {
        by: env!("CARGO_PKG_VERSION").to_owned(),
        read_at,
        types: types.to_vec(),
    };
    json_file::store(path, &kept)
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
    fn cached_slot_types_are_used_for_a_day() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/types.json");
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
    fn an_invalid_cache_file_or_one_of_another_version_is_ignored() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("types.json");
        let other = json!({"by": "0.0.0-other", "read_at": 1_000_000, "types": []}).to_string();
        for text in ["", "{", "[]", "{\"by\": 1}", &other] {
            std::fs::write(&path, text).unwrap();
            assert!(load(&path, None).is_none(), "{text}");
        }
    }
}
