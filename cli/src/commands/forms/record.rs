//! `links forms create`, `update` and `edit`: a lead form as a whole, from a file, from values, or from both.

use std::path::Path;

use clap::Args;
use links_sdk::{Answer, Client, FormChanges, NewForm};
use serde_json::{Value, json};

use super::where_used;
use super::where_used::FormUse;
use crate::args::fields::FieldValues;
use crate::args::flags::{DryRunArgs, IdempotencyKeyArgs};
use crate::args::merge;
use crate::commands::common::{CommandResult, answered, create as create_record};
use crate::context::Context;
use crate::editor;
use crate::editor::form_fields::{self, FormEditSession};
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::help::HelpText;
use crate::journal::{CommandRecorder, sent_fields};
use crate::output::{Body, CommandOutput, View, yaml};
use links_pages::form_file::FormFile;
use links_pages::page_file::FileKind;

/// Fields of a form that are shown first.
pub(crate) const FIRST: &[&str] = &["id", "title", "active", "enabled"];

/// Fields of a form's record that an update does not take, because the service computes them.
const COMPUTED: [&str; 3] = ["id", "active", "createdAt"];

/// Fields of a form on the command line, and the form file that some of them come from.
struct FormWords {
    fields: FieldValues,
    file: Option<FormFile>,
}

impl FormWords {
    /// Reads words: at most one file with the fields of a form, which may be a form file, and values.
    ///
    /// # Errors
    ///
    /// When no field is given, or the file is invalid or is a page file.
    fn read(words: &[String]) -> Result<Self, CommandError> {
        let fields = FieldValues::read(words)?.some("title=Contact")?;
        let kind = match fields.file() {
            Some(file) => FileKind::of(&file.root).map_err(|it| file.bad(vec![it]))?,
            None => None,
        };
        // A page file is refused by the rules for form files.
        let file =
            fields.file().filter(|_| kind.is_some()).cloned().map(FormFile::of).transpose()?;
        Ok(Self { fields, file })
    }

    /// Id of the form that the file is for, if it has one.
    fn id(&self) -> Option<&str> {
        self.file.as_ref()?.form.id.as_deref()
    }

