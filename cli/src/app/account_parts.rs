//! Commands for directories of several accounts: a process for each account, with the account of this machine whose user the `links.lock` of
//! the directories names. An account that fails stops no other.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::thread;

use links_pages::sync::Lock;
use links_sdk::IdempotencyKey;

use super::account_part::{Part, PartOutput};
use super::parts_progress::{PartTotals, PartsProgress};
use crate::account::files::{DEPTH, directories_with};
use crate::apply::sync::{LOCK_NAME, governing};
use crate::args::page::PageWord;
use crate::auth::ServiceUser;
use crate::commands::{AccountWords, Command, JOBS};
use crate::context::prelude::*;
use crate::output::Body;
use crate::output::count;
use crate::output::format::Format;
use crate::settings::{ServiceTarget, Settings, TokenOrigin};
use crate::signal::{DeferInterrupt, lock};
use crate::ui::Ui;

/// A command for several accounts.
struct AccountRuns {
    args: Vec<OsString>,
    parts: Vec<Part>,
    /// Number of accounts at a time.
    jobs: NonZeroUsize,
    /// True if the output is what each process has selected of its data.
    selects: bool,
    /// Name of the operation that is taken back.
    operation: Option<String>,
}

/// Returns whom a lock belongs to. One that cannot be read is reported by the command that needs it.
fn owner_of(lock: &Path) -> Option<ServiceUser> {
    let (_, bytes) = named::read_most(lock, MOST_LOCK).ok()?;
    let first = bytes.split(|byte| *byte == b'\n').next()?;
    let Lock { service, user, .. } = Lock::parse(std::str::from_utf8(first).ok()?).ok()?;
    Some(ServiceUser { service, user })
}

/// Returns the lock that governs a file or a directory.
fn lock_of(path: &Path) -> Option<PathBuf> {
    let within = if path.is_dir() { path.join(LOCK_NAME) } else { path.to_owned() };
    governing(&within, LOCK_NAME)
}

/// Maximum size of a lock.
const MOST_LOCK: u64 = 64 << 20;

/// Keeps of the words of a command those of one account.
///
/// # Errors
///
/// When there is none: without words, the command would be about other files.
pub(super) fn keep(owner: &ServiceUser, words: AccountWords<'_>) -> Result<()> {
    let mut paths = paths(words.words).unwrap_or_default();
    paths.retain(|path| lock_of(path).and_then(|lock| owner_of(&lock)).as_ref() == Some(owner));
    if paths.is_empty() {
        let message = format!(
            "no path belongs to user {} of {} any more; nothing was written",
            owner.user, owner.service
        );
        return Err(CommandError::refused(message));
    }
    *words.words = paths.into_iter().map(PageWord::Path).collect();
    Ok(())
}

/// Returns the paths of words: a directory without a lock stands for those below it that have one. `None` if a word is no path.
fn paths(words: &[PageWord]) -> Option<Vec<PathBuf>> {
    let mut all = Vec::new();
    for word in words {
        let PageWord::Path(path) = word else { return None };
        let below = if path.is_dir() && lock_of(path).is_none() {
            directories_with(LOCK_NAME, path, DEPTH)
        } else {
            Vec::new()
        };
        if below.is_empty() {
            all.push(path.clone());
        } else {
            all.extend(below);
        }
    }
    Some(all)
}

