//! `--idempotency-key`: the flag of commands whose write is one request with a key.

use clap::Args;
use links_sdk::{Call, Create, IdempotencyKey};

// The flag. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Debug)]
pub(crate) struct IdempotencyKeyArgs {
    /// Key of the write instead of a random one: repeated with it within 24 hours, it is not carried out again
    #[arg(long, value_name = "KEY", value_parser = parse, conflicts_with = "dry_run", hide_short_help = true)]
    pub(crate) idempotency_key: Option<IdempotencyKey>,
}

impl IdempotencyKeyArgs {
    /// Returns the call with the key, if there is one.
    pub(crate) fn on<T: Send + 'static>(self, call: Call<T, Create>) -> Call<T, Create> {
        match self.idempotency_key {
            Some(key) => call.with_idempotency_key(key),
            None => call,
        }
    }
}

fn parse(text: &str) -> Result<IdempotencyKey, String> {
    IdempotencyKey::new(text).map_err(|error| error.to_string())
}
