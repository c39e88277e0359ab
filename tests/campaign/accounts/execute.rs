//! Execution of a history over an account with a server, a proxy in front of it, two machines, and the real program.

use std::fs;
use std::path::PathBuf;
use std::thread;

use jiff::Timestamp;
use links_fixtures::{Profile, Token, World as Start};
use tempfile::TempDir;

use super::history::{AccountCommand, AccountHistory, AccountRun, AccountStep, Flags};
use super::memory::Memory;
use super::repository::Repository;
use super::rules::AccountTrial;
use super::world::AccountWorld;
use crate::command_line::CommandLine;
use crate::edits;
use crate::execute::{explained, start_server, tokens};
use crate::generate;
use crate::invariants::{Intent, Violation, last_object};
use crate::machine::{Machine, leaked_token};
use crate::process::{Ended, Program};
use crate::proxy::{Event, Observed, Proxy, Script};
use crate::tally::Tally;

const LOCK: &str = "links.lock";

/// Number of runs without faults that complete any run.
const MOST_RUNS: usize = 4;

struct Player<'p> {
    program: &'p Program,
    proxy: Proxy<AccountWorld>,
    directory: TempDir,
    machines: Vec<Machine>,
    files: Repository,
    memory: Memory,
    /// Set for a machine whose last run did not record all that it wrote.
    unrecorded: [bool; 2],
    tally: Tally,
}

/// Plays a history to its end or to the first violation. Returns the counts, and the violation with its step.
pub(crate) fn play(
    history: &AccountHistory,
    program: &Program,
) -> (Tally, Option<(usize, Violation)>) {
    let mut player = Player::new(history, program);
    player.tally.histories = 1;
    if history.has_lock {
        player.init();
    }
    for (nth, step) in history.account_steps.iter().enumerate() {
        if let Some(violation) = player.step(step) {
            return (player.tally, Some((nth, violation)));
        }
    }
    let leaked = leaked_token(&player.machines, player.directory.path());
    let leaked = leaked.map(|violation| (history.account_steps.len(), violation));
    (player.tally, leaked)
}

impl<'p> Player<'p> {
    fn new(history: &AccountHistory, program: &'p Program) -> Self {
        let mut account = Start::cafe().into_account();
        let tokens = tokens();
        account.tokens = tokens.iter().map(Token::personal).collect();
        if history.pages.len() > 2 {
            let id = account.take_id();
            account.profiles.push(Profile::new(id, "qara.bakery", Timestamp::UNIX_EPOCH));
        }
        for (nth, slots) in history.pages.iter().enumerate() {
            let slots: Vec<_> = slots.iter().map(|it| edits::slot(account.take_id(), it)).collect();
            account.profiles[nth].slots = slots;
        }
        let (form, title) = Repository::existing_form();
        account.forms.retain(|it| it.id == form);
        for form in &mut account.forms {
            title.clone_into(&mut form.title);
            form.fields = vec![edits::field("name".to_owned(), "Name")];
        }
        let files = Repository::of(&AccountWorld::of(&account, false), history.has_ids);
        let choices = generate::choices(history.choices);
        let server = start_server(account, choices);
        let directory = tempfile::tempdir().unwrap();
        let machines = Machine::all(directory.path(), &tokens, |_| false);
        let proxy = Proxy::start(server, tokens, false);
        let memory = Memory { up_to_date: [0, 1].into(), ..Memory::default() };
        let (unrecorded, tally) = ([false; 2], Tally::default());
        Self { program, proxy, directory, machines, files, memory, unrecorded, tally }
    }

    /// Makes a lock, which both machines have.
    fn init(&mut self) {
        let line = line(vec!["init".to_owned()]);
        self.proxy.begin(Script::default());
        let ended = self.program.run(&line, &self.machines[0], &self.proxy, None);
        assert_eq!(ended.exit, Some(0), "{}", ended.err);
        self.share(0);
    }

