//! Site whose pages answer a check of links in every way: gone, moved, in a loop, busy, slow, endless, hostile.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Bytes of an endless answer after which the site gives up. A client that reads no body takes a few buffers at most.
const ENDLESS: usize = 64 * 1024 * 1024;

/// Time after which a test that waits for a request fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Site on a loopback port that answers until the process ends. `{here}` in a header stands for its own origin.
pub struct LinkSite {
    address: SocketAddr,
    scheme: &'static str,
    seen: Arc<Mutex<Vec<SiteRequest>>>,
    sent: Arc<Mutex<usize>>,
    slow: Mutex<Receiver<()>>,
    held: Mutex<Receiver<()>>,
    release: Sender<()>,
}

/// What the threads of a site tell the test, and wait for.
#[derive(Clone)]
struct Signals {
    slow: Sender<()>,
    held: Sender<()>,
    released: Arc<Mutex<Receiver<()>>>,
}

/// Request to a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteRequest {
    /// Method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Headers by their names in lower case.
    pub headers: BTreeMap<String, String>,
}

impl LinkSite {
    /// Starts a site.
    pub fn start() -> Self {
        Self::at(Ipv4Addr::LOCALHOST.into(), None)
    }

    /// Starts a site with certificates. What is not TLS is answered, too, as on another port.
    pub fn with_tls(config: Arc<ServerConfig>) -> Self {
        Self::at(Ipv4Addr::LOCALHOST.into(), Some(config))
    }

    fn at(ip: IpAddr, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind((ip, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let (seen, sent) =
            (Arc::<Mutex<Vec<SiteRequest>>>::default(), Arc::<Mutex<usize>>::default());
        let ((slow, is_slow), (held, is_held), (release, released)) =
            (channel(), channel(), channel());
        let signals = Signals { slow, held, released: Arc::new(Mutex::new(released)) };
        let here = format!("{scheme}://{address}");
        let (requests, bytes) = (seen.clone(), sent.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (tls, here, signals) = (tls.clone(), here.clone(), signals.clone());
                let (requests, bytes) = (requests.clone(), bytes.clone());
                thread::spawn(move || {
                    let mut first = [0];
                    let is_tls = stream.peek(&mut first).is_ok() && first == [0x16];
                    let answer = |stream: &mut dyn ReadWrite| {
                        if let Some(request) = read(stream) {
                            requests.lock().unwrap().push(request.clone());
                            let nth = times(&requests.lock().unwrap(), &request);
                            respond(stream, &request, nth, &here, &bytes, &signals);
                        }
                    };
                    match tls.filter(|_| is_tls) {
                        Some(config) => {
                            let tls = ServerConnection::new(config).unwrap();
                            answer(&mut StreamOwned::new(tls, stream));
                        }
                        None => answer(&mut { stream }),
                    }
                });
            }
        });
        let (slow, held) = (Mutex::new(is_slow), Mutex::new(is_held));
        Self { address, scheme, seen, sent, slow, held, release }
    }

    /// Returns the URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// Returns the socket address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<SiteRequest> {
        self.seen.lock().unwrap().clone()
    }

    /// Returns the requests so far as `HEAD /path`.
    pub fn lines(&self) -> Vec<String> {
        self.requests().iter().map(|it| format!("{} {}", it.method, it.path)).collect()
    }

    /// Waits until `/slow` was requested, or `/slow-head` with HEAD. They are never answered.
    pub fn wait_for_slow(&self) {
        self.slow.lock().unwrap().recv_timeout(PATIENCE).unwrap();
    }

    /// Waits until `/held` was requested. It is answered after [`release`](Self::release).
    pub fn wait_for_held(&self) {
        self.held.lock().unwrap().recv_timeout(PATIENCE).unwrap();
    }

    /// Lets `/held` be answered.
    pub fn release(&self) {
        self.release.send(()).unwrap();
    }

    /// Returns the number of bytes of endless answers that clients took.
    pub fn endless_bytes(&self) -> usize {
        *self.sent.lock().unwrap()
    }
}

trait ReadWrite: Read + Write {}

impl ReadWrite for TcpStream {}
impl ReadWrite for StreamOwned<ServerConnection, TcpStream> {}

/// Returns how often a request was made, this time included.
fn times(seen: &[SiteRequest], request: &SiteRequest) -> usize {
    seen.iter().filter(|it| it.path == request.path).count()
}

