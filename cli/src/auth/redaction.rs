//! Redaction of the tokens of this process in stderr, errors and traces. Data on stdout is the service's own and is not changed.

use std::borrow::Cow;
use std::sync::OnceLock;

use links_sdk::Secrets;

static KNOWN: OnceLock<Secrets> = OnceLock::new();

/// Set to which each client of this process adds the tokens that it sends.
pub(crate) fn known() -> Secrets {
    KNOWN.get_or_init(Secrets::default).clone()
}

/// Returns a text with the known tokens masked.
pub(crate) fn hidden(text: &str) -> Cow<'_, str> {
    match KNOWN.get() {
        Some(known) => match known.hide(text) {
            Cow::Owned(hidden) => Cow::Owned(hidden),
            Cow::Borrowed(_) => Cow::Borrowed(text),
        },
        None => Cow::Borrowed(text),
    }
}
