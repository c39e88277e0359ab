//! Tests of an undo by a program.

use links_fixtures::ContractServer;
use links_pages::account::DesiredAccount;
use links_pages::apply::{Apply, ApplyCause, DesiredPage, NotRestored, RunSettings};
use links_sdk::Client;
use serde_json::json;

use crate::cafe;

async fn apply(client: &Client, settings: &RunSettings, page: serde_json::Value) {
    let desired: DesiredPage = serde_json::from_value(page).unwrap();
    Apply::new(&client.profile("cafe"), desired).settings(settings.clone()).await.unwrap();
}

/// A page with another title, and its slots as they are.
fn titled(title: &str) -> serde_json::Value {
    json!({"fields": {"title": title}, "slots": [{"id": 1001, "type": "text"}]})
}

async fn undo(client: &Client, settings: &RunSettings) -> Option<Apply> {
    Apply::undo(&client.profile("cafe"), settings.clone()).await.unwrap()
}

fn title(server: &ContractServer) -> String {
    server.account().profiles[0].title.clone().unwrap()
}

#[tokio::test]
async fn repeats_go_further_back_over_what_was_taken_back_also_by_hand() {
    let (server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let settings = RunSettings::new().journal(state.path());
    let before = title(&server);
    let slots = server.account().profiles[0].slots.len();
    apply(&client, &settings, titled("One")).await;
    apply(
        &client,
        &settings,
        json!({"slots": [{"type": "divider"}, {"type": "text", "data": {"title": "New"}}]}),
    )
    .await;
    apply(&client, &settings, titled("Three")).await;
    // By hand.
    server.edit(|account| account.profiles[0].title = Some("One".to_owned()));
    assert!(undo(&client, &settings).await.unwrap().await.unwrap().done.deleted > 0);
    assert_eq!(server.account().profiles[0].slots.len(), slots);
    undo(&client, &settings).await.unwrap().await.unwrap();
    assert_eq!(title(&server), before);
    // The third run left a title that is not there any more.
    let error = Apply::undo(&client.profile("cafe"), settings).await.unwrap_err();
    assert!(
        matches!(error.cause(), ApplyCause::Changed(found, _) if found == &["title"]),
        "{error}"
    );
}

#[tokio::test]
async fn a_login_stays_and_is_named_and_a_run_of_which_nothing_comes_back_is_passed_over() {
    let (server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let settings = RunSettings::new().journal(state.path());
    let before = title(&server);
    let mut page = titled("One");
    page["fields"]["login"] = "cafe.qara".into();
    apply(&client, &settings, page).await;
    let renamed = client.profile("cafe.qara");
    let request = Apply::undo(&renamed, settings.clone()).await.unwrap().unwrap();
    let login = NotRestored::Field { name: "login".to_owned() };
    assert_eq!(request.not_restored(), [login]);
    request.await.unwrap();
    assert_eq!(title(&server), before);
    assert_eq!(server.account().profiles[0].login, "cafe.qara");
    assert!(Apply::undo(&renamed, settings.clone()).await.unwrap().is_none());

    let mut page = titled(&before);
    page["fields"]["login"] = "cafe.again".into();
    let desired: DesiredPage = serde_json::from_value(page).unwrap();
    Apply::new(&renamed, desired).settings(settings.clone()).await.unwrap();
    let renamed = client.profile("cafe.again");
    assert!(Apply::undo(&renamed, settings).await.unwrap().is_none());
}

#[tokio::test]
async fn what_changes_between_the_undo_and_its_run_is_kept() {
    let (server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let settings = RunSettings::new().journal(state.path());
    apply(&client, &settings, json!({"slots": [{"type": "text", "data": {"title": "New"}}]})).await;
    let request = undo(&client, &settings).await.unwrap();
    server.edit(|account| {
        let slot = account.profiles[0].slots.last_mut().unwrap();
        slot.data.insert("title".to_owned(), "Theirs".into());
    });
    server.forget_requests();
    let error = request.await.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Changed(..)), "{error}");
    assert!(server.requests().iter().all(|it| it.method == "GET"));
    let error = Apply::undo(&client.profile("cafe"), settings).await.unwrap_err();
    assert!(matches!(error.cause(), ApplyCause::Changed(..)), "{error}");
}

#[tokio::test]
async fn a_run_that_did_not_end_is_not_taken_back_by_half() {
    let (server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let settings = RunSettings::new().journal(state.path());
    apply(&client, &settings, titled("One")).await;
    let slots = (0..60).map(|nth| json!({"type": "text", "data": {"title": format!("{nth}")}}));
    let desired = json!({ "slots": slots.collect::<Vec<_>>() });
    let desired: DesiredPage = serde_json::from_value(desired).unwrap();
    server.fail_operation("createSlots", 2, &links_fixtures::Fault::Before(400));
    let run = Apply::new(&client.profile("cafe"), desired).settings(settings.clone());
    run.await.unwrap_err();
    let error = Apply::undo(&client.profile("cafe"), settings).await.unwrap_err();
    assert!(error.to_string().contains("is unfinished"), "{error}");
    assert_eq!(title(&server), "One");
}

#[test]
fn hostile_files_forge_no_line_of_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("page.yaml");
    std::fs::write(&path, "profile: cafe\n\"\\e]0;x\\a\\nother.yaml:1:1: y\": 1\n").unwrap();
    let error = DesiredAccount::read([&path]).unwrap_err().to_string();
    assert!(!error.contains(['\u{1b}', '\u{7}']), "{error:?}");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains("page.yaml:2:1: "), "{error}");
    let form = "form: contact\ntitle: T\nfields: []\nnotificationChannelIds: [{$channel: Owner}]\n";
    std::fs::write(&path, form).unwrap();
    let error = DesiredAccount::read([&path]).unwrap_err().to_string();
    assert!(error.contains("must be given by ID"), "{error}");
    let page = "profile: cafe\nslots: [{type: picture, data: {image: {$upload: a.png}}}]\n";
    std::fs::write(&path, page).unwrap();
    let error = DesiredAccount::read([&path]).unwrap_err().to_string();
    assert!(error.contains("page.yaml:2:"), "{error}");
}
