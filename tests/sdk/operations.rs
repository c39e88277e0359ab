//! Tests that every operation of the description is reached by a method of the client.

use std::collections::BTreeSet;
use std::pin::Pin;

use links_sdk::types::{NewSlot, SlotChange};
use links_sdk::{
    AnalyticsQuery, Client, Error, FormChanges, FormId, MusicQuery, NewProfile, Object,
    ProfileChanges, SettingsChanges, SlotId, Upload,
};

use crate::cafe;

type Sent<'a> = Pin<Box<dyn Future<Output = Result<(), Error>> + 'a>>;

/// Returns a call of each operation, made by its method.
fn call<'a>(client: &'a Client, operation: &str, ids: &'a Ids) -> Option<Sent<'a>> {
    macro_rules! send {
        ($call:expr) => {
            Box::pin(async move { $call.await.map(drop) })
        };
    }
    let page = move || client.profile("cafe");
    let slots = move || client.profile("cafe").slots();
    let title = || -> Object { [("title", "Anew")].into_iter().collect() };
    Some(match operation {
        "getApiIndex" => send!(client.index()),
        "getOpenapi" => send!(client.openapi()),
        "getMe" => send!(client.me()),
        "listSlotTypes" => send!(client.slot_types()),
        "getSlotType" => send!(client.slot_type("button")),
        "listProfiles" => send!(client.profiles().list()),
        "createProfile" => send!(client.profiles().create(NewProfile::with_login("new.page"))),
        "checkLogin" => {
            send!(client.profile("cafe").check_login("new.page2"))
        }
        "getProfile" => send!(page().get_with_slots()),
        "updateProfile" => {
            send!(page().update(ProfileChanges::default().title("Anew").clear_description()))
        }
        "getProfileSettings" => send!(page().settings()),
        "updateProfileSettings" => {
            send!(page().update_settings(SettingsChanges::default().language_code("en")))
        }
        "previewProfileMarkdown" => send!(page().markdown()),
        "listSlots" => send!(slots().list()),
        "createSlot" => send!(slots().create(NewSlot::of("divider").at(0))),
        "updateSlots" => {
            send!(slots().update_batch([SlotChange::new(ids.text, title())]))
        }
        "deleteSlots" => send!(slots().delete_batch(vec![ids.divider])),
        "createSlots" => {
            send!(slots().create_batch(vec![NewSlot::of("divider"), NewSlot::of("divider")]))
        }
        "reorderSlots" => send!(async move {
            let order: Vec<_> = slots().list().await?.iter().rev().map(|slot| slot.id).collect();
            slots().reorder(order).await
        }),
        "getSlot" => send!(slots().get(ids.text)),
        "updateSlot" => send!(slots().update(ids.text, title())),
        "deleteSlot" => send!(slots().delete(ids.button)),
        "listForms" => send!(client.forms().list()),
        "createForm" => send!(client.forms().create(FormChanges(form()))),
        "showForm" => send!(client.form(&ids.form).get()),
        "updateForm" => send!(
            client.form(&ids.form).update(FormChanges::default().title("Anew").clear_description())
        ),
        "listNotificationChannels" => send!(client.notification_channels()),
        "lookupMusic" => send!(async move {
            match client.lookup_music(MusicQuery::new("no such record").artist("nobody")).await {
                Err(error) if error.is_not_found() => Ok(()),
                other => other.map(drop),
            }
        }),
        "uploadFile" => send!(client.files().upload(Upload::bytes("dot.gif", GIF))),
        "createUploadUrl" => send!(client.files().create_upload_url()),
        "getAccountAnalytics" => send!(client.analytics(AnalyticsQuery::default())),
        "getProfileAnalytics" => send!(page().analytics(AnalyticsQuery::default())),
        "getFormAnalytics" => send!(client.form(&ids.form).analytics(AnalyticsQuery::default())),
        _ => return None,
    })
}

struct Ids {
    text: SlotId,
    divider: SlotId,
    button: SlotId,
    form: FormId,
}

fn form() -> Object {
    serde_json::from_str(r#"{"title": "Write to us", "fields": [{"type": "text", "label": "Name", "required": true}]}"#)
        .unwrap()
}

const GIF: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

pub(crate) fn described_operations() -> BTreeSet<String> {
    let document: serde_json::Value =
        serde_json::from_str(include_str!("../../spec/openapi.json")).unwrap();
    let items = document["paths"].as_object().unwrap().values();
    let operations = items.flat_map(|item| item.as_object().unwrap().values());
    operations
        .filter_map(|operation| operation["operationId"].as_str())
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn every_described_operation_has_a_method_that_sends_it() {
    let (server, client) = cafe().await;
    let slots = client.profile("cafe").slots().list().await.unwrap();
    let of = |kind: &str| slots.iter().find(|slot| slot.kind == kind && slot.supported).unwrap().id;
    let form = client.forms().list().await.unwrap().items.remove(0).id;
    let ids = Ids { text: of("text"), divider: of("divider"), button: of("button"), form };

    let described = described_operations();
    assert_eq!(described.len(), 33);
    for operation in &described {
        server.forget_requests();
        let sent =
            call(&client, operation, &ids).unwrap_or_else(|| panic!("no method sends {operation}"));
        sent.await.unwrap_or_else(|error| panic!("{operation}: {error}"));
        let seen = server.requests();
        assert_eq!(
            seen.last().unwrap().operation,
            Some(operation.as_str()),
            "{operation} sent {seen:?}"
        );
    }
}
