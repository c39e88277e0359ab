//! Tests of faults 1 and 3 to 16: connections that fail, break, stall, or receive wrong answers.

use std::ffi::OsStr;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use links_fixtures::{ContractServer, World};
use links_sdk::{Client, Outcome, ProfileChanges, Timeouts, Token};
use tokio::net::{TcpSocket, TcpStream};

use super::{TestEnv, divider, dividers, own_process};
use links_test_support::clock::shared_clock;
use links_test_support::proxy::Act;

/// Returns a client for a URL, in tests in which only the connection matters.
fn client_of(address: String, connect: Duration) -> Client {
    let (clock, _) = shared_clock();
    let mut timeouts = Timeouts::default();
    timeouts.connect = connect;
    let builder = Client::builder(address).token(Token::new("pps_anything").unwrap());
    builder.clock(clock).timeouts(timeouts).build().unwrap()
}

/// Returns the text of an error without the port, which differs from run to run.
fn portless(error: &links_sdk::Error) -> String {
    let text = error.to_string();
    let (before, after) = text.split_once("127.0.0.1:").unwrap();
    format!("{before}127.0.0.1{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[tokio::test]
async fn a_host_that_cannot_be_reached_is_tried_four_times() {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let client = client_of(format!("http://127.0.0.1:{port}/api/v1"), Duration::from_secs(9));
    let error = client.profile("cafe").slots().create(divider()).await.unwrap_err();
    assert_eq!((error.attempts(), error.outcome()), (4, Outcome::NotExecuted));
    assert!(error.is_network() && error.is_safe_to_repeat());
    assert_eq!(error.to_string(), format!("createSlot: cannot reach 127.0.0.1:{port}"));

    // No name has a label of more than 63 letters, so no resolver needs to be asked.
    let host = format!("{}.invalid", "a".repeat(64));
    let said = own_process::ask(&format!("https://{host}/api/v1"), &[]).await;
    assert!(
        said.starts_with(&format!("4 attempts, NotExecuted: getMe: cannot reach {host}")),
        "{said}"
    );
}

#[tokio::test]
async fn what_is_refused_at_first_succeeds_when_the_service_is_back() {
    let env = TestEnv::new().await;
    env.proxy.refuse(3).await;
    env.slots().delete_batch(vec![1007]).await.unwrap();
    assert_eq!(env.answered(), [("deleteSlots", 200)]);
    env.proxy.refuse(5).await;
    assert_eq!(env.slots().delete(1006).await.unwrap_err().outcome(), Outcome::NotExecuted);
}

#[tokio::test]
async fn a_connection_that_is_not_accepted_counts_as_unreachable() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let soon = Duration::from_millis(20);
    let mut waiting = Vec::new();
    // No connection is accepted, so that the queue is full at some time.
    while let Ok(stream) = tokio::time::timeout(soon, TcpStream::connect(address)).await {
        waiting.push(stream.unwrap());
    }
    let error = client_of(format!("http://{address}/api/v1"), soon).me().await.unwrap_err();
    assert_eq!((error.attempts(), error.outcome()), (4, Outcome::NotExecuted));
    assert_eq!(error.to_string(), format!("getMe: cannot reach {address}"));
}

#[tokio::test]
async fn a_read_whose_answer_is_lost_is_asked_again() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::reset_before(), Act::reset_after(), Act::close_before()]);
    assert_eq!(env.slots().list().await.unwrap().len(), 14);
    assert_eq!(env.proxy.arrived().len(), 4);
    env.proxy.always(&Act::reset_before());
    let error = env.slots().list().await.unwrap_err();
    assert_eq!((error.attempts(), error.is_network()), (4, true));
    assert_eq!(portless(&error), "listSlots: the connection to 127.0.0.1 was interrupted");
}

#[tokio::test]
async fn creates_whose_answer_is_lost_are_replayed_under_their_key() {
    for lost in [Act::reset_before(), Act::reset_after()] {
        let env = TestEnv::new().await;
        env.proxy.script([lost]);
        let made = env.slots().create_batch(dividers(3)).await.unwrap();
        assert_eq!((made.len(), env.count()), (3, 17));
        let keys = env.sent("idempotency-key");
        assert_eq!(keys.len(), 2);
        assert!(keys[0] == keys[1] && !keys[0].is_empty());
    }
}

#[tokio::test]
async fn deletes_that_were_executed_are_found_done() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::reset_after()]);
    let done = env.slots().delete_batch(vec![1002, 1007]).await.unwrap();
    assert_eq!((done.deleted, done.total), (2, 12));
    assert_eq!(env.answered(), [("deleteSlots", 200), ("listSlots", 200)]);
}

