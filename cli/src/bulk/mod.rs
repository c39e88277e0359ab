//! Changes of many slots at once without a page file: `links slots rewrite` and `links slots import`. All pages are read, planned and checked
//! before the first write; each page has a journal of its own, so that an interrupted run is continued and `links undo` undoes it.

pub(crate) mod import;
mod report;
pub(crate) mod rewrite;
mod session;
mod state;

use std::rc::Rc;

use links_pages::apply::{PageRequest, Run, RunCommand};
use links_sdk::ProfileKey;
use session::BulkSession;
pub(crate) use state::{BulkArgs, invalid};
use state::{PageEdit, run_error};

use crate::apply::run_progress::RunProgress;
use crate::apply::runs;
use crate::context::Context;
use crate::error::CommandError;
use crate::journal;
use crate::output::CommandOutput;

/// Changes pages, or shows what would be changed in a dry run.
pub(crate) async fn run(
    context: &mut Context,
    keys: Vec<ProfileKey>,
    args: BulkArgs,
    edit: &dyn PageEdit,
) -> Result<CommandOutput, CommandError> {
    let client = context.client().await?;
    let types = context.slot_types().await?;
    let command = RunCommand { digest: edit.digest(), ..journal::command(context, edit.command()) };
    let settings = runs::write_settings(context, command)?.wait(args.wait);
    let how = context.dry_run();
    let pages: Vec<PageRequest> = keys
        .into_iter()
        .map(|key| PageRequest { keys: vec![key], path: None, may_create: false })
        .collect();
    let mut session = BulkSession::new(context, client.clone(), types, edit, pages.len(), args);
    let running: Rc<RunProgress> = session.running.clone();
    if let Some(how) = how {
        let found = Run::plan(&client, pages, settings).await;
        let found = found.map_err(|error| run_error(error.into(), edit, None))?;
        Box::pin(session.open(&found)).await?;
        return report::dry_run(&session.context.ui, &session.state, how).await;
    }
    let Some(ended) = running.watch(Box::pin(session.run(pages, settings))).await else {
        return report::ended_at_once(session.context, &session.state);
    };
    let ended = ended?;
    report::applied(session.context, &mut session.state, ended)
}
