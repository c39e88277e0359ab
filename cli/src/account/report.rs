//! Output of a plan and of a run over the files of an account.

use std::collections::BTreeMap;

use links_pages::account::FormPlan;
use links_pages::apply::{Applied, ApplyCause, PageSnapshot, Plan};
use links_sdk::SlotId;
use serde_json::{Value, json};

use super::absent_files::AbsentFile;
use super::estimate;
use super::rows;
use super::state::{AccountState, PageState};
use crate::apply::execute::RESUME;
use crate::apply::fail_on::FailOn;
use crate::apply::planned::{PlannedPage, refused};
use crate::apply::report::{counted_requests, sync as sync_json, written};
use crate::apply::run_failure::RunFailure;
use crate::apply::sync;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{Body, CommandOutput, Instead, Style, StyledLine, View};
use crate::ui;
use crate::ui::plan::shown_value;

const LOGIN: &str = "login";

/// Output of a plan.
pub(super) fn shown(state: AccountState, fail_on: FailOn) -> CommandOutput {
    let lines = plan_lines(&state);
    let refusal = state.planned().find_map(|planned| planned.refusal);
    let is_pending = state.forms.iter().any(|form| !form.plan.is_empty())
        || state.pages.iter().any(|page| page.is_new);
    let is_met = state.planned().any(|planned| fail_on.is_met(planned))
        || is_pending && fail_on != FailOn::Remote;
    let exit = match refusal {
        Some(_) => Exit::Refused,
        None if is_met => Exit::No,
        None => Exit::Ok,
    };
    let requests = estimate::requests(&state);
    let pages: Vec<Value> = state.pages.iter().map(page_json).collect();
    let forms: Vec<&FormPlan> = state.forms.iter().map(|form| &form.plan).collect();
    let mut body = json!({
        "data": { "pages": pages, "forms": forms },
        "meta": { "requests": requests, "refusal": refusal },
    });
    let absent: Vec<Value> = state.absent().map(AbsentFile::json).collect();
    if !absent.is_empty() {
        body["meta"]["absent"] = absent.into();
    }
    let view = View::Listing(lines, Instead::Rows(rows::of_plan(&state)));
    CommandOutput { body: Body::Own(body), view, exit, then: None }
}

fn page_json(page: &PageState) -> Value {
    let mut value = json!({ "file": page.path.display().to_string() });
    if let Some(planned) = &page.planned {
        let id = planned.page.exists().then_some(planned.page.id);
        value["id"] = json!(id);
        value["login"] = json!(planned.page.login);
        value["plan"] = json!(planned.shown());
        if !planned.lock_only.slots.is_empty() {
            value["lockOnly"] = json!(planned.lock_only.slots);
        }
        if let Some(sync) = sync_json(planned.merged.as_deref()) {
            value["sync"] = sync;
        }
    }
    value
}

/// Lines of a plan: one page in all detail, several with a line for each page, and its changes below.
pub(super) fn plan_lines(state: &AccountState) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    let mut unchanged = Vec::new();
    for page in &state.pages {
        let Some(planned) = &page.planned else { continue };
        // The heading says what a new login is.
        let details = planned.lines_without(LOGIN);
        if planned.plan.is_empty() && !page.is_new && details.is_empty() {
            unchanged.push(planned.page.login.as_str());
            continue;
        }
        lines.extend(heading(page, planned));
        lines.extend(details.into_iter().map(indented));
    }
    for form in state.forms.iter().filter(|form| !form.plan.is_empty()) {
        let shown_on = form.shown_on(state.planned());
        lines.extend(form_lines(&form.plan, &shown_on));
        lines.extend(form.lock_only_lines());
    }
    lines.extend(unchanged_line("", &unchanged, "pages"));
    let forms = state.forms.iter().filter(|form| form.plan.is_empty());
    let forms: Vec<&str> = forms.map(|form| form.plan.name.as_str()).collect();
    lines.extend(unchanged_line("form ", &forms, "forms"));
    lines.extend(state.absent().map(AbsentFile::line));
    let refusals = state.planned().filter_map(|planned| planned.refusal.map(|it| (planned, it)));
    lines.extend(refusals.map(|(planned, refusal)| {
        let text = format!("apply would refuse {}: {}", planned.page.login, refused(refusal));
        StyledLine::new(Style::Removed, text)
    }));
    lines.push(StyledLine::new(Style::Plain, summary(state)));
    lines
}

