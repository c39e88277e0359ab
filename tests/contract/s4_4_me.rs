//! Section 4.4: the abilities of a token, and the rest of each limit.

use serde_json::json;

use crate::shapes;
use crate::support::Api;

#[tokio::test]
async fn rule_4_4_all_fields_are_present() {
    let api = Api::cafe().await;
    let me = api.get("/me").await.is(200);
    shapes::record("me", me.data(), shapes::ME);
    let limits = &me.data()["limits"];
    shapes::record(
        "limits",
        limits,
        &[
            ("profiles", "object"),
            ("slotsPerProfile", "integer"),
            ("slotsPerBatch", "integer"),
            ("tokens", "object"),
            ("rateLimit", "object"),
            ("upload", "object"),
        ],
    );
    for counted in ["profiles", "tokens"] {
        shapes::record(counted, &limits[counted], &[("used", "integer"), ("max", "integer")]);
    }
}

#[tokio::test]
async fn rule_4_4_limits_are_those_of_section_8() {
    let api = Api::cafe().await;
    let me = api.get("/me").await.is(200);
    let limits = &me.data()["limits"];
    assert_eq!(limits["profiles"]["max"], 100);
    assert_eq!(limits["tokens"]["max"], 5);
    assert_eq!(limits["slotsPerProfile"], 500);
    assert_eq!(limits["slotsPerBatch"], 50);
    assert_eq!(
        limits["rateLimit"],
        json!({"requestsPerSecond": 5, "requestsPerMinute": 60, "musicLookupPerMinute": 15, "analyticsPerMinute": 20})
    );
    assert_eq!(limits["upload"], json!({"maxMegabytes": 50, "maxMegabytesFromUrl": 10}));
    assert_eq!(me.data()["analytics"], json!({"retentionDays": 365, "timezone": "Asia/Atyrau"}));
}

#[tokio::test]
async fn rule_4_4_me_shows_whether_the_token_can_write() {
    let api = Api::cafe().await;
    let me = api.get("/me").await.is(200);
    assert_eq!(me.data()["abilities"], json!(["profile:read", "profile:write"]));
    assert_eq!(me.data()["canWrite"], true);
    let api = Api::read_only().await;
    let me = api.get("/me").await.is(200);
    assert_eq!(me.data()["abilities"], json!(["profile:read"]));
    assert_eq!(me.data()["canWrite"], false);
}

#[tokio::test]
async fn rule_4_4_me_shows_how_many_profiles_are_used() {
    let api = Api::empty().await;
    for used in 0..3 {
        assert_eq!(api.get("/me").await.is(200).data()["limits"]["profiles"]["used"], used);
        api.post("/profiles").json(&json!({"login": format!("page.{used}")})).await.is(201);
    }
    let full = Api::full().await;
    let me = full.get("/me").await.is(200);
    assert_eq!(me.data()["limits"]["profiles"], json!({"used": 100, "max": 100}));
    assert_eq!(me.data()["limits"]["tokens"], json!({"used": 5, "max": 5}));
}
