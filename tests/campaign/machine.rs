//! A computer that the program runs on: its folders, and what it remembers of its page files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::history::Prune;

/// A computer with a token of its own.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) folder: PathBuf,
    pub(crate) token: String,
    /// The page file that was applied last.
    pub(crate) last: Option<Applied>,
    /// Every page file that a run may still go on with.
    pub(crate) open: Vec<Vec<Value>>,
    /// What runs of the last file have created that did not come to an end.
    pub(crate) created: BTreeSet<u64>,
    files: usize,
}

/// A page file that was applied.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub(crate) name: String,
    pub(crate) items: Vec<Value>,
    pub(crate) prune: Prune,
}

impl Machine {
    pub(crate) fn new(folder: &Path, token: &str) -> Self {
        for name in ["work", "home", "tmp"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        Self {
            folder: folder.to_owned(),
            token: token.to_owned(),
            last: None,
            open: Vec::new(),
            created: BTreeSet::new(),
            files: 0,
        }
    }

    /// Writes a file of the user, and tells its name.
    pub(crate) fn write(&mut self, kind: &str, value: &Value) -> String {
        self.files += 1;
        let name = format!("{kind}-{}.json", self.files);
        fs::write(self.folder.join("work").join(&name), value.to_string()).unwrap();
        name
    }

    /// Loses its state and its cache.
    pub(crate) fn forget(&mut self) {
        for name in ["state", "cache"] {
            let _ = fs::remove_dir_all(self.folder.join(name));
        }
        self.created.clear();
        self.open.clear();
    }

    /// What was counted for the rate limits is forgotten, so that nothing waits for the command before it.
    pub(crate) fn forget_rates(&self) {
        for entry in fs::read_dir(self.folder.join("state")).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("rate-") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Every journal came to its end.
    pub(crate) fn is_settled(&self) -> bool {
        let is_open = |path: &PathBuf| {
            let text = fs::read_to_string(path).unwrap_or_default();
            let last = text.lines().last().unwrap_or_default();
            !last.starts_with(r#"{"commit""#) && !last.starts_with(r#"{"close""#)
        };
        let mut journals = files_below(&self.folder.join("state")).into_iter();
        !journals.any(|it| it.extension().is_some_and(|it| it == "jsonl") && is_open(&it))
    }

    /// The newest run with the page as it was before it.
    pub(crate) fn backup(&self) -> Option<(String, Vec<Value>)> {
        let name = |path: &PathBuf| {
            Some(path.file_name()?.to_str()?.strip_suffix(".page.json")?.to_owned())
        };
        let paths = files_below(&self.folder.join("state"));
        let newest = paths.into_iter().filter_map(|path| Some((name(&path)?, path))).max()?;
        Some((newest.0, items_of(&fs::read(newest.1).ok()?)?))
    }

    /// What was edited last in an editor.
    pub(crate) fn edited(&self) -> Option<Vec<Value>> {
        fs::read(self.folder.join("work/edited.json")).ok().and_then(|it| items_of(&it))
    }

    /// The files that are only there while something is written.
    pub(crate) fn temporary(&self) -> BTreeSet<PathBuf> {
        let in_progress = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(".tmp") || name.ends_with(".tmp") || name.ends_with('~')
        };
        let kept =
            ["state", "cache", "config", "home"].map(|name| files_below(&self.folder.join(name)));
        let written = kept.into_iter().flatten().filter(in_progress);
        files_below(&self.folder.join("tmp")).into_iter().chain(written).collect()
    }
}

/// The items of a page file.
fn items_of(bytes: &[u8]) -> Option<Vec<Value>> {
    serde_json::from_slice::<Value>(bytes).ok()?["slots"].as_array().cloned()
}

/// Every file in a folder and in those below it.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}
