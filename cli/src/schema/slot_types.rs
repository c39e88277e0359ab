//! Catalog of the slot types that the service describes.

use std::collections::BTreeMap;

use links_pages::apply::SlotTypes;
use links_sdk::types::SlotType;

/// Slot types by name.
#[derive(Clone, Debug)]
pub(crate) struct SlotTypeCatalog {
    types: BTreeMap<String, SlotType>,
    /// True if the types were just read from the service.
    pub(crate) fresh: bool,
}

impl SlotTypeCatalog {
    pub(crate) fn of(types: Vec<SlotType>, fresh: bool) -> Self {
        Self { types: types.into_iter().map(|it| (it.kind.clone(), it)).collect(), fresh }
    }

    /// Returns the type with this name.
    pub(crate) fn get(&self, kind: &str) -> Option<&SlotType> {
        self.types.get(kind)
    }

    /// Returns the names of all types.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    /// Returns the names of the types that can be created.
    pub(crate) fn creatable(&self) -> impl Iterator<Item = &str> + Clone {
        self.types.values().filter(|it| it.writable).map(|it| it.kind.as_str())
    }

    /// Returns the rules of the types that planning needs.
    pub(crate) fn rules(&self) -> SlotTypes {
        self.types.values().collect()
    }
}
