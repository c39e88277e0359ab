//! HTTP clients for sites that others chose: without a token, cookies, redirects of their own and answers that are unpacked.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use links_sdk::public_hosts::{PublicOnlyResolver, is_loopback, is_private_url, system_config};
use reqwest::redirect::Policy;
use url::{Host, Url};

/// Time limit of making a connection: the lookup of the name, and the handshakes.
pub(super) const CONNECT: Duration = Duration::from_secs(10);

/// How long a connection waits for another request. A check asks many hosts, and most of them once.
const IDLE: Duration = Duration::from_secs(2);

/// What sites see as the program that asks.
const USER_AGENT: &str =
    concat!("Mozilla/5.0 (compatible; links/", env!("CARGO_PKG_VERSION"), "; link check)");

/// Last labels of names that only a local network resolves (RFC 6761, RFC 6762, RFC 8375 and the reserved `internal`).
const LOCAL_NAMES: [&str; 5] = ["localhost", "local", "internal", "home.arpa", "lan"];

/// HTTP clients with and without the proxy of the system.
pub(super) struct Outbound {
    direct: reqwest::Client,
    proxied: Option<reqwest::Client>,
    proxies: Option<Matcher>,
    allow_private: bool,
}

impl Outbound {
    /// Creates the clients. With `system_proxy` requests go through the proxy that the system names for their URL.
    pub(super) fn new(resolver: PublicOnlyResolver, system_proxy: bool) -> io::Result<Self> {
        let tls = system_config().map_err(io::Error::other)?;
        let builder = || {
            reqwest::Client::builder()
                .user_agent(USER_AGENT)
                .tls_backend_preconfigured(tls.clone())
                .tls_info(true)
                .redirect(Policy::none())
                .retry(reqwest::retry::never())
                .referer(false)
                .no_gzip()
                .pool_max_idle_per_host(1)
                .pool_idle_timeout(IDLE)
                .connect_timeout(CONNECT)
        };
        let allow_private = resolver.trusts_all;
        let proxies = system_proxy.then(Matcher::from_system);
        let proxied = proxies.as_ref().map(|proxies| {
            // It looks up the proxies, and nothing else that is private.
            let trusted = names_of(proxies);
            builder()
                .dns_resolver(Arc::new(PublicOnlyResolver { trusted, ..resolver.clone() }))
                .build()
        });
        let direct = builder().no_proxy().dns_resolver(Arc::new(resolver));
        Ok(Self {
            direct: direct.build().map_err(io::Error::other)?,
            proxied: proxied.transpose().map_err(io::Error::other)?,
            proxies,
            allow_private,
        })
    }

    /// Returns the client for a URL; `None` if it names a private host.
    pub(super) fn client(&self, url: &Url) -> Option<&reqwest::Client> {
        if !self.allow_private && is_private_link(url) {
            return None;
        }
        let proxy = match &self.proxies {
            Some(proxies) if !is_loopback(url) => {
                url.as_str().parse::<Uri>().ok().and_then(|uri| proxies.intercept(&uri))
            }
            _ => None,
        };
        // The proxy itself is a host of the local network.
        let is_proxy = |host: &str| url.host_str().is_some_and(|it| it.eq_ignore_ascii_case(host));
        if let Some(proxy) = &proxy
            && !self.allow_private
            && proxy.uri().host().is_some_and(is_proxy)
        {
            return None;
        }
        proxy.and(self.proxied.as_ref()).or(Some(&self.direct))
    }
}

/// Returns the names of the proxies.
fn names_of(proxies: &Matcher) -> Vec<String> {
    let urls =
        [Uri::from_static("http://links.example/"), Uri::from_static("https://links.example/")];
    urls.iter().filter_map(|url| Some(proxies.intercept(url)?.uri().host()?.to_owned())).collect()
}

/// Returns whether a URL names a private host, as far as that shows without a lookup.
fn is_private_link(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => is_private_url(url),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            let is_local = |local: &str| {
                name.strip_suffix(local).is_some_and(|it| it.is_empty() || it.ends_with('.'))
            };
            !name.contains('.') || LOCAL_NAMES.iter().any(|local| is_local(local))
        }
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_hosts_are_recognised_however_they_are_written() {
        for (host, expected) in [
            ("qara.example", false),
            ("93.184.215.14", false),
            ("[2606:2800:21f:cb07:6820:80da:af6b:8b2c]", false),
            ("thelocal.example", false),
            ("127.0.0.1", true),
            ("2130706433", true),
            ("0x7f.1", true),
            ("0177.0.0.1", true),
            ("127.1", true),
            ("0", true),
            ("10.1.2.3", true),
            ("169.254.169.254", true),
            ("100.100.100.200", true),
            ("224.0.0.1", true),
            ("255.255.255.255", true),
            ("[::1]", true),
            ("[::]", true),
            ("[fd00::1]", true),
            ("[fe80::1]", true),
            ("[ff02::1]", true),
            ("[::ffff:127.0.0.1]", true),
            ("[64:ff9b::7f00:1]", true),
            ("[64:ff9b:1::7f00:1]", true),
            ("[2002:7f00:1::]", true),
            ("[2001:0:1::1]", true),
            ("[fec0::1]", true),
            ("localhost", true),
            ("LOCALHOST.", true),
            ("a.localhost", true),
            ("printer.local", true),
            ("metadata.google.internal", true),
            ("router.home.arpa", true),
            ("intranet", true),
            ("１２７.０.０.１", true),
        ] {
            let url = Url::parse(&format!("http://{host}/")).unwrap();
            assert_eq!(is_private_link(&url), expected, "{host}");
        }
    }
}
