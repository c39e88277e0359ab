//! The document `links.lock`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::hash::{Hash as _, Hasher as _};
use std::str::FromStr;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use twox_hash::XxHash3_64;

use super::known_base::{LineContent, LineKey, Lines, LockLine};
use super::{HashPair, KnownBase, PageBase};
use links_sdk::{FormId, ProfileId, SlotId};

/// First word of a lock.
const NAME: &str = "links.lock";

/// Version of the layout.
const VERSION: &str = "2";

/// What a word of a line does not hold as it is.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'%');

/// First words of the lines with which Git marks a conflict.
const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// Word of the line of a slot that the file locks.
const LOCKED: &str = "locked";

/// What is wrong with a line whose first word is unknown, or that has too many or too few.
const WORDS: &str = "unknown first word, or a wrong number of words";

/// What may be wrong with a last line that has no line break: part of an ID or a hash would be valid too.
const CUT_SHORT: &str = "the last line has no line break, so the file may have been cut short";

/// The empty word.
const EMPTY: &str = "%";

/// Content of `links.lock`: identities of pages, forms and images of one account, and the records of their syncs.
///
/// Every fact has its own line, in a fixed order, so Git merges most changes automatically. After a merge, a key can have several lines;
/// [`KnownBase`] decides which one counts. Conflict markers of Git are skipped, because the lines of both sides are facts.
/// `docs/links-lock.md` describes the format.
///
/// ```
/// use links_pages::sync::Lock;
///
/// let lock = Lock::new("https://links.example/api/v1", 42);
/// let text = lock.to_string();
/// assert_eq!(Lock::parse(&text)?, lock);
/// # Ok::<(), links_pages::sync::LockFileError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// Base URL of the service.
    pub service: String,
    /// ID of the user (`getMe`).
    pub user: i64,
    /// IDs of forms by their local names.
    pub forms: BTreeMap<String, FormId>,
    /// Paths of uploaded images by the SHA-256 of their content. An image that was uploaded several times has several paths.
    pub images: BTreeMap<String, BTreeSet<String>>,
    /// The pages by the path of their file, relative to the directory of the lock, with `/` as separator.
    pub pages: BTreeMap<String, PageName>,
    /// The records of each page and form.
    pub lines: BTreeMap<RecordOf, Lines>,
}

/// A page in a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PageName {
    /// ID of the page.
    pub id: ProfileId,
    /// Login of the page at the last sync.
    pub login: String,
}

/// Subject of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RecordOf {
    /// A page.
    Page(ProfileId),
    /// A lead form.
    Form(FormId),
}

impl Lock {
    /// Returns a lock without any record.
    pub fn new(service: impl Into<String>, user: i64) -> Self {
        Self { service: service.into(), user, ..Self::default() }
    }

    /// Reads the text of a `links.lock`.
    pub fn parse(text: &str) -> Result<Self, LockFileError> {
        let mut lock: Option<Self> = None;
        for (nth, line) in text.lines().enumerate() {
            let malformed = |reason| LockFileError::Malformed { line: nth + 1, reason };
            let words: Vec<&str> = line.split(' ').collect();
            if MARKERS.contains(&words[0]) {
                continue;
            }
            if let [NAME, version, account @ ..] = &words[..] {
                if *version != VERSION {
                    return Err(LockFileError::Refused(format!(
                        "version {version} is not supported, only version {VERSION}; update `links`"
                    )));
                }
                let account = match account {
                    [service, user] => number(user).and_then(|user| Ok((text_of(service)?, user))),
                    _ => Err(WORDS),
                };
                let (service, user) = account.map_err(malformed)?;
                match &lock {
                    None => lock = Some(Self::new(service, user)),
                    Some(first) => first.check_account(&service, user)?,
                }
                continue;
            }
            let lock = lock.as_mut().ok_or_else(|| malformed("not a links.lock file"))?;
            lock.add(&words).map_err(malformed)?;
        }
        let malformed = |line, reason| Err(LockFileError::Malformed { line, reason });
        match lock {
            None => malformed(1, "not a links.lock file"),
            Some(_) if !text.ends_with('\n') => malformed(text.lines().count(), CUT_SHORT),
            Some(lock) => Ok(lock),
        }
    }

