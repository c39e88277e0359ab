//! `links pull`: pages and forms of the account as files.

pub(crate) mod existing_file;
mod file_name;
mod files_of;
mod forms;
mod image_urls;
mod images;
mod new_page;
mod place;
mod puller;
mod report;

use std::path::is_separator;

use links_pages::page_file::{FileScope, file_of};

use crate::account::files::{AccountFiles, DEPTH, directories_with, from_here, parent};
use crate::account::live_page::{all_keys, export};
use crate::apply::schema_line::schema_of;
use crate::apply::sync::page_path::without_links;
use crate::apply::sync::{LOCK_NAME, LockStore};
use crate::args::page::is_yaml_or_json;
use crate::context::prelude::*;
use crate::ui::{self, PartUpdate};
pub(crate) use file_name::stem;
pub(crate) use files_of::{Filed, files_of};
use new_page::NewPage;
pub(crate) use place::{PullDirectory, PullOptions, default_directory};
use puller::Puller;
use report::Report;

use super::estimate;

/// Writes pages to a file or a directory, or takes over into files that exist what changed on their pages: every page and every form of the
/// account if there are no keys.
pub(crate) async fn pull(
    context: &mut Context,
    keys: Vec<ProfileKey>,
    out: Option<PathBuf>,
    how: PullOptions,
    scope: FileScope,
) -> Result<CommandOutput> {
    let out = out.filter(|it| it.as_os_str() != "-");
    if let Some(path) = &out {
        named::resolve(path).map_err(cannot("use", path))?;
    }
    match (&keys[..], out) {
        ([key], None) => print(context, key, &how, scope).await,
        ([key], Some(path)) if is_file(&path) => {
            let directory = parent(&path).to_owned();
            write(context, vec![key.clone()], directory, Some(path), how, scope).await
        }
        (_, Some(path)) if path.is_file() || is_file(&path) && is_yaml_or_json(&path) => {
            let message =
                format!("{} names a file, but several pages need a directory", path.display());
            Err(CommandError::usage(message))
        }
        (_, out) => {
            let directory = out.unwrap_or_else(default_directory);
            write(context, keys, directory, None, how, scope).await
        }
    }
}

/// Takes over into files what changed in their pages and forms.
pub(crate) async fn pull_files(
    context: &mut Context,
    paths: &[PathBuf],
    how: PullOptions,
) -> Result<CommandOutput> {
    let mut named = Vec::new();
    for path in paths {
        let found = file_of(path).canonicalize();
        found.map_err(cannot("use", path))?;
        named.push(without_links(path));
    }
    // The files of a lock are read together: it names their forms.
    let mut directories: Vec<PathBuf> = Vec::new();
    for (path, found) in paths.iter().zip(&named) {
        let own = if found.is_dir() { path.clone() } else { parent(path).to_owned() };
        let store = LockStore::of(&own.join(LOCK_NAME));
        // The locks below a directory without one come first.
        let below = match store {
            None if found.is_dir() => directories_with(LOCK_NAME, path, DEPTH),
            _ => Vec::new(),
        };
        let directory = store.map_or(own, |store| from_here(store.directory()));
        for directory in below.into_iter().chain([directory]) {
            if !directories.contains(&directory) {
                directories.push(directory);
            }
        }
    }
    let client = context.client().await?;
    let (mut report, mut count) = (Report::default(), 0);
    let mut is_known = vec![false; named.len()];
    // Without a lock, a directory is read with those in it, which may be named as well.
    let mut pulled = BTreeSet::new();
    for directory in directories {
        let place = PullDirectory::read(context, directory)?;
        let mut is_meant = |file: &Path| {
            let file = without_links(file);
            let mut is_named = false;
            for (named, is_known) in named.iter().zip(&mut is_known) {
                if file.starts_with(named) || file_of(&file) == named {
                    (is_named, *is_known) = (true, true);
                }
            }
            is_named && pulled.insert(file)
        };
        let pages: Vec<_> = place.pages().filter(|(path, _)| is_meant(path)).collect();
        let forms: Vec<PathBuf> =
            place.forms.iter().map(|(path, _)| path.clone()).filter(|it| is_meant(it)).collect();
        for path in place.unusable.iter().filter(|path| is_meant(path)) {
            let is_named = path.canonicalize().is_ok_and(|it| named.contains(&it));
            let is_found = !is_named && place.recorded_page(path).is_none();
            if let Some(problem) = AccountFiles::problem_of(path, is_found) {
                count += 1;
                report.failures.push(problem);
            }
        }
        let how = (how.clone(), FileScope::Page);
        let mut puller = Puller::new(context, client.clone(), how, Some(place), false).await?;
        for path in &forms {
            count += 1;
            let pulled = puller.form_of(path, &mut report);
            report.failures.extend(pulled.err());
        }
        ui::update(PartUpdate::Pages(pages.len()));
        for (path, key) in pages {
            count += 1;
            let pulled = puller.page(&key, Some(&path), &mut report).await;
            report.failures.extend(pulled.err());
            ui::update(PartUpdate::PageRead);
        }
        puller.write_back(&mut report);
    }
    if let Some(nth) = is_known.iter().position(|is_known| !is_known) {
        let message = format!("no page or form file found at {}", paths[nth].display());
        report.failures.push(CommandError::usage(message));
    }
    report.output(&context.ui, count, client.requests_sent())
}

