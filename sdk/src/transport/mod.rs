//! How every request travels: the hooks of the generated client, and what all calls of one client share.

pub(crate) mod answer;
pub(crate) mod clock;
pub(crate) mod idempotency;
pub(crate) mod observer;
pub(crate) mod pacing;
mod retry;
mod retry_after;
mod run;

use std::future::ready;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use progenitor_client::{ClientHooks, ClientInfo, OperationInfo};
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use reqwest::{Request, Response, StatusCode};

pub(crate) use answer::Answer;
pub(crate) use run::{Exchange, Failure, MakeRequest, run};

use crate::base_url::BaseUrl;
use crate::generated;
use crate::operation::Operation;
use crate::token::Token;
use clock::Clock;
use idempotency::IdempotencyKey;
use observer::Observer;
use pacing::{Pacer, WaitReason};

const PRECOGNITION: HeaderName = HeaderName::from_static("precognition");

/// What all calls of one client share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) base: BaseUrl,
    pub(crate) http: reqwest::Client,
    pub(crate) token: Option<Token>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) pacer: Arc<dyn Pacer>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) requests: AtomicU64,
    pub(crate) budget: Budget,
}

impl Shared {
    async fn sleep(&self, operation: &'static Operation, wait: Duration, reason: WaitReason) {
        if !wait.is_zero() {
            self.observer.waiting(operation.id, wait, reason);
            self.clock.sleep(wait).await;
        }
    }

    /// Adds what every request of this client carries, and what this call asked for.
    pub(crate) fn dress(&self, request: &mut Request, options: &Options) {
        let headers = request.headers_mut();
        if let Some(token) = &self.token {
            headers.insert(AUTHORIZATION, token.header());
        }
        if options.dry_run {
            headers.insert(PRECOGNITION, HeaderValue::from_static("true"));
        } else if let Some(key) = options.idempotency_key.as_ref().and_then(IdempotencyKey::header)
        {
            headers.insert(idempotency::HEADER, key);
        }
    }
}

/// Retries that a process may still make: every success gives back a tenth of one, so that a storm cannot start in a loop.
#[derive(Debug)]
pub(crate) struct Budget(AtomicU32);

const FULL_BUDGET: u32 = 200;
const ONE_RETRY: u32 = 10;

impl Budget {
    pub(crate) fn full() -> Self {
        Self(AtomicU32::new(FULL_BUDGET))
    }

    fn take(&self) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(ONE_RETRY))
            .is_ok()
    }

    fn give_back(&self) {
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            (left < FULL_BUDGET).then_some(left + 1)
        });
    }
}

/// What one call asked for.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) idempotency_key: Option<IdempotencyKey>,
    pub(crate) dry_run: bool,
    /// Longest time for the call, waiting and retries included.
    pub(crate) deadline: Duration,
    /// Longest single wait for the rate limits.
    pub(crate) max_wait: Option<Duration>,
}

/// What the generated client carries for one request: the client's state, the call's options, and where the exchange is left.
#[derive(Clone, Debug)]
pub(crate) struct Transport {
    pub(crate) shared: Arc<Shared>,
    pub(crate) options: Options,
    /// Whether the caller wants the answer as it was sent, so that nothing needs to be decoded.
    pub(crate) undecoded: bool,
    exchange: Arc<Mutex<Option<Exchange>>>,
}

impl Transport {
    pub(crate) fn new(shared: Arc<Shared>, options: Options, undecoded: bool) -> Self {
        Self { shared, options, undecoded, exchange: Arc::default() }
    }

    /// What happened, once the generated method has returned; `None` when it never sent anything.
    pub(crate) fn exchange(&self) -> Option<Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl ClientHooks<Transport> for generated::Client {
    async fn pre<E>(
        &self,
        request: &mut Request,
        _: &OperationInfo,
    ) -> Result<(), progenitor_client::Error<E>> {
        // The generator's own header; the service knows its version by the path.
        request.headers_mut().remove("api-version");
        let transport = self.inner();
        transport.shared.dress(request, &transport.options);
        Ok(())
    }

    async fn exec(&self, request: Request, info: &OperationInfo) -> reqwest::Result<Response> {
        let transport = self.inner();
        let Some(operation) = Operation::find(info.operation_id) else {
            // A test walks the description, so every generated operation has its row.
            return transport.shared.http.execute(request).await;
        };
        let mut copies =
            || -> std::pin::Pin<Box<dyn Future<Output = io::Result<Request>> + Send>> {
                Box::pin(ready(
                    request
                        .try_clone()
                        .ok_or_else(|| io::Error::other("the body cannot be sent twice")),
                ))
            };
        let exchange = run(&transport.shared, operation, &transport.options, &mut copies).await;
        let response = response(&exchange, transport.undecoded);
        *transport.exchange.lock().unwrap_or_else(PoisonError::into_inner) = Some(exchange);
        Ok(response)
    }
}

/// The answer as the generated method wants it. Where there is none, or nothing to decode, an empty one: the caller looks at the
/// exchange first.
fn response(exchange: &Exchange, undecoded: bool) -> Response {
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
