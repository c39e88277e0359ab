//! The lines of a journal.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::hash::short_hash;
use super::owner::RunOwner;
use crate::apply::{DesiredPage, PageSnapshot, Plan, PlanOptions, SyncedRun, fingerprint};
use links_sdk::Object;
use links_sdk::{ProfileId, SlotId};

/// Format of the journals that this version writes. It reads no newer one.
pub(super) const FORMAT: u32 = 1;

/// Header of a run: service, page, file and options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunHeader {
    format: u32,
    /// The service's URL, or another name for it.
    pub service: String,
    /// The account. Journals of older versions do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<RunOwner>,
    /// The page's id.
    pub profile: ProfileId,
    /// The page's login when the run began.
    pub login: String,
    /// Hash of the file's content: two files with the same content have the same.
    pub file: String,
    /// Path of the file, if it was one.
    pub path: Option<String>,
    /// Set if slots that the file does not mention were to be deleted.
    pub prune: bool,
    /// Set if unsupported slots were to be deleted.
    pub prune_unsupported: bool,
    /// What the run says of the merge that it carries out, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncedRun>,
    /// The [`fingerprint`] of the page before the run.
    pub page: String,
    /// Number of slots on the page.
    pub slots: usize,
    /// Time at which the page was read, in seconds since 1970.
    pub time: u64,
    /// The command. Journals of older versions and of other programs do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<RunCommand>,
    /// Id of the form, if the command wrote a form instead of a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

/// The command that a run belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCommand {
    /// Name: `slots set`.
    pub name: String,
    /// Words of the command line after the name of the program.
    #[serde(default)]
    pub words: Vec<String>,
    /// Digest of what the command asks for, if its words do not say it as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Name that all runs of one call of the program share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Name of the run that the command undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Earlier ids of the slots that the run creates again, by the index of the item.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub recreates: BTreeMap<usize, SlotId>,
}

/// Content of a record that one request writes, with what it replaces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordWrite {
    /// Name of the operation: `updateForm`.
    pub operation: String,
    /// Fields that are sent.
    pub changed: Object,
    /// Values of these fields when the record was read. Fields that were not there are left out.
    pub before: Object,
}

impl RecordWrite {
    /// Returns the write of these fields of a record, with their values in `seen`.
    pub fn replacing(operation: &str, changed: Object, seen: &impl Serialize) -> Self {
        let seen = serde_json::to_value(seen).unwrap_or_default();
        let held = |name: &String| Some((name.clone(), seen.get(name)?.clone()));
        let before = changed.keys().filter_map(held).collect();
        Self { operation: operation.to_owned(), changed, before }
    }
}

impl RunHeader {
    /// Returns the header of a command that writes without a plan for a whole page. `page` is the key of the page as it was given, or the
    /// name of what is written; its id is 0 where no answer told it before the write.
    pub fn of_command(
        service: impl Into<String>,
        command: RunCommand,
        page: (impl Into<ProfileId>, impl Into<String>),
        time: SystemTime,
    ) -> Self {
        Self {
            format: FORMAT,
            service: service.into(),
            owner: None,
            profile: page.0.into(),
            login: page.1.into(),
            file: String::new(),
            path: None,
            prune: false,
            prune_unsupported: false,
            sync: None,
            page: String::new(),
            slots: 0,
            time: seconds(time),
            command: Some(command),
            form: None,
        }
    }

    /// Sets the id of the form that is written.
    #[must_use]
    pub fn with_form(self, form: Option<String>) -> Self {
        Self { form, ..self }
    }

    /// Sets the command.
    #[must_use]
    pub fn with_command(self, command: Option<RunCommand>) -> Self {
        Self { command, ..self }
    }

    /// Returns the header of a run that makes `page` match `desired`. `service` identifies the service and is its name for display.
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
            sync: options.merged.as_ref().and_then(|merged| merged.run.clone()),
            page: fingerprint(&page.slots),
            slots: page.slots.len(),
            time: seconds(page.read_at),
            command: None,
            form: None,
        }
    }

    /// Sets the path of the file.
    #[must_use]
    pub fn with_path(self, path: Option<String>) -> Self {
        Self { path, ..self }
    }

    /// Sets the account.
    #[must_use]
    pub fn with_owner(self, owner: Option<RunOwner>) -> Self {
        Self { owner, ..self }
    }

    /// Returns whether the run was for a file with the same content.
    pub fn is_of(&self, desired: &DesiredPage) -> bool {
        self.file == hash_of(desired)
    }
}

/// Hashes the content of a file. Keys that are only to be cleared do not count: undoing a run asks for that only as long as they are there.
fn hash_of(desired: &DesiredPage) -> String {
    let mut content = desired.clone();
    content.slots.iter_mut().for_each(|item| item.data.0.retain(|_, value| !value.is_null()));
    short_hash(&serde_json::to_vec(&content).unwrap_or_default())
}

pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

/// End of a run that did not make the page match the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RunEnding {
    /// All was written, but the page does not match the file.
    Drift,
    /// The service refused the first write, so that there is nothing to continue.
    Refused,
    /// The run was stopped, or failed, before its first write.
    Stopped,
    /// The run was abandoned for another file.
    Replaced,
    /// The run was abandoned.
    Aborted,
}

/// One line of a journal. The plan holds the exact content of every request: the bodies are made from it alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalEntry {
    /// Header of the run, the first entry.
    Open(Box<RunHeader>),
    /// The plan, and the key of each batch of creates; steps are counted as in [`Plan::batches`].
    Plan { time: u64, keys: BTreeMap<usize, String>, plan: Box<Plan> },
    /// The only request of a command that writes no slots. It is step 0.
    Write(Box<RecordWrite>),
    /// The step's request is about to be sent.
    Begin {
        step: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// The step was executed.
    End {
        step: usize,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        created: BTreeMap<usize, SlotId>,
        #[serde(default, skip_serializing_if = "is_zero")]
        deleted: usize,
        /// Fields of the record or slot that was written, as the service stored them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stored: Option<Object>,
    },
    /// The step was not executed.
    Refused { step: usize },
    /// It is unknown whether the step was executed.
    Unknown { step: usize },
    /// The page matches the file.
    Commit { slots: usize },
    /// The run has ended without matching the file.
    Close { ending: RunEnding },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}
