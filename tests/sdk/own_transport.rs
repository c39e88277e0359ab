//! Tests of the options with which a program connects: certificates, proxies, headers, HTTP clients, retries, and many tokens.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use links_fixtures::{ContractServer, World};
use links_sdk::types::NewSlot;
use links_sdk::{
    AttemptReport, BuildError, Client, ClientBuilder, Clock, ConnectionOptions, Error, Observer,
    Outcome, RateLimits, RequestView, RetryPolicy, SlotId, SystemClock, Token, Upload,
    UploadMethod,
};
use links_test_support::authority::Authority;
use links_test_support::clock::shared_clock;
use links_test_support::proxy::{Act, Proxy};
use links_test_support::tls_front::{ForwardProxy, TlsFront};
use serde_json::json;

use crate::client_of;

async fn server() -> ContractServer {
    ContractServer::builder(World::cafe()).no_limits().start().await.unwrap()
}

fn origin(server: &ContractServer) -> String {
    server.base_url().trim_end_matches("/api/v1").to_owned()
}

fn builder_at(base: &str, server: &ContractServer) -> ClientBuilder {
    let token = Token::new(server.token()).unwrap();
    Client::builder(base).token(token).rate_limits(RateLimits::unlimited()).clock(shared_clock().0)
}

/// Returns a front with TLS for a server, and a builder of its client.
fn with_tls(server: &ContractServer, authority: &Authority) -> (TlsFront, ClientBuilder) {
    let config = authority.server(&["localhost"], SystemClock::new().wall(), 30);
    let front = TlsFront::before(&origin(server), config);
    let builder = builder_at(&format!("{}/api/v1", front.origin()), server);
    (front, builder)
}

/// Returns a front that requires certificates of clients, and a builder of its client.
fn for_clients(server: &ContractServer, authority: &Authority) -> (TlsFront, ClientBuilder) {
    let front = TlsFront::before(&origin(server), authority.server_for_clients());
    let builder = builder_at(&format!("{}/api/v1", front.origin()), server);
    (front, builder.connection(trusting(authority)))
}

/// Returns options that trust an authority.
fn trusting(authority: &Authority) -> ConnectionOptions {
    ConnectionOptions::default().root_certificate(authority.pem()).unwrap()
}

fn refused(builder: ClientBuilder) -> BuildError {
    builder.build().unwrap_err()
}

/// Returns a message with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.extend([": ", &error.to_string()]);
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn a_root_certificate_is_trusted_by_the_client_that_has_it() {
    let (server, authority) = (server().await, Authority::new("A company"));
    let (front, builder) = with_tls(&server, &authority);
    let error = builder.build().unwrap().me().await.unwrap_err();
    assert_eq!((error.outcome(), error.attempts()), (Outcome::NotExecuted, 1), "{error}");
    assert!(chain(&error).contains("secure connection to localhost"), "{}", chain(&error));
    assert!(front.heads().is_empty());

    let builder = builder_at(&format!("{}/api/v1", front.origin()), &server);
    let both = Authority::new("Another company").pem() + &authority.pem();
    let options = ConnectionOptions::default().root_certificate(both).unwrap();
    let client = builder.connection(options).build().unwrap();
    assert_eq!(client.me().await.unwrap().name, client_of(&server).me().await.unwrap().name);
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x06\x40\0\0\x03\x84\x08\x02\0\0\0";
    let upload = Upload::bytes("a.png", image.to_vec()).method(UploadMethod::UploadUrl);
    client.files().upload(upload).await.unwrap();
    assert_eq!(server.account().files.len(), World::cafe().into_account().files.len() + 1);
}

