//! What `links undo` undoes: its arguments, and the selection of the write.

use links_pages::apply::{JournalEntries, JournalStore, RunState};

use crate::apply::write_log;
use crate::apply::write_log::{LoggedWrite, is_create};
use crate::commands::prelude::*;

#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args, Debug)]
#[command(
    notes = "Deleted slots come back with new ids, without their click statistics. What others changed since is a conflict, and nothing is written. An undo can be undone.",
    examples = ["links undo", "links undo \"$(links log -n 1 -o ids)\" --yes"]
)]
pub(crate) struct UndoArgs {
    /// The run to undo, as `links log` names it; without it, the newest that can be undone
    #[arg(value_name = "RUN")]
    pub(super) run: Option<String>,
    /// Restore also what was changed since the run
    #[arg(long)]
    pub(super) overwrite: bool,
    /// Confirm the changes without being asked
    #[arg(long)]
    pub(super) yes: bool,
    /// Current login of the page, which has to match if the login is changed back
    #[arg(long, value_name = "LOGIN", requires = "yes")]
    pub(super) confirm: Option<String>,
    /// Show every change of a large plan
    #[arg(long, hide_short_help = true)]
    pub(super) full: bool,
    /// Wait for another run on the same page instead of refusing
    #[arg(long, hide_short_help = true)]
    pub(super) wait: bool,
    #[command(flatten)]
    pub(super) dry_run: DryRunArgs,
}

/// A write that can be undone.
pub(super) struct UndoneWrite {
    pub(super) store: JournalStore,
    pub(super) log: JournalEntries,
    /// The command line.
    pub(super) line: String,
    /// Id of the page, if it is known.
    page: Option<ProfileId>,
}

const LIST: &str = "`links log` lists the writes of this machine";

impl UndoneWrite {
    /// Returns the write of this name, or the newest one of this account that can be undone.
    pub(super) fn select(context: &Context, name: Option<&str>) -> Result<Self> {
        let all = write_log::all(context)?;
        let position = match name {
            Some(name) => named(&all, name)?,
            None => newest(context, &all)?,
        };
        Self::of(&all, position).ok_or_else(|| CommandError::internal("a run without a journal"))
    }

    fn of(all: &[LoggedWrite], position: usize) -> Option<Self> {
        let write = &all[position];
        let log = write.log()?.clone();
        let page = write.page_id().or_else(|| renamed(&all[position..], &log.opening.login));
        Some(Self { store: write.store.clone(), log, line: write.command_line(), page })
    }

    /// Returns the other writes of the same call of the program that can be undone: the name of each, and what it wrote to.
    pub(super) fn companions(&self, context: &Context) -> Result<Vec<(String, String)>> {
        let call = |log: &JournalEntries| log.opening.command.as_ref()?.call.clone();
        let Some(own) = call(&self.log) else { return Ok(Vec::new()) };
        let others =
            write_log::all(context)?.into_iter().filter(|write| write.run() != self.log.run);
        let others = others.filter(|write| reason_against(write).is_none());
        let named = |write: LoggedWrite| {
            let log = write.log().filter(|log| call(log).as_ref() == Some(&own))?;
            Some((write.run().to_owned(), target(log)))
        };
        Ok(others.filter_map(named).collect())
    }

    /// Key of the page.
    pub(super) fn page(&self) -> Result<ProfileKey> {
        match self.page {
            None => profile_key::parse(&self.log.opening.login).map_err(CommandError::internal),
            Some(id) => Ok(ProfileKey::Id(id)),
        }
    }

    /// Ends the journal of a command of which it was unknown what it did: it was looked at. An interrupted run is settled by the next one.
    pub(super) fn close(&self) {
        if self.store.is_of_commands() && self.log.state == RunState::Unfinished {
            // If this fails, the command stays listed as it is.
            let _ = self.store.abort(None, &self.log.run);
        }
    }
}

/// Name of what was written.
pub(super) fn target(log: &JournalEntries) -> String {
    match &log.opening.form {
        Some(form) => format!("form {form}"),
        None => log.opening.login.clone(),
    }
}

/// Returns the position of the write of this name.
fn named(all: &[LoggedWrite], name: &str) -> Result<usize> {
    let named = |at: &usize| all[*at].run().starts_with(name);
    let found: Vec<usize> = (0..all.len()).filter(named).collect();
    let [position] = found[..] else {
        return Err(if found.is_empty() {
            let message = format!("there is no run {name}");
            CommandError::not_found(message).with_hint(LIST)
        } else {
            let names: Vec<&str> = found.iter().map(|at| all[*at].run()).collect();
            runs::ambiguous(name, &names)
        });
    };
    match reason_against(&all[position]) {
        Some(why) => {
            let line = all[position].command_line();
            let message = format!("`links {line}` cannot be undone: {why}");
            Err(CommandError::refused(message).with_hint(LIST))
        }
        None => Ok(position),
    }
}

/// Returns the position of the newest write that can be undone and is known to belong to this account. An undo that was interrupted is
/// continued, not undone.
fn newest(context: &Context, all: &[LoggedWrite]) -> Result<usize> {
    let own = context.owner();
    let is_own =
        |write: &LoggedWrite| own.as_ref().is_some_and(|own| write.is_of(own) == Some(true));
    let newest = all.iter().rposition(|it| is_own(it) && reason_against(it).is_none());
    let newest = newest.map(|newest| interrupted_for(all, newest).unwrap_or(newest));
    newest.ok_or_else(|| CommandError::not_found("there is nothing to undo").with_hint(LIST))
}

/// Returns the position of the run that an interrupted undo was for.
fn interrupted_for(all: &[LoggedWrite], position: usize) -> Option<usize> {
    let log = all[position].log().filter(|log| log.state == RunState::Unfinished)?;
    let run = log.opening.command.as_ref()?.undoes.as_ref()?;
    all.iter().position(|write| write.run() == run)
}

/// Returns the id of the page that had this login until one of these writes has changed it.
fn renamed(later: &[LoggedWrite], login: &str) -> Option<ProfileId> {
    let had = |write: &&LoggedWrite| {
        let fields = write.log().into_iter().flat_map(JournalEntries::fields);
        let mut before = fields.filter_map(|fields| fields.before.get("login")?.as_str());
        before.any(|before| before.eq_ignore_ascii_case(login))
    };
    later.iter().find(had).and_then(LoggedWrite::page_id)
}

/// Returns why a write cannot be undone.
fn reason_against(write: &LoggedWrite) -> Option<String> {
    let log = match &write.recorded.log {
        Ok(log) => log,
        Err(why) => return Some(why.to_string()),
    };
    if !log.has_effect() {
        return Some("it has changed nothing".to_owned());
    }
    let record = log.write.as_ref()?;
    match record.operation.as_str() {
        "createForm" => Some("the service cannot delete forms".to_owned()),
        "createProfile" => {
            Some("this tool deletes no pages; the dashboard of the service does".to_owned())
        }
        _ if is_create(record) || log.opening.form.is_none() => {
            Some("what it replaced is not known".to_owned())
        }
        _ => None,
    }
}
