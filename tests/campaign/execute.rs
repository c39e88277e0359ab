//! Plays a history: a server, a proxy before it, two machines, and the real program.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use links_fixtures::{ContractServer, IdempotentWrites, LegacyTypes, Token, World as Start};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::content::FORM;
use crate::edits;
use crate::generate;
use crate::history::{Change, Command, History, Kill, Prune, Run, Step};
use crate::invariants::{self, Intent, Trial, Violation};
use crate::page_file;
use crate::proxy::{Event, Proxy, Script, kill};
use crate::random::Random;
use crate::tally::Tally;
use crate::world::{PAGE, World, alike};

/// Longer than any command takes, even on a busy machine.
const MOST: Duration = Duration::from_secs(120);

/// How the program is run.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// It does not wait.
    pub(crate) is_debug_build: bool,
}

/// A history that is being played.
struct Player<'p> {
    program: &'p Program,
    proxy: Proxy,
    folder: TempDir,
    machines: Vec<Machine>,
    keys_count: bool,
    tally: Tally,
    files: usize,
}

/// A computer that the program runs on.
struct Machine {
    folder: PathBuf,
    token: String,
    /// The page file that was applied last.
    last: Option<Applied>,
    /// Every page file that a run may still go on with.
    open: Vec<Vec<Value>>,
    /// What runs of the last file have created that did not come to an end.
    created: BTreeSet<u64>,
}

#[derive(Clone)]
struct Applied {
    name: String,
    items: Vec<Value>,
    prune: Prune,
}

/// A command that is ready to run.
struct Prepared {
    machine: usize,
    args: Vec<String>,
    intent: Intent,
    /// The changes that are made in an editor.
    editing: Option<Vec<Change>>,
    place: Option<String>,
    after: Option<Duration>,
}

/// A command that has ended.
struct Ended {
    exit: Option<i32>,
    killed: bool,
    out: String,
    err: String,
}

/// Plays a history to its end or to the first violation. Returns what was done, and what was wrong at which step.
pub(crate) fn play(history: &History, program: &Program) -> (Tally, Option<(usize, Violation)>) {
    let mut player = Player::new(history, program);
    player.tally.histories = 1;
    for (nth, step) in history.steps.iter().enumerate() {
        if let Some(violation) = player.step(step) {
            return (player.tally, Some((nth, violation)));
        }
    }
    let leaked = player.leaked().map(|violation| (history.steps.len(), violation));
    (player.tally, leaked)
}

impl<'p> Player<'p> {
    fn new(history: &History, program: &'p Program) -> Self {
        let choices = generate::choices(history.choices);
        let mut account = Start::cafe().into_account();
        let tokens: Vec<String> =
            (0..2).map(|machine| format!("pps_campaign_{machine}_6Kd2Wq9sLh4TpQ0e")).collect();
        account.tokens = tokens.iter().map(Token::personal).collect();
        let ids: Vec<u64> = history.page.iter().map(|_| account.take_id()).collect();
        let page = account.profiles.iter_mut().find(|page| page.id == PAGE).unwrap();
        page.slots = ids.iter().zip(&history.page).map(|(id, it)| edits::slot(*id, it)).collect();
        let keys_count = choices.idempotent_writes != IdempotentWrites::None;
        let legacy_as_buttons = choices.legacy_types == LegacyTypes::Inside;
        let builder = ContractServer::builder(Start::of(account)).no_limits().choices(choices);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let server = runtime.block_on(builder.start()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let machines = tokens
            .iter()
            .enumerate()
            .map(|(nth, token)| Machine::new(&folder.path().join(nth.to_string()), token))
            .collect();
        let proxy = Proxy::start(server, tokens, legacy_as_buttons);
        let tally = Tally::default();
        Self { program, proxy, folder, machines, keys_count, tally, files: 0 }
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
            Step::Both(one, other) => self.both(one, other),
            Step::Settle(machine) => self.settle(*machine),
            Step::Forget(machine) => {
                let machine = &mut self.machines[*machine];
                for name in ["state", "cache"] {
                    let _ = fs::remove_dir_all(machine.folder.join(name));
                }
                machine.created.clear();
                machine.open.clear();
                None
            }
        }
    }

