//! The error that every call of the client returns.
//!
//! What the errors of runs of several requests share with the error of a call.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::error_kind::{ErrorKind, Outcome, ServiceError};
use crate::operation::{CREATE_UPLOAD_URL, Effect, Operation};
use crate::token::TokenError;
use crate::tolerant::FieldErrors;
use crate::transport::answer::{MAX_BYTES, TimedOut};
use crate::transport::caller_headers::IdempotencyKey;
use crate::transport::exchange::answer_of;
use crate::transport::observer::RequestView;
use crate::transport::pacing::{MustWait, WaitReason};
use crate::transport::retry::AttemptEnd;
use crate::transport::{Answer, BoxError, CallFailure, CallResult, NextAttempt};

#[cfg(feature = "testing")]
pub use failed_call::FailedCall;
#[cfg(feature = "testing")]
mod failed_call;

/// Maximum number of characters of an unreadable answer that an error shows.
const EXCERPT: usize = 200;
/// Maximum number of bytes of an unreadable answer that are searched for secrets.
const LOOKED_AT: usize = 64 * 1024;

/// Error of a call: what happened, and whether anything was written.
///
/// Decide by [`Error::kind`]; more kinds may be added. The messages contain no token, header or URL query, but they can contain text from
/// the service: sanitize them before you print them to a terminal.
///
/// The errors of runs, such as [`BatchError`](crate::BatchError), convert into it, so a function that does several things can return one
/// type:
///
/// ```
/// # links_test_support::example::run(async |client| {
/// use links_sdk::types::NewSlot;
/// use links_sdk::{Client, Error};
///
/// async fn fill(client: &Client, page: &str) -> Result<usize, Error> {
///     client.profile(page).get().await?;
///     let lines = (1..=60).map(|n| NewSlot::of("text").with("title", format!("Line {n}")));
///     Ok(client.profile(page).slots().create_many(lines).await?.len())
/// }
///
/// assert_eq!(fill(&client, "cafe").await?, 60);
/// assert!(fill(&client, "nobody").await.unwrap_err().is_not_found());
/// # Ok(()) });
/// ```
///
/// # Troubleshooting
///
/// - [`is_invalid_input`](Error::is_invalid_input): an argument cannot be sent, such as a login with a slash. Nothing was sent; the message
///   names the argument.
/// - [`is_not_authenticated`](Error::is_not_authenticated): the token is missing, wrong or revoked. Create a new token where the service
///   issues them (`Index::authentication.issued_at`). With OAuth, log in again.
/// - [`is_forbidden`](Error::is_forbidden): the token has only the ability `profile:read`, or the page belongs to another account.
///   [`Client::me`](crate::Client::me) returns the abilities of the token.
/// - [`is_not_found`](Error::is_not_found): the ID or login does not exist. A renamed page can be found only by its ID or its new login.
/// - [`is_conflict`](Error::is_conflict): a limit is reached (100 pages, 500 slots on a page), the type of the slot is read-only, or
///   another client changed what the call would have overwritten. Read again and decide.
/// - [`is_validation`](Error::is_validation): fields were refused; [`field_errors`](Error::field_errors) has the reasons by path. For the
///   fields of a slot type, see [`Client::slot_type`](crate::Client::slot_type).
/// - [`is_rate_limited`](Error::is_rate_limited): the wait for the rate limit, [`retry_after`](Error::retry_after), is longer than the
///   deadline or the maximum wait. Set a longer deadline with [`with_deadline`](crate::Call::with_deadline), or share the limits between
///   the processes of a token with a [`Pacer`](crate::Pacer).
/// - [`is_timeout`](Error::is_timeout): the [deadline](crate::ClientBuilder::deadline) passed, or the service did not respond within the
///   [timeouts](crate::Timeouts). If nothing was sent, you can make the call again.
/// - [`is_network`](Error::is_network): no connection, an unknown host name, or an untrusted certificate. The source of the error has the
///   reason from the network library. For [`is_untrusted`](Error::is_untrusted), see [`ConnectionOptions`](crate::ConnectionOptions).
/// - [`is_server_error`](Error::is_server_error): the service failed. If this continues, send [`request_id`](Error::request_id) to its
///   operator.
/// - [`is_unreadable`](Error::is_unreadable): the response does not match the interface, often because of a proxy or a login page in
///   between. The message shows the start of the response. The status alone proves nothing about a write; see [`outcome`](Error::outcome).
/// - [`is_dry_run_executed`](Error::is_dry_run_executed): the service executed a request that was sent as a dry run.
///   [`executed_body`](Error::executed_body) is its response.
///
/// [`is_safe_to_repeat`](Error::is_safe_to_repeat) returns whether you can send the call again, and [`outcome`](Error::outcome) what it
/// did.
#[derive(Debug)]
pub struct Error(Box<ErrorDetails>);

