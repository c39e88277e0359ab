//! Tally of a client's writes, counted where calls end, so that a program can report at any moment what it has done.

use std::collections::{BTreeMap, VecDeque};
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

/// Maximum number of writes in doubt that are remembered one by one. Of older ones the count is kept.
const REMEMBERED: usize = 1000;

/// The counts of one client.
#[derive(Debug, Default)]
pub(crate) struct WriteTally(Mutex<WriteCounts>);

#[derive(Debug, Default)]
struct WriteCounts {
    /// Number of calls that have begun.
    begun: u64,
    /// Set once nothing may be sent any more.
    is_closed: bool,
    executed: BTreeMap<&'static str, u64>,
    /// Writes of which a request is under way, or may have been executed, the oldest first.
    in_doubt: VecDeque<WriteRecord>,
    /// Older ones, which stay in doubt.
    unsettled: BTreeMap<&'static str, u64>,
}

/// A call that writes.
#[derive(Clone, Debug)]
pub(crate) struct WriteRecord {
    number: u64,
    operation: &'static str,
    key: Option<IdempotencyKey>,
}

impl WriteRecord {
    /// Returns whether two calls are the same one, or one that was repeated under its key.
    fn is_same(&self, other: &Self) -> bool {
        self.number == other.number || self.key.is_some() && self.key == other.key
    }
}

impl WriteCounts {
    fn doubt(&mut self, write: &WriteRecord) -> bool {
        let is_in_doubt = self.in_doubt.iter().any(|known| known.is_same(write));
        if !is_in_doubt {
            self.in_doubt.push_back(write.clone());
        }
        if self.in_doubt.len() > REMEMBERED
            && let Some(oldest) = self.in_doubt.pop_front()
        {
            *self.unsettled.entry(oldest.operation).or_default() += 1;
        }
        is_in_doubt
    }
}

impl WriteTally {
    /// Notes that a call begins, if its operation is one that writes.
    pub(crate) fn begin(
        &self,
        operation: &Operation,
        key: Option<IdempotencyKey>,
    ) -> Option<Arc<WriteRecord>> {
        operation.writes().then(|| {
            let mut counts = self.counts();
            counts.begun += 1;
            Arc::new(WriteRecord { number: counts.begun, operation: operation.id, key })
        })
    }

    /// Notes that a request of the call is under way, which may be executed from now on. Returns whether an earlier one may have been; `None` if
    /// it must not be sent any more.
    pub(crate) fn doubt(&self, write: &WriteRecord) -> Option<bool> {
        let counts = &mut *self.counts();
        (!counts.is_closed).then(|| counts.doubt(write))
    }

    /// Lets no further request of a write be sent. Returns the summary, which stays true from then on.
    pub(crate) fn close(&self) -> WriteSummary {
        self.counts().is_closed = true;
        self.so_far()
    }

    /// Notes that the call was not executed.
    pub(crate) fn undo_doubt(&self, write: &WriteRecord) {
        self.counts().in_doubt.retain(|known| known.number != write.number);
    }

    /// Notes that the call has ended, if with an error then with the outcome of it.
    pub(crate) fn end(&self, write: &WriteRecord, result: Result<(), Outcome>) {
        if result == Err(Outcome::NotExecuted) {
            return self.undo_doubt(write);
        }
        // A call that found nothing left to do has written nothing.
        if result.is_err() {
            self.counts().doubt(write);
        }
        if result != Err(Outcome::Unknown) {
            self.settle_if(true, |known| known.is_same(write));
        }
    }

    /// Settles a write that was in doubt, after its effect was checked by a read.
    pub(crate) fn settle(&self, key: &IdempotencyKey, executed: bool) {
        self.settle_if(executed, |known| known.key.as_ref() == Some(key));
    }

    fn settle_if(&self, executed: bool, is_it: impl Fn(&WriteRecord) -> bool) {
        let counts = &mut *self.counts();
        let at = counts.in_doubt.iter().position(is_it);
        if let Some(write) = at.and_then(|at| counts.in_doubt.remove(at))
            && executed
        {
            *counts.executed.entry(write.operation).or_default() += 1;
        }
    }

