//! The content of a page file.

use links_sdk::ProfileKey;
use links_sdk::apply::DesiredPage;

/// What a page file says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PageContent {
    /// Whose page it is.
    pub(crate) profile: ProfileKey,
    /// The slots in page order, at most 500.
    pub(crate) content: DesiredPage,
}
