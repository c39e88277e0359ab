//! Facts about the service that are cached between commands and can be fetched again: small files of JSON. A file that is missing, unreadable or
//! invalid counts as empty.

pub(crate) mod resource_names;
pub(crate) mod uploads;

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use links_sdk::types::SlotType;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::schema::SlotTypeCatalog;
use links_pages::fs::private;

/// Maximum size of a file in bytes; a larger file is not a cache file of this program.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Maximum age of what is read again after a day.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Reads the content of a file.
pub(crate) fn load_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_str(&load_text(path)?).ok()
}

fn load_text(path: &Path) -> Option<String> {
    let mut text = String::new();
    private::open_file(path).ok()?.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Replaces the whole content of a file, without syncing it: what it holds can be read from the service again.
pub(crate) fn store_json(path: &Path, content: &impl Serialize) -> io::Result<()> {
    private::write_unsynced(path, &serde_json::to_vec(content)?)
}

/// Returns a time in seconds since 1970.
pub(crate) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Returns the user of the token with this digest.
pub(crate) fn user_of_token(file: &Path, token: &str) -> Option<i64> {
    let users: BTreeMap<String, i64> = load_json(file)?;
    users.get(token).copied()
}

/// Adds the user of a token. A failure costs one request later.
pub(crate) fn remember_user(file: &Path, token: &str, user: i64) {
    let mut users: BTreeMap<String, i64> = load_json(file).unwrap_or_default();
    if users.insert(token.to_owned(), user) != Some(user) {
        let _ = store_json(file, &users);
    }
}

/// Tells whether a time, in seconds since 1970, is within the last day. A time in the future means that the clock was changed.
pub(crate) fn is_recent(at: u64, now: SystemTime) -> bool {
    seconds(now).checked_sub(at).is_some_and(|age| age < MAX_AGE.as_secs())
}

/// Content of a file that only the version of the program reads that wrote it: another one may interpret it differently.
#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    by: String,
    content: T,
}

/// Reads the content of a file that this version has written.
pub(crate) fn load_own<T: DeserializeOwned>(path: &Path) -> Option<T> {
    let kept: Versioned<T> = load_json(path)?;
    (kept.by == VERSION).then_some(kept.content)
}

/// Replaces the whole content of a file that only this version reads.
pub(crate) fn store_own(path: &Path, content: &impl Serialize) -> io::Result<()> {
    store_json(path, &Versioned { by: VERSION.to_owned(), content })
}

/// Returns the cached slot types if they are recent at this time; of any age without a time.
pub(crate) fn load_slot_types(path: &Path, now: Option<SystemTime>) -> Option<SlotTypeCatalog> {
    let (read_at, types) = load_own(path)?;
    now.is_none_or(|now| is_recent(read_at, now)).then(|| SlotTypeCatalog::of(types, false))
}

pub(crate) fn store_slot_types(path: &Path, types: &[SlotType], now: SystemTime) -> io::Result<()> {
    store_own(path, &(seconds(now), types))
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
        assert!(load_slot_types(&path, Some(at(0))).is_none());
        store_slot_types(&path, &[button()], at(1)).unwrap();
        for (hours, found) in [(1, true), (24, true), (25, false), (0, false)] {
            let kept = load_slot_types(&path, Some(at(hours)));
            assert_eq!(kept.is_some(), found, "{hours}");
            assert!(kept.is_none_or(|it| it.get("button") == Some(&button()) && !it.fresh));
        }
        assert!(load_slot_types(&path, None).is_some());
    }

    #[test]
    fn an_invalid_cache_file_or_one_of_another_version_is_ignored() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("types.json");
        let other = json!({"by": "0.0.0-other", "content": [1_000_000, []]}).to_string();
        for text in ["", "{", "[]", "{\"by\": 1}", &other] {
            std::fs::write(&path, text).unwrap();
            assert!(load_slot_types(&path, None).is_none(), "{text}");
        }
    }

    #[test]
    fn users_are_known_by_the_digests_of_their_tokens() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("users.json");
        assert_eq!(user_of_token(&file, "a"), None);
        remember_user(&file, "a", 1);
        remember_user(&file, "b", 2);
        remember_user(&file, "a", 3);
        assert_eq!(
            ["a", "b", "c"].map(|token| user_of_token(&file, token)),
            [Some(3), Some(2), None]
        );
    }
}
