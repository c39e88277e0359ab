//! Pulls pages one by one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use links_pages::apply::{PageSnapshot, SlotTypes};
use links_sdk::{Client, ProfileKey};
use serde_json::{Value, json};

use super::forms::{FormOptions, LocalForms};
use super::image_urls::{places, urls};
use super::images::Images;
use super::new_page::NewPage;
use super::options::PullOptions;
use super::place::{PageTarget, PullDirectory};
use super::portable::LeftOut;
use super::report::{Report, left_out};
use crate::apply::existing_file::{ExistingFile, PageSource, not_written};
use crate::apply::export;
use crate::apply::known_forms::KnownForms;
use crate::apply::schema_line::schema_of;
use crate::apply::sync::{SyncRecord, WrittenLocks};
use crate::apply::uploads;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::schema::slot_types::SlotTypeCatalog;
use links_pages::fs::atomic;
use links_pages::page_file::local_image::ImageRoots;
use links_pages::page_file::{FileScope, PageContent, PageFile, ReferencePlace, ReferenceTarget};

/// Place of a page: a file, or the directory of the pull.
pub(super) enum Place {
    File(PathBuf),
    Directory,
}

pub(super) struct Puller<'c> {
    pub(super) context: &'c mut Context,
    pub(super) client: Client,
    how: PullOptions,
    types: SlotTypeCatalog,
    rules: SlotTypes,
    /// Codes of the languages by id, from the first settings that were read.
    languages: BTreeMap<i64, String>,
    known: KnownForms,
    directory: Option<PullDirectory>,
    forms: LocalForms,
    images: Images,
}

impl<'c> Puller<'c> {
    /// Prepares a pull. `is_all` says that every form gets a file.
    pub(super) async fn new(
        context: &'c mut Context,
        client: Client,
        how: PullOptions,
        mut directory: Option<PullDirectory>,
        is_all: bool,
    ) -> Result<Self, CommandError> {
        let types = context.slot_types().await?;
        let (rules, mut known) = (types.rules(), KnownForms::default());
        let options = form_options(&how);
        let forms = match &mut directory {
            Some(directory) if is_all || how.portable || !directory.forms.is_empty() => {
                LocalForms::read(context, &client, &mut known, directory, options).await?
            }
            _ => LocalForms::default(),
        };
        let (languages, images) = (BTreeMap::new(), Images::default());
        Ok(Self { context, client, how, types, rules, languages, known, directory, forms, images })
    }

    /// Writes the files of all forms.
    pub(super) fn write_all_forms(&mut self, report: &mut Report) {
        for id in self.forms.ids() {
            if let Err(failure) = self.write_form(&id, report) {
                report.failures.push(failure);
            }
        }
    }

    fn write_form(&mut self, id: &str, report: &mut Report) -> Result<(), CommandError> {
        let Some(directory) = &mut self.directory else { return Ok(()) };
        let written = self.forms.write(self.context, id, directory, form_options(&self.how))?;
        if let Some(form) = written {
            report.form(form);
        }
        Ok(())
    }

    /// Pulls a page.
    pub(super) async fn page(
        &mut self,
        key: &ProfileKey,
        place: Place,
        report: &mut Report,
    ) -> Result<(), CommandError> {
        // A file that is named is read before its page, so that an edit made meanwhile is noticed.
        let named = match &place {
            Place::File(path) if path.exists() && !self.how.force => Some(self.existing(path)?),
            _ => None,
        };
        let page = self.read(key).await?;
        let (path, existing, replaces) = match (place, &mut self.directory) {
            (Place::File(path), _) => (path, named, self.how.force),
            (Place::Directory, None) => {
                return Err(CommandError::internal("a pull into no directory"));
            }
            (Place::Directory, Some(directory)) => match directory.page(&page)? {
                PageTarget::New(path) => (path, None, false),
                PageTarget::Existing(path) if self.how.force => (path, None, true),
                PageTarget::Existing(path) => {
                    let existing = self.existing(&path)?;
                    (path, Some(existing), false)
                }
            },
        };
        match existing {
            Some(file) => self.take_over(file, &path, &page, report).await,
            None => self.write(&path, &page, replaces, report).await,
        }
    }

    fn existing(&self, path: &Path) -> Result<ExistingFile, CommandError> {
        if self.how.portable {
            let message = format!("{} already exists", path.display());
            return Err(CommandError::new(Exit::Refused, message).with_hint("--force replaces it"));
        }
        ExistingFile::read(path, FileScope::Page)
    }

