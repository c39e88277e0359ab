//! Places at which a test ends this process, as a power cut would. Release builds have none of this.

/// A place that the process does not get beyond where `LINKS_TEST_CRASH` names it.
pub(crate) fn point(place: &str) {
    if std::env::var("LINKS_TEST_CRASH").is_ok_and(|it| it == place) {
        std::process::abort();
    }
}
