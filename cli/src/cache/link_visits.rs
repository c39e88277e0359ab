//! Cache of links that were fine: for a day, by the hash of the URL. The file holds no URL, because a URL may be a secret.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hex::encode;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{load_json, store_json};

/// Maximum age of an entry.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum number of entries.
const MOST: usize = 20_000;

/// Links that were fine, by the hash of their URL.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LinkVisits {
    /// Version of the program that wrote the file: another version may judge differently.
    by: String,
    fine: BTreeMap<String, FineLink>,
}

/// What is known about a link that was fine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FineLink {
    /// Time of the visit in seconds since 1970.
    at: u64,
    /// Time at which the certificate ends in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate_ends: Option<u64>,
    /// The same URL with https works.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) works_with_https: bool,
}

impl LinkVisits {
    /// Loads the entries that are recent at this time. A file that is missing or invalid counts as empty.
    pub(crate) fn load(path: &Path, now: SystemTime) -> Self {
        let kept: Option<Self> = load_json(path);
        let mut kept = kept.filter(|kept| kept.by == VERSION).unwrap_or_default();
        let now = seconds(now);
        let is_recent = |link: &FineLink| {
            // A time in the future means that the clock was changed.
            now.checked_sub(link.at).is_some_and(|age| age < MAX_AGE.as_secs())
        };
        kept.fine.retain(|_, link| is_recent(link));
        kept
    }

    /// Returns what is known about a URL. What a check with private hosts found counts for such a check alone.
    pub(crate) fn get(&self, url: &str, allow_private: bool) -> Option<&FineLink> {
        self.fine.get(&key(url, allow_private))
    }

    /// Adds a link that is fine.
    pub(crate) fn add(&mut self, url: &str, allow_private: bool, link: FineLink) {
        self.fine.insert(key(url, allow_private), link);
    }

    /// Removes a link that is not fine any more.
    pub(crate) fn remove(&mut self, url: &str, allow_private: bool) {
        self.fine.remove(&key(url, allow_private));
    }

    /// Replaces the file. Of too many entries the newest stay.
    pub(crate) fn store(mut self, path: &Path) -> io::Result<()> {
        if self.fine.len() > MOST {
            let mut times: Vec<u64> = self.fine.values().map(|link| link.at).collect();
            times.sort_unstable_by(|one, other| other.cmp(one));
            let oldest = times[MOST - 1];
            self.fine.retain(|_, link| link.at >= oldest);
        }
        VERSION.clone_into(&mut self.by);
        store_json(path, &self)
    }
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl FineLink {
    pub(crate) fn new(
        at: SystemTime,
        certificate_ends: Option<SystemTime>,
        works_with_https: bool,
    ) -> Self {
        Self { at: seconds(at), certificate_ends: certificate_ends.map(seconds), works_with_https }
    }

    /// Returns the time at which the certificate ends.
    pub(crate) fn certificate_ends(&self) -> Option<SystemTime> {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.certificate_ends?))
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn key(url: &str, allow_private: bool) -> String {
    let scope = if allow_private { "private " } else { "" };
    encode(&Sha256::digest(format!("{scope}{url}"))[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://qara.example/?invite=a-secret";

    fn at(hours: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_000_000 + hours * 3600)
    }

    #[test]
    fn a_fine_link_is_known_for_a_day_and_its_url_is_not_stored() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/links.json");
        let mut visits = LinkVisits::load(&path, at(0));
        let link = FineLink::new(at(1), Some(at(1000)), true);
        visits.add(URL, false, link.clone());
        visits.add("https://other.example/", false, link.clone());
        visits.remove("https://other.example/", false);
        visits.store(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("qara") && !text.contains("a-secret"), "{text}");
        for (hours, is_known) in [(0, false), (1, true), (24, true), (25, false)] {
            let visits = LinkVisits::load(&path, at(hours));
            assert_eq!(visits.get(URL, false), is_known.then_some(&link), "{hours}");
            assert_eq!(visits.get(URL, true), None);
            assert_eq!(visits.get("https://other.example/", false), None);
        }
        assert_eq!(link.certificate_ends(), Some(at(1000)));
    }

    #[test]
    fn an_invalid_file_is_ignored_and_a_large_one_is_cut() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("links.json");
        for text in
            ["", "[]", "{\"by\": 1}", "{\"by\": \"0.0.0-other\", \"fine\": {\"a\": {\"at\": 1}}}"]
        {
            std::fs::write(&path, text).unwrap();
            assert!(LinkVisits::load(&path, at(0)).fine.is_empty(), "{text}");
        }
        let mut visits = LinkVisits::default();
        for nth in 0..MOST + 3 {
            let time = at(0) + Duration::from_secs(nth as u64 / 2);
            visits.add(&nth.to_string(), false, FineLink::new(time, None, false));
        }
        visits.store(&path).unwrap();
        let kept = LinkVisits::load(&path, at(10)).fine;
        assert!((MOST..=MOST + 1).contains(&kept.len()), "{}", kept.len());
    }
}
