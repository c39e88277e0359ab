//! Secrets in files, one per account: for machines without a keyring, and only if the user asked for it.

use std::io;
use std::path::{Path, PathBuf};

use super::AccountName;
use crate::fs::private;

const FOLDER: &str = "credentials";

/// Path of the file of an account beneath the configuration directory.
pub(crate) fn path(folder: &Path, name: &AccountName) -> PathBuf {
    folder.join(FOLDER).join(format!("{name}.json"))
}

pub(crate) fn load(folder: &Path, name: &AccountName) -> io::Result<Option<Vec<u8>>> {
    let path = path(folder, name);
    private::tighten(&path)?;
    private::read(&path)
}

pub(crate) fn save(folder: &Path, name: &AccountName, secret: &[u8]) -> io::Result<()> {
    private::write(&path(folder, name), secret)
}

pub(crate) fn prepare(folder: &Path, name: &AccountName) -> io::Result<()> {
    private::prepare(&path(folder, name))
}

pub(crate) fn remove(folder: &Path, name: &AccountName) -> io::Result<()> {
    private::remove(&path(folder, name))
}
