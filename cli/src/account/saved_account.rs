//! Saved plan of several pages and forms: reviewed as a file, and later carried out unchanged or not at all.

use std::path::{Path, PathBuf};

use links_sdk::account::FormPlan;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::files::AccountFiles;
use super::forms::PlannedForm;
use super::state::AccountState;
use crate::apply::saved_plan::{ACCOUNT_FORMAT, SavedPlan, directory_from};
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::form_file::FormFile;
use crate::fs::atomic;
use crate::page_file::local_image::hash_of;
use crate::page_file::{self, Document};

/// Version that is written, and the newest that is read.
const VERSION: u32 = 1;

/// Maximum size in bytes: the plans of 100 pages with their files.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Plans of pages and forms with the files that they were made from.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedAccount {
    format: String,
    version: u32,
    pages: Vec<SavedPlan>,
    forms: Vec<SavedForm>,
    /// Digest of all fields above: an edited plan is refused.
    digest: String,
}

/// Plan of a form with its file.
#[derive(Debug, Serialize, Deserialize)]
struct SavedForm {
    /// Directory of the file; relative to that of the plan if it lies beneath that.
    directory: PathBuf,
    name: PathBuf,
    text: String,
    plan: FormPlan,
}

/// First fields of a file.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

fn head(bytes: &[u8]) -> Option<Header> {
    bytes.trim_ascii_start().starts_with(b"{").then_some(())?;
    serde_json::from_slice(bytes).ok().filter(|head: &Header| head.format == ACCOUNT_FORMAT)
}

impl SavedAccount {
    /// Saved form of the plans, for a file at `path`.
    pub(super) fn of(state: &AccountState, path: &Path) -> Self {
        let form = |form: &PlannedForm| SavedForm {
            directory: directory_from(path, form.path.parent().unwrap_or(Path::new(""))),
            name: PathBuf::from(form.path.file_name().unwrap_or_default()),
            text: form.file.document.text().to_owned(),
            plan: form.plan.clone(),
        };
        let mut saved = Self {
            format: ACCOUNT_FORMAT.to_owned(),
            version: VERSION,
            pages: state.planned().map(|planned| SavedPlan::of(planned, path)).collect(),
            forms: state.forms.iter().map(form).collect(),
            digest: String::new(),
        };
        saved.digest = saved.content_digest();
        saved
    }

    fn content_digest(&self) -> String {
        let mut content = json!(self);
        content["digest"] = Value::Null;
        content.sort_all_objects();
        hash_of(content.to_string().as_bytes())
    }

    /// Writes the plan. Replaces only an older plan.
    pub(super) fn write(&self, path: &Path) -> Result<(), CommandError> {
        let name = path.display();
        if let Ok((_, bytes)) = page_file::read_most(path, MAX_BYTES)
            && head(&bytes).is_none()
        {
            let message = format!("{name} already exists and is not a plan of `links plan`");
            return Err(CommandError::new(Exit::Refused, message));
        }
        let text = serde_json::to_string_pretty(self).map_err(CommandError::internal)? + "\n";
        atomic::write(path, &text, true)
            .map_err(|error| CommandError::usage(format!("cannot write {name}: {error}")))
    }

    /// Reads a saved plan (`-`: standard input) with the files that it was made from.
    pub(super) fn read(
        path: &Path,
        roots: &[PathBuf],
    ) -> Result<(Self, AccountFiles), CommandError> {
        let (name, bytes) = page_file::read_most(path, MAX_BYTES)?;
        let Some(head) = head(&bytes) else {
            let message = format!("{name} is not a saved plan of `links plan`");
            return Err(CommandError::usage(message)
                .with_hint("`links plan --out FILE` writes one; `links slots apply --plan` takes those of `links slots plan`"));
        };
        let unusable = |why: &dyn std::fmt::Display| {
            CommandError::new(Exit::Invalid, format!("the plan {name} cannot be used: {why}"))
        };
        if head.version > VERSION {
            return Err(unusable(&"it was written by a newer version of this program"));
        }
        let mut saved: Self = serde_json::from_slice(&bytes).map_err(|why| unusable(&why))?;
        if saved.digest != saved.content_digest() {
            let message = format!("the plan {name} was edited; nothing was written");
            return Err(CommandError::new(Exit::Conflict, message)
                .with_hint("make a new plan: links plan --out PLAN"));
        }
        let mut files = AccountFiles::default();
        for page in &mut saved.pages {
            let (page_path, file) = page.open(path, roots)?;
            files.pages.push((page_path, file));
        }
        for form in &saved.forms {
            let beside = path.parent().unwrap_or(Path::new(""));
            let form_path = beside.join(&form.directory).join(&form.name);
            let document =
                Document::from_bytes(&form_path.display().to_string(), form.text.clone().into())?;
            files.forms.push((form_path, FormFile::of(document)?));
        }
        Ok((saved, files))
    }

    /// Returns the plan of the page with this index.
    pub(super) fn page(&self, nth: usize) -> Option<&SavedPlan> {
        self.pages.get(nth)
    }

    /// Returns the plans of the pages.
    pub(super) fn pages(&self) -> &[SavedPlan] {
        &self.pages
    }

    /// Refuses changes of forms other than the planned ones.
    pub(super) fn check_forms(&self, forms: &[PlannedForm]) -> Result<(), CommandError> {
        for (saved, now) in self.forms.iter().zip(forms) {
            if saved.plan != now.plan && !now.plan.is_empty() {
                let message = format!(
                    "the form {} was changed since the plan was made; nothing was written",
                    now.plan.name
                );
                return Err(CommandError::new(Exit::Conflict, message)
                    .with_hint("make a new plan: links plan --out PLAN"));
            }
        }
        Ok(())
    }
}