#[tokio::test]
async fn a_server_that_requires_a_certificate_of_its_clients_gets_it() {
    let (server, authority) = (server().await, Authority::new("A company"));
    let (front, builder) = for_clients(&server, &authority);
    let error = builder.build().unwrap().me().await.unwrap_err();
    if cfg!(any(feature = "rustls", not(feature = "native-tls"))) {
        assert_eq!((error.outcome(), error.attempts()), (Outcome::NotExecuted, 1), "{error:?}");
        assert!(chain(&error).contains("secure connection to localhost"), "{}", chain(&error));
    }
    assert!(front.heads().is_empty());

    let (certificate, key) = authority.client("this program");
    for pem in [format!("{certificate}{key}"), format!("{key}{certificate}")] {
        let builder = builder_at(&format!("{}/api/v1", front.origin()), &server);
        let options = trusting(&authority).identity(pem).unwrap();
        let client = builder.connection(options).build().unwrap();
        client.me().await.unwrap();
        client.with_token(Token::new(server.token()).unwrap()).me().await.unwrap();
    }
    assert_eq!(front.heads().len(), 4);
}

#[tokio::test]
#[cfg_attr(
    all(feature = "native-tls", not(feature = "rustls")),
    ignore = "the texts are those of rustls"
)]
async fn a_host_that_is_not_the_service_is_not_shown_the_client_certificate() {
    let (server, authority) = (server().await, Authority::new("A company"));
    let elsewhere = TlsFront::before(&origin(&server), authority.server_for_clients());
    let (certificate, key) = authority.client("this program");
    let client = builder_at(&server.base_url(), &server)
        .connection(trusting(&authority).identity(certificate + &key).unwrap())
        .header("X-Gateway-Key", "canary-of-a-header")
        .build()
        .unwrap();
    let error = client.files().download(format!("{}/image", elsewhere.origin())).await.unwrap_err();
    assert!(chain(&error).contains("cannot establish a secure connection"), "{}", chain(&error));

    let (open, _) = with_tls(&server, &authority);
    let _ = client.files().download(format!("{}/image", open.origin())).await;
    let heads = open.heads();
    assert_eq!(heads.len(), 1);
    assert!(!heads[0].to_lowercase().contains("x-gateway-key"), "{heads:?}");
}

#[tokio::test]
async fn a_proxy_is_used_for_http_and_https_on_every_host() {
    let (server, authority) = (server().await, Authority::new("A company"));
    let target = origin(&server).trim_start_matches("http://").parse().unwrap();
    let proxy = ForwardProxy::to(target);
    let url = format!("http://me:canary-of-a-proxy@{}", proxy.address());
    let builder = builder_at("http://links.test/api/v1", &server).allow_insecure_http();
    let options = ConnectionOptions::default().proxy(&url).unwrap();
    builder.connection(options).build().unwrap().me().await.unwrap();
    let heads = proxy.heads();
    assert!(heads[0].starts_with("GET http://links.test/api/v1/me HTTP/1.1\r\n"), "{heads:?}");
    assert!(heads[0].to_lowercase().contains("proxy-authorization: basic"), "{heads:?}");

    let config = authority.server(&["links.test"], SystemClock::new().wall(), 30);
    let front = TlsFront::before(&origin(&server), config);
    let address = front.origin().replace("https://localhost", "127.0.0.1").parse().unwrap();
    let proxy = ForwardProxy::to(address);
    let builder = builder_at("https://links.test/api/v1", &server);
    let options = trusting(&authority).proxy(format!("http://{}", proxy.address())).unwrap();
    let client = builder.connection(options).build().unwrap();
    client.me().await.unwrap();
    assert!(proxy.heads()[0].starts_with("CONNECT links.test:443 "), "{:?}", proxy.heads());
}

/// Observer that keeps the names and values of the headers it is shown.
#[derive(Debug, Default)]
struct Headers(Mutex<Vec<String>>);

impl Observer for Headers {
    fn wants_request(&self) -> bool {
        true
    }

    fn attempted(&self, attempt: &AttemptReport<'_>) {
        let shown = attempt.request.into_iter().flat_map(RequestView::headers);
        self.0.lock().unwrap().extend(shown.map(|(name, value)| format!("{name}: {value}")));
    }
}

