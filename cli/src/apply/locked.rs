//! `apply --locked`: only what `links.lock` identifies.

use super::sync::SyncRecord;
use crate::context::prelude::*;
use crate::output::counts;
use links_pages::page_file::{Reference, ReferenceTarget};

/// What to do about a form that a lock does not have.
pub(super) const FORM: &str = "use the form's ID, or the name of a form file that is in links.lock";

/// What to do about an image that a lock does not have.
const UPLOAD: &str = "apply the file without --locked to upload its images, then commit links.lock";

/// Refuses a file whose page, images or forms the lock does not identify. Sends nothing.
pub(crate) fn check(file: &PageFile, record: Option<&SyncRecord>) -> Result<()> {
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
    let is_unknown = |reference: &&Reference| match &reference.target {
        ReferenceTarget::Form(name) => record.form(name).is_none(),
        ReferenceTarget::Upload(_) => {
            let image = file.images.iter().find(|image| image.place == reference.place);
            image.is_some_and(|it| record.images(&it.local.hash).next().is_none())
        }
    };
    let unknown: Vec<&Reference> = file.references.iter().filter(is_unknown).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let is_form = |it: &&&Reference| matches!(it.target, ReferenceTarget::Form(_));
    let forms = unknown.iter().filter(is_form).count();
    let images = unknown.len() - forms;
    let problem = |reference: &&Reference| {
        let (what, hint) = match &reference.target {
            ReferenceTarget::Form(name) => (format!("form \"{name}\""), FORM),
            ReferenceTarget::Upload(_) => ("this image".to_owned(), UPLOAD),
        };
        let message = format!("--locked: {what} is not in links.lock; nothing was written");
        reference.problem(message).help(hint)
    };
    let problems = unknown.iter().map(problem).collect();
    let missing = counts(&[(images, "image"), (forms, "form")]).join(" and ");
    let hint = if images == 0 { FORM } else { UPLOAD };
    let message = format!("links.lock has no record of {missing} in the file");
    Err(refused(message).with_hint(hint).at(file.document.bad(problems)))
}
