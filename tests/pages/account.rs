//! Tests of the apply of several pages and forms in one run.

use links_fixtures::{Choices, ContractServer, Fault, Slot, World};
use links_pages::account::{AccountError, AccountPlan, AppliedPage, ApplyAccount, DesiredAccount};
use links_pages::apply::{ApplyCause, JournalStore, RunCommand, RunSettings, RunState, SlotTypes};
use links_sdk::{Client, Error, ErrorKind, Outcome, Token};
use links_test_support::proxy::{Act, Proxy};
use links_test_support::readings::readings;
use serde_json::{Value, json};

use crate::{cafe, cafe_with, client_of};

fn desired(value: Value) -> DesiredAccount {
    serde_json::from_value(value).unwrap()
}

fn operations(server: &ContractServer) -> Vec<&'static str> {
    server.requests().into_iter().map(|request| request.operation.unwrap()).collect()
}

fn position(operations: &[&str], name: &str) -> usize {
    operations.iter().position(|operation| *operation == name).unwrap()
}

async fn page(client: &Client, login: &str) -> Value {
    serde_json::to_value(client.profile(login).get_with_slots().await.unwrap()).unwrap()
}

/// Returns the account as it is: every page with all of its slots by their ids.
async fn pulled(client: &Client) -> DesiredAccount {
    let mut pages = Vec::new();
    for page in &client.profiles().list().await.unwrap().items {
        let read = client.profile(page.id).get_with_slots().await.unwrap();
        let slots =
            links_pages::apply::DesiredPage::from_page(&read.slots, &SlotTypes::default()).slots;
        let mut record = serde_json::to_value(page).unwrap();
        let code = client.profile(page.id).settings().await.unwrap().language_code;
        record["languageCode"] = json!(code);
        let fields = links_pages::apply::page_fields(record.as_object().unwrap());
        pages.push(json!({"profile": page.id.to_string(), "fields": fields, "slots": slots}));
    }
    let forms: Vec<Value> = client
        .forms()
        .list()
        .await
        .unwrap()
        .iter()
        .enumerate()
        .map(|(nth, form)| {
            let mut fields = serde_json::to_value(form).unwrap();
            for computed in ["id", "active", "createdAt"] {
                fields.as_object_mut().unwrap().remove(computed);
            }
            json!({"name": format!("form{nth}"), "id": form.id, "fields": fields})
        })
        .collect();
    desired(json!({"forms": forms, "pages": pages}))
}

async fn has_nothing_to_do(world: World, choices: Choices) {
    let named = format!("{choices:?}");
    let builder = ContractServer::builder(world).no_limits().choices(choices);
    let server = builder.start().await.unwrap();
    let client = client_of(&server);
    let account = pulled(&client).await;
    let plan = ApplyAccount::new(&client, account.clone()).plan().await.unwrap();
    assert!(plan.is_empty(), "{named} {plan:?}");
    server.forget_requests();
    let applied = ApplyAccount::new(&client, account).run().await.unwrap();
    for page in applied.pages {
        assert!(page.unwrap().done.is_nothing(), "{named}");
    }
    assert!(operations(&server).iter().all(|it| it.starts_with("get") || it.starts_with("list")));
}

#[tokio::test]
async fn an_account_that_was_read_has_nothing_to_do_under_every_reading_of_the_interface() {
    for choices in readings() {
        has_nothing_to_do(World::cafe(), choices.clone()).await;
        has_nothing_to_do(World::empty(), choices).await;
    }
}

#[tokio::test]
async fn an_account_of_a_hundred_pages_that_was_read_has_nothing_to_do() {
    has_nothing_to_do(World::full(), Choices::default()).await;
}

#[tokio::test]
async fn everything_that_adds_comes_before_everything_that_removes_across_the_pages() {
    let (server, client) = cafe().await;
    let mut account = pulled(&client).await;
    // The first slot of the first page moves to the end of the second one.
    let mut moved = account.pages[0].slots.as_mut().unwrap().remove(0);
    moved.id = links_pages::sync::FileSlotId::Absent;
    let title = moved.data.get("title").cloned();
    account.pages[1].slots.as_mut().unwrap().push(moved);
    account.pages[0].fields.insert("login".into(), "cafe.qara".into());
    server.forget_requests();
    let run = ApplyAccount { prune: true, renames: true, ..ApplyAccount::new(&client, account) };
    let applied = run.run().await.unwrap();
    assert!(applied.pages.iter().all(Result::is_ok), "{applied:?}");
    let sent = operations(&server);
    assert!(position(&sent, "createSlots") < position(&sent, "updateProfileSettings"), "{sent:?}");
    assert!(position(&sent, "updateProfileSettings") < position(&sent, "deleteSlots"), "{sent:?}");
    let second = page(&client, "qara.weddings").await;
    assert_eq!(
        second["slots"].as_array().unwrap().last().unwrap()["data"].get("title"),
        title.as_ref()
    );
}

