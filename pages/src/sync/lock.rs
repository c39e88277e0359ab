//! The document `links.lock`.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use super::unique_map::unique_map;
use super::{ImagePaths, LockFileError, PageBase, SlotBase};
use links_sdk::{FormId, ProfileId};

/// Content of `links.lock`: identities of pages, forms and images of one account, and the [record](PageBase) of the last sync of each page.
///
/// Reading accepts nothing that writing would not give, except for the layout. Writing is deterministic and gives each slot, field, form
/// and image a line of its own, so that a difference of two versions can be read. `docs/links-lock.md` describes the layout.
///
/// ```
/// use links_pages::sync::Lock;
///
/// let lock = Lock::new("https://links.example/api/v1", 42);
/// let text = lock.to_string();
/// assert_eq!(Lock::parse(&text)?, lock);
/// # Ok::<(), links_pages::sync::LockFileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// Version of the layout.
    v: u64,
    /// Canonical form of the hashed values.
    canon: u64,
    /// Base URL of the service.
    pub service: String,
    /// Id of the user (`getMe`).
    pub user: i64,
    /// Ids of forms by their local names.
    #[serde(deserialize_with = "unique_map")]
    pub forms: BTreeMap<String, FormId>,
    /// Paths of uploaded images by the SHA-256 of their content.
    #[serde(deserialize_with = "unique_map")]
    pub images: BTreeMap<String, ImagePaths>,
    /// Records of the pages by the path of their file, relative to the directory of the lock, with `/`.
    #[serde(deserialize_with = "unique_map")]
    pub pages: BTreeMap<String, PageBase>,
}

const VERSION: u64 = 1;
const CANON: u64 = 1;

/// The fields that say whether the rest can be read.
#[derive(Deserialize)]
struct LockVersion {
    v: u64,
    canon: u64,
}

impl Lock {
    /// Returns a lock without any record.
    pub fn new(service: impl Into<String>, user: i64) -> Self {
        Self {
            v: VERSION,
            canon: CANON,
            service: service.into(),
            user,
            forms: BTreeMap::new(),
            images: BTreeMap::new(),
            pages: BTreeMap::new(),
        }
    }

    /// Reads the text of a `links.lock`.
    pub fn parse(text: &str) -> Result<Self, LockFileError> {
        let is_marker = |line: &str| {
            ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].iter().any(|marker| {
                line.strip_prefix(marker)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            })
        };
        if let Some(line) = text.lines().position(is_marker) {
            return Err(LockFileError::MergeConflict { line: line + 1 });
        }
        let malformed = |error: serde_json::Error| LockFileError::Malformed {
            line: error.line(),
            column: error.column(),
            reason: without_position(&error),
        };
        let version: LockVersion = serde_json::from_str(text).map_err(malformed)?;
        if version.v != VERSION {
            return Err(LockFileError::UnknownVersion { found: version.v, supported: VERSION });
        }
        if version.canon != CANON {
            return Err(LockFileError::UnknownCanon { found: version.canon, supported: CANON });
        }
        let lock: Self = serde_json::from_str(text).map_err(malformed)?;
        let mut paths: BTreeMap<ProfileId, &String> = BTreeMap::new();
        for (path, page) in &lock.pages {
            if let Some(id) = page.repeated_id() {
                return Err(LockFileError::RepeatedSlot { path: path.clone(), id });
            }
            if let Some(first) = paths.insert(page.id, path) {
                let (first, second) = (first.clone(), path.clone());
                return Err(LockFileError::RepeatedPage { first, second, id: page.id });
            }
        }
        Ok(lock)
    }

    /// Refuses a lock of another account.
    pub fn check_account(&self, service: &str, user: i64) -> Result<(), LockFileError> {
        if self.service == service && self.user == user {
            return Ok(());
        }
        Err(LockFileError::OtherAccount {
            found_service: self.service.clone(),
            found_user: self.user,
            service: service.to_owned(),
            user,
        })
    }
}

/// Returns the message of an error without the position, which has fields of its own.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&position).unwrap_or(&message).to_owned()
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { v, canon, service, user, forms, images, pages } = self;
        writeln!(
            f,
            "{{\"v\":{v},\"canon\":{canon},\"service\":{},\"user\":{user},",
            json(service)?
        )?;
        writeln!(f, "\"forms\":{},", map(forms, json)?)?;
        writeln!(f, "\"images\":{},", map(images, json)?)?;
        writeln!(f, "\"pages\":{}}}", map(pages, page)?)
    }
}

fn page(page: &PageBase) -> Result<String, fmt::Error> {
    let PageBase { id, login, fields, slots } = page;
    let mut text = format!("{{\"id\":{id},\"login\":{},\"fields\":", json(login)?);
    text.push_str(&map(fields, json)?);
    text.push_str(",\"slots\":[");
    lines(&mut text, slots.iter().map(|slot: &SlotBase| json(slot)))?;
    text.push_str("]}");
    Ok(text)
}

/// Returns an object with each field on a line of its own.
fn map<V>(
    fields: &BTreeMap<String, V>,
    value: impl Fn(&V) -> Result<String, fmt::Error>,
) -> Result<String, fmt::Error> {
    let mut text = String::from("{");
    lines(
        &mut text,
        fields.iter().map(|(key, field)| Ok(format!("{}:{}", json(key)?, value(field)?))),
    )?;
    text.push('}');
    Ok(text)
}

fn lines(text: &mut String, all: impl Iterator<Item = Result<String, fmt::Error>>) -> fmt::Result {
    let mut before = "\n";
    for line in all {
        write!(text, "{before}{}", line?)?;
        before = ",\n";
    }
    if before != "\n" {
        text.push('\n');
    }
    Ok(())
}

fn json(value: &(impl Serialize + ?Sized)) -> Result<String, fmt::Error> {
    serde_json::to_string(value).map_err(|_| fmt::Error)
}
