//! Counts of what a campaign has done.

use std::collections::BTreeMap;
use std::fmt;

/// Counts of everything that happened.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) histories: usize,
    pub(crate) commands: BTreeMap<&'static str, usize>,
    pub(crate) exits: BTreeMap<Option<i32>, usize>,
    pub(crate) faults: BTreeMap<String, usize>,
    pub(crate) edits: usize,
    pub(crate) kills: usize,
    pub(crate) requests: usize,
}

impl Tally {
    /// Returns the number of commands that have run.
    pub(crate) fn commands(&self) -> usize {
        self.commands.values().sum()
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.histories += other.histories;
        self.edits += other.edits;
        self.kills += other.kills;
        self.requests += other.requests;
        merge(&mut self.commands, other.commands);
        merge(&mut self.exits, other.exits);
        merge(&mut self.faults, other.faults);
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
            "{} commands in {} histories, {} requests, {} edits by someone else, {} kills",
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
        let exits = self.exits.iter().map(|(code, count)| (exit(code), *count)).collect();
        writeln!(f, "exit codes: {}", listed(exits))?;
        let faults = self.faults.iter().map(|(name, count)| (name.clone(), *count)).collect();
        writeln!(f, "faults: {}", listed(faults))
    }
}
