//! What follows an attempt: a pure decision over what is known of it.

use std::time::Duration;

use crate::operation::Effect;

/// What an attempt proves about the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// It never reached the service.
    NotSent,
    /// The service answered that it did not execute it.
    NotExecuted,
    /// The service executed it.
    Executed,
    /// It may have been executed.
    Unknown,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A whole answer with this status.
    Answer(u16),
    /// A status line, but no whole body.
    CutBody(u16),
    /// The connection could not be made, so nothing was sent.
    NotSent,
    /// Sent, and then nothing: reset, closed, broken.
    NoAnswer,
    /// Sent, and then nothing for too long.
    TimedOut,
    /// Will fail the same way every time: a certificate, an unusable address, a body over the limit.
    Hopeless(Evidence),
}

impl End {
    pub(crate) fn evidence(self) -> Evidence {
        match self {
            Self::Answer(status) | Self::CutBody(status) => match status {
                200..=299 => Evidence::Executed,
                300..=499 => Evidence::NotExecuted,
                _ => Evidence::Unknown,
            },
            Self::NotSent => Evidence::NotSent,
            Self::NoAnswer | Self::TimedOut => Evidence::Unknown,
            Self::Hopeless(evidence) => evidence,
        }
    }
}

/// What is known of a call when one of its attempts has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    pub(crate) end: End,
    /// Attempts that count, this one included (1 or more).
    pub(crate) attempts: u32,
    /// 409 answers to a replayed key so far.
    pub(crate) in_flight: u32,
    /// An earlier attempt of the call may have been executed.
    pub(crate) maybe_executed: bool,
    /// The call carries an idempotency key.
    pub(crate) keyed: bool,
    /// What the answer's `Retry-After` asks for.
    pub(crate) retry_after: Option<Duration>,
    /// Uniform in 0..1.
    pub(crate) jitter: f64,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Decision {
    /// The call ends with this attempt.
    End,
    /// Again after a wait; it counts as an attempt.
    Again(Duration),
    /// Again after a wait that the service asked for; it counts only against the deadline.
    Later(Duration),
}

/// Attempts of one call that fail without an answer, or with a broken one.
pub(crate) const MOST_ATTEMPTS: u32 = 4;
const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const LONGEST_BACKOFF: Duration = Duration::from_secs(20);
/// Before a key is replayed that the service may still be working on.
const KEY_SETTLES: Duration = Duration::from_secs(5);
const IN_FLIGHT_WAIT: Duration = Duration::from_secs(2);
const MOST_IN_FLIGHT: u32 = 3;

/// `effect` is the operation's, or `Read` where the call is a dry run.
pub(crate) fn decide(effect: Effect, attempt: &Attempt) -> Decision {
    match attempt.end {
        End::Answer(429 | 408 | 425) => {
            Decision::Later(attempt.retry_after.unwrap_or_else(|| attempt.backoff()))
        }
        End::Answer(409)
            if attempt.keyed && attempt.maybe_executed && attempt.in_flight < MOST_IN_FLIGHT =>
        {
            Decision::Later(attempt.retry_after.unwrap_or(IN_FLIGHT_WAIT))
        }
        End::Answer(200..=499) | End::Hopeless(_) => Decision::End,
        _ if attempt.attempts >= MOST_ATTEMPTS => Decision::End,
        End::NotSent => Decision::Again(attempt.backoff()),
        End::CutBody(300..=499) => Decision::End,
        // Executed, but the answer is lost: a read can be read again, a keyed answer is stored.
        End::CutBody(200..=299) if !(effect == Effect::Read || attempt.keyed) => Decision::End,
        _ if !may_resend(effect, attempt) => Decision::End,
        End::TimedOut if attempt.keyed => Decision::Again(attempt.wait().max(KEY_SETTLES)),
        _ => Decision::Again(attempt.wait()),
    }
}

/// Whether sending the request once more cannot do more than the first one did.
fn may_resend(effect: Effect, attempt: &Attempt) -> bool {
    match effect {
        Effect::Read | Effect::Set | Effect::Delete => true,
        Effect::Create => attempt.keyed,
        Effect::DeleteMany => false,
    }
}

impl Attempt {
    /// Full jitter over a doubling span.
    fn backoff(&self) -> Duration {
        let doublings = self.attempts.saturating_sub(1).min(16);
        (FIRST_BACKOFF * 2_u32.pow(doublings)).min(LONGEST_BACKOFF).mul_f64(self.jitter)
    }

