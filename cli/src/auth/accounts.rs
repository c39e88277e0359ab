//! File of the accounts known on this machine, without secrets.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use links_sdk::BaseUrl;
use serde::{Deserialize, Serialize};

use crate::error::CommandError;
use crate::error::file_error::cannot;
use links_pages::fs::private;

const FILE: &str = "accounts.json";
const LOCK: &str = "accounts.lock";
const VERSION: u32 = 1;

/// Name of an account on this machine, also used as a file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct AccountName(String);

/// Content of the accounts file.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accounts {
    version: u32,
    /// Account used if none is named.
    #[serde(default)]
    pub(crate) current: Option<AccountName>,
    #[serde(default, rename = "accounts")]
    pub(crate) known: BTreeMap<AccountName, Account>,
    /// Id of the client registered at each connector, by the URL of the connector.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) clients: BTreeMap<String, String>,
}

/// Account on a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    pub(crate) base_url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mcp_url: Option<String>,
    pub(crate) kept: SecretLocation,
    pub(crate) user_id: i64,
    pub(crate) user: String,
}

/// Location of the secret of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum SecretLocation {
    /// System keyring.
    Keyring,
    /// File that only the user can read.
    File,
    /// Command with its arguments that prints the secret.
    Command(Vec<String>),
}

impl SecretLocation {
    /// Returns the word for the location.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Keyring => "keyring",
            Self::File => "file",
            Self::Command(_) => "command",
        }
    }
}

/// A user of a service, to whom pages and page files belong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct ServiceUser {
    pub(crate) service: String,
    pub(crate) user: i64,
}

impl ServiceUser {
    /// Returns the account of this machine.
    pub(crate) fn account(&self, accounts: &Accounts) -> Option<AccountName> {
        accounts.of_user(&BaseUrl::new(&self.service).ok()?.origin(), self.user).cloned()
    }
}

/// Accounts file in a directory.
#[derive(Debug)]
pub(crate) struct AccountsFile {
    pub(crate) directory: PathBuf,
}

impl AccountName {
    /// Converts any text to a valid name.
    fn from_words(text: &str) -> Self {
        let kept = text.chars().map(|c| if is_plain(c) { c } else { '-' });
        let name: String = kept.take(MOST_CHARACTERS).collect();
        let name = name.trim_start_matches(['.', '-']);
        Self(if name.is_empty() { "account".to_owned() } else { name.to_owned() })
    }
}

const MOST_CHARACTERS: usize = 64;

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@')
}

impl FromStr for AccountName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_name = (1..=MOST_CHARACTERS).contains(&text.len())
            && text.chars().all(is_plain)
            && !text.starts_with(['.', '-']);
        if is_name {
            return Ok(Self(text.to_owned()));
        }
        Err("an account name must have 1 to 64 characters: letters, digits, `.`, `_`, `-` and `@`; it must not start with `.` or `-`".to_owned())
    }
}

impl TryFrom<String> for AccountName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Account {
    /// Origin of the service URL; `None` for an invalid URL.
    pub(crate) fn origin(&self) -> Option<String> {
        BaseUrl::new(&self.base_url).ok().map(|base| base.origin())
    }
}

impl Default for Accounts {
    fn default() -> Self {
        Self { version: VERSION, current: None, known: BTreeMap::new(), clients: BTreeMap::new() }
    }
}

impl Accounts {
    /// Names of the accounts at an origin, the current one first.
    pub(crate) fn at(&self, origin: &str) -> Vec<&AccountName> {
        let is_there = |account: &Account| account.origin().as_deref() == Some(origin);
        let there = self.known.iter().filter(|(_, account)| is_there(account));
        let mut names: Vec<_> = there.map(|(name, _)| name).collect();
        names.sort_by_key(|name| Some(*name) != self.current.as_ref());
        names
    }

    /// Returns the name of the account of a user at an origin.
    pub(crate) fn of_user(&self, origin: &str, user_id: i64) -> Option<&AccountName> {
        self.at(origin).into_iter().find(|name| self.known[*name].user_id == user_id)
    }

    /// Name for an account after login: its known name, or else a new name made from the host.
    pub(crate) fn name_for(&self, base: &BaseUrl, user_id: i64) -> AccountName {
        let origin = base.origin();
        if let Some(name) = self.of_user(&origin, user_id) {
            return name.clone();
        }
        let host = AccountName::from_words(base.host().trim_matches(['[', ']']));
        let of_user = AccountName::from_words(&format!("{host}-{user_id}"));
        let more = (2..).map(|nth| AccountName::from_words(&format!("{of_user}-{nth}")));
        let is_free =
            |name: &AccountName| !self.known.contains_key(name) && self.namesake(name).is_none();
        let mut names = [host, of_user.clone()].into_iter().chain(more);
        names.find(is_free).unwrap_or(of_user)
    }

    /// Returns the known name that differs from a new one only in case. On some systems the secrets of the two would be one file.
    pub(crate) fn namesake(&self, new: &AccountName) -> Option<&AccountName> {
        let mut names = self.known.keys().filter(|_| !self.known.contains_key(new));
        names.find(|known| known.0.eq_ignore_ascii_case(&new.0))
    }

