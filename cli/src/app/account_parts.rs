//! Commands for directories of several accounts: a process for each account, with the account of this machine whose user the `links.lock` of
//! the directories names. An account that fails stops no other.

use std::borrow::Cow;
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
use crate::account::summary;
use crate::apply::sync::{LOCK_NAME, governing};
use crate::args::page::PageWord;
use crate::auth::ServiceUser;
use crate::commands::{AccountWords, Command, JOBS};
use crate::context::prelude::*;
use crate::output::count;
use crate::output::format::Format;
use crate::settings::{OF_FLAG, ServiceTarget, Settings, TokenOrigin};
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
    /// File that each process appends its plan to, as Markdown.
    summary: Option<PathBuf>,
    /// Why paths belong to none of the accounts.
    left_out: Vec<String>,
}

/// An account whose process has ended.
type Ended<'p> = (&'p Part, PartOutput);

/// Returns whom a lock belongs to, or why it does not say so.
fn owner_of(lock: &Path) -> Result<ServiceUser, String> {
    let read = named::read_most(lock, MOST_LOCK);
    let (_, bytes) = read.map_err(|error| CommandError::from(error).to_string())?;
    let text = String::from_utf8_lossy(&bytes);
    // The first line says it, unless a merge has put its marks there.
    let first = Lock::parse(text.split_inclusive('\n').next().unwrap_or_default());
    let found = first.or_else(|_| Lock::parse(&text)).map_err(|error| error.to_string())?;
    let Lock { service, user, .. } = found;
    Ok(ServiceUser { service, user })
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
    let of = |path: &Path| owner_of(&lock_of(path)?).ok();
    paths.retain(|path| of(path).as_ref() == Some(owner));
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
    let (parts, others) = parts(settings, &paths(words.words)?)?;
    let (accounts, args, jobs, summary) = (parts.len(), args.to_vec(), words.jobs, words.summary);
    let left_out = match &others {
        Ok(()) => Vec::new(),
        Err(failure) if failure.others().is_empty() => vec![failure.to_string()],
        Err(failure) => failure.others().iter().map(ToString::to_string).collect(),
    };
    let parts = AccountRuns { args, parts, jobs, selects, operation: None, summary, left_out };
    if accounts < 2 {
        let summarized = parts.summarize_failures(&[]);
        return Some(reported(ui, others.and(summarized).map(|()| Exit::Ok)));
    }
    let is_input = words.words.contains(&PageWord::Path("-".into()));
    let refusal = match (&settings.target, &settings.token) {
        _ if words.cannot.is_some() => words.cannot,
        _ if is_input => Some("`-` is standard input, which only one of them can read"),
        _ if settings.is_account_by_flag => Some("--account names one account"),
        _ if settings.account.is_some() => Some("LINKS_ACCOUNT names one account"),
        (ServiceTarget::Service(url), _) if url.from == OF_FLAG => {
            Some("--base-url names one service")
        }
        (ServiceTarget::Sandbox(_), _) => Some("the sandbox is one account"),
        (_, TokenOrigin::Variable(_) | TokenOrigin::File(_)) => {
            Some("the environment sets the token of one account")
        }
        _ => None,
    };
    let refused = refusal.map(|why| {
        let message =
            format!("the paths belong to {accounts} accounts, but {why}; nothing was written");
        CommandError::usage(message).with_hint("name the paths of one account")
    });
    let refused = refused.or_else(|| unasked(words.asks, accounts, "links plan"));
    if let Some(refused) = refused {
        return Some(reported(ui, Err(refused)));
    }
    let exits = [parts.run(settings, ui), others.map(|()| Exit::Ok)];
    exits.into_iter().map(|ended| reported(ui, ended)).max_by_key(|exit| weight(*exit))
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
    let parts: Vec<Part> = owners
        .into_iter()
        .map(|owner| Part { account: owner.account(&accounts), owner, paths: Vec::new() })
        .collect();
    let refused = unasked(asks, parts.len(), "links undo --dry-run");
    let parts = AccountRuns {
        args: args.to_vec(),
        parts,
        jobs: JOBS,
        selects,
        operation: Some(id),
        summary: None,
        left_out: Vec::new(),
    };
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
    ended.unwrap_or_else(|failure| ui.fail(&failure))
}

