//! Export of a page as content of a page file that can be edited and applied again.

use links_sdk::ProfileKey;
use links_sdk::apply::{DesiredPage, PageSnapshot};

use crate::context::Context;
use crate::error::CommandError;
use crate::page_file::PageContent;

/// Reads a page. Returns its content as of a page file, and the page.
pub(crate) async fn pull(
    context: &mut Context,
    key: ProfileKey,
) -> Result<(PageContent, PageSnapshot), CommandError> {
    let client = context.client().await?;
    let read = PageSnapshot::read(&client, &key).await?;
    let types = context.slot_types().await?.rules();
    // A login of digits only cannot be used as the key of its page.
    let key = read
        .login
        .parse()
        .ok()
        .filter(|it| matches!(it, ProfileKey::Login(_)))
        .unwrap_or(ProfileKey::Id(read.id));
    let page = PageContent::of_slots(key, DesiredPage::from_page(&read.slots, &types));
    Ok((page, read))
}
