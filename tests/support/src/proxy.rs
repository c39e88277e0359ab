//! TCP proxy between a client and the service under test that injects faults into chosen requests.
//!
//! The proxy supports the parts of HTTP/1.1 that tests need: bodies with a length, one answer a connection unless an [`Act`] keeps it open.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use links_fixtures::ContractServer;
use links_sdk::{AttemptReport, Observer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// Treatment of one request: whether the service gets it, and what the client gets.
#[derive(Clone, Debug)]
pub struct Act {
    request: Request,
    answer: Answer,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Request {
    Forwarded,
    Dropped,
    /// The request is forwarded after the next one, before that one's answer.
    Late,
}

#[derive(Clone, Debug)]
enum Answer {
    /// The service's own answer; `kept_open` tells whether the connection stays open.
    Whole { kept_open: bool },
    /// The service's own answer, up to this many bytes of the body; then the connection is closed.
    Cut(usize),
    /// The service's own answer, up to this many bytes of the body; then the connection stays open and silent.
    Stalled(usize),
    /// The service's own answer, one byte of the body at a time.
    Dripped(Duration),
    /// No answer: the connection is reset.
    Reset,
    /// No answer: the connection is closed as by a server after a long idle time.
    Closed,
    /// No answer, for ever.
    Silence,
    /// These bytes.
    Instead(Vec<u8>),
}

impl Act {
    const fn of(request: Request, answer: Answer) -> Self {
        Self { request, answer }
    }

    /// Returns an act without a fault.
    pub fn pass() -> Self {
        Self::of(Request::Forwarded, Answer::Whole { kept_open: false })
    }

    /// Returns an act without a fault, after which the connection can be used again.
    pub fn keep_open() -> Self {
        Self::of(Request::Forwarded, Answer::Whole { kept_open: true })
    }

    /// Returns an act in which the service never gets the request, and the connection is reset.
    pub fn reset_before() -> Self {
        Self::of(Request::Dropped, Answer::Reset)
    }

    /// Returns an act in which the service executes the request, and the connection is reset.
    pub fn reset_after() -> Self {
        Self::of(Request::Forwarded, Answer::Reset)
    }

    /// Returns an act in which the service never gets the request, and the connection is closed regularly.
    pub fn close_before() -> Self {
        Self::of(Request::Dropped, Answer::Closed)
    }

    /// Returns an act in which the service executes the request; its answer ends after this many bytes of the body.
    pub fn cut(bytes: usize) -> Self {
        Self::of(Request::Forwarded, Answer::Cut(bytes))
    }

    /// Returns an act in which the service never gets the request, and no answer is sent.
    pub fn stall_before() -> Self {
        Self::of(Request::Dropped, Answer::Silence)
    }

    /// Returns an act in which the service executes the request, and no answer is sent.
    pub fn stall_after() -> Self {
        Self::of(Request::Forwarded, Answer::Silence)
    }

    /// Returns an act in which the service executes the request; after this many bytes of the body nothing more is sent.
    pub fn stall_in_body(bytes: usize) -> Self {
        Self::of(Request::Forwarded, Answer::Stalled(bytes))
    }

    /// Returns an act in which the service executes the request; the body is sent byte by byte.
    pub fn drip(pause: Duration) -> Self {
        Self::of(Request::Forwarded, Answer::Dripped(pause))
    }

    /// Returns an act in which no answer is sent, and the service gets the request only after the next one.
    pub fn late() -> Self {
        Self::of(Request::Late, Answer::Silence)
    }

    /// Returns an act in which the service never gets the request; this answer is sent instead.
    pub fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut head = format!(
            "HTTP/1.1 {status} Status\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        head.push_str("\r\n");
        let answer = [head.as_bytes(), body].concat();
        Self::of(Request::Dropped, Answer::Instead(answer))
    }

    /// Changes the act so that the service gets the request and executes it.
    #[must_use]
    pub fn executed(self) -> Self {
        Self { request: Request::Forwarded, ..self }
    }
}

/// A running proxy. It is also an observer: a refused connection is not seen here, so it counts the attempts that the client reports.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Mutex<Option<JoinHandle<()>>>,
    /// Number of attempts still to be refused.
    refusing: Mutex<u32>,
}

struct Shared {
    service: SocketAddr,
    script: Mutex<VecDeque<Act>>,
    otherwise: Mutex<Act>,
    late: Mutex<Vec<Vec<u8>>>,
    heads: Mutex<Vec<String>>,
    connections: AtomicUsize,
}

impl Proxy {
    /// Starts a proxy in front of this server.
    pub fn before(server: &ContractServer) -> Arc<Self> {
        let url: http::Uri = server.base_url().parse().unwrap();
        let service = SocketAddr::from((Ipv4Addr::LOCALHOST, url.port_u16().unwrap()));
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared {
            service,
            script: Mutex::default(),
            otherwise: Mutex::new(Act::pass()),
            late: Mutex::default(),
            heads: Mutex::default(),
            connections: AtomicUsize::default(),
        };
        let proxy = Self {
            address,
            shared: Arc::new(shared),
            accepting: Mutex::default(),
            refusing: Mutex::default(),
        };
        proxy.accept(listener);
        Arc::new(proxy)
    }

    /// Returns the service's base URL by way of the proxy.
    pub fn base_url(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    /// Sets the acts of the next requests, in order; requests after them pass.
    pub fn script(&self, acts: impl IntoIterator<Item = Act>) {
        *self.shared.script.lock().unwrap() = acts.into_iter().collect();
        *self.shared.otherwise.lock().unwrap() = Act::pass();
    }

    /// Sets the act of every request from now on.
    pub fn always(&self, act: &Act) {
        self.shared.script.lock().unwrap().clear();
        *self.shared.otherwise.lock().unwrap() = act.clone();
    }

    /// Refuses connections until this many attempts have failed.
    pub async fn refuse(&self, attempts: u32) {
        let task = self.accepting.lock().unwrap().take().unwrap();
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled(), "the port is closed");
        *self.refusing.lock().unwrap() = attempts;
    }

    /// Returns the heads of the requests that arrived: request line and headers.
    pub fn arrived(&self) -> Vec<String> {
        self.shared.heads.lock().unwrap().clone()
    }

    /// Returns the number of connections so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    fn accept(&self, listener: std::net::TcpListener) {
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let shared = self.shared.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let shared = shared.clone();
                shared.connections.fetch_add(1, Ordering::Relaxed);
                // A client that hangs up half-way is part of what is tested.
                tokio::spawn(async move { shared.serve(client).await.ok() });
            }
        });
        *self.accepting.lock().unwrap() = Some(task);
    }
}