/// Line about pages or forms that stay as they are, if there are any: one by its name, several as their number.
fn unchanged_line(kind: &str, names: &[&str], several: &str) -> Option<StyledLine> {
    let text = match names {
        [] => return None,
        [name] => format!("= {kind}{name}: no changes"),
        names => format!("= {} {several}: no changes", names.len()),
    };
    Some(StyledLine::new(Style::Faint, text))
}

fn indented(line: StyledLine) -> StyledLine {
    let text = format!("  {}", line.text());
    StyledLine::new(line.style(), text)
}

fn summary(state: &AccountState) -> String {
    let requests = estimate::words(estimate::requests(state));
    if state.has_changes() { requests } else { format!("no changes ({requests})") }
}

fn heading(page: &PageState, planned: &PlannedPage) -> Vec<StyledLine> {
    let login = &planned.page.login;
    let plan = if planned.plan.is_empty() { String::new() } else { format!("; {}", planned.plan) };
    if page.is_new {
        let text = format!("+ {login}: new page, which cannot be deleted again{plan}");
        let meant = page.meant.as_ref().map(|login| {
            StyledLine::new(Style::Changed, format!("  did you mean the page `{login}`?"))
        });
        return [StyledLine::new(Style::Added, text)].into_iter().chain(meant).collect();
    }
    if planned.plan.is_empty() {
        return vec![StyledLine::new(Style::Faint, format!("= {login}: no changes"))];
    }
    let changed = |plan: &Plan| StyledLine::new(Style::Changed, format!("~ {login}: {plan}"));
    let Some(new) = planned.plan.fields.changed.get(LOGIN) else {
        return vec![changed(&planned.plan)];
    };
    let mut rest = Plan::clone(&planned.plan);
    rest.fields.changed.0.retain(|name, _| name != LOGIN);
    let text =
        format!("! {login}: new login {}; links, QR codes and NFC tags break", shown_value(new));
    let renamed = StyledLine::new(Style::Removed, text);
    let rest = (!rest.is_empty()).then(|| changed(&rest));
    rest.into_iter().chain([renamed]).collect()
}

fn form_lines(plan: &FormPlan, shown_on: &[&str]) -> Vec<StyledLine> {
    let name = &plan.name;
    if plan.id.is_none() {
        let text = format!("+ form {name}: new form, which cannot be deleted again");
        let heading = StyledLine::new(Style::Added, text);
        let lines = ui::plan::form_lines(&plan.before, &plan.changed, &plan.removed);
        return std::iter::once(heading).chain(lines).collect();
    }
    let on = match shown_on {
        [] => String::new(),
        logins => format!(" (shown on {})", logins.join(", ")),
    };
    let mut lines = vec![StyledLine::new(Style::Changed, format!("~ form {name}{on}"))];
    lines.extend(ui::plan::form_lines(&plan.before, &plan.changed, &plan.removed));
    lines
}

