//! Operations: all writes of one call of the program, and which of them were undone.

use links_pages::apply::{JournalEntries, RunOwner, RunState};

use super::write_log::{self, LoggedWrite};
use crate::context::prelude::*;
use crate::context::seconds_now;
use crate::output::Column;
use crate::ui::ago;

pub(crate) const COLUMNS: &[Column] = &[
    Column::at("OPERATION", "operation"),
    Column::at("TIME", "time"),
    Column::at("COMMAND", "command"),
    Column::of("WROTE", |row| names(row["wrote"].as_array().map_or(&[], Vec::as_slice))),
    Column::at("DONE", "summary"),
    Column::of("STATE", state_words),
];

/// The same columns for a person: the time is relative.
pub(crate) const READ_COLUMNS: &[Column] =
    &[COLUMNS[0], Column::of("TIME", when), COLUMNS[2], COLUMNS[3], COLUMNS[4], COLUMNS[5]];

/// Hint of an error about an operation.
pub(crate) const LIST: &str = "run `links log` to list the operations on this machine";

/// Maximum number of operations that a hint names.
const NAMED_IDS: usize = 10;

/// Number of pages and forms that a table names.
const NAMED: usize = 3;

/// The writes of one call of the program, the oldest first.
pub(crate) struct Operation {
    pub(crate) parts: Vec<LoggedWrite>,
}

/// The operations of this machine, the oldest first.
#[derive(Default)]
pub(crate) struct Operations {
    pub(crate) all: Vec<Operation>,
    /// Runs that were undone, each with the run that did it.
    undone: BTreeMap<String, String>,
    /// Runs of which an undo has left something.
    left: BTreeSet<String>,
    /// Runs whose undo did not finish, or was undone in part.
    unfinished: BTreeSet<String>,
    /// Index of the operation that each run belongs to.
    of_run: BTreeMap<String, usize>,
    /// Writes of other accounts, without those of commands for several accounts.
    others: Vec<LoggedWrite>,
}

impl Operation {
    /// Name: that of its first run.
    pub(crate) fn id(&self) -> &str {
        self.parts[0].run()
    }

    /// Name that the journals of the operation share.
    pub(crate) fn call(&self) -> Option<&str> {
        call(&self.parts[0])
    }

    /// Runs that the operation undoes.
    pub(crate) fn undoes(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(undoes)
    }

    /// Returns whether it is known to be of this account, or of a command for several accounts.
    pub(crate) fn is_of(&self, own: &RunOwner) -> bool {
        self.parts.iter().all(|part| part.is_foreign || part.is_of(own) == Some(true))
    }

    /// Returns whether the newest run on a page did not reach its end.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.states().contains("unfinished")
    }

    /// Returns whether the newest run on a page did not make it as it was asked to be.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.states() != BTreeSet::from(["done"])
    }

    /// Returns the states of the newest writes to each page and form.
    fn states(&self) -> BTreeSet<&'static str> {
        let key = |part: &LoggedWrite| (part.other_account(), part.target());
        let newest: BTreeMap<_, &LoggedWrite> =
            self.parts.iter().map(|part| (key(part), part)).collect();
        newest.into_values().map(LoggedWrite::state).collect()
    }

    fn state(&self) -> &'static str {
        let states = self.states();
        match states.first() {
            Some(&state) if states.len() == 1 => state,
            _ if states.contains("unfinished") => "unfinished",
            _ if states.contains("unknown") => "unknown",
            _ => "partial",
        }
    }
}

impl Operations {
    /// Reads the journals of the configured service, without those of other accounts; those of all services if none is configured. Of a
    /// command for several accounts, what it wrote to the others is read, too.
    pub(crate) fn read(context: &Context) -> Result<Self> {
        Ok(Self::of(write_log::all_accounts(context)?))
    }

