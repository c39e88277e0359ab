//! Session of a served preview: makes the document anew when the file changes, and applies the file where that is allowed.

use bytes::Bytes;
use tokio::sync::{oneshot, watch};

use crate::account::apply;
use crate::account::request::RunSource;
use crate::account::shadow_run::ApplyOutlook;
use crate::apply::apply_args::{Allowed, RunOptions};
use crate::context::prelude::*;
use crate::journal;
use crate::preview::html::{FileProblem, Notice, Screen, document, origin};
use crate::preview::live_account::LiveAccount;
use crate::preview::render::{PreviewRequest, PreviewSource, lacking, render, usable};
use crate::preview::shown_page::Preview;
use links_pages::page_file::FilePlace;
use links_pages::page_file::local_image::LocalImage;

/// When the file is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ApplyWhen {
    /// When you press a key in the browser
    Key,
    /// Also after each save, unless something needs confirmation
    Save,
}

/// The file was applied.
const APPLIED: &str = "applied";
/// Nothing was written: it has to be confirmed first.
const TO_CONFIRM: &str = "confirm";
/// Nothing was written: the user sees an older document, or one with problems.
const STALE: &str = "stale";
pub(super) const FAILED: &str = "failed";

/// Order of the user to apply the file.
pub(super) struct ApplyOrder {
    /// Version of the document that the user sees.
    pub(super) version: u64,
    /// True if the user has confirmed what cannot be undone.
    pub(super) is_confirmed: bool,
    /// Where what became of it goes: [`APPLIED`] or another one.
    pub(super) reply: oneshot::Sender<&'static str>,
}

/// Session of a served preview.
pub(super) struct ServeSession {
    context: Context,
    request: PreviewRequest,
    apply: Option<ApplyWhen>,
    document: watch::Sender<ServedDocument>,
    live: Option<LiveAccount>,
    /// Text of the file as the document shows it.
    source: Option<PreviewSource>,
    /// What is wrong with the text as long as another file is missing, if anything.
    lacking: Option<String>,
    pub(super) screen: Screen,
    /// True once a document had the notice.
    is_notice_shown: bool,
}

impl ServeSession {
    pub(super) fn new(context: Context, request: PreviewRequest, apply: Option<ApplyWhen>) -> Self {
        let file = request.path.display().to_string();
        let screen = Screen { file, may_apply: apply.is_some(), ..Screen::default() };
        Self {
            context,
            request,
            apply,
            document: watch::Sender::default(),
            live: None,
            source: None,
            lacking: None,
            screen,
            is_notice_shown: false,
        }
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.request.path
    }

    /// Makes the first document.
    ///
    /// # Errors
    ///
    /// When the service cannot be asked. Problems of the file are shown in the document.
    pub(super) async fn begin(&mut self) -> Result<()> {
        let made = self.make().await;
        self.publish();
        match made {
            Err(failure) if !matches!(failure.exit(), Exit::Invalid | Exit::Conflict) => {
                Err(failure)
            }
            _ => Ok(()),
        }
    }

    /// Makes the document anew. Returns true if the file was saved and is to be applied.
    pub(super) async fn refresh(&mut self) -> bool {
        let fingerprint = |it: &Self| it.source.as_ref().map(|source| source.fingerprint.clone());
        let before = fingerprint(self);
        // What failed is in the document.
        let is_made = self.make().await.is_ok();
        let is_saved = fingerprint(self) != before;
        if is_saved {
            self.screen.notice = self.screen.notice.take().filter(|_| !self.is_notice_shown);
            self.screen.refused.clear();
        }
        self.publish();
        self.is_notice_shown = true;
        let needs_nothing =
            |it: &ApplyOutlook| it.is_changed && it.refusal.is_none() && it.irreversible.is_empty();
        let is_on_save = self.apply == Some(ApplyWhen::Save);
        is_on_save && is_saved && is_made && self.outlook().is_some_and(needs_nothing)
    }

