//! Requests of many links at once, each with its redirects, and what is known about the hosts on the way.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::stream::{self, StreamExt};
use links_sdk::Clock;
use links_sdk::public_hosts::{PublicOnlyResolver, retry_after};
use reqwest::header::{LOCATION, RANGE, SET_COOKIE};
use reqwest::{Method, Response};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::link::{MAX_BYTES, WebLink};
use super::outbound::{CONNECT, Outbound};
use super::visit::{Hop, Visit, VisitEnd, certificate_end, end_of};

/// Time limit of all requests for a link, without the time in which it waits for others or for the site.
const WHOLE: Duration = Duration::from_secs(20);

/// Part of the time left that HEAD may take. The rest is for GET, because some sites never answer HEAD.
const HEAD_PART: u32 = 4;

/// Longest wait that a site can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Number of redirects that are followed.
const REDIRECTS: usize = 10;

/// Number of requests at a time.
const AT_ONCE: usize = 16;

/// Number of links that wait for their turn at a time. Each costs memory, and a page that others wrote can have very many.
const UNDER_WAY: usize = 2000;

/// Requests links: 16 at once, 2 to a host, each for at most 20 seconds; at most 10 redirects. Sends no token and no cookie, reads no
/// body, and asks no private host, unless its resolver allows it. A host that leaves 3 requests in a row without an answer is not asked again,
/// nor is one that took 10 minutes for all of its requests.
pub(crate) struct LinkChecker {
    outbound: Outbound,
    /// Hosts by name and port.
    hosts: RefCell<HashMap<String, Rc<HostState>>>,
    /// One permit for each request at a time.
    requests: Semaphore,
    clock: Arc<dyn Clock>,
}

impl LinkChecker {
    /// Creates a checker; an error means that the certificates of the system cannot be read. With `system_proxy` requests go through the
    /// proxy that the system names.
    pub(crate) fn new(
        resolver: PublicOnlyResolver,
        system_proxy: bool,
        clock: Arc<dyn Clock>,
    ) -> io::Result<Self> {
        Ok(Self {
            outbound: Outbound::new(resolver, system_proxy)?,
            hosts: RefCell::default(),
            requests: Semaphore::new(AT_ONCE),
            clock,
        })
    }

    /// Requests one link.
    pub(crate) async fn visit(&self, link: &WebLink) -> Visit {
        let visit = SingleVisit {
            checker: self,
            time_left: WHOLE,
            has_waited: false,
            certificate_ends: None,
        };
        visit.run(link).await
    }

    /// Requests links, and calls `done` when a visit has ended. Returns the visits in the order of the links. Dropping the future ends all
    /// requests.
    pub(crate) async fn visit_all(&self, links: Vec<WebLink>, done: impl Fn()) -> Vec<Visit> {
        let done = &done;
        let visit = |link: WebLink| async move {
            let visit = self.visit(&link).await;
            done();
            visit
        };
        stream::iter(links).map(visit).buffered(UNDER_WAY).collect().await
    }

    /// Returns what is known about the host of a URL.
    fn host(&self, url: &Url) -> Rc<HostState> {
        let host = url.host_str().unwrap_or_default();
        let name = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        self.hosts.borrow_mut().entry(name).or_default().clone()
    }
}

/// An answer, whose body is not read.
struct SiteAnswer {
    status: u16,
    location: Option<Vec<u8>>,
    sets_cookie: bool,
    wait: Option<Duration>,
}

/// A visit that is under way.
struct SingleVisit<'c> {
    checker: &'c LinkChecker,
    time_left: Duration,
    has_waited: bool,
    certificate_ends: Option<SystemTime>,
}

