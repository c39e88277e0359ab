//! `links slots apply`

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use links_sdk::apply::{ApplyError, Done, ItemRefusal, Plan, Run, Step};
use serde_json::json;

use super::planning::{Planned, PlanningArgs, planned, refused};
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::exit::Exit;
use crate::manifest::PageFile;
use crate::outcome::{Body, Line, Outcome, Tone, View};
use crate::ui::{self, Ui};

/// Arguments of `links slots apply`.
#[derive(Args, Debug)]
pub(crate) struct SlotsApplyArgs {
    #[command(flatten)]
    planning: PlanningArgs,
}

pub(crate) async fn run(context: &mut Context, args: SlotsApplyArgs) -> Result<Outcome, Failure> {
    let it = planned(context, &args.planning).await?;
    if let Some(refusal) = it.refusal {
        return Err(refused(refusal));
    }
    if it.plan.is_empty() {
        return Ok(report(&it, &Done::default()));
    }
    for line in ui::plan::lines(&it.plan, &it.page.slots) {
        context.ui.say(&line);
    }
    context.ui.say(&it.summary());
    if !args.planning.yes {
        agree(&context.ui, &it.plan)?;
    }
    let done = execute(&it, &context.ui).await?;
    Ok(report(&it, &done))
}

/// Deletes cannot be undone, so somebody has to agree to them.
fn agree(ui: &Ui, plan: &Plan) -> Result<(), Failure> {
    let deletes = plan.deletes.len();
    if deletes == 0 {
        return Ok(());
    }
    match ui
        .ask(&format!("Delete {deletes} blocks with their click statistics? There is no way back."))
    {
        Some(true) => Ok(()),
        Some(false) => {
            Err(Failure::new(Exit::Refused, "the deletes were not agreed to; nothing was written"))
        }
        None => {
            let message =
                format!("{deletes} blocks would be deleted, and there is no terminal to ask on");
            Err(Failure::new(Exit::Refused, message).hint("--yes agrees to it"))
        }
    }
}

/// Carries the plan out. One Ctrl-C ends the run behind the request in flight, a second one at once.
async fn execute(it: &Planned, ui: &Ui) -> Result<Done, Failure> {
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
    let mut run = Run::new().watch(&mut watch);
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
    match ended {
        Some(Ok(Some(_))) => Ok(done),
        Some(Ok(None)) => Err(interrupted(&done, "")),
        None => {
            Err(interrupted(&done, "; the last request may have been carried out all the same"))
        }
        Some(Err(error)) => Err(failed(error, &done, &it.file)),
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

fn interrupted(done: &Done, more: &str) -> Failure {
    Failure::new(Exit::Interrupted, format!("stopped by Ctrl-C: {}{more}", written(done)))
        .hint("run the same command again: it goes on from where the page is")
}

const PLAN_AGAIN: &str = "`links slots plan` shows what is left to do";

fn failed(error: ApplyError, done: &Done, file: &PageFile) -> Failure {
    let so_far = written(done);
    let failure = match error {
        ApplyError::Call { items, source, .. } => {
            let failure = Failure::from(source);
            if items.is_empty() { failure } else { at_items(failure, &items, file) }
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
        _ => Failure::new(Exit::Server, error.to_string()),
    };
    if done.is_nothing() {
        return failure;
    }
    failure.partial(&so_far).hint("run the same command again: it goes on from where the page is")
}

fn at_items(failure: Failure, items: &[ItemRefusal], file: &PageFile) -> Failure {
    let said: Vec<_> = items
        .iter()
        .flat_map(|it| {
            let path = format!("slots.{}.{}", it.index, it.path.join("."));
            it.messages.iter().map(move |message| (path.clone(), message.as_str()))
        })
        .collect();
    failure.at(file.document.refuse(said.iter().map(|(path, message)| (path.as_str(), *message))))
}

fn report(it: &Planned, done: &Done) -> Outcome {
    let requests = it.client.requests_sent();
    let counted =
        if requests == 1 { "1 request".to_owned() } else { format!("{requests} requests") };
    let mut lines =
        vec![Line::new(Tone::Plain, format!("{}: {} ({counted})", it.page.login, written(done)))];
    lines.extend(it.page.url.clone().map(|url| Line::new(Tone::Faint, url)));
    let body = json!({
        "data": { "id": it.page.id, "login": it.page.login, "url": it.page.url, "done": done },
        "meta": { "requests": requests },
    });
    Outcome { body: Body::Own(body), view: View::Lines(lines), exit: Exit::Ok, then: None }
}

fn written(done: &Done) -> String {
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
