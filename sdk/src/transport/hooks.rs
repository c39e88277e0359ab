//! Hook of the generated client.
//!
//! progenitor sends and decodes in its own methods, but retries, pacing and the evidence of an attempt need the request before it is sent
//! and the answer before it is decoded. So a generated method only makes the request: the hook takes it, and ends the method with an error
//! that means nothing.
//!
//! ```text
//! CallSender::made ── RequestCell ──> generated::Client ── request ──> pre (this hook) ── RequestCell::leave
//! CallSender::made <── RequestCell::take: the request
//! ```

use progenitor_client::{ClientHooks, ClientInfo, Error, OperationInfo};
use reqwest::{Method, Request};

use super::request_cell::RequestCell;
use crate::generated;

impl ClientHooks<RequestCell> for generated::Client {
    async fn pre<E>(&self, request: &mut Request, _: &OperationInfo) -> Result<(), Error<E>> {
        // The generator's own header; the service knows its version by the path.
        request.headers_mut().remove("api-version");
        let left = Request::new(Method::GET, request.url().clone());
        self.inner().leave(std::mem::replace(request, left));
        Err(Error::Custom(String::new()))
    }
}
