//! `links files`: commands for the images of pages and slots.

use std::sync::Arc;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use links_sdk::types::File;
use links_sdk::{Client, ImageUse, Upload, UploadMethod};
use serde_json::{Value, json};

use super::common::CommandResult;
use crate::args::flags::{DryRunArgs, IdempotencyKeyArgs, next_dry_run};
use crate::args::images;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::{HelpText, POINTER};
use crate::output::{Column, CommandOutput, Style, View};
use crate::ui::Progress;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum FilesCommand {
    /// Upload images and print their paths, for use in slots and pages
    Upload(FilesUploadArgs),
}

impl FilesCommand {
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        match self {
            Self::Upload(args) => upload(context, args).await,
        }
    }
}

#[derive(Args, Debug)]
#[command(long_examples = ["links files upload terrace.jpg raf.jpg", "links profile update cafe avatar=\"$(links files upload logo.png --for avatar -o ids)\""])]
pub(crate) struct FilesUploadArgs {
    /// Files of this machine, and URLs from which the service fetches the image
    #[arg(value_name = "PATH|URL", required = true, value_hint = ValueHint::FilePath)]
    sources: Vec<String>,
    /// Upload method; without it, files of more than 10 MB go to a URL that the service names
    #[arg(long, value_name = "WAY", value_parser = upload_methods())]
    via: Option<UploadMethod>,
    /// Refuse images whose size or proportions do not suit this use; nothing is set on a page
    #[arg(long = "for", value_name = "USE")]
    image_use: Option<ImageUseArg>,
    #[command(flatten)]
    key: IdempotencyKeyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

impl FilesUploadArgs {
    /// Returns the upload method that was asked for. A key belongs to one request.
    ///
    /// # Errors
    ///
    /// When a key is given for more than one request.
    fn method(&self) -> Result<Option<UploadMethod>, CommandError> {
        let why = match (&self.key.idempotency_key, self.sources.len(), self.via) {
            (None, ..) | (Some(_), 1, None | Some(UploadMethod::Multipart)) => {
                return Ok(self.via);
            }
            (Some(_), 1, Some(UploadMethod::UploadUrl)) => {
                "--via upload-url sends several".to_owned()
            }
            (Some(_), many, _) => format!("{many} files are named"),
        };
        let message = format!("an idempotency key belongs to one request, and {why}");
        Err(CommandError::usage(format!("{message}; nothing was uploaded")))
    }
}

fn upload_methods() -> impl TypedValueParser<Value = UploadMethod> {
    PossibleValuesParser::new(["multipart", "upload-url"]).map(|name| match name.as_str() {
        "multipart" => UploadMethod::Multipart,
        _ => UploadMethod::UploadUrl,
    })
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ImageUseArg {
    /// Square, at least 800x800
    Avatar,
    /// 16:9, at least 1600x900
    Background,
}

impl From<ImageUseArg> for ImageUse {
    fn from(image_use: ImageUseArg) -> Self {
        match image_use {
            ImageUseArg::Avatar => Self::Avatar,
            ImageUseArg::Background => Self::Background,
        }
    }
}

const COLUMNS: &[Column] = &[
    Column::at("PATH", "path"),
    Column::at("WIDTH", "width"),
    Column::at("HEIGHT", "height"),
    Column::at("SOURCE", "source"),
];

async fn upload(context: &mut Context, args: FilesUploadArgs) -> CommandResult {
    let method = args.method()?;
    let image_use = args.image_use.map(ImageUse::from);
    // All sources are checked first, so that a mistake in the last one is found before anything is uploaded.
    let sources: Vec<_> = args
        .sources
        .iter()
        .map(|it| UploadSource::of(it, method, image_use))
        .collect::<Result<_, _>>()?;
    let client = context.writer(args.dry_run).await?;
    let files = sources.iter().zip(&args.sources).filter(|(source, _)| source.is_file());
    for warning in files.filter_map(|(_, name)| images::warning(name)) {
        context.ui.say(&warning);
    }
    let progress = Arc::new(context.ui.progress(sources.len()));
    let mut done: Vec<Value> = Vec::with_capacity(sources.len());
    let mut dry_run_end = None;
    for (source, name) in sources.into_iter().zip(&args.sources) {
        progress.now(name);
        match source.upload(&client, name, &progress, args.key.clone()).await {
            Ok(file) => {
                let mut record = serde_json::to_value(&file).map_err(CommandError::internal)?;
                record["source"] = json!(name);
                done.push(record);
            }
            Err(failure) => match next_dry_run(dry_run_end.as_ref(), failure) {
                Ok(end) => dry_run_end = Some(end),
                Err(failure) if done.is_empty() => return Err(failure),
                Err(failure) => {
                    drop(progress);
                    return Err(partial(context, &done, failure));
                }
            },
        }
        progress.step();
    }
    match dry_run_end {
        Some(end) => Err(end),
        None => Ok(CommandOutput::own(done, View::Table(COLUMNS))),
    }
}

/// Tells which images were uploaded before a failure, and returns the failure with their paths.
fn partial(context: &Context, done: &[Value], failure: CommandError) -> CommandError {
    for file in done {
        let text = format!("uploaded: {} as {}", plain(&file["source"]), plain(&file["path"]));
        context.ui.tell(Style::Added, text);
    }
    let paths: Vec<_> = done.iter().map(|file| plain(&file["path"])).collect();
    failure.partial(&format!("{} uploaded", paths.join(", ")))
}

fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Source of an image.
enum UploadSource {
    File(Upload),
    Url,
}

impl UploadSource {
    /// Checks a source as far as that needs no service, and prepares its upload.
    ///
    /// # Errors
    ///
    /// When nothing can be uploaded from there, or when an option for files is given for a URL.
    fn of(
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
    fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// Uploads the image: in one request, if that has a key. `name` is the source as the user named it.
    async fn upload(
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
