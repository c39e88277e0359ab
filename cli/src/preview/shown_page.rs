//! A page with what it refers to, for a view that is more than Markdown, and what `links apply` would do.

use std::collections::BTreeMap;

use links_pages::apply::{GuardRefusal, PageSnapshot};
use links_sdk::SlotId;
use links_sdk::types::LeadForm;

use crate::output::StyledLine;
use links_pages::page_file::local_image::LocalImage;

/// A page with its forms and its images.
#[derive(Clone, Debug)]
pub(crate) struct ShownPage {
    pub(crate) snapshot: PageSnapshot,
    pub(crate) forms: Vec<LeadForm>,
    /// Images that the file names, without repetition.
    pub(crate) images: Vec<LocalImage>,
    /// Indices in `images`, by the path that the page has for the image.
    pub(crate) paths: BTreeMap<String, usize>,
    /// Beginning of the URLs of the other images; empty if unknown.
    pub(crate) file_base: String,
}

impl ShownPage {
    pub(super) fn new(
        snapshot: PageSnapshot,
        forms: Vec<LeadForm>,
        named: impl IntoIterator<Item = (LocalImage, String)>,
        file_base: String,
    ) -> Self {
        let (mut images, mut paths) = (Vec::<LocalImage>::new(), BTreeMap::new());
        for (image, path) in named {
            let known = images.iter().position(|known| known.hash == image.hash);
            let index = known.unwrap_or(images.len());
            if known.is_none() {
                images.push(image);
            }
            paths.insert(path, index);
        }
        Self { snapshot, forms, images, paths, file_base }
    }
}

/// What `links apply` would do with the file of a preview.
#[derive(Clone, Debug, Default)]
pub(crate) struct ApplyOutlook {
    /// True if anything would be written.
    pub(crate) is_changed: bool,
    /// Reason why the plan would be refused without a further flag.
    pub(crate) refusal: Option<GuardRefusal>,
    /// What would have to be confirmed, such as `2 deletes`.
    pub(crate) irreversible: Vec<String>,
    /// Lines that name each of them.
    pub(crate) named: Vec<StyledLine>,
    /// Slots that would be deleted.
    pub(crate) deletes: Vec<SlotId>,
}
