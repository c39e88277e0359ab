//! The programs in `sdk/examples`, each run against the contract server.

use links_fixtures::{ContractServer, World};
use links_sdk::{Clock, SystemClock, Token};
use links_test_support::authority::Authority;
use links_test_support::tls_front::TlsFront;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../sdk/examples/own_transport.rs"]
mod own_transport;

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

#[tokio::test]
async fn own_transport_serves_several_accounts_by_one_http_client() {
    let server = ContractServer::start(World::cafe()).await;
    let authority = Authority::new("A company");
    let origin = server.base_url().replace("/api/v1", "");
    let config = authority.server(&["localhost"], SystemClock::new().wall(), 30);
    let front = TlsFront::before(&origin, config);
    let network = own_transport::Network {
        base_url: format!("{}/api/v1", front.origin()),
        authority: Some(authority.pem().into_bytes()),
        proxy: None,
        gateway_key: Some("key".to_owned()),
    };
    let token = Token::new(&server.token()).unwrap();
    let found = own_transport::run(network, vec![token.clone(), token]).await.unwrap();
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|logins| logins.iter().any(|login| login == "cafe")), "{found:?}");
    assert!(server.requests().iter().all(|it| it.header("x-gateway-key") == Some("key")));
}
