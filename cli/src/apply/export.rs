//! A page as it is, written down so that it can be edited and applied again.

use links_sdk::ProfileKey;
use links_sdk::apply::DesiredPage;

use crate::context::Context;
use crate::error::CommandError;
use crate::page_file::PageContent;

/// Reads a page. With its login, for people.
pub(crate) async fn pull(
    context: &mut Context,
    key: ProfileKey,
) -> Result<(PageContent, String), CommandError> {
    let client = context.client().await?;
    let profile = client.profile(key).get_with_slots().await?;
    let types = context.slot_types().await?.rules();
    // A login of digits only cannot URL its page.
    let key = profile
        .login
        .parse()
        .ok()
        .filter(|it| matches!(it, ProfileKey::Login(_)))
        .unwrap_or(ProfileKey::Id(profile.id));
    let page =
        PageContent { profile: key, content: DesiredPage::from_page(&profile.slots, &types) };
    Ok((page, profile.login))
}
