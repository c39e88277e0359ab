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

/// Word of the line of a slot that the file locks.
const LOCKED: &str = "locked";

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
#[derive(Clone, Debug, PartialEq, Eq)]
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
pub struct PageName {
    /// ID of the page.
    pub id: ProfileId,
    /// Login of the page at the last sync.
    pub login: String,
}

/// Subject of a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordOf {
    /// A page.
    Page(ProfileId),
    /// A lead form.
    Form(FormId),
}

impl Lock {
    /// Returns a lock without any record.
    pub fn new(service: impl Into<String>, user: i64) -> Self {
        Self {
            service: service.into(),
            user,
            forms: BTreeMap::new(),
            images: BTreeMap::new(),
            pages: BTreeMap::new(),
            lines: BTreeMap::new(),
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
        let mut lock: Option<Self> = None;
        for (nth, line) in text.lines().enumerate().filter(|(_, line)| !is_marker(line)) {
            let malformed = |reason| LockFileError::Malformed { line: nth + 1, reason };
            let mut words = Words(line.split(' '));
            if let [Some(NAME), Some(version)] = [words.0.next(), words.0.next()] {
                if version != VERSION {
                    return Err(LockFileError::Refused(format!(
                        "version {version} is not supported, only version {VERSION}; update `links`"
                    )));
                }
                let (service, user) = words.account().map_err(malformed)?;
                match &lock {
                    None => lock = Some(Self::new(service, user)),
                    Some(first) => first.check_account(&service, user)?,
                }
                continue;
            }
            let lock = lock.as_mut().ok_or_else(|| malformed("not a links.lock file"))?;
            lock.add(Words(line.split(' '))).map_err(malformed)?;
        }
        lock.ok_or(LockFileError::Malformed { line: 1, reason: "not a links.lock file" })
    }

    fn add(&mut self, mut words: Words<'_>) -> Result<(), &'static str> {
        match words.next()? {
            "page" => {
                let id = words.number::<i64>()?.into();
                let (login, path) = (words.text()?, words.text()?);
                let known = self.pages.insert(path, PageName { id, login });
                if known.is_some_and(|known| known.id != id) {
                    return Err("this file is already listed for another page");
                }
            }
            "form" => {
                let (id, name) = (FormId::from(words.text()?), words.text()?);
                if self.forms.insert(name, id.clone()).is_some_and(|known| known != id) {
                    return Err("this form name is already listed for another form");
                }
            }
            "image" => {
                let (hash, path) = (words.text()?, words.text()?);
                self.images.entry(hash).or_default().insert(path);
            }
            kind @ ("field" | "order" | "slot" | "gone" | "key") => {
                let of = RecordOf::Page(words.number::<i64>()?.into());
                let (key, line) = words.line(kind)?;
                self.lines.entry(of).or_default().entry(key).or_default().insert(line);
            }
            "form-field" => {
                let of = RecordOf::Form(words.text()?.into());
                let (key, line) = words.line("field")?;
                self.lines.entry(of).or_default().entry(key).or_default().insert(line);
            }
            _ => return Err("unknown first word"),
        }
        words.end()
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
        let pages: BTreeSet<ProfileId> = self.pages.values().map(|page| page.id).collect();
        let forms: BTreeSet<&FormId> = self.forms.values().collect();
        self.lines.retain(|of, _| match of {
            RecordOf::Page(id) => pages.contains(id),
            RecordOf::Form(id) => forms.contains(id),
        });
    }
}

/// The words of a line that are left.
struct Words<'a>(std::str::Split<'a, char>);

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<&'a str, &'static str> {
        self.0.next().filter(|word| !word.is_empty()).ok_or("a word is missing")
    }

    fn text(&mut self) -> Result<String, &'static str> {
        match self.next()? {
            EMPTY => Ok(String::new()),
            word => match percent_decode_str(word).decode_utf8() {
                Ok(text) => Ok(text.into_owned()),
                Err(_) => Err("a word is not UTF-8"),
            },
        }
    }

    fn number<T: FromStr>(&mut self) -> Result<T, &'static str> {
        self.next()?.parse().map_err(|_| "a word must be a number")
    }

    fn slot(&mut self) -> Result<SlotId, &'static str> {
        Ok(SlotId::from(self.number::<i64>()?))
    }

    fn slots(&mut self) -> Result<Vec<SlotId>, &'static str> {
        self.0
            .by_ref()
            .map(|word| word.parse::<i64>().map(SlotId::from))
            .collect::<Result<_, _>>()
            .map_err(|_| "a word must be a number")
    }

    fn account(&mut self) -> Result<(String, i64), &'static str> {
        let account = (self.text()?, self.number()?);
        self.end()?;
        Ok(account)
    }

    fn pair(&mut self) -> Result<HashPair, &'static str> {
        let (file, page) = (self.next()?, self.next()?);
        let file = if file == "?" { None } else { Some(file.parse()?) };
        let page = match (page, file) {
            ("=", Some(file)) => file,
            _ => page.parse()?,
        };
        Ok(HashPair { file, page })
    }

    fn line(&mut self, kind: &str) -> Result<(LineKey, LockLine), &'static str> {
        let (moved, at) = (self.number()?, self.next()?);
        let at = u64::from_str_radix(at, 16).map_err(|_| "a place must be hexadecimal")?;
        let (key, content) = match kind {
            "field" => {
                let pair = self.pair()?;
                (LineKey::Field(self.text()?), LineContent::Pair(pair))
            }
            "key" => {
                let (slot, pair) = (self.slot()?, self.pair()?);
                (LineKey::Key(slot, self.text()?), LineContent::Pair(pair))
            }
            "slot" => {
                let (slot, kind) = (self.slot()?, self.text()?);
                let mut rest = self.0.clone();
                let is_locked = rest.next() == Some(LOCKED);
                if is_locked {
                    self.0 = rest;
                }
                (LineKey::Slot(slot), LineContent::Slot { kind, was: self.slots()?, is_locked })
            }
            "gone" => (LineKey::Slot(self.slot()?), LineContent::Gone),
            _ => (LineKey::Order, LineContent::Order(self.slots()?)),
        };
        Ok((key, LockLine { moved, content, at }))
    }

    fn end(&mut self) -> Result<(), &'static str> {
        if self.0.next().is_some() { Err("too many words") } else { Ok(()) }
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
