//! Pacing for all processes of one token: the log is a small file under a lock.

use std::fs::File;
use std::future::ready;
use std::io::{self, Read, Seek, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use super::log::{PacerBounds, RequestLog};
use super::{
    MustWait, NotAdmitted, Pacer, PacerFuture, PacerNote, RateLimits, Ticket, token_digest,
};
use crate::base_url::BaseUrl;
use crate::blocking::{LockRetry, locked};
use crate::operation::Bucket;
use crate::private_file::{MOST_BYTES, try_lock};
use crate::token::Token;
use crate::transport::clock::Clock;
use crate::transport::observer::Observer;

/// Version of the content: a pair of this number and a [`RequestLog`] with times since 1970.
const VERSION: u32 = 1;
/// Time after which a file that cannot be used is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// Number of attempts to write a note to a file that another process holds: 63 ms.
const NOTE_ATTEMPTS: usize = 6;

/// A [`Pacer`] whose log is a file, so that all processes of one token together keep within its limits.
///
/// Each admission opens the file, locks it, reads, decides, writes and unlocks it. This takes about ten microseconds, less than a switch to
/// another thread, so keep the file on a local disk. No process waits for the limits while it holds the lock. No process waits for the lock
/// on an executor's thread: it tries again after a while, until the deadline of the call. The file contains times and no token. Damaged or
/// foreign content counts as empty. If the file cannot be used, this process continues alone with its own log, and calls
/// [`Observer::pacing_alone`] once. It tries the file again every second, and then adds what it has sent.
///
/// Times are from the wall clock, the only clock that processes share. Entries from the future, after the clock was set back, count as sent
/// now.
///
/// ```
/// use std::sync::Arc;
/// use links_sdk::{BaseUrl, Client, SharedFilePacer, Token};
///
/// # let directory = tempfile::tempdir()?;
/// # let directory = directory.path();
/// let base = BaseUrl::new("https://links.example/api/v1")?;
/// let token = Token::new("lnk_secret")?;
/// let pacer = SharedFilePacer::new(directory.join(SharedFilePacer::name(&base, &token)));
/// let client = Client::builder(base.as_str()).token(token).pacer(Arc::new(pacer)).build()?;
/// # let _ = client;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SharedFilePacer {
    path: PathBuf,
    bounds: PacerBounds,
    observer: Arc<dyn Observer>,
    memory: Mutex<LastKnownLog>,
}

/// The log as it was last seen, to continue where the file cannot be used.
#[derive(Debug, Default)]
struct LastKnownLog {
    log: RequestLog,
    /// Set if the file lacks something of this log.
    is_ahead: bool,
    /// Monotonic time before which the file is not tried again, since it cannot be used.
    retry_at: Option<Duration>,
}