#[tokio::test]
async fn forms_and_pages_are_created_once_and_only_where_that_was_allowed() {
    let (server, client) = cafe().await;
    let account = desired(json!({
        "forms": [{"name": "contact", "fields": {"title": "Write to us", "buttonText": "Send", "successMessage": "Thanks",
            "fields": [{"type": "text", "label": "Name", "required": true}]}}],
        "pages": [{"profile": "cafe.astana", "fields": {"title": "Astana"},
            "slots": [{"type": "form", "data": {"formId": {"$form": "contact"}}}]}, {"profile": "cafe", "fields": {"title": "Both"}}],
    }));
    server.forget_requests();
    let error = ApplyAccount { creates: 1, ..ApplyAccount::new(&client, account.clone()) }
        .run()
        .await
        .unwrap_err();
    assert!(matches!(error, AccountError::NotAllowed(_)), "{error}");
    let writes = |it: &&str| it.starts_with("create") || it.starts_with("update");
    assert_eq!(operations(&server).iter().filter(|it| writes(it)).count(), 0);

    let applied = ApplyAccount { creates: 2, ..ApplyAccount::new(&client, account.clone()) }
        .run()
        .await
        .unwrap();
    let id = &applied.forms["contact"].id;
    let done = &applied.pages[0].as_ref().unwrap().done;
    assert!(done.is_page_created && done.created.len() == 1);
    assert_eq!(page(&client, "cafe.astana").await["slots"][0]["data"]["formId"], json!(id));
    assert_eq!(page(&client, "cafe").await["title"], "Both");
    server.forget_requests();
    let again = ApplyAccount::new(&client, account).run().await.unwrap();
    assert!(again.pages.iter().all(|page| page.as_ref().unwrap().done.is_nothing()));
    assert_eq!(operations(&server), ["listForms", "listProfiles", "getProfile", "getProfile"]);
}

#[tokio::test]
async fn two_runs_at_once_create_a_form_once() {
    let (server, client) = cafe().await;
    let before = server.account().forms.len();
    let account = desired(json!({
        "forms": [{"name": "contact", "fields": {"title": "Write to us", "buttonText": "Send", "successMessage": "Thanks",
            "fields": [{"type": "text", "label": "Name", "required": true}]}}],
        "pages": [{"profile": "cafe", "slots": [{"id": "new", "type": "form", "data": {"formId": {"$form": "contact"}}}]}],
    }));
    let run = || ApplyAccount { creates: 1, ..ApplyAccount::new(&client, account.clone()) }.run();
    let (one, two) = tokio::join!(run(), run());
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(server.account().forms.len(), before + 1);
    assert_eq!(one.forms["contact"].id, two.forms["contact"].id);
}

