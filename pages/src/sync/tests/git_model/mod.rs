//! A model of Git: two clones with branches, merges, reverts, amends, picks, rebases and squashes, a page with slots and a form, edits by others, renamed
//! files, shallow clones and tampered locks. It checks the rule for the base ([`KnownBase`](crate::sync::KnownBase)) together with the merge.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::sync::Mutex;

use world::{GitStep, GitWorld, Rule};

mod applying;
mod git;
mod people;
mod repo;
mod truth;
mod world;

fn steps() -> impl Strategy<Value = Vec<GitStep>> {
    let step = (0_u8..32, any::<u16>(), any::<u16>(), any::<u16>());
    vec(step.prop_map(|(action, a, b, c)| GitStep { action, a, b, c }), 4..28)
}

/// Runs a history, and both clones apply at its end. Returns what was done, with the first fault in the world.
fn run(rule: Rule, steps: &[GitStep], tick: u64) -> (GitWorld, Vec<String>) {
    let (mut world, mut did) = (GitWorld::new(rule, tick), Vec::new());
    for step in steps {
        did.extend(world.step(*step));
        if !world.found.is_empty() {
            return (world, did);
        }
    }
    for m in 0..2 {
        did.push(format!("{} applies at the end", ["A", "B"][m]));
        world.apply_all(m);
    }
    (world, did)
}

/// Runs as many histories as `GIT_HISTORIES` says, or `cases`, with figures. Returns the first fault with what led to it. `GIT_SEED` chooses
/// other histories.
fn run_histories(rule: Rule, cases: u64) -> Result<(), String> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let cases = number("GIT_HISTORIES").unwrap_or(cases);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number("GIT_SEED").unwrap_or(1).to_le_bytes());
    let config = Config {
        cases: u32::try_from(cases).expect("a number of histories"),
        failure_persistence: None,
        max_shrink_iters: 4_000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let noise: Mutex<BTreeMap<&str, usize>> = Mutex::default();
    let result = runner.run(&(steps(), 1_u64..4), |(steps, tick)| {
        let (world, _) = run(rule, &steps, tick);
        let mut noise = noise.lock().unwrap();
        for (what, count) in &world.noise {
            *noise.entry(what).or_default() += count;
        }
        match world.found.first() {
            None => Ok(()),
            Some(found) => Err(TestCaseError::fail(found.clone())),
        }
    });
    println!("{rule:?}, {cases} histories: {:?}", noise.lock().unwrap());
    match result {
        Ok(()) => Ok(()),
        Err(TestError::Fail(problem, (steps, tick))) => {
            let (_, did) = run(rule, &steps, tick);
            Err(format!("{problem}\n  {}", did.join("\n  ")))
        }
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn branches_lose_no_edit_and_no_merge() {
    run_histories(Rule::Vouched, 150).unwrap_or_else(|fault| panic!("{fault}"));
}

/// The model finds what the simpler rules lose.
#[test]
fn simpler_rules_lose_edits() {
    for rule in [Rule::Newest, Rule::Tree] {
        let fault = run_histories(rule, 2_000).expect_err("a fault");
        println!("{fault}");
    }
}
