//! A typed client for the Profile Publishing Service: public link pages ("profiles"), their slots, lead forms, files
//! and analytics.
//!
//! A [`Client`] is built once per token. Its handles name the resources, and each call is a value that is sent when it is awaited:
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
//! The programs in `examples/` show the rest; the [guide] tells of each, and of the features.
//!
//! # What every call does
//!
//! - It stays within the rate limits (5 requests a second, 60 a minute, 20 and 15 a minute for analytics and music): a burst goes out at
//!   once, then requests wait. A 429 is waited out as its `Retry-After` says.
//! - It is repeated after a failure only where repeating cannot do more than the first request did, and while the client has
//!   [retries left](RetryPolicy::budget). Operations that create carry an idempotency key, the same for all attempts.
//! - It ends within its deadline, 120 seconds unless set.
//! - [`Error::outcome`] tells whether the write took place.
//!
//! # Observing
//!
//! An [`Observer`] hears of every wait and every attempt. With the feature `tracing` each call has a span `links.call`, and each attempt a
//! span `links.attempt` in it, with the names of OpenTelemetry's conventions for HTTP clients (`http.request.method`,
//! `http.response.status_code`, `error.type`, `url.template`); waits are events. No field holds a token, a header, a query, an id or content.
//!
//! # Reading and writing
//!
//! Reading is tolerant: unknown fields are kept in `extra`, unknown types stay strings, and PHP's `[]` for an empty object reads as an
//! empty object. Writing is strict: a field that the service computes cannot be sent by accident, and [`Error::field_errors`] lists the
//! fields that the service refuses. Where the SDK's types are not enough, [`Call::answer`] returns the answer as it was sent.
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
mod private_host;
mod profile_key;
/// What a program needs that asks hosts which others chose: for `links`, which is released with this crate. No part of what a version
/// promises.
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

/// Records and request bodies of the service, as its description defines them. Fields that are not described are kept in `extra`.
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
    Analytics, AnalyticsHandle, AnalyticsQuery, DeletedSlots, FilesHandle, FormHandle, FormsHandle,
    Listing, Markdown, MusicQuery, Period, ProfileHandle, ProfilesHandle, RawCall, SlotsHandle,
};
pub use base_url::BaseUrl;
pub use batch::{BatchError, BatchProgress, BatchRun, SLOTS_PER_BATCH};
pub use call::{Call, CallFuture, Create, Delete, DeleteMany, Read, SupportsDryRun, Write};
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
