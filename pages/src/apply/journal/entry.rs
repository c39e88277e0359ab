//! The lines of a journal.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::apply::{DesiredPage, DesiredSlot, PageSnapshot, Plan, PlanOptions, SyncedRun};
use links_sdk::{Object, ProfileId, SlotId, Token};

/// Format of the journals that this version writes. It reads no newer one.
pub(super) const FORMAT: u32 = 1;

/// Header of a run: service, page, file and options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunHeader {
    pub(crate) format: u32,
    /// The service's URL, or another name for it.
    pub service: String,
    /// The account, as far as it is known.
    #[serde(default, skip_serializing_if = "RunOwner::is_unknown")]
    pub owner: RunOwner,
    /// The page's ID.
    pub profile: ProfileId,
    /// The page's login when the run began.
    pub login: String,
    /// Hash of the file's content: two files with the same content have the same.
    pub file: String,
    /// Path of the file, if it was one.
    pub path: Option<String>,
    /// Set if slots that are not in the file were to be deleted.
    pub prune: bool,
    /// Set if unsupported slots were to be deleted.
    pub prune_unsupported: bool,
    /// Information about the merge that the run carries out, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncedRun>,
    /// Number of slots on the page.
    pub slots: usize,
    /// Time at which the page was read, in seconds since 1970.
    pub time: u64,
    /// The command. It has no name if another program did not name it.
    pub command: RunCommand,
    /// ID of the form, if the command wrote a form instead of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

/// The account of a run, as far as it is known without asking the service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunOwner {
    /// ID of the user (`getMe`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<i64>,
    /// Digest of the token, from which the token cannot be recovered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

impl RunOwner {
    /// Returns a user of the service.
    pub fn of_user(id: i64) -> Self {
        Self { user: Some(id), token: None }
    }

    /// Returns the owner of this token.
    pub fn of_token(token: &Token) -> Self {
        Self {
            user: None,
            token: Some(short_hash(format!("Bearer {}", token.secret()).as_bytes())),
        }
    }

    /// Returns whether nothing is known about the account.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether both are the same account. `None` if this is unknown, because a user can have several tokens.
    pub fn is(&self, other: &Self) -> Option<bool> {
        match (self.user, other.user) {
            (Some(one), Some(two)) => Some(one == two),
            _ => (self.token.is_some() && self.token == other.token).then_some(true),
        }
    }
}

/// The command of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunCommand {
    /// Name: `slots set`.
    pub name: String,
    /// Arguments of the command line after the name of the program.
    pub words: Vec<String>,
    /// Digest of the content of the command, if its arguments do not contain all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Name that all runs of one call of the program share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// True if the call of the program was for several accounts, and this is what it wrote to one of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_part: bool,
    /// Name of the run that the command undoes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Names of the runs of the undone operation that the command does not undo, or undoes only in part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaves: Vec<String>,
    /// Earlier IDs of the slots that the run creates again, by the index of the item.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub recreates: BTreeMap<usize, SlotId>,
}

/// Content of a record that one request writes, with the content that it replaces.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordWrite {
    /// Name of the operation: `updateForm`.
    pub operation: String,
    /// Fields that are sent.
    pub changed: Object,
    /// Values of these fields when the record was read, without fields that did not exist.
    pub before: Object,
}

impl RecordWrite {
    /// Returns the creation of a record with these fields.
    pub fn creating(operation: &str, changed: Object) -> Self {
        Self { operation: operation.to_owned(), changed, before: Object::default() }
    }
}

impl RunHeader {
    /// Returns the header of a command that writes without a plan for a whole page. `page` is the key of the page as given, or the name of
    /// the written record. Its ID is 0 if no response returned it before the write.
    pub fn of_command(
        service: impl Into<String>,
        command: RunCommand,
        page: (impl Into<ProfileId>, impl Into<String>),
        time: SystemTime,
    ) -> Self {
        Self {
            format: FORMAT,
            service: service.into(),
            profile: page.0.into(),
            login: page.1.into(),
            time: seconds(time),
            command,
            ..Self::default()
        }
    }

    /// Returns the header of a run that makes `page` match `desired`. `service` identifies the service, and is its display name.
    pub fn new(
        service: impl Into<String>,
        page: &PageSnapshot,
        desired: &DesiredPage,
        options: &PlanOptions,
    ) -> Self {
        Self {
            format: FORMAT,
            service: service.into(),
            profile: page.id,
            login: page.login.clone(),
            file: hash_of(desired),
            prune: options.prune,
            prune_unsupported: options.prune_unsupported,
            sync: options.sync.clone(),
            slots: page.slots.len(),
            time: seconds(page.read_at),
            ..Self::default()
        }
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

/// Returns a hash of 128 bits in hexadecimal, for names of files and for comparisons.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..16])
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
    /// The service refused the first write, so there is nothing to continue.
    Refused,
    /// The run was stopped, or failed, before its first write.
    Stopped,
    /// The run was abandoned for another file.
    Replaced,
    /// The run was abandoned.
    Aborted,
}

/// A plan; its steps are counted as in [`Plan::batches`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecordedPlan {
    pub time: u64,
    pub plan: Plan,
    /// [Digest](SyncedRun::base) of the record that a later plan of the run was made with: what the run had written before is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Slots that a later plan of the run deletes, as they were before it: others may have edited them since the backup.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<DesiredSlot>,
    /// Set if the page had a status that was not shown any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub had_expired_mood: bool,
}

/// One line of a journal. The plan holds the exact content of every request: the bodies are made from it alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JournalEntry {
    /// Header of the run, the first entry.
    Open(Box<RunHeader>),
    Plan(Box<RecordedPlan>),
    /// The only request of a command that writes no slots. It is step 0.
    Write(Box<RecordWrite>),
    /// The step's request is about to be sent, under this key if it creates slots. A step that begins once more was not executed before. Of
    /// a step without an end, it is unknown whether it was executed.
    Begin {
        step: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// The step was executed.
    End {
        step: usize,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        created: BTreeMap<usize, SlotId>,
        deleted: usize,
        /// Fields of the record or slot that was written, as the service stored them.
        #[serde(skip_serializing_if = "Option::is_none")]
        stored: Option<Object>,
    },
    /// The step was not executed.
    Refused {
        step: usize,
    },
    /// The page matches the file.
    Commit {
        slots: usize,
    },
    /// The run has ended without matching the file.
    Close {
        ending: RunEnding,
    },
    /// The record of the file was written after the run.
    Recorded,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_users_differ_and_two_tokens_may_belong_to_one() {
        let token = |text| RunOwner::of_token(&Token::new(text).unwrap());
        let both = RunOwner { user: Some(7), ..token("lnk_one") };
        assert_eq!(RunOwner::of_user(7).is(&RunOwner::of_user(7)), Some(true));
        assert_eq!(RunOwner::of_user(7).is(&RunOwner::of_user(8)), Some(false));
        assert_eq!(both.is(&RunOwner::of_user(8)), Some(false));
        assert_eq!(both.is(&token("lnk_one")), Some(true));
        assert_eq!(token("lnk_one").is(&token("lnk_two")), None);
        assert_eq!(token("lnk_one").is(&RunOwner::of_user(7)), None);
        assert_eq!(RunOwner::default().is(&RunOwner::default()), None);
        let written = serde_json::to_string(&token("lnk_one")).unwrap();
        assert!(!written.contains("lnk_one") && written.len() < 60, "{written}");
    }
}
