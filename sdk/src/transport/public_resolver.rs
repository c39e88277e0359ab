//! Resolver that leads names to public hosts only, for URLs that others chose.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::private_host::is_private;

/// Resolver that resolves no name to a private host, except those that are trusted.
#[derive(Clone, Debug, Default)]
pub(crate) struct PublicOnlyResolver {
    /// Names that may resolve to private hosts.
    pub(crate) trusted: Vec<String>,
    /// All names may resolve to private hosts.
    pub(crate) trusts_all: bool,
    /// Names that are not looked up.
    pub(crate) known: BTreeMap<String, SocketAddr>,
}

/// Reason why a name was not resolved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NameError {
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
        let is_trusted = self.trusts_all || self.trusted.iter().any(|other| is(other));
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
