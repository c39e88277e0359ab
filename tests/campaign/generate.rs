//! Random histories.

use links_fixtures::{Choices, IdempotentWrites};

use crate::content;
use crate::history::{
    Body, Change, Command, CommandRun, Edit, Fault, History, Ids, Kill, Prune, SlotContent, Step,
    When,
};
use crate::random::Random;

/// Contents that the histories of a campaign may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Set if processes are killed.
    pub(crate) kills: bool,
    /// Set for a debug build, which does not wait, and ends itself at its crash points.
    pub(crate) is_debug_build: bool,
}

/// Returns the history of a seed.
pub(crate) fn history(seed: u64, settings: Settings) -> History {
    let mut random = Random::new(seed);
    let slots = match random.below(40) {
        0 => 0,
        1 => 480 + random.below(21),
        2 | 3 => 45 + random.below(25),
        4..=10 => 10 + random.below(10),
        _ => 1 + random.below(9),
    };
    let choices = if random.percent(50) { 0 } else { random.next() };
    let page = (0..slots).map(|_| content::on_page(&mut random)).collect();
    let count = if slots > 100 { 4 } else { 5 + random.below(6) };
    let mut steps = Vec::new();
    for _ in 0..count {
        let step = step(&mut random, settings);
        let again = again(&step, &mut random, settings);
        steps.push(step);
        steps.extend(again);
    }
    steps.extend([Step::Settle(1), Step::Settle(0)]);
    History { choices, page, steps }
}

/// Returns the reading of the points on which the interface is silent.
pub(crate) fn choices(seed: u64) -> Choices {
    let mut choices = Choices::default();
    if seed == 0 {
        return choices;
    }
    let mut random = Random::new(seed);
    let random = &mut random;
    choices.idempotent_writes = random.pick(&[
        IdempotentWrites::Declared,
        IdempotentWrites::Declared,
        IdempotentWrites::All,
        IdempotentWrites::None,
    ]);
    choices.failures_stored = random.percent(30);
    choices.in_flight_conflicts = random.pick(&[false, true]);
    choices.dry_run_conflict = random.pick(&[None, Some(422), Some(409)]);
    choices.empty_objects = random.pick(&[false, true]);
    choices.unknown_fields = random.percent(30);
    choices.legacy_as_buttons = random.pick(&[false, true]);
    choices.events_deletable = random.percent(30);
    choices.whole_page_updated = random.pick(&[false, true]);
    choices.foreign_ids = random.pick(&[None, Some(404), Some(409)]);
    choices.open_schemas = random.percent(30);
    choices.computed_in_data = random.percent(30);
    choices.channel_ids_by_index = random.pick(&[false, true]);
    choices.strings_normalized = random.pick(&[false, true]);
    choices.no_status_feature = !random.percent(70);
    choices
}

fn step(random: &mut Random, settings: Settings) -> Step {
    match random.below(100) {
        0..9 => Step::Edit(edit(random)),
        9..19 => Step::Settle(machine(random)),
        19..21 => Step::Forget(machine(random)),
        21..27 => {
            let mut both = || {
                let machine = machine(random);
                let command = command(random);
                let faults = if random.percent(25) { faults(random, settings) } else { Vec::new() };
                CommandRun { machine, command, faults, edits: Vec::new(), kill: None }
            };
            Step::Both(Box::new((both(), both())))
        }
        _ => Step::Run(run(random, settings)),
    }
}

/// Returns the same rewrite or import once more, perhaps several times and after an edit by another client.
fn again(step: &Step, random: &mut Random, settings: Settings) -> Vec<Step> {
    let Step::Run(CommandRun {
        machine, command: Command::Rewrite(_) | Command::Import(_), ..
    }) = step
    else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    for _ in 0..random.below(4) {
        if random.percent(30) {
            steps.push(Step::Edit(edit(random)));
        }
        let of_any = run(random, settings);
        steps.push(Step::Run(CommandRun {
            machine: *machine,
            command: Command::BulkAgain,
            ..of_any
        }));
    }
    steps
}

fn machine(random: &mut Random) -> usize {
    usize::from(random.percent(15))
}

fn run(random: &mut Random, settings: Settings) -> CommandRun {
    let command = command(random);
    let machine = machine(random);
    let mut faults = if random.percent(40) { faults(random, settings) } else { Vec::new() };
    let mut edits = Vec::new();
    if random.percent(35) {
        for _ in 0..=random.below(3) {
            // Most commands send few requests.
            let at = 1 + random.below(8).min(random.below(8));
            edits.push((at, random.pick(&[When::Before, When::After]), edit(random)));
        }
    }
    if random.percent(15) {
        // While the program waits before it tries again.
        let at = 1 + random.below(6);
        faults.push((at, fault(random, settings)));
        edits.push((at, When::After, edit(random)));
    }
    let is_edit = matches!(command, Command::Edit { .. });
    let kill = (settings.kills && random.percent(24)).then(|| match random.below(4) {
        // The program that gives an editor its terminal would get Ctrl-C, too.
        0 if !is_edit => Kill::Interrupt(1 + random.below(8)),
        _ => kill(random, settings),
    });
    CommandRun { machine, command, faults, edits, kill }
}

