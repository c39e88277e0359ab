//! `LINKS_PLAN_FIRST`: nothing is written that was not planned before. A command that carries out a saved plan may write; the others need a
//! dry run of the same command line before, which counts once, for an hour.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cache::{load_json, store_json};
use crate::env_vars::PLAN_FIRST;
use crate::error::file_error::cannot;
use crate::error::{CommandError, Result};
use links_pages::fs::{named, private};
use links_pages::page_file::local_image::hash_of;

/// Seconds for which a dry run counts.
const VALID_FOR: u64 = 3600;

/// Maximum size of a file whose content belongs to a command line.
const FILE_MAX: u64 = 64 << 20;

/// What a command needs before it may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PlanRule {
    /// A dry run of the same command line.
    #[default]
    DryRun,
    /// A saved plan, which this command line does not name.
    SavedPlan,
    /// Nothing: it carries out a saved plan.
    HasPlan,
    /// Nothing: it only reads.
    Reads,
    /// It cannot be planned beforehand.
    Interactive,
}

/// Guard of the writes of one command.
#[derive(Debug)]
pub(crate) struct PlanFirst {
    rule: PlanRule,
    /// Name of the dry run in its file: of the one to be made, or of the one that allowed this command.
    record: Option<(PathBuf, String)>,
    /// The dry run that allowed this command.
    taken: Option<DryRunRecord>,
    /// Digests of the plans of this dry run.
    seen: RefCell<Vec<String>>,
    is_cleared: bool,
}

/// A dry run that was made.
#[derive(Debug, Serialize, Deserialize)]
struct DryRunRecord {
    /// Seconds since 1970.
    at: u64,
    /// Digests of its plans.
    plans: Vec<String>,
}

impl PlanFirst {
    /// Returns a guard that lets nothing through yet, or everything where nothing has to be planned.
    pub(crate) fn new(is_needed: bool) -> Self {
        Self {
            rule: PlanRule::DryRun,
            record: None,
            taken: None,
            seen: RefCell::default(),
            is_cleared: !is_needed,
        }
    }

    /// Sets what the command needs.
    ///
    /// # Errors
    ///
    /// When it cannot be planned beforehand.
    pub(crate) fn begin(&mut self, rule: PlanRule) -> Result<()> {
        self.rule = rule;
        if rule == PlanRule::Interactive && !self.is_cleared {
            return Err(refused("edits in an editor or a browser cannot be planned in advance")
                .with_hint("write a file with `links pull KEY -O FILE`, edit it, and plan it"));
        }
        Ok(())
    }

    /// Tells whether the command may write.
    pub(crate) fn is_cleared(&self) -> bool {
        self.is_cleared
    }

    /// Decides whether the command may write. `record` is the file of the dry runs and the name of this command line in it.
    pub(crate) fn enter(
        &mut self,
        record: Result<Option<(PathBuf, String)>>,
        is_dry_run: bool,
        now: u64,
    ) -> Result<()> {
        match self.rule {
            PlanRule::Reads => return Ok(()),
            PlanRule::DryRun if is_dry_run => {
                // Without a record, the command itself is refused, with the reason.
                self.record = record.ok().flatten();
                return Ok(());
            }
            _ if is_dry_run => return Ok(()),
            PlanRule::HasPlan => {}
            PlanRule::SavedPlan => {
                return Err(refused("this command needs a saved plan").with_hint(
                    "run `links plan FILE --out PLAN`, read the plan, then run `links apply --plan PLAN`",
                ));
            }
            PlanRule::DryRun | PlanRule::Interactive => {
                let Some((path, name)) = record? else {
                    let what = "cannot record a dry run: no state directory";
                    return Err(refused(what));
                };
                // No other command uses the same one.
                let found = change(&path, now, |records| records.remove(&name));
                let Some(found) = found.ok().flatten() else {
                    return Err(refused("no matching dry run in the last hour").with_hint(
                        "run this command with --dry-run first; that allows the same command once, within an hour",
                    ));
                };
                (self.record, self.taken) = (Some((path, name)), Some(found));
            }
        }
        self.is_cleared = true;
        Ok(())
    }

