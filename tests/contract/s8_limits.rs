//! Section 8: every limit, at its value and one beyond.

use std::time::Duration;

use links_fixtures::{Clock, Token, World};
use serde_json::{Value, json};

use crate::image::png;
use crate::operations::KNOWN_MUSIC;
use crate::support::{Answer, Api, multipart};

const SECOND: Duration = Duration::from_secs(1);
const MEGABYTES_50: usize = 50 << 20;

/// Sends `count` requests, five a second, and expects that none is refused.
async fn five_a_second(api: &Api, clock: &Clock, path: &str, count: usize) {
    for sent in 0..count {
        if sent % 5 == 0 {
            clock.advance(SECOND);
        }
        api.get(path).await.is(200);
    }
}

/// Returns the wait that a 429 asks for.
#[track_caller]
fn wait(answer: &Answer) -> Duration {
    let seconds = answer.header("retry-after").expect("Retry-After").parse().expect("seconds");
    Duration::from_secs(seconds)
}

#[tokio::test]
async fn rule_8_at_most_5_requests_a_second() {
    let (api, clock) = Api::limited(World::cafe()).await;
    for _ in 0..5 {
        api.get("/me").await.is(200);
    }
    let refused = api.get("/me").await.refused(429);
    assert_eq!(wait(&refused), SECOND);
    clock.advance(SECOND);
    for _ in 0..5 {
        api.get("/me").await.is(200);
    }
    api.get("/me").await.refused(429);
}

#[tokio::test]
async fn rule_8_at_most_60_requests_a_minute() {
    let (api, clock) = Api::limited(World::cafe()).await;
    five_a_second(&api, &clock, "/me", 60).await;
    clock.advance(SECOND);
    let refused = api.get("/me").await.refused(429);
    let wait = wait(&refused);
    assert!(wait > SECOND && wait <= Duration::from_secs(60), "{wait:?}");
    clock.advance(wait);
    api.get("/me").await.is(200);
}

#[tokio::test]
async fn rule_8_the_rate_is_counted_per_token() {
    let (api, _clock) = Api::limited(World::cafe()).await;
    api.server.edit(|account| account.tokens.push(Token::personal("pps_second")));
    for _ in 0..5 {
        api.get("/me").await.is(200);
    }
    api.get("/me").await.refused(429);
    api.get("/me").token("pps_second").await.is(200);
}

#[tokio::test]
async fn rule_8_a_write_beyond_the_rate_is_not_executed() {
    let (api, clock) = Api::limited(World::cafe()).await;
    let page = api.page().await;
    let count = page.ids().await.len();
    for _ in 2..5 {
        api.get("/me").await.is(200);
    }
    api.post(&page.at("/slots")).key("k").json(&json!({"type": "divider"})).await.refused(429);
    clock.advance(SECOND);
    assert_eq!(page.ids().await.len(), count);
    api.post(&page.at("/slots")).key("k").json(&json!({"type": "divider"})).await.is(201);
}

#[tokio::test]
async fn rule_8_at_most_20_analytics_requests_a_minute() {
    let (api, clock) = Api::limited(World::cafe()).await;
    let page = api.page().await;
    five_a_second(&api, &clock, "/analytics", 20).await;
    clock.advance(SECOND);
    let refused = api.get(&page.at("/analytics")).await.refused(429);
    api.get("/me").await.is(200);
    clock.advance(wait(&refused));
    api.get(&page.at("/analytics")).await.is(200);
}

#[tokio::test]
async fn rule_8_at_most_15_music_lookups_a_minute_within_the_global_limit() {
    let (api, clock) = Api::limited(World::cafe()).await;
    five_a_second(&api, &clock, KNOWN_MUSIC, 15).await;
    clock.advance(SECOND);
    let refused = api.get(KNOWN_MUSIC).await.refused(429);
    api.get("/me").await.is(200);
    clock.advance(wait(&refused));
    api.get(KNOWN_MUSIC).await.is(200);

    let (api, clock) = Api::limited(World::cafe()).await;
    five_a_second(&api, &clock, "/me", 60).await;
    clock.advance(SECOND);
    api.get(KNOWN_MUSIC).await.refused(429);
}

