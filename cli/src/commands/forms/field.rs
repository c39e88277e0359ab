//! `links forms field`: commands for one field of a form. The service takes only whole lists, so the form is read, and all of it is written
//! back with the `key` of every field that stays.

use crate::commands::prelude::*;
use crate::editor::form_fields::{FormEditSession, called};

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum FieldCommand {
    /// Add a field
    Add(FormsFieldAddArgs),
    /// Change a field
    Set(FormsFieldSetArgs),
    /// Remove a field
    #[command(
        after_help = "Answers that visitors have already sent are kept.",
        examples = ["links forms field remove 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 wishes --yes"]
    )]
    Remove {
        /// ID of the form (see `links forms list`)
        id: String,
        /// Key or label of the field
        field: String,
        /// Don't ask for confirmation
        #[arg(short, long)]
        yes: bool,
        #[command(flatten)]
        dry_run: DryRunArgs,
    },
}

impl FieldCommand {
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        match self {
            Self::Add(args) => add(context, args).await,
            Self::Set(args) => set(context, args).await,
            Self::Remove { id, field, yes, dry_run } => {
                let mut fields = FieldList::read(context, &id, dry_run).await?;
                let at = fields.find(&field)?;
                fields.list.remove(at);
                fields.write(context, yes).await
            }
        }
    }
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms field add [OPTIONS] <ID> [FILE] [FIELD=VALUE]...",
    examples = ["links forms field add 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 type=phone label=Phone required:=true --at 1"]
)]
pub(crate) struct FormsFieldAddArgs {
    /// ID of the form (see `links forms list`)
    id: String,
    /// Values of the field, such as `type=text`, `label=Name` or `required:=true` (JSON); or a YAML or JSON file (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    /// Position of the field (1 is the first); by default, the end
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    at: Option<u16>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

async fn add(context: &mut Context, args: FormsFieldAddArgs) -> CommandResult {
    let question = FieldValues::read(&args.words)?.some("type=text label=Name")?.object().0;
    let mut fields = FieldList::read(context, &args.id, args.dry_run).await?;
    let at = args.at.map_or(usize::MAX, |at| usize::from(at) - 1).min(fields.list.len());
    let key = question.get("key").filter(|it| !it.is_null());
    if let Some(taken) = fields.list.iter().find(|it| key.is_some() && it.get("key") == key) {
        let message = format!(
            "a field with this key already exists: {}; nothing was written",
            called(&json!(taken))
        );
        return Err(CommandError::invalid(message).with_hint(
            "leave out the key to let the service assign one, or change the existing field with `links forms field set`",
        ));
    }
    fields.list.insert(at, question);
    fields.write(context, false).await
}

#[derive(Args, Debug)]
#[command(
    override_usage = "links forms field set [OPTIONS] <ID> <FIELD> [FILE] [FIELD=VALUE]...",
    examples = ["links forms field set 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 wishes label='Anything else?'"]
)]
pub(crate) struct FormsFieldSetArgs {
    /// ID of the form (see `links forms list`)
    id: String,
    /// Key or label of the field
    field: String,
    /// Values to change, such as `label=Name` or `required:=true` (JSON); or a YAML or JSON file (`-`: standard input)
    #[arg(value_name = "FILE|FIELD=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

async fn set(context: &mut Context, args: FormsFieldSetArgs) -> CommandResult {
    let changes = FieldValues::read(&args.words)?.some("label=Name")?;
    if changes.get("key").is_some() {
        return Err(CommandError::usage("the key of a field cannot be changed")
            .with_hint("remove the field, then add a new one"));
    }
    let mut fields = FieldList::read(context, &args.id, args.dry_run).await?;
    let at = fields.find(&args.field)?;
    let changes = changes.changes_of(&fields.list[at]).0;
    fields.list[at].extend(changes);
    fields.write(context, false).await
}

/// Fields of a form, as the service sent them.
struct FieldList {
    session: FormEditSession,
    list: Vec<Map<String, Value>>,
}

impl FieldList {
    async fn read(context: &mut Context, id: &str, dry_run: DryRunArgs) -> Result<Self> {
        let client = context.writer(dry_run).await?;
        let session = FormEditSession::read(context, &client, id).await?;
        let list = session.before.get("fields").cloned().unwrap_or_default();
        let list = serde_json::from_value(list)
            .map_err(|error| CommandError::unreadable(format!("fields of the form: {error}")))?;
        Ok(Self { session, list })
    }

    /// Returns the index of the field with this key, otherwise of the only one with this label.
    fn find(&self, name: &str) -> Result<usize> {
        let all = |field: &str| -> Vec<usize> {
            let is = |at: &usize| self.list[*at].get(field).and_then(Value::as_str) == Some(name);
            (0..self.list.len()).filter(is).collect()
        };
        let (keys, labels) = (all("key"), all("label"));
        match (&keys[..], &labels[..]) {
            ([at, ..], _) | ([], [at]) => Ok(*at),
            ([], []) => {
                let known: Vec<_> = self.list.iter().map(|it| called(&json!(it))).collect();
                Err(CommandError::not_found(format!("field `{name}` not found on the form"))
                    .with_hint(format!("the form has these fields: {}", known.join(", "))))
            }
            _ => Err(CommandError::usage(format!("several fields are labeled `{name}`"))
                .with_hint("use the key of the field instead of its label")),
        }
    }

    /// Writes the whole list; with `is_confirmed`, fields are removed without a confirmation.
    async fn write(self, context: &Context, is_confirmed: bool) -> CommandResult {
        let changes = [("fields", json!(self.list))].into_iter().collect();
        let answer = self.session.update(context, changes, is_confirmed, None).await?;
        Ok(CommandOutput::wrote("updated", &answer))
    }
}
