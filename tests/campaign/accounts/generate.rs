//! Random histories over an account.

use serde_json::json;

use super::history::{
    AccountCommand, AccountEdit, AccountHistory, AccountRun, AccountStep, FileChange, Flags,
    GitAction, Undoing,
};
use crate::generate::{Settings, faults, kill};
use crate::history::{SlotContent, When};
use crate::random::Random;

/// Number of values among which each change takes one of its own.
const NUMBERS: usize = 1_000_000;

/// Returns the history of a seed.
pub(crate) fn history(seed: u64, settings: Settings, has_git: bool) -> AccountHistory {
    let mut random = Random::new(seed);
    let random = &mut random;
    let choices = if random.percent(60) { 0 } else { random.next() };
    let count = 2 + random.below(2);
    let pages = (0..count)
        .map(|_| {
            let slots = if random.percent(5) { 60 } else { random.below(6) };
            (0..slots).map(|_| slot(random)).collect()
        })
        .collect();
    let has_git = has_git || random.percent(50);
    let mut account_steps = Vec::new();
    change_files(random, has_git.then_some(0), &mut account_steps);
    for _ in 0..4 + random.below(6) {
        match random.below(100) {
            0..20 => operations(random, settings, has_git, &mut account_steps),
            _ if has_git => git_step(random, settings, &mut account_steps),
            _ => step(random, settings, &mut account_steps),
        }
    }
    let last = machine(random);
    for machine in [last, 1 - last] {
        account_steps.push(AccountStep::Settle(machine, flags(random)));
    }
    let (has_ids, has_lock) = (random.percent(50), random.percent(85));
    let is_composed = has_lock && !has_git && random.percent(50);
    AccountHistory { choices, pages, has_ids, has_lock, has_git, is_composed, account_steps }
}

/// Adds changes of the files: with Git, of those of one machine.
fn change_files(random: &mut Random, machine: Option<usize>, steps: &mut Vec<AccountStep>) {
    let mut changes = changes(random);
    if let Some(machine) = machine {
        // Git names the files, and each branch may give a page another login.
        changes.retain(|change| !matches!(change, FileChange::Rename(_)));
        steps.push(AccountStep::Git(machine, GitAction::Change(changes)));
    } else {
        steps.push(AccountStep::Change(changes));
    }
}

/// Adds a step of somebody who works in a clone.
fn git_step(random: &mut Random, settings: Settings, steps: &mut Vec<AccountStep>) {
    let machine = machine(random);
    let (branch, ours) = (random.below(3), random.percent(50));
    let action = match random.below(100) {
        0..10 => return steps.push(AccountStep::Edit(edit(random))),
        10..14 => return steps.push(AccountStep::Settle(machine, flags(random))),
        14 => return steps.push(AccountStep::Forget(machine)),
        15..18 => {
            let one = |machine| {
                let flags = Flags { locked: false, ..flags(random) };
                AccountRun::plain(machine, AccountCommand::Apply(flags))
            };
            let [one, other] = [0, 1].map(one);
            return steps.push(AccountStep::Both(one, other));
        }
        18..40 => {
            let run = run(random, settings);
            if random.percent(70) {
                change_files(random, Some(run.machine), steps);
            }
            return steps.push(AccountStep::Run(run));
        }
        40..45 => GitAction::Commit,
        45..65 => GitAction::Switch(branch),
        65..78 => GitAction::Merge { branch, ours },
        78..88 => GitAction::Pull { branch, ours },
        _ => GitAction::Revert,
    };
    // Somebody changes a file, applies it or not, goes elsewhere with Git, and applies what is there.
    if random.percent(60) {
        change_files(random, Some(machine), steps);
        if random.percent(70) {
            steps.push(AccountStep::Run(run_of(random, settings, machine)));
        }
    }
    steps.push(AccountStep::Git(machine, action));
    if random.percent(60) {
        steps.push(AccountStep::Run(run_of(random, settings, machine)));
    }
}

/// Returns an apply, mostly without faults.
fn run_of(random: &mut Random, settings: Settings, machine: usize) -> AccountRun {
    let apply = AccountRun::plain(machine, AccountCommand::Apply(flags(random)));
    if random.percent(75) { apply } else { disturbed(random, settings, apply) }
}

/// Adds operations of a machine that are taken back, one after the other, and perhaps redone.
fn operations(
    random: &mut Random,
    settings: Settings,
    has_git: bool,
    steps: &mut Vec<AccountStep>,
) {
    let machine = machine(random);
    for _ in 0..=random.below(3) {
        change_files(random, has_git.then_some(machine), steps);
        let command = AccountCommand::Apply(Flags { rename: true, text: false, ..flags(random) });
        steps.push(AccountStep::Run(AccountRun::plain(machine, command)));
    }
    if random.percent(35) {
        steps.push(AccountStep::Edit(edit(random)));
    }
    for _ in 0..=random.below(4) {
        let how = Undoing {
            page: random.percent(20).then(|| random.below(12)),
            keep_changed: random.percent(30),
            overwrite: false,
        };
        let how = Undoing { overwrite: !how.keep_changed && random.percent(10), ..how };
        let command = match random.below(10) {
            6..9 => AccountCommand::Redo(Undoing { page: None, ..how }),
            0..9 => AccountCommand::Undo(how),
            _ => AccountCommand::Pull(random.below(3)),
        };
        let plain = AccountRun::plain(machine, command);
        if random.percent(75) || command.undoing().is_none() {
            steps.push(AccountStep::Run(plain));
            continue;
        }
        // It is interrupted, and continued by the same command.
        steps.push(AccountStep::Run(disturbed(random, settings, plain.clone())));
        steps.push(AccountStep::Run(plain));
    }
    if !has_git && random.percent(85) {
        steps.push(AccountStep::Share(machine));
    }
}

