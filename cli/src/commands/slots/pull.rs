//! `links slots pull`: writes a page to a file to edit and apply.

use std::path::{Path, PathBuf};

use clap::Args;
use links_pages::apply::PageSnapshot;
use links_sdk::ProfileKey;
use serde_json::json;

use crate::apply::existing_file::{ExistingFile, PageSource, not_written};
use crate::apply::export;
use crate::apply::known_forms::KnownForms;
use crate::apply::schema_line::{is_json, schema_of, with_schema};
use crate::apply::sync::{SyncRecord, WrittenLocks};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::output::{CommandOutput, Style, StyledLine, View, yaml};
use links_pages::fs::{atomic, named};
use links_pages::page_file::{FileScope, PageFile};
use links_pages::profile_key;
use links_pages::sanitize::quoted;

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
    let SlotsPullArgs { profile, out, force, schema } = args;
    let (out, schema) = (out.filter(|it| it.as_os_str() != "-"), schema.as_deref());
    let mut record = match &out {
        Some(path) => {
            named::resolve(path).map_err(|error| not_written(path, &error))?;
            SyncRecord::of(context, path)?
        }
        None => None,
    };
    if let (Some(record), Some(path)) = (&mut record, &out)
        && !force
        && path.exists()
        && (record.is_in_lock() || record.is_of(&profile))
    {
        let file = ExistingFile::read(path, FileScope::Slots)?;
        if let Some(note) = file.left_out_note(&pull_of(&profile, path, "")) {
            context.ui.say(&note);
        }
        let client = context.client().await?;
        let page = PageSnapshot::read(&client, &profile).await?;
        let (types, mut forms) = (context.slot_types().await?.rules(), KnownForms::default());
        let forms = &mut forms;
        let source = PageSource { client: &client, page: &page, types: &types, forms, schema };
        let taken = file.take_over(context, record, source).await?;
        let exit = if taken.conflicts > 0 { Exit::Conflict } else { Exit::Ok };
        let value = taken.json(page.id, &page.login);
        return Ok(CommandOutput::own(value, View::Lines(taken.lines())).exit(exit));
    }
    let key = profile.clone();
    let (page, read) = export::pull(context, profile).await?;
    if let Some(record) = &record {
        let client = context.client().await?;
        WrittenLocks::of(record, &read).check(context, &client).await?;
    }
    let types = context.slot_types().await?.rules();
    let data = serde_json::to_value(&page).map_err(CommandError::internal)?;
    let mut yaml = yaml::write(&page)?;
    if let Some(schema) = schema_of(schema, out.as_deref())? {
        yaml = with_schema(&yaml, schema)?;
    }
    let Some(path) = out else { return Ok(CommandOutput::own(data, View::Document(yaml))) };

    // What cannot be read as a page file has no fields of a page.
    let replaced = ExistingFile::read(&path, FileScope::Slots).ok().filter(|_| force);
    let note = replaced.and_then(|file| file.replaced_note(&pull_of(&key, &path, " --force")));
    let text = if is_json(&path) { format!("{data:#}\n") } else { yaml };
    atomic::write(&path, &text, force).map_err(|error| not_written(&path, &error))?;
    if let Some(note) = note {
        context.ui.say(&note);
    }
    let slot_count = page.content.slots.len();
    let (name, login) = (path.display().to_string(), &read.login);
    // A copy of a page that another file has is not recorded.
    if let Some(record) = record.filter(|it| !it.has_other_file(read.id)) {
        let file = PageFile::made(&name, text.into_bytes())?;
        record.rebuild(context, &file, &[], &read, types)?;
    }
    let line =
        StyledLine::new(Style::Plain, format!("{slot_count} slots of {login} written to {name}"));
    let value =
        json!({ "file": name, "id": read.id, "login": login, "slots": slot_count, "conflicts": 0 });
    Ok(CommandOutput::own(value, View::Lines(vec![line])))
}

/// Returns the command that pulls a whole page into a file.
fn pull_of(profile: &ProfileKey, file: &Path, flags: &str) -> String {
    let [profile, file] = [profile.to_string(), file.display().to_string()].map(|it| quoted(&it));
    format!("links pull {profile} -O {file}{flags}")
}
