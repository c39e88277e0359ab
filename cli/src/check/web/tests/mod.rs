//! Tests of the check of links, against sites on this machine.

mod certificates;
mod timing;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use links_sdk::SystemClock;
use links_sdk::public_hosts::PublicOnlyResolver;
use links_test_support::clock::shared_clock;
use links_test_support::link_site::LinkSite;
use tokio::time::Instant;

use super::checker::LinkChecker;
use super::judge::judge;
use super::link::{WebLink, read_link};
use super::verdict::Judgement;
use super::visit::{Visit, VisitEnd};

pub(super) fn link(url: &str) -> WebLink {
    read_link(url).unwrap_or_else(|judgement| panic!("{url}: {judgement:?}"))
}

/// Returns the verdict, the reason and the notes.
pub(super) fn words(judgement: &Judgement) -> String {
    let words = judgement.reason.iter().chain(&judgement.notes).map(|(_, words)| words.as_str());
    let verdict = format!("{:?}", judgement.verdict).to_lowercase();
    format!("{verdict}: {}", words.collect::<Vec<_>>().join("; "))
}

/// Returns a resolver that asks private hosts.
fn anywhere() -> PublicOnlyResolver {
    PublicOnlyResolver { trusts_all: true, ..PublicOnlyResolver::default() }
}

/// Returns a resolver with a name that is not looked up.
fn knowing(name: &str, address: SocketAddr, resolver: PublicOnlyResolver) -> PublicOnlyResolver {
    PublicOnlyResolver { known: BTreeMap::from([(name.to_owned(), address)]), ..resolver }
}

fn checker_of(resolver: PublicOnlyResolver) -> LinkChecker {
    let _ = rustls::crypto::ring::default_provider().install_default();
    LinkChecker::new(resolver, false, Arc::new(SystemClock::new())).unwrap()
}

pub(super) fn checker() -> LinkChecker {
    checker_of(anywhere())
}

async fn visit(site: &LinkSite, path: &str) -> Visit {
    checker().visit(&link(&site.url(path))).await
}

fn judged(url: &str, visit: &Visit, here: &str) -> String {
    words(&judge(&link(url), visit, SystemTime::UNIX_EPOCH, 14)).replace(here, "")
}

#[tokio::test]
async fn each_answer_has_its_verdict_and_costs_few_requests() {
    for (path, expected, requests) in [
        ("/menu", "fine: ", "HEAD /menu"),
        ("/menu?a=1#top", "fine: ", "HEAD /menu?a=1"),
        ("/status/404", "broken: 404", "HEAD /status/404, GET /status/404"),
        ("/status/410", "broken: 410: gone", "HEAD /status/410"),
        ("/status/401", "unsure: 401: needs a login", "HEAD /status/401"),
        (
            "/status/403",
            "unsure: 403: blocks bots; check in a browser",
            "HEAD /status/403, GET /status/403",
        ),
        ("/status/451", "unsure: 451: unavailable for legal reasons", "HEAD /status/451"),
        ("/status/999", "unsure: 999: blocks bots; check in a browser", "HEAD /status/999"),
        ("/status/503", "unsure: 503: the server failed", "HEAD /status/503, GET /status/503"),
        ("/get-only/403", "fine: ", "HEAD /get-only/403, GET /get-only/403"),
        ("/get-only/404", "fine: ", "HEAD /get-only/404, GET /get-only/404"),
        ("/get-only/405", "fine: ", "HEAD /get-only/405, GET /get-only/405"),
        ("/get-only/501", "fine: ", "HEAD /get-only/501, GET /get-only/501"),
        ("/get-only/500", "fine: ", "HEAD /get-only/500, GET /get-only/500"),
        ("/rude", "fine: ", "HEAD /rude, GET /rude"),
        ("/permanent", "fine: moved to /menu", "HEAD /permanent, HEAD /menu"),
        (
            "/permanent-chain#x",
            "fine: moved to /menu#x",
            "HEAD /permanent-chain, HEAD /permanent, HEAD /menu",
        ),
        ("/temporary", "fine: ", "HEAD /temporary, HEAD /menu"),
        ("/half-permanent", "fine: ", "HEAD /half-permanent, HEAD /temporary, HEAD /menu"),
        (
            "/moved-to-missing",
            "broken: 404",
            "HEAD /moved-to-missing, HEAD /status/404, GET /status/404",
        ),
        ("/loop", "broken: redirects in a loop", "HEAD /loop, HEAD /loop/again"),
        (
            "/cookie-loop",
            "unsure: redirects in a loop without cookies; check in a browser",
            "HEAD /cookie-loop",
        ),
        ("/old/menu", "unsure: redirects to the home page /", "HEAD /old/menu, HEAD /"),
        ("/to-file", "broken: redirects to a file: URL", "HEAD /to-file"),
        ("/to-app", "unsure: redirects to a tg: URL", "HEAD /to-app"),
        ("/to-nothing", "broken: redirects to an invalid URL", "HEAD /to-nothing"),
        ("/to-long", "broken: redirects to an invalid URL", "HEAD /to-long"),
        ("/to-password", "fine: ", "HEAD /to-password, HEAD /menu"),
        (
            "/to-itself-escaped",
            "fine: moved to /menu?x=%F0%9F%98%80%E2%80%AE",
            "HEAD /to-itself-escaped, HEAD /menu?x=%F0%9F%98%80%E2%80%AE",
        ),
        (
            "/control",
            "unsure: the response is not HTTP, or was cut off",
            "HEAD /control, GET /control",
        ),
    ] {
        let site = LinkSite::start();
        let visit = visit(&site, path).await;
        let found = judged(&site.url(path), &visit, &site.url(""));
        assert_eq!(
            (found.as_str(), site.lines().join(", ")),
            (expected, requests.into()),
            "{path}"
        );
    }
}

