//! What follows an attempt: a decision as a pure function of the state of the call, and `Retry-After` (RFC 9110, section 10.2.3) as a duration.

use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};

use super::pacing::{MustWait, WaitReason};
use crate::error_kind::Outcome;
use crate::operation::Effect;

/// End of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptEnd {
    /// An answer with this status.
    Answer(u16),
    /// An answer with this 2xx status that is no [success](crate::success) of the operation.
    Unusable(u16),
    /// An answer with this 2xx status, but not the whole body.
    Cut(u16),
    /// An answer with this 2xx status, and a body over the limit.
    TooLarge(u16),
    /// No connection could be made.
    Unreachable,
    /// No secure connection could be made: a certificate, for example.
    Untrusted,
    /// The request was sent, and the connection broke without an answer.
    NoAnswer,
    /// The request was sent, and no answer came in time.
    TimedOut,
    /// The HTTP client of the program followed a redirect, so the answer is that of another request.
    Redirected,
}

impl AttemptEnd {
    /// Returns what the attempt proves about the request.
    pub(crate) fn evidence(self) -> Outcome {
        match self {
            Self::Answer(status) | Self::Cut(status) | Self::TooLarge(status) => match status {
                200..=299 => Outcome::Executed,
                // A redirect, and a refused request.
                307 | 308 | 400..=499 => Outcome::NotExecuted,
                _ => Outcome::Unknown,
            },
            Self::Unreachable | Self::Untrusted => Outcome::NotExecuted,
            Self::Unusable(_) | Self::NoAnswer | Self::TimedOut | Self::Redirected => {
                Outcome::Unknown
            }
        }
    }

    /// Returns the status of the answer, if one began.
    pub(crate) fn status(self) -> Option<u16> {
        match self {
            Self::Answer(status)
            | Self::Unusable(status)
            | Self::Cut(status)
            | Self::TooLarge(status) => Some(status),
            _ => None,
        }
    }
}

/// Counts and evidence of a call's attempts so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttemptCounts {
    /// Requests sent or tried.
    pub(crate) sent: u32,
    /// Of those, requests that were waited for after a 429.
    pub(crate) too_many: u32,
    /// Of those, requests that were waited for because one with the same key was being processed.
    pub(crate) in_flight: u32,
    /// Total wait after them.
    pub(crate) waited: Duration,
    /// The strongest proof of any of them.
    pub(crate) evidence: Outcome,
    /// Set if the service has refused a token of this call, and there was another one.
    pub(crate) renewed: bool,
}

impl AttemptCounts {
    /// No attempt yet.
    pub(crate) const NONE: Self = Self {
        sent: 0,
        too_many: 0,
        in_flight: 0,
        waited: Duration::ZERO,
        evidence: Outcome::NotExecuted,
        renewed: false,
    };

    /// Returns the number of attempts that count: a wait that the service asked for is not one.
    pub(crate) fn counted(self) -> u32 {
        self.sent - self.too_many - self.in_flight
    }
}

/// State of a call when one of its attempts has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttemptState {
    pub(crate) end: AttemptEnd,
    /// The attempts so far, this one included, and the evidence of those before it.
    pub(crate) tries: AttemptCounts,
    /// Set if the call carries an idempotency key.
    pub(crate) keyed: bool,
    /// Maximum number of attempts that fail without an answer, or with a broken one.
    pub(crate) max_attempts: u32,
    /// Wait that the answer's `Retry-After` asks for.
    pub(crate) retry_after: Option<Duration>,
    /// Uniform in 0..1.
    pub(crate) jitter: f64,
}

const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const LONGEST_BACKOFF: Duration = Duration::from_secs(20);
/// Minimum wait before a key is replayed that the service may still be working on.
const KEY_SETTLES: Duration = Duration::from_secs(5);
const IN_FLIGHT_WAIT: Duration = Duration::from_secs(2);
const MAX_IN_FLIGHT: u32 = 3;

