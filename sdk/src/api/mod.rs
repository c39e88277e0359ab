//! Operations of the service, with one handle for each resource.

use std::ops::Deref;

use serde_json::{Map, Value};

use crate::call_sender::Envelope;
use crate::generated::types::{
    File, FileEnvelope, Index, IndexEnvelope, LeadForm, LeadFormEnvelope, LeadFormList, LoginCheck,
    LoginCheckEnvelope, Me, MeEnvelope, MusicMatch, MusicMatchEnvelope, NotificationChannel,
    NotificationChannelList, Profile, ProfileEnvelope, ProfileList, ProfileSettings,
    ProfileSettingsEnvelope, SlotEnvelope, SlotList, SlotType, SlotTypeEnvelope, SlotTypeList,
    UploadUrlEnvelope,
};
use crate::operation::from_json;
use crate::slot::{Slot, SlotHeads};
use crate::upload::UploadTarget;

pub use analytics::{Analytics, AnalyticsQuery, Period};
pub(crate) use conditional::{
    OrderJudgment, PatchRecord, patch_if_unchanged, reorder_if_unchanged, update_if_unchanged,
};
pub use discovery::MusicQuery;
pub use files::FilesHandle;
pub use forms::{FormHandle, FormsHandle};
pub use profiles::{Markdown, ProfileHandle, ProfilesHandle};
pub use raw::RawCall;
pub use slot_deletes::DeletedSlots;
pub(crate) use slot_deletes::delete_if_unchanged;
pub use slots::SlotsHandle;

/// Declares answers, each with what its caller gets of it.
macro_rules! envelopes {
    (|$answer:ident| $record_of:expr; $($envelope:ty: $record:ty),*) => {$(
        impl Envelope for $envelope {
            type Record = $record;

            fn open(self) -> $record {
                let $answer = self;
                $record_of
            }
        }
    )*};
}

mod analytics;
mod conditional;
mod discovery;
mod files;
mod forms;
mod profiles;
mod raw;
mod slot_deletes;
mod slots;

/// A list of records. It can be used like a `Vec`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Listing<T> {
    /// The records, in the order of the service.
    pub items: Vec<T>,
    /// Total number of records that the service reports. If it is larger than `items.len()`, the service has begun to paginate, which it
    /// does not document.
    pub total: i64,
}

envelopes! {
    |answer| answer.data;
    FileEnvelope: File, IndexEnvelope: Index, LeadFormEnvelope: LeadForm, LoginCheckEnvelope: LoginCheck, MeEnvelope: Me,
    MusicMatchEnvelope: MusicMatch, ProfileEnvelope: Profile, ProfileSettingsEnvelope: ProfileSettings, SlotEnvelope: Slot,
    SlotTypeEnvelope: SlotType, SlotTypeList: Vec<SlotType>
}
envelopes! {
    |answer| Listing { items: answer.data, total: answer.meta.total };
    LeadFormList: Listing<LeadForm>, NotificationChannelList: Listing<NotificationChannel>, ProfileList: Listing<Profile>
}
envelopes! { |answer| answer; Map<String, Value>: Map<String, Value> }
envelopes! { |_answer| (); (): () }
envelopes! { |answer| answer.data.into(); UploadUrlEnvelope: UploadTarget }

impl Envelope for SlotList {
    type Record = Vec<Slot>;

    fn open(self) -> Vec<Slot> {
        self.data
    }

    fn check(json: &[u8]) -> serde_json::Result<()> {
        from_json::<SlotHeads>(json).map(drop)
    }
}

impl<T> Deref for Listing<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<T> IntoIterator for Listing<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// Returns a value that can be one segment of a path: only characters that have no special meaning in a path.
pub(super) fn path_segment<T: Deref<Target = str>>(what: &str, value: T) -> Result<T, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if value.is_empty() || !value.chars().all(plain) {
        let text = &*value;
        return Err(format!("invalid {what} {text:?}: use only letters, digits, `-` and `_`"));
    }
    Ok(value)
}
