//! From a page file to a page that is like it: what an interrupted run left open first, then consent, the journal, and the writes.

use std::collections::BTreeMap;
use std::time::SystemTime;

use links_sdk::apply::{
    Delete, Done, Journal, KeptReason, Lock, Log, Opening, Page, Plan, Runs, fingerprint,
};
use links_sdk::types::Me;
use links_sdk::{Client, Clock, ProfileKey, SystemClock};

use super::executing::{execute, failed, report, unwritable, written};
use super::plan::{shown, summary};
use super::planning::{AllowedArgs, Known, Planned, plan, planned, read, refused};
use super::rehearsal::{rehearse, requests};
use super::saved::Source;
use super::state;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::dry_run::{DryRun, DryRunArgs};
use crate::exit::Exit;
use crate::outcome::{Line, Outcome, Tone};
use crate::slot_types;
use crate::ui::Ui;
use crate::ui::plan::Upload;

/// What is to be applied, and how.
pub(super) struct Job {
    pub(super) source: Source,
    /// Where the file is, to find it again.
    pub(super) path: Option<String>,
    pub(super) allowed: AllowedArgs,
    /// Whether to wait for another run on the page.
    pub(super) wait: bool,
    /// Whether every change is to be agreed to, not only deletes.
    pub(super) ask: bool,
    /// Whether nothing is to be written, and what is to be shown instead.
    pub(super) dry_run: DryRunArgs,
    /// The fingerprint of the page that the file was made for, if it is for no other.
    pub(super) seen: Option<String>,
}

/// The page is kept from other processes, by a run that goes on or by one that is to begin.
enum Held {
    Journal(Box<Journal>),
    Lock(Lock),
}

/// Makes a page like a file.
pub(super) async fn apply(context: &mut Context, job: Job) -> Result<Outcome, Failure> {
    let started = SystemClock::new().wall();
    context.writer(job.dry_run).await?;
    if let Some(how) = context.dry_run() {
        return rehearsed(context, job, how).await;
    }
    let Job { source: Source { file, saved }, path, allowed, wait, ask, seen, .. } = job;
    let mut read = read(context, file, &allowed).await?;
    let runs = state::runs(context, read.page.id)?;
    let logs = state::logs(&runs)?;
    distrust_empty(&read.client, &mut read.page, &logs, &allowed).await?;
    let mut it = plan(context, read, &allowed, Known::default()).await?;
    if let Some(text) = saved.as_ref().and_then(|it| it.note()) {
        context.ui.say(&Line::new(Tone::Changed, text));
    }
    if state::unfinished(&logs).is_none() {
        saved.as_ref().map_or(Ok(()), |saved| saved.check(&it))?;
        made_for(seen.as_deref(), &it)?;
        if it.plan.is_empty() {
            if allowed.unnamed.is_none() {
                say_what_stays(&context.ui, &it.plan);
            }
            return Ok(report(&it, &Done::default(), None));
        }
        refuse(&it, None)?;
    }

    let lock = runs.lock(wait).map_err(|error| state::not_locked(&error))?;
    let logs = state::logs(&runs)?;
    let unfinished = state::unfinished(&logs);
    let is_stale = lock.was_awaited || changed_since(&runs, started);
    if unfinished.is_some() || is_stale {
        it.page = Page::read(&it.client, &ProfileKey::Id(it.page.id)).await?;
        distrust_empty(&it.client, &mut it.page, &logs, &allowed).await?;
    }
    let mut held = match unfinished {
        Some(log) => settle(&mut it, &runs, lock, log, &context.ui).await?,
        None => Held::Lock(lock),
    };
    if unfinished.is_some() || is_stale {
        it = it.again(context, &allowed, held.created()).await?;
    }
    // A run that goes on has changed the page itself.
    if held.log().is_none() {
        saved.as_ref().map_or(Ok(()), |saved| saved.check(&it))?;
        made_for(seen.as_deref(), &it)?;
    }

    if it.plan.is_empty() {
        let run = held.log().map(|log| log.run().to_owned());
        if let Held::Journal(journal) = &mut held {
            journal.commit(it.page.slots.len());
        }
        return Ok(report(&it, &Done::default(), run.as_deref()));
    }
    refuse(&it, held.log())?;
    let stays_here = it.new_images().next().is_none();
    let is_harmless = it.plan.deletes.is_empty() && !ask;
    let is_agreed = allowed.yes || (stays_here && (is_harmless || is_agreed(&it, held.log())));
    let asked = agree(&context.ui, &it, is_agreed).await?;
    let uploaded = it.upload(context).await?;
    if asked || uploaded {
        // People take their time, and so do images.
        unchanged(&it).await?;
    }

    let service = state::service(context).unwrap_or_default();
    let opening = Opening::new(service, &it.page, &it.file.page.content, &it.options);
    let resume = match path {
        Some(_) => "`links slots apply --resume` goes on from where the page is",
        None => "run the same command again: it goes on from where the page is",
    };
    let opening = opening.with_path(path).with_owner(context.owner());
    let journal = held.begin(&runs, &it, opening);
    let mut journal = journal.map_err(|error| unwritable(&error))?;
    let done = execute(&it, &mut journal, &context.ui, resume).await.inspect_err(|failure| {
        if failure.is_validation() {
            slot_types::forget(context);
            it.forget_images(context);
        }
    })?;
    Ok(report(&it, &done, Some(journal.log().run())))
}

