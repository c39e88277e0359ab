//! What `links undo` and `links redo` take back: their arguments, and the selection of the operation.

use links_pages::apply::{JournalEntries, RunState};

use crate::apply::operations::{LIST, Operation, Operations, names};
use crate::apply::write_log::{LoggedWrite, PageFilter, is_create};
use crate::auth::ServiceUser;
use crate::commands::prelude::*;
use crate::env_vars::ACCOUNT;
use crate::settings::{OF_FLAG, ServiceTarget, Settings, TokenOrigin};

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args, Debug)]
pub(crate) struct UndoArgs {
    /// Operation from `links log`; by default, the newest
    #[arg(value_name = "OPERATION")]
    pub(super) operation: Option<String>,
    /// Use the operation that `--operation-out` saved to this file
    ///
    /// The operation can be from another machine, but must be for the same service and account. Use `-` to read standard input.
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "operation")]
    pub(super) from: Option<PathBuf>,
    /// Only writes to this page (ID, login or URL)
    #[arg(long, value_name = "KEY")]
    pub(super) page: Option<PageKey>,
    /// Keep values that changed since the operation; undo the rest
    #[arg(long, hide_short_help = true)]
    pub(super) keep_changed: bool,
    /// Also restore values that changed since the operation
    #[arg(long = "force", conflicts_with = "keep_changed", hide_short_help = true)]
    pub(super) overwrite: bool,
    /// Also update the page files and form files
    ///
    /// Updates the files as `links pull FILE` does.
    #[arg(long)]
    pub(super) files: bool,
    /// Don't ask for confirmation
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Current login of a page that will be renamed, to confirm the rename
    #[arg(long, value_name = "LOGIN", requires = "yes", hide_short_help = true)]
    pub(super) confirm: Vec<String>,
    /// Show every change of a large plan
    #[arg(long, hide_short_help = true)]
    pub(super) full: bool,
    /// Wait for other runs on the same pages instead of failing
    #[arg(long, hide_short_help = true)]
    pub(super) wait: bool,
    #[command(flatten)]
    pub(super) out: OperationArgs,
}

/// Which operations are taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Those that are no undo.
    Undo,
    /// Undos.
    Redo,
}

/// An operation that is taken back, as far as that is possible.
pub(super) struct UndoneOperation<'o> {
    /// Name of the operation.
    pub(super) id: String,
    /// The command line.
    pub(super) line: String,
    pub(super) time: String,
    /// Set if it is an undo, so that taking it back redoes something.
    pub(super) is_undo: bool,
    /// The command line and the time of the operation that it took back, if the journal of that one is here.
    pub(super) redone: Option<(String, String)>,
    /// The newest writes to each page and form.
    pub(super) parts: Vec<UndoneWrite<'o>>,
    /// Lines about writes that cannot be taken back.
    pub(super) refused: Vec<String>,
    /// Name that the journals of an interrupted undo of the operation share.
    pub(super) continues: Option<String>,
    /// Earlier runs that took one of the writes back and did not reach their end.
    pub(super) cut_short: Vec<&'o LoggedWrite>,
}

/// A write that can be undone.
pub(super) struct UndoneWrite<'o> {
    pub(super) write: &'o LoggedWrite,
    pub(super) log: &'o JournalEntries,
    /// Id of the page, if it is known.
    pub(super) page: Option<ProfileId>,
}

impl Direction {
    /// Name of the command.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }

    /// Returns whether an operation with so many undos below it is meant, if none is named.
    fn takes(self, depth: usize) -> bool {
        match self {
            Self::Undo => depth == 0,
            Self::Redo => depth % 2 == 1,
        }
    }
}