    fn add(&mut self, words: &[&str]) -> Result<(), &'static str> {
        match words {
            ["page", id, login, path] => {
                let (id, login) = (number(id)?, text_of(login)?);
                let known = self.pages.insert(text_of(path)?, PageName { id, login });
                if known.is_some_and(|known| known.id != id) {
                    return Err("this file is already listed for another page");
                }
            }
            ["form", id, name] => {
                let id = FormId::from(text_of(id)?);
                let known = self.forms.insert(text_of(name)?, id.clone());
                if known.is_some_and(|known| known != id) {
                    return Err("this form name is already listed for another form");
                }
            }
            ["image", hash, path] => {
                self.images.entry(text_of(hash)?).or_default().insert(text_of(path)?);
            }
            [kind, of, moved, at, fact @ ..] => {
                let (of, kind) = match kind.strip_prefix("form-") {
                    Some(kind @ "field") => (RecordOf::Form(text_of(of)?.into()), kind),
                    Some(_) => return Err(WORDS),
                    None => (RecordOf::Page(number(of)?), *kind),
                };
                let (key, content) = read_fact(kind, fact)?;
                let at = u64::from_str_radix(at, 16).map_err(|_| "a place must be hexadecimal")?;
                let line = LockLine { moved: number(moved)?, content, at };
                self.lines.entry(of).or_default().entry(key).or_default().insert(line);
            }
            _ => return Err(WORDS),
        }
        Ok(())
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

    /// Returns the record of the page of a file, from the newest line of each key. Use it for a lock without a history.
    pub fn base(&self, path: &str) -> Option<PageBase> {
        let PageName { id, login } = self.pages.get(path)?;
        let lines = self.lines.get(&RecordOf::Page(*id));
        let known = lines.map(KnownBase::of_lines).unwrap_or_default();
        Some(PageBase { id: *id, login: login.clone(), ..known.base })
    }

    /// Records a sync of a page, regardless of earlier records.
    pub fn put(&mut self, path: impl Into<String>, base: &PageBase) {
        let lines = KnownBase::default().lines_after(base, &BTreeSet::new(), 0, 0);
        self.lines.insert(RecordOf::Page(base.id), lines.unwrap_or_default());
        self.pages.insert(path.into(), PageName { id: base.id, login: base.login.clone() });
    }

    /// Returns a short digest of the record of the page of a file, for comparisons on one machine; empty without a record.
    pub fn digest(&self, path: &str) -> String {
        let Some(PageName { id, .. }) = self.pages.get(path) else { return String::new() };
        let mut hasher = XxHash3_64::new();
        self.lines.get(&RecordOf::Page(*id)).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Removes the records of pages and forms that have no name in the lock.
    pub fn forget_unnamed(&mut self) {
        let (pages, forms) = (&self.pages, &self.forms);
        self.lines.retain(|of, _| match of {
            RecordOf::Page(id) => pages.values().any(|page| page.id == *id),
            RecordOf::Form(id) => forms.values().any(|form| form == id),
        });
    }
}

/// Reads what a line of a record says after its time and place.
fn read_fact(kind: &str, words: &[&str]) -> Result<(LineKey, LineContent), &'static str> {
    let slots = |ids: &[&str]| ids.iter().map(|id| number(id)).collect::<Result<Vec<SlotId>, _>>();
    Ok(match (kind, words) {
        ("field", [file, page, name]) => (LineKey::Field(text_of(name)?), pair(file, page)?),
        ("key", [slot, file, page, name]) => {
            (LineKey::Key(number(slot)?, text_of(name)?), pair(file, page)?)
        }
        ("slot", [slot, kind, was @ ..]) => {
            let is_locked = was.first() == Some(&LOCKED);
            let was = slots(&was[usize::from(is_locked)..])?;
            (
                LineKey::Slot(number(slot)?),
                LineContent::Slot { kind: text_of(kind)?, was, is_locked },
            )
        }
        ("gone", [slot]) => (LineKey::Slot(number(slot)?), LineContent::Gone),
        ("order", ids) => (LineKey::Order, LineContent::Order(slots(ids)?)),
        _ => return Err(WORDS),
    })
}

