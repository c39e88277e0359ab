//! Sender of the requests of one call, which decodes the answers.

use std::future::ready;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderValue};
use reqwest::{Method, Request};
use serde::de::DeserializeOwned;

use crate::blocking::locked;
use crate::client::Client;
use crate::conditional_write::WriteAttempt;
use crate::error::Error;
use crate::generated;
use crate::generated::RequestResult;
use crate::operation::{Effect, Operation};
use crate::shape::SuccessContent;
use crate::success::RecordCheck;
use crate::tolerant::Object;
use crate::transport::caller_headers::IdempotencyKey;
use crate::transport::exchange::WriteMode;
use crate::transport::{
    Answer, AttemptCounts, BoxFuture, CallOptions, CallResult, MakeRequest, Reservation,
};

pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

impl CallOptions {
    /// Returns the options of a call that sets none. The deadline is [`CallOptions::until`], counted from when the call is awaited.
    pub(crate) fn of(client: &Client, operation: &'static Operation) -> Self {
        Self {
            idempotency_key: (operation.effect == Effect::Create).then(IdempotencyKey::random),
            dry_run: false,
            // An upload may need longer than the deadline of all other calls.
            until: client.deadline.unwrap_or(DEADLINE.max(operation.timeout)),
            max_wait: client.max_wait,
            reads_first: false,
            writes: client.writes,
            reserved: None,
            single_attempt: None,
            write: None,
            headers: None,
            begun: None,
        }
    }
}

/// Cell in which a call's undecoded answer is left.
pub(crate) type AnswerCell = Arc<Mutex<Option<Answer>>>;

/// Callback for the fields that a change replaces.
pub(crate) type BeforeWrite = Arc<dyn Fn(&Object) + Send + Sync>;

/// Sender of a call's requests.
#[derive(Clone)]
pub(crate) struct CallSender {
    pub(crate) client: Client,
    pub(crate) operation: &'static Operation,
    pub(crate) options: CallOptions,
    /// Cell for the answer, when the caller wants it.
    pub(crate) undecoded: Option<AnswerCell>,
    /// Set if the record is read although the answer is kept.
    pub(crate) decodes: bool,
    /// Callback before a record that was read is changed.
    pub(crate) before_write: Option<BeforeWrite>,
}

impl CallSender {
    /// Returns the sender of a write that is no call of its own. Its time limit is that of a call.
    pub(crate) fn of(client: &Client, operation: &'static Operation) -> Self {
        let mut options = CallOptions::of(client, operation);
        options.until = client.shared.clock.monotonic().saturating_add(options.until);
        let client = client.clone();
        let (undecoded, before_write) = (None, None);
        Self { client, operation, options, undecoded, decodes: false, before_write }
    }

    /// Makes the call a dry run. A key would make the service store its answer.
    pub(crate) fn make_dry_run(&mut self) {
        self.options.idempotency_key = None;
        self.options.dry_run = true;
    }

    /// Returns a sender for a request beside the call's own one: decoded, without its key, never a dry run.
    pub(crate) fn beside(&self) -> Self {
        let options = CallOptions {
            idempotency_key: None,
            dry_run: false,
            reserved: None,
            single_attempt: None,
            ..self.options.clone()
        };
        Self { options, undecoded: None, ..self.clone() }
    }

    /// Waits before the call is made again after this many failures. Returns `false` if there were too many.
    pub(crate) async fn back_off(&self, failed: u32, asked: Option<Duration>) -> bool {
        let shared = &self.client.shared;
        failed < shared.retry.max_attempts
            && shared.back_off(self.operation, failed, asked, self.options.until).await
    }

    /// Returns a sender with another key, for a request whose answer is not the call's.
    pub(crate) fn with_key(&self, key: Option<IdempotencyKey>) -> Self {
        let options = CallOptions { idempotency_key: key, ..self.options.clone() };
        Self { options, undecoded: None, ..self.clone() }
    }

    /// Returns a sender that does not repeat an attempt of unknown outcome: the caller reads first.
    pub(crate) fn reading_first(mut self) -> Self {
        self.options.reads_first = true;
        self
    }

    /// Returns a sender for the only attempt of a write that relies on what was just read. Whether its answer is the call's is not known yet.
    pub(crate) fn single_attempt(&self, attempt: &WriteAttempt) -> Self {
        let (single_attempt, reserved) = (Some(attempt.single_attempt), attempt.reserved);
        let write = attempt.write.clone();
        let options = CallOptions { write, reserved, single_attempt, ..self.options.clone() };
        Self { options, undecoded: None, ..self.clone() }
    }

    /// Returns a sender whose first attempt uses a reservation.
    pub(crate) fn reserved(&self, reserved: Reservation) -> Self {
        let reserved = Some(reserved);
        Self { options: CallOptions { reserved, ..self.options.clone() }, ..self.clone() }
    }

    /// Returns whether the write is a dry run, or not sent: then nothing is read before it.
    pub(crate) fn is_not_sent(&self) -> bool {
        self.options.dry_run || self.options.writes == WriteMode::Withhold
    }

