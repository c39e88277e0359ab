//! `links forms create`, `update` and `edit`: a lead form as a whole, from a file, from values, or from both; and the pages that show it.

use links_sdk::FormChanges;

use crate::account::{estimate, live_page};
use crate::commands::prelude::*;
use crate::editor;
use crate::editor::form_fields::{self, FormEditSession};
use links_pages::form_file::FormFile;
use links_pages::page_file::FileKind;

/// Fields of a form that are shown first.
pub(crate) const FIRST: &[&str] = &["id", "title", "active", "enabled"];

/// Fields of a form's record that an update does not take, because the service computes them.
const COMPUTED: [&str; 3] = ["id", "active", "createdAt"];

/// Reads words: at most one file with the fields of a form, which may be a form file, and values.
///
/// # Errors
///
/// When no field is given, or the file is invalid or is a page file.
fn read(words: &[String]) -> Result<(FieldValues, Option<FormFile>)> {
    let fields = FieldValues::read(words)?.some("title=Contact")?;
    let Some(document) = fields.file() else { return Ok((fields, None)) };
    let kind = FileKind::of(&document.root).map_err(|it| document.bad(vec![it]))?;
    // A page file is refused by the rules for form files.
    let file = kind.map(|_| FormFile::of(document.clone())).transpose()?;
    Ok((fields, file))
}

/// Returns the fields to send, after asking the service for the channels that the file refers to.
///
/// # Errors
///
/// When a reference names no channel, or the channels cannot be read.
async fn resolved(
    mut fields: FieldValues,
    file: Option<FormFile>,
    client: &Client,
) -> Result<FieldValues> {
    if let Some(mut file) = file {
        if !file.channels.is_empty() {
            let channels = client.notification_channels().await?;
            file.resolve_channels(&channels.items)?;
        }
        fields.replace_file_fields(file.form.fields);
    }
    Ok(fields)
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms create [OPTIONS] [FILE] [FIELD=VALUE]...",
    examples = ["links forms create form.yaml title='Book a table'"]
)]
pub(crate) struct FormsCreateArgs {
    /// Form file, or YAML or JSON file with the fields of the form (`-`: standard input), and values that override the file, such as
    /// `title=Text`, `enabled:=false` (JSON) or `description=@file`
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    create: CreateArgs,
}