    fn wait(&self) -> Duration {
        self.retry_after.map_or_else(|| self.backoff(), |asked| asked.max(self.backoff()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::OPERATIONS;

    fn attempt(end: End) -> Attempt {
        Attempt {
            end,
            attempts: 1,
            in_flight: 0,
            maybe_executed: false,
            keyed: false,
            retry_after: None,
            jitter: 0.5,
        }
    }

    /// One letter a decision: `.` ends, `a` again, `l` later.
    fn letter(decision: Decision) -> char {
        match decision {
            Decision::End => '.',
            Decision::Again(_) => 'a',
            Decision::Later(_) => 'l',
        }
    }

    #[test]
    fn what_follows_each_kind_of_end_for_each_operation() {
        let ends = [
            ("not sent", End::NotSent),
            ("no answer", End::NoAnswer),
            ("timed out", End::TimedOut),
            ("cut 2xx", End::CutBody(201)),
            ("cut 5xx", End::CutBody(502)),
            ("500", End::Answer(500)),
            ("429", End::Answer(429)),
            ("422", End::Answer(422)),
            ("hopeless", End::Hopeless(Evidence::NotSent)),
        ];
        for operation in OPERATIONS {
            let row: String = ends
                .iter()
                .map(|(_, end)| {
                    let keyed = operation.effect == Effect::Create;
                    letter(decide(operation.effect, &Attempt { keyed, ..attempt(*end) }))
                })
                .collect();
            let expected = match operation.effect {
                Effect::Read | Effect::Create => "aaaaaal..",
                Effect::Set | Effect::Delete => "aaa.aal..",
                Effect::DeleteMany => "a.....l..",
            };
            assert_eq!(row, expected, "{} over {:?}", operation.id, ends.map(|(name, _)| name));
        }
    }

    #[test]
    fn every_status_has_its_evidence_and_its_decision() {
        let read = Effect::Read;
        let mut spans: Vec<(u16, u16, Evidence, char)> = Vec::new();
        for status in 100..=599 {
            let end = End::Answer(status);
            let now = (end.evidence(), letter(decide(read, &attempt(end))));
            match spans.last_mut() {
                Some((_, last, evidence, decision)) if (*evidence, *decision) == now => {
                    *last = status
                }
                _ => spans.push((status, status, now.0, now.1)),
            }
        }
        use Evidence::{Executed, NotExecuted, Unknown};
        assert_eq!(
            spans,
            [
                (100, 199, Unknown, 'a'),
                (200, 299, Executed, '.'),
                (300, 407, NotExecuted, '.'),
                (408, 408, NotExecuted, 'l'),
                (409, 424, NotExecuted, '.'),
                (425, 425, NotExecuted, 'l'),
                (426, 428, NotExecuted, '.'),
                (429, 429, NotExecuted, 'l'),
                (430, 499, NotExecuted, '.'),
                (500, 599, Unknown, 'a'),
            ]
        );
    }

    #[test]
    fn a_create_without_its_key_is_never_sent_twice() {
        let create = Effect::Create;
        assert_eq!(decide(create, &attempt(End::NoAnswer)), Decision::End);
        assert_eq!(letter(decide(create, &attempt(End::NotSent))), 'a');
    }

    #[test]
    fn the_fourth_attempt_is_the_last_but_a_wait_asked_for_is_not_an_attempt() {
        let read = Effect::Read;
        for attempts in 1..=6 {
            let again = letter(decide(read, &Attempt { attempts, ..attempt(End::NoAnswer) }));
            assert_eq!(again, if attempts < 4 { 'a' } else { '.' });
            assert_eq!(
                letter(decide(read, &Attempt { attempts, ..attempt(End::Answer(429)) })),
                'l'
            );
        }
    }

    #[test]
    fn a_conflict_is_waited_for_only_where_it_may_be_our_own_request() {
        let create = Effect::Create;
        let replay = Attempt { keyed: true, maybe_executed: true, ..attempt(End::Answer(409)) };
        assert_eq!(decide(create, &replay), Decision::Later(IN_FLIGHT_WAIT));
        assert_eq!(decide(create, &Attempt { in_flight: 3, ..replay }), Decision::End);
        assert_eq!(decide(create, &Attempt { maybe_executed: false, ..replay }), Decision::End);
        assert_eq!(decide(create, &Attempt { keyed: false, ..replay }), Decision::End);
    }

    #[test]
    fn waits_double_with_jitter_and_never_undercut_the_service() {
        let read = Effect::Read;
        let wait = |attempts, jitter, retry_after| match decide(
            read,
            &Attempt { attempts, jitter, retry_after, ..attempt(End::Answer(503)) },
        ) {
            Decision::Again(wait) => wait,
            other => panic!("{other:?}"),
        };
        let ms = Duration::from_millis;
        assert_eq!(
            [wait(1, 1.0, None), wait(2, 1.0, None), wait(3, 1.0, None)],
            [ms(500), ms(1000), ms(2000)]
        );
        assert_eq!(wait(2, 0.0, None), Duration::ZERO);
        assert_eq!(wait(1, 1.0, Some(ms(7000))), ms(7000));
        let create = Effect::Create;
        let replay = Attempt { keyed: true, jitter: 0.0, ..attempt(End::TimedOut) };
        assert_eq!(decide(create, &replay), Decision::Again(KEY_SETTLES));
    }
}
