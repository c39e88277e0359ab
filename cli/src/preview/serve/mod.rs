//! `links preview --serve`: previews as pages on loopback that follow their files.

mod http_server;
mod serve_session;

use std::pin::{Pin, pin};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use http_server::{HEAD_LIMIT, Routes, ServedPage};
pub(crate) use serve_session::ApplyWhen;
use serve_session::{ApplyOrder, ServeSession};
use tokio::sync::{Notify, mpsc};
use tokio::task::LocalSet;
use tokio::time::{Interval, MissedTickBehavior, interval};
use uuid::Uuid;

use super::html::file_list;
use super::render::PreviewRequest;
use crate::context::prelude::*;
use crate::signal::SuppressInterrupt;
use links_pages::page_file::file_of;

/// Serves previews until Ctrl-C: a page, or several with a list. Prints the URL first. `apply` says when a file is applied; `None` is never.
pub(crate) async fn serve(
    context: &Context,
    requests: Vec<PreviewRequest>,
    port: Option<u16>,
    apply: Option<ApplyWhen>,
) -> Result<CommandOutput> {
    if requests.iter().any(|request| request.path.as_os_str() == "-") {
        return Err(CommandError::usage("cannot serve standard input: it does not change")
            .with_hint("pass a page file"));
    }
    let files: Vec<String> = requests.iter().map(|it| it.path.display().to_string()).collect();
    let list = (requests.len() > 1).then(|| file_list(&files));
    let cannot_serve =
        |error: io::Error| CommandError::usage(format!("cannot serve the preview: {error}"));
    let listener = http_server::bind(port.unwrap_or_default()).await.map_err(cannot_serve)?;
    let host = listener.local_addr().map_err(cannot_serve)?.to_string();
    let mut sessions: Vec<ServeSession> = requests
        .into_iter()
        .map(|request| ServeSession::new(context.unattended(), request, apply))
        .collect();
    if let [only] = &mut sessions[..] {
        // What cannot be found is an error of the command, not of the file.
        only.begin().await?;
    }
    let secret = Uuid::new_v4().simple().to_string();
    let url = format!("http://{host}/{secret}/");
    // The reader of the URL may stop the server at once.
    let suppressed = SuppressInterrupt::new();
    let when = apply.map(|when| if when == ApplyWhen::Key { "key" } else { "save" });
    let shown = match &files[..] {
        [only] => only.clone(),
        files => count(files.len(), "page file"),
    };
    let lines = vec![
        StyledLine::plain(url.clone()),
        StyledLine::faint(format!("showing {shown}; press Ctrl-C to stop")),
    ];
    let data = json!({ "url": url, "files": files, "apply": when });
    Ok(CommandOutput {
        then: Some(Box::pin(async move {
            let local = LocalSet::new();
            let (mut pages, mut followed) = (Vec::new(), Vec::new());
            for session in sessions {
                let (orders, ordered) = mpsc::channel(1);
                let opened: Rc<Notify> = Rc::default();
                pages.push(ServedPage {
                    document: session.document(),
                    orders: apply.map(|_| orders),
                    opened: opened.clone(),
                });
                let stopped = suppressed.interrupts(1);
                followed.push(local.spawn_local(followed_once(session, opened, ordered, stopped)));
            }
            let routes = Routes { host, secret, list, pages };
            local.spawn_local(http_server::run(listener, routes, HEAD_LIMIT));
            let all_ended = async {
                for page in followed {
                    // A page that panics ends the process.
                    let _ = page.await;
                }
            };
            local.run_until(Box::pin(all_ended)).await;
            suppressed.end_soon();
            Exit::Interrupted
        })),
        ..CommandOutput::own(data, View::Lines(lines))
    })
}

/// Follows a page as soon as there is a document of it, or somebody has opened it.
async fn followed_once(
    mut session: ServeSession,
    opened: Rc<Notify>,
    ordered: mpsc::Receiver<ApplyOrder>,
    stopped: impl Future<Output = ()>,
) {
    let mut stopped = pin!(stopped);
    let files = WatchedFiles::new(file_of(session.path()).to_owned());
    if session.screen.version == 0 {
        let begun = async {
            opened.notified().await;
            session.begin().await
        };
        tokio::select! {
            biased;
            () = &mut stopped => return,
            // What fails is in the document.
            _ = begun => {}
        }
    }
    Box::pin(follow(session, files, ordered, stopped)).await;
}

