//! Sender of one attempt over the network, which reads the whole answer.

use std::error::Error as StdError;
use std::future::Future;
use std::io;
use std::time::Duration;

use reqwest::Request;
use tokio::time::timeout_at;
use url::Url;

use super::answer::{Answer, TimedOut, after};
use super::body_reader::UnreadBody;
use super::call_result::{BrokenAttempt, CallFailure};
use super::http_client::HttpClient;
use super::retry::AttemptEnd;
use super::stall_detector::{Stall, StallDetector};
use crate::operation::Operation;
use crate::success::{RecordCheck, check_answer};

/// Sender of one request, which also judges its answer. It separates the attempt loop from the network.
pub(crate) trait RequestSender: Sync {
    /// Returns the whole answer within `limit`, or how far the attempt came.
    fn send(
        &self,
        request: Request,
        limit: Duration,
    ) -> impl Future<Output = Result<Answer, CallFailure>> + Send;
}

/// Timeouts of the network. The time limit of a whole call is its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// Time limit until a connection is established, TLS included; 10 seconds unless set.
    pub connect: Duration,
    /// Time limit between two pieces of an answer, and of an upload; 30 seconds unless set.
    pub stall: Duration,
    /// Time limit for one attempt, from the first byte sent to the last received. Unless set it is 30 seconds for a read, 45 for a music lookup,
    /// 60 for a write and an hour for an upload.
    pub attempt: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), stall: Duration::from_secs(30), attempt: None }
    }
}

/// Sender over the network.
pub(super) struct HttpSender<'a> {
    pub(super) client: &'a HttpClient,
    pub(super) stall: Duration,
    /// Operation that is sent.
    pub(super) operation: &'static Operation,
    /// Set if the request is a dry run.
    pub(super) dry_run: bool,
    /// Decodes the record of the answer, if the caller wants it decoded.
    pub(super) record: Option<RecordCheck<'a>>,
}

impl RequestSender for HttpSender<'_> {
    fn send(
        &self,
        request: Request,
        limit: Duration,
    ) -> impl Future<Output = Result<Answer, CallFailure>> + Send {
        // Boxed, because each future around it would be as large, and is moved as a whole before its first poll.
        let answer = Box::pin(self.answer(request, limit));
        async move { check_answer(self.operation, self.dry_run, self.record, answer.await) }
    }
}

impl HttpSender<'_> {
    /// Begins to send, and returns the future of the answer. It does not hold the request, which would be most of its size.
    fn answer(
        &self,
        mut request: Request,
        limit: Duration,
    ) -> impl Future<Output = Result<Answer, CallFailure>> + Send {
        let stall = self.stall;
        // Not reqwest's timeout: that allocates for the request and once more for its answer.
        let until = after(limit);
        let asked = self.client.is_foreign.then(|| request.url().clone());
        let streamed = StallDetector::of(&mut request);
        let response = timeout_at(until, self.client.execute(request));
        async move {
            let response = match streamed {
                None => response.await,
                Some(streamed) => tokio::select! {
                    response = response => response,
                    stalled = streamed.stalled(stall) => return Err(match stalled {
                        Stall::Service => unanswered_in_time("the server stopped reading the request".into()),
                        Stall::Content => {
                            let late = io::Error::from(io::ErrorKind::TimedOut);
                            CallFailure::Request(BrokenBody::unread("the content", &late).to_io())
                        }
                    }),
                },
            };
            let mut response = match response {
                Ok(response) => response.map_err(unanswered)?,
                Err(_) => return Err(unanswered_in_time(Box::new(TimedOut))),
            };
            if let Some(asked) = asked
                && *response.url() != asked
            {
                return Err(redirected(Some(response.url())));
            }
            Answer::read(&mut response, until, stall).await.map_err(unfinished)
        }
    }
}

/// Returns the failure of an attempt of which a part of the answer came.
fn unfinished((answer, unread): (Answer, UnreadBody)) -> CallFailure {
    let (end, source) = match unread {
        UnreadBody::Cut(source) => (AttemptEnd::Cut(answer.status()), source),
        UnreadBody::TooLarge => {
            (AttemptEnd::TooLarge(answer.status()), "the answer is too large".into())
        }
    };
    CallFailure::Broken(BrokenAttempt { end, source, begun: Some(Box::new(answer)) })
}

