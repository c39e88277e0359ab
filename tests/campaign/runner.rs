//! Execution of histories on several threads until the time is up, and the report.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::case::{Case, Kinds};
use crate::editor;
use crate::generate::Settings;
use crate::invariants::Violation;
use crate::process::Program;
use crate::shorten::shorten;
use crate::tally::Tally;
use links_cli::simulation;

/// Length of a campaign.
struct Length {
    seconds: Option<u64>,
    commands: Option<usize>,
    steps: Option<usize>,
}

pub(crate) fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    if args.first().is_some_and(|it| it.starts_with("__")) {
        // The program starts itself to read a Git history.
        return links_cli::main(env::args_os());
    }
    if let [flag, directory, draft] = &args[..]
        && flag == "--as-editor"
    {
        editor::edit(Path::new(directory), Path::new(draft));
        return ExitCode::SUCCESS;
    }
    // For the test runner this is one test, named `campaign`.
    if args.iter().any(|it| it == "--list") {
        println!("campaign: test");
        return ExitCode::SUCCESS;
    }
    if args.iter().any(|it| !it.starts_with('-') && !"campaign".contains(it.as_str())) {
        return ExitCode::SUCCESS;
    }
    let program = program();
    if let Some(path) = variable("LINKS_CAMPAIGN_HISTORY") {
        return replay(Path::new(&path), &program);
    }
    let number = |name: &str| variable(name).map(|it| it.parse::<u64>().expect(name));
    let seconds = number("LINKS_CAMPAIGN_SECONDS");
    let commands = number("LINKS_CAMPAIGN_COMMANDS").map(|it| usize::try_from(it).unwrap());
    let steps = number("LINKS_CAMPAIGN_STEPS").map(|it| usize::try_from(it).unwrap());
    let is_asked_for = seconds.is_some() || commands.is_some() || steps.is_some();
    if !is_asked_for {
        return if regressions(&program) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    let seed = number("LINKS_CAMPAIGN_SEED").unwrap_or_else(|| now() << 20);
    let settings = Settings {
        kills: variable("LINKS_CAMPAIGN_KILL").as_deref() != Some("0"),
        is_debug_build: program.is_debug_build,
    };
    let waiting = if program.is_debug_build { 1 } else { 8 };
    let threads = match number("LINKS_CAMPAIGN_THREADS") {
        Some(threads) => usize::try_from(threads).unwrap(),
        // Its commands share what a process has once.
        None if steps.is_some() => 1,
        None => thread::available_parallelism().map_or(2, usize::from) * waiting,
    };
    let kinds = match variable("LINKS_CAMPAIGN_KIND").as_deref() {
        Some("account") => Kinds::Account,
        Some("git") => Kinds::Git,
        Some("page") => Kinds::Page,
        _ => Kinds::All,
    };
    run(&program, (kinds, settings), seed, &Length { seconds, commands, steps }, threads)
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|it| !it.is_empty())
}

fn program() -> Program {
    let (path, is_debug_build) = match variable("LINKS_CAMPAIGN_BINARY") {
        Some(path) => (fs::canonicalize(&path).unwrap(), path.contains("/debug/")),
        None => (PathBuf::from(env!("CARGO_BIN_EXE_links")), true),
    };
    let ignored = variable("LINKS_CAMPAIGN_IGNORE").unwrap_or_default();
    let ignored = ignored.split(',').map(str::to_owned).collect();
    let is_shown = variable("LINKS_CAMPAIGN_SHOW").is_some();
    let is_simulated = variable("LINKS_CAMPAIGN_STEPS").is_some();
    Program { path, is_debug_build, is_simulated, is_shown, ignored }
}

/// Replays one history.
fn replay(path: &Path, program: &Program) -> ExitCode {
    let history: Case = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    match history.play(program).1 {
        Some((step, Violation { rule, text })) => {
            println!("{rule} at step {step}: {text}");
            ExitCode::FAILURE
        }
        None => {
            println!("nothing is wrong");
            ExitCode::SUCCESS
        }
    }
}

