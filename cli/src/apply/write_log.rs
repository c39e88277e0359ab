//! Every write of this machine: the runs of `apply` and the commands that write without one.

use links_pages::apply::{
    DesiredSlot, JournalEntries, JournalError, JournalStore, RecordWrite, RecordedRun, RunCommand,
    RunEnding, RunHeader, RunOwner, RunState,
};
use links_pages::undo::slots_before;

use super::execute::written;
use super::runs;
use crate::auth::ServiceUser;
use crate::context::prelude::*;
use crate::output::Column;
use crate::settings::ServiceTarget;

/// Columns of a list of single writes.
pub(crate) const COLUMNS: &[Column] = &[
    Column::at("RUN", "run"),
    Column::at("TIME", "time"),
    Column::at("COMMAND", "command"),
    Column::at("PAGE", "page"),
    Column::at("DONE", "summary"),
    Column::at("STATE", "state"),
];

/// A write of this machine.
pub(crate) struct LoggedWrite {
    pub(crate) store: JournalStore,
    pub(crate) recorded: RecordedRun,
    /// Slots before the run, if it is not in the store but in the file of an operation.
    pub(super) before: Option<Vec<DesiredSlot>>,
    /// True if another account of this machine made it.
    pub(crate) is_foreign: bool,
}

/// Writes to the configured service, the oldest first, without those of other accounts; to all services if none is configured.
pub(crate) fn all(context: &Context) -> Result<Vec<LoggedWrite>> {
    let (mut all, own) = (of_service(context, runs::service(context).as_deref())?, context.owner());
    all.retain(|write| write.is_of(&own) != Some(false));
    Ok(all)
}

/// The same writes, and those of all other accounts.
pub(crate) fn all_accounts(context: &Context) -> Result<Vec<LoggedWrite>> {
    if matches!(context.settings.target, ServiceTarget::Sandbox(_)) {
        return all(context);
    }
    let (service, own) = (runs::service(context), context.owner());
    let mut all = of_service(context, None)?;
    for write in &mut all {
        let of = &write.opening().service;
        let is_of_service = service.as_ref().is_none_or(|it| of.is_empty() || of == it);
        // Without an account, only what is of several is not the own.
        write.is_foreign = !is_of_service
            || write.is_of(&own) == Some(false)
            || own.is_unknown() && write.is_part();
    }
    Ok(all)
}

fn of_service(context: &Context, service: Option<&str>) -> Result<Vec<LoggedWrite>> {
    let directory = runs::directory(context)?;
    let unreadable = cannot("read", &directory);
    let mut all = Vec::new();
    for store in JournalStore::all(&directory, service).map_err(unreadable)? {
        let logged = |recorded| {
            let store = store.clone();
            LoggedWrite { store, recorded, before: None, is_foreign: false }
        };
        all.extend(store.list().map_err(unreadable)?.into_iter().map(logged));
    }
    all.sort_by(|one, other| one.recorded.run.cmp(&other.recorded.run));
    Ok(all)
}

/// Writes to one page, under all logins that the writes themselves tell.
pub(crate) struct PageFilter<'a> {
    id: Option<ProfileId>,
    logins: BTreeSet<&'a str>,
}

impl<'a> PageFilter<'a> {
    /// Creates the filter for the key of a page from all writes, the oldest first. Of several pages that had a login, it is the last one.
    pub(crate) fn new(all: impl Iterator<Item = &'a LoggedWrite>, key: &'a ProfileKey) -> Self {
        let all: Vec<_> =
            all.filter(|write| write.page_id().is_some() && !write.is_foreign).collect();
        let mut filter = Self { id: None, logins: BTreeSet::new() };
        filter.id = match key {
            ProfileKey::Id(id) => Some(*id),
            ProfileKey::Login(login) => {
                filter.logins.insert(login);
                all.iter().rev().find(|write| filter.has(write)).and_then(|it| it.page_id())
            }
        };
        let own = all.iter().filter(|write| write.page_id() == filter.id);
        let logins: Vec<&str> = own.filter_map(|write| write.login()).collect();
        filter.logins.extend(logins);
        filter
    }

