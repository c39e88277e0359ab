//! Tests of faults 41 to 48: a run that is cut off at a crash point that is known by its name. The entries and requests until then are
//! checked, so that each of these is the expected crash point.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use super::crash_point::{ExpectedResult, Scene, files, kinds, said};
use super::pairs::Pair;

/// A run that nothing interrupts: its journal entries and its requests, one after the other.
struct Course<'p> {
    scene: Scene<'p>,
    wanted: ExpectedResult,
    lines: Vec<String>,
    requests: Vec<String>,
}

fn pair(name: &str) -> Pair {
    Pair::of_every_step().into_iter().find(|pair| pair.name == name).unwrap()
}

fn journals(state: &TempDir) -> Vec<PathBuf> {
    files(state.path())
        .into_iter()
        .filter(|it| it.extension().is_some_and(|it| it == "jsonl"))
        .collect()
}

/// Returns the kind of each complete line of the only journal after the backup, if there is one; and whether an incomplete line follows.
fn lines(state: &TempDir) -> (Vec<String>, bool) {
    let Some(journal) = journals(state).pop() else { return (Vec::new(), false) };
    let text = std::fs::read_to_string(journal).unwrap();
    let (kinds, is_torn) = kinds(&text);
    (std::iter::once("backup".to_owned()).chain(kinds).collect(), is_torn)
}

impl<'p> Course<'p> {
    fn of(pair: &'p Pair) -> Self {
        let scene = Scene::of(pair);
        let wanted = scene.uninterrupted();
        let state = scene.start();
        assert!(scene.apply(&state, None).status.success());
        let (lines, _) = lines(&state);
        let requests = requests(&scene);
        Self { scene, wanted, lines, requests }
    }

    /// Cuts the run off before each line of a kind, in the middle of it and after it.
    fn cut_at_lines(&self, kind: &str, times: usize) {
        let numbers = places(&self.lines, kind);
        assert_eq!(numbers.len(), times, "{:?}", self.lines);
        for nth in numbers {
            for (place, is_written) in
                [("before_write", false), ("torn_write", false), ("after_write", true)]
            {
                self.cut_at(&format!("{place}:{nth}"), |state, _| {
                    let (written, is_torn) = lines(state);
                    let expected = &self.lines[..if is_written { nth } else { nth - 1 }];
                    if nth > 2 || is_written && nth == 2 {
                        assert_eq!(
                            (&written[..], is_torn),
                            (expected, place == "torn_write"),
                            "{place}:{nth}"
                        );
                    } else {
                        assert!(written.len() <= 1, "nothing but the backup: {written:?}");
                    }
                });
            }
        }
    }

    /// Cuts the run off before each request of a kind and after it.
    fn cut_at_requests(&self, operation: &str, times: RangeInclusive<usize>) {
        let numbers = places(&self.requests, operation);
        assert!(times.contains(&numbers.len()), "{:?}", self.requests);
        for nth in numbers {
            for (place, sent) in [("before_send", nth - 1), ("after_send", nth)] {
                self.cut_at(&format!("{place}:{nth}"), |_, seen| {
                    assert_eq!(seen, &self.requests[..sent], "{place}:{nth}");
                });
            }
        }
    }

    fn cut_at(&self, place: &str, look: impl FnOnce(&TempDir, &[String])) {
        let state = self.scene.start();
        let cut = self.scene.apply(&state, Some(place));
        assert_eq!(cut.status.code(), None, "{place}: {}", said(&cut));
        look(&state, &requests(&self.scene));
        self.scene.finish(&state, &self.wanted).unwrap_or_else(|why| panic!("{place}: {why}"));
    }
}

/// Returns the requests to the service, except those for the slot types, which come before anything can be lost.
fn requests(scene: &Scene<'_>) -> Vec<String> {
    let mut operations = scene.env.operations();
    operations.retain(|it| it != "listSlotTypes");
    operations
}

/// Returns the numbers of all entries of a kind, counted from one.
fn places(all: &[String], kind: &str) -> Vec<usize> {
    (1..).zip(all).filter(|(_, other)| *other == kind).map(|(nth, _)| nth).collect()
}