#[tokio::test]
async fn a_header_is_sent_with_every_request_and_shown_nowhere() {
    let server = server().await;
    let observer = Arc::new(Headers::default());
    let builder = builder_at(&server.base_url(), &server).observer(observer.clone());
    let client = builder
        .header("X-Gateway-Key", "canary-of-a-header")
        .header("X-Gateway-Key", "another")
        .build()
        .unwrap();
    client.me().await.unwrap();
    let slot = links_sdk::types::NewSlot::of("divider");
    client.profile("cafe").slots().create(slot).await.unwrap();
    client.with_token(Token::new(server.token()).unwrap()).me().await.unwrap();
    for request in server.requests() {
        assert_eq!(request.header("x-gateway-key"), Some("canary-of-a-header"), "{request:?}");
    }
    let shown = observer.0.lock().unwrap().join("\n");
    assert!(shown.contains("idempotency-key: "), "{shown}");
    assert!(!shown.contains("canary") && !shown.contains(&server.token()), "{shown}");
}

#[test]
#[cfg_attr(
    all(feature = "native-tls", not(feature = "rustls")),
    ignore = "the texts are those of rustls"
)]
fn options_that_cannot_be_used_are_refused_before_anything_is_sent() {
    let base = "https://links.test/api/v1";
    for (builder, message) in [
        (
            Client::builder(base).header("Authorization", "x"),
            "cannot add the header \"Authorization\"",
        ),
        (Client::builder(base).header("host", "x"), "cannot add the header \"host\""),
        (
            Client::builder(base).header("Idempotency-Key", "x"),
            "cannot add the header \"Idempotency-Key\"",
        ),
        (Client::builder(base).user_agent("a\nb"), "cannot add the header \"user-agent\""),
        (Client::builder("http://links.test/api/v1"), "must be https"),
        (Client::builder("ftp://links.test/api/v1").allow_insecure_http(), "must be https"),
        (Client::builder("http://u:canary@links.test").allow_insecure_http(), "***@links.test"),
    ] {
        let shown = format!("{builder:?}");
        let error = refused(builder);
        assert!(chain(&error).contains(message), "{}", chain(&error));
        for text in [shown, chain(&error), format!("{error:?}")] {
            assert!(!text.contains("canary"), "{text}");
        }
    }
}

#[test]
#[cfg_attr(
    all(feature = "native-tls", not(feature = "rustls")),
    ignore = "the texts are those of rustls"
)]
fn options_of_connections_that_cannot_be_used_are_refused() {
    let authority = Authority::new("A company");
    let (certificate, key) = authority.client("this program");
    let (_, other) = authority.client("another program");
    let options = ConnectionOptions::default;
    for (refused, message) in [
        (options().root_certificate("nothing"), "cannot use the root certificate: no certificate"),
        (options().root_certificate(&key), "cannot use the root certificate: no certificate"),
        (options().identity(&certificate), "client certificate: no unencrypted private key"),
        (options().identity(&key), "cannot use the client certificate: no certificate"),
        (options().identity(certificate.clone() + &other), "cannot use the client certificate: "),
        (
            options().proxy("socks9://me:canary@h"),
            "cannot use the proxy \"socks9://***@h\": it must be",
        ),
        (options().proxy("nowhere"), "cannot use the proxy \"nowhere\": "),
    ] {
        let error = refused.unwrap_err();
        assert!(chain(&error).contains(message), "{}", chain(&error));
        for text in [chain(&error), format!("{error:?}")] {
            assert!(!text.contains("canary"), "{text}");
        }
    }
}