#[derive(Debug)]
struct ErrorDetails {
    operation: &'static str,
    attempts: u32,
    outcome: Outcome,
    idempotency_key: Option<IdempotencyKey>,
    retry_after: Option<Duration>,
    next_attempt: Option<NextAttempt>,
    /// Set if executing the call twice has the same effect as once.
    repeatable: bool,
    /// The answer without its body.
    answer: Option<Answer>,
    cause: Cause,
}

/// What ended the call.
#[derive(Debug)]
enum Cause {
    /// A kind, and what the SDK itself says about it.
    Own(ErrorKind, String),
    Service(ServiceError),
    Unreadable {
        status: u16,
        why: String,
        excerpt: String,
    },
    Network {
        host: String,
        end: AttemptEnd,
        source: BoxError,
    },
    Deadline {
        wait: Duration,
        reason: WaitReason,
    },
    DryRunExecuted(Answer),
    NotSent(Box<RequestView>),
    Io(std::io::Error),
    Token(TokenError),
    Run(Box<dyn FailedRun>),
}

static NONE: FieldErrors = FieldErrors(std::collections::BTreeMap::new());

/// Error of a run of several requests.
pub trait FailedRun: std::error::Error + Send + Sync + 'static {
    /// Returns the error of the call that failed, if it was one.
    fn call(&self) -> Option<&Error>;

    /// Returns whether the run has written anything.
    fn outcome(&self) -> Outcome;

    /// Returns the refused fields and why: those of the call that failed, if it was one.
    fn field_errors(&self) -> &FieldErrors {
        self.call().map_or(&NONE, Error::field_errors)
    }

    /// Returns the kind of the error: that of the call that failed, if it was one.
    fn kind(&self) -> ErrorKind {
        self.call().map_or(ErrorKind::Run, Error::kind)
    }

    /// Returns whether the whole run may be sent again.
    fn is_safe_to_repeat(&self) -> bool;
}

/// Headers under which services give a request an ID. The interface describes none.
const REQUEST_IDS: &[&str] = &["x-request-id", "request-id", "x-correlation-id", "cf-ray"];

impl Error {
    /// Returns the error for input of the caller that was refused before anything was sent.
    #[doc(hidden)]
    pub fn invalid(operation: &'static str, message: impl Into<String>) -> Self {
        Self::own(operation, Outcome::NotExecuted, ErrorKind::InvalidInput, message.into())
    }

    /// Returns an error with the SDK's own words.
    pub(crate) fn own(
        operation: &'static str,
        outcome: Outcome,
        kind: ErrorKind,
        message: String,
    ) -> Self {
        Self::new(operation, outcome, Cause::Own(kind, message))
    }

    /// Returns the error of a call that was sent this often, with the wait that the service asked for last.
    pub(crate) fn after_attempts(mut self, attempts: u32, retry_after: Option<Duration>) -> Self {
        (self.0.attempts, self.0.retry_after) = (attempts, retry_after);
        self
    }

    fn new(operation: &'static str, outcome: Outcome, cause: Cause) -> Self {
        Self(Box::new(ErrorDetails {
            operation,
            attempts: 0,
            outcome,
            idempotency_key: None,
            retry_after: None,
            next_attempt: None,
            repeatable: false,
            answer: None,
            cause,
        }))
    }

    /// Returns the error of a run of several requests. What it tells of the call is that of the one that failed.
    #[doc(hidden)]
    pub fn of_run(run: impl FailedRun) -> Self {
        Self::new("", run.outcome(), Cause::Run(Box::new(run)))
    }

    /// Returns the details of the call; for a run, those of the call that failed.
    fn call(&self) -> &ErrorDetails {
        match &self.0.cause {
            Cause::Run(run) => run.call().map_or(&*self.0, Self::call),
            _ => &self.0,
        }
    }

