//! Saved plan of several pages and forms: reviewed as a file, and later carried out unchanged or not at all.

use std::path::{Path, PathBuf};

use links_pages::account::FormPlan;
use serde::{Deserialize, Serialize};

use super::files::AccountFiles;
use super::forms::PlannedForm;
use super::state::AccountState;
use crate::apply::apply_args::ApplyArgs;
use crate::apply::plan_file::{ACCOUNT_PLAN, content_digest};
use crate::apply::planned::PlannedPage;
use crate::apply::saved_plan::{SavedPlan, directory_from};
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use links_pages::form_file::FormFile;
use links_pages::page_file::Document;

/// Plans of pages and forms with the files that they were made from.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedAccount {
    format: String,
    version: u32,
    pub(super) pages: Vec<SavedPlan>,
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

impl SavedAccount {
    /// Saved form of the plans, for a file at `path`.
    pub(super) fn of(state: &AccountState, apply_args: &ApplyArgs, path: &Path) -> Self {
        let form = |form: &PlannedForm| SavedForm {
            directory: directory_from(path, form.path.parent().unwrap_or(Path::new(""))),
            name: PathBuf::from(form.path.file_name().unwrap_or_default()),
            text: form.file.document.text().to_owned(),
            plan: form.plan.clone(),
        };
        let page = |planned: &PlannedPage| SavedPlan::of(planned, apply_args, path);
        let mut saved = Self {
            format: ACCOUNT_PLAN.name.to_owned(),
            version: ACCOUNT_PLAN.version,
            pages: state.planned().map(page).collect(),
            forms: state.forms.iter().map(form).collect(),
            digest: String::new(),
        };
        saved.digest = content_digest(&saved);
        saved
    }

    /// Writes the plan. Replaces only an older plan.
    pub(super) fn write(&self, path: &Path) -> Result<(), CommandError> {
        ACCOUNT_PLAN.write(path, self)
    }

    /// Reads a saved plan (`-`: standard input) with the files that it was made from.
    pub(super) fn read(
        path: &Path,
        roots: &[PathBuf],
    ) -> Result<(Self, AccountFiles), CommandError> {
        let hint = "`links plan --out FILE` writes one; `links slots apply --plan` takes those of `links slots plan`";
        let (name, mut saved): (_, Self) = ACCOUNT_PLAN.read(path, |_| hint.to_owned())?;
        if saved.digest != content_digest(&saved) {
            let message = format!("the plan {name} was edited; nothing was written");
            return Err(CommandError::new(Exit::Invalid, message)
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
