//! Tests of tokens, the order of checks, keys, dry runs, rates, and deletes.

use std::time::Duration;

use links_fixtures::{Clock, ContractServer, Fault, IdempotentWrites, Limits, Token, World};
use reqwest::Method;
use serde_json::{Value, json};

use super::both;
use crate::connector::{Connector, resource_metadata, text};
use crate::operations::operations;
use crate::support::{Api, id_of, ids_query, noon};

/// Returns a café with rate limits, and its clock.
async fn limited() -> (Api, Clock) {
    let clock = Clock::manual(noon());
    let server = ContractServer::builder(World::cafe()).clock(clock.clone()).start().await;
    (Api::over(server.expect("the server binds to loopback")), clock)
}

async fn spend_a_second(api: &Api) {
    for _ in 0..5 {
        api.get("/me").await.is(200);
    }
}

#[tokio::test]
async fn ids_in_query_and_body_must_agree() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let (one, two) = (page.add_text("one").await, page.add_text("two").await);
    let path = page.at(&format!("/slots?{}", ids_query(&[one])));
    api.delete(&path).json(&json!({"ids": [two]})).await.refused(422);
    assert_eq!(page.ids().await.len(), 16);
    api.delete(&path).json(&json!({"ids": [one]})).await.is(200);
    assert_eq!(page.ids().await.len(), 15);
}

#[tokio::test]
async fn reads_without_the_read_ability_are_403() {
    let api = Api::cafe().await;
    let writes_only =
        Token { abilities: vec!["profile:write".to_owned()], ..Token::personal("pps_writes") };
    api.server.edit(|account| account.tokens.push(writes_only));
    api.get("/me").token("pps_writes").await.refused(403);
}

#[tokio::test]
async fn the_openapi_description_may_be_public() {
    let (needs_token, public) = both(|choices| choices.openapi_public = true).await;
    needs_token.get("/openapi.json").anonymous().await.refused(401);
    public.get("/openapi.json").anonymous().await.is(200);
}

#[tokio::test]
async fn checks_go_401_429_404_403_replay_422_409() {
    let api = Api::read_only().await;
    let page = api.page().await;
    let bad = json!({"type": "carousel"});
    api.post("/profiles/999999999/slots").json(&bad).anonymous().await.refused(401);
    api.get("/nowhere").anonymous().await.refused(401);
    api.post("/profiles/999999999/slots").json(&bad).await.refused(404);
    api.delete(&page.at("/slots/999999999")).await.refused(404);
    api.patch("/forms/00000000-0000-4000-8000-000000000000").json(&bad).await.refused(404);
    api.post(&page.at("/slots")).json(&bad).await.refused(403);

    let cafe = Api::cafe().await;
    let page = cafe.page().await;
    cafe.post(&page.at("/slots")).key("k").json(&json!({"type": "divider"})).await.is(201);
    let reused = cafe.post(&page.at("/slots")).key("k").json(&bad).await.refused(422);
    assert!(
        !reused.error_keys().contains(&"type".to_owned()),
        "the key comes first: {}",
        reused.text
    );
    let event = json!({"type": "event", "colour": "red"});
    cafe.post(&page.at("/slots")).json(&event).await.names(&["colour"]);

    let (limited, _clock) = limited().await;
    limited.server.edit(|account| account.tokens.push(Token::read_only("pps_reads")));
    for _ in 0..5 {
        limited.get("/me").token("pps_reads").await.is(200);
    }
    limited.get("/nowhere").token("pps_reads").await.refused(429);
    limited.post("/profiles").json(&bad).token("pps_reads").await.refused(429);
    limited.get("/me").anonymous().await.refused(401);
}

#[tokio::test]
async fn keys_are_scoped_to_operation_and_path() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let other = api.post("/profiles").key("k").json(&json!({"login": "other.page"})).await.is(201);
    let other = format!("/profiles/{}/slots", other.data()["id"]);
    let divider = json!({"type": "divider"});
    let first = api.post(&page.at("/slots")).key("k").json(&divider).await.is(201);
    let second = api.post(&other).key("k").json(&divider).await.is(201);
    assert_ne!(first.data()["id"], second.data()["id"]);
}

