//! Output of a plan and of a run over the files of an account.

use std::fmt::Display;

use links_pages::account::FormPlan;
use links_pages::apply::{Applied, AppliedChanges, ApplyError, Plan, RetainReason};
use links_pages::sync::{Merge, RemoteChange};
use links_sdk::Outcome;

use super::absent_files::AbsentFile;
use super::estimate;
use super::forms::PlannedForm;
use super::state::{AccountState, PageState};
use super::totals::{MovedSlot, moved_slots, summary};
use crate::apply::apply_args::refused;
use crate::apply::execute::{AT_ONCE, RESUME, RunFailure, written};
use crate::apply::fail_on::{FailOn, is_changed_there};
use crate::apply::planned::{LOGIN, PlannedPage};
use crate::apply::sync::Since;
use crate::context::prelude::*;
use crate::output::Instead;
use crate::ui::plan::shown_value;
use crate::ui::{self, Ui};

/// Output of a plan. Its data is made only for formats that show it: to make that of a long plan takes a seventh of the command.
pub(super) fn shown(ui: &Ui, state: AccountState, fail_on: FailOn) -> CommandOutput {
    let (lines, exit) = (plan_lines(&state), plan_exit(&state, fail_on));
    let mut report = RunReport { lines, ..RunReport::default() };
    let (mut forms, mut meta) = (Value::Null, json!({}));
    if !ui.shows_text() {
        forms = report.add_plans(&state);
        meta["requests"] = estimate::requests(&state).into();
        meta["refusal"] = json!(state.planned().find_map(|planned| planned.refusal));
        let absent: Vec<Value> = state.absent().map(AbsentFile::json).collect();
        if !absent.is_empty() {
            meta["absent"] = absent.into();
        }
    }
    report.output(state, forms, meta, exit)
}

/// Exit code of a plan: such differences, none of them, or refused by `apply`.
pub(super) fn plan_exit(state: &AccountState, fail_on: FailOn) -> Exit {
    let merges = state.planned().filter_map(|planned| Some(&planned.merged.as_ref()?.merge));
    let mut merges = merges.chain(state.forms.iter().map(|form| &form.merge));
    if state.planned().any(|planned| planned.refusal.is_some()) {
        Exit::Refused
    } else if fail_on.is_met(state.has_changes(), merges.any(is_changed_there)) {
        Exit::No
    } else {
        Exit::Ok
    }
}

/// Returns what a merge says of the changes since the last sync.
fn sync_data(merge: &Merge) -> Value {
    let Merge { remote, replaced, deletions, notes, .. } = merge;
    json!({ "remote": remote, "replaced": replaced, "deletions": deletions, "notes": notes })
}

/// Returns the row of a page or form for `-o csv` and `-o ids`: its written or planned fields, updates, creates and deletes are counted.
fn row(
    kind: &str,
    record: &Value,
    (is_new, is_unchanged): (bool, bool),
    [fields, updates, creates, deletes]: [usize; 4],
) -> Value {
    let name = record.get("login").unwrap_or(&record["name"]);
    let action = match (is_new, is_unchanged) {
        (true, _) => "create",
        (false, true) => "none",
        (false, false) => "change",
    };
    json!({
        "kind": kind, "id": record["id"], "name": name, "file": record["file"], "action": action, "fields": fields,
        "updates": updates, "creates": creates, "deletes": deletes,
    })
}

/// Returns the row of a form.
fn form_row(form: &PlannedForm) -> Value {
    let plan = &form.plan;
    let record = json!({ "id": plan.id, "name": plan.name, "file": form.shown_path() });
    let counts = [plan.changed.len(), 0, 0, plan.removed.len()];
    row("form", &record, (plan.id.is_none(), plan.is_empty()), counts)
}

