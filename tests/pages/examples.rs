//! The programs in `pages/examples`, each run against the contract server.

use links_fixtures::Fault;
use links_pages::apply::DesiredPage;
use serde_json::json;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../pages/examples/apply_page.rs"]
mod apply_page;

#[tokio::test]
async fn apply_page_goes_on_where_a_run_was_cut_off() {
    let (server, client) = super::cafe().await;
    let state = tempfile::tempdir().unwrap();
    let read = client.profile("cafe").slots().list().await.unwrap();
    let mut slots: Vec<_> =
        read.iter().map(|it| json!({"id": it.id, "type": it.kind, "data": it.data})).collect();
    slots.extend((0..60).map(|nth| json!({"type": "text", "data": {"title": format!("{nth}")}})));
    let desired: DesiredPage = serde_json::from_value(json!({ "slots": slots })).unwrap();
    let run = || apply_page::run(&client, "cafe", desired.clone(), state.path());
    let before = server.account().profiles[0].slots.len();

    // The first batch of new slots is answered, and the second one refused.
    server.fail_operation("createSlots", 2, &Fault::Before(400));
    let error = run().await.unwrap_err();
    assert_eq!(server.account().profiles[0].slots.len(), before + 50, "{error}");
    let done = run().await.unwrap().done;
    let titles: Vec<_> = server.account().profiles[0].slots.iter().map(title).collect();
    assert_eq!(titles.len(), before + 60, "{done:?}");
    assert!((0..60).all(|nth| titles.iter().filter(|it| **it == format!("{nth}")).count() == 1));
}

fn title(slot: &links_fixtures::Slot) -> String {
    slot.data.get("title").and_then(|it| it.as_str()).unwrap_or_default().to_owned()
}
