//! Random writes under random faults leave what a plain model says: all of it after a success, none of it after "not executed".

use std::time::Duration;

use links_fixtures::{Account, Choices, ContractServer, Fault, InFlight, World};
use links_sdk::types::{NewSlot, SlotChange};
use links_sdk::{
    Client, Error, FormChanges, NewForm, Object, Outcome, ProfileChanges, SettingsChanges,
    Timeouts, Token,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::clock::SharedClock;
use crate::no_limits;
use crate::proxy::{Act, Proxy};

/// The page under test, which also changes its login.
const PAGE: i64 = 101;

/// All that the writes can change.
#[derive(Clone, Debug, PartialEq)]
struct Model {
    login: String,
    title: Option<String>,
    language: Option<u64>,
    slots: Vec<Block>,
    forms: Vec<String>,
}

/// A slot; one that the model made has no id until the service tells it.
#[derive(Clone, Debug)]
struct Block {
    id: Option<i64>,
    title: Value,
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        self.title == other.title
            && (self.id == other.id || self.id.is_none() || other.id.is_none())
    }
}

/// One write. Places stand for slots and forms that exist then, whatever their number.
#[derive(Clone, Debug)]
enum Write {
    CreateSlot { title: String, at: Option<usize> },
    CreateSlots(Vec<String>),
    UpdateSlot { place: usize, title: String },
    UpdateSlots { places: Vec<usize>, title: String },
    Reorder { turn: usize },
    DeleteSlot { place: usize },
    DeleteSlots { places: Vec<usize> },
    CreateForm(String),
    UpdateForm { place: usize, title: String },
    UpdateProfile(Option<String>),
    Language(&'static str),
    Login(String),
    RehearseCreate(Vec<String>),
    RehearseUpdate(String),
}

/// What goes wrong during one write.
#[derive(Clone, Debug)]
struct Trouble {
    refused: u32,
    acts: Vec<Act>,
    fails_at: Option<usize>,
}

impl Model {
    fn of(account: &Account) -> Self {
        let page = &account.profiles[0];
        let block = |slot: &links_fixtures::Slot| Block {
            id: i64::try_from(slot.id).ok(),
            title: slot.data.get("title").cloned().unwrap_or_default(),
        };
        Self {
            login: page.login.clone(),
            title: page.title.clone(),
            language: page.language_id,
            slots: page.slots.iter().map(block).collect(),
            forms: account.forms.iter().map(|form| form.title.clone()).collect(),
        }
    }