fn read(stream: &mut dyn ReadWrite) -> Option<SiteRequest> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let line = lines.next()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let header = |line: String| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    let headers = lines.take_while(|line| !line.is_empty()).filter_map(header).collect();
    Some(SiteRequest { method, path, headers })
}

/// Returns the status and the headers of a page; `None` for one that is not answered so.
fn page(method: &str, path: &str, nth: usize) -> Option<(u16, String)> {
    let plain = |status: u16| Some((status, String::new()));
    let to = |status: u16, target: &str| Some((status, format!("Location: {target}\r\n")));
    let is_head = method == "HEAD";
    if let Some(status) = path.strip_prefix("/status/") {
        return plain(status.parse().unwrap_or(500));
    }
    if let Some(status) = path.strip_prefix("/get-only/") {
        return plain(if is_head { status.parse().unwrap_or(500) } else { 206 });
    }
    if let Some(nth) = path.strip_prefix("/endless/") {
        return to(302, &format!("/endless/{}", nth.parse().unwrap_or(0) + 1));
    }
    match path {
        "/permanent" => to(301, "{here}/menu"),
        "/permanent-chain" => to(308, "/permanent"),
        "/permanent-query" => to(301, "/menu?token=a-secret"),
        "/temporary" => to(302, "/menu"),
        "/half-permanent" => to(301, "/temporary"),
        "/moved-to-missing" => to(301, "/status/404"),
        "/loop" => to(302, "/loop/again"),
        "/loop/again" => to(302, "/loop"),
        "/cookie-loop" => Some((302, "Location: /cookie-loop\r\nSet-Cookie: seen=1\r\n".into())),
        "/old/menu" => to(302, "/"),
        "/to-file" => to(302, "file:///etc/passwd"),
        "/to-private" => to(302, "http://10.0.0.1/"),
        "/to-metadata" => to(302, "http://169.254.169.254/latest/meta-data/"),
        "/to-app" => to(302, "tg://resolve?domain=qara"),
        "/to-password" => Some((302, "Location: {with-password}/menu\r\n".into())),
        "/to-nothing" => to(302, "http://[bad"),
        "/to-itself-escaped" => to(301, "/menu?x=\u{1f600}\u{202e}"),
        "/to-long" => to(301, &format!("/{}", "a".repeat(9000))),
        "/control" => to(302, "/\u{1b}[2J"),
        _ if path.starts_with("/busy-once") && nth == 1 => Some((429, "Retry-After: 7\r\n".into())),
        "/busy" => Some((429, "Retry-After: 7\r\n".into())),
        "/very-busy" => Some((429, "Retry-After: 600\r\n".into())),
        "/cookie" => Some((200, "Set-Cookie: session=1\r\n".into())),
        "/slow" | "/huge" | "/rude" => None,
        "/slow-head" if is_head => None,
        _ => plain(200),
    }
}

fn respond(
    stream: &mut dyn ReadWrite,
    request: &SiteRequest,
    nth: usize,
    here: &str,
    sent: &Mutex<usize>,
    signals: &Signals,
) {
    let path = request.path.as_str();
    if path == "/held" {
        let _ = signals.held.send(());
        let _ = signals.released.lock().unwrap().recv();
    }
    if let Some((status, headers)) = page(&request.method, path, nth) {
        let password = here.replace("://", "://user:pass@");
        let headers = headers.replace("{here}", here).replace("{with-password}", &password);
        let head = format!(
            "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: 0\r\n{headers}\r\n"
        );
        // A client may close the connection early.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.flush());
        return;
    }
    match (path, request.method.as_str()) {
        ("/slow" | "/slow-head", _) => {
            let _ = signals.slow.send(());
            // Returns when the client gives up.
            let _ = stream.read(&mut [0]);
        }
        ("/huge", "HEAD") => {
            let _ = stream.write_all(b"HTTP/1.1 405 X\r\nConnection: close\r\n\r\n");
        }
        ("/huge", _) => {
            let _ = stream.write_all(b"HTTP/1.1 200 X\r\nConnection: close\r\n\r\n");
            let chunk = [b'x'; 4096];
            while *sent.lock().unwrap() < ENDLESS && stream.write_all(&chunk).is_ok() {
                *sent.lock().unwrap() += chunk.len();
            }
        }
        // `/rude` closes the connection on HEAD.
        ("/rude", "GET") => {
            let _ = stream
                .write_all(b"HTTP/1.1 200 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        }
        _ => {}
    }
}
