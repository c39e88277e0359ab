//! Tally of a client's writes, counted where calls end, so that a program can report at any moment what it has done.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::caller_headers::IdempotencyKey;
use crate::blocking::locked;
use crate::error_kind::Outcome;
use crate::operation::Operation;

/// Summary of the writes of a client and its clones so far. From [`Client::write_summary`](crate::Client::write_summary).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteSummary {
    executed: BTreeMap<&'static str, u64>,
    in_doubt: BTreeMap<&'static str, u64>,
}

impl WriteSummary {
    /// Returns the executed operations, each with its count.
    pub fn executed(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.executed.iter().map(|(operation, count)| (*operation, *count))
    }

    /// Returns the operations that may or may not have been executed, including calls in progress, each with its count.
    pub fn in_doubt(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.in_doubt.iter().map(|(operation, count)| (*operation, *count))
    }

    /// Returns the outcome of all writes together. It is unknown if any write is in doubt.
    pub fn outcome(&self) -> Outcome {
        match (self.in_doubt.is_empty(), self.executed.is_empty()) {
            (false, _) => Outcome::Unknown,
            (true, false) => Outcome::Executed,
            (true, true) => Outcome::NotExecuted,
        }
    }
}

/// Maximum number of writes in doubt that a later one can still settle. Of older ones the count is kept.
const REMEMBERED: usize = 1000;

/// The counts of one client.
#[derive(Debug, Default)]
pub(crate) struct WriteTally(Mutex<WriteCounts>);

#[derive(Debug, Default)]
struct WriteCounts {
    executed: BTreeMap<&'static str, u64>,
    /// Writes in doubt that a later one can settle, the oldest first.
    in_doubt: VecDeque<(&'static str, IdempotencyKey)>,
    /// Writes that stay in doubt.
    unsettled: BTreeMap<&'static str, u64>,
    /// Calls that have not ended yet.
    open: Vec<Arc<WriteRecord>>,
}

/// A call that writes, from when it is awaited until it ends.
#[derive(Debug)]
pub(crate) struct WriteRecord {
    operation: &'static Operation,
    key: Option<IdempotencyKey>,
    /// Set if a request of the call is under way, or may have been executed.
    in_doubt: AtomicBool,
}

/// Guard that removes a call from the open ones, however the call ends.
pub(crate) struct OpenWrite {
    tally: Arc<WriteTally>,
    write: Arc<WriteRecord>,
    outcome: Option<Outcome>,
}

impl WriteTally {
    /// Notes that a call begins, if its operation is one that writes.
    pub(crate) fn begin(
        self: &Arc<Self>,
        operation: &'static Operation,
        key: Option<IdempotencyKey>,
    ) -> Option<OpenWrite> {
        operation.writes().then(|| {
            let in_doubt = AtomicBool::new(false);
            let write = Arc::new(WriteRecord { operation, key, in_doubt });
            self.counts().open.push(write.clone());
            OpenWrite { tally: self.clone(), write, outcome: None }
        })
    }

    /// Settles a write that was in doubt, after its effect was checked by a read.
    pub(crate) fn settle(&self, key: &IdempotencyKey, executed: bool) {
        let mut counts = self.counts();
        let at = counts.in_doubt.iter().position(|(_, known)| known == key);
        if let Some((operation, _)) = at.and_then(|at| counts.in_doubt.remove(at))
            && executed
        {
            *counts.executed.entry(operation).or_default() += 1;
        }
    }

    pub(crate) fn so_far(&self) -> WriteSummary {
        let counts = self.counts();
        let under_way = counts.open.iter().filter(|it| it.in_doubt.load(Ordering::SeqCst));
        let operations = counts.in_doubt.iter().map(|(operation, _)| *operation);
        let mut in_doubt = counts.unsettled.clone();
        for operation in operations.chain(under_way.map(|it| it.operation.id)) {
            *in_doubt.entry(operation).or_default() += 1;
        }
        WriteSummary { executed: counts.executed.clone(), in_doubt }
    }

    fn counts(&self) -> MutexGuard<'_, WriteCounts> {
        locked(&self.0)
    }
}

impl WriteCounts {
    fn add_doubt(&mut self, operation: &'static str, key: Option<IdempotencyKey>) {
        let forgotten = match key {
            Some(key) => {
                self.in_doubt.push_back((operation, key));
                let is_full = self.in_doubt.len() > REMEMBERED;
                is_full.then(|| self.in_doubt.pop_front()).flatten().map(|(operation, _)| operation)
            }
            None => Some(operation),
        };
        if let Some(operation) = forgotten {
            *self.unsettled.entry(operation).or_default() += 1;
        }
    }
}

impl WriteRecord {
    /// Notes that a request is under way, which may be executed from now on. Returns whether an earlier one may have been.
    pub(super) fn doubt(&self) -> bool {
        self.in_doubt.swap(true, Ordering::SeqCst)
    }

    /// Takes that back for a request that was not executed.
    pub(super) fn undo_doubt(&self, before: bool) {
        self.in_doubt.store(before, Ordering::SeqCst);
    }
}

