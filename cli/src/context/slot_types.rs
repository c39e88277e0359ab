//! Slot types of the service, fetched once a day because they cost a request and seldom change.

use std::path::PathBuf;

use links_sdk::types::SlotType;
use links_sdk::{Clock, SystemClock};

use super::Context;
use crate::cache::{load_slot_types, store_slot_types};
use crate::error::Result;
use crate::output::data;
use crate::schema::SlotTypeCatalog;

impl Context {
    /// Returns the slot types cached within the last day, or else fetches them.
    pub(crate) async fn slot_types(&mut self) -> Result<SlotTypeCatalog> {
        match self.recent_slot_types() {
            Some(described) => Ok(described),
            None => self.fetch_slot_types().await,
        }
    }

    /// Returns the slot types cached within the last day, if any.
    pub(crate) fn recent_slot_types(&self) -> Option<SlotTypeCatalog> {
        if let Some(types) = &self.shadow_types {
            return Some(types.clone());
        }
        load_slot_types(&self.slot_types_file()?, Some(SystemClock::new().wall()))
    }

    /// Fetches the slot types from the service, in one request.
    pub(crate) async fn fetch_slot_types(&mut self) -> Result<SlotTypeCatalog> {
        let types = self.client().await?.slot_types().await?;
        self.store_slot_types(&types);
        Ok(SlotTypeCatalog::of(types, true))
    }

    /// Caches the slot types from a response that a command has read.
    pub(crate) fn keep_slot_types(&self, body: &[u8]) {
        if let Ok(types) = data::<Vec<SlotType>>(body) {
            self.store_slot_types(&types);
        }
    }

    /// Deletes the cached slot types, because the service has contradicted them.
    pub(crate) fn forget_slot_types(&self) {
        if let Some(path) = self.slot_types_file() {
            let _ = std::fs::remove_file(path);
        }
    }

    fn store_slot_types(&self, types: &[SlotType]) {
        if let Some(path) = self.slot_types_file() {
            // Without the file, each command costs one more request.
            let _ = store_slot_types(&path, types, SystemClock::new().wall());
        }
    }

    /// Path of the cache file of the slot types. `None` if they are those of a shadow.
    pub(crate) fn slot_types_file(&self) -> Option<PathBuf> {
        if self.shadow_types.is_some() {
            return None;
        }
        self.cache_file("slot-types")
    }
}
