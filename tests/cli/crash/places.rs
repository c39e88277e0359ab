//! Faults 41 to 48: a run that is cut off at a place that is known by its name. What it has written down and sent by then is looked at,
//! so that each of these is the place that it is said to be.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use super::crash_point::{Scene, Wanted, files, kinds, said};
use super::pairs::Pair;

/// A run that nothing interrupts: what it writes down and what it asks of the service, one after the other.
struct Course<'p> {
    scene: Scene<'p>,
    wanted: Wanted,
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

/// The kind of each whole line of the only journal behind the backup, if there is one; and whether a torn line follows.
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

    /// Cuts the run off before each line of a kind, in the middle of it and behind it.
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

    /// Cuts the run off before each request of a kind and behind it.
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

/// What was asked of the service, but for the slot types: they come before anything is to be lost.
fn requests(scene: &Scene<'_>) -> Vec<String> {
    let mut operations = scene.env.operations();
    operations.retain(|it| it != "listSlotTypes");
    operations
}

/// The numbers of all that are of a kind, counted from one.
fn places(all: &[String], kind: &str) -> Vec<usize> {
    (1..).zip(all).filter(|(_, it)| *it == kind).map(|(nth, _)| nth).collect()
}

#[test]
fn fault_41_cut_off_while_the_journal_is_opened() {
    let pair = pair("everything at once");
    let course = Course::of(&pair);
    for kind in ["backup", "open", "plan"] {
        course.cut_at_lines(kind, 1);
    }
}

#[test]
fn fault_41_a_run_that_was_not_begun_is_listed_as_such_and_stands_in_nobodys_way() {
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
        assert_eq!(states("slots history -o json"), ["not_begun"], "{place}");
        assert!(states("slots apply --status -o json").is_empty(), "{place}");
        scene.finish(&state, &wanted).unwrap_or_else(|why| panic!("{place}: {why}"));
        assert_eq!(states("slots history -o json"), ["done", "not_begun"], "{place}");
    }
}

#[test]
fn fault_42_cut_off_where_a_step_is_announced() {
    Course::of(&pair("everything at once")).cut_at_lines("begin", 4);
}

#[test]
fn fault_43_cut_off_before_and_after_each_request() {
    let pair = pair("everything at once");
    let course = Course::of(&pair);
    for operation in ["getProfile", "updateSlots", "createSlots"] {
        course.cut_at_requests(operation, 1..=1);
    }
    // The last one, and one where the limits made a write wait.
    course.cut_at_requests("listSlots", 1..=2);
}

#[test]
fn fault_44_cut_off_where_a_step_is_reported() {
    Course::of(&pair("everything at once")).cut_at_lines("end", 4);
}

#[test]
fn fault_45_cut_off_before_and_after_the_reorder() {
    Course::of(&pair("everything at once")).cut_at_requests("reorderSlots", 1..=1);
}

#[test]
fn fault_46_cut_off_before_and_after_each_batch_of_deletes() {
    Course::of(&pair("delete in two batches")).cut_at_requests("deleteSlots", 2..=2);
}

#[test]
fn fault_47_cut_off_where_the_run_is_declared_done() {
    Course::of(&pair("everything at once")).cut_at_lines("commit", 1);
}

/// As many runs that came to an end as are kept, and two more.
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
fn fault_48_cut_off_while_old_runs_are_cleaned_up() {
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
