//! What the SDK offers to the tests of programs.

use links_fixtures::{ContractServer, World};
use links_sdk::testing::{Sample, sample, sample_with};
use links_sdk::types::{
    File, LeadForm, LoginCheck, Me, MusicMatch, NotificationChannel, Profile, ProfileSettings,
    SlotType,
};
use links_sdk::{Client, MusicQuery, Slot, Token};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Returns the fields of a record, those of the records in it included.
fn fields(record: &impl Serialize) -> Vec<String> {
    fn add(value: &Value, at: &str, names: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (name, value) in map {
                    names.push(format!("{at}.{name}"));
                    add(value, &format!("{at}.{name}"), names);
                }
            }
            Value::Array(list) => list.iter().for_each(|value| add(value, at, names)),
            _ => {}
        }
    }
    let mut names = Vec::new();
    add(&serde_json::to_value(record).unwrap(), "", &mut names);
    names.sort();
    names.dedup();
    names
}

/// Checks that a sample has the fields that the service answers, all of them known to the record.
fn compare<T: Sample + Serialize>(answered: &T) {
    assert_eq!(fields(&sample::<T>()), fields(answered), "{}", T::NAME);
}

#[tokio::test]
async fn samples_have_the_fields_that_the_service_answers() {
    let server = ContractServer::builder(World::cafe()).no_limits().start().await.unwrap();
    let token = Token::new(server.token()).unwrap();
    let client = Client::builder(server.base_url()).token(token).build().unwrap();
    let page = client.profile("cafe");
    let slots = page.slots().list().await.unwrap();
    compare::<Me>(&client.me().await.unwrap());
    compare::<Profile>(&page.get().await.unwrap());
    compare::<ProfileSettings>(&page.settings().await.unwrap());
    compare::<Slot>(slots.iter().find(|slot| slot.kind == "button").unwrap());
    compare::<SlotType>(&client.slot_type("button").await.unwrap());
    compare::<LeadForm>(&client.forms().list().await.unwrap().items[0]);
    compare::<NotificationChannel>(&client.notification_channels().await.unwrap().items[0]);
    compare::<LoginCheck>(&client.profiles().check_login("new.page").await.unwrap());
    compare::<MusicMatch>(&client.lookup_music(MusicQuery::new("198000000017")).await.unwrap());
    let image = links_sdk::Upload::bytes("dot.gif", DOT);
    compare::<File>(&client.files().upload(image).await.unwrap());
}

/// A GIF of one pixel.
const DOT: &[u8] = b"GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

#[test]
fn fields_of_a_sample_are_replaced_and_those_that_nothing_knows_are_kept() {
    let profile = sample_with::<Profile>(json!({"title": null, "colour": "red"}));
    assert_eq!((profile.title, profile.login.as_str()), (None, "cafe"));
    assert_eq!(profile.extra, Map::from_iter([("colour".to_owned(), "red".into())]));
}

#[test]
#[should_panic(expected = "not a Slot")]
fn a_sample_that_cannot_be_is_refused() {
    sample_with::<Slot>(json!({"supported": "perhaps"}));
}