fn pair(file: &str, page: &str) -> Result<LineContent, &'static str> {
    let file = if file == "?" { None } else { Some(file.parse()?) };
    let page = match (page, file) {
        ("=", Some(file)) => file,
        _ => page.parse()?,
    };
    Ok(LineContent::Pair(HashPair { file, page }))
}

fn number<T: FromStr>(word: &str) -> Result<T, &'static str> {
    word.parse().map_err(|_| "a word must be a number")
}

/// Returns the text of a word.
fn text_of(word: &str) -> Result<String, &'static str> {
    match word {
        "" => Err("a word is missing"),
        EMPTY => Ok(String::new()),
        word => match percent_decode_str(word).decode_utf8() {
            Ok(text) => Ok(text.into_owned()),
            Err(_) => Err("a word is not UTF-8"),
        },
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{NAME} {VERSION} {} {}", word(&self.service), self.user)?;
        for (path, PageName { id, login }) in &self.pages {
            writeln!(f, "page {id} {} {}", word(login), word(path))?;
        }
        for (name, id) in &self.forms {
            writeln!(f, "form {} {}", word(id.as_str()), word(name))?;
        }
        for (hash, paths) in &self.images {
            for path in paths {
                writeln!(f, "image {} {}", word(hash), word(path))?;
            }
        }
        for (of, lines) in &self.lines {
            for (key, lines) in lines {
                lines.iter().try_for_each(|line| write_line(f, of, key, line))?;
            }
        }
        Ok(())
    }
}

fn write_line(
    f: &mut fmt::Formatter<'_>,
    of: &RecordOf,
    key: &LineKey,
    LockLine { moved, content, at }: &LockLine,
) -> fmt::Result {
    let kind = match (key, content) {
        (_, LineContent::Gone) => "gone",
        (LineKey::Field(_), _) => "field",
        (LineKey::Key(..), _) => "key",
        (LineKey::Slot(_), _) => "slot",
        (LineKey::Order, _) => "order",
    };
    match of {
        RecordOf::Page(id) => write!(f, "{kind} {id} {moved} {at:x}")?,
        RecordOf::Form(id) => write!(f, "form-{kind} {} {moved} {at:x}", word(id.as_str()))?,
    }
    if let LineKey::Slot(id) | LineKey::Key(id, _) = key {
        write!(f, " {id}")?;
    }
    match content {
        LineContent::Pair(HashPair { file, page }) => {
            match file {
                Some(file) => write!(f, " {file}")?,
                None => f.write_str(" ?")?,
            }
            if *file == Some(*page) { f.write_str(" =")? } else { write!(f, " {page}")? }
        }
        LineContent::Slot { kind, was, is_locked } => {
            write!(f, " {}", word(kind))?;
            if *is_locked {
                write!(f, " {LOCKED}")?;
            }
            was.iter().try_for_each(|id| write!(f, " {id}"))?;
        }
        LineContent::Order(ids) => ids.iter().try_for_each(|id| write!(f, " {id}"))?,
        LineContent::Gone => {}
    }
    if let LineKey::Field(name) | LineKey::Key(_, name) = key {
        write!(f, " {}", word(name))?;
    }
    f.write_char('\n')
}

/// Returns a text as a word of a line.
fn word(text: &str) -> String {
    if text.is_empty() { EMPTY.to_owned() } else { utf8_percent_encode(text, ESCAPED).to_string() }
}

/// Reason why a `links.lock` cannot be used. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockFileError {
    /// The file is damaged, or was edited manually.
    #[error("line {line}: {reason}")]
    Malformed {
        /// Number of the line, from 1.
        line: usize,
        /// The problem.
        reason: &'static str,
    },
    /// The file has another version, or is for another account.
    #[error("{0}")]
    Refused(String),
}
