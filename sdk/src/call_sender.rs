//! Sender of the requests of one call, which decodes the answers.

use std::future::ready;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::header::{ACCEPT, HeaderValue};
use reqwest::{Method, Request};
use serde::de::DeserializeOwned;

use crate::blocking::locked;
use crate::client::Client;
use crate::error::Error;
use crate::generated::{self, RequestResult};
use crate::operation::{Effect, Operation, from_json};
use crate::success::RecordCheck;
use crate::tolerant::Object;
use crate::transport::caller_headers::IdempotencyKey;
use crate::transport::exchange::WriteMode;
use crate::transport::{
    Answer, AttemptCounts, CallFailure, CallOptions, CallResult, MakeRequest, Shared,
};

pub(crate) const DEADLINE: Duration = Duration::from_secs(120);

/// An answer that holds a record, or several.
pub(crate) trait Envelope: DeserializeOwned + Send {
    /// What a caller gets of it.
    type Record: Send + 'static;

    fn open(self) -> Self::Record;

    /// Decodes the answer.
    fn record_of(json: &[u8]) -> serde_json::Result<Self::Record> {
        from_json::<Self>(json).map(Self::open)
    }

    /// Checks the answer for a caller who wants it as it was sent.
    fn check(json: &[u8]) -> serde_json::Result<()> {
        from_json::<Self>(json).map(drop)
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
    /// Set unless the caller wants only the answer to a read.
    pub(crate) decodes: bool,
    /// Callback before a record that was read is changed.
    pub(crate) before_write: Option<BeforeWrite>,
}

impl CallSender {
    /// Returns the sender of a call that sets no options. Its deadline is [`CallOptions::until`], counted from when the call is awaited.
    pub(crate) fn new(client: &Client, operation: &'static Operation) -> Self {
        let options = CallOptions {
            idempotency_key: (operation.effect == Effect::Create).then(IdempotencyKey::random),
            // An upload may need longer than the deadline of all other calls.
            until: client.deadline.unwrap_or(DEADLINE.max(operation.timeout)),
            max_wait: client.max_wait,
            writes: client.writes,
            ..CallOptions::default()
        };
        let client = client.clone();
        Self { client, operation, options, undecoded: None, decodes: true, before_write: None }
    }

    /// Begins the call: its deadline is counted from now on, and its write is noted, if it is one.
    pub(crate) fn begin(&mut self) {
        let Shared { clock, tally, .. } = &*self.client.shared;
        self.options.until = clock.monotonic().saturating_add(self.options.until);
        self.options.write = tally.begin(self.operation, self.options.idempotency_key.clone());
    }

    /// Makes the call a dry run. A key would make the service store its answer.
    pub(crate) fn make_dry_run(&mut self) {
        self.options.idempotency_key = None;
        self.options.dry_run = true;
    }

    /// Returns a sender for a request beside the call's own one, of this operation: decoded, without its key, never a dry run.
    pub(crate) fn beside(&self, operation: &'static Operation) -> Self {
        let options = CallOptions {
            idempotency_key: None,
            dry_run: false,
            reserved: None,
            single_attempt: None,
            ..self.options.clone()
        };
        Self { operation, options, undecoded: None, ..self.clone() }
    }

    /// Waits before the call is made again after this many failures. Returns `false` if there were too many.
    pub(crate) async fn back_off(&self, failed: u32, asked: Option<Duration>) -> bool {
        let shared = &self.client.shared;
        failed < shared.retry.max_attempts
            && shared.back_off(self.operation, failed, asked, self.options.until).await
    }

    /// Returns whether the write is a dry run, or not sent: then nothing is read before it.
    pub(crate) fn is_not_sent(&self) -> bool {
        self.options.dry_run || self.options.writes == WriteMode::Withhold
    }

