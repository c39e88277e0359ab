//! Commands for directories of several accounts: a process for each account, with the account of this machine whose user the `links.lock` of
//! the directories names. An account that fails stops no other.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::process::{Command as Process, Stdio};
use std::sync::Mutex;
use std::thread;

use links_pages::sync::Lock;
use links_sdk::BaseUrl;

use crate::account::files::{DEPTH, directories_with};
use crate::apply::sync::{LOCK_NAME, governing};
use crate::args::page::PageWord;
use crate::auth::{AccountName, AccountsFile};
use crate::commands::AccountWords;
use crate::context::prelude::*;
use crate::env_vars::{AGENT, BASE_URL, TOKEN, TOKEN_FILE};
use crate::output::Body;
use crate::output::format::Format;
use crate::settings::Settings;
use crate::signal::{DeferInterrupt, lock};
use crate::ui::Ui;

/// First argument of the process for one account; the second is [`LockOwner::text`].
const PART: &str = "__part";

/// Whom a `links.lock` belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LockOwner {
    service: String,
    user: i64,
}

/// Directories and files of one account.
struct Part {
    owner: LockOwner,
    /// The account of this machine; `None` if there is none.
    account: Option<AccountName>,
    paths: Vec<PathBuf>,
}

/// What the process for an account has printed.
struct PartOutput {
    exit: Exit,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Returns the arguments without those that make a process that of one account, and whom it is for.
pub(super) fn own_arguments(args: Vec<OsString>) -> (Vec<OsString>, Option<LockOwner>) {
    let owner = match &args[..] {
        [_, part, owner, ..] if part == PART => owner.to_str().and_then(LockOwner::parse),
        _ => None,
    };
    match owner {
        Some(owner) => {
            let program = args.iter().take(1);
            (program.chain(args.iter().skip(3)).cloned().collect(), Some(owner))
        }
        None => (args, None),
    }
}

impl LockOwner {
    fn parse(text: &str) -> Option<Self> {
        let (service, user) = text.rsplit_once(' ')?;
        Some(Self { service: service.to_owned(), user: user.parse().ok()? })
    }

    fn text(&self) -> String {
        format!("{} {}", self.service, self.user)
    }

