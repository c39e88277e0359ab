//! What most modules above the context import.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::io;
pub(crate) use std::path::{Path, PathBuf};

pub(crate) use links_pages::apply::PageSnapshot;
pub(crate) use links_pages::fs::{atomic, named};
pub(crate) use links_pages::page_file::PageFile;
pub(crate) use links_pages::sanitize;
pub(crate) use links_sdk::types::LeadForm;
pub(crate) use links_sdk::{Client, Object, ProfileId, ProfileKey, SlotId};
pub(crate) use serde_json::{Map, Value, json};

pub(crate) use crate::context::Context;
pub(crate) use crate::error::file_error::{cannot, cannot_begin, file_error, utf8};
pub(crate) use crate::error::{CommandError, Exit, Result};
pub(crate) use crate::output::{CommandOutput, Style, StyledLine, View, count, said};
pub(crate) use crate::schema::SlotTypeCatalog;