    pub(crate) fn has(&self, write: &LoggedWrite) -> bool {
        match (write.page_id(), write.login()) {
            (_, None) => false,
            _ if write.is_foreign => false,
            (Some(id), _) if self.id.is_some() => self.id == Some(id),
            (_, Some(login)) => self.logins.iter().any(|it| it.eq_ignore_ascii_case(login)),
        }
    }
}

impl LoggedWrite {
    /// Returns whether it is a run of `apply`, which may be resumed.
    pub(crate) fn is_run(&self) -> bool {
        !self.store.is_of_commands()
    }

    /// Beginning of its journal, as far as that can be read.
    pub(crate) fn opening(&self) -> &RunHeader {
        &self.recorded.opening
    }

    /// Tells whether the write belongs to an account. `None` if unknown.
    pub(crate) fn is_of(&self, own: &RunOwner) -> Option<bool> {
        self.opening().owner.is(own)
    }

    /// Name of the run.
    pub(crate) fn run(&self) -> &str {
        &self.recorded.run
    }

    /// Returns the slots of the page before the run, if they are known.
    pub(crate) fn slots_before(&self) -> Result<Option<Vec<DesiredSlot>>> {
        match &self.before {
            Some(before) => Ok(Some(before.clone())),
            None => slots_before(&self.store, self.run()).map_err(runs::list_error),
        }
    }

    /// Returns the command that made it, as far as the journal tells it.
    pub(crate) fn command(&self) -> &RunCommand {
        &self.opening().command
    }

    /// Returns whether it is what a command for several accounts wrote to one of them.
    pub(crate) fn is_part(&self) -> bool {
        self.command().is_part
    }

    /// Returns the account, as far as the journal tells it.
    pub(crate) fn account(&self) -> Option<ServiceUser> {
        let opening = self.opening();
        Some(ServiceUser { service: opening.service.clone(), user: opening.owner.user? })
    }

    /// Returns the other account that made it.
    pub(crate) fn other_account(&self) -> Option<ServiceUser> {
        self.account().filter(|_| self.is_foreign)
    }

    /// Entries of the journal, if it can be read.
    pub(crate) fn log(&self) -> Option<&JournalEntries> {
        self.recorded.log.as_ref().ok()
    }

    /// The command line, as far as it was recorded.
    pub(crate) fn command_line(&self) -> String {
        let RunCommand { name, words, .. } = self.command();
        match (&words[..], name.as_str()) {
            ([], "") if self.is_run() => "slots apply".to_owned(),
            ([], name) => name.to_owned(),
            (words, _) => words.join(" "),
        }
    }

    /// The time at which it began, as far as it was recorded.
    pub(crate) fn time(&self) -> String {
        runs::time(self.opening().time)
    }

    /// Id of the page, if the journal tells it.
    pub(crate) fn page_id(&self) -> Option<ProfileId> {
        let id = self.store.profile().unwrap_or(self.opening().profile);
        Some(id).filter(|id| *id != 0)
    }

    /// Name of what was written: the login of the page, or the form.
    pub(crate) fn target(&self) -> String {
        let RunHeader { form, login, .. } = self.opening();
        form.as_ref().map_or_else(|| login.clone(), |form| format!("form {form}"))
    }

    /// Returns whether both are writes to the same page or form.
    pub(crate) fn is_of_same(&self, other: &Self) -> bool {
        self.other_account() == other.other_account()
            && match (self.page_id(), other.page_id()) {
                (Some(one), Some(other)) => one == other,
                _ => self.target().eq_ignore_ascii_case(&other.target()),
            }
    }

