//! Section 5: tokens, abilities, and the connector flow.

use std::time::Duration;

use links_fixtures::{Choices, Consent, Token, World};
use reqwest::Method;
use serde_json::json;

use crate::connector::{Connector, VERIFIER, parameter, redirected, resource_metadata, text};
use crate::operations::operations;
use crate::support::Api;

#[tokio::test]
async fn rule_5_1_the_scheme_is_bearer() {
    let api = Api::cafe().await;
    let token = api.server.token();
    let with = |header: String| api.get("/me").anonymous().header("authorization", &header);
    with(format!("Bearer {token}")).await.is(200);
    for other in [
        format!("Basic {token}"),
        format!("Token {token}"),
        token.clone(),
        "Bearer".into(),
        "Bearer ".into(),
    ] {
        with(other).await.refused(401);
    }
    api.get(&format!("/me?token={token}")).anonymous().await.refused(401);
    api.get(&format!("/me?access_token={token}")).anonymous().await.refused(401);
}

#[tokio::test]
async fn rule_5_2_tokens_carry_the_prefix_that_the_index_names() {
    for api in [Api::empty().await, Api::cafe().await, Api::full().await, Api::read_only().await] {
        let index = api.get("/").anonymous().await.is(200);
        let prefix = text(&index.data()["authentication"]["tokenPrefix"]).to_owned();
        assert!(!prefix.is_empty());
        assert!(api.server.token().starts_with(&prefix));
    }
}

#[tokio::test]
async fn rule_5_3_the_connector_needs_a_token_and_says_where_to_get_one() {
    let api = Api::cafe().await;
    let address = resource_metadata(&api).await;
    let metadata = api.ask(&Method::GET, &address).anonymous().await.is(200).json;
    assert_eq!(metadata["resource"], api.server.mcp_url());
    assert!(
        metadata["authorization_servers"].as_array().is_some_and(|servers| !servers.is_empty()),
        "{metadata}"
    );
}

#[tokio::test]
async fn rule_5_3_a_client_registers_itself_is_approved_once_and_uses_the_token_on_rest() {
    let api = Api::cafe().await;
    let connector = Connector::register(&api).await;
    assert!(
        connector.metadata["code_challenge_methods_supported"]
            .as_array()
            .is_some_and(|all| all.contains(&json!("S256"))),
        "{}",
        connector.metadata
    );
    let granted = connector.connect().await;
    assert!(text(&granted["token_type"]).eq_ignore_ascii_case("bearer"));
    let token = text(&granted["access_token"]);
    assert_ne!(token, api.server.token());

    let me = api.get("/me").token(token).await.is(200);
    assert_eq!(me.data()["canWrite"], true);
    let page = api.page().await;
    api.patch(&page.at("")).json(&json!({"title": "By the connector"})).token(token).await.is(200);
    assert_eq!(api.get(&page.at("")).await.is(200).data()["title"], "By the connector");
}

#[tokio::test]
async fn rule_5_3_a_connection_does_not_count_as_a_personal_token() {
    let api = Api::cafe().await;
    let used = || async { api.get("/me").await.is(200).data()["limits"]["tokens"]["used"].clone() };
    let before = used().await;
    Connector::register(&api).await.connect().await;
    assert_eq!(used().await, before);
}

#[tokio::test]
async fn rule_5_3_pkce_is_required() {
    let api = Api::cafe().await;
    let connector = Connector::register(&api).await;
    for changes in [
        [("code_challenge", ""), ("code_challenge_method", "")],
        [("code_challenge", VERIFIER), ("code_challenge_method", "plain")],
    ] {
        let answer = connector.authorize(&changes).await;
        if answer.status == 302 || answer.status == 303 {
            let redirect = redirected(&answer);
            assert_eq!(
                parameter(&redirect, "error").as_deref(),
                Some("invalid_request"),
                "{redirect}"
            );
            assert_eq!(parameter(&redirect, "code"), None);
        } else {
            answer.is(400);
        }
    }
    let code = connector.code().await;
    let wrong = connector
        .exchange(&code, "another-verifier-of-more-than-forty-three-characters")
        .await
        .is(400);
    assert_eq!(wrong.json["error"], "invalid_grant");
}

#[tokio::test]
async fn rule_5_3_a_code_works_once() {
    let api = Api::cafe().await;
    let connector = Connector::register(&api).await;
    let code = connector.code().await;
    connector.exchange(&code, VERIFIER).await.is(200);
    let again = connector.exchange(&code, VERIFIER).await.is(400);
    assert_eq!(again.json["error"], "invalid_grant");
}

#[tokio::test]
async fn rule_5_3_a_code_is_bound_to_its_client_and_redirect() {
    let api = Api::cafe().await;
    let (one, other) = (Connector::register(&api).await, Connector::register(&api).await);
    let stolen = other.exchange(&one.code().await, VERIFIER).await.is(400);
    assert_eq!(stolen.json["error"], "invalid_grant");
    let elsewhere = one
        .token(&[
            ("grant_type", "authorization_code"),
            ("code", &one.code().await),
            ("redirect_uri", "http://127.0.0.1:49152/elsewhere"),
            ("code_verifier", VERIFIER),
        ])
        .await
        .is(400);
    assert_eq!(elsewhere.json["error"], "invalid_grant");
}

#[tokio::test]
async fn rule_5_3_a_redirect_to_an_unregistered_uri_is_refused() {
    let api = Api::cafe().await;
    let connector = Connector::register(&api).await;
    connector.authorize(&[("redirect_uri", "http://127.0.0.1:49152/elsewhere")]).await.is(400);
    connector.authorize(&[("redirect_uri", "https://evil.example/callback")]).await.is(400);
    connector.authorize(&[("client_id", "nobody")]).await.is(400);
    // A loopback client listens on whatever port is free that day (RFC 8252).
    let other_port =
        connector.authorize(&[("redirect_uri", "http://127.0.0.1:50000/callback")]).await;
    assert!(matches!(other_port.status, 302 | 303), "{}", other_port.text);
}

