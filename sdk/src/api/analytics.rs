//! Aggregates of views and clicks (the interface, section 4.10).

use serde::de::DeserializeOwned;

use super::forms::FormHandle;
use super::profiles::ProfileHandle;
use crate::call::Call;
use crate::client::Client;
use crate::generated::types::{AnalyticsBucket, AnalyticsEnvelope, AnalyticsMeta};
use crate::operation;
use crate::period::{Period, SentPeriod};
use crate::tolerant::Object;

/// The account's own analytics. From [`Client::analytics`].
#[derive(Clone, Debug)]
pub struct AnalyticsHandle {
    client: Client,
}

/// Query of analytics: period, steps and parts. Every part is optional; the service chooses the value of a part that is left out.
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
    period: Option<Period>,
    bucket: Option<AnalyticsBucket>,
    include: Option<String>,
    compare: Option<bool>,
}

/// Aggregates, with their reliability.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Analytics {
    /// The numbers. Their shape is not documented; [`Analytics::decode`] reads them as a type of the program.
    pub data: Object,
    /// Time of the computation, how long the numbers are cached, and whether uniques are approximate.
    pub meta: AnalyticsMeta,
}

impl AnalyticsQuery {
    /// Sets the period: one that the service names, or [days](Period::days).
    pub fn period(mut self, period: impl Into<Period>) -> Self {
        self.period = Some(period.into());
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
}

impl Analytics {
    /// Returns the numbers as a type of the program, which names the ones that it needs. The service writes an empty object as `[]`: an
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
    /// When the numbers do not have the shape of the type.
    pub fn decode<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        T::deserialize(&self.data.0)
    }
}

impl From<AnalyticsEnvelope> for Analytics {
    fn from(envelope: AnalyticsEnvelope) -> Self {
        Self { data: envelope.data, meta: envelope.meta }
    }
}

impl Client {
    /// Returns the handle for the account's own analytics: one row a page, and totals.
    pub fn analytics(&self) -> AnalyticsHandle {
        AnalyticsHandle { client: self.clone() }
    }
}

impl AnalyticsHandle {
    /// Returns one row a page, and totals. At most 20 analytics requests a minute.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let analytics = client.analytics().get(Default::default()).await?;
    /// assert!(analytics.meta.retention_days > 0);
    /// # Ok(()) });
    /// ```
    pub fn get(&self, query: AnalyticsQuery) -> Call<Analytics> {
        let AnalyticsQuery { period, bucket, include, compare } = query;
        let SentPeriod { name, first, last } = SentPeriod::of(period);
        Call::of(
            &self.client,
            operation::GET_ACCOUNT_ANALYTICS,
            move |api| {
                api.get_account_analytics(
                    bucket,
                    compare,
                    first.as_deref(),
                    last.as_deref(),
                    include.as_deref(),
                    name,
                )
            },
            Analytics::from,
        )
    }
}

impl ProfileHandle {
    /// Returns views, clicks per slot and per social link, and short findings. At most 20 analytics requests a minute.
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
        let AnalyticsQuery { period, bucket, include, compare } = query;
        let SentPeriod { name, first, last } = SentPeriod::of(period);
        self.call(
            operation::GET_PROFILE_ANALYTICS,
            move |api, key| {
                api.get_profile_analytics(
                    &key,
                    bucket,
                    compare,
                    first.as_deref(),
                    last.as_deref(),
                    include.as_deref(),
                    name,
                )
            },
            Analytics::from,
        )
    }
}

impl FormHandle {
    /// Returns views, opens, starts and submits, split by page. Submissions are exact, the steps before them can be too low. At most 20
    /// analytics requests a minute.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let id = client.forms().list().await?.items.remove(0).id;
    /// let analytics = client.form(id).analytics(Default::default()).await?;
    /// assert!(analytics.meta.uniques_are_approximate);
    /// # Ok(()) });
    /// ```
    pub fn analytics(&self, query: AnalyticsQuery) -> Call<Analytics> {
        let AnalyticsQuery { period, bucket, include, compare } = query;
        let SentPeriod { name, first, last } = SentPeriod::of(period);
        self.call(
            operation::GET_FORM_ANALYTICS,
            move |api, id| {
                api.get_form_analytics(
                    &id,
                    bucket,
                    compare,
                    first.as_deref(),
                    last.as_deref(),
                    include.as_deref(),
                    name,
                )
            },
            Analytics::from,
        )
    }
}