    /// Returns the fields to send, after asking the service for the channels that the file refers to.
    ///
    /// # Errors
    ///
    /// When a reference names no channel, or the channels cannot be read.
    async fn resolved(self, client: &Client) -> Result<FieldValues, CommandError> {
        let Self { mut fields, file } = self;
        let Some(mut file) = file else { return Ok(fields) };
        if !file.channels.is_empty() {
            let channels = client.notification_channels().await?;
            file.resolve_channels(&channels.items)?;
        }
        fields.replace_file_fields(file.form.fields);
        Ok(fields)
    }
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms create [OPTIONS] [FILE] [FIELD=VALUE]...",
    examples = ["links forms create form.yaml title='Book a table'"]
)]
pub(crate) struct FormsCreateArgs {
    /// A form file, or a YAML or JSON file with the fields of the form (`-`: standard input), and values that override those of the file:
    /// `title=Text`, `enabled:=false` (JSON), `description=@file`
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    key: IdempotencyKeyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn create(context: &mut Context, args: FormsCreateArgs) -> CommandResult {
    let words = FormWords::read(&args.words)?;
    let client = context.writer(args.dry_run).await?;
    let fields = words.resolved(&client).await?;
    let sent = fields.object();
    let title = sent.get("title").and_then(Value::as_str).unwrap_or_default();
    let call = client.forms().create(NewForm::from(sent.clone())).answer();
    let names = ("forms create", "createForm");
    let created = create_record(context, names, (title, sent.clone()), args.key, call).await;
    let answer = created.map_err(|error| fields.failure(error, ""))?;
    Ok(answered(&answer, View::Record(FIRST)))
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms update [OPTIONS] <ID> [FILE] [FIELD=VALUE]...",
    notes = "`fields` replaces the whole list of the form's fields. Those with a known label keep their key; the others are removed, which needs confirmation. `links forms field` changes a single field. The pages that show the form are named as this machine has last seen them.",
    long_examples = ["links forms update 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 enabled:=false", "links forms update 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 form.yaml --yes"]
)]
pub(crate) struct FormsUpdateArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
    /// Fields of the form, the others stay: `title=Text`, `enabled:=false` (JSON), `description=@file`; or a form file, or a YAML or
    /// JSON file with them (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    /// Confirm the removal of fields without being asked
    #[arg(long)]
    yes: bool,
    /// Read all pages first, and name those that show the form
    #[arg(long)]
    where_used: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn update(context: &mut Context, args: FormsUpdateArgs) -> CommandResult {
    let words = FormWords::read(&args.words)?;
    if let Some(id) = words.id().filter(|id| *id != args.id) {
        let message = format!("the file is for the form {id}, not for {}", args.id);
        return Err(CommandError::new(Exit::Refused, format!("{message}; nothing was written")));
    }
    let client = context.writer(args.dry_run).await?;
    let fields = words.resolved(&client).await?;
    let uses = if args.where_used {
        Some(where_used::read_all(context, &client, &args.id).await?)
    } else {
        where_used::say_known(context, &args.id);
        None
    };
    let form = client.form(args.id.clone());
    let recorder = CommandRecorder::of_form(context, "forms update", &args.id);
    let changes = fields.object();
    let answer = if changes.0.contains_key("fields") {
        let session = FormEditSession::read(context, form, args.id, recorder).await?;
        session.update(context, changes, args.yes, Some(&fields)).await?
    } else {
        let call = form.update_unchanged(None, FormChanges::from(changes.clone())).answer();
        let hear = recorder.record_update("updateForm", changes.clone());
        let changed = call.before_write(hear).await;
        recorder.stored(0, &changed, |form| sent_fields(form.take(), &changes));
        recorder.finish(context, changed.is_ok());
        changed.map_err(|error| fields.failure(error, ""))?
    };
    let output = answered(&answer, View::Record(FIRST));
    match uses {
        Some(uses) => with_uses(output, &answer, &uses),
        None => Ok(output),
    }
}

/// Returns the output with the pages that show the form, which makes it data of this program.
fn with_uses(output: CommandOutput, answer: &Answer, uses: &[FormUse]) -> CommandResult {
    let mut body: Value = serde_json::from_slice(answer.body()).map_err(CommandError::internal)?;
    if let Value::Object(envelope) = &mut body {
        let uses: Vec<Value> = uses.iter().map(FormUse::json).collect();
        envelope.insert("meta".to_owned(), json!({ "usedOn": uses }));
    }
    Ok(CommandOutput { body: Body::Own(body), ..output })
}

#[derive(Args, Debug)]
#[command(
    notes = "A field that keeps its `key` stays the same field, even if everything else changes.",
    examples = ["EDITOR='code --wait' links forms edit 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21"]
)]
pub(crate) struct FormsEditArgs {
    /// Id of the form, as `links forms list` shows it
    id: String,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

pub(super) async fn edit(context: &mut Context, args: FormsEditArgs) -> CommandResult {
    let form = context.writer(args.dry_run).await?.form(args.id.clone());
    let (mut opened, _) = form_fields::record(&form).await?;
    opened.retain(|name, _| !COMPUTED.contains(&name.as_str()));

    let text = yaml::write(&opened)?;
    let apply = async |context: &mut Context, document, _: &Path| {
        let edited = FieldValues::of(document)?;
        let recorder = CommandRecorder::of_form(context, "forms edit", &args.id);
        let session =
            FormEditSession::read(context, form.clone(), args.id.clone(), recorder).await?;
        let changes = merge::changes(&edited, &mut opened, &session.before)?;
        if changes.is_empty() {
            return Ok(None);
        }
        session.update(context, changes, false, Some(&edited)).await.map(Some)
    };
    let updated = editor::edit(context, "form.yaml", &text, apply).await?;
    Ok(editor::outcome(updated.as_ref(), FIRST))
}
