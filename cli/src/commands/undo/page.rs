//! Undo of a write to a page: its slots and its profile fields.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use links_pages::apply::{
    DesiredPage, JournalStore, NotRestored, PageSnapshot, RunCommand, Undo, fingerprint,
};
use links_pages::page_file::{PageContent, PageFile};
use links_pages::undo::UndoSource;
use links_sdk::{Client, Object, ProfileKey, SlotId};
use serde_json::{Value, json};

use super::conflict;
use super::selection::{UndoArgs, UndoneWrite};
use crate::account::apply;
use crate::account::request::RunSource;
use crate::apply::apply_args::{Allowed, ApplyArgs, RunOptions};
use crate::apply::runs;
use crate::apply::sync::recreated_slots;
use crate::commands::profile::login;
use crate::context::Context;
use crate::error::CommandError;
use crate::journal;
use crate::output::{CommandOutput, Style};

const LANGUAGE: &str = "languageCode";
const LOGIN: &str = "login";

pub(super) async fn undo(
    context: &mut Context,
    client: &Client,
    undone: &UndoneWrite,
    args: &UndoArgs,
) -> Result<CommandOutput, CommandError> {
    let mut now = PageSnapshot::read(client, &undone.page()?).await?;
    let service = runs::service(context).unwrap_or_default();
    let source = UndoSource {
        log: undone.log.clone(),
        store: undone.store.clone(),
        runs: JournalStore::of(&runs::directory(context)?, &service, now.id),
    };
    if source.wrote(LANGUAGE) {
        now.read_language(client).await?;
    }
    let types = context.slot_types().await?.rules();
    let undo = source.reverse(&now, &types, args.overwrite).map_err(|it| runs::list_error(&it))?;
    for lost in &undo.not_restored {
        context.ui.tell(Style::Removed, lost_line(lost));
    }
    let conflicts: Vec<String> = undo.conflicts.iter().map(conflict::line).collect();
    conflict::refuse(&context.ui, &conflicts)?;
    consent_to_login(context, client, &undo.desired, &now, args).await?;

    let (source, options) = request(context, undone, &undo, &now, args)?;
    let mut outcome = apply(context, source, options).await?;
    if let Some(body) = outcome.body.own_mut()
        && let Some(data) = body["data"].as_object_mut()
    {
        let ids = created_ids(data, &undo.recreates);
        let lost = undo.not_restored.iter().map(lost_record).collect();
        data.insert("undone".to_owned(), undone.log.run.clone().into());
        data.insert("notRestored".to_owned(), Value::Array(lost));
        if context.dry_run().is_none() {
            let file = undone.log.opening.path.as_deref().map(Path::new);
            for line in recreated_slots::record(context, now.id, &ids, file) {
                context.ui.say(&line);
            }
        }
    }
    Ok(outcome)
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

/// Returns a page file of the slots that the page should have, and the options of the run that applies it.
fn request(
    context: &Context,
    undone: &UndoneWrite,
    undo: &Undo,
    now: &PageSnapshot,
    args: &UndoArgs,
) -> Result<(RunSource, RunOptions), CommandError> {
    let key = ProfileKey::Id(now.id);
    let page = PageContent::of_slots(key, DesiredPage::from(undo.desired.slots.clone()));
    let text = serde_json::to_vec(&page).map_err(CommandError::internal)?;
    let mut file = PageFile::made(&format!("the page before {}", undone.log.run), text)?;
    Arc::make_mut(&mut file.page.content).fields = undo.desired.fields.clone();
    let fields = now.fields();
    let seen_fields: Object = undo
        .desired
        .fields
        .keys()
        .map(|name| (name.clone(), fields.get(name).cloned().unwrap_or_default()))
        .collect();
    let command = RunCommand {
        undoes: Some(undone.log.run.clone()),
        recreates: undo.recreates.clone(),
        ..journal::command(context, "undo")
    };
    let flags = ApplyArgs {
        yes: args.yes,
        allow_empty: true,
        full: args.full,
        prune: !undo.deletes.is_empty(),
        max_deletes: Some(undo.deletes.len()),
        ..ApplyArgs::default()
    };
    let options = RunOptions {
        flags,
        command,
        seen_fields,
        is_one_page: true,
        is_unrecorded: true,
        // A login that an undo changes back was confirmed before.
        allowed: Allowed { allow_create: 0, allow_rename: true },
        exact: undo.recreates.keys().copied().collect(),
        kept_reason: Some("newer than the run; kept"),
        made_for: Some(fingerprint(&now.slots)),
        wait: args.wait,
        asks: true,
        ..RunOptions::default()
    };
    Ok((RunSource::text(file), options))
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