#[tokio::test]
async fn rule_8_at_most_500_slots_a_profile_and_50_a_batch() {
    let api = Api::empty().await;
    let created = api.post("/profiles").json(&json!({"login": "long.page"})).await.is(201);
    let slots = format!("/profiles/{}/slots", created.data()["id"]);
    let batch = |count: usize| json!({"slots": vec![json!({"type": "divider"}); count]});
    api.post(&format!("{slots}/batch")).json(&batch(51)).await.names(&["slots"]);
    for _ in 0..10 {
        api.post(&format!("{slots}/batch")).json(&batch(50)).await.is(201);
    }
    api.post(&format!("{slots}/batch")).json(&batch(1)).await.refused(409);
    api.post(&slots).json(&json!({"type": "divider"})).await.refused(409);
    let listed = api.get(&slots).await.is(200);
    assert_eq!(listed.data().as_array().map(Vec::len), Some(500));
}

#[tokio::test]
async fn rule_8_at_most_100_profiles_a_user() {
    let api = Api::empty().await;
    for number in 1..=100 {
        api.post("/profiles").json(&json!({"login": format!("page.{number}")})).await.is(201);
    }
    api.post("/profiles").json(&json!({"login": "page.101"})).await.refused(409);
    assert_eq!(api.get("/profiles").await.is(200).meta()["total"], 100);
}

#[tokio::test]
async fn rule_8_me_reports_at_most_5_tokens_a_user() {
    let api = Api::full().await;
    let me = api.get("/me").await.is(200);
    assert_eq!(me.data()["limits"]["tokens"], json!({"used": 5, "max": 5}));
}

#[tokio::test]
async fn rule_8_idempotency_keys_have_128_characters_and_live_24_hours() {
    let (api, clock) = Api::timed(World::cafe()).await;
    let page = api.page().await;
    let longest = "k".repeat(128);
    let create =
        |key: &str| api.post(&page.at("/slots")).key(key).json(&json!({"type": "divider"}));
    create(&"k".repeat(129)).await.refused(422);
    let first = create(&longest).await.is(201);
    clock.advance(Duration::from_secs(24 * 3600 - 1));
    assert_eq!(create(&longest).await.is(201).json, first.json);
    clock.advance(SECOND * 2);
    assert_ne!(create(&longest).await.is(201).json, first.json);
}

#[tokio::test]
async fn rule_8_multipart_uploads_up_to_50_megabytes() {
    let api = Api::cafe().await;
    let mut picture = png(8, 8);
    picture.resize(MEGABYTES_50 + 1, 0);
    let (content_type, body) = multipart("file", &picture);
    api.post("/files").body(&content_type, body).await.names(&["file"]);
    picture.truncate(MEGABYTES_50);
    let (content_type, body) = multipart("file", &picture);
    api.post("/files").body(&content_type, body).await.is(201);
}

#[tokio::test]
async fn rule_8_uploads_by_upload_url_up_to_50_megabytes() {
    let api = Api::cafe().await;
    let created = api.post("/files/upload-url").await.is(200);
    assert_eq!(created.data()["max_bytes"], MEGABYTES_50);
    let address = created.data()["upload_url"].as_str().expect("an address");
    let mut picture = png(8, 8);
    picture.resize(MEGABYTES_50 + 1, 0);
    let sent = api.ask(&reqwest::Method::PUT, address).anonymous().body("image/png", picture).await;
    assert!(matches!(sent.status, 413 | 422), "{}: {}", sent.status, sent.text);
}

#[tokio::test]
async fn rule_8_urls_of_uploads_up_to_2048_characters() {
    let api = Api::cafe().await;
    let url = |length: usize| {
        format!("https://example.com/{}", "x".repeat(length - "https://example.com/".len()))
    };
    let refused = api.post("/files").json(&json!({"url": url(2049)})).dry_run().await;
    refused.names(&["url"]);
    api.post("/files").json(&json!({"url": url(2048)})).dry_run().await.is(204);
}

