//! Proxy between the program and the contract server: it logs one request after the other with the state before and after it, and injects
//! the faults of the history.

use std::convert::Infallible;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use links_fixtures::{Account, ContractServer};
use links_sdk::testing::TestClock;
use rustix::process::Signal;
use serde_json::Value;

use crate::history::{Body, Fault, Kill, When};
use crate::turns::Turns;
use crate::world::World;

/// Part of an account that a history is about.
pub(crate) trait Observed: Sized + Send + Sync + 'static {
    /// Edit by another client.
    type Edit: Clone + Send + Sync;

    /// Returns the part as it is.
    fn of(account: &Account, legacy_as_buttons: bool) -> Self;

    /// Applies an edit to the account.
    fn carry_out(account: &mut Account, edit: &Self::Edit);
}

/// Event that happened to the account.
#[derive(Clone, Debug)]
pub(crate) struct Event<W = World> {
    /// The machine that sent the request; `None` is another client.
    pub(crate) machine: Option<usize>,
    pub(crate) request: Option<Request>,
    pub(crate) before: Arc<W>,
    pub(crate) after: Arc<W>,
}

/// A request with its result.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path below the base URL, without the query.
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) body: Value,
    pub(crate) is_dry_run: bool,
    /// Status of the service's answer, if the service got the request.
    pub(crate) status: Option<u16>,
    pub(crate) answer: Value,
    /// Fault that was injected.
    pub(crate) fault: Option<Fault>,
}

/// Events to cause during one step.
pub(crate) struct Script<W: Observed = World> {
    pub(crate) faults: Vec<(usize, Fault)>,
    pub(crate) edits: Vec<(usize, When, W::Edit)>,
    pub(crate) kill: Option<Kill>,
    /// The process to kill.
    pub(crate) victim: Option<u32>,
    /// Set if this proxy has killed the process.
    pub(crate) killed: bool,
    /// Set if this proxy has sent Ctrl-C to the process.
    pub(crate) interrupted: bool,
    pub(crate) count: usize,
    pub(crate) log: Vec<Event<W>>,
    /// The order of requests of commands that run at once in this process.
    pub(crate) turns: Option<Arc<Turns>>,
}

impl<W: Observed> Default for Script<W> {
    fn default() -> Self {
        Self {
            faults: Vec::new(),
            edits: Vec::new(),
            kill: None,
            victim: None,
            killed: false,
            interrupted: false,
            count: 0,
            log: Vec::new(),
            turns: None,
        }
    }
}

/// A running proxy.
pub(crate) struct Proxy<W: Observed = World> {
    pub(crate) origin: String,
    /// Clock of the service and of the commands, if those run in this process.
    pub(crate) clock: Option<Arc<TestClock>>,
    shared: Arc<Shared<W>>,
}

struct Shared<W: Observed> {
    server: ContractServer,
    tokens: Vec<String>,
    legacy_as_buttons: bool,
    script: Mutex<Script<W>>,
    stopping: AtomicBool,
    /// Number of connections that were accepted and are not closed yet.
    open: Mutex<usize>,
    closed: Condvar,
}

/// A connection, counted until it is dropped.
struct Connection<W: Observed>(Arc<Shared<W>>);

impl<W: Observed> Connection<W> {
    fn open(shared: Arc<Shared<W>>) -> Self {
        *shared.open() += 1;
        Self(shared)
    }
}

impl<W: Observed> Drop for Connection<W> {
    fn drop(&mut self) {
        *self.0.open() -= 1;
        self.0.closed.notify_all();
    }
}