impl SingleVisit<'_> {
    /// Requests a link, and what it redirects to.
    async fn run(mut self, link: &WebLink) -> Visit {
        let mut hops = Vec::new();
        let end = match self.follow(link.url.clone(), &mut hops).await {
            Ok(status) => VisitEnd::Status(status),
            Err(end) => end,
        };
        // The question about https is not on the way.
        let certificate_ends = self.certificate_ends;
        let works_with_https =
            matches!(end, VisitEnd::Status(200..=299)) && self.works_with_https(link, &hops).await;
        Visit { hops, end, certificate_ends, works_with_https }
    }

    /// Follows the redirects, and returns the status at their end.
    async fn follow(&mut self, mut url: Url, hops: &mut Vec<Hop>) -> Result<u16, VisitEnd> {
        let mut seen = HashSet::from([url.clone()]);
        loop {
            let answer = self.ask(&url).await?;
            let is_redirect = matches!(answer.status, 301 | 302 | 303 | 307 | 308);
            let Some(location) = answer.location.filter(|_| is_redirect) else {
                return Ok(answer.status);
            };
            if location.len() > MAX_BYTES {
                return Err(VisitEnd::RedirectUnreadable);
            }
            let location = String::from_utf8_lossy(&location);
            let target = url.join(&location).map_err(|_| VisitEnd::RedirectUnreadable)?;
            let scheme = target.scheme().to_owned();
            let to = WebLink::of(target).ok_or(VisitEnd::RedirectScheme(scheme))?;
            let mut shown = to.url.clone();
            shown.set_fragment(to.fragment.as_deref());
            hops.push(Hop {
                status: answer.status,
                to: shown,
                sets_cookie: answer.sets_cookie,
                had_credentials: to.had_credentials,
            });
            if !seen.insert(to.url.clone()) {
                return Err(VisitEnd::RedirectLoop);
            }
            if hops.len() > REDIRECTS {
                return Err(VisitEnd::TooManyRedirects);
            }
            url = to.url;
        }
    }

    /// Requests one URL, whatever it redirects to.
    async fn ask(&mut self, url: &Url) -> Result<SiteAnswer, VisitEnd> {
        let host = self.checker.host(url);
        let _permit = permit(&host.permits).await;
        if let Some(end) = host.is_given_up() {
            return Err(end);
        }
        let mut answer = self.head_or_get(&host, url).await?;
        if let Some(wait) = answer.wait.filter(|wait| *wait <= LONGEST_WAIT)
            && !self.has_waited
        {
            self.has_waited = true;
            self.checker.clock.sleep(wait).await;
            host.spend(wait);
            answer = self.head_or_get(&host, url).await?;
        }
        if answer.wait.is_some() {
            host.turned_away.set(Some(answer.status));
        }
        Ok(answer)
    }

    /// Requests one URL with HEAD, and with GET where the site refuses HEAD or does not answer it.
    async fn head_or_get(&mut self, host: &HostState, url: &Url) -> Result<SiteAnswer, VisitEnd> {
        let mut answer = self.request(host, Method::HEAD, url, self.time_left / HEAD_PART).await;
        let is_refused = match &answer {
            Ok(answer) => matches!(answer.status, 403 | 404 | 405 | 501 | 500..=599),
            Err((VisitEnd::Timeout, _)) => true,
            Err((end, is_connected)) => *is_connected && matches!(end, VisitEnd::Connection(_)),
        };
        if is_refused {
            answer = self.request(host, Method::GET, url, self.time_left).await;
        }
        answer.map_err(|(end, _)| end)
    }

    /// Sends one request, and reads the head of its answer, for which there is so much time. Without one, returns also whether the site was
    /// reached.
    async fn request(
        &mut self,
        host: &HostState,
        method: Method,
        url: &Url,
        time: Duration,
    ) -> Result<SiteAnswer, (VisitEnd, bool)> {
        let client = self.checker.outbound.client(url).ok_or((VisitEnd::PrivateHost, false))?;
        let is_get = method == Method::GET;
        let mut request = client.request(method, url.clone());
        if is_get {
            request = request.header(RANGE, "bytes=0-0");
        }
        let sent = {
            let _permit = permit(&self.checker.requests).await;
            let start = Instant::now();
            let sent = timeout_at(start + time, request.send()).await;
            let taken = start.elapsed();
            self.time_left = self.time_left.saturating_sub(taken);
            host.spend(taken);
            sent
        };
        let answer = match sent {
            Ok(Ok(response)) => Ok(self.read(&response)),
            Ok(Err(error)) => Err((end_of(&error), !error.is_connect())),
            // The connection has a limit of its own, so it was made by then.
            Err(_) if time > CONNECT => Err((VisitEnd::NoAnswer, true)),
            Err(_) => Err((VisitEnd::Timeout, false)),
        };
        host.note(answer.as_ref().err().map(|(end, _)| end), time);
        answer
    }

    /// Reads the head of an answer. Without its body the connection is closed.
    fn read(&mut self, response: &Response) -> SiteAnswer {
        let tls = response.extensions().get::<reqwest::tls::TlsInfo>();
        let end = tls.and_then(|tls| certificate_end(tls.peer_certificate()?));
        self.certificate_ends = self.certificate_ends.into_iter().chain(end).min();
        let headers = response.headers();
        let status = response.status().as_u16();
        let is_busy = matches!(status, 429 | 503);
        let wait = is_busy.then(|| retry_after(headers, self.checker.clock.wall())).flatten();
        SiteAnswer {
            status,
            location: headers.get(LOCATION).map(|value| value.as_bytes().to_vec()),
            sets_cookie: headers.contains_key(SET_COOKIE),
            wait,
        }
    }

    /// Tells whether a link that is http could be https. A port that is named is that of http alone.
    async fn works_with_https(&mut self, link: &WebLink, hops: &[Hop]) -> bool {
        let mut url = link.url.clone();
        if url.scheme() != "http" || url.port().is_some() || url.set_scheme("https").is_err() {
            return false;
        }
        match hops.last() {
            Some(last) => last.to == url,
            None => match self.ask(&url).await {
                Ok(answer) => matches!(answer.status, 200..=299),
                Err(_) => false,
            },
        }
    }
}

