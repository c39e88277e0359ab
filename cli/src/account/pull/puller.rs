//! Pulls pages one by one.

use links_pages::apply::SlotTypes;

use super::existing_file::{ExistingFile, not_written, replace, write_file};
use super::forms::LocalForms;
use super::image_urls::{places, urls};
use super::images;
use super::new_page::NewPage;
use super::place::{PullDirectory, PullOptions};
use super::report::{Report, left_out_line};
use crate::account::files::parent;
use crate::account::live_page::export;
use crate::apply::preflight::check_host;
use crate::apply::schema_line::{is_json, no_schema_in_json, schema_of, with_schema};
use crate::apply::sync::page_path::{is_there, pages_of, without_links};
use crate::apply::sync::{
    ComposedPage, LockStore, SyncRecord, WriteBack, WrittenLocks, from_here, pull_summary,
    pulled_text,
};
use crate::apply::uploads;
use crate::context::prelude::*;
use links_pages::account::KnownForms;
use links_pages::page_file::local_image::ImageRoots;
use links_pages::page_file::{
    Document, FileScope, PageContent, ReferencePlace, ReferenceTarget, file_of,
};
use links_pages::sync::Pull;

/// Adds a page whose file was written to a report.
fn report_pulled(path: &Path, page: &PageSnapshot, pull: &Pull, report: &mut Report) {
    let (file, conflicts) = (path.display().to_string(), pull.marks.len());
    report.say(format!("{file}: {}", pull_summary(pull)));
    report.conflicts += conflicts;
    report.pages.push(json!({
        "file": file, "id": page.id, "login": page.login, "conflicts": conflicts, "pull": pull,
    }));
}

/// A page file that exists, with its record; `None` if there is no place for one.
type Existing = (ExistingFile, Option<Box<SyncRecord>>);

pub(super) struct Puller<'c> {
    pub(super) context: &'c mut Context,
    pub(super) client: Client,
    how: PullOptions,
    scope: FileScope,
    types: SlotTypeCatalog,
    rules: SlotTypes,
    /// Codes of the languages by id, from the first settings that were read.
    languages: BTreeMap<i64, String>,
    known: KnownForms,
    directory: Option<PullDirectory>,
    forms: LocalForms,
    /// Names of the images that were downloaded, by the directory of the page file and the path on the service.
    images: BTreeMap<(PathBuf, String), String>,
    /// Pages whose files are made of several, which are written together.
    composed: Vec<ComposedPage>,
}

impl<'c> Puller<'c> {
    /// Prepares a pull. `is_all` says that every form gets a file.
    pub(super) async fn new(
        context: &'c mut Context,
        client: Client,
        (how, scope): (PullOptions, FileScope),
        mut directory: Option<PullDirectory>,
        is_all: bool,
    ) -> Result<Self> {
        let types = context.slot_types().await?;
        let (rules, mut known) = (types.rules(), KnownForms::default());
        let forms = match &mut directory {
            Some(directory) if is_all || how.portable || !directory.forms.is_empty() => {
                LocalForms::read(context, &client, &mut known, directory, &how).await?
            }
            _ => LocalForms::default(),
        };
        Ok(Self {
            context,
            client,
            how,
            scope,
            types,
            rules,
            languages: BTreeMap::new(),
            known,
            directory,
            forms,
            images: BTreeMap::new(),
            composed: Vec::new(),
        })
    }

    /// Writes the files of all forms.
    pub(super) fn write_all_forms(&mut self, report: &mut Report) {
        for id in self.forms.ids() {
            let written = self.write_form(&id, report);
            report.failures.extend(written.err());
        }
    }

    /// Returns why files in the directory cannot be used.
    pub(super) fn unusable_files(&self) -> Vec<(PathBuf, CommandError)> {
        self.directory.as_ref().map(PullDirectory::problems).unwrap_or_default()
    }

    /// Takes over into a form file what changed in its form.
    pub(super) fn form_of(&mut self, file: &Path, report: &mut Report) -> Result<()> {
        let Some(id) = self.forms.id_of_file(file) else {
            let message = format!("{}: no matching form in this account", file.display());
            return Err(CommandError::not_found(message).with_hint(
                "run `links plan` to see which form the file matches, or whether it would create one",
            ));
        };
        self.write_form(&id, report)
    }

    fn write_form(&mut self, id: &str, report: &mut Report) -> Result<()> {
        let Some(directory) = &mut self.directory else { return Ok(()) };
        self.forms.write(self.context, id, directory, &self.how, report)
    }

