//! The pages and forms to check: page files and form files, and those of the account.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use links_sdk::ProfileKey;
use links_sdk::apply::PageSnapshot;
use links_sdk::types::LeadForm;

use super::checked_link::LinkHolder;
use super::collect::{self, FoundLink};
use crate::account::files::AccountFiles;
use crate::account::{estimate, live_page};
use crate::cache::load_slot_types;
use crate::context::Context;
use crate::error::CommandError;
use crate::page_file::Document;
use crate::page_file::node::Node;
use crate::schema::slot_types::SlotTypeCatalog;
use crate::settings::ServiceTarget;

/// How long the slot types may take where the check can do without.
const PATIENCE: Duration = Duration::from_secs(10);

/// Page or form with its links.
#[derive(Debug)]
pub(crate) struct CheckedPage {
    pub(crate) holder: LinkHolder,
    /// File that it is read from, and the text of the file.
    pub(crate) file: Option<(PathBuf, String)>,
    pub(crate) root: Node,
    pub(crate) links: Vec<FoundLink>,
}

/// Reads the pages and forms of files and directories, and those of the account.
pub(crate) async fn read(
    context: &mut Context,
    paths: &[PathBuf],
    keys: &[ProfileKey],
    all: bool,
) -> Result<Vec<CheckedPage>, CommandError> {
    let is_live = all || !keys.is_empty();
    let mut pages = Vec::new();
    if !is_live || !paths.is_empty() {
        pages.extend(of_files(paths)?);
    }
    if is_live {
        pages.extend(of_account(context, keys, all).await?);
    }
    let types = types(context, is_live).await?;
    for page in &mut pages {
        let text = page.file.as_ref().map_or("", |(_, text)| text.as_str());
        page.links = collect::links(&page.root, text, types.as_ref());
    }
    Ok(pages)
}

/// Reads page files and form files.
fn of_files(paths: &[PathBuf]) -> Result<Vec<CheckedPage>, CommandError> {
    let files = AccountFiles::read_each(paths, &[])?;
    if files.is_empty() {
        return Err(CommandError::usage("there is no page file and no form file")
            .with_hint("a page begins with `profile: LOGIN`, a form with `form: NAME`; a word without `/` and ending is the key of a page"));
    }
    let of_document = |holder, path, document: Document| CheckedPage {
        holder,
        file: Some((path, document.text().to_owned())),
        root: document.root,
        links: Vec::new(),
    };
    let pages = files.pages.into_iter().map(|(path, file)| {
        let holder = LinkHolder::Page(file.page.profile.to_string());
        of_document(holder, path, file.document)
    });
    let forms = files
        .forms
        .into_iter()
        .map(|(path, file)| of_document(LinkHolder::Form(file.form.name), path, file.document));
    Ok(pages.chain(forms).collect())
}

/// Reads pages of the account with the forms that they show, or all pages and forms.
async fn of_account(
    context: &mut Context,
    keys: &[ProfileKey],
    all: bool,
) -> Result<Vec<CheckedPage>, CommandError> {
    let client = context.client().await?;
    let keys = if all { live_page::all_keys(&client).await? } else { keys.to_vec() };
    // All pages and all forms are listed with a request each.
    estimate::announce(&context.ui, keys.len(), keys.len() + if all { 2 } else { 0 });
    let progress = context.ui.progress(keys.len());
    let mut pages: Vec<CheckedPage> = Vec::new();
    let mut shown = BTreeSet::new();
    for key in &keys {
        progress.now(&key.to_string());
        let page = PageSnapshot::read(&client, key).await?;
        shown.extend(page.slots.iter().filter_map(live_page::form_of).map(str::to_owned));
        let root = Node::of_json(&live_page::content(&page));
        let holder = LinkHolder::Page(page.login);
        if !pages.iter().any(|known| known.holder == holder) {
            pages.push(CheckedPage { holder, file: None, root, links: Vec::new() });
        }
        progress.step();
    }
    if all || !shown.is_empty() {
        let forms = client.forms().list().await?.items;
        let is_meant = |form: &&LeadForm| all || shown.contains(form.id.as_str());
        pages.extend(forms.iter().filter(is_meant).map(of_form));
    }
    Ok(pages)
}

fn of_form(form: &LeadForm) -> CheckedPage {
    let record = serde_json::to_value(form).unwrap_or_default();
    let holder = LinkHolder::Form(form.id.clone().into_string());
    CheckedPage { holder, file: None, root: Node::of_json(&record), links: Vec::new() }
}

/// Returns the slot types, of any age. Page files are checked without them where no service can be asked.
async fn types(
    context: &mut Context,
    is_live: bool,
) -> Result<Option<SlotTypeCatalog>, CommandError> {
    if let Some(known) = context.slot_types_file().and_then(|path| load_slot_types(&path, None)) {
        return Ok(Some(known));
    }
    if is_live {
        return context.slot_types().await.map(Some);
    }
    if matches!(context.settings.target, ServiceTarget::Unset) {
        return Ok(None);
    }
    Ok(tokio::time::timeout(PATIENCE, context.slot_types()).await.ok().and_then(Result::ok))
}