    /// Groups writes, the oldest first.
    pub(super) fn of(writes: Vec<LoggedWrite>) -> Self {
        let mut operations = Self::default();
        operations.note_undone(&writes);
        let mut of_call: BTreeMap<String, usize> = BTreeMap::new();
        for write in writes {
            if write.is_foreign && !write.is_part() {
                operations.others.push(write);
                continue;
            }
            let name = call(&write).unwrap_or_else(|| write.run()).to_owned();
            let index = *of_call.entry(name).or_insert(operations.all.len());
            operations.of_run.insert(write.run().to_owned(), index);
            match operations.all.get_mut(index) {
                Some(operation) => operation.parts.push(write),
                None => operations.all.push(Operation { parts: vec![write] }),
            }
        }
        operations
    }

    /// Finds the runs that were undone. An undo that was itself undone does not count.
    fn note_undone(&mut self, writes: &[LoggedWrite]) {
        for write in writes.iter().rev() {
            let (Some(log), Some(of)) = (write.log(), undoes(write)) else { continue };
            if self.is_undone(write.run()) {
                continue;
            }
            let leaves = log.opening.command.leaves.iter().cloned();
            // A later undo may have taken back what this one left.
            let leaves: Vec<String> = leaves.filter(|run| !self.is_undone(run)).collect();
            if log.state == RunState::Done && !self.unfinished.contains(write.run()) {
                self.undone.entry(of.to_owned()).or_insert_with(|| write.run().to_owned());
            } else if log.has_effect() && !self.is_undone(of) {
                self.unfinished.insert(of.to_owned());
            } else {
                continue;
            }
            self.left.extend(leaves);
        }
    }

    /// Returns all writes.
    pub(crate) fn writes(&self) -> impl Iterator<Item = &LoggedWrite> {
        self.all.iter().flat_map(|operation| &operation.parts)
    }

    /// Returns what other accounts have written by commands of their own, without what they took back.
    pub(crate) fn elsewhere(&self) -> impl Iterator<Item = &LoggedWrite> {
        self.others.iter().filter(|write| undoes(write).is_none())
    }

    /// Returns the operation that a run belongs to.
    pub(crate) fn of_run(&self, run: &str) -> Option<usize> {
        self.of_run.get(run).copied()
    }

    /// Returns the operation of this name. The beginning of the name is enough, and the name of each of its runs names it.
    pub(crate) fn one(&self, name: &str) -> Result<usize> {
        let named = self.of_run.iter().filter(|(run, _)| run.starts_with(name));
        let found: BTreeSet<usize> = named.map(|(_, index)| *index).collect();
        match found.into_iter().collect::<Vec<_>>()[..] {
            [] => {
                let message = format!("operation {name} not found");
                Err(CommandError::not_found(message).with_hint(LIST))
            }
            [index] => Ok(index),
            ref several => {
                let names: Vec<&str> = several.iter().map(|at| self.all[*at].id()).collect();
                let more = if names.len() > NAMED_IDS { ", …" } else { "" };
                let shown = names[..names.len().min(NAMED_IDS)].join(", ");
                let message =
                    format!("{name} matches {} operations; nothing was written", names.len());
                Err(CommandError::usage(message).with_hint(format!("use one of: {shown}{more}")))
            }
        }
    }

    /// Returns how many undos there are between an operation and what a user asked for: an undo is 1, a redo 2.
    pub(crate) fn depth(&self, index: usize) -> usize {
        let mut undoes = self.all[index].undoes().peekable();
        let Some(first) = undoes.peek().copied() else { return 0 };
        // Of a run that isn't in the log, only the command that took it back tells whether it was an undo.
        let older = self.of_run(first).filter(|older| *older < index);
        let is_redo = || self.all[index].parts[0].command().name == "redo";
        1 + older.map_or_else(|| usize::from(is_redo()), |older| self.depth(older))
    }