impl OpenWrite {
    /// Returns the record in which the requests of the call are noted.
    pub(crate) fn write(&self) -> Arc<WriteRecord> {
        self.write.clone()
    }

    /// Notes that the call has ended, if with an error then with the outcome of it.
    pub(crate) fn end(mut self, result: Result<(), Outcome>) {
        // A call that found nothing left to do has written nothing.
        let sent = self.write.in_doubt.load(Ordering::SeqCst);
        let done = if sent { Outcome::Executed } else { Outcome::NotExecuted };
        self.outcome = Some(result.err().unwrap_or(done));
    }
}

impl Drop for OpenWrite {
    fn drop(&mut self) {
        let WriteRecord { operation, key, in_doubt } = &*self.write;
        let given_up =
            if in_doubt.load(Ordering::SeqCst) { Outcome::Unknown } else { Outcome::NotExecuted };
        let outcome = self.outcome.unwrap_or(given_up);
        let mut counts = self.tally.counts();
        counts.open.retain(|it| !Arc::ptr_eq(it, &self.write));
        if outcome != Outcome::NotExecuted {
            // The same call once more.
            counts.in_doubt.retain(|(_, doubtful)| Some(doubtful) != key.as_ref());
        }
        match outcome {
            Outcome::NotExecuted => {}
            Outcome::Executed => *counts.executed.entry(operation.id).or_default() += 1,
            Outcome::Unknown => counts.add_doubt(operation.id, key.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::{CREATE_SLOT, CREATE_UPLOAD_URL, GET_ME, UPDATE_SLOT};

    type Counted = Vec<(&'static str, u64)>;

    fn said(tally: &WriteTally) -> (Counted, Counted, Outcome) {
        let so_far = tally.so_far();
        (so_far.executed().collect(), so_far.in_doubt().collect(), so_far.outcome())
    }

    #[test]
    fn only_writes_that_were_sent_are_counted() {
        let tally = Arc::new(WriteTally::default());
        assert!(
            tally.begin(GET_ME, None).is_none() && tally.begin(CREATE_UPLOAD_URL, None).is_none()
        );
        tally.begin(UPDATE_SLOT, None).unwrap().end(Ok(()));
        tally.begin(UPDATE_SLOT, None).unwrap().end(Err(Outcome::NotExecuted));
        drop(tally.begin(UPDATE_SLOT, None));
        assert_eq!(said(&tally), (vec![], vec![], Outcome::NotExecuted));
        let sent = tally.begin(UPDATE_SLOT, None).unwrap();
        sent.write.in_doubt.store(true, Ordering::SeqCst);
        assert_eq!(said(&tally), (vec![], vec![("updateSlot", 1)], Outcome::Unknown), "under way");
        sent.end(Ok(()));
        assert_eq!(said(&tally), (vec![("updateSlot", 1)], vec![], Outcome::Executed));
    }

    #[test]
    fn an_unknown_outcome_is_settled_by_a_repeat_under_its_key_or_by_a_read() {
        let tally = Arc::new(WriteTally::default());
        let keys = [IdempotencyKey::random(), IdempotencyKey::random()];
        for key in &keys {
            tally.begin(CREATE_SLOT, Some(key.clone())).unwrap().end(Err(Outcome::Unknown));
        }
        assert_eq!(said(&tally), (vec![], vec![("createSlot", 2)], Outcome::Unknown));
        let again = tally.begin(CREATE_SLOT, Some(keys[0].clone())).unwrap();
        again.write.in_doubt.store(true, Ordering::SeqCst);
        again.end(Ok(()));
        tally.settle(&keys[1], false);
        assert_eq!(said(&tally), (vec![("createSlot", 1)], vec![], Outcome::Executed));
    }

    #[test]
    fn a_call_dropped_while_in_flight_has_an_unknown_outcome() {
        let tally = Arc::new(WriteTally::default());
        let given_up = tally.begin(UPDATE_SLOT, None).unwrap();
        given_up.write.in_doubt.store(true, Ordering::SeqCst);
        drop(given_up);
        assert_eq!(said(&tally), (vec![], vec![("updateSlot", 1)], Outcome::Unknown));
    }
    #[test]
    fn a_tally_of_any_number_of_writes_in_doubt_stays_small() {
        let tally = Arc::new(WriteTally::default());
        let keys: Vec<_> = (0..3 * REMEMBERED).map(|_| IdempotencyKey::random()).collect();
        for key in &keys {
            tally.begin(CREATE_SLOT, Some(key.clone())).unwrap().end(Err(Outcome::Unknown));
            tally.begin(CREATE_SLOT, None).unwrap().end(Err(Outcome::Unknown));
        }
        assert_eq!(tally.counts().in_doubt.len(), REMEMBERED);
        let all = u64::try_from(keys.len()).unwrap();
        assert_eq!(said(&tally).1, [("createSlot", 2 * all)]);
        tally.settle(&keys[0], true);
        assert_eq!(said(&tally).1, [("createSlot", 2 * all)], "too long ago");
        tally.settle(keys.last().unwrap(), true);
        assert_eq!((said(&tally).0[0].1, said(&tally).1[0].1), (1, 2 * all - 1));
    }
}
