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
    ///Answer with aggregated numbers. Their shape is not shown.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct AnalyticsEnvelope {
        ///The numbers.
        pub data: crate::Object,
        pub meta: AnalyticsMeta,
    }
    ///How the numbers were made.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct AnalyticsMeta {
        ///For how many seconds the answer is cached.
        #[serde(rename = "cacheSeconds")]
        pub cache_seconds: i64,
        ///First day with data, ISO 8601.
        #[serde(rename = "dataStartsAt")]
        pub data_starts_at: crate::Timestamp,
        ///When they were counted, ISO 8601.
        #[serde(rename = "generatedAt")]
        pub generated_at: crate::Timestamp,
        ///Days for which data is kept.
        #[serde(rename = "retentionDays")]
        pub retention_days: i64,
        ///Whether unique counts are estimates, which do not add up.
        #[serde(rename = "uniquesAreApproximate")]
        pub uniques_are_approximate: bool,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///A named span of days.
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
    ///What a deletion did.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct DeletedMeta {
        ///Number of slots deleted.
        pub deleted: i64,
        ///Number of slots left on the profile.
        pub total: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Why a request failed.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Error {
        ///What went wrong, as a code.
        pub code: ::std::string::String,
        ///Address or text that says more.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub documentation: ::std::option::Option<::std::string::String>,
        ///What is wrong with each field, for validation failures.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub errors: ::std::option::Option<crate::FieldErrors>,
        ///What went wrong, in words.
        pub message: ::std::string::String,
    }
    ///An uploaded picture.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct File {
        ///Height in pixels.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub height: ::std::option::Option<i64>,
        ///What slots and the profile fields `avatar` and `bgImage` take.
        pub path: ::std::string::String,
        ///Address of the picture.
        pub src: ::std::string::String,
        ///Width in pixels.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub width: ::std::option::Option<i64>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with an uploaded picture.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct FileEnvelope {
        pub data: File,
    }
    ///A picture for the service to download.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct FileFromUrl {
        ///Address of the picture: http or https, default port, not on a private network, at most 2048 characters. The picture is a JPEG, PNG, WebP or GIF of at most 10 MB that arrives within 10 seconds.
        pub url: ::std::string::String,
    }
    ///An input of a form.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct FormField {
        ///Identifies the field across updates.
        pub key: ::std::string::String,
        ///Name shown beside the input.
        pub label: ::std::string::String,
        ///Whether several values can be chosen; the form of this value is not shown.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub multi: ::std::option::Option<::serde_json::Value>,
        ///Values to choose from; their shape is not shown.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub options: ::std::option::Option<::serde_json::Value>,
        ///Text shown in the empty input.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub placeholder: ::std::option::Option<::std::string::String>,
        ///Whether an answer is needed.
        pub required: bool,
        ///Kind of input; `text` and `phone` have been seen.
        #[serde(rename = "type")]
        pub kind: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///What the service is and where to go from here; readable without a token.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Index {
        ///How a request proves who sends it.
        pub authentication: IndexAuthentication,
        ///Address that all paths are relative to, version segment included.
        #[serde(rename = "baseUrl")]
        pub base_url: ::std::string::String,
        ///Rules that hold for the whole interface, one text for each topic.
        pub conventions: ::std::collections::BTreeMap<
            ::std::string::String,
            ::std::string::String,
        >,
        ///Addresses of the endpoints that describe the service, by topic.
        pub discovery: ::std::collections::BTreeMap<
            ::std::string::String,
            ::std::string::String,
        >,
        ///Sample requests as text, one for each task.
        pub examples: ::std::collections::BTreeMap<
            ::std::string::String,
            ::std::string::String,
        >,
        ///Limits of the service as whole numbers. Their names are not shown.
        pub limits: ::std::collections::BTreeMap<::std::string::String, i64>,
        ///Name of the service.
        pub name: ::std::string::String,
        ///What the interface leaves out on purpose.
        #[serde(rename = "notAvailable")]
        pub not_available: ::std::vec::Vec<::std::string::String>,
        ///Version of the interface, as it stands in the base path.
        pub version: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///How a request proves who sends it.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct IndexAuthentication {
        ///What each ability of a token allows, in words.
        pub abilities: ::std::collections::BTreeMap<
            ::std::string::String,
            ::std::string::String,
        >,
        ///Form of the header to send.
        pub header: ::std::string::String,
        ///Address of the page on which tokens are issued.
        #[serde(rename = "issuedAt")]
        pub issued_at: ::std::string::String,
        ///Name of the HTTP authentication scheme.
        pub scheme: ::std::string::String,
        ///What every token value starts with.
        #[serde(rename = "tokenPrefix")]
        pub token_prefix: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with the entry point.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct IndexEnvelope {
        pub data: Index,
    }
    ///A language that a page can be shown in.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LanguageOption {
        ///Code of the language.
        pub code: ::std::string::String,
        ///Id of the language.
        pub id: i64,
        ///Name of the language.
        pub name: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///A form that collects leads. It belongs to the account and is put on pages with `form` slots.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LeadForm {
        ///Whether the form takes submissions now: enabled, not past `activeTill`, limit not reached. Derived.
        pub active: bool,
        ///Date after which the form takes no submissions, ISO 8601.
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
        ///The owner's switch.
        pub enabled: bool,
        ///Fields in the order in which they are shown.
        pub fields: ::std::vec::Vec<FormField>,
        ///Id of the form.
        pub id: crate::FormId,
        ///Channels that receive each new lead.
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
        ///Text that chat starts with; `null`: the standard text in the reader's language.
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
    ///Answer with a form.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LeadFormEnvelope {
        pub data: LeadForm,
    }
    ///Answer with forms.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LeadFormList {
        pub data: ::std::vec::Vec<LeadForm>,
        pub meta: ListMeta,
    }
    ///How long a list is.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ListMeta {
        ///Number of records.
        pub total: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Whether a login can be taken.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LoginCheck {
        ///Whether the login can be taken.
        pub available: bool,
        ///The login that was asked about.
        pub login: ::std::string::String,
        ///The outcome in words.
        pub message: ::std::string::String,
        ///The caller's profile whose own login does not count as taken.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub profile: ::std::option::Option<::std::string::String>,
        ///Why it cannot, as a code.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub reason: ::std::option::Option<::std::string::String>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with the check of a login.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LoginCheckEnvelope {
        pub data: LoginCheck,
    }
    ///What a login must look like.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct LoginRules {
        ///Most characters.
        #[serde(rename = "maxLength")]
        pub max_length: i64,
        ///Fewest characters.
        #[serde(rename = "minLength")]
        pub min_length: i64,
        ///Regular expression that the whole login matches.
        pub pattern: ::std::string::String,
        ///Logins that cannot be taken.
        pub reserved: ::std::vec::Vec<::std::string::String>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Who the caller is and what is left of its limits.
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
        ///Limits of the account and how much of them is used.
        pub limits: MeLimits,
        ///Name of the account.
        pub name: ::std::string::String,
        ///Id of the account.
        #[serde(rename = "userId")]
        pub user_id: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///How views and clicks are counted.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MeAnalytics {
        ///Days for which data is kept.
        #[serde(rename = "retentionDays")]
        pub retention_days: i64,
        ///Time zone of days and dates, as an IANA name such as `Asia/Atyrau`.
        pub timezone: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with the caller.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MeEnvelope {
        pub data: Me,
    }
    ///Limits that apply to the caller.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MeLimits {
        ///Profiles of the account.
        pub profiles: Usage,
        ///Most requests in a span of time.
        #[serde(rename = "rateLimit")]
        pub rate_limit: RateLimit,
        ///Most slots in one batch request.
        #[serde(rename = "slotsPerBatch")]
        pub slots_per_batch: i64,
        ///Most slots on one profile.
        #[serde(rename = "slotsPerProfile")]
        pub slots_per_profile: i64,
        ///Access tokens of the account.
        pub tokens: Usage,
        ///Largest uploads.
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
        ///Address of the release there.
        pub url: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///A release that was found.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MusicMatch {
        ///Name of the album.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub album: ::std::option::Option<::std::string::String>,
        ///Name of the artist.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub artist: ::std::option::Option<::std::string::String>,
        ///The release on music platforms.
        pub links: ::std::vec::Vec<MusicLink>,
        ///How the release was found.
        #[serde(rename = "matchedBy")]
        pub matched_by: ::std::string::String,
        ///What was searched for.
        pub query: ::std::string::String,
        ///Body for creating a slot, to be sent unchanged.
        pub slot: MusicSlot,
        ///Address of the cover picture.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub thumbnail: ::std::option::Option<::std::string::String>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with a release.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MusicMatchEnvelope {
        pub data: MusicMatch,
    }
    ///What a search by title and artist looks for.
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
    ///A slot ready to be created from a release.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct MusicSlot {
        ///Content of the block, to be sent unchanged.
        pub data: crate::Object,
        ///Type of the slot.
        #[serde(rename = "type")]
        pub kind: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///An input of a form that is written. No two inputs of a form have the same `key`.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, Default, PartialEq)]
    #[non_exhaustive]
    pub struct NewFormField {
        ///Key of a field that stays; a new field has none.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub key: ::std::option::Option<::std::string::String>,
        ///Name shown beside the input.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub label: ::std::option::Option<::std::string::String>,
        ///Whether several values can be chosen; the form of this value is not shown.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub multi: ::std::option::Option<::serde_json::Value>,
        ///Values to choose from; their shape is not shown.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub options: ::std::option::Option<::serde_json::Value>,
        ///Text shown in the empty input.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub placeholder: ::std::option::Option<::std::string::String>,
        ///Whether an answer is needed.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub required: ::std::option::Option<bool>,
        ///Kind of input; `text` and `phone` have been seen.
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
        ///Position on the page, from 0. Without it the slot goes to the end.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub order: ::std::option::Option<i64>,
        ///Type of the slot; it can never be changed.
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
    ///Where notices of new leads are sent; only verified channels are listed.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct NotificationChannel {
        ///Transport: `telegram`, `whatsapp` or `email`.
        pub channel: ::std::string::String,
        ///Id of the channel, as used in `notificationChannelIds`.
        pub id: crate::ChannelId,
        ///`false`: the channel is kept but receives nothing.
        #[serde(rename = "isActive")]
        pub is_active: bool,
        ///The owner's name for the channel.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub label: ::std::option::Option<::std::string::String>,
        ///Masked phone number, e-mail address or chat id.
        pub recipient: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with notification channels.
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
        ///Path of the picture shown as a circle, as an upload returned it; not a URL. Best square, at least 800x800 pixels.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub avatar: ::std::option::Option<::std::string::String>,
        ///Path of the background picture; not a URL. Shown at full width and not cropped: best 16:9, at least 1600x900 pixels.
        #[serde(
            rename = "bgImage",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub bg_image: ::std::option::Option<::std::string::String>,
        ///What the service derives; refused when sent.
        pub computed: ProfileComputed,
        ///Text under the heading.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub description: ::std::option::Option<::std::string::String>,
        ///Id of the profile, good for every path that takes a profile.
        pub id: crate::ProfileId,
        ///Id of the page's language; `null`: the language of the owner.
        #[serde(
            rename = "languageId",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub language_id: ::std::option::Option<i64>,
        ///Public address of the page.
        pub login: ::std::string::String,
        ///For how many hours the status badge is shown.
        #[serde(
            rename = "moodHours",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub mood_hours: ::std::option::Option<i64>,
        ///Text of the status badge under the avatar, kept after the badge has expired. Absent when the service has statuses switched off.
        #[serde(
            rename = "moodText",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub mood_text: ::std::option::Option<::std::string::String>,
        ///Content blocks in page order. Present only when asked for with `include=slots`.
        #[serde(default, skip_serializing_if = "::std::vec::Vec::is_empty")]
        pub slots: ::std::vec::Vec<crate::Slot>,
        ///Links to social networks.
        pub socials: ::std::vec::Vec<Social>,
        ///Id of the theme; cannot be set.
        #[serde(rename = "themeId")]
        pub theme_id: i64,
        ///Heading of the page.
        #[serde(skip_serializing_if = "::std::option::Option::is_none")]
        pub title: ::std::option::Option<::std::string::String>,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///What the service derives for a profile; never writable.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileComputed {
        ///Address of the avatar.
        #[serde(
            rename = "avatarUrl",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub avatar_url: ::std::option::Option<::std::string::String>,
        ///Address of the background picture.
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
        ///When the status badge stops being shown, ISO 8601.
        #[serde(
            rename = "moodExpiresAt",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub mood_expires_at: ::std::option::Option<crate::Timestamp>,
        ///What is derived for each social link.
        pub socials: ::std::vec::Vec<SocialComputed>,
        ///Status flag of the profile.
        pub status: bool,
        ///Address of the page.
        pub url: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with a profile.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileEnvelope {
        pub data: Profile,
    }
    ///Answer with profiles.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileList {
        pub data: ::std::vec::Vec<Profile>,
        pub meta: ListMeta,
    }
    ///Address and language of a profile, with the values that can be chosen.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileSettings {
        ///What the service derives; refused when sent.
        pub computed: ProfileSettingsComputed,
        ///Code of the chosen language.
        #[serde(
            rename = "languageCode",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub language_code: ::std::option::Option<::std::string::String>,
        ///Id of the chosen language; `null`: the language of the owner.
        #[serde(
            rename = "languageId",
            skip_serializing_if = "::std::option::Option::is_none"
        )]
        pub language_id: ::std::option::Option<i64>,
        ///Public address of the page.
        pub login: ::std::string::String,
        ///What can be chosen.
        pub options: ProfileSettingsOptions,
        ///Id of the profile.
        #[serde(rename = "profileId")]
        pub profile_id: crate::ProfileId,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///What the service derives for the settings of a profile.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileSettingsComputed {
        ///Code of the language the page is shown in; that of the owner when none is chosen.
        #[serde(rename = "effectiveLanguageCode")]
        pub effective_language_code: ::std::string::String,
        ///Address of the page.
        pub url: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with the settings of a profile.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileSettingsEnvelope {
        pub data: ProfileSettings,
    }
    ///What the settings of a profile can be set to.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct ProfileSettingsOptions {
        ///Active languages.
        pub languages: ::std::vec::Vec<LanguageOption>,
        ///What a login must look like.
        pub login: LoginRules,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Most requests of one token in a span of time.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct RateLimit {
        ///Analytics requests in one minute.
        #[serde(rename = "analyticsPerMinute")]
        pub analytics_per_minute: i64,
        ///Music lookups in one minute, on top of the limits for all requests.
        #[serde(rename = "musicLookupPerMinute")]
        pub music_lookup_per_minute: i64,
        ///Requests in one minute.
        #[serde(rename = "requestsPerMinute")]
        pub requests_per_minute: i64,
        ///Requests in one second.
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
        ///Keys to set; they replace the current values, other keys stay.
        pub data: crate::Object,
        ///Id of the slot.
        pub id: crate::SlotId,
    }
    ///Changes to slots, all or none. Positions cannot be set here.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct SlotChanges {
        ///1 to 50.
        pub slots: ::std::vec::Vec<SlotChange>,
    }
    ///A change to the content of the slot in the path.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[serde(deny_unknown_fields)]
    #[non_exhaustive]
    pub struct SlotDataChange {
        ///Keys to set; they replace the current values, other keys stay.
        pub data: crate::Object,
    }
    ///Answer with a slot.
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
        ///Ids of slots of the profile, 1 to 50, each once.
        pub ids: ::std::vec::Vec<crate::SlotId>,
    }
    ///Answer with slots.
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
        ///The id of every slot of the profile, each exactly once.
        pub order: ::std::vec::Vec<crate::SlotId>,
    }
    ///What a slot type is and which data its slots take.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotType {
        ///Fields of `data` that the service derives; refused when sent.
        pub computed: crate::Object,
        ///What such a slot is for.
        pub description: ::std::string::String,
        ///Names to show for enumerated values.
        #[serde(rename = "enumLabels")]
        pub enum_labels: crate::Object,
        ///A sample of the data.
        pub example: crate::Object,
        ///JSON Schema of the type's `data`.
        pub schema: crate::Object,
        ///Name to show to people.
        pub title: ::std::string::String,
        ///Name of the type.
        #[serde(rename = "type")]
        pub kind: ::std::string::String,
        ///Whether slots of this type can be created and changed; `false` for `event`.
        pub writable: bool,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with a slot type.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotTypeEnvelope {
        pub data: SlotType,
    }
    ///Answer with slot types.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotTypeList {
        pub data: ::std::vec::Vec<SlotType>,
    }
    ///Answer to a deletion of slots.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SlotsDeleted {
        pub meta: DeletedMeta,
    }
    ///A link to a social network. Its icon is derived from the address and refused when sent.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Social {
        ///Address of the page on the social network.
        pub link: ::std::string::String,
        ///Position among the links.
        pub order: i64,
    }
    ///What the service derives for a social link.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct SocialComputed {
        ///Icon of the social network.
        pub icon: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Largest uploads.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct UploadLimits {
        ///A file sent in a request, in megabytes.
        #[serde(rename = "maxMegabytes")]
        pub max_megabytes: i64,
        ///A file that the service downloads, in megabytes.
        #[serde(rename = "maxMegabytesFromUrl")]
        pub max_megabytes_from_url: i64,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Where to send a large picture; the keys are in snake case.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct UploadUrl {
        ///When the address expires, ISO 8601.
        pub expires_at: ::std::string::String,
        ///Largest picture, in bytes.
        pub max_bytes: i64,
        ///HTTP method to send it with.
        pub method: ::std::string::String,
        ///Address to send the picture to; expires after 15 minutes.
        pub upload_url: ::std::string::String,
        #[serde(flatten)]
        pub extra: ::serde_json::Map<::std::string::String, ::serde_json::Value>,
    }
    ///Answer with an upload address.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct UploadUrlEnvelope {
        pub data: UploadUrl,
    }
    ///A limited amount and how much of it is taken.
    #[derive(::serde::Deserialize, ::serde::Serialize, Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Usage {
        ///Most that there can be.
        pub max: i64,
        ///Taken so far.
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

