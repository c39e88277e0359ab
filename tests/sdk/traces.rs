//! Tests of the spans of the feature `tracing`.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use links_fixtures::Fault;
use links_sdk::types::NewSlot;
use links_sdk::{Client, IdempotencyKey, Token};
use tracing::field::{Field, Visit};
use tracing::instrument::WithSubscriber;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use crate::quick_cafe;

/// A span or an event, and the span that it is in.
#[derive(Clone, Debug, Default)]
struct Seen {
    name: String,
    parent: Option<String>,
    fields: BTreeMap<&'static str, String>,
    is_closed: bool,
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

/// What was seen, in order; spans have an id.
type AllSeen = Vec<(Option<Id>, Seen)>;

/// Layer that keeps what it sees of this crate's spans, in order.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<AllSeen>>);

impl Recorder {
    fn seen(&self) -> Vec<Seen> {
        self.0.lock().unwrap().iter().map(|(_, seen)| seen.clone()).collect()
    }

    fn change(&self, id: &Id, change: impl FnOnce(&mut Seen)) {
        let mut all = self.0.lock().unwrap();
        let known =
            all.iter_mut().find(|(known, seen)| known.as_ref() == Some(id) && !seen.is_closed);
        if let Some((_, seen)) = known {
            change(seen);
        }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let parent = context.span(id).unwrap().parent().map(|span| span.name().to_owned());
        let mut seen =
            Seen { name: attributes.metadata().name().to_owned(), parent, ..Seen::default() };
        attributes.record(&mut seen);
        if attributes.metadata().target() == "links_sdk" {
            self.0.lock().unwrap().push((Some(id.clone()), seen));
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        self.change(id, |seen| values.record(seen));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let parent = context.event_span(event).map(|span| span.name().to_owned());
        let mut seen = Seen { name: "event".to_owned(), parent, ..Seen::default() };
        event.record(&mut seen);
        if event.metadata().target() == "links_sdk" {
            self.0.lock().unwrap().push((None, seen));
        }
    }

    fn on_close(&self, id: Id, _: Context<'_, S>) {
        self.change(&id, |seen| seen.is_closed = true);
    }
}

/// Returns what is recorded while a future runs.
async fn recorded<T>(future: impl Future<Output = T>) -> (T, Vec<Seen>) {
    let recorder = Recorder::default();
    let subscriber = tracing_subscriber::registry().with(recorder.clone());
    let result = future.with_subscriber(subscriber).await;
    (result, recorder.seen())
}

#[tokio::test]
async fn a_call_has_a_span_with_one_for_each_attempt_and_an_event_for_each_wait() {
    let (server, client, _) = quick_cafe().await;
    server.fail(1..=1, &Fault::Before(503));
    let (result, seen) = recorded(async { client.profile("cafe").get().await }).await;
    result.unwrap();
    let names: Vec<_> = seen.iter().map(|it| (it.name.as_str(), it.parent.as_deref())).collect();
    assert_eq!(
        names,
        [
            ("links.call", None),
            ("links.attempt", Some("links.call")),
            ("event", Some("links.call")),
            ("links.attempt", Some("links.call")),
        ]
    );
    assert!(seen.iter().all(|it| it.is_closed || it.name == "event"));
    let (call, first, wait, second) = (&seen[0], &seen[1], &seen[2], &seen[3]);
    assert_eq!(call.fields["otel.name"], "getProfile");
    assert!(!call.fields.contains_key("error.type"));
    for attempt in [first, second] {
        assert_eq!(attempt.fields["otel.name"], "GET /profiles/{profileKey}");
        assert_eq!(attempt.fields["otel.kind"], "client");
        assert_eq!(attempt.fields["http.request.method"], "GET");
        assert_eq!(attempt.fields["url.template"], "/profiles/{profileKey}");
        assert_eq!(attempt.fields["server.address"], "127.0.0.1");
    }
    assert_eq!(first.fields["http.response.status_code"], "503");
    assert_eq!(first.fields["error.type"], "503");
    assert_eq!(second.fields["http.response.status_code"], "200");
    assert_eq!(second.fields["http.request.resend_count"], "1");
    assert!(!first.fields.contains_key("http.request.resend_count"));
    assert!(wait.fields["wait_ms"].parse::<u64>().unwrap() > 0, "{wait:?}");
}

#[tokio::test]
async fn a_failed_call_tells_its_kind_and_its_outcome() {
    let (server, client, _) = quick_cafe().await;
    let slots = client.profile("cafe").slots();
    let refused =
        recorded(async { slots.create(NewSlot::of("button").with("titel", "Menu")).await }).await.1;
    assert_eq!(refused[0].fields["error.type"], "422", "{refused:?}");
    assert_eq!(refused[0].fields["links.outcome"], "not_executed");
    server.fail(1..=9, &Fault::DropBefore);
    let lost = recorded(async { slots.create(NewSlot::of("divider")).await }).await.1;
    assert_eq!(lost[0].fields["error.type"], "network");
    assert_eq!(lost[0].fields["links.outcome"], "unknown");
    assert_eq!(lost[1].fields["error.type"], "connection_broken");
}

#[tokio::test]
async fn a_call_on_another_task_keeps_its_span() {
    let (_server, client, _) = quick_cafe().await;
    let call = async {
        let call = client.me().send();
        tokio::spawn(call).await.unwrap().unwrap();
    };
    let seen = recorded(call).await.1;
    assert_eq!(seen[0].name, "links.call");
}

#[tokio::test]
async fn no_secret_and_no_content_is_in_a_span() {
    const CANARY: &str = "canary-7c1d";
    let server =
        links_test_support::canned::Canned::start([(500, format!(r#"{{"message":"{CANARY}"}}"#))]);
    let builder = Client::builder(server.origin()).rate_limits(links_sdk::RateLimits::unlimited());
    let client = builder.token(Token::new(CANARY).unwrap()).build().unwrap();
    let key = IdempotencyKey::new(CANARY).unwrap();
    let slot = NewSlot::of("text").with("title", CANARY);
    let calls = async {
        let slots = client.profile(CANARY).slots();
        let deadline = std::time::Duration::from_millis(1);
        let call = slots.create(slot).with_idempotency_key(key).with_deadline(deadline);
        call.await.unwrap_err();
        let query = client.raw("GET", format!("/x/{CANARY}?a={CANARY}")).call();
        query.with_deadline(deadline).await.unwrap_err();
    };
    let seen = recorded(calls).await.1;
    assert!(seen.len() >= 2);
    for span in seen {
        assert!(!format!("{span:?}").contains(CANARY), "{span:?}");
    }
}
