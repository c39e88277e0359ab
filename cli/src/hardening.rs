//! What keeps secrets in this process from being written down by the system.

/// Turns off core dumps: they would hold the tokens. A system that does not allow that is no reason not to go on.
///
/// The process stays "dumpable" in the sense of Linux: otherwise nobody but root could open `/dev/stdin` or the `/dev/fd/63` of
/// `<(command)` in it.
pub(crate) fn no_core_dumps() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        let _ = setrlimit(Resource::Core, none);
    }
}
