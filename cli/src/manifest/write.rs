//! A page to a file that people edit: ids first, one field a line, block scalars for texts of several lines.

use links_sdk::ProfileKey;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::{Block, Page};

/// The YAML of a page. Reading it gives the same page.
///
/// # Errors
///
/// When YAML cannot carry a value; no value that was read from JSON is of that kind.
pub(crate) fn to_yaml(page: &Page) -> Result<String, serde_saphyr::SerializeError> {
    let options =
        serde_saphyr::ser_options! { compact_list_indent: false, folded_wrap_chars: usize::MAX };
    serde_saphyr::to_string_with_options(page, options)
}

impl Serialize for Page {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        match &self.profile {
            ProfileKey::Id(id) => map.serialize_entry("profile", id)?,
            ProfileKey::Login(login) => map.serialize_entry("profile", login)?,
        }
        map.serialize_entry("slots", &self.slots)?;
        map.end()
    }
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(id) = self.id {
            map.serialize_entry("id", &id)?;
        }
        map.serialize_entry("type", &self.kind)?;
        if !self.data.is_empty() {
            map.serialize_entry::<_, Map<String, Value>>("data", &self.data)?;
        }
        map.end()
    }
}