    /// What somebody else has touched since is not the run's any more.
    fn forget_touched(&mut self, events: &[Event]) {
        for event in events.iter().filter(|event| event.has_changed()) {
            for (nth, machine) in self.machines.iter_mut().enumerate() {
                if event.machine != Some(nth) {
                    machine.created.clear();
                }
            }
        }
    }

    fn run(&mut self, run: &Run) -> Option<Violation> {
        let prepared = self.prepare(run)?;
        let is_fresh = self.machines[run.machine].is_settled();
        self.proxy.begin(Script {
            faults: run.faults.clone(),
            edits: run.edits.clone(),
            kill: run.kill.clone(),
            ..Script::default()
        });
        let ended = self.start(&prepared);
        let events = self.proxy.end();
        let created = self.machines[run.machine].created.clone();
        let found = self.judge(&prepared, &ended, &events, is_fresh, &created);
        self.record(run, &prepared, &ended, &events);
        found
    }

    /// Two commands at once. On one machine they cannot be told apart in the log: only what holds for both together is checked.
    fn both(&mut self, one: &Run, other: &Run) -> Option<Violation> {
        let runs = [one, other];
        let prepared: Vec<Prepared> = runs.iter().filter_map(|run| self.prepare(run)).collect();
        let [first, second] = &prepared[..] else { return None };
        let fresh: Vec<bool> =
            runs.iter().map(|run| self.machines[run.machine].is_settled()).collect();
        let faults = one.faults.iter().chain(&other.faults).cloned().collect();
        self.proxy.begin(Script { faults, ..Script::default() });
        let ended: Vec<Ended> = thread::scope(|scope| {
            let player = &*self;
            let handle = scope.spawn(move || player.start(first));
            let second = player.start(second);
            vec![handle.join().unwrap(), second]
        });
        let events = self.proxy.end();
        let same = one.machine == other.machine;
        let mut found = None;
        for (nth, prepared) in prepared.iter().enumerate() {
            let nobody = BTreeSet::new();
            let judged = if same {
                self.judge_pair(prepared, &ended[nth], &events)
            } else {
                self.judge(prepared, &ended[nth], &events, fresh[nth], &nobody)
            };
            found = found.or(judged);
        }
        for (nth, run) in runs.iter().enumerate() {
            self.record(run, &prepared[nth], &ended[nth], &events);
        }
        // Who has created what is not known any more.
        for machine in &mut self.machines {
            machine.created.clear();
        }
        found
    }

    fn judge(
        &self,
        prepared: &Prepared,
        ended: &Ended,
        events: &[Event],
        is_fresh: bool,
        created_before: &BTreeSet<u64>,
    ) -> Option<Violation> {
        let after = self.proxy.world();
        let intent = self.seen(prepared);
        let trial = Trial {
            intent: &intent,
            machine: prepared.machine,
            exit: if ended.killed { None } else { ended.exit },
            out: &ended.out,
            err: &ended.err,
            events,
            after: &after,
            is_fresh,
            created_before,
            keys_count: self.keys_count,
        };
        let found = invariants::check(&trial).into_iter().next();
        found
            .or_else(|| self.tells_token(prepared, ended))
            .map(|it| self.explained(it, prepared, ended, events))
    }

    fn judge_pair(
        &self,
        prepared: &Prepared,
        ended: &Ended,
        events: &[Event],
    ) -> Option<Violation> {
        let code = ended.exit;
        let is_known = code.is_some_and(|code| (0..=14).contains(&code) && code != 1);
        let found = (!is_known && !ended.killed)
            .then(|| Violation { rule: "exit", text: format!("it ended with {code:?}") });
        let changed = events.iter().any(Event::has_changed);
        let written = last(&ended.err).is_some_and(|it| it.get("written").is_some());
        let untrue = (written && !changed).then(|| Violation {
            rule: "outcome",
            text: "nothing was written, and it says so".to_owned(),
        });
        let found = found.or(untrue).or_else(|| self.tells_token(prepared, ended));
        found.map(|it| self.explained(it, prepared, ended, events))
    }

