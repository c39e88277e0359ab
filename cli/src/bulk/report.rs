//! Output of a bulk change: its plan, its dry run, and what was written.

use std::collections::BTreeSet;

use links_pages::apply::{Applied, AppliedChanges, JournalEntries, PageSnapshot, Plan};
use serde_json::{Value, json};

use super::state::{BulkPage, BulkState, invalid, refusal_lines, run_error};
use crate::account::estimate;
use crate::apply::dry_run::{listed, unsent_batches};
use crate::apply::execute::{AT_ONCE, RunFailure, counted_requests, failed_pages, written};
use crate::apply::runs;
use crate::context::Context;
use crate::error::{CommandError, Exit};
use crate::output::dry_run::DryRun;
use crate::output::{Body, CommandOutput, Instead, Style, StyledLine, View};
use crate::ui::Ui;
use crate::ui::plan::{PlanStyle, PlanView, item_of_file};

/// Lines of the plan: each page that changes with its changes, then the notes and the cost.
pub(super) fn plan_lines(state: &BulkState<'_>) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for page in &state.pages {
        let Some(snapshot) = &page.page else { continue };
        let notes = page.asked.iter().flat_map(|asked| asked.notes.clone());
        let notes: Vec<StyledLine> = notes.collect();
        let Some(plan) = page.plan() else {
            let text = format!("= {}: no changes", snapshot.login);
            lines.push(StyledLine::faint(text));
            lines.extend(notes);
            continue;
        };
        lines.push(StyledLine::changed(format!("~ {}: {plan}", snapshot.login)));
        let item_name = |index| match &page.asked {
            Some(asked) => state.edit.item_name(&snapshot.login, &asked.items, index),
            None => item_of_file(index),
        };
        let style = PlanStyle { kept_reason: "", is_full: state.is_full, item_name: &item_name };
        let details = crate::ui::plan::lines(&PlanView::of(plan, &snapshot.slots), style);
        lines.extend(details.into_iter().map(|line| {
            let text = format!("  {}", line.text());
            StyledLine::new(line.style(), text)
        }));
        lines.extend(notes);
    }
    let sent = usize::try_from(state.client.requests_sent()).unwrap_or_default();
    let plans = state.pages.iter().filter_map(BulkPage::plan);
    let more: usize = plans.map(|plan| plan.request_count() - 1).sum();
    lines.push(StyledLine::plain(estimate::words(sent + more)));
    lines
}

/// Returns the line about an interrupted run that this one does not continue.
pub(super) fn replaced_run_note(log: &JournalEntries) -> StyledLine {
    let (opening, done) = (&log.opening, written(&log.done));
    let text = format!(
        "{}: the interrupted run of {} ends here and is not continued, because this one is for other slots or values; what it has written stays \
         ({done}), and has an undo of its own: `links undo {}`",
        opening.login,
        runs::time(opening.time),
        log.run,
    );
    StyledLine::faint(text)
}

/// Output of a dry run, after the plans were made.
pub(super) async fn dry_run(
    ui: &Ui,
    state: &BulkState<'_>,
    how: DryRun,
) -> Result<CommandOutput, CommandError> {
    let pages =
        state.pages.iter().filter_map(|page| Some((page, page.page.as_ref()?, page.plan()?)));
    if how == DryRun::Request {
        let mut shown = Vec::new();
        for (_, snapshot, plan) in pages {
            shown.extend(unsent_batches(&state.client, snapshot, plan).await?);
        }
        let exit = if shown.is_empty() { Exit::Ok } else { Exit::No };
        return Ok(listed(shown).exit(exit));
    }
    let mut failures = Vec::new();
    for (page, snapshot, plan) in pages {
        let refused = plan.check(&state.client, snapshot.id, &BTreeSet::new()).await?;
        if let Some(asked) = page.asked.as_ref().filter(|_| !refused.is_empty()) {
            failures.extend(refusal_lines(state.edit, &snapshot.login, &asked.items, &refused));
        }
    }
    if !failures.is_empty() {
        return Err(invalid(failures));
    }
    ui.tell(Style::Faint, "a dry run: nothing was changed");
    let lines = plan_lines(state);
    let is_pending = state.pages.iter().any(|page| page.plan().is_some());
    let exit = if is_pending { Exit::No } else { Exit::Ok };
    let pages: Vec<Value> = state.pages.iter().filter_map(planned_json).collect();
    Ok(output(state, pages, lines).exit(exit))
}

fn planned_json(page: &BulkPage) -> Option<Value> {
    let snapshot = page.page.as_ref()?;
    let plan: &Plan = &page.proposal.as_ref()?.plan;
    let plan = PlanView::of(plan, &snapshot.slots);
    Some(json!({
        "id": snapshot.id, "login": snapshot.login, "url": snapshot.url, "plan": plan, "notes": notes(page),
    }))
}

fn notes(page: &BulkPage) -> Vec<&str> {
    page.asked.iter().flat_map(|asked| asked.notes.iter().map(StyledLine::text)).collect()
}