/// Returns the name of the operation of a command for several accounts, if that is the one that is meant, with the accounts that it wrote to, and
/// whether the command asks for confirmation. `None` if it is about one account.
pub(crate) fn accounts(
    context: &Context,
    args: &UndoArgs,
    direction: Direction,
) -> Result<Option<(String, BTreeSet<ServiceUser>, bool)>> {
    if is_of_one_account(context, args) {
        return Ok(None);
    }
    let operations = Operations::read(context)?;
    let found = candidates(context, &operations, args, direction)?;
    let Some(operation) = found.first().map(|index| &operations.all[*index]) else {
        return Ok(None);
    };
    if operation.parts.iter().all(|part| !part.is_foreign) {
        return Ok(None);
    }
    tell_skipped(context, &operations, args, (direction, &found));
    let pending = operation.parts.iter().filter(|part| is_pending(&operations, part));
    let mut owners: BTreeSet<ServiceUser> = pending.filter_map(LoggedWrite::account).collect();
    if owners.is_empty() {
        owners.extend(operation.parts.iter().filter_map(LoggedWrite::account));
    }
    if args.out.operation_out.is_some() {
        return Err(not_saved(context, &owners));
    }
    let id = operation.id().to_owned();
    let asks = !args.yes && args.out.dry_run.dry_run.is_none();
    Ok(Some((id, owners, asks)))
}

/// Returns the error of a command that cannot save what it does in these accounts, because none of them is named.
fn not_saved(context: &Context, owners: &BTreeSet<ServiceUser>) -> CommandError {
    let known = context.settings.accounts();
    let name = |owner: &ServiceUser| match owner.account(&known) {
        Some(name) => format!("account `{name}`"),
        None => format!("user {} of {}", owner.user, owner.service),
    };
    let names: Vec<String> = owners.iter().map(name).collect();
    let message = format!(
        "this is about {}, but --operation-out saves one operation of a named account; nothing was written",
        names.join(" and ")
    );
    CommandError::usage(message).with_hint("name the account with --account")
}

/// Returns whether the command line names an account, a service, a token, a page or a file, so that only that is taken back.
pub(super) fn is_of_one_account(context: &Context, args: &UndoArgs) -> bool {
    let Settings { account, token, target, .. } = &context.settings;
    let is_given = matches!(token, TokenOrigin::Variable(_) | TokenOrigin::File(_));
    let is_at_url = matches!(target, ServiceTarget::Service(url) if url.from == OF_FLAG);
    account.is_some() || is_given || is_at_url || args.page.is_some() || args.from.is_some()
}

/// Says that an operation stays in its other accounts, if only the environment says that it is to be taken back in one.
pub(super) fn tell_others(context: &Context, operations: &Operations, index: usize) {
    let settings = &context.settings;
    let TokenOrigin::Account(name, _) = &settings.token else { return };
    if settings.account.is_none() || settings.is_account_by_flag {
        return;
    }
    let operation = &operations.all[index];
    if operation.parts.iter().any(|part| part.is_foreign && is_pending(operations, part)) {
        let text = format!(
            "{ACCOUNT} is set, so only account `{name}` is changed, though `links {}` wrote to several; for the others, unset {ACCOUNT} and run `links undo {}`",
            operation.parts[0].command_line(),
            operation.id()
        );
        context.ui.tell(Style::Changed, text);
    }
}

