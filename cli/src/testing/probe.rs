//! Probe of file access from a sandboxed process, for tests. Not part of release builds.

use std::fs::File;

use crate::env_vars;

/// Tells whether the file in `LINKS_TEST_PROBE` can be opened; `None` if the variable is not set.
pub(crate) fn is_open() -> Option<bool> {
    std::env::var_os(env_vars::TEST_PROBE).map(|path| File::open(path).is_ok())
}