    /// Notes a plan in a dry run; refuses one that the dry run did not have.
    pub(crate) fn plan(&self, plan: &impl Serialize) -> Result<()> {
        match &self.taken {
            Some(taken) if !taken.plans.contains(&digest(plan)?) => {
                return Err(refused(
                    "the plan differs from the dry run, because something has changed since",
                )
                .with_hint("run the command with --dry-run again, and read the plan"));
            }
            None if !self.is_cleared => self.seen.borrow_mut().push(digest(plan)?),
            _ => {}
        }
        Ok(())
    }

    /// Lets the dry run that allowed this command count again: the command may be repeated as it is.
    pub(crate) fn give_back(&mut self, now: u64) {
        if let (Some((path, name)), Some(taken)) = (&self.record, self.taken.take()) {
            // Where it cannot be stored, another dry run is needed.
            let _ = change(path, now, |records| records.insert(name.clone(), taken));
        }
    }

    /// Records that the dry run was made, if the command is one.
    pub(crate) fn made(&self, now: u64) -> Result<()> {
        let (Some((path, name)), None) = (&self.record, &self.taken) else { return Ok(()) };
        let made = DryRunRecord { at: now, plans: self.seen.borrow().clone() };
        change(path, now, |records| records.insert(name.clone(), made)).map(drop).map_err(|error| {
            CommandError::internal(format!(
                "cannot record the dry run in {}, so it does not count: {error}",
                path.display()
            ))
        })
    }
}

fn refused(what: &str) -> CommandError {
    CommandError::refused(format!("{PLAN_FIRST}: {what}; nothing was written"))
}

fn digest(value: &impl Serialize) -> Result<String> {
    let bytes = serde_json::to_vec(value)?;
    Ok(hash_of(&bytes))
}

/// Returns the name of a command line on a service for an account: the same words, and the same content of the files that they name.
pub(crate) fn name_of(service: &str, owner: &impl Serialize, words: &[String]) -> Result<String> {
    let words = significant(words);
    let refused = |what: &str, hint: &str| Err(refused(what).with_hint(hint));
    let regular = "pass the path of a regular file";
    let mut files = Vec::new();
    for word in &words {
        if word.contains(char::REPLACEMENT_CHARACTER) {
            return refused(
                "an argument that is not UTF-8 cannot be compared with a dry run",
                "use only UTF-8 in arguments and in the names of files",
            );
        }
        for part in parts(word) {
            if part == "-" {
                return refused("standard input cannot be compared with a dry run", regular);
            }
            match Path::new(part).metadata() {
                Ok(found) if found.is_file() => files.push((part, content(Path::new(part))?)),
                Ok(found) if !found.is_dir() => {
                    return refused(
                        "a pipe or a device cannot be compared with a dry run",
                        regular,
                    );
                }
                _ => {}
            }
        }
    }
    digest(&(service, owner, &words, files))
}

/// Returns the words that decide what a command writes: not those of the output, and not the confirmation.
fn significant(words: &[String]) -> Vec<&str> {
    let mut kept = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--" => {
                kept.push(word);
                kept.extend(words.by_ref());
            }
            "-o" | "--output" => {
                words.next();
            }
            "-y" | "--yes" => {}
            _ if word.starts_with("--dry-run") || word.starts_with("--output=") => {}
            // `-ojson` and `-o=json`.
            _ if word.starts_with("-o") => {}
            _ => kept.push(word),
        }
    }
    kept
}