    /// Reads a page with the code of its language.
    async fn read(&mut self, key: &ProfileKey) -> Result<PageSnapshot, CommandError> {
        let mut page = PageSnapshot::read(&self.client, key).await?;
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

    /// Takes over into a file what changed on its page.
    async fn take_over(
        &mut self,
        file: ExistingFile,
        path: &Path,
        page: &PageSnapshot,
        report: &mut Report,
    ) -> Result<(), CommandError> {
        let Some(mut record) = SyncRecord::of(self.context, path)? else {
            let message = format!("there is no place for a record of {}", path.display());
            return Err(CommandError::usage(message).with_hint("--force replaces the whole file"));
        };
        let schema = self.how.schema.as_deref();
        let (types, forms) = (&self.rules, &mut self.known);
        let source = PageSource { client: &self.client, page, types, forms, schema };
        let taken = file.take_over(self.context, &mut record, source).await?;
        report.say(format!("{}: {}", taken.file, taken.summary));
        report.conflicts += taken.conflicts;
        report.is_written |= taken.is_written;
        report.pages.push(taken.json(page.id, &page.login));
        Ok(())
    }

    /// Writes a whole page to a file.
    async fn write(
        &mut self,
        path: &Path,
        page: &PageSnapshot,
        replaces: bool,
        report: &mut Report,
    ) -> Result<(), CommandError> {
        if !self.how.portable
            && let Some(record) = SyncRecord::of(self.context, path)?
        {
            WrittenLocks::of(&record, page).check(self.context, &self.client).await?;
        }
        let (content, fields) = export::whole(page, &self.rules);
        let mut new = NewPage::of(&content)?;
        let schema = schema_of(self.how.schema.as_deref(), Some(path))?.map(str::to_owned);
        let mut notes = Report::default();
        let paths = self.refer_to_images(path, page, &content, &mut new, &mut notes).await?;
        self.refer_to_forms(&content, &mut new, report)?;
        if self.how.portable {
            let forms = &self.forms;
            let left = LeftOut::of(page, &self.rules, |id| forms.name(id).is_some());
            new.make_portable(&left.slots, left.comment.as_deref());
            if let Some(comment) = left.comment {
                notes.note(comment);
            }
        }
        let text = new.text(Some(path), schema.as_deref())?;
        atomic::write(path, &text, replaces).map_err(|error| not_written(path, &error))?;
        report.is_written = true;
        let file = path.display().to_string();
        let slots = match new.slots() {
            1 => "1 slot".to_owned(),
            several => format!("{several} slots"),
        };
        report.say(format!("{file}: {} written, {slots}", page.login));
        report.lines.append(&mut notes.lines);
        report.lines.extend(left_out(&page.login, &fields));
        report.pages.push(json!({
            "file": file, "id": page.id, "login": page.login, "slots": new.slots(), "conflicts": 0, "leftOut": fields,
        }));
        if self.how.portable {
            return Ok(());
        }
        self.record(path, text, page, &paths).map_err(|error| {
            let message = format!("{file} is written, but that could not be recorded: {error}");
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
    ) -> Result<BTreeMap<ReferencePlace, String>, CommandError> {
        let urls = urls(page, &self.types);
        let found = places(&content.content, &urls);
        let mut paths = BTreeMap::new();
        if !self.how.images {
            if self.how.portable && !found.is_empty() {
                report.note("images are left as their paths, which only this account has; --images downloads them");
            }
            return Ok(paths);
        }
        let directory = file.parent().unwrap_or(Path::new(""));
        for (place, path) in found {
            let saved = match urls.get(&path) {
                Some(url) => self.images.save(&self.client, directory, &path, url).await?,
                None => Err("the service gives no URL for it".to_owned()),
            };
            match saved {
                Ok(image) => {
                    new.refer(&place, "$upload", &image);
                    paths.insert(place, path);
                }
                Err(why) => report.note(format!("{place}: {path} is left as its path: {why}")),
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
    ) -> Result<(), CommandError> {
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
    ) -> Result<(), CommandError> {
        let Some(record) = SyncRecord::of(self.context, path)? else { return Ok(()) };
        if record.has_other_file(page.id) {
            return Ok(());
        }
        let (name, directory) =
            (path.display().to_string(), path.parent().unwrap_or(Path::new("")));
        let mut file = if text.contains('$') {
            let roots = ImageRoots::new(directory, &[])?;
            PageFile::from_bytes(&name, text.into_bytes(), &roots)?
        } else {
            PageFile::made(&name, text.into_bytes())?
        };
        let mut images = uploads::images(&file);
        let content = std::sync::Arc::make_mut(&mut file.page.content);
        for image in &mut images {
            if let Some(path) = paths.get(&image.place) {
                image.uploaded = true;
                image.place.put_in(content, &json!(path));
            }
        }
        for reference in &file.references {
            let ReferenceTarget::Form(name) = &reference.target else { continue };
            if let Some(id) = self.forms.id(name) {
                reference.place.put_in(content, &json!(id));
            }
        }
        record.rebuild(self.context, &file, &images, page, self.rules.clone())
    }
}

fn form_options(how: &PullOptions) -> FormOptions {
    FormOptions { force: how.force, portable: how.portable }
}
