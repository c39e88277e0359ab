//! Future of a call or of a run.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::transport::BoxFuture;

/// Future of a call or of a run. It is `Send` and `'static`: it can be awaited, spawned, and raced with others.
///
/// Nothing happens before it is polled, and the deadline of a call starts then. Dropping it cancels the call: nothing more is sent, and a
/// request that is on its way may still be executed.
///
/// ```
/// # links_test_support::example::run(async |client| {
/// let me = tokio::spawn(client.me().send());
/// let pages = tokio::spawn(client.profiles().list().send());
/// println!("{}: {} pages", me.await??.name, pages.await??.len());
/// # Ok(()) });
/// ```
#[must_use = "nothing is sent before it is polled"]
pub struct CallFuture<T, E = Error>(BoxFuture<'static, Result<T, E>>);

impl<T, E> CallFuture<T, E> {
    pub(crate) fn new(future: impl Future<Output = Result<T, E>> + Send + 'static) -> Self {
        Self(Box::pin(future))
    }
}

impl<T, E> Future for CallFuture<T, E> {
    type Output = Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

impl<T, E> fmt::Debug for CallFuture<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFuture").finish_non_exhaustive()
    }
}
