//! What a preview reads of the account: the page, its forms and languages, and the slot types.

use links_sdk::apply::PageSnapshot;
use links_sdk::types::{LanguageOption, LeadForm};
use links_sdk::{Client, ProfileKey};

use super::service_markdown::ServiceMarkdown;
use crate::account::files::AccountFiles;
use crate::account::shadow_run::page_request;
use crate::context::Context;
use crate::error::CommandError;
use crate::page_file::{PageFile, ReferenceTarget};
use crate::schema::slot_types::SlotTypeCatalog;

/// Maximum number of requests of a preview.
const MAX_READS: usize = 4;

/// The account, as far as a preview needs it.
#[derive(Debug)]
pub(super) struct LiveAccount {
    /// The page; `None` if it does not exist yet.
    pub(super) page: Option<PageSnapshot>,
    /// Forms of the account, if they are needed.
    pub(super) forms: Vec<LeadForm>,
    /// Languages of the service, if the file names one.
    pub(super) languages: Vec<LanguageOption>,
    pub(super) types: SlotTypeCatalog,
    /// The page as the service renders it, if that is known.
    pub(super) markdown: Option<ServiceMarkdown>,
    /// Number of requests so far.
    reads: usize,
}

impl LiveAccount {
    /// Reads what the file of a page needs.
    pub(super) async fn read(
        context: &mut Context,
        files: &AccountFiles,
    ) -> Result<Self, CommandError> {
        let client = context.client().await?;
        let Some(request) = page_request(context, files)? else {
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
        let (forms, languages, markdown) = (Vec::new(), Vec::new(), None);
        let mut live = Self { page, forms, languages, types, markdown, reads };
        let file = files.pages.first().map(|(_, file)| file);
        if let Some(file) = file {
            live.read_referred(&client, file).await?;
        }
        Ok(live)
    }

    /// Reads the forms and the languages that the file or the page refers to.
    async fn read_referred(
        &mut self,
        client: &Client,
        file: &PageFile,
    ) -> Result<(), CommandError> {
        let is_form = |reference: &crate::page_file::Reference| {
            matches!(reference.target, ReferenceTarget::Form(_))
        };
        let slots = self.page.iter().flat_map(|page| &page.slots).map(|slot| slot.kind.as_str());
        let items = file.page.content.slots.iter().map(|item| item.kind.as_str());
        if file.references.iter().any(is_form) || slots.chain(items).any(|kind| kind == "form") {
            self.forms = client.forms().list().await?.items;
            self.reads += 1;
        }
        if let Some(page) = &mut self.page
            && file.page.content.fields.contains_key("languageCode")
        {
            let settings = client.profile(ProfileKey::Id(page.id)).settings().await?;
            self.languages = settings.options.languages;
            self.reads += 1;
        }
        Ok(())
    }

    /// Reads the page as the service renders it, unless that is cached or too much was read already.
    pub(super) async fn read_markdown(
        &mut self,
        context: &mut Context,
    ) -> Result<(), CommandError> {
        let Some(page) = &self.page else { return Ok(()) };
        let may_ask = self.reads < MAX_READS;
        self.markdown = ServiceMarkdown::of(context, page, &self.forms, may_ask).await?;
        Ok(())
    }
}
