//! Where the interface is silent or contradicts itself: the reading taken by default, and the switch to the other.

use std::time::Duration;

use links_fixtures::{
    Choices, Clock, Collection, ContractServer, DryRunConflict, EmptyObjects, Envelope, ForeignIds,
    IdempotentWrites, InFlight, LegacyTypes, OauthMetadata, RateWindow, RetryAfter, Strings, Token,
    UpdatedSlots, World,
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::image::png;
use crate::operations::operations;
use crate::s2_records::SLOT_TYPES;
use crate::s5_authentication::{Connector, resource_metadata, text};
use crate::shapes;
use crate::support::{Api, id_of, ids_query, noon};

/// Both readings of a switch.
async fn both(change: impl FnOnce(&mut Choices)) -> (Api, Api) {
    let mut choices = Choices::default();
    change(&mut choices);
    assert_ne!(choices, Choices::default(), "the switch changes nothing");
    (Api::choosing(Choices::default()).await, Api::choosing(choices).await)
}

/// A café with rate limits, its time in the test's hands.
async fn limited(choices: Choices) -> (Api, Clock) {
    let clock = Clock::manual(noon());
    let server =
        ContractServer::builder(World::cafe()).clock(clock.clone()).choices(choices).start().await;
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

    let (limited, _clock) = limited(Choices::default()).await;
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
    let (waits, conflicts) = both(|choices| choices.in_flight = InFlight::Conflict).await;
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
    let (passes, invalid) =
        both(|choices| choices.dry_run_conflict = DryRunConflict::Invalid).await;
    let (_, conflict) = both(|choices| choices.dry_run_conflict = DryRunConflict::Conflict).await;
    assert_eq!(
        [dry_run(&passes).await, dry_run(&invalid).await, dry_run(&conflict).await],
        [204, 422, 409]
    );
}

#[tokio::test]
async fn rate_windows_slide_or_are_fixed() {
    for (rate_window, status) in [(RateWindow::Sliding, 429), (RateWindow::Fixed, 200)] {
        let (api, clock) = limited(Choices { rate_window, ..Choices::default() }).await;
        clock.advance(Duration::from_millis(900));
        spend_a_second(&api).await;
        clock.advance(Duration::from_millis(200));
        api.get("/me").await.is(status);
    }
}

#[tokio::test]
async fn refused_requests_do_not_count() {
    let (api, clock) = limited(Choices::default()).await;
    spend_a_second(&api).await;
    for _ in 0..70 {
        api.get("/me").await.refused(429);
    }
    clock.advance(Duration::from_secs(1));
    spend_a_second(&api).await;
}

#[tokio::test]
async fn retry_after_is_seconds_a_date_anything_or_missing() {
    for (retry_after, expected) in [
        (RetryAfter::Seconds, Some("1")),
        (RetryAfter::HttpDate, Some("Tue, 15 Sep 2026 12:00:01 GMT")),
        (RetryAfter::Missing, None),
        (RetryAfter::Verbatim("-1".to_owned()), Some("-1")),
    ] {
        let (api, _clock) = limited(Choices { retry_after, ..Choices::default() }).await;
        spend_a_second(&api).await;
        let refused = api.get("/me").await.refused(429);
        assert_eq!(refused.header("retry-after"), expected);
        assert_eq!(
            refused.header("date"),
            Some("Tue, 15 Sep 2026 12:00:00 GMT"),
            "the server has one clock"
        );
    }
}

#[tokio::test]
async fn empty_objects_are_lists_or_objects() {
    let (lists, objects) = both(|choices| choices.empty_objects = EmptyObjects::Object).await;
    for (api, empty) in [(lists, json!([])), (objects, json!({}))] {
        let divider = api.page().await.slot("divider").await;
        assert_eq!(divider["data"], empty);
        let described = api.get("/slot-types/divider").await.is(200);
        assert_eq!(described.data()["computed"], empty);
        assert_eq!(described.data()["enumLabels"], empty);
    }
}

#[tokio::test]
async fn every_record_may_carry_an_unknown_field() {
    let unknown = |value: &Value, fields: shapes::Fields| {
        shapes::at_least("record", value, fields);
        value
            .as_object()
            .expect("checked")
            .keys()
            .any(|key| fields.iter().all(|(known, _)| known != key))
    };
    let (exact, extended) = both(|choices| choices.unknown_fields = true).await;
    for (api, expected) in [(exact, false), (extended, true)] {
        let page = api.page().await;
        let first = async |path: &str| api.get(path).await.is(200).data()[0].clone();
        let whole = async |path: &str| api.get(path).await.is(200).data().clone();
        for (record, fields) in [
            (first("/profiles").await, shapes::PROFILE),
            (first("/slot-types").await, shapes::SLOT_TYPE),
            (first("/forms").await, shapes::FORM),
            (first("/notification-channels").await, shapes::CHANNEL),
            (whole("/me").await, shapes::ME),
            (whole(&page.at("/settings")).await, shapes::SETTINGS),
        ] {
            assert_eq!(unknown(&record, fields), expected, "{record}");
        }
        assert_eq!(unknown(&first(&page.at("/slots")).await, shapes::SLOT), expected);
    }
}

#[tokio::test]
async fn legacy_slots_have_a_type_outside_or_inside_the_twelve() {
    let (outside, inside) = both(|choices| choices.legacy_types = LegacyTypes::Inside).await;
    for (api, known) in [(outside, false), (inside, true)] {
        let slots = api.page().await.slots().await;
        let legacy: Vec<_> = slots.iter().filter(|slot| slot["supported"] == false).collect();
        assert_eq!(legacy.len(), 2);
        for slot in legacy {
            assert_eq!(SLOT_TYPES.contains(&text(&slot["type"])), known, "{slot}");
        }
    }
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
async fn update_slots_answers_with_the_named_slots_or_the_whole_page() {
    let (named, whole) = both(|choices| choices.updated_slots = UpdatedSlots::WholePage).await;
    for (api, is_whole) in [(named, false), (whole, true)] {
        let page = api.page().await;
        let ids = [id_of(&page.slot("button").await), id_of(&page.slot("text").await)];
        let body = json!({"slots": ids.map(|id| json!({"id": id, "data": {"title": "T"}}))});
        let answer = api.patch(&page.at("/slots")).json(&body).await.is(200);
        let answered: Vec<i64> =
            answer.data().as_array().expect("slots").iter().map(id_of).collect();
        let expected = if is_whole { page.ids().await } else { ids.to_vec() };
        assert_eq!(answered, expected);
    }
}

#[tokio::test]
async fn foreign_ids_are_422_by_place_or_404_or_409() {
    let (invalid, not_found) = both(|choices| choices.foreign_ids = ForeignIds::NotFound).await;
    let (_, conflict) = both(|choices| choices.foreign_ids = ForeignIds::Conflict).await;
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
async fn schemas_of_slots_may_be_given() {
    let strict = json!({
        "type": "object",
        "properties": {"answer": {"type": "integer"}},
        "required": ["answer"],
        "additionalProperties": false,
    });
    let (open, given) = both(|choices| {
        choices.slot_schemas.insert("question".to_owned(), strict.clone());
    })
    .await;
    let create = async |api: &Api, data: Value| {
        let page = api.page().await;
        api.post(&page.at("/slots")).json(&json!({"type": "question", "data": data})).await
    };
    create(&open, json!({"anything": "goes"})).await.is(201);
    create(&given, json!({"answer": 42})).await.is(201);
    create(&given, json!({"anything": "goes"})).await.names(&["data.answer", "data.anything"]);
    let described = given.get("/slot-types/question").await.is(200);
    assert_eq!(described.data()["schema"], strict);
}

#[tokio::test]
async fn the_schemas_seen_in_use_are_closed_or_open() {
    let (closed, open) = both(|choices| choices.open_schemas = true).await;
    for (api, status) in [(closed, 422), (open, 201)] {
        let page = api.page().await;
        let form = api.form().await;
        for (slot_type, mut data) in [
            ("button", json!({"title": "T", "link": "https://example.com"})),
            ("text", json!({"title": "T", "description": "D"})),
            ("form", json!({"formId": form})),
            ("divider", json!({})),
        ] {
            data["colour"] = json!("red");
            let answer =
                api.post(&page.at("/slots")).json(&json!({"type": slot_type, "data": data})).await;
            assert_eq!(answer.status, status, "{slot_type}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn computed_keys_may_be_shown_inside_data() {
    let (apart, inside) = both(|choices| choices.computed_in_data = true).await;
    for (api, shown) in [(apart, false), (inside, true)] {
        let described = api.get("/slot-types/picture").await.is(200);
        let computed = described.data()["computed"].as_object().expect("computed keys").clone();
        let picture = api.page().await.slot("picture").await;
        for key in computed.keys() {
            assert_eq!(picture["data"].get(key).is_some(), shown, "{key} in {picture}");
        }
    }
}

#[tokio::test]
async fn channel_ids_are_a_list_or_a_map() {
    let (list, map) = both(|choices| choices.channel_ids = Collection::Map).await;
    let ids = async |api: &Api| {
        let form = api.form().await;
        api.get(&format!("/forms/{form}")).await.is(200).data()["notificationChannelIds"].clone()
    };
    let (list, map) = (ids(&list).await, ids(&map).await);
    let values: Vec<_> = map.as_object().expect("a map").values().cloned().collect();
    assert_eq!(list, Value::Array(values));
}

#[tokio::test]
async fn the_answer_to_an_upload_is_wrapped_or_bare() {
    let (wrapped, bare) = both(|choices| choices.upload_answer = Envelope::Bare).await;
    for (api, is_bare) in [(wrapped, false), (bare, true)] {
        let created = api.post("/files/upload-url").await.is(200);
        let address = text(&created.data()["upload_url"]);
        let sent = api.ask(Method::PUT, address).anonymous().body("image/png", png(8, 8)).await;
        assert!(matches!(sent.status, 200 | 201), "{}", sent.text);
        shapes::record("file", if is_bare { &sent.json } else { sent.data() }, shapes::FILE);
    }
}

#[tokio::test]
async fn analytics_rows_are_a_list_or_a_map() {
    let (list, map) = both(|choices| choices.analytics_rows = Collection::Map).await;
    assert!(list.get("/analytics").await.is(200).data()["rows"].is_array());
    assert!(map.get("/analytics").await.is(200).data()["rows"].is_object());
}

#[tokio::test]
async fn the_default_period_is_the_last_28_days() {
    let (api, _clock) = Api::timed(World::cafe()).await;
    let default = api.get("/analytics?include=timeline&bucket=day").await.is(200);
    let named = api.get("/analytics?include=timeline&bucket=day&period=last28").await.is(200);
    assert_eq!(default.data(), named.data());
    assert_eq!(default.data()["timeline"].as_array().map(Vec::len), Some(28));
}

#[tokio::test]
async fn a_period_is_named_or_given_by_both_dates_in_order() {
    let api = Api::cafe().await;
    for query in [
        "period=last7&dateFrom=2026-01-01&dateTo=2026-01-02",
        "dateFrom=2026-01-01",
        "dateTo=2026-01-01",
        "dateFrom=2026-01-02&dateTo=2026-01-01",
    ] {
        api.get(&format!("/analytics?{query}")).await.refused(422);
    }
}

#[tokio::test]
async fn timeline_entries_have_a_date_views_and_clicks() {
    let api = Api::cafe().await;
    let page = api.page().await;
    let answer = api.get(&page.at("/analytics?include=timeline")).await.is(200);
    let entry = &[("date", "string"), ("views", "integer"), ("clicks", "integer")];
    shapes::records("timeline", &answer.data()["timeline"], entry);
}

#[tokio::test]
async fn strings_are_kept_or_normalized() {
    let (kept, normalized) = both(|choices| choices.strings = Strings::Normalized).await;
    for (api, title, description) in
        [(kept, json!("  Café "), json!("")), (normalized, json!("Café"), Value::Null)]
    {
        let page = api.page().await;
        let body = json!({"title": "  Café ", "description": ""});
        let updated = api.patch(&page.at("")).json(&body).await.is(200);
        assert_eq!(updated.data()["title"], title);
        assert_eq!(updated.data()["description"], description);
    }
}

#[tokio::test]
async fn oauth_metadata_is_well_known_or_only_in_the_challenge() {
    let (well_known, header_only) =
        both(|choices| choices.oauth_metadata = OauthMetadata::HeaderOnly).await;
    for (api, status) in [(well_known, 200), (header_only, 404)] {
        let origin = api.server.mcp_url().trim_end_matches("/mcp").to_owned();
        let at_origin = format!("{origin}/.well-known/oauth-protected-resource/mcp");
        assert_eq!(api.ask(Method::GET, &at_origin).anonymous().await.status, status);
        let address = resource_metadata(&api).await;
        api.ask(Method::GET, &address).anonymous().await.is(200);
        Connector::register(&api).await.connect().await;
    }
}

#[tokio::test]
async fn refresh_tokens_are_rotated_or_not_issued() {
    let (rotating, without) = both(|choices| choices.refresh_tokens = false).await;
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
        let choices = Choices { oauth_token_lifetime: lifetime, ..Choices::default() };
        let server = ContractServer::builder(World::cafe())
            .clock(clock.clone())
            .no_limits()
            .choices(choices);
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
