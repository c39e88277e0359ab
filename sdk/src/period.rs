//! The period of analytics.

use crate::date::Date;
use crate::generated::types::AnalyticsPeriod;

/// Maximum number of days in a period (the interface, section 4.10).
const DAYS_MAX: i64 = 366;

/// The period of analytics: one that the service names, or the days from a first to a last one. One that the service would refuse cannot
/// be made.
///
/// ```
/// use links_sdk::types::AnalyticsPeriod;
/// use links_sdk::{Date, InvalidPeriod, Period};
///
/// let (first, last) = (Date::new(2026, 1, 1)?, Date::new(2026, 1, 31)?);
/// assert_ne!(Period::days(first, last)?, Period::from(AnalyticsPeriod::Last28));
/// assert_eq!(Period::days(last, first), Err(InvalidPeriod::Reversed { first: last, last: first }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period(Span);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Span {
    Named(AnalyticsPeriod),
    Days { first: Date, last: Date },
}

/// What is sent of a period.
#[derive(Default)]
pub(crate) struct SentPeriod {
    pub(crate) name: Option<AnalyticsPeriod>,
    pub(crate) first: Option<String>,
    pub(crate) last: Option<String>,
}

/// Reason why two days are not a period of analytics.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidPeriod {
    /// The first day is after the last.
    #[error("the first day {first} is after the last day {last}")]
    Reversed {
        /// The first day.
        first: Date,
        /// The last day.
        last: Date,
    },
    /// More than 366 days.
    #[error("{first} to {last} is {days} days: a period has at most {DAYS_MAX} days")]
    TooLong {
        /// The first day.
        first: Date,
        /// The last day.
        last: Date,
        /// Number of days, with the first and the last.
        days: i64,
    },
}

impl Period {
    /// Returns the period from a first to a last day, which is included, in the time zone that `me` reports.
    ///
    /// # Errors
    ///
    /// When the first day is after the last, or when there are more than 366.
    pub fn days(first: Date, last: Date) -> Result<Self, InvalidPeriod> {
        if last < first {
            return Err(InvalidPeriod::Reversed { first, last });
        }
        match first.days_through(last) {
            days if days > DAYS_MAX => Err(InvalidPeriod::TooLong { first, last, days }),
            _ => Ok(Self(Span::Days { first, last })),
        }
    }
}

impl SentPeriod {
    pub(crate) fn of(period: Option<Period>) -> Self {
        match period.map(|period| period.0) {
            None => Self::default(),
            Some(Span::Named(name)) => Self { name: Some(name), ..Self::default() },
            Some(Span::Days { first, last }) => {
                Self { name: None, first: Some(first.to_string()), last: Some(last.to_string()) }
            }
        }
    }
}

impl From<AnalyticsPeriod> for Period {
    fn from(name: AnalyticsPeriod) -> Self {
        Self(Span::Named(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_has_at_most_366_days() {
        let date = |text: &str| text.parse::<Date>().unwrap();
        let first = date("2025-01-01");
        Period::days(first, first).unwrap();
        Period::days(first, date("2026-01-01")).unwrap();
        let error = Period::days(first, date("2026-01-02")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "2025-01-01 to 2026-01-02 is 367 days: a period has at most 366 days"
        );
    }
}