/// What would be done; the service is asked whether it would take it, or the requests are shown.
async fn rehearsed(context: &mut Context, job: Job, how: DryRun) -> Result<Outcome, Failure> {
    let it = planned(context, job.source, &job.allowed).await?;
    if how == DryRun::Request {
        summary(&it).for_each(|line| context.ui.say(&line));
        return requests(&it).await;
    }
    rehearse(&it, &context.ui).await?;
    context.ui.say(&Line::new(Tone::Faint, "a dry run: nothing was changed"));
    Ok(shown(&it))
}

/// Who has removed a block from a file may wonder why nothing happens.
fn say_what_stays(ui: &Ui, plan: &Plan) {
    let stays = plan.kept.iter().filter(|it| it.reason == KeptReason::NotInFile).count();
    let what = match stays {
        0 => return,
        1 => "1 block that the file does not mention stays".to_owned(),
        stays => format!("{stays} blocks that the file does not mention stay"),
    };
    ui.say(&Line::new(Tone::Faint, format!("{what}; --prune deletes what is not mentioned")));
}

impl Held {
    fn log(&self) -> Option<&Log> {
        match self {
            Self::Journal(journal) => Some(journal.log()),
            Self::Lock(_) => None,
        }
    }

    /// The ids that the run has noted.
    fn created(&self) -> BTreeMap<usize, i64> {
        self.log().map(|log| log.done().created.clone()).unwrap_or_default()
    }

    /// Writes down what will be done, before any of it is.
    fn begin(self, runs: &Runs, it: &Planned, opening: Opening) -> std::io::Result<Journal> {
        match self {
            Self::Journal(mut journal) => {
                journal.plan(&it.plan, &it.page)?;
                Ok(*journal)
            }
            Self::Lock(lock) => runs.open(lock, opening, &it.plan, &it.page, &it.options.types),
        }
    }
}

/// Whether another run wrote something down since, so that the page may have been read before it was done.
fn changed_since(runs: &Runs, time: SystemTime) -> bool {
    runs.last_change().is_some_and(|change| change >= time)
}

/// Finds out what became of the last request of a run that was interrupted. Where it was for the same file it is gone on with.
async fn settle(
    it: &mut Planned,
    runs: &Runs,
    lock: Lock,
    log: &Log,
    ui: &Ui,
) -> Result<Held, Failure> {
    let path = runs.journal(log.run());
    let mut journal = runs.resume(lock, log.run()).map_err(|why| state::bad(&path, &why))?;
    let desired = &it.file.page.content;
    let settled = journal.settle(&it.client, &mut it.page, desired).await;
    let done = journal.log().done().clone();
    settled.map_err(|error| {
        failed(error, &done, it, "run the same command again, or give the run up with --abort")
    })?;
    let time = state::time(journal.log().opening().time);
    let is_same = journal.log().opening().is_of(desired);
    let goes_on = if is_same { "goes on" } else { "was for another file and is given up" };
    let text =
        format!("the run of {time}, which was interrupted, {goes_on} ({} so far)", written(&done));
    ui.say(&Line::new(Tone::Faint, text));
    Ok(if is_same { Held::Journal(Box::new(journal)) } else { Held::Lock(journal.replace()) })
}

/// A page that reads empty although the last run left slots on it is read in another way, and then not believed.
async fn distrust_empty(
    client: &Client,
    page: &mut Page,
    logs: &[Log],
    allowed: &AllowedArgs,
) -> Result<(), Failure> {
    let known = logs.last().map_or(0, Log::slots);
    if !page.slots.is_empty() || known == 0 {
        return Ok(());
    }
    page.read_slots_again(client).await?;
    if page.slots.is_empty() && !allowed.allow_empty {
        let message = format!("the page reads empty, yet the last run left {known} blocks on it");
        return Err(Failure::new(Exit::Refused, message)
            .hint("--allow-empty says that somebody else has emptied it"));
    }
    Ok(())
}

/// Stops at a guard, unless the same run has been let through before and deletes nothing more than it was to.
fn refuse(it: &Planned, log: Option<&Log>) -> Result<(), Failure> {
    match it.refusal {
        Some(refusal) if !is_agreed(it, log) => Err(refused(refusal)),
        _ => Ok(()),
    }
}

fn is_agreed(it: &Planned, log: Option<&Log>) -> bool {
    let agreed = |log: &Log| it.plan.deletes.iter().all(|delete| log.agreed().contains(&delete.id));
    log.is_some_and(agreed)
}