#[tokio::test]
async fn rule_5_3_the_user_can_deny_access() {
    let api = Api::choosing(Choices { oauth_consent: Consent::Deny, ..Choices::default() }).await;
    let connector = Connector::register(&api).await;
    let redirect = redirected(&connector.authorize(&[]).await);
    assert_eq!(parameter(&redirect, "error").as_deref(), Some("access_denied"));
    assert_eq!(parameter(&redirect, "state").as_deref(), Some("of-the-test"));
    assert_eq!(parameter(&redirect, "code"), None);
}

#[tokio::test]
async fn rule_5_4_abilities_are_granted_one_by_one() {
    let api = Api::cafe().await;
    api.server.edit(|account| {
        let with = |token: &str, abilities: &[&str]| Token {
            abilities: abilities.iter().map(ToString::to_string).collect(),
            ..Token::personal(token)
        };
        account.tokens.push(with("pps_reads", &["profile:read"]));
        account.tokens.push(with("pps_writes", &["profile:write"]));
        account.tokens.push(with("pps_nothing", &[]));
    });
    let page = api.page().await;
    for operation in operations(&api, &page).await {
        if operation.name == "getApiIndex" {
            continue;
        }
        let refusing = if operation.writes() { "pps_reads" } else { "pps_writes" };
        operation.on(&api).token(refusing).await.refused(403);
        operation.on(&api).token("pps_nothing").await.refused(403);
        let allowed = if operation.writes() { "pps_writes" } else { "pps_reads" };
        let ask = operation.on(&api).token(allowed);
        if operation.writes() {
            ask.dry_run().await.is(204);
        } else {
            ask.await.is(operation.success);
        }
    }
}

#[tokio::test]
async fn rule_5_4_the_connector_grants_the_abilities_asked_for() {
    let api = Api::cafe().await;
    let connector = Connector::register(&api).await;
    let redirect = redirected(&connector.authorize(&[("scope", "profile:read")]).await);
    let code = parameter(&redirect, "code").expect("a code");
    let granted = connector.exchange(&code, VERIFIER).await.is(200).json;
    let token = text(&granted["access_token"]);
    let me = api.get("/me").token(token).await.is(200);
    assert_eq!(me.data()["abilities"], json!(["profile:read"]));
    api.post("/profiles").json(&json!({"login": "new.page"})).token(token).await.refused(403);
}

#[tokio::test]
async fn rule_5_5_profiles_of_other_accounts_do_not_exist() {
    let api = Api::cafe().await;
    api.server.edit(|account| account.taken_logins.push("somebody.else".to_owned()));
    for rest in ["", "/settings", "/slots", "/markdown", "/analytics"] {
        api.get(&format!("/profiles/somebody.else{rest}")).await.refused(404);
    }
    api.patch("/profiles/somebody.else").json(&json!({"title": "Mine"})).await.refused(404);
    let taken = api.get("/profiles/check-login?login=somebody.else").await.is(200);
    assert_eq!(taken.data()["available"], false, "yet their logins are taken");
    api.post("/profiles").json(&json!({"login": "somebody.else"})).await.names(&["login"]);
}

#[tokio::test]
async fn rule_5_6_a_disconnected_application_fails_at_its_next_request() {
    let api = Api::cafe().await;
    let granted = Connector::register(&api).await.connect().await;
    let token = text(&granted["access_token"]);
    api.get("/me").token(token).await.is(200);
    api.server.edit(|account| {
        account
            .tokens
            .iter_mut()
            .filter(|token| token.connected)
            .for_each(|token| token.revoked = true);
    });
    api.get("/me").token(token).await.refused(401);
    api.get("/me").await.is(200);
}

#[tokio::test]
async fn rule_5_7_an_invalid_token_is_401_and_one_without_the_ability_403() {
    let api = Api::read_only().await;
    let page = api.page().await;
    let title = json!({"title": "T"});
    api.patch(&page.at("")).json(&title).anonymous().await.refused(401);
    api.patch(&page.at("")).json(&title).token("pps_unknown").await.refused(401);
    api.patch(&page.at("")).json(&title).await.refused(403);
    let revoked = api.server.token();
    api.server.edit(|account| account.tokens[0].revoked = true);
    api.get("/me").token(&revoked).await.refused(401);
}

#[tokio::test]
async fn rule_5_8_a_personal_token_does_not_expire() {
    let (api, clock) = Api::timed(World::cafe()).await;
    clock.advance(Duration::from_secs(10 * 365 * 24 * 3600));
    api.get("/me").await.is(200);
}

#[tokio::test]
async fn rule_5_3_the_user_may_be_asked_on_a_page() {
    let api = Api::choosing(Choices { oauth_consent: Consent::Ask, ..Choices::default() }).await;
    let connector = Connector::register(&api).await;
    let page = connector.authorize(&[]).await.is(200);
    assert!(page.text.contains("<form method=post>"), "{}", page.text);
    for (answer, parameter_of) in [("approve", "code"), ("deny", "error")] {
        let redirect = redirected(&connector.press(answer).await);
        assert!(parameter(&redirect, parameter_of).is_some(), "{redirect}");
        assert_eq!(parameter(&redirect, "state").as_deref(), Some("of-the-test"));
    }
    connector.authorize(&[("client_id", "nobody")]).await.is(400);
}
