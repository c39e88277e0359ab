//! Hosts that only this machine or its network can reach, and a resolver that leads names to public ones, for URLs that others chose.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::base_url::is_loopback;

/// Returns whether an IP address is one that only this machine or its network can reach.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

/// Returns whether the host of a URL is a private address or this machine; other names are not looked up.
pub fn is_private_url(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => is_private(address.into()),
        Some(Host::Ipv6(address)) => is_private(address.into()),
        Some(Host::Domain(_)) | None => is_loopback(url),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    // 0/8 is this network, 100.64/10 that of a provider, 192.0.0/24 and 198.18/15 are for special purposes, 240/4 is reserved.
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || matches!((first, second), (0 | 240.., _) | (100, 64..=127) | (198, 18 | 19))
        || address.octets().starts_with(&[192, 0, 0])
        || address.octets().starts_with(&[192, 88, 99])
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    // IPv4 inside IPv6: mapped, translated, through NAT64, and 6to4.
    let inner = match segments {
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => None,
    };
    // NAT64 of a network, discard-only, special purposes (2001::/23), documentation, segment routing, and site-local.
    let is_reserved = match (segments[0], segments[1]) {
        (0x64, 0xff9b) => segments[2] == 1,
        (0x100, 0) => segments[2..4] == [0, 0],
        (0x2001, 0..=0x1ff | 0xdb8) | (0x3fff, 0..=0xfff) | (0x5f00 | 0xfec0..=0xfeff, _) => true,
        _ => false,
    };
    address.is_loopback()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || address.is_multicast()
        || is_reserved
        || inner.is_some_and(is_private_v4)
}

/// A URL that a service has named, checked.
pub(crate) struct NamedUrl {
    pub(crate) url: Url,
    /// Set if the host's name may resolve to public hosts only.
    pub(crate) guarded: bool,
}

/// Reads a URL that a service at another one names: https, or http between services of this machine, or at the same origin, which the program
/// has chosen to speak to unencrypted; without a user, and not to a private host. The error does not hold the URL, which may be a secret.
pub(crate) fn named_url(text: &str, by: &Url) -> Result<NamedUrl, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it contains a user name or a password".to_owned());
    }
    let is_local = is_loopback(by);
    match url.scheme() {
        "https" => {}
        "http" if is_local && is_loopback(&url) || url.origin() == by.origin() => {}
        scheme => return Err(format!("it must be https, not {scheme}")),
    }
    let guarded = !is_local && url.host() != by.host();
    if guarded && is_private_url(&url) {
        return Err("it points to a private host".to_owned());
    }
    Ok(NamedUrl { url, guarded })
}

/// Resolver that resolves no name to a private host, except those that are trusted.
#[derive(Clone, Debug, Default)]
pub struct PublicOnlyResolver {
    /// The one name that must not, if only one is guarded: others, such as a proxy's, may resolve to any host.
    pub guarded: Option<String>,
    /// Names that may resolve to private hosts.
    pub trusted: Vec<String>,
    /// All names may resolve to private hosts.
    pub trusts_all: bool,
    /// Names that are not looked up.
    pub known: BTreeMap<String, SocketAddr>,
}

/// Reason why a name was not resolved.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// It resolves to private hosts only.
    #[error("the name resolves to a private host")]
    Private,
    /// The system cannot resolve it.
    #[error(transparent)]
    Lookup(io::Error),
}

impl Resolve for PublicOnlyResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let is = |other: &str| name.as_str().eq_ignore_ascii_case(other);
        let is_trusted = self.trusts_all
            || self.guarded.as_deref().is_some_and(|other| !is(other))
            || self.trusted.iter().any(|other| is(other));
        let known = self.known.iter().find(|(other, _)| is(other)).map(|(_, address)| *address);
        Box::pin(async move {
            let all: Vec<SocketAddr> = match known {
                Some(address) => vec![address],
                None => {
                    let found = tokio::net::lookup_host((name.as_str(), 0)).await;
                    found.map_err(NameError::Lookup)?.collect()
                }
            };
            let allowed: Vec<SocketAddr> =
                all.into_iter().filter(|it| is_trusted || !is_private(it.ip())).collect();
            if allowed.is_empty() {
                return Err(NameError::Private.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    #[test]
    fn private_and_reserved_ip_addresses_are_recognised() {
        for (text, expected) in [
            ("93.184.215.14", false),
            ("192.88.98.1", false),
            ("192.88.99.1", true),
            ("198.20.0.1", false),
            ("2606:2800:21f::1", false),
            ("2001:200::1", false),
            ("2a00:1450:4001::1", false),
            ("::ffff:93.184.215.14", false),
            ("64:ff9b::5db8:d70e", false),
            ("2002:5db8:d70e::1", false),
            ("::ffff:10.0.0.1", true),
            ("::ffff:0:10.0.0.1", true),
            ("::10.0.0.1", true),
            ("64:ff9b::a00:1", true),
            ("64:ff9b:1::5db8:d70e", true),
            ("2002:a00:1::1", true),
            ("2001::1", true),
            ("2001:1ff::1", true),
            ("2001:db8::1", true),
            ("3fff:1::1", true),
            ("3fff:1000::1", false),
            ("100::1", true),
            ("100:0:0:1::1", false),
            ("5f00::1", true),
            ("fec0::1", true),
            ("fe80::1", true),
            ("fd00::1", true),
            ("ff02::1", true),
            ("::", true),
            ("::1", true),
        ] {
            assert_eq!(is_private(text.parse().unwrap()), expected, "{text}");
        }
    }

    #[tokio::test]
    async fn a_name_leads_to_a_private_host_only_if_it_is_trusted() {
        let known = BTreeMap::from([
            ("inside.example".to_owned(), "10.0.0.1:0".parse().unwrap()),
            ("outside.example".to_owned(), "93.184.215.14:0".parse().unwrap()),
        ]);
        let resolver = PublicOnlyResolver { known, ..PublicOnlyResolver::default() };
        let lookup = |resolver: &PublicOnlyResolver, name: &str| {
            resolver.resolve(Name::from_str(name).unwrap())
        };
        assert!(lookup(&resolver, "OUTSIDE.example").await.is_ok());
        assert!(lookup(&resolver, "inside.example").await.is_err());
        assert!(lookup(&resolver, "localhost").await.is_err());
        let trusted = vec!["Inside.Example".to_owned()];
        let resolver = PublicOnlyResolver { trusted, ..resolver };
        assert!(lookup(&resolver, "inside.example").await.is_ok());
        assert!(lookup(&resolver, "localhost").await.is_err());
        let resolver = PublicOnlyResolver { trusts_all: true, ..resolver };
        assert!(lookup(&resolver, "localhost").await.is_ok());
    }
}