#[test]
fn a_run_cut_off_while_its_journal_is_opened_is_finished_by_the_next() {
    let pair = pair("everything at once");
    let course = Course::of(&pair);
    for kind in ["backup", "open", "plan"] {
        course.cut_at_lines(kind, 1);
    }
}

#[test]
fn a_run_that_was_not_begun_is_listed_and_blocks_no_other() {
    let pair = pair("everything at once");
    let scene = Scene::of(&pair);
    let wanted = scene.uninterrupted();
    for place in ["torn_write:1", "after_write:1", "before_write:2", "torn_write:2"] {
        let state = scene.start();
        scene.apply(&state, Some(place));
        let states = |line: &str| {
            let mut command = scene.env.command(line.split_whitespace());
            let output = command.env("LINKS_STATE_DIR", state.path()).output().unwrap();
            let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
            let rows = rows["data"].as_array().unwrap().clone();
            rows.iter().map(|row| row["state"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(states("log -o json"), ["not_begun"], "{place}");
        assert!(states("slots apply --status -o json").is_empty(), "{place}");
        scene.finish(&state, &wanted).unwrap_or_else(|why| panic!("{place}: {why}"));
        assert_eq!(states("log -o json"), ["done", "not_begun"], "{place}");
    }
}

#[test]
fn a_run_cut_off_where_it_announces_a_step_is_finished_by_the_next() {
    Course::of(&pair("everything at once")).cut_at_lines("begin", 4);
}

#[test]
fn a_run_cut_off_around_any_request_is_finished_by_the_next() {
    let pair = pair("everything at once");
    let course = Course::of(&pair);
    for operation in ["getProfile", "updateSlots", "createSlots"] {
        course.cut_at_requests(operation, 1..=1);
    }
    // The last one, and one where the limits made a write wait.
    course.cut_at_requests("listSlots", 1..=2);
}

#[test]
fn a_run_cut_off_where_it_reports_a_step_is_finished_by_the_next() {
    Course::of(&pair("everything at once")).cut_at_lines("end", 4);
}

#[test]
fn a_run_cut_off_around_the_reorder_is_finished_by_the_next() {
    Course::of(&pair("everything at once")).cut_at_requests("reorderSlots", 1..=1);
}

#[test]
fn a_run_cut_off_around_a_batch_of_deletes_is_finished_by_the_next() {
    Course::of(&pair("delete in two batches")).cut_at_requests("deleteSlots", 2..=2);
}

#[test]
fn a_run_cut_off_where_it_commits_is_finished_by_the_next() {
    Course::of(&pair("everything at once")).cut_at_lines("commit", 1);
}

/// Creates as many ended runs as are kept, and two more.
fn fill(state: &TempDir) {
    let journal = journals(state).remove(0);
    let name = journal.file_stem().unwrap().to_str().unwrap();
    let (order, rest) = name.split_once('-').unwrap();
    let order = u64::from_str_radix(order, 16).unwrap();
    for nth in 1..51 {
        let run = |extension: &str| {
            journal.with_file_name(format!("{:010x}-{rest}.{extension}", order + nth))
        };
        std::fs::copy(&journal, run("jsonl")).unwrap();
        std::fs::copy(journal.with_file_name(format!("{name}.page.json")), run("page.json"))
            .unwrap();
    }
}

#[test]
fn a_run_cut_off_while_old_runs_are_removed_is_finished_by_the_next() {
    let pair = pair("there and back");
    let scene = Scene::of(&pair);
    let wanted = scene.uninterrupted();
    for place in ["before_remove", "after_remove"] {
        // Two runs, and two files of each.
        for nth in 1..=4 {
            let state = scene.start();
            fill(&state);
            let cut = scene.apply(&state, Some(&format!("{place}:{nth}")));
            assert_eq!(cut.status.code(), None, "{place}:{nth}: {}", said(&cut));
            scene.finish(&state, &wanted).unwrap_or_else(|why| panic!("{place}:{nth}: {why}"));
            assert_eq!(journals(&state).len(), 50);
            assert_eq!(
                files(state.path())
                    .iter()
                    .filter(|it| it.to_string_lossy().ends_with(".page.json"))
                    .count(),
                50
            );
        }
    }
}
