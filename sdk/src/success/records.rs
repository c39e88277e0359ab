//! Shapes of the answers, one for each envelope of the interface (sections 2 and 4). A test compares them with the types that decode
//! them.

use super::{Field, Shape};
use Shape::{Flag, Integer, List, Map, Numbers, Open, Record, Text};

/// Defines an answer whose `data` is of a shape.
macro_rules! envelope {
    ($data:expr) => {
        Record(&[Field::of("data", $data)])
    };
    ($data:expr, $meta:expr) => {
        Record(&[Field::of("data", $data), Field::of("meta", $meta)])
    };
}

pub(crate) const INDEX: Shape = envelope!(Record(&[
    Field::of("name", Text),
    Field::of("version", Text),
    Field::of("baseUrl", Text),
    Field::of(
        "authentication",
        Record(&[
            Field::of("abilities", Map(&Text)),
            Field::of("header", Text),
            Field::of("issuedAt", Text),
            Field::of("scheme", Text),
            Field::of("tokenPrefix", Text),
        ])
    ),
    Field::of("conventions", Map(&Text)),
    Field::of("discovery", Map(&Text)),
    Field::of("examples", Map(&Text)),
    Field::of("limits", Map(&Integer)),
    Field::of("notAvailable", List(&Text)),
]));

/// The service's own description: an object with any content.
pub(crate) const DOCUMENT: Shape = Record(&[]);

const USAGE: Shape = Record(&[Field::of("used", Integer), Field::of("max", Integer)]);

pub(crate) const ME: Shape = envelope!(Record(&[
    Field::of("userId", Integer),
    Field::of("name", Text),
    Field::of("abilities", List(&Text)),
    Field::of("canWrite", Flag),
    Field::of(
        "limits",
        Record(&[
            Field::of("profiles", USAGE),
            Field::of("tokens", USAGE),
            Field::of("slotsPerProfile", Integer),
            Field::of("slotsPerBatch", Integer),
            Field::of(
                "rateLimit",
                Record(&[
                    Field::of("requestsPerSecond", Integer),
                    Field::of("requestsPerMinute", Integer),
                    Field::of("musicLookupPerMinute", Integer),
                    Field::of("analyticsPerMinute", Integer),
                ])
            ),
            Field::of(
                "upload",
                Record(&[
                    Field::of("maxMegabytes", Integer),
                    Field::of("maxMegabytesFromUrl", Integer),
                ])
            ),
        ])
    ),
    Field::of(
        "analytics",
        Record(&[Field::of("retentionDays", Integer), Field::of("timezone", Text)])
    ),
]));

const SLOT_TYPE_RECORD: Shape = Record(&[
    Field::of("type", Text),
    Field::of("title", Text),
    Field::of("description", Text),
    Field::of("writable", Flag),
    Field::of("schema", Open),
    Field::of("computed", Open),
    Field::of("enumLabels", Open),
    Field::of("example", Open),
]);

pub(crate) const SLOT_TYPE: Shape = envelope!(SLOT_TYPE_RECORD);
pub(crate) const SLOT_TYPES: Shape = envelope!(List(&SLOT_TYPE_RECORD));

const TOTAL: Shape = Record(&[Field::of("total", Integer)]);

const SLOT_RECORD: Shape = Record(&[
    Field::of("id", Integer),
    Field::of("type", Text),
    Field::nullable("data", Open),
    Field::optional("supported", Flag),
]);

pub(crate) const SLOT: Shape = envelope!(SLOT_RECORD);
pub(crate) const SLOTS: Shape = envelope!(List(&SLOT_RECORD));
pub(crate) const SLOTS_DELETED: Shape = Record(&[Field::of(
    "meta",
    Record(&[Field::of("deleted", Integer), Field::of("total", Integer)]),
)]);

const PROFILE_RECORD: Shape = Record(&[
    Field::of("id", Integer),
    Field::of("login", Text),
    Field::nullable("title", Text),
    Field::nullable("description", Text),
    Field::nullable("avatar", Text),
    Field::nullable("bgImage", Text),
    Field::of("socials", List(&Record(&[Field::of("link", Text), Field::of("order", Integer)]))),
    Field::of("themeId", Integer),
    Field::nullable("languageId", Integer),
    Field::nullable("moodText", Text),
    Field::nullable("moodHours", Integer),
    Field::of(
        "computed",
        Record(&[
            Field::of("url", Text),
            Field::nullable("avatarUrl", Text),
            Field::nullable("bgImageUrl", Text),
            Field::of("socials", List(&Record(&[Field::of("icon", Text)]))),
            Field::of("isMain", Flag),
            Field::of("status", Flag),
            Field::nullable("moodActive", Flag),
            Field::nullable("moodExpiresAt", Text),
        ]),
    ),
    Field::optional("slots", List(&SLOT_RECORD)),
]);