async fn permit(of: &Semaphore) -> SemaphorePermit<'_> {
    of.acquire().await.expect("the semaphores are never closed")
}

/// Number of requests that a host gets at once.
const PER_HOST: usize = 2;

/// Number of requests in a row without an answer after which a host is not asked any more.
const MISSES: u32 = 3;

/// Time within which a host has to answer. One that was given less, because others have used it up or GET follows, has not missed a request.
const FAIR: Duration = Duration::from_secs(10);

/// Time that a host may take for all of its requests, with the waits it asks for. Requests at the same time count each. Without this limit a
/// slow host could hold a check for as long as a page has links.
const PER_HOST_TIME: Duration = Duration::from_secs(10 * 60);

/// What is known about a host.
struct HostState {
    permits: Semaphore,
    misses: Cell<u32>,
    /// Time that it took so far.
    spent: Cell<Duration>,
    /// Status with which it turned a request away although it was waited for.
    turned_away: Cell<Option<u16>>,
}

impl Default for HostState {
    fn default() -> Self {
        Self {
            permits: Semaphore::new(PER_HOST),
            misses: Cell::default(),
            spent: Cell::default(),
            turned_away: Cell::default(),
        }
    }
}

impl HostState {
    /// Returns the end of a visit to a host that is not asked any more.
    fn is_given_up(&self) -> Option<VisitEnd> {
        let is_silent = self.misses.get() >= MISSES;
        let is_slow = self.spent.get() >= PER_HOST_TIME;
        let turned_away = self.turned_away.get().map(VisitEnd::Status);
        turned_away
            .or(is_silent.then_some(VisitEnd::SilentHost))
            .or(is_slow.then_some(VisitEnd::SlowHost))
    }

    /// Adds to the time that the host took.
    fn spend(&self, time: Duration) {
        self.spent.set(self.spent.get().saturating_add(time));
    }

    /// Notes the result of a request for which there was so much time.
    fn note(&self, end: Option<&VisitEnd>, time: Duration) {
        match end {
            Some(VisitEnd::Timeout) if time < FAIR => {}
            Some(VisitEnd::Timeout | VisitEnd::NoAnswer | VisitEnd::Connection(_)) => {
                self.misses.set(self.misses.get() + 1);
            }
            Some(_) => {}
            None => self.misses.set(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::checker;
    use super::*;

    #[test]
    fn a_host_that_does_not_answer_is_given_up() {
        let checker = checker();
        let of = |url: &str| checker.host(&Url::parse(url).unwrap());
        let host = of("https://qara.example/menu");
        for _ in 1..MISSES {
            host.note(Some(&VisitEnd::Timeout), FAIR);
        }
        host.note(Some(&VisitEnd::NoHost), FAIR);
        host.note(Some(&VisitEnd::Timeout), FAIR / 2);
        assert_eq!(host.is_given_up(), None);
        host.note(None, FAIR);
        for _ in 0..MISSES {
            assert_eq!(host.is_given_up(), None);
            host.note(Some(&VisitEnd::Connection("refused".to_owned())), FAIR);
        }
        assert_eq!(of("https://QARA.example:443/").is_given_up(), Some(VisitEnd::SilentHost));
        assert_eq!(of("https://qara.example:444/").is_given_up(), None);
        let slow = of("http://slow.example/");
        slow.spend(PER_HOST_TIME.saturating_sub(Duration::from_secs(1)));
        assert_eq!(slow.is_given_up(), None);
        slow.spend(Duration::from_secs(1));
        assert_eq!(slow.is_given_up(), Some(VisitEnd::SlowHost));
        let busy = of("http://busy.example/");
        busy.turned_away.set(Some(429));
        assert_eq!(busy.is_given_up(), Some(VisitEnd::Status(429)));
    }
}