#[tokio::test]
async fn ten_redirects_are_followed_and_no_more() {
    let site = LinkSite::start();
    let visit = visit(&site, "/endless/0").await;
    assert_eq!(visit.end, VisitEnd::TooManyRedirects);
    assert_eq!(site.requests().len(), 11);
}

#[tokio::test]
async fn a_site_sees_neither_cookies_nor_credentials_nor_where_the_link_is() {
    let site = LinkSite::start();
    let checker = checker();
    let with_password = site.url("/menu").replace("://", "://user:pass@");
    for url in
        [site.url("/cookie"), site.url("/cookie-loop"), site.url("/to-password"), with_password]
    {
        checker.visit(&link(&url)).await;
    }
    let requests = site.requests();
    assert_eq!(requests.len(), 5);
    for request in requests {
        let names: Vec<&str> = request.headers.keys().map(String::as_str).collect();
        assert_eq!(names, ["accept", "host", "user-agent"], "{request:?}");
        assert!(request.headers["user-agent"].contains("link check"));
    }
}

#[tokio::test]
async fn a_body_is_not_read_and_one_byte_of_it_is_asked_for() {
    let site = LinkSite::start();
    let visit = visit(&site, "/huge").await;
    assert_eq!(visit.end, VisitEnd::Status(200));
    assert_eq!(site.lines(), ["HEAD /huge", "GET /huge"]);
    assert_eq!(site.requests()[1].headers["range"], "bytes=0-0");
    // What fits the buffers of the sockets, far from all that the site would send.
    assert!(site.endless_bytes() < 32 * 1024 * 1024, "{}", site.endless_bytes());
}

#[tokio::test]
async fn a_busy_site_is_waited_for_once() {
    for (path, waits, end, requests) in [
        ("/busy-once", vec![7], 200, 2),
        ("/busy", vec![7], 429, 2),
        ("/very-busy", vec![], 429, 1),
        ("/status/429", vec![], 429, 1),
    ] {
        let site = LinkSite::start();
        let (clock, _) = shared_clock();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let checker = LinkChecker::new(anywhere(), false, clock.clone()).unwrap();
        let visit = checker.visit(&link(&site.url(path))).await;
        assert_eq!(visit.end, VisitEnd::Status(end), "{path}");
        assert_eq!(site.requests().len(), requests, "{path}");
        assert_eq!(clock.slept(), waits.into_iter().map(Duration::from_secs).collect::<Vec<_>>());
        // A site that stays busy is left alone.
        let other = checker.visit(&link(&site.url("/menu"))).await;
        let is_left_alone = path.ends_with("busy");
        let expected = if is_left_alone { 429 } else { 200 };
        assert_eq!(other.end, VisitEnd::Status(expected), "{path}");
        assert_eq!(site.requests().len(), requests + usize::from(!is_left_alone), "{path}");
    }
}

/// Lets so many seconds pass each time when `/slow` was requested.
async fn pass_time(site: &Arc<LinkSite>, times: &[u64]) {
    for seconds in times {
        let seen = site.clone();
        tokio::task::spawn_blocking(move || seen.wait_for_slow()).await.unwrap();
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(*seconds)).await;
        tokio::time::resume();
    }
}

