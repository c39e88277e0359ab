//! A computer that the program runs on: its directories, and the page files that it has applied.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use std::time::Duration;

use links_sdk::testing::TestClock;
use serde_json::Value;

use crate::bulk::{Bulk, BulkProgress};
use crate::history::Prune;
use crate::invariants::{Synced, Violation};
use crate::world::World;

/// Time that the rate limits count.
const WINDOW: Duration = Duration::from_secs(61);

/// A computer with a token of its own.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) directory: PathBuf,
    pub(crate) token: String,
    /// The page file that was applied last.
    pub(crate) last: Option<Applied>,
    /// Every page file that a run may still be continued with.
    pub(crate) open: Vec<Vec<Value>>,
    /// Slots that unfinished runs of the last file have created.
    pub(crate) created: BTreeSet<u64>,
    /// Types of slots that commands have deleted.
    pub(crate) deleted: BTreeSet<String>,
    /// The rewrite or import that ran last, with the options of its command line.
    pub(crate) last_bulk: Option<(Bulk, Vec<String>)>,
    /// What runs of that rewrite or import have done so far, if they have not ended.
    pub(crate) bulk: Option<BulkProgress>,
    /// The newest run with a backup.
    pub(crate) newest: Option<String>,
    /// The page as that run left it, if it succeeded in one command and had the page for itself.
    pub(crate) left: Option<World>,
    /// Set if the last page file is compared with the page alone, whatever was changed since the last sync.
    pub(crate) is_exact: bool,
    /// Whether the last page file was synced with the page.
    pub(crate) synced: Synced,
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
    fn new(directory: &Path, token: &str, is_exact: bool) -> Self {
        for name in ["work", "home", "tmp"] {
            fs::create_dir_all(directory.join(name)).unwrap();
        }
        Self {
            directory: directory.to_owned(),
            token: token.to_owned(),
            last: None,
            open: Vec::new(),
            created: BTreeSet::new(),
            deleted: BTreeSet::new(),
            last_bulk: None,
            bulk: None,
            newest: None,
            left: None,
            is_exact,
            synced: Synced::No,
            files: 0,
        }
    }

    /// Returns a machine for each token.
    pub(crate) fn all(
        directory: &Path,
        tokens: &[String],
        is_exact: impl Fn(usize) -> bool,
    ) -> Vec<Self> {
        let machine = |(nth, token): (usize, &String)| {
            Self::new(&directory.join(nth.to_string()), token, is_exact(nth))
        };
        tokens.iter().enumerate().map(machine).collect()
    }

    /// Writes a file of the user, and returns its name.
    pub(crate) fn write(&mut self, kind: &str, value: &Value) -> String {
        self.write_text(kind, "json", &value.to_string())
    }

    /// Writes a text file of the user, and returns its name.
    pub(crate) fn write_text(&mut self, kind: &str, extension: &str, text: &str) -> String {
        self.files += 1;
        let name = format!("{kind}-{}.{extension}", self.files);
        fs::write(self.directory.join("work").join(&name), text).unwrap();
        name
    }

    /// Returns whether the next run of the last page file keeps what was changed on the page.
    pub(crate) fn to_be_kept(&self) -> Synced {
        if self.is_exact { Synced::No } else { self.synced }
    }

    /// Deletes the state and the cache.
    pub(crate) fn forget(&mut self) {
        for name in ["state", "cache"] {
            let _ = fs::remove_dir_all(self.directory.join(name));
        }
        self.created.clear();
        self.bulk = None;
        self.left = None;
        self.open.clear();
        self.synced = Synced::No;
    }

    /// Deletes the counts for the rate limits, so that no command waits because of the one before it. The service counts on, so that a simulated
    /// clock is moved on until it has forgotten, too.
    pub(crate) fn forget_rates(&self, clock: Option<&TestClock>) {
        if let Some(clock) = clock {
            clock.advance(WINDOW);
        }
        for entry in fs::read_dir(self.directory.join("state")).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with("rate-") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Returns whether every journal has ended.
    pub(crate) fn is_settled(&self) -> bool {
        self.journals("state").iter().all(|path| has_ended(path))
    }

    /// Returns whether the newest run on the page has ended, whatever other commands have written. It ends those before it; the journal of
    /// one that was killed before it had planned anything stays as it is, and is never continued.
    pub(crate) fn has_ended_last_run(&self) -> bool {
        let runs = self.journals("state/runs");
        let newest = runs.iter().max_by_key(|path| path.file_name().map(ToOwned::to_owned));
        newest.is_none_or(|path| has_ended(path))
    }

    fn journals(&self, directory: &str) -> Vec<PathBuf> {
        let mut paths = files_below(&self.directory.join(directory));
        paths.retain(|path| path.extension().is_some_and(|it| it == "jsonl"));
        paths
    }

    /// Returns the newest run with the page as it was before it.
    pub(crate) fn backup(&self) -> Option<(String, Vec<Value>)> {
        let name = |path: &PathBuf| {
            Some(path.file_name()?.to_str()?.strip_suffix(".page.json")?.to_owned())
        };
        let paths = files_below(&self.directory.join("state"));
        let newest = paths.into_iter().filter_map(|path| Some((name(&path)?, path))).max()?;
        Some((newest.0, items_of(&fs::read(newest.1).ok()?)?))
    }

    /// Returns the last content of the editor.
    pub(crate) fn edited(&self) -> Option<Vec<Value>> {
        fs::read(self.directory.join("work/edited.json")).ok().and_then(|it| items_of(&it))
    }

    /// Returns the files that exist only during a write.
    pub(crate) fn temporary(&self) -> BTreeSet<PathBuf> {
        let in_progress = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            [".new", ".tmp", "~"].iter().any(|it| name.ends_with(it))
        };
        let kept = ["state", "cache", "config", "home"]
            .map(|name| files_below(&self.directory.join(name)));
        let written = kept.into_iter().flatten().filter(in_progress);
        files_below(&self.directory.join("tmp")).into_iter().chain(written).collect()
    }
}

fn has_ended(journal: &Path) -> bool {
    let text = fs::read_to_string(journal).unwrap_or_default();
    let last = text.lines().last().unwrap_or_default();
    // A line that was torn by a kill says nothing.
    let is_end = last.starts_with(r#"{"commit""#) || last.starts_with(r#"{"close""#);
    is_end && text.ends_with('\n')
}

/// Returns the items of a page file.
fn items_of(bytes: &[u8]) -> Option<Vec<Value>> {
    serde_json::from_slice::<Value>(bytes).ok()?["slots"].as_array().cloned()
}

/// Returns a violation if a file below the directory of the machines holds the token of one.
pub(crate) fn leaked_token(machines: &[Machine], directory: &Path) -> Option<Violation> {
    let holds_token = |path: &PathBuf| {
        let bytes = fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        machines.iter().any(|machine| text.contains(&machine.token))
    };
    let path = files_below(directory).into_iter().find(holds_token)?;
    Some(Violation { rule: "token", text: format!("{} holds a token", path.display()) })
}

/// Returns every file in a directory and below it.
pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}
