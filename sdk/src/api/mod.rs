//! Operations of the service, with one handle for each resource.

mod analytics;
mod channels;
mod conditional_patch;
mod conditional_reorder;
mod discovery;
mod files;
mod forms;
mod listing;
mod login;
mod music;
mod path;
mod profiles;
mod raw;
mod settings;
mod slot_deletes;
mod slots;

pub use analytics::{Analytics, AnalyticsHandle, AnalyticsQuery};
pub(crate) use conditional_patch::{ConditionalPatch, PatchRecord};
pub use files::FilesHandle;
pub use forms::{FormHandle, FormsHandle};
pub use listing::Listing;
pub use music::{MusicQuery, MusicType};
pub use profiles::{CheckLogin, Markdown, ProfileHandle, ProfilesHandle};
pub use raw::RawCall;
pub use slot_deletes::DeletedSlots;
pub(crate) use slot_deletes::delete_if_unchanged;
pub use slots::SlotsHandle;
