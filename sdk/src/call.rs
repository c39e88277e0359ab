//! A call as a value: options first, then `.await`.

use std::fmt;
use std::future::{Future, IntoFuture, ready};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::blocking::locked;
use crate::call_sender::{AnswerCell, CallSender, Envelope};
use crate::client::Client;
use crate::error::Error;
use crate::error_kind::{ErrorKind, Outcome};
use crate::generated::{self, RequestResult};
use crate::operation::{Effect, Operation};
use crate::tolerant::Object;
use crate::transport::caller_headers::IdempotencyKey;
use crate::transport::exchange::WriteMode;
use crate::transport::trace::call_span;
use crate::transport::{Answer, caller_headers};

/// Function that sends the requests of a call. It sends the same ones each time.
type SendCall<T> = Arc<dyn Fn(CallSender) -> BoxFuture<'static, Result<T, Error>> + Send + Sync>;

/// A call that reads. It has no dry run and no idempotency key.
#[derive(Debug)]
pub enum Read {}
/// A call that sets values, or deletes several things. It has a dry run, which the service answers with 204.
#[derive(Debug)]
pub enum Write {}
/// A call that creates something. It carries an idempotency key.
#[derive(Debug)]
pub enum Create {}
/// A call that deletes one thing. It has no dry run, because the service answers both a dry run and the delete itself with 204.
#[derive(Debug)]
pub enum Delete {}

/// Kinds of call for which the service supports a dry run: [`Write`] and [`Create`].
#[doc(hidden)]
pub trait SupportsDryRun {}
#[doc(hidden)]
impl SupportsDryRun for Write {}
#[doc(hidden)]
impl SupportsDryRun for Create {}

/// A call of the service that is not sent yet. `.await` sends it, and [`Call::send`] returns its future.
///
/// A clone is the same call with the same idempotency key, so sending both creates only one thing. Use a clone to send a call again whose
/// outcome is unknown:
///
/// ```
/// # links_test_support::example::run(async |client| {
/// use links_sdk::Outcome;
/// use links_sdk::types::NewSlot;
///
/// let call = client.profile("cafe").slots().create(NewSlot::of("divider"));
/// let slot = match call.clone().await {
///     Err(error) if error.outcome() == Outcome::Unknown => call.await?,
///     other => other?,
/// };
/// # let _ = slot;
/// # Ok(()) });
/// ```
///
/// ```no_run
/// # async fn example(client: links_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// let profiles = client.profiles().list().with_deadline(Duration::from_secs(10)).await?;
/// println!("{} pages", profiles.len());
/// # Ok(()) }
/// ```
#[must_use = "a call is not sent unless you `.await` it"]
pub struct Call<T, K = Read> {
    sender: CallSender,
    send: SendCall<T>,
    kind: PhantomData<fn() -> K>,
}

