//! Dates without a time zone, and times as the service writes them (ISO 8601).

use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::ids::{InvalidValue, text};

/// A calendar date. Its hours depend on the time zone of the account, which `me` reports.
///
/// ```
/// use links_sdk::Date;
///
/// let day: Date = "2026-01-31".parse()?;
/// assert_eq!(day, Date::new(2026, 1, 31)?);
/// assert_eq!(day.to_string(), "2026-01-31");
/// assert!(Date::new(2026, 2, 29).is_err());
/// # Ok::<(), links_sdk::InvalidValue>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(jiff::civil::Date);

impl Date {
    /// Returns the date of this year (0 to 9999), month and day of the month, both counted from 1.
    ///
    /// # Errors
    ///
    /// When the date does not exist.
    pub fn new(year: u16, month: u8, day: u8) -> Result<Self, InvalidValue> {
        format!("{year:04}-{month:02}-{day:02}").parse()
    }

    /// Returns the number of days from this one up to and with another, which is not earlier.
    pub(crate) fn days_through(self, last: Self) -> i64 {
        let between = last.0.duration_since(self.0);
        between.as_hours() / 24 + 1
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}

impl FromStr for Date {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let date: Option<jiff::civil::Date> = text.parse().ok();
        // The library reads other spellings, too.
        let date = date.filter(|date| date.year() >= 0 && date.to_string() == text);
        date.map(Self).ok_or_else(|| {
            let why = "is not a date; use YYYY-MM-DD, such as 2026-01-31";
            InvalidValue::new(format!("{text:?} {why}"))
        })
    }
}

text! {
    /// A time or a date, as the service writes it: ISO 8601. The text is kept unchanged.
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
    /// # Ok::<(), links_sdk::InvalidValue>(())
    /// ```
    #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    Timestamp
}

impl Timestamp {
    /// Returns the time. `None` if the text is only a date, has no offset from UTC, or is something else.
    pub fn time(&self) -> Option<SystemTime> {
        self.0.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
    }

    /// Returns the date as written, in the time zone of the text.
    pub fn date(&self) -> Option<Date> {
        let day = self.0.split_once(['T', ' ']).map_or(self.as_str(), |(day, _)| day);
        day.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        for text in ["", "2026-1-31", "2026-02-29", "2026-01-31T00:00:00", "20260131", "-026-01-31"]
        {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
        let leap = Date::new(2024, 2, 29).unwrap();
        assert_eq!(leap.to_string(), "2024-02-29");
        Date::new(10_000, 1, 1).unwrap_err();
    }

    #[test]
    fn days_are_counted_with_the_first_and_the_last() {
        let date = |text: &str| text.parse::<Date>().unwrap();
        assert_eq!(date("2026-01-31").days_through(date("2026-01-31")), 1);
        assert_eq!(date("2024-01-01").days_through(date("2024-12-31")), 366);
    }

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
