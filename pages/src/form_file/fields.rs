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
    rule("title", FieldType::Word),
    rule("description", FieldType::TextOrNull),
    rule("buttonText", FieldType::Text),
    rule("successMessage", FieldType::Text),
    rule("whatsappPhone", FieldType::TextOrNull),
    rule("whatsappMessage", FieldType::TextOrNull),
    rule("enabled", FieldType::Flag),
    rule("submissionsLimit", FieldType::CountOrNull),
    rule("activeTill", FieldType::WordOrNull),
];

/// Keys of a field of a form.
pub const INPUT_FIELDS: &[FieldRule] = &[
    rule("key", FieldType::Word),
    rule("type", FieldType::Word),
    rule("label", FieldType::Word),
    rule("placeholder", FieldType::TextOrNull),
    rule("required", FieldType::Flag),
    rule("options", FieldType::Any),
    rule("multi", FieldType::Any),
];

/// Keys that a field of a form must have.
pub const INPUT_REQUIRED: [&str; 2] = ["type", "label"];

/// Fields of a form's record that only the service sets.
pub const COMPUTED: [&str; 2] = ["active", "createdAt"];
