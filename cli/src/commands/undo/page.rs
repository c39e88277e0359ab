//! Undo of a write to a page: its slots and its profile fields.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use links_pages::apply::{
    DesiredPage, DesiredSlot, NotRestored, PageSnapshot, RunCommand, RunState, Undo, UndoOptions,
    fingerprint,
};
use links_sdk::{Client, Object, ProfileKey, SlotId};
use serde_json::{Value, json};

use super::conflict;
use super::selection::{UndoArgs, UndoneWrite};
use crate::account::one_page::{ApplyRequest, apply};
use crate::apply::apply_args::{ApplyArgs, RunOrigin};
use crate::apply::sync::recreated_slots;
use crate::apply::write_log::{self, LoggedWrite};
use crate::commands::profile::login;
use crate::context::Context;
use crate::error::CommandError;
use crate::journal;
use crate::output::{CommandOutput, Style};
use crate::page_file::{PageContent, PageFile};

const LANGUAGE: &str = "languageCode";
const LOGIN: &str = "login";

pub(super) async fn undo(
    context: &mut Context,
    client: &Client,
    undone: &UndoneWrite,
    args: &UndoArgs,
) -> Result<CommandOutput, CommandError> {
    let mut now = PageSnapshot::read(client, &undone.page()?).await?;
    if wrote(undone, LANGUAGE) {
        now.read_language(client).await?;
    }
    let types = context.slot_types().await?.rules();
    let before = backup(undone)?;
    let (recreated, unplaced) = recreated_before(context, undone, &now)?;
    let options = UndoOptions {
        types: &types,
        before: before.as_deref(),
        recreated: &recreated,
        unplaced: &unplaced,
        overwrite: args.overwrite,
    };
    let undo = Undo::of(&undone.log, &now.slots, &now.fields(), &options);
    for lost in &undo.not_restored {
        context.ui.tell(Style::Removed, lost_line(lost));
    }
    let conflicts: Vec<String> = undo.conflicts.iter().map(conflict::line).collect();
    conflict::refuse(&context.ui, &conflicts)?;
    consent_to_login(context, client, &undo.desired, &now, args).await?;

    let request = request(context, undone, &undo, &now, args)?;
    let mut outcome = apply(context, request).await?;
    if let Some(body) = outcome.body.own_mut()
        && let Some(data) = body["data"].as_object_mut()
    {
        let ids = created_ids(data, &undo.recreates);
        let lost = undo.not_restored.iter().map(lost_record).collect();
        data.insert("undone".to_owned(), undone.run.clone().into());
        data.insert("notRestored".to_owned(), Value::Array(lost));
        if context.dry_run().is_none() {
            let file = undone.log.opening().path.as_deref().map(Path::new);
            for line in recreated_slots::record(context, now.id, &ids, file) {
                context.ui.say(&line);
            }
        }
    }
    Ok(outcome)
}

/// Tells whether the run wrote a profile field, or may have.
fn wrote(undone: &UndoneWrite, name: &str) -> bool {
    undone.log.plan().is_some_and(|plan| plan.fields.changed.contains_key(name))
        || undone.log.fields().iter().any(|(_, fields)| fields.changed.contains_key(name))
}

/// Returns the slots before the run, if its journal has them.
fn backup(undone: &UndoneWrite) -> Result<Option<Vec<DesiredSlot>>, CommandError> {
    let path = undone.store.backup(&undone.run);
    if !path.exists() {
        return Ok(None);
    }
    let file = PageFile::read_literal(&path)?;
    Ok(Some(file.page.content.slots.clone()))
}

/// Returns the ids of the slots that earlier commands have created again, by their earlier ids; and those of them that an interrupted undo
/// of the same run has created.
fn recreated_before(
    context: &Context,
    undone: &UndoneWrite,
    now: &PageSnapshot,
) -> Result<(BTreeMap<SlotId, SlotId>, BTreeSet<SlotId>), CommandError> {
    let (mut ids, mut unplaced) = (BTreeMap::new(), BTreeSet::new());
    let all = write_log::all(context)?;
    for write in all.iter().filter(|it| it.is_run && it.page_id() == Some(now.id)) {
        let pairs = recreated_by(write, now);
        if is_unfinished_undo(write, &undone.run) {
            unplaced.extend(pairs.iter().map(|(_, new)| *new));
        }
        ids.extend(pairs);
    }
    Ok((ids, unplaced))
}

fn is_unfinished_undo(write: &LoggedWrite, run: &str) -> bool {
    write.log().is_some_and(|log| {
        let undoes = log.opening().command.as_ref().and_then(|command| command.undoes.as_deref());
        log.state() != RunState::Done && undoes == Some(run)
    })
}

