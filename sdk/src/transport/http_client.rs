//! HTTP client of the network library, of which nothing is shown: its default headers and its proxy may hold secrets.

use std::fmt;
use std::future::{Ready, ready};
use std::sync::Arc;

use bytes::Bytes;
use reqwest::header::{ACCEPT_ENCODING, HeaderValue};
use reqwest::{Request, Response};
use tokio_util::either::Either;

use super::body_reader::ACCEPTED;

/// Function that answers requests in place of the network.
#[derive(Clone)]
pub(crate) struct LocalResponder(pub(crate) Arc<Responder>);

type Responder = dyn Fn(http::Request<Bytes>) -> http::Response<Bytes> + Send + Sync;

/// HTTP client. Clones share its connections.
#[derive(Clone)]
pub(crate) struct HttpClient {
    pub(crate) network: reqwest::Client,
    /// Set if the program has made it, and may have let it follow redirects.
    pub(crate) is_foreign: bool,
    /// Answers the requests instead, if set.
    pub(crate) in_process: Option<LocalResponder>,
}

impl HttpClient {
    pub(crate) fn new(network: reqwest::Client) -> Self {
        Self { network, is_foreign: false, in_process: None }
    }

    /// Begins to send a request, and returns the future of its answer, which holds neither.
    pub(crate) fn execute(
        &self,
        mut request: Request,
    ) -> Either<
        Ready<reqwest::Result<Response>>,
        impl Future<Output = reqwest::Result<Response>> + use<>,
    > {
        let Some(LocalResponder(answer)) = &self.in_process else {
            let accepted = HeaderValue::from_static(ACCEPTED);
            request.headers_mut().entry(ACCEPT_ENCODING).or_insert(accepted);
            return Either::Right(self.network.execute(request));
        };
        let answered = http::Request::<reqwest::Body>::try_from(request).map(|request| {
            let whole = |body: reqwest::Body| body.as_bytes().map(Bytes::copy_from_slice);
            answer(request.map(|body| whole(body).unwrap_or_default())).into()
        });
        Either::Left(ready(answered))
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpClient(..)")
    }
}

impl fmt::Debug for LocalResponder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalResponder(..)")
    }
}
