//! Tests of the outcomes of calls: each operation against answers that prove nothing, and the reported outcome.

use std::time::Duration;

use links_fixtures::{Choices, Fault, World};
use links_sdk::{
    AnalyticsQuery, Client, Error, MusicQuery, Object, Outcome, ProfileChanges, Upload,
    UploadMethod, runs,
};

use crate::faults::writes::write;
use crate::faults::{TestEnv, divider, dividers};
use crate::operations::described_operations;
use links_test_support::proxy::Act;

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

/// Makes one call of an operation, decoded or undecoded.
async fn call(client: &Client, operation: &str, decoded: bool) -> Result<(), Error> {
    let page = client.profile("cafe");
    macro_rules! either {
        ($call:expr) => {
            if decoded { $call.await.map(drop) } else { $call.answer().await.map(drop) }
        };
    }
    match operation {
        "getApiIndex" => either!(client.index()),
        "getOpenapi" => either!(client.openapi()),
        "getMe" => either!(client.me()),
        "listSlotTypes" => either!(client.slot_types()),
        "getSlotType" => either!(client.slot_type("button")),
        "listProfiles" => either!(client.profiles().list()),
        "checkLogin" => either!(client.profiles().check_login("new.page")),
        "getProfile" => either!(page.get_with_slots()),
        "getProfileSettings" => either!(page.settings()),
        "previewProfileMarkdown" => either!(page.markdown()),
        "listSlots" => either!(page.slots().list()),
        "getSlot" => either!(page.slots().get(1002)),
        "listForms" => either!(client.forms().list()),
        "showForm" => either!(client.form(FORM).get()),
        "listNotificationChannels" => either!(client.notification_channels()),
        "lookupMusic" => either!(client.lookup_music(MusicQuery::new("KZA012600042"))),
        "getAccountAnalytics" => either!(client.analytics(AnalyticsQuery::default())),
        "getProfileAnalytics" => either!(page.analytics(AnalyticsQuery::default())),
        "getFormAnalytics" => either!(client.form(FORM).analytics(AnalyticsQuery::default())),
        "createSlot" if !decoded => page.slots().create(divider()).answer().await.map(drop),
        "createSlots" if !decoded => {
            page.slots().create_batch(dividers(3)).answer().await.map(drop)
        }
        "reorderSlots" if !decoded => {
            page.slots().reorder((1001..=1014).rev()).answer().await.map(drop)
        }
        "updateSlot" if !decoded => {
            page.slots().update(1002, [("title", "Anew")]).answer().await.map(drop)
        }
        "updateProfile" if !decoded => {
            page.update(ProfileChanges::default().title("Anew")).answer().await.map(drop)
        }
        "deleteSlot" if !decoded => page.slots().delete(1002).answer().await.map(drop),
        "deleteSlots" if !decoded => {
            page.slots().delete_batch(vec![1002, 1007]).answer().await.map(drop)
        }
        other => write(client, other).await,
    }
}

