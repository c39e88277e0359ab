//! Execution of a history with a server, a proxy in front of it, two machines, and the real program.

use std::collections::BTreeSet;
use std::fmt::Write;

use links_fixtures::{IdempotentWrites, Token, World as Start};
use tempfile::TempDir;

use crate::applicable::must_succeed;
use crate::bulk::BulkProgress;
use crate::command_line::{CommandLine, line};
use crate::edits;
use crate::generate;
use crate::history::{Command, CommandRun, History, Prune, Step};
use crate::invariants::{self, Intent, Synced, Trial, Violation};
use crate::machine::{Machine, leaked_token};
use crate::process::{Ended, INTERRUPTED, Program};
use crate::proxy::{Event, Proxy, Script};
use crate::tally::Tally;
use crate::world::PAGE;

/// A history that is being played.
struct Player<'p> {
    program: &'p Program,
    proxy: Proxy,
    directory: TempDir,
    machines: Vec<Machine>,
    keys_count: bool,
    tally: Tally,
}

/// Plays a history to its end or to the first violation. Returns the counts, and the violation with its step.
pub(crate) fn play(history: &History, program: &Program) -> (Tally, Option<(usize, Violation)>) {
    let mut player = Player::new(history, program);
    player.tally.histories = 1;
    for (nth, step) in history.steps.iter().enumerate() {
        if let Some(violation) = player.step(step) {
            return (player.tally, Some((nth, violation)));
        }
    }
    let leaked = leaked_token(&player.machines, player.directory.path());
    let leaked = leaked.map(|violation| (history.steps.len(), violation));
    (player.tally, leaked)
}

impl<'p> Player<'p> {
    fn new(history: &History, program: &'p Program) -> Self {
        let choices = generate::choices(history.choices);
        let mut account = Start::cafe().into_account();
        let tokens = tokens();
        account.tokens = tokens.iter().map(Token::personal).collect();
        let ids: Vec<u64> = history.page.iter().map(|_| account.take_id()).collect();
        let page = account.profiles.iter_mut().find(|page| page.id == PAGE).unwrap();
        page.slots = ids.iter().zip(&history.page).map(|(id, it)| edits::slot(*id, it)).collect();
        let keys_count = choices.idempotent_writes != IdempotentWrites::None;
        let directory = tempfile::tempdir().unwrap();
        let machines = Machine::all(directory.path(), &tokens, |nth| nth == 0);
        let proxy = program.serve(account, tokens, choices);
        let tally = Tally::default();
        Self { program, proxy, directory, machines, keys_count, tally }
    }

    fn step(&mut self, step: &Step) -> Option<Violation> {
        match step {
            Step::Edit(edit) => {
                self.tally.edits += 1;
                self.proxy.edit(edit);
                self.forget_touched(&self.proxy.end().clone());
                None
            }
            Step::Run(run) => self.run(run),
            Step::Both(runs) => self.both(&runs.0, &runs.1),
            Step::Settle(machine) => self.settle(*machine),
            Step::Forget(machine) => {
                self.machines[*machine].forget();
                None
            }
        }
    }

    /// Forgets the slots that runs of other machines have created, after a change that may have touched them.
    fn forget_touched(&mut self, events: &[Event]) {
        for (nth, machine) in self.machines.iter_mut().enumerate() {
            if let Some(bulk) = &mut machine.bulk {
                events.iter().filter(|it| it.machine != Some(nth)).for_each(|it| bulk.see(it));
            }
        }
        for event in events.iter().filter(|event| event.has_changed()) {
            for (nth, machine) in self.machines.iter_mut().enumerate() {
                if event.machine != Some(nth) {
                    machine.created.clear();
                }
            }
        }
    }

    fn run(&mut self, run: &CommandRun) -> Option<Violation> {
        self.run_to_its_end(run).1
    }

