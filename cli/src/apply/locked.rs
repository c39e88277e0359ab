//! `apply --locked`: only what `links.lock` identifies.

use super::sync::SyncRecord;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::page_file::{FieldDiagnostic, PageFile, Reference, ReferenceTarget};

const UPLOAD: &str = "apply the file without --locked, which uploads it, and commit links.lock";

/// Refuses a file whose page or images the lock does not identify. Sends nothing.
pub(crate) fn check(file: &PageFile, record: Option<&SyncRecord>) -> Result<(), CommandError> {
    let name = file.document.name();
    let refused = |message: String| {
        CommandError::new(Exit::Refused, format!("--locked: {message}; nothing was written"))
    };
    let Some(record) = record.filter(|it| it.is_in_lock()) else {
        return Err(refused(format!("no links.lock governs {name}"))
            .with_hint("`links init` begins one; commit it beside the page files"));
    };
    if record.base().is_none() {
        return Err(refused(format!("links.lock has no record of {name}")).with_hint(
            "apply the file without --locked, or `links init --refresh`, and commit links.lock",
        ));
    }
    let unknown = unknown_images(file, record);
    if unknown.is_empty() {
        return Ok(());
    }
    let message = match unknown.len() {
        1 => "links.lock does not have an image of the file".to_owned(),
        several => format!("links.lock does not have {several} images of the file"),
    };
    Err(refused(message).with_hint(UPLOAD).at(file.document.bad(unknown)))
}

/// Returns the images whose content the lock does not have, at their places in the file.
fn unknown_images(file: &PageFile, record: &SyncRecord) -> Vec<FieldDiagnostic> {
    let is_unknown = |reference: &&Reference| {
        let is_image = matches!(reference.target, ReferenceTarget::Upload(_));
        let image = file.images.iter().find(|(place, ..)| *place == reference.place);
        is_image && image.is_some_and(|(_, _, local)| record.image(&local.hash).is_none())
    };
    let problem = |reference: &Reference| {
        reference
            .problem("--locked: links.lock does not have this image; nothing was written")
            .help(UPLOAD)
    };
    file.references.iter().filter(is_unknown).map(problem).collect()
}
