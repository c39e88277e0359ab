//! Function that sends the requests of a call.

use crate::call_sender::CallSender;
use crate::error::Error;
use crate::transport::BoxFuture;

/// Function that sends the requests of a call, once. A clone of it sends the same ones.
pub(crate) trait SendRequests<T>: Send {
    fn send(self: Box<Self>, sender: CallSender) -> BoxFuture<'static, Result<T, Error>>;
    fn boxed_clone(&self) -> Box<dyn SendRequests<T>>;
}

impl<T, F> SendRequests<T> for F
where
    F: FnOnce(CallSender) -> BoxFuture<'static, Result<T, Error>> + Clone + Send + 'static,
{
    fn send(self: Box<Self>, sender: CallSender) -> BoxFuture<'static, Result<T, Error>> {
        self(sender)
    }

    fn boxed_clone(&self) -> Box<dyn SendRequests<T>> {
        Box::new(self.clone())
    }
}

impl<T: 'static> Clone for Box<dyn SendRequests<T>> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}
