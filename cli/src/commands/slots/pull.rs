//! `links slots pull`: writes a page to a file to edit and apply.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use links_sdk::ProfileKey;
use links_sdk::apply::PageSnapshot;
use serde_json::{Value, json};

use crate::apply::export::pull;
use crate::apply::known_forms::KnownForms;
use crate::apply::saved_plan::ApplySource;
use crate::apply::sync::{PulledFile, SyncRecord};
use crate::apply::uploads;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::fs::atomic;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View, yaml};
use crate::page_file::PageFile;
use crate::profile_key;

/// Name of the schema file of a page in the examples.
const SCHEMA: &str = "page.schema.json";

/// Beginning of the line by which the YAML language server finds a schema.
const SCHEMA_LINE: &str = "# yaml-language-server: $schema=";

#[derive(Args, Debug)]
#[command(examples = ["links slots pull cafe -O cafe.yaml"])]
pub(crate) struct SlotsPullArgs {
    /// Id, login or URL of the page
    #[arg(value_name = "KEY", value_parser = profile_key::parse)]
    profile: ProfileKey,
    /// Write to this file, as JSON if its name ends in .json (`-`: standard output)
    #[arg(short = 'O', long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists. Without it, a file below a `links.lock` takes over what changed on the page, and keeps all else
    #[arg(long, requires = "out")]
    force: bool,
    /// Refer to this schema, which `links schema page` prints, in the first line, for editors that validate and complete YAML; the path is
    /// written as given and is relative to the file's directory. A `page.schema.json` there is used by default
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    schema: Option<String>,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsPullArgs,
) -> Result<CommandOutput, CommandError> {
    let mut record = match args.out.as_deref().filter(|it| it.as_os_str() != "-") {
        Some(path) => SyncRecord::of(context, path)?,
        None => None,
    };
    if let (Some(record), Some(path)) = (&mut record, &args.out)
        && !args.force
        && path.exists()
        && (record.is_in_lock() || record.is_of(&args.profile))
    {
        return pull_into(context, record, path, &args.profile, args.schema.as_deref()).await;
    }
    let (page, read) = pull(context, args.profile).await?;
    let data = serde_json::to_value(&page).map_err(CommandError::internal)?;
    let mut yaml = yaml::write(&page)?;
    if let Some(schema) = args.schema.as_deref().or_else(|| beside(args.out.as_deref()?)) {
        yaml = format!("{}\n{yaml}", header(schema)?);
    }
    let out = args.out.filter(|it| it.as_os_str() != "-");
    let Some(path) = out else { return Ok(CommandOutput::own(data, View::Document(yaml))) };

    let json = is_json(&path);
    if json && args.schema.is_some() {
        return Err(no_schema_in_json());
    }
    let text = if json { format!("{data:#}\n") } else { yaml };
    atomic::write(&path, &text, args.force).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            CommandError::new(Exit::Refused, format!("{} already exists", path.display()))
                .with_hint("--force replaces it")
        }
        _ => CommandError::usage(format!("cannot write {}: {error}", path.display())),
    })?;
    let slot_count = page.content.slots.len();
    let (name, login) = (path.display().to_string(), &read.login);
    // A copy of a page that another file has is not recorded.
    if let Some(record) = record.filter(|it| it.other_file(read.id).is_none()) {
        let types = context.slot_types().await?.rules();
        let file = PageFile::made(&name, text.into_bytes())?;
        record.rebuild(context, &file, &[], &read, types)?;
    }
    let line =
        StyledLine::new(Style::Plain, format!("{slot_count} slots of {login} written to {name}"));
    Ok(CommandOutput::own(
        json!({ "file": name, "slots": slot_count }) as Value,
        View::Lines(vec![line]),
    ))
}

/// Takes what changed on a page since the last sync over into its file, and leaves everything else in the file as it is.
async fn pull_into(
    context: &mut Context,
    record: &mut SyncRecord,
    path: &Path,
    key: &ProfileKey,
    schema: Option<&str>,
) -> Result<CommandOutput, CommandError> {
    if schema.is_some() && is_json(path) {
        return Err(no_schema_in_json());
    }
    let ApplySource { mut file, .. } = ApplySource::page(path, &[], "plan")?;
    let text = std::fs::read_to_string(path)
        .map_err(|error| CommandError::usage(format!("cannot read {}: {error}", path.display())))?;
    let client = context.client().await?;
    let page = PageSnapshot::read(&client, key).await?;
    record.check_page(&file, &page)?;
    record.read_sent(context, page.id)?;
    let types = context.slot_types().await?.rules();
    let mut images = uploads::images(&file);
    let broken = uploads::resolve(
        context,
        &client,
        page.id,
        &mut file,
        &mut images,
        Some(record),
        &mut KnownForms::default(),
    )
    .await?;
    if !broken.is_empty() {
        return Err(file.document.bad(broken).into());
    }
    let mut pulled = PulledFile::of(record, &text, &file, &images, &page, &types)
        .map_err(|failure| failure.into_error(&file))?;
    if let Some(schema) = schema {
        pulled.text = with_header(&pulled.text, &header(schema)?);
    }
    if pulled.text != text {
        let now = std::fs::read_to_string(path).unwrap_or_default();
        if now != text {
            let message = format!("{} was changed meanwhile; nothing was written", path.display());
            return Err(
                CommandError::new(Exit::Conflict, message).with_hint("run the same command again")
            );
        }
        atomic::write(path, &pulled.text, true).map_err(|error| {
            CommandError::usage(format!("cannot write {}: {error}", path.display()))
        })?;
    }
    let (name, summary, conflicts) =
        (path.display().to_string(), pulled.summary(), pulled.conflicts());
    let body = json!({ "file": name, "pull": pulled.pull });
    pulled.store(context, record, &file, &images)?;
    let mut lines = vec![StyledLine::new(Style::Plain, format!("{name}: {summary}"))];
    if conflicts > 0 {
        let text = "settle each conflict at its mark, `# <<< page:`, and delete the mark; until then the file is not applied";
        lines.push(StyledLine::new(Style::Changed, text));
    }
    let exit = if conflicts > 0 { Exit::Conflict } else { Exit::Ok };
    Ok(CommandOutput::own(body, View::Lines(lines)).exit(exit))
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|it| it.eq_ignore_ascii_case("json"))
}

fn no_schema_in_json() -> CommandError {
    CommandError::usage("--schema adds a line of YAML, but the output is a JSON file")
}

/// Returns a file with this line first, in place of another one about its schema.
fn with_header(text: &str, header: &str) -> String {
    let rest = match text.split_once('\n') {
        Some((first, rest)) if first.starts_with(SCHEMA_LINE) => rest,
        _ => text,
    };
    format!("{header}\n{rest}")
}

/// Returns the name of the schema if it is in the directory of the file.
fn beside(file: &Path) -> Option<&'static str> {
    file.with_file_name(SCHEMA).is_file().then_some(SCHEMA)
}

/// Returns the line by which the YAML language server finds a schema.
fn header(schema: &str) -> Result<String, CommandError> {
    if schema.is_empty() || schema.contains(char::is_control) {
        return Err(CommandError::usage("--schema is not a path"));
    }
    Ok(format!("{SCHEMA_LINE}{schema}"))
}
