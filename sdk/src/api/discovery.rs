//! Information about the service and the caller, and the music lookup.

use serde_json::{Map, Value};

use super::{Listing, path_segment};
use crate::call::Call;
use crate::client::Client;
use crate::generated::types::{
    Index, Me, MusicMatch, MusicSearchType, NotificationChannel, RateLimit, SlotType,
};
use crate::operation;
use crate::transport::pacing::{PacerNote, RateLimits};

impl Client {
    /// Returns the entry point: the service's own description of its conventions, limits and examples. This is the only call that needs no
    /// token.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let index = client.index().await?;
    /// assert_eq!(index.version, "v1");
    /// # Ok(()) });
    /// ```
    pub fn index(&self) -> Call<Index> {
        Call::of(self, operation::GET_API_INDEX, Ok(()), |api, ()| api.get_api_index())
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
        Call::of(self, operation::GET_OPENAPI, Ok(()), |api, ()| api.get_openapi())
    }

    /// Returns the token's owner, whether the token may write, and how much of each limit is used. From then on, the client keeps within
    /// the rate limits reported here.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let me = client.me().await?;
    /// assert!(me.can_write);
    /// assert!(me.limits.profiles.used < me.limits.profiles.max);
    /// # Ok(()) });
    /// ```
    pub fn me(&self) -> Call<Me> {
        Call::new(self, operation::GET_ME, Ok(()), |sender, ()| async move {
            let (me, _) = sender.send_decoded(|api| api.get_me()).await?;
            let shared = &sender.client.shared;
            let learned = PacerNote::Learned((&me.limits.rate_limit).into());
            let learned = shared.pacer.note(learned, &*shared.clock);
            // Limits that are not stored in time are reported again by the next call.
            let _ = shared.within(sender.options.until, learned).await;
            Ok(me)
        })
    }

    /// Returns the types of slots with the JSON Schema of their `data`. This is the only list of the fields of each type.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let types = client.slot_types().await?;
    /// assert!(types.iter().any(|slot_type| !slot_type.writable));
    /// # Ok(()) });
    /// ```
    pub fn slot_types(&self) -> Call<Vec<SlotType>> {
        Call::of(self, operation::LIST_SLOT_TYPES, Ok(()), |api, ()| api.list_slot_types())
    }

    /// Returns one type of slot. An unknown type is a 404.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let button = client.slot_type("button").await?;
    /// assert!(button.writable);
    /// # Ok(()) });
    /// ```
    pub fn slot_type(&self, name: impl Into<String>) -> Call<SlotType> {
        let name = path_segment::<String>("slot type", name.into());
        Call::of(self, operation::GET_SLOT_TYPE, name, |api, name| api.get_slot_type(&name))
    }
}

/// Maximum value of a limit. A higher value limits nothing, and the log of so many requests would be too large.
const MAX_PER_WINDOW: usize = 10_000;

impl From<&RateLimit> for RateLimits {
    /// Converts the numbers that `/me` reports. A number that cannot be a limit is replaced by that of the interface.
    fn from(limits: &RateLimit) -> Self {
        let number = |reported: i64| usize::try_from(reported).unwrap_or_default();
        let reported = Self {
            per_second: number(limits.requests_per_second),
            per_minute: number(limits.requests_per_minute),
            analytics_per_minute: number(limits.analytics_per_minute),
            music_per_minute: number(limits.music_lookup_per_minute),
        };
        reported.zip(Self::default(), |reported, default| match reported {
            0 => default,
            limit => limit.min(MAX_PER_WINDOW),
        })
    }
}

impl Client {
    /// Returns the owner's verified channels, including inactive ones. Recipients are masked. To add or change channels, use the dashboard.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// let channels = client.notification_channels().await?;
    /// assert!(channels.iter().any(|channel| !channel.is_active));
    /// # Ok(()) });
    /// ```
    pub fn notification_channels(&self) -> Call<Listing<NotificationChannel>> {
        Call::of(self, operation::LIST_NOTIFICATION_CHANNELS, Ok(()), |api, ()| {
            api.list_notification_channels()
        })
    }
}

/// Query of a music lookup.
///
/// ```
/// use links_sdk::MusicQuery;
/// use links_sdk::types::MusicSearchType;
///
/// let query = MusicQuery::new("Blue Train").artist("John Coltrane").of_type(MusicSearchType::Album);
/// # let _ = query;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct MusicQuery {
    query: String,
    artist: Option<String>,
    kind: Option<MusicSearchType>,
}

impl MusicQuery {
    /// Returns a query for a UPC (12 or 13 digits), an ISRC (12 characters), the URL of a release on any platform, or a title; 1 to 500
    /// characters.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), artist: None, kind: None }
    }

    /// Narrows a search by title; at most 200 characters. Ignored for codes and URLs.
    pub fn artist(mut self, artist: impl Into<String>) -> Self {
        self.artist = Some(artist.into());
        self
    }

    /// Narrows a search by title and artist. Ignored otherwise.
    pub fn of_type(mut self, kind: MusicSearchType) -> Self {
        self.kind = Some(kind);
        self
    }
}

impl Client {
    /// Finds a release. Its `slot` is the body of a music slot; pass it on unchanged. If nothing is found, the error is a 404. At most 15
    /// lookups per minute, in addition to the general limits.
    ///
    /// ```
    /// # links_test_support::example::run(async |client| {
    /// use links_sdk::MusicQuery;
    ///
    /// let error = client.lookup_music(MusicQuery::new("no such record")).await.unwrap_err();
    /// assert!(error.is_not_found());
    /// # Ok(()) });
    /// ```
    pub fn lookup_music(&self, query: MusicQuery) -> Call<MusicMatch> {
        Call::of(
            self,
            operation::LOOKUP_MUSIC,
            Ok(query),
            |api, MusicQuery { query, artist, kind }| {
                api.lookup_music(artist.as_deref(), &query, kind)
            },
        )
    }
}