    /// What was edited, where that was seen only while the command ran.
    fn seen(&self, prepared: &Prepared) -> Intent {
        let mut intent = prepared.intent.clone();
        if prepared.editing.is_some()
            && let Intent::Page { files, .. } = &mut intent
        {
            let edited = self.machines[prepared.machine].folder.join("work/edited.json");
            *files = fs::read(edited).ok().and_then(|it| items_of(&it)).into_iter().collect();
        }
        intent
    }

    fn tells_token(&self, prepared: &Prepared, ended: &Ended) -> Option<Violation> {
        let token = &self.machines[prepared.machine].token;
        let is_told = ended.out.contains(token) || ended.err.contains(token);
        is_told.then(|| Violation { rule: "token", text: "the token is in the output".to_owned() })
    }

    /// No file of a machine holds a token, and nothing is left where temporary files belong.
    fn leaked(&self) -> Option<Violation> {
        for path in files_below(self.folder.path()) {
            let bytes = fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            if self.machines.iter().any(|machine| text.contains(&machine.token)) {
                return Some(Violation {
                    rule: "token",
                    text: format!("{} holds a token", path.display()),
                });
            }
        }
        None
    }

    fn explained(
        &self,
        it: Violation,
        prepared: &Prepared,
        ended: &Ended,
        events: &[Event],
    ) -> Violation {
        let mut text = format!("{}\n$ links {}\n", it.text, prepared.args.join(" "));
        let exit = if ended.killed { "killed".to_owned() } else { format!("{:?}", ended.exit) };
        text.push_str(&format!(
            "exit {exit}\n--- stdout\n{}--- stderr\n{}--- log\n",
            ended.out, ended.err
        ));
        for event in events {
            let who =
                event.machine.map_or("somebody else".to_owned(), |it| format!("machine {it}"));
            let changed = if event.has_changed() { "changed" } else { "" };
            match &event.request {
                Some(it) => {
                    let body = if it.body.is_null() {
                        String::new()
                    } else {
                        shortened(&it.body.to_string())
                    };
                    let fault =
                        it.fault.as_ref().map(|it| format!(" [{it:?}]")).unwrap_or_default();
                    let query =
                        if it.query.is_empty() { String::new() } else { format!("?{}", it.query) };
                    let dry = if it.is_dry_run { " (dry run)" } else { "" };
                    text.push_str(&format!(
                        "{who}: {} {}{query} {body}{dry} -> {:?}{fault} {changed}\n",
                        it.method, it.path, it.status
                    ));
                }
                None => text.push_str(&format!("{who}: edits {changed}\n")),
            }
        }
        Violation { rule: it.rule, text }
    }

    /// Keeps in mind what later steps need.
    fn record(&mut self, run: &Run, prepared: &Prepared, ended: &Ended, events: &[Event]) {
        *self.tally.commands.entry(run.command.name()).or_default() += 1;
        *self.tally.exits.entry(if ended.killed { None } else { ended.exit }).or_default() += 1;
        self.tally.kills += usize::from(ended.killed);
        for event in events {
            let Some(request) = &event.request else {
                self.tally.edits += 1;
                continue;
            };
            self.tally.requests += 1;
            if let Some(fault) = &request.fault {
                *self.tally.faults.entry(fault.name()).or_default() += 1;
            }
        }
        self.forget_touched(events);
        let goes_on =
            matches!(run.command, Command::Apply { .. } | Command::Again | Command::Resume);
        let machine = &mut self.machines[run.machine];
        if !goes_on && events.iter().any(|it| it.machine == Some(run.machine) && it.has_changed()) {
            machine.created.clear();
        }
        if let Intent::Page { files, .. } = &prepared.intent
            && goes_on
        {
            machine.open.extend(files.iter().cloned());
            if !ended.killed && ended.exit == Some(0) {
                machine.created.clear();
            } else {
                for event in events.iter().filter(|it| it.machine == Some(run.machine)) {
                    let before: BTreeSet<u64> = event.before.ids().into_iter().collect();
                    machine
                        .created
                        .extend(event.after.ids().into_iter().filter(|id| !before.contains(id)));
                }
            }
        }
        if machine.is_settled() {
            machine.open.clear();
        }
    }

