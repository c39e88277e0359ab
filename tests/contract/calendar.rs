//! Periods, dates and statuses at the edges of the calendar: leap days, ends of months and years, weeks, and midnight in the service's time
//! zone (section 4.10).

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use links_fixtures::{Clock, World};
use serde_json::{Value, json};

use crate::support::Api;

/// Starts the service at this time.
async fn at(time: &str) -> (Api, Clock) {
    let time: Timestamp = time.parse().expect("a timestamp");
    Api::at(World::cafe(), SystemTime::from(time)).await
}

#[tokio::test]
async fn named_periods_are_days_of_the_calendar_in_the_zone_of_the_service() {
    for (now, period, from, to) in [
        // The leap day, and the days around it.
        ("2028-02-29T12:00:00Z", "today", "2028-02-29", "2028-02-29"),
        ("2028-02-29T12:00:00Z", "yesterday", "2028-02-28", "2028-02-28"),
        ("2028-02-29T12:00:00Z", "last7", "2028-02-23", "2028-02-29"),
        ("2028-02-29T12:00:00Z", "last28", "2028-02-02", "2028-02-29"),
        ("2028-02-29T12:00:00Z", "last90", "2027-12-02", "2028-02-29"),
        ("2028-02-29T12:00:00Z", "thisMonth", "2028-02-01", "2028-02-29"),
        ("2028-02-29T12:00:00Z", "lastMonth", "2028-01-01", "2028-01-31"),
        ("2028-03-01T12:00:00Z", "yesterday", "2028-02-29", "2028-02-29"),
        ("2028-03-01T12:00:00Z", "last28", "2028-02-03", "2028-03-01"),
        ("2028-03-31T12:00:00Z", "lastMonth", "2028-02-01", "2028-02-29"),
        ("2027-03-31T12:00:00Z", "lastMonth", "2027-02-01", "2027-02-28"),
        ("2027-05-31T12:00:00Z", "lastMonth", "2027-04-01", "2027-04-30"),
        // Midnight in Atyrau.
        ("2028-02-28T18:59:59Z", "today", "2028-02-28", "2028-02-28"),
        ("2028-02-28T19:00:00Z", "today", "2028-02-29", "2028-02-29"),
        ("2028-02-29T18:59:59Z", "thisMonth", "2028-02-01", "2028-02-29"),
        ("2028-02-29T19:00:00Z", "thisMonth", "2028-03-01", "2028-03-01"),
        ("2027-12-31T18:59:59Z", "lastMonth", "2027-11-01", "2027-11-30"),
        ("2027-12-31T19:00:00Z", "today", "2028-01-01", "2028-01-01"),
        ("2027-12-31T19:00:00Z", "yesterday", "2027-12-31", "2027-12-31"),
        ("2027-12-31T19:00:00Z", "lastMonth", "2027-12-01", "2027-12-31"),
        // The days on which clocks change elsewhere.
        ("2028-03-26T01:00:00Z", "last7", "2028-03-20", "2028-03-26"),
        ("2028-10-29T23:00:00Z", "today", "2028-10-30", "2028-10-30"),
    ] {
        let (api, _) = at(now).await;
        let answer = api.get(&format!("/analytics?period={period}&include=timeline")).await.is(200);
        let shown = &answer.data()["period"];
        assert_eq!((&shown["dateFrom"], &shown["dateTo"]), (&json!(from), &json!(to)), "{now}");
        let days = answer.data()["timeline"].as_array().expect("a timeline");
        let ends = [days.first(), days.last()].map(|day| day.expect("a day")["date"].clone());
        assert_eq!(ends, [json!(from), json!(to)], "{now}, {period}");
    }
}

