//! What a journal says: its lines, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::entry::{Ending, Entry, FORMAT, Opening};
use crate::apply::plan::Batch;
use crate::apply::{Delete, Done, Plan};

/// A run as its journal tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    run: String,
    opening: Opening,
    plans: usize,
    current: Option<Current>,
    begun: Option<Begun>,
    done: Done,
    agreed: BTreeSet<i64>,
    deletes: Vec<Delete>,
    state: State,
    slots: usize,
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It did not come to an end: a crash, a failure, Ctrl-C.
    Unfinished,
    /// The page was made as the file says.
    Done,
    /// It ended otherwise.
    Ended(Ending),
}

/// Why a journal is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadJournal {
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[source] io::Error),
    /// A line other than the last one is not what it should be.
    #[error("line {0} is damaged")]
    Damaged(usize),
    /// A newer version of this program wrote it.
    #[error("a newer version wrote it (format {0}, this one reads up to {FORMAT})")]
    Newer(u32),
    /// It is missing, or not even its first line is whole: nothing was written to the page.
    #[error("the run was not begun")]
    NotBegun,
    /// It was of no use, and the run was given up.
    #[error("it was put aside")]
    PutAside,
}

impl BadJournal {
    /// Whether the run may have been stopped in the middle, so that no other run may begin before it is given up.
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::NotBegun | Self::PutAside)
    }
}

/// The latest plan of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Current {
    pub(super) plan: Plan,
    pub(super) keys: BTreeMap<usize, String>,
    pub(super) time: u64,
}

/// A step that began and of which no end is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Begun {
    pub(super) step: usize,
    pub(super) key: Option<String>,
}

/// Enough of a first line to tell its format.
#[derive(serde::Deserialize)]
struct AnyFormat {
    open: Format,
}

#[derive(serde::Deserialize)]
struct Format {
    format: u32,
}

impl Log {
    /// Reads a journal; also tells how many of its bytes are whole lines.
    ///
    /// A last line that is torn counts as not written: what it announces was not begun yet, and what it reports can be read off the page.
    pub(crate) fn read(run: &str, bytes: &[u8]) -> Result<(Self, usize), BadJournal> {
        let mut log: Option<Self> = None;
        let mut whole = 0;
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        if let Some(format) = lines.first().and_then(|line| newer(line)) {
            return Err(BadJournal::Newer(format));
        }
        for (nth, line) in lines.iter().enumerate() {
            let entry = match serde_json::from_slice::<Entry>(line) {
                Ok(entry) if line.ends_with(b"\n") => entry,
                _ if nth + 1 == lines.len() => break,
                _ => return Err(BadJournal::Damaged(nth + 1)),
            };
            match (&mut log, entry) {
                (None, Entry::Open(opening)) => log = Some(Self::new(run, opening)),
                (Some(log), entry) if log.fits(&entry) => log.take(entry),
                _ => return Err(BadJournal::Damaged(nth + 1)),
            }
            whole += line.len();
        }
        log.map(|log| (log, whole)).ok_or(BadJournal::NotBegun)
    }

    pub(super) fn new(run: &str, opening: Opening) -> Self {
        Self {
            run: run.to_owned(),
            slots: opening.slots,
            opening,
            plans: 0,
            current: None,
            begun: None,
            done: Done::default(),
            agreed: BTreeSet::new(),
            deletes: Vec::new(),
            state: State::Unfinished,
        }
    }

    /// Whether a line can follow: no second opening, no step that the plan does not have.
    fn fits(&self, entry: &Entry) -> bool {
        match entry {
            Entry::Open(_) => false,
            Entry::Begin { step, .. }
            | Entry::End { step, .. }
            | Entry::Refused { step }
            | Entry::Unknown { step } => self.batch(*step).is_some(),
            Entry::Plan { .. } | Entry::Commit { .. } | Entry::Close { .. } => true,
        }
    }

    /// One more line.
    pub(super) fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Open(_) | Entry::Unknown { .. } => {}
            Entry::Plan { time, keys, plan } => {
                self.plans += 1;
                self.agreed.extend(plan.deletes.iter().map(|delete| delete.id));
                self.current = Some(Current { plan: *plan, keys, time });
                self.begun = None;
            }
            Entry::Begin { step, key } => self.begun = Some(Begun { step, key }),
            Entry::Refused { .. } => self.begun = None,
            Entry::End { step, created, deleted } => {
                self.begun = None;
                self.carried_out(step, created, deleted);
            }
            Entry::Commit { slots } => {
                self.slots = slots;
                self.state = State::Done;
                self.begun = None;
            }
            Entry::Close { ending } => self.state = State::Ended(ending),
        }
    }

    fn carried_out(&mut self, step: usize, created: BTreeMap<usize, i64>, deleted: usize) {
        let Some(batch) = self.batch(step) else { return };
        match batch {
            Batch::Update(updates) => self.done.updated += updates.len(),
            Batch::Create(_) => self.done.created.extend(created),
            Batch::Reorder => self.done.reordered = true,
            Batch::MakeRoom(batch) | Batch::Delete(batch) => {
                let gone = batch.to_vec();
                self.done.deleted += deleted;
                self.deletes.extend(gone);
            }
            Batch::TryCreate(_) => {}
        }
    }

    /// A request of the current plan.
    pub(super) fn batch(&self, step: usize) -> Option<Batch<'_>> {
        self.current.as_ref()?.plan.batches().get(step).copied()
    }

    /// The latest plan.
    pub(super) fn current(&self) -> Option<&Current> {
        self.current.as_ref()
    }

    pub(super) fn begun(&self) -> Option<&Begun> {
        self.begun.as_ref()
    }

    /// How many plans there were.
    pub(super) fn plans(&self) -> usize {
        self.plans
    }

    /// Names the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// What it is about.
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    /// Where it stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// What it has done, as far as is known.
    pub fn done(&self) -> &Done {
        &self.done
    }

    /// Whether nobody knows if its last request was carried out.
    pub fn is_in_doubt(&self) -> bool {
        self.state == State::Unfinished && self.begun.is_some()
    }

    /// Slots whose deletion was agreed to.
    pub fn agreed(&self) -> &BTreeSet<i64> {
        &self.agreed
    }

    /// The slots that it deleted.
    pub fn deleted(&self) -> &[Delete] {
        &self.deletes
    }

    /// How many slots the page had when it was last seen.
    pub fn slots(&self) -> usize {
        self.slots
    }
}

/// What the first line says, whatever comes after it.
pub(super) fn opening_of(bytes: &[u8]) -> Option<Opening> {
    match serde_json::from_slice(bytes.split(|byte| *byte == b'\n').next()?) {
        Ok(Entry::Open(opening)) => Some(opening),
        _ => None,
    }
}

fn newer(line: &[u8]) -> Option<u32> {
    let format = serde_json::from_slice::<AnyFormat>(line).ok()?.open.format;
    (format > FORMAT).then_some(format)
}