Meant to be called first: it says whether the token can write and how many profiles are left.

Sends a `GET` request to `/me`

*/
    pub fn get_me<'a>(&'a self) -> reqwest::Result<TypedRequest<types::MeEnvelope>> {
        let url = format!("{}/me", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Describe all slot types

Every type with the JSON Schema of its data.

Sends a `GET` request to `/slot-types`

*/
    pub fn list_slot_types<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::SlotTypeList>> {
        let url = format!("{}/slot-types", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Describe one slot type

An unknown type is answered with 404 and the code `not_found`.

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

Without their slots.

Sends a `GET` request to `/profiles`

*/
    pub fn list_profiles<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::ProfileList>> {
        let url = format!("{}/profiles", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Create a profile

Counts against the limit of 100 profiles; 409 beyond it.

Sends a `POST` request to `/profiles`

*/
    pub fn create_profile<'a>(
        &'a self,
        body: &'a crate::Object,
    ) -> reqwest::Result<TypedRequest<types::ProfileEnvelope>> {
        let url = format!("{}/profiles", self.baseurl,);
        self.client.post(url).json(&body).build().map(TypedRequest::from)
    }
    /**Check whether a login can be taken

Checks the rules, the reserved words and the profiles that exist.

Sends a `GET` request to `/profiles/check-login`

Arguments:
- `login`: The login to check, at most 255 characters.
- `profile`: Id or login of a profile of the caller whose current login does not count as taken, at most 255 characters. Any other value is refused with 422.
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

With `include=slots` its slots come along.

Sends a `GET` request to `/profiles/{profileKey}`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
- `include`: `slots`: the slots, in page order.
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

Fields that are left out stay as they are.

Sends a `PATCH` request to `/profiles/{profileKey}`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
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

Address and language, with the values that can be chosen.

Sends a `GET` request to `/profiles/{profileKey}/settings`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
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

A new login takes effect at once and the old address stops working.

Sends a `PATCH` request to `/profiles/{profileKey}/settings`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
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
    /**Render a profile as markdown

The whole page as its reader sees it.

Sends a `GET` request to `/profiles/{profileKey}/markdown`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
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

In page order, legacy slots included.

Sends a `GET` request to `/profiles/{profileKey}/slots`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
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

A profile has at most 500 slots; 409 beyond them, and for a type that is read-only.

Sends a `POST` request to `/profiles/{profileKey}/slots`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
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

At most 50, all or none, for good and with their click statistics. The ids stand in the query, or in the body.

Sends a `DELETE` request to `/profiles/{profileKey}/slots`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
- `ids`: Ids of slots of the profile, 1 to 50, each once.
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

At most 50, all or none. Data is merged at the top level; ids and click statistics stay.

Sends a `PATCH` request to `/profiles/{profileKey}/slots`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
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

At most 50, all or none, in the order given. An error in the third item is keyed `slots.2.data.*`.

Sends a `POST` request to `/profiles/{profileKey}/slots/batch`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
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
    /**Put the slots of a profile in order

Takes the id of every slot exactly once.

Sends a `PUT` request to `/profiles/{profileKey}/slots/order`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
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

Legacy slots can be read too.

Sends a `GET` request to `/profiles/{profileKey}/slots/{slot}`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
- `slot`: Id of a slot of the profile.
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

For good, with its click statistics.

Sends a `DELETE` request to `/profiles/{profileKey}/slots/{slot}`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
- `slot`: Id of a slot of the profile.
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

Data is merged at the top level; the type cannot be changed.

Sends a `PATCH` request to `/profiles/{profileKey}/slots/{slot}`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
- `slot`: Id of a slot of the profile.
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

To be seen, it has to be put on a page with a `form` slot.

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

A form is addressed by its id only.

Sends a `GET` request to `/forms/{formId}`

Arguments:
- `form_id`: Id of a form of the account.
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

Takes effect on every page that shows the form; leads that were received stay as they are.

Sends a `PATCH` request to `/forms/{formId}`

Arguments:
- `form_id`: Id of a form of the account.
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

Verified ones only.

Sends a `GET` request to `/notification-channels`

*/
    pub fn list_notification_channels<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::NotificationChannelList>> {
        let url = format!("{}/notification-channels", self.baseurl,);
        self.client.get(url).build().map(TypedRequest::from)
    }
    /**Find a release

At most 15 lookups a minute. When nothing is found: 404 with the code `not_found`.

Sends a `GET` request to `/music/lookup`

Arguments:
- `artist`: Narrows a search by title, at most 200 characters.
- `query`: A UPC of 12 to 13 digits, an ISRC of 12 characters, the address of a release on a music platform, or a title; 1 to 500 characters.
- `kind`: What a search by title and artist looks for; ignored otherwise.
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
    /**Upload a picture

Either the picture itself, at most 50 MB, or its address for the service to download, at most 10 MB; not both.

Sends a `POST` request to `/files`

*/
    pub fn upload_file<'a>(
        &'a self,
        body: &'a types::FileFromUrl,
    ) -> reqwest::Result<TypedRequest<types::FileEnvelope>> {
        let url = format!("{}/files", self.baseurl,);
        self.client.post(url).json(&body).build().map(TypedRequest::from)
    }
    /**Get an address to upload a large picture to

Good for 15 minutes and a JPEG, PNG, WebP or GIF of at most 50 MB, sent there as raw bytes with PUT or as the part `file` with POST.

Sends a `POST` request to `/files/upload-url`

*/
    pub fn create_upload_url<'a>(
        &'a self,
    ) -> reqwest::Result<TypedRequest<types::UploadUrlEnvelope>> {
        let url = format!("{}/files/upload-url", self.baseurl,);
        self.client.post(url).build().map(TypedRequest::from)
    }
    /**Count views and clicks of the account

One row for each page, and totals. At most 20 analytics requests a minute.

Sends a `GET` request to `/analytics`

Arguments:
- `bucket`: Length of one step of the timeline.
- `compare`: Whether to add the numbers of the previous span of the same length.
- `date_from`: First day, `YYYY-MM-DD`, an existing one. Needs `dateTo`, and excludes `period`; the first day is not after the last, and the span has at most 366 days. An empty value counts as none.
- `date_to`: Last day, `YYYY-MM-DD`, an existing one. Needs `dateFrom`, and excludes `period`; the first day is not after the last, and the span has at most 366 days. An empty value counts as none.
- `include`: More to include; `timeline` has been seen, further values are not shown.
- `period`: Named span of days, at most 366 days long. Excludes `dateFrom` and `dateTo`.
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

For each block and each social link, with short findings in `insights`.

Sends a `GET` request to `/profiles/{profileKey}/analytics`

Arguments:
- `profile_key`: Id or login of a profile of the account. A key of digits only is always an id.
- `bucket`: Length of one step of the timeline.
- `compare`: Whether to add the numbers of the previous span of the same length.
- `date_from`: First day, `YYYY-MM-DD`, an existing one. Needs `dateTo`, and excludes `period`; the first day is not after the last, and the span has at most 366 days. An empty value counts as none.
- `date_to`: Last day, `YYYY-MM-DD`, an existing one. Needs `dateFrom`, and excludes `period`; the first day is not after the last, and the span has at most 366 days. An empty value counts as none.
- `include`: More to include; `timeline` has been seen, further values are not shown.
- `period`: Named span of days, at most 366 days long. Excludes `dateFrom` and `dateTo`.
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
    /**Count what readers do with a form

Views, opens, starts and submits, and the share of each page that shows the form. Submissions are exact, the steps before them can be undercounted.

Sends a `GET` request to `/forms/{formId}/analytics`

Arguments:
- `form_id`: Id of a form of the account.
- `bucket`: Length of one step of the timeline.
- `compare`: Whether to add the numbers of the previous span of the same length.
- `date_from`: First day, `YYYY-MM-DD`, an existing one. Needs `dateTo`, and excludes `period`; the first day is not after the last, and the span has at most 366 days. An empty value counts as none.
- `date_to`: Last day, `YYYY-MM-DD`, an existing one. Needs `dateFrom`, and excludes `period`; the first day is not after the last, and the span has at most 366 days. An empty value counts as none.
- `include`: More to include; `timeline` has been seen, further values are not shown.
- `period`: Named span of days, at most 366 days long. Excludes `dateFrom` and `dateTo`.
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
    /**Read the machine-readable description

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