/// Replays every history that once found a violation.
fn regressions(program: &Program) -> bool {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/campaign/histories");
    let mut paths: Vec<PathBuf> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| fs::DirEntry::path(&entry))
        .collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "json"));
    paths.sort();
    let is_good = |path: &PathBuf| {
        let history: Case = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let (_, violation) = history.play(program);
        if let Some((step, Violation { rule, text })) = &violation {
            println!("{}: {rule} at step {step}: {text}", path.display());
        }
        violation.is_none()
    };
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let parts = paths.chunks(paths.len().div_ceil(threads).max(1));
    let are_good = thread::scope(|scope| {
        let replay =
            |part| scope.spawn(move || <[_]>::iter(part).filter(|it| !is_good(it)).count());
        let parts: Vec<_> = parts.map(replay).collect();
        parts.into_iter().all(|part| part.join().unwrap() == 0)
    });
    println!("campaign: {} histories replayed", paths.len());
    are_good
}

#[expect(clippy::cast_precision_loss, reason = "they are rates")]
fn run(
    program: &Program,
    (kinds, settings): (Kinds, Settings),
    first: u64,
    length: &Length,
    threads: usize,
) -> ExitCode {
    println!("campaign: LINKS_CAMPAIGN_SEED={first}, {threads} histories at once");
    let started = Instant::now();
    let (next, done) = (AtomicU64::new(first), AtomicUsize::new(0));
    let taken = AtomicUsize::new(0);
    let (total, violations) = (Mutex::new(Tally::default()), AtomicUsize::new(0));
    let is_over = || {
        length.seconds.is_some_and(|it| started.elapsed() >= Duration::from_secs(it))
            || length.commands.is_some_and(|it| done.load(Ordering::SeqCst) >= it)
            || length.steps.is_some_and(|it| taken.load(Ordering::SeqCst) >= it)
            || violations.load(Ordering::SeqCst) >= MOST_VIOLATIONS
    };
    let work = || {
        while !is_over() {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            let history = Case::of(seed, kinds, settings);
            let (tally, found) = played(&history, program);
            if program.is_simulated && seed.is_multiple_of(TWICE) {
                let again = played(&history, program).0;
                assert_eq!(tally.to_string(), again.to_string(), "seed {seed}: it is not the same");
            }
            done.fetch_add(tally.commands(), Ordering::SeqCst);
            taken.fetch_add(tally.steps(), Ordering::SeqCst);
            total.lock().unwrap_or_else(PoisonError::into_inner).add(tally);
            if let Some((step, violation)) = found {
                violations.fetch_add(1, Ordering::SeqCst);
                report((seed, step), &history, violation.rule, &violation.text, program);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (took, count) = (started.elapsed().as_secs_f64(), violations.into_inner());
    let rate = total.commands() as f64 / took * 60.0;
    print!("{total}");
    let (steps, a_second) = (total.steps(), total.steps() as f64 / took);
    println!(
        "{took:.0} s, {rate:.0} commands a minute, {steps} steps, {a_second:.0} a second, {count} violations"
    );
    if count == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// In a simulation, one of so many histories is played twice.
const TWICE: u64 = 50;

fn played(history: &Case, program: &Program) -> (Tally, Option<(usize, Violation)>) {
    let played = history.play(program);
    if program.is_simulated {
        simulation::forget(Path::new("/"));
    }
    played
}

/// Number of violations after which a campaign ends, because more show nothing new.
const MOST_VIOLATIONS: usize = 20;

/// Shows a violation with a short history that leads to it.
fn report((seed, step): (u64, usize), history: &Case, rule: &str, text: &str, program: &Program) {
    let short = shorten(history, rule, program);
    let again = short.play(program).1;
    let (seen, short) = match &again {
        Some((_, violation)) if violation.rule == rule => (violation.text.as_str(), &short),
        // It does not happen every time.
        _ => (text, history),
    };
    let json = serde_json::to_string(short).unwrap();
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = directory.join(format!("campaign-{seed}.json"));
    fs::write(&path, &json).unwrap();
    println!(
        "VIOLATION of \"{rule}\" with seed {seed} at step {step}: {seen}\nhistory: {}\n{json}\n",
        path.display()
    );
}
