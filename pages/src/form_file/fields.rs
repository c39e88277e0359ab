//! Fields of a form file (the interface, sections 2.4 and 4.7).

use crate::page_file::field_rule::{FieldRule, FieldType, rule};

/// Keys of a form file with a meaning of their own.
pub const NAME: &str = "form";
pub const ID: &str = "id";
pub const INPUTS: &str = "fields";
pub const CHANNELS: &str = "notificationChannelIds";

/// Key of a reference to a notification channel.
pub const CHANNEL: &str = "$channel";

/// Maximum length of the local name of a form in characters.
pub const MAX_NAME: usize = 64;

/// Fields of a form with a single value, in the order of the interface.
pub const FORM_FIELDS: &[FieldRule] = &[
    rule("title", FieldType::Word, "Title, shown above the fields"),
    rule("description", FieldType::TextOrNull, "Intro text below the title"),
    rule("buttonText", FieldType::Text, "Text of the submit button"),
    rule("successMessage", FieldType::Text, "Text shown after the form was submitted"),
    rule(
        "whatsappPhone",
        FieldType::TextOrNull,
        "Phone of the owner, for the button that continues in a chat",
    ),
    rule(
        "whatsappMessage",
        FieldType::TextOrNull,
        "Prefilled text for that button; null for the standard text",
    ),
    rule("enabled", FieldType::Flag, "The owner's switch for the form"),
    rule(
        "submissionsLimit",
        FieldType::CountOrNull,
        "Number of submissions after which the form closes",
    ),
    rule(
        "activeTill",
        FieldType::WordOrNull,
        "Date or timestamp (ISO 8601) after which the form is closed",
    ),
];

/// Keys of a field of a form.
pub const INPUT_FIELDS: &[FieldRule] = &[
    rule(
        "key",
        FieldType::Word,
        "Key that identifies the field across updates; without it the field is found by label and type, or is new",
    ),
    rule("type", FieldType::Word, "Type of the field"),
    rule("label", FieldType::Word, "Name shown beside the field"),
    rule("placeholder", FieldType::TextOrNull, "Text shown in the empty field"),
    rule("required", FieldType::Flag, "True if an answer is required"),
    rule("options", FieldType::Any, "Values to choose from"),
    rule("multi", FieldType::Any, "Tells whether several values can be chosen"),
];

/// Keys that a field of a form must have.
pub const INPUT_REQUIRED: [&str; 2] = ["type", "label"];

/// Types of fields that the interface shows (section 2.4); there may be others.
pub const INPUT_TYPES: [&str; 2] = ["text", "phone"];

/// Fields of a form's record that only the service sets.
pub const COMPUTED: [&str; 2] = ["active", "createdAt"];
