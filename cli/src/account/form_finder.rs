//! Which form of the account a form file is for: the rule that `links apply` and `links pull` share.

use links_pages::account::{DesiredForm, FormPlanError};
use links_sdk::FormId;

use super::files::both_files_of;
use crate::apply::sync::{LockStore, SyncRecord};
use crate::context::prelude::*;
use links_pages::form_file::{FormFile, NAME};
use links_pages::page_file::At;

/// The forms of the account, and which of them are not to be found by a title.
pub(crate) struct FormFinder<'f> {
    pub(super) forms: &'f [LeadForm],
    /// Ids that the files name, that a lock has for names, and those of the forms found so far.
    taken: BTreeSet<FormId>,
    /// Forms that a lock has for names that no file has, with these names.
    unfiled: BTreeMap<FormId, String>,
    /// The files of the forms found so far.
    files: BTreeMap<FormId, PathBuf>,
}

impl<'f> FormFinder<'f> {
    pub(super) fn new(
        context: &Context,
        files: &[(PathBuf, FormFile)],
        forms: &'f [LeadForm],
    ) -> Result<Self> {
        let names: BTreeSet<&str> = files.iter().map(|(_, file)| file.form.name.as_str()).collect();
        let (mut taken, mut unfiled) = (BTreeSet::new(), BTreeMap::new());
        for (path, file) in files {
            taken.extend(file.form.id.clone());
            let Some((_, lock)) = LockStore::read_for(context, path)? else { continue };
            for (name, id) in &lock.forms {
                if names.contains(name.as_str()) {
                    taken.insert(id.clone());
                } else {
                    unfiled.insert(id.clone(), name.clone());
                }
            }
        }
        unfiled.retain(|id, _| !taken.contains(id));
        taken.extend(unfiled.keys().cloned());
        Ok(Self { forms, taken, unfiled, files: BTreeMap::new() })
    }

    /// Finds the form of a file. `recorded` is the id that a lock has for its name.
    pub(super) fn find(
        &mut self,
        form: &DesiredForm,
        recorded: Option<&str>,
    ) -> Result<Option<&'f LeadForm>, FormPlanError> {
        let found = form.find(self.forms, recorded, &self.taken)?;
        self.taken.extend(found.map(|form| form.id.clone()));
        Ok(found)
    }

    /// Refuses the second file of one form, and a new form in place of one that a lock has for a name without a file.
    pub(super) fn check(
        &mut self,
        found: Option<&LeadForm>,
        file: &FormFile,
        path: &Path,
    ) -> Result<()> {
        if let Some(LeadForm { id, .. }) = found {
            let Some(other) = self.files.insert(id.clone(), path.to_owned()) else { return Ok(()) };
            let hint = "delete one of them, or remove its `id` to create another form";
            return Err(both_files_of(&format!("the form {id}"), &other, path).with_hint(hint));
        }
        let title = title(file).unwrap_or_default().trim();
        let mut titled = self.forms.iter().filter(|form| form.title.trim() == title);
        let Some((id, name)) = titled.find_map(|form| self.unfiled.get_key_value(&form.id)) else {
            return Ok(());
        };
        let message = format!(
            "links.lock has the form \"{title}\" as `{name}`, and none of these files has that name"
        );
        let help = format!(
            "to create another form, pass the file of `{name}` too, or change the title; to give the form its new name, add `id: {id}`"
        );
        let problem = file.document.locate(&[NAME], At::Value, message).help(help);
        Err(file.document.bad(vec![problem]).into())
    }
}

/// Returns the title that a form file gives its form.
pub(super) fn title(file: &FormFile) -> Option<&str> {
    file.form.fields.get("title").and_then(Value::as_str)
}

/// Returns for each file the id of its form; `None` if there is no such form, or it is unclear which one is meant.
pub(super) fn form_ids(
    context: &Context,
    files: &[(PathBuf, FormFile)],
    forms: &[LeadForm],
) -> Result<Vec<Option<FormId>>> {
    let mut finder = FormFinder::new(context, files, forms)?;
    let id = |(path, file): &(PathBuf, FormFile)| {
        let record = SyncRecord::of(context, path)?;
        let recorded = record.as_ref().and_then(|record| record.form(&file.form.name));
        let found = finder.find(&file.form, recorded).ok().flatten();
        Ok(found.map(|form| form.id.clone()))
    };
    files.iter().map(id).collect()
}
