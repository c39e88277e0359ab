//! `links files upload`: uploads images.

use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use links_sdk::{ImageUse, UploadMethod};
use serde_json::{Value, json};

use super::upload_source::UploadSource;
use crate::args::dry_run::DryRunArgs;
use crate::args::idempotency_key::IdempotencyKeyArgs;
use crate::args::images;
use crate::context::Context;
use crate::error::CommandError;
use crate::help::HelpText;
use crate::output::{Column, CommandOutput, Style, StyledLine, View};

#[derive(Args, Debug)]
#[command(long_examples = ["links files upload terrace.jpg raf.jpg", "links profile update cafe avatar=\"$(links files upload logo.png --for avatar -o ids)\""])]
pub(crate) struct FilesUploadArgs {
    /// Files of this machine, and URLs from which the service fetches the image
    #[arg(value_name = "PATH|URL", required = true, value_hint = ValueHint::FilePath)]
    sources: Vec<String>,
    /// Upload method; without it, files of more than 10 MB go to a URL that the service names
    #[arg(long, value_name = "WAY")]
    via: Option<UploadMethodArg>,
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
            (None, ..) | (Some(_), 1, None | Some(UploadMethodArg::Multipart)) => {
                return Ok(self.via.map(UploadMethod::from));
            }
            (Some(_), 1, Some(UploadMethodArg::UploadUrl)) => {
                "--via upload-url sends several".to_owned()
            }
            (Some(_), many, _) => format!("{many} files are named"),
        };
        let message = format!("an idempotency key belongs to one request, and {why}");
        Err(CommandError::usage(format!("{message}; nothing was uploaded")))
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum UploadMethodArg {
    Multipart,
    UploadUrl,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ImageUseArg {
    /// Square, at least 800x800
    Avatar,
    /// 16:9, at least 1600x900
    Background,
}

impl From<UploadMethodArg> for UploadMethod {
    fn from(method: UploadMethodArg) -> Self {
        match method {
            UploadMethodArg::Multipart => Self::Multipart,
            UploadMethodArg::UploadUrl => Self::UploadUrl,
        }
    }
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

pub(crate) async fn run(
    context: &mut Context,
    args: FilesUploadArgs,
) -> Result<CommandOutput, CommandError> {
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
            Err(failure) if !failure.dry_run_results().is_empty() => {
                let earlier =
                    dry_run_end.as_ref().map(CommandError::dry_run_results).unwrap_or_default();
                dry_run_end = Some(failure.after(earlier.to_vec()));
            }
            Err(failure) if done.is_empty() => return Err(failure),
            Err(failure) => {
                drop(progress);
                return Err(partial(context, &done, failure));
            }
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
        context.ui.say(&StyledLine::new(Style::Added, text));
    }
    let paths: Vec<_> = done.iter().map(|file| plain(&file["path"])).collect();
    failure.partial(&format!("{} uploaded", paths.join(", ")))
}

fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
