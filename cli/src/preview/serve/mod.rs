//! `links preview --serve`: the preview as a page on loopback that follows its file.

mod http_server;
mod serve_session;

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use http_server::{HEAD_LIMIT, Routes};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
pub(crate) use serve_session::ApplyWhen;
use serve_session::{ApplyOrder, ServeSession};
use tokio::sync::mpsc;
use tokio::task::LocalSet;
use tokio::time::timeout;
use uuid::Uuid;

use super::render::{PreviewRequest, PreviewSource};
use crate::context::prelude::*;
use crate::signal::SuppressInterrupt;
use links_pages::fs::directory_of;

/// Serves the preview until Ctrl-C. Prints the URL first. `apply` says when the file is applied; `None` is never.
pub(crate) async fn serve(
    context: &Context,
    request: PreviewRequest,
    port: Option<u16>,
    apply: Option<ApplyWhen>,
) -> Result<CommandOutput> {
    if request.path.as_os_str() == "-" {
        return Err(CommandError::usage("standard input cannot be served: it does not change")
            .with_hint("name a page file"));
    }
    // What cannot be read at all is an error of the command, not of the file.
    PreviewSource::read_served(&request.path, &request.options.flags.upload_root)?;
    let cannot_serve =
        |error: io::Error| CommandError::usage(format!("cannot serve the preview: {error}"));
    let listener = http_server::bind(port.unwrap_or_default()).map_err(cannot_serve)?;
    let host = listener.local_addr().map_err(cannot_serve)?.to_string();
    let watcher = FileWatcher::new(&request.path).map_err(|error| {
        CommandError::usage(format!("cannot watch {}: {error}", request.path.display()))
    })?;
    let file = request.path.display().to_string();
    let mut session = ServeSession::new(context.unattended(), request, apply);
    session.begin().await?;
    let secret = Uuid::new_v4().simple().to_string();
    let url = format!("http://{host}/{secret}/");
    // The reader of the URL may stop the server at once.
    let suppressed = SuppressInterrupt::new();
    let mut stopped = Box::pin(tokio::signal::ctrl_c());
    poll_fn(|context| Poll::Ready(stopped.as_mut().poll(context).is_ready())).await;
    let when = apply.map(|when| if when == ApplyWhen::Key { "key" } else { "save" });
    let lines = vec![
        StyledLine::plain(url.clone()),
        StyledLine::faint(format!("shows {file} until Ctrl-C")),
    ];
    let data = json!({ "url": url, "file": file, "apply": when });
    Ok(CommandOutput {
        then: Some(Box::pin(async move {
            let (orders, ordered) = mpsc::channel(1);
            let local = LocalSet::new();
            let (document, orders) = (session.document(), apply.map(|_| orders));
            let routes = Routes { host, secret, document, orders };
            local.spawn_local(http_server::run(listener, routes, HEAD_LIMIT));
            let followed = Box::pin(follow(session, watcher, ordered, &mut stopped));
            let ended = local.run_until(followed).await;
            if ended.is_err() {
                return Exit::Internal;
            }
            // The thread of the signal may get to this Ctrl-C later than this task.
            suppressed.end_soon();
            Exit::Interrupted
        })),
        ..CommandOutput::own(data, View::Lines(lines))
    })
}

/// Follows the file and the orders of the user until Ctrl-C. Ctrl-C ends what only reads at once, and a run as it does in `links apply`.
async fn follow(
    mut session: ServeSession,
    mut watcher: FileWatcher,
    mut ordered: mpsc::Receiver<ApplyOrder>,
    stopped: &mut (impl Future<Output = io::Result<()>> + Unpin),
) -> io::Result<()> {
    loop {
        for image in session.preview.iter().flat_map(|preview| preview.images.values()) {
            // An image in a directory that cannot be watched is read again when the file is saved.
            let _ = image.path().parent().map(|directory| watcher.watch(directory));
        }
        let order = tokio::select! {
            biased;
            ended = &mut *stopped => return ended,
            () = watcher.changed() => None,
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
                ended = &mut *stopped => return ended,
                is_due = session.refresh() => is_due,
            };
            if let Some((reply, state)) = replied.take() {
                // The browser may have gone.
                let _ = reply.send(state);
            }
            if !is_due {
                break;
            }
            session.apply_saved().await;
        }
    }
}

/// Time without a further event after which a save counts as complete: editors write in several steps.
const QUIET: Duration = Duration::from_millis(30);

/// Watcher of the page file and its images: their directories, because editors replace files.
struct FileWatcher {
    watcher: RecommendedWatcher,
    events: mpsc::UnboundedReceiver<()>,
    watched: BTreeSet<PathBuf>,
}

impl FileWatcher {
    /// Watches the directory of a file, and the directory that a link leads to.
    fn new(file: &Path) -> notify::Result<Self> {
        let (sender, events) = mpsc::unbounded_channel();
        let heard = move |event: notify::Result<notify::Event>| {
            let is_read =
                event.as_ref().is_ok_and(|event| event.kind.is_access() && !is_closed(event));
            if !is_read {
                // Without a receiver the session has ended.
                let _ = sender.send(());
            }
        };
        let watcher = RecommendedWatcher::new(heard, Config::default())?;
        let mut watcher = Self { watcher, events, watched: BTreeSet::new() };
        watcher.watch(directory_of(file))?;
        if let Ok(target) = file.canonicalize() {
            watcher.watch(directory_of(&target))?;
        }
        Ok(watcher)
    }

    /// Watches a directory too, unless it is watched already.
    fn watch(&mut self, directory: &Path) -> notify::Result<()> {
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        if !self.watched.contains(&directory) {
            self.watcher.watch(&directory, RecursiveMode::NonRecursive)?;
            self.watched.insert(directory);
        }
        Ok(())
    }

    /// Waits until something has changed in the directories, and is complete.
    async fn changed(&mut self) {
        if self.events.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
        while let Ok(Some(())) = timeout(QUIET, self.events.recv()).await {}
    }
}

/// Returns whether a file was closed after it was written.
fn is_closed(event: &notify::Event) -> bool {
    use notify::event::{AccessKind, AccessMode, EventKind};
    event.kind == EventKind::Access(AccessKind::Close(AccessMode::Write))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_that_is_written_renamed_or_created_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("cafe.yaml");
        std::fs::write(&file, "a").unwrap();
        let mut watcher = FileWatcher::new(&file).unwrap();
        std::fs::write(&file, "b").unwrap();
        watcher.changed().await;
        std::fs::write(directory.path().join("new"), "c").unwrap();
        watcher.changed().await;
        std::fs::rename(directory.path().join("new"), &file).unwrap();
        watcher.changed().await;
        std::fs::remove_file(&file).unwrap();
        watcher.changed().await;
        let images = directory.path().join("images");
        std::fs::create_dir(&images).unwrap();
        watcher.changed().await;
        watcher.watch(&images).unwrap();
        std::fs::write(images.join("a.png"), "x").unwrap();
        watcher.changed().await;
    }
}
