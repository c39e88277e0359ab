//! `links files upload`: uploads images.

use std::sync::Arc;

use clap::{Args, ValueEnum, ValueHint};
use links_sdk::types::File;
use links_sdk::{Client, ImageUse, Upload, UploadMethod};
use serde_json::{Value, json};

use crate::args::dry_run::DryRunArgs;
use crate::args::images;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Column, CommandOutput, Style, StyledLine, View};
use crate::ui::Progress;

/// Arguments of `links files upload`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  links files upload terrace.jpg raf.jpg\n  \
    links profile update cafe avatar=\"$(links files upload logo.png --for avatar -o ids)\"")]
pub(crate) struct FilesUploadArgs {
    /// Files of this machine, and URLs from which the service fetches the image
    #[arg(value_name = "PATH|URL", required = true, value_hint = ValueHint::FilePath)]
    sources: Vec<String>,
    /// Upload method; without it, files of more than 10 MB go to a URL that the service names
    #[arg(long, value_name = "WAY")]
    via: Option<Way>,
    /// Refuse images whose size or proportions do not suit this use; nothing is set on a page
    #[arg(long = "for", value_name = "USE")]
    image_use: Option<Use>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Way {
    Multipart,
    UploadUrl,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Use {
    /// Square, at least 800x800
    Avatar,
    /// 16:9, at least 1600x900
    Background,
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
    // All sources are checked first, so that a mistake in the last one is found before anything is uploaded.
    let sources =
        args.sources.iter().map(|it| UploadSource::of(it, &args)).collect::<Result<Vec<_>, _>>()?;
    let client = context.writer(args.dry_run).await?;
    let progress = Arc::new(context.ui.progress(sources.len()));
    let mut done: Vec<Value> = Vec::with_capacity(sources.len());
    let mut rehearsed = None;
    for (source, name) in sources.into_iter().zip(&args.sources) {
        progress.now(name);
        match send(&client, source, name, &progress).await {
            Ok(file) => {
                let mut record = serde_json::to_value(&file).map_err(CommandError::internal)?;
                record["source"] = json!(name);
                done.push(record);
            }
            Err(failure) if !failure.rehearsals().is_empty() => {
                let earlier = rehearsed.as_ref().map(CommandError::rehearsals).unwrap_or_default();
                rehearsed = Some(failure.after(earlier.to_vec()));
            }
            Err(failure) if done.is_empty() => return Err(failure),
            Err(failure) => {
                drop(progress);
                for file in &done {
                    let text =
                        format!("uploaded: {} as {}", plain(&file["source"]), plain(&file["path"]));
                    context.ui.say(&StyledLine::new(Style::Added, text));
                }
                let paths: Vec<_> = done.iter().map(|file| plain(&file["path"])).collect();
                return Err(failure.partial(&format!("{} uploaded", paths.join(", "))));
            }
        }
        progress.step();
    }
    match rehearsed {
        Some(end) => Err(end),
        None => Ok(CommandOutput::own(done, View::Table(COLUMNS))),
    }
}

/// Source of an image.
enum UploadSource {
    File(Upload),
    Address,
}

impl UploadSource {
    fn of(name: &str, args: &FilesUploadArgs) -> Result<Self, CommandError> {
        if name.starts_with("https://") || name.starts_with("http://") {
            return match (args.via, args.image_use) {
                (None, None) => Ok(Self::Address),
                _ => Err(CommandError::usage(format!(
                    "--via and --for are about files of this machine, not {name}"
                ))),
            };
        }
        if name.contains("://") {
            return Err(CommandError::usage(format!(
                "`{name}` cannot be fetched: only http and https URLs can"
            )));
        }
        let upload = images::upload(name)?;
        let upload = match args.via {
            Some(Way::UploadUrl) => upload.method(UploadMethod::UploadUrl),
            Some(Way::Multipart) => upload.method(UploadMethod::Multipart),
            None => upload,
        };
        Ok(Self::File(match args.image_use {
            Some(Use::Avatar) => upload.for_use(ImageUse::Avatar),
            Some(Use::Background) => upload.for_use(ImageUse::Background),
            None => upload,
        }))
    }
}

async fn send(
    client: &Client,
    source: UploadSource,
    source_name: &str,
    progress: &Arc<Progress>,
) -> Result<File, CommandError> {
    let UploadSource::File(upload) = source else {
        return Ok(client.files().upload_from_url(source_name).await?);
    };
    let (bar, name) = (progress.clone(), source_name.to_owned());
    let upload = upload.on_progress(move |at| {
        let percent = at.sent.saturating_mul(100).checked_div(at.total).unwrap_or(100);
        bar.now(&format!("{name} {percent} %"));
    });
    // A refusal of the file's content is not a usage error.
    client.files().upload(upload).await.map_err(|error| {
        let refused = error.is_invalid_input();
        let failure = CommandError::from(error);
        if !refused {
            return failure;
        }
        let text = failure.to_string();
        // The client knows only the last part of the path.
        let why = text.split_once(": ").filter(|(name, _)| source_name.ends_with(name));
        let why = why.map_or(text.as_str(), |(_, why)| why);
        CommandError::new(Exit::Invalid, format!("{source_name}: {why}"))
    })
}

fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
