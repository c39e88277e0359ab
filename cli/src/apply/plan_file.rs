//! File of a saved plan: known by its first fields, guarded by a digest of its content, and written only over an older plan.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::error::file_error::file_error;
use links_pages::fs::{atomic, named};
use links_pages::page_file::local_image::hash_of;

/// Format of saved plans.
#[derive(Debug)]
pub(crate) struct PlanFormat {
    /// Value of `format`, which distinguishes a saved plan from a page file.
    pub(crate) name: &'static str,
    /// Version that is written, and the newest that is read.
    pub(crate) version: u32,
    /// Maximum size in bytes: a saved plan holds its files and all data to send, and may therefore be larger than a page file.
    max_bytes: u64,
    /// Command that writes the plans.
    command: &'static str,
}

/// Saved plans of one page, by `links slots plan`.
pub(crate) const PAGE_PLAN: PlanFormat = PlanFormat {
    name: "links-plan",
    version: 1,
    max_bytes: 32 * 1024 * 1024,
    command: "links slots plan",
};

/// Saved plans of the pages and forms of an account, by `links plan`: the plans of 100 pages with their files.
pub(crate) const ACCOUNT_PLAN: PlanFormat = PlanFormat {
    name: "links-account-plan",
    version: 1,
    max_bytes: 256 * 1024 * 1024,
    command: "links plan",
};

/// First fields of a file, which identify a saved plan.
#[derive(Deserialize)]
struct FormatHeader {
    format: String,
    version: u32,
}

fn header(bytes: &[u8]) -> Option<FormatHeader> {
    bytes.trim_ascii_start().starts_with(b"{").then_some(())?;
    serde_json::from_slice(bytes).ok()
}

/// Tells whether a file is a saved plan of either format.
pub(crate) fn is_saved_plan(bytes: &[u8]) -> bool {
    header(bytes)
        .is_some_and(|header| [PAGE_PLAN.name, ACCOUNT_PLAN.name].contains(&&*header.format))
}

/// Returns the digest of a plan without its own field `digest`.
pub(crate) fn content_digest(plan: &impl Serialize) -> String {
    let mut content = json!(plan);
    content["digest"] = Value::Null;
    content.sort_all_objects();
    hash_of(content.to_string().as_bytes())
}

impl PlanFormat {
    fn header(&self, bytes: &[u8]) -> Option<FormatHeader> {
        header(bytes).filter(|header| header.format == self.name)
    }

    /// Tells whether a file is a saved plan of this format.
    pub(crate) fn is_of(&self, bytes: &[u8]) -> bool {
        self.header(bytes).is_some()
    }

    /// Reads a saved plan (`-`: standard input). `hint` says what to do with a file of this name that is none.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        path: &Path,
        hint: impl FnOnce(&str) -> String,
    ) -> Result<(String, T), CommandError> {
        let (name, bytes) = named::read_most(path, self.max_bytes)?;
        let Some(header) = self.header(&bytes) else {
            let message = format!("{name} is not a saved plan of `{}`", self.command);
            return Err(CommandError::usage(message).with_hint(hint(&name)));
        };
        let unusable = |why: &dyn std::fmt::Display| {
            CommandError::new(Exit::Invalid, format!("the plan {name} cannot be used: {why}"))
        };
        if header.version > self.version {
            return Err(unusable(&"it was written by a newer version of this program"));
        }
        let plan = serde_json::from_slice(&bytes).map_err(|why| unusable(&why))?;
        Ok((name, plan))
    }

    /// Reads fields of a saved plan, if the file can be read.
    pub(crate) fn peek<T: DeserializeOwned>(&self, path: &Path) -> Option<T> {
        let (_, bytes) = named::read_most(path, self.max_bytes).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes a plan. Replaces only an older plan.
    pub(crate) fn write(&self, path: &Path, plan: &impl Serialize) -> Result<(), CommandError> {
        let name = path.display();
        if let Ok((_, bytes)) = named::read_most(path, self.max_bytes)
            && !self.is_of(&bytes)
        {
            let message = format!("{name} already exists and is not a plan of `{}`", self.command);
            return Err(CommandError::new(Exit::Refused, message));
        }
        let text = serde_json::to_string_pretty(plan).map_err(CommandError::internal)? + "\n";
        atomic::write(path, &text, true)
            .map_err(|error| file_error(&format!("cannot write {name}"), &error))
    }
}