    /// The last page file once more until it is done, without faults; then nothing is left to do.
    fn settle(&mut self, nth: usize) -> Option<Violation> {
        let last = self.machines[nth].last.clone()?;
        let again = Run {
            machine: nth,
            command: Command::Again,
            faults: Vec::new(),
            edits: Vec::new(),
            kill: None,
        };
        let mut exits = Vec::new();
        for _ in 0..3 {
            let world = self.proxy.world();
            let can_be_applied = can_be_applied(&last.items, &world);
            if let Some(violation) = self.run(&again) {
                return Some(violation);
            }
            let exit = self.machines[nth].exit();
            exits.push(exit);
            if exit == Some(0) {
                break;
            }
            // A page that somebody else has emptied is not believed without being told.
            let is_distrusted =
                exit == Some(14) && world.slots.is_empty() && last.prune == Prune::No;
            if !can_be_applied || is_distrusted {
                return None;
            }
        }
        if exits.last() != Some(&Some(0)) {
            let said =
                fs::read_to_string(self.machines[nth].folder.join("err")).unwrap_or_default();
            let text = format!("it ended with {exits:?} without a fault: {said}");
            return Some(Violation { rule: "converges", text });
        }
        let prepared = self.prepare(&again)?;
        self.proxy.begin(Script::default());
        let ended = self.start(&prepared);
        let events = self.proxy.end();
        let writes =
            events.iter().any(|it| it.request.as_ref().is_some_and(|it| it.method != "GET"));
        let found = (writes || ended.exit != Some(0)).then(|| {
            let text = "a further run is not without changes".to_owned();
            self.explained(Violation { rule: "no changes", text }, &prepared, &ended, &events)
        });
        self.record(&again, &prepared, &ended, &events);
        found
    }