impl<T: Send + 'static, K> Call<T, K> {
    /// Returns a call that is one request of the generated client. It fails before anything is sent if its arguments cannot be sent.
    pub(crate) fn of<A: Clone + Send + Sync + 'static, R: Envelope<Record = T>>(
        client: &Client,
        operation: &'static Operation,
        arguments: Result<A, String>,
        request: impl FnOnce(generated::Client<'_>, A) -> RequestResult<R>
        + Clone
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self::new(client, operation, arguments, move |sender, arguments| async move {
            sender.send(|api| request(api, arguments)).await
        })
    }

    /// Returns a call as [`Call::of`] does, which may take several requests.
    pub(crate) fn new<A, F>(
        client: &Client,
        operation: &'static Operation,
        arguments: Result<A, String>,
        send: impl FnOnce(CallSender, A) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        A: Clone + Send + Sync + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let sender = CallSender::new(client, operation);
        let send = move |sender: CallSender| -> BoxFuture<'static, Result<T, Error>> {
            match arguments.clone() {
                Ok(arguments) => Box::pin(send.clone()(sender, arguments)),
                Err(why) => Box::pin(ready(Err(Error::invalid(operation.id, why)))),
            }
        };
        Self { sender, send: Arc::new(send), kind: PhantomData }
    }

    /// Returns a call with the same options whose requests another function sends; it gets that of this call.
    fn sent_by<U, L, F: Future<Output = Result<U, Error>> + Send + 'static>(
        self,
        send: impl Fn(CallSender, SendCall<T>) -> F + Send + Sync + 'static,
    ) -> Call<U, L> {
        let Self { sender, send: inner, .. } = self;
        let send = move |sender: CallSender| -> BoxFuture<'static, Result<U, Error>> {
            Box::pin(send(sender, inner.clone()))
        };
        Call { sender, send: Arc::new(send), kind: PhantomData }
    }

    /// Returns the future of the call, so that you can spawn it or poll it with others. `.await` on the call is the same.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::types::NewSlot;
    ///
    /// let slots = client.profile("cafe").slots();
    /// let task = tokio::spawn(slots.create(NewSlot::of("divider")).send());
    /// assert_eq!(task.await??.kind, "divider");
    /// # Ok(()) });
    /// ```
    pub fn send(self) -> CallFuture<T> {
        let Self { mut sender, send, .. } = self;
        let operation = sender.operation;
        let sending = async move {
            // At the first poll, because a future may wait long before it.
            sender.begin();
            let write = sender.options.write.clone();
            let tally = sender.client.shared.tally.clone();
            let is_dry_run = sender.options.writes == WriteMode::DryRun
                && operation.supports_dry_run()
                && !sender.options.dry_run;
            let result = if is_dry_run {
                sender.make_dry_run();
                let answered = Box::pin(run_dry(sender, send)).await;
                answered.and_then(|()| {
                    let message =
                        format!("dry run only: the service would accept {}", operation.id);
                    let (outcome, kind) = (Outcome::NotExecuted, ErrorKind::DryRunAccepted);
                    Err(Error::own(operation.id, outcome, kind, message))
                })
            } else {
                send(sender).await
            };
            if let Some(write) = write {
                tally.end(&write, result.as_ref().map(drop).map_err(Error::outcome));
            }
            result
        };
        Box::pin(call_span(operation, sending))
    }

    /// Sets the time limit for this call, including waits and retries. It starts when the call is first polled.
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.sender.options.until = deadline;
        self
    }

    /// Sets the maximum single wait for the rate limits. A call that would have to wait longer fails at once, and [`Error::retry_after`]
    /// returns the wait. If you don't set it, only the deadline limits the waits.
    pub fn with_max_wait(mut self, wait: Duration) -> Self {
        self.sender.options.max_wait = Some(wait);
        self
    }

    /// Adds a header to the requests of this call. It replaces a header of the same name from the [client](crate::ClientBuilder::header).
    /// Its value is never shown, and it is not sent to other hosts that the service names, such as the hosts of upload URLs. A header that
    /// a call depends on (`Authorization`, `Host`, `Content-Type`, `Idempotency-Key` and others) is refused when you await the call, before
    /// anything is sent.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let me = client.me().header("X-Request-Source", "nightly export").await?;
    /// let refused = client.me().header("Authorization", "Bearer other").await;
    /// assert!(refused.unwrap_err().is_invalid_input());
    /// # let _ = me;
    /// # Ok(()) });
    /// ```
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        let headers = Arc::make_mut(self.sender.options.headers.get_or_insert_default());
        match caller_headers::add(headers, name.as_ref(), value.as_ref()) {
            Ok(()) => self,
            Err(error) => self.sent_by(move |sender, _| {
                ready(Err(Error::invalid(sender.operation.id, error.to_string())))
            }),
        }
    }

    /// Returns the call with the response as the service sent it, without decoding: nothing is lost or rewritten.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let answer = client.me().answer().await?;
    /// assert_eq!(answer.status(), 200);
    /// println!("{}", String::from_utf8_lossy(answer.body()));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the call itself, including the error for a response that cannot be decoded.
    pub fn answer(self) -> Call<Answer, K> {
        self.sent_by(|sender, send| async {
            let is_read = sender.operation.effect == Effect::Read;
            let (answer, result) = with_answer(sender, send, false).await?;
            if is_read { Ok(answer) } else { result.map(|_| answer) }
        })
    }

    /// Sets the key to send instead of a random one, if there is one.
    pub(crate) fn keyed(mut self, key: Option<IdempotencyKey>) -> Self {
        if key.is_some() {
            self.sender.options.idempotency_key = key;
        }
        self
    }

    /// Returns the call with its result and the response that the result was read from, for the headers of the service. If the call takes
    /// several requests, it is the response to the last one.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let (me, answer) = client.me().with_answer().await?;
    /// assert!(me.can_write);
    /// assert_eq!(answer.header("content-type"), Some("application/json"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the call itself.
    pub fn with_answer(self) -> Call<(T, Answer), K> {
        self.sent_by(|sender, send| async {
            let (answer, result) = with_answer(sender, send, true).await?;
            Ok((result?, answer))
        })
    }
}

