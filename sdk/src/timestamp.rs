//! Moments of the service, which are written in ISO 8601.

use std::fmt;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::date::Date;

/// A moment or a day, as the service writes it: ISO 8601 (the interface, section 2). It is kept as it was written.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use links_sdk::{Date, Timestamp};
///
/// let made = Timestamp::from("2026-01-31T12:00:00Z");
/// assert_eq!(made.time(), Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_860_800)));
/// assert_eq!(made.date(), Some(Date::new(2026, 1, 31)?));
/// assert_eq!(Timestamp::from("2026-01-31").time(), None, "a day is not a moment");
/// # Ok::<(), links_sdk::InvalidDate>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(String);

impl Timestamp {
    /// Returns the text as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the moment. `None` if only a day is written, no offset from UTC, or something else.
    pub fn time(&self) -> Option<SystemTime> {
        self.0.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
    }

    /// Returns the day that is written, in the time zone in which it is written.
    pub fn date(&self) -> Option<Date> {
        let day = self.0.split_once(['T', ' ']).map_or(self.as_str(), |(day, _)| day);
        day.parse().ok()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<&str> for Timestamp {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<String> for Timestamp {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<Timestamp> for String {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.0
    }
}

impl PartialEq<str> for Timestamp {
    fn eq(&self, text: &str) -> bool {
        self.0 == text
    }
}

impl PartialEq<&str> for Timestamp {
    fn eq(&self, text: &&str) -> bool {
        self.0 == *text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_far_as_it_goes() {
        let read = |text: &str| {
            let timestamp = Timestamp::from(text);
            (timestamp.time().is_some(), timestamp.date().map(|date| date.to_string()))
        };
        let day = || Some("2026-01-31".to_owned());
        assert_eq!(read("2026-01-31T23:00:00.5+05:00"), (true, day()));
        assert_eq!(read("2026-01-31 23:00:00Z"), (true, day()));
        assert_eq!(read("2026-01-31T23:00:00"), (false, day()));
        assert_eq!(read("2026-01-31"), (false, day()));
        assert_eq!(read("soon"), (false, None));
        assert_eq!(read(""), (false, None));
    }
}
