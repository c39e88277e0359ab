//! Tests of conditional writes: another client edits in every wait that comes before them.

use std::future::Future;
use std::pin::Pin;

use links_fixtures::{Account, Fault};
use links_sdk::{
    Client, FormChanges, Outcome, ProfileChanges, RateLimits, SettingsChanges, SlotId,
};

use links_test_support::contended::{ContendedEnv, slow, troubles};
use links_test_support::proxy::Act;

#[tokio::test]
async fn a_slot_edited_during_a_wait_is_not_deleted() {
    for (name, trouble) in troubles() {
        let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
        let slots = env.client.profile("cafe").slots();
        let seen: Vec<_> =
            slots.list().await.unwrap().into_iter().filter(|slot| slot.kind == "text").collect();
        let id = seen[0].id.get().cast_unsigned();
        env.meddle(move |account| {
            let slot = account.profiles[0].slots.iter_mut().find(|slot| slot.id == id).unwrap();
            slot.data.insert("title".into(), "Of another client".into());
        });
        env.proxy.script([Act::pass(), trouble]);
        let error = slots.delete_unchanged(seen).await.unwrap_err();
        assert!(env.was_meddled_with(), "{name}");
        assert!(error.is_conflict() && error.to_string().contains("edited"), "{name}: {error}");
        let page = slots.list().await.unwrap();
        let slot = page.iter().find(|slot| slot.id.get().cast_unsigned() == id);
        assert_eq!(slot.unwrap().data["title"], "Of another client", "{name}");
    }
}

#[tokio::test]
async fn a_lost_or_delayed_delete_is_executed_once() {
    let mut acts = troubles();
    acts.push(("lost after it was carried out", Act::reset_after()));
    acts.push(("cut", Act::cut(3)));
    acts.push(("answered without content", Act::answer(200, &[], "").executed()));
    acts.push(("answered with a page", Act::answer(200, &[], "<html>").executed()));
    for (name, trouble) in acts {
        let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
        let slots = env.client.profile("cafe").slots();
        let page = slots.list().await.unwrap();
        let seen: Vec<_> = page.iter().filter(|slot| slot.kind == "text").cloned().collect();
        env.proxy.script([Act::pass(), trouble]);
        let asked = seen.len();
        let done =
            slots.delete_unchanged(seen).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let left = page.len() - asked;
        let counts = (i64::try_from(asked).unwrap(), i64::try_from(left).unwrap());
        assert_eq!((done.deleted, done.total), counts, "{name}");
        assert_eq!(slots.list().await.unwrap().len(), left, "{name}");
    }
}

#[tokio::test]
async fn where_the_limits_are_used_up_the_look_waits_and_the_delete_follows_it_at_once() {
    // With two requests a second the third has to wait, and with one the read and the delete still follow each other.
    for per_second in [5, 2, 1] {
        let mut limits = RateLimits::default();
        limits.per_second = per_second;
        let env = ContendedEnv::new(limits).await;
        let slots = env.client.profile("cafe").slots();
        let mut seen = slots.list().await.unwrap();
        seen.retain(|slot| slot.kind == "text");
        for _ in 1..per_second {
            slots.list().await.unwrap();
        }
        let id = seen[0].id.get().cast_unsigned();
        env.meddle(move |account| {
            let slot = account.profiles[0].slots.iter_mut().find(|slot| slot.id == id).unwrap();
            slot.data.insert("title".into(), "Of another client".into());
        });
        let error = slots.delete_unchanged(seen).await.unwrap_err();
        assert!(env.was_meddled_with() && error.is_conflict(), "{per_second} a second: {error}");
        assert_eq!(error.outcome(), Outcome::NotExecuted);
        assert!(!env.operations().contains(&"deleteSlots"), "{per_second} a second");
    }
}

#[tokio::test]
async fn a_delete_answered_with_429_for_ever_ends_at_its_deadline() {
    let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
    let slots = env.client.profile("cafe").slots();
    let seen = slots.list().await.unwrap();
    let busy = Fault::RateLimited(Some("7".into()));
    // Every second request is a delete.
    env.server.fail((1..200).map(|nth| nth * 2), &busy);
    let error = slots.delete_unchanged(seen[..1].to_vec()).await.unwrap_err();
    assert!(error.is_rate_limited(), "{error}");
    assert_eq!(error.outcome(), Outcome::NotExecuted);
    assert_eq!(slots.list().await.unwrap().len(), seen.len());
}

