//! From a page file to a page that is like it: what an interrupted run left open first, then consent, the journal, and the writes.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

use links_sdk::apply::{
    Applied, AppliedChanges, ApplyCause, ApplyDelegate, ApplyError, Confirmation, DesiredPage,
    JournalEntries, PageSnapshot, Plan, PlannedDelete, Proposal, RetainReason, Step,
};
use links_sdk::types::Me;
use links_sdk::{Client, ProfileKey};
use tokio::sync::Notify;

use super::executing::{failed, interrupted, report, said, written};
use super::plan::{shown, summary};
use super::planning::{AllowedArgs, Planned, Read, plan, refused, resolve};
use super::rehearsal::{rehearse, requests};
use super::saved::{SavedPlan, Source};
use super::state;
use crate::context::Context;
use crate::diagnostic::Failure;
use crate::dry_run::{DryRun, DryRunArgs};
use crate::exit::Exit;
use crate::interrupt::Tended;
use crate::manifest::PageFile;
use crate::outcome::{Line, Outcome, Tone};
use crate::slot_types;
use crate::ui::plan::Upload;
use crate::ui::{Progress, Ui};

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

/// Plans, asks and tells for a run of the SDK, which sees to everything else.
struct Applying<'c> {
    context: &'c mut Context,
    client: Client,
    /// Until it is read with its page.
    file: Option<PageFile>,
    read: Option<Read>,
    saved: Option<Box<SavedPlan>>,
    allowed: AllowedArgs,
    ask: bool,
    /// The fingerprint of the page that the file was made for, if it is for no other.
    made_for: Option<String>,
    /// What was planned last.
    it: Option<Planned>,
    running: Rc<Running>,
    tended: Option<Tended>,
    done: AppliedChanges,
    not_recorded: Option<String>,
}

/// What a run shares with whoever looks after Ctrl-C.
#[derive(Default)]
struct Running {
    begun: Notify,
    stopping: Cell<bool>,
    progress: OnceCell<Progress>,
}

/// Why there is no page as asked for.
enum Ended {
    /// The plan stands against it, or somebody does.
    Here(Failure),
    Run(ApplyError),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Here(failure)
    }
}

impl From<ApplyError> for Ended {
    fn from(error: ApplyError) -> Self {
        Self::Run(error)
    }
}

/// Makes a page like a file.
pub(super) async fn apply(context: &mut Context, job: Job) -> Result<Outcome, Failure> {
    context.writer(job.dry_run).await?;
    if let Some(how) = context.dry_run() {
        return rehearsed(context, job, how).await;
    }
    let Job { source, path, allowed, wait, ask, seen, .. } = job;
    let resume = match path {
        Some(_) => "`links slots apply --resume` goes on from where the page is",
        None => "run the same command again: it goes on from where the page is",
    };
    if let Some(text) = source.saved.as_ref().and_then(|it| it.note()) {
        context.ui.say(&Line::new(Tone::Changed, text));
    }
    let (state, service) = (state::folder(context)?, state::service(context).unwrap_or_default());
    let owner = context.owner();
    let allow_emptied = allowed.allow_empty;
    let (mut applying, key) = Applying::new(context, source, allowed, ask).await?;
    applying.made_for = seen;
    let running = applying.running.clone();
    let page = applying.client.profile(key);
    let applied = page.apply_with(&mut applying).journal(state).service(service).path(path);
    let applied = applied.owner(owner).wait(wait).allow_emptied(allow_emptied);
    let ended = tokio::select! {
        ended = applied.run() => Some(ended),
        () = running.stopped_twice() => None,
    };
    let Applying { context, file, it, tended, done, allowed, not_recorded, .. } = applying;
    drop(running);
    if let Some(text) = not_recorded {
        context.ui.say(&Line::new(Tone::Changed, text));
    }
    let is_stopped = match &ended {
        None => true,
        Some(Err(Ended::Run(error))) => matches!(error.cause(), ApplyCause::Stopped),
        Some(_) => false,
    };
    if let Some(tended) = tended.filter(|_| is_stopped) {
        tended.end_soon();
    }
    match (ended, it) {
        (Some(Ok(applied)), Some(it)) => {
            let Applied { done, run, .. } = applied;
            if applied.plan.is_empty() && run.is_none() && allowed.unnamed.is_none() {
                say_what_stays(&context.ui, &it.plan);
            }
            Ok(report(&it, &done, run.as_deref()))
        }
        (Some(Ok(_)), None) => Err(Failure::internal("a run without a plan")),
        (Some(Err(Ended::Here(failure))), _) => Err(failure),
        (Some(Err(Ended::Run(error))), it) => {
            let resume = match it {
                Some(_) => resume,
                None => "run the same command again, or give the run up with --abort",
            };
            let failure = failed(error, it.as_ref(), resume);
            let failure = match &file {
                Some(file) => known_first(file, failure),
                None => failure,
            };
            if let Some(it) = it.filter(|_| failure.is_validation()) {
                slot_types::forget(context);
                it.forget_images(context);
            }
            Err(failure)
        }
        (None, _) => {
            let more = "; the last request may have been carried out all the same";
            Err(interrupted(&done, more, resume))
        }
    }
}

