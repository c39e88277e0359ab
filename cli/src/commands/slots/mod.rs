//! `links slots`: commands for the slots of a page.

mod bulk;
mod clicks;
mod delete;
mod edit;
mod order;
mod top;
mod types;
mod view;
pub(crate) mod write;

use self::clicks::PageClicks;
use super::analytics::{PeriodArgs, unrecognised};
use super::apply::{self, SlotsApplyArgs, SlotsPlanArgs};
use super::prelude::*;
use super::pull::{self, SlotsPullArgs};

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum SlotsCommand {
    /// List the slots of a page, in page order
    #[command(alias = "ls", examples = ["links slots list cafe", "links slots list cafe --clicks --period last7", "links slots list cafe --jq '.[] | select(.type == \"button\")'"])]
    List {
        /// ID, login or URL of the page
        key: PageKey,
        /// Show the clicks of each slot in the period
        #[arg(long)]
        clicks: bool,
        #[command(flatten)]
        period: PeriodArgs,
    },
    /// Show one slot
    #[command(alias = "show", examples = ["links slots get cafe 1002", "links slots get cafe 1002 --fields data.link"])]
    Get {
        /// ID, login or URL of the page
        key: PageKey,
        /// ID of the slot (see `links slots list`)
        #[arg(value_parser = profile_key::slot)]
        id: SlotId,
    },
    /// Rank the slots of a page by their clicks
    Top(top::SlotsTopArgs),
    /// Add a slot to a page
    Add(write::SlotsAddArgs),
    /// Change fields of a slot
    Set(write::SlotsSetArgs),
    /// Move a slot on its page
    Move(order::SlotsMoveArgs),
    /// Set the order of all slots on a page
    Reorder(order::SlotsReorderArgs),
    /// Delete slots (their click statistics are lost)
    #[command(aliases = ["rm", "remove"])]
    Delete(delete::SlotsDeleteArgs),
    /// Change many slots of one or more pages with jq filters
    Rewrite(bulk::SlotsRewriteArgs),
    /// Create a slot for each row of a CSV file
    Import(bulk::SlotsImportArgs),
    /// List the slot types
    #[command(examples = ["links slots types", "links slots types -o ids"])]
    Types,
    /// Explain a slot type: its fields, their values and an example
    #[command(
        examples = ["links slots explain button", "links slots explain faq items.question"]
    )]
    Explain {
        /// Slot type (see `links slots types`)
        #[arg(value_name = "TYPE")]
        kind: String,
        /// Field of the slot's data, such as `title`, or `items.question` for a field in a list
        field: Option<String>,
    },
    /// Print a sample slot to paste into a page file
    #[command(examples = ["links slots template button >> cafe.yaml"])]
    Template {
        /// Slot type (see `links slots types`)
        #[arg(value_name = "TYPE")]
        kind: String,
    },
    /// Write a page to a file to edit and apply
    Pull(SlotsPullArgs),
    /// Edit a page in your editor (VISUAL, EDITOR) and apply the result
    Edit(edit::SlotsEditArgs),
    /// Show what `links slots apply` would change
    Plan(SlotsPlanArgs),
    /// Update a page to match a file
    Apply(SlotsApplyArgs),
}

const TYPE_COLUMNS: &[Column] = &[
    Column::at("TYPE", "type"),
    Column::at("TITLE", "title"),
    Column::at("WRITABLE", "writable"),
    Column::at("DESCRIPTION", "description"),
];

impl SlotsCommand {
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        match self {
            Self::List { key, clicks, period } => list(context, &key, clicks, period).await,
            Self::Get { key, id } => {
                let slots = key.page(&context.client().await?).await?.slots();
                shown(slots.get(id), View::Record(view::FIRST)).await
            }
            Self::Top(args) => top::top(context, args).await,
            Self::Add(args) => write::add(context, args).await,
            Self::Set(args) => write::set(context, args).await,
            Self::Move(args) => order::move_slot(context, args).await,
            Self::Reorder(args) => order::reorder(context, args).await,
            Self::Delete(args) => delete::delete(context, args).await,
            Self::Rewrite(args) => Box::pin(bulk::rewrite(context, args)).await,
            Self::Import(args) => Box::pin(bulk::import(context, args)).await,
            Self::Types => {
                let answer = context.client().await?.slot_types().answer().await?;
                context.keep_slot_types(answer.body());
                Ok(answered(&answer, View::Table(TYPE_COLUMNS)))
            }
            Self::Explain { kind, field } => types::explain(context, kind, field).await,
            Self::Template { kind } => types::template(context, kind).await,
            Self::Pull(args) => Box::pin(pull::slots(context, args)).await,
            Self::Edit(args) => Box::pin(edit::run(context, args)).await,
            Self::Plan(args) => Box::pin(apply::plan_slots(context, args)).await,
            Self::Apply(args) => Box::pin(apply::apply_slots(context, args)).await,
        }
    }
}

async fn list(
    context: &mut Context,
    key: &PageKey,
    with_clicks: bool,
    period: PeriodArgs,
) -> CommandResult {
    let profile = key.page(&context.client().await?).await?;
    if !with_clicks {
        if period.is_given() {
            return Err(
                CommandError::usage("--period needs --clicks").with_hint("also pass --clicks")
            );
        }
        return shown(profile.slots().list(), View::Table(view::COLUMNS)).await;
    }
    let (slots, answer) = profile.slots().list().with_answer().await?;
    let clicks = PageClicks::read(&profile, period.query()?, &slots).await?;
    if clicks.by_slot.is_none() {
        unrecognised(context, &clicks.data);
    }
    let mut listed: Value = parsed(answer.body())?;
    for record in listed["data"].as_array_mut().into_iter().flatten() {
        record["clicks"] = json!(record["id"].as_i64().and_then(|id| clicks.of(id.into())));
    }
    if !listed["meta"].is_object() {
        listed["meta"] = json!({});
    }
    listed["meta"]["analytics"] = clicks.meta;
    Ok(CommandOutput::new(Body::Own(listed), View::Table(view::CLICKS_COLUMNS)))
}
