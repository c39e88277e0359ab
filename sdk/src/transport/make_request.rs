//! Types of the functions that make the request of each attempt.

use std::future::Future;
use std::io;
use std::pin::Pin;

use reqwest::Request;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Makes the request of each attempt; the bytes must be the same every time.
pub(crate) type MakeRequest<'a> = dyn FnMut() -> BoxFuture<'a, io::Result<Request>> + Send + 'a;
