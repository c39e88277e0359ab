//! `links preview --serve`: the preview as a page on loopback that follows its file.

mod http_server;
mod serve_session;
mod watcher;

use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::Poll;

use http_server::{HEAD_LIMIT, Routes};
use serde_json::json;
pub(crate) use serve_session::ApplyWhen;
use serve_session::{ApplyOrder, ServeSession, Served};
use tokio::sync::mpsc;
use tokio::task::LocalSet;
use watcher::FileWatcher;

use super::render::{PreviewRequest, PreviewSource};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::signal::SuppressInterrupt;

/// Serves the preview until Ctrl-C. Prints the URL first. `apply` says when the file is applied; `None` is never.
pub(crate) async fn serve(
    context: &Context,
    request: PreviewRequest,
    port: Option<u16>,
    apply: Option<ApplyWhen>,
) -> Result<CommandOutput, CommandError> {
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
    let served = Rc::new(Served::new());
    let file = request.path.display().to_string();
    let mut session = ServeSession::new(context.unattended(), request, apply, &served);
    session.begin().await?;
    let url = format!("http://{host}/{}/", served.secret());
    // The reader of the URL may stop the server at once.
    let suppressed = SuppressInterrupt::new();
    let mut stopped = Box::pin(tokio::signal::ctrl_c());
    poll_fn(|context| Poll::Ready(stopped.as_mut().poll(context).is_ready())).await;
    let when = apply.map(|when| if when == ApplyWhen::Key { "key" } else { "save" });
    let lines = vec![
        StyledLine::new(Style::Plain, url.clone()),
        StyledLine::new(Style::Faint, format!("shows {file} until Ctrl-C")),
    ];
    let data = json!({ "url": url, "file": file, "apply": when });
    Ok(CommandOutput {
        then: Some(Box::pin(async move {
            let (orders, ordered) = mpsc::channel(1);
            let local = LocalSet::new();
            let routes = Routes { host, served, orders: apply.map(|_| orders) };
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
        session.watch_images(&mut watcher);
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
