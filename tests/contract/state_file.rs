//! Tests of a state that several servers share through a file, or that changes under a running server.

use std::fs;
use std::path::{Path, PathBuf};

use links_fixtures::{Clock, ContractServer, World, remove_state_file};
use serde_json::json;

use crate::operations::operations;
use crate::support::{Api, noon};

struct Shared {
    directory: tempfile::TempDir,
}

impl Shared {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("state")
    }

    async fn server(&self) -> Api {
        let builder = ContractServer::builder(World::cafe())
            .no_limits()
            .clock(Clock::manual(noon()))
            .state_file(self.path());
        Api::over(builder.start().await.expect("the server starts"))
    }
}

/// Returns everything that tells a file from another one, and from itself after a change.
fn identity(path: &Path) -> impl PartialEq + std::fmt::Debug + use<> {
    let metadata = fs::metadata(path).expect("a file");
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
    };
    #[cfg(not(unix))]
    let identity = ();
    (identity, metadata.len(), metadata.modified().ok(), fs::read(path).expect("a file"))
}

#[tokio::test]
async fn every_operation_is_seen_by_the_other_server_and_by_the_next_one() {
    let shared = Shared::new();
    let (one, two) = (shared.server().await, shared.server().await);
    let page = one.page().await;
    let start = one.server.account();
    for (number, operation) in operations(&one, &page).await.into_iter().enumerate() {
        let api = if number % 2 == 0 { &one } else { &two };
        api.server.edit(|account| account.clone_from(&start));
        operation.on(api).key(&number.to_string()).await.is(operation.success);
        let account = api.server.account();
        assert_eq!(one.server.account(), account, "{}", operation.name);
        assert_eq!(two.server.account(), account, "{}", operation.name);
        assert_eq!(shared.server().await.server.account(), account, "{}", operation.name);
    }
}

#[tokio::test]
async fn interleaved_writes_and_reads_of_two_servers_agree() {
    let shared = Shared::new();
    let apis = [shared.server().await, shared.server().await];
    let page = apis[0].page().await;
    let mut expected = page.ids().await;
    for round in 0..40 {
        let (writer, reader) = (&apis[round % 2], &apis[round / 2 % 2]);
        if round % 5 == 4 {
            let leaving = expected.pop().expect("a slot");
            writer.delete(&page.at(&format!("/slots/{leaving}"))).await.is(204);
        } else {
            let text = json!({"type": "text", "data": {"title": format!("Round {round}")}});
            let created = writer.post(&page.at("/slots")).json(&text).await.is(201);
            expected.push(created.data()["id"].as_i64().expect("an id"));
        }
        let listed = reader.get(&page.at("/slots")).await.is(200);
        let ids: Vec<_> = listed.data().as_array().expect("slots").iter().collect();
        let ids: Vec<_> = ids.iter().map(|slot| slot["id"].as_i64().expect("an id")).collect();
        assert_eq!(ids, expected, "round {round}");
    }
}

#[tokio::test]
async fn a_key_that_one_server_has_seen_is_known_to_the_other() {
    let shared = Shared::new();
    let (one, two) = (shared.server().await, shared.server().await);
    let path = one.page().await.at("/slots");
    let mut answers = Vec::new();
    for api in [&one, &two, &shared.server().await] {
        let asked = api.post(&path).json(&json!({"type": "divider"})).key("once");
        answers.push(asked.await.is(201).json);
    }
    assert_eq!(answers, vec![answers[0].clone(); 3]);
}

#[tokio::test]
async fn requests_that_change_nothing_leave_the_state_file_alone() {
    let shared = Shared::new();
    let builder = ContractServer::builder(World::cafe())
        .clock(Clock::manual(noon()))
        .state_file(shared.path());
    let api = Api::over(builder.start().await.expect("the server starts"));
    let before = identity(&shared.path());
    api.get("/me").await.is(200);
    api.get("/profiles/cafe?include=slots").await.is(200);
    api.patch("/profiles/cafe").json(&json!({"title": "Dry"})).dry_run().await.is(204);
    api.patch("/profiles/cafe").json(&json!({"colour": "red"})).await.refused(422);
    api.get("/nowhere").await.refused(404);
    api.get("/me").await.refused(429);
    assert_eq!(identity(&shared.path()), before);
}

#[tokio::test]
async fn a_state_file_of_equal_length_in_its_place_is_read() {
    let shared = Shared::new();
    let api = shared.server().await;
    let path = shared.path();
    let name = async || api.get("/me").await.is(200).data()["name"].clone();
    let original = fs::read_to_string(&path).expect("a state");
    for (number, letter) in ["B", "C", "D", "E"].into_iter().enumerate() {
        let other = original.replace("Aliya Serikova", &format!("{letter}liya Serikova"));
        assert_eq!(other.len(), original.len());
        if number % 2 == 0 {
            fs::write(&path, &other).expect("a write in place");
        } else {
            let beside = shared.directory.path().join("beside");
            fs::write(&beside, &other).expect("a file beside it");
            fs::rename(&beside, &path).expect("a rename");
        }
        assert_eq!(name().await, format!("{letter}liya Serikova"));
        api.patch("/profiles/cafe").json(&json!({"title": letter})).await.is(200);
        assert_eq!(name().await, format!("{letter}liya Serikova"));
    }
}

#[tokio::test]
async fn a_reset_under_a_running_server_starts_it_afresh() {
    let shared = Shared::new();
    let (one, two) = (shared.server().await, shared.server().await);
    let start = one.server.account();
    for removed in [true, false] {
        let id = one.page().await.add_text("Leaving").await;
        assert!(two.page().await.ids().await.contains(&id));
        if removed {
            remove_state_file(&shared.path()).expect("a reset");
        } else {
            fs::remove_file(shared.path()).expect("a state file");
        }
        assert!(!two.page().await.ids().await.contains(&id));
        assert_eq!((two.server.account(), one.server.account()), (start.clone(), start.clone()));
        assert!(shared.path().exists());
    }
}

#[tokio::test]
async fn a_server_without_a_log_keeps_nothing_of_a_request() {
    let builder = ContractServer::builder(World::cafe()).no_limits().no_request_log();
    let api = Api::over(builder.start().await.expect("the server starts"));
    let long = vec![b'x'; 1 << 20];
    for _ in 0..3 {
        api.get("/me").await.is(200);
        api.post("/profiles").body("application/json", long.clone()).await.refused(422);
    }
    assert_eq!(api.server.requests(), []);
    api.server.forget_requests();
}
