//! Execution of a history over an account with a server, a proxy in front of it, two machines, and the real program.

use std::path::PathBuf;

use jiff::Timestamp;
use links_fixtures::{Profile, Token, World as Start};
use tempfile::TempDir;

use super::git::Team;
use super::history::{AccountCommand, AccountHistory, AccountRun, AccountStep, Flags, GitAction};
use super::lineage::Writer;
use super::memory::Memory;
use super::operations::Operations;
use super::repository::Repository;
use super::rules::AccountTrial;
use super::world::AccountWorld;
use crate::command_line::CommandLine;
use crate::edits;
use crate::execute::{explained, tokens};
use crate::generate;
use crate::invariants::{Intent, Violation, bad_end, last_object};
use crate::machine::{Machine, leaked_token};
use crate::process::{Ended, Program};
use crate::proxy::{Observed, Proxy, Script};
use crate::tally::Tally;

/// Number of runs without faults that complete any run.
const MOST_RUNS: usize = 4;

pub(super) struct Player<'p> {
    pub(super) program: &'p Program,
    pub(super) proxy: Proxy<AccountWorld>,
    pub(super) directory: TempDir,
    pub(super) machines: Vec<Machine>,
    /// The files of each machine: the same, unless each has a clone.
    pub(super) files: [Repository; 2],
    pub(super) memory: Memory,
    /// The clones, if there are any; then the memory is not used.
    pub(super) team: Option<Team>,
    pub(super) operations: [Operations; 2],
    /// Number of commands.
    pub(super) runs: usize,
    /// Set for a machine whose last run did not record all that it wrote.
    pub(super) unrecorded: [bool; 2],
    pub(super) tally: Tally,
}