    /// The command line, and what it is to do. `None` where there is nothing that it could be for.
    fn prepare(&mut self, run: &Run) -> Option<Prepared> {
        let world = self.proxy.world();
        let (nth, command) = (run.machine, &run.command);
        let at = |position: usize| {
            let count = world.slots.len();
            (count > 0).then(|| world.slots[position % count].id)
        };
        let field = |position: usize| {
            let count = world.fields.len();
            (count > 0).then(|| world.fields[position % count].key.clone())
        };
        let mut editing = None;
        let (words, intent): (Vec<String>, Intent) = match command {
            Command::Apply { changes, ids, prune } => {
                let mut items = self.items(&world);
                items = page_file::changed(items, changes);
                let legacy: BTreeSet<u64> =
                    world.slots.iter().filter(|it| !it.supported).map(|it| it.id).collect();
                page_file::name(&mut items, *ids, |item| {
                    item["type"] == "event"
                        || item["id"].as_u64().is_some_and(|it| legacy.contains(&it))
                });
                items.truncate(500);
                let name = self.file("page", &json!({ "profile": "cafe", "slots": items }), nth);
                self.machines[nth].created.clear();
                self.machines[nth].last = Some(Applied { name, items, prune: *prune });
                self.apply(nth)?
            }
            Command::Again => self.apply(nth)?,
            Command::Resume => {
                let files = self.machines[nth].open.clone();
                let intent = Intent::Page {
                    files,
                    prune: true,
                    prune_legacy: true,
                    opened: false,
                    restores: false,
                };
                (words("slots apply --resume --yes --max-deletes 500 --allow-empty"), intent)
            }
            Command::Abort => (words("slots apply --abort"), Intent::Nothing),
            Command::Restore => {
                let (run, items) = self.machines[nth].backup()?;
                let intent = Intent::Page {
                    files: vec![items],
                    prune: false,
                    prune_legacy: false,
                    opened: false,
                    restores: true,
                };
                (words(&format!("slots restore {run} --yes")), intent)
            }
            Command::Edit { changes, prune } => {
                editing = Some(changes.clone());
                let intent = page(Vec::new(), *prune, true);
                (words(&format!("slots edit cafe {}", flags(*prune))), intent)
            }
            Command::Add { block, at } => {
                let mut line = words(&format!("slots add cafe {}", block.kind));
                if !block.data.is_empty() {
                    line.push(self.file("data", &Value::Object(block.data.clone()), nth));
                }
                line.extend(at.iter().flat_map(|at| ["--at".to_owned(), at.to_string()]));
                (line, Intent::Add)
            }
            Command::Set { slot, key, value } => {
                let id = at(*slot)?;
                let mut line = words(&format!("slots set cafe {id}"));
                line.push(format!("{key}:={value}"));
                (line, Intent::Set { id, key: key.clone(), value: value.clone() })
            }
            Command::Delete { slots } => {
                let ids: BTreeSet<u64> = slots.iter().filter_map(|it| at(*it)).collect();
                let ids: Vec<u64> = ids.into_iter().collect();
                ids.first()?;
                let named: Vec<_> = ids.iter().map(u64::to_string).collect();
                (
                    words(&format!("slots delete cafe {} --yes", named.join(" "))),
                    Intent::Delete { ids },
                )
            }
            Command::Move { slot, to } => {
                let id = at(*slot)?;
                (
                    words(&format!("slots move cafe {id} --at {to}")),
                    Intent::Order { moved: Some(id) },
                )
            }
            Command::Reorder { seed } => {
                let mut ids = world.ids();
                if ids.is_empty() || ids.len() > 60 {
                    return None;
                }
                let mut random = Random::new(*seed);
                for nth in (1..ids.len()).rev() {
                    ids.swap(nth, random.below(nth + 1));
                }
                let named: Vec<_> = ids.iter().map(u64::to_string).collect();
                (
                    words(&format!("slots reorder cafe {}", named.join(" "))),
                    Intent::Order { moved: None },
                )
            }
            Command::FieldAdd { label, at } => {
                let mut line = words(&format!("forms field add {FORM} type=text"));
                line.push(format!("label={label}"));
                line.extend(at.iter().flat_map(|at| ["--at".to_owned(), at.to_string()]));
                (line, Intent::Fields { changed: Vec::new(), added: 1 })
            }
            Command::FieldSet { field: nth, label } => {
                let key = field(*nth)?;
                let mut line = words(&format!("forms field set {FORM} {key}"));
                line.push(format!("label={label}"));
                (line, Intent::Fields { changed: vec![key], added: 0 })
            }
            Command::FieldRemove { field: nth } => {
                let key = field(*nth).filter(|_| world.fields.len() > 1)?;
                let line = words(&format!("forms field remove {FORM} {key} --yes"));
                (line, Intent::Fields { changed: vec![key], added: 0 })
            }
        };
        let mut args = words;
        args.extend(["-o", "json"].map(str::to_owned));
        let place = match &run.kill {
            Some(Kill::Place(place)) => Some(place.clone()),
            _ => None,
        };
        let after = match run.kill {
            Some(Kill::Micros(micros)) => Some(Duration::from_micros(micros)),
            _ => None,
        };
        Some(Prepared { machine: nth, args, intent, editing, place, after })
    }

    /// The command line that applies the last page file of a machine.
    fn apply(&self, nth: usize) -> Option<(Vec<String>, Intent)> {
        let machine = &self.machines[nth];
        let Applied { name, items, prune } = machine.last.as_ref()?;
        let line = words(&format!("slots apply {name} {}", flags(*prune)));
        Some((line, page(vec![items.clone()], *prune, false)))
    }

    /// The page as a page file.
    fn items(&self, world: &World) -> Vec<Value> {
        let item = |slot: &links_fixtures::Slot| {
            let is_read_only = !slot.supported || slot.kind == "event";
            let data = if is_read_only { json!({}) } else { Value::Object(slot.data.clone()) };
            json!({ "id": slot.id, "type": world.kind(slot), "data": data })
        };
        world.slots.iter().map(item).collect()
    }

