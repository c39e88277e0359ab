//! The page as the service renders it, cached until the page or one of its forms changes.

use links_pages::apply::PageSnapshot;
use links_sdk::types::LeadForm;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::cache::{load_json, store_json};
use crate::context::Context;
use crate::error::CommandError;
use links_pages::page_file::local_image::hash_of;

/// The page as the service renders it, and content of the cache file of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ServiceMarkdown {
    pub(super) text: String,
    /// Number of a language model's tokens, if the service says it.
    pub(super) tokens: Option<u64>,
    /// Fingerprint of what was rendered.
    pub(super) fingerprint: String,
}

impl ServiceMarkdown {
    /// Returns the cached text of a page that has not changed since, or else asks the service. `None` if it may not be asked.
    pub(super) async fn of(
        context: &mut Context,
        page: &PageSnapshot,
        forms: &[LeadForm],
        may_ask: bool,
    ) -> Result<Option<Self>, CommandError> {
        let file = context.cache_file(&format!("markdown-{}", page.id));
        let fingerprint = fingerprint(page, forms);
        let cached = file.as_deref().and_then(load_json::<Self>);
        if let Some(cached) = cached.filter(|cached| cached.fingerprint == fingerprint) {
            return Ok(Some(cached));
        }
        if !may_ask {
            return Ok(None);
        }
        let read = context.client().await?.profile(page.id).markdown().await?;
        let markdown = Self { text: read.text, tokens: read.tokens, fingerprint };
        if let Some(file) = file {
            // Without the file, each preview costs one more request.
            let _ = store_json(&file, &markdown);
        }
        Ok(Some(markdown))
    }
}

/// Returns a fingerprint of what the service renders: the fields of the page without URLs of the service, its slots, and the forms.
fn fingerprint(page: &PageSnapshot, forms: &[LeadForm]) -> String {
    let computed = |name: &str| page.record.get("computed").map(|computed| computed[name].clone());
    let (mood, icons) = (computed("moodActive"), computed("socials"));
    let mut rendered = json!({
        "by": env!("CARGO_PKG_VERSION"), "fields": page.fields(), "mood": mood, "icons": icons,
        "slots": page.slots, "forms": forms,
    });
    rendered.sort_all_objects();
    hash_of(rendered.to_string().as_bytes())
}