/// Reads the page of a file and plans. Nothing is sent before the file is known to be good.
pub(super) async fn planned(
    context: &mut Context,
    source: Source,
    allowed: &AllowedArgs,
) -> Result<Planned, Failure> {
    let (state, service) = (state::folder(context).ok(), state::service(context));
    let (mut applying, key) = Applying::new(context, source, allowed.clone(), false).await?;
    let mut page = applying.client.profile(key).apply_with(&mut applying);
    if let Some(state) = state {
        page = page.journal(state).service(service.unwrap_or_default());
    }
    let ended = page.plan().await;
    match (ended, applying.it) {
        (Ok(_), Some(it)) => Ok(it),
        (Ok(_), None) => Err(Failure::internal("no plan was made")),
        (Err(Ended::Here(failure)), _) => Err(failure),
        (Err(Ended::Run(error)), it) => {
            let failure = failed(error, it.as_ref(), "");
            Err(match &applying.file {
                Some(file) => known_first(file, failure),
                None => failure,
            })
        }
    }
}

impl<'c> Applying<'c> {
    async fn new(
        context: &'c mut Context,
        Source { file, saved }: Source,
        allowed: AllowedArgs,
        ask: bool,
    ) -> Result<(Self, ProfileKey), Failure> {
        let client = context.client().await.map_err(|failure| known_first(&file, failure))?;
        let key = file.page.profile.clone();
        let (read, it, tended, not_recorded) = (None, None, None, None);
        let (running, done) = (Rc::default(), AppliedChanges::default());
        let file = Some(file);
        let applying = Self {
            context,
            client,
            file,
            read,
            saved,
            allowed,
            ask,
            made_for: None,
            it,
            running,
            tended,
            done,
            not_recorded,
        };
        Ok((applying, key))
    }

    /// Refuses what a guard stands against, unless the same run was let through before.
    fn refuse(&self, is_agreed: bool) -> Result<(), Failure> {
        match self.it.as_ref().and_then(|it| it.refusal) {
            Some(refusal) if !is_agreed => Err(refused(refusal)),
            _ => Ok(()),
        }
    }
}

/// What is known to be wrong with a file goes before what could not be found out.
fn known_first(file: &PageFile, failure: Failure) -> Failure {
    match file.missing.as_slice() {
        [] => failure,
        known => file.document.bad(known.to_vec()).into(),
    }
}