    /// Login of the page, or its id if the command named it by that.
    fn login(&self) -> Option<&str> {
        let RunHeader { form, login, .. } = self.opening();
        (form.is_none() && !login.is_empty()).then_some(login.as_str())
    }

    /// Record for the output.
    pub(crate) fn row(&self) -> Value {
        let mut row = json!({ "run": self.run() });
        let opening = self.opening();
        if !opening.service.is_empty() {
            row["time"] = runs::time(opening.time).into();
            row["command"] = self.command_line().into();
            row["page"] = self.target().into();
            row["profile"] = json!(self.page_id());
            row["form"] = json!(opening.form);
            row["service"] = opening.service.clone().into();
            row["user"] = opening.owner.user.into();
            row["undoes"] = json!(opening.command.undoes);
        }
        row["undoneBy"] = Value::Null;
        row["state"] = self.state().into();
        match &self.recorded.log {
            Ok(log) => {
                row["inDoubt"] = log.is_unsettled().into();
                row["summary"] = summary(log).into();
            }
            Err(why) => row["summary"] = why.to_string().into(),
        }
        row["journal"] = self.recorded.path.display().to_string().into();
        row
    }

    /// Record for others: neither the words of the command nor what it wrote, nor to which page.
    pub(crate) fn without_content(&self) -> Value {
        let (row, name) = (self.row(), &self.command().name);
        let is_plain = name.bytes().all(|it| it.is_ascii_lowercase() || b" -".contains(&it));
        let done = self.log().map(|log| &log.done);
        json!({
            "time": row["time"],
            "command": (is_plain && !name.is_empty()).then_some(name),
            "state": row["state"],
            "inDoubt": row["inDoubt"],
            "done": done.map(written),
        })
    }

    /// Name of the state that the write is in.
    pub(crate) fn state(&self) -> &'static str {
        let log = match &self.recorded.log {
            Ok(log) => log,
            Err(JournalError::NotBegun) => return "not_begun",
            Err(JournalError::PutAside) => return "aborted",
            Err(_) => return "unreadable",
        };
        match log.state {
            state if self.is_run() => named(state),
            _ if log.is_unsettled() => "unknown",
            RunState::Unfinished if !log.has_effect() => "not_sent",
            RunState::Unfinished if log.is_written => named(RunState::Done),
            state => named(state),
        }
    }
}

fn named(state: RunState) -> &'static str {
    match state {
        RunState::Unfinished => "unfinished",
        RunState::Done => "done",
        RunState::Ended(RunEnding::Drift) => "drift",
        RunState::Ended(RunEnding::Refused) => "refused",
        RunState::Ended(RunEnding::Stopped) => "stopped",
        RunState::Ended(RunEnding::Replaced) => "replaced",
        RunState::Ended(RunEnding::Aborted) => "aborted",
    }
}

/// Short description of what a write has done.
fn summary(log: &JournalEntries) -> String {
    let done = match log.write.as_ref() {
        Some(write) if log.is_written => record_summary(write, log),
        Some(_) => "no changes".to_owned(),
        None => written(&log.done),
    };
    match (log.is_unsettled(), done.as_str()) {
        (false, _) => done,
        (true, "no changes") => "may have been applied (no response)".to_owned(),
        (true, _) => format!("{done}; the last request may have been applied (no response)"),
    }
}

fn record_summary(write: &RecordWrite, log: &JournalEntries) -> String {
    let created =
        log.stored.as_ref().and_then(|stored| stored.get("id")).filter(|_| is_create(write));
    match created {
        Some(Value::String(id)) => format!("created {id}"),
        Some(id) => format!("created {id}"),
        None if is_create(write) => "created".to_owned(),
        None if write.changed.is_empty() => "sent".to_owned(),
        None => write.changed.keys().map(String::as_str).collect::<Vec<_>>().join(", "),
    }
}

/// Tells whether a record was made that the service cannot delete.
pub(crate) fn is_create(write: &RecordWrite) -> bool {
    write.operation.starts_with("create")
}
