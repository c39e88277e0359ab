//! Detector of stalls in a body that is streamed: an upload that is no longer received must not wait for its time limit of an hour.

use std::future::pending;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use reqwest::{Body, Request};
use tokio::sync::watch;
use tokio::time::timeout;

/// Time that the service has to answer a body that it received as a whole, as for every write.
const ANSWER: Duration = Duration::from_secs(60);

/// Body that reports each piece that is read; dropped with the body.
struct WatchedBody {
    body: Body,
    /// Set to true while the next piece is waited for.
    waits: watch::Sender<bool>,
}

/// Reason why an upload makes no progress.
pub(super) enum Stall {
    /// The program's own content does not come.
    Content,
    /// The service does not read it, or does not answer.
    Service,
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

/// A body on its way.
pub(super) struct StallDetector(watch::Receiver<bool>);

impl StallDetector {
    /// Watches the body of a request, if it is streamed.
    pub(super) fn of(request: &mut Request) -> Option<Self> {
        let body = request.body_mut();
        if body.as_ref().is_none_or(|it| it.as_bytes().is_some()) {
            return None;
        }
        let (waits, receiver) = watch::channel(false);
        *body = body.take().map(|body| Body::wrap(WatchedBody { body, waits }));
        Some(Self(receiver))
    }

    /// Completes when no piece was taken for `stall`, or when no answer came in time after the whole body was taken.
    pub(super) async fn stalled(self, stall: Duration) -> Stall {
        let mut pieces = self.0;
        loop {
            match timeout(stall, pieces.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => break,
                Err(_) if *pieces.borrow() => return Stall::Content,
                Err(_) => return Stall::Service,
            }
        }
        let _ = timeout(ANSWER.max(stall), pending::<()>()).await;
        Stall::Service
    }
}