    fn file(&mut self, kind: &str, value: &Value, machine: usize) -> String {
        self.files += 1;
        let name = format!("{kind}-{}.json", self.files);
        fs::write(self.machines[machine].folder.join("work").join(&name), value.to_string())
            .unwrap();
        name
    }

    /// Runs the program to its end.
    fn start(&self, prepared: &Prepared) -> Ended {
        let machine = &self.machines[prepared.machine];
        let folder = |name: &str| machine.folder.join(name);
        let mut process = if prepared.editing.is_some() {
            let quoted: Vec<_> = prepared.args.iter().map(|it| format!("'{it}'")).collect();
            let line = format!("exec '{}' {}", self.program.path.display(), quoted.join(" "));
            let mut process = Process::new("script");
            process.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
            process
        } else {
            let mut process = Process::new(&self.program.path);
            process.args(&prepared.args);
            process
        };
        process.env_clear().current_dir(folder("work")).env("HOME", folder("home"));
        process.env("PATH", "/usr/bin:/bin").env("TERM", "xterm").env("TMPDIR", folder("tmp"));
        process.env("LINKS_STATE_DIR", folder("state")).env("LINKS_CACHE_DIR", folder("cache"));
        process.env("LINKS_CONFIG_DIR", folder("config")).env("LINKS_TOKEN", &machine.token);
        process.env("LINKS_BASE_URL", format!("{}/api/v1", self.proxy.origin));
        if self.program.is_debug_build {
            process.env("LINKS_TEST_NO_WAIT", "1");
        }
        if let Some(place) = &prepared.place {
            process.env("LINKS_TEST_CRASH", place);
        }
        if let Some(changes) = &prepared.editing {
            let _ = fs::remove_file(folder("work/edited.json"));
            fs::write(folder("work/changes.json"), serde_json::to_vec(changes).unwrap()).unwrap();
            let editor = std::env::current_exe().unwrap();
            process.env(
                "VISUAL",
                format!("{} --as-editor {}", editor.display(), folder("work").display()),
            );
        }
        // Two commands on one machine write to files of their own.
        let output = tempfile::tempdir_in(&machine.folder).unwrap();
        let create = |name: &str| File::create(output.path().join(name)).unwrap();
        process.stdout(create("out")).stderr(create("err")).stdin(Stdio::null());
        let mut child = process.spawn().unwrap();
        self.proxy.victim(child.id());
        let started = Instant::now();
        let (mut killed, mut pause) = (false, Duration::from_micros(500));
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if prepared.after.is_some_and(|after| started.elapsed() >= after) && !killed {
                kill(child.id());
                killed = true;
            }
            if started.elapsed() > MOST {
                kill(child.id());
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(4));
        };
        let read = |name: &str| {
            String::from_utf8_lossy(&fs::read(output.path().join(name)).unwrap()).into_owned()
        };
        let (out, mut err) = (read("out").replace("\r\n", "\n"), read("err"));
        if started.elapsed() > MOST {
            err.push_str("panicked at: it did not come to an end");
        }
        if prepared.editing.is_some() {
            err.push_str(&out);
        }
        // A shell tells a signal as a code of its own.
        let exit = status.code().filter(|code| *code < 128 || *code == 130);
        let killed = exit.is_none() && (killed || self.proxy.killed() || prepared.place.is_some());
        let said = exit.map_or("killed".to_owned(), |code| code.to_string());
        fs::write(folder("exit"), said).unwrap();
        fs::write(folder("err"), &err).unwrap();
        Ended { exit, killed, out, err }
    }
}

