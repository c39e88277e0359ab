//! Test of one pair of a page and a file: runs that are cut off at each crash point in turn, then continued and checked.

use std::collections::BTreeSet;
use std::fs;
use std::ops::{Add, AddAssign};
use std::path::{Path, PathBuf};
use std::process::Output;

use links_fixtures::{Account, Fault};
use serde_json::{Map, Value};
use tempfile::TempDir;

use super::pairs::{Pair, slots};
use crate::steps::places;
use crate::test_env::TestEnv;

/// Maximum number of crash points, more than any run has.
const MOST: usize = 500;

/// Number of failures in a row: a create and four attempts to read the page after it. The next run waits out the rest.
const OUTAGE: usize = 5;

#[derive(Default)]
pub(super) struct Tally {
    /// Runs that were cut off.
    pub(super) cuts: usize,
    pub(super) failures: Vec<String>,
}

impl Add for Tally {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.cuts += other.cuts;
        self.failures.extend(other.failures);
    }
}

/// Cuts the run off at the first crash point, at the second, and so on until the run completes.
pub(super) fn cut_everywhere(pair: &Pair) -> Tally {
    let scene = Scene::of(pair);
    let mut tally = Tally::default();
    let wanted = scene.uninterrupted();
    for place in places().take_while(|place| *place <= MOST) {
        let state = scene.start();
        let cut = scene.apply(&state, Some(&format!("any:{place}")));
        if cut.status.success() {
            return tally;
        }
        tally.cuts += 1;
        let found = match cut.status.code() {
            None => scene.finish(&state, &wanted),
            Some(_) => Err(format!("it failed instead: {}", said(&cut))),
        };
        if let Err(why) = found {
            tally.failures.push(format!("{}, cut off at place {place}: {why}", pair.name));
        }
    }
    panic!("{} does not come to an end", pair.name);
}

/// Lets the service fail from the first request on, from the second, and so on until the run does not get there; before it executes the
/// request, and after.
pub(super) fn fail_everywhere(pair: &Pair) -> Tally {
    let wanted = Scene::of(pair).uninterrupted();
    let mut tally = Tally::default();
    for fault in [Fault::Before(500), Fault::After(500), Fault::Before(503), Fault::After(503)] {
        for request in places().take_while(|request| *request <= MOST) {
            let scene = Scene::of(pair);
            let state = scene.start();
            scene.env.server.fail(request..request + OUTAGE, &fault);
            let failed = scene.apply(&state, None);
            if scene.env.server.requests().len() < request {
                break;
            }
            tally.cuts += 1;
            if let Err(why) = scene.finish(&state, &wanted) {
                let said = said(&failed);
                let name = &pair.name;
                tally
                    .failures
                    .push(format!("{name}, {fault:?} at request {request}: {why}; {said}"));
            }
        }
    }
    tally
}

/// Result of an uninterrupted run.
pub(super) struct ExpectedResult {
    content: Vec<(String, Value)>,
    /// The ids that were there before and are there after.
    kept: BTreeSet<u64>,
    /// The first id that no slot has.
    next_id: u64,
}

/// A service with the page of a pair, and its file.
pub(super) struct Scene<'p> {
    pub(super) env: TestEnv,
    pair: &'p Pair,
}

impl<'p> Scene<'p> {
    pub(super) fn of(pair: &'p Pair) -> Self {
        let env = TestEnv::with(|builder| builder.choices(pair.choices.clone()));
        let env = env.env("LINKS_TEST_NO_WAIT", "1");
        env.file("page.json", pair.file.to_string());
        for (nth, file) in pair.before.iter().enumerate() {
            env.file(&format!("before-{nth}.json"), file.to_string());
        }
        Self { env, pair }
    }

    /// Resets the page, and returns a directory of state that is empty except for the runs that come first.
    pub(super) fn start(&self) -> TempDir {
        let state = tempfile::tempdir().unwrap();
        self.env.server.edit(|account| account.clone_from(&self.pair.account));
        self.env.server.forget_answers();
        for nth in 0..self.pair.before.len() {
            let run = self.run(&state, &format!("before-{nth}.json"), None);
            assert!(run.status.success(), "{}: {}", self.pair.name, said(&run));
        }
        self.env.server.forget_requests();
        state
    }