#[tokio::test]
async fn a_site_that_does_not_answer_costs_20_seconds() {
    let site = Arc::new(LinkSite::start());
    let (checker, slow) = (checker(), link(&site.url("/slow")));
    let start = Instant::now();
    let ((), visit) = tokio::join!(pass_time(&site, &[5, 15]), checker.visit(&slow));
    assert_eq!(visit.end, VisitEnd::NoAnswer);
    assert!((20..=25).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    assert_eq!(site.lines(), ["HEAD /slow", "GET /slow"]);
}

#[tokio::test]
async fn a_site_that_does_not_answer_head_is_asked_with_get() {
    let site = Arc::new(LinkSite::start());
    let checker = checker();
    for nth in 0..4 {
        let slow = link(&site.url("/slow-head"));
        let ((), visit) = tokio::join!(pass_time(&site, &[5]), checker.visit(&slow));
        assert_eq!(visit.end, VisitEnd::Status(200), "{nth}");
    }
    assert_eq!(site.lines(), ["HEAD /slow-head", "GET /slow-head"].repeat(4));
}

#[tokio::test]
async fn a_host_that_took_ten_minutes_is_not_asked_again() {
    let site = LinkSite::start();
    let (clock, _) = shared_clock();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let checker = LinkChecker::new(anywhere(), false, clock).unwrap();
    // It asks to wait for 7 seconds each time.
    for nth in 0..86 {
        let visit = checker.visit(&link(&site.url(&format!("/busy-once?{nth}")))).await;
        assert!(visit.end == VisitEnd::Status(200) || nth > 80, "{nth}: {visit:?}");
    }
    let requests = site.requests().len();
    assert_eq!(checker.visit(&link(&site.url("/menu"))).await.end, VisitEnd::SlowHost);
    assert_eq!(site.requests().len(), requests);
}

#[tokio::test]
async fn a_host_that_refuses_connections_is_asked_three_times() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let checker = checker();
    let mut ends = Vec::new();
    for nth in 0..5 {
        ends.push(checker.visit(&link(&format!("http://{closed}/{nth}"))).await.end);
    }
    let refused = VisitEnd::Connection("connection refused".to_owned());
    assert_eq!(ends[..3], [refused.clone(), refused.clone(), refused]);
    assert_eq!(ends[3..], [VisitEnd::SilentHost, VisitEnd::SilentHost]);
}

#[tokio::test]
async fn private_hosts_are_not_asked_unless_that_is_allowed() {
    let site = LinkSite::start();
    let port = site.address().port();
    let own: SocketAddr = site.address();
    let public = || checker_of(knowing("cafe.example", own, PublicOnlyResolver::default()));
    for (url, end) in [
        (format!("http://127.0.0.1:{port}/"), VisitEnd::PrivateHost),
        (format!("http://localhost:{port}/"), VisitEnd::PrivateHost),
        (format!("http://2130706433:{port}/"), VisitEnd::PrivateHost),
        (format!("http://[::1]:{port}/"), VisitEnd::PrivateHost),
        (format!("http://[::ffff:127.0.0.1]:{port}/"), VisitEnd::PrivateHost),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), VisitEnd::PrivateHost),
        // A name that an attacker lets resolve to this machine.
        ("http://cafe.example/".to_owned(), VisitEnd::PrivateName),
    ] {
        assert_eq!(public().visit(&link(&url)).await.end, end, "{url}");
    }
    assert!(site.requests().is_empty(), "{:?}", site.lines());
    let allowed = checker_of(knowing("cafe.example", own, anywhere()));
    assert_eq!(allowed.visit(&link("http://cafe.example/")).await.end, VisitEnd::Status(200));
}

#[tokio::test]
async fn a_redirect_to_a_private_host_is_not_followed() {
    let site = LinkSite::start();
    let trusted = vec!["cafe.example".to_owned()];
    let trusting = PublicOnlyResolver { trusted, ..PublicOnlyResolver::default() };
    let checker = checker_of(knowing("cafe.example", site.address(), trusting));
    assert_eq!(checker.visit(&link("http://cafe.example/menu")).await.end, VisitEnd::Status(200));
    for (path, to) in [
        ("/to-private", "http://10.0.0.1/"),
        ("/to-metadata", "http://169.254.169.254/latest/meta-data/"),
        ("/permanent", &site.url("/menu")),
    ] {
        let visit = checker.visit(&link(&format!("http://cafe.example{path}"))).await;
        assert_eq!((visit.end, visit.hops[0].to.as_str()), (VisitEnd::PrivateHost, to), "{path}");
    }
    assert_eq!(site.requests().len(), 4);
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_no_host() {
    // Too long a name for any name server to be asked.
    let url = format!("http://{}.example/", "a".repeat(64));
    let visit = checker().visit(&link(&url)).await;
    assert_eq!(visit.end, VisitEnd::NoHost);
}

#[tokio::test]
async fn all_links_are_visited_in_order_and_reported_as_they_end() {
    let site = LinkSite::start();
    let paths = ["/menu", "/status/404", "/permanent", "/status/410"];
    let links = paths.iter().map(|path| link(&site.url(path))).collect();
    let reported = std::cell::Cell::new(0);
    let visits = checker().visit_all(links, || reported.set(reported.get() + 1)).await;
    let ends: Vec<_> = visits.iter().map(|it| it.end.clone()).collect();
    assert_eq!(ends, [200, 404, 200, 410].map(VisitEnd::Status));
    assert_eq!(reported.get(), 4);
}
