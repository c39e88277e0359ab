//! Callback server of a login in the browser: a listener on this machine that receives the browser's redirect.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

const PATH: &str = "/callback";
/// Maximum size in bytes of the head of a request; no callback is longer.
const MOST_BYTES: usize = 16 * 1024;
/// Time limit for reading a request and for writing its response.
const SLOWEST: Duration = Duration::from_secs(10);
/// Maximum number of open connections. For a further one the oldest, which has been silent for longest, is closed.
const MOST_REQUESTS: usize = 64;

/// Listener on a loopback address. The address is used as a number: a name could resolve to another one.
#[derive(Debug)]
pub(crate) struct Listener {
    tcp: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Binds to this port, or to a free one if it is 0: on `127.0.0.1`, or on `[::1]` if the machine has no IPv4 loopback address.
    pub(crate) fn bind(port: u16) -> io::Result<Self> {
        let tcp = first(port, std::net::TcpListener::bind)?;
        tcp.set_nonblocking(true)?;
        let address = tcp.local_addr()?;
        Ok(Self { tcp: TcpListener::from_std(tcp)?, address })
    }

    /// Returns the URL to which the browser is redirected after the login.
    pub(crate) fn redirect_uri(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for the browser, and returns the complete URL of its redirect. Requests that do not belong to this login, such as one for an
    /// icon, are answered and ignored.
    pub(crate) async fn answer(&self, is_answer: impl Fn(&str) -> bool) -> io::Result<String> {
        let mut requests = JoinSet::new();
        let mut waiting = VecDeque::new();
        loop {
            tokio::select! {
                accepted = self.tcp.accept() => {
                    match accepted {
                        Ok((stream, _)) => {
                            waiting.push_back(requests.spawn(timeout(SLOWEST, head(stream))));
                            waiting.retain(|it: &AbortHandle| !it.is_finished());
                            if waiting.len() > MOST_REQUESTS && let Some(oldest) = waiting.pop_front() {
                                oldest.abort();
                            }
                        }
                        // A connection that was closed before its acceptance does not stop the listener.
                        Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                        Err(error) => return Err(error),
                    }
                }
                Some(read) = requests.join_next() => {
                    let Ok(Ok(Ok((mut stream, head)))) = read else { continue };
                    let address = head.as_deref().and_then(target).map(|it| format!("http://{}{it}", self.address));
                    let ended = address.as_ref().filter(|it| is_answer(it));
                    let (status, text) = match (&head, &address) {
                        (None, _) => ("431 Request Header Fields Too Large", "This request is too long."),
                        _ if ended.is_some() => {
                            ("200 OK", "You can close this page. The terminal shows the result of the login.")
                        }
                        (_, Some(_)) => {
                            ("400 Bad Request", "This URL does not match the login that is waiting in the terminal.")
                        }
                        _ => ("404 Not Found", "There is nothing here."),
                    };
                    // The answer counts even if the browser does not wait for the page.
                    let _ = timeout(SLOWEST, stream.write_all(response(status, text).as_bytes())).await;
                    let _ = stream.shutdown().await;
                    if let Some(address) = ended {
                        return Ok(address.clone());
                    }
                }
            }
        }
    }
}

/// Binds to the first loopback address of this machine. A taken port is an error, because the port was asked for.
fn first<T>(port: u16, bind: impl Fn(SocketAddr) -> io::Result<T>) -> io::Result<T> {
    let at = |ip: IpAddr| bind(SocketAddr::new(ip, port));
    match at(Ipv4Addr::LOCALHOST.into()) {
        Err(error) if error.kind() != io::ErrorKind::AddrInUse => {
            at(Ipv6Addr::LOCALHOST.into()).map_err(|_| error)
        }
        done => done,
    }
}

/// Reads the head of a request; `None` if it exceeds the size limit.
async fn head(mut stream: TcpStream) -> io::Result<(TcpStream, Option<String>)> {
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|it| it == b"\r\n\r\n") {
        if bytes.len() >= MOST_BYTES {
            return Ok((stream, None));
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok((stream, Some(String::from_utf8_lossy(&bytes).into_owned())))
}

/// Returns the target of a request if it is the callback of a login.
fn target(head: &str) -> Option<&str> {
    let target = head.strip_prefix("GET ")?.split_ascii_whitespace().next()?;
    target.strip_prefix(PATH)?.starts_with('?').then_some(target)
}

/// Returns the response with a page that says this.
fn response(status: &str, text: &str) -> String {
    let page = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>links</title><p>{text}</p>\n"
    );
    // The URL holds a code, so the page does not show it, and no cache or referrer keeps it.
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'\r\n\r\n{page}",
        page.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_listens_on_ipv6_only_where_ipv4_is_unavailable() {
        let only = |kind: Option<io::ErrorKind>| {
            move |address: SocketAddr| match (address.is_ipv4(), kind) {
                (true, Some(kind)) => Err(io::Error::from(kind)),
                _ => Ok(address.to_string()),
            }
        };
        assert_eq!(first(7, only(None)).unwrap(), "127.0.0.1:7");
        assert_eq!(first(7, only(Some(io::ErrorKind::AddrNotAvailable))).unwrap(), "[::1]:7");
        let taken = first(7, only(Some(io::ErrorKind::AddrInUse))).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        let neither = |_| Err::<(), _>(io::Error::from(io::ErrorKind::PermissionDenied));
        assert_eq!(first(7, neither).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }

    #[tokio::test]
    async fn the_redirect_uri_names_ipv4_where_another_program_has_the_ipv6_port() {
        let Ok(other) = std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else { return };
        let port = other.local_addr().unwrap().port();
        let Ok(listener) = Listener::bind(port) else { return };
        assert_eq!(listener.redirect_uri(), format!("http://127.0.0.1:{port}/callback"));
    }

    /// Returns the answers of a listener to these requests, and the URL with which it ended.
    async fn answered(requests: &[&str]) -> (Vec<String>, String) {
        let listener = Listener::bind(0).unwrap();
        let address = listener.address;
        assert!(address.ip().is_loopback() && address.port() != 0);
        let ask = async {
            let mut answers = Vec::new();
            for request in requests {
                let mut stream = TcpStream::connect(address).await.unwrap();
                // The request may be refused before it is completely written.
                let _ = stream.write_all(request.as_bytes()).await;
                let mut answer = String::new();
                let _ = stream.read_to_string(&mut answer).await;
                answers.push(answer.lines().next().unwrap_or_default().to_owned());
            }
            answers
        };
        let (answers, ended) = tokio::join!(ask, listener.answer(|it| it.contains("state=mine")));
        (answers, ended.unwrap().replace(&address.to_string(), "HERE"))
    }

    #[tokio::test]
    async fn only_a_callback_of_this_login_ends_the_server() {
        let get = |target: &str| format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n");
        let requests = [
            get("/favicon.ico"),
            get("/"),
            get("/callbackx?state=mine"),
            get("/callback"),
            get("http://evil.example/callback?state=mine"),
            "POST /callback?state=mine HTTP/1.1\r\n\r\n".to_owned(),
            "\r\n\r\n".to_owned(),
            get("/callback?state=other&code=1"),
            get("/callback?code=7&state=mine"),
        ];
        let requests: Vec<_> = requests.iter().map(String::as_str).collect();
        let (answers, ended) = answered(&requests).await;
        let statuses: Vec<_> =
            answers.iter().map(|it| it.split(' ').nth(1).unwrap_or("")).collect();
        assert_eq!(statuses, ["404", "404", "404", "404", "404", "404", "404", "400", "200"]);
        assert_eq!(ended, "http://HERE/callback?code=7&state=mine");
    }

    #[tokio::test]
    async fn a_request_line_of_a_megabyte_is_refused() {
        let long = format!("GET /callback?state=mine&x={}", "x".repeat(1 << 20));
        let (answers, ended) =
            answered(&[&long, "GET /callback?state=mine&code=1 HTTP/1.1\r\n\r\n"]).await;
        assert!(answers[0].is_empty() || answers[0].contains(" 431 "), "{answers:?}");
        assert_eq!(ended, "http://HERE/callback?state=mine&code=1");
    }

    #[tokio::test]
    async fn silent_connections_do_not_delay_the_callback() {
        let listener = Listener::bind(0).unwrap();
        let mut silent = Vec::new();
        for _ in 0..MOST_REQUESTS - 1 {
            silent.push(TcpStream::connect(listener.address).await.unwrap());
        }
        let ask = async {
            let mut stream = TcpStream::connect(listener.address).await.unwrap();
            stream.write_all(b"GET /callback?state=mine HTTP/1.1\r\n\r\n").await.unwrap();
        };
        let (ended, ()) = tokio::join!(listener.answer(|it| it.contains("state=mine")), ask);
        assert!(ended.unwrap().ends_with("/callback?state=mine"));
    }

    #[tokio::test]
    async fn many_silent_connections_do_not_delay_the_browser() {
        let listener = Listener::bind(0).unwrap();
        let address = listener.address;
        let ask = async {
            let mut silent = Vec::new();
            for _ in 0..160 {
                silent.push(TcpStream::connect(address).await.unwrap());
            }
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(b"GET /callback?state=mine HTTP/1.1\r\n\r\n").await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            (silent, answer)
        };
        let both = async { tokio::join!(listener.answer(|it| it.contains("state=mine")), ask) };
        // The silent connections are closed after that time, but the answer does not wait for that.
        let (ended, (_, answer)) = timeout(SLOWEST, both).await.unwrap();
        assert!(ended.unwrap().ends_with("/callback?state=mine") && answer.contains(" 200 "));
    }
}
