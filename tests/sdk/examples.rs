//! The programs in `sdk/examples`, each run against the contract server.

use std::time::Duration;

use links_fixtures::{ContractServer, Fault, Token as AccountToken, World};
use links_sdk::content::Button;
use links_sdk::{Client, Clock, SystemClock, Token};
use links_test_support::authority::Authority;
use links_test_support::tls_front::TlsFront;
use serde_json::Value;
use tokio::task::JoinSet;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../sdk/examples/backend.rs"]
mod backend;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../sdk/examples/errors.rs"]
mod errors;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../sdk/examples/export_analytics.rs"]
mod export_analytics;

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../sdk/examples/import_csv.rs"]
mod import_csv;

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
#[path = "../../sdk/examples/service.rs"]
mod service;

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

#[expect(
    dead_code,
    unreachable_pub,
    reason = "a program has a main function, and is no part of this one"
)]
#[path = "../../sdk/examples/upload.rs"]
mod upload;

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
    let token = Token::new(server.token()).unwrap();
    let found = own_transport::run(network, vec![token.clone(), token]).await.unwrap();
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|logins| logins.iter().any(|login| login == "cafe")), "{found:?}");
    assert!(server.requests().iter().all(|it| it.header("x-gateway-key") == Some("key")));
}

#[tokio::test]
async fn backend_serves_four_hundred_tenants_by_one_http_client() {
    const TENANTS: usize = 400;
    let server = ContractServer::start(World::cafe()).await;
    let token = |tenant: usize| format!("pps_of_tenant_{tenant}");
    server.edit(|account| {
        account.tokens.extend((0..TENANTS).map(|n| AccountToken::personal(token(n))));
    });
    let base = Client::builder(server.base_url()).build().unwrap();
    let tenants = backend::Tenants::new(base.clone());
    // As many at a time as a machine has connections for.
    for first in (0..TENANTS).step_by(50) {
        let requests = (first..first + 50).map(|n| {
            let client = tenants.client(&n.to_string(), || Token::new(token(n)).unwrap());
            backend::set_title(client, "cafe".into(), format!("Title {n}"), format!("id-{n}"))
        });
        for done in requests.collect::<JoinSet<_>>().join_all().await {
            done.unwrap();
        }
    }
    let requests = server.requests();
    assert_eq!((requests.len(), base.requests_sent()), (2 * TENANTS, 0));
    assert!(requests.iter().all(|it| it.status == 200), "nobody waits for the limits of others");
    for request in &requests {
        let tenant = request.header("x-request-id").unwrap().replace("id-", "");
        let token = format!("Bearer pps_of_tenant_{tenant}");
        assert_eq!(request.header("authorization"), Some(token.as_str()));
    }
    // The next request of a tenant is paced with those before it.
    let again = tenants.client("7", || unreachable!("it is known"));
    assert_eq!(again.requests_sent(), 2);
    tenants.remove("7");
    let anew = tenants.client("7", || Token::new("pps_another").unwrap());
    assert!(anew.me().await.unwrap_err().is_not_authenticated());
}

fn button_count(server: &ContractServer) -> usize {
    let account = server.account();
    account.profiles[0].slots.iter().filter(|slot| slot.kind == "button").count()
}