/// Plays a history to its end or to the first violation. Returns the counts, and the violation with its step.
pub(crate) fn play(
    history: &AccountHistory,
    program: &Program,
) -> (Tally, Option<(usize, Violation)>) {
    let mut player = Player::new(history, program);
    player.tally.histories = 1;
    if history.has_lock || history.has_git {
        player.init(history.has_git);
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
        let mut first = Repository::of(&AccountWorld::of(&account, false), history.has_ids);
        first.is_composed = history.is_composed && !history.has_git;
        let choices = generate::choices(history.choices);
        let mut directory = tempfile::tempdir().unwrap();
        if program.is_shown {
            println!("in {}", directory.path().display());
            directory.disable_cleanup(true);
        }
        let machines = Machine::all(directory.path(), &tokens, |_| false);
        let proxy = program.serve(account, tokens, choices);
        let memory = Memory { up_to_date: [0, 1].into(), ..Memory::default() };
        Self {
            program,
            proxy,
            directory,
            machines,
            files: [first.clone(), first],
            memory,
            team: None,
            operations: Default::default(),
            runs: 0,
            unrecorded: [false; 2],
            tally: Tally::default(),
        }
    }

    /// Makes a lock, which both machines have. With Git, the files are applied, committed and cloned.
    fn init(&mut self, has_git: bool) {
        if has_git {
            self.team =
                Some(Team::new([0, 1].map(|nth| self.machines[nth].directory.join("work"))));
        }
        let line = line(vec!["init".to_owned()]);
        self.proxy.begin(Script::default());
        let ended = self.program.run(&line, &self.machines[0], &self.proxy, None);
        assert_eq!(ended.exit, Some(0), "{}", ended.err);
        if has_git {
            self.run(&AccountRun::plain(0, AccountCommand::Apply(Flags::default())), None);
        }
        match &mut self.team {
            Some(team) => team.clone_for_other(&self.files[0], &self.proxy.world()),
            None => self.share(0),
        }
    }

    fn step(&mut self, step: &AccountStep) -> Option<Violation> {
        match step {
            AccountStep::Change(changes) => {
                for files in &mut self.files {
                    for change in changes {
                        files.change(change);
                    }
                }
                None
            }
            AccountStep::Git(machine, action) => {
                self.act(*machine, action);
                None
            }
            AccountStep::Edit(edit) => {
                self.proxy.edit(edit);
                let events = self.proxy.end();
                self.note(&events, [Writer::Other; 2]);
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
                self.operations[*machine].forget();
                self.unrecorded[*machine] = true;
                self.memory.lose(*machine);
                None
            }
        }
    }

    fn act(&mut self, machine: usize, action: &GitAction) {
        let Some(team) = &mut self.team else { return };
        let is_done = team.act(machine, action, &mut self.files[machine], &self.proxy.world());
        let name = if is_done { action.name() } else { "refused" };
        if self.program.is_shown {
            println!("machine {machine}: {name} {action:?}\n");
        }
        *self.tally.git.entry(name).or_default() += 1;
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
        let world = self.proxy.world();
        let Some(line) = self.line(run, &world) else {
            let (out, err) = (String::new(), String::new());
            return (Ended { exit: Some(0), killed: false, interrupted: false, out, err }, None);
        };
        let (memory, files) = (self.memory(run.machine), self.files[run.machine].clone());
        let machine = &self.machines[run.machine];
        machine.forget_rates(self.proxy.clock.as_deref());
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
            files: &files,
            memory: &memory,
            after: &self.proxy.world(),
            is_concurrent: false,
            is_fresh,
            is_plain: run.is_plain(),
            announced,
        };
        let mut violations = trial.check();
        violations.extend(self.check_log(&trial));
        if matches!(run.command, AccountCommand::PullPages) {
            let mut pulled = files.clone();
            pulled.read_pages(&self.machines[run.machine].directory.join("work"));
            violations.extend(trial.check_pull(&pulled));
        }
        if self.program.is_shown {
            let text = format!("machine {}", run.machine);
            let shown = explained(Violation { rule: "", text }, &line, &ended, &events);
            println!("{}", shown.text);
        }
        let found = self.first(violations).or(left).or_else(|| self.tells_token(&ended));
        let found = found.map(|it| explained(it, &line, &ended, &events));
        let writer = self.record(run, &ended, &events);
        self.note(&events, [writer; 2]);
        self.note_files(run.machine, run.command, writer);
        (ended, found)
    }

    /// Writes the files, and returns the command line; `None` if there is nothing that the command could be for.
    fn line(&self, run: &AccountRun, world: &AccountWorld) -> Option<CommandLine> {
        let files = &self.files[run.machine];
        files.write(&self.machines[run.machine].directory.join("work"));
        let pages: Vec<u64> = world.pages.iter().map(|page| page.id).collect();
        let forms: Vec<&String> = files.forms.keys().collect();
        run.command.args(&pages, &forms).map(line)
    }

    /// Returns what a machine has to take for the doing of others.
    fn memory(&mut self, machine: usize) -> Memory {
        let (files, world) = (&self.files[machine], self.proxy.world());
        match &mut self.team {
            Some(team) => team.memory(machine, files, &world),
            None => self.memory.clone(),
        }
    }

    /// Reads the log of the machine, and checks it together with the command.
    fn check_log(&mut self, trial: &AccountTrial<'_>) -> Vec<Violation> {
        self.proxy.begin(Script::default());
        let line = line(["log", "-o", "json"].map(str::to_owned).to_vec());
        let machine = &self.machines[trial.machine];
        let ended = self.program.run(&line, machine, &self.proxy, None);
        self.proxy.end();
        let log = last_object(&ended.out).unwrap_or_default();
        self.operations[trial.machine].check(&log, trial)
    }

    /// Runs two commands at once. On one machine the log cannot distinguish them.
    fn both(&mut self, one: &AccountRun, other: &AccountRun) -> Option<Violation> {
        let world = self.proxy.world();
        let lines = [self.line(one, &world)?, self.line(other, &world)?];
        let memories = [self.memory(one.machine), self.memory(other.machine)];
        let files = self.files.clone();
        for run in [one, other] {
            self.machines[run.machine].forget_rates(self.proxy.clock.as_deref());
        }
        let faults = one.faults.iter().chain(&other.faults).cloned().collect();
        self.proxy.begin(Script { faults, ..Script::default() });
        let machines = [one, other].map(|run| &self.machines[run.machine]);
        let ended = self.program.run_both(lines.each_ref(), machines, &self.proxy);
        let events = self.proxy.end();
        let (mut found, mut writers) = (None, [Writer::Other; 2]);
        for (nth, (run, line)) in [one, other].into_iter().zip(&lines).enumerate() {
            let ended = &ended[nth];
            let trial = AccountTrial {
                command: run.command,
                machine: run.machine,
                ended,
                events: &events,
                files: &files[run.machine],
                memory: &memories[nth],
                after: &self.proxy.world(),
                is_concurrent: true,
                is_fresh: false,
                is_plain: false,
                announced: None,
            };
            let is_one_machine = one.machine == other.machine;
            let mut violations = self.check_log(&trial);
            if is_one_machine {
                self.operations[run.machine].lose_sight();
                let Ended { exit, killed, out, err, .. } = ended;
                violations = bad_end(*exit, *killed, out, err).into_iter().collect();
            } else {
                violations.extend(trial.check());
            }
            if self.program.is_shown {
                let text = format!("at once, machine {}", run.machine);
                let shown = explained(Violation { rule: "", text }, line, ended, &events);
                println!("{}", shown.text);
            }
            let first = self.first(violations).or_else(|| self.tells_token(ended));
            found = found.or_else(|| first.map(|it| explained(it, line, ended, &events)));
            let writer = self.record(run, ended, &events);
            // Which of two commands on one machine has sent a request is not known.
            if nth == 0 || !is_one_machine || writers[run.machine] != Writer::Unrecorded {
                writers[run.machine] = writer;
            }
        }
        // Neither knows what the other has done.
        self.memory.up_to_date.clear();
        self.note(&events, writers);
        for run in [one, other] {
            self.note_files(run.machine, run.command, writers[run.machine]);
        }
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
