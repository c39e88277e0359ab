//! A page as it was read.

use serde::{Deserialize, Serialize};

use links_sdk::ProfileId;
use links_sdk::{Object, Slot};

/// A page as it was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LivePage {
    /// Id of the page.
    pub id: ProfileId,
    /// Login of the page.
    pub login: String,
    /// The profile fields that were read, in the form that page files have: `socials` as a list of links, `languageCode` as a code. A
    /// field that was not read is absent, and its record stays as it is. `login` belongs here only where the file mentions it.
    pub fields: Object,
    /// The slots in page order.
    pub slots: Vec<Slot>,
}
