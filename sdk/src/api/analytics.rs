//! Aggregates of views and clicks, and the periods that they are about.

use serde::de::DeserializeOwned;

use super::forms::FormHandle;
use super::profiles::ProfileHandle;
use crate::call::Call;
use crate::call_sender::Envelope;
use crate::client::Client;
use crate::date::Date;
use crate::generated::types::{AnalyticsBucket, AnalyticsEnvelope, AnalyticsMeta, AnalyticsPeriod};
use crate::ids::InvalidValue;
use crate::operation;
use crate::tolerant::Object;

/// Query for analytics: period, steps and parts. Every part is optional; the service chooses the value of a part that you leave out.
///
/// ```
/// use links_sdk::types::{AnalyticsBucket, AnalyticsPeriod};
/// use links_sdk::{AnalyticsQuery, Date, Period};
///
/// let query = AnalyticsQuery::default().period(AnalyticsPeriod::Last28).bucket(AnalyticsBucket::Week).include("timeline");
/// let january = Period::days(Date::new(2026, 1, 1)?, Date::new(2026, 1, 31)?)?;
/// assert_ne!(query, AnalyticsQuery::default().period(january));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct AnalyticsQuery {
    name: Option<AnalyticsPeriod>,
    /// The first and the last day.
    from: Option<String>,
    to: Option<String>,
    bucket: Option<AnalyticsBucket>,
    include: Option<String>,
    compare: Option<bool>,
}

/// Aggregated numbers, with information about how they were calculated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Analytics {
    /// The numbers. Their shape is not documented; [`Analytics::decode`] reads them as your own type.
    pub data: Object,
    /// When the numbers were calculated, how long they are cached, and whether unique counts are approximate.
    pub meta: AnalyticsMeta,
}

impl AnalyticsQuery {
    /// Sets the period: a named period of the service, or a range of [days](Period::days).
    pub fn period(mut self, period: impl Into<Period>) -> Self {
        let Period { name, days } = period.into();
        self.name = name;
        (self.from, self.to) =
            days.map(|(first, last)| (first.to_string(), last.to_string())).unzip();
        self
    }

    /// Sets the step of the timeline.
    pub fn bucket(mut self, bucket: AnalyticsBucket) -> Self {
        self.bucket = Some(bucket);
        self
    }

    /// Adds a part: `timeline`. Other values are not documented.
    pub fn include(mut self, parts: impl Into<String>) -> Self {
        self.include = Some(parts.into());
        self
    }

    /// Adds the numbers of the previous period.
    pub fn compare(mut self, compare: bool) -> Self {
        self.compare = Some(compare);
        self
    }

    /// Returns the first day, the last one and the parts.
    fn texts(&self) -> (Option<&str>, Option<&str>, Option<&str>) {
        (self.from.as_deref(), self.to.as_deref(), self.include.as_deref())
    }
}

impl Analytics {
    /// Returns the numbers as your own type, which has only the fields that you need. The service writes an empty object as `[]`; an
    /// [`Object`] reads both.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// #[derive(serde::Deserialize)]
    /// struct Report {
    ///     totals: Totals,
    /// }
    /// #[derive(serde::Deserialize)]
    /// struct Totals {
    ///     views: u64,
    /// }
    ///
    /// let analytics = client.profile("cafe").analytics(Default::default()).await?;
    /// let report: Report = analytics.decode()?;
    /// println!("{} views, known since {}", report.totals.views, analytics.meta.data_starts_at);
    /// # Ok(()) });
    /// ```
    ///
    /// # Errors
    ///
    /// When the numbers do not match the type.
    pub fn decode<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        T::deserialize(&self.data.0)
    }
}

envelopes! { |answer| Analytics { data: answer.data, meta: answer.meta }; AnalyticsEnvelope: Analytics }

