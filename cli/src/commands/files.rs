//! `links files`: commands for the images of pages and slots.

use std::sync::Arc;

use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use links_sdk::types::File;
use links_sdk::{ImageUse, Upload, UploadMethod};

use super::prelude::*;
use crate::args::flags::next_dry_run;
use crate::args::images;
use crate::ui::Progress;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum FilesCommand {
    /// Upload images and print their paths, for use in slots and pages
    Upload(FilesUploadArgs),
}

#[derive(Args, Debug)]
#[command(long_examples = ["links files upload terrace.jpg raf.jpg", "links profile update cafe avatar=\"$(links files upload logo.png --for avatar -o ids)\""])]
pub(crate) struct FilesUploadArgs {
    /// Local files, or URLs that the service fetches
    #[arg(value_name = "PATH|URL", required = true, value_hint = ValueHint::FilePath)]
    sources: Vec<String>,
    /// Upload method; by default, files over 10 MB use an upload URL
    #[arg(long, value_name = "WAY", value_parser = PossibleValuesParser::new(["multipart", "upload-url"]).map(|it| if it == "multipart" { UploadMethod::Multipart } else { UploadMethod::UploadUrl }))]
    via: Option<UploadMethod>,
    /// Check the image's size and aspect ratio for this use; doesn't change any page
    #[arg(long = "for", value_name = "USE", value_parser = image_uses())]
    image_use: Option<ImageUse>,
    #[command(flatten)]
    create: CreateArgs,
}

fn image_uses() -> impl TypedValueParser<Value = ImageUse> {
    PossibleValuesParser::new([
        PossibleValue::new("avatar").help("Square, at least 800x800"),
        PossibleValue::new("background").help("16:9, at least 1600x900"),
    ])
    .map(|name| if name == "avatar" { ImageUse::Avatar } else { ImageUse::Background })
}

const COLUMNS: &[Column] = &[
    Column::at("PATH", "path"),
    Column::at("WIDTH", "width"),
    Column::at("HEIGHT", "height"),
    Column::at("SOURCE", "source"),
];

pub(super) async fn upload(context: &mut Context, args: FilesUploadArgs) -> CommandResult {
    let is_one = args.sources.len() == 1 && args.via != Some(UploadMethod::UploadUrl);
    if !is_one && args.create.idempotency_key.is_some() {
        let message = "an idempotency key can only be used for one request; nothing was uploaded";
        return Err(
            CommandError::usage(message).with_hint("pass one file, without --via upload-url")
        );
    }
    // All sources are checked first, so that a mistake in the last one is found before anything is uploaded.
    let sources: Vec<_> = args
        .sources
        .iter()
        .map(|it| source(it, args.via, args.image_use))
        .collect::<Result<_, _>>()?;
    let client = context.writer(args.create.dry_run).await?;
    let files = sources.iter().zip(&args.sources).filter(|(file, _)| file.is_some());
    for warning in files.filter_map(|(_, name)| images::warning(name, None)) {
        context.ui.say(&warning);
    }
    let progress = Arc::new(context.ui.progress(sources.len()));
    let mut done: Vec<Value> = Vec::with_capacity(sources.len());
    let mut dry_run_end = None;
    for (file, name) in sources.into_iter().zip(&args.sources) {
        progress.now(name);
        match upload_one(file, &client, name, &progress, args.create.clone()).await {
            Ok(file) => {
                let mut record = serde_json::to_value(&file)?;
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
    dry_run_end.map_or_else(|| Ok(CommandOutput::own(done, View::Table(COLUMNS))), Err)
}

/// Tells which images were uploaded before a failure, and returns the failure with their paths.
fn partial(context: &Context, done: &[Value], failure: CommandError) -> CommandError {
    for file in done {
        let text = format!("uploaded {} as {}", plain(&file["source"]), plain(&file["path"]));
        context.ui.tell(Style::Added, text);
    }
    let paths: Vec<_> = done.iter().map(|file| plain(&file["path"]).to_owned()).collect();
    match failure.exit() {
        Exit::RateLimited | Exit::Network | Exit::Server => {
            failure.partial(&format!("{} uploaded", paths.join(", ")))
        }
        exit => {
            // The same command would upload them again.
            let rest = "run the command without the files that were uploaded";
            let hint = match (exit, failure.hint()) {
                (Exit::Invalid, _) => format!("{rest} and the one that failed"),
                (_, Some(first)) => format!("{first}; then {rest}"),
                (_, None) => rest.to_owned(),
            };
            failure.after_uploads(&paths).with_hint(hint)
        }
    }
}

fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Checks a source as far as that needs no service, and prepares its upload; `None` if it is a URL.
///
/// # Errors
///
/// When nothing can be uploaded from there, or when an option for files is given for a URL.
fn source(
    name: &str,
    method: Option<UploadMethod>,
    image_use: Option<ImageUse>,
) -> Result<Option<Upload>> {
    let scheme = name.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if matches!(scheme.as_deref(), Some("http" | "https")) {
        if method.is_none() && image_use.is_none() {
            return Ok(None);
        }
        let message = format!("--via and --for apply to local files, not to {name}");
        return Err(CommandError::usage(message));
    }
    if scheme.is_some() {
        return Err(CommandError::usage(format!(
            "cannot fetch `{name}`: only http and https URLs are supported"
        )));
    }
    let mut upload = images::upload(name)?;
    if let Some(method) = method {
        upload = upload.method(method);
    }
    if let Some(image_use) = image_use {
        upload = upload.for_use(image_use);
    }
    Ok(Some(upload))
}

/// Uploads the image: in one request, if that has a key. `name` is the source as the user named it.
async fn upload_one(
    file: Option<Upload>,
    client: &Client,
    name: &str,
    progress: &Arc<Progress>,
    args: CreateArgs,
) -> Result<File> {
    let Some(upload) = file else {
        return Ok(args.on(client.files().upload_from_url(name)).await?);
    };
    let upload = match args.idempotency_key {
        Some(_) => upload.method(UploadMethod::Multipart),
        None => upload,
    };
    let (bar, shown) = (progress.clone(), name.to_owned());
    let upload = upload.on_progress(move |at| {
        let percent = at.sent.saturating_mul(100).checked_div(at.total).unwrap_or(100);
        bar.now(&format!("{shown} {percent} %"));
    });
    args.on(client.files().upload(upload)).await.map_err(|error| {
        let is_refused = error.is_invalid_input();
        let failure = CommandError::from(error);
        if is_refused { refused(name, &failure.to_string()) } else { failure }
    })
}

/// Returns the error for a file whose content is refused, which is not a usage error.
fn refused(name: &str, message: &str) -> CommandError {
    // The client knows only the last part of the path.
    let why = match message.split_once(": ") {
        Some((file, why)) if name.ends_with(file) => why,
        _ => message,
    };
    CommandError::invalid(format!("{name}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Exit;

    #[test]
    fn only_http_urls_without_a_method_or_a_use_are_accepted() {
        let url = "https://a.example/a.png";
        assert!(matches!(source(url, None, None), Ok(None)));
        let refused = [
            source("ftp://a.example/a.png", None, None),
            source(url, Some(UploadMethod::Multipart), None),
            source(url, None, Some(ImageUse::Avatar)),
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
