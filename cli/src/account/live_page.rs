//! Pages of the service: their keys, and a page in the form of a page file.

use links_pages::apply::{DesiredPage, SlotTypes};
use links_pages::page_file::{FileScope, PageContent};

use crate::context::prelude::*;

/// Returns a page as content of a page file that can be edited and applied again, and the names of the fields whose value no page file can hold.
pub(crate) fn export(
    page: &PageSnapshot,
    types: &SlotTypes,
    scope: FileScope,
) -> (PageContent, Vec<String>) {
    // A login of digits only would be read as an id.
    let login = page.login.parse().ok().filter(|it| matches!(it, ProfileKey::Login(_)));
    let key = login.unwrap_or(ProfileKey::Id(page.id));
    let slots = DesiredPage::from_page(&page.slots, types);
    match scope {
        FileScope::Page => PageContent::of_page(key, page.fields(), slots),
        FileScope::Slots => (PageContent::of_slots(key, slots), Vec::new()),
    }
}

/// Returns the keys of all pages of the account.
pub(crate) async fn all_keys(client: &Client) -> Result<Vec<ProfileKey>> {
    let pages = client.profiles().list().await?;
    Ok(pages.items.iter().map(|it| ProfileKey::Id(it.id)).collect())
}

/// Returns the id of the form that a slot shows.
pub(crate) fn form_of(slot: &links_sdk::Slot) -> Option<&str> {
    slot.data.get("formId").and_then(Value::as_str)
}

/// Returns a page of the service as a page file has it.
pub(crate) fn content(record: &Object, slots: &[links_sdk::Slot]) -> Value {
    let mut content = record.0.clone();
    if let Some(Value::Array(socials)) = content.get_mut("socials") {
        for social in socials {
            *social = social.get("link").unwrap_or(social).clone();
        }
    }
    let slot =
        |slot: &links_sdk::Slot| json!({"id": slot.id, "type": slot.kind, "data": slot.data});
    content.insert("slots".to_owned(), slots.iter().map(slot).collect());
    Value::Object(content)
}