/// Returns the wait before another attempt, which counts as an attempt.
fn again(duration: Duration) -> MustWait {
    MustWait { duration, reason: WaitReason::Retry }
}

/// Returns the wait before another attempt for which the service has asked: it counts only against the deadline.
fn later(duration: Duration) -> MustWait {
    MustWait { duration, reason: WaitReason::TooManyRequests }
}

/// Decides what follows an attempt: another one after this wait, or nothing. `effect` is the operation's, or `Read` if the call is a dry
/// run.
pub(crate) fn decide(effect: Effect, attempt: &AttemptState) -> Option<MustWait> {
    match attempt.end {
        AttemptEnd::Answer(429) => Some(later(attempt.wait())),
        AttemptEnd::Answer(409) if attempt.is_in_flight() => {
            Some(later(attempt.retry_after.unwrap_or(IN_FLIGHT_WAIT)))
        }
        AttemptEnd::TooLarge(_) | AttemptEnd::Untrusted | AttemptEnd::Redirected => None,
        _ if attempt.tries.counted() >= attempt.max_attempts => None,
        AttemptEnd::Unreachable | AttemptEnd::Answer(408 | 425) => Some(again(attempt.wait())),
        AttemptEnd::Answer(200..=499) => None,
        // A read would be answered in the same way again; after a write that sets values, the values are read.
        AttemptEnd::Unusable(_) if matches!(effect, Effect::Read | Effect::Set) => None,
        // Executed, but the answer is lost: a read can be read again, a keyed answer is stored.
        AttemptEnd::Cut(_) if effect != Effect::Read && !attempt.keyed => None,
        // Sending the request once more could do more than the first one did.
        _ if effect == Effect::DeleteMany || effect == Effect::Create && !attempt.keyed => None,
        AttemptEnd::TimedOut if attempt.keyed => Some(again(attempt.wait().max(KEY_SETTLES))),
        _ => Some(again(attempt.wait())),
    }
}

impl AttemptState {
    /// Returns whether a conflict may be the service's own work on a request with the same key. A conflict with a rule names no time to
    /// wait.
    fn is_in_flight(&self) -> bool {
        let replayed = self.tries.evidence >= Outcome::Unknown || self.retry_after.is_some();
        self.keyed && replayed && self.tries.in_flight < MAX_IN_FLIGHT
    }

    /// Returns the backoff, but never less than the service asks for.
    fn wait(&self) -> Duration {
        self.retry_after.unwrap_or_default().max(backoff(self.tries.sent, self.jitter))
    }
}

/// Returns a random wait with full jitter over a span that doubles with every request sent.
pub(crate) fn backoff(sent: u32, jitter: f64) -> Duration {
    let doublings = sent.saturating_sub(1).min(16);
    (FIRST_BACKOFF * 2_u32.pow(doublings)).min(LONGEST_BACKOFF).mul_f64(jitter)
}

/// Returns how long the service asks to wait: the largest of several headers; dates are read against the answer's own `Date`, so that a
/// wrong clock here does not matter. `None` if there is no usable value (absent, negative, past, garbage). A number too large to be meant
/// counts as [`LONGEST`].
pub fn retry_after(headers: &HeaderMap, wall: SystemTime) -> Option<Duration> {
    headers.get(RETRY_AFTER)?;
    let now = date_of(headers).unwrap_or(wall);
    headers
        .get_all(RETRY_AFTER)
        .iter()
        .filter_map(|value| wait(value, now))
        .max()
        .map(|wait| wait.min(LONGEST))
}

/// Longest time to wait that an answer can ask for: a hundred years, which a program can add to the time without an overflow.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

fn wait(value: &HeaderValue, now: SystemTime) -> Option<Duration> {
    let text = value.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().map_or(LONGEST, Duration::from_secs));
    }
    date(value)?.duration_since(now).ok()
}

/// Returns the `Date` of a response.
pub(super) fn date_of(headers: &HeaderMap) -> Option<SystemTime> {
    date(headers.get(DATE)?)
}