    /// Runs a command. Also returns how it ended, if there was anything to run it for.
    fn run_to_its_end(&mut self, run: &CommandRun) -> (Option<Ended>, Option<Violation>) {
        let world = self.proxy.world();
        let machine = &mut self.machines[run.machine];
        let Some(line) = line(&run.command, machine, &world) else { return (None, None) };
        if self.program.is_simulated && line.editing.is_some() {
            // An editor needs a terminal, and so a process.
            return (None, None);
        }
        let (is_fresh, temporary) = (machine.is_settled(), machine.temporary());
        self.proxy.begin(Script {
            faults: run.faults.clone(),
            edits: run.edits.clone(),
            kill: run.kill.clone(),
            ..Script::default()
        });
        let machine = &self.machines[run.machine];
        let ended = self.program.run(&line, machine, &self.proxy, run.kill.as_ref());
        let events = self.proxy.end();
        let left =
            if ended.killed || ended.interrupted || line.editing.is_some() && ended.exit != Some(0)
            {
                None
            } else {
                machine.temporary().difference(&temporary).next().map(|path| Violation {
                    rule: "temporary files",
                    text: format!("{} is left", path.display()),
                })
            };
        let found = self.judge(&line, run.machine, &ended, &events, is_fresh);
        let found = found.or_else(|| left.map(|it| explained(it, &line, &ended, &events)));
        self.tally.count_events(&events);
        self.record(run, &line, &ended, &events);
        (Some(ended), found)
    }

    /// Runs two commands at once. On one machine the log cannot distinguish them: only what holds for both together is checked.
    fn both(&mut self, one: &CommandRun, other: &CommandRun) -> Option<Violation> {
        let world = self.proxy.world();
        let first = line(&one.command, &mut self.machines[one.machine], &world)?;
        let second = line(&other.command, &mut self.machines[other.machine], &world)?;
        if self.program.is_simulated && [&first, &second].iter().any(|it| it.editing.is_some()) {
            return None;
        }
        let fresh = [one, other].map(|run| self.machines[run.machine].is_settled());
        for machine in &mut self.machines {
            machine.created.clear();
            machine.bulk = None;
        }
        let faults = one.faults.iter().chain(&other.faults).cloned().collect();
        self.proxy.begin(Script { faults, ..Script::default() });
        let machines = [one, other].map(|run| &self.machines[run.machine]);
        let [first_ended, second_ended] =
            self.program.run_both([&first, &second], machines, &self.proxy);
        let events = self.proxy.end();
        let mut found = None;
        for (nth, (run, line, ended)) in
            [(one, &first, &first_ended), (other, &second, &second_ended)].into_iter().enumerate()
        {
            let judged = if one.machine == other.machine {
                self.judge_pair(line, run.machine, ended, &events)
            } else {
                self.judge(line, run.machine, ended, &events, fresh[nth])
            };
            found = found.or(judged);
            self.record(run, line, ended, &events);
        }
        self.tally.count_events(&events);
        // It is no longer known which machine has created which slot.
        for machine in &mut self.machines {
            machine.created.clear();
            machine.bulk = None;
            machine.left = None;
            machine.synced = Synced::Unknown;
        }
        found
    }

    fn judge(
        &self,
        line: &CommandLine,
        machine: usize,
        ended: &Ended,
        events: &[Event],
        is_fresh: bool,
    ) -> Option<Violation> {
        let after = self.proxy.world();
        let intent = self.seen(line, machine);
        let trial = Trial {
            intent: &intent,
            machine,
            exit: ended.exit,
            killed: ended.killed,
            interrupted: ended.interrupted,
            out: &ended.out,
            err: &ended.err,
            events,
            after: &after,
            is_fresh,
            created_before: &self.machines[machine].created,
            deleted_before: &self.machines[machine].deleted,
            keys_count: self.keys_count,
        };
        let is_ignored = |it: &Violation| self.program.ignored.iter().any(|rule| rule == it.rule);
        let found = invariants::check(&trial).into_iter().find(|it| !is_ignored(it));
        let found = found.or_else(|| self.tells_token(machine, ended));
        found.map(|it| explained(it, line, ended, events))
    }

