//! Times as people read them: how long ago something was.

use crate::output::count;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Returns how long ago a time was: `2 hours ago`. Both are in seconds since 1970; `None` if the time is not past.
pub(crate) fn ago(then: i64, now: i64) -> Option<String> {
    let passed = u64::try_from(now.checked_sub(then)?).ok()?;
    let (length, unit) = match passed {
        ..MINUTE => return Some("just now".to_owned()),
        MINUTE..HOUR => (MINUTE, "minute"),
        HOUR..DAY => (HOUR, "hour"),
        _ => (DAY, "day"),
    };
    let passed = usize::try_from(passed / length).ok()?;
    Some(format!("{} ago", count(passed, unit)))
}

#[cfg(test)]
mod tests {
    use super::ago;

    #[test]
    fn a_time_is_told_in_its_largest_unit() {
        for (passed, expected) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (3599, "59 minutes ago"),
            (3600, "1 hour ago"),
            (86_399, "23 hours ago"),
            (86_400, "1 day ago"),
            (90 * 86_400, "90 days ago"),
        ] {
            assert_eq!(ago(1_000, 1_000 + passed).unwrap(), expected);
        }
        assert_eq!(ago(1_001, 1_000), None);
        assert_eq!(ago(i64::MIN, i64::MAX), None);
    }
}