    /// Pulls a page into a file, or into the directory of the pull.
    pub(super) async fn page(
        &mut self,
        key: &ProfileKey,
        file: Option<&Path>,
        report: &mut Report,
    ) -> Result<()> {
        // The record and the file are read before the page, so that what happens to them meanwhile is noticed.
        let known = match (file, &self.directory) {
            (None, Some(directory)) => directory.file_before(key)?,
            _ => file.map(Path::to_owned).filter(|path| is_there(path)),
        };
        let known = known.filter(|_| !self.how.force);
        let existing = known.map(|path| self.existing(&path, key)).transpose()?;
        let page = self.read(key).await?;
        let (path, is_new) = match (file, &mut self.directory) {
            (Some(path), _) => (path.to_owned(), existing.is_none()),
            (None, Some(directory)) => directory.page(&page)?,
            (None, None) => return Err(CommandError::internal("a pull into no directory")),
        };
        report.adds_page |= is_new && file.is_none();
        if is_new || self.how.force {
            return self.write(&path, &page, report).await;
        }
        let existing = match existing.filter(|it| it.0.path == path) {
            Some(existing) => existing,
            None => {
                let found = self.existing(&path, key)?;
                if found.1.as_ref().is_some_and(|it| it.is_in_lock() && it.page().is_some()) {
                    // Only the page says which file is its file: it is read once more, after its record.
                    return Box::pin(self.page(key, Some(&path), report)).await;
                }
                found
            }
        };
        self.take_over(existing, &page, report).await
    }

    /// Reads a page file that exists, after its record.
    fn existing(&self, path: &Path, key: &ProfileKey) -> Result<Existing> {
        let exists = || not_written(path)(io::ErrorKind::AlreadyExists.into());
        if self.how.portable {
            return Err(exists());
        }
        let record = SyncRecord::of(self.context, path)?;
        // Without a record of the page, nothing says that the slots of the file are its slots.
        let is_its = record.as_ref().is_some_and(|it| it.is_in_lock() || it.is_of(key));
        if self.scope == FileScope::Slots && !is_its {
            return Err(exists());
        }
        let file = ExistingFile::read(path, self.scope)?;
        if let Some(note) = file.left_out_note("only slots were merged", &key.to_string(), "") {
            self.context.ui.say(&note);
        }
        Ok((file, record))
    }

    /// Reads a page with the code of its language.
    async fn read(&mut self, key: &ProfileKey) -> Result<PageSnapshot> {
        let mut page = PageSnapshot::read(&self.client, key).await?;
        if self.scope == FileScope::Slots {
            return Ok(page);
        }
        let Some(language) = page.record.get("languageId").and_then(Value::as_i64) else {
            page.read_language(&self.client).await?;
            return Ok(page);
        };
        if !self.languages.contains_key(&language) {
            let settings = self.client.profile(page.id).settings().await?;
            let all = settings.options.languages.into_iter().map(|it| (it.id, it.code));
            self.languages.extend(all);
            if let (Some(id), Some(code)) = (settings.language_id, settings.language_code) {
                self.languages.insert(id, code);
            }
        }
        if let Some(code) = self.languages.get(&language) {
            page.record.insert("languageCode".to_owned(), code.clone().into());
        }
        Ok(page)
    }

    /// Takes over into a file what changed on its page since the last sync, and records this one.
    async fn take_over(
        &mut self,
        (mut existing, record): Existing,
        page: &PageSnapshot,
        report: &mut Report,
    ) -> Result<()> {
        let path = existing.path.clone();
        let Some(mut record) = record else {
            let message = format!("cannot record the sync of {}", path.display());
            return Err(
                CommandError::usage(message).with_hint("use --force to replace the whole file")
            );
        };
        if self.how.schema.is_some() && is_json(&path) {
            return Err(no_schema_in_json());
        }
        record.check_page(&existing.file, page)?;
        check_host(&existing.file, page)?;
        existing.check_profile(&record, page)?;
        WrittenLocks::check_of(self.context, &self.client, &record, page).await?;
        record.read_sent(self.context, page.id)?;
        let ExistingFile { text, file, .. } = &mut existing;
        // An image that is not there is compared by its name.
        file.missing.clear();
        let (context, known) = (&*self.context, &mut self.known);
        uploads::resolve(context, &self.client, page, file, Some(&record), known).await?;
        if !file.missing.is_empty() {
            return Err(file.document.bad(std::mem::take(&mut file.missing)).into());
        }
        if file.document.is_composed {
            if self.how.schema.is_some() {
                let message = format!("{} is made of several files", path.display());
                return Err(CommandError::usage(message)
                    .with_hint("pull without --schema, and write the line of the schema by hand"));
            }
            let (file, page) = (existing.file, page.clone());
            self.composed.push(ComposedPage { path, file, record, page });
            return Ok(());
        }
        let (mut new, pull) = pulled_text(&record, text, file, page, &self.rules)?;
        if let Some(schema) = &self.how.schema {
            new = with_schema(&new, schema)?;
        }
        record.check_unchanged(context)?;
        replace(&path, text, &new)?;
        report.is_written |= new != *text;
        report_pulled(&path, page, &pull, report);
        record.store_pull(context, (file, page), &pull)
    }