    pub(crate) fn so_far(&self) -> WriteSummary {
        let counts = self.counts();
        let mut in_doubt = counts.unsettled.clone();
        for write in &counts.in_doubt {
            *in_doubt.entry(write.operation).or_default() += 1;
        }
        WriteSummary { executed: counts.executed.clone(), in_doubt }
    }

    fn counts(&self) -> MutexGuard<'_, WriteCounts> {
        locked(&self.0)
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

    fn ended(tally: &WriteTally, key: Option<&IdempotencyKey>, result: Result<(), Outcome>) {
        let operation = if key.is_some() { CREATE_SLOT } else { UPDATE_SLOT };
        tally.end(&tally.begin(operation, key.cloned()).unwrap(), result);
    }

    #[test]
    fn only_writes_that_were_sent_are_counted() {
        let tally = WriteTally::default();
        assert!(
            tally.begin(GET_ME, None).is_none() && tally.begin(CREATE_UPLOAD_URL, None).is_none()
        );
        ended(&tally, None, Ok(()));
        ended(&tally, None, Err(Outcome::NotExecuted));
        assert_eq!(said(&tally), (vec![], vec![], Outcome::NotExecuted));
        let sent = tally.begin(UPDATE_SLOT, None).unwrap();
        assert_eq!(tally.doubt(&sent), Some(false));
        assert_eq!(said(&tally), (vec![], vec![("updateSlot", 1)], Outcome::Unknown), "under way");
        tally.end(&sent, Ok(()));
        assert_eq!(said(&tally), (vec![("updateSlot", 1)], vec![], Outcome::Executed));
        tally.end(&sent, Ok(()));
        assert_eq!(said(&tally), (vec![("updateSlot", 1)], vec![], Outcome::Executed), "twice");
        let late = tally.begin(UPDATE_SLOT, None).unwrap();
        let written = tally.close();
        assert_eq!((tally.doubt(&late), tally.so_far()), (None, written));
    }

    #[test]
    fn an_unknown_outcome_is_settled_by_a_repeat_under_its_key_or_by_a_read() {
        let tally = WriteTally::default();
        let keys = [IdempotencyKey::random(), IdempotencyKey::random()];
        for key in &keys {
            ended(&tally, Some(key), Err(Outcome::Unknown));
        }
        assert_eq!(said(&tally), (vec![], vec![("createSlot", 2)], Outcome::Unknown));
        let again = tally.begin(CREATE_SLOT, Some(keys[0].clone())).unwrap();
        assert_eq!(tally.doubt(&again), Some(true));
        tally.end(&again, Ok(()));
        tally.settle(&keys[1], false);
        assert_eq!(said(&tally), (vec![("createSlot", 1)], vec![], Outcome::Executed));
    }

    #[test]
    fn a_repeat_that_was_not_executed_leaves_the_first_call_in_doubt() {
        let tally = WriteTally::default();
        let key = IdempotencyKey::random();
        ended(&tally, Some(&key), Err(Outcome::Unknown));
        ended(&tally, Some(&key), Err(Outcome::NotExecuted));
        assert_eq!(said(&tally), (vec![], vec![("createSlot", 1)], Outcome::Unknown));
    }

    #[test]
    fn a_call_dropped_while_in_flight_has_an_unknown_outcome() {
        let tally = WriteTally::default();
        tally.doubt(&tally.begin(UPDATE_SLOT, None).unwrap());
        assert_eq!(said(&tally), (vec![], vec![("updateSlot", 1)], Outcome::Unknown));
    }

    #[test]
    fn a_tally_of_any_number_of_writes_in_doubt_stays_small() {
        let tally = WriteTally::default();
        let keys: Vec<_> = (0..3 * REMEMBERED).map(|_| IdempotencyKey::random()).collect();
        for key in &keys {
            ended(&tally, Some(key), Err(Outcome::Unknown));
        }
        assert_eq!(tally.counts().in_doubt.len(), REMEMBERED);
        let all = u64::try_from(keys.len()).unwrap();
        assert_eq!(said(&tally).1, [("createSlot", all)]);
        tally.settle(&keys[0], true);
        assert_eq!(said(&tally).1, [("createSlot", all)], "too long ago");
        tally.settle(keys.last().unwrap(), true);
        assert_eq!((said(&tally).0[0].1, said(&tally).1[0].1), (1, all - 1));
    }
}