#[tokio::test]
async fn keys_may_count_on_every_write_or_on_none() {
    let update = async |api: &Api| {
        let page = api.page().await;
        api.patch(&page.at("")).key("k").json(&json!({"title": "one"})).await.is(200);
        api.patch(&page.at("")).key("k").json(&json!({"title": "two"})).await.status
    };
    let create_twice = async |api: &Api| {
        let page = api.page().await;
        for _ in 0..2 {
            api.post(&page.at("/slots")).key("k").json(&json!({"type": "divider"})).await.is(201);
        }
        page.ids().await.len() - 14
    };
    let (declared, all) = both(|choices| choices.idempotent_writes = IdempotentWrites::All).await;
    let (_, none) = both(|choices| choices.idempotent_writes = IdempotentWrites::None).await;
    assert_eq!([update(&declared).await, update(&all).await, update(&none).await], [200, 422, 200]);
    assert_eq!(
        [create_twice(&declared).await, create_twice(&all).await, create_twice(&none).await],
        [1, 1, 2]
    );
}

#[tokio::test]
async fn failures_may_be_stored_under_their_key() {
    let (corrected, stored) = both(|choices| choices.failures_stored = true).await;
    for (api, repaired) in [(corrected, 201), (stored, 409)] {
        let page = api.page().await;
        let body = json!({"slots": vec![json!({"type": "divider"}); 50]});
        let path = page.at("/slots/batch");
        for _ in 0..9 {
            api.post(&path).json(&body).await.is(201);
        }
        api.post(&path).key("k").json(&body).await.refused(409);
        let own: Vec<i64> = page.ids().await.into_iter().rev().take(50).collect();
        api.delete(&page.at(&format!("/slots?{}", ids_query(&own)))).await.is(200);
        api.post(&path).key("k").json(&body).await.is(repaired);
    }
}

#[tokio::test]
async fn a_key_in_flight_waits_or_is_409() {
    let (waits, conflicts) = both(|choices| choices.in_flight_conflicts = true).await;
    let page = waits.page().await;
    let path = page.at("/slots");
    let create = || async {
        waits.post(&path).key("k").json(&json!({"type": "divider"})).await.is(201).json
    };
    let (one, two) = tokio::join!(create(), create());
    assert_eq!(one, two);
    assert_eq!(page.ids().await.len(), 15);

    let page = conflicts.page().await;
    let create = || conflicts.post(&page.at("/slots")).key("k").json(&json!({"type": "divider"}));
    let first = create().await.is(201);
    let in_flight = create().await.refused(409);
    assert_eq!(in_flight.header("retry-after"), Some("1"));
    assert_eq!(create().await.is(201).json, first.json);
}

#[tokio::test]
async fn a_dry_run_may_or_may_not_see_a_broken_business_rule() {
    let dry_run = async |api: &Api| {
        let page = api.page().await;
        let answer = api.post(&page.at("/slots")).json(&json!({"type": "event"})).dry_run().await;
        assert_eq!(page.ids().await.len(), 14);
        answer.status
    };
    let (passes, invalid) = both(|choices| choices.dry_run_conflict = Some(422)).await;
    let (_, conflict) = both(|choices| choices.dry_run_conflict = Some(409)).await;
    assert_eq!(
        [dry_run(&passes).await, dry_run(&invalid).await, dry_run(&conflict).await],
        [204, 422, 409]
    );
}

#[tokio::test]
async fn rate_windows_slide() {
    let (api, clock) = limited().await;
    clock.advance(Duration::from_millis(900));
    spend_a_second(&api).await;
    clock.advance(Duration::from_millis(200));
    api.get("/me").await.is(429);
}

#[tokio::test]
async fn refused_requests_do_not_count() {
    let (api, clock) = limited().await;
    spend_a_second(&api).await;
    for _ in 0..70 {
        api.get("/me").await.refused(429);
    }
    clock.advance(Duration::from_secs(1));
    spend_a_second(&api).await;
}

#[tokio::test]
async fn retry_after_is_seconds_and_anything_or_missing_in_a_fault() {
    let (api, _clock) = limited().await;
    let date = "Tue, 15 Sep 2026 12:00:01 GMT";
    let faults = [Some(date), None, Some("-1")];
    for (index, text) in faults.iter().enumerate() {
        api.server.fail([index + 1], &Fault::RateLimited(text.map(str::to_owned)));
    }
    for expected in faults {
        assert_eq!(api.get("/me").await.refused(429).header("retry-after"), expected);
    }
    spend_a_second(&api).await;
    let refused = api.get("/me").await.refused(429);
    assert_eq!(refused.header("retry-after"), Some("1"));
    let now = Some("Tue, 15 Sep 2026 12:00:00 GMT");
    assert_eq!(refused.header("date"), now, "the server has one clock");
}

