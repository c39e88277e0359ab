//! Section 4.10: analytics.

use std::time::Duration;

use links_fixtures::World;
use serde_json::{Value, json};

use crate::support::{Answer, Api, id_of};

async fn endpoints(api: &Api) -> [String; 3] {
    let page = api.page().await;
    [
        "/analytics".to_owned(),
        page.at("/analytics"),
        format!("/forms/{}/analytics", api.form().await),
    ]
}

#[tokio::test]
async fn rule_4_10_every_parameter_is_optional_and_takes_its_values() {
    let api = Api::cafe().await;
    for endpoint in endpoints(&api).await {
        api.get(&endpoint).await.is(200);
        for period in ["today", "yesterday", "last7", "last28", "last90", "thisMonth", "lastMonth"]
        {
            api.get(&format!("{endpoint}?period={period}")).await.is(200);
        }
        for bucket in ["day", "week", "month"] {
            api.get(&format!("{endpoint}?bucket={bucket}")).await.is(200);
        }
        for compare in ["true", "false", "1", "0"] {
            api.get(&format!("{endpoint}?compare={compare}")).await.is(200);
        }
        api.get(&format!("{endpoint}?dateFrom=2026-01-01&dateTo=2026-01-31&bucket=week&include=timeline&compare=true"))
            .await
            .is(200);
    }
}

#[tokio::test]
async fn rule_4_10_parameters_are_nullable() {
    let api = Api::cafe().await;
    for endpoint in endpoints(&api).await {
        api.get(&format!("{endpoint}?period=&dateFrom=&dateTo=&bucket=&include=&compare="))
            .await
            .is(200);
    }
}

#[tokio::test]
async fn rule_4_10_other_values_are_refused() {
    let api = Api::cafe().await;
    for endpoint in endpoints(&api).await {
        for (field, value) in [
            ("period", "last30"),
            ("bucket", "hour"),
            ("compare", "maybe"),
            ("dateFrom", "yesterday"),
            ("dateTo", "2026-02-30"),
        ] {
            let refused = api.get(&format!("{endpoint}?{field}={value}")).await.refused(422);
            assert!(
                refused.error_keys().contains(&field.to_owned()),
                "{}: {}",
                refused.asked,
                refused.text
            );
        }
    }
}

#[tokio::test]
async fn rule_4_10_a_period_spans_up_to_366_days() {
    let api = Api::cafe().await;
    for endpoint in endpoints(&api).await {
        // 2024 was a leap year: 366 days from its first to its last.
        api.get(&format!("{endpoint}?dateFrom=2024-01-01&dateTo=2024-12-31")).await.is(200);
        api.get(&format!("{endpoint}?dateFrom=2024-01-01&dateTo=2025-01-02")).await.refused(422);
    }
}

#[tokio::test]
async fn rule_4_10_a_timeline_comes_when_included() {
    let api = Api::cafe().await;
    for endpoint in endpoints(&api).await {
        let without = api.get(&endpoint).await.is(200);
        assert!(without.data().get("timeline").is_none(), "{}", without.text);
        let with =
            api.get(&format!("{endpoint}?include=timeline&period=last7&bucket=day")).await.is(200);
        let timeline = with.data()["timeline"]
            .as_array()
            .unwrap_or_else(|| panic!("no timeline: {}", with.text));
        assert_eq!(timeline.len(), 7, "{}", with.text);
    }
}

#[tokio::test]
async fn rule_4_10_the_account_has_one_row_per_page_plus_totals() {
    for api in [Api::empty().await, Api::cafe().await, Api::full().await] {
        let pages = api.server.account().profiles.len();
        let answer = api.get("/analytics").await.is(200);
        assert_eq!(answer.data()["rows"].as_array().map(Vec::len), Some(pages));
        assert!(answer.data()["totals"].is_object(), "{}", answer.text);
    }
}

#[tokio::test]
async fn rule_4_10_totals_are_the_sum_of_the_rows() {
    let api = Api::full().await;
    let answer = api.get("/analytics").await.is(200);
    for counter in ["views", "clicks"] {
        let rows = answer.data()["rows"].as_array().expect("rows");
        let sum: i64 = rows.iter().map(|row| row[counter].as_i64().expect("a count")).sum();
        assert_eq!(answer.data()["totals"][counter], sum, "{counter}");
    }
}

#[tokio::test]
async fn rule_4_10_a_profile_has_views_and_clicks_per_slot_and_per_social_link() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let links = api.get(&page.at("")).await.is(200).data()["socials"].as_array().map(Vec::len);
    let answer = api.get(&page.at("/analytics")).await.is(200);
    let data = answer.data();
    assert!(data["totals"]["views"].is_u64(), "{}", answer.text);
    let blocks = data["blocks"].as_array().expect("blocks");
    let slots: Vec<i64> =
        blocks.iter().map(|block| block["slotId"].as_i64().expect("an id")).collect();
    assert_eq!(slots, page.ids().await);
    assert!(blocks.iter().all(|block| block["clicks"].is_u64()), "{}", answer.text);
    let socials = data["socials"].as_array().expect("social links");
    assert_eq!(Some(socials.len()), links);
    assert!(socials.iter().all(|social| social["clicks"].is_u64()), "{}", answer.text);
}