fn title(slot: &links_fixtures::Slot) -> String {
    slot.data.get("title").and_then(|it| it.as_str()).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn import_csv_creates_each_button_once_however_often_it_is_killed() {
    let (server, client) = super::cafe().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("menu.csv");
    let rows: String =
        (0..120).map(|nth| format!("Dish {nth},https://cafe.example/{nth}\n")).collect();
    std::fs::write(&file, format!("title,link\n{rows}")).unwrap();
    let before = button_count(&server);
    for _ in 0..2 {
        // Nothing of the process is left but its files.
        server.fail_operation("createSlots", 2, &Fault::Before(400));
        assert!(import_csv::run(&client, "cafe", &file).await.is_err());
    }
    let made = import_csv::run(&client, "cafe", &file).await.unwrap();
    assert_eq!((made.len(), button_count(&server)), (120, before + 120));
    assert!(!file.with_extension("run").exists());
}

#[tokio::test]
async fn import_csv_refuses_a_run_of_another_page() {
    let (server, client) = super::cafe().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("menu.csv");
    std::fs::write(&file, "title,link\nDish,https://cafe.example/dish\n").unwrap();
    server.fail_operation("createSlots", 1, &Fault::Before(400));
    assert!(import_csv::run(&client, "cafe", &file).await.is_err());
    server.forget_requests();
    let error = import_csv::run(&client, "qara.weddings", &file).await.unwrap_err();
    assert!(error.to_string().contains("the page \"cafe\""), "{error}");
    assert!(server.requests().is_empty());
    assert_eq!(import_csv::run(&client, "cafe", &file).await.unwrap().len(), 1);
}

#[tokio::test]
async fn import_csv_refuses_a_run_that_the_service_has_forgotten() {
    let (server, client) = super::cafe().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("menu.csv");
    std::fs::write(&file, "title,link\nDish,https://cafe.example/dish\n").unwrap();
    let note = std::fs::File::create(file.with_extension("run")).unwrap();
    let old = note.metadata().unwrap().modified().unwrap() - Duration::from_secs(25 * 60 * 60);
    note.set_modified(old).unwrap();
    server.forget_requests();
    let error = import_csv::run(&client, "cafe", &file).await.unwrap_err();
    assert!(error.to_string().contains("compare the page with the file"), "{error}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn export_analytics_in_two_parts_has_every_page_once() {
    let server = ContractServer::start(World::cafe()).await;
    let state = tempfile::tempdir().unwrap();
    let mut logins = Vec::new();
    for part in 0..2 {
        let token = Token::new(server.token()).unwrap();
        let client = export_analytics::client(&server.base_url(), token, state.path()).unwrap();
        let mut out = Vec::new();
        export_analytics::run(&client, (part, 2), &mut out).await.unwrap();
        let lines = String::from_utf8(out).unwrap();
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        logins.extend(lines.map(|line| line["login"].as_str().unwrap().to_owned()));
    }
    let expected: Vec<_> = server.account().profiles.iter().map(|it| it.login.clone()).collect();
    logins.sort();
    let mut sorted = expected;
    sorted.sort();
    assert_eq!(logins, sorted);
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 1, "one file for one token");
}

#[tokio::test]
async fn service_does_every_job_and_counts_those_that_fail() {
    let (server, client) = super::cafe().await;
    let (sender, jobs) = tokio::sync::mpsc::channel(4);
    let running = tokio::spawn(service::run(client, jobs));
    let job =
        |page: &str| service::Announcement { page: page.to_owned(), title: "Closed".to_owned() };
    for page in ["cafe", "no.such.page", "qara.weddings", "cafe"] {
        sender.send(job(page)).await.unwrap();
    }
    drop(sender);
    assert_eq!(running.await.unwrap(), 1);
    let account = server.account();
    let closed =
        |nth: usize| account.profiles[nth].slots.iter().filter(|it| title(it) == "Closed").count();
    assert_eq!((closed(0), closed(1)), (2, 1));
}

#[tokio::test]
async fn upload_sets_the_picture_of_a_page() {
    let (server, client) = super::cafe().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("logo.png");
    std::fs::write(&file, crate::upload::png(800, 800, 0)).unwrap();
    let url = upload::run(&client, "cafe", &file).await.unwrap();
    let avatar = server.account().profiles[0].avatar.clone().unwrap();
    assert!(url.ends_with(&avatar), "{url} {avatar}");

    // Too small for a picture: nothing is sent.
    std::fs::write(&file, crate::upload::png(10, 10, 0)).unwrap();
    server.forget_requests();
    let error = upload::run(&client, "cafe", &file).await.unwrap_err();
    assert!(error.is_invalid_input() && server.requests().is_empty(), "{error}");
}

#[tokio::test]
async fn errors_says_what_to_do_about_each_kind() {
    use errors::{NextStep, next_step};
    let (server, client, _) = super::quick_cafe().await;
    let add = |page: &'static str, link: &'static str| {
        let client = client.clone();
        async move { errors::add(&client, page, Button::new("Menu", link)).await }
    };
    let link = "https://cafe.example/menu";
    let refused = add("cafe", "").await.unwrap_err();
    assert_eq!(next_step(&refused), NextStep::Correct(vec!["data.link".to_owned()]), "{refused}");
    assert!(matches!(next_step(&add("no.page", link).await.unwrap_err()), NextStep::Report(_)));
    let late = client.profile("cafe").slots().create(Button::new("Menu", link));
    let late = late.with_deadline(Duration::ZERO).await.unwrap_err();
    assert_eq!(next_step(&late), NextStep::Again(Duration::from_secs(60)), "{late}");

    server.fail(1..40, &Fault::RateLimited(None));
    let error = add("cafe", link).await.unwrap_err();
    assert!(matches!(next_step(&error), NextStep::Again(_)), "{error}");

    let (server, client, _) = super::quick_cafe().await;
    server.fail(1..40, &Fault::Before(503));
    let error = errors::add(&client, "cafe", Button::new("Menu", link)).await.unwrap_err();
    assert_eq!(next_step(&error), NextStep::Look, "{error}");

    // Every answer to the first call is lost; the service gives it again under the same key.
    let (server, client, _) = super::quick_cafe().await;
    let before = button_count(&server);
    server.fail(1..4, &Fault::DropAfter);
    errors::add(&client, "cafe", Button::new("Menu", link)).await.unwrap();
    assert_eq!(button_count(&server), before + 1);
    server.edit(|account| account.tokens[0].revoked = true);
    let error = errors::add(&client, "cafe", Button::new("Menu", link)).await.unwrap_err();
    assert_eq!(next_step(&error), NextStep::LogIn, "{error}");
}
