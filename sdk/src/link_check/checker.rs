//! Requests of many links at once.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::link::WebLink;
use super::outbound::Outbound;
use super::single_visit::{HostTable, SingleVisit, Surroundings};
use super::visit::{Visit, VisitEnd};
use crate::private_host::PublicOnlyResolver;
use crate::transport::clock::{Clock, SystemClock};

/// Number of requests at a time.
const AT_ONCE: usize = 16;

/// Number of links that wait for their turn at a time. Each costs memory, and a page that others wrote can have very many.
const UNDER_WAY: usize = 2000;

/// Requests links: 16 at once, 2 to a host, each for at most 20 seconds; at most 10 redirects. Sends no token and no cookie, reads no
/// body, and asks no private host. A host that leaves 3 requests in a row without an answer is not asked again.
#[derive(Clone, Debug)]
pub struct LinkChecker(Arc<CheckerState>);

#[derive(Debug)]
struct CheckerState {
    outbound: Outbound,
    hosts: HostTable,
    requests: Semaphore,
    clock: Arc<dyn Clock>,
}

/// Settings of a [`LinkChecker`].
#[derive(Clone, Debug)]
pub struct LinkCheckerBuilder {
    resolver: PublicOnlyResolver,
    system_proxy: bool,
    clock: Option<Arc<dyn Clock>>,
}

impl LinkChecker {
    /// Returns the default settings.
    pub fn builder() -> LinkCheckerBuilder {
        LinkCheckerBuilder {
            resolver: PublicOnlyResolver::default(),
            system_proxy: true,
            clock: None,
        }
    }

    /// Requests one link.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use links_sdk::link_check::{LinkChecker, LinkKind, VisitEnd, read_link};
    ///
    /// let checker = LinkChecker::builder().build()?;
    /// // A private host is not asked, unless the builder allows it.
    /// let LinkKind::Web(link) = read_link("http://127.0.0.1/menu") else { return Err("no link of the web".into()) };
    /// assert_eq!(checker.visit(&link).await.end, VisitEnd::PrivateHost);
    /// # Ok(()) }
    /// ```
    pub async fn visit(&self, link: &WebLink) -> Visit {
        let CheckerState { outbound, hosts, requests, clock } = &*self.0;
        let all = Surroundings { outbound, hosts, requests, clock: &**clock };
        SingleVisit::new(all).run(link).await
    }

    /// Requests links, and calls `done` with the index of each when its visit has ended. Returns the visits in the order of the links.
    /// Must run on a tokio runtime. Dropping the future ends all requests.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use links_sdk::link_check::{LinkChecker, LinkKind, read_link};
    ///
    /// let checker = LinkChecker::builder().build()?;
    /// let texts = ["https://cafe.example/menu", "mailto:hi@cafe.example", "https://cafe.example/jobs"];
    /// let links = texts.into_iter().filter_map(|text| match read_link(text) {
    ///     LinkKind::Web(link) => Some(link),
    ///     LinkKind::Judged(_) => None,
    /// });
    /// let visits = checker.visit_all(links.collect(), |nth, visit| println!("{nth}: {:?}", visit.end)).await;
    /// assert_eq!(visits.len(), 2);
    /// # Ok(()) }
    /// ```
    pub async fn visit_all(
        &self,
        links: Vec<WebLink>,
        mut done: impl FnMut(usize, &Visit),
    ) -> Vec<Visit> {
        let lost = || Visit::ended(VisitEnd::Connection("the request was lost".to_owned()));
        let mut visits: Vec<Visit> = links.iter().map(|_| lost()).collect();
        let mut waiting = links.into_iter().enumerate();
        let mut running = JoinSet::new();
        loop {
            for (nth, link) in waiting.by_ref().take(UNDER_WAY - running.len()) {
                let checker = self.clone();
                running.spawn(async move { (nth, checker.visit(&link).await) });
            }
            match running.join_next().await {
                Some(Ok((nth, visit))) => {
                    done(nth, &visit);
                    visits[nth] = visit;
                }
                Some(Err(_)) => {}
                None => return visits,
            }
        }
    }
}

impl LinkCheckerBuilder {
    /// Also asks private hosts: this machine and its network.
    #[must_use]
    pub fn allow_private(mut self, allow: bool) -> Self {
        self.resolver.trusts_all = allow;
        self
    }

    /// Lets a name resolve to a private host.
    #[must_use]
    pub fn trust(mut self, name: &str) -> Self {
        self.resolver.trusted.push(name.to_owned());
        self
    }

    /// Sets the socket address of a name, which is then not looked up. A port other than 0 is that of URLs without one.
    #[must_use]
    pub fn host(mut self, name: &str, address: SocketAddr) -> Self {
        self.resolver.known.insert(name.to_owned(), address);
        self
    }

    /// Uses no proxy, whatever the system says.
    #[must_use]
    pub fn no_proxy(mut self) -> Self {
        self.system_proxy = false;
        self
    }

    /// Sets the clock for dates and for the wait that a site asks for.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Creates the checker.
    ///
    /// # Errors
    ///
    /// When the certificates of the system cannot be read.
    pub fn build(self) -> io::Result<LinkChecker> {
        Ok(LinkChecker(Arc::new(CheckerState {
            outbound: Outbound::new(self.resolver, self.system_proxy)?,
            hosts: HostTable::default(),
            requests: Semaphore::new(AT_ONCE),
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock::new())),
        })))
    }
}
