//! `links undo` and `links redo`: take back the writes of an operation, on all its pages and forms.

mod files;
mod reverse;
mod selection;

use std::rc::Rc;

use self::reverse::Reverse;
use self::selection::UndoneOperation;
pub(crate) use self::selection::{Direction, UndoArgs, accounts};
use super::prelude::*;
use crate::account::apply;
use crate::account::edit::{PageEdit, SlotsEdit};
use crate::account::pull::files_of;
use crate::account::request::RunSource;
use crate::apply::apply_args::{Allowed, ApplyArgs, RunOptions};
use crate::apply::operation_file::OperationFile;
use crate::apply::operations::{LIST, Operations};
use crate::apply::sync::recreated_slots;
use crate::bulk::page_undo::{PageUndo, created_ids};
use crate::commands::profile::login;

pub(crate) async fn run(
    context: &mut Context,
    mut args: UndoArgs,
    direction: Direction,
) -> CommandResult {
    let target = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    if let (Some(from), Some(out)) = (&args.from, &args.out.operation_out)
        && target(from) == target(out)
    {
        let message =
            format!("--operation-out would replace {}; nothing was written", from.display());
        return Err(CommandError::usage(message).with_hint("choose another file"));
    }
    let client = operation_file::writer(context, args.out.clone()).await?;
    if let Some(key) = &args.page {
        key.page(&client).await?;
    }
    let file = match &args.from {
        Some(path) => Some(OperationFile::read(context, &client, path).await?),
        None => None,
    };
    let (operations, found) = operations(context, file.as_ref(), &args, direction)?;
    selection::tell_skipped(context, &operations, &args, (direction, &found));
    if let (Some(_), Some(index)) = (&args.operation, found.first()) {
        // A beginning of its name may also be that of a run of this undo.
        args.name(operations.all[*index].id());
    }
    let mut types = None;
    let mut candidates = found.into_iter().peekable();
    while let Some(index) = candidates.next() {
        let operation = &operations.all[index];
        if operation.parts.iter().any(|part| part.is_foreign)
            && !selection::is_of_one_account(context, &args)
        {
            let line = operation.parts[0].command_line();
            let message = format!(
                "nothing left to undo after `links {line}`, which wrote to several accounts"
            );
            let hint = format!("to undo it on all of them, run `links undo {}`", operation.id());
            return Err(CommandError::not_found(message).with_hint(hint));
        }
        selection::tell_others(context, &operations, index);
        let undone = UndoneOperation::of(&operations, index, &args, &BTreeSet::new())?;
        tell(context, &undone);
        let types = match &types {
            Some(types) => types,
            None => types.insert(context.slot_types().await?),
        };
        let older = candidates.peek().map(|older| operations.all[*older].id());
        let reverse = reverse(context, &client, (&undone, types), &args, older).await?;
        // An earlier undo that was cut short is ended by this one.
        let is_ended =
            undone.continues.is_none() && (undone.cut_short.is_empty() || !reverse.is_whole());
        let is_settled = is_ended && !reverse.has_changes();
        if is_settled && candidates.peek().is_some() {
            let text = "nothing left to undo here; continuing with the operation before it";
            context.ui.tell(Style::Plain, text);
            if context.dry_run().is_none() {
                undone.close(reverse.is_whole(), &BTreeMap::new());
            }
            continue;
        }
        let taken = (undone, reverse, file);
        return Box::pin(take_back_whole(context, &client, taken, types, &args)).await;
    }
    let message = format!("nothing to {}", direction.verb());
    Err(CommandError::not_found(message).with_hint(LIST))
}

/// Returns the operations, with that of a file, and those that can be taken back, the newest first.
fn operations(
    context: &Context,
    file: Option<&OperationFile>,
    args: &UndoArgs,
    direction: Direction,
) -> Result<(Operations, Vec<usize>)> {
    if let (Some(file), Some(path)) = (file, &args.from) {
        let (operations, index) = file.clone().among(context, &path.display().to_string())?;
        return Ok((operations, vec![index]));
    }
    let operations = Operations::read(context)?;
    let found = selection::candidates(context, &operations, args, direction)?;
    Ok((operations, found))
}