/// Returns the failure of an attempt whose answer came from elsewhere, or from nowhere after too many redirects.
fn redirected(to: Option<&Url>) -> CallFailure {
    let to = to.map_or_else(|| "elsewhere".to_owned(), |to| to.origin().ascii_serialization());
    let source = format!(
        "the answer is not believed, and headers such as a gateway's key and the idempotency key may have gone to {to}: \
         build that client with `.redirect(reqwest::redirect::Policy::none())`"
    );
    let end = AttemptEnd::Redirected;
    CallFailure::Broken(BrokenAttempt { end, source: source.into(), begun: None })
}

fn unanswered_in_time(source: Box<dyn StdError + Send + Sync>) -> CallFailure {
    CallFailure::Broken(BrokenAttempt { end: AttemptEnd::TimedOut, source, begun: None })
}

/// Failure of the content of a request itself. The service got a part of it at most, which it must not take for the whole (RFC 9112, section 8).
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct BrokenBody {
    kind: io::ErrorKind,
    message: String,
}

impl BrokenBody {
    /// Content that is not what was announced.
    pub(crate) fn invalid(message: String) -> Self {
        Self { kind: io::ErrorKind::InvalidInput, message }
    }

    /// Content that could not be read to its end.
    pub(crate) fn unread(name: &str, error: &io::Error) -> Self {
        Self { kind: error.kind(), message: format!("cannot read {name}: {error}") }
    }

    fn to_io(&self) -> io::Error {
        io::Error::new(self.kind, self.message.clone())
    }
}

/// Returns what a request without an answer proves.
fn unanswered(error: reqwest::Error) -> CallFailure {
    let error = error.without_url();
    let mut broken = None;
    if any_cause(&error, |cause| {
        broken = cause.downcast_ref::<BrokenBody>().map(BrokenBody::to_io);
        broken.is_some()
    }) && let Some(broken) = broken
    {
        return CallFailure::Request(broken);
    }
    if error.is_redirect() {
        return redirected(None);
    }
    if error.is_builder() {
        return CallFailure::Request(io::Error::other(error));
    }
    let end = match (error.is_connect(), error.is_timeout()) {
        (true, _) if is_tls(&error) => AttemptEnd::Untrusted,
        (false, _) if is_client_refused(&error) => AttemptEnd::Untrusted,
        (true, _) => AttemptEnd::Unreachable,
        (false, true) => AttemptEnd::TimedOut,
        (false, false) => AttemptEnd::NoAnswer,
    };
    CallFailure::Broken(BrokenAttempt { end, source: Box::new(error), begun: None })
}

/// Returns whether a certificate or the TLS handshake failed.
fn is_tls(error: &reqwest::Error) -> bool {
    any_cause(error, |error| {
        #[cfg(feature = "rustls-no-provider")]
        if error.is::<rustls::Error>() {
            return true;
        }
        #[cfg(feature = "native-tls")]
        if error.is::<native_tls::Error>() {
            return true;
        }
        let _ = error;
        false
    })
}

/// Returns whether the server refused the client's certificate. In TLS 1.3 it says so after the client has finished the handshake, but
/// reads nothing of the request.
fn is_client_refused(error: &reqwest::Error) -> bool {
    #[cfg(feature = "rustls-no-provider")]
    {
        use rustls::AlertDescription as Alert;

        any_cause(error, |error| {
            matches!(
                error.downcast_ref(),
                Some(rustls::Error::AlertReceived(
                    Alert::AccessDenied
                        | Alert::BadCertificate
                        | Alert::CertificateExpired
                        | Alert::CertificateRequired
                        | Alert::CertificateRevoked
                        | Alert::CertificateUnknown
                        | Alert::HandshakeFailure
                        | Alert::UnknownCA
                        | Alert::UnsupportedCertificate
                ))
            )
        })
    }
    #[cfg(not(feature = "rustls-no-provider"))]
    {
        let _ = error;
        false
    }
}

/// Returns whether any error in the chain of causes is like this.
fn any_cause(
    error: &reqwest::Error,
    mut is: impl FnMut(&(dyn StdError + 'static)) -> bool,
) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if is(error) {
            return true;
        }
        // The source of an I/O error is not the error that it wraps, but the source of that one.
        cause = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    false
}