#[tokio::test]
async fn deletes_that_were_not_executed_are_sent_again() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::reset_before()]);
    let done = env.slots().delete_batch(vec![1002, 1007]).await.unwrap();
    assert_eq!((done.deleted, done.total, env.count()), (2, 12, 12));
    assert_eq!(env.answered(), [("listSlots", 200), ("deleteSlots", 200)]);
}

#[tokio::test]
async fn only_slots_that_are_still_there_are_deleted_again() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::reset_before()]);
    env.server
        .edit(|account| account.profile_mut("cafe").unwrap().slots.retain(|slot| slot.id != 1007));
    let done = env.slots().delete_batch(vec![1002, 1007]).await.unwrap();
    assert_eq!((done.deleted, done.total), (2, 12));
    let seen = env.server.requests();
    let query = seen.last().unwrap().query.clone().unwrap();
    assert!(
        query.contains("1002") && !query.contains("1007") && seen.last().unwrap().body.is_empty(),
        "{query}"
    );
}

#[tokio::test]
async fn where_the_page_cannot_be_read_either_the_outcome_stays_unknown() {
    let env = TestEnv::new().await;
    env.proxy.always(&Act::reset_before());
    let error = env.slots().delete_batch(vec![1002]).await.unwrap_err();
    assert_eq!((error.operation(), error.outcome()), ("deleteSlots", Outcome::Unknown));
    let deletes = env.proxy.arrived().iter().filter(|head| head.starts_with("DELETE")).count();
    assert_eq!(deletes, 1, "never blindly");
}

#[tokio::test]
async fn not_found_is_success_only_after_a_lost_answer() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::reset_after()]);
    env.slots().delete(1002).await.unwrap();
    assert_eq!(env.answered(), [("deleteSlot", 204), ("deleteSlot", 404)]);
    let error = env.slots().delete(1002).await.unwrap_err();
    assert!(error.is_not_found() && error.outcome() == Outcome::NotExecuted);
}

#[tokio::test]
async fn a_create_whose_answer_is_cut_is_replayed_for_it() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::cut(10)]);
    let made = env.slots().create(divider()).await.unwrap();
    assert_eq!((made.kind.as_str(), env.count()), ("divider", 15));
    env.proxy.always(&Act::cut(10));
    let error = env.slots().create(divider()).await.unwrap_err();
    assert_eq!((error.outcome(), error.status(), env.count()), (Outcome::Executed, Some(201), 16));
    assert_eq!(
        portless(&error),
        "createSlot: 127.0.0.1 responded with 201, but the response is incomplete"
    );
}

#[tokio::test]
async fn a_write_without_a_key_whose_answer_is_cut_is_executed_and_not_repeated() {
    let env = TestEnv::new().await;
    env.proxy.always(&Act::cut(10));
    let error = env.slots().update(1002, [("title", "Anew")]).await.unwrap_err();
    assert_eq!((error.outcome(), error.attempts()), (Outcome::Executed, 1));
    env.proxy.script([Act::cut(10)]);
    let done = env.slots().delete_batch(vec![1002]).await.unwrap();
    assert_eq!((done.deleted, done.total), (1, 13));
}

#[tokio::test]
async fn writes_on_a_closed_keep_alive_connection_are_settled_or_replayed() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::keep_open(), Act::close_before()]);
    env.client.me().await.unwrap();
    env.slots().delete_batch(vec![1002]).await.unwrap();
    assert_eq!(env.answered(), [("getMe", 200), ("listSlots", 200), ("deleteSlots", 200)]);

    env.proxy.script([Act::keep_open(), Act::close_before()]);
    env.client.me().await.unwrap();
    env.slots().create(divider()).await.unwrap();
    let keys = env.sent("idempotency-key");
    assert_eq!(keys[keys.len() - 1], keys[keys.len() - 2]);
    assert_eq!(env.count(), 14);
}

#[tokio::test]
async fn a_gateway_timeout_leaves_the_outcome_unknown() {
    let gateway = || Act::answer(504, &[], "gateway timeout").executed();
    let env = TestEnv::new().await;
    env.proxy.script([gateway()]);
    assert_eq!(env.slots().create_batch(dividers(2)).await.unwrap().len(), 2);
    env.proxy.script([gateway()]);
    assert_eq!(env.slots().delete_batch(vec![1002]).await.unwrap().deleted, 1);
    assert_eq!(env.count(), 15);
    env.proxy.always(&gateway());
    let error = env.slots().update(1001, [("title", "Anew")]).await.unwrap_err();
    assert_eq!(
        (error.outcome(), error.status(), error.attempts()),
        (Outcome::Unknown, Some(504), 4)
    );
}

#[tokio::test]
async fn a_create_that_is_executed_after_its_repetition_creates_nothing_more() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::late()]);
    let slots = env.patient_for_seconds().profile("cafe").slots();
    assert_eq!(slots.create_batch(dividers(3)).await.unwrap().len(), 3);
    assert_eq!(env.answered(), [("createSlots", 201), ("createSlots", 201)]);
    assert_eq!(env.count(), 17);
    assert!(
        env.clock.slept().iter().sum::<Duration>() >= Duration::from_secs(5),
        "the key had time to settle"
    );
}