    /// Returns the error of a call that did not end in a usable answer.
    pub(crate) fn from_exchange(
        mut exchange: CallResult,
        host: &str,
        idempotency_key: Option<IdempotencyKey>,
    ) -> Self {
        let outcome = exchange.outcome();
        let answer = answer_of(&mut exchange.result).map(|answer| answer.without_body());
        let CallResult { operation, effect, tries, mut retry_after, next_attempt, .. } = exchange;
        let cause = match exchange.result {
            Ok(answer) => of_answer(&answer, None),
            // The answer may hold the URL itself, which is a secret.
            Err(CallFailure::Unusable { answer, .. }) if operation.id == CREATE_UPLOAD_URL.id => {
                let why = "it does not match the interface".to_owned();
                Cause::Unreadable { status: answer.status(), why, excerpt: String::new() }
            }
            Err(CallFailure::Unusable { answer, why }) => of_answer(&answer, Some(why)),
            Err(CallFailure::Request(error)) => Cause::Io(error),
            Err(CallFailure::Token(error)) => {
                retry_after = error.retry_after;
                Cause::Token(error)
            }
            Err(CallFailure::Pacer(error)) => {
                let why = format!("{} was not sent: {error}", operation.id);
                Cause::Own(ErrorKind::Network, why)
            }
            Err(CallFailure::NotSent(request)) => Cause::NotSent(request),
            Err(CallFailure::Broken { end: AttemptEnd::TooLarge(status), .. }) => {
                let why = format!("it is larger than {} MiB", MAX_BYTES / 1024 / 1024);
                Cause::Unreadable { status, why, excerpt: String::new() }
            }
            Err(CallFailure::Broken { end, source, .. }) => {
                Cause::Network { host: host.to_owned(), end, source }
            }
            Err(CallFailure::Deadline(MustWait { duration: wait, reason })) => {
                retry_after = retry_after.max(Some(wait).filter(|wait| !wait.is_zero()));
                Cause::Deadline { wait, reason }
            }
        };
        Self(Box::new(ErrorDetails {
            operation: operation.id,
            attempts: tries.sent,
            outcome,
            idempotency_key,
            retry_after,
            next_attempt,
            repeatable: matches!(effect, Effect::Read | Effect::Set | Effect::Delete),
            answer,
            cause,
        }))
    }

    /// Returns the error for an answer that is not what the interface describes.
    pub(crate) fn unreadable(operation: &'static Operation, answer: &Answer, why: String) -> Self {
        // What an unusable answer leaves open.
        let outcome = if operation.has_outcome() { Outcome::Unknown } else { Outcome::NotExecuted };
        Self::new(operation.id, outcome, of_answer(answer, Some(why))).with_answer(answer)
    }

    /// Returns the error for a dry run that the service executed as a write.
    pub(crate) fn dry_run_executed(operation: &'static str, answer: &Answer) -> Self {
        let cause = Cause::DryRunExecuted(answer.clone());
        Self::new(operation, Outcome::Executed, cause).with_answer(answer)
    }

    fn with_answer(mut self, answer: &Answer) -> Self {
        self.0.answer = Some(answer.without_body());
        self
    }

    /// Returns the next attempt that would have followed the call's only attempt.
    pub(crate) fn next_attempt(&self) -> Option<NextAttempt> {
        self.0.next_attempt
    }

