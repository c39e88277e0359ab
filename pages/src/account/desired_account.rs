//! Pages and forms as they should be, the plan for them, and what became of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{AccountError, DesiredForm, FormPlan};
use crate::apply::{AppliedChanges, Plan};
use crate::sync::{FileSlot, Merge, PageBase};
use links_sdk::{FormId, Object, ProfileId};

/// Pages and forms of an account, as they should be. Pages and forms that you leave out are not changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesiredAccount {
    /// Forms, each with a unique name.
    #[serde(default)]
    pub forms: Vec<DesiredForm>,
    /// Pages, each once.
    #[serde(default)]
    pub pages: Vec<AccountPage>,
}

/// A page as it should be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AccountPage {
    /// Login or ID of the page.
    pub profile: String,
    /// Profile fields that the page should have, in the format of files (see [`page_fields`](crate::apply::page_fields)). Fields that you
    /// leave out are not changed.
    #[serde(default)]
    pub fields: Object,
    /// Slots in page order. Without them, the slots of the page are not changed. A reference `{"$form": NAME}` in the data of a slot stands
    /// for the ID of a form, found by its name here, otherwise by its title. A key that begins with `$` but is not a reference has an
    /// additional `$` (see [`literal`](crate::apply::literal)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<Vec<FileSlot>>,
    /// Record of the last sync, from [`AppliedPage::base`] or a [`Lock`](crate::sync::Lock). Without it, the values of the page are
    /// replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<PageBase>,
    /// Path of the file with this content, for messages and the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl AccountPage {
    /// Returns the name of the page in messages.
    pub(super) fn name(&self) -> String {
        let file = self.path.as_ref().map(|path| format!(" ({path})"));
        format!("{}{}", self.profile, file.unwrap_or_default())
    }
}

/// Changes to an account, as data: you can print, save and compare them. [`ApplyAccount::planned`](super::ApplyAccount::planned) carries
/// out exactly these changes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct AccountPlan {
    /// Plans of the forms, in the order of the desired ones.
    pub forms: Vec<FormPlan>,
    /// Plans of the pages, in the order of the desired ones.
    pub pages: Vec<PagePlan>,
}

/// Changes to a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PagePlan {
    /// ID of the page; `None` if it will be created.
    pub id: Option<ProfileId>,
    /// Login of the page.
    pub login: String,
    /// The merge that the plan is based on: changes on the page that it keeps or replaces.
    pub merge: Merge,
    /// The changes.
    pub plan: Plan,
}

/// Result of a run over an account.
#[derive(Debug)]
#[non_exhaustive]
pub struct AppliedAccount {
    /// The forms, by name.
    pub forms: BTreeMap<String, AppliedForm>,
    /// The pages, in the order of the desired ones.
    pub pages: Vec<Result<AppliedPage, AccountError>>,
}

/// A form that matches the desired form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AppliedForm {
    /// ID of the form.
    pub id: FormId,
    /// Record of this sync, for the next one.
    pub base: PageBase,
}

/// A page that matches the desired page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AppliedPage {
    /// Changes that were made.
    pub done: AppliedChanges,
    /// Record of this sync, for the next one.
    pub base: PageBase,
}

impl AccountPlan {
    /// Returns whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.forms.iter().all(FormPlan::is_empty)
            && self.pages.iter().all(|page| page.id.is_some() && page.plan.is_empty())
    }
}
