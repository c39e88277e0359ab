//! Verdicts on links: from the cache, or from their sites.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use clap::Args;
use links_sdk::Clock;
use links_sdk::public_hosts::PublicOnlyResolver;
use serde::{Deserialize, Serialize};

use super::web::checker::LinkChecker;
use super::web::judge::judge;
use super::web::link::{WebLink, read_link};
use super::web::verdict::{Judgement, Verdict};
use super::web::visit::{NETWORK_UNREACHABLE, Visit, VisitEnd};
use crate::cache::{is_recent, load_own, seconds, store_own};
use crate::context::clock;
use crate::context::prelude::*;
use links_pages::page_file::local_image::hash_of;

// How links are checked. Not a doc comment, which clap would print above the help of the command.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct VisitOptions {
    /// Warn about certificates that expire within N days
    #[arg(long, value_name = "N", default_value_t = 14)]
    tls_days: u32,
    /// Also check private hosts: this machine and its network
    #[arg(long, hide_short_help = true)]
    allow_private: bool,
    /// Ignore the cache of the last 24 hours
    #[arg(long, hide_short_help = true)]
    fresh: bool,
}

/// Verdict on each link, and whether it is from the cache.
pub(crate) type LinkVerdicts = HashMap<String, (Judgement, bool)>;

/// Judges links, and returns how many URLs were requested. Those that differ in their fragments alone are requested once.
pub(crate) async fn verdicts(
    context: &Context,
    urls: impl Iterator<Item = &str>,
    options: VisitOptions,
) -> Result<(LinkVerdicts, usize)> {
    let clock = clock();
    let mut verdicts = LinkVerdicts::default();
    let mut web: Vec<(&str, WebLink)> = Vec::new();
    for url in urls {
        match read_link(url) {
            Err(judgement) => {
                verdicts.insert(url.to_owned(), (judgement, false));
            }
            Ok(link) => web.push((url, link)),
        }
    }
    // All services share the file.
    let cache_file = context.settings.cache_directory().map(|path| path.join("links.json"));
    let fine = cache_file.as_deref().map(|path| load_fine(path, clock.wall()));
    let mut fine = fine.unwrap_or_default();
    let key = |url: &str| key(url, options.allow_private);
    let mut visits: HashMap<&str, (Visit, bool)> = HashMap::new();
    let mut missing: Vec<WebLink> = Vec::new();
    let mut seen = HashSet::new();
    for (_, link) in &web {
        let url = link.requested();
        if !seen.insert(url) {
            continue;
        }
        match fine.get(&key(url)).filter(|_| !options.fresh) {
            Some(known) => {
                visits.insert(url, (known.visit(), true));
            }
            None => missing.push(link.clone()),
        }
    }
    let requested = missing.len();
    let found = visit(context, missing.clone(), options, clock.clone()).await?;
    if is_offline(&found, &*clock).await {
        let message = "no network: the links were not checked, and nothing was written";
        return Err(CommandError::new(Exit::Network, message).with_hint(
            "connect to the network or set HTTPS_PROXY, then run the same command again",
        ));
    }
    for (link, visit) in missing.iter().zip(found) {
        visits.insert(link.requested(), (visit, false));
    }
    let now = clock.wall();
    for (text, link) in &web {
        let Some((visit, is_cached)) = visits.get(link.requested()) else { continue };
        let judgement = judge(link, visit, now, options.tls_days);
        // One that has moved for good is requested again, because its target may be a secret; so is one that is not fine, because it may be
        // by now.
        if !is_cached && judgement.verdict == Verdict::Fine && judgement.moved_to.is_none() {
            fine.insert(key(link.requested()), FineLink::new(visit, now));
        } else if !is_cached {
            fine.remove(&key(link.requested()));
        }
        verdicts.insert((*text).to_owned(), (judgement, *is_cached));
    }
    if let Some(path) = cache_file.filter(|_| requested > 0) {
        // Without the file the next check costs requests, nothing else.
        let _ = store_own(&path, &fine);
    }
    Ok((verdicts, requested))
}