    /// Sends one request that the generated client makes, and returns its record.
    ///
    /// # Errors
    ///
    /// Those of the request; and where only the answer is wanted, an error in place of a record that is not read.
    pub(crate) async fn send<R: Envelope>(
        &self,
        request: impl FnOnce(generated::Client<'_>) -> RequestResult<R>,
    ) -> Result<R::Record, Error> {
        if self.decodes || self.undecoded.is_none() || self.operation.effect != Effect::Read {
            return Ok(self.send_decoded(request).await?.0);
        }
        let request = self.made(request)?;
        self.exchange(Some(&R::check), &mut copies(&request)).await?;
        Err(Error::invalid(self.operation.id, "the response is not decoded"))
    }

    /// Sends one request that the generated client makes, and returns its record and its answer.
    pub(crate) async fn send_decoded<R: Envelope>(
        &self,
        request: impl FnOnce(generated::Client<'_>) -> RequestResult<R>,
    ) -> Result<(R::Record, Answer), Error> {
        let request = self.made(request)?;
        self.send_made(R::record_of, &mut copies(&request)).await
    }

    /// Returns the request that the generated client makes, with the headers of the call.
    pub(crate) fn made<R>(
        &self,
        request: impl FnOnce(generated::Client<'_>) -> RequestResult<R>,
    ) -> Result<Request, Error> {
        let shared = &self.client.shared;
        let api = generated::Client { baseurl: shared.base.as_str(), client: &shared.http.network };
        let mut request = request(api)
            .map_err(|error| {
                Error::invalid(self.operation.id, format!("cannot build the request: {error}"))
            })?
            .request;
        // The service answers errors in JSON to those who accept it.
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json"));
        self.options.add_headers(&mut request);
        Ok(request)
    }

    /// Sends a request, made for each attempt, as often as it takes, and returns what is decoded of its answer, and the answer.
    pub(crate) async fn send_made<T: Send>(
        &self,
        decode: impl Fn(&[u8]) -> serde_json::Result<T> + Send + Sync,
        make: &mut MakeRequest<'_>,
    ) -> Result<(T, Answer), Error> {
        // Boxed, so that the futures of a call stay small.
        let record = Mutex::new(None);
        let check = |json: &[u8]| {
            *locked(&record) = Some(Box::new(decode(json)?));
            Ok(())
        };
        let answer = self.exchange(Some(&check), make).await?;
        let record = match locked(&record).take() {
            Some(record) => *record,
            // There is none to decode.
            None => decode(b"null")
                .map_err(|why| Error::unreadable(self.operation, &answer, why.to_string()))?,
        };
        Ok((record, answer))
    }

    /// Returns a request below the base URL with the headers of the call, for requests that the generator cannot express.
    pub(crate) fn request(&self, method: Method, path: &str) -> Request {
        let shared = &self.client.shared;
        let mut request = Request::new(method, shared.base.join(path));
        self.options.add_headers(&mut request);
        request
    }

    /// Sends a request, made for each attempt, as often as it takes, and returns its answer if that is a success. It is stored as the call's
    /// undecoded answer.
    pub(crate) async fn exchange(
        &self,
        check: Option<RecordCheck<'_>>,
        make: &mut MakeRequest<'_>,
    ) -> Result<Answer, Error> {
        let Client { shared, .. } = &self.client;
        let exchange = shared.run(self.operation, &self.options, check, make).await;
        match exchange.result {
            Ok(answer) if answer.status.is_success() => {
                self.keep_answer(&answer);
                Ok(answer)
            }
            result => {
                let exchange = CallResult { result, ..exchange };
                let key = self.options.idempotency_key.clone();
                Err(Error::from_exchange(exchange, &shared.base.authority(), key))
            }
        }
    }

    /// Returns the result of a future that the call awaits before its first request, or an error once the deadline has passed.
    pub(crate) async fn within<T>(&self, future: impl Future<Output = T>) -> Result<T, Error> {
        let done = self.client.shared.within(self.options.until, future).await;
        done.map_err(|failure| self.unsent(AttemptCounts::NONE, failure))
    }

    /// Returns the error of a request that was not sent after these attempts.
    pub(crate) fn unsent(&self, tries: AttemptCounts, failure: CallFailure) -> Error {
        let exchange = CallResult::unsent(self.operation, tries, failure);
        Error::from_exchange(exchange, &self.client.shared.base.authority(), None)
    }

    /// Stores this as the call's undecoded answer.
    pub(crate) fn keep_answer(&self, answer: &Answer) {
        if let Some(slot) = &self.undecoded {
            *locked(slot) = Some(answer.clone());
        }
    }
}

/// Makes the same request for each attempt.
pub(crate) fn copies<'r>(
    request: &'r Request,
) -> impl FnMut() -> BoxFuture<'r, io::Result<Request>> {
    || {
        let copy = request.try_clone();
        Box::pin(ready(copy.ok_or_else(|| io::Error::other("the body cannot be sent twice"))))
    }
}