#[tokio::test]
async fn a_form_edited_during_a_wait_is_not_overwritten() {
    for (name, trouble) in troubles() {
        let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
        let seen = env.client.forms().list().await.unwrap().items.remove(0);
        let form = env.client.form(&seen.id);
        env.meddle(|account| account.forms[0].title = "Of another client".into());
        env.proxy.script([Act::pass(), trouble.clone()]);
        let ours = FormChanges::default().title("Ours");
        let error = form.update_unchanged(&seen, ours).await.unwrap_err();
        assert!(env.was_meddled_with() && error.is_conflict(), "{name}: {error}");
        assert_eq!(form.get().await.unwrap().title, "Of another client", "{name}");

        // Fields that this call does not change may be changed by other clients.
        let seen = form.get().await.unwrap();
        env.meddle(|account| account.forms[0].button_text = "Of another client".into());
        env.proxy.script([Act::pass(), trouble]);
        let done = form.update_unchanged(&seen, FormChanges::default().title("Ours")).await;
        let done = done.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((&*done.title, &*done.button_text), ("Ours", "Of another client"), "{name}");
    }
}

#[tokio::test]
async fn an_update_of_a_form_whose_answer_is_lost_is_found_by_looking() {
    for act in [Act::reset_after(), Act::cut(5), Act::answer(200, &[], "").executed()] {
        let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
        let seen = env.client.forms().list().await.unwrap().items.remove(0);
        env.server.forget_requests();
        env.proxy.script([Act::pass(), act]);
        let form = env.client.form(&seen.id);
        let done = form.update_unchanged(&seen, FormChanges::default().title("Ours")).await;
        assert_eq!(done.unwrap().title, "Ours");
        assert_eq!(env.operations(), ["showForm", "updateForm", "showForm"]);
    }
}

type WriteFuture = Pin<Box<dyn Future<Output = Result<(), links_sdk::Error>>>>;

/// A write of a record that another client changes meanwhile, and the check of the result.
struct Overwrite {
    name: &'static str,
    edit: fn(&mut Account),
    write: fn(Client) -> WriteFuture,
    is_kept: fn(&Account) -> bool,
}

fn overwrites() -> Vec<Overwrite> {
    vec![
        Overwrite {
            name: "slot",
            edit: |account| {
                account.profiles[0].slots[0].data.insert("title".into(), "Theirs".into());
            },
            write: |client| {
                let data = [("title", "Ours")];
                let slots = client.profile("cafe").slots();
                Box::pin(async move { slots.update_unchanged(1001, None, data).await.map(|_| ()) })
            },
            is_kept: |account| account.profiles[0].slots[0].data["title"] == "Theirs",
        },
        Overwrite {
            name: "page",
            edit: |account| account.profiles[0].title = Some("Theirs".into()),
            write: |client| {
                let page = client.profile("cafe");
                let ours = ProfileChanges::default().title("Ours");
                Box::pin(async move { page.update_unchanged(None, ours).await.map(|_| ()) })
            },
            is_kept: |account| account.profiles[0].title.as_deref() == Some("Theirs"),
        },
        Overwrite {
            name: "login",
            edit: |account| account.profiles[0].login = "cafe.theirs".into(),
            write: |client| {
                Box::pin(async move {
                    let page = client.profile(101);
                    let ours = SettingsChanges::default().login("cafe.ours");
                    page.update_settings(ours).await.map(|_| ())
                })
            },
            is_kept: |account| account.profiles[0].login == "cafe.theirs",
        },
        Overwrite {
            name: "order",
            edit: |account| account.profiles[0].slots.swap(0, 1),
            write: |client| {
                Box::pin(async move {
                    let slots = client.profile("cafe").slots();
                    let seen: Vec<SlotId> =
                        slots.list().await?.iter().map(|slot| slot.id).collect();
                    let order: Vec<_> = seen.iter().rev().copied().collect();
                    slots.reorder_unchanged(seen, order).await.map(|_| ())
                })
            },
            is_kept: |account| account.profiles[0].slots[0].id == 1002,
        },
    ]
}