/// Requests links, with a progress display.
async fn visit(
    context: &Context,
    links: Vec<WebLink>,
    options: VisitOptions,
    clock: Arc<dyn Clock>,
) -> Result<Vec<Visit>> {
    if links.is_empty() {
        return Ok(Vec::new());
    }
    let resolver =
        PublicOnlyResolver { trusts_all: options.allow_private, ..PublicOnlyResolver::default() };
    let checker = LinkChecker::new(resolver, true, clock).map_err(|error| {
        CommandError::internal(format!("cannot check links: {error}"))
            .with_hint("set SSL_CERT_FILE to a file that contains the certificates to trust")
    })?;
    let progress = context.ui.progress(links.len());
    progress.now("checking links");
    Ok(checker.visit_all(links, || progress.step()).await)
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

/// Loads the links that were fine within the last day, by the hash of their URL. The file holds no URL, because a URL may be a secret.
fn load_fine(path: &Path, now: SystemTime) -> BTreeMap<String, FineLink> {
    let mut fine: BTreeMap<String, FineLink> = load_own(path).unwrap_or_default();
    fine.retain(|_, link| is_recent(link.at, now));
    fine
}

/// What is known about a link that was fine.
#[derive(Serialize, Deserialize)]
struct FineLink {
    /// Time of the visit in seconds since 1970.
    at: u64,
    /// Time at which the certificate ends.
    certificate_ends: Option<SystemTime>,
    /// The same URL with https works.
    works_with_https: bool,
}

impl FineLink {
    fn new(visit: &Visit, now: SystemTime) -> Self {
        let Visit { certificate_ends, works_with_https, .. } = *visit;
        Self { at: seconds(now), certificate_ends, works_with_https }
    }

    /// Returns the visit as far as it is known.
    fn visit(&self) -> Visit {
        let Self { certificate_ends, works_with_https, .. } = *self;
        Visit { certificate_ends, works_with_https, ..Visit::ended(VisitEnd::Status(200)) }
    }
}

/// Returns the key of a URL. What a check with private hosts found counts for such a check alone.
fn key(url: &str, allow_private: bool) -> String {
    let scope = if allow_private { "private " } else { "" };
    let mut hash = hash_of(format!("{scope}{url}").as_bytes());
    hash.truncate(32);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://qara.example/?invite=a-secret";

    fn at(hours: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + hours * 3600)
    }

    #[test]
    fn a_fine_link_is_known_for_a_day_and_its_url_is_not_stored() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/links.json");
        let mut fine = load_fine(&path, at(0));
        let visit = Visit {
            certificate_ends: Some(at(1000)),
            works_with_https: true,
            ..Visit::ended(VisitEnd::Status(200))
        };
        fine.insert(key(URL, false), FineLink::new(&visit, at(1)));
        store_own(&path, &fine).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("qara") && !text.contains("a-secret"), "{text}");
        for (hours, is_known) in [(0, false), (1, true), (24, true), (25, false)] {
            let fine = load_fine(&path, at(hours));
            let found = fine.get(&key(URL, false)).map(FineLink::visit);
            assert_eq!(found, is_known.then(|| visit.clone()), "{hours}");
            assert!(!fine.contains_key(&key(URL, true)));
        }
    }

    #[test]
    fn a_host_that_was_reached_shows_that_there_is_a_network() {
        for (end, expected) in [
            (VisitEnd::Timeout, false),
            (VisitEnd::SilentHost, false),
            (VisitEnd::NoAnswer, true),
            (VisitEnd::SlowHost, true),
        ] {
            assert_eq!(shows_network(&Visit::ended(end.clone())), expected, "{end:?}");
        }
    }

    #[test]
    fn an_invalid_file_is_ignored() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("links.json");
        for text in [
            "",
            "[]",
            "{\"by\": 1}",
            "{\"by\": \"0.0.0-other\", \"content\": {\"a\": {\"at\": 1}}}",
        ] {
            std::fs::write(&path, text).unwrap();
            assert!(load_fine(&path, at(0)).is_empty(), "{text}");
        }
    }
}