/// Output of a run. Pages that failed are listed with what was written to them; the others are as they were asked to be.
pub(super) fn applied(
    context: &Context,
    state: &mut BulkState<'_>,
    results: Vec<Result<Applied, RunFailure>>,
) -> Result<CommandOutput, CommandError> {
    let (mut lines, mut pages, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let (mut is_written, mut is_stopped) = (false, false);
    let has_done = |result: &Result<Applied, RunFailure>| {
        result.as_ref().is_ok_and(|applied| !applied.done.is_nothing())
    };
    let is_quiet =
        state.pages.iter().all(|page| page.plan().is_none()) && !results.iter().any(has_done);
    if is_quiet {
        lines = plan_lines(state);
        lines.pop();
    }
    let edit = state.edit;
    for (page, result) in state.pages.iter_mut().zip(results) {
        match result {
            Ok(Applied { page: snapshot, done, run, .. }) => {
                is_written |= !done.is_nothing();
                if !is_quiet {
                    let text = format!("{}: {}", snapshot.login, written(&done));
                    lines.push(StyledLine::plain(text));
                }
                pages.push(done_json(&snapshot, page, &done, run.as_deref(), true));
            }
            Err(failure) => {
                let (done, run) = failure.so_far();
                let is_finished = failure.has_ended();
                if let Some((line, json)) = failed_page(page, &done, run.as_deref(), is_finished) {
                    lines.push(line);
                    pages.push(json);
                }
                if failure.is_stopped() {
                    is_stopped = true;
                    page.done = done;
                } else {
                    is_written |= failure.has_written();
                    failures.push(run_error(failure, edit, Some(page)));
                }
            }
        }
    }
    if failures.is_empty() && !is_stopped {
        let requests = state.client.requests_sent();
        lines.push(StyledLine::faint(counted_requests(requests)));
        return Ok(output(state, pages, lines));
    }
    let failure = if is_stopped {
        state.interrupted("", failures)
    } else if state.pages.len() == 1 {
        CommandError::of_several(failures, "")
    } else {
        let others = is_written.then_some("the others are as asked");
        failed_pages(failures, state.pages.len(), others)
    };
    partial(context, state, pages, lines, failure)
}

/// Output of a run that a second Ctrl-C ended at once.
pub(super) fn ended_at_once(
    context: &Context,
    state: &BulkState<'_>,
) -> Result<CommandOutput, CommandError> {
    let (lines, pages) =
        state.pages.iter().filter_map(|page| failed_page(page, &page.done, None, false)).unzip();
    partial(context, state, pages, lines, state.interrupted(AT_ONCE, Vec::new()))
}

/// Returns the output of a run that failed: the pages with what was written, then the error. It is the error alone if nothing was written.
fn partial(
    context: &Context,
    state: &BulkState<'_>,
    pages: Vec<Value>,
    lines: Vec<StyledLine>,
    failure: CommandError,
) -> Result<CommandOutput, CommandError> {
    if pages.iter().all(|page| page["done"] == shown(&AppliedChanges::default())) {
        for line in &lines {
            context.ui.say(line);
        }
        return Err(failure);
    }
    let failure = failure.after_writes(&context.written());
    let ui = Ui::plain(context.settings.output);
    let then = async move {
        ui.fail(&failure);
        failure.exit()
    };
    Ok(CommandOutput { then: Some(Box::pin(then)), ..output(state, pages, lines) })
}

/// Returns the line and the record of a page on which a run failed or was stopped; `None` if nothing was written to it.
fn failed_page(
    page: &BulkPage,
    done: &AppliedChanges,
    run: Option<&str>,
    is_finished: bool,
) -> Option<(StyledLine, Value)> {
    let snapshot = page.page.as_ref().filter(|_| !done.is_nothing())?;
    let more = if is_finished { "" } else { " (not finished)" };
    let text = format!("{}: {}{more}", snapshot.login, written(done));
    let json = done_json(snapshot, page, done, run, is_finished);
    Some((StyledLine::changed(text), json))
}

fn done_json(
    snapshot: &PageSnapshot,
    page: &BulkPage,
    done: &AppliedChanges,
    run: Option<&str>,
    is_finished: bool,
) -> Value {
    json!({
        "id": snapshot.id, "login": snapshot.login, "url": snapshot.url, "done": shown(done), "run": run, "finished": is_finished,
        "notes": notes(page),
    })
}

fn shown(done: &AppliedChanges) -> Value {
    serde_json::to_value(done).unwrap_or_default()
}

/// Returns a page as a row of a table.
fn row(page: &Value) -> Value {
    let count = |value: &Value| match value {
        Value::Array(items) => items.len(),
        Value::Object(items) => items.len(),
        other => other.as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or_default(),
    };
    let (updated, created) = match page.get("done") {
        Some(done) => (count(&done["updated"]), count(&done["created"])),
        None => (count(&page["plan"]["updates"]), count(&page["plan"]["creates"])),
    };
    let (run, finished) = (page.get("run"), page.get("finished"));
    json!({
        "id": page["id"], "login": page["login"], "url": page["url"], "updated": updated, "created": created, "run": run,
        "finished": finished,
    })
}

fn output(state: &BulkState<'_>, pages: Vec<Value>, lines: Vec<StyledLine>) -> CommandOutput {
    let rows = pages.iter().map(row).collect();
    let body = json!({
        "data": { "pages": pages },
        "meta": { "requests": state.client.requests_sent() },
    });
    let view = View::Listing(lines, Instead::Rows(rows));
    CommandOutput { body: Body::Own(body), view, exit: Exit::Ok, then: None }
}
