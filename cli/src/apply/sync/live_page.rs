//! A page as it was read, in the form that is merged.

use links_pages::apply::PageSnapshot;
use links_pages::sync::LivePage;
use links_sdk::Object;

use links_pages::page_file::FileScope;

/// Returns what a command takes of a page, in the form that is merged. Fields that were not taken keep their record.
pub(crate) fn live(page: &PageSnapshot, scope: FileScope) -> LivePage {
    let fields = match scope {
        FileScope::Page => page.fields(),
        FileScope::Slots => Object::default(),
    };
    LivePage { id: page.id, login: page.login.clone(), fields, slots: page.slots.clone() }
}
