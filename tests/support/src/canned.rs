//! A service with fixed answers, for answers that the contract server never gives.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Received {
    /// Request line: `PUT /path?query HTTP/1.1`.
    pub line: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Received {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Server that answers with status and body, in order; the last answer is repeated. Status 0 closes the connection instead.
pub struct Canned {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Canned {
    /// Listens on a free loopback port until the process ends.
    pub fn start(answers: impl IntoIterator<Item = (u16, String)>) -> Self {
        let mut answers: VecDeque<_> = answers.into_iter().collect();
        Self::answering(move |_| {
            if answers.len() > 1 { answers.pop_front().unwrap() } else { answers[0].clone() }
        })
    }

    /// Listens like [`start`](Self::start). Each request is answered with status and body by a function.
    pub fn answering(mut answer: impl FnMut(&Received) -> (u16, String) + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::<Mutex<Vec<_>>>::default();
        let seen = received.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                // A client that gives up half-way is part of what is tested.
                let Some(request) = read(&stream) else { continue };
                let (status, body) = answer(&request);
                seen.lock().unwrap().push(request);
                if status > 0 {
                    let head = "Content-Type: application/json\r\nLocation: /elsewhere\r\nX-Request-Id: request-1\r\nConnection: close";
                    let length = body.len();
                    let _ = write!(
                        &stream,
                        "HTTP/1.1 {status} Status\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}"
                    );
                }
            }
        });
        Self { address, received }
    }

    /// Returns the origin: `http://127.0.0.1:port`.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let mut lines =
        reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let line = lines.next()?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| {
            line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        })
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, length)| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received { line, headers, body })
}