    /// Returns what an operation is, as `links log` calls it.
    pub(crate) fn kind(&self, index: usize) -> &'static str {
        match self.depth(index) {
            0 => "write",
            depth if depth % 2 == 1 => "undo",
            _ => "redo",
        }
    }

    pub(crate) fn is_undone(&self, run: &str) -> bool {
        self.undone.contains_key(run)
    }

    /// Returns whether the run is undone as far as a finished undo could undo it.
    pub(crate) fn is_settled(&self, run: &str) -> bool {
        self.is_undone(run) || self.left.contains(run) && !self.unfinished.contains(run)
    }

    /// Returns how far an operation is undone: `part` or `whole`.
    fn undone(&self, index: usize) -> Option<&'static str> {
        let has_effect = |part: &&LoggedWrite| part.log().is_some_and(JournalEntries::has_effect);
        let written = self.all[index].parts.iter().filter(has_effect);
        let (mut is_any, mut is_all) = (false, true);
        for part in written {
            let run = part.run();
            let is_part = self.left.contains(run) || self.unfinished.contains(run);
            is_any |= is_part || self.is_undone(run);
            is_all &= self.is_undone(run) && !is_part;
        }
        match (is_any, is_all) {
            (false, _) => None,
            (true, false) => Some("part"),
            (true, true) => Some("whole"),
        }
    }

    /// Record for the output.
    pub(crate) fn row(&self, index: usize) -> Value {
        let operation = &self.all[index];
        let row = |part: &LoggedWrite| {
            let mut row = part.row();
            row["undoneBy"] = json!(self.undone.get(part.run()));
            row
        };
        let parts: Vec<Value> = operation.parts.iter().map(row).collect();
        let other = |run: &str| self.of_run(run).map(|other| self.all[other].id());
        let undone_by = operation.parts.iter().find_map(|part| self.undone.get(part.run()));
        let mut wrote: Vec<&Value> = Vec::new();
        let mut done: Vec<&str> = Vec::new();
        let is_written = |part: &LoggedWrite| part.log().is_none_or(JournalEntries::has_effect);
        let is_any_written = operation.parts.iter().any(is_written);
        for (write, part) in operation.parts.iter().zip(&parts) {
            if is_any_written && !is_written(write) {
                continue;
            }
            if !part["page"].is_null() && !wrote.contains(&&part["page"]) {
                wrote.push(&part["page"]);
            }
            done.extend(part["summary"].as_str().filter(|it| !done.contains(it)));
        }
        let first = &parts[0];
        json!({
            "operation": operation.id(),
            "time": first["time"],
            "command": first["command"],
            "wrote": wrote,
            "service": first["service"],
            "user": first["user"],
            "summary": done.join("; "),
            "state": operation.state(),
            "kind": self.kind(index),
            "undoes": operation.undoes().find_map(other),
            "undone": self.undone(index),
            "undoneBy": undone_by.and_then(|run| other(run)),
            "parts": parts,
        })
    }
}

fn call(write: &LoggedWrite) -> Option<&str> {
    write.command().call.as_deref()
}

fn undoes(write: &LoggedWrite) -> Option<&str> {
    write.command().undoes.as_deref()
}

/// Names pages and forms: the first of them, and how many more there are.
pub(crate) fn names(wrote: &[Value]) -> String {
    let shown: Vec<&str> = wrote.iter().take(NAMED).filter_map(Value::as_str).collect();
    match wrote.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns how long ago an operation was, or the time where the clock says that it is to come.
pub(crate) fn when(row: &Value) -> String {
    let text = row["time"].as_str().unwrap_or_default();
    let then = text.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_second);
    let now = i64::try_from(seconds_now()).unwrap_or(i64::MAX);
    then.ok().and_then(|then| ago(then, now)).unwrap_or_else(|| text.to_owned())
}

pub(crate) fn state_words(row: &Value) -> String {
    let state = row["state"].as_str().unwrap_or_default();
    let kind = match row["kind"].as_str() {
        Some("undo") => ", undo",
        Some("redo") => ", redo",
        _ => "",
    };
    let undone = match row["undone"].as_str() {
        Some("whole") => ", undone",
        Some(_) => ", partly undone",
        None => "",
    };
    format!("{state}{kind}{undone}")
}
