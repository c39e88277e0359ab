//! `links analytics`: views and clicks.

use links_sdk::types::{AnalyticsBucket, AnalyticsPeriod};
use links_sdk::{Analytics, AnalyticsQuery, Call, Date, Period};

use super::prelude::*;
use crate::args::flags::values;
use crate::output::Instead;

mod figures;

#[derive(Debug, Subcommand)]
#[command(defer = true, after_help = POINTER)]
pub(crate) enum AnalyticsCommand {
    /// Show the views and clicks of all pages
    #[command(
        after_help = "-o csv prints the timeline if you ask for one, otherwise the rows. Use --jq to select any other part.",
        examples = ["links analytics account --period last7 --timeline", "links analytics account --bucket week -o csv"]
    )]
    Account(QueryArgs),
    /// Show the views of a page, and its clicks per slot and per social link
    #[command(
        examples = ["links analytics profile cafe --from 2026-01-01 --to 2026-01-31 --bucket week"]
    )]
    Profile {
        /// ID, login or URL of the page
        key: PageKey,
        #[command(flatten)]
        query: QueryArgs,
    },
    /// Show the numbers of a form, from views to submissions
    #[command(
        examples = ["links analytics form 6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21 --period last28"]
    )]
    Form {
        /// ID of the form (see `links forms list`)
        id: String,
        #[command(flatten)]
        query: QueryArgs,
    },
}

impl AnalyticsCommand {
    pub(super) async fn run(self, context: &mut Context) -> CommandResult {
        let client = context.client().await?;
        let (Self::Account(query) | Self::Profile { query, .. } | Self::Form { query, .. }) = &self;
        let has_timeline = query.has_timeline();
        let call = match self {
            Self::Account(query) => client.analytics(query.query()?),
            Self::Profile { key, query } => key.page(&client).await?.analytics(query.query()?),
            Self::Form { id, query } => client.form(id).analytics(query.query()?),
        };
        shown(context, call, has_timeline).await
    }
}

// The period of the numbers. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug)]
pub(crate) struct PeriodArgs {
    /// Named period; by default, the last 28 days
    #[arg(long, value_parser = values::<AnalyticsPeriod>(PERIODS))]
    period: Option<AnalyticsPeriod>,
    /// First day of the period (at most 366 days), such as 2026-01-31, in the time zone that `links me` shows
    #[arg(long, value_name = "DATE", requires = "to", conflicts_with = "period")]
    from: Option<Date>,
    /// Last day
    #[arg(long, value_name = "DATE", requires = "from", conflicts_with = "period")]
    to: Option<Date>,
}

// Which numbers are wanted. Not a doc comment, as above.
#[derive(Args, Debug)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    period: PeriodArgs,
    /// Interval of the timeline
    #[arg(long, value_parser = values::<AnalyticsBucket>(&["day", "week", "month"]))]
    bucket: Option<AnalyticsBucket>,
    /// Show the numbers for each interval
    #[arg(long)]
    timeline: bool,
    /// Compare with the previous period
    #[arg(long)]
    compare: bool,
}

const PERIODS: &[&str] =
    &["today", "yesterday", "last7", "last28", "last90", "thisMonth", "lastMonth"];

impl PeriodArgs {
    /// Tells whether a period is named.
    pub(crate) fn is_given(&self) -> bool {
        self.period.is_some() || self.from.is_some()
    }

    /// Returns the query of this period.
    ///
    /// # Errors
    ///
    /// When the last day is before the first, or there are too many days.
    pub(crate) fn query(&self) -> Result<AnalyticsQuery> {
        let query = AnalyticsQuery::default();
        if let Some(period) = self.period {
            return Ok(query.period(period));
        }
        let Some((first, last)) = self.from.zip(self.to) else { return Ok(query) };
        let days = Period::days(first, last);
        let days = days.map_err(|error| CommandError::usage(format!("--from, --to: {error}")))?;
        Ok(query.period(days))
    }
}

impl QueryArgs {
    /// Tells whether a timeline is asked for. A step has an effect only on a timeline.
    fn has_timeline(&self) -> bool {
        self.timeline || self.bucket.is_some()
    }

    fn query(self) -> Result<AnalyticsQuery> {
        let mut query = self.period.query()?;
        if self.has_timeline() {
            query = query.include("timeline");
        }
        if let Some(bucket) = self.bucket {
            query = query.bucket(bucket);
        }
        Ok(if self.compare { query.compare(true) } else { query })
    }
}

/// Returns the output of an answer: its recognised parts in human-readable form, with notes on their accuracy and age.
async fn shown(context: &Context, call: Call<Analytics>, has_timeline: bool) -> CommandResult {
    let answer = call.answer().await?;
    let body: Value = parsed(answer.body())?;
    let meta = &body["meta"];
    let approximate = meta["uniquesAreApproximate"] == true;
    let lines = figures::lines(&body["data"], approximate, context.ui.is_read());
    for line in reliance(meta) {
        context.ui.tell(Style::Faint, line);
    }
    let rows = if has_timeline {
        let rows = figures::timeline(&body["data"]);
        if rows.is_none() {
            let text = "cannot find the timeline in these analytics; -o json shows all of them";
            context.ui.tell(Style::Changed, text);
        }
        Some(rows.unwrap_or_default())
    } else {
        Some(figures::rows(&body["data"])).filter(|rows| !rows.is_empty())
    };
    Ok(answered(&answer, View::Listing(lines, Instead::Rows(rows))))
}

/// Says that the clicks of slots were not found in the numbers, and shows the numbers.
pub(crate) fn unrecognised(context: &Context, data: &Value) {
    let text = "cannot find the clicks of the slots in these analytics:";
    context.ui.tell(Style::Changed, text);
    for line in figures::lines(data, false, false) {
        context.ui.say(&line);
    }
}

/// Returns the notes on accuracy and age that the service gives with its numbers, as far as they are recognised.
pub(crate) fn reliance(meta: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(at) = meta["generatedAt"].as_str() {
        let again = match meta["cacheSeconds"].as_u64() {
            Some(seconds) if seconds > 0 => format!("; updated every {seconds} s"),
            _ => String::new(),
        };
        let to_second = at.parse::<jiff::Timestamp>().and_then(|it| it.round(jiff::Unit::Second));
        let at = to_second.map_or_else(|_| at.to_owned(), |it| it.to_string());
        lines.push(format!("as of {at}{again}"));
    }
    if let (Some(days), Some(start)) =
        (meta["retentionDays"].as_u64(), meta["dataStartsAt"].as_str())
    {
        lines.push(format!("data is available from {start} and kept for {days} days"));
    }
    if meta["uniquesAreApproximate"] == true {
        lines.push("unique counts (≈) are estimates and do not add up to the total".to_owned());
    }
    lines
}
