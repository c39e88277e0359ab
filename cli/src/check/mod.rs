//! The links of pages and forms and their verdicts: the machinery of `links check`.

pub(crate) mod baseline;
pub(crate) mod checked_link;
mod collect;
pub(crate) mod fix;
pub(crate) mod pages;
pub(crate) mod report;
pub(crate) mod visits;

use self::baseline::Baseline;
use self::checked_link::CheckedLink;
use self::pages::CheckedPage;
use self::visits::LinkVerdicts;
use crate::page_file::Places;

/// Returns the links of all pages and forms with their verdicts.
pub(crate) fn checked_links(
    pages: &[CheckedPage],
    verdicts: &LinkVerdicts,
    baseline: &Baseline,
) -> Vec<CheckedLink> {
    let mut links = Vec::new();
    for page in pages {
        let mut file = page.file.as_ref().map(|(path, text)| (path, Places::new(text)));
        for found in &page.links {
            let Some((judgement, is_cached)) = verdicts.of(&found.url) else { continue };
            let place = file.as_mut().map(|(path, places)| {
                let (line, column) = places.of(found.offset);
                (path.clone(), line, column)
            });
            links.push(CheckedLink {
                holder: page.holder.clone(),
                place,
                is_known: baseline.has(&page.holder, &found.url, judgement.verdict),
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