    fn judge_pair(
        &self,
        line: &CommandLine,
        machine: usize,
        ended: &Ended,
        events: &[Event],
    ) -> Option<Violation> {
        let found = invariants::bad_end(ended.exit, ended.killed, &ended.out, &ended.err);
        let found = found.or_else(|| self.tells_token(machine, ended));
        found.map(|it| explained(it, line, ended, events))
    }

    /// Returns the intent of a command after its end, when its edits are known.
    fn seen(&self, line: &CommandLine, machine: usize) -> Intent {
        let mut intent = line.intent.clone();
        if line.editing.is_some()
            && let Intent::Page(page) = &mut intent
        {
            page.files = self.machines[machine].edited().into_iter().collect();
        }
        intent
    }

    fn tells_token(&self, machine: usize, ended: &Ended) -> Option<Violation> {
        let token = &self.machines[machine].token;
        let is_told = ended.out.contains(token) || ended.err.contains(token);
        is_told.then(|| Violation { rule: "token", text: "the token is in the output".to_owned() })
    }

    /// Records the facts that later steps need.
    fn record(&mut self, run: &CommandRun, line: &CommandLine, ended: &Ended, events: &[Event]) {
        self.tally.count_command(run.command.name(), ended);
        self.forget_touched(events);
        let intent = self.seen(line, run.machine);
        let machine = &mut self.machines[run.machine];
        machine.bulk = bulk_after(machine, &intent, (run.machine, &run.command), ended, events);
        let is_own = |event: &&Event| event.machine == Some(run.machine);
        let can_continue =
            matches!(run.command, Command::Apply { .. } | Command::Again | Command::Resume);
        note_run(machine, ended, events, events.iter().all(|it| is_own(&it) || !it.has_changed()));
        if matches!(run.command, Command::Apply { .. } | Command::Again) {
            match ended.exit {
                Some(0) => machine.synced = Synced::Yes,
                None if machine.synced == Synced::No => machine.synced = Synced::Unknown,
                _ => {}
            }
        } else if matches!(run.command, Command::Resume) {
            machine.synced = Synced::Unknown;
        }
        for event in events.iter().filter(is_own) {
            let gone = event.before.slots.iter().filter(|slot| event.after.slot(slot.id).is_none());
            machine.deleted.extend(gone.map(|slot| slot.kind.clone()));
        }
        if ended.exit == Some(0)
            || !can_continue && events.iter().filter(is_own).any(Event::has_changed)
        {
            machine.created.clear();
        } else if can_continue {
            for event in events {
                if !is_own(&event) {
                    // It may have touched what the command had created by then.
                    if event.has_changed() {
                        machine.created.clear();
                    }
                    continue;
                }
                machine.created.extend(new_ids(event));
            }
        }
        if let Intent::Page(page) = intent {
            machine.open.extend(page.files);
        }
        if machine.is_settled() {
            machine.open.clear();
        }
    }

    /// Applies the last page file without faults until it succeeds, and then checks that nothing is left to do.
    fn settle(&mut self, nth: usize) -> Option<Violation> {
        let last = self.machines[nth].last.clone()?;
        let again = CommandRun::plain(nth, Command::Again);
        // A wait that the service has asked for is over by then.
        self.machines[nth].forget_rates(self.proxy.clock.as_deref());
        let mut ends = Vec::new();
        while ends.last().is_none_or(|(exit, _)| *exit != Some(0)) {
            let world = self.proxy.world();
            let (ended, found) = self.run_to_its_end(&again);
            if found.is_some() {
                return found;
            }
            let Ended { exit, err, .. } = ended?;
            // An empty page that another client has emptied is refused without `--allow-empty`.
            let is_distrusted =
                exit == Some(14) && world.slots.is_empty() && last.prune == Prune::No;
            if exit != Some(0) && (!must_succeed(&last.items, &world) || is_distrusted) {
                return None;
            }
            ends.push((exit, err));
            if ends.len() == 3 && exit != Some(0) {
                let text = format!("without a fault it ended with {ends:?}");
                return Some(Violation { rule: "converges", text });
            }
        }
        let before = self.proxy.world();
        let line = line(&again.command, &mut self.machines[nth], &before)?;
        self.proxy.begin(Script::default());
        let ended = self.program.run(&line, &self.machines[nth], &self.proxy, None);
        let events = self.proxy.end();
        let is_write = |event: &Event| event.request.as_ref().is_some_and(|it| it.method != "GET");
        let found = (events.iter().any(is_write) || ended.exit != Some(0)).then(|| {
            let text = "a further run is not without changes".to_owned();
            explained(Violation { rule: "no changes", text }, &line, &ended, &events)
        });
        self.tally.count_events(&events);
        self.record(&again, &line, &ended, &events);
        found
    }
}

