//! Secrets in files, one per account: for machines without a keyring, and only if the user asked for it.

use std::io;
use std::path::{Path, PathBuf};

use super::AccountName;
use crate::fs::private;

const DIRECTORY: &str = "credentials";

/// Path of the file of an account beneath the configuration directory.
pub(crate) fn path(directory: &Path, name: &AccountName) -> PathBuf {
    directory.join(DIRECTORY).join(format!("{name}.json"))
}

pub(crate) fn load(directory: &Path, name: &AccountName) -> io::Result<Option<Vec<u8>>> {
    let path = path(directory, name);
    private::tighten(&path)?;
    private::read(&path)
}

pub(crate) fn save(directory: &Path, name: &AccountName, secret: &[u8]) -> io::Result<()> {
    private::write(&path(directory, name), secret)
}

pub(crate) fn prepare(directory: &Path, name: &AccountName) -> io::Result<()> {
    private::prepare(&path(directory, name))
}

pub(crate) fn remove(directory: &Path, name: &AccountName) -> io::Result<()> {
    private::remove(&path(directory, name))
}