impl Client {
    /// Returns the account's own analytics: one row per page, and totals. At most 20 analytics requests per minute.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let analytics = client.analytics(Default::default()).await?;
    /// assert!(analytics.meta.retention_days > 0);
    /// # Ok(()) });
    /// ```
    pub fn analytics(&self, query: AnalyticsQuery) -> Call<Analytics> {
        Call::of(self, operation::GET_ACCOUNT_ANALYTICS, Ok(query), |api, query| {
            let (from, to, include) = query.texts();
            api.get_account_analytics(query.bucket, query.compare, from, to, include, query.name)
        })
    }
}

impl ProfileHandle {
    /// Returns views, clicks per slot and per social link, and short findings. At most 20 analytics requests per minute.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::{AnalyticsQuery, Date, Period};
    ///
    /// let january = Period::days(Date::new(2026, 1, 1)?, Date::new(2026, 1, 31)?)?;
    /// let query = AnalyticsQuery::default().period(january).include("timeline");
    /// let analytics = client.profile("cafe").analytics(query).await?;
    /// assert!(!analytics.data.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn analytics(&self, query: AnalyticsQuery) -> Call<Analytics> {
        let operation = operation::GET_PROFILE_ANALYTICS;
        Call::of(&self.client, operation, self.key_text(), move |api, key| {
            let AnalyticsQuery { bucket, compare, name, .. } = query;
            let (from, to, include) = query.texts();
            api.get_profile_analytics(&key, bucket, compare, from, to, include, name)
        })
    }
}

impl FormHandle {
    /// Returns views, opens, starts and submissions, per page. Submissions are exact; the steps before them may be undercounted. At most 20
    /// analytics requests per minute.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let id = client.forms().list().await?.items.remove(0).id;
    /// let analytics = client.form(id).analytics(Default::default()).await?;
    /// assert!(analytics.meta.uniques_are_approximate);
    /// # Ok(()) });
    /// ```
    pub fn analytics(&self, query: AnalyticsQuery) -> Call<Analytics> {
        let operation = operation::GET_FORM_ANALYTICS;
        Call::of(&self.client, operation, self.id_in_path(), move |api, id| {
            let AnalyticsQuery { bucket, compare, name, .. } = query;
            let (from, to, include) = query.texts();
            api.get_form_analytics(&id, bucket, compare, from, to, include, name)
        })
    }
}

/// Maximum number of days in a period.
const DAYS_MAX: i64 = 366;

/// The period of analytics: a named period of the service, or the days from a first day to a last day. A period that the service would
/// refuse cannot be created.
///
/// ```
/// use links_sdk::types::AnalyticsPeriod;
/// use links_sdk::{Date, Period};
///
/// let (first, last) = (Date::new(2026, 1, 1)?, Date::new(2026, 1, 31)?);
/// assert_ne!(Period::days(first, last)?, Period::from(AnalyticsPeriod::Last28));
/// assert!(Period::days(last, first).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    name: Option<AnalyticsPeriod>,
    /// The first and the last day, unless the period has a name.
    days: Option<(Date, Date)>,
}

impl Period {
    /// Returns the period from a first day to a last day, inclusive, in the time zone that `me` reports.
    ///
    /// # Errors
    ///
    /// When the first day is after the last, or the period has more than 366 days.
    pub fn days(first: Date, last: Date) -> Result<Self, InvalidValue> {
        if last < first {
            let why = format!("the first day {first} is after the last day {last}");
            return Err(InvalidValue::new(why));
        }
        match first.days_through(last) {
            days if days > DAYS_MAX => Err(InvalidValue::new(format!(
                "{first} to {last} is {days} days; a period can have at most {DAYS_MAX}"
            ))),
            _ => Ok(Self { name: None, days: Some((first, last)) }),
        }
    }
}

impl From<AnalyticsPeriod> for Period {
    fn from(name: AnalyticsPeriod) -> Self {
        Self { name: Some(name), days: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_at_most_366_days() {
        let date = |text: &str| text.parse::<Date>().unwrap();
        let first = date("2025-01-01");
        Period::days(first, first).unwrap();
        Period::days(first, date("2026-01-01")).unwrap();
        let error = Period::days(first, date("2026-01-02")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "2025-01-01 to 2026-01-02 is 367 days; a period can have at most 366"
        );
    }
}
