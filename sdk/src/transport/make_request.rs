//! Requests, and the functions that make one for each attempt.

use std::future::Future;
use std::io;
use std::marker::PhantomData;
use std::pin::Pin;

use reqwest::Request;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Makes the request of each attempt; the bytes must be the same every time.
pub(crate) type MakeRequest<'a> = dyn FnMut() -> BoxFuture<'a, io::Result<Request>> + Send + 'a;

/// Request that the generated client has built, with the type of its answer.
pub(crate) struct TypedRequest<R> {
    pub(crate) request: Request,
    answer: PhantomData<fn() -> R>,
}

/// Result of a method of the generated client.
pub(crate) type RequestResult<R> = reqwest::Result<TypedRequest<R>>;

impl<R> From<Request> for TypedRequest<R> {
    fn from(request: Request) -> Self {
        Self { request, answer: PhantomData }
    }
}