/// Shows no requests: they carry a token, which the debug text of a client must not show.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Observer for Proxy {
    fn attempted(&self, attempt: &AttemptReport<'_>) {
        let mut refusing = self.refusing.lock().unwrap();
        if *refusing > 0 && attempt.status.is_none() {
            *refusing -= 1;
            if *refusing == 0 {
                self.accept(std::net::TcpListener::bind(self.address).unwrap());
            }
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(task) = self.accepting.lock().unwrap().take() {
            task.abort();
        }
    }
}

impl Shared {
    async fn serve(&self, mut client: TcpStream) -> io::Result<()> {
        let mut received = Vec::new();
        while let Some(request) = read_request(&mut client, &mut received).await? {
            let head = String::from_utf8_lossy(&request[..head_length(&request).unwrap()]);
            self.heads.lock().unwrap().push(head.into_owned());
            let act = self.script.lock().unwrap().pop_front();
            let act = act.unwrap_or_else(|| self.otherwise.lock().unwrap().clone());
            let answer = match act.request {
                Request::Forwarded => self.forward(&request).await?,
                Request::Dropped => Vec::new(),
                Request::Late => {
                    self.late.lock().unwrap().push(request);
                    Vec::new()
                }
            };
            if !deliver(&mut client, &act.answer, &answer).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Sends this request to the service, and then those that were held back.
    async fn forward(&self, request: &[u8]) -> io::Result<Vec<u8>> {
        let answer = exchange(self.service, request).await?;
        let late = std::mem::take(&mut *self.late.lock().unwrap());
        for request in late {
            exchange(self.service, &request).await?;
        }
        Ok(answer)
    }
}

/// Sends the answer as `how` asks. Returns whether the connection stays open.
async fn deliver(client: &mut TcpStream, how: &Answer, answer: &[u8]) -> io::Result<bool> {
    let head = head_length(answer).unwrap_or_default();
    match how {
        Answer::Whole { kept_open: false } => client.write_all(answer).await?,
        Answer::Whole { kept_open: true } => {
            let closing = b"connection: close\r\n";
            let at =
                answer.windows(closing.len()).position(|line| line.eq_ignore_ascii_case(closing));
            let at = at.filter(|at| *at < head).expect("the service was asked to close");
            client.write_all(&[&answer[..at], &answer[at + closing.len()..]].concat()).await?;
            return Ok(true);
        }
        Answer::Instead(other) => client.write_all(other).await?,
        Answer::Cut(bytes) => client.write_all(&answer[..answer.len().min(head + bytes)]).await?,
        Answer::Stalled(bytes) => {
            client.write_all(&answer[..answer.len().min(head + bytes)]).await?;
            until_gone(client).await?;
        }
        Answer::Dripped(pause) => {
            client.write_all(&answer[..head]).await?;
            let mut tick = tokio::time::interval(*pause);
            for byte in &answer[head..] {
                tick.tick().await;
                client.write_all(&[*byte]).await?;
            }
        }
        Answer::Reset => client.set_zero_linger()?,
        Answer::Closed => {}
        Answer::Silence => until_gone(client).await?,
    }
    Ok(false)
}

/// Waits until the client has given up.
async fn until_gone(client: &mut TcpStream) -> io::Result<()> {
    while client.read(&mut [0; 64]).await? > 0 {}
    Ok(())
}

/// Reads one request, head and body; `None` when the client has no more. Bytes beyond it stay in `received`.
async fn read_request(
    client: &mut TcpStream,
    received: &mut Vec<u8>,
) -> io::Result<Option<Vec<u8>>> {
    loop {
        if let Some(head) = head_length(received) {
            let whole = head + content_length(&received[..head]);
            if received.len() >= whole {
                let rest = received.split_off(whole);
                return Ok(Some(std::mem::replace(received, rest)));
            }
        }
        if client.read_buf(received).await? == 0 {
            return Ok(None);
        }
    }
}

/// Sends the request over a connection of its own, and returns the service's whole answer.
async fn exchange(service: SocketAddr, request: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(service).await?;
    let head = head_length(request).expect("a whole head");
    let lines = String::from_utf8_lossy(&request[..head]);
    let mut lines = lines.split_inclusive("\r\n");
    let first = lines.next().expect("a request line");
    // The service answers only under its own name.
    let others = lines.filter(|line| !line.to_ascii_lowercase().starts_with("host:"));
    let head = format!("{first}Host: {service}\r\nConnection: close\r\n");
    stream.write_all(others.fold(head, |head, line| head + line).as_bytes()).await?;
    stream.write_all(&request[head_length(request).unwrap_or_default()..]).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

fn head_length(message: &[u8]) -> Option<usize> {
    message.windows(4).position(|end| end == b"\r\n\r\n").map(|at| at + 4)
}

fn content_length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    length.map_or(0, |length| length.trim().parse().unwrap())
}
