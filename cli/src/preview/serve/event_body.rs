//! Body of an answer: bytes, or the versions of the document as server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::watch;

/// Body of an answer.
pub(super) enum ServedBody {
    Bytes(Option<Bytes>),
    Events(NextVersion),
}

/// Future of the next version, with the receiver for the one after it; `None` once the session has ended.
type NextVersion = Pin<Box<dyn Future<Output = Option<(u64, watch::Receiver<u64>)>>>>;

impl ServedBody {
    pub(super) fn bytes(bytes: impl Into<Bytes>) -> Self {
        Self::Bytes(Some(bytes.into()).filter(|bytes: &Bytes| !bytes.is_empty()))
    }

    pub(super) fn events(versions: watch::Receiver<u64>) -> Self {
        Self::Events(next(versions))
    }
}

fn next(mut versions: watch::Receiver<u64>) -> NextVersion {
    Box::pin(async move {
        versions.changed().await.ok()?;
        let version = *versions.borrow_and_update();
        Some((version, versions))
    })
}

impl Body for ServedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Bytes(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Events(waiting) => waiting.as_mut().poll(context).map(|found| {
                let (version, versions) = found?;
                *waiting = next(versions);
                Some(Ok(Frame::data(Bytes::from(format!("data: {version}\n\n")))))
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Bytes(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Bytes(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Events(_) => SizeHint::default(),
        }
    }
}
