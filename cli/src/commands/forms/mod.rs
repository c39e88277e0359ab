//! `links forms`: commands for lead forms; `links channels`: for the channels that report new submissions of them.

mod field;
mod record;

use super::prelude::*;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum FormsCommand {
    /// List the lead forms of the account
    #[command(alias = "ls", examples = ["links forms list", "links forms list -o ids"])]
    List,
    /// Create a lead form
    Create(record::FormsCreateArgs),
    /// Show one form
    #[command(alias = "show", examples = ["links forms get 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21"])]
    Get {
        /// ID of the form (see `links forms list`)
        id: String,
    },
    /// Change a form, on every page that uses it
    Update(record::FormsUpdateArgs),
    /// Change a form in an editor
    #[command(
        after_help = "A field that keeps its `key` stays the same field, even if everything else changes.",
        examples = ["EDITOR='code --wait' links forms edit 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21"]
    )]
    Edit {
        /// ID of the form (see `links forms list`)
        id: String,
        #[command(flatten)]
        dry_run: DryRunArgs,
    },
    /// Add, change and remove fields of a form
    #[command(subcommand)]
    Field(field::FieldCommand),
}

const COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("TITLE", "title"),
    Column::at("ACTIVE", "active"),
    Column::of("FIELDS", |form| form["fields"].as_array().map_or(0, Vec::len).to_string()),
    Column::at("CREATED", "createdAt"),
];

impl FormsCommand {
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        match self {
            Self::List => {
                let client = context.client().await?;
                shown(client.forms().list(), View::Table(COLUMNS)).await
            }
            Self::Create(args) => record::create(context, args).await,
            Self::Get { id } => {
                let client = context.client().await?;
                shown(client.form(id).get(), View::Record(record::FIRST)).await
            }
            Self::Update(args) => record::update(context, args).await,
            Self::Edit { id, dry_run } => record::edit(context, id, dry_run).await,
            Self::Field(command) => command.run(context).await,
        }
    }
}

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum ChannelsCommand {
    /// List the verified channels of the account
    #[command(alias = "ls", examples = ["links channels list", "links channels list --fields id,label"])]
    List,
}

pub(super) const CHANNEL_COLUMNS: &[Column] = &[
    Column::at("ID", "id"),
    Column::at("CHANNEL", "channel"),
    Column::at("LABEL", "label"),
    Column::at("RECIPIENT", "recipient"),
    Column::at("ACTIVE", "isActive"),
];
