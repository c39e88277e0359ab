//! `links slots rewrite` and `import`: many slots at once, without a page file.

use std::rc::Rc;

use crate::account;
use crate::account::edit::{PageEdit, SlotsEdit};
use crate::account::live_page::all_keys;
use crate::account::request::RunSource;
use crate::apply::apply_args::{ApplyArgs, RunOptions};
use crate::apply::image;
use crate::apply::problems::invalid;
use crate::args::flags::OperationArgs;
use crate::bulk::import::{ColumnMap, CsvRow, asked, rows};
use crate::bulk::rewrite::SlotFilter;
use crate::commands::prelude::*;
use links_pages::apply::RunCommand;
use links_pages::page_file::fields::local_file;
use links_pages::page_file::local_image::ImageRoots;
use links_pages::sanitize::quoted;
use links_pages::suggest::suggest;

// How a bulk change is confirmed and shown. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Debug)]
pub(super) struct BulkArgs {
    /// Confirm the changes without being asked
    #[arg(short, long)]
    yes: bool,
    /// Wait for other runs on the same pages instead of failing
    #[arg(long, hide_short_help = true)]
    wait: bool,
    /// Show every line of a large plan
    #[arg(long, hide_short_help = true)]
    full: bool,
    #[command(flatten)]
    operation: OperationArgs,
}

/// Changes pages, or shows what would be changed in a dry run.
async fn run(
    context: &mut Context,
    pages: Vec<ProfileKey>,
    BulkArgs { yes, wait, full, .. }: BulkArgs,
    edit: PageEdit,
) -> Result<CommandOutput> {
    let types = context.slot_types().await?;
    let digest = match &edit {
        PageEdit::Rewrite(filter) => Some(filter.digest.clone()),
        PageEdit::Import(_) | PageEdit::Undo(_) => None,
    };
    let command = RunCommand { digest, ..journal::command(context) };
    let flags = ApplyArgs { yes, full, ..ApplyArgs::default() };
    let options = RunOptions { flags, command, wait, adds: true, ..RunOptions::default() };
    let edit = Some(Rc::new(SlotsEdit { edit, pages, types }));
    account::apply(context, RunSource { edit, ..RunSource::default() }, options).await
}

#[derive(Args, Debug)]
#[command(
    after_help = "Each filter gets a slot as {page, id, type, data}. The edit can change only `data`; if it returns `empty`, the slot is left unchanged. All pages are read and checked before the first write.",
    long_examples = [
        r#"links slots rewrite cafe --where '.type == "button"' --edit '.data.title |= ascii_upcase' --yes"#,
        r#"links slots rewrite --all --where '.data.link' --edit '.data.link |= sub("qara.example"; "qara.kz")' --yes"#,
    ]
)]
pub(crate) struct SlotsRewriteArgs {
    /// IDs, logins or URLs of the pages
    #[arg(value_name = "KEY", required_unless_present = "all")]
    profiles: Vec<PageKey>,
    /// Rewrite slots on every page in the account
    #[arg(long, conflicts_with = "profiles")]
    all: bool,
    /// jq filter that is true for the slots to rewrite (default: all)
    #[arg(long = "where", value_name = "FILTER")]
    select: Option<String>,
    /// jq filter that returns the changed slot
    #[arg(long, value_name = "FILTER")]
    edit: String,
    #[command(flatten)]
    how: BulkArgs,
}

pub(super) async fn rewrite(context: &mut Context, args: SlotsRewriteArgs) -> CommandResult {
    let SlotsRewriteArgs { profiles, all, select, edit, how } = args;
    let filter = SlotFilter::new(select.as_deref(), &edit).map_err(CommandError::usage)?;
    let client = operation_file::writer(context, how.operation.clone()).await?;
    for key in &profiles {
        key.page(&client).await?;
    }
    let named = profiles.iter().map(|key| (**key).clone()).collect();
    let pages = if all { all_keys(&client).await? } else { profile_key::once(named) };
    run(context, pages, how, PageEdit::Rewrite(filter)).await
}

#[derive(Args, Debug)]
#[command(
    after_help = "Empty cells are skipped. Write values that aren't strings as JSON. To resume an interrupted run, repeat the same command; after a finished run, it creates the rows again.",
    long_examples = [
        "links slots import cafe menu.csv --type button --map title=name,link=url --yes",
        "links slots import cafe drinks.csv --type button --top --yes",
    ]
)]
pub(crate) struct SlotsImportArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// CSV file with a header (`-`: standard input)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Type of the new slots (see `links slots types`)
    #[arg(long = "type", value_name = "TYPE")]
    kind: String,
    /// Column of each field, such as `title=name,link=url`; by default, columns are named after the fields
    #[arg(long, value_name = "MAP", value_parser = ColumnMap::parse)]
    map: Option<ColumnMap>,
    /// Add the slots at the top of the page instead of the end
    #[arg(long)]
    top: bool,
    #[command(flatten)]
    how: BulkArgs,
}

/// Maximum size of the file in bytes.
const MOST_BYTES: u64 = 64 << 20;

pub(super) async fn import(context: &mut Context, args: SlotsImportArgs) -> CommandResult {
    let SlotsImportArgs { key, file, kind, map, top, how } = args;
    let (name, bytes) = named::read_most(&file, MOST_BYTES)?;
    let name = if file.as_os_str() == "-" { "standard input".to_owned() } else { name };
    key.page(&operation_file::writer(context, how.operation.clone()).await?).await?;
    let types = context.slot_types().await?;
    if !types.creatable().any(|it| it == kind) {
        let message = format!("slots of type `{kind}` can't be created; nothing was written");
        return Err(CommandError::invalid(message).hinted(suggest(&kind, types.creatable())));
    }
    let at_line = |line: String| format!("{name}:{line}");
    let rows = rows(&bytes, &kind, map.as_ref(), &types)
        .map_err(|lines| invalid(lines.into_iter().map(at_line).collect()))?;
    if rows.is_empty() {
        return Err(CommandError::invalid(format!("{name} has no rows; nothing was written")));
    }
    let local = local_images(&rows, &file);
    if !local.is_empty() {
        return Err(invalid(local.into_iter().map(at_line).collect()));
    }
    let edit = PageEdit::Import(Box::new(asked(&name, &kind, rows, top)));
    run(context, vec![(*key).clone()], how, edit).await
}

/// Returns what the rows have of images on this machine, which no one else can see: images near the file, and evident paths.
fn local_images(rows: &[CsvRow], file: &Path) -> Vec<String> {
    let directory = file.parent().unwrap_or(Path::new(""));
    let roots = ImageRoots::new(directory, &[]).unwrap_or_else(|_| ImageRoots::none());
    let mut found = Vec::new();
    for row in rows {
        for (key, value) in row.data.iter() {
            image::find_strings(key, value, &mut Vec::new(), &mut |path, text| {
                if !roots.is_local_image(text) {
                    return;
                }
                let (path, (message, _)) = (path.join("."), local_file(text));
                let image = directory.join(text).display().to_string();
                let image = quoted(&image);
                let hint = format!(
                    "upload it with `links files upload {image}` and put the printed path here"
                );
                found.push(format!("{}: {path}: {message}; {hint}", row.line));
            });
        }
    }
    found
}
