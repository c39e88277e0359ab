//! What a preview reads of the account: the page, its forms and languages, and the slot types.

use links_sdk::types::LanguageOption;
use serde::{Deserialize, Serialize};

use crate::account::files::AccountFiles;
use crate::account::shadow_run::page_request;
use crate::apply::sync::SyncRecord;
use crate::cache::{load_own, store_own};
use crate::context::prelude::*;
use links_pages::page_file::local_image::hash_of;
use links_pages::page_file::{Reference, ReferenceTarget};

/// Maximum number of requests of a preview.
const MAX_READS: usize = 4;

/// The account, as far as a preview needs it.
pub(super) struct LiveAccount {
    /// The page; `None` if it does not exist yet.
    pub(super) page: Option<PageSnapshot>,
    /// Forms of the account, if they were needed.
    pub(super) forms: Option<Vec<LeadForm>>,
    /// Languages of the service, if the file names one.
    pub(super) languages: Option<Vec<LanguageOption>>,
    pub(super) types: SlotTypeCatalog,
    /// The page as the service renders it, if that is known.
    pub(super) markdown: Option<ServiceMarkdown>,
    /// Keys by which the page was found, or not.
    keys: Vec<ProfileKey>,
    /// Digest of the record of the last sync before the page was read; `None` if there is no place for one.
    record: Option<String>,
    /// Path that changes when that record is written.
    pub(super) record_paths: Vec<PathBuf>,
    /// True if a file was in conflict with the page, which may have changed since.
    pub(super) is_in_conflict: bool,
}

/// Returns the record of the last sync of a page file.
fn record_of(context: &Context, files: &AccountFiles) -> Result<Option<Box<SyncRecord>>> {
    files.pages.first().map_or(Ok(None), |(path, _)| SyncRecord::of(context, path))
}

/// Returns whether a page with this file needs the forms of the account, and the languages of the service.
fn needs(page: Option<&PageSnapshot>, file: &PageFile) -> (bool, bool) {
    let is_form = |reference: &Reference| matches!(reference.target, ReferenceTarget::Form(_));
    let slots = page.iter().flat_map(|page| &page.slots).map(|slot| slot.kind.as_str());
    let items = file.page.content.slots.iter().map(|item| item.kind.as_str());
    let has_form = slots.chain(items).any(|kind| kind == "form");
    let languages = page.is_some() && file.page.content.fields.contains_key("languageCode");
    (has_form || file.references.iter().any(is_form), languages)
}

impl LiveAccount {
    /// Reads what the file of a page needs.
    pub(super) async fn read(context: &mut Context, files: &AccountFiles) -> Result<Self> {
        let client = context.client().await?;
        let record = record_of(context, files)?;
        let Some(request) = page_request(record.as_deref(), files) else {
            return Err(CommandError::internal("a preview without a page"));
        };
        let (mut page, mut reads) = (None, 0);
        let mut missing = None;
        for key in &request.keys {
            reads += 1;
            match PageSnapshot::read(&client, key).await {
                Err(error) if error.is_not_found() => missing = Some(error),
                read => {
                    page = Some(read?);
                    break;
                }
            }
        }
        if let Some(error) = missing.filter(|_| page.is_none() && !request.may_create) {
            return Err(error.into());
        }
        let types = context.slot_types().await?;
        reads += usize::from(types.fresh);
        let needs = files.pages.first().map(|(_, file)| needs(page.as_ref(), file));
        let (needs_forms, needs_languages) = needs.unwrap_or_default();
        let mut forms = None;
        if needs_forms {
            forms = Some(client.forms().list().await?.items);
            reads += 1;
        }
        let mut languages = None;
        if let Some(page) = page.as_ref().filter(|_| needs_languages) {
            languages = Some(client.profile(page.id).settings().await?.options.languages);
            reads += 1;
        }
        let mut markdown = None;
        if let Some(page) = &page {
            let forms = forms.as_deref().unwrap_or_default();
            markdown = ServiceMarkdown::of(context, page, forms, reads < MAX_READS).await?;
        }
        Ok(Self {
            page,
            forms,
            languages,
            types,
            markdown,
            keys: request.keys,
            record: record.as_deref().map(SyncRecord::recorded),
            record_paths: record.iter().flat_map(|it| it.watched_paths(context)).collect(),
            is_in_conflict: false,
        })
    }

    /// Returns whether this is all that the file of a page needs. The page is no longer what it was if another run has recorded a sync since, and
    /// perhaps after a conflict.
    pub(super) fn is_enough(&self, context: &Context, files: &AccountFiles) -> Result<bool> {
        let record = record_of(context, files)?;
        let request = page_request(record.as_deref(), files);
        let is_same = !self.is_in_conflict
            && record.as_deref().map(SyncRecord::recorded) == self.record
            && request.is_some_and(|request| request.keys == self.keys);
        let has_all = |file: &PageFile| {
            let (forms, languages) = needs(self.page.as_ref(), file);
            (self.forms.is_some() || !forms) && (self.languages.is_some() || !languages)
        };
        Ok(is_same && files.pages.iter().all(|(_, file)| has_all(file)))
    }
}

/// The page as the service renders it, and content of the cache file of a page.
#[derive(Serialize, Deserialize)]
pub(super) struct ServiceMarkdown {
    pub(super) text: String,
    /// Number of a language model's tokens, if the service says it.
    pub(super) tokens: Option<u64>,
    /// Fingerprint of what was rendered.
    pub(super) fingerprint: String,
}

impl ServiceMarkdown {
    /// Returns the cached text of a page that has not changed since, or else asks the service. `None` if it may not be asked.
    async fn of(
        context: &mut Context,
        page: &PageSnapshot,
        forms: &[LeadForm],
        may_ask: bool,
    ) -> Result<Option<Self>> {
        let file = context.cache_file(&format!("markdown-{}", page.id));
        let fingerprint = fingerprint(page, forms);
        let cached = file.as_deref().and_then(load_own::<Self>);
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
            let _ = store_own(&file, &markdown);
        }
        Ok(Some(markdown))
    }
}

/// Returns a fingerprint of what the service renders: the fields of the page without URLs of the service, its slots, and the forms.
fn fingerprint(page: &PageSnapshot, forms: &[LeadForm]) -> String {
    let computed = |name: &str| page.record.get("computed").map(|computed| computed[name].clone());
    let (mood, icons) = (computed("moodActive"), computed("socials"));
    let mut rendered = json!({
        "fields": page.fields(), "mood": mood, "icons": icons, "slots": page.slots, "forms": forms,
    });
    rendered.sort_all_objects();
    hash_of(rendered.to_string().as_bytes())
}
