//! The programs in `pages/examples`, each run against the contract server.

use std::sync::Arc;

use links_fixtures::{ContractServer, Fault, World};
use links_pages::apply::DesiredPage;
use links_sdk::testing::TestClock;
use links_sdk::{Client, Token};
use serde_json::json;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../pages/examples/apply_page.rs"]
mod apply_page;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../pages/examples/agency.rs"]
mod agency;

#[tokio::test]
async fn an_agency_plans_a_thousand_accounts_and_none_stops_another() {
    const COUNT: usize = 1_000;
    let server = ContractServer::builder(World::cafe()).no_limits().start().await.unwrap();
    let clock = Arc::new(TestClock::new());
    let base = Client::builder(server.base_url()).clock(clock).build().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        vec![path]
    };
    let same = file("same.yaml", "profile: cafe\ntitle: Qara Coffee\n");
    let other = file("other.yaml", "profile: cafe\ntitle: Qara\n");
    let broken = file("broken.yaml", "profile: cafe\ntitel: Qara\n");
    let token = || Ok(Token::new(server.token()).unwrap());
    let account = |nth: usize| match nth {
        0 => (Err("no token".to_owned()), same.clone()),
        1 => (Ok(Token::new("pps_unknown").unwrap()), same.clone()),
        2 => (token(), broken.clone()),
        3 => (token(), other.clone()),
        _ => (token(), same.clone()),
    };
    let accounts = (0..COUNT).map(|nth| {
        let (token, files) = account(nth);
        agency::ClientAccount { name: format!("client-{nth:04}"), token, files }
    });
    let rows = agency::plan_all(&base, accounts.collect()).await;
    assert_eq!(rows.len(), COUNT);
    for (nth, (row, why)) in rows.iter().zip(["no token", "Unauthenticated", "titel"]).enumerate() {
        assert_eq!(row.name, format!("client-{nth:04}"));
        assert!(row.pages.as_ref().unwrap_err().contains(why), "{row:?}");
    }
    assert_eq!(rows[3].pages, Ok((1, 1)));
    assert!(rows[4..].iter().all(|row| row.pages == Ok((1, 0))), "{:?}", rows[4]);
}

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
