//! Upload of local images that the command line names: `image@./terrace.jpg` uploads the file and sets the field to its path.

use std::path::Path;

use links_sdk::{Client, ImageType, MAX_UPLOAD_BYTES, Upload, UploadMethod};
use serde_json::json;

use super::fields::FieldValues;
use super::reused_images::ReusedImages;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::error::file_error::file_error;
use crate::fs::named::{self, Refusal};
use crate::output::dry_run::DryRun;
use crate::output::{Style, StyledLine};
use crate::page_file::image_flaw::flaw;
use crate::page_file::local_path::{has_image_ending, looks_local};

/// Size in bytes above which a file is uploaded to an upload URL, not in a multipart request to the service.
const LARGE: u64 = 10 * 1024 * 1024;

/// Fields of a page that take the path of an uploaded image (the interface, section 2.1).
pub(crate) const OF_PAGE: &[&str] = &["avatar", "bgImage"];

/// Returns the upload of a file, after the checks that need no service.
///
/// # Errors
///
/// When the file cannot be read, or is not an image of at most 50 MB.
pub(crate) fn upload(name: &str) -> Result<Upload, CommandError> {
    let unreadable = |error: std::io::Error| file_error(&format!("cannot read {name}"), &error);
    let invalid = |why: &str| Err(CommandError::new(Exit::Invalid, format!("{name} {why}")));
    let path = named::resolve(Path::new(name)).map_err(unreadable)?;
    let file = match named::open(&path) {
        Err(error) if matches!(Refusal::of(&error), Some(Refusal::NotAFile(_))) => {
            return invalid("is not a file");
        }
        file => file.map_err(unreadable)?,
    };
    let known = file.metadata().map_err(unreadable)?;
    if !known.is_file() {
        return invalid("is not a file");
    }
    if known.len() == 0 {
        return invalid("is empty");
    }
    if known.len() > MAX_UPLOAD_BYTES {
        return invalid("is larger than 50 MB");
    }
    let mut start = Vec::new();
    let mut start_of_file = std::io::Read::take(file, ImageType::SIGNATURE as u64);
    std::io::Read::read_to_end(&mut start_of_file, &mut start).map_err(unreadable)?;
    if ImageType::of(&start).is_none() {
        return invalid("is not an image: only jpeg, png, webp and gif can be uploaded");
    }
    let via = if known.len() > LARGE { UploadMethod::UploadUrl } else { UploadMethod::Multipart };
    Ok(Upload::file(path).method(via))
}

/// Returns a warning about an image that is uploaded all the same: one that is damaged, or larger than pages show.
pub(crate) fn warning(name: &str) -> Option<StyledLine> {
    let (_, bytes) = named::read_most(Path::new(name), MAX_UPLOAD_BYTES).ok()?;
    Some(StyledLine::new(Style::Changed, format!("{name} {}", flaw(&bytes)?)))
}

impl FieldValues {
    /// Refuses strings that are evidently paths of this machine, or name an image there, where the path of an uploaded image belongs: in these fields, and in any
    /// field whose value is the path of an image file.
    ///
    /// # Errors
    ///
    /// When there is such a string; the hint shows the way to upload the file.
    pub(crate) fn no_local_images(self, image_fields: &[&str]) -> Result<Self, CommandError> {
        let wrong = self.texts().find(|(field, text)| {
            let is_image = has_image_ending(text);
            let is_local = looks_local(text) || is_image && Path::new(text).is_file();
            is_local && (is_image || image_fields.contains(field))
        });
        let Some((field, text)) = wrong else { return Ok(self) };
        let word = format!("{field}@{text}");
        let word = shlex::try_quote(&word).map_or_else(|_| format!("{field}@FILE"), Into::into);
        Err(CommandError::usage(format!(
            "`{text}` is a file on this machine, which no one else can see"
        ))
        .with_hint(format!("{word} uploads it; {field}:='\"TEXT\"' sends the text unchanged")))
    }

    /// Uploads the images that were given, and sets their fields to the paths of the uploads. An image that the account in use has uploaded
    /// from this machine is not uploaded again. In a dry run nothing is uploaded.
    ///
    /// # Errors
    ///
    /// When an image cannot be uploaded; always in a dry run that asks the service, because the next request needs the paths of the
    /// uploads.
    pub(crate) async fn upload(
        mut self,
        context: &Context,
        client: &Client,
    ) -> Result<Self, CommandError> {
        let images = self.images().to_vec();
        let uploads: Vec<_> =
            images.iter().map(|(_, name)| upload(name)).collect::<Result<_, _>>()?;
        let mut dry_run_end = None;
        let mut reused = ReusedImages::new(context);
        for ((field, name), upload) in images.iter().zip(uploads) {
            let hash = reused.hash(name);
            if let Some(path) = hash.as_deref().and_then(|hash| reused.take(hash)) {
                let text = format!("uploaded before: {name} as {path}");
                context.ui.say(&StyledLine::new(Style::Faint, text));
                self.put(field, json!(path));
                continue;
            }
            if let Some(warning) = warning(name) {
                context.ui.say(&warning);
            }
            match client.files().upload(upload).await.map_err(CommandError::from) {
                Ok(file) => {
                    let text = format!("uploaded: {name} as {}", file.path);
                    context.ui.say(&StyledLine::new(Style::Added, text));
                    // A file that was changed meanwhile is not the one that was uploaded.
                    if let Some(hash) = hash.filter(|it| reused.hash(name).as_ref() == Some(it)) {
                        reused.remember(&hash, &file.path);
                    }
                    self.put(field, json!(file.path));
                }
                Err(failure) if !failure.dry_run_results().is_empty() => {
                    let earlier =
                        dry_run_end.as_ref().map(CommandError::dry_run_results).unwrap_or_default();
                    dry_run_end = Some(failure.after(earlier.to_vec()));
                    self.put(field, json!(format!("(upload {name})")));
                }
                Err(failure) => return Err(failure),
            }
        }
        self.set_reused(reused);
        match dry_run_end {
            Some(end) if context.dry_run() == Some(DryRun::Service) => {
                let text = "the change itself needs the uploaded image and is not checked";
                context.ui.say(&StyledLine::new(Style::Faint, text));
                Err(end)
            }
            dry_run_end => {
                self.set_upload_results(dry_run_end);
                Ok(self)
            }
        }
    }
}