    /// Returns the `operationId` of the call.
    pub fn operation(&self) -> &'static str {
        self.call().operation
    }

    /// Returns the number of requests that were sent.
    pub fn attempts(&self) -> u32 {
        self.call().attempts
    }

    /// Returns whether something was written; [`Outcome::NotExecuted`] for every read.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    /// Returns the idempotency key of the call. If you repeat the call with it within 24 hours, nothing is created twice.
    pub fn idempotency_key(&self) -> Option<&IdempotencyKey> {
        self.call().idempotency_key.as_ref()
    }

    /// Returns the time to wait before the call can succeed: from the `Retry-After` of the last response, or from the rate limits. At most
    /// a hundred years.
    pub fn retry_after(&self) -> Option<Duration> {
        self.call().retry_after
    }

    /// Returns the HTTP status, if the service answered.
    pub fn status(&self) -> Option<u16> {
        match &self.call().cause {
            Cause::Service(error) => Some(error.status),
            Cause::Unreadable { status, .. } => Some(*status),
            Cause::DryRunExecuted(answer) => Some(answer.status()),
            Cause::Network { end, .. } => end.status(),
            Cause::Deadline { reason: WaitReason::TooManyRequests, .. } => Some(429),
            _ => None,
        }
    }

    /// Returns a header of the response, if the service responded. The token is removed from it.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let error = client.profile("nobody").get().await.unwrap_err();
    /// assert_eq!(error.header("content-type").as_deref(), Some("application/json"));
    /// # Ok(()) });
    /// ```
    pub fn header(&self, name: &str) -> Option<String> {
        let answer = self.call().answer.as_ref()?;
        Some(answer.secrets.hide(answer.header(name)?).into_owned())
    }

    /// Returns the ID that the service gave the request, for a report to its operator. The interface does not describe such an ID, so this
    /// is the first of the headers `x-request-id`, `request-id`, `x-correlation-id` and `cf-ray` in the response.
    pub fn request_id(&self) -> Option<String> {
        REQUEST_IDS.iter().find_map(|name| self.header(name))
    }

    /// Returns the service's own error, if it sent one.
    pub fn service(&self) -> Option<&ServiceError> {
        match &self.call().cause {
            Cause::Service(error) => Some(error),
            _ => None,
        }
    }

    /// Returns the refused fields and the reasons, by path (`data.title`, `slots.2.data.link`). It is empty unless validation failed.
    pub fn field_errors(&self) -> &FieldErrors {
        match &self.0.cause {
            Cause::Run(run) => run.field_errors(),
            _ => self.service().map_or(&NONE, |error| &error.errors),
        }
    }

    /// Returns the response to a write that the service executed although it was sent as a dry run.
    pub fn executed_body(&self) -> Option<&Bytes> {
        match &self.call().cause {
            Cause::DryRunExecuted(answer) => Some(answer.body()),
            _ => None,
        }
    }

    /// Returns the request of a call whose client [does not send writes](crate::WriteMode).
    pub fn not_sent(&self) -> Option<&RequestView> {
        match &self.call().cause {
            Cause::NotSent(request) => Some(request),
            _ => None,
        }
    }

    /// Returns the kind of the error, for programs to decide by.
    pub fn kind(&self) -> ErrorKind {
        match &self.0.cause {
            Cause::Own(kind, _) => *kind,
            Cause::Io(_) => ErrorKind::InvalidInput,
            Cause::Service(error) => ErrorKind::of_status(error.status, true),
            Cause::Unreadable { status, .. } => ErrorKind::of_status(*status, false),
            Cause::Network { end: AttemptEnd::Untrusted, .. } => ErrorKind::Untrusted,
            Cause::Network { end: AttemptEnd::TimedOut, .. } => ErrorKind::Timeout,
            Cause::Network { end: AttemptEnd::Cut(_), source, .. } if source.is::<TimedOut>() => {
                ErrorKind::Timeout
            }
            // What answered is not the service.
            Cause::Network { end: AttemptEnd::Redirected, .. } => ErrorKind::Unreadable,
            Cause::Network { .. } => ErrorKind::Network,
            Cause::Token(error) if error.is_temporary() => ErrorKind::Network,
            Cause::Token(_) => ErrorKind::NotAuthenticated,
            Cause::Deadline { reason: WaitReason::Retry, .. } => ErrorKind::Timeout,
            Cause::Deadline { reason: WaitReason::PacerUnreachable, .. } => ErrorKind::Network,
            Cause::Deadline { .. } => ErrorKind::RateLimited,
            Cause::DryRunExecuted(_) => ErrorKind::DryRunExecuted,
            Cause::NotSent(_) => ErrorKind::NotSent,
            Cause::Run(run) => run.kind(),
        }
    }

    /// Returns whether a new call with the same content may succeed later without doing anything twice. This is so if this call had no
    /// effect, or if it only reads, sets values, or deletes one thing.
    ///
    /// A new call that creates something has a new key. If the outcome of the first call is unknown, repeat it under [its own
    /// key](Error::idempotency_key) instead:
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::types::NewSlot;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let menu = NewSlot::of("button").with("title", "Menu").with("link", "https://cafe.example/menu");
    /// let slot = match slots.create(menu.clone()).await {
    ///     Err(error) if error.is_safe_to_repeat() => slots.create(menu).await?,
    ///     Err(error) if error.outcome() == links_sdk::Outcome::Unknown => match error.idempotency_key() {
    ///         Some(key) => slots.create(menu).with_idempotency_key(key.clone()).await?,
    ///         None => return Err(error.into()),
    ///     },
    ///     other => other?,
    /// };
    /// # let _ = slot;
    /// # Ok(()) });
    /// ```
    pub fn is_safe_to_repeat(&self) -> bool {
        if let Cause::Run(run) = &self.0.cause {
            return run.is_safe_to_repeat();
        }
        self.kind().is_temporary() && (self.0.outcome == Outcome::NotExecuted || self.0.repeatable)
    }
}

