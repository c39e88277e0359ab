//! The programs in `sdk/examples`, each run against the contract server.

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../sdk/examples/testing.rs"]
mod testing;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../sdk/examples/typed_slots.rs"]
mod typed_slots;

#[tokio::test]
async fn typed_slots_writes_fields_by_name_and_lists_contents() {
    let (server, client) = super::cafe().await;
    let page = client.profile("cafe").get().await.unwrap().id;
    let lines = typed_slots::run(&client, page).await.unwrap();
    let made = server.account().profiles[0].slots.last().unwrap().clone();
    assert_eq!(made.data["title"], "Our menu");
    assert_eq!(made.data["style"], "primary");
    assert_eq!(*lines.last().unwrap(), format!("{} button: https://cafe.example/menu", made.id));
    assert!(lines.iter().any(|line| line.contains(" form: form 6f1c0f0e-")), "{lines:?}");
}