/// Returns the parts of a word that may name a file: the whole, what follows `=` or `@`, and what follows the letter of an option.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let after = word.match_indices(['=', '@']).map(|(at, _)| &word[at + 1..]);
    let option = word.strip_prefix('-').filter(|it| !it.starts_with('-'));
    let attached = option.and_then(|it| it.get(1..)).filter(|it| !it.is_empty());
    std::iter::once(word).chain(after).chain(attached)
}

fn content(path: &Path) -> Result<String> {
    let unread = cannot("read", path);
    let mut bytes = Vec::new();
    named::open(path).map_err(unread)?.take(FILE_MAX).read_to_end(&mut bytes).map_err(unread)?;
    Ok(hash_of(&bytes))
}

/// Changes the records that still count, under a lock against other commands.
fn change<T>(
    path: &Path,
    now: u64,
    change: impl FnOnce(&mut BTreeMap<String, DryRunRecord>) -> T,
) -> std::io::Result<T> {
    let _lock = private::lock(&path.with_extension("lock"))?;
    let mut records: BTreeMap<_, DryRunRecord> = load_json(path).unwrap_or_default();
    records.retain(|_, it| it.at <= now && now - it.at < VALID_FOR);
    let result = change(&mut records);
    store_json(path, &records)?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    fn name(service: &str, owner: i64, line: &str) -> String {
        name_of(service, &owner, &words(line)).unwrap()
    }

    #[test]
    fn the_name_of_a_command_line_leaves_out_the_output_and_the_confirmation() {
        let line = "slots set cafe 1001 title=A";
        let same = name("a", 1, line);
        for other in [
            "--dry-run",
            "--dry-run=request",
            "--yes",
            "-y",
            "-o json",
            "-ojson",
            "-o=json",
            "--output=csv",
        ] {
            assert_eq!(name("a", 1, &format!("{line} {other}")), same, "{other}");
        }
        assert_ne!(name("b", 1, line), same);
        assert_ne!(name("a", 2, line), same);
        for other in [
            "slots set qara.weddings 1001 title=A",
            "slots set cafe 1001 title=B",
            "slots set cafe 1001 title=A --force",
            "slots set cafe 1001 title=A -- --yes",
            "slots delete cafe 1001 title=A",
        ] {
            assert_ne!(name("a", 1, other), same, "{other}");
        }
    }

    #[test]
    fn what_cannot_be_read_twice_has_no_name() {
        for line in [
            "api PATCH /x --input -",
            "api PATCH /x --input=-",
            "api PATCH /x -i-",
            "slots set cafe 1001 title=@-",
            "slots set cafe 1001 title=@/dev/null",
            "slots set cafe 1001 /dev/null",
            "api PATCH /x --input b\u{FFFD}.json",
        ] {
            assert!(name_of("a", &1, &words(line)).is_err(), "{line}");
        }
    }

    #[test]
    fn the_content_of_a_file_belongs_to_the_command_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("text");
        let lines =
            [format!("slots add cafe text title=@{}", path.display()), path.display().to_string()];
        let names = || lines.each_ref().map(|line| name("a", 1, line));
        std::fs::write(&path, "one").unwrap();
        let before = names();
        assert_eq!(before, names());
        std::fs::write(&path, "two").unwrap();
        let after = names();
        assert!(before.iter().zip(after).all(|(before, after)| *before != after));
    }

    #[test]
    fn a_dry_run_counts_once_and_for_an_hour() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("dry-runs.json");
        let record = |at| DryRunRecord { at, plans: Vec::new() };
        let put = || change(&path, 1000, |it| it.insert("a".to_owned(), record(1000))).unwrap();
        let take = |name: &str, now| change(&path, now, |it| it.remove(name)).unwrap();
        put();
        assert!(take("b", 1000).is_none());
        assert!(take("a", 1000).is_some());
        assert!(take("a", 1000).is_none());
        put();
        assert!(take("a", 1000 + VALID_FOR).is_none());
        // A clock that was set back makes no record count for longer.
        put();
        assert!(take("a", 999).is_none());
    }
}
