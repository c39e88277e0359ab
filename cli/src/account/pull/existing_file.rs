//! A page file that exists, and takes over what changed on its page. Everything else in it stays as it is.

use std::path::{Path, PathBuf};

use links_pages::apply::{PageSnapshot, SlotTypes};
use links_pages::sync::Pull;
use links_sdk::{Client, ProfileId, ProfileKey};
use serde_json::{Value, json};

use crate::account::files::read_page;
use crate::apply::known_forms::KnownForms;
use crate::apply::preflight::check_host;
use crate::apply::schema_line::{is_json, no_schema_in_json, with_schema};
use crate::apply::sync::{PulledFile, SyncRecord, WrittenLocks};
use crate::apply::uploads;
use crate::context::Context;
use crate::error::file_error::file_error;
use crate::error::{CommandError, Exit};
use crate::output::StyledLine;
use links_pages::fs::{atomic, named};
use links_pages::page_file::{FileScope, PageFile};
use links_pages::sanitize::quoted;

/// A page file as it was read.
pub(crate) struct ExistingFile {
    path: PathBuf,
    text: String,
    file: PageFile,
}

/// A page to take over from.
pub(crate) struct PageSource<'a> {
    pub(crate) client: &'a Client,
    pub(crate) page: &'a PageSnapshot,
    pub(crate) types: &'a SlotTypes,
    /// Forms that references of the file may mean.
    pub(crate) forms: &'a mut KnownForms,
    /// Path of the schema for the first line.
    pub(crate) schema: Option<&'a str>,
}

/// What a file took over from its page.
pub(crate) struct TakenOver {
    pub(crate) file: String,
    pull: Pull,
    pub(crate) summary: String,
    pub(crate) conflicts: usize,
    /// True if the file was written.
    pub(crate) is_written: bool,
}

impl ExistingFile {
    /// Reads a page file. Refuses one with marks of conflicts.
    pub(crate) fn read(path: &Path, scope: FileScope) -> Result<Self, CommandError> {
        let (file, bytes) = read_page(path, &[], "apply")?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let name = file.document.name();
            CommandError::usage(format!("cannot read {name}: it is not UTF-8"))
        })?;
        let file = match scope {
            FileScope::Page => file,
            FileScope::Slots => file.slots_only()?,
        };
        Ok(Self { path: path.to_owned(), text, file })
    }

    /// Returns the note about the fields of the page that the command for slots alone leaves out, if the file has any. `pull` has them.
    pub(super) fn left_out_note(&self, what: &str, page: &str, flags: &str) -> Option<StyledLine> {
        let names = self.file.left_out_words()?;
        let (page, file) = (quoted(page), self.path.display().to_string());
        let file = quoted(&file);
        let more = if flags.is_empty() { "takes these too" } else { "writes the whole page" };
        let text =
            format!("{what}; left out: {names} (`links pull {page} -O {file}{flags}` {more})");
        Some(StyledLine::changed(text))
    }

    /// Takes over what changed on the page since the last sync, and records this one.
    pub(super) async fn take_over(
        mut self,
        context: &mut Context,
        record: &mut SyncRecord,
        source: PageSource<'_>,
    ) -> Result<TakenOver, CommandError> {
        let PageSource { client, page, types, forms, schema } = source;
        if schema.is_some() && is_json(&self.path) {
            return Err(no_schema_in_json());
        }
        record.check_page(&self.file, page)?;
        check_host(&self.file, page)?;
        self.check_profile(record, page)?;
        WrittenLocks::of(record, page).check(context, client).await?;
        record.read_sent(context, page.id)?;
        let mut images = uploads::images(&self.file);
        let broken = uploads::resolve(
            context,
            client,
            page,
            &mut self.file,
            &mut images,
            Some(record),
            forms,
        )
        .await?;
        if !broken.is_empty() {
            return Err(self.file.document.bad(broken).into());
        }
        let mut pulled = PulledFile::of(record, &self.text, &self.file, &images, page, types)?;
        if let Some(schema) = schema {
            pulled.text = with_schema(&pulled.text, schema)?;
        }
        let is_written = pulled.text != self.text;
        if is_written {
            replace(&self.path, &self.text, &pulled.text)?;
        }
        let taken = TakenOver {
            file: self.path.display().to_string(),
            pull: pulled.pull.clone(),
            summary: pulled.summary(),
            conflicts: pulled.conflicts(),
            is_written,
        };
        pulled.store(context, record, &self.file, &images)?;
        Ok(taken)
    }

    /// Refuses the file of another page, where no lock says whose it is.
    fn check_profile(&self, record: &SyncRecord, page: &PageSnapshot) -> Result<(), CommandError> {
        let names = |key: &str| key.eq_ignore_ascii_case(&page.login);
        let is_named = match &self.file.page.profile {
            ProfileKey::Id(id) => *id == page.id,
            ProfileKey::Login(login) => names(login),
        };
        if is_named
            || self.file.page.login.as_deref().is_some_and(names)
            || record.base().is_some_and(|base| base.id == page.id)
        {
            return Ok(());
        }
        let message = format!(
            "{} is for the page {}, not for {} (id {}); nothing was written",
            self.path.display(),
            self.file.page.profile,
            page.login,
            page.id
        );
        Err(CommandError::refused(message).with_hint("use a file of its own for each page"))
    }
}

impl TakenOver {
    /// Returns the data that the pull of this page prints.
    pub(super) fn json(&self, id: ProfileId, login: &str) -> Value {
        json!({ "file": self.file, "id": id, "login": login, "conflicts": self.conflicts, "pull": self.pull })
    }
}

/// Replaces the text of a file, unless it was changed since it was read.
pub(crate) fn replace(path: &Path, read: &str, text: &str) -> Result<(), CommandError> {
    if !named::read(path).is_ok_and(|(_, now)| now == read.as_bytes()) {
        let message = format!("{} was changed meanwhile; nothing was written", path.display());
        return Err(
            CommandError::new(Exit::Conflict, message).with_hint("run the same command again")
        );
    }
    atomic::write(path, text, true).map_err(|error| not_written(path, &error))
}

/// Returns the error for a file that cannot be written.
pub(crate) fn not_written(path: &Path, error: &std::io::Error) -> CommandError {
    match error.kind() {
        std::io::ErrorKind::AlreadyExists => {
            CommandError::refused(format!("{} already exists", path.display()))
                .with_hint("--force replaces it")
        }
        _ => file_error(&format!("cannot write {}", path.display()), error),
    }
}