    fn step(&mut self, step: &AccountStep) -> Option<Violation> {
        match step {
            AccountStep::Change(changes) => {
                for change in changes {
                    self.files.change(change);
                }
                None
            }
            AccountStep::Edit(edit) => {
                self.proxy.edit(edit);
                let events = self.proxy.end();
                self.note(&events);
                None
            }
            AccountStep::Run(run) => {
                let is_quiet = run.is_plain() && self.machines[run.machine].is_settled();
                let announced = match run.command {
                    AccountCommand::Apply(flags) if is_quiet => {
                        match self.announced(run.machine, flags) {
                            Ok(announced) => announced,
                            Err(violation) => return Some(violation),
                        }
                    }
                    _ => None,
                };
                self.run(run, announced).1
            }
            AccountStep::Both(one, other) => self.both(one, other),
            AccountStep::Settle(machine, flags) => self.settle(*machine, *flags),
            AccountStep::Share(machine) => {
                self.share(*machine);
                None
            }
            AccountStep::Forget(machine) => {
                self.machines[*machine].forget();
                self.unrecorded[*machine] = true;
                self.memory.lose(*machine);
                None
            }
        }
    }

    /// Plans, and returns the announced number of requests.
    fn announced(&mut self, machine: usize, flags: Flags) -> Result<Option<usize>, Violation> {
        let flags = Flags { text: false, ..flags };
        let (ended, found) =
            self.run(&AccountRun::plain(machine, AccountCommand::Plan(flags)), None);
        if let Some(violation) = found {
            return Err(violation);
        }
        let requests = last_object(&ended.out).and_then(|it| it["meta"]["requests"].as_u64());
        Ok(requests.and_then(|it| usize::try_from(it).ok()))
    }

    fn run(&mut self, run: &AccountRun, announced: Option<usize>) -> (Ended, Option<Violation>) {
        let line = line(run.command.args());
        let machine = &self.machines[run.machine];
        self.files.write(&machine.directory.join("work"));
        machine.forget_rates();
        let (is_fresh, temporary) = (machine.is_settled(), machine.temporary());
        self.proxy.begin(Script {
            faults: run.faults.clone(),
            edits: run.edits.clone(),
            kill: run.kill.clone(),
            ..Script::default()
        });
        let ended = self.program.run(&line, machine, &self.proxy, run.kill.as_ref());
        let events = self.proxy.end();
        let left = (!ended.killed).then(|| {
            let text = |path: &PathBuf| format!("{} is left", path.display());
            machine.temporary().difference(&temporary).next().map(text)
        });
        let left = left.flatten().map(|text| Violation { rule: "temporary files", text });
        let trial = AccountTrial {
            command: run.command,
            machine: run.machine,
            ended: &ended,
            events: &events,
            files: &self.files,
            memory: &self.memory,
            after: &self.proxy.world(),
            is_concurrent: false,
            is_fresh,
            announced,
        };
        let found = self.first(trial.check()).or(left).or_else(|| self.tells_token(&ended));
        let found = found.map(|it| explained(it, &line, &ended, &events));
        self.record(run, &ended, &events);
        self.note(&events);
        self.memory.note_files(&self.files);
        (ended, found)
    }

    /// Runs two commands at once. On one machine the log cannot distinguish them.
    fn both(&mut self, one: &AccountRun, other: &AccountRun) -> Option<Violation> {
        let lines = [one, other].map(|run| line(run.command.args()));
        for run in [one, other] {
            let machine = &self.machines[run.machine];
            self.files.write(&machine.directory.join("work"));
            machine.forget_rates();
        }
        let faults = one.faults.iter().chain(&other.faults).cloned().collect();
        self.proxy.begin(Script { faults, ..Script::default() });
        let start = |run: &AccountRun, line: &CommandLine| {
            self.program.run(line, &self.machines[run.machine], &self.proxy, None)
        };
        let ended = thread::scope(|scope| {
            let handle = scope.spawn(|| start(one, &lines[0]));
            let second = start(other, &lines[1]);
            [handle.join().unwrap(), second]
        });
        let events = self.proxy.end();
        let mut found = None;
        for ((run, line), ended) in [one, other].into_iter().zip(&lines).zip(&ended) {
            let trial = AccountTrial {
                command: run.command,
                machine: run.machine,
                ended,
                events: &events,
                files: &self.files,
                memory: &self.memory,
                after: &self.proxy.world(),
                is_concurrent: true,
                is_fresh: false,
                announced: None,
            };
            let violations = if one.machine == other.machine {
                crate::invariants::bad_end(ended.exit, ended.killed, &ended.out, &ended.err)
                    .into_iter()
                    .collect()
            } else {
                trial.check()
            };
            let first = self.first(violations).or_else(|| self.tells_token(ended));
            found = found.or_else(|| first.map(|it| explained(it, line, ended, &events)));
            self.record(run, ended, &events);
        }
        // Neither knows what the other has done.
        self.memory.up_to_date.clear();
        self.note(&events);
        self.memory.note_files(&self.files);
        found
    }