/// Runs a command for each of several accounts, if its words name directories of several. Returns its exit code. `selects` says that the output
/// is what each process has selected of its data.
pub(super) fn run(
    settings: &Settings,
    ui: &Ui,
    args: &[OsString],
    words: AccountWords<'_>,
    selects: bool,
) -> Option<Exit> {
    let parts = parts(settings, &paths(words.words)?)?;
    let refusal = match (&settings.target, &settings.token) {
        _ if words.cannot.is_some() => words.cannot,
        _ if settings.is_account_by_flag => Some("--account names one account"),
        _ if words.is_at_url => Some("--base-url names one service"),
        (ServiceTarget::Sandbox(_), _) => Some("the sandbox is one account"),
        (_, TokenOrigin::Variable(_) | TokenOrigin::File(_)) => {
            Some("the environment sets the token of one account")
        }
        _ => None,
    };
    let refused = refusal.map(|why| {
        let message =
            format!("the paths belong to {} accounts, but {why}; nothing was written", parts.len());
        CommandError::usage(message).with_hint("name the paths of one account")
    });
    let refused = refused.or_else(|| unasked(words.asks, parts.len(), "links plan"));
    let parts =
        AccountRuns { args: args.to_vec(), parts, jobs: words.jobs, selects, operation: None };
    Some(reported(ui, refused.map_or_else(|| parts.run(settings, ui), Err)))
}

/// Takes an operation back in each of its accounts, if the command is about one of several. Returns its exit code.
pub(super) fn undo(
    context: &Context,
    command: &Command,
    args: &[OsString],
    selects: bool,
) -> Option<Exit> {
    let (settings, ui) = (&context.settings, &context.ui);
    let (id, owners, asks) = match command.undone_accounts(context) {
        Ok(undone) => undone?,
        Err(failure) => return Some(reported(ui, Err(failure))),
    };
    let accounts = settings.accounts();
    let part =
        |owner: ServiceUser| Part { account: owner.account(&accounts), owner, paths: Vec::new() };
    let parts: Vec<Part> = owners.into_iter().map(part).collect();
    let refused = unasked(asks, parts.len(), "links undo --dry-run");
    let (args, operation) = (args.to_vec(), Some(id));
    let parts = AccountRuns { args, parts, jobs: JOBS, selects, operation };
    Some(reported(ui, refused.map_or_else(|| parts.run(settings, ui), Err)))
}

/// Returns the error of a command that cannot ask about each account.
fn unasked(asks: bool, accounts: usize, first: &str) -> Option<CommandError> {
    (asks && io::stdin().is_terminal()).then(|| {
        let message =
            format!("cannot ask about each of {}; nothing was written", count(accounts, "account"));
        CommandError::usage(message).with_hint(format!("run `{first}` first, then pass --yes"))
    })
}

fn reported(ui: &Ui, ended: Result<Exit>) -> Exit {
    ended.unwrap_or_else(|failure| {
        ui.fail(&failure);
        failure.exit()
    })
}

/// Returns the parts if there are several.
fn parts(settings: &Settings, paths: &[PathBuf]) -> Option<Vec<Part>> {
    let mut of_lock: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in paths {
        of_lock.entry(lock_of(path)?).or_default().push(path.clone());
    }
    // Most commands are about one lock, which is not read twice.
    if of_lock.len() < 2 {
        return None;
    }
    let mut of_owner: BTreeMap<ServiceUser, Vec<PathBuf>> = BTreeMap::new();
    for (lock, paths) in of_lock {
        of_owner.entry(owner_of(&lock)?).or_default().extend(paths);
    }
    if of_owner.len() < 2 {
        return None;
    }
    let accounts = settings.accounts();
    let part =
        |(owner, paths): (ServiceUser, _)| Part { account: owner.account(&accounts), owner, paths };
    Some(of_owner.into_iter().map(part).collect())
}

