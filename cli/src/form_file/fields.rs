//! Fields of a form file (the interface, sections 2.4 and 4.7).

use crate::page_file::field_rule::{FieldRule, FieldType};

/// Keys of a form file with a meaning of their own.
pub(crate) const NAME: &str = "form";
pub(crate) const ID: &str = "id";
pub(crate) const INPUTS: &str = "fields";
pub(crate) const CHANNELS: &str = "notificationChannelIds";

/// Key of a reference to a notification channel.
pub(crate) const CHANNEL: &str = "$channel";

/// Maximum length of the local name of a form in characters.
pub(crate) const MAX_NAME: usize = 64;

/// Fields of a form with a single value, in the order of the interface.
pub(crate) const FORM_FIELDS: &[FieldRule] = &[
    FieldRule { name: "title", value: FieldType::Word, about: "Title, shown above the fields" },
    FieldRule {
        name: "description",
        value: FieldType::TextOrNull,
        about: "Intro text below the title",
    },
    FieldRule { name: "buttonText", value: FieldType::Text, about: "Text of the submit button" },
    FieldRule {
        name: "successMessage",
        value: FieldType::Text,
        about: "Text shown after the form was submitted",
    },
    FieldRule {
        name: "whatsappPhone",
        value: FieldType::TextOrNull,
        about: "Phone of the owner, for the button that continues in a chat",
    },
    FieldRule {
        name: "whatsappMessage",
        value: FieldType::TextOrNull,
        about: "Prefilled text for that button; null for the standard text",
    },
    FieldRule { name: "enabled", value: FieldType::Flag, about: "The owner's switch for the form" },
    FieldRule {
        name: "submissionsLimit",
        value: FieldType::CountOrNull,
        about: "Number of submissions after which the form closes",
    },
    FieldRule {
        name: "activeTill",
        value: FieldType::WordOrNull,
        about: "Date or timestamp (ISO 8601) after which the form is closed",
    },
];

/// Keys of a field of a form.
pub(crate) const INPUT_FIELDS: &[FieldRule] = &[
    FieldRule {
        name: "key",
        value: FieldType::Word,
        about: "Key that identifies the field across updates; without it the field is found by label and type, or is new",
    },
    FieldRule { name: "type", value: FieldType::Word, about: "Type of the field" },
    FieldRule { name: "label", value: FieldType::Word, about: "Name shown beside the field" },
    FieldRule {
        name: "placeholder",
        value: FieldType::TextOrNull,
        about: "Text shown in the empty field",
    },
    FieldRule { name: "required", value: FieldType::Flag, about: "True if an answer is required" },
    FieldRule { name: "options", value: FieldType::Any, about: "Values to choose from" },
    FieldRule {
        name: "multi",
        value: FieldType::Any,
        about: "Tells whether several values can be chosen",
    },
];

/// Keys that a field of a form must have.
pub(crate) const INPUT_REQUIRED: [&str; 2] = ["type", "label"];

/// Types of fields that the interface shows (section 2.4); there may be others.
pub(crate) const INPUT_TYPES: [&str; 2] = ["text", "phone"];

/// Fields of a form's record that only the service sets.
pub(crate) const COMPUTED: [&str; 2] = ["active", "createdAt"];