/// Follows the file and the orders of the user until Ctrl-C. Ctrl-C ends what only reads at once, and a run as it does in `links apply`.
async fn follow(
    mut session: ServeSession,
    mut files: WatchedFiles,
    mut ordered: mpsc::Receiver<ApplyOrder>,
    mut stopped: Pin<&mut impl Future<Output = ()>>,
) {
    loop {
        for image in session.screen.page.iter().flat_map(|page| page.images.values()) {
            files.add(image.path().clone());
        }
        session.used_files().for_each(|used| files.add(used.clone()));
        let order = tokio::select! {
            biased;
            () = &mut stopped => return,
            () = files.changed(|| session.is_mended()) => None,
            Some(order) = ordered.recv() => Some(order),
        };
        let mut replied = None;
        if let Some(order) = order {
            let state = session.carry_out(order.version, order.is_confirmed).await;
            replied = Some((order.reply, state));
        }
        // The file may be saved again while it is applied.
        loop {
            let is_due = tokio::select! {
                biased;
                () = &mut stopped => return,
                is_due = session.refresh() => is_due,
            };
            if let Some((reply, state)) = replied.take() {
                // The browser may have gone.
                let _ = reply.send(state);
            }
            if !is_due {
                break;
            }
            session.run(false).await;
        }
    }
}

/// Time between two looks at the files.
const PERIOD: Duration = Duration::from_millis(50);

/// Number of looks after which a file that was missing is looked for again: where it would be is not known, so all files are read.
const LOOKS_FOR_MISSING: u32 = 40;

/// The page file and its images, with the time and the size that each had at the last look; `None` for one that is missing.
struct WatchedFiles {
    files: BTreeMap<PathBuf, Option<(SystemTime, u64)>>,
    looks: Interval,
}

impl WatchedFiles {
    fn new(file: PathBuf) -> Self {
        let mut looks = interval(PERIOD);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut watched = Self { files: BTreeMap::new(), looks };
        watched.add(file);
        watched
    }

    /// Watches a file too, unless it is watched already.
    fn add(&mut self, file: PathBuf) {
        let state = state(&file);
        self.files.entry(file).or_insert(state);
    }

    /// Waits until a file has changed, and then until none has for one look: editors write in several steps. `is_mended` says whether one that is
    /// not watched has changed.
    async fn changed(&mut self, is_mended: impl Fn() -> bool) {
        let (mut is_changed, mut looks) = (false, 0_u32);
        loop {
            self.looks.tick().await;
            looks = looks.wrapping_add(1);
            let mut is_quiet = true;
            for (file, seen) in &mut self.files {
                let now = state(file);
                is_quiet &= now == *seen;
                *seen = now;
            }
            if is_changed && is_quiet {
                return;
            }
            is_changed |= !is_quiet || looks.is_multiple_of(LOOKS_FOR_MISSING) && is_mended();
        }
    }
}

fn state(file: &Path) -> Option<(SystemTime, u64)> {
    let found = file.metadata().ok()?;
    Some((found.modified().ok()?, found.len()))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_file_that_is_not_watched_is_looked_for_now_and_then() {
        let mut files = WatchedFiles::new(PathBuf::from("absent.yaml"));
        let asked = Cell::new(0);
        let is_mended = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let start = tokio::time::Instant::now();
        files.changed(is_mended).await;
        assert_eq!(asked.get(), 3);
        assert!(start.elapsed() >= PERIOD * 119, "{:?}", start.elapsed());
    }

    #[tokio::test]
    async fn a_file_that_is_written_renamed_or_removed_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let [file, new, image] = ["cafe.yaml", "new", "a.png"].map(|it| directory.path().join(it));
        std::fs::write(&file, "a").unwrap();
        let mut files = WatchedFiles::new(file.clone());
        std::fs::write(&file, "bb").unwrap();
        files.changed(|| false).await;
        std::fs::write(&new, "c").unwrap();
        std::fs::rename(&new, &file).unwrap();
        files.changed(|| false).await;
        std::fs::remove_file(&file).unwrap();
        files.changed(|| false).await;
        files.add(image.clone());
        std::fs::write(&image, "x").unwrap();
        files.changed(|| false).await;
    }
}
