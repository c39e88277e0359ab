//! Information about the service and the caller (the interface, sections 4.3 and 4.4).

use serde_json::{Map, Value};

use super::path::path_segment;
use crate::call::Call;
use crate::client::Client;
use crate::generated::Client as Api;
use crate::generated::types::{Index, Me, MeEnvelope, RateLimit, SlotType};
use crate::operation;
use crate::transport::pacing::RateLimits;

impl Client {
    /// Returns the entry point: conventions, limits and examples in the service's own words. The only call that needs no token.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let index = client.index().await?;
    /// assert_eq!(index.version, "v1");
    /// # Ok(()) });
    /// ```
    pub fn index(&self) -> Call<Index> {
        Call::of(
            self,
            operation::GET_API_INDEX,
            |api| api.get_api_index(),
            |envelope| envelope.data,
        )
    }

    /// Returns the service's own OpenAPI 3.1 document.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let document = client.openapi().await?;
    /// assert_eq!(document["openapi"], "3.1.0");
    /// # Ok(()) });
    /// ```
    pub fn openapi(&self) -> Call<Map<String, Value>> {
        Call::of(self, operation::GET_OPENAPI, |api| api.get_openapi(), |document| document)
    }

    /// Returns the token's owner, whether it may write, and how much of each limit is used. The client keeps within the rate limits it
    /// reports from then on.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let me = client.me().await?;
    /// assert!(me.can_write);
    /// assert!(me.limits.profiles.used < me.limits.profiles.max);
    /// # Ok(()) });
    /// ```
    pub fn me(&self) -> Call<Me> {
        let shared = self.shared.clone();
        Call::new(self, operation::GET_ME, |sender| {
            Box::pin(async move {
                let request = |api: Api<'_>| api.get_me();
                let (MeEnvelope { data: me }, _) =
                    sender.send_decoded(operation::GET_ME, request).await?;
                let learned = shared.pacer.learn((&me.limits.rate_limit).into(), &*shared.clock);
                // Limits that are not stored in time are reported again by the next call.
                let _ = shared.within(sender.options().until, learned).await;
                Ok(me)
            })
        })
    }

    /// Returns the types of slots with the JSON Schema of each one's `data`: the only list of its fields there is.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let types = client.slot_types().await?;
    /// assert!(types.iter().any(|slot_type| !slot_type.writable));
    /// # Ok(()) });
    /// ```
    pub fn slot_types(&self) -> Call<Vec<SlotType>> {
        Call::of(
            self,
            operation::LIST_SLOT_TYPES,
            |api| api.list_slot_types(),
            |envelope| envelope.data,
        )
    }

    /// Returns one type of slot. An unknown one is a 404.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let button = client.slot_type("button").await?;
    /// assert!(button.writable);
    /// # Ok(()) });
    /// ```
    pub fn slot_type(&self, name: impl Into<String>) -> Call<SlotType> {
        let name = name.into();
        if let Err(message) = path_segment("slot type", &name) {
            return Call::refused(self, operation::GET_SLOT_TYPE, message);
        }
        Call::of(
            self,
            operation::GET_SLOT_TYPE,
            move |api| api.get_slot_type(&name),
            |envelope| envelope.data,
        )
    }
}

/// Maximum value of a limit. A higher value limits nothing, and the log of so many requests would be too large.
const MAX_PER_WINDOW: usize = 10_000;

impl From<&RateLimit> for RateLimits {
    /// Converts the numbers that `/me` reports. A number that cannot be a limit is replaced by that of the interface.
    fn from(limits: &RateLimit) -> Self {
        let or = |reported: i64, default: usize| match usize::try_from(reported) {
            Ok(0) | Err(_) => default,
            Ok(limit) => limit.min(MAX_PER_WINDOW),
        };
        let default = Self::default();
        Self {
            per_second: or(limits.requests_per_second, default.per_second),
            per_minute: or(limits.requests_per_minute, default.per_minute),
            analytics_per_minute: or(limits.analytics_per_minute, default.analytics_per_minute),
            music_per_minute: or(limits.music_lookup_per_minute, default.music_per_minute),
        }
    }
}