/// Records what was applied, and returns the output of a run. Pages that failed are listed; the others are as their files say.
pub(super) fn applied(
    context: &Context,
    mut state: AccountState,
    results: Vec<Result<Applied, RunFailure>>,
) -> Result<CommandOutput, CommandError> {
    let (mut lines, mut pages, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let (mut rows, mut unchanged) = (Vec::new(), Vec::new());
    // Those that were written are recorded since.
    for form in state.forms.iter().filter(|form| form.plan.is_empty()) {
        form.plan.id.iter().for_each(|id| form.store(context, id));
    }
    let mut is_written = !state.written_forms.is_empty();
    let mut is_stopped = false;
    for (nth, result) in results.into_iter().enumerate() {
        let page = &state.pages[nth];
        let path = page.path.display().to_string();
        match result {
            Ok(applied) => {
                is_written |= !applied.done.is_nothing();
                let created = applied.done.created.clone();
                let recorded = page
                    .planned
                    .as_ref()
                    .map_or(Ok(()), |planned| recorded(context, planned, &applied.page, created));
                let merged = page.planned.as_ref().and_then(|planned| planned.merged.as_ref());
                let changes = merged.filter(|_| !state.is_shown);
                let changes = changes.map(|merged| sync::lines(merged));
                let sync = sync_json(merged.map(|merged| &**merged));
                let Applied { page, done, run, .. } = applied;
                let changes: Vec<StyledLine> = changes.into_iter().flatten().collect();
                if done.is_nothing() && changes.is_empty() {
                    unchanged.push(page.login.clone());
                } else {
                    let text = format!("{}: {}", page.login, written(&done));
                    lines.push(StyledLine::new(Style::Plain, text));
                    lines.extend(changes.into_iter().map(indented));
                }
                rows.push(rows::of_applied(&page, &done, &path));
                pages.push(json!({
                    "file": path, "id": page.id, "login": page.login, "url": page.url, "done": done, "run": run, "sync": sync,
                }));
                if let Err(error) = recorded {
                    let message = format!(
                        "{path}: the page matches the file, but that could not be recorded: {error}"
                    );
                    failures.push(
                        CommandError::new(Exit::Partial, message)
                            .with_hint("run the same command again"),
                    );
                }
            }
            Err(RunFailure::Run(error)) if matches!(error.cause(), ApplyCause::Stopped) => {
                is_stopped = true;
                state.pages[nth].done = error.done().clone();
            }
            Err(failure) => {
                is_written |= failure.has_written();
                failures.push(state.page_error(context, nth, failure));
            }
        }
    }
    let unchanged: Vec<&str> = unchanged.iter().map(String::as_str).collect();
    lines.extend(unchanged_line("", &unchanged, "pages"));
    for (name, id) in &state.written_forms {
        lines.push(StyledLine::new(Style::Plain, format!("form {name}: written ({id})")));
    }
    if is_stopped {
        return Err(state.interrupted("", failures));
    }
    if !failures.is_empty() {
        return Err(failed_pages(context, &state, failures, &lines, is_written));
    }
    rows.extend(state.forms.iter().map(|form| rows::of_form(form, &state.written_forms)));
    let requests = state.client.requests_sent();
    lines.push(StyledLine::new(Style::Faint, counted_requests(requests)));
    let body = json!({
        "data": { "pages": pages, "forms": state.written_forms },
        "meta": { "requests": requests },
    });
    for page in state.pages {
        page.planned.into_iter().for_each(PlannedPage::leave);
    }
    Ok(CommandOutput {
        body: Body::Own(body),
        view: View::Listing(lines, Instead::Rows(rows)),
        exit: Exit::Ok,
        then: None,
    })
}

/// Records that a page matches its file. `page` is the page after the run.
pub(crate) fn recorded(
    context: &Context,
    planned: &PlannedPage,
    page: &PageSnapshot,
    more: BTreeMap<usize, SlotId>,
) -> Result<(), CommandError> {
    let Some(record) = &planned.record else { return Ok(()) };
    let PlannedPage { file, images, options, merged, .. } = planned;
    let mut created = options.created.clone();
    created.extend(more);
    match merged {
        Some(merged) => record.store(context, (file, images), merged, page, &created, options),
        None => record.rebuild(context, file, images, page, options.types.clone()),
    }
}

/// Returns the error of a run in which pages failed, after it has said what was written.
fn failed_pages(
    context: &Context,
    state: &AccountState,
    mut failures: Vec<CommandError>,
    lines: &[StyledLine],
    is_written: bool,
) -> CommandError {
    if state.pages.len() == 1
        && state.written_forms.is_empty()
        && let Some(only) = failures.pop()
    {
        return only;
    }
    for line in lines {
        context.ui.say(line);
    }
    let (failed, pages) = (failures.len(), state.pages.len());
    let message = format!("{failed} of {pages} pages failed");
    let failure = CommandError::of_some(failures, &message);
    if is_written {
        failure.partly_written("the others are as their files say").with_hint(RESUME)
    } else {
        failure.with_hint("nothing was written; run the same command again when that is settled")
    }
}
