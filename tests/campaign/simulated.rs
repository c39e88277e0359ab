//! One execution of the program in this process: on a thread with a current directory of its own, with requests that this process answers, and
//! with a clock that moves when somebody waits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use links_cli::simulation::{self, Machine as Simulated};
use links_sdk::testing::TestClock;
use nix::sched::{CloneFlags, unshare};

use crate::command_line::CommandLine;
use crate::history::Kill;
use crate::machine::Machine;
use crate::process::{Ended, variables};
use crate::proxy::{Observed, Proxy};

/// What a command that is killed is unwound with.
struct Killed;

/// Time between two commands.
const PAUSE: Duration = Duration::from_millis(1700);

/// Runs a command line to its end, or until it is killed.
pub(crate) fn run<W: Observed>(
    line: &CommandLine,
    machine: &Machine,
    (proxy, clock): (&Proxy<W>, &Arc<TestClock>),
    ending: Option<&Kill>,
) -> Ended {
    clock.advance(PAUSE);
    if let Some(kill) = ending {
        proxy.kill_at(during_request(kill));
    }
    let answer = proxy.responder(|| resume_unwind(Box::new(Killed)));
    let variables: BTreeMap<String, String> = variables(machine, &proxy.origin).collect();
    let simulated = Simulated { variables, clock: clock.clone(), answer: Arc::new(answer) };
    let args = ["links"].into_iter().chain(line.args.iter().map(String::as_str));
    let args: Vec<OsString> = args.map(Into::into).collect();
    let work = machine.directory.join("work");
    let ran = thread::scope(|scope| {
        let own = || {
            unshare(CloneFlags::CLONE_FS).unwrap();
            std::env::set_current_dir(work).unwrap();
            simulation::run(simulated, &args)
        };
        scope.spawn(own).join().unwrap()
    });
    proxy.leave();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let (out, mut err) = (text(&ran.out), text(&ran.err));
    let exit = match &ran.exit {
        Ok(exit) => Some(i32::from(*exit)),
        Err(unwound) if unwound.is::<Killed>() => None,
        Err(unwound) => {
            let text = unwound.downcast_ref::<String>().map(String::as_str);
            err += &format!("panicked at: {}", text.unwrap_or("an unknown place"));
            Some(1)
        }
    };
    Ended { exit, killed: exit.is_none(), interrupted: false, out, err }
}

/// Returns the request at which a process is killed that other machines would be killed elsewhere: at a place in the program, by a timer, or by
/// Ctrl-C.
fn during_request(kill: &Kill) -> Kill {
    match kill {
        Kill::Before(_) | Kill::After(_) => kill.clone(),
        Kill::Interrupt(nth) => Kill::Before(*nth),
        Kill::Micros(micros) => Kill::Before(1 + usize::try_from(*micros).unwrap_or(0) % 12),
        Kill::Place(place) => {
            let number = place.rsplit(':').next().and_then(|it| it.parse().ok());
            Kill::After(number.unwrap_or(1usize).div_ceil(2))
        }
    }
}
