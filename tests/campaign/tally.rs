//! Counts of what a campaign has done.

use std::collections::BTreeMap;
use std::fmt;

use crate::process::Ended;
use crate::proxy::Event;

/// Counts of everything that happened.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) histories: usize,
    pub(crate) commands: BTreeMap<&'static str, usize>,
    pub(crate) exits: BTreeMap<Option<i32>, usize>,
    pub(crate) faults: BTreeMap<String, usize>,
    /// What was done in clones; what Git refused is one of them.
    pub(crate) git: BTreeMap<&'static str, usize>,
    pub(crate) edits: usize,
    pub(crate) kills: usize,
    pub(crate) requests: usize,
}

impl Tally {
    /// Returns the number of commands that have run.
    pub(crate) fn commands(&self) -> usize {
        self.commands.values().sum()
    }

    /// Returns the number of commands, requests, edits by others, and actions in clones.
    pub(crate) fn steps(&self) -> usize {
        self.commands() + self.requests + self.edits + self.git.values().sum::<usize>()
    }

    /// Counts a command by its name and its end.
    pub(crate) fn count_command(&mut self, name: &'static str, ended: &Ended) {
        *self.commands.entry(name).or_default() += 1;
        *self.exits.entry(ended.exit.filter(|_| !ended.killed)).or_default() += 1;
        self.kills += usize::from(ended.killed);
    }

    /// Counts requests with their faults, and edits.
    pub(crate) fn count_events<W>(&mut self, events: &[Event<W>]) {
        for event in events {
            let Some(request) = &event.request else {
                self.edits += 1;
                continue;
            };
            self.requests += 1;
            if let Some(fault) = &request.fault {
                *self.faults.entry(fault.name()).or_default() += 1;
            }
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.histories += other.histories;
        self.edits += other.edits;
        self.kills += other.kills;
        self.requests += other.requests;
        merge(&mut self.commands, other.commands);
        merge(&mut self.exits, other.exits);
        merge(&mut self.faults, other.faults);
        merge(&mut self.git, other.git);
    }
}

fn merge<K: Ord>(into: &mut BTreeMap<K, usize>, from: BTreeMap<K, usize>) {
    for (key, count) in from {
        *into.entry(key).or_default() += count;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} commands in {} histories, {} requests, {} edits by other clients, {} kills",
            self.commands(),
            self.histories,
            self.requests,
            self.edits,
            self.kills
        )?;
        let listed = |counts: Vec<(String, usize)>| {
            let parts: Vec<_> =
                counts.iter().map(|(name, count)| format!("{name}: {count}")).collect();
            parts.join(", ")
        };
        let exit = |exit: &Option<i32>| exit.map_or("killed".to_owned(), |it| it.to_string());
        let named = |(name, count): (&&str, &usize)| ((*name).to_owned(), *count);
        writeln!(f, "commands: {}", listed(self.commands.iter().map(named).collect()))?;
        writeln!(f, "in clones: {}", listed(self.git.iter().map(named).collect()))?;
        let exits = self.exits.iter().map(|(code, count)| (exit(code), *count)).collect();
        writeln!(f, "exit codes: {}", listed(exits))?;
        let faults = self.faults.iter().map(|(name, count)| (name.clone(), *count)).collect();
        writeln!(f, "faults: {}", listed(faults))
    }
}