#[tokio::test]
async fn events_may_be_deletable() {
    let (kept, deletable) = both(|choices| choices.events_deletable = true).await;
    for (api, single, batch) in [(kept, 409, 409), (deletable, 204, 200)] {
        let page = api.page().await;
        let event = id_of(&page.slot("event").await);
        api.delete(&page.at(&format!("/slots/{event}"))).await.is(single);
        if single == 409 {
            api.delete(&page.at(&format!("/slots?{}", ids_query(&[event])))).await.is(batch);
            assert_eq!(page.ids().await.len(), 14);
        } else {
            assert_eq!(page.ids().await.len(), 13);
        }
    }
}

#[tokio::test]
async fn foreign_ids_are_422_by_place_or_404_or_409() {
    let (invalid, not_found) = both(|choices| choices.foreign_ids = Some(404)).await;
    let (_, conflict) = both(|choices| choices.foreign_ids = Some(409)).await;
    for (api, status) in [(invalid, 422), (not_found, 404), (conflict, 409)] {
        let page = api.page().await;
        let own = page.add_text("own").await;
        let path = page.at(&format!("/slots?{}", ids_query(&[own, 999_999_999])));
        let refused = api.delete(&path).await.refused(status);
        if status == 422 {
            assert_eq!(refused.error_keys(), ["ids.1"]);
        }
        assert_eq!(page.ids().await.len(), 15);
    }
}

#[tokio::test]
async fn oauth_metadata_is_well_known_or_only_in_the_challenge() {
    let (well_known, header_only) = both(|choices| choices.oauth_by_header = true).await;
    for (api, status) in [(well_known, 200), (header_only, 404)] {
        let origin = api.server.mcp_url().trim_end_matches("/mcp").to_owned();
        let at_origin = format!("{origin}/.well-known/oauth-protected-resource/mcp");
        assert_eq!(api.ask(&Method::GET, &at_origin).anonymous().await.status, status);
        let address = resource_metadata(&api).await;
        api.ask(&Method::GET, &address).anonymous().await.is(200);
        Connector::register(&api).await.connect().await;
    }
}

#[tokio::test]
async fn refresh_tokens_are_rotated_or_not_issued() {
    let (rotating, without) = both(|choices| choices.no_refresh_tokens = true).await;
    let connector = Connector::register(&rotating).await;
    let first = connector.connect().await;
    let second = connector.refresh(text(&first["refresh_token"])).await.is(200).json;
    assert_ne!(first["access_token"], second["access_token"]);
    assert_ne!(first["refresh_token"], second["refresh_token"]);
    rotating.get("/me").token(text(&second["access_token"])).await.is(200);
    let replayed = connector.refresh(text(&first["refresh_token"])).await.is(400);
    assert_eq!(replayed.json["error"], "invalid_grant");

    let granted = Connector::register(&without).await.connect().await;
    assert_eq!(granted.get("refresh_token"), None);
}

#[tokio::test]
async fn tokens_of_the_connector_expire_or_not() {
    let hour = Duration::from_secs(3600);
    for (lifetime, status) in [(Some(hour), 401), (None, 200)] {
        let clock = Clock::manual(noon());
        let limits = Limits { oauth_token_lifetime: lifetime, ..Limits::default() };
        let server =
            ContractServer::builder(World::cafe()).clock(clock.clone()).limits(limits).no_limits();
        let api = Api::over(server.start().await.expect("the server binds to loopback"));
        let granted = Connector::register(&api).await.connect().await;
        let token = text(&granted["access_token"]);
        assert_eq!(
            granted.get("expires_in").and_then(Value::as_u64),
            lifetime.map(|hour| hour.as_secs())
        );
        api.get("/me").token(token).await.is(200);
        clock.advance(hour + Duration::from_secs(1));
        api.get("/me").token(token).await.is(status);
    }
}

#[tokio::test]
async fn a_dry_run_leaves_nothing_under_its_key() {
    let api = Api::cafe().await;
    let page = api.page().await;
    for operation in operations(&api, &page).await.iter().filter(|row| row.keyed) {
        operation.on(&api).key("k").dry_run().await.is(204);
        operation.on(&api).key("k").await.is(operation.success);
    }
}
