//! What tests of a runtime of one thread need: a process that holds a lock, and time for other tasks.

use std::fs::File;
use std::future::Future;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use links_sdk::{Clock, SystemClock};

/// Variable that names the file which a process of this program locks.
const HELD: &str = "LINKS_TEST_HELD";

/// A process that holds the lock of a file until this is dropped.
pub struct Holder(Child);

impl Holder {
    /// Starts the process, and waits until it holds the lock.
    pub fn of(path: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "executor::holder", "--ignored", "--nocapture"]).env(HELD, path);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("held")));
        Self(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The process of a [`Holder`]: the test `executor::holder` of its program is this.
pub fn hold() {
    let Some(path) = std::env::var_os(HELD) else { return };
    let file = File::options().write(true).create(true).truncate(false).open(path).unwrap();
    file.lock().unwrap();
    std::io::stdout().write_all(b"held\n").unwrap();
    let _ = std::io::stdin().read(&mut [0]);
}

/// Lets everything run that can, and real time pass. A task that blocks the thread keeps this from its end.
pub async fn others_run() {
    for _ in 0..3 {
        SystemClock::new().sleep(Duration::from_millis(1)).await;
    }
}

/// Keeps the only thread that may block, until the sender is dropped, while `work` begins. Returns the result of the work, which has to
/// wait for that thread.
pub async fn without_blocking_threads<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    let (free, kept) = std::sync::mpsc::channel::<()>();
    let keeper = tokio::task::spawn_blocking(move || kept.recv().is_err());
    let work = tokio::spawn(work);
    others_run().await;
    assert!(!work.is_finished(), "it was done on the thread of the runtime");
    drop(free);
    assert!(keeper.await.unwrap());
    work.await.unwrap()
}
