//! Detector of stalls in a body that is streamed: an upload that is no longer received must not wait for its time limit of an hour.

use std::future::pending;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
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
    taken: watch::Sender<()>,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = reqwest::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        self.taken.send_replace(());
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body on its way.
pub(super) struct StallDetector(watch::Receiver<()>);

impl StallDetector {
    /// Watches the body of a request, if it is streamed.
    pub(super) fn of(request: &mut Request) -> Option<Self> {
        let body = request.body_mut();
        if body.as_ref().is_none_or(|it| it.as_bytes().is_some()) {
            return None;
        }
        let (taken, receiver) = watch::channel(());
        *body = body.take().map(|body| Body::wrap(WatchedBody { body, taken }));
        Some(Self(receiver))
    }

    /// Completes when no piece was taken for `stall`, or when no answer came in time after the whole body was taken.
    pub(super) async fn stalled(self, stall: Duration) {
        let mut taken = self.0;
        loop {
            match timeout(stall, taken.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => break,
                Err(_) => return,
            }
        }
        let _ = timeout(ANSWER.max(stall), pending::<()>()).await;
    }
}
