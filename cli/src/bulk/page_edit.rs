//! Decision what the pages of a bulk change should have.

use std::collections::BTreeMap;
use std::sync::Arc;

use clap::Args;
use links_pages::apply::{DesiredPage, JournalEntries, PageSnapshot};
use links_sdk::{Object, ProfileKey, SlotId};

use crate::error::CommandError;
use crate::output::StyledLine;
use crate::schema::slot_types::SlotTypeCatalog;

/// Decision what a page should have.
pub(crate) trait PageEdit {
    /// Name of the command, for the journal and for messages: `slots rewrite`.
    fn command(&self) -> &'static str;

    /// Digest of what is asked for, by which an interrupted run is found that has to be continued as it was planned.
    fn digest(&self) -> Option<String> {
        None
    }

    /// Returns what is asked of a page. `interrupted` are the unfinished run on that page with the same digest and those that it has replaced,
    /// the newest first.
    fn ask(
        &self,
        page: &PageSnapshot,
        types: &SlotTypeCatalog,
        interrupted: &[JournalEntries],
    ) -> Result<AskedPage, CommandError>;

    /// Returns the name of an item in messages: a slot of a page, or a line of a file.
    fn item_name(&self, login: &str, asked: &DesiredPage, index: usize) -> String;

    /// Question before the run. `slots` is the number of slots that it changes or creates, `pages` that of their pages.
    fn question(&self, slots: usize, pages: usize) -> String;
}

/// What is asked of a page.
pub(crate) struct AskedPage {
    /// The slots to write: an item with an id is changed, one without is new. A run that was interrupted is recognised by it.
    pub(crate) items: Arc<DesiredPage>,
    /// Values to write to a slot instead of those of its item; none where it is left as it is.
    pub(crate) instead: BTreeMap<SlotId, Object>,
    /// True if new slots come before the others.
    pub(crate) at_top: bool,
    /// Notes for the user.
    pub(crate) notes: Vec<StyledLine>,
}

// How a bulk change is confirmed and shown. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct BulkArgs {
    /// Confirm the changes without being asked
    #[arg(long)]
    pub(crate) yes: bool,
    /// Wait for other runs on the same pages instead of refusing
    #[arg(long, hide_short_help = true)]
    pub(crate) wait: bool,
    /// Show every line of a large plan
    #[arg(long, hide_short_help = true)]
    pub(crate) full: bool,
}

/// Pages and options of a bulk change.
pub(crate) struct BulkRequest {
    pub(crate) pages: Vec<ProfileKey>,
    pub(crate) how: BulkArgs,
}
