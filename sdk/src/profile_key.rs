//! Key of a profile: an ID or a login.

use std::fmt;
use std::str::FromStr;

use crate::ids::{InvalidValue, ProfileId};

/// Maximum length of a login in characters.
const LOGIN_MAX: usize = 60;

/// The ID or the login of a profile. A key of only digits is always an ID, so a page whose login has only digits can be reached only by its
/// ID.
///
/// ```
/// use links_sdk::{ProfileId, ProfileKey};
///
/// assert_eq!("cafe".parse(), Ok(ProfileKey::Login("cafe".into())));
/// assert_eq!("1042".parse(), Ok(ProfileKey::Id(ProfileId::new(1042))));
/// assert!("../me".parse::<ProfileKey>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ProfileKey {
    /// The numeric ID, 1 or more.
    Id(ProfileId),
    /// The login: 1 to 60 characters of `a-z A-Z 0-9 . _`, with at least one that is not a digit, and not `.` or `..`.
    Login(String),
}

fn out_of_range(digits: &str) -> InvalidValue {
    let why = "is all digits, so it must be an ID from 1 to 9223372036854775807";
    InvalidValue::new(format!("`{digits}` {why}"))
}

impl FromStr for ProfileKey {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err(InvalidValue::new(
                "a profile key must be an ID or a login, not an empty string",
            ));
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return match text.parse() {
                Ok(id) if id > 0 => Ok(Self::Id(ProfileId::new(id))),
                _ => Err(out_of_range(text)),
            };
        }
        if let Some(c) =
            text.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_')))
        {
            let why = format!("a login can contain only letters, digits, `.` and `_`, not {c:?}");
            return Err(InvalidValue::new(why));
        }
        if text.len() > LOGIN_MAX {
            let why =
                format!("a login can have at most 60 characters, but this one has {}", text.len());
            return Err(InvalidValue::new(why));
        }
        if matches!(text, "." | "..") {
            return Err(InvalidValue::new(format!("`{text}` is not a login")));
        }
        Ok(Self::Login(text.to_owned()))
    }
}

macro_rules! from_text {
    ($($text:ty),*) => {$(
        impl TryFrom<$text> for ProfileKey {
            type Error = InvalidValue;

            fn try_from(text: $text) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
    )*};
}

from_text!(&str, &String, String);

impl From<&ProfileKey> for ProfileKey {
    fn from(key: &ProfileKey) -> Self {
        key.clone()
    }
}

macro_rules! from_id {
    ($($id:ty),*) => {$(
        impl From<$id> for ProfileKey {
            fn from(id: $id) -> Self {
                Self::Id(id.into())
            }
        }
    )*};
}

from_id!(ProfileId, &ProfileId, i64, i32);

impl fmt::Display for ProfileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Login(login) => login.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_always_an_id() {
        assert_eq!("007".parse(), Ok(ProfileKey::Id(ProfileId::new(7))));
        assert_eq!("9223372036854775807".parse(), Ok(ProfileKey::Id(ProfileId::new(i64::MAX))));
        for text in ["0", "000", "9223372036854775808"] {
            assert_eq!(text.parse::<ProfileKey>(), Err(out_of_range(text)));
        }
    }

    #[test]
    fn every_form_in_which_a_program_has_a_key_is_read_by_the_same_rules() {
        for text in ["cafe", "007", "12345678", "", "me?x", "a/b", "кафе", "a b", "0"] {
            let parsed = text.parse::<ProfileKey>();
            assert_eq!(ProfileKey::try_from(text), parsed);
            assert_eq!(ProfileKey::try_from(text.to_owned()), parsed);
            assert_eq!(ProfileKey::try_from(&text.to_owned()), parsed);
        }
        let id = ProfileId::new(7);
        for key in [id.into(), (&id).into(), 7_i64.into(), 7_i32.into()] {
            assert_eq!(ProfileKey::Id(id), key);
        }
    }

    #[test]
    fn what_could_leave_the_path_is_refused() {
        for text in [
            "",
            ".",
            "..",
            "a/b",
            "%2e%2e",
            "a b",
            "café",
            "-1",
            "a?b",
            "a#b",
            "a\n",
            &"x".repeat(61),
        ] {
            assert!(text.parse::<ProfileKey>().is_err(), "{text:?}");
        }
        for text in [
            "cafe",
            "a.b_c",
            "...",
            "x",
            &"x".repeat(60),
            "1.5",
            "١٢٣x".trim_start_matches(|c: char| !c.is_ascii()),
        ] {
            assert_eq!(text.parse::<ProfileKey>().unwrap().to_string(), text);
        }
    }
}
