//! Body of a request whose content has exactly the announced length, or the request is not completed.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;

use super::once::Pieces;
use super::{UploadProgress, Watch};
use crate::transport::BrokenBody;

/// The pieces of a content between two texts.
///
/// Each piece is held back until there is another one, or the end: a content that is longer than announced must not look complete to the
/// service, which has counted the bytes that were announced.
pub(super) struct ExactBody {
    pub(super) name: String,
    pub(super) length: u64,
    pub(super) head: Option<Bytes>,
    pub(super) content: Option<Pieces>,
    pub(super) tail: Option<Bytes>,
    pub(super) progress: Option<Watch>,
    pub(super) read: u64,
    pub(super) held: Option<Bytes>,
}

impl ExactBody {
    /// Returns the piece that can be sent now that this one was read, or the content has ended.
    fn next(&mut self, piece: Option<Bytes>) -> Result<Option<Bytes>, BrokenBody> {
        let (name, length) = (&self.name, self.length);
        self.read += piece.as_ref().map_or(0, |piece| piece.len() as u64);
        if self.read > length {
            return Err(BrokenBody::invalid(format!(
                "{name} has more than the {length} bytes that were announced"
            )));
        }
        if piece.is_none() {
            self.content = None;
            if self.read < length {
                let read = self.read;
                return Err(BrokenBody::invalid(format!(
                    "{name} ended after {read} of the {length} bytes that were announced"
                )));
            }
        }
        let unsent = piece.as_ref().map_or(0, |piece| piece.len() as u64);
        let sent = std::mem::replace(&mut self.held, piece);
        if let (Some(watch), Some(_)) = (&self.progress, &sent) {
            watch(UploadProgress { sent: self.read - unsent, total: length });
        }
        Ok(sent)
    }
}

impl Stream for ExactBody {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(head) = self.head.take() {
            return Poll::Ready(Some(Ok(head)));
        }
        while let Some(content) = &mut self.content {
            let piece = match ready!(content.as_mut().poll_next(context)) {
                Some(Ok(piece)) if piece.is_empty() => continue,
                Some(Ok(piece)) => Ok(Some(piece)),
                Some(Err(error)) => Err(BrokenBody::unread(&self.name, &error)),
                None => Ok(None),
            };
            match piece.and_then(|piece| self.next(piece)) {
                Ok(Some(sent)) => return Poll::Ready(Some(Ok(sent))),
                Ok(None) => {}
                Err(broken) => {
                    self.content = None;
                    self.tail = None;
                    return Poll::Ready(Some(Err(io::Error::other(broken))));
                }
            }
        }
        Poll::Ready(self.tail.take().map(Ok))
    }
}
