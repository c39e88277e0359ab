//! Arguments that all analytics commands share: the period, the step of the timeline, and the extra numbers.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use links_sdk::types::{AnalyticsBucket, AnalyticsPeriod};
use links_sdk::{AnalyticsQuery, Date, Period};

use crate::error::CommandError;

// The period of the numbers. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Debug)]
pub(crate) struct PeriodArgs {
    /// A named period; by default the last 28 days
    #[arg(long, value_parser = periods())]
    period: Option<AnalyticsPeriod>,
    /// First day, such as 2026-01-31, in the time zone that `links me` shows; at most 366 days in all
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
    /// Step of the timeline
    #[arg(long, value_parser = buckets())]
    bucket: Option<AnalyticsBucket>,
    /// With the numbers of each step
    #[arg(long)]
    timeline: bool,
    /// With the numbers of the period before
    #[arg(long)]
    compare: bool,
}

fn periods() -> impl TypedValueParser<Value = AnalyticsPeriod> {
    let names = ["today", "yesterday", "last7", "last28", "last90", "thisMonth", "lastMonth"];
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

fn buckets() -> impl TypedValueParser<Value = AnalyticsBucket> {
    PossibleValuesParser::new(["day", "week", "month"]).try_map(|name| name.parse())
}

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
    pub(crate) fn query(&self) -> Result<AnalyticsQuery, CommandError> {
        let query = AnalyticsQuery::default();
        Ok(match (self.period, self.from.zip(self.to)) {
            (Some(period), _) => query.period(period),
            (None, Some((first, last))) => query.period(
                Period::days(first, last)
                    .map_err(|error| CommandError::usage(format!("--from, --to: {error}")))?,
            ),
            (None, None) => query,
        })
    }
}

impl QueryArgs {
    pub(super) fn query(self) -> Result<AnalyticsQuery, CommandError> {
        let mut query = self.period.query()?;
        // A step has an effect only on a timeline.
        if self.timeline || self.bucket.is_some() {
            query = query.include("timeline");
        }
        if let Some(bucket) = self.bucket {
            query = query.bucket(bucket);
        }
        Ok(if self.compare { query.compare(true) } else { query })
    }
}