impl ApplyDelegate for Applying<'_> {
    type Error = Ended;

    async fn desired(&mut self, page: &PageSnapshot) -> Result<DesiredPage, Ended> {
        let Some(file) = self.file.take() else {
            return Err(Failure::internal("a file is read twice").into());
        };
        let (client, page) = (self.client.clone(), page.clone());
        let read = resolve(self.context, client, file, page, &self.allowed).await?;
        let desired = read.file.page.content.clone();
        self.read = Some(read);
        Ok(desired)
    }

    async fn plan(
        &mut self,
        page: &PageSnapshot,
        created: &BTreeMap<usize, i64>,
        goes_on: bool,
    ) -> Result<Proposal, Ended> {
        let Some(read) = self.read.take() else {
            return Err(Failure::internal("a page is planned twice").into());
        };
        let read = Read { page: page.clone(), ..read };
        let it = plan(self.context, read, &self.allowed, created.clone()).await?;
        // A run that goes on has changed the page itself.
        if let Some(saved) = self.saved.as_ref().filter(|_| !goes_on) {
            saved.check(&it)?;
        }
        if !goes_on {
            made_for(self.made_for.as_deref(), &it)?;
        }
        let proposal = it.proposal();
        self.it = Some(it);
        Ok(proposal)
    }

    async fn confirm(&mut self, _: &PageSnapshot, is_agreed: bool) -> Result<Confirmation, Ended> {
        self.refuse(is_agreed)?;
        let Some(it) = &mut self.it else { return Ok(Confirmation::AsPlanned) };
        let stays_here = it.new_images().next().is_none();
        let is_harmless = it.plan.deletes.is_empty() && !self.ask;
        let is_agreed = self.allowed.yes || (stays_here && (is_harmless || is_agreed));
        let asked = agree(&self.context.ui, it, is_agreed).await?;
        let uploaded = it.upload(self.context).await?;
        Ok(if asked || uploaded {
            Confirmation::Later(Box::new(it.proposal()))
        } else {
            Confirmation::AsPlanned
        })
    }

    fn interrupted(&mut self, log: &JournalEntries, goes_on: bool) {
        let (time, done) = (state::time(log.opening().time), written(log.done()));
        let goes_on = if goes_on { "goes on" } else { "was for another file and is given up" };
        let text = format!("the run of {time}, which was interrupted, {goes_on} ({done} so far)");
        self.context.ui.say(&Line::new(Tone::Faint, text));
    }

    fn step(&mut self, step: Step, done: &AppliedChanges) -> ControlFlow<()> {
        self.done = done.clone();
        let steps = self.it.as_ref().map_or(0, |it| it.plan.request_count() - 1);
        if self.tended.is_some() {
            self.running.progress.get().into_iter().for_each(Progress::step);
        } else {
            self.tended = Some(Tended::new());
            self.running.begun.notify_one();
        }
        let progress = self.running.progress.get_or_init(|| self.context.ui.progress(steps));
        progress.now(&said(step));
        if self.running.stopping.get() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn not_recorded(&mut self, error: &std::io::Error) {
        self.not_recorded = Some(format!(
            "not all of this run could be written down: {error}; what it did can be read off the page"
        ));
    }
}

impl Running {
    /// The first Ctrl-C ends the run behind the request in flight, the second one at once.
    async fn stopped_twice(&self) {
        self.begun.notified().await;
        if tokio::signal::ctrl_c().await.is_ok() {
            self.stopping.set(true);
            if let Some(progress) = self.progress.get() {
                progress.now("stopping behind this request; Ctrl-C again stops at once");
            }
            if tokio::signal::ctrl_c().await.is_ok() {
                return;
            }
        }
        std::future::pending::<()>().await;
    }
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
    let stays = plan.kept.iter().filter(|it| it.reason == RetainReason::NotInFile).count();
    let what = match stays {
        0 => return,
        1 => "1 block that the file does not mention stays".to_owned(),
        stays => format!("{stays} blocks that the file does not mention stay"),
    };
    ui.say(&Line::new(Tone::Faint, format!("{what}; --prune deletes what is not mentioned")));
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

/// Refuses a plan for another page than the one with this fingerprint.
fn made_for(seen: Option<&str>, it: &Planned) -> Result<(), Failure> {
    if seen.is_none_or(|seen| seen == it.plan.page) {
        return Ok(());
    }
    let message = "somebody else changed the page meanwhile; nothing was written";
    Err(Failure::new(Exit::Conflict, message).hint("run the same command again for a new plan"))
}

/// Names every image that would leave this machine, and every block that would go.
fn named(deletes: &[PlannedDelete], uploads: &[Upload]) -> Vec<Line> {
    let upload = |it: &Upload| Line::new(Tone::Changed, format!("  upload {it}"));
    let delete = |it: &PlannedDelete| {
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
            PlannedDelete { id, kind: kind.to_owned(), label }
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
