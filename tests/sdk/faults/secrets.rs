//! The token reaches the service and nothing else: not another host, not a message, not a trace.

use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use links_sdk::types::NewSlot;
use links_sdk::{AttemptReport, Client, Observer, Token, WaitReason};

use super::{Stage, builder, chain, divider};
use crate::proxy::Act;

/// Writes down whatever it is told.
#[derive(Debug, Default)]
struct Everything(Mutex<String>);

impl Observer for Everything {
    fn waiting(&self, operation: &'static str, duration: Duration, reason: WaitReason) {
        writeln!(self.0.lock().unwrap(), "{operation} {duration:?} {reason} {reason:?}").unwrap();
    }

    fn attempted(&self, attempt: &AttemptReport<'_>) {
        writeln!(self.0.lock().unwrap(), "{attempt:?}").unwrap();
    }
}

#[tokio::test]
async fn the_token_is_in_no_text_of_the_client() {
    let stage = Stage::new().await;
    let token = stage.server.token();
    let watch = Arc::new(Everything::default());
    let client: Client =
        builder(&stage.server, &stage.proxy, &stage.clock).observer(watch.clone()).build().unwrap();
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
        stage.proxy.always(&act);
        let call = slots.create(divider());
        texts.push(format!("{call:?}"));
        if let Err(error) = call.await {
            texts.push(format!("{error} {error:?} {error:#?} {}", chain(&error)));
        }
        let rehearsal = slots.create(NewSlot::of("text")).dry_run();
        texts.push(format!("{rehearsal:?}"));
        if let Err(error) = rehearsal.await {
            texts.push(format!("{error} {error:?}"));
        }
    }
    stage.proxy.always(&Act::pass());
    links_sdk::Clock::sleep(&*stage.clock, Duration::from_secs(9999)).await;
    texts.push(format!("{:?}", slots.list().answer().await.unwrap()));
    texts.push(format!(
        "{client:?} {client:#?} {:?}",
        builder(&stage.server, &stage.proxy, &stage.clock)
    ));
    texts.push(format!("{:?}", Token::new(&token).unwrap()));
    texts.push(watch.0.lock().unwrap().clone());
    let texts = texts.join("\n");
    assert!(texts.contains("***") && texts.contains("createSlot"));
    let leak = texts.find(&token).map(|at| &texts[at.saturating_sub(400)..at]);
    assert_eq!(leak, None, "what stands before the token");
    assert!(stage.sent("authorization").iter().all(|sent| *sent == format!("Bearer {token}")));
}
