//! HTTP server of a preview on `127.0.0.1`. Every path begins with the secret; every request names this server as its host, and no other origin.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::channel::Channel;
use http_body_util::{Either, Full};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::spawn_local;

use super::serve_session::{ApplyOrder, FAILED, ServedDocument};
use crate::context::prelude::*;
use crate::preview::html::image_name;
use links_pages::page_file::local_image::hash_of;

const STYLE: &str = include_str!("../assets/style.css");
const SCRIPT: &str = include_str!("../assets/script.js");

/// Media type of the documents.
const HTML: &str = "text/html; charset=utf-8";

/// Maximum number of open connections; further ones are closed at once.
const MOST_CONNECTIONS: usize = 64;

/// Time in which a client has to send the head of a request; also how long a connection may wait for its next one.
pub(super) const HEAD_LIMIT: Duration = Duration::from_secs(30);

/// What requests are answered from.
pub(super) struct Routes {
    /// Host and port of this server.
    pub(super) host: String,
    /// Beginning of every path, without which nothing is served.
    pub(super) secret: String,
    /// The list of the pages, where there are several: the path of each begins with its number then.
    pub(super) list: Option<String>,
    pub(super) pages: Vec<ServedPage>,
}

/// A page that is served.
pub(super) struct ServedPage {
    pub(super) document: watch::Receiver<ServedDocument>,
    /// Where orders to apply the file go, if it may be applied.
    pub(super) orders: Option<mpsc::Sender<ApplyOrder>>,
    /// Notified when somebody opens a page of which there is no document yet.
    pub(super) opened: Rc<Notify>,
}

/// Binds to this port, or to a free one if it is 0. Nothing is answered yet.
pub(super) async fn bind(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

/// Answers requests until it is dropped.
pub(super) async fn run(listener: TcpListener, routes: Routes, head_limit: Duration) {
    let routes = Rc::new(routes);
    let open = Rc::new(());
    loop {
        // A client that disconnects while it waits is no failure of the server.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        if Rc::strong_count(&open) > MOST_CONNECTIONS {
            continue;
        }
        let (routes, open) = (routes.clone(), open.clone());
        spawn_local(async move {
            let service = service_fn(|request| {
                let routes = routes.clone();
                async move { Ok::<_, Infallible>(answer(&routes, &request).await) }
            });
            let mut connection = http1::Builder::new();
            // Without a timer there is no time limit for the head of a request.
            connection.timer(TokioTimer::new()).header_read_timeout(head_limit);
            // A connection that breaks concerns only its client.
            let _ = connection.serve_connection(TokioIo::new(stream), service).await;
            drop(open);
        });
    }
}

