//! Bodies of writes whose fields may be left out, set, or set to null.
//!
//! A field that you leave out is not changed; a `clear_` method sends null. The interface does not show the full list of accepted fields.
//! So an [`Object`] and a value of `serde_json::json!` can be converted to each of these types: then you choose what is sent, and the
//! service refuses fields that it does not know (422).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::generated::types::{NewFormField, Social};
use crate::ids::ChannelId;
use crate::tolerant::{ChannelIds, Object};

macro_rules! body {
    (
        $(#[$doc:meta])*
        $name:ident {
            $($(#[$field_doc:meta])* $set:ident $(/ $clear:ident)?: $type:ty => $key:literal;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(transparent)]
        #[must_use]
        pub struct $name(pub Object);

        impl $name {
            $(
                $(#[$field_doc])*
                pub fn $set(mut self, value: impl Into<$type>) -> Self {
                    let value: $type = value.into();
                    self.0.insert($key.to_owned(), value_of(&value));
                    self
                }

                $(
                    #[doc = concat!("Sets `", $key, "` to null.")]
                    pub fn $clear(mut self) -> Self {
                        self.0.insert($key.to_owned(), Value::Null);
                        self
                    }
                )?
            )*

        }

        impl From<Object> for $name {
            fn from(fields: Object) -> Self {
                Self(fields)
            }
        }

        impl TryFrom<Value> for $name {
            type Error = serde_json::Error;

            fn try_from(fields: Value) -> Result<Self, serde_json::Error> {
                fields.try_into().map(Self)
            }
        }
    };
}

/// Returns the JSON value of a setter's argument. Every argument is made of strings, numbers, flags and lists of them, so it always has
/// one.
fn value_of<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

body! {
    /// A new profile. Only the login is documented. Set the other fields of the page right afterwards with [`ProfileChanges`].
    ///
    /// ```
    /// use links_sdk::NewProfile;
    ///
    /// assert_eq!(NewProfile::with_login("cafe").0["login"], "cafe");
    /// ```
    NewProfile {
        /// The login, the last part of the public URL: 4 to 60 characters of `a-z A-Z 0-9 . _`, not reserved, not taken.
        login: String => "login";
    }
}

impl NewProfile {
    /// Returns a profile with this login.
    pub fn with_login(login: impl Into<String>) -> Self {
        Self::default().login(login)
    }
}

body! {
    /// Changes of a profile.
    ///
    /// ```
    /// use links_sdk::ProfileChanges;
    ///
    /// let changes = ProfileChanges::default().title("Café Mole").clear_avatar();
    /// let body = serde_json::json!({"title": "Café Mole", "avatar": null});
    /// assert_eq!(serde_json::to_value(&changes)?, body);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ProfileChanges {
        /// The heading of the page.
        title / clear_title: String => "title";
        /// The text below the heading.
        description / clear_description: String => "description";
        /// Path of an uploaded square image, at least 800x800.
        avatar / clear_avatar: String => "avatar";
        /// Path of an uploaded 16:9 image, at least 1600x900.
        bg_image / clear_bg_image: String => "bgImage";
        /// The complete list of social links. The service adds the icons.
        socials: Vec<Social> => "socials";
        /// ID of a language from the options of the settings. `null` means the owner's language.
        language_id / clear_language_id: i64 => "languageId";
        /// The status badge under the avatar.
        mood_text / clear_mood_text: String => "moodText";
        /// How many hours the badge is shown.
        mood_hours / clear_mood_hours: i64 => "moodHours";
    }
}

body! {
    /// Changes of a profile's settings.
    ///
    /// A new login changes the public URL at once. The old URL is not redirected, so links, QR codes and NFC tags that contain it break.
    SettingsChanges {
        /// The login, the last part of the public URL: 4 to 60 characters of `a-z A-Z 0-9 . _`, not reserved, not taken.
        login: String => "login";
        /// Code of a language from the options of the settings.
        language_code: String => "languageCode";
    }
}

body! {
    /// Fields of a new lead form, or fields of a form to change. A change is visible at once on every page that shows the form. A form
    /// belongs to the account; a `form` slot shows it on a page.
    ///
    /// ```
    /// use links_sdk::FormChanges;
    ///
    /// let form = FormChanges::default().title("Write to us").button_text("Send").notify([7, 9]);
    /// assert_eq!(form.0["notificationChannelIds"], serde_json::json!([7, 9]));
    /// ```
    FormChanges {
        /// Title, shown above the fields.
        title: String => "title";
        /// Intro text under the title.
        description / clear_description: String => "description";
        /// Text of the submit button.
        button_text: String => "buttonText";
        /// Thank-you text, shown after a submission.
        success_message: String => "successMessage";
        /// Phone number of the owner, for the button that continues in a chat.
        whatsapp_phone / clear_whatsapp_phone: String => "whatsappPhone";
        /// Prefilled text for that chat. `null` means the standard text.
        whatsapp_message / clear_whatsapp_message: String => "whatsappMessage";
        /// The fields, in order. A change replaces the whole list: send every field, and the `key` of each field to keep.
        questions: Vec<NewFormField> => "fields";
        /// Whether the owner has enabled the form.
        enabled: bool => "enabled";
        /// Closes the form after this number of submissions.
        submissions_limit / clear_submissions_limit: i64 => "submissionsLimit";
        /// Date or time after which the form is closed: a [`Date`](crate::Date), a [`Timestamp`](crate::Timestamp), or ISO 8601 text.
        active_till / clear_active_till: String => "activeTill";
    }
}

impl NewFormField {
    /// Returns a field of this type (`text` and `phone` are known) with the label that is shown next to it. An existing field keeps its
    /// `key`.
    pub fn new(kind: impl Into<String>, label: impl Into<String>) -> Self {
        Self { kind: Some(kind.into()), label: Some(label.into()), ..Self::default() }
    }

    /// Sets whether an answer is required.
    #[must_use]
    pub fn required(self, required: bool) -> Self {
        Self { required: Some(required), ..self }
    }
}

impl Social {
    /// Returns a social link at this position, counted from 0. The service adds its icon.
    pub fn new(link: impl Into<String>, order: i64) -> Self {
        Self { link: link.into(), order }
    }
}

impl FormChanges {
    /// Sets the channels that receive each new lead. Without it, a new form uses every verified channel of the owner.
    pub fn notify(mut self, channels: impl IntoIterator<Item = impl Into<ChannelId>>) -> Self {
        let channels: ChannelIds = channels.into_iter().collect();
        self.0.insert("notificationChannelIds".to_owned(), value_of(&channels));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unset_fields_are_not_sent_and_cleared_fields_are_null() {
        let changes = FormChanges::default().clear_active_till().enabled(false).title("T");
        assert_eq!(
            serde_json::to_string(&changes).unwrap(),
            r#"{"activeTill":null,"enabled":false,"title":"T"}"#
        );
        assert_eq!(serde_json::to_string(&ProfileChanges::default()).unwrap(), "{}");
    }

    #[test]
    fn any_object_can_be_sent() {
        let fields: Object = [("pronouns", "they")].into_iter().collect();
        assert_eq!(SettingsChanges(fields.clone()).0, fields);
    }
}