fn command(random: &mut Random) -> Command {
    match random.below(100) {
        0..28 => {
            let ids = match random.below(4) {
                0 => Ids::None,
                1 => Ids::Some(random.next()),
                _ => Ids::All,
            };
            Command::Apply { changes: changes(random), ids, prune: prune(random) }
        }
        28..34 => Command::Rewrite(content::rewrite(random)),
        34..40 => Command::Import(content::import(random)),
        40..48 => Command::Again,
        48..50 => Command::BulkAgain,
        50..54 => Command::Resume,
        54..56 => Command::Abort,
        56..64 => Command::Undo,
        64..69 => Command::Edit { changes: changes(random), prune: prune(random) },
        69..74 => {
            let at = random.percent(40).then(|| random.below(9));
            Command::Add { new_slot: content::new_slot(random), at }
        }
        74..79 => {
            let (key, value) = value(random);
            Command::Set { slot: random.below(12), key, value }
        }
        79..84 => {
            let slots = (0..=random.below(3)).map(|_| random.below(12)).collect();
            Command::Delete { slots }
        }
        84..89 => Command::Move { slot: random.below(12), to: random.below(12) },
        89..91 => Command::Reorder { seed: random.next() },
        91..94 => {
            let at = random.percent(40).then(|| random.below(4));
            Command::FieldAdd { label: content::label(random), at }
        }
        94..97 => Command::FieldSet { field: random.below(6), label: content::label(random) },
        _ => Command::FieldRemove { field: random.below(6) },
    }
}

fn value(random: &mut Random) -> (String, serde_json::Value) {
    let kind = random.pick(&["text", "text", "button", "button", "question", "faq"]);
    content::new_value(kind, random)
}

fn prune(random: &mut Random) -> Prune {
    match random.below(10) {
        0..5 => Prune::No,
        5..9 => Prune::Supported,
        _ => Prune::All,
    }
}

fn changes(random: &mut Random) -> Vec<Change> {
    // A file with many changes at once, now and then, so that it takes several batches.
    let count = if random.percent(4) { 40 + random.below(70) } else { random.below(6) };
    (0..count).map(|_| change(random)).collect()
}

fn change(random: &mut Random) -> Change {
    let at = random.below(60);
    match random.below(20) {
        0..3 => Change::Omit(at),
        3..9 => {
            let (key, value) = value(random);
            Change::Set(at, key, value)
        }
        9 => Change::Unmention(at),
        10..14 => Change::Insert(at, content::new_slot(random)),
        14..16 => Change::Copy(at, random.below(60)),
        16..19 => Change::Move(at, random.below(60)),
        _ => Change::Anonymous(at),
    }
}

fn edit(random: &mut Random) -> Edit {
    let at = random.below(12);
    match random.below(16) {
        0..3 => Edit::Add(at, foreign_slot(random)),
        3..8 => {
            let (key, value) = value(random);
            Edit::Set(at, key, value)
        }
        8..10 => Edit::Delete(at),
        10..12 => Edit::Move(at, random.below(12)),
        12 | 13 => Edit::FieldAdd(content::label(random)),
        14 => Edit::FieldSet(at, content::label(random)),
        _ => Edit::FieldRemove(at),
    }
}

fn foreign_slot(random: &mut Random) -> SlotContent {
    content::on_page(random)
}

pub(crate) fn faults(random: &mut Random, settings: Settings) -> Vec<(usize, Fault)> {
    let mut faults = Vec::new();
    for _ in 0..=random.below(2) {
        let (at, fault) = (1 + random.below(8), fault(random, settings));
        // Some last, so that the program runs out of tries.
        let times = if random.percent(15) { 2 + random.below(7) } else { 1 };
        faults.extend((at..at + times).map(|at| (at, fault.clone())));
    }
    faults
}

fn fault(random: &mut Random, settings: Settings) -> Fault {
    let when = random.pick(&[When::Before, When::After]);
    let answer = |status: u16, kind: &str, body| Fault::Answer(when, status, kind.to_owned(), body);
    match random.below(20) {
        0..4 => Fault::Dropped(when),
        4 | 5 => Fault::Truncated(random.below(400)),
        6 => answer(200, "application/json", Body::Empty),
        7 => answer(random.pick(&[200, 201]), "application/json", Body::EmptyObject),
        8 => answer(204, "", Body::Empty),
        9 => answer(200, "text/html", Body::Html),
        10 => answer(502, "text/html", Body::Html),
        // A service that refuses a token executes nothing.
        11 => Fault::Answer(When::Before, 401, "application/json".to_owned(), Body::Error),
        12..15 => answer(random.pick(&[500, 503, 504]), "application/json", Body::Error),
        15 => Fault::TooMany(None),
        16 | 17 => {
            let long: &[&str] = &["0", "1", "3", "30", "-1", "soon", "99999999"];
            let short: &[&str] = &["0", "1", "-1", "soon", "99999999"];
            let of = if settings.is_debug_build { long } else { short };
            Fault::TooMany(Some(random.pick(of).to_owned()))
        }
        18 => Fault::Slow(1 + random.below(20) as u64),
        _ => Fault::InFlight,
    }
}

pub(crate) fn kill(random: &mut Random, settings: Settings) -> Kill {
    let nth = 1 + random.below(8);
    match random.below(10) {
        0..3 if settings.is_debug_build => Kill::Place(format!("any:{}", 1 + random.below(24))),
        3 if settings.is_debug_build => {
            let name = random.pick(&[
                "before_send",
                "after_send",
                "before_write",
                "after_write",
                "torn_write",
            ]);
            Kill::Place(format!("{name}:{nth}"))
        }
        0..5 => Kill::Before(nth),
        5..8 => Kill::After(nth),
        _ => Kill::Micros(random.next() % 60_000),
    }
}
