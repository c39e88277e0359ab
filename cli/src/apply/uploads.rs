//! Resolution of the references in a page file: forms and known images while planning, new images after confirmation.

use std::sync::Arc;

use bytes::Bytes;
use links_pages::apply::{DesiredPage, ItemRefusal};
use links_sdk::Upload;

use super::locked::FORM;
use super::planned::PlannedPage;
use super::preflight::check_write_access;
use crate::apply::sync::SyncRecord;
use crate::context::prelude::*;
use links_pages::account::{KnownForms, UnknownForm};
use links_pages::page_file::{Image, Reference, ReferencePlace, ReferenceTarget};

/// Resolves the references that need no upload: forms by their titles, and images that the service has. The others get a placeholder.
/// Adds the problems of references to forms to those of the file.
pub(crate) async fn resolve(
    context: &Context,
    client: &Client,
    page: &PageSnapshot,
    file: &mut PageFile,
    record: Option<&SyncRecord>,
    forms: &mut KnownForms,
) -> Result<()> {
    let content = Arc::make_mut(&mut file.page.content);
    for reference in &file.references {
        let ReferenceTarget::Form(name) = &reference.target else { continue };
        let recorded = record.and_then(|record| record.form(name));
        match forms.value(client, name, recorded).await? {
            Ok(value) => reference.place.put_in(content, &value),
            Err(UnknownForm { message, help, .. }) => {
                file.missing.push(if forms.is_locked() {
                    reference.problem(format!("--locked: {message}")).help(FORM)
                } else {
                    reference.problem(message).help_if(help)
                });
            }
        }
    }
    let known = context.uploads();
    let account = known.account_of(page.id);
    for image in &mut file.images {
        let hash = &image.local.hash;
        let of_account = account.and_then(|account| known.of_account(account, hash));
        let recorded = record.into_iter().flat_map(|record| record.images_of(hash, page));
        let mut paths = of_account.into_iter().chain(recorded).peekable();
        let (first, shown) = (paths.peek().copied(), shown_at(page, content, &image.place));
        // The service may have an image under several paths: a page keeps the one that it has.
        let path = paths.find(|path| Some(*path) == shown).or(first);
        let value = path.map_or_else(|| upload_of(&image.name), |path| json!(path));
        image.is_uploaded = path.is_some();
        image.place.put_in(content, &value);
    }
    Ok(())
}

/// Returns the path of the image that the page has at a place of its file.
fn shown_at<'p>(
    page: &'p PageSnapshot,
    content: &DesiredPage,
    place: &ReferencePlace,
) -> Option<&'p str> {
    let data = match place.item {
        Some(item) => {
            let id = content.slots.get(item)?.id?;
            &page.slots.iter().find(|slot| slot.id == id)?.data
        }
        None => &page.record,
    };
    place.value(data)?.as_str()
}

/// Placeholder of an image that is not uploaded yet.
pub(crate) fn upload_of(name: &str) -> Value {
    json!(format!("(upload {name})"))
}

/// Path that stands for an image that is not uploaded, by the hash of its content.
pub(crate) fn unsent_path(hash: &str) -> String {
    format!("unsent-image/{hash}")
}

impl PlannedPage {
    /// Number of requests for the uploads: one per image, one to find the account of the images, and one to read the page again afterwards.
    pub(crate) fn upload_requests(&self) -> usize {
        match self.file.new_images().count() {
            0 => 0,
            new => new + 2,
        }
    }

    /// Uploads the images that the service does not have, each once, and writes their paths into the plan. Returns true if there were any.
    pub(crate) async fn upload(&mut self, context: &Context, client: &Client) -> Result<bool> {
        let images = self.take_new_images();
        if images.is_empty() {
            return Ok(false);
        }
        let mut known = context.uploads();
        let account = check_write_access(context.me(client).await?)?.user_id;
        for image in images {
            let path = match known.of_account(account, &image.local.hash) {
                Some(path) => path.to_owned(),
                None => self.send(client, &image).await?,
            };
            // A failure to remember the image costs one more upload later.
            let _ = known.remember(Some(self.page.id), account, &image.local.hash, &path);
            self.put(&image.place, &json!(path));
        }
        Ok(true)
    }

    /// Writes a path of its own for each image that the service does not have into the plan, as if it were uploaded. Returns true if there
    /// were any.
    pub(crate) fn put_unsent_images(&mut self) -> bool {
        let images = self.take_new_images();
        for image in &images {
            self.put(&image.place, &json!(unsent_path(&image.local.hash)));
        }
        !images.is_empty()
    }