#[tokio::test]
async fn a_timeline_begins_a_new_bucket_on_mondays_and_on_the_first_of_a_month() {
    let (api, _) = at("2028-04-01T12:00:00Z").await;
    for (bucket, from, to, expected) in [
        ("day", "2028-02-28", "2028-03-01", &["2028-02-28", "2028-02-29", "2028-03-01"][..]),
        ("week", "2027-12-27", "2028-01-09", &["2027-12-27", "2028-01-03"]),
        ("week", "2027-12-29", "2028-01-02", &["2027-12-29"]),
        ("week", "2028-02-28", "2028-03-06", &["2028-02-28", "2028-03-06"]),
        ("month", "2028-01-31", "2028-03-31", &["2028-01-31", "2028-02-01", "2028-03-01"]),
        ("month", "2027-12-01", "2028-01-01", &["2027-12-01", "2028-01-01"]),
    ] {
        let query = format!("dateFrom={from}&dateTo={to}&bucket={bucket}&include=timeline");
        let answer = api.get(&format!("/analytics?{query}")).await.is(200);
        let points = answer.data()["timeline"].as_array().expect("a timeline");
        let dates: Vec<&str> = points.iter().filter_map(|point| point["date"].as_str()).collect();
        assert_eq!(dates, expected, "{query}");
    }
}

#[tokio::test]
async fn days_that_do_not_exist_are_refused() {
    let (api, _) = at("2028-04-01T12:00:00Z").await;
    for date in ["2027-02-29", "2100-02-29", "2028-02-30", "2027-04-31", "2027-12-32"] {
        let query = format!("/analytics?dateFrom={date}&dateTo={date}");
        api.get(&query).await.names(&["dateFrom", "dateTo"]);
    }
    api.get("/analytics?dateFrom=2028-02-29&dateTo=2028-02-29").await.is(200);
}

/// Lets time pass until this moment.
fn pass(clock: &Clock, until: &str) {
    let until: Timestamp = until.parse().expect("a timestamp");
    let left = SystemTime::from(until).duration_since(clock.now()).expect("a later moment");
    clock.advance(left);
}

#[tokio::test]
async fn a_form_closes_at_the_end_of_its_last_day_in_the_zone_of_the_service() {
    for (last, open, closed) in [
        ("2028-02-29", "2028-02-29T18:59:59Z", "2028-02-29T19:00:00Z"),
        ("2027-12-31", "2027-12-31T18:59:59Z", "2027-12-31T19:00:00Z"),
        ("2027-12-31T23:00:00-05:00", "2028-01-01T03:59:59Z", "2028-01-01T04:00:00Z"),
    ] {
        let (api, clock) = at("2027-06-01T00:00:00Z").await;
        let path = format!("/forms/{}", api.form().await);
        let body = json!({"enabled": true, "activeTill": last, "submissionsLimit": null});
        api.patch(&path).json(&body).await.is(200);
        for (moment, active) in [(open, true), (closed, false)] {
            pass(&clock, moment);
            let form = api.get(&path).await.is(200);
            assert_eq!(form.data()["active"], active, "{last} at {moment}");
        }
    }
}

#[tokio::test]
async fn the_hours_of_a_status_pass_over_leap_days_and_new_year() {
    for (set_at, hours, expires) in [
        ("2028-02-28T20:00:00Z", 24_u64, "2028-02-29T20:00:00Z"),
        ("2028-02-29T20:00:00Z", 4, "2028-03-01T00:00:00Z"),
        ("2027-12-31T18:30:00Z", 1, "2027-12-31T19:30:00Z"),
        ("2028-03-26T00:30:00Z", 2, "2028-03-26T02:30:00Z"),
        ("2027-02-28T12:00:00Z", 24 * 366, "2028-02-29T12:00:00Z"),
    ] {
        let (api, clock) = at(set_at).await;
        let page = api.page().await.at("");
        let mood = json!({"moodText": "Open late", "moodHours": hours});
        let set = api.patch(&page).json(&mood).await.is(200);
        let shown = set.data()["computed"]["moodExpiresAt"].as_str().expect("a time").to_owned();
        let [shown, expires] = [&*shown, expires].map(str::parse::<Timestamp>);
        assert_eq!(shown.expect("a timestamp"), expires.expect("a timestamp"), "{set_at}");
        let is_active = async || -> Value {
            api.get(&page).await.is(200).data()["computed"]["moodActive"].clone()
        };
        clock.advance(Duration::from_secs(hours * 3600 - 1));
        assert_eq!(is_active().await, true, "{set_at}");
        clock.advance(Duration::from_secs(1));
        assert_eq!(is_active().await, false, "{set_at}");
    }
}