#[tokio::test]
async fn rule_8_analytics_span_366_days_and_are_kept_365() {
    let (api, _clock) = Api::timed(World::cafe()).await;
    api.get("/analytics?dateFrom=2025-09-15&dateTo=2026-09-15").await.is(200);
    api.get("/analytics?dateFrom=2025-09-14&dateTo=2026-09-15").await.refused(422);
    let answer = api.get("/analytics").await.is(200);
    assert_eq!(answer.meta()["retentionDays"], 365);
}

#[tokio::test]
async fn rule_8_logins_have_4_to_60_letters_digits_dots_and_underscores() {
    let api = Api::cafe().await;
    let available = async |login: &str| {
        let answer = api.get(&format!("/profiles/check-login?login={login}")).await.is(200);
        answer.data()["available"].as_bool().expect("a boolean")
    };
    for fit in ["a.b_", "ABCD", "1234", "....", &"x".repeat(60)] {
        assert!(available(fit).await, "{fit}");
    }
    for unfit in [
        "abc",
        &"x".repeat(61),
        "a-bcd",
        "a%20bcd",
        "a%2Fbcd",
        "%D0%BA%D0%B0%D1%84%D0%B5",
        "abcd%0A",
        "a+bcd",
    ] {
        assert!(!available(unfit).await, "{unfit}");
    }
    let page = api.page().await;
    let settings = api.get(&page.at("/settings")).await.is(200);
    let rules = &settings.data()["options"]["login"];
    assert_eq!(rules["minLength"], 4);
    assert_eq!(rules["maxLength"], 60);
    assert_eq!(rules["pattern"], "^[a-zA-Z0-9._]+$");
}

#[tokio::test]
async fn rule_8_reserved_logins_are_refused() {
    const SEEN: [&str; 20] = [
        "adm",
        "agreements",
        "api",
        "auth",
        "email",
        "event",
        "events",
        "forgot-password",
        "login",
        "logout",
        "my-links",
        "my-orders",
        "order",
        "profile",
        "qr",
        "register",
        "reset-password",
        "rsvp",
        "settings",
        "shop",
    ];
    let api = Api::cafe().await;
    let page = api.page().await;
    let settings = api.get(&page.at("/settings")).await.is(200);
    let listed =
        settings.data()["options"]["login"]["reserved"].as_array().expect("reserved words").clone();
    for word in SEEN {
        assert!(
            listed.contains(&Value::from(word)),
            "{word} is not among the reserved words of the settings"
        );
        let checked = api.get(&format!("/profiles/check-login?login={word}")).await.is(200);
        assert_eq!(checked.data()["available"], false, "{word}");
        api.post("/profiles").json(&json!({"login": word})).await.names(&["login"]);
    }
}

#[tokio::test]
async fn rule_8_check_login_parameters_have_at_most_255_characters() {
    let api = Api::cafe().await;
    let (longest, longer) = ("x".repeat(255), "x".repeat(256));
    api.get("/profiles/check-login").await.names(&["login"]);
    api.get("/profiles/check-login?login=").await.names(&["login"]);
    api.get(&format!("/profiles/check-login?login={longer}")).await.names(&["login"]);
    api.get(&format!("/profiles/check-login?login=free.page&profile={longer}"))
        .await
        .names(&["profile"]);
    let checked = api.get(&format!("/profiles/check-login?login={longest}")).await.is(200);
    assert_eq!(checked.data()["available"], false);
}

#[tokio::test]
async fn rule_8_music_queries_have_1_to_500_characters_and_artists_up_to_200() {
    let api = Api::cafe().await;
    api.get("/music/lookup?query=").await.names(&["query"]);
    api.get(&format!("/music/lookup?query={}", "x".repeat(501))).await.names(&["query"]);
    api.get(&format!("/music/lookup?query={}", "x".repeat(500))).await.refused(404);
    api.get(&format!("/music/lookup?query=x&artist={}", "x".repeat(201))).await.names(&["artist"]);
    api.get(&format!("/music/lookup?query=x&artist={}", "x".repeat(200))).await.refused(404);
}
