//! `links forms`: lead forms.

pub(crate) mod create;
pub(crate) mod edit;
pub(crate) mod field;
pub(crate) mod get;
pub(crate) mod list;
mod questions;
pub(crate) mod update;

use clap::Subcommand;
use links_sdk::types::LeadForm;
use links_sdk::{Answer, FormHandle};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::context::Context;
use crate::diagnostic::Failure;
use crate::outcome::Outcome;

#[derive(Debug, Subcommand)]
pub(crate) enum FormsCommand {
    /// List the lead forms of the account
    List(list::FormsListArgs),
    /// Make a lead form from a file, from values, or from both
    Create(create::FormsCreateArgs),
    /// Show one form
    Get(get::FormsGetArgs),
    /// Change a form on every page that holds it
    Update(update::FormsUpdateArgs),
    /// Change a form in an editor
    Edit(edit::FormsEditArgs),
    /// One question of a form
    #[command(subcommand)]
    Field(field::FieldCommand),
}

pub(super) async fn run(context: &mut Context, command: FormsCommand) -> Result<Outcome, Failure> {
    match command {
        FormsCommand::List(args) => list::run(context, args).await,
        FormsCommand::Create(args) => create::run(context, args).await,
        FormsCommand::Get(args) => get::run(context, args).await,
        FormsCommand::Update(args) => update::run(context, args).await,
        FormsCommand::Edit(args) => edit::run(context, args).await,
        FormsCommand::Field(command) => field::run(context, command).await,
    }
}

/// What people see first of a form.
const FIRST: &[&str] = &["id", "title", "active", "enabled"];

/// What a form's record has and an update does not take: the service computes it.
const COMPUTED: [&str; 3] = ["id", "active", "createdAt"];

/// A form as it is: as it was sent, and as what a later look is compared with.
async fn record(form: &FormHandle) -> Result<(Map<String, Value>, LeadForm), Failure> {
    #[derive(Deserialize)]
    struct Envelope {
        data: LeadForm,
    }
    let answer = form.get().answer().await?;
    let Envelope { data } = serde_json::from_slice(answer.body()).map_err(Failure::unreadable)?;
    Ok((read(&answer)?, data))
}

/// A form as it was sent, except that a list which came as an object with numbers for names is a list again.
fn read(answer: &Answer) -> Result<Map<String, Value>, Failure> {
    let mut body: Value = serde_json::from_slice(answer.body()).map_err(Failure::unreadable)?;
    let Value::Object(mut record) = body["data"].take() else {
        return Err(Failure::unreadable("it has no record"));
    };
    for value in record.values_mut() {
        if let Value::Object(items) = value
            && !items.is_empty()
            && items.keys().all(|name| name.bytes().all(|it| it.is_ascii_digit()))
        {
            *value = std::mem::take(items).into_values().collect();
        }
    }
    Ok(record)
}
