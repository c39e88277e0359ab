//! Servers that misbehave, such as a connector with wrong metadata.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// Server with a given answer for each path, with `{here}` replaced by its own origin and `{sent}` by the body of the request.
pub struct PathServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl PathServer {
    /// Listens on a free loopback port until the process ends.
    pub fn start(answer: impl Fn(&str) -> (u16, String, String) + Send + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let seen = asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut reader = BufReader::new(&stream);
                let mut lines = reader.by_ref().lines().map_while(Result::ok);
                let line = lines.next().unwrap_or_default();
                let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                let sent = body(&head, &mut reader);
                let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                let (status, header, body) = answer(&path);
                seen.lock().unwrap().push(path);
                let here = format!("http://{address}");
                let (header, body) =
                    (header.replace("{here}", &here), body.replace("{here}", &here));
                let body = body.replace("{sent}", &sent);
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n{header}\r\n"
                );
                // A client may close the connection early.
                let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { address, asked }
    }

    /// Returns the connector's URL.
    pub fn mcp_url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Returns the socket address: `127.0.0.1:port`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the paths requested so far.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Returns the body that follows this head.
fn body(head: &[String], reader: &mut impl Read) -> String {
    let length = head.iter().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse().unwrap())
    });
    let mut text = String::new();
    reader.take(length.unwrap_or(0)).read_to_string(&mut text).unwrap();
    text
}

/// Starts a connector whose two documents are changed by `change`. It knows every client, and repeats the body of a token request; every
/// other path is not found.
pub fn misbehaving_connector(change: impl FnOnce(&mut Value, &mut Value)) -> PathServer {
    let mut resource = json!({ "resource": "{here}/mcp", "authorization_servers": ["{here}"] });
    let mut server = json!({
        "issuer": "{here}",
        "authorization_endpoint": "{here}/authorize",
        "token_endpoint": "{here}/token",
        "registration_endpoint": "{here}/register",
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    });
    change(&mut resource, &mut server);
    PathServer::start(move |path| match path {
        "/mcp" => {
            let header = "WWW-Authenticate: Bearer resource_metadata=\"{here}/resource\"\r\n";
            (401, header.to_owned(), String::new())
        }
        "/resource" => (200, String::new(), resource.to_string()),
        "/.well-known/oauth-authorization-server" => (200, String::new(), server.to_string()),
        "/token" => {
            let error = json!({ "error": "invalid_request", "error_description": "got {sent}" });
            (400, String::new(), error.to_string())
        }
        _ if path.starts_with("/authorize?") => (200, String::new(), String::new()),
        _ => (404, String::new(), String::new()),
    })
}
