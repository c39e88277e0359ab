//! Words that name a page: its key, or the path of its file.

use std::ops::Deref;
use std::path::is_separator;
use std::str::FromStr;

use links_sdk::types::Profile;
use links_sdk::{InvalidValue, ProfileHandle};

pub(crate) use links_pages::page_file::is_yaml_or_json;
use links_pages::page_file::split_row;
use links_pages::profile_key;

use crate::context::prelude::*;

/// Key of a page, as an argument of a command: id, login or URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageKey {
    key: ProfileKey,
    /// Host of a URL.
    host: Option<String>,
}

impl FromStr for PageKey {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let host = profile_key::host(text).map(str::to_owned);
        profile_key::parse(text).map(|key| Self { key, host })
    }
}

impl Deref for PageKey {
    type Target = ProfileKey;

    fn deref(&self) -> &ProfileKey {
        &self.key
    }
}

impl PageKey {
    /// Returns the page. To check the host of a URL, the page is read. That there is none is for the command to say: it may know an earlier
    /// login, or create the page.
    ///
    /// # Errors
    ///
    /// When the page is on another host than that of the URL, or cannot be read.
    pub(crate) async fn page(&self, client: &Client) -> Result<ProfileHandle> {
        if self.host.is_some()
            && let Err(failure) = self.read(client).await
            && failure.exit() != Exit::NotFound
        {
            return Err(failure);
        }
        Ok(client.profile(&self.key))
    }

    /// Reads the page, and checks the host of a URL.
    ///
    /// # Errors
    ///
    /// When the page is on another host than that of the URL, or cannot be read.
    pub(crate) async fn read(&self, client: &Client) -> Result<Profile> {
        let seen = client.profile(&self.key).get().await?;
        match (&self.host, profile_key::host(&seen.computed.url)) {
            (Some(host), Some(own)) if !own.eq_ignore_ascii_case(host) => {
                let login = &seen.login;
                let message = format!("the page {login} is on {own}, not on {host}");
                Err(CommandError::invalid(format!("{message}; nothing was done"))
                    .with_hint(format!("pass `{login}` if you mean this page")))
            }
            _ => Ok(seen),
        }
    }

    /// Checks the host of a URL.
    ///
    /// # Errors
    ///
    /// On the errors of [`page`](Self::page).
    pub(crate) async fn check_host(&self, context: &mut Context) -> Result<()> {
        if self.host.is_some() {
            self.page(&context.client().await?).await?;
        }
        Ok(())
    }
}

/// Checks the hosts of the URLs among words.
///
/// # Errors
///
/// When a page is on another host than that of its URL, or cannot be read.
pub(crate) async fn check_hosts(context: &mut Context, words: &[PageWord]) -> Result<()> {
    for word in words {
        if let PageWord::Key(key) = word {
            key.check_host(context).await?;
        }
    }
    Ok(())
}

/// Word that names a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PageWord {
    /// Path of a page file or of a directory.
    Path(PathBuf),
    /// Key of a page of the account.
    Key(PageKey),
}

impl FromStr for PageWord {
    type Err = InvalidValue;

    /// Parses a word: a path if it is `.` or `-`, contains `/`, ends in `.yaml`, `.yml` or `.json`, or is a directory, else a key, which
    /// may be a URL.
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let is_file = || is_yaml_or_json(Path::new(split_row(text).0));
        let is_url = text.starts_with("https://") || text.starts_with("http://");
        let is_path =
            || text == "-" || text.contains(is_separator) || is_file() || Path::new(text).is_dir();
        if !is_url && is_path() {
            return Ok(Self::Path(PathBuf::from(text)));
        }
        text.parse().map(Self::Key)
    }
}

/// Splits words into paths and keys, each in their order. A key that is named twice is there once.
pub(crate) fn split(words: Vec<PageWord>) -> (Vec<PathBuf>, Vec<ProfileKey>) {
    let (mut paths, mut keys) = (Vec::new(), Vec::new());
    for word in words {
        match word {
            PageWord::Path(path) => paths.push(path),
            PageWord::Key(page) => keys.push(page.key),
        }
    }
    (paths, profile_key::once(keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_path_by_its_form_or_a_directory() {
        // The tests of a crate run in its directory.
        for path in [
            "cafe.yaml",
            "CAFE.YML",
            "a.json",
            "./cafe",
            "pages/",
            "/x",
            ".yaml",
            "a/b.c",
            ".",
            "-",
            "src",
        ] {
            assert_eq!(path.parse(), Ok(PageWord::Path(PathBuf::from(path))));
        }
        for key in
            ["cafe", "qara.weddings", "7", "cafe.yaml.bak", "json", "https://links.test/cafe"]
        {
            assert_eq!(key.parse(), Ok(PageWord::Key(key.parse().unwrap())));
        }
        for neither in ["a b", ""] {
            assert!(neither.parse::<PageWord>().is_err(), "{neither}");
        }
        let words = ["cafe", "a.yaml", "9", "b/"].map(|word| word.parse().unwrap());
        let (paths, keys) = split(Vec::from(words));
        assert_eq!((paths, keys.len()), (vec!["a.yaml".into(), "b/".into()], 2));
    }
}