impl SharedFilePacer {
    /// Returns a pacer with this file and the limits of the interface. The file and its directory are created when the first request is
    /// sent.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            bounds: PacerBounds::default(),
            observer: Arc::new(()),
            memory: Mutex::default(),
        }
    }

    /// Sets upper bounds for the rate limits. They apply even if the service reports higher limits.
    #[must_use]
    pub fn rate_limits(mut self, limits: RateLimits) -> Self {
        self.bounds.ceiling = Some(limits);
        self
    }

    /// Sets whether this is background work. It keeps within four fifths of each limit, counting the requests of all processes, so others
    /// find a fifth free at any time.
    #[must_use]
    pub fn background(mut self, is_background: bool) -> Self {
        self.bounds.is_background = is_background;
        self
    }

    /// Sets the observer, which is notified when the file cannot be used.
    #[must_use]
    pub fn observer(self, observer: Arc<dyn Observer>) -> Self {
        Self { observer, ..self }
    }

    /// Returns a name for the file of one token at one origin. Neither can be recovered from it.
    pub fn name(base: &BaseUrl, token: &Token) -> String {
        format!("rate-{}.json", token_digest(base, token))
    }

    fn memory(&self) -> MutexGuard<'_, LastKnownLog> {
        locked(&self.memory)
    }

    /// Changes the log, in the file and in memory. The time is read under the lock, so that the entries of all processes are in order.
    /// Returns `None` while another process holds the file: nothing is changed then.
    fn try_change<T>(
        &self,
        clock: &dyn Clock,
        change: &impl Fn(&mut RequestLog, Duration) -> T,
    ) -> Option<T> {
        let mut memory = self.memory();
        let now = clock.monotonic();
        if memory.retry_at.is_some_and(|at| now < at) {
            memory.is_ahead = true;
            return Some(change(&mut memory.log, since_1970(clock)));
        }
        let opened = match try_lock(&self.path) {
            Ok(None) => return None,
            Ok(Some(mut file)) => read(&mut file).map(|log| {
                let last_known = std::mem::replace(&mut memory.log, log);
                if memory.is_ahead {
                    memory.log.merge(&last_known);
                }
                file
            }),
            Err(error) => Err(error),
        };
        let result = change(&mut memory.log, since_1970(clock));
        match opened.and_then(|mut file| write(&mut file, &memory.log)) {
            Ok(()) => (memory.is_ahead, memory.retry_at) = (false, None),
            Err(error) => {
                memory.is_ahead = true;
                let is_known = memory.retry_at.replace(now.saturating_add(RETRY)).is_some();
                drop(memory);
                if !is_known {
                    self.observer.pacing_alone(&self.path.display().to_string(), &error);
                }
            }
        }
        Some(result)
    }

    /// Notes something about requests that were sent. No call waits long for that: after a few attempts to write it, that is left to the next
    /// admission.
    async fn note_soon(&self, clock: &dyn Clock, note: PacerNote) {
        let change = |log: &mut RequestLog, now| log.note(note, now);
        if self.try_change(clock, &change).is_some() {
            return;
        }
        {
            let mut memory = self.memory();
            memory.is_ahead = true;
            change(&mut memory.log, since_1970(clock));
        }
        let mut retry = LockRetry::default();
        for _ in 0..NOTE_ATTEMPTS {
            retry.pause().await;
            if self.try_change(clock, &|_, _| ()).is_some() {
                return;
            }
        }
    }

    /// Looks at the log; at the last known one while another process holds the file.
    fn look<T>(&self, clock: &dyn Clock, look: impl Fn(&mut RequestLog, Duration) -> T) -> T {
        let seen = self.try_change(clock, &look);
        seen.unwrap_or_else(|| look(&mut self.memory().log, since_1970(clock)))
    }
}

impl Pacer for SharedFilePacer {
    fn admit<'a>(
        &'a self,
        bucket: Bucket,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Result<Ticket, NotAdmitted>> {
        Box::pin(async move {
            let mut retry = LockRetry::default();
            loop {
                let admit = |log: &mut RequestLog, now| log.admit(self.bounds, bucket, now);
                if let Some(admitted) = self.try_change(clock, &admit) {
                    return admitted.map_err(NotAdmitted::Wait);
                }
                retry.pause().await;
            }
        })
    }

    fn note<'a>(&'a self, note: PacerNote, clock: &'a dyn Clock) -> PacerFuture<'a, ()> {
        Box::pin(self.note_soon(clock, note))
    }

    fn forecast<'a>(
        &'a self,
        bucket: Bucket,
        ahead: usize,
        clock: &'a dyn Clock,
    ) -> PacerFuture<'a, Option<MustWait>> {
        let wait = self.look(clock, |log, now| log.forecast(self.bounds, bucket, ahead, now));
        Box::pin(ready(Some(wait)))
    }

    fn remaining(&self, clock: &dyn Clock) -> Option<usize> {
        Some(self.look(clock, |log, now| log.remaining(self.bounds, now)))
    }
}

fn read(file: &mut File) -> io::Result<RequestLog> {
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(match serde_json::from_slice(&bytes) {
        Ok((VERSION, log)) => log,
        _ => RequestLog::default(),
    })
}

/// Writes the log over the old one in one write, padded with spaces to the old length: after a crash the file holds one of the two.
fn write(file: &mut File, log: &RequestLog) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(&(VERSION, log))?;
    let length = bytes.len();
    let old = usize::try_from(file.metadata()?.len().min(MOST_BYTES)).unwrap_or_default();
    bytes.resize(length.max(old), b' ');
    file.rewind()?;
    file.write_all(&bytes)?;
    if old > length { file.set_len(length as u64) } else { Ok(()) }
}

fn since_1970(clock: &dyn Clock) -> Duration {
    clock.wall().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}
