//! `links slots explain`: explains a type of slot: its fields, what they take, an example.

use clap::Args;
use links_sdk::types::SlotType;
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{CommandOutput, Style, StyledLine, View, yaml};
use crate::schema::describe;
use crate::suggest::suggest;

/// Arguments of `links slots explain`.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  links slots explain button\n  links slots explain faq items.question"
)]
pub(crate) struct SlotsExplainArgs {
    /// Type of slot; `links slots types` lists them
    #[arg(value_name = "TYPE")]
    kind: String,
    /// A field of its data, `items.question` for one within a list
    field: Option<String>,
}

pub(crate) async fn run(
    context: &mut Context,
    args: SlotsExplainArgs,
) -> Result<CommandOutput, CommandError> {
    let answer = context.client().await?.slot_type(args.kind).answer().await?;
    let mut body: Value =
        serde_json::from_slice(answer.body()).map_err(CommandError::unreadable)?;
    let it: SlotType =
        serde_json::from_value(body["data"].take()).map_err(CommandError::unreadable)?;
    match args.field {
        None => Ok(CommandOutput::service(answer.body().clone(), View::Lines(whole(&it)?))),
        Some(field) => one(&it, &field),
    }
}

fn whole(it: &SlotType) -> Result<Vec<StyledLine>, CommandError> {
    let plain = |text: String| StyledLine::new(Style::Plain, text);
    let mut lines =
        vec![plain(format!("{} ({})", it.title, it.type_)), plain(it.description.clone())];
    if !it.writable {
        lines.push(StyledLine::new(
            Style::Changed,
            "Read-only: it can be moved, not created or changed.",
        ));
    }
    let fields = describe::fields(it);
    if !fields.is_empty() {
        lines.extend([plain(String::new()), plain("Fields".to_owned())]);
        lines.extend(fields.into_iter().map(plain));
    }
    if !it.computed.is_empty() {
        lines.extend([plain(String::new()), plain("Set by the service".to_owned())]);
        let said = |(name, about): (&String, &Value)| {
            let about = about.as_str().map_or_else(|| about.to_string(), str::to_owned);
            plain(format!("  {name}  {about}"))
        };
        lines.extend(it.computed.iter().map(said));
    }
    if !it.example.is_empty() {
        lines.extend([plain(String::new()), plain("Example".to_owned())]);
        lines.extend(yaml::write(&it.example)?.lines().map(|line| plain(format!("  {line}"))));
    }
    Ok(lines)
}

fn one(it: &SlotType, field: &str) -> Result<CommandOutput, CommandError> {
    let schema = Value::Object(it.schema.0.clone());
    let Some(found) = describe::at(&schema, field) else {
        let known = describe::names(&schema);
        let message = format!("a slot of type {} has no field `{field}`", it.type_);
        let failure = CommandError::new(Exit::NotFound, message);
        return Err(match suggest(field, known) {
            Some(hint) => failure.hint(hint),
            None => failure,
        });
    };
    let labels = it.enum_labels.get(field);
    let required = describe::is_required(&schema, field);
    let mut lines = vec![StyledLine::new(
        Style::Plain,
        format!("{field}: {}", describe::words(found, labels, required)),
    )];
    let below = describe::below(found);
    lines.extend(below.into_iter().map(|line| StyledLine::new(Style::Plain, line)));
    let example = it.example.get(field);
    if let Some(example) = example {
        lines.push(StyledLine::new(Style::Faint, format!("Example: {example}")));
    }
    let data = json!({
        "field": field, "required": required, "schema": found, "enumLabels": labels, "example": example,
    });
    Ok(CommandOutput::own(data, View::Lines(lines)))
}
