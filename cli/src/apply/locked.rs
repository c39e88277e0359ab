//! `apply --locked`: only what `links.lock` identifies.

use super::known_forms;
use super::sync::SyncRecord;
use crate::error::CommandError;
use crate::output::counts;
use links_pages::page_file::{FieldDiagnostic, PageFile, Reference, ReferenceTarget};

const UPLOAD: &str = "apply the file without --locked to upload its images, then commit links.lock";

/// Refuses a file whose page, images or forms the lock does not identify. Sends nothing.
pub(crate) fn check(file: &PageFile, record: Option<&SyncRecord>) -> Result<(), CommandError> {
    let name = file.document.name();
    let refused = |message: String| {
        CommandError::refused(format!("--locked: {message}; nothing was written"))
    };
    let Some(record) = record.filter(|it| it.is_in_lock()) else {
        return Err(refused(format!("no links.lock covers {name}"))
            .with_hint("create one with `links init`, and commit it with the page files"));
    };
    if record.page().is_none() {
        return Err(refused(format!("links.lock has no record of {name}")).with_hint(
            "apply the file without --locked, or run `links init --refresh`; then commit links.lock",
        ));
    }
    let (images, forms) = (unknown_images(file, record), unknown_forms(file, record));
    let missing = counts(&[(images.len(), "image"), (forms.len(), "form")]);
    if missing.is_empty() {
        return Ok(());
    }
    let hint = if images.is_empty() { known_forms::LOCKED } else { UPLOAD };
    let message = format!("links.lock has no record of {} in the file", missing.join(" and "));
    let unknown = images.into_iter().chain(forms).collect();
    Err(refused(message).with_hint(hint).at(file.document.bad(unknown)))
}

/// Returns the references to forms for which the lock has no id, at their places in the file.
fn unknown_forms(file: &PageFile, record: &SyncRecord) -> Vec<FieldDiagnostic> {
    let problem = |reference: &Reference| match &reference.target {
        ReferenceTarget::Form(name) if record.form(name).is_none() => {
            let message =
                format!("--locked: form \"{name}\" is not in links.lock; nothing was written");
            Some(reference.problem(message).help(known_forms::LOCKED))
        }
        ReferenceTarget::Form(_) | ReferenceTarget::Upload(_) => None,
    };
    file.references.iter().filter_map(problem).collect()
}

/// Returns the images whose content the lock does not have, at their places in the file.
fn unknown_images(file: &PageFile, record: &SyncRecord) -> Vec<FieldDiagnostic> {
    let is_unknown = |reference: &&Reference| {
        let is_image = matches!(reference.target, ReferenceTarget::Upload(_));
        let image = file.images.iter().find(|image| image.place == reference.place);
        is_image && image.is_some_and(|it| record.images(&it.local.hash).next().is_none())
    };
    let problem = |reference: &Reference| {
        reference
            .problem("--locked: this image is not in links.lock; nothing was written")
            .help(UPLOAD)
    };
    file.references.iter().filter(is_unknown).map(problem).collect()
}
