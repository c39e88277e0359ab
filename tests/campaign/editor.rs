//! Editor mode of the test program: it makes the changes that were recorded for it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::history::Change;
use crate::page_file;

/// Edits a file once. A draft that is opened a second time was refused, and is left unchanged.
pub(crate) fn edit(directory: &Path, draft: &Path) {
    let edited = directory.join("edited.json");
    if edited.exists() {
        return;
    }
    let changes: Vec<Change> =
        serde_json::from_slice(&fs::read(directory.join("changes.json")).unwrap()).unwrap();
    let text = fs::read_to_string(draft).unwrap();
    let page: Value = serde_saphyr::from_str(&text).unwrap();
    let items = page["slots"].as_array().cloned().unwrap_or_default();
    let changed = page_file::changed(items.clone(), &changes);
    if changed == items {
        return;
    }
    let page = json!({ "profile": page["profile"], "slots": changed }).to_string();
    fs::write(draft, &page).unwrap();
    fs::write(edited, page).unwrap();
}