fn recreated_by(write: &LoggedWrite, now: &PageSnapshot) -> Vec<(SlotId, SlotId)> {
    let Some(log) = write.log() else { return Vec::new() };
    let Some(command) = &log.opening().command else { return Vec::new() };
    let created = log.created_on(&now.slots);
    let pair = |(index, old): (&usize, &SlotId)| Some((*old, *created.get(index)?));
    command.recreates.iter().filter_map(pair).collect()
}

/// Asks for consent if the undo changes the login back, as a rename does.
async fn consent_to_login(
    context: &Context,
    client: &Client,
    desired: &DesiredPage,
    now: &PageSnapshot,
    args: &UndoArgs,
) -> Result<(), CommandError> {
    let Some(old) = desired.fields.get(LOGIN).and_then(Value::as_str) else { return Ok(()) };
    if old.eq_ignore_ascii_case(&now.login) {
        return Ok(());
    }
    login::check_available(client, old, Some(&ProfileKey::Id(now.id))).await?;
    let url = now.url.clone().unwrap_or_else(|| now.login.clone());
    login::require_consent(context, &now.login, &url, args.confirm.clone())
}

/// Returns the request to the engine of `apply`: a page file of the slots that the page should have.
fn request(
    context: &Context,
    undone: &UndoneWrite,
    undo: &Undo,
    now: &PageSnapshot,
    args: &UndoArgs,
) -> Result<ApplyRequest, CommandError> {
    let key = ProfileKey::Id(now.id);
    let page = PageContent::of_slots(key, DesiredPage::from(undo.desired.slots.clone()));
    let text = serde_json::to_vec(&page).map_err(CommandError::internal)?;
    let mut file = PageFile::made(&format!("the page before {}", undone.run), text)?;
    Arc::make_mut(&mut file.page.content).fields = undo.desired.fields.clone();
    let fields = now.fields();
    let seen_fields: Object = undo
        .desired
        .fields
        .keys()
        .map(|name| (name.clone(), fields.get(name).cloned().unwrap_or_default()))
        .collect();
    let command = RunCommand {
        undoes: Some(undone.run.clone()),
        recreates: undo.recreates.clone(),
        ..journal::command(context, "undo")
    };
    let apply_args = ApplyArgs {
        yes: args.yes,
        allow_empty: true,
        full: args.full,
        prune: !undo.deletes.is_empty(),
        max_deletes: Some(undo.deletes.len()),
        exact: undo.recreates.keys().copied().collect(),
        kept_reason: Some("newer than the run; kept"),
        origin: Some(Box::new(RunOrigin { command, seen_fields })),
        ..ApplyArgs::default()
    };
    Ok(ApplyRequest {
        source: file.into(),
        path: None,
        apply_args,
        wait: args.wait,
        ask: true,
        dry_run: args.dry_run,
        seen: Some(fingerprint(&now.slots)),
    })
}

/// Returns the new ids of the slots that were created again, by their earlier ids.
fn created_ids(
    data: &serde_json::Map<String, Value>,
    recreates: &BTreeMap<usize, SlotId>,
) -> BTreeMap<SlotId, SlotId> {
    let created = data.get("done").and_then(|done| done["created"].as_object());
    let id = |index: &usize| created?.get(&index.to_string())?.as_i64().map(SlotId::new);
    recreates.iter().filter_map(|(index, old)| Some((*old, id(index)?))).collect()
}

fn lost_line(lost: &NotRestored) -> String {
    match lost {
        NotRestored::Field { name } => format!("{name} cannot be restored by this command"),
        NotRestored::Slot { id, kind } => {
            format!("{kind} {id} cannot be restored: such a slot cannot be created")
        }
        NotRestored::Key { id, key } => {
            format!("slot {id}: `{key}` was added and is kept: the service cannot clear it")
        }
        NotRestored::Create { kind } => {
            format!(
                "perhaps a {kind} was created, but the answer was lost: `links slots list` shows it"
            )
        }
        _ => "something cannot be restored".to_owned(),
    }
}

fn lost_record(lost: &NotRestored) -> Value {
    match lost {
        NotRestored::Field { name } => json!({ "field": name }),
        NotRestored::Slot { id, kind } => json!({ "id": id, "type": kind }),
        NotRestored::Key { id, key } => json!({ "id": id, "key": key }),
        NotRestored::Create { kind } => json!({ "type": kind }),
        _ => Value::Null,
    }
}
