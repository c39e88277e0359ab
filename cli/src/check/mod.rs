//! The links of pages and forms and their verdicts: the machinery of `links check`.

pub(crate) mod baseline;
pub(crate) mod checked_link;
mod collect;
pub(crate) mod fix;
pub(crate) mod report;
pub(crate) mod visits;
mod web;

use std::time::Duration;

use self::baseline::Baseline;
use self::checked_link::{CheckedLink, LinkHolder};
use self::collect::FoundLink;
use self::visits::LinkVerdicts;
use crate::account::file_filter::FileFilter;
use crate::cache::load_slot_types;
use crate::context::prelude::*;
use crate::search::Source;
use crate::search::sources::{Sources, of_account, of_files};
use crate::settings::ServiceTarget;
use links_pages::page_file::{FilePlace, Places, file_of};

/// How long the slot types may take where the check can do without.
const PATIENCE: Duration = Duration::from_secs(10);

/// Page or form with its links.
pub(crate) struct CheckedPage {
    source: Source,
    pub(crate) links: Vec<FoundLink>,
}

impl CheckedPage {
    /// Returns the page or form as the holder of its links.
    pub(crate) fn holder(&self) -> LinkHolder {
        let name = self.source.name.clone();
        if self.source.is_form { LinkHolder::Form(name) } else { LinkHolder::Page(name) }
    }
}

/// Reads the pages and forms of files and directories, and those of the account.
pub(crate) async fn read(
    context: &mut Context,
    paths: &[PathBuf],
    keys: &[ProfileKey],
    all: bool,
    filter: &FileFilter,
) -> Result<Vec<CheckedPage>> {
    let is_live = all || !keys.is_empty();
    let mut sources = Sources::default();
    if !is_live || !paths.is_empty() {
        sources.read = of_files(context, paths, filter)?;
    }
    if is_live {
        let keys = if all { &[] } else { keys };
        of_account(context, keys, &[], &mut sources).await?;
        if let Some(failure) = sources.failures.drain(..).next() {
            return Err(failure);
        }
    }
    let types = types(context, is_live).await?;
    let page = |source: Source| {
        let sources = source.file.as_ref().map(|(_, sources)| sources);
        CheckedPage { links: collect::links(&source.root, sources, types.as_ref()), source }
    };
    Ok(sources.read.into_iter().map(page).collect())
}

/// Returns the slot types, of any age. Page files are checked without them where no service can be asked.
async fn types(context: &mut Context, is_live: bool) -> Result<Option<SlotTypeCatalog>> {
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

/// Returns the links of all pages and forms with their verdicts.
pub(crate) fn checked_links(
    pages: &[CheckedPage],
    verdicts: &LinkVerdicts,
    baseline: &Baseline,
) -> Vec<CheckedLink> {
    let mut links = Vec::new();
    for page in pages {
        let holder = page.holder();
        let file = page.source.file.as_ref();
        let mut file = file.map(|(path, sources)| (path, Places::new(sources)));
        for found in &page.links {
            let Some((judgement, is_cached)) = verdicts.get(&found.url) else { continue };
            let place = file.as_mut().map(|(path, places)| {
                let FilePlace { file, line, column } = places.of(found.value.base + found.offset);
                let is_own = found.value.base == 0;
                (if is_own { file_of(path).to_owned() } else { PathBuf::from(file) }, line, column)
            });
            links.push(CheckedLink {
                holder: holder.clone(),
                place,
                is_known: baseline.has(&holder, &found.url, judgement.verdict),
                found: found.clone(),
                judgement: judgement.clone(),
                is_cached: *is_cached,
                is_fixed: false,
                fix_error: None,
            });
        }
    }
    links
}
