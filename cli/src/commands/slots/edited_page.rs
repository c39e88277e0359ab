//! Page that was edited, merged with what others changed meanwhile.

use std::path::Path;

use links_sdk::apply::{DesiredPage, DesiredSlot, PageSnapshot};

use crate::apply::planned::ApplyArgs;
use crate::apply::three_way;
use crate::apply::three_way::Conflict;
use crate::args::fields::contested;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Style, StyledLine};
use crate::page_file::local_image::ImageRoots;
use crate::page_file::{Document, PageFile};

/// File to apply, and whether it differs from the user's by a merge.
pub(super) struct EditedPage {
    pub(super) file: PageFile,
    pub(super) is_merged: bool,
}

impl EditedPage {
    /// Merges the changes that others made since the page was opened, if the user did not change the same.
    pub(super) async fn merge(
        context: &mut Context,
        apply_args: &ApplyArgs,
        opened: &mut Vec<DesiredSlot>,
        document: &Document,
        now: &PageSnapshot,
    ) -> Result<Self, CommandError> {
        // References are relative to the user's directory, not to that of the draft.
        let images = ImageRoots::new(Path::new(""), &apply_args.upload_root)?;
        let file = PageFile::of(document.clone(), &images)?.slots_only()?;
        let types = context.slot_types().await?.rules();
        let now = DesiredPage::from_page(&now.slots, &types).slots;
        if *opened == now {
            return Ok(Self { file, is_merged: false });
        }
        let prune = apply_args.prune || apply_args.prune_unsupported;
        let edited = &file.page.content.slots;
        let merged = three_way::merge(opened, edited, &now, prune).map_err(|conflicts| {
            for conflict in &conflicts {
                conflict.seen(opened, &now);
            }
            refused(document, &conflicts)
        })?;
        for kept in merged.kept {
            let text = format!("{kept} meanwhile; the change is kept");
            context.ui.say(&StyledLine::new(Style::Changed, text));
        }
        let file =
            PageFile::of(document.clone().rearranged(&merged.items), &images)?.slots_only()?;
        Ok(Self { file, is_merged: true })
    }
}

/// Returns the error for conflicts, at their places in the file.
fn refused(document: &Document, conflicts: &[Conflict]) -> CommandError {
    let places: Vec<_> = conflicts.iter().map(Conflict::place).collect();
    let places = places.iter().map(|(path, words)| (&**path, &**words));
    contested().at(document.refuse(places))
}
