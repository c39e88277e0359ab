//! Content that can be read once: a reader, or a stream.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use futures_util::stream::Fuse;
use futures_util::{Stream, StreamExt};

use crate::blocking::locked;

/// Pieces of a content, in order.
pub(super) type Pieces = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// Content that one call can read, once. A call that ends before it has begun to send leaves it to the next one.
pub(super) struct OnceContent {
    pub(super) length: u64,
    state: Mutex<OnceState>,
    /// Set while a call has the content, and for ever once it was sent in part.
    is_taken: AtomicBool,
    begun: Arc<AtomicBool>,
}

struct OnceState {
    /// Bytes that were read to know the type of the image, and not sent yet.
    start: BytesMut,
    rest: Fuse<Pieces>,
}

impl OnceContent {
    pub(super) fn new(pieces: Pieces, length: u64) -> Self {
        let state = Mutex::new(OnceState { start: BytesMut::new(), rest: pieces.fuse() });
        Self { length, state, is_taken: AtomicBool::default(), begun: Arc::default() }
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
            let mut state = self.state();
            while state.start.len() < most {
                match ready!(state.rest.poll_next_unpin(context)) {
                    Some(piece) => {
                        let piece = piece?;
                        state.start.extend_from_slice(&piece);
                    }
                    None => break,
                }
            }
            let known = most.min(state.start.len());
            Poll::Ready(Ok(Bytes::copy_from_slice(&state.start[..known])))
        })
        .await
    }

    /// Returns the whole content, which is sent by polling it.
    pub(super) fn pieces(self: &Arc<Self>) -> Pieces {
        Box::pin(OncePieces(self.clone()))
    }

    fn state(&self) -> MutexGuard<'_, OnceState> {
        locked(&self.state)
    }
}

impl fmt::Debug for OnceContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceContent").field("length", &self.length).finish_non_exhaustive()
    }
}

struct OncePieces(Arc<OnceContent>);

impl Stream for OncePieces {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.begun.store(true, Ordering::Release);
        let mut state = self.0.state();
        if !state.start.is_empty() {
            return Poll::Ready(Some(Ok(state.start.split().freeze())));
        }
        state.rest.poll_next_unpin(context)
    }
}