#[test]
fn no_secret_of_a_connection_is_shown() {
    let authority = Authority::new("A company");
    let (certificate, key) = authority.client("this program");
    let key_line = key.lines().nth(1).unwrap().to_owned();
    let options = ConnectionOptions::default()
        .root_certificate(authority.pem())
        .and_then(|options| options.identity(certificate + &key))
        .and_then(|options| options.proxy("http://me:canary-of-a-proxy@proxy.test:3128"))
        .unwrap();
    let builder = Client::builder("https://links.test/api/v1")
        .connection(options.clone())
        .header("X-Gateway-Key", "canary-of-a-header");
    let shown = format!("{options:?} {builder:?} ");
    let client = builder.build().unwrap();
    let other = client.with_token(Token::new("canary-of-a-token").unwrap());
    let shown = format!("{shown} {client:?} {other:?}");
    #[cfg(feature = "oauth")]
    let shown = {
        use links_sdk::oauth::{RefreshingTokenSource, memory_store};
        let source = RefreshingTokenSource::new(memory_store(None)).connection(options);
        format!("{shown} {source:?}")
    };
    assert!(shown.contains("http://***@proxy.test:3128"), "{shown}");
    assert!(!shown.contains("canary") && !shown.contains(&key_line), "{shown}");
}

#[tokio::test]
async fn retries_keep_within_their_policy() {
    let server = server().await;
    let proxy = Proxy::before(&server);
    let failing = async |policy: RetryPolicy, act: Act| -> Error {
        proxy.always(&act);
        let client = builder_at(&proxy.base_url(), &server).retry(policy).build().unwrap();
        client.me().await.unwrap_err()
    };
    let down = || Act::answer(503, &[], "");
    let busy = || Act::answer(429, &[("Retry-After", "30")], "");
    assert_eq!(failing(RetryPolicy::default(), down()).await.attempts(), 4);
    assert_eq!(failing(RetryPolicy::default().max_attempts(2), down()).await.attempts(), 2);
    assert_eq!(failing(RetryPolicy::never(), down()).await.attempts(), 1);
    let error = failing(RetryPolicy::never(), busy()).await;
    assert_eq!((error.attempts(), error.status()), (1, Some(429)));
    let policy = RetryPolicy::default().max_total_wait(Duration::from_secs(70));
    let error = failing(policy, busy()).await;
    assert_eq!((error.attempts(), error.status()), (3, Some(429)), "{error}");
}

#[tokio::test]
async fn a_conditional_write_keeps_within_the_policy_as_well() {
    let server = server().await;
    let proxy = Proxy::before(&server);
    let policy = RetryPolicy::default().max_attempts(2);
    let client = builder_at(&proxy.base_url(), &server).retry(policy).build().unwrap();
    let slots = client.profile("cafe").slots();
    let ids: Vec<SlotId> = slots.list().await.unwrap().iter().map(|slot| slot.id).collect();
    let sent = client.requests_sent();
    proxy.always(&Act::answer(503, &[], ""));
    slots.delete_many(ids).await.unwrap_err();
    assert!(client.requests_sent() - sent <= 4, "{}", client.requests_sent() - sent);
}

#[tokio::test]
async fn clients_of_several_tokens_share_connections_and_not_their_pacing() {
    let server = server().await;
    let proxy = Proxy::before(&server);
    proxy.always(&Act::keep_open());
    let mut limits = RateLimits::default();
    limits.per_second = 1;
    let builder = Client::builder(proxy.base_url()).token(Token::new(server.token()).unwrap());
    let builder = builder.rate_limits(limits).max_wait(Duration::ZERO);
    let first = builder.header("X-Gateway-Key", "key").build().unwrap();
    first.me().await.unwrap();
    assert!(first.me().await.unwrap_err().is_rate_limited(), "its second is used up");
    let second = first.with_token(Token::new("pps_of_another").unwrap());
    assert!(second.me().await.unwrap_err().is_not_authenticated(), "its own token is sent");
    assert_eq!((first.requests_sent(), second.requests_sent()), (1, 1));
    assert!(second.me().await.unwrap_err().is_rate_limited(), "the limits are the same");
    assert_eq!(proxy.connections(), 1);
}

