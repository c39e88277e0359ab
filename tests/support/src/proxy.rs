//! A TCP proxy between a client and the service under test that mistreats chosen requests.
//!
//! It speaks as much HTTP/1.1 as it needs: bodies with a length, one answer a connection unless an [`Act`] keeps it open.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use links_fixtures::ContractServer;
use links_sdk::{AttemptReport, Observer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What becomes of one request: whether the service gets it, and what the client gets.
#[derive(Clone, Debug)]
pub struct Act {
    request: Request,
    answer: Answer,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Request {
    Forwarded,
    Dropped,
    /// Forwarded after the next request, before that one's answer.
    Late,
}

#[derive(Clone, Debug)]
enum Answer {
    /// The service's own; the connection stays open if so.
    Whole { kept_open: bool },
    /// The service's own, up to so many bytes of the body; then the connection is closed.
    Cut(usize),
    /// The same, but the connection stays open and silent.
    Stalled(usize),
    /// The service's own, one byte of the body at a time.
    Dripped(Duration),
    /// None: the connection is reset.
    Reset,
    /// None: the connection is closed as a server does that has been idle for too long.
    Closed,
    /// None, for ever.
    Silence,
    /// This one.
    Instead(Vec<u8>),
}

impl Act {
    const fn of(request: Request, answer: Answer) -> Self {
        Self { request, answer }
    }

    /// Nothing goes wrong.
    pub fn pass() -> Self {
        Self::of(Request::Forwarded, Answer::Whole { kept_open: false })
    }

    /// Nothing goes wrong, and the connection can be used again.
    pub fn keep_open() -> Self {
        Self::of(Request::Forwarded, Answer::Whole { kept_open: true })
    }

    /// The service never gets it, and the connection is reset.
    pub fn reset_before() -> Self {
        Self::of(Request::Dropped, Answer::Reset)
    }

    /// The service executes it, and the connection is reset.
    pub fn reset_after() -> Self {
        Self::of(Request::Forwarded, Answer::Reset)
    }

    /// The service never gets it, and the connection is closed in good order.
    pub fn close_before() -> Self {
        Self::of(Request::Dropped, Answer::Closed)
    }

    /// The service executes it; its answer ends after so many bytes of the body.
    pub fn cut(bytes: usize) -> Self {
        Self::of(Request::Forwarded, Answer::Cut(bytes))
    }

    /// The service never gets it, and nothing comes back.
    pub fn stall_before() -> Self {
        Self::of(Request::Dropped, Answer::Silence)
    }

    /// The service executes it, and nothing comes back.
    pub fn stall_after() -> Self {
        Self::of(Request::Forwarded, Answer::Silence)
    }

    /// The service executes it; after so many bytes of the body nothing more comes.
    pub fn stall_in_body(bytes: usize) -> Self {
        Self::of(Request::Forwarded, Answer::Stalled(bytes))
    }

    /// The service executes it; the body comes byte by byte.
    pub fn drip(pause: Duration) -> Self {
        Self::of(Request::Forwarded, Answer::Dripped(pause))
    }

    /// Nothing comes back, and the service gets the request only after the next one.
    pub fn late() -> Self {
        Self::of(Request::Late, Answer::Silence)
    }

    /// The service never gets it; this is answered instead.
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

    /// The same, but the service gets the request and executes it.
    #[must_use]
    pub fn executed(self) -> Self {
        Self { request: Request::Forwarded, ..self }
    }
}

/// A running proxy. It is also an observer: a refused connection leaves no trace here, so it counts the attempts that the client reports.
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Mutex<Option<JoinHandle<()>>>,
    /// Attempts still to be refused.
    refusing: Mutex<u32>,
}

struct Shared {
    service: SocketAddr,
    script: Mutex<VecDeque<Act>>,
    otherwise: Mutex<Act>,
    late: Mutex<Vec<Vec<u8>>>,
    heads: Mutex<Vec<String>>,
}

impl Proxy {
    /// Stands before this server.
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

    /// The service's base address, by way of the proxy.
    pub fn base_url(&self) -> String {
        format!("http://{}/api/v1", self.address)
    }

    /// What becomes of the next requests, in order; those after them pass.
    pub fn script(&self, acts: impl IntoIterator<Item = Act>) {
        *self.shared.script.lock().unwrap() = acts.into_iter().collect();
        *self.shared.otherwise.lock().unwrap() = Act::pass();
    }

    /// What becomes of every request from now on.
    pub fn always(&self, act: &Act) {
        self.shared.script.lock().unwrap().clear();
        *self.shared.otherwise.lock().unwrap() = act.clone();
    }

    /// Refuses connections until so many attempts have failed.
    pub async fn refuse(&self, attempts: u32) {
        let task = self.accepting.lock().unwrap().take().unwrap();
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled(), "the port is closed");
        *self.refusing.lock().unwrap() = attempts;
    }

    /// The heads of the requests that arrived: request line and headers.
    pub fn arrived(&self) -> Vec<String> {
        self.shared.heads.lock().unwrap().clone()
    }

    fn accept(&self, listener: std::net::TcpListener) {
        listener.set_nonblocking(true).unwrap();
        let listener = TcpListener::from_std(listener).unwrap();
        let shared = self.shared.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let shared = shared.clone();
                // A client that hangs up half-way is part of what is tested.
                tokio::spawn(async move { shared.serve(client).await.ok() });
            }
        });
        *self.accepting.lock().unwrap() = Some(task);
    }
}

/// The requests that arrived carry a token, which the debug text of a client must not show.
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

    /// Gives the service this request, and then those that were held back.
    async fn forward(&self, request: &[u8]) -> io::Result<Vec<u8>> {
        let answer = exchange(self.service, request).await?;
        let late = std::mem::take(&mut *self.late.lock().unwrap());
        for request in late {
            exchange(self.service, &request).await?;
        }
        Ok(answer)
    }
}

/// Sends the answer as it is to be; whether the connection stays open.
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

/// One request, head and body; `None` when the client has no more. What was read beyond it stays in `received`.
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

/// The service's whole answer, over a connection of its own.
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