    /// Takes over what changed on the pages whose files are made of several, once all of them are read.
    pub(super) fn write_back(&mut self, report: &mut Report) {
        let mut pages = std::mem::take(&mut self.composed);
        // Other runs may have applied the first pages while the last ones were read.
        pages.retain(|page| {
            let failure = page.check_unchanged(self.context).err();
            let is_unchanged = failure.is_none();
            report.failures.extend(failure);
            is_unchanged
        });
        let written = self.write_composed(&pages, report);
        report.failures.extend(written.err());
    }

    fn write_composed(&mut self, pages: &[ComposedPage], report: &mut Report) -> Result<()> {
        let Some(first) = pages.first() else { return Ok(()) };
        let (others, unread) = match &self.directory {
            Some(directory) => directory.others(pages),
            None => {
                let store = LockStore::of(&first.path);
                let own = || parent(&first.path).to_owned();
                let directory = store.map_or_else(own, |store| from_here(store.directory()));
                PullDirectory::read(self.context, directory)?.others(pages)
            }
        };
        let WriteBack { texts, pages: pulled } =
            WriteBack::of(pages, &others, &unread, &self.rules)?;
        // The page files come last, so that what is cut off is seen as a change of the others.
        let is_own = |file: &Path| pages.iter().any(|it| without_links(file_of(&it.path)) == *file);
        let mut texts: Vec<_> = texts.into_iter().collect();
        texts.sort_by_key(|(file, _)| is_own(file));
        let mut written: Vec<String> = Vec::new();
        for (file, (before, after)) in texts {
            let file = from_here(&file);
            replace(&file, &before, &after).map_err(|failure| match &written[..] {
                [] => failure,
                written => {
                    failure.partial(&written.join(", ")).with_hint("run the same command again")
                }
            })?;
            written.push(file.display().to_string());
            report.is_written = true;
        }
        for (ComposedPage { path, file, record, page }, pulled) in pages.iter().zip(pulled) {
            match pulled {
                Ok((pull, notes)) => {
                    report_pulled(path, page, &pull, report);
                    report.left += notes.len();
                    report.lines.extend(notes.into_iter().map(StyledLine::changed));
                    record.store_pull(self.context, (file, page), &pull)?;
                }
                Err(failure) => report.failures.push(failure),
            }
        }
        Ok(())
    }

