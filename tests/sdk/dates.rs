//! Tests of days, moments and periods, in answers and in what is sent.

use links_sdk::types::AnalyticsPeriod;
use links_sdk::{AnalyticsQuery, Date, FormChanges, Period};

use crate::cafe;

#[tokio::test]
async fn moments_and_days_of_answers_are_read() {
    let (_server, client) = cafe().await;
    let form = client.forms().list().await.unwrap().items.remove(0);
    assert!(form.created_at.time().is_some(), "{:?}", form.created_at);
    let meta = client.analytics().get(AnalyticsQuery::default()).await.unwrap().meta;
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
    client.analytics().get(named).await.unwrap();
    let queries: Vec<_> = server.requests().into_iter().map(|it| it.query.unwrap()).collect();
    assert_eq!(queries, ["dateFrom=2026-01-01&dateTo=2026-01-31", "period=lastMonth"]);
}
