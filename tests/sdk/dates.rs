//! Tests of days, moments and periods, in answers and in what is sent.

use jiff::{Span, civil};
use links_sdk::types::AnalyticsPeriod;
use links_sdk::{AnalyticsQuery, Date, FormChanges, Period};

use crate::cafe;

/// Over four years with a leap day, and over the turn of a century without one.
#[tokio::test]
async fn a_period_is_one_of_the_sdk_if_it_is_one_of_the_service() {
    let (server, client) = cafe().await;
    let (http, mut seen) = (reqwest::Client::new(), [0, 0]);
    let of = |date: civil::Date| date.to_string().parse::<Date>().unwrap();
    for year in [2026, 2097] {
        for nth in (0..4 * 365).step_by(31) {
            let first = civil::date(year, 1, 1).saturating_add(Span::new().days(nth));
            for days in [0, 364, 365, 366] {
                let last = first.saturating_add(Span::new().days(days));
                let query = format!("dateFrom={first}&dateTo={last}");
                let request = http.get(format!("{}/analytics?{query}", server.base_url()));
                let answer = request.bearer_auth(server.token()).send().await.unwrap();
                let period = Period::days(of(first), of(last));
                assert_eq!(period.is_ok(), answer.status() == 200, "{query}");
                seen[usize::from(period.is_ok())] += 1;
                if let Ok(period) = period {
                    let query = AnalyticsQuery::default().period(period);
                    client.analytics(query).await.unwrap();
                }
            }
        }
    }
    assert_eq!(seen[1], seen[0] * 3, "{seen:?}");
}

#[test]
fn a_leap_day_is_a_date_in_leap_years_only() {
    for (year, exists) in [(2000, true), (2024, true), (2027, false), (2028, true), (2100, false)] {
        assert_eq!(Date::new(year, 2, 29).is_ok(), exists, "{year}");
        assert_eq!(format!("{year}-02-29").parse::<Date>().is_ok(), exists, "{year}");
    }
    for (month, last) in [(1, 31), (2, 28), (4, 30), (12, 31)] {
        assert!(Date::new(2027, month, last).is_ok() && Date::new(2027, month, last + 1).is_err());
    }
}

#[tokio::test]
async fn moments_and_days_of_answers_are_read() {
    let (_server, client) = cafe().await;
    let form = client.forms().list().await.unwrap().items.remove(0);
    assert!(form.created_at.time().is_some(), "{:?}", form.created_at);
    let meta = client.analytics(AnalyticsQuery::default()).await.unwrap().meta;
    assert!(meta.generated_at.time().is_some(), "{:?}", meta.generated_at);
    assert!(meta.data_starts_at.date().is_some(), "{:?}", meta.data_starts_at);
}

#[tokio::test]
async fn a_form_is_closed_after_a_day() {
    let (_server, client) = cafe().await;
    let id = client.forms().list().await.unwrap().items.remove(0).id;
    let last = Date::new(2031, 1, 31).unwrap();
    let form = client.form(id).update(FormChanges::default().active_till(last)).await.unwrap();
    assert_eq!(form.active_till.unwrap().date(), Some(last));
}

#[tokio::test]
async fn a_period_is_sent_by_its_name_or_by_its_days() {
    let (server, client) = cafe().await;
    let days = Period::days("2026-01-01".parse().unwrap(), "2026-01-31".parse().unwrap());
    let of_days = AnalyticsQuery::default().period(days.unwrap());
    client.profile("cafe").analytics(of_days).await.unwrap();
    let named = AnalyticsQuery::default().period(AnalyticsPeriod::LastMonth);
    client.analytics(named).await.unwrap();
    let queries: Vec<_> = server.requests().into_iter().map(|it| it.query.unwrap()).collect();
    assert_eq!(queries, ["dateFrom=2026-01-01&dateTo=2026-01-31", "period=lastMonth"]);
}
