//! Shortening of a history to the parts that a violation needs.

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::case::Case;
use crate::history::{Command, CommandRun, History, Step};
use crate::process::Program;

/// Maximum time for which a history is shortened.
const MOST: Duration = Duration::from_secs(40);

/// Returns a shorter history that violates the same rule.
pub(crate) fn shorten(history: &Case, rule: &str, program: &Program) -> Case {
    let started = Instant::now();
    let mut best = history.clone();
    loop {
        let before = best.clone();
        for shorter in before.candidates() {
            if size(&shorter) >= size(&before) {
                continue;
            }
            if started.elapsed() > MOST {
                return best;
            }
            if shorter.play(program).1.is_some_and(|(_, it)| it.rule == rule) {
                best = shorter;
                break;
            }
        }
        if size(&best) == size(&before) {
            return best;
        }
    }
}

fn size<H: Serialize>(history: &H) -> usize {
    serde_json::to_string(history).map_or(0, |text| text.chars().count())
}

/// Returns histories with a part left out, those with a large part first.
pub(crate) fn candidates(history: &History) -> Vec<History> {
    let mut all = Vec::new();
    let mut push = |change: &dyn Fn(&mut History)| {
        let mut shorter = history.clone();
        change(&mut shorter);
        all.push(shorter);
    };
    push(&|it| it.choices = 0);
    push(&|it| it.page.truncate(it.page.len() / 2));
    for nth in (0..history.steps.len()).rev() {
        push(&|it| drop(it.steps.remove(nth)));
    }
    for (nth, step) in history.steps.iter().enumerate() {
        let Step::Run(run) = step else { continue };
        let mut on_run = |change: &dyn Fn(&mut CommandRun)| {
            push(&|history: &mut History| {
                if let Step::Run(run) = &mut history.steps[nth] {
                    change(run);
                }
            });
        };
        on_run(&|it| it.kill = None);
        on_run(&|it| it.faults.clear());
        for at in 0..run.faults.len() {
            on_run(&|it| drop(it.faults.remove(at)));
        }
        for at in 0..run.edits.len() {
            on_run(&|it| drop(it.edits.remove(at)));
        }
        if let Command::Import(import) = &run.command {
            let count = import.rows.len();
            let parts = [(0, count / 2), (count / 2, count)].into_iter();
            for (from, to) in parts.chain((0..count).map(|at| (at, at + 1))) {
                on_run(&|run| {
                    if let Command::Import(import) = &mut run.command {
                        import.rows.drain(from..to);
                    }
                });
            }
        }
        if let Command::Apply { changes, .. } | Command::Edit { changes, .. } = &run.command {
            for at in 0..changes.len() {
                on_run(&|run| {
                    if let Command::Apply { changes, .. } | Command::Edit { changes, .. } =
                        &mut run.command
                    {
                        changes.remove(at);
                    }
                });
            }
        }
    }
    for nth in (0..history.page.len()).rev() {
        push(&|it| drop(it.page.remove(nth)));
    }
    all
}