    /// Sends one request that the generated client makes.
    ///
    /// # Errors
    ///
    /// Those of the request; and where the caller wants the answer undecoded, an error in place of a record that is not read.
    pub(crate) async fn send<R>(
        &self,
        operation: &'static Operation,
        request: impl FnOnce(generated::Client<'_>) -> RequestResult<R>,
    ) -> Result<R, Error>
    where
        R: DeserializeOwned + Send,
    {
        if self.undecoded.is_none() || self.decodes {
            return Ok(self.send_decoded(operation, request).await?.0);
        }
        let answer = self.send_undecoded(operation, request).await?;
        match operation.success.content {
            SuccessContent::Nothing => answer.decode(operation),
            _ => Err(Error::invalid(operation.id, "the answer is not decoded")),
        }
    }

    /// Sends one request that the generated client makes, and returns its record and its answer.
    pub(crate) async fn send_decoded<R>(
        &self,
        operation: &'static Operation,
        request: impl FnOnce(generated::Client<'_>) -> RequestResult<R>,
    ) -> Result<(R, Answer), Error>
    where
        R: DeserializeOwned + Send,
    {
        let request = self.made(operation, request)?;
        // Boxed, so that the futures of a call stay small.
        let record = Mutex::new(None);
        let check = |json: &[u8]| {
            *locked(&record) = Some(Box::new(from_json(json)?));
            Ok(())
        };
        let answer = self.exchange(operation, &request, Some(&check)).await?;
        let record = match locked(&record).take() {
            Some(record) => *record,
            // The answer to a read in place of a lost answer.
            None => answer.decode(operation)?,
        };
        Ok((record, answer))
    }

    /// Sends one request that the generated client makes, and returns its answer undecoded.
    pub(crate) async fn send_undecoded<R>(
        &self,
        operation: &'static Operation,
        request: impl FnOnce(generated::Client<'_>) -> RequestResult<R>,
    ) -> Result<Answer, Error> {
        let request = self.made(operation, request)?;
        self.exchange(operation, &request, None).await
    }

    /// Returns the request that the generated client makes, with the headers of the call.
    fn made<R>(
        &self,
        operation: &'static Operation,
        request: impl FnOnce(generated::Client<'_>) -> RequestResult<R>,
    ) -> Result<Request, Error> {
        let shared = &self.client.shared;
        let api = generated::Client { baseurl: shared.base.as_str(), client: &shared.http.network };
        let mut request = request(api)
            .map_err(|error| {
                Error::invalid(operation.id, format!("the request cannot be made: {error}"))
            })?
            .request;
        // The service answers errors in JSON to those who accept it.
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        self.options.add_headers(&mut request);
        Ok(request)
    }

    /// Sends a request as often as it takes, and returns its answer if that is a success.
    async fn exchange(
        &self,
        operation: &'static Operation,
        request: &Request,
        check: Option<RecordCheck<'_>>,
    ) -> Result<Answer, Error> {
        let mut copies = || -> BoxFuture<'_, io::Result<Request>> {
            Box::pin(ready(
                request
                    .try_clone()
                    .ok_or_else(|| io::Error::other("the body cannot be sent twice")),
            ))
        };
        let exchange = self.client.shared.run(operation, &self.options, check, &mut copies).await;
        self.answer_of(exchange)
    }

    /// Returns a request below the base URL with the headers of the call, for requests that the generator cannot express.
    pub(crate) fn request(&self, method: Method, path: &str) -> Request {
        let shared = &self.client.shared;
        let mut request = Request::new(method, shared.base.join(path));
        self.options.add_headers(&mut request);
        request
    }

    /// Sends one request that the generated client does not make, and decodes its answer.
    pub(crate) async fn send_made<R: DeserializeOwned>(
        &self,
        operation: &'static Operation,
        make: &mut MakeRequest<'_>,
    ) -> Result<R, Error> {
        let answer = self.send_made_undecoded(operation, make).await?;
        answer.decode(operation)
    }

    /// Sends one request that the generated client does not make, and returns its answer undecoded.
    pub(crate) async fn send_made_undecoded(
        &self,
        operation: &'static Operation,
        make: &mut MakeRequest<'_>,
    ) -> Result<Answer, Error> {
        self.answer_of(self.client.shared.run(operation, &self.options, None, make).await)
    }

    /// Returns the result of a future that the call awaits before its first request, or an error once the deadline has passed.
    pub(crate) async fn within<T>(
        &self,
        operation: &'static Operation,
        future: impl Future<Output = T> + Unpin,
    ) -> Result<T, Error> {
        let Client { shared, .. } = &self.client;
        shared.within(self.options.until, future).await.map_err(|failure| {
            let exchange = CallResult::unsent(operation, AttemptCounts::default(), failure);
            Error::from_exchange(exchange, &shared.base.authority(), None, None)
        })
    }

    /// Returns the answer of a request, and stores it as the call's undecoded answer.
    fn answer_of(&self, exchange: CallResult) -> Result<Answer, Error> {
        match exchange.into_answer() {
            Ok(answer) => {
                self.keep_answer(&answer);
                Ok(answer)
            }
            Err(exchange) => {
                let host = self.client.shared.base.authority();
                let key = self.options.idempotency_key.clone();
                Err(Error::from_exchange(*exchange, &host, key, None))
            }
        }
    }

    /// Stores this as the call's undecoded answer.
    pub(crate) fn keep_answer(&self, answer: &Answer) {
        if let Some(slot) = &self.undecoded {
            *locked(slot) = Some(answer.clone());
        }
    }
}

/// Decodes a record. UTF-8 is checked once for all rather than for each string.
pub(crate) fn from_json<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(json) {
        Ok(text) => serde_json::from_str(text),
        // Not JSON, which is what the error says.
        Err(_) => serde_json::from_slice(json),
    }
}

impl Answer {
    /// Decodes the record that the interface describes. An answer without it is unreadable.
    pub(crate) fn decode<T: DeserializeOwned>(
        &self,
        operation: &'static Operation,
    ) -> Result<T, Error> {
        let json: &[u8] = match operation.success.content {
            SuccessContent::Nothing => b"null",
            _ => &self.body,
        };
        from_json(json).map_err(|why| Error::unreadable(operation, self, why.to_string()))
    }
}
