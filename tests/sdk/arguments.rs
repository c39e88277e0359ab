//! Tests of the forms in which a program gives the arguments of a call.

use std::sync::Arc;

use links_sdk::content::Button;
use links_sdk::types::{NewFormField, NewSlot, SlotChange, Social};
use links_sdk::{
    AnalyticsQuery, Client, FormChanges, Object, Outcome, ProfileChanges, Token, TokenSource,
};
use serde_json::{Value, json};

use crate::cafe;

#[tokio::test]
async fn a_login_of_digits_is_an_id_whatever_type_holds_it() {
    let (server, client) = cafe().await;
    let text = server.account().profiles[0].id.to_string();
    // The login of another page looks like the id of the first one.
    server.edit(|account| account.profiles[1].login = text.clone());
    for page in [client.profile(&text), client.profile(&*text), client.profile(text.clone())] {
        assert_eq!(page.get().await.unwrap().login, "cafe");
    }
}

#[tokio::test]
async fn a_key_that_could_change_the_path_is_refused_before_anything_is_sent() {
    let (server, client) = cafe().await;
    for key in ["", "me?x", "a/b", "../me", "..", "%2e", "кафе", "a b", "a\r\nb", "0"] {
        let error = client.profile(key.to_owned()).get().await.unwrap_err();
        assert!(error.is_invalid_input(), "{key:?}: {error}");
        let check = client.profile(key).check_login("spring.menu");
        assert!(check.await.unwrap_err().is_invalid_input(), "{key:?}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn json_contents_and_pairs_send_the_same_body() {
    let (server, client) = cafe().await;
    let slots = client.profile("cafe").slots();
    let button = Button::new("Menu", "https://cafe.example/menu");
    let data = json!({"title": "Menu", "link": "https://cafe.example/menu"});
    slots.create(button.clone()).await.unwrap();
    slots.create(json!({"type": "button", "data": data})).await.unwrap();
    slots.create(NewSlot::from(button.clone())).await.unwrap();
    slots.create_batch([button.clone()]).await.unwrap();
    slots.create_many([button]).await.unwrap();
    slots.create(NewSlot::of("divider")).await.unwrap();
    slots.update(1002, json!({"title": "Menu"})).await.unwrap();
    slots.update(1002, [("title", "Menu")]).await.unwrap();
    slots.update(1002, Object::from([("title", "Menu")])).await.unwrap();
    slots.update_batch([SlotChange::new(1002, [("title", "Menu")])]).await.unwrap();
    let bodies: Vec<Value> =
        server.requests().iter().map(|it| serde_json::from_slice(&it.body).unwrap()).collect();
    let slot = json!({"type": "button", "data": data});
    let (batch, change) = (json!({"slots": [slot]}), json!({"data": {"title": "Menu"}}));
    let expected = [&slot, &slot, &slot, &batch, &batch, &json!({"type": "divider"})];
    let changes = json!({"slots": [{"id": 1002, "data": {"title": "Menu"}}]});
    let expected = expected.into_iter().chain([&change, &change, &change, &changes]);
    assert_eq!(bodies.iter().collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn json_for_every_record_is_accepted() {
    let (_server, client) = cafe().await;
    let page = client.profile("cafe");
    page.update(json!({"title": "Closed", "socials": [{"link": "https://a.example", "order": 0}]}))
        .await
        .unwrap();
    let socials = [Social::new("https://a.example", 0)];
    page.update(ProfileChanges::default().socials(socials)).await.unwrap();
    page.update(Object::from([("title", "Open")])).await.unwrap();
    page.update_settings(json!({"languageCode": "en"})).await.unwrap();
    let fields = [NewFormField::new("phone", "Phone").required(true)];
    let made = client.forms().create(FormChanges::default().title("Book").questions(fields)).await;
    let form = client.form(made.unwrap().id);
    let changed = form.update(json!({"title": "Book a table"})).await.unwrap();
    assert_eq!(changed.title, "Book a table");
    let renamed = page.update_settings(json!({"login": "cafe.mole"})).await.unwrap();
    assert_eq!(renamed.login, "cafe.mole");
}

#[tokio::test]
async fn json_of_another_shape_is_refused_before_anything_is_sent() {
    let (server, client) = cafe().await;
    let page = client.profile("cafe");
    let slots = page.slots();
    for wrong in [json!(null), json!("title"), json!(3), json!(["title"]), json!(true)] {
        let errors = [
            slots.update(1002, wrong.clone()).await.unwrap_err(),
            slots.update_unchanged(1002, None, wrong.clone()).await.unwrap_err(),
            slots.create(wrong.clone()).await.unwrap_err(),
            page.update(wrong.clone()).await.unwrap_err(),
            page.update_settings(wrong.clone()).await.unwrap_err(),
            client.forms().create(wrong.clone()).await.unwrap_err(),
            client.form("6f1c0f0e-0000-4000-8000-000000000001").update(wrong).await.unwrap_err(),
        ];
        for error in errors {
            assert!(error.is_invalid_input(), "{error}");
            assert_eq!(error.outcome(), Outcome::NotExecuted);
        }
    }
    let error = slots.create(json!({"typ": "button"})).await.unwrap_err();
    assert!(error.to_string().contains("typ"), "{error}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn analytics_are_read_as_a_type_of_the_program() {
    #[derive(Debug, serde::Deserialize)]
    struct Account {
        rows: Vec<Row>,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Row {
        login: String,
        clicks: u64,
    }
    let (_server, client) = cafe().await;
    let analytics = client.analytics(AnalyticsQuery::default()).await.unwrap();
    let account: Account = analytics.decode().unwrap();
    assert_eq!(account.rows[0].login, "cafe");
    assert_eq!(analytics.data["rows"][0]["clicks"], account.rows[0].clicks);
    let error = analytics.decode::<Row>().unwrap_err();
    assert!(error.to_string().contains("missing field `login`"), "{error}");
}

#[tokio::test]
async fn a_token_a_source_and_a_shared_source_are_arguments_of_one_method() {
    let (server, _) = cafe().await;
    let token = || Token::new(server.token()).unwrap();
    let shared: Arc<dyn TokenSource> = Arc::new(token());
    let service = Client::builder(server.base_url()).build().unwrap();
    let unheard = service.me().await.unwrap_err();
    assert!(unheard.is_not_authenticated(), "{unheard}");
    for client in [service.with_token(token()), service.with_token(shared.clone())] {
        client.me().await.unwrap();
    }
    Client::builder(server.base_url()).token(shared).build().unwrap().me().await.unwrap();
}