impl<T: Send + 'static> Call<T, Write> {
    /// Sets a callback for the record that a change replaces. The callback gets the record as it was read right before each request. Only
    /// calls that read before they write use it: `update_unchanged` of a slot, a form, a page or its settings.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::ProfileChanges;
    ///
    /// let title = client.profile("cafe").get().await?.title;
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// let changes = ProfileChanges::default().title("Closed today");
    /// let call = client.profile("cafe").update_unchanged(None, changes);
    /// call.before_write(move |before| sender.send(before["title"].clone()).unwrap_or_default()).await?;
    /// assert_eq!(receiver.recv()?, serde_json::to_value(title)?);
    /// # Ok(()) });
    /// ```
    pub fn before_write(mut self, hear: impl Fn(&Object) + Send + Sync + 'static) -> Self {
        self.sender.before_write = Some(Arc::new(hear));
        self
    }
}

impl<T: Send + 'static> Call<T, Create> {
    /// Sets the key to send instead of a random one, to repeat a call that another process has started.
    pub fn with_idempotency_key(mut self, key: IdempotencyKey) -> Self {
        self.sender.options.idempotency_key = Some(key);
        self
    }

    /// Prevents the repetition of an attempt of unknown outcome: the caller reads first.
    #[doc(hidden)]
    pub fn reading_first(mut self) -> Self {
        self.sender.options.reads_first = true;
        self
    }

    /// Returns the key that the call will carry.
    pub fn idempotency_key(&self) -> Option<&IdempotencyKey> {
        self.sender.options.idempotency_key.as_ref()
    }
}

impl<T: Send + 'static, K: SupportsDryRun> Call<T, K> {
    /// Returns the call as a dry run: the service validates it and changes nothing. A dry run probably does not check rules that return
    /// 409.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::types::NewSlot;
    ///
    /// let slots = client.profile("cafe").slots();
    /// slots.create(NewSlot::of("divider")).dry_run().await?;
    /// let error = slots.create(NewSlot::of("button").with("titel", "Menu")).dry_run().await.unwrap_err();
    /// assert!(error.is_validation());
    /// assert_eq!(slots.list().await?.len(), 14);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// The 422 of the call itself, and [`Error::is_dry_run_executed`] if the service responded as if it had executed the call.
    pub fn dry_run(mut self) -> Call<()> {
        self.sender.make_dry_run();
        self.sent_by(run_dry)
    }
}

/// Sends the call as a dry run.
///
/// # Errors
///
/// When the service refuses it, or has executed it all the same.
async fn run_dry<T>(sender: CallSender, send: SendCall<T>) -> Result<(), Error> {
    let operation = sender.operation;
    let (answer, _) = with_answer(sender, send, false).await?;
    if answer.status() == 204 {
        Ok(())
    } else {
        Err(Error::dry_run_executed(operation.id, &answer))
    }
}

/// Sends the call, and returns its answer and what was read from it.
///
/// # Errors
///
/// When there is no answer to a success.
async fn with_answer<T>(
    mut sender: CallSender,
    send: SendCall<T>,
    decodes: bool,
) -> Result<(Answer, Result<T, Error>), Error> {
    let slot = AnswerCell::default();
    let caller = sender.clone();
    (sender.undecoded, sender.decodes) = (Some(slot.clone()), decodes);
    let operation = sender.operation;
    let result = send(sender).await;
    let answer = locked(&slot).take();
    match (answer, result) {
        (Some(answer), result) => {
            caller.keep_answer(&answer);
            Ok((answer, result))
        }
        (None, Err(error)) => Err(error),
        (None, Ok(_)) => {
            Err(Error::invalid(operation.id, "the call ended without a response from the service"))
        }
    }
}

impl<T: Send + 'static, K> IntoFuture for Call<T, K> {
    type Output = Result<T, Error>;
    type IntoFuture = CallFuture<T>;

    fn into_future(self) -> Self::IntoFuture {
        self.send()
    }
}

impl<T: 'static, K> Clone for Call<T, K> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), send: self.send.clone(), kind: PhantomData }
    }
}

impl<T, K> fmt::Debug for Call<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("operation", &self.sender.operation.id)
            .field("options", &self.sender.options)
            .finish_non_exhaustive()
    }
}

/// Future of a call or of a run. It is `Send` and `'static`, so you can await it, spawn it, or race it with others.
///
/// Nothing happens before it is polled; then the deadline of the call starts. Dropping it cancels the call: nothing more is sent, but a
/// request that is already on its way may still be executed. If you keep it without polling it, it delays other calls of its client by a
/// few seconds at most.
///
/// ```
/// # links_test_support::example::run(async |client| {
/// let me = tokio::spawn(client.me().send());
/// let pages = tokio::spawn(client.profiles().list().send());
/// println!("{}: {} pages", me.await??.name, pages.await??.len());
/// # Ok(()) });
/// ```
pub type CallFuture<T, E = Error> = BoxFuture<'static, Result<T, E>>;
