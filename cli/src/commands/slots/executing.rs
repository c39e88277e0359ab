//! Carrying out a plan that was agreed to, and saying what came of it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use links_sdk::apply::{ApplyError, Done, ItemRefusal, Journal, Page, Run, Step};
use serde_json::json;

use super::planning::Planned;
use super::problems;
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::interrupt::Tended;
use crate::outcome::{Body, Line, Outcome, Tone, View};
use crate::ui::Ui;

/// Carries the plan out. One Ctrl-C ends the run behind the request in flight, a second one at once.
///
/// `resume` is what to do where it is not finished.
pub(super) async fn execute(
    it: &Planned,
    journal: &mut Journal,
    ui: &Ui,
    resume: &str,
) -> Result<Done, Failure> {
    let tended = Tended::new();
    let progress = ui.progress(it.plan.request_count() - 1);
    let stopping = AtomicBool::new(false);
    let mut begun = false;
    let mut watch = |step: Step| {
        if begun {
            progress.step();
        }
        begun = true;
        progress.now(&said(step));
        if stopping.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let mut run = Run::new().watch(&mut watch).journal(journal);
    let running =
        it.plan.execute(&it.client, &it.page, &it.file.page.content, &it.options, &mut run);
    let stopped_twice = async {
        if tokio::signal::ctrl_c().await.is_ok() {
            stopping.store(true, Ordering::Relaxed);
            progress.now("stopping behind this request; Ctrl-C again stops at once");
            if tokio::signal::ctrl_c().await.is_ok() {
                return;
            }
        }
        std::future::pending::<()>().await;
    };
    let ended = tokio::select! {
        ended = running => Some(ended),
        () = stopped_twice => None,
    };
    let done = run.done().clone();
    drop(progress);
    if let Some(trouble) = journal.trouble() {
        let text = format!(
            "not all of this run could be written down: {trouble}; what it did can be read off the page"
        );
        ui.say(&Line::new(Tone::Changed, text));
    }
    if matches!(ended, None | Some(Ok(None))) {
        tended.end_soon();
    }
    match ended {
        Some(Ok(Some(_))) => Ok(done),
        Some(Ok(None)) => Err(interrupted(&done, "", resume)),
        None => {
            let more = "; the last request may have been carried out all the same";
            Err(interrupted(&done, more, resume))
        }
        Some(Err(error)) => Err(failed(error, &done, it, resume)),
    }
}

fn said(step: Step) -> String {
    match step {
        Step::Update(slots) => format!("updating {slots}"),
        Step::TryCreate(slots) => format!("rehearsing {slots} new"),
        Step::Create(slots) => format!("creating {slots}"),
        Step::Reorder => "moving".to_owned(),
        Step::Check => "checking before deleting".to_owned(),
        Step::Delete(slots) => format!("deleting {slots}"),
        Step::Verify => "verifying".to_owned(),
    }
}

fn interrupted(done: &Done, more: &str, resume: &str) -> Failure {
    Failure::new(Exit::Interrupted, format!("stopped by Ctrl-C: {}{more}", written(done)))
        .hint(resume)
}

const PLAN_AGAIN: &str = "`links slots plan` shows what is left to do";

/// Why a run did not make the page as the file says, after what it did.
pub(super) fn failed(error: ApplyError, done: &Done, it: &Planned, resume: &str) -> Failure {
    let so_far = written(done);
    let failure = match error {
        ApplyError::Call { source, .. } if source.is_forbidden() && done.is_nothing() => {
            return Failure::from(source)
                .hint("nothing was written: the token may only read, or not change this page");
        }
        ApplyError::Call { items, source, .. } => {
            let failure = Failure::from(source);
            if items.is_empty() { failure } else { at_items(failure, &items, it) }
        }
        ApplyError::Drift(left) => {
            return Failure::new(Exit::Drift, format!("{so_far}, yet the page differs from the file: {left}"))
                .hint("the service stores some values otherwise than they were sent: `links slots plan` shows which");
        }
        ApplyError::Changed(_) if !done.is_nothing() => {
            return Failure::new(Exit::Drift, format!("{error} ({so_far} before that)"))
                .hint(PLAN_AGAIN);
        }
        ApplyError::Changed(_) => Failure::new(Exit::Conflict, error.to_string()).hint(PLAN_AGAIN),
        ApplyError::Journal(why) => unwritable(&why),
        _ => Failure::new(Exit::Server, error.to_string()),
    };
    if done.is_nothing() { failure } else { failure.partial(&so_far).hint(resume) }
}

/// No step is taken that is not written down first.
pub(super) fn unwritable(why: &dyn std::error::Error) -> Failure {
    Failure::usage(format!("a run must be written down before it begins: {why}"))
        .hint("free some room, or name another folder with LINKS_STATE_DIR")
}

fn at_items(failure: Failure, items: &[ItemRefusal], it: &Planned) -> Failure {
    let problems = problems::of_refusals(items, &it.file, it.described.as_ref());
    failure.at(it.file.document.bad(problems))
}

/// What came of it; `run` names it in the history.
pub(super) fn report(it: &Planned, done: &Done, run: Option<&str>) -> Outcome {
    let requests = it.client.requests_sent();
    let counted =
        if requests == 1 { "1 request".to_owned() } else { format!("{requests} requests") };
    let mut lines =
        vec![Line::new(Tone::Plain, format!("{}: {} ({counted})", it.page.login, written(done)))];
    lines.extend(it.came_since());
    lines.extend(it.page.url.clone().map(|url| Line::new(Tone::Faint, url)));
    let Page { id, login, url, .. } = &it.page;
    let body = json!({
        "data": { "id": id, "login": login, "url": url, "done": done, "run": run },
        "meta": { "requests": requests },
    });
    Outcome { body: Body::Own(body), view: View::Lines(lines), exit: Exit::Ok, then: None }
}

/// What was done, in a few words.
pub(super) fn written(done: &Done) -> String {
    let counts =
        [(done.updated, "updated"), (done.created.len(), "created"), (done.deleted, "deleted")];
    let mut parts: Vec<_> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    parts.extend(done.reordered.then(|| "put in order".to_owned()));
    if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") }
}