impl AccountRuns {
    /// Runs the command for the accounts, a number of them at a time.
    fn run(&self, settings: &Settings, ui: &Ui) -> Result<Exit> {
        // Ctrl-C also reaches the other processes, each of which ends when it is safe.
        let deferred = DeferInterrupt::new();
        let call = IdempotencyKey::random().to_string();
        let call = [Some(call), self.operation.clone()].into_iter().flatten().collect::<Vec<_>>();
        let call = call.join(" ");
        let waiting = Mutex::new(self.parts.iter().enumerate().collect::<Vec<_>>());
        lock(&waiting).reverse();
        let outputs = Mutex::new(BTreeMap::new());
        let progress = PartsProgress::new(ui, self.parts.len());
        thread::scope(|scope| {
            for _ in 0..self.jobs.get().min(self.parts.len()) {
                scope.spawn(|| {
                    loop {
                        let Some((nth, part)) = lock(&waiting).pop() else { break };
                        // A process that starts after Ctrl-C would not know of it. That another has ended by it may be seen before the signal.
                        let is_interrupt = |it: &PartOutput| it.exit == Exit::Interrupted;
                        let is_ended = || lock(&outputs).values().any(is_interrupt);
                        let output = if deferred.is_asked() || is_ended() {
                            PartOutput::failed(&CommandError::new(
                                Exit::Interrupted,
                                "interrupted before this account; nothing was written",
                            ))
                        } else {
                            part.run(&self.args, &call, |it| progress.update(nth, it))
                        };
                        lock(&outputs).insert(nth, output);
                        progress.done(nth);
                    }
                });
            }
        });
        let totals = progress.totals();
        drop(progress);
        let outputs: Vec<PartOutput> = lock(&outputs).split_off(&0).into_values().collect();
        let gravest = outputs.iter().map(|output| output.exit).max_by_key(|exit| weight(*exit));
        let is_merged = settings.output == Format::Json && !self.selects;
        show(ui, is_merged, (&self.parts, &outputs), totals)?;
        Ok(gravest.unwrap_or(Exit::Ok))
    }
}

/// Shows the outputs: one after the other, or as one JSON document.
fn show(
    ui: &Ui,
    is_merged: bool,
    (parts, outputs): (&[Part], &[PartOutput]),
    totals: PartTotals,
) -> Result<()> {
    if !is_merged {
        for (part, output) in parts.iter().zip(outputs) {
            let heading = format!("== {} (exit code {})\n", part.name(), output.exit.code());
            let heading = if ui.shows_text() { heading.as_bytes() } else { b"" };
            ui.pass(&output.stderr, &[heading, &output.stdout].concat())?;
        }
        ui.tell(Style::Faint, totals.summary(parts.len()));
        return Ok(());
    }
    let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    let record = |(part, output): (&Part, &PartOutput)| {
        let result = json(&output.stdout);
        let error = match json(&output.stderr) {
            Value::Null => String::from_utf8_lossy(&output.stderr).trim_end().to_owned().into(),
            error => error,
        };
        json!({
            "account": part.account.as_ref().map(ToString::to_string),
            "user": part.owner.user,
            "service": part.owner.service,
            "paths": part.paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "exit": output.exit.code(),
            "data": result["data"],
            "meta": result["meta"],
            "error": if error == "" { Value::Null } else { error },
        })
    };
    let data: Vec<Value> = parts.iter().zip(outputs).map(record).collect();
    let failures = outputs.iter().filter(|it| !matches!(it.exit, Exit::Ok | Exit::No)).count();
    let meta = json!({
        "accounts": parts.len(),
        "failed": failures,
        "pages": totals.pages,
        "requests": totals.requests,
        "waitedSeconds": totals.waited.as_secs(),
    });
    let body = Body::Own(json!({ "data": data, "meta": meta }));
    ui.show(&CommandOutput::new(body, View::Lines(Vec::new())))
}

/// Returns how grave an exit code is, compared with those of other accounts.
fn weight(exit: Exit) -> usize {
    const ORDER: [Exit; 14] = [
        Exit::Ok,
        Exit::No,
        Exit::NotFound,
        Exit::Invalid,
        Exit::Refused,
        Exit::Conflict,
        Exit::Drift,
        Exit::Partial,
        Exit::RateLimited,
        Exit::Network,
        Exit::Server,
        Exit::Forbidden,
        Exit::NotAuthenticated,
        Exit::Usage,
    ];
    ORDER.iter().position(|it| *it == exit).unwrap_or(ORDER.len())
}
