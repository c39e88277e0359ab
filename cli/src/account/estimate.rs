//! Time that requests take by the rate limits of the service.

use links_sdk::RateLimits;

/// Returns the number of seconds that requests take if nothing else is sent: as many as a minute allows at once, the others in the minutes
/// after it.
pub(crate) fn seconds(requests: usize, limits: RateLimits) -> usize {
    let Some(last) = requests.checked_sub(1) else { return 0 };
    let (per_minute, per_second) = (limits.per_minute.max(1), limits.per_second.max(1));
    last / per_minute * 60 + last % per_minute / per_second
}

/// Describes a number of requests and their time: `14 requests, about 2 s`.
pub(crate) fn words(requests: usize) -> String {
    let seconds = seconds(requests, RateLimits::default());
    let counted =
        if requests == 1 { "1 request".to_owned() } else { format!("{requests} requests") };
    match seconds {
        0..=1 => counted,
        2..=99 => format!("{counted}, about {seconds} s"),
        _ => format!("{counted}, about {} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_passes_after_as_many_requests_as_it_allows() {
        let limits = RateLimits::default();
        let times = [0, 1, 5, 6, 60, 61, 102, 121].map(|requests| seconds(requests, limits));
        assert_eq!(times, [0, 0, 0, 1, 11, 60, 68, 120]);
        assert_eq!(words(1), "1 request");
        assert_eq!(words(102), "102 requests, about 68 s");
        assert_eq!(words(400), "400 requests, about 7 min");
    }
}