/// Returns the operation of this name, or those that can be taken back, the newest first: of this account, and unless it was named, of
/// commands for several accounts.
pub(super) fn candidates(
    context: &Context,
    operations: &Operations,
    args: &UndoArgs,
    direction: Direction,
) -> Result<Vec<usize>> {
    if let Some(name) = &args.operation {
        return operations.one(name).map(|index| vec![index]);
    }
    let own = context.owner();
    let is_own = |index: &usize| operations.all[*index].is_of(&own);
    let own: Vec<usize> = (0..operations.all.len()).rev().filter(is_own).collect();
    let filter = args.page.as_ref().map(|key| PageFilter::new(operations.writes(), key));
    let is_own_only = is_of_one_account(context, args);
    let is_of_page = |part: &LoggedWrite| filter.as_ref().is_none_or(|filter| filter.has(part));
    let is_meant_part = |part: &&LoggedWrite| !(is_own_only && part.is_foreign) && is_of_page(part);
    let is_meant = |index: &usize| {
        let mut parts = operations.all[*index].parts.iter().filter(is_meant_part);
        direction.takes(operations.depth(*index))
            && parts.any(|it| reason_against(it).is_none() && !operations.is_settled(it.run()))
    };
    let newest = own.first().copied().filter(|_| args.page.is_none());
    let has_part = |index: &usize| operations.all[*index].parts.iter().any(is_of_page);
    if let (Some(newest), Direction::Undo) = (own.iter().copied().find(has_part), direction)
        && let Some((part, why)) = operations.all[newest].parts.iter().find_map(|part| {
            let why = part.recorded.log.as_ref().err()?;
            why.is_open().then_some((part, why))
        })
    {
        let message = format!(
            "the newest operation, `{}` ({}), cannot be read: {why}; nothing was written",
            part.command_line(),
            operations.all[newest].id()
        );
        return Err(CommandError::refused(message)
            .with_hint("to undo an older one, run `links log`, then `links undo OPERATION`"));
    }
    let interrupted = newest.and_then(|newest| {
        let operation = &operations.all[newest];
        let of = operation.undoes().next().filter(|_| operation.is_unfinished())?;
        operations.of_run(of).filter(|of| direction.takes(operations.depth(*of)))
    });
    let others = own.into_iter().filter(|index| Some(*index) != interrupted && is_meant(index));
    let mut found: Vec<usize> = interrupted.into_iter().chain(others).collect();
    if let (Direction::Redo, Some(newest)) = (direction, found.first()) {
        let newest = *newest;
        let parts = |of: usize| -> Vec<&LoggedWrite> {
            operations.all[of].parts.iter().filter(is_meant_part).collect()
        };
        let since = |of: usize| written_since(operations, &parts(of));
        let mut passed_over: Vec<&LoggedWrite> = Vec::new();
        found.retain(|index| {
            // One that came before an undo that is passed over cannot be redone without that one.
            let parts = parts(*index);
            let is_before = passed_over.iter().any(|it| parts.iter().any(|of| of.is_of_same(it)));
            let is_redone = !is_before && since(*index).is_none();
            if !is_redone {
                passed_over.extend(parts);
            }
            is_redone
        });
        if let (Some(since), true) = (since(newest), found.is_empty()) {
            let (undo, line) = (operations.all[newest].id(), since.command_line());
            let message = format!(
                "nothing to redo: `links {line}` has written to {} since the undo",
                since.target()
            );
            let hint = format!("to reverse the undo anyway, run `links undo {undo}`");
            return Err(CommandError::not_found(message).with_hint(hint));
        }
    }
    Ok(found)
}

/// Says why the newest operation is not among the candidates, if it cannot be taken back.
pub(super) fn tell_skipped(
    context: &Context,
    operations: &Operations,
    args: &UndoArgs,
    (direction, found): (Direction, &[usize]),
) {
    let own = context.owner();
    let newest = operations.all.iter().rposition(|operation| operation.is_of(&own));
    let is_any = args.operation.is_none() && args.page.is_none() && args.from.is_none();
    if let Some(newest) = newest.filter(|it| is_any && direction.takes(operations.depth(*it)))
        && found.first() != Some(&newest)
        && let Some(first) = operations.all[newest].parts.first()
        && first.log().is_some_and(JournalEntries::has_effect)
        && let Some(reason) = reason_against(first)
    {
        let text = format!("skipped `links {}`: {reason}", first.command_line());
        context.ui.tell(Style::Changed, text);
    }
}

/// Returns whether a write can be taken back and was not yet.
fn is_pending(operations: &Operations, write: &LoggedWrite) -> bool {
    reason_against(write).is_none() && !operations.is_undone(write.run())
}

/// Returns a write to one of the pages and forms of these parts of an undo that came after it and is neither an undo nor a redo: what was
/// undone may have been made again in another way.
fn written_since<'o>(
    operations: &'o Operations,
    parts: &[&LoggedWrite],
) -> Option<&'o LoggedWrite> {
    let is_since = |write: &&LoggedWrite| {
        let is_of_same = |part: &&LoggedWrite| part.run() < write.run() && part.is_of_same(write);
        write.log().is_some_and(JournalEntries::has_effect) && parts.iter().any(is_of_same)
    };
    let written = (0..operations.all.len()).filter(|index| operations.depth(*index) == 0);
    let written = written.flat_map(|index| &operations.all[index].parts);
    written.chain(operations.elsewhere()).find(is_since)
}

impl UndoArgs {
    /// Names the operation.
    pub(crate) fn name(&mut self, id: &str) {
        self.operation = Some(id.to_owned());
    }
}