    fn ids(&self, places: &[usize]) -> Vec<i64> {
        let mut ids: Vec<i64> = Vec::new();
        for place in places.iter().filter(|_| !self.slots.is_empty()) {
            let id = self.slots[place % self.slots.len()].id.unwrap();
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    fn after(&self, write: &Write) -> Self {
        let mut model = self.clone();
        let new = |title: &String| Block { id: None, title: json!(title) };
        match write {
            Write::CreateSlot { title, at } => {
                let end = model.slots.len();
                model.slots.insert(at.unwrap_or(end).min(end), new(title));
            }
            Write::CreateSlots(titles) => model.slots.extend(titles.iter().map(new)),
            Write::UpdateSlot { place, title } => model.retitle(&self.ids(&[*place]), title),
            Write::UpdateSlots { places, title } => model.retitle(&self.ids(places), title),
            Write::Reorder { turn } => {
                let turn = turn % model.slots.len().max(1);
                model.slots.rotate_left(turn);
            }
            Write::DeleteSlot { place } => model.remove(&self.ids(&[*place])),
            Write::DeleteSlots { places } => model.remove(&self.ids(places)),
            Write::CreateForm(title) => model.forms.push(title.clone()),
            Write::UpdateForm { place, title } => {
                let place = place % model.forms.len();
                model.forms[place].clone_from(title);
            }
            Write::UpdateProfile(title) => model.title.clone_from(title),
            Write::Language(code) => model.language = Some(if *code == "ru" { 2 } else { 1 }),
            Write::Login(login) => model.login.clone_from(login),
            Write::RehearseCreate(_) | Write::RehearseUpdate(_) => {}
        }
        model
    }

    fn retitle(&mut self, ids: &[i64], title: &str) {
        for block in self.slots.iter_mut().filter(|block| ids.contains(&block.id.unwrap())) {
            block.title = json!(title);
        }
    }

    fn remove(&mut self, ids: &[i64]) {
        self.slots.retain(|block| !ids.contains(&block.id.unwrap()));
    }
}

/// Makes the call. `None` when there is nothing to write to.
async fn call(
    client: &Client,
    model: &Model,
    forms: &[String],
    write: &Write,
) -> Option<Result<(), Error>> {
    let page = client.profile(PAGE);
    let slots = page.slots();
    let new = |title: &String| NewSlot::of("text").with("title", title.as_str());
    let data = |title: &str| -> Object { [("title", title)].into_iter().collect() };
    Some(match write {
        Write::CreateSlot { title, at: Some(at) } => {
            slots.create(new(title).at(i64::try_from(*at).unwrap())).await.map(drop)
        }
        Write::CreateSlot { title, at: None } => slots.create(new(title)).await.map(drop),
        Write::CreateSlots(titles) => {
            slots.create_batch(titles.iter().map(new).collect()).await.map(drop)
        }
        Write::UpdateSlot { place, title } => {
            slots.update(*model.ids(&[*place]).first()?, data(title)).await.map(drop)
        }
        Write::UpdateSlots { places, title } => {
            let ids = Some(model.ids(places)).filter(|ids| !ids.is_empty())?;
            let changes = ids.into_iter().map(|id| SlotChange { id, data: data(title) });
            slots.update_batch(changes.collect()).await.map(drop)
        }
        Write::Reorder { .. } => {
            let order = model.after(write).slots.iter().map(|block| block.id.unwrap()).collect();
            slots.reorder(order).await.map(drop)
        }
        Write::DeleteSlot { place } => slots.delete(*model.ids(&[*place]).first()?).await,
        Write::DeleteSlots { places } => {
            let ids = Some(model.ids(places)).filter(|ids| !ids.is_empty())?;
            let asked = ids.len();
            slots
                .delete_batch(ids)
                .await
                .map(|done| assert_eq!(usize::try_from(done.deleted).unwrap(), asked))
        }
        Write::CreateForm(title) => {
            let fields = json!({ "title": title, "fields": [{ "type": "text", "label": "Name", "required": true }] });
            let form = NewForm::from(serde_json::from_value::<Object>(fields).unwrap());
            client.forms().create(form).await.map(drop)
        }
        Write::UpdateForm { place, title } => {
            let form = client.form(&forms[place % forms.len()]);
            form.update(FormChanges::default().title(title.as_str())).await.map(drop)
        }
        Write::UpdateProfile(Some(title)) => {
            page.update(ProfileChanges::default().title(title.as_str())).await.map(drop)
        }
        Write::UpdateProfile(None) => {
            page.update(ProfileChanges::default().clear_title()).await.map(drop)
        }
        Write::Language(code) => {
            page.update_settings(SettingsChanges::default().language_code(*code)).await.map(drop)
        }
        Write::Login(login) => {
            page.update_settings(SettingsChanges::default().login(login.as_str())).await.map(drop)
        }
        Write::RehearseCreate(titles) => {
            slots.create_batch(titles.iter().map(new).collect()).dry_run().await
        }
        Write::RehearseUpdate(title) => {
            page.update(ProfileChanges::default().title(title.as_str())).dry_run().await
        }
    })
}

fn titles() -> impl Strategy<Value = String> {
    "[A-E]{1,2}"
}

fn writes() -> impl Strategy<Value = Write> {
    let places = || prop::collection::vec(0..9_usize, 1..5);
    let several = || prop::collection::vec(titles(), 1..5);
    prop_oneof![
        (titles(), prop::option::of(0..9_usize))
            .prop_map(|(title, at)| Write::CreateSlot { title, at }),
        several().prop_map(Write::CreateSlots),
        (0..9_usize, titles()).prop_map(|(place, title)| Write::UpdateSlot { place, title }),
        (places(), titles()).prop_map(|(places, title)| Write::UpdateSlots { places, title }),
        (0..9_usize).prop_map(|turn| Write::Reorder { turn }),
        (0..9_usize).prop_map(|place| Write::DeleteSlot { place }),
        places().prop_map(|places| Write::DeleteSlots { places }),
        titles().prop_map(Write::CreateForm),
        (0..9_usize, titles()).prop_map(|(place, title)| Write::UpdateForm { place, title }),
        prop::option::of(titles()).prop_map(Write::UpdateProfile),
        prop_oneof![Just("en"), Just("ru")].prop_map(Write::Language),
        "[a-e]{4}".prop_map(Write::Login),
        several().prop_map(Write::RehearseCreate),
        titles().prop_map(Write::RehearseUpdate),
    ]
}

fn acts() -> impl Strategy<Value = Act> {
    let refusal = |status| Act::answer(status, &[], r#"{"message": "No.", "code": "no"}"#);
    prop_oneof![
        4 => Just(Act::pass()),
        4 => Just(Act::reset_before()),
        4 => Just(Act::reset_after()),
        2 => Just(Act::close_before()),
        3 => (0..40_usize).prop_map(Act::cut),
        2 => prop_oneof![Just(500), Just(502), Just(503), Just(302)].prop_map(move |status| refusal(status).executed()),
        3 => prop_oneof![Just(500), Just(503), Just(302), Just(307), Just(401), Just(408), Just(409), Just(422)].prop_map(refusal),
        2 => Just(Act::answer(429, &[("Retry-After", "2")], "")),
        1 => Just(Act::answer(429, &[("Retry-After", "500")], "")),
        1 => Just(Act::late()),
    ]
}

fn troubles() -> impl Strategy<Value = Trouble> {
    let refused = prop_oneof![9 => Just(0), 1 => 1..6_u32];
    let acts = prop_oneof![2 => Just(Vec::new()), 3 => prop::collection::vec(acts(), 1..6)];
    let fails_at = prop_oneof![5 => Just(None), 1 => (1..3_usize).prop_map(Some)];
    (refused, acts, fails_at).prop_map(|(refused, acts, fails_at)| Trouble {
        refused,
        acts,
        fails_at,
    })
}

async fn check(steps: Vec<(Write, Trouble)>, choices: Choices) -> Result<(), TestCaseError> {
    let mut account = World::cafe().into_account();
    account.profiles[0].slots.retain(|slot| slot.kind == "text");
    let (clock, service_clock) = SharedClock::new();
    let server = ContractServer::builder(World::of(account)).clock(service_clock).no_limits();
    let server = server.choices(choices).start().await.unwrap();
    let proxy = Proxy::before(&server);
    let mut timeouts = Timeouts::default();
    timeouts.attempt = Some(Duration::from_millis(100));
    let builder = Client::builder(proxy.base_url()).token(Token::new(&server.token()).unwrap());
    let builder = builder.clock(clock).timeouts(timeouts).rate_limits(no_limits());
    let client = builder.observer(proxy.clone()).build().unwrap();
    let mut model = Model::of(&server.account());

    for (write, trouble) in steps {
        if trouble.refused > 0 {
            proxy.refuse(trouble.refused).await;
        }
        server.fail(trouble.fails_at, &Fault::Before(500));
        proxy.script(trouble.acts.clone());
        let forms: Vec<String> =
            server.account().forms.iter().map(|form| form.id.clone()).collect();
        let result = call(&client, &model, &forms, &write).await;
        proxy.settle().await;
        let now = Model::of(&server.account());
        let Some(result) = result else {
            prop_assert_eq!(&now, &model);
            continue;
        };
        let done = model.after(&write);
        let truthful = match result.as_ref().map_err(Error::outcome) {
            Ok(()) | Err(Outcome::Executed) => now == done,
            Err(Outcome::NotExecuted) => now == model,
            Err(Outcome::Unknown) => now == done || now == model,
        };
        prop_assert!(
            truthful,
            "{write:?} under {trouble:?}: {result:?}\nbefore {model:?}\nnow {now:?}"
        );
        model = now;
    }
    Ok(())
}

/// So many that the test takes a few seconds, unless the environment asks for more.
fn config() -> ProptestConfig {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() {
        ProptestConfig::default().cases
    } else {
        40
    };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_write_ends_as_it_says(
        steps in prop::collection::vec((writes(), troubles()), 1..12),
        failures_stored: bool,
        conflicts: bool,
    ) {
        let in_flight = if conflicts { InFlight::Conflict } else { InFlight::Waits };
        let choices = Choices { failures_stored, in_flight, ..Choices::default() };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check(steps, choices))?;
    }
}