/// Lines of a plan: a line for each page, and its changes below.
pub(super) fn plan_lines(state: &AccountState) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    let mut unchanged = Vec::new();
    let moved = moved_slots(state);
    for page in &state.pages {
        if let Some(why) = &page.left_out {
            let text = format!("! skipped {}: {why}", page.path.display());
            lines.push(StyledLine::removed(text));
        }
        let Some(planned) = &page.planned else { continue };
        // The heading says what a new login is.
        let mut details = planned.lines(state.options.flags.full);
        let arriving = moved.iter().filter(|slot| slot.to == planned.page.login);
        details.extend(arriving.map(MovedSlot::line));
        if planned.plan().is_empty() && !page.is_new && details.is_empty() {
            unchanged.push(&planned.page.login);
            continue;
        }
        add_heading(&mut lines, page, planned);
        lines.extend(details.into_iter().map(StyledLine::indented));
    }
    let mut unchanged_forms = Vec::new();
    for form in &state.forms {
        let details = form.sync_lines();
        if form.plan.is_empty() && details.is_empty() {
            unchanged_forms.push(&form.plan.name);
            continue;
        }
        lines.push(form_heading(&form.plan, &form.shown_on(state.planned())));
        lines.extend(ui::plan::form_lines(&form.plan.before, &form.plan.changed));
        lines.extend(details.into_iter().map(StyledLine::indented));
        lines.extend(form.lock_only_lines());
    }
    lines.extend(unchanged_line("", &unchanged, "pages"));
    lines.extend(unchanged_line("form ", &unchanged_forms, "forms"));
    lines.extend(state.absent().map(AbsentFile::line));
    // A run that is carried out was confirmed with them.
    lines.extend(refusals(state).filter(|_| !state.is_shown));
    lines.push(StyledLine::plain(summary(state)));
    lines
}

/// Returns a line for each page that `apply` would refuse.
pub(super) fn refusals(state: &AccountState) -> impl Iterator<Item = StyledLine> {
    let refused_pages = state.planned().filter_map(|it| Some((&it.page.login, it.refusal?)));
    refused_pages.map(|(login, refusal)| {
        let refusal = refused(refusal);
        let help = refusal.hint().unwrap_or_default();
        StyledLine::removed(format!("× {login}: {refusal}; {help}"))
    })
}

/// Line about pages or forms that stay as they are, if there are any: one by its name, several as their number.
pub(super) fn unchanged_line(
    kind: &str,
    names: &[impl Display],
    several: &str,
) -> Option<StyledLine> {
    let text = match names {
        [] => return None,
        [name] => format!("= {kind}{name}: no changes"),
        names => format!("= {} {several}: no changes", names.len()),
    };
    Some(StyledLine::faint(text))
}

fn add_heading(lines: &mut Vec<StyledLine>, page: &PageState, planned: &PlannedPage) {
    let (login, plan) = (&planned.page.login, planned.plan());
    let changed = |plan: &Plan| StyledLine::changed(format!("~ {login}: {plan}"));
    if page.is_new {
        let more = if plan.is_empty() { String::new() } else { format!("; {plan}") };
        let text = format!("+ {login}: new page (`links` can't delete it){more}");
        lines.push(StyledLine::added(text));
        let meant = page.meant.iter().map(|it| format!("  did you mean the page `{it}`?"));
        lines.extend(meant.map(StyledLine::changed));
    } else if let Some(new) = plan.fields.changed.get(LOGIN) {
        let mut rest = plan.clone();
        rest.fields.changed.0.retain(|name, _| name != LOGIN);
        lines.extend((!rest.is_empty()).then(|| changed(&rest)));
        lines.push(StyledLine::removed(format!(
            "! {login}: new login {}; existing links, QR codes and NFC tags will stop working",
            shown_value(new)
        )));
    } else if plan.is_empty() {
        lines.push(StyledLine::faint(format!("= {login}: {plan}")));
    } else {
        lines.push(changed(plan));
    }
}

fn form_heading(plan: &FormPlan, shown_on: &[&str]) -> StyledLine {
    let name = &plan.name;
    match shown_on {
        _ if plan.id.is_none() => {
            StyledLine::added(format!("+ form {name}: new form (`links` can't delete it)"))
        }
        _ if plan.is_empty() => StyledLine::faint(format!("= form {name}: no changes")),
        [] => StyledLine::changed(format!("~ form {name}")),
        logins => StyledLine::changed(format!("~ form {name} (shown on {})", logins.join(", "))),
    }
}

