//! Output of a plan and of a completed run.

use links_pages::apply::{AppliedChanges, PageSnapshot};
use links_pages::sync::Merge;
use serde_json::{Value, json};

use super::fail_on::FailOn;
use super::planned::{PlannedPage, refused};
use super::sync::MergedPage;
use crate::error::exit_code::Exit;
use crate::output::{Body, CommandOutput, Style, StyledLine, View};

/// Output of a plan. Exit code 3 if it has such differences. Without `data`, it is the text alone: to make the data of a long plan takes a
/// seventh of the command.
pub(crate) fn shown(planned: PlannedPage, fail_on: FailOn, data: bool) -> CommandOutput {
    let mut lines = planned.lines();
    lines.extend(summary(&planned));
    let exit = exit(&planned, fail_on);
    let made = || {
        let PlannedPage { refusal, file, merged, .. } = &planned;
        let known = json!({ "requests": planned.requests(), "refusal": refusal });
        let meta = meta(known, &file.left_out, sync(merged.as_deref()));
        json!({ "data": planned.shown(), "meta": meta })
    };
    let body = Body::Own(if data { made() } else { Value::Null });
    planned.leave();
    CommandOutput { body, view: View::Lines(lines), exit, then: None }
}

/// Summary of a plan, its lost click statistics, and the refusal if `apply` would refuse the plan.
pub(crate) fn summary(planned: &PlannedPage) -> impl Iterator<Item = StyledLine> {
    let refusal = planned.refusal.map(|refusal| {
        StyledLine::new(Style::Removed, format!("apply would refuse this: {}", refused(refusal)))
    });
    let note = planned.created_again_note();
    std::iter::once(planned.summary()).chain(note).chain(refusal)
}

/// Exit code of a plan: such differences, none of them, or refused by `apply`.
pub(crate) fn exit(planned: &PlannedPage, fail_on: FailOn) -> Exit {
    match planned.refusal {
        Some(_) => Exit::Refused,
        None if fail_on.is_met(planned) => Exit::No,
        None => Exit::Ok,
    }
}

/// Output of a completed run; `page` is the page after it, and `run` its name in the history.
pub(crate) fn report(
    planned: &PlannedPage,
    page: &PageSnapshot,
    done: &AppliedChanges,
    run: Option<&str>,
) -> CommandOutput {
    let requests = planned.client.requests_sent();
    let mut lines = vec![StyledLine::new(
        Style::Plain,
        format!("{}: {} ({})", page.login, written(done), counted_requests(requests)),
    )];
    lines.extend(page.url.clone().map(|url| StyledLine::new(Style::Faint, url)));
    let PageSnapshot { id, login, url, .. } = page;
    let sync = sync(planned.merged.as_deref());
    let body = json!({
        "data": { "id": id, "login": login, "url": url, "done": done, "run": run },
        "meta": meta(json!({ "requests": requests }), &planned.file.left_out, sync),
    });
    CommandOutput { body: Body::Own(body), view: View::Lines(lines), exit: Exit::Ok, then: None }
}

/// Adds the names of the fields that the command leaves out, if there are any, and what a merge says.
fn meta(mut meta: Value, left_out: &[String], sync: Option<Value>) -> Value {
    if !left_out.is_empty() {
        meta["leftOut"] = json!(left_out);
    }
    if let Some(sync) = sync {
        meta["sync"] = sync;
    }
    meta
}

/// Returns what a merge says of the changes since the last sync.
pub(crate) fn sync(merged: Option<&MergedPage>) -> Option<Value> {
    let Merge { remote, replaced, deletions, notes, .. } = &merged?.merge;
    Some(json!({
        "remote": remote,
        "replaced": replaced,
        "deletions": deletions,
        "notes": notes,
    }))
}

/// Returns a number of requests in words: `14 requests`.
pub(crate) fn counted_requests(requests: u64) -> String {
    if requests == 1 { "1 request".to_owned() } else { format!("{requests} requests") }
}

/// Short description of the applied changes.
pub(crate) fn written(done: &AppliedChanges) -> String {
    let counts =
        [(done.updated, "updated"), (done.created.len(), "created"), (done.deleted, "deleted")];
    let names: Vec<&str> = done.fields.iter().map(String::as_str).collect();
    let mut parts = Vec::new();
    parts.extend(done.is_page_created.then(|| "page created".to_owned()));
    parts.extend((!names.is_empty()).then(|| names.join(", ")));
    let counted = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"));
    parts.extend(counted);
    parts.extend(done.reordered.then(|| "reordered".to_owned()));
    if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") }
}
