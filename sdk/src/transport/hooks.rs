//! Hooks of the generated client.
//!
//! progenitor decodes answers in its own methods, but retries, pacing and the evidence of an attempt need the answer before that. So the
//! hook runs the whole call, leaves its result in the [`CallContext`], and gives the generated method a copy to decode:
//!
//! ```text
//! CallSender::exchange ── CallContext::new ──> generated::Client ── request ──> exec (this hook)
//!                                                     ^                             │
//!                                                     │                        Shared::run: pace, send, retry
//!                                                     │                             │
//!                                                     └── http::Response <── CallContext::leave(exchange)
//! CallSender::exchange <── CallContext::exchange: the result itself
//! ```

use std::future::ready;
use std::io;

use progenitor_client::{ClientHooks, ClientInfo, OperationInfo};
use reqwest::{Request, Response, StatusCode};

use super::call_context::CallContext;
use super::call_result::CallResult;
use super::make_request::BoxFuture;
use crate::generated;
use crate::operation::Operation;

impl ClientHooks<CallContext> for generated::Client {
    async fn pre<E>(
        &self,
        request: &mut Request,
        _: &OperationInfo,
    ) -> Result<(), progenitor_client::Error<E>> {
        // The generator's own header; the service knows its version by the path.
        request.headers_mut().remove("api-version");
        let context = self.inner();
        context.options.add_headers(request);
        Ok(())
    }

    async fn exec(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        let context = self.inner();
        let Some(operation) = Operation::find(info.operation_id) else {
            // A test walks the description, so every generated operation has its row.
            return context.shared.http.execute(request).await;
        };
        let mut copies = || -> BoxFuture<'_, io::Result<Request>> {
            Box::pin(ready(
                request
                    .try_clone()
                    .ok_or_else(|| io::Error::other("the body cannot be sent twice")),
            ))
        };
        let exchange = context.shared.run(operation, &context.options, &mut copies).await;
        let response = response(&exchange, context.undecoded);
        context.leave(exchange);
        Ok(response)
    }
}

/// Returns the answer for the generated method. If there is none, or nothing to decode, it is empty: the caller looks at the exchange
/// first.
fn response(exchange: &CallResult, undecoded: bool) -> Response {
    let mut response = http::Response::new(bytes::Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Ok(answer) = &exchange.result
        && !undecoded
    {
        *response.status_mut() = answer.status;
        *response.headers_mut() = answer.headers.clone();
        *response.body_mut() = answer.body.clone();
    }
    Response::from(response)
}
