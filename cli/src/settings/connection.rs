//! How the service is reached: files with certificates, and the server that shares the rate limits between machines.

use std::error::Error as StdError;
use std::path::PathBuf;

use links_sdk::{BuildError, ConnectionOptions, RedisServer, WhenUnreachable};
use zeroize::Zeroizing;

use super::config_file::{Env, variable};
use crate::env_vars::{PACER, PACER_UNREACHABLE};
use crate::error::{CommandError, Result};

/// Files with certificates, which are read before the first connection.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionFiles {
    /// Certificates that are trusted beside those of the system.
    pub(crate) authorities: Option<CertificateFile>,
    /// Client certificate and its private key.
    pub(crate) client: Option<CertificateFile>,
}

/// A file, and the option or variable that names it.
#[derive(Clone, Debug)]
pub(crate) struct CertificateFile {
    pub(crate) path: PathBuf,
    pub(crate) from: &'static str,
}

impl ConnectionFiles {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// When one cannot be read, or does not hold what it should.
    pub(crate) fn read(&self) -> Result<ConnectionOptions> {
        let mut options = ConnectionOptions::default();
        if let Some(file) = &self.authorities {
            options = options
                .root_certificate(file.content()?.as_slice())
                .map_err(|error| file.refused(cause(&error)))?;
        }
        if let Some(file) = &self.client {
            options = options.identity(file.content()?.as_slice()).map_err(|error| {
                file.refused(cause(&error)).with_hint(
                    "the PEM file must contain the certificate and its unencrypted private key: `cat client.pem client.key > both.pem`",
                )
            })?;
        }
        Ok(options)
    }

    /// Paths of the files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = PathBuf> {
        [&self.authorities, &self.client].into_iter().flatten().map(|file| file.path.clone())
    }
}

impl CertificateFile {
    fn content(&self) -> Result<Zeroizing<Vec<u8>>> {
        std::fs::read(&self.path)
            .map(Zeroizing::new)
            .map_err(|error| self.refused(error.to_string()))
    }

    fn refused(&self, why: String) -> CommandError {
        CommandError::usage(format!("{}: cannot use {}: {why}", self.from, self.path.display()))
    }
}

fn cause(error: &BuildError) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Server that shares the rate limits between machines, and what happens while it cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedPacing {
    pub(crate) server: RedisServer,
    pub(crate) when_unreachable: WhenUnreachable,
}

pub(super) fn shared_pacing(set: Env<'_>) -> Result<Option<SharedPacing>> {
    let Some(url) = set(PACER) else { return Ok(None) };
    let server = RedisServer::new(&url)
        .map_err(|error| CommandError::usage(format!("{PACER} is {error}")))?;
    let when_unreachable =
        variable(set, PACER_UNREACHABLE, "wait, fail or share:N", when_unreachable)?;
    let when_unreachable = when_unreachable.unwrap_or(WhenUnreachable::Wait);
    Ok(Some(SharedPacing { server, when_unreachable }))
}

fn when_unreachable(word: &str) -> Option<WhenUnreachable> {
    Some(match word {
        "wait" => WhenUnreachable::Wait,
        "fail" => WhenUnreachable::Fail,
        _ => {
            let shares = word.strip_prefix("share:")?.parse().ok();
            WhenUnreachable::Share(shares.filter(|it| *it > 0)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_variables(url: &str, unreachable: &str) -> Result<Option<SharedPacing>, String> {
        let set = |name: &str| match name {
            PACER => Some(url.to_owned()).filter(|it| !it.is_empty()),
            PACER_UNREACHABLE => Some(unreachable.to_owned()).filter(|it| !it.is_empty()),
            _ => None,
        };
        shared_pacing(&set).map_err(|error| error.to_string())
    }

    #[test]
    fn the_server_and_what_happens_without_it_are_read_from_variables() {
        let without = |word| {
            of_variables("redis://:canary@redis.example", word)
                .map(|it| it.unwrap().when_unreachable)
        };
        assert_eq!(of_variables("", "share:x"), Ok(None));
        assert_eq!(without(""), Ok(WhenUnreachable::Wait));
        assert_eq!(without("wait"), Ok(WhenUnreachable::Wait));
        assert_eq!(without("fail"), Ok(WhenUnreachable::Fail));
        assert_eq!(without("share:16"), Ok(WhenUnreachable::Share(16)));
        for word in ["share", "share:", "share:0", "share:-1", "Wait", "no"] {
            let expected =
                format!("{PACER_UNREACHABLE} must be wait, fail or share:N, not `{word}`");
            assert_eq!(without(word), Err(expected));
        }
    }

    #[test]
    fn a_password_is_shown_nowhere() {
        let pacing = of_variables("redis://:canary@redis.example", "").unwrap();
        assert!(!format!("{pacing:?}").contains("canary"));
        for url in ["http://:canary@redis.example", "redis://:canary@[", "redis://h/canary"] {
            let error = of_variables(url, "").unwrap_err();
            assert!(error.starts_with("LINKS_PACER is not a Redis URL: "), "{error}");
            assert!(!error.contains("canary"), "{error}");
        }
    }
}