#[tokio::test]
async fn rule_4_10_a_profile_has_the_same_numbers_for_the_period_before_and_insights() {
    let (api, clock) = Api::timed(World::cafe()).await;
    let page = api.page().await;
    let now = api.get(&page.at("/analytics?period=last7")).await.is(200);
    let previous = &now.data()["previous"];
    for numbers in ["totals", "blocks", "socials"] {
        assert!(!previous[numbers].is_null(), "no {numbers} of the period before: {}", now.text);
    }
    assert!(
        now.data()["insights"].as_array().expect("insights").iter().all(Value::is_string),
        "{}",
        now.text
    );

    // A week later the days counted now are those before.
    let current = now.data()["totals"].clone();
    clock.advance(Duration::from_secs(7 * 24 * 3600));
    let later = api.get(&page.at("/analytics?period=last7")).await.is(200);
    assert_eq!(later.data()["previous"]["totals"], current);
}

#[tokio::test]
async fn rule_4_10_a_form_has_its_funnel_split_by_embedding_page() {
    let api = Api::cafe().await;
    let form = api.form().await;
    let path = format!("/forms/{form}/analytics");
    let answer = api.get(&path).await.is(200);
    for step in ["views", "opens", "starts", "submit"] {
        assert!(answer.data()["funnel"][step].is_u64(), "no {step} in {}", answer.text);
    }
    let embedding = |answer: &Answer| -> Vec<i64> {
        let rows = answer.data()["rows"].as_array().expect("rows");
        rows.iter().map(|row| row["profileId"].as_i64().expect("an id")).collect()
    };
    assert_eq!(embedding(&answer), [api.page().await.id]);

    let other = api.post("/profiles").json(&json!({"login": "other.page"})).await.is(201);
    let slots = format!("/profiles/{}/slots", other.data()["id"]);
    api.post(&slots).json(&json!({"type": "form", "data": {"formId": form}})).await.is(201);
    let answer = api.get(&path).await.is(200);
    assert!(embedding(&answer).contains(&id_of(other.data())), "{}", answer.text);
}

#[tokio::test]
async fn rule_4_10_submissions_are_exact_and_conversion_divides_them_by_views() {
    let api = Api::cafe().await;
    let form = api.form().await;
    api.server.edit(|account| account.forms[0].submissions = 41);
    let answer = api.get(&format!("/forms/{form}/analytics")).await.is(200);
    let data = answer.data();
    assert_eq!(data["submissions"]["total"], 41);
    let views = data["funnel"]["views"].as_f64().expect("a count");
    let conversion = data["conversion"].as_f64().expect("a share");
    assert!((conversion - 41.0 / views).abs() < 0.000_1, "{}", answer.text);
}

#[tokio::test]
async fn rule_4_10_submissions_themselves_are_not_exposed() {
    let api = Api::cafe().await;
    let form = api.form().await;
    let answer = api.get(&format!("/forms/{form}/analytics")).await.is(200);
    for personal in ["answers", "phone", "email", "visitor"] {
        assert!(
            !answer.text.to_lowercase().contains(&format!("\"{personal}\"")),
            "{}",
            answer.text
        );
    }
    assert!(!matches!(answer.data()["submissions"], Value::Array(_)));
}

#[tokio::test]
async fn rule_4_10_reading_changes_nothing() {
    let api = Api::cafe().await;
    let before = api.state().await;
    for endpoint in endpoints(&api).await {
        api.get(&endpoint).await.is(200);
    }
    assert_eq!(api.state().await, before);
}

#[tokio::test]
async fn rule_4_10_days_are_those_of_the_zone_that_me_reports() {
    let (api, clock) = Api::timed(World::cafe()).await;
    let today = async || {
        let answer = api.get("/analytics?period=today&include=timeline&bucket=day").await.is(200);
        assert_eq!(answer.data()["timeline"].as_array().map(Vec::len), Some(1), "{}", answer.text);
        answer.data()["timeline"][0]["date"].clone()
    };
    assert_eq!(today().await, "2026-09-15");
    // 20:00 UTC is one o'clock at night in Atyrau.
    clock.advance(Duration::from_secs(8 * 3600));
    assert_eq!(today().await, "2026-09-16");
}

#[tokio::test]
async fn a_date_has_a_year_of_four_digits() {
    let api = Api::cafe().await;
    for date in ["-001-01-01", "%2B001-01-01", "001-01-001"] {
        let query = format!("/analytics?dateFrom={date}&dateTo=2026-01-01");
        api.get(&query).await.names(&["dateFrom"]);
    }
}