#[tokio::test]
async fn no_edit_during_a_wait_is_overwritten() {
    for Overwrite { name, edit, write, is_kept } in overwrites() {
        for (trouble, act) in troubles() {
            let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
            env.meddle(edit);
            // A reorder needs one more read, for the order that it relies on.
            let looks = if name == "order" { 2 } else { 1 };
            env.proxy.script(std::iter::repeat_n(Act::pass(), looks).chain([act]));
            let error = write(env.client.clone()).await.unwrap_err();
            assert!(env.was_meddled_with(), "{name}: {trouble}");
            assert!(error.is_conflict(), "{name}: {trouble}: {error}");
            assert!(is_kept(&env.server.account()), "{name}: {trouble}");
        }
    }
}

#[tokio::test]
async fn whatever_was_written_is_found_where_its_answer_is_lost() {
    for Overwrite { name, write, .. } in overwrites() {
        for act in [Act::reset_after(), Act::cut(5), Act::answer(200, &[], "").executed()] {
            let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
            let looks = if name == "order" { 2 } else { 1 };
            env.proxy.script(std::iter::repeat_n(Act::pass(), looks).chain([act]));
            let written = write(env.client.clone()).await;
            written.unwrap_or_else(|error| panic!("{name}: {error}"));
            let writes = env.server.requests();
            let writes = writes.iter().filter(|it| it.method != "GET").count();
            assert_eq!(writes, 1, "{name}: it is not sent twice");
        }
    }
}

#[tokio::test]
async fn a_new_question_whose_answer_is_lost_is_found_under_the_key_that_it_got() {
    let env = ContendedEnv::new(links_sdk::RateLimits::unlimited()).await;
    let seen = env.client.forms().list().await.unwrap().items.remove(0);
    let mut fields = serde_json::to_value(&seen).unwrap()["fields"].take();
    let new = serde_json::json!({"type": "text", "label": "New"});
    fields.as_array_mut().unwrap().push(new);
    let changes: links_sdk::Object = [("fields", fields)].into_iter().collect();
    env.proxy.script([Act::pass(), Act::reset_after()]);
    let form = env.client.form(&seen.id);
    let done = form.update_unchanged(&seen, FormChanges(changes)).await.unwrap();
    assert_eq!(done.fields.len(), seen.fields.len() + 1);
    let account = env.server.account();
    assert_eq!(account.forms[0].fields.len(), seen.fields.len() + 1);
}

#[tokio::test]
async fn a_delete_that_is_told_to_wait_a_minute_waits_looks_and_is_sent() {
    for limits in [links_sdk::RateLimits::unlimited(), RateLimits::default()] {
        let env = ContendedEnv::new(limits).await;
        let slots = env.client.profile("cafe").slots();
        let mut seen = slots.list().await.unwrap();
        seen.truncate(1);
        env.server.forget_requests();
        env.server.fail([2], &Fault::RateLimited(Some("60".into())));
        assert_eq!(slots.delete_unchanged(seen).await.unwrap().deleted, 1);
        assert_eq!(env.operations(), ["listSlots", "deleteSlots", "listSlots", "deleteSlots"]);
    }
}

#[tokio::test]
async fn where_one_request_a_second_is_allowed_a_delete_follows_its_look_a_second_later() {
    let mut one = RateLimits::default();
    one.per_second = 1;
    // The second client does not know of the limit.
    for (limits, is_known) in [(one, true), (RateLimits::default(), false)] {
        let env = slow(limits).await;
        let slots = env.client.profile("cafe").slots();
        let mut seen = slots.list().await.unwrap();
        seen.truncate(1);
        env.server.forget_requests();
        assert_eq!(slots.delete_unchanged(seen).await.unwrap().deleted, 1, "{is_known}");
        let operations = env.operations();
        assert!(operations.ends_with(&["listSlots", "deleteSlots"]), "{operations:?}");
        assert!(!is_known || operations.len() == 2, "none is refused: {operations:?}");
    }
}

#[tokio::test]
async fn where_one_request_a_second_is_allowed_every_write_is_carried_out() {
    let mut one = RateLimits::default();
    one.per_second = 1;
    for limits in [one, RateLimits::default()] {
        for Overwrite { name, write, .. } in overwrites() {
            let env = slow(limits).await;
            write(env.client.clone()).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