    /// Applies without faults until that succeeds, and then checks that nothing is left to do.
    fn settle(&mut self, machine: usize, flags: Flags) -> Option<Violation> {
        let mut flags = Flags { rename: true, locked: false, ..flags };
        let mut ends = Vec::new();
        for _ in 0..MOST_RUNS {
            let apply = AccountRun::plain(machine, AccountCommand::Apply(flags));
            let announced = if self.machines[machine].is_settled() {
                match self.announced(machine, flags) {
                    Ok(announced) => announced,
                    Err(violation) => return Some(violation),
                }
            } else {
                None
            };
            let (ended, found) = self.run(&apply, announced);
            if found.is_some() {
                return found;
            }
            match ended.exit {
                Some(0) => return self.has_nothing_to_do(machine, flags),
                Some(7) if !flags.overwrite => flags.overwrite = true,
                // A refusal that says what to do.
                Some(7 | 8 | 14) => return None,
                _ => {}
            }
            ends.push((ended.exit, ended.err));
        }
        let text = format!("without a fault it ended with {ends:?}");
        Some(Violation { rule: "converges", text })
    }

    fn has_nothing_to_do(&mut self, machine: usize, flags: Flags) -> Option<Violation> {
        let plan = AccountRun::plain(machine, AccountCommand::Plan(flags));
        let (ended, found) = self.run(&plan, None);
        found.or_else(|| {
            let text = format!("a plan after a run that succeeded: {}{}", ended.out, ended.err);
            (ended.exit != Some(0)).then_some(Violation { rule: "no changes", text })
        })
    }

    fn share(&mut self, from: usize) {
        let path = |nth: usize| self.machines[nth].directory.join("work").join(LOCK);
        let to = 1 - from;
        if fs::copy(path(from), path(to)).is_err() {
            return;
        }
        if self.memory.up_to_date.contains(&from) && !self.unrecorded[from] {
            self.memory.up_to_date.insert(to);
        } else {
            self.memory.up_to_date.remove(&to);
        }
    }

    /// Records what is known of the machines after a command.
    fn record(&mut self, run: &AccountRun, ended: &Ended, events: &[Event<AccountWorld>]) {
        self.tally.count_command(run.command.name(), ended);
        let AccountCommand::Apply(flags) = run.command else { return };
        let has_written =
            events.iter().any(|it| it.machine == Some(run.machine) && it.has_changed());
        let is_recorded = ended.exit == Some(0);
        if has_written || is_recorded {
            self.memory.up_to_date.remove(&(1 - run.machine));
        }
        if is_recorded {
            self.unrecorded[run.machine] = flags.locked;
        } else if has_written {
            self.unrecorded[run.machine] = true;
        }
        if is_recorded && self.memory.up_to_date.contains(&run.machine) {
            self.memory.note_sync(&self.files, &self.proxy.world());
        }
    }

    fn note(&mut self, events: &[Event<AccountWorld>]) {
        for event in events {
            self.memory.note(None, event);
        }
        self.tally.count_events(events);
        self.memory.end_step(&self.files, &self.proxy.world());
    }

    fn first(&self, violations: Vec<Violation>) -> Option<Violation> {
        let is_ignored = |it: &Violation| self.program.ignored.iter().any(|rule| rule == it.rule);
        violations.into_iter().find(|it| !is_ignored(it))
    }

    fn tells_token(&self, ended: &Ended) -> Option<Violation> {
        let tells = |machine: &Machine| {
            ended.out.contains(&machine.token) || ended.err.contains(&machine.token)
        };
        self.machines
            .iter()
            .any(tells)
            .then(|| Violation { rule: "token", text: "the token is in the output".to_owned() })
    }
}

fn line(args: Vec<String>) -> CommandLine {
    CommandLine { args, intent: Intent::Nothing, editing: None }
}
