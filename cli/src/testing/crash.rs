//! Places at which a test ends this process, as a power cut would. Release builds have none of this.

use crate::env_vars;

/// A place that the process does not get beyond where `LINKS_TEST_CRASH` names it.
pub(crate) fn point(place: &str) {
    if std::env::var(env_vars::TEST_CRASH).is_ok_and(|it| it == place) {
        std::process::abort();
    }
}
