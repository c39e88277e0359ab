//! Export of a page as content of a page file that can be edited and applied again.

use links_pages::apply::{DesiredPage, PageSnapshot, SlotTypes};
use links_sdk::ProfileKey;

use crate::context::Context;
use crate::error::CommandError;
use links_pages::page_file::PageContent;

/// Returns the slots of a page as content of a page file.
pub(crate) fn slots(page: &PageSnapshot, types: &SlotTypes) -> PageContent {
    PageContent::of_slots(key(page), DesiredPage::from_page(&page.slots, types))
}

/// Returns a whole page as content of a page file, and the names of the fields whose value no page file can hold.
pub(crate) fn whole(page: &PageSnapshot, types: &SlotTypes) -> (PageContent, Vec<String>) {
    let slots = DesiredPage::from_page(&page.slots, types);
    PageContent::of_page(key(page), page.fields(), slots)
}

/// Returns the key of a page in its file: its login, unless that consists of digits only, which reads as an id.
fn key(page: &PageSnapshot) -> ProfileKey {
    let login = page.login.parse().ok().filter(|it| matches!(it, ProfileKey::Login(_)));
    login.unwrap_or(ProfileKey::Id(page.id))
}

/// Reads a page. Returns its slots as content of a page file, and the page.
pub(crate) async fn pull(
    context: &mut Context,
    key: ProfileKey,
) -> Result<(PageContent, PageSnapshot), CommandError> {
    let client = context.client().await?;
    let read = PageSnapshot::read(&client, &key).await?;
    let types = context.slot_types().await?.rules();
    Ok((slots(&read, &types), read))
}
