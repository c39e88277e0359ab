//! Aggregates of views and clicks (the interface, section 4.10).

use super::forms::FormHandle;
use super::profiles::ProfileHandle;
use crate::call::Call;
use crate::client::Client;
use crate::generated::types::{AnalyticsBucket, AnalyticsEnvelope, AnalyticsMeta, AnalyticsPeriod};
use crate::operation;
use crate::tolerant::Object;

/// The account's own analytics. From [`Client::analytics`].
#[derive(Clone, Debug)]
pub struct AnalyticsHandle {
    client: Client,
}

/// Query of analytics: period, steps and parts. Every part is optional; the service chooses the value of a part that is left out.
///
/// ```
/// use links_sdk::AnalyticsQuery;
/// use links_sdk::types::{AnalyticsBucket, AnalyticsPeriod};
///
/// let query = AnalyticsQuery::default().period(AnalyticsPeriod::Last28).bucket(AnalyticsBucket::Week).include("timeline");
/// # let _ = query;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct AnalyticsQuery {
    period: Option<AnalyticsPeriod>,
    date_from: Option<String>,
    date_to: Option<String>,
    bucket: Option<AnalyticsBucket>,
    include: Option<String>,
    compare: Option<bool>,
}

/// Aggregates, with their reliability.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Analytics {
    /// The numbers. Their shape is not documented.
    pub data: Object,
    /// Time of the computation, how long the numbers are cached, and whether uniques are approximate.
    pub meta: AnalyticsMeta,
}

impl AnalyticsQuery {
    /// Sets a named period.
    pub fn period(mut self, period: AnalyticsPeriod) -> Self {
        self.period = Some(period);
        self
    }

    /// Sets the first day (`2026-01-31`), in the time zone that `me` reports. At most 366 days in all.
    pub fn from(mut self, date: impl Into<String>) -> Self {
        self.date_from = Some(date.into());
        self
    }

    /// Sets the last day, which is included.
    pub fn to(mut self, date: impl Into<String>) -> Self {
        self.date_to = Some(date.into());
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
        let AnalyticsQuery { period, date_from, date_to, bucket, include, compare } = query;
        Call::of(
            &self.client,
            operation::GET_ACCOUNT_ANALYTICS,
            move |api| async move {
                api.get_account_analytics(
                    bucket,
                    compare,
                    date_from.as_deref(),
                    date_to.as_deref(),
                    include.as_deref(),
                    period,
                )
                .await
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
    /// use links_sdk::AnalyticsQuery;
    ///
    /// let query = AnalyticsQuery::default().from("2026-01-01").to("2026-01-31").include("timeline");
    /// let analytics = client.profile("cafe").analytics(query).await?;
    /// assert!(!analytics.data.is_empty());
    /// # Ok(()) });
    /// ```
    pub fn analytics(&self, query: AnalyticsQuery) -> Call<Analytics> {
        let AnalyticsQuery { period, date_from, date_to, bucket, include, compare } = query;
        self.call(
            operation::GET_PROFILE_ANALYTICS,
            move |api, key| async move {
                api.get_profile_analytics(
                    &key,
                    bucket,
                    compare,
                    date_from.as_deref(),
                    date_to.as_deref(),
                    include.as_deref(),
                    period,
                )
                .await
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
        let AnalyticsQuery { period, date_from, date_to, bucket, include, compare } = query;
        self.call(
            operation::GET_FORM_ANALYTICS,
            move |api, id| async move {
                api.get_form_analytics(
                    &id,
                    bucket,
                    compare,
                    date_from.as_deref(),
                    date_to.as_deref(),
                    include.as_deref(),
                    period,
                )
                .await
            },
            Analytics::from,
        )
    }
}