/// A request as it came in.
struct Incoming {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

struct Outgoing {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl<W: Observed> Proxy<W> {
    /// Starts a proxy in front of this server; each token is that of a machine. With a clock, the commands run in this process, and nothing
    /// listens.
    pub(crate) fn start(
        server: ContractServer,
        tokens: Vec<String>,
        legacy_as_buttons: bool,
        clock: Option<Arc<TestClock>>,
    ) -> Self {
        let shared = Arc::new(Shared {
            server,
            tokens,
            legacy_as_buttons,
            script: Mutex::default(),
            stopping: AtomicBool::new(false),
            open: Mutex::new(0),
            closed: Condvar::new(),
        });
        if clock.is_some() {
            let origin = shared.server.base_url().trim_end_matches("/api/v1").to_owned();
            return Self { origin, clock, shared };
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let serving = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.stopping.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), serving) = (stream, serving.clone()) else { continue };
                let connection = Connection::open(serving);
                thread::spawn(move || connection.0.serve(&stream));
            }
        });
        Self { origin, clock, shared }
    }

    /// Begins a step.
    pub(crate) fn begin(&self, script: Script<W>) {
        *self.shared.script() = script;
    }

    /// Sets the process that is killed if one is to be.
    pub(crate) fn victim(&self, process: u32) {
        self.shared.script().victim = Some(process);
    }

    /// Lets so many commands in this process run at once, in the same order each time.
    pub(crate) fn take_turns(&self, commands: usize) {
        let mut script = self.shared.script();
        let seed = script.faults.len()
            + 31 * self
                .shared
                .server
                .account()
                .profiles
                .iter()
                .map(|it| it.slots.len())
                .sum::<usize>();
        script.turns = Some(Arc::new(Turns::new(commands, seed as u64)));
    }

    /// Sets where the command is killed.
    pub(crate) fn kill_at(&self, kill: Kill) {
        self.shared.script().kill = Some(kill);
    }

    /// Returns what answers the requests of a command in this process. `end` ends it where it is killed.
    pub(crate) fn responder(
        &self,
        end: fn() -> Infallible,
    ) -> impl Fn(http::Request<Bytes>) -> http::Response<Bytes> + use<W> {
        let shared = self.shared.clone();
        move |request| {
            let incoming = Incoming::of(&request);
            let turns = shared.script().turns.clone();
            if let Some(turns) = turns {
                turns.wait(shared.machine(&incoming));
            }
            let is_killed = shared.script().killed;
            let handled = if is_killed { None } else { shared.handle(&incoming) };
            match handled {
                Some((answer, fault)) => received(answer, fault),
                None => match end() {},
            }
        }
    }

    /// Begins a command of a machine in this process, when it is its turn.
    pub(crate) fn enter(&self, token: &str) {
        let turns = self.shared.script().turns.clone();
        if let Some(turns) = turns {
            turns.wait(self.shared.machine_of(token));
        }
    }

    /// Ends a command in this process.
    pub(crate) fn leave(&self) {
        let turns = self.shared.script().turns.clone();
        if let Some(turns) = turns {
            turns.leave();
        }
    }

    /// Returns whether the proxy has killed the process.
    pub(crate) fn killed(&self) -> bool {
        self.shared.script().killed
    }

    /// Returns whether the proxy has sent Ctrl-C to the process.
    pub(crate) fn interrupted(&self) -> bool {
        self.shared.script().interrupted
    }

    /// Ends the step after the processes of it, and returns its events. A process that was killed may have sent a request before: it is
    /// one of this step, too.
    pub(crate) fn end(&self) -> Vec<Event<W>> {
        if self.clock.is_some() {
            return std::mem::take(&mut *self.shared.script()).log;
        }
        // Connections are accepted in their order, and this one is closed once it was accepted.
        let mut last = TcpStream::connect(self.origin.trim_start_matches("http://")).unwrap();
        last.shutdown(Shutdown::Write).unwrap();
        let _ = last.read_to_end(&mut Vec::new());
        let open = self.shared.open();
        drop(self.shared.closed.wait_while(open, |open| *open > 0));
        std::mem::take(&mut *self.shared.script()).log
    }

    /// Edits the account now, as another client.
    pub(crate) fn edit(&self, edit: &W::Edit) {
        let event = self.shared.edited(edit);
        self.shared.script().log.push(event);
    }

    pub(crate) fn world(&self) -> W {
        self.shared.world()
    }
}

impl<W: Observed> Drop for Proxy<W> {
    fn drop(&mut self) {
        if self.clock.is_some() {
            return;
        }
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the listener, which then ends.
        let _ = TcpStream::connect(self.origin.trim_start_matches("http://"));
    }
}