/// What would be, or was, written to the pages of a run: its lines, records and rows.
#[derive(Default)]
struct RunReport {
    lines: Vec<StyledLine>,
    pages: Vec<Value>,
    rows: Vec<Value>,
}

impl RunReport {
    /// Adds the plans. Returns those of the forms.
    fn add_plans(&mut self, state: &AccountState) -> Value {
        let moved = moved_slots(state);
        for page in &state.pages {
            let Some(planned) = &page.planned else { continue };
            let mut record = json!({});
            add_source(&mut record, page, planned);
            let PlannedPage { page: read, merged, lock_only, .. } = planned;
            let plan = planned.plan();
            record["id"] = json!(read.exists().then_some(read.id));
            record["login"] = json!(read.login);
            record["plan"] = json!(planned.shown());
            if !lock_only.slots.is_empty() {
                record["lockOnly"] = json!(lock_only.slots);
            }
            let arriving = moved.iter().filter(|slot| slot.to == read.login);
            let arriving: Vec<Value> = arriving.map(MovedSlot::json).collect();
            if !arriving.is_empty() {
                record["moved"] = arriving.into();
            }
            let (updates, creates) = (plan.updates.len(), plan.creates.len());
            let counts = [plan.fields.changed.len(), updates, creates, plan.deletes.len()];
            let mut row = row("page", &record, (page.is_new, plan.is_empty()), counts);
            row["remote"] = merged.as_ref().map_or(0, |it| it.merge.remote.len()).into();
            self.rows.push(row);
            self.pages.push(record);
        }
        let form = |form: &PlannedForm| {
            let mut row = form_row(form);
            row["remote"] = form.merge.remote.len().into();
            self.rows.push(row);
            let mut record = json!(form.plan);
            if form.shown_path().is_some() {
                record["sync"] = sync_data(&form.merge);
            }
            record
        };
        state.forms.iter().map(form).collect()
    }

    /// Adds a page. `is_finished` says that the run on it is not continued.
    fn add(
        &mut self,
        state: &PageState,
        page: &PageSnapshot,
        done: &AppliedChanges,
        run: Option<String>,
        is_finished: bool,
    ) {
        let mut record = json!({
            "id": page.id, "login": page.login, "url": page.url, "done": done, "run": run, "finished": is_finished,
        });
        if let Some(planned) = &state.planned {
            add_source(&mut record, state, planned);
        }
        let counts = [done.fields.len(), done.updated, done.created.len(), done.deleted];
        let is_unchanged = done.is_nothing();
        let mut row = row("page", &record, (done.is_page_created, is_unchanged), counts);
        (row["run"], row["finished"]) = (record["run"].clone(), is_finished.into());
        self.rows.push(row);
        self.pages.push(record);
    }

    /// Adds a page on which a run failed or was stopped, if something was written to it.
    fn add_unfinished(
        &mut self,
        state: &PageState,
        done: &AppliedChanges,
        run: Option<String>,
        is_finished: bool,
    ) {
        let Some(planned) = state.planned.as_ref().filter(|_| !done.is_nothing()) else { return };
        let more = if is_finished { "" } else { " (not finished)" };
        let text = format!("{}: {}{more}", planned.page.login, written(done));
        self.lines.push(StyledLine::changed(text));
        self.add(state, &planned.page, done, run, is_finished);
    }

    fn output(self, state: AccountState, forms: Value, meta: Value, exit: Exit) -> CommandOutput {
        let Self { lines, pages, rows } = self;
        let data = json!({ "pages": pages, "forms": forms });
        let rows = Some(rows).filter(|rows| !rows.is_empty());
        let view = View::Listing(lines, Instead::Rows(rows));
        let output = CommandOutput::with_meta(data, meta, view).exit(exit);
        CommandOutput { rest: Some(Box::new(state.pages)), ..output }
    }

