//! What a test asks of a confined process. Release builds have none of this.

use std::fs::File;

use crate::env_vars;

/// Whether the file that `LINKS_TEST_PROBE` names can be opened; `None` where it names none.
pub(crate) fn is_open() -> Option<bool> {
    std::env::var_os(env_vars::TEST_PROBE).map(|path| File::open(path).is_ok())
}
