//! Position of a slot on its page.

use clap::Args;
use links_sdk::{Slot, SlotId, SlotsHandle};

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::profile_key;

// Where a slot goes on its page. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(multiple = false)]
pub(crate) struct PositionArgs {
    /// To the top of the page
    #[arg(long)]
    top: bool,
    /// To the end of the page
    #[arg(long)]
    bottom: bool,
    /// To this position, counted from 0
    #[arg(long, value_name = "N")]
    at: Option<u16>,
    /// Before the slot with this id
    #[arg(long, value_name = "ID", value_parser = profile_key::slot)]
    before: Option<SlotId>,
    /// After the slot with this id
    #[arg(long, value_name = "ID", value_parser = profile_key::slot)]
    after: Option<SlotId>,
}

impl PositionArgs {
    /// Tells whether a position was given.
    pub(crate) fn is_given(self) -> bool {
        let beside = self.before.is_some() || self.after.is_some();
        self.top || self.bottom || self.at.is_some() || beside
    }

    /// Returns the `order` of a new slot. The page is read only for a position before or after another slot.
    ///
    /// # Errors
    ///
    /// When the page cannot be read, or the other slot is not on it.
    pub(crate) async fn order(self, slots: &SlotsHandle) -> Result<Option<i64>, CommandError> {
        if !self.is_given() || self.bottom {
            return Ok(None);
        }
        let beside = self.before.is_some() || self.after.is_some();
        let page = if beside { slots.list().await? } else { Vec::new() };
        self.position(&page).map(|at| i64::try_from(at).ok())
    }

    /// Returns the position on a page of these slots; the end if none was given.
    ///
    /// # Errors
    ///
    /// When the slot to go before or after is not among them.
    pub(crate) fn position(self, page: &[Slot]) -> Result<usize, CommandError> {
        let of = |id: SlotId| {
            page.iter().position(|slot| slot.id == id).ok_or_else(|| {
                CommandError::new(
                    Exit::NotFound,
                    format!("there is no other slot {id} on this page"),
                )
                .with_hint("`links slots list` shows the ids")
            })
        };
        match self {
            Self { top: true, .. } => Ok(0),
            Self { at: Some(at), .. } => Ok(at.into()),
            Self { before: Some(id), .. } => of(id),
            Self { after: Some(id), .. } => of(id).map(|at| at + 1),
            _ => Ok(page.len()),
        }
    }
}