    /// Returns the output of what was written.
    fn written(self, state: AccountState) -> CommandOutput {
        let meta = json!({ "requests": state.client.requests_sent() });
        let forms = json!(state.written_forms);
        self.output(state, forms, meta, Exit::Ok)
    }

    /// Returns the output of a run that failed: the pages and forms with what was written, then the error. It is the error alone if nothing was
    /// written, or the error says all: that of one page that is not as it was asked to be.
    fn failed(
        self,
        context: &Context,
        state: AccountState,
        failure: CommandError,
    ) -> Result<CommandOutput> {
        let is_finished = self.rows.iter().any(|row| row["finished"] == true);
        if state.options.is_one_page && !is_finished {
            return Err(failure);
        }
        let is_written = |row: &Value| row["action"] != "none";
        if state.written_forms.is_empty() && !self.rows.iter().any(is_written) {
            for line in &self.lines {
                context.ui.say(line);
            }
            return Err(failure);
        }
        let failure = failure.after_writes(&context.written());
        Ok(context.with_failure(self.written(state), failure))
    }
}

/// Says in the record of a page what it was made from.
fn add_source(record: &mut Value, page: &PageState, planned: &PlannedPage) {
    match &planned.edited {
        Some(edited) => {
            record["notes"] = edited.notes.iter().map(StyledLine::text).collect();
        }
        None => {
            record["file"] = page.path.display().to_string().into();
            if !planned.file.left_out.is_empty() {
                record["leftOut"] = json!(planned.file.left_out);
            }
            record["sync"] = planned.merged.as_ref().map(|it| sync_data(&it.merge)).into();
        }
    }
}

/// Returns the output of a run. Pages that failed are listed with what was written to them; the others are as they were asked to be.
pub(super) fn applied(
    context: &Context,
    mut state: AccountState,
    results: Vec<Result<Applied, RunFailure>>,
) -> Result<CommandOutput> {
    let (mut all, mut failures) = (RunReport::default(), Vec::new());
    let mut unchanged = Vec::new();
    let mut is_written = !state.written_forms.is_empty();
    let (mut is_stopped, mut is_unclear) = (false, false);
    for (nth, result) in results.into_iter().enumerate() {
        let page = &state.pages[nth];
        match result {
            Ok(Applied { page: read, done, run, .. }) => {
                is_written |= !done.is_nothing();
                let planned = page.planned.as_ref();
                if state.options.is_one_page && done.is_nothing() {
                    planned.and_then(kept_note).iter().for_each(|note| context.ui.say(note));
                }
                let changes = planned.filter(|_| !state.is_shown).map_or(Vec::new(), notes);
                if done.is_nothing() && changes.is_empty() {
                    unchanged.push(read.login.clone());
                } else {
                    let text = format!("{}: {}", read.login, written(&done));
                    all.lines.push(StyledLine::plain(text));
                    let url = read.url.iter().filter(|_| !done.is_nothing());
                    all.lines.extend(url.map(|url| StyledLine::faint(format!("  {url}"))));
                    all.lines.extend(changes.into_iter().map(StyledLine::indented));
                }
                all.add(page, &read, &done, run, true);
                if let Some(error) = &page.not_recorded {
                    let message = format!(
                        "{}: the page matches the file, but `links` cannot record the sync: {error}",
                        page.path.display()
                    );
                    let failure = CommandError::new(Exit::Partial, message);
                    failures.push(failure.with_hint("run the same command again"));
                }
            }
            Err(failure) => {
                let of_run = failure.of_run();
                let done = of_run.map(|it| it.done().clone()).unwrap_or_default();
                let run = of_run.and_then(ApplyError::run).map(str::to_owned);
                all.add_unfinished(page, &done, run, of_run.is_some_and(ApplyError::has_ended));
                if failure.is_stopped() {
                    is_stopped = true;
                    is_unclear |= failure.is_in_doubt();
                    state.pages[nth].done = done;
                } else {
                    // Without a run, a page that was created could not be planned.
                    let may_be = of_run.is_none_or(|it| it.outcome() != Outcome::NotExecuted);
                    is_written |= may_be && page.left_out.is_none();
                    failures.push(state.page_error(context, nth, failure));
                }
            }
        }
    }
    all.lines.extend(unchanged_line("", &unchanged, "pages"));
    let mut forms = Vec::new();
    for form in state.forms.iter().filter(|form| form.plan.is_empty()) {
        let notes = if state.is_shown { Vec::new() } else { form.sync_lines() };
        if notes.is_empty() {
            forms.push(&form.plan.name);
            continue;
        }
        all.lines.push(StyledLine::plain(format!("form {}: no changes", form.plan.name)));
        all.lines.extend(notes.into_iter().map(StyledLine::indented));
    }
    all.lines.extend(unchanged_line("form ", &forms, "forms"));
    for (name, id) in &state.written_forms {
        all.lines.push(StyledLine::plain(format!("form {name}: written ({id})")));
    }
    if is_stopped {
        let failure = state.interrupted(if is_unclear { AT_ONCE } else { "" }, failures);
        return all.failed(context, state, failure);
    }
    if !failures.is_empty() {
        let failure = failed_run(&state, failures, is_written);
        return all.failed(context, state, failure);
    }
    for form in &state.forms {
        let mut row = form_row(form);
        if form.plan.id.is_none() {
            row["id"] = json!(state.written_forms.get(&form.plan.name));
        }
        all.rows.push(row);
    }
    all.lines.push(StyledLine::faint(count(state.client.requests_sent(), "request")));
    Ok(all.written(state))
}