#[cfg(all(feature = "reqwest013", feature = "rustls-no-provider"))]
mod own_http_client {
    use super::*;

    fn http_client() -> reqwest::Client {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider);
        let tls = tls.with_safe_default_protocol_versions().unwrap();
        let tls = tls.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth();
        let mut headers = reqwest::header::HeaderMap::new();
        headers.insert("x-own", "canary-of-a-header".parse().unwrap());
        let builder = reqwest::Client::builder().tls_backend_preconfigured(tls);
        builder.default_headers(headers).no_proxy().build().unwrap()
    }

    #[tokio::test]
    async fn its_connections_are_used() {
        let server = server().await;
        let builder = builder_at(&server.base_url(), &server).http_client(http_client());
        assert!(!format!("{builder:?}").contains("canary"));
        let client = builder.user_agent("own/1").build().unwrap();
        client.me().await.unwrap();
        let request = &server.requests()[0];
        assert_eq!(request.header("x-own"), Some("canary-of-a-header"));
        assert_eq!(request.header("user-agent"), Some("own/1"));
        assert_eq!(request.header("accept-encoding"), Some("gzip"), "the SDK unpacks it");
        assert!(!format!("{client:?}").contains("canary"));
    }

    /// Returns the client of a service whose every answer redirects there.
    async fn redirected(status: u16, to: &str) -> (Arc<Proxy>, Client) {
        let server = server().await;
        let proxy = Proxy::before(&server);
        proxy.always(&Act::answer(status, &[("Location", to)], ""));
        let builder = builder_at(&proxy.base_url(), &server).http_client(http_client());
        (proxy, builder.build().unwrap())
    }

    #[tokio::test]
    async fn a_redirect_that_it_follows_is_not_believed() {
        let elsewhere = server().await;
        let page = format!("{}/profiles/cafe?include=secret", elsewhere.base_url());
        let origin = origin(&elsewhere);
        for status in [301, 302, 303, 307, 308] {
            let (_proxy, client) = redirected(status, &page).await;
            let cafe = client.profile("cafe");
            let create = cafe.slots().create(NewSlot::of("divider")).await.unwrap_err();
            let update = cafe.update(json!({"title": "Anew"})).await.unwrap_err();
            let image = Upload::bytes("a.png", b"\x89PNG\r\n\x1a\n".to_vec());
            let upload = client.files().upload(image).await.unwrap_err();
            // A body that is streamed is not sent again, so such a redirect ends here.
            let is_kept = matches!(status, 307 | 308);
            assert_eq!(upload.status(), is_kept.then_some(status), "{}", chain(&upload));
            let read = cafe.get().await.unwrap_err();
            for (error, outcome) in [
                (create, Outcome::Unknown),
                (update, Outcome::Unknown),
                (upload, Outcome::Unknown),
                (read, Outcome::NotExecuted),
            ] {
                if error.status().is_some() {
                    continue;
                }
                let text = chain(&error);
                assert_eq!((error.outcome(), error.attempts()), (outcome, 1), "{status}: {text}");
                assert!(text.contains("followed a redirect from 127.0.0.1"), "{text}");
                assert!(text.contains(&format!("may have been sent to {origin}; ")), "{text}");
                assert!(text.ends_with("`.redirect(reqwest::redirect::Policy::none())`"), "{text}");
                assert!(!text.contains("secret"), "{text}");
            }
        }
        assert_eq!(elsewhere.requests().len(), 18, "nothing is sent twice");
    }

    #[tokio::test]
    async fn redirects_without_an_end_are_not_repeated() {
        let (proxy, client) = redirected(302, "/api/v1/me").await;
        let error = client.me().await.unwrap_err();
        assert_eq!(error.attempts(), 1, "{}", chain(&error));
        assert!(
            chain(&error).contains("may have been sent to another host; "),
            "{}",
            chain(&error)
        );
        assert_eq!(proxy.arrived().len(), 11, "those of one request");
    }

    #[test]
    fn options_that_belong_to_it_are_refused() {
        let builder = Client::builder("https://links.test/api/v1").http_client(http_client());
        let options = ConnectionOptions::default().proxy("http://proxy.test").unwrap();
        let error = refused(builder.connection(options));
        assert!(
            error.to_string().contains("set certificates and proxy in the HTTP client"),
            "{error}"
        );
    }
}