    /// Removes an account. If it was the current one, there is no current account until one is chosen.
    pub(crate) fn remove(&mut self, name: &AccountName) -> Option<Account> {
        if self.current.as_ref() == Some(name) {
            self.current = None;
        }
        self.known.remove(name)
    }
}

impl AccountsFile {
    /// Returns the accounts file of a directory.
    pub(crate) fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Loads the accounts; none if there is no file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is not a valid accounts file, or was written by another version.
    pub(crate) fn load(&self) -> Result<Accounts, CommandError> {
        let path = self.directory.join(FILE);
        let shown = path.display();
        let bytes = match private::read(&path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(Accounts::default()),
            Err(error) => return Err(cannot("read", &path)(error)),
        };
        let accounts: Accounts = serde_json::from_slice(&bytes).map_err(|error| {
            CommandError::usage(format!("{shown} is not an accounts file: {error}"))
                .with_hint("fix it, or delete it and log in again")
        })?;
        if accounts.version != VERSION {
            let message = format!("{shown} was written by another version of `links`");
            return Err(CommandError::usage(message).with_hint("update `links`"));
        }
        Ok(accounts)
    }

    /// Changes the file under a lock against other processes.
    ///
    /// # Errors
    ///
    /// The errors of [`AccountsFile::load`], and when the file cannot be written.
    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&mut Accounts) -> T,
    ) -> Result<T, CommandError> {
        let path = self.directory.join(FILE);
        let unwritable = cannot("write", &path);
        let _lock = private::lock(&self.directory.join(LOCK)).map_err(unwritable)?;
        let mut accounts = self.load()?;
        let result = change(&mut accounts);
        let text = serde_json::to_vec_pretty(&accounts)?;
        private::write(&path, &text).map_err(unwritable)?;
        Ok(result)
    }

    /// Stores or removes the client id under which this program is registered at a connector.
    ///
    /// # Errors
    ///
    /// The errors of [`AccountsFile::change`].
    pub(crate) fn register(
        &self,
        mcp_url: &str,
        client_id: Option<&str>,
    ) -> Result<(), CommandError> {
        self.change(|accounts| match client_id {
            Some(client_id) => accounts.clients.insert(mcp_url.to_owned(), client_id.to_owned()),
            None => accounts.clients.remove(mcp_url),
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(base_url: &str, user_id: i64) -> Account {
        let user = "Aliya".to_owned();
        Account {
            base_url: base_url.to_owned(),
            mcp_url: None,
            kept: SecretLocation::File,
            user_id,
            user,
        }
    }

    fn name(text: &str) -> AccountName {
        text.parse().unwrap()
    }

    #[test]
    fn account_names_are_limited_to_safe_file_names() {
        for good in ["work", "a@b.example", "x_1-2"] {
            assert_eq!(name(good).to_string(), good);
        }
        for bad in ["", ".", "..", "a/b", "a\\b", "-o", "a b", "é", &"x".repeat(65), "a\0"] {
            bad.parse::<AccountName>().unwrap_err();
            let made = AccountName::from_words(bad);
            assert_eq!(made.0.parse(), Ok(made.clone()), "{bad:?} became {made}");
        }
    }

    #[test]
    fn an_account_is_named_after_its_host_and_keeps_its_name() {
        let mut accounts = Accounts::default();
        let base = BaseUrl::new("https://links.example/api/v1").unwrap();
        assert_eq!(accounts.name_for(&base, 7).0, "links.example");
        accounts.known.insert(name("mine"), account("https://links.example/api/v1", 7));
        accounts.known.insert(name("links.example"), account("https://other.example", 7));
        assert_eq!(accounts.name_for(&base, 7).0, "mine");
        assert_eq!(accounts.name_for(&base, 8).0, "links.example-8");
        for taken in ["links.example-8", "links.example-8-2"] {
            let name = AccountName::from_words(taken);
            accounts.known.insert(name, account("https://links.example:8443/api/v1", 8));
        }
        assert_eq!(accounts.name_for(&base, 8).0, "links.example-8-3");
        let capitals = BaseUrl::new("https://b.example/api/v1").unwrap();
        accounts.known.insert(name("B.example"), account("https://links.example/api/v1", 9));
        assert_eq!(accounts.name_for(&capitals, 8).0, "b.example-8");
        let loopback = BaseUrl::new("http://[::1]:80/api/v1").unwrap();
        assert_eq!(accounts.name_for(&loopback, 8).0, "1");
    }

    #[test]
    fn an_unreadable_or_newer_accounts_file_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let file = AccountsFile::new(directory.path().join("config"));
        assert_eq!(file.load().unwrap(), Accounts::default());
        file.change(|it| it.current = Some(name("work"))).unwrap();
        assert_eq!(file.load().unwrap().current, Some(name("work")));
        for text in ["torn", "{}", r#"{"version":2}"#, r#"{"version":1,"current":"../../x"}"#] {
            let path = directory.path().join("config").join(FILE);
            std::fs::write(&path, text).unwrap();
            assert!(file.change(|it| it.current = None).is_err());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
