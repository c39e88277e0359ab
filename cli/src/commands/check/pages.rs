//! The pages to check: page files, and pages of the account.

use std::path::PathBuf;
use std::time::Duration;

use links_sdk::apply::PageSnapshot;
use links_sdk::{Client, ProfileKey};

use super::collect::{self, FoundLink};
use crate::account::files::AccountFiles;
use crate::account::live_page;
use crate::cache::slot_types;
use crate::context::Context;
use crate::error::CommandError;
use crate::page_file::node::Node;
use crate::schema::slot_types::SlotTypeCatalog;
use crate::settings::ServiceTarget;

/// How long the slot types may take where the check can do without.
const PATIENCE: Duration = Duration::from_secs(10);

/// Page with its links.
#[derive(Debug)]
pub(super) struct CheckedPage {
    /// Key in its file, or its login.
    pub(super) name: String,
    /// File that it is read from, and the text of the file.
    pub(super) file: Option<(PathBuf, String)>,
    pub(super) root: Node,
    pub(super) links: Vec<FoundLink>,
}

/// Reads the pages of files and directories, and pages of the account.
pub(super) async fn read(
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

/// Reads page files. Form files below a directory are left out.
fn of_files(paths: &[PathBuf]) -> Result<Vec<CheckedPage>, CommandError> {
    let files = AccountFiles::read(paths, &[])?;
    if files.pages.is_empty() {
        return Err(CommandError::usage("there is no page file")
            .with_hint("a page begins with `profile: LOGIN`; a word without `/` and ending is the key of a page"));
    }
    let page = |(path, file): (PathBuf, crate::page_file::PageFile)| CheckedPage {
        name: file.page.profile.to_string(),
        file: Some((path, file.document.text().to_owned())),
        root: file.document.root,
        links: Vec::new(),
    };
    Ok(files.pages.into_iter().map(page).collect())
}

async fn of_account(
    context: &mut Context,
    keys: &[ProfileKey],
    all: bool,
) -> Result<Vec<CheckedPage>, CommandError> {
    let client = context.client().await?;
    let keys = if all { all_keys(&client).await? } else { keys.to_vec() };
    let progress = context.ui.progress(keys.len());
    let mut pages: Vec<CheckedPage> = Vec::new();
    for key in &keys {
        progress.now(&key.to_string());
        let page = PageSnapshot::read(&client, key).await?;
        if !pages.iter().any(|known| known.name == page.login) {
            let root = Node::of_json(&live_page::content(&page));
            pages.push(CheckedPage { name: page.login, file: None, root, links: Vec::new() });
        }
        progress.step();
    }
    Ok(pages)
}

async fn all_keys(client: &Client) -> Result<Vec<ProfileKey>, CommandError> {
    let pages = client.profiles().list().await?;
    Ok(pages.items.iter().map(|it| ProfileKey::Id(it.id)).collect())
}

/// Returns the slot types, of any age. Page files are checked without them where no service can be asked.
async fn types(
    context: &mut Context,
    is_live: bool,
) -> Result<Option<SlotTypeCatalog>, CommandError> {
    if let Some(known) = context.slot_types_file().and_then(|path| slot_types::load(&path, None)) {
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
