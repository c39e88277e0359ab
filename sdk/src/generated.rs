// Generated from spec/openapi.json by `cargo spec generate`. Do not edit: change the document and run it again.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, dead_code, missing_docs, unreachable_pub, reason = "generated")]

use progenitor_client::{ByteStream, encode_path};
/// Request of an operation, with the type of its answer.
pub struct TypedRequest<R> {
    pub(crate) request: reqwest::Request,
    answer: ::std::marker::PhantomData<fn() -> R>,
}
impl<R> From<reqwest::Request> for TypedRequest<R> {
    fn from(request: reqwest::Request) -> Self {
        Self {
            request,
            answer: ::std::marker::PhantomData,
        }
    }
}
/// Result of a method of [`Client`].
pub(crate) type RequestResult<R> = reqwest::Result<TypedRequest<R>>;
/// Builder of the request of each operation.
#[derive(Clone, Copy, Debug)]
pub struct Client<'c> {
    pub(crate) baseurl: &'c str,
    pub(crate) client: &'c reqwest::Client,
}
/// Types used as operation parameters and responses.
#[allow(clippy::all)]
pub mod types {
    ///Length of one step of the timeline.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    #[non_exhaustive]
    pub enum AnalyticsBucket {
        #[serde(rename = "day")]
        Day,
        #[serde(rename = "week")]
        Week,
        #[serde(rename = "month")]
        Month,
    }
    impl ::std::fmt::Display for AnalyticsBucket {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Day => f.write_str("day"),
                Self::Week => f.write_str("week"),
                Self::Month => f.write_str("month"),
            }
        }
    }
    impl ::std::str::FromStr for AnalyticsBucket {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "day" => Ok(Self::Day),
                "week" => Ok(Self::Week),
                "month" => Ok(Self::Month),
                _ => Err("invalid value".into()),
            }
        }
    }
    ///Response with aggregated numbers. Their shape is not documented.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct AnalyticsEnvelope {
        ///The numbers.
        pub data: crate::Object,
        pub meta: AnalyticsMeta,
    }
    ///How the numbers were calculated.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct AnalyticsMeta {
        ///How many seconds the response is cached.
        #[serde(rename = "cacheSeconds")]
        pub cache_seconds: i64,
        ///First day with data, as ISO 8601.
        #[serde(rename = "dataStartsAt")]
        pub data_starts_at: crate::Timestamp,
        ///When the numbers were calculated, as ISO 8601.
        #[serde(rename = "generatedAt")]
        pub generated_at: crate::Timestamp,
        ///Number of days for which data is kept.
        #[serde(rename = "retentionDays")]
        pub retention_days: i64,
        ///Whether unique counts are estimates. Estimates do not add up.
        #[serde(rename = "uniquesAreApproximate")]
        pub uniques_are_approximate: bool,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///A named period.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    #[non_exhaustive]
    pub enum AnalyticsPeriod {
        #[serde(rename = "today")]
        Today,
        #[serde(rename = "yesterday")]
        Yesterday,
        #[serde(rename = "last7")]
        Last7,
        #[serde(rename = "last28")]
        Last28,
        #[serde(rename = "last90")]
        Last90,
        #[serde(rename = "thisMonth")]
        ThisMonth,
        #[serde(rename = "lastMonth")]
        LastMonth,
    }
    impl ::std::fmt::Display for AnalyticsPeriod {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Today => f.write_str("today"),
                Self::Yesterday => f.write_str("yesterday"),
                Self::Last7 => f.write_str("last7"),
                Self::Last28 => f.write_str("last28"),
                Self::Last90 => f.write_str("last90"),
                Self::ThisMonth => f.write_str("thisMonth"),
                Self::LastMonth => f.write_str("lastMonth"),
            }
        }
    }
    impl ::std::str::FromStr for AnalyticsPeriod {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "today" => Ok(Self::Today),
                "yesterday" => Ok(Self::Yesterday),
                "last7" => Ok(Self::Last7),
                "last28" => Ok(Self::Last28),
                "last90" => Ok(Self::Last90),
                "thisMonth" => Ok(Self::ThisMonth),
                "lastMonth" => Ok(Self::LastMonth),
                _ => Err("invalid value".into()),
            }
        }
    }
    ///Result of a deletion.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct DeletedMeta {
        ///Number of slots deleted.
        pub deleted: i64,
        ///Number of slots that remain on the profile.
        pub total: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Why a request failed.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Error {
        ///Error code.
        pub code: ::std::string::String,
        ///URL of, or text with, more information.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub documentation: ::std::option::Option<::std::string::String>,
        ///Messages for each refused field, if validation failed.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub errors: ::std::option::Option<crate::FieldErrors>,
        ///Error message.
        pub message: ::std::string::String,
    }
    ///An uploaded image.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct File {
        ///Height in pixels.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub height: ::std::option::Option<i64>,
        ///Path to use in slots and in the profile fields `avatar` and `bgImage`.
        pub path: ::std::string::String,
        ///URL of the image.
        pub src: ::std::string::String,
        ///Width in pixels.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub width: ::std::option::Option<i64>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with an uploaded image.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct FileEnvelope {
        pub data: File,
    }
    ///An image for the service to download.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct FileFromUrl {
        ///URL of the image: http or https on the default port, not on a private network, at most 2048 characters. The image must be a JPEG, PNG, WebP or GIF of at most 10 MB, and the download must finish within 10 seconds.
        pub url: ::std::string::String,
    }
    ///A field of a form.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct FormField {
        ///Identifies the field across updates.
        pub key: ::std::string::String,
        ///Label shown next to the field.
        pub label: ::std::string::String,
        ///Whether several values can be chosen. The shape of this value is not documented.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub multi: ::std::option::Option<::serde_json::Value>,
        ///Values to choose from. Their shape is not documented.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub options: ::std::option::Option<::serde_json::Value>,
        ///Text shown in the empty field.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub placeholder: ::std::option::Option<::std::string::String>,
        ///Whether an answer is required.
        pub required: bool,
        ///Type of the field; `text` and `phone` are known.
        #[serde(rename = "type")]
        pub kind: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Description of the service and its endpoints. Can be read without a token.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Index {
        ///How to authenticate a request.
        pub authentication: IndexAuthentication,
        ///Base URL of all paths, including the version segment.
        #[serde(rename = "baseUrl")]
        pub base_url: ::std::string::String,
        ///Rules of the whole interface, one text per topic.
        pub conventions: ::std::collections::BTreeMap<
            ::std::string::String,
            ::std::string::String,
        >,
        ///URLs of the endpoints that describe the service, by topic.
        pub discovery: ::std::collections::BTreeMap<
            ::std::string::String,
            ::std::string::String,
        >,
        ///Example requests as text, one per task.
        pub examples: ::std::collections::BTreeMap<
            ::std::string::String,
            ::std::string::String,
        >,
        ///Limits of the service as whole numbers. Their names are not documented.
        pub limits: ::std::collections::BTreeMap<::std::string::String, i64>,
        ///Name of the service.
        pub name: ::std::string::String,
        ///Features that the interface intentionally omits.
        #[serde(rename = "notAvailable")]
        pub not_available: ::std::vec::Vec<::std::string::String>,
        ///Version of the interface, as in the base path.
        pub version: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///How to authenticate a request.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct IndexAuthentication {
        ///Description of each ability of a token.
        pub abilities: ::std::collections::BTreeMap<
            ::std::string::String,
            ::std::string::String,
        >,
        ///Format of the header to send.
        pub header: ::std::string::String,
        ///URL of the page where tokens are issued.
        #[serde(rename = "issuedAt")]
        pub issued_at: ::std::string::String,
        ///Name of the HTTP authentication scheme.
        pub scheme: ::std::string::String,
        ///Prefix of every token.
        #[serde(rename = "tokenPrefix")]
        pub token_prefix: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with the entry point.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct IndexEnvelope {
        pub data: Index,
    }
    ///A language in which a page can be shown.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LanguageOption {
        ///Code of the language.
        pub code: ::std::string::String,
        ///ID of the language.
        pub id: i64,
        ///Name of the language.
        pub name: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///A form that collects leads. A form belongs to the account; `form` slots show it on pages.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LeadForm {
        ///Whether the form accepts submissions now: it is enabled, `activeTill` has not passed, and the limit is not reached. Computed.
        pub active: bool,
        ///Date after which the form accepts no submissions, as ISO 8601.
        #[serde(
            rename = "activeTill",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub active_till: ::std::option::Option<crate::Timestamp>,
        ///Label of the submit button.
        #[serde(rename = "buttonText")]
        pub button_text: ::std::string::String,
        ///When the form was created, ISO 8601.
        #[serde(rename = "createdAt")]
        pub created_at: crate::Timestamp,
        ///Text under the heading.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub description: ::std::option::Option<::std::string::String>,
        ///Whether the owner has enabled the form.
        pub enabled: bool,
        ///Fields in the order in which they are shown.
        pub fields: ::std::vec::Vec<FormField>,
        ///ID of the form.
        pub id: crate::FormId,
        ///Channels that are notified of each new lead.
        #[serde(rename = "notificationChannelIds")]
        pub notification_channel_ids: crate::ChannelIds,
        ///Number of submissions after which the form closes.
        #[serde(
            rename = "submissionsLimit",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub submissions_limit: ::std::option::Option<i64>,
        ///Text shown after a submission.
        #[serde(rename = "successMessage")]
        pub success_message: ::std::string::String,
        ///Heading above the fields.
        pub title: ::std::string::String,
        ///First message of the chat. `null` means the standard text in the visitor's language.
        #[serde(
            rename = "whatsappMessage",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub whatsapp_message: ::std::option::Option<::std::string::String>,
        ///Owner's phone number for the button that continues in a chat.
        #[serde(
            rename = "whatsappPhone",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub whatsapp_phone: ::std::option::Option<::std::string::String>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with a form.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LeadFormEnvelope {
        pub data: LeadForm,
    }
    ///Response with forms.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LeadFormList {
        pub data: ::std::vec::Vec<LeadForm>,
        pub meta: ListMeta,
    }
    ///Size of a list.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ListMeta {
        ///Number of records.
        pub total: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Availability of a login.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LoginCheck {
        ///Whether the login is available.
        pub available: bool,
        ///The login that was checked.
        pub login: ::std::string::String,
        ///The result as a message.
        pub message: ::std::string::String,
        ///The caller's profile whose own login does not count as taken.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub profile: ::std::option::Option<::std::string::String>,
        ///Code of the reason why the login is not available.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub reason: ::std::option::Option<::std::string::String>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with the check of a login.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LoginCheckEnvelope {
        pub data: LoginCheck,
    }
    ///Rules for a login.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LoginRules {
        ///Maximum number of characters.
        #[serde(rename = "maxLength")]
        pub max_length: i64,
        ///Minimum number of characters.
        #[serde(rename = "minLength")]
        pub min_length: i64,
        ///Regular expression that the whole login must match.
        pub pattern: ::std::string::String,
        ///Logins that are reserved.
        pub reserved: ::std::vec::Vec<::std::string::String>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///The caller and its limits.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Me {
        ///Abilities of the token, such as `profile:read`.
        pub abilities: ::std::vec::Vec<::std::string::String>,
        ///How views and clicks are counted.
        pub analytics: MeAnalytics,
        ///Whether the token has `profile:write`.
        #[serde(rename = "canWrite")]
        pub can_write: bool,
        ///Limits of the account, and how much of each is used.
        pub limits: MeLimits,
        ///Name of the account.
        pub name: ::std::string::String,
        ///ID of the account.
        #[serde(rename = "userId")]
        pub user_id: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///How views and clicks are counted.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MeAnalytics {
        ///Number of days for which data is kept.
        #[serde(rename = "retentionDays")]
        pub retention_days: i64,
        ///Time zone of all dates, as an IANA name such as `Asia/Atyrau`.
        pub timezone: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with the caller.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MeEnvelope {
        pub data: Me,
    }
    ///Limits that apply to the caller.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MeLimits {
        ///Number of profiles of the account.
        pub profiles: Usage,
        ///Rate limits.
        #[serde(rename = "rateLimit")]
        pub rate_limit: RateLimit,
        ///Maximum number of slots in one batch request.
        #[serde(rename = "slotsPerBatch")]
        pub slots_per_batch: i64,
        ///Maximum number of slots on one profile.
        #[serde(rename = "slotsPerProfile")]
        pub slots_per_profile: i64,
        ///Number of access tokens of the account.
        pub tokens: Usage,
        ///Maximum sizes of uploads.
        pub upload: UploadLimits,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///A release on one music platform.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MusicLink {
        ///Icon of the platform.
        pub icon: ::std::string::String,
        ///Name of the platform.
        pub label: ::std::string::String,
        ///Code of the platform.
        pub platform: ::std::string::String,
        ///URL of the release on the platform.
        pub url: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///A release that the lookup found.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MusicMatch {
        ///Name of the album.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub album: ::std::option::Option<::std::string::String>,
        ///Name of the artist.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub artist: ::std::option::Option<::std::string::String>,
        ///Links to the release on music platforms.
        pub links: ::std::vec::Vec<MusicLink>,
        ///How the query matched the release.
        #[serde(rename = "matchedBy")]
        pub matched_by: ::std::string::String,
        ///The query.
        pub query: ::std::string::String,
        ///Body for creating a slot. Send it unchanged.
        pub slot: MusicSlot,
        ///URL of the cover image.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub thumbnail: ::std::option::Option<::std::string::String>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with a release.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MusicMatchEnvelope {
        pub data: MusicMatch,
    }
    ///Kind of release to search for by title and artist.
    #[derive(
        ::serde::Deserialize,
        ::serde::Serialize,
        Clone,
        Copy,
        Debug,
        Eq,
        Hash,
        Ord,
        PartialEq,
        PartialOrd
    )]
    #[non_exhaustive]
    pub enum MusicSearchType {
        #[serde(rename = "album")]
        Album,
        #[serde(rename = "track")]
        Track,
    }
    impl ::std::fmt::Display for MusicSearchType {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            match *self {
                Self::Album => f.write_str("album"),
                Self::Track => f.write_str("track"),
            }
        }
    }
    impl ::std::str::FromStr for MusicSearchType {
        type Err = self::error::ConversionError;
        fn from_str(
            value: &str,
        ) -> ::std::result::Result<Self, self::error::ConversionError> {
            match value {
                "album" => Ok(Self::Album),
                "track" => Ok(Self::Track),
                _ => Err("invalid value".into()),
            }
        }
    }
    ///A slot for a release, ready to be created.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MusicSlot {
        ///Content of the block. Send it unchanged.
        pub data: crate::Object,
        ///Type of the slot.
        #[serde(rename = "type")]
        pub kind: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///A field of a form to write. No two fields of a form can have the same `key`.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct NewFormField {
        ///Key of a field to keep. A new field has none.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub key: ::std::option::Option<::std::string::String>,
        ///Label shown next to the field.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub label: ::std::option::Option<::std::string::String>,
        ///Whether several values can be chosen. The shape of this value is not documented.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub multi: ::std::option::Option<::serde_json::Value>,
        ///Values to choose from. Their shape is not documented.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub options: ::std::option::Option<::serde_json::Value>,
        ///Text shown in the empty field.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub placeholder: ::std::option::Option<::std::string::String>,
        ///Whether an answer is required.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub required: ::std::option::Option<bool>,
        ///Type of the field; `text` and `phone` are known.
        #[serde(rename = "type", skip_serializing_if = "::std::option::Option::is_none")]
        pub kind: ::std::option::Option<::std::string::String>,
    }
    ///A slot to create.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct NewSlot {
        ///Content of the block.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub data: ::std::option::Option<crate::Object>,
        ///Position on the page, from 0. If you leave it out, the slot is added at the end.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub order: ::std::option::Option<i64>,
        ///Type of the slot. It can never be changed.
        #[serde(rename = "type")]
        pub kind: ::std::string::String,
    }
    ///Slots to create, all or none.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct NewSlots {
        ///1 to 50, in page order.
        pub slots: ::std::vec::Vec<NewSlot>,
    }
    ///A channel that can receive notifications of new leads. Only verified channels are listed.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct NotificationChannel {
        ///Transport: `telegram`, `whatsapp` or `email`.
        pub channel: ::std::string::String,
        ///ID of the channel, as used in `notificationChannelIds`.
        pub id: crate::ChannelId,
        ///Whether the channel receives notifications. An inactive channel is kept.
        #[serde(rename = "isActive")]
        pub is_active: bool,
        ///The owner's name for the channel.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub label: ::std::option::Option<::std::string::String>,
        ///Masked phone number, email address or chat ID.
        pub recipient: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with notification channels.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct NotificationChannelList {
        pub data: ::std::vec::Vec<NotificationChannel>,
        pub meta: ListMeta,
    }
    ///A public page.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Profile {
        ///Path of the image that is shown as a circle, as returned by an upload. Not a URL. Use a square image of at least 800x800 pixels.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub avatar: ::std::option::Option<::std::string::String>,
        ///Path of the background image. Not a URL. The image is shown at full width and is not cropped: use 16:9 and at least 1600x900 pixels.
        #[serde(
            rename = "bgImage",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub bg_image: ::std::option::Option<::std::string::String>,
        ///Fields that the service computes. They are refused if you send them.
        pub computed: ProfileComputed,
        ///Text under the heading.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub description: ::std::option::Option<::std::string::String>,
        ///ID of the profile. It can be used in every path that takes a profile.
        pub id: crate::ProfileId,
        ///ID of the page's language. `null` means the language of the owner.
        #[serde(
            rename = "languageId",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub language_id: ::std::option::Option<i64>,
        ///Login, which forms the public URL of the page.
        pub login: ::std::string::String,
        ///How many hours the status badge is shown.
        #[serde(
            rename = "moodHours",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub mood_hours: ::std::option::Option<i64>,
        ///Text of the status badge under the avatar. The text is kept after the badge expires. Absent if the service has statuses turned off.
        #[serde(
            rename = "moodText",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub mood_text: ::std::option::Option<::std::string::String>,
        ///Content blocks in page order. Present only if requested with `include=slots`.
        #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
        pub slots: ::std::vec::Vec<crate::Slot>,
        ///Links to social networks.
        pub socials: ::std::vec::Vec<Social>,
        ///ID of the theme. Cannot be set.
        #[serde(rename = "themeId")]
        pub theme_id: i64,
        ///Heading of the page.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub title: ::std::option::Option<::std::string::String>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Fields of a profile that the service computes. They cannot be written.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileComputed {
        ///URL of the avatar.
        #[serde(
            rename = "avatarUrl",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub avatar_url: ::std::option::Option<::std::string::String>,
        ///URL of the background image.
        #[serde(
            rename = "bgImageUrl",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub bg_image_url: ::std::option::Option<::std::string::String>,
        ///Whether this is the main profile of the account.
        #[serde(rename = "isMain")]
        pub is_main: bool,
        ///Whether the status badge is still shown.
        #[serde(
            rename = "moodActive",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub mood_active: ::std::option::Option<bool>,
        ///When the status badge expires, as ISO 8601.
        #[serde(
            rename = "moodExpiresAt",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub mood_expires_at: ::std::option::Option<crate::Timestamp>,
        ///Computed fields of each social link.
        pub socials: ::std::vec::Vec<SocialComputed>,
        ///Status flag of the profile.
        pub status: bool,
        ///URL of the page.
        pub url: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with a profile.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileEnvelope {
        pub data: Profile,
    }
    ///Response with profiles.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileList {
        pub data: ::std::vec::Vec<Profile>,
        pub meta: ListMeta,
    }
    ///Login and language of a profile, with the available options.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileSettings {
        ///Fields that the service computes. They are refused if you send them.
        pub computed: ProfileSettingsComputed,
        ///Code of the selected language.
        #[serde(
            rename = "languageCode",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub language_code: ::std::option::Option<::std::string::String>,
        ///ID of the selected language. `null` means the language of the owner.
        #[serde(
            rename = "languageId",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub language_id: ::std::option::Option<i64>,
        ///Login, which forms the public URL of the page.
        pub login: ::std::string::String,
        ///Available options.
        pub options: ProfileSettingsOptions,
        ///ID of the profile.
        #[serde(rename = "profileId")]
        pub profile_id: crate::ProfileId,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Computed fields of a profile's settings.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileSettingsComputed {
        ///Code of the language in which the page is shown. This is the owner's language if none is selected.
        #[serde(rename = "effectiveLanguageCode")]
        pub effective_language_code: ::std::string::String,
        ///URL of the page.
        pub url: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with the settings of a profile.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileSettingsEnvelope {
        pub data: ProfileSettings,
    }
    ///Available options for the settings of a profile.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileSettingsOptions {
        ///Active languages.
        pub languages: ::std::vec::Vec<LanguageOption>,
        ///Rules for a login.
        pub login: LoginRules,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Rate limits of one token.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct RateLimit {
        ///Analytics requests per minute.
        #[serde(rename = "analyticsPerMinute")]
        pub analytics_per_minute: i64,
        ///Music lookups per minute, in addition to the limits for all requests.
        #[serde(rename = "musicLookupPerMinute")]
        pub music_lookup_per_minute: i64,
        ///Requests per minute.
        #[serde(rename = "requestsPerMinute")]
        pub requests_per_minute: i64,
        ///Requests per second.
        #[serde(rename = "requestsPerSecond")]
        pub requests_per_second: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///A change to the content of one slot.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct SlotChange {
        ///Keys to set. They replace the current values; other keys are not changed.
        pub data: crate::Object,
        ///ID of the slot.
        pub id: crate::SlotId,
    }
    ///Changes to slots, all or none. Positions cannot be set here.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct SlotChanges {
        ///1 to 50 changes.
        pub slots: ::std::vec::Vec<SlotChange>,
    }
    ///A change to the content of the slot in the path.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct SlotDataChange {
        ///Keys to set. They replace the current values; other keys are not changed.
        pub data: crate::Object,
    }
    ///Response with a slot.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotEnvelope {
        pub data: crate::Slot,
    }
    ///Slots to delete, all or none.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct SlotIds {
        ///1 to 50 IDs of slots of the profile, without duplicates.
        pub ids: ::std::vec::Vec<crate::SlotId>,
    }
    ///Response with slots.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotList {
        pub data: ::std::vec::Vec<crate::Slot>,
    }
    ///A new order for all slots of a profile.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct SlotOrder {
        ///The ID of every slot of the profile, exactly once.
        pub order: ::std::vec::Vec<crate::SlotId>,
    }
    ///A slot type and the data that its slots accept.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotType {
        ///Fields of `data` that the service computes. They are refused if you send them.
        pub computed: crate::Object,
        ///Purpose of such a slot.
        pub description: ::std::string::String,
        ///Display names of enumerated values.
        #[serde(rename = "enumLabels")]
        pub enum_labels: crate::Object,
        ///Example of the data.
        pub example: crate::Object,
        ///JSON Schema of the type's `data`.
        pub schema: crate::Object,
        ///Display name of the type.
        pub title: ::std::string::String,
        ///Name of the type.
        #[serde(rename = "type")]
        pub kind: ::std::string::String,
        ///Whether slots of this type can be created and changed; `false` for `event`.
        pub writable: bool,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with a slot type.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotTypeEnvelope {
        pub data: SlotType,
    }
    ///Response with slot types.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotTypeList {
        pub data: ::std::vec::Vec<SlotType>,
    }
    ///Response to a deletion of slots.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotsDeleted {
        pub meta: DeletedMeta,
    }
    ///A link to a social network. The service computes the icon from the URL; an icon that you send is refused.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Social {
        ///URL of the page on the social network.
        pub link: ::std::string::String,
        ///Position among the links.
        pub order: i64,
    }
    ///Computed fields of a social link.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SocialComputed {
        ///Icon of the social network.
        pub icon: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Maximum sizes of uploads.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct UploadLimits {
        ///Maximum size of a file sent in a request, in megabytes.
        #[serde(rename = "maxMegabytes")]
        pub max_megabytes: i64,
        ///Maximum size of a file that the service downloads, in megabytes.
        #[serde(rename = "maxMegabytesFromUrl")]
        pub max_megabytes_from_url: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Where to send a large image. The keys are in snake case.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct UploadUrl {
        ///When the URL expires, as ISO 8601.
        pub expires_at: ::std::string::String,
        ///Maximum size of the image in bytes.
        pub max_bytes: i64,
        ///HTTP method to use.
        pub method: ::std::string::String,
        ///URL to send the image to. It expires after 15 minutes.
        pub upload_url: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Response with an upload URL.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct UploadUrlEnvelope {
        pub data: UploadUrl,
    }
    ///A limit, and how much of it is used.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Usage {
        ///Maximum.
        pub max: i64,
        ///Used so far.
        pub used: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    /// Error types.
    pub mod error {
        /// Error from a `TryFrom` or `FromStr` implementation.
        #[non_exhaustive]
        pub struct ConversionError(::std::borrow::Cow<'static, str>);
        impl ::std::error::Error for ConversionError {}
        impl ::std::fmt::Display for ConversionError {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> Result<(), ::std::fmt::Error> {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }
        impl ::std::fmt::Debug for ConversionError {
            fn fmt(
                &self,
                f: &mut ::std::fmt::Formatter<'_>,
            ) -> Result<(), ::std::fmt::Error> {
                ::std::fmt::Debug::fmt(&self.0, f)
            }
        }
        impl From<&'static str> for ConversionError {
            fn from(value: &'static str) -> Self {
                Self(value.into())
            }
        }
        impl From<String> for ConversionError {
            fn from(value: String) -> Self {
                Self(value.into())
            }
        }
    }
}
#[allow(clippy::all)]
impl Client<'_> {
    /**Describe the service

The only endpoint that needs no token.

Sends a `GET` request to `/`

*/
    pub fn get_api_index<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::IndexEnvelope>> {
        let url = format!("{}/", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Describe the caller

Call this first: it reports whether the token can write and how many profiles the account can still create.

Sends a `GET` request to `/me`

*/
    pub fn get_me<'a>(&'a self) -> reqwest::Result<TypedRequest<types::MeEnvelope>> {
        let url = format!("{}/me", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Describe all slot types

Returns every type with the JSON Schema of its data.

Sends a `GET` request to `/slot-types`

*/
    pub fn list_slot_types<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::SlotTypeList>> {
        let url = format!("{}/slot-types", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Describe one slot type

Returns 404 with the code `not_found` for an unknown type.

Sends a `GET` request to `/slot-types/{type}`

Arguments:
- `kind`: Name of the slot type.
*/
    pub fn get_slot_type<'a>(
        &'a self,
        kind: &'a str,
    ) -> reqwest::Result<TypedRequest<types::SlotTypeEnvelope>> {
        let url = format!(
            "{}/slot-types/{}", self.baseurl, encode_path(& kind.to_string()),
        );
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**List the profiles of the account

Returns the profiles without their slots.

Sends a `GET` request to `/profiles`

*/
    pub fn list_profiles<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::ProfileList>> {
        let url = format!("{}/profiles", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Create a profile

An account can have at most 100 profiles. Returns 409 at the limit.

Sends a `POST` request to `/profiles`

*/
    pub fn create_profile<'a>(
        &'a self,
        body: &'a crate::Object,
    ) -> reqwest::Result<TypedRequest<types::ProfileEnvelope>> {
        let url = format!("{}/profiles", self.baseurl,);
        self.client.post(url).json(&body).build().map(TypedRequest::from)
    }
    /**Check whether a login is available

Checks the rules for logins, the reserved words and the existing profiles.

Sends a `GET` request to `/profiles/check-login`

Arguments:
- `login`: The login to check, at most 255 characters.
- `profile`: ID or login of one of the caller's profiles, at most 255 characters. The current login of that profile does not count as taken. Any other value is refused with 422.
*/
    pub fn check_login<'a>(
        &'a self,
        login: &'a str,
        profile: Option<&'a str>,
    ) -> reqwest::Result<TypedRequest<types::LoginCheckEnvelope>> {
        let url = format!("{}/profiles/check-login", self.baseurl,);
        self.client
            .get(url)
            .query(&progenitor_client::QueryParam::new("login", &login))
            .query(&progenitor_client::QueryParam::new("profile", &profile))
            .build()
            .map(TypedRequest::from)
    }
    /**Read a profile

Add `include=slots` to include the slots.

Sends a `GET` request to `/profiles/{profileKey}`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `include`: `slots` includes the slots, in page order.
*/
    pub fn get_profile<'a>(
        &'a self,
        profile_key: &'a str,
        include: Option<&'a str>,
    ) -> reqwest::Result<TypedRequest<types::ProfileEnvelope>> {
        let url = format!(
            "{}/profiles/{}", self.baseurl, encode_path(& profile_key.to_string()),
        );
        self.client
            .get(url)
            .query(&progenitor_client::QueryParam::new("include", &include))
            .build()
            .map(TypedRequest::from)
    }
    /**Change a profile

Fields that you leave out are not changed.

Sends a `PATCH` request to `/profiles/{profileKey}`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `body`
*/
    pub fn update_profile<'a>(
        &'a self,
        profile_key: &'a str,
        body: &'a crate::Object,
    ) -> reqwest::Result<TypedRequest<types::ProfileEnvelope>> {
        let url = format!(
            "{}/profiles/{}", self.baseurl, encode_path(& profile_key.to_string()),
        );
        self.client.patch(url).json(&body).build().map(TypedRequest::from)
    }
    /**Read the settings of a profile

Returns the login and language, with the available options.

Sends a `GET` request to `/profiles/{profileKey}/settings`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
*/
    pub fn get_profile_settings<'a>(
        &'a self,
        profile_key: &'a str,
    ) -> reqwest::Result<TypedRequest<types::ProfileSettingsEnvelope>> {
        let url = format!(
            "{}/profiles/{}/settings", self.baseurl, encode_path(& profile_key
            .to_string()),
        );
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Change the settings of a profile

A new login takes effect immediately, and the old URL stops working.

Sends a `PATCH` request to `/profiles/{profileKey}/settings`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `body`
*/
    pub fn update_profile_settings<'a>(
        &'a self,
        profile_key: &'a str,
        body: &'a crate::Object,
    ) -> reqwest::Result<TypedRequest<types::ProfileSettingsEnvelope>> {
        let url = format!(
            "{}/profiles/{}/settings", self.baseurl, encode_path(& profile_key
            .to_string()),
        );
        self.client.patch(url).json(&body).build().map(TypedRequest::from)
    }
    /**Render a profile as Markdown

Returns the whole page as a visitor sees it.

Sends a `GET` request to `/profiles/{profileKey}/markdown`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
*/
    pub fn preview_profile_markdown<'a>(
        &'a self,
        profile_key: &'a str,
    ) -> reqwest::Result<TypedRequest<ByteStream>> {
        let url = format!(
            "{}/profiles/{}/markdown", self.baseurl, encode_path(& profile_key
            .to_string()),
        );
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**List the slots of a profile

Returns all slots in page order, including legacy slots.

Sends a `GET` request to `/profiles/{profileKey}/slots`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
*/
    pub fn list_slots<'a>(
        &'a self,
        profile_key: &'a str,
    ) -> reqwest::Result<TypedRequest<types::SlotList>> {
        let url = format!(
            "{}/profiles/{}/slots", self.baseurl, encode_path(& profile_key.to_string()),
        );
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Create a slot

A profile can have at most 500 slots. Returns 409 at the limit, and for a read-only type.

Sends a `POST` request to `/profiles/{profileKey}/slots`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `body`
*/
    pub fn create_slot<'a>(
        &'a self,
        profile_key: &'a str,
        body: &'a types::NewSlot,
    ) -> reqwest::Result<TypedRequest<types::SlotEnvelope>> {
        let url = format!(
            "{}/profiles/{}/slots", self.baseurl, encode_path(& profile_key.to_string()),
        );
        self.client.post(url).json(&body).build().map(TypedRequest::from)
    }
    /**Delete several slots

Permanently deletes at most 50 slots and their click statistics, all or none. Send the IDs in the query or in the body.

Sends a `DELETE` request to `/profiles/{profileKey}/slots`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `ids`: 1 to 50 IDs of slots of the profile, without duplicates.
*/
    pub fn delete_slots<'a>(
        &'a self,
        profile_key: &'a str,
        ids: &'a ::std::vec::Vec<crate::SlotId>,
    ) -> reqwest::Result<TypedRequest<types::SlotsDeleted>> {
        let url = format!(
            "{}/profiles/{}/slots", self.baseurl, encode_path(& profile_key.to_string()),
        );
        self.client
            .delete(url)
            .query(&progenitor_client::QueryParam::new("ids[]", &ids))
            .build()
            .map(TypedRequest::from)
    }
    /**Change the content of several slots

Changes at most 50 slots, all or none. Data is merged at the top level. IDs and click statistics are kept.

Sends a `PATCH` request to `/profiles/{profileKey}/slots`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `body`
*/
    pub fn update_slots<'a>(
        &'a self,
        profile_key: &'a str,
        body: &'a types::SlotChanges,
    ) -> reqwest::Result<TypedRequest<types::SlotList>> {
        let url = format!(
            "{}/profiles/{}/slots", self.baseurl, encode_path(& profile_key.to_string()),
        );
        self.client.patch(url).json(&body).build().map(TypedRequest::from)
    }
    /**Create several slots

Creates at most 50 slots, all or none, in the given order. An error in the third item has the key `slots.2.data.*`.

Sends a `POST` request to `/profiles/{profileKey}/slots/batch`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `body`
*/
    pub fn create_slots<'a>(
        &'a self,
        profile_key: &'a str,
        body: &'a types::NewSlots,
    ) -> reqwest::Result<TypedRequest<types::SlotList>> {
        let url = format!(
            "{}/profiles/{}/slots/batch", self.baseurl, encode_path(& profile_key
            .to_string()),
        );
        self.client.post(url).json(&body).build().map(TypedRequest::from)
    }
    /**Reorder the slots of a profile

Send the ID of every slot exactly once.

Sends a `PUT` request to `/profiles/{profileKey}/slots/order`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `body`
*/
    pub fn reorder_slots<'a>(
        &'a self,
        profile_key: &'a str,
        body: &'a types::SlotOrder,
    ) -> reqwest::Result<TypedRequest<types::SlotList>> {
        let url = format!(
            "{}/profiles/{}/slots/order", self.baseurl, encode_path(& profile_key
            .to_string()),
        );
        self.client.put(url).json(&body).build().map(TypedRequest::from)
    }
    /**Read a slot

Legacy slots can also be read.

Sends a `GET` request to `/profiles/{profileKey}/slots/{slot}`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `slot`: ID of a slot of the profile.
*/
    pub fn get_slot<'a>(
        &'a self,
        profile_key: &'a str,
        slot: &'a crate::SlotId,
    ) -> reqwest::Result<TypedRequest<types::SlotEnvelope>> {
        let url = format!(
            "{}/profiles/{}/slots/{}", self.baseurl, encode_path(& profile_key
            .to_string()), encode_path(& slot.to_string()),
        );
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Delete a slot

Permanently deletes the slot and its click statistics.

Sends a `DELETE` request to `/profiles/{profileKey}/slots/{slot}`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `slot`: ID of a slot of the profile.
*/
    pub fn delete_slot<'a>(
        &'a self,
        profile_key: &'a str,
        slot: &'a crate::SlotId,
    ) -> reqwest::Result<TypedRequest<()>> {
        let url = format!(
            "{}/profiles/{}/slots/{}", self.baseurl, encode_path(& profile_key
            .to_string()), encode_path(& slot.to_string()),
        );
        self.client.delete(url).build().map(TypedRequest::from)
    }
    /**Change the content of a slot

Data is merged at the top level. The type cannot be changed.

Sends a `PATCH` request to `/profiles/{profileKey}/slots/{slot}`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `slot`: ID of a slot of the profile.
- `body`
*/
    pub fn update_slot<'a>(
        &'a self,
        profile_key: &'a str,
        slot: &'a crate::SlotId,
        body: &'a types::SlotDataChange,
    ) -> reqwest::Result<TypedRequest<types::SlotEnvelope>> {
        let url = format!(
            "{}/profiles/{}/slots/{}", self.baseurl, encode_path(& profile_key
            .to_string()), encode_path(& slot.to_string()),
        );
        self.client.patch(url).json(&body).build().map(TypedRequest::from)
    }
    /**List the forms of the account

Submissions are not part of the interface.

Sends a `GET` request to `/forms`

*/
    pub fn list_forms<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::LeadFormList>> {
        let url = format!("{}/forms", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Create a form

To show the form on a page, add a `form` slot.

Sends a `POST` request to `/forms`

*/
    pub fn create_form<'a>(
        &'a self,
        body: &'a crate::Object,
    ) -> reqwest::Result<TypedRequest<types::LeadFormEnvelope>> {
        let url = format!("{}/forms", self.baseurl,);
        self.client.post(url).json(&body).build().map(TypedRequest::from)
    }
    /**Read a form

A form can be found only by its ID.

Sends a `GET` request to `/forms/{formId}`

Arguments:
- `form_id`: ID of a form of the account.
*/
    pub fn show_form<'a>(
        &'a self,
        form_id: &'a crate::FormId,
    ) -> reqwest::Result<TypedRequest<types::LeadFormEnvelope>> {
        let url = format!(
            "{}/forms/{}", self.baseurl, encode_path(& form_id.to_string()),
        );
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Change a form

Takes effect on every page that shows the form. Existing leads are not changed.

Sends a `PATCH` request to `/forms/{formId}`

Arguments:
- `form_id`: ID of a form of the account.
- `body`
*/
    pub fn update_form<'a>(
        &'a self,
        form_id: &'a crate::FormId,
        body: &'a crate::Object,
    ) -> reqwest::Result<TypedRequest<types::LeadFormEnvelope>> {
        let url = format!(
            "{}/forms/{}", self.baseurl, encode_path(& form_id.to_string()),
        );
        self.client.patch(url).json(&body).build().map(TypedRequest::from)
    }
    /**List the notification channels of the account

Returns only verified channels.

Sends a `GET` request to `/notification-channels`

*/
    pub fn list_notification_channels<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::NotificationChannelList>> {
        let url = format!("{}/notification-channels", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Find a release

At most 15 lookups per minute. Returns 404 with the code `not_found` if nothing is found.

Sends a `GET` request to `/music/lookup`

Arguments:
- `artist`: Narrows a search by title; at most 200 characters.
- `query`: A UPC (12 or 13 digits), an ISRC (12 characters), the URL of a release on a music platform, or a title; 1 to 500 characters.
- `kind`: Kind of release to search for by title and artist; ignored otherwise.
*/
    pub fn lookup_music<'a>(
        &'a self,
        artist: Option<&'a str>,
        query: &'a str,
        kind: Option<types::MusicSearchType>,
    ) -> reqwest::Result<TypedRequest<types::MusicMatchEnvelope>> {
        let url = format!("{}/music/lookup", self.baseurl,);
        self.client
            .get(url)
            .query(&progenitor_client::QueryParam::new("artist", &artist))
            .query(&progenitor_client::QueryParam::new("query", &query))
            .query(&progenitor_client::QueryParam::new("type", &kind))
            .build()
            .map(TypedRequest::from)
    }
    /**Upload an image

Send either the image itself (at most 50 MB) or a URL that the service downloads (at most 10 MB), not both.

Sends a `POST` request to `/files`

*/
    pub fn upload_file<'a>(
        &'a self,
        body: &'a types::FileFromUrl,
    ) -> reqwest::Result<TypedRequest<types::FileEnvelope>> {
        let url = format!("{}/files", self.baseurl,);
        self.client.post(url).json(&body).build().map(TypedRequest::from)
    }
    /**Get a URL for uploading a large image

The URL is valid for 15 minutes. Send a JPEG, PNG, WebP or GIF of at most 50 MB, as raw bytes with PUT or as the part `file` with POST.

Sends a `POST` request to `/files/upload-url`

*/
    pub fn create_upload_url<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::UploadUrlEnvelope>> {
        let url = format!("{}/files/upload-url", self.baseurl,);
        self.client.post(url).build().map(TypedRequest::from)
    }
    /**Count views and clicks of the account

Returns one row per page, and totals. At most 20 analytics requests per minute.

Sends a `GET` request to `/analytics`

Arguments:
- `bucket`: Length of one step of the timeline.
- `compare`: Whether to add the numbers of the previous period of the same length.
- `date_from`: First day, an existing date as `YYYY-MM-DD`. Requires `dateTo`; cannot be combined with `period`. The first day must not be after the last, and the period can have at most 366 days. An empty value is ignored.
- `date_to`: Last day, an existing date as `YYYY-MM-DD`. Requires `dateFrom`; cannot be combined with `period`. The first day must not be after the last, and the period can have at most 366 days. An empty value is ignored.
- `include`: More data to include. `timeline` is known; other values are not documented.
- `period`: Named period, at most 366 days long. Cannot be combined with `dateFrom` and `dateTo`.
*/
    pub fn get_account_analytics<'a>(
        &'a self,
        bucket: Option<types::AnalyticsBucket>,
        compare: Option<bool>,
        date_from: Option<&'a str>,
        date_to: Option<&'a str>,
        include: Option<&'a str>,
        period: Option<types::AnalyticsPeriod>,
    ) -> reqwest::Result<TypedRequest<types::AnalyticsEnvelope>> {
        let url = format!("{}/analytics", self.baseurl,);
        self.client
            .get(url)
            .query(&progenitor_client::QueryParam::new("bucket", &bucket))
            .query(&progenitor_client::QueryParam::new("compare", &compare))
            .query(&progenitor_client::QueryParam::new("dateFrom", &date_from))
            .query(&progenitor_client::QueryParam::new("dateTo", &date_to))
            .query(&progenitor_client::QueryParam::new("include", &include))
            .query(&progenitor_client::QueryParam::new("period", &period))
            .build()
            .map(TypedRequest::from)
    }
    /**Count views and clicks of a profile

Returns counts for each block and each social link, with short findings in `insights`.

Sends a `GET` request to `/profiles/{profileKey}/analytics`

Arguments:
- `profile_key`: ID or login of a profile of the account. A key of only digits is always an ID.
- `bucket`: Length of one step of the timeline.
- `compare`: Whether to add the numbers of the previous period of the same length.
- `date_from`: First day, an existing date as `YYYY-MM-DD`. Requires `dateTo`; cannot be combined with `period`. The first day must not be after the last, and the period can have at most 366 days. An empty value is ignored.
- `date_to`: Last day, an existing date as `YYYY-MM-DD`. Requires `dateFrom`; cannot be combined with `period`. The first day must not be after the last, and the period can have at most 366 days. An empty value is ignored.
- `include`: More data to include. `timeline` is known; other values are not documented.
- `period`: Named period, at most 366 days long. Cannot be combined with `dateFrom` and `dateTo`.
*/
    pub fn get_profile_analytics<'a>(
        &'a self,
        profile_key: &'a str,
        bucket: Option<types::AnalyticsBucket>,
        compare: Option<bool>,
        date_from: Option<&'a str>,
        date_to: Option<&'a str>,
        include: Option<&'a str>,
        period: Option<types::AnalyticsPeriod>,
    ) -> reqwest::Result<TypedRequest<types::AnalyticsEnvelope>> {
        let url = format!(
            "{}/profiles/{}/analytics", self.baseurl, encode_path(& profile_key
            .to_string()),
        );
        self.client
            .get(url)
            .query(&progenitor_client::QueryParam::new("bucket", &bucket))
            .query(&progenitor_client::QueryParam::new("compare", &compare))
            .query(&progenitor_client::QueryParam::new("dateFrom", &date_from))
            .query(&progenitor_client::QueryParam::new("dateTo", &date_to))
            .query(&progenitor_client::QueryParam::new("include", &include))
            .query(&progenitor_client::QueryParam::new("period", &period))
            .build()
            .map(TypedRequest::from)
    }
    /**Count views, opens and submissions of a form

Returns views, opens, starts and submissions, in total and for each page that shows the form. Submissions are exact; the steps before them can be undercounted.

Sends a `GET` request to `/forms/{formId}/analytics`

Arguments:
- `form_id`: ID of a form of the account.
- `bucket`: Length of one step of the timeline.
- `compare`: Whether to add the numbers of the previous period of the same length.
- `date_from`: First day, an existing date as `YYYY-MM-DD`. Requires `dateTo`; cannot be combined with `period`. The first day must not be after the last, and the period can have at most 366 days. An empty value is ignored.
- `date_to`: Last day, an existing date as `YYYY-MM-DD`. Requires `dateFrom`; cannot be combined with `period`. The first day must not be after the last, and the period can have at most 366 days. An empty value is ignored.
- `include`: More data to include. `timeline` is known; other values are not documented.
- `period`: Named period, at most 366 days long. Cannot be combined with `dateFrom` and `dateTo`.
*/
    pub fn get_form_analytics<'a>(
        &'a self,
        form_id: &'a crate::FormId,
        bucket: Option<types::AnalyticsBucket>,
        compare: Option<bool>,
        date_from: Option<&'a str>,
        date_to: Option<&'a str>,
        include: Option<&'a str>,
        period: Option<types::AnalyticsPeriod>,
    ) -> reqwest::Result<TypedRequest<types::AnalyticsEnvelope>> {
        let url = format!(
            "{}/forms/{}/analytics", self.baseurl, encode_path(& form_id.to_string()),
        );
        self.client
            .get(url)
            .query(&progenitor_client::QueryParam::new("bucket", &bucket))
            .query(&progenitor_client::QueryParam::new("compare", &compare))
            .query(&progenitor_client::QueryParam::new("dateFrom", &date_from))
            .query(&progenitor_client::QueryParam::new("dateTo", &date_to))
            .query(&progenitor_client::QueryParam::new("include", &include))
            .query(&progenitor_client::QueryParam::new("period", &period))
            .build()
            .map(TypedRequest::from)
    }
    /**Get the OpenAPI document

The service's own OpenAPI 3.1.0 document.

Sends a `GET` request to `/openapi.json`

*/
    pub fn get_openapi<'a>(
        &'a self,
    ) -> reqwest::Result<
        TypedRequest<::serde_json::Map<::std::string::String, ::serde_json::Value>>,
    > {
        let url = format!("{}/openapi.json", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
}
/// Items consumers will typically use such as the Client.
pub mod prelude {
    #[allow(unused_imports)]
    pub use super::Client;
}
