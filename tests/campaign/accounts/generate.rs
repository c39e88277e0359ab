//! Random histories over an account.

use serde_json::json;

use super::history::{
    AccountCommand, AccountEdit, AccountHistory, AccountRun, AccountStep, FileChange, Flags,
};
use crate::generate::{Settings, faults, kill};
use crate::history::{SlotContent, When};
use crate::random::Random;

/// Number of values among which each change takes one of its own.
const NUMBERS: usize = 1_000_000;

/// Returns the history of a seed.
pub(crate) fn history(seed: u64, settings: Settings) -> AccountHistory {
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
    let mut account_steps = vec![AccountStep::Change(changes(random))];
    for _ in 0..4 + random.below(6) {
        step(random, settings, &mut account_steps);
    }
    account_steps.push(AccountStep::Settle(machine(random), flags(random)));
    let (has_ids, has_lock) = (random.percent(50), random.percent(85));
    AccountHistory { choices, pages, has_ids, has_lock, account_steps }
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
    let command =
        if random.percent(10) { AccountCommand::Plan(flags) } else { AccountCommand::Apply(flags) };
    let mut run = AccountRun::plain(machine, command);
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
