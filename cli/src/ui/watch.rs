//! What is said while requests run: waiting, and what it is for.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use links_sdk::{Observer, WaitReason};

/// A shorter wait is over before anybody wonders.
const WORTH_SAYING: Duration = Duration::from_secs(2);

/// Says on stderr why nothing happens.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    silent: bool,
    alone: AtomicBool,
}

impl Watch {
    pub(super) fn new(silent: bool) -> Self {
        Self { silent, alone: AtomicBool::new(false) }
    }

    fn say(&self, line: &str) {
        if !self.silent {
            let _ = writeln!(io::stderr().lock(), "{}", super::clean::line(line));
        }
    }
}

impl Observer for Watch {
    fn waiting(&self, _: &'static str, duration: Duration, reason: WaitReason) {
        if duration >= WORTH_SAYING {
            self.say(&format!("waiting {} s: {reason}", duration.as_secs_f64().ceil()));
        }
    }

    fn pacing_alone(&self, file: &Path, error: &io::Error) {
        if !self.alone.swap(true, Ordering::Relaxed) {
            self.say(&format!(
                "the rate limits are not shared with other processes: cannot use {}: {error}",
                file.display()
            ));
        }
    }
}