/// Returns the parts if there are several, and why other paths belong to none. With fewer parts, these paths have to be refused.
fn parts(settings: &Settings, paths: &[PathBuf]) -> Option<(Vec<Part>, Result<()>)> {
    let (mut of_lock, mut unlocked) = (BTreeMap::<PathBuf, Vec<PathBuf>>::new(), Vec::new());
    for path in paths {
        match lock_of(path) {
            Some(lock) => of_lock.entry(lock).or_default().push(path.clone()),
            None => unlocked.push(path),
        }
    }
    // Most commands are about one lock, which is not read twice.
    if of_lock.is_empty() || of_lock.len() == 1 && unlocked.is_empty() {
        return None;
    }
    let (mut of_owner, mut unread) = (BTreeMap::<ServiceUser, Vec<PathBuf>>::new(), Vec::new());
    for (lock, paths) in of_lock {
        match owner_of(&lock) {
            Ok(owner) => of_owner.entry(owner).or_default().extend(paths),
            Err(why) => unread.push((lock, why)),
        }
    }
    let accounts = settings.accounts();
    // What is below no lock is for the account in use, if that is named or is the only one.
    let is_any = matches!(settings.token, TokenOrigin::Account(..))
        && settings.account.is_none()
        && accounts.known.len() > 1;
    if of_owner.len() < 2 && !is_any {
        unlocked.clear();
    }
    if unread.is_empty() && of_owner.len() + usize::from(!unlocked.is_empty()) < 2 {
        return None;
    }
    let end = if of_owner.len() < 2 { "nothing was written" } else { "it was left out" };
    let failures = unread.into_iter().map(|(lock, why)| {
        CommandError::refused(format!("cannot use {}: {why}; {end}", lock.display()))
            .with_hint("restore it from version control")
    });
    let failures = failures.chain(unlocked.into_iter().map(|path| {
        let path = path.display();
        let message = format!("no links.lock for {path}, so its account is unknown; {end}");
        CommandError::refused(message).with_hint(
            "check the path, run `links init DIRECTORY --account NAME`, or use `--account` with the paths of one account",
        )
    }));
    let others = CommandError::if_any(failures.collect(), "paths belong to no account");
    let part =
        |(owner, paths): (ServiceUser, _)| Part { account: owner.account(&accounts), owner, paths };
    Some((of_owner.into_iter().map(part).collect(), others))
}

impl AccountRuns {
    /// Runs the command for the accounts, a number of them at a time.
    fn run(&self, settings: &Settings, ui: &Ui) -> Result<Exit> {
        // Ctrl-C also reaches the other processes, each of which ends when it is safe.
        let deferred = DeferInterrupt::new();
        let call = IdempotencyKey::random().to_string();
        let call = (&*call, self.operation.as_deref());
        let waiting = Mutex::new(self.parts.iter().enumerate());
        let outputs = Mutex::new(BTreeMap::new());
        let progress = PartsProgress::new(ui, self.parts.len());
        let is_colored = ui.passes_colors();
        thread::scope(|scope| {
            for _ in 0..self.jobs.get().min(self.parts.len()) {
                scope.spawn(|| {
                    loop {
                        let Some((nth, part)) = lock(&waiting).next() else { break };
                        // A process that starts after Ctrl-C would not know of it. That another has ended by it may be seen before the signal.
                        let is_interrupt = |(_, it): &Ended<'_>| it.exit == Exit::Interrupted;
                        let is_ended = || lock(&outputs).values().any(is_interrupt);
                        let output = if deferred.is_asked() || is_ended() {
                            PartOutput::failed(&CommandError::new(
                                Exit::Interrupted,
                                "interrupted before this account; nothing was written",
                            ))
                        } else {
                            let update = |it| progress.update(nth, it);
                            part.run(&self.args, call, is_colored, || deferred.is_asked(), update)
                        };
                        lock(&outputs).insert(nth, (part, output));
                        progress.done(nth);
                    }
                });
            }
        });
        let totals = progress.totals();
        drop(progress);
        let outputs: Vec<Ended<'_>> = lock(&outputs).split_off(&0).into_values().collect();
        let gravest = outputs.iter().map(|(_, it)| it.exit).max_by_key(|exit| weight(*exit));
        let summarized = self.summarize_failures(&outputs);
        let shown = self.show(ui, settings.output, &outputs, &totals);
        shown.map_err(|failure| {
            let exits: Vec<_> = outputs
                .iter()
                .map(|(part, output)| format!("{} {}", part.name(), output.exit.code()))
                .collect();
            if totals.writes > 0 { failure.after_accounts(&exits.join(", ")) } else { failure }
        })?;
        summarized?;
        if outputs.iter().all(|(_, output)| output.is_without_files) {
            return Err(CommandError::usage("no page or form file found in any account")
                .with_hint("`--exclude` leaves all of them out"));
        }
        Ok(gravest.unwrap_or(Exit::Ok))
    }