pub(crate) const PROFILE: Shape = envelope!(PROFILE_RECORD);
pub(crate) const PROFILES: Shape = envelope!(List(&PROFILE_RECORD), TOTAL);

pub(crate) const LOGIN_CHECK: Shape = envelope!(Record(&[
    Field::of("login", Text),
    Field::nullable("profile", Text),
    Field::of("available", Flag),
    Field::nullable("reason", Text),
    Field::of("message", Text),
]));

pub(crate) const PROFILE_SETTINGS: Shape = envelope!(Record(&[
    Field::of("profileId", Integer),
    Field::of("login", Text),
    Field::nullable("languageId", Integer),
    Field::nullable("languageCode", Text),
    Field::of(
        "computed",
        Record(&[Field::of("url", Text), Field::of("effectiveLanguageCode", Text)])
    ),
    Field::of(
        "options",
        Record(&[
            Field::of(
                "languages",
                List(&Record(&[
                    Field::of("id", Integer),
                    Field::of("code", Text),
                    Field::of("name", Text),
                ]))
            ),
            Field::of(
                "login",
                Record(&[
                    Field::of("minLength", Integer),
                    Field::of("maxLength", Integer),
                    Field::of("pattern", Text),
                    Field::of("reserved", List(&Text)),
                ])
            ),
        ])
    ),
]));

const FORM_RECORD: Shape = Record(&[
    Field::of("id", Text),
    Field::of("title", Text),
    Field::nullable("description", Text),
    Field::of("buttonText", Text),
    Field::of("successMessage", Text),
    Field::nullable("whatsappPhone", Text),
    Field::nullable("whatsappMessage", Text),
    Field::of(
        "fields",
        List(&Record(&[
            Field::of("key", Text),
            Field::of("type", Text),
            Field::of("label", Text),
            Field::nullable("placeholder", Text),
            Field::of("required", Flag),
        ])),
    ),
    Field::of("enabled", Flag),
    Field::nullable("submissionsLimit", Integer),
    Field::nullable("activeTill", Text),
    Field::of("notificationChannelIds", Numbers),
    Field::of("active", Flag),
    Field::of("createdAt", Text),
]);

pub(crate) const FORM: Shape = envelope!(FORM_RECORD);
pub(crate) const FORMS: Shape = envelope!(List(&FORM_RECORD), TOTAL);

pub(crate) const CHANNELS: Shape = envelope!(
    List(&Record(&[
        Field::of("id", Integer),
        Field::of("channel", Text),
        Field::nullable("label", Text),
        Field::of("recipient", Text),
        Field::of("isActive", Flag),
    ])),
    TOTAL
);

pub(crate) const MUSIC: Shape = envelope!(Record(&[
    Field::of("query", Text),
    Field::of("matchedBy", Text),
    Field::nullable("album", Text),
    Field::nullable("artist", Text),
    Field::nullable("thumbnail", Text),
    Field::of(
        "links",
        List(&Record(&[
            Field::of("platform", Text),
            Field::of("label", Text),
            Field::of("icon", Text),
            Field::of("url", Text),
        ]))
    ),
    Field::of("slot", Record(&[Field::of("type", Text), Field::of("data", Open)])),
]));

pub(crate) const FILE: Shape = envelope!(Record(&[
    Field::of("path", Text),
    Field::of("src", Text),
    Field::nullable("width", Integer),
    Field::nullable("height", Integer),
]));

pub(crate) const UPLOAD_URL: Shape = envelope!(Record(&[
    Field::of("upload_url", Text),
    Field::of("method", Text),
    Field::of("max_bytes", Integer),
    Field::of("expires_at", Text),
]));

pub(crate) const ANALYTICS: Shape = envelope!(
    Open,
    Record(&[
        Field::of("generatedAt", Text),
        Field::of("cacheSeconds", Integer),
        Field::of("retentionDays", Integer),
        Field::of("dataStartsAt", Text),
        Field::of("uniquesAreApproximate", Flag),
    ])
);