/// Tells whether a path names a file rather than a directory.
fn is_file(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    let ends_like_directory = last.is_some_and(|byte| is_separator(char::from(*byte)));
    !path.is_dir() && !ends_like_directory
}

/// Prints a page.
async fn print(
    context: &mut Context,
    key: &ProfileKey,
    how: &PullOptions,
    scope: FileScope,
) -> Result<CommandOutput> {
    if how.images || how.portable || how.force {
        return Err(CommandError::usage("--images, --portable and --force need an output file")
            .with_hint("pass a file or a directory with -O, such as -O cafe.yaml"));
    }
    let client = context.client().await?;
    let mut page = PageSnapshot::read(&client, key).await?;
    if scope == FileScope::Page {
        page.read_language(&client).await?;
    }
    let types = context.slot_types().await?.rules();
    let (content, left_out) = export(&page, &types, scope);
    let new = NewPage::of(&content)?;
    let text = new.text(None, schema_of(how.schema.as_deref(), None)?)?;
    if let Some(line) = report::left_out_line(&page.login, &left_out) {
        context.ui.say(&line);
    }
    Ok(CommandOutput::own(new.value().clone(), View::File(text)))
}

/// Writes pages into a directory, or one page to a file.
async fn write(
    context: &mut Context,
    keys: Vec<ProfileKey>,
    directory: PathBuf,
    file: Option<PathBuf>,
    how: PullOptions,
    scope: FileScope,
) -> Result<CommandOutput> {
    if !how.portable {
        // The lock of another account is refused, and known if a page is not found.
        LockStore::read_for(context, &file.clone().unwrap_or_else(|| directory.join(LOCK_NAME)))?;
    }
    let is_all = keys.is_empty();
    let client = context.client().await?;
    let keys = if is_all { all_keys(&client).await? } else { keys };
    estimate::announce(&context.ui, keys.len(), keys.len() + 4);
    let needs_directory = file.is_none() || how.portable;
    let place = if needs_directory { Some(PullDirectory::read(context, directory)?) } else { None };
    let mut puller = Puller::new(context, client, (how, scope), place, is_all).await?;
    let mut report = Report::default();
    if is_all {
        puller.write_all_forms(&mut report);
    }
    let progress = puller.context.ui.progress(keys.len());
    for (nth, key) in keys.iter().enumerate() {
        progress.now(&key.to_string());
        if let Err(failure) = puller.page(key, file.as_deref(), &mut report).await {
            let (is_general, is_single) = (failure.exit().is_general(), keys.len() == 1);
            let failure = if is_single { failure } else { failure.about(&key.to_string()) };
            report.failures.push(failure);
            if is_general {
                report.not_begun = keys.len() - nth - 1;
                break;
            }
        }
        progress.step();
        ui::update(PartUpdate::PageRead);
    }
    drop(progress);
    puller.write_back(&mut report);
    if is_all {
        report.failures.extend(puller.unusable_files().into_iter().map(|(_, problem)| problem));
    } else if report.adds_page {
        for (path, problem) in puller.unusable_files() {
            let (path, why) = (path.display(), problem.to_string());
            let why = why.lines().next().unwrap_or_default();
            let text =
                format!("warning: cannot use {path}, which may be the file of a page: {why}");
            puller.context.ui.tell(Style::Changed, text);
        }
    }
    let requests = puller.client.requests_sent();
    report.output(&context.ui, keys.len(), requests)
}