/// Returns answers with a 2xx status that no operation gives.
fn odd_answers() -> Vec<(&'static str, Act)> {
    let json = [("Content-Type", "application/json")];
    let html = [("Content-Type", "text/html; charset=utf-8")];
    let portal = "<html><title>Log in to the network</title></html>";
    vec![
        ("200 without a body", Act::answer(200, &json, "")),
        ("201 without a body", Act::answer(201, &json, "")),
        ("200 and an empty object", Act::answer(200, &json, "{}")),
        ("201 and an empty object", Act::answer(201, &json, "{}")),
        ("202", Act::answer(202, &json, "{}")),
        ("206", Act::answer(206, &json, "")),
        ("no data", Act::answer(200, &json, r#"{"data": null}"#)),
        ("no data, 201", Act::answer(201, &json, r#"{"data": null}"#)),
        ("an error as a success", Act::answer(200, &json, r#"{"message": "x", "code": "y"}"#)),
        ("a wrong record", Act::answer(200, &json, r#"{"data": {"id": "x"}, "meta": 7}"#)),
        ("a portal", Act::answer(200, &html, portal)),
        ("a portal, 201", Act::answer(201, &html, portal)),
        ("a portal, 204", Act::answer(204, &html, "")),
    ]
}

#[tokio::test]
async fn no_operation_accepts_an_answer_that_is_not_its_own() {
    for operation in described_operations() {
        for (name, act) in odd_answers() {
            // A delete is answered with 204.
            let is_own = operation == "deleteSlot" && name == "a portal, 204";
            // An object is all that is known of the description.
            let is_document = operation == "getOpenapi"
                && !matches!(name, "200 without a body" | "a portal" | "206" | "202")
                && !name.contains("201")
                && !name.contains("204");
            if is_own || is_document {
                continue;
            }
            for decoded in [true, false] {
                let env = TestEnv::new().await;
                env.proxy.always(&act);
                let case = format!("{operation}, {name}, decoded: {decoded}");
                let error = match call(&env.client, &operation, decoded).await {
                    Ok(()) => panic!("{case}: it was taken for a success"),
                    Err(error) => error,
                };
                let is_read = env.proxy.arrived().iter().all(|head| head.starts_with("GET "));
                let expected = if is_read { Outcome::NotExecuted } else { Outcome::Unknown };
                assert_eq!(error.outcome(), expected, "{case}: {error}");
                assert!(error.is_unreadable(), "{case}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn a_write_with_a_key_is_replayed_and_others_are_read_back() {
    let portal = || Act::answer(200, &[("Content-Type", "text/html")], "<html>");
    let empty = || Act::answer(200, &[], "");
    for act in [portal, empty] {
        for operation in [
            "createSlot",
            "createSlots",
            "createForm",
            "uploadFile",
            "createProfile",
            "deleteSlot",
            "deleteSlots",
        ] {
            for executed in [true, false] {
                let env = TestEnv::new().await;
                let act = if executed { act().executed() } else { act() };
                env.proxy.script([act]);
                let result = write(&env.client, operation).await;
                assert!(result.is_ok(), "{operation}, executed: {executed}: {result:?}");
                let once = TestEnv::new().await;
                write(&once.client, operation).await.unwrap();
                assert_eq!(env.count(), once.count(), "{operation}, executed: {executed}");
            }
        }
        for operation in [
            "updateProfile",
            "updateProfileSettings",
            "updateSlot",
            "updateSlots",
            "updateForm",
            "reorderSlots",
        ] {
            let env = TestEnv::new().await;
            env.proxy.script([act().executed()]);
            write(&env.client, operation).await.unwrap();
            assert_eq!(env.client.write_summary().outcome(), Outcome::Executed, "{operation}");

            let env = TestEnv::new().await;
            env.proxy.script([act()]);
            let error = write(&env.client, operation).await.unwrap_err();
            assert_eq!(error.outcome(), Outcome::Unknown, "{operation}: {error}");
            assert_eq!(env.client.write_summary().outcome(), Outcome::Unknown, "{operation}");
        }
    }
}

#[tokio::test]
async fn an_upload_url_that_answers_no_record_leaves_the_outcome_unknown() {
    for body in ["", "{}", "<html>", r#"{"data": {"path": 7}}"#] {
        let env = TestEnv::new().await;
        let target = format!(
            r#"{{"data": {{"upload_url": "{}/up", "method": "PUT", "max_bytes": 1000000, "expires_at": "2999-01-01T00:00:00Z"}}}}"#,
            env.proxy.base_url()
        );
        env.proxy.script([Act::answer(200, &[], target), Act::answer(200, &[], body)]);
        let dot =
            Upload::bytes("dot.gif", crate::faults::writes::DOT).method(UploadMethod::UploadUrl);
        let error = env.client.files().upload(dot).await.unwrap_err();
        assert_eq!((error.operation(), error.outcome()), ("sendToUploadUrl", Outcome::Unknown));
        assert_eq!(env.client.write_summary().outcome(), Outcome::Unknown, "{body:?}");
    }
}

#[tokio::test]
async fn an_upload_url_in_an_answer_that_cannot_be_used_is_not_shown() {
    let env = TestEnv::new().await;
    let secret = r#"{"data": {"upload_url": "https://a.example/canary", "max_bytes": "canary"}}"#;
    env.proxy.always(&Act::answer(200, &[], secret));
    let error = env.client.files().create_upload_url().await.unwrap_err();
    assert!(error.is_unreadable() && !format!("{error} {error:?}").contains("canary"), "{error:?}");
}

#[tokio::test]
async fn a_cut_answer_to_a_write_that_sets_values_is_completed_by_a_read() {
    for operation in [
        "updateProfile",
        "updateProfileSettings",
        "updateSlot",
        "updateSlots",
        "updateForm",
        "reorderSlots",
    ] {
        let env = TestEnv::new().await;
        env.proxy.script([Act::cut(9)]);
        write(&env.client, operation).await.unwrap_or_else(|error| panic!("{operation}: {error}"));
        let heads = env.proxy.arrived();
        assert!(heads.len() == 2 && heads[1].starts_with("GET "), "{operation}: {heads:?}");

        // If the read fails, the write is still known to be executed.
        let env = TestEnv::new().await;
        env.server.fail(2..=9, &Fault::Before(503));
        env.proxy.script([Act::cut(9)]);
        let error = write(&env.client, operation).await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::Executed, "{operation}: {error}");
    }
}

#[tokio::test]
async fn a_cut_page_of_a_portal_does_not_count_as_an_executed_write() {
    let env = TestEnv::new().await;
    let client = env.impatient();
    let portal =
        Act::answer(200, &[("Content-Type", "text/html"), ("Content-Length", "100000")], "<html>");
    env.proxy.always(&portal);
    let error = client.profile("cafe").slots().update(1002, Object::default()).await.unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
}

#[tokio::test]
async fn no_write_is_sent_once_a_program_that_ends_has_said_what_it_wrote() {
    let env = TestEnv::new().await;
    let changes = ProfileChanges::default().title("Late");
    let late = tokio::spawn(env.client.profile(101).update(changes).send());
    assert_eq!(runs::end_writes(&env.client).outcome(), Outcome::NotExecuted);
    // Reads that begin later are answered, while the write has not been sent.
    for _ in 0..3 {
        env.client.me().await.unwrap();
    }
    assert!(!late.is_finished());
    assert!(env.server.requests().iter().all(|request| request.method == "GET"));
    assert_eq!(env.client.write_summary().outcome(), Outcome::NotExecuted);
}

#[tokio::test]
async fn a_client_reports_the_outcome_of_its_writes() {
    let env = TestEnv::new().await;
    let client = &env.client;
    client.profile("cafe").slots().list().await.unwrap();
    env.proxy.always(&Act::answer(503, &[], ""));
    client.me().await.unwrap_err();
    assert_eq!(client.write_summary().outcome(), Outcome::NotExecuted, "reads write nothing");

    env.proxy.always(&Act::pass());
    let wrong = links_sdk::types::NewSlot::of("button").with("titel", "x");
    client.profile("cafe").slots().create(wrong).await.unwrap_err();
    client.profile("cafe").slots().create(divider()).dry_run().await.unwrap();
    client.profile("cafe").slots().delete_batch(vec![1002]).dry_run().await.unwrap();
    assert_eq!(
        client.write_summary().outcome(),
        Outcome::NotExecuted,
        "neither a refusal nor a dry run"
    );

    write(client, "createSlots").await.unwrap();
    write(client, "deleteSlots").await.unwrap();
    write(client, "uploadFile").await.unwrap();
    let counts: Vec<_> = client.write_summary().executed().collect();
    assert_eq!(counts, [("createSlots", 1), ("deleteSlots", 1), ("uploadFile", 1)]);
    assert_eq!(client.write_summary().outcome(), Outcome::Executed);

    env.proxy.always(&Act::reset_before());
    let call = client.profile("cafe").slots().create(divider());
    let key = call.idempotency_key().cloned().unwrap();
    assert_eq!(call.await.unwrap_err().outcome(), Outcome::Unknown);
    assert_eq!(client.write_summary().in_doubt().collect::<Vec<_>>(), [("createSlot", 1)]);
    env.proxy.always(&Act::pass());
    let again = client.profile("cafe").slots().create(divider()).with_idempotency_key(key);
    again.await.unwrap();
    assert_eq!(client.write_summary().outcome(), Outcome::Executed, "the same call once more");
}

#[tokio::test]
async fn a_batch_delete_has_a_dry_run_and_reports_when_it_was_executed() {
    let env = TestEnv::with(World::cafe(), Choices::default()).await;
    let slots = env.slots();
    slots.delete_batch(vec![1002, 1007]).dry_run().await.unwrap();
    assert_eq!(env.count(), 14);
    let error = slots.delete_batch(vec![1002, 9]).dry_run().await.unwrap_err();
    assert!(error.is_validation(), "{error}");

    let body = r#"{"meta": {"deleted": 1, "total": 13}}"#;
    env.proxy.script([Act::answer(200, &[("Content-Type", "application/json")], body)]);
    let error = slots.delete_batch(vec![1002]).dry_run().await.unwrap_err();
    assert!(error.is_dry_run_executed(), "{error}");
    assert_eq!((error.outcome(), error.status()), (Outcome::Executed, Some(200)));
    assert_eq!(env.client.write_summary().outcome(), Outcome::Executed);

    // The dry run never arrived, or its answer did not: either way it wrote nothing.
    for act in [
        Act::answer(200, &[("Content-Type", "text/html")], "<html>"),
        Act::answer(500, &[], ""),
        Act::reset_after(),
    ] {
        env.proxy.always(&act);
        let error = slots.delete_batch(vec![1002]).dry_run().await.unwrap_err();
        assert_eq!(error.outcome(), Outcome::NotExecuted, "{error}");
        assert!(!error.is_dry_run_executed(), "{error}");
        if error.status().is_some() {
            assert!(env.clock.slept().iter().sum::<Duration>() < Duration::from_secs(60));
        }
    }
}

#[tokio::test]
async fn the_index_is_read_without_a_token_even_where_there_is_one() {
    let env = TestEnv::new().await;
    let anyone =
        Client::builder(env.proxy.base_url()).rate_limits(links_sdk::RateLimits::unlimited());
    assert_eq!(anyone.build().unwrap().index().await.unwrap().version, "v1");
    env.client.index().await.unwrap();
    env.client.raw("GET", "/").send().await.unwrap();
    assert_eq!(env.sent("authorization"), ["", "", ""]);
}
