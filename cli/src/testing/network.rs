//! Whether there is a network, for tests. Not part of release builds.

use crate::env_vars;

/// Tells what `LINKS_TEST_ONLINE` says: whether there is a network. `None` if the variable is not set.
pub(crate) fn is_online() -> Option<bool> {
    std::env::var(env_vars::TEST_ONLINE).ok().map(|text| text == "1")
}