#[tokio::test]
async fn the_forms_that_a_command_of_a_program_writes_are_in_its_journals() {
    let (_server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let form = |button: &str| {
        let fields = json!({"title": "Write to us", "buttonText": button, "successMessage": "Thanks",
            "fields": [{"type": "text", "label": "Name", "required": true}]});
        desired(json!({"forms": [{"name": "contact", "fields": fields}], "pages": []}))
    };
    let apply = async |account| {
        let mut settings = RunSettings::new().journal(state.path());
        settings.command = RunCommand { name: "publish".to_owned(), ..RunCommand::default() };
        let apply = ApplyAccount { creates: 1, settings, ..ApplyAccount::new(&client, account) };
        apply.run().await.unwrap().forms["contact"].id.clone()
    };
    let id = apply(form("Send")).await;
    assert_eq!(apply(form("Go")).await, id);
    let runs = JournalStore::of_commands(state.path(), client.base_url().as_str()).list().unwrap();
    let [created, changed] = &runs[..] else { panic!("{runs:?}") };
    let (created, changed) = (created.log.as_ref().unwrap(), changed.log.as_ref().unwrap());
    let write = created.write.as_ref().unwrap();
    assert_eq!((&*write.operation, created.state), ("createForm", RunState::Done));
    assert_eq!(created.stored.as_ref().unwrap()["id"], json!(id));
    let write = changed.write.as_ref().unwrap();
    assert_eq!((&*write.operation, changed.state), ("updateForm", RunState::Done));
    assert_eq!(
        (&write.before["buttonText"], &write.changed["buttonText"]),
        (&json!("Send"), &json!("Go"))
    );
    assert_eq!(changed.opening.form.as_deref(), Some(&*id));
}

#[tokio::test]
async fn the_error_of_a_form_has_the_forms_that_were_written_before_it() {
    let form = |name: &str| {
        json!({"name": name, "fields": {"title": name, "buttonText": "Send", "successMessage": "Thanks",
            "fields": [{"type": "text", "label": "Name", "required": true}]}})
    };
    let account = desired(json!({"forms": [form("one"), form("two")], "pages": []}));
    let (server, client) = cafe().await;
    server.fail_operation("createForm", 2, &Fault::Before(403));
    let run = ApplyAccount { creates: 2, ..ApplyAccount::new(&client, account) };
    let error = run.run().await.unwrap_err();
    let AccountError::Form { name, done, .. } = &error else { panic!("{error}") };
    assert!(name == "two" && done.len() == 1 && done.contains_key("one"), "{error:?}");
    assert_eq!((error.kind(), error.outcome()), (ErrorKind::Forbidden, Outcome::Executed));
}

#[tokio::test]
async fn nothing_more_is_read_once_the_token_is_refused() {
    let (server, client) = cafe().await;
    let account = desired(json!({"pages": [
        {"profile": "cafe", "fields": {"title": "One"}}, {"profile": "qara.weddings", "fields": {"title": "Two"}},
    ]}));
    let refusals = [(401, ErrorKind::NotAuthenticated, 2), (403, ErrorKind::Forbidden, 3)];
    for (status, kind, sent) in refusals {
        server.forget_requests();
        // listProfiles, then a page.
        server.fail([2], &Fault::Before(status));
        let error = ApplyAccount::new(&client, account.clone()).run().await.unwrap_err();
        assert_eq!((operations(&server).len(), error.kind()), (sent, kind));
        let error = Error::from(error);
        assert_eq!((error.status(), error.outcome()), (Some(status), Outcome::NotExecuted));
        assert!(!error.is_safe_to_repeat());
    }
}

#[tokio::test]
async fn a_page_that_fails_does_not_stop_the_others_and_the_next_run_goes_on() {
    let (server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let account = desired(json!({"pages": [
        {"profile": "cafe", "fields": {"title": "One"}}, {"profile": "qara.weddings", "fields": {"title": "Two"}},
    ]}));
    server.forget_requests();
    // listProfiles, two pages, then the first write.
    server.fail([4], &Fault::Before(403));
    let run = || {
        let settings = RunSettings::new().journal(state.path());
        ApplyAccount { settings, ..ApplyAccount::new(&client, account.clone()) }
    };
    let applied = run().run().await.unwrap();
    let (first, second) = (&applied.pages[0], &applied.pages[1]);
    let Err(AccountError::Apply(error)) = first else { panic!("{first:?}") };
    assert!(error.done().is_nothing(), "{error:?}");
    assert_eq!(second.as_ref().unwrap().done.fields.len(), 1);
    assert_eq!(page(&client, "qara.weddings").await["title"], "Two");
    let next = run().run().await.unwrap();
    assert!(next.pages[0].is_ok() && next.pages[1].as_ref().unwrap().done.is_nothing());
}

/// The create of an interrupted run is sent again before what is not allowed is known.
#[tokio::test]
async fn a_run_that_is_refused_after_it_settled_another_one_says_that_something_was_written() {
    let state = tempfile::tempdir().unwrap();
    let (server, client) = cafe().await;
    let first = json!({"profile": "cafe", "slots": [{"type": "text", "data": {"title": "New"}}]});
    let run = |pages: Value| {
        let settings = RunSettings::new().journal(state.path());
        let request = ApplyAccount::new(&client, desired(json!({ "pages": pages })));
        ApplyAccount { settings, ..request }.run()
    };
    server.fail_operation("createSlots", 1, &Fault::Before(504));
    server.fail_operation("listSlots", 1, &Fault::Before(403));
    let ended = run(json!([first])).await.unwrap();
    let error = ended.pages[0].as_ref().unwrap_err();
    assert_eq!(error.outcome(), Outcome::Unknown, "{error}");
    let slots = || server.account().profiles[0].slots.len();
    assert_eq!(slots(), 14);
    let refused = run(json!([first, {"profile": "spring.menu", "fields": {"title": "Menu"}}]));
    let error = refused.await.unwrap_err();
    assert_eq!((slots(), error.outcome()), (15, Outcome::Executed), "{error}");
    let said = error.to_string();
    assert!(said.contains("would be created") && said.ends_with("written before that"), "{said}");
}

#[tokio::test]
async fn a_page_that_was_created_and_cannot_be_planned_then_is_said_to_exist() {
    let account = desired(
        json!({"pages": [{"profile": "cafe.astana", "slots": [{"type": "divider", "data": {}}]}]}),
    );
    let run = |client: &Client| {
        ApplyAccount { creates: 1, ..ApplyAccount::new(client, account.clone()) }.run()
    };
    let (server, client) = cafe().await;
    server.forget_requests();
    run(&client).await.unwrap();
    let created = position(&operations(&server), "createProfile") + 1;

    let (server, client) = cafe().await;
    server.edit_after(created, |account| {
        let slots = account.profiles[1].slots.clone();
        let page = account.profiles.last_mut().unwrap();
        page.slots = (0..500).map(|nth| Slot { id: 5000 + nth, ..slots[0].clone() }).collect();
    });
    let applied = run(&client).await.unwrap();
    let Err(error @ AccountError::Created { id, .. }) = &applied.pages[0] else {
        panic!("{applied:?}")
    };
    assert_eq!(client.profile(*id).get().await.unwrap().login, "cafe.astana");
    assert!(
        error.to_string().starts_with("created page cafe.astana, but wrote nothing else to it")
    );
}

#[tokio::test]
async fn deletes_wait_until_no_page_lacks_its_new_slots() {
    let (server, client) = cafe().await;
    let mut account = pulled(&client).await;
    let mut moved = account.pages[0].slots.as_mut().unwrap().remove(0);
    moved.id = links_pages::sync::FileSlotId::Absent;
    account.pages[1].slots.as_mut().unwrap().push(moved);
    let before = page(&client, "cafe").await["slots"].clone();
    server.forget_requests();
    let sent = {
        ApplyAccount { prune: true, ..ApplyAccount::new(&client, account.clone()) }
            .plan()
            .await
            .unwrap();
        operations(&server).len()
    };
    server.forget_requests();
    server.fail([sent + 1], &Fault::Before(403));
    let applied =
        ApplyAccount { prune: true, ..ApplyAccount::new(&client, account) }.run().await.unwrap();
    let Err(AccountError::Apply(withheld)) = &applied.pages[0] else { panic!("{applied:?}") };
    assert!(matches!(withheld.cause(), ApplyCause::Withheld), "{withheld}");
    assert!(applied.pages[1].is_err());
    assert_eq!(page(&client, "cafe").await["slots"], before);
}

#[tokio::test]
async fn a_second_sync_keeps_what_others_changed_by_the_record_of_the_first() {
    let (server, client) = cafe_with(Choices::default()).await;
    let mut account = desired(
        json!({"pages": [{"profile": "cafe", "fields": {"title": "Ours", "description": "Text"}}]}),
    );
    let first = ApplyAccount::new(&client, account.clone()).run().await.unwrap();
    let Ok(AppliedPage { base, .. }) = &first.pages[0] else { panic!("{first:?}") };
    server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    account.pages[0].base = Some(base.clone());
    account.pages[0].fields.insert("description".into(), "Changed".into());
    let second = ApplyAccount::new(&client, account.clone()).run().await.unwrap();
    let done = &second.pages[0].as_ref().unwrap().done;
    assert_eq!(done.fields.iter().collect::<Vec<_>>(), ["description"]);
    let now = page(&client, "cafe").await;
    assert_eq!((&now["title"], &now["description"]), (&json!("Theirs"), &json!("Changed")));
    account.pages[0].fields.insert("title".into(), "Ours again".into());
    let error = ApplyAccount::new(&client, account).run().await.unwrap_err();
    assert!(
        matches!(error, AccountError::Conflicts { ref conflicts, .. } if conflicts.len() == 1),
        "{error}"
    );
}

#[tokio::test]
async fn two_desired_forms_with_one_id_are_refused() {
    let (server, client) = cafe_with(Choices::default()).await;
    let id = server.account().forms[0].id.clone();
    let form = |name: &str| json!({"name": name, "id": id, "fields": {"title": name}});
    let account = desired(json!({"forms": [form("one"), form("two")]}));
    for overwrite in [false, true] {
        let apply = ApplyAccount { overwrite, ..ApplyAccount::new(&client, account.clone()) };
        let error = apply.run().await.unwrap_err();
        assert!(matches!(error, AccountError::Invalid(_)), "{error}");
        assert!(error.to_string().contains("one and two"), "{error}");
    }
    assert_eq!(server.account().forms[0].id, id);
    assert!(operations(&server).iter().all(|it| it.starts_with("list")));
}

#[tokio::test]
async fn a_second_sync_of_a_form_keeps_what_others_changed_by_the_record_of_the_first() {
    let (server, client) = cafe_with(Choices::default()).await;
    let mut account = desired(json!({"forms": [{"name": "booking", "fields": {
        "title": "Book", "buttonText": "Send", "successMessage": "Thanks",
        "fields": [{"type": "text", "label": "Name", "required": true}],
    }}]}));
    let run = |account: &DesiredAccount| {
        ApplyAccount { creates: 1, ..ApplyAccount::new(&client, account.clone()) }.run()
    };
    let first = run(&account).await.unwrap();
    let (id, base) = (first.forms["booking"].id.clone(), first.forms["booking"].base.clone());
    account.forms[0].base = Some(base);
    server.edit(|account| {
        let form = account.forms.iter_mut().find(|form| form.id == *id).unwrap();
        form.button_text = "Theirs".to_owned();
    });
    account.forms[0].fields.insert("successMessage".into(), "Soon".into());
    let second = run(&account).await.unwrap();
    let now = client.form(id.clone()).get().await.unwrap();
    assert_eq!((&*now.button_text, &*now.success_message), ("Theirs", "Soon"));
    account.forms[0].base = Some(second.forms["booking"].base.clone());
    account.forms[0].fields.insert("buttonText".into(), "Ours".into());
    let error = run(&account).await.unwrap_err();
    assert!(error.to_string().starts_with("form booking: conflicting changes (1)"), "{error}");
    let apply = ApplyAccount { overwrite: true, ..ApplyAccount::new(&client, account) };
    apply.run().await.unwrap();
    assert_eq!(client.form(id).get().await.unwrap().button_text, "Ours");
}

/// Returns a plan as a program that saved it reads it again.
fn reloaded(plan: &AccountPlan) -> AccountPlan {
    let again = serde_json::from_str(&serde_json::to_string_pretty(plan).unwrap()).unwrap();
    assert_eq!(&again, plan);
    again
}

#[tokio::test]
async fn a_saved_plan_equals_the_one_that_was_made_and_is_carried_out_as_it_is_or_not_at_all() {
    let (server, client) = cafe().await;
    let first = desired(json!({"pages": [{"profile": "cafe", "fields": {"title": "First"}}]}));
    let applied = ApplyAccount::new(&client, first).run().await.unwrap();
    let base = applied.pages[0].as_ref().unwrap().base.clone();
    let account = desired(json!({
        "forms": [{"name": "contact", "fields": {"title": "Write to us", "buttonText": "Send", "successMessage": "Thanks",
            "fields": [{"type": "text", "label": "Name", "required": true}]}}],
        "pages": [
            {"profile": "cafe", "fields": {"title": "Second"}, "base": base},
            {"profile": "brand.new", "fields": {"title": "New"},
                "slots": [{"id": "new", "type": "form", "data": {"formId": {"$form": "contact"}}}]},
        ],
    }));
    let plan = ApplyAccount::new(&client, account.clone()).plan().await.unwrap();
    let saved = reloaded(&plan);
    let run = |plan: AccountPlan| {
        let apply = ApplyAccount::new(&client, account.clone());
        ApplyAccount { creates: 2, planned: Some(plan), ..apply }.run()
    };
    let is_read = |it: &&str| it.starts_with("get") || it.starts_with("list");

    // Another plan is due: of a page, of a form.
    server.edit(|account| account.profiles[0].description = Some("Theirs".to_owned()));
    let mut other = saved.clone();
    other.pages[0].plan.fields.changed.insert("title".into(), "Forged".into());
    let mut no_forms = saved.clone();
    no_forms.forms.clear();
    let mut one_page = saved.clone();
    one_page.pages.truncate(1);
    for (plan, expected) in
        [(other, "page cafe"), (no_forms, "form contact"), (one_page, "page brand.new")]
    {
        server.forget_requests();
        let refused = run(plan).await.unwrap_err();
        assert!(
            matches!(&refused, AccountError::PlanChanged { what } if what == expected),
            "{refused}"
        );
        assert!(operations(&server).iter().all(is_read));
    }

    let applied = run(saved.clone()).await.unwrap();
    assert!(applied.pages.iter().all(Result::is_ok), "{applied:?}");
    assert_eq!(page(&client, "cafe").await["title"], "Second");
    let made = page(&client, "brand.new").await;
    assert_eq!(made["slots"][0]["data"]["formId"], json!(applied.forms["contact"].id));
    // A run of the same plan has nothing left to do.
    server.forget_requests();
    let again = desired(json!({
        "pages": [{"profile": "cafe", "fields": {"title": "Second"}, "base": applied.pages[0].as_ref().unwrap().base}],
    }));
    let again = ApplyAccount { planned: Some(saved), ..ApplyAccount::new(&client, again) }
        .run()
        .await
        .unwrap();
    assert!(again.pages[0].as_ref().unwrap().done.is_nothing());
    assert!(operations(&server).iter().all(is_read));
}

#[tokio::test]
async fn a_saved_plan_of_a_recorded_account_without_changes_equals_the_one_that_was_made() {
    let (_server, client) = cafe().await;
    let mut account = pulled(&client).await;
    let applied = ApplyAccount::new(&client, account.clone()).run().await.unwrap();
    for (page, applied) in account.pages.iter_mut().zip(applied.pages) {
        page.base = Some(applied.unwrap().base);
    }
    let plan = ApplyAccount::new(&client, account).plan().await.unwrap();
    assert!(reloaded(&plan).is_empty(), "{plan:?}");
}

#[tokio::test]
async fn a_plan_that_is_carried_on_deletes_no_slot_that_came_since() {
    let (server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let mut account = pulled(&client).await;
    account.pages.truncate(1);
    account.pages[0].slots.as_mut().unwrap().remove(0);
    account.pages[0].fields.insert("title".into(), "Second".into());
    let request = |planned| {
        let settings = RunSettings::new().journal(state.path());
        let apply = ApplyAccount::new(&client, account.clone());
        ApplyAccount { prune: true, settings, planned, ..apply }
    };
    let plan = request(None).plan().await.unwrap();
    assert_eq!(plan.pages[0].plan.deletes.len(), 1);
    server.fail_operation("deleteSlots", 1, &Fault::Before(403));
    let interrupted = request(Some(plan.clone())).run().await.unwrap();
    assert!(interrupted.pages[0].is_err(), "{interrupted:?}");
    assert_eq!(server.account().profiles[0].title.as_deref(), Some("Second"));

    let theirs = |account: &mut links_fixtures::Account| {
        let slot = Slot { id: 5000, ..account.profiles[0].slots[0].clone() };
        account.profiles[0].slots.push(slot);
    };
    server.edit(theirs);
    let has = |id| server.account().profiles[0].slots.iter().any(|slot| slot.id == id);
    let first = server.account().profiles[0].slots[0].id;
    server.forget_requests();
    let refused = request(Some(plan.clone())).run().await.unwrap_err();
    assert!(matches!(refused, AccountError::PlanChanged { .. }), "{refused}");
    assert!(has(5000) && has(first));
    server.edit(|account| account.profiles[0].slots.retain(|slot| slot.id != 5000));
    assert!(request(Some(plan)).run().await.unwrap().pages[0].is_ok());
    assert!(!has(first));
}

#[test]
fn unknown_keys_of_a_desired_account_are_refused_at_every_level() {
    for account in [
        json!({"form": []}),
        json!({"forms": [{"name": "contact", "fields": {}, "identifier": "f1"}]}),
        json!({"pages": [{"profile": "cafe", "field": {}}]}),
        json!({"pages": [{"profile": "cafe", "slots": [{"type": "divider", "lock": true}]}]}),
    ] {
        let error = serde_json::from_value::<DesiredAccount>(account.clone()).unwrap_err();
        assert!(error.to_string().starts_with("unknown field"), "{account}: {error}");
    }
}

#[tokio::test]
async fn a_plan_whose_form_and_page_were_created_is_carried_on_after_the_page_failed() {
    let (server, client) = cafe().await;
    let state = tempfile::tempdir().unwrap();
    let slot = json!({"id": "new", "type": "form", "data": {"formId": {"$form": "contact"}}});
    let account = desired(json!({
        "forms": [{"name": "contact", "fields": {"title": "Write to us", "buttonText": "Send", "successMessage": "Thanks",
            "fields": [{"type": "text", "label": "Name", "required": true}]}}],
        "pages": [{"profile": "cafe", "slots": [slot]}, {"profile": "brand.new", "slots": [slot]}],
    }));
    let request = |planned| {
        let settings = RunSettings::new().journal(state.path());
        let apply = ApplyAccount::new(&client, account.clone());
        ApplyAccount { creates: 2, settings, planned, ..apply }
    };
    let plan = reloaded(&request(None).plan().await.unwrap());
    for nth in [1, 2] {
        server.fail_operation("createSlots", nth, &Fault::Before(403));
    }
    let failed = request(Some(plan.clone())).run().await.unwrap();
    assert!(failed.pages.iter().all(Result::is_err), "{failed:?}");
    let forms = server.account().forms.len();

    // Another slot of the page is no part of the plan.
    let theirs = |account: &mut links_fixtures::Account| {
        let page = account.profiles.iter().position(|it| it.login == "brand.new").unwrap();
        let slot = Slot { id: 5000, ..account.profiles[0].slots[0].clone() };
        account.profiles[page].slots.push(slot);
    };
    server.edit(theirs);
    let refused = request(Some(plan.clone())).run().await.unwrap_err();
    assert!(matches!(refused, AccountError::PlanChanged { .. }), "{refused}");
    server.edit(|account| {
        account.profiles.iter_mut().for_each(|it| it.slots.retain(|slot| slot.id != 5000));
    });

    let applied = request(Some(plan)).run().await.unwrap();
    assert!(applied.pages.iter().all(Result::is_ok), "{applied:?}");
    assert_eq!(server.account().forms.len(), forms);
    let made = page(&client, "brand.new").await;
    assert_eq!(made["slots"][0]["data"]["formId"], json!(applied.forms["contact"].id));
    assert_eq!(made["slots"].as_array().unwrap().len(), 1);
}

/// Returns the plan for an account whose first request is answered with an empty part of a list.
async fn planned_by_a_part(account: &DesiredAccount) -> Result<AccountPlan, AccountError> {
    let (server, _) = cafe().await;
    let proxy = Proxy::before(&server);
    let builder = Client::builder(proxy.base_url());
    let client = builder.token(Token::new(server.token()).unwrap()).build().unwrap();
    let json = [("Content-Type", "application/json")];
    proxy.script([Act::answer(200, &json, r#"{"data": [], "meta": {"total": 2}}"#)]);
    ApplyAccount::new(&client, account.clone()).plan().await
}

#[tokio::test]
async fn a_page_that_a_part_of_the_list_lacks_is_looked_for_before_it_is_created() {
    let account = desired(json!({"pages": [
        {"profile": "cafe", "fields": {"title": "One"}}, {"profile": "brand.new", "fields": {"title": "Two"}},
    ]}));
    let plan = planned_by_a_part(&account).await.unwrap();
    assert_eq!(plan.pages[0].id, Some(101.into()));
    assert_eq!(plan.pages[1].id, None);
}

#[tokio::test]
async fn a_form_is_not_created_from_a_part_of_the_list() {
    let account = desired(json!({"forms": [{"name": "contact", "fields": {"title": "Book"}}]}));
    let error = planned_by_a_part(&account).await.unwrap_err();
    assert!(matches!(&error, AccountError::Forms(source) if source.is_unreadable()), "{error}");
    assert!(error.to_string().contains("it lists 0 of 2 forms"), "{error}");
}