macro_rules! predicates {
    ($($(#[$doc:meta])* $name:ident: $($kind:ident)|+;)*) => {
        /// Predicates that are derived from the kind.
        impl Error {$(
            $(#[$doc])*
            pub fn $name(&self) -> bool {
                matches!(self.kind(), $(ErrorKind::$kind)|+)
            }
        )*}
    };
}

predicates! {
    /// Returns whether the service executed a dry run: [`ErrorKind::DryRunExecuted`].
    is_dry_run_executed: DryRunExecuted;

    /// Returns whether the call was accepted as a dry run: [`ErrorKind::DryRunAccepted`].
    is_dry_run_accepted: DryRunAccepted;

    /// Returns whether an argument of the call cannot be sent: [`ErrorKind::InvalidInput`](crate::ErrorKind::InvalidInput).
    is_invalid_input: InvalidInput;

    /// Returns whether the token is missing, wrong or revoked: [`ErrorKind::NotAuthenticated`](crate::ErrorKind::NotAuthenticated).
    is_not_authenticated: NotAuthenticated;

    /// Returns whether the token may not do this: [`ErrorKind::Forbidden`](crate::ErrorKind::Forbidden).
    is_forbidden: Forbidden;

    /// Returns whether the service answered 404: [`ErrorKind::NotFound`](crate::ErrorKind::NotFound).
    is_not_found: NotFound;

    /// Returns whether the service responded with 409 (a limit is reached, or the type is read-only), or another client changed what the
    /// call would have overwritten: [`ErrorKind::Conflict`](crate::ErrorKind::Conflict).
    is_conflict: Conflict;

    /// Returns whether [fields](crate::Error::field_errors) were refused: [`ErrorKind::Validation`](crate::ErrorKind::Validation).
    is_validation: Validation;

    /// Returns whether the wait for a rate limit would have been too long: [`ErrorKind::RateLimited`](crate::ErrorKind::RateLimited).
    is_rate_limited: RateLimited;

    /// Returns whether the time ran out: [`ErrorKind::Timeout`](crate::ErrorKind::Timeout).
    is_timeout: Timeout;

    /// Returns whether no connection, or no secure connection, could be made, or the connection was interrupted:
    /// [`ErrorKind::Network`](crate::ErrorKind::Network) or [`ErrorKind::Untrusted`](crate::ErrorKind::Untrusted).
    is_network: Network | Untrusted;

    /// Returns whether the connection would not have been secure: [`ErrorKind::Untrusted`](crate::ErrorKind::Untrusted).
    is_untrusted: Untrusted;

    /// Returns whether the answer has a 5xx status: [`ErrorKind::Server`](crate::ErrorKind::Server).
    is_server_error: Server;

    /// Returns whether the response does not match the interface: [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable).
    is_unreadable: Unreadable;
}

/// Returns the cause of an error that is an answer. Secrets are removed from every text, because a service that repeats a request in its answer
/// repeats the token.
fn of_answer(answer: &Answer, why: Option<String>) -> Cause {
    let status = answer.status();
    if let Some(error) = ServiceError::of(answer) {
        return Cause::Service(error);
    }
    let why = why.unwrap_or_else(|| match answer.header("location") {
        Some(target) if answer.status.is_redirection() => {
            format!("it redirects to {}", origin(target))
        }
        _ => "it is not in the service's error format".to_owned(),
    });
    let why = answer.secrets.hide(&why).into_owned();
    Cause::Unreadable { status, why, excerpt: excerpt(answer) }
}

/// Returns the first words of a body, on one line.
fn excerpt(answer: &Answer) -> String {
    let start = String::from_utf8_lossy(&answer.body[..answer.body.len().min(LOOKED_AT)]);
    // Hidden before the text is cut, because a cut secret cannot be found.
    let start = answer.secrets.hide(&start);
    let start = start.chars().take(EXCERPT * 8);
    let visible: String = start.map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(EXCERPT).collect()
}

/// Returns the origin that a redirect points to, without what may be secret in it.
fn origin(target: &str) -> String {
    url::Url::parse(target)
        .map_or_else(|_| "another path".to_owned(), |url| url.origin().ascii_serialization())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = self.0.operation;
        match &self.0.cause {
            Cause::Own(_, message) => f.write_str(message),
            Cause::Service(error) => {
                write!(f, "{operation} failed with status {}: {}", error.status, error.message)
            }
            Cause::Unreadable { status, why, excerpt } => {
                write!(f, "cannot use the response to {operation} (status {status}): {why}")?;
                if !excerpt.is_empty() {
                    write!(f, "; it starts with: {excerpt}")?;
                }
                Ok(())
            }
            Cause::Network { host, end, .. } => match end {
                AttemptEnd::Unreachable => write!(f, "{operation}: cannot reach {host}"),
                AttemptEnd::Untrusted => {
                    write!(f, "{operation}: cannot establish a secure connection to {host}")
                }
                AttemptEnd::TimedOut => write!(f, "{operation}: {host} did not respond in time"),
                AttemptEnd::NoAnswer => {
                    write!(f, "{operation}: the connection to {host} was interrupted")
                }
                AttemptEnd::Redirected => {
                    write!(f, "{operation}: your own HTTP client followed a redirect from {host}")
                }
                AttemptEnd::Answer(status)
                | AttemptEnd::Unusable(status)
                | AttemptEnd::Cut(status)
                | AttemptEnd::TooLarge(status) => write!(
                    f,
                    "{operation}: {host} responded with {status}, but the response is incomplete"
                ),
            },
            Cause::Deadline { wait: Duration::ZERO, .. } => {
                write!(f, "{operation}: the time limit was reached")
            }
            Cause::Deadline { wait, reason } => {
                let seconds = wait.as_secs_f64().ceil();
                write!(
                    f,
                    "{operation} would have to wait {seconds} s ({reason}), longer than the maximum wait or the time limit"
                )
            }
            Cause::DryRunExecuted(answer) => write!(
                f,
                "the service executed the dry run of {operation} (status {} instead of 204)",
                answer.status()
            ),
            Cause::NotSent(_) => {
                write!(f, "{operation} was not sent: this client does not send writes")
            }
            Cause::Io(_) => write!(f, "{operation}: cannot create the request"),
            Cause::Token(error) => error.fmt(f),
            Cause::Run(run) => run.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.cause {
            // The outermost error only tells that the request failed.
            Cause::Network { source, .. } => Some(source.source().unwrap_or(&**source)),
            Cause::Io(error) => Some(error),
            Cause::Token(error) => error.source(),
            Cause::Run(run) => run.source(),
            _ => None,
        }
    }
}

/// Gives the error of a run what it shares with the error of a call.
#[doc(hidden)]
#[macro_export]
macro_rules! of_run {
    ($error:ty) => {
        impl $error {
            /// Returns the kind of the error. If the run stopped because a call failed, it is the kind of that call.
            pub fn kind(&self) -> $crate::ErrorKind {
                $crate::runs::FailedRun::kind(self)
            }

            /// Returns the error of the call that failed, if the run stopped because of it.
            pub fn call(&self) -> Option<&$crate::Error> {
                $crate::runs::FailedRun::call(self)
            }

            /// Returns the time to wait before the run can succeed.
            pub fn retry_after(&self) -> Option<std::time::Duration> {
                $crate::runs::FailedRun::call(self)?.retry_after()
            }
        }

        impl From<$error> for $crate::Error {
            fn from(error: $error) -> Self {
                $crate::Error::of_run(error)
            }
        }
    };
}
