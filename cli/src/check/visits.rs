//! Verdicts on links: from the cache, or from their sites.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use links_sdk::Clock;
use links_sdk::public_hosts::PublicOnlyResolver;

use super::web::checker::LinkChecker;
use super::web::judge::judge;
use super::web::link::{WebLink, read_link};
use super::web::verdict::{Judgement, Verdict};
use super::web::visit::{NETWORK_UNREACHABLE, Visit, VisitEnd};
use crate::cache::link_visits::{FineLink, LinkVisits};
use crate::context::{Context, clock};
use crate::error::CommandError;
use crate::error::exit_code::Exit;

// How links are checked. Not a doc comment, which clap would print above the help of the command.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct VisitOptions {
    /// Note certificates that end within this number of days
    #[arg(long, value_name = "N", default_value_t = 14)]
    tls_days: u32,
    /// Also ask private hosts: this machine and its network
    #[arg(long, hide_short_help = true)]
    allow_private: bool,
    /// Request every link, also those that were fine within the last 24 hours
    #[arg(long, hide_short_help = true)]
    fresh: bool,
}

/// Verdicts on links.
#[derive(Debug, Default)]
pub(crate) struct LinkVerdicts {
    by_text: HashMap<String, (Judgement, bool)>,
    /// Number of URLs that were requested.
    pub(crate) requested: usize,
}

impl LinkVerdicts {
    /// Returns the verdict on a link, and whether it is from the cache.
    pub(crate) fn of(&self, url: &str) -> Option<&(Judgement, bool)> {
        self.by_text.get(url)
    }

    /// Judges links. Those that differ in their fragments alone are requested once.
    pub(crate) async fn read(
        context: &Context,
        urls: impl Iterator<Item = &str>,
        options: VisitOptions,
    ) -> Result<Self, CommandError> {
        let clock = clock();
        let mut verdicts = Self::default();
        let mut web: Vec<(String, WebLink)> = Vec::new();
        for url in urls {
            match read_link(url) {
                Err(judgement) => {
                    verdicts.by_text.insert(url.to_owned(), (judgement, false));
                }
                Ok(link) => web.push((url.to_owned(), link)),
            }
        }
        let cache_file = cache_file(context);
        let mut cache = match &cache_file {
            Some(path) => LinkVisits::load(path, clock.wall()),
            None => LinkVisits::default(),
        };
        let mut visits: HashMap<String, (Visit, bool)> = HashMap::new();
        let mut missing: Vec<WebLink> = Vec::new();
        for (_, link) in &web {
            let url = link.requested();
            if visits.contains_key(url) {
                continue;
            }
            let known = cache.get(url, options.allow_private).filter(|_| !options.fresh);
            if known.is_none() {
                missing.push(link.clone());
            }
            let visit = known.map_or_else(|| Visit::ended(VisitEnd::SilentHost), of_cache);
            visits.insert(url.to_owned(), (visit, known.is_some()));
        }
        verdicts.requested = missing.len();
        let found = visit(context, missing.clone(), options, clock.clone()).await?;
        if is_offline(&found, &*clock).await {
            let message = "no network: the links were not checked, and nothing was written";
            return Err(CommandError::new(Exit::Network, message).with_hint(
                "connect this machine, or set HTTPS_PROXY, and run the same command again",
            ));
        }
        let now = clock.wall();
        for (link, visit) in missing.iter().zip(found) {
            remember(&mut cache, link, &visit, now, options);
            visits.insert(link.requested().to_owned(), (visit, false));
        }
        if let Some(path) = cache_file.filter(|_| verdicts.requested > 0) {
            // Without the file the next check costs requests, nothing else.
            let _ = cache.store(&path);
        }
        for (text, link) in web {
            if let Some((visit, is_cached)) = visits.get(link.requested()) {
                let judgement = judge(&link, visit, now, options.tls_days);
                verdicts.by_text.insert(text, (judgement, *is_cached));
            }
        }
        Ok(verdicts)
    }
}

/// Requests links, with a progress display.
async fn visit(
    context: &Context,
    links: Vec<WebLink>,
    options: VisitOptions,
    clock: Arc<dyn Clock>,
) -> Result<Vec<Visit>, CommandError> {
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let resolver =
        PublicOnlyResolver { trusts_all: options.allow_private, ..PublicOnlyResolver::default() };
    let checker = LinkChecker::new(resolver, true, clock).map_err(|error| {
        CommandError::new(Exit::Internal, format!("links cannot be checked: {error}"))
            .with_hint("SSL_CERT_FILE names a file with the certificates to trust")
    })?;
    let progress = context.ui.progress(links.len());
    progress.now("links");
    Ok(checker.visit_all(links, || progress.step()).await)
}

/// Keeps a link that is fine. One that has moved for good is requested again, because its target may be a secret; so is one that is not
/// fine, because it may be by now.
fn remember(
    cache: &mut LinkVisits,
    link: &WebLink,
    visit: &Visit,
    now: SystemTime,
    options: VisitOptions,
) {
    let (url, allow_private) = (link.requested(), options.allow_private);
    let judgement = judge(link, visit, now, options.tls_days);
    if judgement.verdict == Verdict::Fine && judgement.moved_to().is_none() {
        let fine = FineLink::new(now, visit.certificate_ends, visit.works_with_https);
        cache.add(url, allow_private, fine);
    } else {
        cache.remove(url, allow_private);
    }
}

fn of_cache(link: &FineLink) -> Visit {
    Visit {
        certificate_ends: link.certificate_ends(),
        works_with_https: link.works_with_https,
        ..Visit::ended(VisitEnd::Status(200))
    }
}

/// A name that every resolver of the internet knows (RFC 2606).
const KNOWN_NAME: &str = "example.com";

/// How long the answer to that name may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns whether this machine has no network: no site showed a sign of one, and a name that exists is unknown, too.
async fn is_offline(visits: &[Visit], clock: &dyn Clock) -> bool {
    let mut asked = visits.iter().filter(|it| it.end != VisitEnd::PrivateHost).peekable();
    if asked.peek().is_none() || asked.any(shows_network) {
        return false;
    }
    #[cfg(debug_assertions)]
    if let Some(is_online) = crate::testing::is_online() {
        return !is_online;
    }
    let end = clock.monotonic() + PATIENCE;
    tokio::select! {
        found = tokio::net::lookup_host((KNOWN_NAME, 0)) => found.is_err(),
        () = clock.until(end) => true,
    }
}

/// Returns whether something answered, be it the resolver alone.
fn shows_network(visit: &Visit) -> bool {
    match &visit.end {
        VisitEnd::NoHost
        | VisitEnd::NameUnresolved
        | VisitEnd::Timeout
        | VisitEnd::SilentHost
        | VisitEnd::PrivateHost => !visit.hops.is_empty(),
        VisitEnd::Connection(why) => !visit.hops.is_empty() || why != NETWORK_UNREACHABLE,
        _ => true,
    }
}

/// Path of the cache file, which all services share.
fn cache_file(context: &Context) -> Option<PathBuf> {
    Some(context.settings.cache_directory()?.join("links.json"))
}
