//! The lines of a journal.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::hash::short_hash;
use super::owner::RunOwner;
use crate::apply::{DesiredPage, PageSnapshot, Plan, PlanOptions, fingerprint};

/// Format of the journals that this version writes. It reads no newer one.
pub(super) const FORMAT: u32 = 1;

/// What a run is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunHeader {
    format: u32,
    /// The service's address, or another name for it.
    pub service: String,
    /// The account. Journals of older versions do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<RunOwner>,
    /// The page's id.
    pub profile: i64,
    /// Its login when the run began.
    pub login: String,
    /// Names what the file asks for: two files that ask for the same have the same.
    pub file: String,
    /// Where the file was, if it was one.
    pub path: Option<String>,
    /// Whether slots that the file does not mention were to be deleted.
    pub prune: bool,
    /// Whether unsupported ones were.
    pub prune_unsupported: bool,
    /// The [`fingerprint`] of the page before the run.
    pub page: String,
    /// How many slots it had.
    pub slots: usize,
    /// When the page was read, in seconds since 1970.
    pub time: u64,
}

impl RunHeader {
    /// A run that makes `page` as `desired` says. `service` names the service for people and tells it from others.
    pub fn new(
        service: impl Into<String>,
        page: &PageSnapshot,
        desired: &DesiredPage,
        options: &PlanOptions,
    ) -> Self {
        Self {
            format: FORMAT,
            service: service.into(),
            owner: None,
            profile: page.id,
            login: page.login.clone(),
            file: hash_of(desired),
            path: None,
            prune: options.prune,
            prune_unsupported: options.prune_unsupported,
            page: fingerprint(&page.slots),
            slots: page.slots.len(),
            time: seconds(page.read_at),
        }
    }

    /// The same with the place of the file.
    #[must_use]
    pub fn with_path(self, path: Option<String>) -> Self {
        Self { path, ..self }
    }

    /// The same with the account.
    #[must_use]
    pub fn with_owner(self, owner: Option<RunOwner>) -> Self {
        Self { owner, ..self }
    }

    /// Whether the run was for a file that asks for the same.
    pub fn is_of(&self, desired: &DesiredPage) -> bool {
        self.file == hash_of(desired)
    }
}

/// Keys that are only to be cleared do not count: who undoes a run asks for that only as long as they are there.
fn hash_of(desired: &DesiredPage) -> String {
    let mut content = desired.clone();
    content.slots.iter_mut().for_each(|item| item.data.0.retain(|_, value| !value.is_null()));
    short_hash(&serde_json::to_vec(&content).unwrap_or_default())
}

pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

/// How a run came to its end, other than by making the page as the file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnding {
    /// All was written, yet the page is not as the file says.
    Drift,
    /// The service refused the first write, so that there is nothing to go on with.
    Refused,
    /// It was stopped, or failed, before its first write.
    Stopped,
    /// It was given up for another file.
    Replaced,
    /// It was given up.
    Aborted,
}

/// One line. The plan holds the exact content of every request: their bodies are made of it alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalEntry {
    /// The first line.
    Open(RunHeader),
    /// What will be done, and under which key each batch of creates; steps are counted as in [`Plan::batches`].
    Plan { time: u64, keys: BTreeMap<usize, String>, plan: Box<Plan> },
    /// The step's request is about to be sent.
    Begin {
        step: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// The step was carried out.
    End {
        step: usize,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        created: BTreeMap<usize, i64>,
        #[serde(default, skip_serializing_if = "is_zero")]
        deleted: usize,
    },
    /// The step was not carried out.
    Refused { step: usize },
    /// Nobody knows whether the step was carried out.
    Unknown { step: usize },
    /// The page is as the file says.
    Commit { slots: usize },
    /// The run is over all the same.
    Close { ending: RunEnding },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
