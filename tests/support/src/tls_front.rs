//! TLS in front of a service, which itself speaks plain HTTP, and a proxy that opens tunnels to it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Largest certificate request, alert and rest of a request that are read after a refused handshake.
const REST: u64 = 1024 * 1024;

/// Front on a loopback port that answers until the process ends.
pub struct TlsFront {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl TlsFront {
    /// Starts a front with these settings for the service at this origin (`http://127.0.0.1:8080`).
    pub fn before(service: &str, config: Arc<ServerConfig>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let (service, seen) = (service.to_owned(), heads.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let tls = ServerConnection::new(config.clone()).unwrap();
                let (service, seen) = (service.clone(), seen.clone());
                thread::spawn(move || {
                    let mut stream = StreamOwned::new(tls, stream);
                    let here = format!("https://localhost:{port}");
                    if forward(&mut stream, &service, &here, &seen).is_err() {
                        // The client has to be able to read the alert: closing with unread data would reset the connection.
                        let _ = stream.conn.complete_io(&mut stream.sock);
                        let _ = stream.sock.shutdown(Shutdown::Write);
                        let _ = io::copy(&mut stream.sock.take(REST), &mut io::sink());
                    }
                });
            }
        });
        Self { port, heads }
    }

    /// Returns the front's origin.
    pub fn origin(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    /// Returns the heads of the requests so far: request line and headers.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

/// Forwards one request, and names the front as the service's origin in the answer.
fn forward(
    client: &mut (impl Read + Write),
    service: &str,
    here: &str,
    seen: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let mut reader = BufReader::new(&mut *client);
    let head = head(&mut reader)?;
    let length = value(&head, "content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    seen.lock().unwrap().push(head.clone());

    let mut backend = TcpStream::connect(service.trim_start_matches("http://"))?;
    backend.write_all(for_service(&head, service).as_bytes())?;
    backend.write_all(&body)?;
    let mut backend = BufReader::new(backend);
    let answer_head = self::head(&mut backend)?;
    let mut answer = Vec::new();
    backend.read_to_end(&mut answer)?;
    if let Ok(text) = std::str::from_utf8(&answer) {
        answer = text.replace(service, here).into_bytes();
    }
    let kept = answer_head.lines().filter(|line| {
        let line = line.to_ascii_lowercase();
        !line.is_empty() && !line.starts_with("content-length:") && !line.starts_with("connection:")
    });
    let kept: String = kept.map(|line| format!("{}\r\n", line.replace(service, here))).collect();
    write!(client, "{kept}Content-Length: {}\r\nConnection: close\r\n\r\n", answer.len())?;
    client.write_all(&answer)?;
    client.flush()
}

/// Returns the head of a request as the service has to get it, which knows itself by its own address only: for one answer, not packed.
fn for_service(head: &str, service: &str) -> String {
    let host = service.trim_start_matches("http://");
    let (line, headers) = head.split_once("\r\n").unwrap();
    let mut words = line.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let target = match target.split_once("://") {
        Some((_, rest)) => &rest[rest.find('/').unwrap()..],
        None => target,
    };
    let kept = headers.lines().filter(|line| {
        let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
        !["accept-encoding", "connection", "host"].contains(&name.as_str()) && !line.is_empty()
    });
    let kept: String = kept.map(|line| format!("{line}\r\n")).collect();
    format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n{kept}Connection: close\r\n\r\n")
}

/// Reads a head: the lines up to an empty one.
fn head(reader: &mut impl BufRead) -> io::Result<String> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if &head[before..] == "\r\n" {
            return Ok(head);
        }
    }
}

fn value<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (known, value) = line.split_once(':')?;
        known.eq_ignore_ascii_case(name).then_some(value.trim())
    })
}

/// HTTP proxy on a loopback port. Whatever host a request names, it goes to one address.
pub struct ForwardProxy {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl ForwardProxy {
    /// Starts a proxy that leads to this address.
    pub fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let seen = heads.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let seen = seen.clone();
                thread::spawn(move || relay(stream, target, &seen));
            }
        });
        Self { address, heads }
    }

    /// Returns the proxy's address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the heads of the requests so far: request line and headers.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

/// Opens a tunnel, or forwards a request that names its whole URL.
fn relay(mut client: TcpStream, target: SocketAddr, seen: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let head = head(&mut reader)?;
    seen.lock().unwrap().push(head.clone());
    let mut service = TcpStream::connect(target)?;
    if head.starts_with("CONNECT ") {
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
    } else {
        service.write_all(for_service(&head, &format!("http://{target}")).as_bytes())?;
    }
    let (mut to_client, mut from_service) = (client.try_clone()?, service.try_clone()?);
    thread::spawn(move || {
        let _ = io::copy(&mut from_service, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Write);
    });
    io::copy(&mut reader, &mut service)?;
    service.shutdown(Shutdown::Write)
}