    /// Adds the accounts without a plan to the summary, and what belongs to none. The others have added their plans.
    fn summarize_failures(&self, outputs: &[Ended<'_>]) -> Result<()> {
        let Some(path) = &self.summary else { return Ok(()) };
        let failed = |(part, output): &Ended<'_>| {
            let is_failed = is_failure(output.exit) && !output.is_in_summary;
            // Not what the program for its token has said, which nobody has read.
            let said = &output.failure;
            is_failed.then(|| summary::failed(&format!(", `{}`: failed", part.name()), said))
        };
        let mut failed: Vec<_> = outputs.iter().filter_map(failed).collect();
        if !self.left_out.is_empty() {
            let said = self.left_out.join("\n");
            failed.push(summary::failed(": paths without an account", &said));
        }
        if failed.is_empty() { Ok(()) } else { summary::add(path, &failed) }
    }

    /// Shows the outputs: one after the other, or as one document of JSON or YAML. What fails to be printed stops no messages.
    fn show(
        &self,
        ui: &Ui,
        format: Format,
        outputs: &[Ended<'_>],
        totals: &PartTotals,
    ) -> Result<()> {
        let heading = |part: &Part, output: &PartOutput| {
            format!("== {} (exit code {})", part.name(), output.exit.code())
        };
        if self.selects || !matches!(format, Format::Json | Format::Yaml) {
            let (mut first_line, mut shown) = (None, Ok(()));
            for (part, output) in outputs {
                let data = following(format, &output.stdout, &mut first_line);
                let failure = match &output.error {
                    _ if !ui.says_json() => output.failure.clone(),
                    Value::Null => String::new(),
                    error => format!("{error}\n"),
                };
                let said = [&*output.said, failure.as_bytes()].concat();
                shown = shown.and(ui.pass(&heading(part, output), &said, &data));
            }
            ui.tell(Style::Faint, totals.summary(self.parts.len()));
            return shown;
        }
        let json = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
        let record = |(part, output): &Ended<'_>| {
            let result = json(&output.stdout);
            // Nothing is printed to stdout.
            let _ = ui.pass(&heading(part, output), &output.said, b"");
            json!({
                "account": part.account.as_ref().map(ToString::to_string),
                "user": part.owner.user,
                "service": part.owner.service,
                "paths": part.paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
                "exit": output.exit.code(),
                "data": result["data"],
                "meta": result["meta"],
                "error": output.error,
            })
        };
        let data: Vec<Value> = outputs.iter().map(record).collect();
        let failures = outputs.iter().filter(|(_, it)| is_failure(it.exit)).count();
        let meta = json!({
            "accounts": self.parts.len(),
            "failed": failures,
            "leftOut": self.left_out.len(),
            "pages": totals.pages,
            "requests": totals.requests,
            "waitedSeconds": totals.waited().as_secs(),
        });
        ui.show(&CommandOutput::with_meta(data, meta, View::Lines(Vec::new())))
    }
}

/// Returns data as it follows that of other accounts, whose last one began with this line: the columns of CSV are named once, and documents of
/// YAML are separated.
fn following<'o>(
    format: Format,
    data: &'o [u8],
    first_line: &mut Option<&'o [u8]>,
) -> Cow<'o, [u8]> {
    let Some(line) = data.split_inclusive(|byte| *byte == b'\n').next() else {
        return data.into();
    };
    let before = first_line.replace(line);
    match format {
        Format::Csv if before == Some(line) => (&data[line.len()..]).into(),
        Format::Yaml if before.is_some() => [b"---\n".as_slice(), data].concat().into(),
        _ => data.into(),
    }
}

/// Returns how grave an exit code is, compared with those of other accounts: a failure more than a finding, one of which nobody knows the outcome
/// most, and a refusal, which has written nothing, least.
fn weight(exit: Exit) -> (bool, bool, bool, u8) {
    (is_failure(exit), exit == Exit::Internal, exit != Exit::Refused, exit.code())
}

fn is_failure(exit: Exit) -> bool {
    !matches!(exit, Exit::Ok | Exit::No)
}
