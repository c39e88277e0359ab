//! Content that can be read once: a reader, or a stream.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, ready};

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream, Fuse};

use crate::blocking::locked;

/// Pieces of a content, in order.
pub(super) type Pieces = BoxStream<'static, io::Result<Bytes>>;

/// Content that one call can read, once. A call that ends before it has begun to send leaves it to the next one.
pub(super) struct OnceContent {
    pub(super) length: u64,
    /// Bytes that were read to know the type of the image, and not sent yet, and the rest.
    content: Mutex<(BytesMut, Fuse<Pieces>)>,
    /// Set while a call has the content, and for ever once it was sent in part.
    is_taken: AtomicBool,
    begun: Arc<AtomicBool>,
}

impl OnceContent {
    pub(super) fn new(pieces: Pieces, length: u64) -> Self {
        let content = Mutex::new((BytesMut::new(), pieces.fuse()));
        Self { length, content, is_taken: AtomicBool::default(), begun: Arc::default() }
    }

    /// Takes the content for a call. Returns `false` if another call has it.
    pub(super) fn take(&self) -> bool {
        !self.is_taken.swap(true, Ordering::AcqRel)
    }

    /// Leaves the content to another call, unless it was sent in part.
    pub(super) fn leave(&self) {
        self.is_taken.store(self.begun.load(Ordering::Acquire), Ordering::Release);
    }

    /// Returns a flag that is set as soon as a part is sent.
    pub(super) fn begun(&self) -> Arc<AtomicBool> {
        self.begun.clone()
    }

    /// Returns the first bytes, and keeps them to be sent: this number, or fewer if the content is shorter.
    pub(super) async fn start(&self, most: usize) -> io::Result<Bytes> {
        poll_fn(|context| {
            let (start, rest) = &mut *locked(&self.content);
            while start.len() < most {
                match ready!(rest.poll_next_unpin(context)) {
                    Some(piece) => start.extend_from_slice(&piece?),
                    None => break,
                }
            }
            let known = most.min(start.len());
            Poll::Ready(Ok(Bytes::copy_from_slice(&start[..known])))
        })
        .await
    }

    /// Returns the whole content, which is sent by polling it.
    pub(super) fn pieces(self: &Arc<Self>) -> Pieces {
        let once = self.clone();
        Box::pin(stream::poll_fn(move |context| {
            once.begun.store(true, Ordering::Release);
            let (start, rest) = &mut *locked(&once.content);
            if !start.is_empty() {
                return Poll::Ready(Some(Ok(start.split().freeze())));
            }
            rest.poll_next_unpin(context)
        }))
    }
}

impl fmt::Debug for OnceContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceContent").field("length", &self.length).finish_non_exhaustive()
    }
}