fn step(random: &mut Random, settings: Settings, steps: &mut Vec<AccountStep>) {
    match random.below(100) {
        0..12 => steps.push(AccountStep::Edit(edit(random))),
        12..24 => steps.push(AccountStep::Change(changes(random))),
        24..32 => steps.push(AccountStep::Settle(machine(random), flags(random))),
        32..34 => steps.push(AccountStep::Forget(machine(random))),
        34..42 => {
            let mut one = || {
                let command = AccountCommand::Apply(flags(random));
                let faults = if random.percent(20) { faults(random, settings) } else { Vec::new() };
                AccountRun { faults, ..AccountRun::plain(random.below(2), command) }
            };
            steps.push(AccountStep::Both(one(), one()));
        }
        _ => {
            if random.percent(50) {
                steps.push(AccountStep::Change(changes(random)));
            }
            let run = run(random, settings);
            let machine = run.machine;
            steps.push(AccountStep::Run(run));
            if random.percent(85) {
                steps.push(AccountStep::Share(machine));
            }
        }
    }
}

fn machine(random: &mut Random) -> usize {
    usize::from(random.percent(30))
}

fn flags(random: &mut Random) -> Flags {
    Flags {
        overwrite: random.percent(15),
        prune: random.percent(15),
        locked: random.percent(7),
        rename: random.percent(80),
        text: random.percent(40),
    }
}

fn run(random: &mut Random, settings: Settings) -> AccountRun {
    let machine = machine(random);
    let flags = flags(random);
    let command = match random.below(100) {
        0..10 => AccountCommand::Plan(flags),
        10..25 => AccountCommand::PullPages,
        _ => AccountCommand::Apply(flags),
    };
    disturbed(random, settings, AccountRun::plain(machine, command))
}

/// Adds faults, edits by others and the end of the process to a command.
fn disturbed(random: &mut Random, settings: Settings, mut run: AccountRun) -> AccountRun {
    if random.percent(35) {
        run.faults = faults(random, settings);
        for (at, _) in &mut run.faults {
            *at += random.below(2) * random.below(14);
        }
    }
    if random.percent(45) {
        for _ in 0..=random.below(3) {
            let at = 1 + random.below(20);
            run.edits.push((at, random.pick(&[When::Before, When::After]), edit(random)));
        }
    }
    if settings.kills && random.percent(25) {
        let mut kill = kill(random, settings);
        kill.delay(random.below(2) * random.below(40));
        run.kill = Some(kill);
    }
    run
}

fn slot(random: &mut Random) -> SlotContent {
    let mark = format!("m{:06}", random.below(NUMBERS));
    let value = format!("v{:06}", random.below(NUMBERS));
    let (kind, data) = match random.below(3) {
        0 => ("button", json!({ "title": mark, "link": format!("https://{value}.example/") })),
        _ => ("text", json!({ "title": mark, "description": value })),
    };
    let data = data.as_object().cloned().unwrap_or_default();
    SlotContent { kind: kind.to_owned(), data, legacy: false }
}

fn field(random: &mut Random) -> String {
    random.pick(&["title", "description"]).to_owned()
}

fn changes(random: &mut Random) -> Vec<FileChange> {
    (0..=random.below(6)).map(|_| change(random)).collect()
}

fn change(random: &mut Random) -> FileChange {
    let (page, at) = (random.below(12), random.below(60));
    match random.below(40) {
        0..4 => FileChange::Field(page, field(random), random.below(NUMBERS)),
        4 => FileChange::Language(page, random.pick(&["kk", "ru", "en"]).to_owned()),
        5 => FileChange::Rename(page),
        6..12 => FileChange::Set(page, at, random.below(NUMBERS)),
        12..17 => FileChange::Insert(page, at, slot(random)),
        17..20 => FileChange::Remove(page, at),
        20..22 => FileChange::Move(page, at, random.below(60)),
        22..29 => FileChange::MoveTo { page, slot: at, to: random.below(12), at: random.below(60) },
        29..31 => {
            let (form, mark) = (random.below(3), random.below(NUMBERS));
            FileChange::Show { page, at, form, mark }
        }
        31..33 => FileChange::NewPage(random.below(2)),
        33..36 => FileChange::NewForm(random.below(3)),
        36 | 37 => FileChange::FormButton(random.below(3), random.below(NUMBERS)),
        38 => FileChange::FormField(random.below(3), random.below(NUMBERS)),
        _ => FileChange::FormFieldRemove(random.below(3), at),
    }
}

fn edit(random: &mut Random) -> AccountEdit {
    let (page, at) = (random.below(12), random.below(12));
    match random.below(20) {
        0..4 => AccountEdit::Field(page, field(random), random.below(NUMBERS)),
        4..10 => AccountEdit::Set(page, at, random.below(NUMBERS)),
        10..12 => AccountEdit::Add(page, at, slot(random)),
        12..14 => AccountEdit::Delete(page, at),
        14..16 => AccountEdit::Move(page, at, random.below(12)),
        16 | 17 => AccountEdit::FormButton(random.below(3), random.below(NUMBERS)),
        18 => AccountEdit::FormField(random.below(3), random.below(NUMBERS)),
        _ => AccountEdit::FormFieldRemove(random.below(3), at),
    }
}
