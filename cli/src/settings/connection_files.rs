//! Files with certificates for the connections to the service.

use std::error::Error as StdError;
use std::path::PathBuf;

use links_sdk::{BuildError, ConnectionOptions};
use zeroize::Zeroizing;

use crate::error::CommandError;

/// Files with certificates, which are read before the first connection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConnectionFiles {
    /// Certificates that are trusted beside those of the system.
    pub(crate) authorities: Option<CertificateFile>,
    /// Client certificate and its private key.
    pub(crate) client: Option<CertificateFile>,
}

/// A file, and the option or variable that names it.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub(crate) fn read(&self) -> Result<ConnectionOptions, CommandError> {
        let mut options = ConnectionOptions::default();
        if let Some(file) = &self.authorities {
            options = options
                .root_certificate(file.content()?.as_slice())
                .map_err(|error| file.refused(cause(&error)))?;
        }
        if let Some(file) = &self.client {
            options = options.identity(file.content()?.as_slice()).map_err(|error| {
                file.refused(cause(&error)).with_hint(
                    "one PEM file holds the certificate and its private key, which must not be encrypted: `cat client.pem client.key > both.pem`",
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
    fn content(&self) -> Result<Zeroizing<Vec<u8>>, CommandError> {
        std::fs::read(&self.path)
            .map(Zeroizing::new)
            .map_err(|error| self.refused(error.to_string()))
    }

    fn refused(&self, why: String) -> CommandError {
        CommandError::usage(format!("{}: {} cannot be used: {why}", self.from, self.path.display()))
    }
}

fn cause(error: &BuildError) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}