impl<W: Observed> Shared<W> {
    fn script(&self) -> MutexGuard<'_, Script<W>> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, usize> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn world(&self) -> W {
        W::of(&self.server.account(), self.legacy_as_buttons)
    }

    fn edited(&self, edit: &W::Edit) -> Event<W> {
        let before = Arc::new(self.world());
        self.server.edit(|account| W::carry_out(account, edit));
        Event { machine: None, request: None, before, after: Arc::new(self.world()) }
    }

    fn serve(&self, stream: &TcpStream) {
        let Some(incoming) = read_request(stream) else { return };
        if let Some((answer, fault)) = self.handle(&incoming) {
            // A killed process no longer listens.
            let _ = deliver(stream, answer, fault);
        }
    }

    /// Returns the answer to a request, as far as there is one, and the fault of it; `None` if the process is killed.
    fn handle(&self, incoming: &Incoming) -> Option<(Option<Outgoing>, Option<Fault>)> {
        // One request at a time, so that the log has the real order.
        let mut script = self.script();
        script.count += 1;
        let nth = script.count;
        let edits = script.edits.clone();
        let edit = |script: &mut Script<W>, at: When| {
            for (_, _, edit) in
                edits.iter().filter(|(number, when, _)| (*number, *when) == (nth, at))
            {
                script.log.push(self.edited(edit));
            }
        };
        edit(&mut script, When::Before);
        if matches!(script.kill, Some(Kill::Before(at)) if at == nth) {
            script.kill();
            return None;
        }
        if matches!(script.kill, Some(Kill::Interrupt(at)) if at == nth) {
            script.interrupt();
        }
        let fault = script.faults.iter().find(|(at, _)| *at == nth).map(|(_, fault)| fault.clone());
        let before = Arc::new(self.world());
        let answer = self.execute(incoming, fault.as_ref());
        let after = Arc::new(self.world());
        script.log.push(Event {
            machine: Some(self.machine(incoming)),
            request: Some(incoming.request(answer.as_ref(), fault.clone())),
            before,
            after,
        });
        edit(&mut script, When::After);
        if matches!(script.kill, Some(Kill::After(at)) if at == nth) {
            script.kill();
            return None;
        }
        Some((answer, fault))
    }

    /// Sends the request to the service, unless the fault prevents that.
    fn execute(&self, incoming: &Incoming, fault: Option<&Fault>) -> Option<Outgoing> {
        match fault {
            Some(
                Fault::Dropped(When::Before) | Fault::Answer(When::Before, ..) | Fault::TooMany(_),
            ) => return None,
            Some(Fault::InFlight) => self.server.fail([1], &links_fixtures::Fault::InFlight),
            _ => {}
        }
        Some(incoming.answered_by(&self.server))
    }

    fn machine(&self, incoming: &Incoming) -> usize {
        let authorization = incoming.header("authorization");
        let bearer = authorization.strip_prefix("Bearer ").unwrap_or_default();
        self.machine_of(bearer)
    }

    /// Returns the machine of a token. A request without one belongs to no machine, and none is sent.
    fn machine_of(&self, token: &str) -> usize {
        self.tokens.iter().position(|known| known == token).unwrap_or(0)
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        if !self.query.is_empty() {
            write!(f, "?{}", self.query)?;
        }
        if !self.body.is_null() {
            let body: String = self.body.to_string().chars().take(600).collect();
            write!(f, " {body}")?;
        }
        if self.is_dry_run {
            f.write_str(" (dry run)")?;
        }
        match self.status {
            Some(status) => write!(f, " -> {status}")?,
            None => f.write_str(" -> not executed")?,
        }
        match &self.fault {
            Some(fault) => write!(f, " [{fault:?}]"),
            None => Ok(()),
        }
    }
}

impl<W: Observed> Script<W> {
    fn kill(&mut self) {
        self.killed = true;
        if let Some(victim) = self.victim {
            kill(victim);
        }
    }

    fn interrupt(&mut self) {
        if let Some(victim) = self.victim {
            self.interrupted = true;
            signal(victim, Signal::INT);
        }
    }
}

/// Ends a process at once.
pub(crate) fn kill(process: u32) {
    signal(process, Signal::KILL);
}

fn signal(process: u32, signal: Signal) {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(process) = process {
        let _ = rustix::process::kill_process(process, signal);
    }
}

impl Incoming {
    fn of(request: &http::Request<Bytes>) -> Self {
        let text = |value: &http::HeaderValue| value.to_str().unwrap_or_default().to_owned();
        let headers = request.headers().iter().map(|(name, value)| (name.to_string(), text(value)));
        Self {
            method: request.method().to_string(),
            target: request.uri().path_and_query().map_or("/", |it| it.as_str()).to_owned(),
            headers: headers.collect(),
            body: request.body().to_vec(),
        }
    }

    fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }

    /// Returns the service's own answer.
    fn answered_by(&self, server: &ContractServer) -> Outgoing {
        let base = server.base_url();
        let origin = base.trim_end_matches("/api/v1");
        let uri = format!("{origin}{}", self.target);
        let mut request = http::Request::builder().method(&*self.method).uri(uri);
        let is_kept = |(name, _): &&(String, String)| !name.eq_ignore_ascii_case("host");
        for (name, value) in self.headers.iter().filter(is_kept) {
            request = request.header(name, value);
        }
        let (head, body) =
            server.respond(request.body(self.body.clone().into()).unwrap()).into_parts();
        let is_kept =
            |name: &str| !["connection", "content-length", "transfer-encoding"].contains(&name);
        let headers = head.headers.iter().filter(|(name, _)| is_kept(name.as_str()));
        let line = |(name, value): (_, &http::HeaderValue)| {
            format!("{name}: {}\r\n", value.to_str().unwrap())
        };
        Outgoing {
            status: head.status.as_u16(),
            head: headers.map(line).collect(),
            body: body.to_vec(),
        }
    }

    fn request(&self, answer: Option<&Outgoing>, fault: Option<Fault>) -> Request {
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        Request {
            method: self.method.clone(),
            path: path.trim_start_matches("/api/v1").to_owned(),
            query: query.to_owned(),
            body: serde_json::from_slice(&self.body).unwrap_or_default(),
            is_dry_run: !self.header("precognition").is_empty(),
            status: answer.map(|it| it.status),
            answer: answer
                .map(|it| serde_json::from_slice(&it.body).unwrap_or_default())
                .unwrap_or_default(),
            fault,
        }
    }
}

fn read_request(stream: &TcpStream) -> Option<Incoming> {
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    let mut reader = BufReader::new(stream);
    let mut lines = reader.by_ref().lines().map_while(Result::ok).take_while(|it| !it.is_empty());
    let line = lines.next()?;
    let mut words = line.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| {
            line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        })
        .collect();
    let mut incoming = Incoming { method, target, headers, body: Vec::new() };
    incoming.body = vec![0; incoming.header("content-length").parse().unwrap_or(0)];
    reader.read_exact(&mut incoming.body).ok()?;
    Some(incoming)
}

/// Returns the answer that is sent, and the length that it should have; `None` if the connection is closed without one.
fn spoilt(answer: Option<Outgoing>, fault: Option<Fault>) -> Option<(Outgoing, usize)> {
    let answer = match (fault, answer) {
        (Some(Fault::Dropped(_)), _) => return None,
        (Some(Fault::Truncated(at)), Some(mut answer)) => {
            let length = answer.body.len();
            answer.body.truncate(at % length.max(1));
            return Some((answer, length));
        }
        (Some(Fault::Answer(_, status, kind, body)), _) => instead(status, &kind, body),
        (Some(Fault::TooMany(retry_after)), _) => {
            let mut answer = instead(429, "application/json", Body::Error);
            if let Some(text) = retry_after {
                answer.head.extend(["Retry-After: ", &text, "\r\n"]);
            }
            answer
        }
        (_, answer) => answer?,
    };
    let length = answer.body.len();
    Some((answer, length))
}

/// Returns the answer as a command in this process receives it. Where a connection would be closed, a gateway says that it got no answer.
fn received(answer: Option<Outgoing>, fault: Option<Fault>) -> http::Response<Bytes> {
    let no_answer = || (instead(504, "text/html", Body::Html), 0);
    let (answer, _) = spoilt(answer, fault).unwrap_or_else(no_answer);
    let mut response = http::Response::builder().status(answer.status);
    for (name, value) in answer.head.lines().filter_map(|line| line.split_once(": ")) {
        response = response.header(name, value);
    }
    response.body(answer.body.into()).unwrap()
}

fn deliver(
    mut stream: &TcpStream,
    answer: Option<Outgoing>,
    fault: Option<Fault>,
) -> std::io::Result<()> {
    if let Some(Fault::Slow(milliseconds)) = fault {
        thread::sleep(Duration::from_millis(milliseconds));
    }
    let Some((answer, length)) = spoilt(answer, fault) else { return Ok(()) };
    let (status, head) = (answer.status, answer.head);
    let length =
        if status == 204 { String::new() } else { format!("Content-Length: {length}\r\n") };
    write!(stream, "HTTP/1.1 {status} Status\r\n{head}{length}Connection: close\r\n\r\n")?;
    stream.write_all(&answer.body)
}

fn instead(status: u16, kind: &str, body: Body) -> Outgoing {
    let body = match body {
        Body::Empty => String::new(),
        Body::EmptyObject => "{}".to_owned(),
        Body::Html => {
            "<!DOCTYPE html><html><body><h1>Log in to this network</h1></body></html>".to_owned()
        }
        Body::Error => r#"{"message": "Something went wrong.", "code": "server_error"}"#.to_owned(),
    };
    let head = if kind.is_empty() { String::new() } else { format!("Content-Type: {kind}\r\n") };
    Outgoing { status, head, body: body.into_bytes() }
}
