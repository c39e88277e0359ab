//! Sender of one attempt over the network, which reads the whole answer, and ends an upload that nobody receives any more.

use std::error::Error as StdError;
use std::future::{Future, pending, ready};
use std::iter::successors;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fmt, io};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http_body::{Body as HttpBody, Frame, SizeHint};
use reqwest::header::{ACCEPT_ENCODING, HeaderValue};
use reqwest::{Body, Request, Response};
use tokio::sync::watch;
use tokio::time::{timeout, timeout_at};
use url::Url;

use super::BoxError;
use super::answer::{ACCEPTED, Answer, MAX_BYTES, TimedOut, UnreadBody, after};
use super::exchange::CallFailure;
use super::retry::AttemptEnd;
use crate::token::Hidden;

/// Network timeouts. The time limit for a whole call is its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// Time limit for establishing a connection, including TLS; by default 10 seconds.
    pub connect: Duration,
    /// Time limit between two pieces of a response or of an upload; by default 30 seconds.
    pub stall: Duration,
    /// Time limit for one attempt, from the first byte sent to the last byte received. By default 30 seconds for a read, 45 for a music
    /// lookup, 60 for a write, and an hour for an upload.
    pub attempt: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), stall: Duration::from_secs(30), attempt: None }
    }
}

impl HttpClient {
    /// Begins to send, and returns the future of the answer. It does not hold the request, which would be most of its size.
    pub(super) fn answer(
        &self,
        mut request: Request,
        limit: Duration,
        stall: Duration,
    ) -> impl Future<Output = Result<Answer, CallFailure>> + Send {
        // Not reqwest's timeout: that allocates for the request and once more for its answer.
        let until = after(limit);
        let asked = self.is_foreign.then(|| request.url().clone());
        let streamed = watched(&mut request);
        let response = timeout_at(until, self.execute(request));
        async move {
            let response = match streamed {
                None => response.await,
                Some(streamed) => tokio::select! {
                    response = response => response,
                    stalled = stalled(streamed, stall) => return Err(stalled),
                },
            };
            let response = response.map_err(|_| broken(AttemptEnd::TimedOut, TimedOut))?;
            let mut response = response.map_err(unanswered)?;
            if let Some(asked) = asked
                && *response.url() != asked
            {
                return Err(redirected(Some(response.url())));
            }
            Answer::read(&mut response, MAX_BYTES, until, stall).await.map_err(unfinished)
        }
    }
}

/// Returns the failure of an attempt of which a part of the answer came.
fn unfinished((answer, unread): (Answer, UnreadBody)) -> CallFailure {
    let (end, source) = match unread {
        UnreadBody::Cut(source) => (AttemptEnd::Cut(answer.status()), source),
        UnreadBody::TooLarge => {
            (AttemptEnd::TooLarge(answer.status()), "the response is too large".into())
        }
    };
    CallFailure::Broken { end, source, begun: Some(Box::new(answer)) }
}

/// Returns the failure of an attempt whose answer came from elsewhere, or from nowhere after too many redirects.
fn redirected(to: Option<&Url>) -> CallFailure {
    let to = to.map_or_else(|| "another host".to_owned(), |to| to.origin().ascii_serialization());
    let source = format!(
        "the response was discarded, but headers such as a gateway's key and the idempotency key may have been sent to {to}; \
         build that client with `.redirect(reqwest::redirect::Policy::none())`"
    );
    broken(AttemptEnd::Redirected, source)
}

/// Returns the failure of an attempt of which no answer came.
fn broken(end: AttemptEnd, source: impl Into<BoxError>) -> CallFailure {
    CallFailure::Broken { end, source: source.into(), begun: None }
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
    if let Some(content) = causes(&error).find_map(|cause| cause.downcast_ref::<BrokenBody>()) {
        return CallFailure::Request(content.to_io());
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
    broken(end, error)
}

/// Returns whether a certificate or the TLS handshake failed.
fn is_tls(error: &reqwest::Error) -> bool {
    causes(error).any(|error| {
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

        causes(error).any(|error| {
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

/// Returns the errors in the chain of causes.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    successors(error.source(), |&error| {
        // The source of an I/O error is not the error that it wraps, but the source of that one.
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        }
    })
}

/// Function that answers requests in place of the network.
pub(crate) type LocalResponder = Hidden<Arc<Responder>>;

type Responder = dyn Fn(http::Request<Bytes>) -> http::Response<Bytes> + Send + Sync;

/// HTTP client. Clones share its connections.
#[derive(Clone)]
pub(crate) struct HttpClient {
    pub(crate) network: reqwest::Client,
    /// Set if the program has made it, and may have let it follow redirects.
    pub(crate) is_foreign: bool,
    /// Answers the requests instead, if set.
    pub(crate) in_process: Option<LocalResponder>,
}

impl HttpClient {
    pub(crate) fn new(network: reqwest::Client) -> Self {
        Self { network, is_foreign: false, in_process: None }
    }

    /// Begins to send a request, and returns the future of its answer, which holds neither.
    pub(crate) fn execute(
        &self,
        mut request: Request,
    ) -> BoxFuture<'static, reqwest::Result<Response>> {
        let Some(answer) = &self.in_process else {
            let accepted = HeaderValue::from_static(ACCEPTED);
            request.headers_mut().entry(ACCEPT_ENCODING).or_insert(accepted);
            return Box::pin(self.network.execute(request));
        };
        let request = http::Request::<Body>::try_from(request);
        let answered: reqwest::Result<Response> = request.map(|request| {
            let whole = |body: Body| body.as_bytes().map(Bytes::copy_from_slice);
            answer(request.map(|body| whole(body).unwrap_or_default())).into()
        });
        Box::pin(ready(answered))
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClient(..)")
    }
}

/// Time that the service has to answer a body that it received as a whole, as for every write.
const ANSWER: Duration = Duration::from_secs(60);

/// Body that reports each piece that is read; dropped with the body.
struct WatchedBody {
    body: Body,
    /// Set to true while the next piece is waited for.
    waits: watch::Sender<bool>,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = reqwest::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        // Only a piece is progress: the start of a wait wakes nobody.
        self.waits.send_if_modified(|waits| {
            *waits = frame.is_pending();
            frame.is_ready()
        });
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Watches the body of a request, if it is streamed.
fn watched(request: &mut Request) -> Option<watch::Receiver<bool>> {
    let body = request.body_mut();
    if body.as_ref().is_none_or(|it| it.as_bytes().is_some()) {
        return None;
    }
    let (waits, receiver) = watch::channel(false);
    *body = body.take().map(|body| Body::wrap(WatchedBody { body, waits }));
    Some(receiver)
}

/// Completes when no piece was taken for `stall`, or when no answer came in time after the whole body was taken.
async fn stalled(mut pieces: watch::Receiver<bool>, stall: Duration) -> CallFailure {
    loop {
        match timeout(stall, pieces.changed()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => {
                let _ = timeout(ANSWER.max(stall), pending::<()>()).await;
                break;
            }
            // The program's own content does not come.
            Err(_) if *pieces.borrow() => {
                let late = io::Error::from(io::ErrorKind::TimedOut);
                return CallFailure::Request(BrokenBody::unread("the content", &late).to_io());
            }
            Err(_) => break,
        }
    }
    broken(AttemptEnd::TimedOut, "the server stopped reading the request")
}
