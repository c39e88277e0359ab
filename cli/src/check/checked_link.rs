//! A link with its verdict, as data and as words.

use super::collect::{FoundLink, begins_with};
use super::web::verdict::{Judgement, MOVED, Verdict};
use crate::context::prelude::*;
use crate::ui::cut;

/// Maximum width of a title.
const TITLE: usize = 24;

/// Link with its verdict.
#[derive(Clone, Debug)]
pub(crate) struct CheckedLink {
    /// Page or form that it is on.
    pub(crate) holder: LinkHolder,
    /// File with line and column, both counted from 1.
    pub(crate) place: Option<(PathBuf, usize, usize)>,
    pub(crate) found: FoundLink,
    pub(crate) judgement: Judgement,
    /// The verdict is that of a check within the last day.
    pub(crate) is_cached: bool,
    /// The baseline has it.
    pub(crate) is_known: bool,
    /// The file has the URL that it moved to.
    pub(crate) is_fixed: bool,
    /// Reason why the URL that it moved to could not be written.
    pub(crate) fix_error: Option<String>,
}

impl CheckedLink {
    /// Counts the link as known from now on, if it is not fine.
    pub(crate) fn accept(&mut self) {
        self.is_known = self.judgement.verdict != Verdict::Fine;
    }

    /// Returns whether the link decides the exit code.
    pub(crate) fn fails(&self, strict: bool) -> bool {
        let worst = if strict { Verdict::Unsure } else { Verdict::Broken };
        self.judgement.verdict >= worst && !self.is_known
    }

    /// Returns whether there is something to say about the link.
    pub(crate) fn is_notable(&self) -> bool {
        self.judgement.verdict != Verdict::Fine || !self.judgement.notes.is_empty()
    }

    /// Returns where the link is: file, line and column, or page or form and path.
    pub(crate) fn place(&self) -> String {
        match &self.place {
            Some((file, line, column)) => format!("{}:{line}:{column}", file.display()),
            None => {
                let path = &self.found.value.path;
                match &self.holder {
                    LinkHolder::Page(key) => format!("{key} {path}"),
                    LinkHolder::Form(name) => format!("form {name} {path}"),
                }
            }
        }
    }

    /// Returns the URL that `--fix` writes: where the link has moved for good, unless that gives up encryption.
    pub(crate) fn fix(&self) -> Option<&str> {
        let is_encrypted = |url: &str| begins_with(url, "https:");
        let to = self.judgement.moved_to.as_deref();
        to.filter(|to| is_encrypted(to) || !is_encrypted(&self.found.url))
    }

    /// Returns what the link belongs to: `button "Menu"`, `social`, or the name of a field.
    pub(crate) fn owner(&self) -> String {
        let Some(slot) = &self.found.slot else {
            let path = self.found.value.path.to_string();
            let name = path.split('.').next().unwrap_or_default();
            return if name == "socials" { "social".to_owned() } else { name.to_owned() };
        };
        let kind = slot.kind.as_deref().unwrap_or("slot");
        match &slot.title {
            Some(title) => format!("{kind} \"{}\"", cut(title, TITLE)),
            None => kind.to_owned(),
        }
    }

    /// Returns the reason and the notes. `offers_fix` says that `--fix` can write a move.
    pub(crate) fn message(&self, offers_fix: bool) -> String {
        let note = |(code, words): &(&str, String)| match *code {
            MOVED if self.is_fixed => format!("{words} (fixed)"),
            MOVED if self.fix_error.is_some() => format!("{words} (not fixed)"),
            MOVED if self.fix().is_none() => format!("{words} (not encrypted)"),
            MOVED if offers_fix && self.place.is_some() => format!("{words} (use --fix)"),
            _ => words.clone(),
        };
        let reason = self.judgement.reason.iter().map(|(_, words)| words.clone());
        let words: Vec<_> = reason.chain(self.judgement.notes.iter().map(note)).collect();
        let known = if self.is_known { " (in the baseline)" } else { "" };
        format!("{}{known}", words.join("; "))
    }

    /// Returns the link as a record.
    pub(crate) fn json(&self) -> Value {
        let Self { holder, place, found, judgement, is_cached, is_known, is_fixed, fix_error } =
            self;
        let slot = found.slot.as_deref();
        let place = place.as_ref();
        let ends = judgement.certificate_ends;
        let ends = ends.and_then(|at| Some(jiff::Timestamp::try_from(at).ok()?.to_string()));
        let codes: Vec<_> = judgement.notes.iter().map(|(code, _)| code).collect();
        let (page, form) = match holder {
            LinkHolder::Page(key) => (Some(key), None),
            LinkHolder::Form(name) => (None, Some(name)),
        };
        json!({
            "page": page,
            "form": form,
            "file": place.map(|(file, ..)| file.display().to_string()),
            "line": place.map(|(_, line, _)| line),
            "column": place.map(|(.., column)| column),
            "path": found.value.path.to_string(),
            "slotId": slot.map(|it| &it.id),
            "type": slot.map(|it| &it.kind),
            "title": slot.map(|it| &it.title),
            "url": found.url,
            "verdict": judgement.verdict,
            "reason": judgement.reason.as_ref().map(|(code, _)| code),
            "status": judgement.status,
            "message": self.message(false),
            "movedTo": judgement.moved_to,
            "certificateEnds": ends,
            "notes": codes,
            "known": is_known,
            "fixed": is_fixed,
            "fixError": fix_error,
            "cached": is_cached,
        })
    }
}

/// Page or form that holds links.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LinkHolder {
    /// Page by its key in its file, or by its login.
    Page(String),
    /// Form by its name in its file, or by its id.
    Form(String),
}