#[tokio::test]
async fn a_delete_that_is_executed_after_the_page_was_read_is_found_done() {
    let env = TestEnv::new().await;
    env.proxy.script([Act::late()]);
    let slots = env.patient_for_seconds().profile("cafe").slots();
    let done = slots.delete_batch(vec![1002]).await.unwrap();
    assert_eq!((done.deleted, done.total), (1, 13));
    let answered =
        [("listSlots", 200), ("deleteSlots", 200), ("deleteSlots", 422), ("listSlots", 200)];
    assert_eq!(env.answered(), answered);
}

#[tokio::test]
async fn a_failing_proxy_of_the_environment_is_named_and_loopback_bypasses_it() {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let proxy = format!("http://127.0.0.1:{port}");
    let environment =
        ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY"].map(|name| (name, OsStr::new(&proxy)));
    let said = own_process::ask("https://links.example/api/v1", &environment).await;
    assert!(
        said.starts_with("4 attempts, NotExecuted: getMe: cannot reach links.example"),
        "{said}"
    );
    assert!(said.contains("tunnel"), "{said}");

    let server = ContractServer::builder(World::cafe()).no_limits().start().await.unwrap();
    let said = own_process::ask(&server.base_url(), &environment).await;
    assert!(said.contains("getMe failed with status 401"), "{said}");
}

#[tokio::test]
async fn a_redirect_is_never_followed() {
    let elsewhere = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let target = format!("http://{}/login?secret=1", elsewhere.local_addr().unwrap());
    for (status, outcome) in [
        (301, Outcome::Unknown),
        (302, Outcome::Unknown),
        (303, Outcome::Unknown),
        (307, Outcome::NotExecuted),
        (308, Outcome::NotExecuted),
    ] {
        let env = TestEnv::new().await;
        env.proxy.always(&Act::answer(status, &[("Location", &target)], ""));
        let error = env.slots().create(divider()).await.unwrap_err();
        assert_eq!((error.status(), error.attempts(), error.outcome()), (Some(status), 1, outcome));
        let origin = target.split("/login").next().unwrap();
        assert!(error.to_string().ends_with(&format!("it redirects to {origin}")), "{error}");
        assert_eq!(env.proxy.arrived().len(), 1);
        assert!(env.client.me().await.unwrap_err().is_unreadable());
    }
    assert!(elsewhere.accept().is_err(), "it gets no request");
}

#[tokio::test]
async fn an_answer_over_the_limit_is_not_read_to_its_end() {
    let bomb = |status| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        (0..64).for_each(|_| gzip.write_all(&vec![b' '; 1 << 20]).unwrap());
        let body = gzip.finish().unwrap();
        assert!(body.len() < 1 << 17);
        Act::answer(status, &[("Content-Encoding", "gzip")], body)
    };
    let env = TestEnv::new().await;
    env.proxy.always(&bomb(200));
    let error = env.slots().list().await.unwrap_err();
    assert_eq!((error.is_unreadable(), error.status(), error.attempts()), (true, Some(200), 1));
    assert!(error.to_string().ends_with("it is larger than 8 MiB"), "{error}");
    env.proxy.always(&bomb(201));
    let error = env.slots().create(divider()).await.unwrap_err();
    assert_eq!((error.outcome(), error.attempts()), (Outcome::Executed, 1));
    env.proxy.always(&bomb(422));
    let error = env.slots().create(divider()).await.unwrap_err();
    assert_eq!((error.outcome(), error.status()), (Outcome::NotExecuted, Some(422)));
}

#[tokio::test]
async fn an_answer_that_stops_or_crawls_is_given_up() {
    let env = TestEnv::new().await;
    let client = env.patient_for_seconds();
    for slow in [Act::stall_in_body(5), Act::drip(Duration::from_millis(5))] {
        env.proxy.script([slow.clone()]);
        assert_eq!(client.profile("cafe").slots().list().await.unwrap().len(), 14);
        env.proxy.script([slow]);
        let changes = ProfileChanges::default().title("Anew");
        let page = client.profile("cafe").update(changes).await.unwrap();
        assert_eq!(page.title.as_deref(), Some("Anew"), "it was looked at");
    }
    let client = env.impatient();
    for silent in [Act::stall_before(), Act::stall_after()] {
        env.proxy.always(&silent);
        let error = client.profile("cafe").slots().create(divider()).await.unwrap_err();
        assert_eq!(
            (error.outcome(), error.attempts(), error.status()),
            (Outcome::Unknown, 4, None)
        );
        assert_eq!(portless(&error), "createSlot: 127.0.0.1 did not respond in time");
    }
}
