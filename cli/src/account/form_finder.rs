//! Which form of the account a form file is for: the rule that `links apply` and `links pull` share.

use std::sync::Arc;

use links_pages::account::{DesiredForm, FormPlan, FormPlanError};
use links_pages::sync::Lock;
use links_sdk::FormId;

use crate::apply::runs;
use crate::apply::sync::LockStore;
use crate::context::prelude::*;
use links_pages::form_file::FormFile;

/// The forms of the account, and which of them are not to be found by a title.
pub(crate) struct FormFinder<'f> {
    pub(super) forms: &'f [LeadForm],
    /// Ids that the files name, that a lock has for names, and those of the forms found so far.
    taken: BTreeSet<FormId>,
}

impl<'f> FormFinder<'f> {
    pub(super) fn new(
        context: &Context,
        files: &[(PathBuf, FormFile)],
        forms: &'f [LeadForm],
    ) -> Result<Self> {
        let mut taken = BTreeSet::new();
        for (path, file) in files {
            taken.extend(file.form.id.clone());
            if let Some((_, lock)) = lock_of(context, path)? {
                taken.extend(lock.forms.values().cloned());
            }
        }
        Ok(Self { forms, taken })
    }

    /// Plans the changes of a form. `recorded` is the id that a lock has for its name.
    pub(super) fn plan(
        &mut self,
        form: &DesiredForm,
        recorded: Option<&str>,
    ) -> Result<FormPlan, FormPlanError> {
        let plan = FormPlan::new(form, self.forms, recorded, &self.taken)?;
        self.taken.extend(plan.id.clone());
        Ok(plan)
    }
}

/// Returns for each file the id of its form; `None` if there is no such form, or it is unclear which one is meant.
pub(super) fn form_ids(
    context: &Context,
    files: &[(PathBuf, FormFile)],
    forms: &[LeadForm],
) -> Result<Vec<Option<FormId>>> {
    let mut finder = FormFinder::new(context, files, forms)?;
    let id = |(path, file): &(PathBuf, FormFile)| {
        let lock = lock_of(context, path)?;
        let recorded = lock.as_ref().and_then(|(_, lock)| lock.forms.get(&file.form.name));
        // Other fields may be unclear although the form is not.
        let mut form = file.form.clone();
        form.fields.retain(|name, _| name == "title");
        Ok(finder.plan(&form, recorded.map(FormId::as_str)).ok().and_then(|plan| plan.id))
    };
    files.iter().map(id).collect()
}

/// Returns the lock that governs a file, if there is one.
pub(super) fn lock_of(context: &Context, path: &Path) -> Result<Option<(LockStore, Arc<Lock>)>> {
    let Some(store) = LockStore::of(path) else { return Ok(None) };
    let lock = store.read(&runs::service(context).unwrap_or_default())?;
    store.check_user(context, lock.user)?;
    Ok(Some((store, lock)))
}
