//! Music lookup (the interface, section 4.8).

use crate::call::Call;
use crate::client::Client;
use crate::generated::types::{MusicMatch, MusicSearchType};
use crate::operation;

/// Query of a music lookup.
///
/// ```
/// use links_sdk::{MusicQuery, MusicType};
///
/// let query = MusicQuery::new("Blue Train").artist("John Coltrane").of_type(MusicType::Album);
/// # let _ = query;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct MusicQuery {
    query: String,
    artist: Option<String>,
    kind: Option<MusicType>,
}

/// Type of release that a search by title and artist returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum MusicType {
    /// A whole release.
    Album,
    /// One track of a release.
    Track,
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
    pub fn of_type(mut self, kind: MusicType) -> Self {
        self.kind = Some(kind);
        self
    }
}

impl Client {
    /// Finds a release. Its `slot` is the ready body of a music slot, to be passed on unchanged. Nothing found is a 404. At most 15
    /// lookups a minute, besides the general limits.
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
        let MusicQuery { query, artist, kind } = query;
        let kind = kind.map(|kind| match kind {
            MusicType::Album => MusicSearchType::Album,
            MusicType::Track => MusicSearchType::Track,
        });
        Call::of(
            self,
            operation::LOOKUP_MUSIC,
            move |api| api.lookup_music(artist.as_deref(), &query, kind),
            |envelope| envelope.data,
        )
    }
}