#[cfg(feature = "rustls-no-provider")]
#[tokio::test]
async fn the_tls_of_the_process_stays_as_its_program_left_it() {
    let this = std::env::current_exe().unwrap();
    let test = "own_transport::a_process_with_its_own_tls";
    let mut command = std::process::Command::new(this);
    command.args(["--exact", test, "--ignored", "--nocapture"]);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("no provider installed"));
}

#[cfg(feature = "rustls-no-provider")]
#[tokio::test]
#[ignore = "the other process of the test before"]
async fn a_process_with_its_own_tls() {
    let (server, authority) = (server().await, Authority::new("A company"));
    let (_front, builder) = for_clients(&server, &authority);
    let (certificate, key) = authority.client("this program");
    let options = trusting(&authority).identity(certificate + &key).unwrap();
    builder.connection(options).build().unwrap().me().await.unwrap();
    assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    println!("no provider installed");
}

/// Number of clients in the test of their cost.
const CLIENTS: usize = 1000;
/// Number of times that they are made: the system tells the time of a thread only every few milliseconds.
const ROUNDS: usize = 50;

#[tokio::test]
async fn a_thousand_clients_cost_at_most_twenty_kib_and_twenty_microseconds_each() {
    if cpu_time().is_none() || resident().is_none() {
        println!("skipped: this system does not tell the time and memory of a process in /proc");
        return;
    }
    let server = server().await;
    let order = format!("{} {}", server.base_url(), server.token());
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "own_transport::process_with_many_clients", "--ignored"]);
    command.arg("--nocapture").env("LINKS_TEST_CLIENTS", order);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let figure = |name: &str| -> u64 {
        let (_, rest) = text.split_once(name).unwrap_or_else(|| panic!("{name} in {text}"));
        rest.split_whitespace().next().unwrap().parse().unwrap()
    };
    let (bytes, nanoseconds) = (figure("bytes="), figure("nanoseconds="));
    println!("{bytes} bytes and {nanoseconds} ns for each client");
    assert!(bytes <= 20 * 1024, "{bytes} bytes each");
    assert!(nanoseconds <= 20_000, "{nanoseconds} ns each");
}

/// Returns the time that this thread has run so far, in nanoseconds, however busy the machine is.
fn cpu_time() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Returns the memory of this process in bytes.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

#[tokio::test]
#[ignore = "the other process of the test before"]
async fn process_with_many_clients() {
    let Ok(order) = std::env::var("LINKS_TEST_CLIENTS") else { return };
    let (base, token) = order.split_once(' ').unwrap();
    let token = || Arc::new(Token::new(token).unwrap());
    let first = Client::builder(base).token(token()).build().unwrap();
    for _ in 0..4 {
        first.me().await.unwrap();
    }
    let tokens: Vec<_> = (0..CLIENTS).map(|_| token()).collect();
    let make =
        || -> Vec<Client> { tokens.iter().map(|token| first.with_token(token.clone())).collect() };
    let memory = resident().unwrap();
    let clients = make();
    for client in &clients {
        client.me().await.unwrap();
    }
    let bytes = resident().unwrap().saturating_sub(memory) / CLIENTS as u64;
    let time = cpu_time().unwrap();
    for _ in 0..ROUNDS {
        make();
    }
    let nanoseconds = (cpu_time().unwrap() - time) / (CLIENTS * ROUNDS) as u64;
    println!("bytes={bytes} nanoseconds={nanoseconds} ");
    assert!(clients.iter().all(|client| client.requests_sent() == 1));
}
