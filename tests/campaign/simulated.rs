//! One execution of the program in this process: on a thread with a current directory of its own, with requests that this process answers, and
//! with a clock that moves when somebody waits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::panic::resume_unwind;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use links_cli::simulation::{self, Machine as Simulated};
use links_sdk::Clock;
use links_sdk::runs::{simulate_crash, simulate_machine};
use links_sdk::testing::TestClock;
use nix::sched::{CloneFlags, unshare};

use crate::command_line::CommandLine;
use crate::history::Kill;
use crate::machine::{Machine, files_below};
use crate::process::{Ended, variables};
use crate::proxy::{Observed, Proxy};
use crate::random::Random;

/// Time between two commands.
const PAUSE: Duration = Duration::from_millis(1700);

/// Time after which the service has forgotten what it stored under idempotency keys. It passes before one of so many commands.
const DAY: Duration = Duration::from_secs(25 * 60 * 60);
const DAYS: u128 = 30;

/// Does to the files that the program never syncs what a power cut may do: each is left, lost, empty, or has zeros at its end.
fn lose_what_is_not_synced(machine: &Machine, seed: u64) {
    let mut random = Random::new(seed);
    let mut files = files_below(&machine.directory.join("cache"));
    let state = fs::read_dir(machine.directory.join("state")).into_iter().flatten().flatten();
    let is_rate = |entry: &DirEntry| entry.file_name().to_string_lossy().starts_with("rate-");
    files.extend(state.filter(is_rate).map(|entry| entry.path()));
    files.sort();
    for path in files {
        let mut bytes = fs::read(&path).unwrap();
        let kept = random.below(bytes.len());
        match random.below(5) {
            0 => fs::remove_file(&path).unwrap(),
            1 => fs::write(&path, b"").unwrap(),
            2 => {
                bytes[kept..].fill(0);
                fs::write(&path, bytes).unwrap();
            }
            _ => {}
        }
    }
}

type Task = Box<dyn FnOnce() + Send>;

/// The threads of the machines. A process that a command has started for Git ends with its thread.
static THREADS: Mutex<BTreeMap<String, Sender<Task>>> = Mutex::new(BTreeMap::new());

/// Does something on the thread of a machine, which has a current directory of its own.
fn on_thread_of<T: Send + 'static>(name: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = channel();
    let job = move || done.send(work()).unwrap();
    let mut threads = THREADS.lock().unwrap();
    let jobs = threads.entry(name.to_owned()).or_insert_with(|| {
        let (jobs, received) = channel::<Task>();
        let name = name.to_owned();
        thread::spawn(move || {
            unshare(CloneFlags::CLONE_FS).unwrap();
            simulate_machine(String::leak(name));
            for job in received {
                job();
            }
        });
        jobs
    });
    jobs.send(Box::new(job)).unwrap();
    drop(threads);
    result.recv().unwrap()
}

/// Runs a command line to its end, or until it is killed.
pub(crate) fn run<W: Observed>(
    line: &CommandLine,
    machine: &Machine,
    (proxy, clock): (&Proxy<W>, &Arc<TestClock>),
    ending: Option<&Kill>,
) -> Ended {
    proxy.enter(&machine.token);
    clock.advance(PAUSE);
    if (clock.monotonic().as_millis() / PAUSE.as_millis()).is_multiple_of(DAYS) {
        clock.advance(DAY);
    }
    match ending {
        Some(Kill::Place(place)) => simulate_crash(Some(place.clone())),
        Some(Kill::Interrupt(nth)) => proxy.kill_at(Kill::Before(*nth)),
        Some(Kill::Micros(micros)) => {
            proxy.kill_at(Kill::Before(1 + usize::try_from(*micros).unwrap() % 12));
        }
        _ => {}
    }
    let answer = proxy.responder(|| resume_unwind(Box::new(())));
    let variables: BTreeMap<String, String> = variables(machine, &proxy.origin).collect();
    let variables = Arc::new(variables);
    let simulated = Simulated { variables, clock: clock.clone(), answer: Arc::new(answer) };
    let args = ["links"].into_iter().chain(line.args.iter().map(String::as_str));
    let args: Vec<OsString> = args.map(Into::into).collect();
    let work = machine.directory.join("work");
    let ran = on_thread_of(&machine.token, move || {
        std::env::set_current_dir(work).unwrap();
        simulation::run(simulated, &args)
    });
    proxy.leave();
    simulate_crash(None);
    if let (Some(Kill::Place(_)), Err(_)) = (ending, &ran.exit) {
        lose_what_is_not_synced(machine, u64::try_from(clock.monotonic().as_millis()).unwrap());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let (out, mut err) = (text(&ran.out), text(&ran.err));
    let exit = match &ran.exit {
        Ok(exit) => Some(i32::from(*exit)),
        Err(unwound) if unwound.is::<()>() => None,
        Err(unwound) => {
            let text = unwound.downcast_ref::<String>().map_or("an unknown place", String::as_str);
            err.push_str("panicked at: ");
            err.push_str(text);
            Some(1)
        }
    };
    Ended { exit, killed: exit.is_none(), interrupted: false, out, err }
}
