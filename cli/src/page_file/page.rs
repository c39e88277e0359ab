//! Content of a page file.

use std::sync::Arc;

use links_sdk::ProfileKey;
use links_sdk::apply::DesiredPage;

/// Content of a page file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PageContent {
    /// Key of the page.
    pub(crate) profile: ProfileKey,
    /// Slots in page order, at most 500. Shared with the run that applies them.
    pub(crate) content: Arc<DesiredPage>,
}