/// Output of a run that a second Ctrl-C ended at once.
pub(super) fn stopped_at_once(context: &Context, state: AccountState) -> Result<CommandOutput> {
    let mut all = RunReport::default();
    state.pages.iter().for_each(|page| all.add_unfinished(page, &page.done, None, false));
    let failure = state.interrupted(AT_ONCE, Vec::new());
    all.failed(context, state, failure)
}

/// Lines about what a plan without changes says besides.
fn notes(planned: &PlannedPage) -> Vec<StyledLine> {
    let merged = planned.merged.iter().flat_map(|it| it.lines());
    merged.chain(planned.edited.iter().flat_map(|it| it.notes.clone())).collect()
}

/// Returns a note about slots that the file does not mention and that are kept without `--prune`.
fn kept_note(planned: &PlannedPage) -> Option<StyledLine> {
    let kept = planned.plan().kept.iter().filter(|it| it.reason == RetainReason::NotInFile);
    // What others made since a text was opened, an edit never deletes.
    let opened = planned.merged.as_ref().filter(|merged| merged.since == Since::Opened);
    let remote = opened.into_iter().flat_map(|merged| &merged.merge.remote);
    let made = remote.filter(|it| matches!(it, RemoteChange::Made { .. })).count();
    let stays = Some(kept.count().saturating_sub(made)).filter(|stays| *stays > 0)?;
    let text = format!("{} kept: not in the file; --prune deletes them", count(stays, "slot"));
    Some(StyledLine::faint(text))
}

/// Returns the error of a run in which pages failed.
fn failed_run(
    state: &AccountState,
    mut failures: Vec<CommandError>,
    is_written: bool,
) -> CommandError {
    if state.pages.len() == 1
        && state.written_forms.is_empty()
        && let Some(only) = failures.pop()
    {
        return only;
    }
    let others = if failures.len() >= state.pages.len() {
        "some changes were written"
    } else if state.is_edit {
        "the other pages are done"
    } else {
        "the other pages match their files"
    };
    let left_out = state.pages.iter().filter(|page| page.left_out.is_some()).count();
    let resume = (failures.len() > left_out).then_some(RESUME);
    let message = format!("{} of {} pages failed", failures.len(), state.pages.len());
    let failure = CommandError::of_some(failures, &message);
    if is_written {
        return failure.partly_written(others).hinted(resume);
    }
    failure.with_hint("nothing was written; fix the errors and run the command again")
}
