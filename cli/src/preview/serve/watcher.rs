//! Watcher of the page file and its images: their directories, because editors replace files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::timeout;

use links_pages::fs::directory_of;

/// Time without a further event after which a save counts as complete: editors write in several steps.
const QUIET: Duration = Duration::from_millis(30);

/// Watcher of directories.
pub(super) struct FileWatcher {
    watcher: RecommendedWatcher,
    events: mpsc::UnboundedReceiver<()>,
    watched: BTreeSet<PathBuf>,
}

impl FileWatcher {
    /// Watches the directory of a file, and the directory that a link leads to.
    pub(super) fn new(file: &Path) -> notify::Result<Self> {
        let (sender, events) = mpsc::unbounded_channel();
        let heard = move |event: notify::Result<notify::Event>| {
            let is_read =
                event.as_ref().is_ok_and(|event| event.kind.is_access() && !is_closed(event));
            if !is_read {
                // Without a receiver the session has ended.
                let _ = sender.send(());
            }
        };
        let watcher = RecommendedWatcher::new(heard, Config::default())?;
        let mut watcher = Self { watcher, events, watched: BTreeSet::new() };
        watcher.watch(directory_of(file))?;
        if let Ok(target) = file.canonicalize() {
            watcher.watch(directory_of(&target))?;
        }
        Ok(watcher)
    }

    /// Watches a directory too, unless it is watched already.
    pub(super) fn watch(&mut self, directory: &Path) -> notify::Result<()> {
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        if !self.watched.contains(&directory) {
            self.watcher.watch(&directory, RecursiveMode::NonRecursive)?;
            self.watched.insert(directory);
        }
        Ok(())
    }

    /// Waits until something has changed in the directories, and is complete.
    pub(super) async fn changed(&mut self) {
        if self.events.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
        while let Ok(Some(())) = timeout(QUIET, self.events.recv()).await {}
    }
}

/// Returns whether a file was closed after it was written.
fn is_closed(event: &notify::Event) -> bool {
    use notify::event::{AccessKind, AccessMode, EventKind};
    event.kind == EventKind::Access(AccessKind::Close(AccessMode::Write))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_that_is_written_renamed_or_created_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("cafe.yaml");
        std::fs::write(&file, "a").unwrap();
        let mut watcher = FileWatcher::new(&file).unwrap();
        std::fs::write(&file, "b").unwrap();
        watcher.changed().await;
        std::fs::write(directory.path().join("new"), "c").unwrap();
        watcher.changed().await;
        std::fs::rename(directory.path().join("new"), &file).unwrap();
        watcher.changed().await;
        std::fs::remove_file(&file).unwrap();
        watcher.changed().await;
        let images = directory.path().join("images");
        std::fs::create_dir(&images).unwrap();
        watcher.changed().await;
        watcher.watch(&images).unwrap();
        std::fs::write(images.join("a.png"), "x").unwrap();
        watcher.changed().await;
    }
}