    /// Returns the images that the service does not have, which count as uploaded from here on.
    fn take_new_images(&mut self) -> Vec<Image> {
        let new = self.file.images.iter_mut().filter(|image| !image.is_uploaded);
        let taken = new.map(|image| {
            image.is_uploaded = true;
            image.clone()
        });
        taken.collect()
    }

    async fn send(&self, client: &Client, image: &Image) -> Result<String> {
        let path = image.local.path();
        let shown = path.display();
        let bytes = image.local.read().map_err(cannot("read", &path))?;
        let Some(bytes) = bytes else {
            return Err(CommandError::changed(shown));
        };
        let name = image.local.file_name();
        let uploaded = client.files().upload(Upload::bytes(name, Bytes::from(bytes))).await;
        uploaded.map(|it| it.path).map_err(|error| {
            let failure = CommandError::from(error);
            let of = |it: &&Reference| it.place == image.place;
            match self.file.references.iter().find(of) {
                Some(reference) if failure.is_validation() => {
                    let why = failure.errors().next().map(|(_, why)| why.to_owned());
                    let why = why.unwrap_or_else(|| failure.to_string());
                    let problem = reference.problem(format!("{shown} was rejected: {why}"));
                    failure.at(self.file.document.bad(vec![problem]))
                }
                _ => failure,
            }
        })
    }

    /// Writes the ids of forms that were created into the plan. Returns true if it refers to one.
    pub(crate) fn put_forms(&mut self, created: &BTreeMap<String, String>) -> bool {
        let references = self.file.references.iter();
        let found: Vec<_> = references
            .filter_map(|reference| match &reference.target {
                ReferenceTarget::Form(name) => Some((reference.place.clone(), created.get(name)?)),
                ReferenceTarget::Upload(_) => None,
            })
            .collect();
        for (place, id) in &found {
            self.put(place, &json!(id));
        }
        !found.is_empty()
    }

    /// Writes a value into the desired page and into the plan.
    fn put(&mut self, place: &ReferencePlace, value: &Value) {
        place.put_in(Arc::make_mut(&mut self.file.page.content), value);
        // A merge wants only the items that the page keeps, in the order of the page.
        let wanted = &mut self.proposal.wanted;
        let bound = &wanted.bound;
        let item = place.item.map(|item| bound.iter().position(|bound| bound.item == item));
        if item != Some(None) {
            let place = ReferencePlace { item: item.flatten(), ..place.clone() };
            place.put_in(Arc::make_mut(&mut wanted.page), value);
        }
        put_in_plan(Arc::make_mut(&mut self.proposal.plan), place, value);
    }

    /// Removes the images of this file from the upload cache: the service has refused the data and may no longer have them. Those at the places
    /// that it has refused are removed from the record of the last sync, too.
    pub(crate) fn forget_images(&self, context: &Context, refused: &[ItemRefusal]) {
        let images = &self.file.images;
        if images.is_empty() {
            return;
        }
        let hashes = images.iter().map(|it| it.local.hash.as_str());
        let mut known = context.uploads();
        let _ = known.account_of(self.page.id).map(|account| known.forget(account, hashes));
        let is_refused = |image: &&Image| {
            refused.iter().any(|refusal| {
                let (place, path) = (&image.place, refusal.path.get(1..).unwrap_or_default());
                place.item == Some(refusal.index)
                    && (place.path.starts_with(path) || path.starts_with(&place.path))
            })
        };
        let refused: Vec<&str> =
            images.iter().filter(is_refused).map(|it| it.local.hash.as_str()).collect();
        let run = self.proposal.options.sync.as_ref();
        if let Some(record) = self.record.as_ref().filter(|_| !run.is_some_and(|run| run.locked))
            && !refused.is_empty()
        {
            // A failure costs one more refusal later.
            let _ = record.forget_images(context, &refused);
        }
    }
}

/// Writes a value into what a plan sends for a place of the file.
pub(crate) fn put_in_plan(
    plan: &mut links_pages::apply::Plan,
    place: &ReferencePlace,
    value: &Value,
) {
    let Some(item) = place.item else {
        place.put(&mut plan.fields.changed, value);
        return;
    };
    let creates = plan.creates.iter_mut().filter(|it| it.index == item);
    creates.for_each(|it| place.put(&mut it.data, value));
    let updates = plan.updates.iter_mut().filter(|it| it.index == item);
    updates.for_each(|it| place.put(&mut it.changed, value));
}
