//! An edit of pages that no file describes: what `links slots rewrite`, `links slots import` and `links undo` ask for, and its plan for a page.

use std::sync::Arc;

use links_pages::apply::{
    ItemError, JournalEntries, JournalStore, OpenPage, Plan, PlanError, PlanOptions, Proposal,
    RunEnding, RunState,
};
use links_pages::page_file::{Document, PageContent};

use crate::apply::execute::{RunFailure, interrupted_note};
use crate::apply::lock_only::LockOnly;
use crate::apply::planned::PlannedPage;
use crate::apply::problems::{invalid, violations};
use crate::apply::runs;
use crate::bulk::AskedPage;
use crate::bulk::page_undo::PageUndo;
use crate::bulk::rewrite::SlotFilter;
use crate::context::prelude::*;
use crate::error::for_account;
use crate::schema::validate::SchemaViolation;

/// What is to become of pages.
pub(crate) enum PageEdit {
    Rewrite(SlotFilter),
    /// New slots on each page.
    Import(Box<AskedPage>),
    /// The reverse of an operation, on each of its pages.
    Undo(Vec<PageUndo>),
}

/// An edit with the pages that it is for.
pub(crate) struct SlotsEdit {
    pub(crate) edit: PageEdit,
    pub(crate) pages: Vec<ProfileKey>,
    pub(crate) types: SlotTypeCatalog,
}

impl SlotsEdit {
    /// Settles what an interrupted run left open on a page, and plans. Also returns a note about that run, if there was one.
    pub(super) async fn plan(
        &self,
        context: &Context,
        open: &mut OpenPage,
    ) -> Result<(PlannedPage, Option<String>), RunFailure> {
        let page = open.snapshot().clone();
        let asked = match &self.edit {
            PageEdit::Rewrite(filter) => {
                let interrupted = unfinished(context, page.id, &filter.digest);
                filter.ask(&page, &self.types, &interrupted)?
            }
            PageEdit::Import(asked) => AskedPage::clone(asked),
            PageEdit::Undo(pages) => PageUndo::of(pages, &page)?.ask(),
        };
        if let Some(command) = &asked.command {
            open.record_as(command.clone());
        }
        let content = PageContent::of_slots(ProfileKey::Id(page.id), asked.content.clone());
        let undoes = asked.command.as_ref().and_then(|command| command.undoes.as_deref());
        let settled = open.settle(&content.content).await?;
        let note = settled.map(|(log, is_resumed)| {
            let note = interrupted_note(&log, is_resumed, undoes);
            let is_left = !is_resumed && undoes != Some(&*log.run);
            let undo = || for_account(format!("`links undo {}`", log.run));
            if is_left { format!("{note}; to undo them, run {}", undo()) } else { note }
        });
        let (page, created) = (open.snapshot().clone(), open.created());
        let wanted = match &self.edit {
            PageEdit::Undo(pages) => PageUndo::of(pages, &page)?.wanted(open)?,
            PageEdit::Rewrite(_) | PageEdit::Import(_) => asked.among_others(open),
        };
        let edited = asked.items;
        let options = PlanOptions { types: self.types.rules(), created, ..PlanOptions::default() };
        let plan = Plan::of_page(&page, &wanted, &options).map_err(|error| match error {
            PlanError::Items(items) => {
                let line =
                    |item: &ItemError| format!("{}: {}", edited.name(item.index), item.problem);
                invalid(items.iter().map(line).collect())
            }
            other => CommandError::refused(format!("{}: {other}; nothing was written", page.login)),
        })?;
        let line = |(index, fault): (usize, SchemaViolation)| {
            format!("{}: {}", edited.name(index), fault.in_words())
        };
        let found = violations(&plan, &page.slots, &self.types);
        let found: Vec<String> = found.into_iter().map(line).collect();
        if !found.is_empty() {
            return Err(invalid(found).into());
        }
        let file = content.content.clone();
        let planned = PlannedPage {
            file: PageFile::without_references(content, Document::default()),
            record: None,
            page,
            proposal: Proposal { file, wanted, options, plan: Arc::new(plan) },
            described: None,
            merged: None,
            refusal: None,
            lock_only: LockOnly::default(),
            edited: Some(edited),
        };
        Ok((planned, note))
    }
}

/// Returns the unfinished run on a page that asks for the same, and those that it has replaced, the newest first; or the one that is done,
/// if the command that it belongs to is not done on another page.
fn unfinished(context: &Context, page: ProfileId, digest: &str) -> Vec<JournalEntries> {
    let (Ok(state), Some(service)) = (runs::directory(context), runs::service(context)) else {
        return Vec::new();
    };
    let recorded = JournalStore::of(&state, &service, page).list().unwrap_or_default();
    let is_same = |log: &JournalEntries| {
        let command = &log.opening.command;
        command.name == context.command && command.digest.as_deref() == Some(digest)
    };
    let logs = recorded.into_iter().rev().map_while(|run| run.log.ok()).take_while(is_same);
    let is_open = |done: &JournalEntries| {
        let call = &done.opening.command.call;
        let others = JournalStore::all(&state, Some(&service)).unwrap_or_default().into_iter();
        let mut newest = others.filter_map(|page| page.list().ok()?.pop()?.log.ok());
        call.is_some()
            && newest.any(|log| log.state != RunState::Done && log.opening.command.call == *call)
    };
    let chained = logs.enumerate().map_while(|(nth, log)| {
        let is_meant = match (nth, log.state) {
            (0, RunState::Unfinished) => true,
            (0, RunState::Done) => is_open(&log),
            (0, _) => false,
            (_, state) => state == RunState::Ended(RunEnding::Replaced),
        };
        is_meant.then_some(log)
    });
    chained.collect()
}