    /// Returns whom a lock belongs to. One that cannot be read is reported by the command that needs it.
    fn of(lock: &Path) -> Option<Self> {
        let (_, bytes) = named::read_most(lock, MOST_LOCK).ok()?;
        let first = bytes.split(|byte| *byte == b'\n').next()?;
        let Lock { service, user, .. } = Lock::parse(std::str::from_utf8(first).ok()?).ok()?;
        Some(Self { service, user })
    }
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
pub(super) fn keep(owner: &LockOwner, words: AccountWords<'_>) -> Result<()> {
    let mut paths = paths(words.words).unwrap_or_default();
    paths
        .retain(|path| lock_of(path).and_then(|lock| LockOwner::of(&lock)).as_ref() == Some(owner));
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
    let refusal = match (words.cannot, settings.is_account_by_flag) {
        (Some(what), _) => Some(what.to_owned()),
        (None, true) => Some("--account names one account".to_owned()),
        (None, false) => None,
    };
    let asks = words.asks && io::stdin().is_terminal();
    let refusal = refusal.or_else(|| asks.then(|| "nobody can be asked about each".to_owned()));
    if let Some(why) = refusal {
        let message =
            format!("the paths belong to {} accounts, but {why}; nothing was written", parts.len());
        let hint = if asks {
            "run `links plan` first, then pass --yes"
        } else {
            "name the paths of one account"
        };
        let failure = CommandError::usage(message).with_hint(hint);
        ui.fail(&failure);
        return Some(failure.exit());
    }
    // Ctrl-C also reaches the other processes, each of which ends when it is safe.
    let _deferred = DeferInterrupt::new();
    let outputs = run_all(ui, args, &parts, words.jobs);
    let gravest = outputs.iter().map(|output| output.exit).max_by_key(|exit| weight(*exit));
    let is_merged = settings.output == Format::Json && !selects;
    match show(ui, is_merged, &parts, &outputs) {
        Ok(()) => gravest,
        Err(failure) => {
            ui.fail(&failure);
            Some(failure.exit())
        }
    }
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
    let mut of_owner: BTreeMap<LockOwner, Vec<PathBuf>> = BTreeMap::new();
    for (lock, paths) in of_lock {
        of_owner.entry(LockOwner::of(&lock)?).or_default().extend(paths);
    }
    if of_owner.len() < 2 {
        return None;
    }
    let file = settings.config_directory().map(AccountsFile::new);
    let accounts = file.and_then(|file| file.load().ok()).unwrap_or_default();
    let account = |owner: &LockOwner| {
        let origin = BaseUrl::new(&owner.service).ok()?.origin();
        let mut names = accounts.at(&origin).into_iter();
        names.find(|name| accounts.known[*name].user_id == owner.user).cloned()
    };
    let part = |(owner, paths)| Part { account: account(&owner), owner, paths };
    Some(of_owner.into_iter().map(part).collect())
}

/// Runs the parts, this many at a time.
fn run_all(ui: &Ui, args: &[OsString], parts: &[Part], jobs: NonZeroUsize) -> Vec<PartOutput> {
    let waiting = Mutex::new(parts.iter().enumerate().collect::<Vec<_>>());
    lock(&waiting).reverse();
    let outputs = Mutex::new(BTreeMap::new());
    let progress = Mutex::new(ui.progress(parts.len()));
    thread::scope(|scope| {
        for _ in 0..jobs.get().min(parts.len()) {
            scope.spawn(|| {
                loop {
                    let Some((nth, part)) = lock(&waiting).pop() else { break };
                    lock(&outputs).insert(nth, part.run(args));
                    lock(&progress).step();
                }
            });
        }
    });
    lock(&outputs).split_off(&0).into_values().collect()
}

impl Part {
    /// Runs the command for the account. Nothing is asked: there is no input.
    fn run(&self, args: &[OsString]) -> PartOutput {
        let failed = |failure: CommandError| PartOutput {
            exit: failure.exit(),
            stdout: Vec::new(),
            stderr: format!("{failure}\n").into_bytes(),
        };
        let Some(account) = &self.account else {
            let LockOwner { service, user } = &self.owner;
            let message = format!("no account on this machine for user {user} of {service}");
            return failed(CommandError::new(
                Exit::NotAuthenticated,
                message + "; run `links auth login` as this user",
            ));
        };
        let run = || {
            let mut command = Process::new(std::env::current_exe()?);
            command.args([PART, &self.owner.text(), "--account", &account.to_string()]);
            command.args(args.iter().skip(1)).stdin(Stdio::null());
            // This process marks the data of all.
            for variable in [TOKEN, TOKEN_FILE, BASE_URL, AGENT] {
                command.env_remove(variable);
            }
            command.output()
        };
        match run() {
            Ok(output) => {
                let code = output.status.code().and_then(|code| u8::try_from(code).ok());
                let exit = Exit::ALL.iter().copied().find(|exit| Some(exit.code()) == code);
                let exit = exit.unwrap_or(Exit::Interrupted);
                PartOutput { exit, stdout: output.stdout, stderr: output.stderr }
            }
            Err(error) => failed(CommandError::internal(format!("cannot start: {error}"))),
        }
    }

    /// Returns the account as a heading names it.
    fn name(&self) -> String {
        match &self.account {
            Some(account) => account.to_string(),
            None => format!("user {}", self.owner.user),
        }
    }
}

/// Shows the outputs: one after the other, or as one JSON document.
fn show(ui: &Ui, is_merged: bool, parts: &[Part], outputs: &[PartOutput]) -> Result<()> {
    if !is_merged {
        for (part, output) in parts.iter().zip(outputs) {
            let heading = format!("== {} (exit code {})\n", part.name(), output.exit.code());
            let heading = if ui.shows_text() { heading.as_bytes() } else { b"" };
            ui.pass(&output.stderr, &[heading, &output.stdout].concat())?;
        }
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
    let meta = json!({ "accounts": parts.len(), "failed": failures });
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
