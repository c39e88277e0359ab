//! Flags that several commands that write have: `--operation-out`, `--idempotency-key`, and the position of a slot.

use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use links_sdk::{Call, Create, IdempotencyKey, Slot, SlotsHandle};

use crate::context::prelude::*;
use crate::output::dry_run::DryRunArgs;
use links_pages::profile_key;

// The flags of commands that write several pages and forms. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Debug)]
pub(crate) struct OperationArgs {
    /// Save the operation to this file, for `links undo --from` on any machine
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, hide_short_help = true, help_heading = "Output")]
    pub(crate) operation_out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) dry_run: DryRunArgs,
}

/// Returns the end of a dry run with what it would send after what it would have sent before. Any other failure is an error.
pub(crate) fn next_dry_run(
    earlier: Option<&CommandError>,
    failure: CommandError,
) -> Result<CommandError> {
    if failure.dry_run_results().is_empty() {
        return Err(failure);
    }
    let earlier = earlier.map(CommandError::dry_run_results).unwrap_or_default();
    Ok(failure.after(earlier.to_vec()))
}

// The flags of commands whose write is one request with a key. Not a doc comment, as above.
#[derive(Args, Clone, Debug)]
pub(crate) struct CreateArgs {
    /// Idempotency key; repeating the write with the same key within 24 hours has no effect
    #[arg(long, value_name = "KEY", value_parser = |text: &str| IdempotencyKey::new(text), conflicts_with = "dry_run", hide_short_help = true)]
    pub(crate) idempotency_key: Option<IdempotencyKey>,
    #[command(flatten)]
    pub(crate) dry_run: DryRunArgs,
}

impl CreateArgs {
    /// Returns the call with the key, if there is one.
    pub(crate) fn on<T: Send + 'static>(self, call: Call<T, Create>) -> Call<T, Create> {
        match self.idempotency_key {
            Some(key) => call.with_idempotency_key(key),
            None => call,
        }
    }
}

/// Returns a parser for the values with these names.
pub(crate) fn values<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

// Where a slot goes on its page. Not a doc comment, as above.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[group(multiple = false)]
pub(crate) struct PositionArgs {
    /// Place the slot at the top of the page
    #[arg(long)]
    top: bool,
    /// Place the slot at the end of the page
    #[arg(long, hide_short_help = true)]
    bottom: bool,
    /// Place the slot at this position (1 is the top)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    at: Option<u16>,
    /// Place the slot before the slot with this ID
    #[arg(long, value_name = "ID", value_parser = profile_key::slot)]
    before: Option<SlotId>,
    /// Place the slot after the slot with this ID
    #[arg(long, value_name = "ID", value_parser = profile_key::slot)]
    after: Option<SlotId>,
}

impl PositionArgs {
    /// Tells whether a position was given.
    pub(crate) fn is_given(self) -> bool {
        self != Self::default()
    }

    /// Returns the `order` of a new slot. The page is read only for a position before or after another slot.
    ///
    /// # Errors
    ///
    /// When the page cannot be read, or the other slot is not on it; or with a key, because the position differs once the slot is there.
    pub(crate) async fn order(
        self,
        slots: &SlotsHandle,
        key: Option<&IdempotencyKey>,
    ) -> Result<Option<i64>> {
        if !self.is_given() || self.bottom {
            return Ok(None);
        }
        let beside = self.before.is_some() || self.after.is_some();
        if beside && key.is_some() {
            let message = "--idempotency-key cannot be used with --before or --after, whose position differs the second time";
            return Err(CommandError::usage(format!("{message}; nothing was written"))
                .with_hint("pass --top, --at N or --bottom"));
        }
        let page = if beside { slots.list().await? } else { Vec::new() };
        self.position(&page).map(|at| i64::try_from(at).ok())
    }

    /// Returns the position on a page of these slots; the end if none was given.
    ///
    /// # Errors
    ///
    /// When the slot to go before or after is not among them.
    pub(crate) fn position(self, page: &[Slot]) -> Result<usize> {
        let of = |id: SlotId| {
            page.iter().position(|slot| slot.id == id).ok_or_else(|| {
                CommandError::not_found(format!("this page has no other slot with the ID {id}"))
                    .with_hint("`links slots list` shows the IDs")
            })
        };
        match self {
            Self { top: true, .. } => Ok(0),
            Self { at: Some(at), .. } => Ok(usize::from(at) - 1),
            Self { before: Some(id), .. } => of(id),
            Self { after: Some(id), .. } => of(id).map(|at| at + 1),
            _ => Ok(page.len()),
        }
    }
}