    /// Writes a whole page to a file.
    async fn write(&mut self, path: &Path, page: &PageSnapshot, report: &mut Report) -> Result<()> {
        let replaces = self.how.force;
        let is_table = path != file_of(path)
            || replaces && pages_of(path).is_some_and(|pages| pages != [path.to_owned()]);
        if is_table {
            let message = format!("{} is made of a table; nothing was written", path.display());
            return Err(CommandError::refused(message).with_hint(
                "without --force, changes are merged into the table; for a file of its own, pass another one with -O",
            ));
        }
        if !self.how.portable
            && let Some(record) = SyncRecord::of(self.context, path)?
        {
            WrittenLocks::check_of(self.context, &self.client, &record, page).await?;
        }
        let (content, fields) = export(page, &self.rules, self.scope);
        let mut new = NewPage::of(&content)?;
        let schema = schema_of(self.how.schema.as_deref(), Some(path))?.map(str::to_owned);
        let mut notes = Report::default();
        let paths = self.refer_to_images(path, page, &content, &mut new, &mut notes).await?;
        self.refer_to_forms(&content, &mut new, report)?;
        if self.how.portable {
            let has_form = |id: &str| self.forms.filed_name(id).is_some();
            if let Some(comment) =
                new.make_portable(&page.login, &page.slots, &self.rules, has_form)
            {
                notes.note(comment);
            }
        }
        let text = new.text(Some(path), schema.as_deref())?;
        // What cannot be read as a page file has no fields of a page.
        let replaced = replaces.then(|| ExistingFile::read(path, self.scope)).and_then(Result::ok);
        write_file(path, &text, replaces)?;
        report.is_written = true;
        let note = replaced.and_then(|file| {
            file.left_out_note("only slots were written", &page.login, " --force")
        });
        if let Some(note) = note {
            self.context.ui.say(&note);
        }
        let file = path.display().to_string();
        report.say(format!("wrote {file} (page {}, {})", page.login, count(new.slots(), "slot")));
        report.lines.append(&mut notes.lines);
        report.lines.extend(left_out_line(&page.login, &fields));
        report.pages.push(json!({
            "file": file, "id": page.id, "login": page.login, "slots": new.slots(), "conflicts": 0, "leftOut": fields,
        }));
        if self.how.portable {
            return Ok(());
        }
        self.record(path, text, page, &paths).map_err(|error| {
            let message = format!("wrote {file}, but cannot record the sync: {error}");
            CommandError::new(Exit::Partial, message).with_hint("run the same command again")
        })
    }

    /// Downloads the images of a page and refers to them. Returns their paths on the service by their places.
    async fn refer_to_images(
        &mut self,
        file: &Path,
        page: &PageSnapshot,
        content: &PageContent,
        new: &mut NewPage,
        report: &mut Report,
    ) -> Result<BTreeMap<ReferencePlace, String>> {
        let urls = urls(page, &self.types);
        let found = places(&content.content, &urls);
        let mut paths = BTreeMap::new();
        if !self.how.images {
            if self.how.portable && !found.is_empty() {
                report.note("images are kept as paths that only work in this account; use --images to download them");
            }
            return Ok(paths);
        }
        let directory = parent(file);
        for (place, path) in found {
            let saved = match urls.get(&path) {
                Some(url) => {
                    images::save(&mut self.images, &self.client, (directory, &path), url).await?
                }
                None => Err("the service provides no URL".to_owned()),
            };
            match saved {
                Ok(image) => {
                    new.refer(&place, "$upload", &image);
                    paths.insert(place, path);
                }
                Err(why) => report.note(format!(
                    "{place}: kept the path {path}, because the image cannot be downloaded: {why}"
                )),
            }
        }
        Ok(paths)
    }

    /// Refers to the forms that have files, and writes those that a portable page shows.
    fn refer_to_forms(
        &mut self,
        content: &PageContent,
        new: &mut NewPage,
        report: &mut Report,
    ) -> Result<()> {
        for (item, slot) in content.content.slots.iter().enumerate() {
            let id = slot.data.get("formId").filter(|_| slot.kind == "form");
            let Some(id) = id.and_then(Value::as_str) else { continue };
            if self.how.portable {
                self.write_form(id, report)?;
            }
            if let Some(name) = self.forms.filed_name(id) {
                let place = ReferencePlace { item: Some(item), path: vec!["formId".to_owned()] };
                new.refer(&place, "$form", name);
            }
        }
        Ok(())
    }

    /// Records a new file and its page, unless another file has the page.
    fn record(
        &self,
        path: &Path,
        text: String,
        page: &PageSnapshot,
        paths: &BTreeMap<ReferencePlace, String>,
    ) -> Result<()> {
        let Some(record) = SyncRecord::of(self.context, path)? else { return Ok(()) };
        if record.has_other_file(page.id) {
            return Ok(());
        }
        let name = path.display().to_string();
        let mut file = if text.contains('$') {
            let roots = ImageRoots::new(parent(path), &[])?;
            PageFile::from_bytes(&name, text.into_bytes(), &roots)?
        } else {
            PageFile::literal(Document::from_bytes(&name, text.into_bytes())?)?
        };
        let content = std::sync::Arc::make_mut(&mut file.page.content);
        for image in &mut file.images {
            if let Some(path) = paths.get(&image.place) {
                image.is_uploaded = true;
                image.place.put_in(content, &json!(path));
            }
        }
        for reference in &file.references {
            let ReferenceTarget::Form(name) = &reference.target else { continue };
            if let Some(id) = self.forms.id(name) {
                reference.place.put_in(content, &json!(id));
            }
        }
        record.rebuild(self.context, &file, page, self.rules.clone())
    }
}
