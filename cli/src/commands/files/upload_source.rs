//! Source of an image to upload: a file of this machine, or a URL from which the service fetches it.

use std::sync::Arc;

use links_sdk::types::File;
use links_sdk::{Client, ImageUse, Upload, UploadMethod};

use crate::args::idempotency_key::IdempotencyKeyArgs;
use crate::args::images;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::ui::Progress;

/// Source of an image.
pub(super) enum UploadSource {
    File(Upload),
    Url,
}

impl UploadSource {
    /// Checks a source as far as that needs no service, and prepares its upload.
    ///
    /// # Errors
    ///
    /// When nothing can be uploaded from there, or when an option for files is given for a URL.
    pub(super) fn of(
        name: &str,
        method: Option<UploadMethod>,
        image_use: Option<ImageUse>,
    ) -> Result<Self, CommandError> {
        if name.starts_with("https://") || name.starts_with("http://") {
            return match (method, image_use) {
                (None, None) => Ok(Self::Url),
                _ => Err(CommandError::usage(format!(
                    "--via and --for apply to local files, not to {name}"
                ))),
            };
        }
        if name.contains("://") {
            return Err(CommandError::usage(format!(
                "`{name}` cannot be fetched: only http and https URLs can"
            )));
        }
        let mut upload = images::upload(name)?;
        if let Some(method) = method {
            upload = upload.method(method);
        }
        if let Some(image_use) = image_use {
            upload = upload.for_use(image_use);
        }
        Ok(Self::File(upload))
    }

    /// Tells whether the source is a file of this machine.
    pub(super) fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Uploads the image: in one request, if that has a key. `name` is the source as the user named it.
    pub(super) async fn upload(
        self,
        client: &Client,
        name: &str,
        progress: &Arc<Progress>,
        key: IdempotencyKeyArgs,
    ) -> Result<File, CommandError> {
        let Self::File(upload) = self else {
            return Ok(key.on(client.files().upload_from_url(name)).await?);
        };
        let upload = match key.idempotency_key {
            Some(_) => upload.method(UploadMethod::Multipart),
            None => upload,
        };
        let (bar, shown) = (progress.clone(), name.to_owned());
        let upload = upload.on_progress(move |at| {
            let percent = at.sent.saturating_mul(100).checked_div(at.total).unwrap_or(100);
            bar.now(&format!("{shown} {percent} %"));
        });
        key.on(client.files().upload(upload)).await.map_err(|error| {
            let is_refused = error.is_invalid_input();
            let failure = CommandError::from(error);
            if is_refused { refused(name, &failure.to_string()) } else { failure }
        })
    }
}

/// Returns the error for a file whose content is refused, which is not a usage error.
fn refused(name: &str, message: &str) -> CommandError {
    // The client knows only the last part of the path.
    let why = message.split_once(": ").filter(|(file, _)| name.ends_with(file));
    let why = why.map_or(message, |(_, why)| why);
    CommandError::new(Exit::Invalid, format!("{name}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_urls_without_a_method_or_a_use_are_accepted() {
        let url = "https://a.example/a.png";
        assert!(matches!(UploadSource::of(url, None, None), Ok(UploadSource::Url)));
        let refused = [
            UploadSource::of("ftp://a.example/a.png", None, None),
            UploadSource::of(url, Some(UploadMethod::Multipart), None),
            UploadSource::of(url, None, Some(ImageUse::Avatar)),
        ];
        for refused in refused {
            assert_eq!(refused.err().map(|failure| failure.exit()), Some(Exit::Usage));
        }
    }

    #[test]
    fn a_refused_file_is_named_by_its_whole_path() {
        let text = |message| refused("images/a.png", message).to_string();
        assert_eq!(text("a.png: 10x10, not square"), "images/a.png: 10x10, not square");
        assert_eq!(text("it is: no image"), "images/a.png: it is: no image");
    }
}