    /// Carries out an order of a user who sees this version of the document.
    pub(super) async fn carry_out(&mut self, version: u64, is_confirmed: bool) -> &'static str {
        if version != self.screen.version || !self.screen.problems.is_empty() {
            return STALE;
        }
        self.run(is_confirmed).await
    }

    fn outlook(&self) -> Option<&ApplyOutlook> {
        self.screen.page.as_ref().map(|page| &page.outlook)
    }

    /// Returns the other files that the document is made of: those that the page file uses, and the record of the last sync.
    pub(super) fn used_files(&self) -> impl Iterator<Item = &PathBuf> {
        let record = self.live.iter().flat_map(|live| &live.record_paths);
        self.source.iter().flat_map(|source| &source.used).chain(record)
    }

    /// Returns whether a file that was missing is there now.
    pub(super) fn is_mended(&self) -> bool {
        let source = self.source.as_ref().filter(|_| self.lacking.is_some());
        source.is_some_and(|source| lacking(&source.parse()) != self.lacking)
    }

    /// Reads the file and makes a preview. Keeps the last one if that fails.
    async fn make(&mut self) -> Result<()> {
        match self.rendered().await {
            Ok(preview) => {
                self.screen.page = Some(preview);
                self.screen.problems.clear();
                Ok(())
            }
            Err(failure) => {
                let live = self.live.as_mut().filter(|_| failure.exit() == Exit::Conflict);
                if let Some(live) = live {
                    live.is_in_conflict = true;
                }
                self.screen.problems = self.problems_of(&failure);
                Err(failure)
            }
        }
    }

    /// Renders the file as it is now.
    async fn rendered(&mut self) -> Result<Preview> {
        self.lacking = None;
        let roots = &self.request.options.flags.upload_root;
        let source = self.source.insert(PreviewSource::read(&self.request.path, roots)?);
        let parsed = source.parse();
        self.lacking = lacking(&parsed);
        usable(parsed?, &self.context)?;
        render(&mut self.context, &self.request, source, &mut self.live).await
    }

    /// Applies the file as the document shows it.
    pub(super) async fn run(&mut self, is_confirmed: bool) -> &'static str {
        let (Some(source), Some(outlook)) = (&self.source, self.outlook()) else {
            return STALE;
        };
        if outlook.refusal.is_some() || !outlook.is_changed {
            return STALE;
        }
        if !outlook.irreversible.is_empty() && !is_confirmed {
            return TO_CONFIRM;
        }
        let allowed =
            Allowed { allow_create: usize::from(is_confirmed), allow_rename: is_confirmed };
        // Nothing else is deleted than what the user has seen.
        let only_deletes = Some(outlook.deletes.clone());
        let command = journal::command(&self.context);
        let mut options =
            RunOptions { allowed, command, only_deletes, ..self.request.options.clone() };
        options.flags.yes = is_confirmed;
        // Only the preview shows what a locked slot would become.
        options.flags.unlock = false;
        let ended = async {
            let files = usable(source.parse()?, &self.context)?;
            let source = RunSource { files, ..RunSource::default() };
            apply(&mut self.context, source, options).await
        };
        let ended = ended.await;
        // The page is another one now, or was before.
        self.live = None;
        self.is_notice_shown = false;
        match ended {
            Ok(mut output) => {
                let lines = output.view.lines_mut().into_iter().flatten();
                let lines = lines.map(|line| line.text().to_owned()).collect();
                // What goes on after the output is the error of a run that wrote only a part.
                let is_failure = output.then.is_some();
                self.screen.notice = Some(Notice { is_failure, lines });
                if is_failure { FAILED } else { APPLIED }
            }
            Err(failure) => {
                self.screen.refused = self.problems_of(&failure);
                self.screen.refused.retain(|problem| problem.place.is_some());
                let lines = lines_of(&failure);
                self.screen.notice = Some(Notice { is_failure: true, lines });
                FAILED
            }
        }
    }

    /// Returns the problems of an error with the lines of the file that they are about.
    fn problems_of(&self, failure: &CommandError) -> Vec<FileProblem> {
        let text = self.source.as_ref().map(PreviewSource::text).unwrap_or_default();
        let mut found: Vec<FileProblem> = failure
            .places()
            .map(|(FilePlace { file, line, column }, message)| {
                let is_own = failure.file() == Some(file);
                let shown = text.lines().nth(line - 1).filter(|_| is_own).unwrap_or_default();
                let message = if is_own { message } else { format!("{file}: {message}") };
                FileProblem { place: Some((line, column, shown.to_owned())), message }
            })
            .collect();
        if found.is_empty() {
            let lines = lines_of(failure).into_iter();
            found.extend(lines.map(|message| FileProblem { place: None, message }));
        }
        found
    }

    /// Returns a receiver of the document and of those that replace it.
    pub(super) fn document(&self) -> watch::Receiver<ServedDocument> {
        self.document.subscribe()
    }

    /// Replaces the document, if it has changed.
    fn publish(&mut self) {
        if document(&self.screen) == self.document.borrow().html {
            return;
        }
        self.screen.version += 1;
        let page = self.screen.page.as_ref();
        self.document.send_replace(ServedDocument {
            version: self.screen.version,
            html: document(&self.screen).into(),
            images: page.iter().flat_map(|page| page.images.values()).cloned().collect(),
            image_origin: page.and_then(|page| origin(&page.file_base)),
        });
    }
}

/// Returns the lines of an error, with its hint.
fn lines_of(failure: &CommandError) -> Vec<String> {
    let hint = failure.hint().map(str::to_owned);
    failure.to_string().lines().map(str::to_owned).chain(hint).collect()
}

/// A document with the images that it shows.
#[derive(Default)]
pub(super) struct ServedDocument {
    pub(super) version: u64,
    pub(super) html: Bytes,
    pub(super) images: Vec<LocalImage>,
    /// Origin of other images, if they may be loaded.
    pub(super) image_origin: Option<String>,
}
