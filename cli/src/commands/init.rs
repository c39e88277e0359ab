//! `links init`: begins a `links.lock`, or rebuilds its records.

use super::prelude::*;
use crate::account::absent_files::is_absent;
use crate::account::files::{DEPTH, files_below, read_page};
use crate::account::forms::PlannedForm;
use crate::apply::preflight::check_host;
use crate::apply::sync::page_path::{is_there, pages_of};
use crate::apply::sync::{LOCK_NAME, LockStore, StateRecords, SyncRecord, from_here};
use crate::apply::uploads;
use links_pages::account::KnownForms;
use links_pages::form_file::FormFile;
use links_pages::page_file::{Document, Image};
use links_pages::sanitize::quoted;
use links_pages::sync::Lock;

/// Line with which Git keeps the lines of both sides of a merge.
const ATTRIBUTE: &str = "links.lock merge=union";

#[derive(Args, Debug)]
#[command(examples = ["links init", "links init pages --refresh"])]
pub(crate) struct InitArgs {
    /// Directory of the page files; by default, the current directory
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    directory: Option<PathBuf>,
    /// Rebuild the records from the page files and their pages, for example if links.lock is damaged
    #[arg(long)]
    refresh: bool,
}

/// Writes a `links.lock`, in which later syncs of the page files below the directory are recorded. Nothing is written to a page.
pub(super) async fn run(context: &mut Context, args: InitArgs) -> CommandResult {
    let directory = args.directory.unwrap_or_else(|| PathBuf::from("."));
    let store = LockStore::at(&directory).map_err(cannot("use", &directory))?;
    if !args.refresh {
        check_outer(&directory, &store)?;
    }
    let client = context.client().await?;
    let user = context.me(&client).await?.user_id;
    let service = runs::service(context).unwrap_or_default();
    let found = if args.refresh { files_below(&directory, DEPTH)? } else { Vec::new() };
    let files = found.iter().filter(|file| has_key(file, "profile"));
    let pages = |file: &PathBuf| pages_of(file).unwrap_or_else(|| vec![file.clone()]);
    let files: Vec<PathBuf> = files.flat_map(pages).collect();
    // A damaged lock is replaced, but not one of another account.
    let known = if args.refresh { store.parsed()? } else { None };
    match known {
        Some(known) => known.check_account(&service, user).map_err(|error| {
            CommandError::refused(format!("{}: {error}", store.path().display()))
                .with_hint("choose that user's account with --account, or use another directory")
        })?,
        None => store.write(&Lock::new(service, user), args.refresh)?,
    }
    let taken = take_over(context, &store, user)?;
    let ignored = add_attribute(&directory);
    let mut forms = KnownForms::default();
    let (form_names, unusable) = refresh_forms(context, &found, &mut forms).await?;
    let (mut recorded, mut unresolved, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    for path in &files {
        match refresh(context, path, &mut forms).await {
            Ok(images) => {
                recorded.push(path.display().to_string());
                unresolved.extend(images);
            }
            Err(failure) => failures.push((path.clone(), failure)),
        }
    }
    let mut forgotten = Vec::new();
    if args.refresh {
        // The records of files that are not there any more.
        store.update(context, |lock| {
            let is_gone = |key: &&String| is_absent(&store.path_of(key));
            forgotten = lock.pages.keys().filter(is_gone).cloned().collect();
            lock.pages.retain(|key, _| !forgotten.contains(key));
            lock.forget_unnamed();
        })?;
    }
    if let ([_], []) = (&files[..], &unusable[..])
        && let Some((_, failure)) = failures.pop()
    {
        return Err(failure);
    }
    let path = store.path().display().to_string();
    let mut lines = vec![match recorded.len() {
        0 if !files.is_empty() => format!("refreshed {path}: no page files recorded"),
        0 => format!(
            "created {path}; page files in this directory are recorded the next time you apply or pull them"
        ),
        files => format!("refreshed {path}: recorded {}", count(files, "page file")),
    }];
    failures.extend(unusable);
    if !form_names.is_empty() {
        lines.push(format!("recorded {}", count(form_names.len(), "form")));
    }
    if taken > 0 {
        lines.push(format!("imported {} from this machine", count(taken, "record")));
    }
    lines.extend(
        forgotten.iter().map(|key| format!("removed the record of {key} (file no longer exists)")),
    );
    if let Err(error) = ignored {
        lines.push(format!(
            "cannot write .gitattributes ({error}); add the line `{ATTRIBUTE}` to the file"
        ));
    }
    let lines = lines.into_iter().map(StyledLine::plain).collect();
    for (file, failure) in &failures {
        let text = format!("did not record {}: {failure}", file.display());
        context.ui.tell(Style::Removed, text);
    }
    for (file, image) in &unresolved {
        let text = format!(
            "{file}: cannot tell whether image {image} was uploaded, so it counts as changed on both sides; restore links.lock from version control, or run `links apply {} --force` to upload the image again",
            quoted(file)
        );
        context.ui.tell(Style::Changed, text);
    }
    let failed = |(file, failure): &(PathBuf, CommandError)| json!({ "file": file.display().to_string(), "exit": failure.exit().code(), "message": failure.to_string() });
    let image = |(file, image): &(String, String)| json!({ "file": file, "image": image });
    let body = json!({
        "lock": path,
        "user": user,
        "files": recorded,
        "forms": form_names,
        "failed": failures.iter().map(failed).collect::<Vec<_>>(),
        "unresolvedImages": unresolved.iter().map(image).collect::<Vec<_>>(),
        "forgotten": forgotten,
    });
    let worst = failures.iter().map(|(_, failure)| failure.exit()).max_by_key(|exit| exit.code());
    Ok(CommandOutput::own(body, View::Lines(lines)).exit(worst.unwrap_or(Exit::Ok)))
}

/// Refuses a lock below another one that has records of its files: they would be lost.
fn check_outer(directory: &Path, store: &LockStore) -> Result<()> {
    let is_outer = |outer: &LockStore| outer.directory() != store.directory();
    let Some(outer) = LockStore::of(&directory.join(LOCK_NAME)).filter(is_outer) else {
        return Ok(());
    };
    let known = outer.parsed()?.unwrap_or_default();
    let is_below = |key: &&String| outer.path_of(key).starts_with(store.directory());
    let Some(key) = known.pages.keys().find(is_below) else { return Ok(()) };
    let (outer, here) = (from_here(&outer.path()), quoted(&directory.display().to_string()));
    let message = format!("{} already records {key}; nothing was written", outer.display());
    Err(CommandError::refused(message).with_hint(format!(
        "keep using that file; or run `links init {here} --refresh` to record the files below {here} anew"
    )))
}

/// Moves what the state directory has of files that the lock governs into the lock. Returns the number of files.
fn take_over(context: &Context, store: &LockStore, user: i64) -> Result<usize> {
    let mut taken = 0;
    for (records, lock) in StateRecords::all(context) {
        let file = records.file();
        let is_governed = is_there(file) && LockStore::of(file).as_ref() == Some(store);
        let is_meant = is_governed && [0, user].contains(&lock.user);
        let Some(key) = store.key(file).filter(|_| is_meant) else { continue };
        store.update(context, |into| {
            for name in lock.pages.into_values() {
                let is_known = into.pages.values().any(|page| page.id == name.id);
                if !is_known && !into.pages.contains_key(&key) {
                    into.pages.insert(key.clone(), name);
                    into.lines.extend(lock.lines.clone());
                    taken += 1;
                }
            }
            for (hash, paths) in lock.images {
                into.images.entry(hash).or_default().extend(paths);
            }
        })?;
        records.forget_own()?;
    }
    Ok(taken)
}

/// Records which forms the form files are. Returns their names, and the files that cannot be used with the reason.
async fn refresh_forms(
    context: &mut Context,
    found: &[PathBuf],
    forms: &mut KnownForms,
) -> Result<(Vec<String>, Vec<(PathBuf, CommandError)>)> {
    let (mut files, mut failures) = (Vec::new(), Vec::new());
    for path in found.iter().filter(|path| has_key(path, "form")) {
        let document = Document::read(path).map_err(CommandError::from);
        match document.and_then(|document| Ok(FormFile::of(document)?)) {
            Ok(file) => files.push((path.clone(), file)),
            Err(failure) => failures.push((path.clone(), failure)),
        }
    }
    let client = context.client().await?;
    // Nothing is written, so that no conflict hides a form.
    let (planned, unusable) = PlannedForm::all(context, &client, files, forms, true).await?;
    failures.extend(unusable);
    let mut names = Vec::new();
    for form in planned {
        if form.rebuild(context)? {
            names.push(form.plan.name);
        }
    }
    Ok((names, failures))
}

/// Records a file and its page as far as they agree. Returns the images, with the name of the file, of which it is unknown what the service
/// has for them.
async fn refresh(
    context: &mut Context,
    path: &Path,
    forms: &mut KnownForms,
) -> Result<Vec<(String, String)>> {
    let (mut file, _) = read_page(path, &[])?;
    let Some(mut record) = SyncRecord::of(context, path)? else { return Ok(Vec::new()) };
    let client = context.client().await?;
    let mut page = PageSnapshot::read(&client, &file.page.profile).await.map_err(|error| {
        CommandError::from(error).with_hint(format!(
            "check `profile: {}` in {}",
            file.page.profile,
            path.display()
        ))
    })?;
    record.check_page(&file, &page)?;
    check_host(&file, &page)?;
    if file.page.content.fields.contains_key("languageCode") {
        page.read_language(&client).await?;
    }
    let types = context.slot_types().await?.rules();
    // An image that is not there is recorded by its name.
    file.missing.clear();
    uploads::resolve(context, &client, &page, &mut file, Some(&record), forms).await?;
    if !file.missing.is_empty() {
        return Err(file.document.bad(file.missing).into());
    }
    record.rebuild(context, &file, &page, types)?;
    let name = path.display().to_string();
    let unresolved = |image: &Image| (name.clone(), image.name.clone());
    Ok(file.new_images().map(unresolved).collect())
}

/// Returns whether a file is of the kind that has this key.
fn has_key(path: &Path, key: &str) -> bool {
    Document::read(path).is_ok_and(|it| it.root.get(key).is_some())
}

/// Adds the attribute of the lock to the `.gitattributes` of its directory.
fn add_attribute(directory: &Path) -> io::Result<()> {
    let path = directory.join(".gitattributes");
    let text = match path.symlink_metadata() {
        // Git does not follow a link either.
        Ok(found) if found.is_symlink() => return Err(io::Error::other("it is a symbolic link")),
        Ok(_) => {
            let (_, bytes) = named::read(&path).map_err(io::Error::other)?;
            String::from_utf8(bytes).map_err(io::Error::other)?
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    if text.lines().any(|line| line.split_whitespace().next() == Some(LOCK_NAME)) {
        return Ok(());
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    atomic::write(&path, &format!("{text}{end}{ATTRIBUTE}\n"), true)
}
