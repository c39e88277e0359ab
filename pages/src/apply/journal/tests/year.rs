//! A year of runs and commands, with clocks that jump: their names sort in the order in which they began, what is in doubt stays, and there are
//! never many.

use std::collections::BTreeSet;

use super::*;
use crate::apply::journal::store::is_run_name;

const DAY: u64 = 24 * 60 * 60;
const YEAR: u64 = 365 * DAY;
/// Runs and commands of each day.
const EACH_DAY: u64 = 8;
const START: u64 = 1_800_000_000;

impl JournalEnv {
    /// Begins a run of a page, or a command, at this time of the clock.
    fn at(&self, store: &JournalStore, time: u64, undoes: Option<&str>) -> Journal {
        let (options, types) = (PlanOptions::default(), SlotTypes::default());
        let mut opening = RunHeader::new(SERVICE, &self.page, &self.file, &options);
        opening.time = time;
        opening.command.undoes = undoes.map(str::to_owned);
        let write = |journal: &mut Journal| journal.plan(&self.plan, &self.page, None);
        store.open(None, opening, None, &types, write).unwrap()
    }

    /// Records a run that has ended.
    fn ended(&self, store: &JournalStore, time: u64, undoes: Option<&str>) -> String {
        let mut journal = self.at(store, time, undoes);
        journal.commit(1);
        journal.log.run.clone()
    }

    /// Records a run of which it stays unknown whether its only request was executed.
    fn in_doubt(&self, store: &JournalStore, time: u64) -> String {
        let mut journal = self.at(store, time, None);
        journal.begin(0, Some(&IdempotencyKey::random())).unwrap();
        let run = journal.log.run.clone();
        store.abort(None, &run).unwrap();
        run
    }
}

/// What the clock of the machine shows at a run, if it is wrong then.
fn shown(nth: u64, time: u64) -> u64 {
    match nth {
        // A year ahead for a day, a year behind, and clocks that were never set.
        800..808 => time + YEAR,
        1200..1208 => time - YEAR,
        1600 => 0,
        1601 => u64::from(u32::MAX),
        1602 => u64::MAX,
        // Back by an hour.
        2000..2100 => time - 3600,
        _ => time,
    }
}

#[test]
fn a_year_of_runs_stays_in_order_and_small() {
    // In memory, where nothing has to reach a disk.
    let memory = std::path::Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let env = JournalEnv::with(tempfile::tempdir_in(place).unwrap());
    let pages = [101, 102, 103].map(|page| JournalStore::of(env.state.path(), SERVICE, page));
    let commands = JournalStore::of_commands(env.state.path(), SERVICE);
    let (mut names, mut doubtful) = (Vec::new(), Vec::new());
    for nth in 0..365 * EACH_DAY {
        let time = shown(nth, START + nth * DAY / EACH_DAY);
        let store =
            if nth % 8 == 7 { &commands } else { &pages[usize::try_from(nth % 3).unwrap()] };
        if nth % 301 == 5 {
            doubtful.push(env.in_doubt(store, time));
            names.push(doubtful.last().unwrap().clone());
        } else {
            names.push(env.ended(store, time, None));
        }
    }
    assert!(names.iter().all(|name| is_run_name(name)), "each is the name of a run");
    let is_later = |pair: &[String]| pair[0] < pair[1];
    let wrong = names.windows(2).position(|pair| !is_later(pair));
    assert_eq!(wrong, None, "the order of names is that of the runs");
    // The first 10 digits, which are enough to name a run, are those of one run.
    let starts: BTreeSet<&str> = names.iter().map(|name| &name[..10]).collect();
    assert_eq!(starts.len(), names.len());

    let mut left = BTreeSet::new();
    for (store, most) in pages.iter().map(|it| (it, 50)).chain([(&commands, 200)]) {
        let runs = store.list().unwrap();
        let settled = runs.iter().filter(|run| !run.log.as_ref().unwrap().is_unsettled());
        assert_eq!(settled.count(), most);
        let newest = runs.iter().rev().take(most).map(|run| &run.run);
        assert!(newest.rev().is_sorted(), "the newest are left");
        left.extend(runs.into_iter().map(|run| run.run));
    }
    assert!(doubtful.len() > 8 && doubtful.iter().all(|run| left.contains(run)));
    let newest: BTreeSet<_> = names.iter().rev().take(100).cloned().collect();
    assert!(newest.is_subset(&left), "the newest runs of all are left");
    let newest = JournalStore::headers(env.state.path(), SERVICE).unwrap().next_back().unwrap();
    assert_eq!(newest.0, *names.last().unwrap());
}