fn date(value: &HeaderValue) -> Option<SystemTime> {
    httpdate::parse_http_date(value.to_str().ok()?.trim()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::operation::OPERATIONS;

    fn attempt(end: AttemptEnd) -> AttemptState {
        AttemptState {
            end,
            tries: AttemptCounts { sent: 1, ..AttemptCounts::NONE },
            keyed: false,
            max_attempts: 4,
            retry_after: None,
            jitter: 0.5,
        }
    }

    /// Returns attempts of which one may have been executed.
    fn maybe(sent: u32, in_flight: u32) -> AttemptCounts {
        AttemptCounts { sent, in_flight, evidence: Outcome::Unknown, ..AttemptCounts::NONE }
    }

    /// Returns one letter for a decision: `.` ends, `a` again, `l` later.
    fn letter(decision: Option<MustWait>) -> char {
        match decision {
            None => '.',
            Some(MustWait { reason: WaitReason::Retry, .. }) => 'a',
            Some(_) => 'l',
        }
    }

    /// Expected decisions, in the columns unreachable, untrusted (not sent) | 429, 408, 422 (not executed) | 201, cut 201, too large
    /// (executed) | no answer, timed out, redirected, 500, 302, unusable (unknown).
    const TABLE: &str = "
        getApiIndex              a.|la.|.a.|aa.a..
        getOpenapi               a.|la.|.a.|aa.a..
        getMe                    a.|la.|.a.|aa.a..
        listSlotTypes            a.|la.|.a.|aa.a..
        getSlotType              a.|la.|.a.|aa.a..
        listProfiles             a.|la.|.a.|aa.a..
        createProfile            a.|la.|.a.|aa.a.a
        checkLogin               a.|la.|.a.|aa.a..
        getProfile               a.|la.|.a.|aa.a..
        updateProfile            a.|la.|...|aa.a..
        getProfileSettings       a.|la.|.a.|aa.a..
        updateProfileSettings    a.|la.|...|aa.a..
        previewProfileMarkdown   a.|la.|.a.|aa.a..
        listSlots                a.|la.|.a.|aa.a..
        createSlot               a.|la.|.a.|aa.a.a
        updateSlots              a.|la.|...|aa.a..
        deleteSlots              a.|la.|...|......
        createSlots              a.|la.|.a.|aa.a.a
        reorderSlots             a.|la.|...|aa.a..
        getSlot                  a.|la.|.a.|aa.a..
        updateSlot               a.|la.|...|aa.a..
        deleteSlot               a.|la.|...|aa.a.a
        listForms                a.|la.|.a.|aa.a..
        createForm               a.|la.|.a.|aa.a.a
        showForm                 a.|la.|.a.|aa.a..
        updateForm               a.|la.|...|aa.a..
        listNotificationChannels a.|la.|.a.|aa.a..
        lookupMusic              a.|la.|.a.|aa.a..
        uploadFile               a.|la.|.a.|aa.a.a
        createUploadUrl          a.|la.|.a.|aa.a.a
        getAccountAnalytics      a.|la.|.a.|aa.a..
        getProfileAnalytics      a.|la.|.a.|aa.a..
        getFormAnalytics         a.|la.|.a.|aa.a..
    ";

    #[test]
    fn each_operation_decides_by_the_evidence_as_the_table_says() {
        use AttemptEnd::{
            Answer, Cut, NoAnswer, Redirected, TimedOut, TooLarge, Unreachable, Untrusted, Unusable,
        };
        let ends: [(Outcome, &[AttemptEnd]); 4] = [
            (Outcome::NotExecuted, &[Unreachable, Untrusted]),
            (Outcome::NotExecuted, &[Answer(429), Answer(408), Answer(422)]),
            (Outcome::Executed, &[Answer(201), Cut(201), TooLarge(201)]),
            (
                Outcome::Unknown,
                &[NoAnswer, TimedOut, Redirected, Answer(500), Answer(302), Unusable(200)],
            ),
        ];
        let row = |effect: Effect| {
            let keyed = effect == Effect::Create;
            let decision =
                |end: &AttemptEnd| letter(decide(effect, &AttemptState { keyed, ..attempt(*end) }));
            let groups = ends.map(|(evidence, ends)| {
                assert!(ends.iter().all(|end| end.evidence() == evidence), "{evidence:?}");
                ends.iter().map(decision).collect::<String>()
            });
            groups.join("|")
        };
        let rows = OPERATIONS.iter().map(|operation| (operation.id, row(operation.effect)));
        let expected = TABLE.lines().filter_map(|line| line.trim().split_once(' '));
        let expected: Vec<_> = expected.map(|(id, row)| (id, row.trim().to_owned())).collect();
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn every_status_has_its_evidence_and_its_decision() {
        use Outcome::{Executed, NotExecuted, Unknown};

        let read = Effect::Read;
        let mut spans: Vec<(u16, u16, Outcome, char)> = Vec::new();
        for status in 100..=599 {
            let end = AttemptEnd::Answer(status);
            let now = (end.evidence(), letter(decide(read, &attempt(end))));
            match spans.last_mut() {
                Some((_, last, evidence, decision)) if (*evidence, *decision) == now => {
                    *last = status;
                }
                _ => spans.push((status, status, now.0, now.1)),
            }
        }
        assert_eq!(
            spans,
            [
                (100, 199, Unknown, 'a'),
                (200, 299, Executed, '.'),
                (300, 306, Unknown, '.'),
                (307, 308, NotExecuted, '.'),
                (309, 399, Unknown, '.'),
                (400, 407, NotExecuted, '.'),
                (408, 408, NotExecuted, 'a'),
                (409, 424, NotExecuted, '.'),
                (425, 425, NotExecuted, 'a'),
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
        assert_eq!(decide(create, &attempt(AttemptEnd::NoAnswer)), None);
        assert_eq!(letter(decide(create, &attempt(AttemptEnd::Unreachable))), 'a');
    }

    #[test]
    fn the_fourth_attempt_is_the_last_but_a_wait_asked_for_is_not_an_attempt() {
        let after = |sent, too_many, status| {
            letter(decide(
                Effect::Read,
                &AttemptState {
                    tries: AttemptCounts { sent, too_many, ..AttemptCounts::NONE },
                    ..attempt(AttemptEnd::Answer(status))
                },
            ))
        };
        for sent in 1..=6 {
            for status in [500, 408] {
                assert_eq!(after(sent, 0, status), if sent < 4 { 'a' } else { '.' });
                assert_eq!(after(sent + 9, 9, status), if sent < 4 { 'a' } else { '.' });
            }
            assert_eq!(after(sent, 0, 429), 'l');
        }
    }

    #[test]
    fn a_conflict_is_waited_for_only_where_it_may_be_our_own_request() {
        let create = Effect::Create;
        let replay =
            AttemptState { keyed: true, tries: maybe(1, 0), ..attempt(AttemptEnd::Answer(409)) };
        assert_eq!(decide(create, &replay), Some(later(IN_FLIGHT_WAIT)));
        assert_eq!(decide(create, &AttemptState { tries: maybe(4, 3), ..replay }), None);
        assert_eq!(
            decide(create, &AttemptState { tries: attempt(replay.end).tries, ..replay }),
            None
        );
        assert_eq!(decide(create, &AttemptState { keyed: false, ..replay }), None);
        let second = Some(Duration::from_secs(1));
        let resumed =
            AttemptState { tries: attempt(replay.end).tries, retry_after: second, ..replay };
        assert_eq!(decide(create, &resumed), Some(later(Duration::from_secs(1))));
    }

    #[test]
    fn waits_double_with_jitter_and_never_undercut_the_service() {
        let wait = |status, sent, jitter, retry_after| {
            let attempt = AttemptState {
                tries: AttemptCounts { sent, ..AttemptCounts::NONE },
                retry_after,
                jitter,
                ..attempt(AttemptEnd::Answer(status))
            };
            match decide(Effect::Read, &attempt) {
                Some(wait) => wait.duration,
                None => panic!("no wait after {status}"),
            }
        };
        let ms = Duration::from_millis;
        for status in [503, 429] {
            assert_eq!(
                [1, 2, 3].map(|sent| wait(status, sent, 1.0, None)),
                [500, 1000, 2000].map(ms)
            );
            assert_eq!(wait(status, 2, 0.0, None), Duration::ZERO);
            assert_eq!(wait(status, 1, 1.0, Some(ms(7000))), ms(7000));
            assert_eq!(wait(status, 3, 1.0, Some(ms(0))), ms(2000));
        }
        assert_eq!(wait(429, 40, 1.0, None), LONGEST_BACKOFF);
        let replay = AttemptState { keyed: true, jitter: 0.0, ..attempt(AttemptEnd::TimedOut) };
        assert_eq!(decide(Effect::Create, &replay), Some(again(KEY_SETTLES)));
    }

    fn headers(date: Option<&str>, values: &[&[u8]]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(date) = date {
            headers.insert(DATE, date.parse().unwrap());
        }
        for value in values {
            headers.append(RETRY_AFTER, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    const NOON: &str = "Sun, 06 Nov 1994 12:00:00 GMT";

    #[test]
    fn every_form_of_retry_after_is_read() {
        let an_hour_ahead = httpdate::parse_http_date("Sun, 06 Nov 1994 13:00:00 GMT").unwrap();
        let table: &[(&[&[u8]], Option<u64>)] = &[
            (&[], None),
            (&[b"2"], Some(2)),
            (&[b" 2 "], Some(2)),
            (&[b"0"], Some(0)),
            (&[b"Sun, 06 Nov 1994 12:00:07 GMT"], Some(7)),
            (&[b"Sunday, 06-Nov-94 12:00:07 GMT"], Some(7)),
            (&[b"Sun Nov  6 12:00:07 1994"], Some(7)),
            (&[b"Sun, 06 Nov 1994 11:59:59 GMT"], None),
            (&[b"-1"], None),
            (&[b""], None),
            (&["²".as_bytes()], None),
            (&[b"1e9"], None),
            (&[b"99999999999999999999999"], Some(LONGEST.as_secs())),
            (&[b"1", b"99999999999999999999999"], Some(LONGEST.as_secs())),
            (&[b"9999999999"], Some(LONGEST.as_secs())),
            (&[b"999999999"], Some(999_999_999)),
            (&[b"Fri, 31 Dec 9999 23:59:59 GMT"], Some(LONGEST.as_secs())),
            (&[b"3", b"5", b"nonsense"], Some(5)),
        ];
        for (values, expected) in table {
            let wait = retry_after(&headers(Some(NOON), values), an_hour_ahead);
            assert_eq!(wait, expected.map(Duration::from_secs), "{values:?}");
        }
    }

    #[test]
    fn without_a_date_the_own_clock_counts() {
        let now = httpdate::parse_http_date(NOON).unwrap();
        let wait = retry_after(&headers(None, &[b"Sun, 06 Nov 1994 12:00:07 GMT"]), now);
        assert_eq!(wait, Some(Duration::from_secs(7)));
    }

    proptest! {
        #[test]
        fn no_value_panics(values in prop::collection::vec("[ -~\u{80}-\u{ff}]{0,40}", 0..4), date in prop::option::of("[ -~]{0,40}")) {
            let values: Vec<&[u8]> = values.iter().map(String::as_bytes).collect();
            let mut headers = headers(None, &values);
            if let Some(date) = date {
                headers.insert(DATE, HeaderValue::from_str(&date).unwrap());
            }
            retry_after(&headers, SystemTime::UNIX_EPOCH);
        }
    }
}
