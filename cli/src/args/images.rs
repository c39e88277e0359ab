//! Images that the command line names: their checks, and those that the service already has.

use std::io::Read;

use links_sdk::{ImageType, MAX_UPLOAD_BYTES, Upload, UploadMethod, image_size_of};

use crate::cache::uploads::Uploads;
use crate::context::prelude::*;
use links_pages::fs::named::Refusal;
use links_pages::page_file::local_image::{flaw, hash_of, unsuited};

/// Size in bytes above which a file is uploaded to an upload URL, not in a multipart request to the service.
const LARGE: u64 = 10 * 1024 * 1024;

/// Fields of a page that take the path of an uploaded image.
pub(crate) const OF_PAGE: &[&str] = &["avatar", "bgImage"];

/// Returns the upload of a file, after the checks that need no service.
///
/// # Errors
///
/// When the file cannot be read, or is not an image of at most 50 MB.
pub(crate) fn upload(name: &str) -> Result<Upload> {
    let unreadable = cannot("read", name);
    let invalid = |why: &str| Err(CommandError::invalid(format!("{name} {why}")));
    let path = named::resolve(Path::new(name)).map_err(unreadable)?;
    let file = match named::open(&path) {
        Err(error) if matches!(Refusal::of(&error), Some(Refusal::NotAFile(_))) => {
            return invalid("is not a file");
        }
        file => file.map_err(unreadable)?,
    };
    let known = file.metadata().map_err(unreadable)?;
    match known.len() {
        _ if !known.is_file() => return invalid("is not a file"),
        0 => return invalid("is empty"),
        bytes if bytes > MAX_UPLOAD_BYTES => return invalid("is larger than 50 MB"),
        _ => {}
    }
    let mut start = Vec::new();
    file.take(ImageType::SIGNATURE as u64).read_to_end(&mut start).map_err(unreadable)?;
    if ImageType::of(&start).is_none() {
        return invalid("is not a JPEG, PNG, WebP or GIF image");
    }
    let via = if known.len() > LARGE { UploadMethod::UploadUrl } else { UploadMethod::Multipart };
    Ok(Upload::file(path).method(via))
}

/// Returns a warning about an image that is uploaded all the same: one that is damaged, larger than pages show, or does not suit the field of a
/// page.
pub(crate) fn warning(name: &str, field: Option<&str>) -> Option<StyledLine> {
    let (_, bytes) = named::read_most(Path::new(name), MAX_UPLOAD_BYTES).ok()?;
    let why = flaw(&bytes).or_else(|| unsuited(field?, image_size_of(&bytes)?))?;
    Some(StyledLine::changed(format!("{name} {why}")))
}

/// Images that the service already has, of the account in use.
#[derive(Debug, Default)]
pub(crate) struct ReusedImages {
    uploads: Uploads,
    /// Account, if it is known without a request.
    account: Option<i64>,
    /// Hashes of the images that are used again.
    hashes: Vec<String>,
}

impl ReusedImages {
    pub(crate) fn new(context: &Context) -> Self {
        Self { uploads: context.uploads(), account: context.user(), hashes: Vec::new() }
    }

    /// Returns the hash of a file. `None` if the account is not known, or the file cannot be read.
    pub(crate) fn hash(&self, file: &str) -> Option<String> {
        self.account?;
        named::read_most(Path::new(file), MAX_UPLOAD_BYTES).ok().map(|(_, bytes)| hash_of(&bytes))
    }

    /// Returns the path of an image that the service has, and notes that it is used.
    pub(crate) fn take(&mut self, hash: &str) -> Option<String> {
        let path = self.uploads.of_account(self.account?, hash)?.to_owned();
        self.hashes.push(hash.to_owned());
        Some(path)
    }

    /// Adds an image that was uploaded.
    pub(crate) fn remember(&mut self, hash: &str, path: &str) {
        if let Some(account) = self.account {
            // A failure to remember the image costs one more upload later.
            let _ = self.uploads.remember(None, account, hash, path);
        }
    }

    /// Removes the images that were used: the service has refused the data and may no longer have them.
    pub(crate) fn forget(&self) {
        if let Some(account) = self.account.filter(|_| !self.hashes.is_empty()) {
            let hashes = self.hashes.iter().map(String::as_str);
            let _ = self.uploads.clone().forget(account, hashes);
        }
    }
}