pub(super) async fn create(context: &mut Context, args: FormsCreateArgs) -> CommandResult {
    let (fields, file) = read(&args.words)?;
    if let Some(id) = file.as_ref().and_then(|file| file.form.id.as_ref()) {
        let message = format!("the file has the ID of a form, {id}; nothing was written");
        let id = links_pages::sanitize::quoted(id);
        return Err(CommandError::refused(message).with_hint(format!(
            "to change that form, run `links forms update {id} FILE`; to create another one, remove `id` from the file"
        )));
    }
    let client = context.writer(args.create.dry_run).await?;
    let fields = resolved(fields, file, &client).await?;
    let sent = fields.object();
    let title = sent.get("title").and_then(Value::as_str).unwrap_or_default();
    let call = client.forms().create(FormChanges(sent.clone()));
    let created =
        create_record(context, "createForm", (title, sent.clone()), args.create, call).await;
    fields.shown(created, "created")
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms update [OPTIONS] <ID> [FILE] [FIELD=VALUE]...",
    after_help = "`fields` replaces the whole list of fields. Fields with a known label keep their key; other fields are removed after you confirm. To change a single field, use `links forms field`.",
    long_examples = ["links forms update 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 enabled:=false", "links forms update 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 form.yaml --yes"]
)]
pub(crate) struct FormsUpdateArgs {
    /// ID of the form (see `links forms list`)
    id: String,
    /// Fields to change, such as `title=Text`, `enabled:=false` (JSON) or `description=@file`; or a form file, or a YAML or JSON file with
    /// the fields (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    /// Don't ask for confirmation before removing fields
    #[arg(short, long)]
    yes: bool,
    /// List the pages that use the form (reads every page)
    #[arg(long)]
    where_used: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn update(context: &mut Context, args: FormsUpdateArgs) -> CommandResult {
    let (fields, file) = read(&args.words)?;
    let id = file.as_ref().and_then(|file| file.form.id.as_ref());
    if let Some(id) = id.filter(|id| ***id != *args.id) {
        return Err(CommandError::refused(format!(
            "the file is for form {id}, not for form {}; nothing was written",
            args.id
        )));
    }
    let client = context.writer(args.dry_run).await?;
    let fields = resolved(fields, file, &client).await?;
    let uses =
        if args.where_used { Some(read_uses(context, &client, &args.id).await?) } else { None };
    let changes = fields.object();
    let answer = if changes.0.contains_key("fields") {
        let session = FormEditSession::read(context, &client, &args.id).await?;
        session.update(context, changes, args.yes, Some(&fields)).await?
    } else {
        let form = client.form(args.id.clone());
        let write = journal::form_write(context, &args.id);
        let call = form.update_unchanged(None, FormChanges(changes.clone())).answer();
        let changed = write.change_record("updateForm", &changes, call).await;
        let changed = journal::finish(context, &write, changed);
        changed.map_err(|error| fields.failure(error))?
    };
    let mut output = CommandOutput::wrote("updated", &answer);
    if let Some(uses) = uses {
        let mut body: Value = parsed(answer.body())?;
        body["meta"] = json!({ "usedOn": uses });
        output.body = Body::Own(body);
    }
    Ok(output)
}

pub(super) async fn edit(context: &mut Context, id: String, dry_run: DryRunArgs) -> CommandResult {
    let client = context.writer(dry_run).await?;
    let (mut opened, _) = form_fields::record(&client.form(id.clone())).await?;
    opened.retain(|name, _| !COMPUTED.contains(&name.as_str()));

    let text = yaml(&opened)?;
    let apply = async |context: &mut Context, document, _: &Path| {
        let edited = FieldValues::of(document)?;
        let session = FormEditSession::read(context, &client, &id).await?;
        let changes = edited.merge(&mut opened, &session.before)?;
        if changes.is_empty() {
            return Ok(None);
        }
        let answer = session.update(context, changes, false, Some(&edited)).await?;
        Ok(Some(CommandOutput::wrote("updated", &answer)))
    };
    editor::edit(context, "form.yaml", &text, "`links forms update`", apply).await
}

/// Reads all pages, after announcing the cost, and names those that show a form. Returns them with the slots that show it.
async fn read_uses(context: &Context, client: &Client, form: &str) -> Result<Vec<Value>> {
    let pages = client.profiles().list().await?.items;
    estimate::announce_all(&context.ui, pages.len(), pages.len() + 1);
    let progress = context.ui.progress(pages.len());
    let (mut uses, mut shown) = (Vec::new(), Vec::new());
    for page in &pages {
        progress.now(&page.login);
        let page = PageSnapshot::read(client, &ProfileKey::Id(page.id)).await?;
        let is_it = |id: &str| id.eq_ignore_ascii_case(form);
        let shows = |slot: &&links_sdk::Slot| live_page::form_of(slot).is_some_and(is_it);
        let slots: Vec<SlotId> = page.slots.iter().filter(shows).map(|slot| slot.id).collect();
        if !slots.is_empty() {
            let PageSnapshot { id, login, url, .. } = page;
            uses.push(json!({ "id": id, "login": login, "url": url, "slots": slots }));
            let ids: Vec<String> = slots.iter().map(ToString::to_string).collect();
            let what = if ids.len() == 1 { "slot" } else { "slots" };
            shown.push(format!("{login} ({what} {})", ids.join(", ")));
        }
        progress.step();
    }
    drop(progress);
    let text = match &shown[..] {
        [] => "not used on any page".to_owned(),
        shown => format!("used on {}", shown.join(", ")),
    };
    context.ui.tell(Style::Plain, text);
    Ok(uses)
}