/// Reads the pages and forms of an operation and reverses its writes to them. Says what stays, and refuses what others changed since.
async fn reverse(
    context: &Context,
    client: &Client,
    (undone, types): (&UndoneOperation<'_>, &SlotTypeCatalog),
    args: &UndoArgs,
    older: Option<&str>,
) -> Result<Reverse> {
    let reverse = Reverse::read(context, client, (undone, types), args).await?;
    for (line, _) in &reverse.lost {
        context.ui.tell(Style::Removed, line.clone());
    }
    for line in &reverse.conflicts {
        let more = if args.keep_changed { "; kept" } else { "" };
        context.ui.tell(Style::Changed, format!("! {line}{more}"));
    }
    refuse(undone, &reverse, args, older)?;
    Ok(reverse)
}

/// Takes an operation back, its newest writes to each page first.
async fn take_back_whole(
    context: &mut Context,
    client: &Client,
    (undone, mut reverse, file): (UndoneOperation<'_>, Reverse, Option<OperationFile>),
    types: &SlotTypeCatalog,
    args: &UndoArgs,
) -> CommandResult {
    let filed = std::mem::take(&mut reverse.filed);
    let found = if args.files { files_of(context, &filed)? } else { Default::default() };
    let (id, is_cut) = (undone.id.clone(), undone.is_cut());
    let mut taken: BTreeSet<String> = undone.runs().collect();
    let mut outcome = take_back(context, client, undone, &mut reverse, types, args).await?;
    while outcome.then.is_none() {
        let of = (&*id, file.as_ref(), &mut taken);
        match take_back_earlier(context, client, of, types, args).await {
            Ok(Some(more)) => add(&mut outcome, more),
            Ok(None) => break,
            Err(failure) => {
                let failure =
                    failure.partly_written("the operation's newer writes were already undone");
                let failure = failure.after_writes(&context.written());
                outcome = context.with_failure(outcome, failure);
            }
        }
    }
    if args.files && outcome.then.is_none() {
        return files::follow(context, outcome, found, is_cut).await;
    }
    files::tell(context, filed);
    Ok(outcome)
}

/// Takes back the writes of an operation that came before those in `taken` and are left, if there are any. A dry run only names them.
async fn take_back_earlier(
    context: &mut Context,
    client: &Client,
    (id, file, taken): (&str, Option<&OperationFile>, &mut BTreeSet<String>),
    types: &SlotTypeCatalog,
    args: &UndoArgs,
) -> Result<Option<CommandOutput>> {
    // The journals tell what is left.
    let (all, _) = operations(context, file, args, Direction::Undo)?;
    let Some(undone) = UndoneOperation::before(&all, all.one(id)?, args, taken)? else {
        return Ok(None);
    };
    let targets = undone.targets();
    if context.dry_run().is_some() {
        let text = format!("would then undo the operation's earlier writes to {targets}");
        context.ui.tell(Style::Plain, text);
        return Ok(None);
    }
    let text = format!("now taking back the operation's earlier writes to {targets}");
    context.ui.tell(Style::Plain, text);
    taken.extend(undone.runs());
    let mut reverse = reverse(context, client, (&undone, types), args, None).await?;
    take_back(context, client, undone, &mut reverse, types, args).await.map(Some)
}

/// Adds the output about earlier writes of the operation.
fn add(outcome: &mut CommandOutput, mut more: CommandOutput) {
    if let (Some(body), Some(added)) = (outcome.body.own_mut(), more.body.own_mut()) {
        for (key, added) in added["data"].as_object_mut().into_iter().flatten() {
            match (&mut body["data"][key], added) {
                (Value::Array(all), Value::Array(added)) => all.append(added),
                (Value::Object(all), Value::Object(added)) => all.append(added),
                _ => {}
            }
        }
        body["meta"] = added["meta"].take();
    }
    if let (Some(lines), Some(added)) = (outcome.view.lines_mut(), more.view.lines_mut()) {
        lines.append(added);
    }
    outcome.exit = more.exit;
    outcome.then = more.then;
}

/// Says which operation is taken back, and what of it cannot be.
fn tell(context: &Context, undone: &UndoneOperation<'_>) {
    let UndoneOperation { line, time, .. } = undone;
    let what = match &undone.redone {
        _ if !undone.is_undo => format!("undoing `links {line}` from {time}"),
        Some((line, time)) => format!("redoing `links {line}` from {time}"),
        // What was undone is in the log of another machine, or was removed from this one.
        None => format!("redoing what `links {line}` undid at {time}"),
    };
    let text = format!("{what} ({})", undone.targets());
    context.ui.tell(Style::Plain, text);
    for line in &undone.refused {
        context.ui.tell(Style::Removed, format!("! {line}; kept"));
    }
}

/// Refuses what others changed since, unless it is kept, and an operation of which nothing can be taken back.
/// `older` is the operation that could be taken back instead.
fn refuse(
    undone: &UndoneOperation<'_>,
    reverse: &Reverse,
    args: &UndoArgs,
    older: Option<&str>,
) -> Result<()> {
    let UndoneOperation { id, line, .. } = undone;
    let changed = match &reverse.conflicts[..] {
        [] => None,
        [only] => Some(format!("1 value changed since the run ({only}); nothing was written")),
        several => {
            Some(format!("{} values changed since the run; nothing was written", several.len()))
        }
    };
    let older = older.map_or_else(
        || LIST.to_owned(),
        |older| format!("run `links undo {older}` to undo the previous operation"),
    );
    let can_write = reverse.has_changes() || undone.continues.is_some();
    match changed {
        Some(message) if !args.keep_changed => {
            Err(CommandError::conflict(message).with_hint(
                "use --keep-changed to keep these values and undo the rest, or --force to restore all values from before the run",
            ))
        }
        Some(message) if !can_write => {
            let operation = match &args.from {
                Some(file) => format!("--from {}", sanitize::quoted(&file.display().to_string())),
                None => id.clone(),
            };
            Err(CommandError::new(
                Exit::Conflict,
                format!("nothing left to undo in `links {line}`: {message}"),
            )
            .with_hint(format!(
                "run `links undo {operation} --force` to restore the values from before the run; {older}"
            )))
        }
        None if !can_write && !reverse.lost.is_empty() => {
            let why: Vec<&str> = reverse.lost.iter().map(|(line, _)| line.as_str()).collect();
            let why = why.join("; ");
            let message =
                format!("`links {line}` cannot be undone: {why}; nothing was written");
            Err(CommandError::refused(message).with_hint(older))
        }
        _ => Ok(()),
    }
}

/// Writes the reverse of an operation, or shows it in a dry run.
async fn take_back(
    context: &mut Context,
    client: &Client,
    undone: UndoneOperation<'_>,
    reverse: &mut Reverse,
    types: &SlotTypeCatalog,
    args: &UndoArgs,
) -> CommandResult {
    for page in &reverse.pages {
        consent_to_login(context, client, page, args).await?;
    }
    if let Some(call) = &undone.continues {
        context.continue_call(call);
    }
    let (is_whole, forms) = (reverse.is_whole(), reverse.undone_forms());
    let lost: Value = std::mem::take(&mut reverse.lost).into_iter().map(|(_, it)| it).collect();
    let kept = std::mem::take(&mut reverse.conflicts);
    let (form_edits, pages) = std::mem::take(reverse).into_edits(context);
    for form in &form_edits {
        context.plan_first.plan(&(&form.plan.id, &form.plan.changed))?;
    }
    let options = RunOptions {
        flags: ApplyArgs {
            yes: args.yes,
            full: args.full,
            // The reverse was made for the pages as they are, empty or not.
            allow_empty: true,
            ..ApplyArgs::default()
        },
        command: journal::command(context),
        // A login that an undo changes back was confirmed before.
        allowed: Allowed { allow_create: 0, allow_rename: true },
        wait: args.wait,
        ..RunOptions::default()
    };
    let keys: Vec<_> = pages.iter().map(|page| ProfileKey::Id(page.seen.id)).collect();
    let edit = PageEdit::Undo(pages);
    let edit = Rc::new(SlotsEdit { edit, pages: keys, types: types.clone() });
    let source = RunSource { edit: Some(edit.clone()), form_edits, ..RunSource::default() };
    let mut outcome = apply(context, source, options).await?;
    if let Some(body) = outcome.body.own_mut()
        && let Some(data) = body["data"].as_object_mut()
    {
        data.insert("undone".to_owned(), undone.id.clone().into());
        data.insert("notRestored".to_owned(), lost);
        data.insert("kept".to_owned(), kept.into());
        if let (None, PageEdit::Undo(pages)) = (context.dry_run(), &edit.edit) {
            for PageUndo { seen, undo, file, .. } in pages {
                let mut written = data["pages"].as_array().into_iter().flatten();
                let Some(written) = written.find(|it| it["id"] == json!(seen.id)) else { continue };
                let ids = created_ids(&written["done"]["created"], &undo.recreates);
                for line in recreated_slots::record(context, seen.id, &ids, file.as_deref()) {
                    context.ui.say(&line);
                }
            }
        }
    }
    // What goes on after the output is the error of an undo that was not carried out as a whole.
    if context.dry_run().is_none() && outcome.then.is_none() {
        undone.close(is_whole, &forms);
    }
    Ok(outcome)
}

/// Asks for consent if the undo changes the login of a page back, as a rename does.
async fn consent_to_login(
    context: &Context,
    client: &Client,
    page: &PageUndo,
    args: &UndoArgs,
) -> Result<()> {
    let (desired, now) = (&page.undo.desired, &page.seen);
    let Some(old) = desired.fields.get("login").and_then(Value::as_str) else { return Ok(()) };
    if old.eq_ignore_ascii_case(&now.login) {
        return Ok(());
    }
    login::check_available(client, old, Some(&ProfileKey::Id(now.id))).await?;
    let url = now.url.clone().unwrap_or_else(|| now.login.clone());
    let is_meant = |login: &&String| login.trim() == now.login;
    let confirmed = args.confirm.iter().find(is_meant).or(args.confirm.first());
    login::require_consent(context, &now.login, &url, confirmed.cloned())
}
