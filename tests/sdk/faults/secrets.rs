//! Tests that the token is sent to the service only, and appears in no message and no trace.

use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use links_sdk::types::NewSlot;
use links_sdk::{AttemptReport, Client, Observer, Secrets, Token, WaitReason};

use super::{TestEnv, builder, chain, divider};
use links_test_support::proxy::Act;

/// Observer that records all reports.
#[derive(Debug, Default)]
struct RecordingObserver(Mutex<String>);

impl Observer for RecordingObserver {
    fn wants_request(&self) -> bool {
        true
    }

    fn waiting(&self, operation: &'static str, duration: Duration, reason: WaitReason) {
        writeln!(self.0.lock().unwrap(), "{operation} {duration:?} {reason} {reason:?}").unwrap();
    }

    fn attempted(&self, attempt: &AttemptReport<'_>) {
        let mut all = self.0.lock().unwrap();
        writeln!(all, "{attempt:?}").unwrap();
        if let Some(answer) = attempt.answer {
            writeln!(all, "{:?} {}", answer.headers().collect::<Vec<_>>(), answer.text()).unwrap();
        }
    }
}

#[tokio::test]
async fn the_token_is_in_no_text_of_the_client() {
    let env = TestEnv::new().await;
    let token = env.server.token();
    let watch = Arc::new(RecordingObserver::default());
    let client: Client =
        builder(&env.server, &env.proxy, &env.clock).observer(watch.clone()).build().unwrap();
    let slots = client.profile("cafe").slots();
    // A service in debug mode shows the whole request, headers and all.
    let page = format!("<pre>Authorization: Bearer {token}\nCookie: {token}</pre>");
    let json = format!(
        r#"{{"message": "no such token: {token}", "code": "{token}", "errors": {{"token": ["{token}"]}}, "documentation": "https://x/?{token}"}}"#
    );
    let mut texts = Vec::new();
    for act in [
        Act::answer(500, &[("Content-Type", "text/html")], &page),
        Act::answer(200, &[], &page),
        Act::answer(401, &[("WWW-Authenticate", &format!("Bearer {token}"))], &json),
        Act::answer(422, &[], &json),
        Act::answer(201, &[], format!(r#"{{"data": "{token}"}}"#)),
        Act::answer(302, &[("Location", &format!("https://elsewhere.example/{token}"))], ""),
        Act::reset_before(),
        Act::cut(3),
        Act::answer(204, &[], "").executed(),
        Act::answer(429, &[("Retry-After", "9999")], &json),
    ] {
        env.proxy.always(&act);
        let call = slots.create(divider());
        texts.push(format!("{call:?}"));
        if let Err(error) = call.await {
            texts.push(format!("{error} {error:?} {error:#?} {}", chain(&error)));
        }
        let dry_run = slots.create(NewSlot::of("text")).dry_run();
        texts.push(format!("{dry_run:?}"));
        if let Err(error) = dry_run.await {
            texts.push(format!("{error} {error:?}"));
        }
    }
    env.proxy.always(&Act::pass());
    links_sdk::Clock::sleep(&*env.clock, Duration::from_secs(9999)).await;
    texts.push(format!("{:?}", slots.list().answer().await.unwrap()));
    texts
        .push(format!("{client:?} {client:#?} {:?}", builder(&env.server, &env.proxy, &env.clock)));
    texts.push(format!("{:?}", Token::new(&token).unwrap()));
    texts.push(watch.0.lock().unwrap().clone());
    let texts = texts.join("\n");
    assert!(texts.contains("***") && texts.contains("createSlot"));
    let leak = texts.find(&token).map(|at| &texts[at.saturating_sub(400)..at]);
    assert_eq!(leak, None, "what stands before the token");
    assert!(env.sent("authorization").iter().all(|sent| *sent == format!("Bearer {token}")));
}

#[tokio::test]
async fn a_service_that_repeats_the_token_in_another_form_gets_it_into_no_text() {
    let env = TestEnv::new().await;
    let token = env.server.token();
    let secrets = Secrets::default();
    let watch = Arc::new(RecordingObserver::default());
    let builder = builder(&env.server, &env.proxy, &env.clock);
    let client = builder.observer(watch.clone()).secrets(secrets.clone()).build().unwrap();
    let everywhere = |token: &str| token.bytes().map(|c| format!("%{c:02X}")).collect::<String>();
    for form in [token.clone(), STANDARD.encode(format!("Bearer {token}")), everywhere(&token)] {
        let envelope = format!(
            r#"{{"message": "{form}", "code": "{form}", "errors": {{"{form}": ["{form}"]}}, "documentation": "https://x/?{form}"}}"#
        );
        // The token is at the end of the part of a body that an error shows.
        let page = format!("{}{form} and more", "x ".repeat(95));
        let record = format!(r#"{{"data": {{"id": "{form}"}}}}"#);
        for act in [
            Act::answer(401, &[("Content-Type", &form)], &envelope),
            Act::answer(422, &[], &envelope),
            Act::answer(200, &[], &page),
            Act::answer(200, &[], &record),
            Act::answer(502, &[], &page),
        ] {
            env.proxy.always(&act);
            let slots = client.profile("cafe").slots();
            let slot = slots.get(1001).await.map(drop).unwrap_err();
            let me = client.me().await.map(drop).unwrap_err();
            for error in [slot, me] {
                let text =
                    format!("{error} {error:?} {error:#?} {} {:?}", chain(&error), error.service());
                let shown = &form[..form.len() / 2];
                assert!(!text.contains(shown), "{act:?}: {text}");
                assert_eq!(secrets.hide(&text), text);
            }
        }
    }
    let seen = watch.0.lock().unwrap().clone();
    assert!(seen.contains("***") && !seen.contains(&token), "{seen}");
}
