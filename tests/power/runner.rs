//! Runs scenarios and counts states.

use std::env;
use std::process::{Command, ExitCode};

use crate::disk::cuts;
use crate::place::Place;
use crate::random::Random;
use crate::scenarios::{ALL, FILES, Scenario, WholeRun};
use crate::trace::Change;

/// Number of processes: a recorder waits for every child of its process.
const PROCESSES: u64 = 2;

/// States of each scenario that are tried without a number.
const SAMPLE: usize = 12;

const PART: &str = "LINKS_POWER_PART";

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|it| it.parse().unwrap())
}

pub(crate) fn main() -> ExitCode {
    // For the test runner this is one test, named `power`.
    let args: Vec<String> = env::args().skip(1).collect();
    if args.iter().any(|it| it == "--list") {
        println!("power: test");
        return ExitCode::SUCCESS;
    }
    if args.iter().any(|it| !it.starts_with('-') && !"power".contains(it.as_str())) {
        return ExitCode::SUCCESS;
    }
    match number(PART) {
        Some(part) => run(part),
        None => {
            let part = |nth: u64| {
                let own = env::current_exe().unwrap();
                Command::new(own).env(PART, nth.to_string()).spawn().unwrap()
            };
            let children: Vec<_> = (0..PROCESSES).map(part).collect();
            let ended = children.into_iter().map(|mut child| child.wait().unwrap().success());
            // All are waited for.
            let ended: Vec<bool> = ended.collect();
            if ended.iter().all(|it| *it) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
    }
}

/// Runs every other scenario with seeds, until enough states were tried.
fn run(part: u64) -> ExitCode {
    let wanted = number("LINKS_POWER_STATES").map(|states| states.div_ceil(PROCESSES));
    let first = number("LINKS_POWER_SEED").unwrap_or(1);
    let only = env::var("LINKS_POWER_ONLY").ok();
    let (mut tried, mut failed) = (0, 0);
    for seed in first.. {
        for (nth, scenario) in ALL.iter().enumerate() {
            let is_own = (nth as u64 + seed) % PROCESSES == part;
            if !is_own || only.as_ref().is_some_and(|only| only != scenario.name) {
                continue;
            }
            let most = if wanted.is_some() { usize::MAX } else { SAMPLE };
            let (states, failures) = try_out(scenario, seed, most);
            (tried, failed) = (tried + states, failed + failures);
        }
        let is_enough = wanted.is_none_or(|wanted| tried as u64 >= wanted);
        if is_enough && (wanted.is_some() || seed > first) {
            break;
        }
    }
    println!("power cuts, part {part}: {tried} states tried, {failed} violations");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Records a scenario, and tries the states that follow from it, at most this many. Returns how many, and how many are wrong.
fn try_out(scenario: &Scenario, seed: u64, most: usize) -> (usize, usize) {
    let mut random = Random::new(seed);
    let place = Place::new();
    let line = (scenario.begin)(&place, &mut random);
    let texts = || FILES.map(|name| place.text(name));
    let old = texts();
    let (before, recorded) = place.record(&line);
    assert!(matches!(recorded.exit, 0 | 3), "{} with seed {seed}", scenario.name);
    let versions = old.into_iter().zip(texts()).map(Into::into);
    let files = FILES.iter().map(|name| (*name).to_owned()).zip(versions).collect();
    let known = WholeRun { line, after: place.account(), files };
    let mut all = cuts(&before, &recorded.changes, &mut random);
    let count = all.len();
    while all.len() > most {
        all.swap_remove(random.below(all.len()));
    }
    let mut failed = 0;
    for cut in &all {
        place.restore(&recorded, cut);
        if let Err(why) = (scenario.check)(&place, &known) {
            failed += 1;
            let last = cut.at.checked_sub(1).map(|last| &recorded.changes[last]);
            println!(
                "VIOLATION in {} with seed {seed}, cut after change {} {}, lost: [{}], service {}: {}\n",
                scenario.name,
                cut.at,
                named(last),
                shortened(&cut.lost),
                cut.service,
                shortened(&why)
            );
        }
    }
    println!(
        "{} with seed {seed}: {} of {count} states tried, {failed} violations",
        scenario.name,
        all.len()
    );
    (all.len(), failed)
}

fn named(change: Option<&Change>) -> String {
    format!("{change:?}").chars().take(200).collect()
}

fn shortened(text: &str) -> String {
    text.chars().take(1500).collect()
}