    pub(super) fn apply(&self, state: &TempDir, place: Option<&str>) -> Output {
        self.run(state, "page.json", place)
    }

    fn run(&self, state: &TempDir, file: &str, place: Option<&str>) -> Output {
        let mut command = self.env.command(["slots", "apply", file]);
        command.args(self.pair.flags.split_whitespace()).env("LINKS_STATE_DIR", state.path());
        if let Some(place) = place {
            command.env("LINKS_TEST_CRASH", place);
        }
        command.output().unwrap()
    }

    pub(super) fn uninterrupted(&self) -> ExpectedResult {
        let state = self.start();
        let before = self.env.server.account();
        let run = self.apply(&state, None);
        assert!(run.status.success(), "{}: {}", self.pair.name, said(&run));
        let after = self.env.server.account();
        let ids = |account: &Account| -> BTreeSet<u64> {
            slots(account).iter().map(|slot| slot.id).collect()
        };
        ExpectedResult {
            content: content(&after),
            kept: ids(&before).intersection(&ids(&after)).copied().collect(),
            next_id: after.next_id,
        }
    }

    /// Runs the command once more, and then again.
    pub(super) fn finish(&self, state: &TempDir, wanted: &ExpectedResult) -> Result<(), String> {
        let resumed = self.apply(state, None);
        expect(resumed.status.success(), || format!("the next run failed: {}", said(&resumed)))?;
        let account = self.env.server.account();
        let now = content(&account);
        expect(now == wanted.content, || format!("the page is {now:?}, not {:?}", wanted.content))?;
        let there: BTreeSet<u64> = slots(&account).iter().map(|slot| slot.id).collect();
        let lost: Vec<_> = wanted.kept.difference(&there).collect();
        expect(lost.is_empty(), || format!("slots {lost:?} were to be kept"))?;
        let created = account.next_id.abs_diff(wanted.next_id);
        expect(created == 0, || format!("{created} slots more were created than had to be"))?;

        self.env.server.forget_requests();
        let second = self.apply(state, None);
        let requests = self.env.server.requests().len();
        expect(second.status.success() && requests == 1, || {
            format!("a further run took {requests} requests: {}", said(&second))
        })?;
        look(state.path(), &self.env.server.token())
    }
}

/// Returns the content of a page, in order.
fn content(account: &Account) -> Vec<(String, Value)> {
    let content = |slot: &links_fixtures::Slot| (slot.kind.clone(), slot.data.clone().into());
    slots(account).iter().map(content).collect()
}

/// Checks that every run has ended, and that no file holds the token.
fn look(directory: &Path, token: &str) -> Result<(), String> {
    for path in files(directory) {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.display();
        expect(!text.contains(token), || format!("{name} holds the token"))?;
        if path.extension().is_some_and(|it| it == "jsonl") {
            expect(is_over(&text), || format!("{name} is not over: {:?}", kinds(&text).0))?;
        }
    }
    Ok(())
}

/// Returns whether a journal leaves nothing to be done: the page matches the file, or nothing was written.
fn is_over(journal: &str) -> bool {
    let (kinds, is_torn) = kinds(journal);
    let is_unwritten = |rest: &[String]| rest.chunks(2).all(|it| it == ["begin", "refused"]);
    match kinds.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        // Not even begun.
        [] => true,
        [.., "commit"] => !is_torn,
        ["open", "plan", .., "close"] => !is_torn && is_unwritten(&kinds[2..kinds.len() - 1]),
        _ => false,
    }
}

/// Returns the kind of each complete line of a journal, and whether an incomplete line follows.
pub(super) fn kinds(journal: &str) -> (Vec<String>, bool) {
    let (whole, torn) = journal.rsplit_once('\n').unwrap_or(("", journal));
    let kind = |line: &str| {
        let line: Map<String, Value> = serde_json::from_str(line).unwrap();
        line.keys().next().unwrap().clone()
    };
    (whole.lines().map(kind).collect(), !torn.is_empty())
}

pub(super) fn files(directory: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn expect(is: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if is { Ok(()) } else { Err(why()) }
}

pub(super) fn said(run: &Output) -> String {
    String::from_utf8_lossy(&run.stderr).into_owned()
}