impl<'o> UndoneOperation<'o> {
    /// Returns what is to be taken back of an operation: of the whole, or of one page. The runs in `taken` were taken back before.
    pub(super) fn of(
        operations: &'o Operations,
        index: usize,
        args: &UndoArgs,
        taken: &BTreeSet<String>,
    ) -> Result<Self> {
        let operation = &operations.all[index];
        let first = &operation.parts[0];
        let (id, line) = (operation.id().to_owned(), first.command_line());
        let filter = args.page.as_ref().map(|key| PageFilter::new(operations.writes(), key));
        let is_meant = |part: &&LoggedWrite| {
            !taken.contains(part.run())
                && !part.is_foreign
                && filter.as_ref().is_none_or(|it| it.has(part))
        };
        let meant: Vec<&LoggedWrite> = operation.parts.iter().filter(is_meant).collect();
        if meant.is_empty() {
            let page = args.page.as_deref().map(ToString::to_string);
            let what = page.as_deref().unwrap_or("this account");
            let message = format!("`links {line}` ({id}) did not write to {what}");
            return Err(CommandError::not_found(message).with_hint(LIST));
        }
        let is_any_pending = meant.iter().any(|part| is_pending(operations, part));
        let (mut parts, mut refused) = (Vec::<UndoneWrite<'o>>::new(), Vec::new());
        for part in meant.into_iter().rev() {
            if let Some(why) = reason_against(part) {
                let has_effect = part.log().is_none_or(JournalEntries::has_effect);
                refused.extend(has_effect.then(|| format!("{}: {why}", part.target())));
                continue;
            }
            // An older write to the same page is the next to be taken back.
            let is_newest = parts.iter().all(|other| !other.write.is_of_same(part));
            if is_newest && (is_pending(operations, part) || !is_any_pending) {
                parts.extend(UndoneWrite::of(operations, part));
            }
        }
        parts.reverse();
        if parts.is_empty() {
            let why = refused.into_iter().next();
            let why = why.unwrap_or_else(|| "it changed nothing".to_owned());
            let message = format!("`links {line}` cannot be undone: {why}");
            return Err(CommandError::refused(message).with_hint(LIST));
        }
        let time = runs::time(parts[0].log.opening.time);
        let continues = continued(operations, operation).map(str::to_owned);
        // The next run over a page settles what was interrupted there.
        let is_open = |write: &LoggedWrite, log: &JournalEntries| match log.state {
            RunState::Done => false,
            RunState::Unfinished => write.store.is_of_commands(),
            RunState::Ended(_) => true,
        };
        let is_cut_short = |write: &&LoggedWrite| {
            let log = write.log().filter(|log| log.has_effect() && is_open(write, log));
            let of = log.and_then(|log| log.opening.command.undoes.as_ref());
            !write.is_foreign
                && !operations.is_undone(write.run())
                && of.is_some_and(|of| parts.iter().any(|it| it.write.run() == of))
        };
        let cut_short = operations.writes().filter(is_cut_short).collect();
        let redone = operation.undoes().find_map(|run| operations.of_run(run)).map(|older| {
            let first = &operations.all[older].parts[0];
            (first.command_line(), first.time())
        });
        let is_undo = operations.kind(index) == "undo";
        Ok(Self { id, line, time, is_undo, redone, parts, refused, continues, cut_short })
    }

    /// Returns the writes of an operation to the pages of those in `taken` that came before them and are not taken back, if there are any: an
    /// operation that was continued wrote to a page several times.
    pub(super) fn before(
        operations: &'o Operations,
        index: usize,
        args: &UndoArgs,
        taken: &BTreeSet<String>,
    ) -> Result<Option<Self>> {
        let parts = &operations.all[index].parts;
        let is_left = |part: &LoggedWrite| {
            !taken.contains(part.run())
                && !part.is_foreign
                && reason_against(part).is_none()
                && !operations.is_settled(part.run())
                && parts.iter().any(|it| taken.contains(it.run()) && it.is_of_same(part))
        };
        let is_any = parts.iter().any(is_left);
        is_any.then(|| Self::of(operations, index, args, taken)).transpose()
    }

    /// Returns whether a run of page files did not reach its end, so that no record has what it wrote.
    pub(super) fn is_cut(&self) -> bool {
        let is_cut =
            |log: &JournalEntries| log.state != RunState::Done && log.opening.path.is_some();
        self.parts.iter().any(|part| is_cut(part.log))
    }

    /// Names of the runs that are taken back.
    pub(super) fn runs(&self) -> impl Iterator<Item = String> {
        self.parts.iter().map(|part| part.write.run().to_owned())
    }

    /// Names of the pages and forms.
    pub(super) fn targets(&self) -> String {
        names(&self.parts.iter().map(|part| part.write.target().into()).collect::<Vec<Value>>())
    }

    /// Ends the journals of commands of which it was unknown what they did: it was looked at. An interrupted run is settled by the next one. If
    /// nothing was left (`is_whole`), so is an undo that was cut short. `written` are the fields that were just written to forms, by the write
    /// that is taken back: an earlier undo of which all fields had to be written again had written none.
    pub(super) fn close(&self, is_whole: bool, written: &BTreeMap<String, Object>) {
        for write in self.cut_short.iter().filter(|_| is_whole) {
            let again = write.command().undoes.as_ref().and_then(|of| written.get(of));
            let sent = write.log().and_then(|log| log.write.as_ref());
            let is_written = again.zip(sent).is_none_or(|(again, sent)| {
                sent.changed.keys().any(|name| !again.contains_key(name))
            });
            // If this fails, the operation stays listed as partly undone.
            let _ = write.store.settle(write.run(), is_written);
        }
        for UndoneWrite { write, log, .. } in &self.parts {
            if write.store.is_of_commands() && log.state == RunState::Unfinished {
                // If this fails, the command stays listed as it is.
                let _ = write.store.abort(None, write.run());
            }
        }
    }
}

impl<'o> UndoneWrite<'o> {
    fn of(operations: &Operations, write: &'o LoggedWrite) -> Option<Self> {
        let log = write.log()?;
        let later = operations.writes().filter(|it| !it.is_foreign && it.run() >= write.run());
        let page = write.page_id().or_else(|| renamed(later, &log.opening.login));
        Some(Self { write, log, page })
    }

