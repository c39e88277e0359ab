//! Arguments that all analytics commands share: the period, the step of the timeline, and the extra numbers.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use links_sdk::AnalyticsQuery;
use links_sdk::types::{AnalyticsBucket, AnalyticsPeriod};

// The period of the numbers. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Clone, Debug)]
pub(crate) struct PeriodArgs {
    /// A named period; by default the last 28 days
    #[arg(long, value_parser = periods())]
    period: Option<AnalyticsPeriod>,
    /// First day, such as 2026-01-31, in the time zone that `links me` shows; at most 366 days in all
    #[arg(long, value_name = "DATE", value_parser = date, requires = "to")]
    from: Option<String>,
    /// Last day
    #[arg(long, value_name = "DATE", value_parser = date, requires = "from")]
    to: Option<String>,
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

fn date(text: &str) -> Result<String, &'static str> {
    let date = text.parse::<jiff::civil::Date>();
    date.map(|date| date.to_string()).map_err(|_| "a day is written YYYY-MM-DD, such as 2026-01-31")
}

impl PeriodArgs {
    /// Tells whether a period is named.
    pub(crate) fn is_given(&self) -> bool {
        self.period.is_some() || self.from.is_some()
    }

    pub(crate) fn query(&self) -> AnalyticsQuery {
        let mut query = AnalyticsQuery::default();
        if let Some(period) = self.period {
            query = query.period(period);
        }
        if let Some(from) = &self.from {
            query = query.from(from);
        }
        if let Some(to) = &self.to {
            query = query.to(to);
        }
        query
    }
}

impl QueryArgs {
    pub(super) fn query(self) -> AnalyticsQuery {
        let mut query = self.period.query();
        // A step has an effect only on a timeline.
        if self.timeline || self.bucket.is_some() {
            query = query.include("timeline");
        }
        if let Some(bucket) = self.bucket {
            query = query.bucket(bucket);
        }
        if self.compare { query.compare(true) } else { query }
    }
}
