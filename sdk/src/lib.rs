//! A typed client for the Profile Publishing Service: public link pages ("profiles"), their slots, lead forms, files
//! and analytics.
//!
//! Build one [`Client`] per token. Its handles represent the resources, and each call is a value that is sent when you await it:
//!
//! ```
//! use links_fixtures::{ContractServer, World};
//! use links_sdk::{Client, Token, content::Button};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let service = ContractServer::start(World::cafe()).await; // models the whole service on this machine
//!     let client = Client::builder(service.base_url()).token(Token::new(&service.token())?).build()?;
//!     let menu = Button::new("Menu", "https://cafe.example/menu");
//!     let slot = client.profile("cafe").slots().create(menu).await?;
//!     Ok(println!("slot {} is on the page", slot.id))
//! }
//! ```
//!
//! For more, see the programs in `examples/`; the [guide] describes each of them, and the features.
//!
//! # What every call does
//!
//! - It stays within the rate limits (5 requests per second and 60 per minute; 20 per minute for analytics, 15 for music): a burst is sent
//!   at once, then requests wait. After a 429, the client waits as long as `Retry-After` says.
//! - It is retried after a failure only if a retry cannot do more than the first request did, and if the client has [retries
//!   left](RetryPolicy::budget). Operations that create something have an idempotency key, the same for all attempts.
//! - It ends within its deadline, by default 120 seconds.
//! - [`Error::outcome`] returns whether the write took place.
//!
//! # Observing
//!
//! An [`Observer`] is notified of every wait and every attempt. With the feature `tracing`, each call has a span `links.call`, and each
//! attempt in it a span `links.attempt`. Field names follow the OpenTelemetry conventions for HTTP clients (`http.request.method`,
//! `http.response.status_code`, `error.type`, `url.template`); waits are events. No field contains a token, a header, a query, an ID or
//! content.
//!
//! # Reading and writing
//!
//! Reading is tolerant: unknown fields are kept in `extra`, unknown types stay strings, and PHP's `[]` for an empty object is read as an
//! empty object. Writing is strict: you cannot send a computed field by accident, and [`Error::field_errors`] lists the fields that the
//! service refuses. If the SDK's types are not enough, [`Call::answer`] returns the response as the service sent it.
//!
//! ```
//! # links_test_support::example::run(async |client| {
//! use links_sdk::types::NewSlot;
//!
//! let slots = client.profile("cafe").slots();
//! let menu = NewSlot::of("button").with("title", "Menu").with("link", "https://cafe.example/menu");
//! slots.create(menu.clone()).dry_run().await?;
//! let made = slots.create(menu).await?;
//! assert_eq!(slots.get(made.id).await?.data["title"], "Menu");
//!
//! let error = slots.create(NewSlot::of("button").with("titel", "Menu")).await.unwrap_err();
//! assert!(error.is_validation());
//! assert!(error.field_errors().contains_key("data.titel"));
//! # Ok(()) });
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod api;
mod base_url;
mod batch;
mod blocking;
mod call;
mod call_sender;
mod changes;
mod client;
mod crash_point;
mod date;
mod error;
mod error_kind;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
#[rustfmt::skip]
mod generated;
mod conditional_write;
pub mod content;
mod ids;
#[cfg(feature = "oauth")]
pub mod oauth;
mod operation;
#[doc(hidden)]
pub mod private_file;
mod private_host;
mod profile_key;
/// For `links`, which is released with this crate: requests to hosts that others choose. Not covered by semantic versioning.
#[doc(hidden)]
pub mod public_hosts {
    pub use crate::base_url::is_loopback;
    pub use crate::private_host::{NameError, PublicOnlyResolver, is_private_url};
    pub use crate::transport::retry::retry_after;
    #[cfg(feature = "rustls-no-provider")]
    pub use crate::transport::tls::system_config;
}
#[doc(hidden)]
pub mod runs;
mod same;
mod secrets;
mod slot;
mod success;
#[cfg(feature = "testing")]
pub mod testing;
mod token;
mod tolerant;
mod transport;
mod upload;

#[cfg(doc)]
#[doc = include_str!("guide.md")]
pub mod guide {}

/// Records and request bodies of the service, as its description defines them. Fields that it does not describe are kept in `extra`.
pub mod types {
    pub use crate::generated::types::{
        AnalyticsBucket, AnalyticsMeta, AnalyticsPeriod, File, FormField, Index,
        IndexAuthentication, LanguageOption, LeadForm, LoginCheck, LoginRules, Me, MeAnalytics,
        MeLimits, MusicLink, MusicMatch, MusicSearchType, MusicSlot, NewFormField, NewSlot,
        NotificationChannel, Profile, ProfileComputed, ProfileSettings, ProfileSettingsComputed,
        ProfileSettingsOptions, RateLimit, SlotChange, SlotType, Social, SocialComputed,
        UploadLimits, Usage,
    };
}

pub use api::{
    Analytics, AnalyticsQuery, DeletedSlots, FilesHandle, FormHandle, FormsHandle, Listing,
    Markdown, MusicQuery, Period, ProfileHandle, ProfilesHandle, RawCall, SlotsHandle,
};
pub use base_url::BaseUrl;
pub use batch::{BatchError, BatchProgress, BatchRun, SLOTS_PER_BATCH};
pub use call::{Call, CallFuture, Create, Delete, Read, SupportsDryRun, Write};
pub use changes::{FormChanges, NewProfile, ProfileChanges, SettingsChanges};
pub use client::{Client, ClientBuilder};
pub use date::{Date, Timestamp};
pub use error::Error;
pub use error_kind::{ErrorKind, Outcome, ServiceError};
pub use ids::{ChannelId, FormId, InvalidValue, ProfileId, SlotId};
pub use operation::Bucket;
pub use profile_key::ProfileKey;
pub use secrets::Secrets;
pub use slot::Slot;
pub use token::{Token, TokenError, TokenFuture, TokenSource};
pub use tolerant::{ChannelIds, FieldErrors, Object};
pub use transport::answer::Answer;
pub use transport::caller_headers::{IdempotencyKey, OutgoingRequest, overrides_method};
pub use transport::clock::{Clock, SystemClock};
pub use transport::connection_options::{BuildError, ConnectionOptions};
pub use transport::exchange::WriteMode;
pub use transport::http_sender::Timeouts;
pub use transport::observer::{AttemptReport, Observer, RequestView};
pub use transport::pacing::{
    InProcessPacer, MustWait, NotAdmitted, Pacer, PacerError, PacerFuture, PacerNote, RateLimits,
    SharedFilePacer, Ticket, WaitReason,
};
#[cfg(feature = "redis")]
pub use transport::pacing::{RedisPacer, WhenUnreachable};
#[cfg(feature = "redis")]
pub use transport::redis_server::RedisServer;
pub use transport::retry_policy::RetryPolicy;
pub use transport::write_tally::WriteSummary;
#[cfg(feature = "images")]
pub use upload::image_size_of;
pub use upload::{
    ImageType, ImageUse, MAX_DOWNLOAD_BYTES, MAX_UPLOAD_BYTES, Upload, UploadMethod,
    UploadProgress, UploadTarget,
};

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;
