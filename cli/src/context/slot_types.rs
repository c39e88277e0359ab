//! The slot types of the service: read once a day, because a list of types costs a request and seldom changes.

use std::path::PathBuf;

use links_sdk::types::SlotType;
use links_sdk::{Clock, SystemClock};
use serde::Deserialize;

use super::Context;
use crate::cache::slot_types::{load, store};
use crate::error::CommandError;
use crate::schema::slot_types::SlotTypeCatalog;

impl Context {
    /// Returns what was read within the last day, else what the service says now.
    pub(crate) async fn slot_types(&mut self) -> Result<SlotTypeCatalog, CommandError> {
        match self.recent_slot_types() {
            Some(described) => Ok(described),
            None => self.fetch_slot_types().await,
        }
    }

    /// Returns what was read within the last day, if anything was.
    pub(crate) fn recent_slot_types(&self) -> Option<SlotTypeCatalog> {
        load(&self.slot_types_file()?, Some(SystemClock::new().wall()))
    }

    /// Returns what was read at any time, which is good enough to complete a word with.
    pub(crate) fn known_slot_types(&self) -> Option<SlotTypeCatalog> {
        load(&self.slot_types_file()?, None)
    }

    /// Reads them from the service, in one request.
    pub(crate) async fn fetch_slot_types(&mut self) -> Result<SlotTypeCatalog, CommandError> {
        let types = self.client().await?.slot_types().await?;
        self.store_slot_types(&types);
        Ok(SlotTypeCatalog::of(types, true))
    }

    /// Keeps a list of them that a command has read for itself.
    pub(crate) fn keep_slot_types(&self, body: &[u8]) {
        /// What the service sends.
        #[derive(Deserialize)]
        struct List {
            data: Vec<SlotType>,
        }
        if let Ok(List { data }) = serde_json::from_slice(body) {
            self.store_slot_types(&data);
        }
    }

    /// Relies no longer on what was read: the service has contradicted it.
    pub(crate) fn forget_slot_types(&self) {
        if let Some(path) = self.slot_types_file() {
            let _ = std::fs::remove_file(path);
        }
    }

    fn store_slot_types(&self, types: &[SlotType]) {
        if let Some(path) = self.slot_types_file() {
            // A day without the file costs a request a command, no more.
            let _ = store(&path, types, SystemClock::new().wall());
        }
    }

    fn slot_types_file(&self) -> Option<PathBuf> {
        self.cache_file("slot-types")
    }
}