/// The pages of a service may be those of many accounts.
#[test]
fn the_order_of_runs_is_known_without_the_journals_of_other_pages() {
    let env = JournalEnv::new();
    let [one, two] = [102, 103].map(|page| JournalStore::of(env.state.path(), SERVICE, page));
    let first = env.ended(&one, START, None);
    let second = env.ended(&two, START - DAY, None);
    let unseen = format!("{:010x}-0", (START + YEAR) << 8);
    fs::write(one.journal(&unseen), "").unwrap();
    let third = env.ended(&two, START, None);
    assert!(first < second && second < third && third < unseen, "{first} {second} {third}");
    // Where only a part of the note is left, they are looked at.
    fs::write(env.runs.service[0].join("order"), "6b").unwrap();
    assert!(env.ended(&two, START, None) > unseen);
}

/// An undo is a run of its page, of which fewer are kept than of commands.
#[test]
fn an_undo_is_kept_for_as_long_as_what_it_undoes() {
    let env = JournalEnv::new();
    let commands = JournalStore::of_commands(env.state.path(), SERVICE);
    let of = |run: &RecordedRun| run.opening.command.undoes.clone();
    let undone = env.ended(&commands, START, None);
    let undo = env.ended(&env.runs, START + 1, Some(&undone));
    let redo = env.ended(&env.runs, START + 2, Some(&undo));
    let other = env.ended(&env.runs, START + 3, None);
    let other_undo = env.ended(&env.runs, START + 4, Some(&other));
    for nth in 0..60 {
        env.ended(&env.runs, START + 10 + nth, None);
    }
    let runs = env.runs.list().unwrap();
    let undoing: Vec<_> = runs.iter().filter_map(of).collect();
    assert_eq!(undoing, [undone.clone(), undo.clone()], "that of a removed run is removed");
    assert!(runs.iter().all(|run| run.run != other && run.run != other_undo));
    assert_eq!(runs.len(), 52);

    // Once that was removed, they are as old as others.
    commands.remove_runs(&commands.old(0, None, false, |_| true).unwrap()).unwrap();
    assert!(commands.list().unwrap().is_empty());
    assert_eq!(env.runs.old(50, None, false, |_| true).unwrap(), [undo, redo]);
}

/// Writes of the last days are kept although the clock was wrong.
#[test]
fn no_recent_run_is_removed_for_its_age_when_the_clock_was_wrong() {
    for by in [-60 * 60, 60 * 60, -365 * 24 * 60 * 60, 365 * 24 * 60 * 60] {
        let env = JournalEnv::new();
        let store = &env.runs;
        let old = env.ended(store, START - 60 * DAY, None);
        let recent = START - DAY;
        let wrong = env.ended(store, recent.saturating_add_signed(by), None);
        let later = env.ended(store, recent + 60, None);
        let removed = store.old(0, Some(START - 30 * DAY), false, |_| true).unwrap();
        assert!(removed.contains(&old), "{by}");
        assert!(!removed.contains(&later), "{by}");
        // Before a run of the last days comes none that is known to be older.
        assert_eq!(removed.contains(&wrong), by == -365 * 24 * 60 * 60, "{by}");
    }
}
