//! IDs of the service's records, with one type per kind of record.
//!
//! A call accepts the ID of its own kind of record, or a plain number or string. The ID of another kind does not compile:
//!
//! ```compile_fail,E0277
//! # async fn wrong(client: links_sdk::Client, page: links_sdk::types::Profile) {
//! client.profile("cafe").slots().get(page.id);
//! # }
//! ```
//!
//! ```compile_fail,E0277
//! # async fn wrong(client: links_sdk::Client, slot: links_sdk::Slot) {
//! client.profile(slot.id);
//! # }
//! ```
//!
//! ```compile_fail,E0277
//! # async fn wrong(client: links_sdk::Client, channel: links_sdk::types::NotificationChannel) {
//! client.form(channel.id);
//! # }
//! ```

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Reason why a value cannot be used: a URL, a token, a name, an ID, a date, or the size of an image. The text contains no secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValue(String);

impl InvalidValue {
    /// Returns an error with this text.
    #[doc(hidden)]
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

macro_rules! numeric_id {
    ($(#[$doc:meta])* $name:ident, $record:literal) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(i64);

        impl $name {
            /// Returns the ID with this number. IDs of the service start at 1; a call refuses other numbers before anything is sent.
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// Returns the number.
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = InvalidValue;

            fn from_str(text: &str) -> Result<Self, InvalidValue> {
                let why = concat!(" is not a ", $record, " ID; use a whole number");
                text.parse().map(Self).map_err(|_| InvalidValue(format!("{text:?}{why}")))
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }

        impl From<i32> for $name {
            fn from(number: i32) -> Self {
                Self(number.into())
            }
        }

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                *id
            }
        }

        impl From<$name> for Value {
            fn from(id: $name) -> Value {
                id.0.into()
            }
        }

        impl PartialEq<i64> for $name {
            fn eq(&self, number: &i64) -> bool {
                self.0 == *number
            }
        }
    };
}

numeric_id! {
    /// The ID of a profile. Unlike the login, it never changes.
    ///
    /// ```
    /// use links_sdk::{ProfileId, ProfileKey};
    ///
    /// let id: ProfileId = "1042".parse()?;
    /// assert_eq!(id.get(), 1042);
    /// assert_eq!(ProfileKey::from(id), ProfileKey::Id(id));
    /// # Ok::<(), links_sdk::InvalidValue>(())
    /// ```
    ProfileId, "profile"
}

numeric_id! {
    /// The ID of a slot.
    ///
    /// ```
    /// use links_sdk::SlotId;
    ///
    /// let id = SlotId::new(7);
    /// assert_eq!((id.to_string(), serde_json::to_string(&id)?), ("7".into(), "7".into()));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    SlotId, "slot"
}

numeric_id! {
    /// The ID of a notification channel.
    ///
    /// ```
    /// use links_sdk::{ChannelId, FormChanges};
    ///
    /// let form = FormChanges::default().title("Write to us").notify([ChannelId::new(7)]);
    /// assert_eq!(form.0["notificationChannelIds"], serde_json::json!([7]));
    /// ```
    ChannelId, "notification channel"
}

macro_rules! text {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Returns the text unchanged.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, text: &str) -> bool {
                self.0 == text
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, text: &&str) -> bool {
                self.0 == *text
            }
        }
    };
}

pub(crate) use text;

text! {
    /// The ID of a lead form, a UUID without further meaning. The text is kept unchanged, and can be used like a `str`.
    ///
    /// ```
    /// use links_sdk::FormId;
    ///
    /// let id = FormId::from("6f1c0f0e-0000-4000-8000-000000000001");
    /// assert!(id.starts_with("6f1c0f0e"));
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    FormId
}

impl Deref for FormId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for FormId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&FormId> for FormId {
    fn from(id: &FormId) -> Self {
        id.clone()
    }
}

impl From<FormId> for Value {
    fn from(id: FormId) -> Value {
        id.0.into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn an_id_is_written_as_its_number_or_its_text() {
        let ids = BTreeMap::from([(SlotId::new(3), ProfileId::new(4))]);
        let json = serde_json::to_string(&ids).unwrap();
        assert_eq!(json, r#"{"3":4}"#);
        assert_eq!(serde_json::from_str::<BTreeMap<SlotId, ProfileId>>(&json).unwrap(), ids);
        let form: FormId = serde_json::from_str("\"a-b\"").unwrap();
        assert_eq!(
            (serde_json::to_string(&form).unwrap(), form.to_string()),
            ("\"a-b\"".into(), "a-b".into())
        );
        assert_eq!(format!("{:>3}", SlotId::new(3)), "  3");
    }

    #[test]
    fn a_text_that_is_no_number_is_not_an_id() {
        assert_eq!("12".parse(), Ok(ChannelId::new(12)));
        for text in ["", "x", "1.0", "9223372036854775808"] {
            let error = text.parse::<SlotId>().unwrap_err();
            assert_eq!(error.to_string(), format!("{text:?} is not a slot ID; use a whole number"));
        }
    }
}