/// Returns the answer to a request.
async fn answer<B>(routes: &Routes, request: &Request<B>) -> Response<ServedBody> {
    let target = target(routes, request.uri().path());
    let mut response = match (refusal(routes, request), target) {
        (Some(refusal), _) => refusal,
        (None, Some((page, name))) => found(routes, page, name, request).await,
        (None, None) => missing(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let page = target.and_then(|(page, _)| page);
    let origin = page.and_then(|page| page.document.borrow().image_origin.clone());
    let policy = content_policy(origin.as_deref());
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Returns the policy for a document that loads images of one other origin, if any.
fn content_policy(image_origin: Option<&str>) -> String {
    let images = image_origin.map(|origin| format!(" {origin}")).unwrap_or_default();
    format!(
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'{images}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// Returns the refusal of a request that is not meant for this server, or comes from another origin. A web page whose own name points to this
/// machine could otherwise reach it.
fn refusal<B>(routes: &Routes, request: &Request<B>) -> Option<Response<ServedBody>> {
    let values = |name: HeaderName| -> Vec<&[u8]> {
        request.headers().get_all(name).iter().map(HeaderValue::as_bytes).collect()
    };
    if values(header::HOST) != [routes.host.as_bytes()] {
        return Some(text(StatusCode::MISDIRECTED_REQUEST, "the Host header names another server"));
    }
    let own = format!("http://{}", routes.host);
    let origins = values(header::ORIGIN);
    let is_write = request.method() != Method::GET;
    let is_own = origins.iter().all(|origin| *origin == own.as_bytes());
    if !is_own || is_write && origins.is_empty() {
        return Some(text(StatusCode::FORBIDDEN, "requests from other origins are refused"));
    }
    None
}

/// Returns what a path with the secret leads to: a page, or the list of the pages, and the name of a file that belongs to it.
fn target<'r>(routes: &'r Routes, path: &'r str) -> Option<(Option<&'r ServedPage>, &'r str)> {
    let (secret, name) = path.strip_prefix('/')?.split_once('/')?;
    // How long the comparison takes tells nothing of the secret.
    if hash_of(secret.as_bytes()) != hash_of(routes.secret.as_bytes()) {
        return None;
    }
    match name.split_once('/') {
        _ if routes.list.is_none() => Some((routes.pages.first(), name)),
        None => Some((None, name)),
        Some((nth, name)) => Some((Some(routes.pages.get(nth.parse::<usize>().ok()?)?), name)),
    }
}

fn missing() -> Response<ServedBody> {
    text(StatusCode::NOT_FOUND, "not found")
}

async fn found<B>(
    routes: &Routes,
    page: Option<&ServedPage>,
    name: &str,
    request: &Request<B>,
) -> Response<ServedBody> {
    let is_read = request.method() == Method::GET;
    match (page, name) {
        (Some(page), "apply") if request.method() == Method::POST => {
            apply(page, request.uri().query().unwrap_or_default()).await
        }
        (page, _) if !is_read || page.is_some() && name == "apply" => {
            text(StatusCode::METHOD_NOT_ALLOWED, "this URL does not support this method")
        }
        (_, "style.css") => whole("text/css; charset=utf-8", STYLE),
        (Some(_), "script.js") => whole("text/javascript; charset=utf-8", SCRIPT),
        (None, "") => whole(HTML, routes.list.clone().unwrap_or_default()),
        (Some(page), "") => whole(HTML, page.html().await),
        (Some(page), "events") => {
            with_type("text/event-stream", Either::Right(versions(page.document.clone())))
        }
        (Some(page), _) => {
            name.strip_prefix("image/").and_then(|it| image(page, it)).unwrap_or_else(missing)
        }
        (None, _) => missing(),
    }
}

impl ServedPage {
    /// Returns the document. The first one is made when it is asked for.
    async fn html(&self) -> Bytes {
        let mut document = self.document.clone();
        if document.borrow().version == 0 {
            self.opened.notify_one();
            // Without a sender the server is about to end.
            let _ = document.wait_for(|made| made.version > 0).await;
        }
        document.borrow().html.clone()
    }
}

/// Returns an answer that goes on: the version of the document, and each one after it.
fn versions(mut document: watch::Receiver<ServedDocument>) -> Channel<Bytes> {
    let (mut events, body) = Channel::new(1);
    document.mark_changed();
    spawn_local(async move {
        while document.changed().await.is_ok() {
            let event = format!("data: {}\n\n", document.borrow_and_update().version);
            // The browser may have gone.
            if events.send_data(event.into()).await.is_err() {
                break;
            }
        }
    });
    body
}

/// Returns an image of the document by its name. An image that was changed since is missing until the document is made again.
fn image(page: &ServedPage, name: &str) -> Option<Response<ServedBody>> {
    let image =
        page.document.borrow().images.iter().find(|image| image_name(image) == name)?.clone();
    let bytes = image.read().ok()??;
    Some(whole(image.image_type.media_type(), bytes))
}

async fn apply(page: &ServedPage, query: &str) -> Response<ServedBody> {
    let Some(orders) = &page.orders else {
        return text(StatusCode::FORBIDDEN, "the preview was started without --apply");
    };
    let value =
        |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let Some(version) = value("version").and_then(|version| version.parse().ok()) else {
        return text(StatusCode::BAD_REQUEST, "version is missing");
    };
    let is_confirmed = value("confirmed") == Some("true");
    let (reply, replied) = oneshot::channel();
    let order = ApplyOrder { version, is_confirmed, reply };
    let state = match orders.send(order).await {
        Ok(()) => replied.await.unwrap_or(FAILED),
        Err(_) => FAILED,
    };
    whole("application/json", json!({ "state": state }).to_string())
}

/// A text or an image, or events without an end.
type ServedBody = Either<Full<Bytes>, Channel<Bytes>>;

fn whole(media_type: &'static str, bytes: impl Into<Bytes>) -> Response<ServedBody> {
    with_type(media_type, Either::Left(Full::new(bytes.into())))
}

fn text(status: StatusCode, message: &'static str) -> Response<ServedBody> {
    let mut response = whole("text/plain; charset=utf-8", message);
    *response.status_mut() = status;
    response
}

fn with_type(media_type: &'static str, body: ServedBody) -> Response<ServedBody> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;
    use tokio::task::LocalSet;
    use tokio::time::timeout;

    use super::*;

    fn routes(host: &str) -> Routes {
        let document = ServedDocument { version: 1, ..ServedDocument::default() };
        let document = watch::Sender::new(document).subscribe();
        let page = ServedPage { document, orders: None, opened: Rc::default() };
        Routes { host: host.to_owned(), secret: "5ec7e7".to_owned(), list: None, pages: vec![page] }
    }

    #[test]
    fn a_client_that_does_not_end_its_request_is_cut_off() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ended = LocalSet::new().block_on(&runtime, async {
            let listener = bind(0).await.unwrap();
            let address = listener.local_addr().unwrap();
            let routes = routes(&address.to_string());
            let mut client = TcpStream::connect(address).await.unwrap();
            spawn_local(run(listener, routes, Duration::from_millis(1)));
            client.write_all(b"GET / HTTP/1.1\r\nHost: ").await.unwrap();
            timeout(HEAD_LIMIT, client.read(&mut [0; 1])).await
        });
        // A closed connection, or a reset one.
        assert!(ended.is_ok_and(|read| read.unwrap_or_default() == 0));
    }

    fn status(method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        let routes = routes("127.0.0.1:80");
        let path = path.replace("SECRET", &routes.secret);
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(answer(&routes, &request)).status().as_u16()
    }

    #[test]
    fn only_requests_for_this_server_with_the_secret_are_answered() {
        let host = ("host", "127.0.0.1:80");
        assert_eq!(status("GET", "/SECRET/", &[host]), 200);
        assert_eq!(
            status("GET", "/SECRET/style.css", &[host, ("origin", "http://127.0.0.1:80")]),
            200
        );
        for other in ["127.0.0.1", "localhost:80", "evil.example:80", "127.0.0.1:81", ""] {
            assert_eq!(status("GET", "/SECRET/", &[("host", other)]), 421, "{other}");
        }
        assert_eq!(status("GET", "/SECRET/", &[]), 421);
        assert_eq!(status("GET", "/SECRET/", &[host, host]), 421);
        for origin in ["null", "http://evil.example", "https://127.0.0.1:80", "http://localhost:80"]
        {
            assert_eq!(status("GET", "/SECRET/", &[host, ("origin", origin)]), 403, "{origin}");
        }
        for path in ["/", "/SECRET", "/secret/", "//", "/SECRETx/", "/style.css", "/x/SECRET/"] {
            assert_eq!(status("GET", path, &[host]), 404, "{path}");
        }
        for path in ["/SECRET/x", "/SECRET/image/0", "/SECRET/image/../../etc/passwd", "/SECRET//"]
        {
            assert_eq!(status("GET", path, &[host]), 404, "{path}");
        }
        let own = ("origin", "http://127.0.0.1:80");
        assert_eq!(status("POST", "/SECRET/apply?version=0", &[host]), 403);
        assert_eq!(status("POST", "/SECRET/apply?version=0", &[host, own]), 403);
        assert_eq!(status("GET", "/SECRET/apply?version=0", &[host, own]), 405);
        assert_eq!(status("PUT", "/SECRET/", &[host, own]), 405);
    }

    #[test]
    fn the_policy_lets_nothing_from_elsewhere_run() {
        let policy = content_policy(Some("https://files.example"));
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(policy.contains("img-src 'self' https://files.example; "), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        assert!(content_policy(None).contains("img-src 'self'; "));
    }
}