/// Shows the plan. Deletes and uploads cannot be undone, so somebody has to agree to them. Tells whether anybody was asked.
async fn agree(ui: &Ui, it: &Planned, is_agreed: bool) -> Result<bool, Failure> {
    for line in it.lines() {
        ui.say(&line);
    }
    ui.say(&it.summary());
    if is_agreed {
        return Ok(false);
    }
    if ui.is_interactive() {
        // Nobody is asked in vain.
        may_write(&it.client).await?;
    }
    let uploads = it.shown().uploads().to_vec();
    let counted = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {one}s")),
    };
    let what = [counted(it.plan.deletes.len(), "delete"), counted(uploads.len(), "upload")];
    let what = match what.into_iter().flatten().collect::<Vec<_>>().join(" and ") {
        none if none.is_empty() => "changes".to_owned(),
        what => what,
    };
    let question = question(it.plan.deletes.len(), uploads.len());
    match ui.ask_about(&named(&it.plan.deletes, &uploads), &question) {
        Some(true) => Ok(true),
        Some(false) => {
            let message = format!("nobody agreed to {what}; nothing was written");
            Err(Failure::new(Exit::Refused, message))
        }
        None => {
            let message =
                format!("somebody has to agree to {what}, and there is no terminal to ask on");
            Err(Failure::new(Exit::Refused, message).hint("--yes agrees to it"))
        }
    }
}

/// Refuses a token that may only read. Where it costs nothing else to find out, the first write does.
pub(super) async fn may_write(client: &Client) -> Result<Me, Failure> {
    let me = client.me().await?;
    if me.can_write {
        return Ok(me);
    }
    Err(Failure::new(Exit::Forbidden, "the token may only read; nothing was written")
        .hint("`links auth status` says who it speaks as, and what it may do"))
}

/// Refuses a plan that was agreed to for a page that has changed meanwhile.
async fn unchanged(it: &Planned) -> Result<(), Failure> {
    let now = Page::read(&it.client, &ProfileKey::Id(it.page.id)).await?;
    made_for(Some(&fingerprint(&now.slots)), it)
}

/// Refuses a plan for another page than the one with this fingerprint.
fn made_for(seen: Option<&str>, it: &Planned) -> Result<(), Failure> {
    if seen.is_none_or(|seen| seen == it.plan.page) {
        return Ok(());
    }
    let message = "somebody else changed the page meanwhile; nothing was written";
    Err(Failure::new(Exit::Conflict, message).hint("run the same command again for a new plan"))
}

/// Names every image that would leave this machine, and every block that would go.
fn named(deletes: &[Delete], uploads: &[Upload]) -> Vec<Line> {
    let upload = |it: &Upload| Line::new(Tone::Changed, format!("  upload {it}"));
    let delete = |it: &Delete| {
        let label = it.label.as_ref().map(|label| format!(" \"{label}\"")).unwrap_or_default();
        Line::new(Tone::Removed, format!("  {} {}{label}", it.kind, it.id))
    };
    uploads.iter().map(upload).chain(deletes.iter().map(delete)).collect()
}

fn question(deletes: usize, uploads: usize) -> String {
    let upload = match uploads {
        0 => None,
        1 => Some("Upload this image".to_owned()),
        several => Some(format!("Upload these {several} images")),
    };
    let blocks = match deletes {
        0 => {
            return match upload {
                None => "Change the page so?".to_owned(),
                Some(upload) => format!("{upload}, and change the page so?"),
            };
        }
        1 => "this block and its".to_owned(),
        several => format!("these {several} blocks and their"),
    };
    let delete = match upload {
        None => "Delete".to_owned(),
        Some(upload) => format!("{upload}, and delete"),
    };
    format!("{delete} {blocks} click statistics? There is no way back.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_names_every_block_that_would_go() {
        let delete = |id, kind: &str, label: Option<&str>| {
            let label = label.map(str::to_owned);
            Delete { id, kind: kind.to_owned(), label }
        };
        let deletes = [delete(7, "text", Some("Opening\n\u{1b}hours")), delete(8, "divider", None)];
        let image = Upload {
            index: 0,
            path: "image".into(),
            file: "a\n\u{1b}.gif".into(),
            media_type: "image/gif",
            bytes: 43,
        };
        let lines = named(&deletes, &[image]);
        let text: Vec<_> = lines.iter().map(Line::text).collect();
        assert_eq!(text[1..], ["  text 7 \"Opening \\u{1b}hours\"", "  divider 8"]);
        assert!(text[0].starts_with("  upload a") && text[0].ends_with("(image/gif, 43 bytes)"));
        assert!(!text[0].contains(char::is_control), "{text:?}");
        assert!(question(2, 0).contains("2 blocks and their click statistics"));
        assert!(
            question(1, 0).ends_with("this block and its click statistics? There is no way back.")
        );
        assert!(question(1, 2).starts_with("Upload these 2 images, and delete this block"));
        assert_eq!(question(0, 1), "Upload this image, and change the page so?");
        assert!(!question(0, 0).contains("Delete"));
    }
}