/// Returns the tokens of the two machines.
pub(crate) fn tokens() -> Vec<String> {
    (0..2).map(|machine| format!("pps_campaign_{machine}_6Kd2Wq9sLh4TpQ0e")).collect()
}

/// Adds the command and everything that has happened to a violation.
pub(crate) fn explained<W: PartialEq>(
    violation: Violation,
    line: &CommandLine,
    ended: &Ended,
    events: &[Event<W>],
) -> Violation {
    let Ended { exit, killed, out, err, .. } = ended;
    let exit = if *killed { "killed".to_owned() } else { format!("{exit:?}") };
    let mut text = format!(
        "{}\n$ links {}\nexit {exit}\n--- stdout\n{out}--- stderr\n{err}--- log\n",
        violation.text,
        line.args.join(" ")
    );
    for event in events {
        let who = event.machine.map_or("another client".to_owned(), |it| format!("machine {it}"));
        let changed = if event.has_changed() { "changed" } else { "" };
        let what = event.request.as_ref().map_or("edits".to_owned(), ToString::to_string);
        let _ = writeln!(text, "{who}: {what} {changed}");
    }
    Violation { rule: violation.rule, text }
}

/// Returns what the runs of a rewrite or import that has not ended have done, after one more command.
fn bulk_after(
    machine: &Machine,
    intent: &Intent,
    (nth, command): (usize, &Command),
    ended: &Ended,
    events: &[Event],
) -> Option<BulkProgress> {
    if let Intent::Bulk(bulk) = intent {
        let mut bulk = (**bulk).clone();
        bulk.advance(nth, events);
        // A run that tells of changes by other clients may have ended, and so may one that was killed.
        let has_ended = match ended.exit {
            Some(0) => true,
            Some(13) | None => machine.has_ended_last_run(),
            // Ctrl-C may come after the end of the run, and the report does not promise to continue it then.
            Some(INTERRUPTED) if !ended.err.contains("run the same command again") => {
                machine.has_ended_last_run()
            }
            Some(_) => false,
        };
        return (!has_ended).then_some(bulk);
    }
    let is_of_slots = matches!(
        command,
        Command::Apply { .. }
            | Command::Again
            | Command::Resume
            | Command::Abort
            | Command::Undo
            | Command::Edit { .. }
    );
    // Another run on the page ends the one that was interrupted. Commands that write without a run change the page as others do.
    let mut bulk = machine.bulk.clone().filter(|_| !is_of_slots)?;
    events.iter().filter(|it| it.machine == Some(nth)).for_each(|it| bulk.see(it));
    Some(bulk)
}

/// Notes how a new run has left the page, if it ended well. `is_alone` says that no one else wrote meanwhile.
fn note_run(machine: &mut Machine, ended: &Ended, events: &[Event], is_alone: bool) {
    let backup = machine.backup();
    let name = backup.as_ref().map(|(run, _)| run.clone());
    if name == machine.newest {
        return;
    }
    machine.newest = name;
    let whole = backup.zip(events.first()).filter(|((_, before), first)| {
        ended.exit == Some(0) && is_alone && invariants::is_page(before, &first.before)
    });
    machine.left = whole.and(events.last()).map(|last| (*last.after).clone());
}

/// Returns the ids of the slots that an event created.
fn new_ids(event: &Event) -> Vec<u64> {
    let before: BTreeSet<u64> = event.before.ids().into_iter().collect();
    event.after.ids().into_iter().filter(|id| !before.contains(id)).collect()
}
