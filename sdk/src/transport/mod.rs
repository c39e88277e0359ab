//! How every request travels: the hooks of the generated client, and what all calls of one client share.

mod admission;
pub(crate) mod answer;
pub(crate) mod budget;
pub(crate) mod clock;
mod exchange;
pub(crate) mod idempotency;
mod look;
pub(crate) mod observer;
pub(crate) mod pacing;
mod reserved;
pub(crate) mod retry;
pub(crate) mod retry_after;
mod run;
mod sending;
pub(crate) mod tally;
pub(crate) mod tls;
pub(crate) mod wire;

use std::future::ready;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use progenitor_client::{ClientHooks, ClientInfo, OperationInfo};
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::{Request, Response, StatusCode};

pub(crate) use answer::Answer;
pub(crate) use exchange::{Again, Broken, Exchange, Failure, Tries};
pub(crate) use reserved::Reserved;
pub(crate) use run::MakeRequest;

use crate::base_url::BaseUrl;
use crate::generated;
use crate::operation::{Effect, Operation};
use crate::secrets::Secrets;
use crate::token_source::TokenSource;
use crate::writes::Writes;
use budget::Budget;
use clock::Clock;
use idempotency::IdempotencyKey;
use observer::Observer;
use pacing::queue::Queue;
use pacing::{Pacer, WaitReason};
use run::{back_off, run};
use tally::{Noted, Tally, Write};
use wire::{Http, Timeouts};

const PRECOGNITION: HeaderName = HeaderName::from_static("precognition");

/// What all calls of one client share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) base: BaseUrl,
    pub(crate) http: reqwest::Client,
    pub(crate) timeouts: Timeouts,
    pub(crate) token: Option<Arc<dyn TokenSource>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) pacer: Arc<dyn Pacer>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) requests: Arc<AtomicU64>,
    pub(crate) tally: Arc<Tally>,
    /// How often a call of this client has waited.
    pub(crate) waits: AtomicU64,
    pub(crate) budget: Budget,
    pub(crate) queue: Queue,
    /// The tokens that were sent.
    pub(crate) secrets: Secrets,
}

impl Shared {
    /// Sends one call over the network.
    pub(crate) async fn run(
        &self,
        operation: &'static Operation,
        options: &Options,
        make: &mut MakeRequest<'_>,
    ) -> Exchange {
        if options.writes != Writes::Send && operation.effect != Effect::Read && !options.dry_run {
            return Exchange::withheld(operation, make().await);
        }
        let Options { dry_run, .. } = *options;
        let http = Http { client: &self.http, stall: self.timeouts.stall, operation, dry_run };
        let write = options.write.as_deref().filter(|_| operation.writes() && !dry_run);
        let exchange =
            run(&Noted { wire: http, write }, self, operation, options, &mut *make).await;
        look::after(self, options, make, exchange).await
    }

    /// Waits before a failed call is repeated by whoever made it, unless too much was repeated already.
    pub(crate) async fn back_off(&self, operation: &'static Operation, failed: u32) -> bool {
        back_off(self, operation, failed).await
    }

    /// How often a call has waited.
    pub(crate) fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }

    /// Waits until the limits admit a request of this operation.
    pub(crate) async fn reserve(
        self: &Arc<Self>,
        operation: &'static Operation,
        options: &Options,
    ) -> Result<Reserved, Failure> {
        let ticket = self.admit(operation, options).await?.ticket();
        // It counts from now on until its request is sent, and is then settled again.
        Ok(Reserved::new(self.clone(), ticket))
    }

    pub(crate) async fn sleep(
        &self,
        operation: &'static Operation,
        wait: Duration,
        reason: WaitReason,
    ) {
        if !wait.is_zero() {
            self.waits.fetch_add(1, Ordering::Relaxed);
            self.observer.waiting(operation.id, wait, reason);
            self.clock.sleep(wait).await;
        }
    }
}

/// What one call asked for.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) idempotency_key: Option<IdempotencyKey>,
    pub(crate) dry_run: bool,
    /// When the call must have ended, by the client's monotonic clock.
    pub(crate) until: Duration,
    /// Longest single wait for the rate limits.
    pub(crate) max_wait: Option<Duration>,
    /// The caller reads after an unknown outcome, so that no attempt is repeated blindly.
    pub(crate) looks_first: bool,
    /// What becomes of a write.
    pub(crate) writes: Writes,
    /// Where the requests of a call that writes are noted.
    pub(crate) write: Option<Arc<Write>>,
    /// The limits have admitted the first request already.
    pub(crate) reserved: Option<Reserved>,
    /// The call is one attempt without a wait; what would follow is left to the caller.
    pub(crate) once: Option<Once>,
}

/// How a call is sent that relies on what its caller has just seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Once {
    /// The attempts before this one.
    pub(crate) tries: Tries,
    /// When what was seen is too old, by the client's monotonic clock.
    pub(crate) expires: Duration,
}

impl Options {
    pub(crate) fn time_left(&self, clock: &dyn Clock) -> Duration {
        self.until.saturating_sub(clock.monotonic())
    }

    /// Whether a wait would last until the deadline, or longer than the caller lets a call wait for the limits.
    fn is_too_long(&self, wait: Duration, reason: WaitReason, clock: &dyn Clock) -> bool {
        let most = self.max_wait.filter(|_| reason != WaitReason::Retry);
        wait >= self.time_left(clock) || most.is_some_and(|most| wait > most)
    }

    /// Adds to a request what its call asked for. The token is added to each attempt.
    pub(crate) fn dress(&self, request: &mut Request) {
        let headers = request.headers_mut();
        if self.dry_run {
            headers.insert(PRECOGNITION, HeaderValue::from_static("true"));
        } else if let Some(key) = self.idempotency_key.as_ref().and_then(IdempotencyKey::header) {
            headers.insert(idempotency::HEADER, key);
        }
    }
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
        transport.options.dress(request);
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
        let exchange = transport.shared.run(operation, &transport.options, &mut copies).await;
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
