//! Changes of many slots at once without a page file: `links slots rewrite` and `links slots import`. All pages are read, planned and checked
//! before the first write; each page has a journal of its own, so that an interrupted run is continued and `links undo` undoes it.

pub(crate) mod csv_rows;
pub(crate) mod import;
mod report;
pub(crate) mod rewrite;
mod session;
pub(crate) mod slot_filter;

use std::rc::Rc;
use std::sync::Arc;

use links_sdk::ProfileKey;
use links_sdk::account::PageRequest;
use links_sdk::apply::{DesiredPage, JournalEntries, PageSnapshot};

use crate::apply::run_progress::RunProgress;
use crate::apply::runs;
use crate::context::Context;
use crate::error::CommandError;
use crate::journal;
use crate::output::{CommandOutput, StyledLine};
use crate::schema::slot_types::SlotTypeCatalog;

use session::BulkSession;
pub(crate) use session::invalid;

/// Decision what a page should have.
pub(crate) trait PageEdit {
    /// Name of the command, for the journal and for messages: `slots rewrite`.
    fn command(&self) -> &'static str;

    /// Returns what is asked of a page. `interrupted` is an unfinished run of the same command line on that page.
    fn ask(
        &self,
        page: &PageSnapshot,
        types: &SlotTypeCatalog,
        interrupted: Option<&JournalEntries>,
    ) -> Result<AskedPage, CommandError>;

    /// Returns the name of an item that was refused: a slot of a page, or a line of a file.
    fn item_name(&self, login: &str, asked: &DesiredPage, index: usize) -> String;

    /// Question before the run. `slots` is the number of slots that it changes or creates, `pages` that of their pages.
    fn question(&self, slots: usize, pages: usize) -> String;
}

/// What is asked of a page.
pub(crate) struct AskedPage {
    /// The slots to write: an item with an id is changed, one without is new. A run that was interrupted is recognised by it.
    pub(crate) items: Arc<DesiredPage>,
    /// True if new slots come before the others.
    pub(crate) at_top: bool,
    /// Notes for the user.
    pub(crate) notes: Vec<StyledLine>,
}

/// Pages and options of a bulk change.
pub(crate) struct BulkRequest {
    pub(crate) pages: Vec<ProfileKey>,
    /// True if the changes are confirmed.
    pub(crate) yes: bool,
    /// True if the run waits for other runs on the same pages.
    pub(crate) wait: bool,
}

/// Changes pages, or shows what would be changed in a dry run.
pub(crate) async fn run(
    context: &mut Context,
    request: BulkRequest,
    edit: &dyn PageEdit,
) -> Result<CommandOutput, CommandError> {
    let client = context.client().await?;
    let types = context.slot_types().await?;
    let (state, service) = (runs::directory(context)?, runs::service(context).unwrap_or_default());
    let (owner, command) = (context.owner(), journal::command(context, edit.command()));
    let how = context.dry_run();
    let pages: Vec<PageRequest> = request
        .pages
        .iter()
        .map(|key| PageRequest { keys: vec![key.clone()], path: None, may_create: false })
        .collect();
    let mut session = BulkSession::new(context, client.clone(), types, edit, &request);
    let running: Rc<RunProgress> = session.running.clone();
    let run = client.account().apply_with(pages, &mut session);
    let run = run.journal(state, service, owner).command(Some(command)).wait(request.wait);
    if let Some(how) = how {
        Box::pin(run.plan()).await.map_err(|failure| failure.into_error(edit, None))?;
        return report::dry_run(session, how).await;
    }
    let ended = tokio::select! {
        ended = Box::pin(run.run()) => Some(ended),
        () = running.second_interrupt() => None,
    };
    let suppressed = running.ended();
    drop(running);
    let Some(ended) = ended else {
        suppressed.into_iter().for_each(crate::signal::SuppressInterrupt::end_soon);
        return Err(session.interrupted("; the last request may still have been carried out"));
    };
    let ended = ended.map_err(|failure| failure.into_error(edit, None))?;
    report::applied(session, ended)
}
