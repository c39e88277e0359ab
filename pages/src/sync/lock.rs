//! The document `links.lock`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::PageBase;
use super::base::unique_map;
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
        let versions: LockVersion = serde_json::from_str(text).map_err(malformed)?;
        for (what, found, known) in
            [("version", versions.v, VERSION), ("hash form", versions.canon, CANON)]
        {
            if found != known {
                return Err(LockFileError::Refused(format!(
                    "{what} {found} is not supported, only {what} {known} is; update this program"
                )));
            }
        }
        let lock: Self = serde_json::from_str(text).map_err(malformed)?;
        let mut paths: BTreeMap<ProfileId, &String> = BTreeMap::new();
        for (path, page) in &lock.pages {
            let twice = page.repeated_id().map(|id| format!("slot {id} of {path} is there twice"));
            let first = paths.insert(page.id, path);
            let both = |first| format!("{first} and {path} are both recorded as page {}", page.id);
            if let Some(message) = twice.or(first.map(both)) {
                return Err(LockFileError::Refused(message));
            }
        }
        Ok(lock)
    }

    /// Refuses a lock of another account.
    pub fn check_account(&self, service: &str, user: i64) -> Result<(), LockFileError> {
        if self.service == service && self.user == user {
            return Ok(());
        }
        Err(LockFileError::Refused(format!(
            "it belongs to user {} of {}, not to user {user} of {service}",
            self.user, self.service
        )))
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
        let service = json(service);
        writeln!(f, "{{\"v\":{v},\"canon\":{canon},\"service\":{service},\"user\":{user},")?;
        writeln!(f, "\"forms\":{},", map(forms, json))?;
        writeln!(f, "\"images\":{},", map(images, json))?;
        writeln!(f, "\"pages\":{}}}", map(pages, page))
    }
}

fn page(PageBase { id, login, fields, slots }: &PageBase) -> String {
    let slots = lines(slots.iter().map(json));
    let (login, fields) = (json(login), map(fields, json));
    format!("{{\"id\":{id},\"login\":{login},\"fields\":{fields},\"slots\":[{slots}]}}")
}

/// Returns an object with each field on a line of its own.
fn map<V>(fields: &BTreeMap<String, V>, value: impl Fn(&V) -> String) -> String {
    let fields = fields.iter().map(|(key, field)| format!("{}:{}", json(key), value(field)));
    format!("{{{}}}", lines(fields))
}

fn lines(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() { String::new() } else { format!("\n{}\n", all.join(",\n")) }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("records are made of text and numbers")
}

/// Reason why a `links.lock` cannot be used. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockFileError {
    /// The file has the markers of a merge that git could not finish.
    #[error(
        "line {line} is a conflict marker of git; take either side of the merge, then rebuild the record of the pages that differ"
    )]
    MergeConflict {
        /// Number of the line, from 1.
        line: usize,
    },
    /// The file is damaged, or was edited by hand.
    #[error("line {line}, column {column}: {reason}")]
    Malformed {
        /// Number of the line, from 1.
        line: usize,
        /// Number of the column, from 1.
        column: usize,
        /// The problem.
        reason: String,
    },
    /// The file is of another version or account, or has a slot or page twice.
    #[error("{0}")]
    Refused(String),
}

/// Paths under which the service has one image: several, if it was uploaded several times. A string in the text of a lock, or a list of at
/// least two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PathOrPaths", into = "PathOrPaths")]
pub struct ImagePaths(pub BTreeSet<String>);

impl From<String> for ImagePaths {
    fn from(path: String) -> Self {
        Self([path].into())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "an image must have a path, or a list of paths")]
enum PathOrPaths {
    Path(String),
    Paths(BTreeSet<String>),
}

impl TryFrom<PathOrPaths> for ImagePaths {
    type Error = &'static str;

    fn try_from(read: PathOrPaths) -> Result<Self, Self::Error> {
        match read {
            PathOrPaths::Path(path) => Ok(path.into()),
            PathOrPaths::Paths(paths) if paths.len() > 1 => Ok(Self(paths)),
            PathOrPaths::Paths(_) => Err("a list of paths must have two or more"),
        }
    }
}

impl From<ImagePaths> for PathOrPaths {
    fn from(ImagePaths(mut paths): ImagePaths) -> Self {
        match paths.pop_first() {
            Some(only) if paths.is_empty() => Self::Path(only),
            first => {
                paths.extend(first);
                Self::Paths(paths)
            }
        }
    }
}
