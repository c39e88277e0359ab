//! Export of a page as content of a page file that can be edited and applied again.

use links_sdk::ProfileKey;
use links_sdk::apply::DesiredPage;

use crate::context::Context;
use crate::error::CommandError;
use crate::page_file::PageContent;

/// Reads a page. Returns its content and its login for messages.
pub(crate) async fn pull(
    context: &mut Context,
    key: ProfileKey,
) -> Result<(PageContent, String), CommandError> {
    let client = context.client().await?;
    let profile = client.profile(key).get_with_slots().await?;
    let types = context.slot_types().await?.rules();
    // A login of digits only cannot be used as the key of its page.
    let key = profile
        .login
        .parse()
        .ok()
        .filter(|it| matches!(it, ProfileKey::Login(_)))
        .unwrap_or(ProfileKey::Id(profile.id));
    let page = PageContent {
        profile: key,
        content: DesiredPage::from_page(&profile.slots, &types).into(),
    };
    Ok((page, profile.login))
}