impl Machine {
    fn new(folder: &Path, token: &str) -> Self {
        for name in ["work", "home", "tmp"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        Self {
            folder: folder.to_owned(),
            token: token.to_owned(),
            last: None,
            open: Vec::new(),
            created: BTreeSet::new(),
        }
    }

    /// How the last command ended.
    fn exit(&self) -> Option<i32> {
        fs::read_to_string(self.folder.join("exit")).ok()?.parse().ok()
    }

    /// Every journal came to its end.
    fn is_settled(&self) -> bool {
        let is_open = |path: &PathBuf| {
            let text = fs::read_to_string(path).unwrap_or_default();
            let last = text.lines().last().unwrap_or_default();
            !last.starts_with(r#"{"commit""#) && !last.starts_with(r#"{"close""#)
        };
        let mut journals = files_below(&self.folder.join("state")).into_iter();
        !journals.any(|it| it.extension().is_some_and(|it| it == "jsonl") && is_open(&it))
    }

    /// The newest run with the page as it was before it.
    fn backup(&self) -> Option<(String, Vec<Value>)> {
        let name = |path: &PathBuf| {
            Some(path.file_name()?.to_str()?.strip_suffix(".page.json")?.to_owned())
        };
        let paths = files_below(&self.folder.join("state"));
        let newest = paths.into_iter().filter_map(|path| Some((name(&path)?, path))).max()?;
        Some((newest.0, items_of(&fs::read(newest.1).ok()?)?))
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn flags(prune: Prune) -> &'static str {
    match prune {
        Prune::No => "",
        Prune::Supported => "--prune --yes --max-deletes 500 --allow-empty",
        Prune::All => "--prune --prune-unsupported --yes --max-deletes 500 --allow-empty",
    }
}

fn page(files: Vec<Vec<Value>>, prune: Prune, opened: bool) -> Intent {
    let (prune, prune_legacy) = (prune != Prune::No, prune == Prune::All);
    Intent::Page { files, prune, prune_legacy, opened, restores: false }
}

fn items_of(bytes: &[u8]) -> Option<Vec<Value>> {
    serde_json::from_slice::<Value>(bytes).ok()?["slots"].as_array().cloned()
}

fn last(text: &str) -> Option<Value> {
    invariants::last_object(text)
}

fn shortened(text: &str) -> String {
    text.chars().take(600).collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// Nothing stands against the file: every id is on the page with its type, what is read-only stays as it is, and there is room.
fn can_be_applied(items: &[Value], world: &World) -> bool {
    let fits = |item: &Value| {
        let data = item["data"].as_object().cloned().unwrap_or_default();
        match item["id"].as_u64() {
            None => !["event", "currency"].contains(&item["type"].as_str().unwrap_or_default()),
            Some(id) => world.slot(id).is_some_and(|slot| {
                let is_read_only = !slot.supported || slot.kind == "event";
                let same = |(key, value): (&String, &Value)| {
                    alike(value, slot.data.get(key).unwrap_or(&Value::Null))
                };
                item["type"] == world.kind(slot) && (!is_read_only || data.iter().all(same))
            }),
        }
    };
    items.iter().all(fits) && items.len() + world.slots.len() <= 500 && fillable(items)
}

/// What the slot types require is there, and nothing that they do not know.
fn fillable(items: &[Value]) -> bool {
    items.iter().all(|item| {
        let data = item["data"].as_object().cloned().unwrap_or_default();
        let keys: &[&str] = match item["type"].as_str().unwrap_or_default() {
            "button" => &["title", "link", "style"],
            "text" => &["title", "description"],
            "form" => &["formId", "view", "buttonText"],
            "divider" => &[],
            _ => return false,
        };
        let is_text = |key: &str| data.get(key).is_none_or(Value::is_string);
        let is_filled = |key: &str| {
            data.get(key).and_then(Value::as_str).is_some_and(|it| !it.trim().is_empty())
        };
        let style = ["primary", "secondary", "outline"];
        data.keys().all(|key| keys.contains(&key.as_str()))
            && match item["type"].as_str().unwrap_or_default() {
                "button" => {
                    is_filled("title")
                        && data
                            .get("link")
                            .and_then(Value::as_str)
                            .is_some_and(|it| it.starts_with("https://"))
                        && data.get("style").is_none_or(|it| style.iter().any(|style| it == style))
                }
                "text" => is_text("description"),
                "form" => is_filled("formId"),
                _ => true,
            }
    })
}