    /// Key of the page.
    pub(super) fn page(&self) -> Result<ProfileKey> {
        match self.page {
            None => profile_key::parse(&self.log.opening.login).map_err(CommandError::internal),
            Some(id) => Ok(ProfileKey::Id(id)),
        }
    }
}

/// Returns the name that the journals of an undo of the operation share, if that undo did not finish.
fn continued<'o>(operations: &'o Operations, operation: &Operation) -> Option<&'o str> {
    let is_of = |run: &str| operation.parts.iter().any(|part| part.run() == run);
    let is_continued = |undo: &&Operation| {
        undo.undoes().any(is_of)
            && undo.is_incomplete()
            && undo.parts.iter().all(|part| !operations.is_undone(part.run()))
    };
    operations.all.iter().rev().find(is_continued)?.call()
}

/// Returns the id of the page that had this login until one of these writes has changed it.
fn renamed<'w>(mut later: impl Iterator<Item = &'w LoggedWrite>, login: &str) -> Option<ProfileId> {
    let had = |write: &&LoggedWrite| {
        let fields = write.log().into_iter().flat_map(JournalEntries::fields);
        let mut before = fields.filter_map(|fields| fields.before.get("login")?.as_str());
        before.any(|before| before.eq_ignore_ascii_case(login))
    };
    later.find(had).and_then(LoggedWrite::page_id)
}

/// Returns why a write cannot be undone.
fn reason_against(write: &LoggedWrite) -> Option<String> {
    let log = match &write.recorded.log {
        Ok(log) => log,
        Err(why) => return Some(why.to_string()),
    };
    if !log.has_effect() {
        return Some("it changed nothing".to_owned());
    }
    let record = log.write.as_ref()?;
    match record.operation.as_str() {
        "createForm" => Some("lead forms can only be deleted in the dashboard".to_owned()),
        "createProfile" => Some("pages can only be deleted in the dashboard".to_owned()),
        _ if is_create(record) || log.opening.form.is_none() => {
            Some("the previous values are unknown".to_owned())
        }
        _ => None,
    }
}
