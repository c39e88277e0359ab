//! Images that a page file names.

use std::collections::BTreeSet;

use links_pages::page_file::ReferencePlace;
use links_pages::page_file::local_image::LocalImage;

/// Image that a page file names.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    pub(crate) place: ReferencePlace,
    /// Path of the image as written in the file.
    pub(crate) name: String,
    pub(crate) local: LocalImage,
    /// True if the service already has the image.
    pub(crate) uploaded: bool,
}

/// Images to upload, each once.
pub(crate) fn new_images(images: &[Image]) -> impl Iterator<Item = &Image> {
    let mut seen = BTreeSet::new();
    let images = images.iter().filter(|it| !it.uploaded);
    images.filter(move |it| seen.insert(it.local.hash.as_str()))
}
