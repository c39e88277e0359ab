//! Tests of runs that ended before the sync was recorded: what they wrote is no change of another client.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::examples::{file, page, synced};
use super::service::{ServicePage, types};
use crate::apply::{Plan, PlanBatch, PlanError, PlanOptions, SentValues};
use crate::sync::{Conflict, FilePage, LivePage, Merge, PageBase};
use links_sdk::SlotId;

fn options() -> PlanOptions {
    PlanOptions { types: types(), ..PlanOptions::default() }
}

fn live(service: &ServicePage) -> LivePage {
    LivePage {
        id: 7.into(),
        login: "cafe".into(),
        slots: service.slots.clone(),
        ..LivePage::default()
    }
}

fn plan(merge: &Merge, page: &LivePage) -> Plan {
    Plan::new(&page.slots, &merge.wanted(), &options()).unwrap()
}

/// Runs the first steps of an apply, and adds what its journal says. `is_cut` is set if the next step was begun, too.
fn cut_run(
    sent: &mut SentValues,
    service: &mut ServicePage,
    base: &PageBase,
    said: &FilePage,
    steps: usize,
    is_cut: bool,
) {
    let page = live(service);
    let merge = Merge::new(Some(base), said, &page, &options()).unwrap();
    let plan = plan(&merge, &page);
    let batches = plan.batches();
    let done = steps.min(batches.len());
    let created = service.execute_steps(&plan, done);
    let mut ids = created.into_iter();
    let made: Vec<BTreeMap<usize, SlotId>> = batches[..done]
        .iter()
        .map(|batch| match batch {
            PlanBatch::Create(creates) => {
                creates.iter().map(|create| create.index).zip(ids.by_ref()).collect()
            }
            _ => BTreeMap::new(),
        })
        .collect();
    sent.add_run(&plan, &made, is_cut && done < batches.len());
}

fn button(title: &str, link: &str, style: &Value) -> Value {
    json!(["button", {"title": title, "link": link, "style": style}])
}

#[test]
fn a_value_that_the_service_stored_in_another_form_is_the_one_that_was_sent() {
    let base = synced(&[(1, button("Menu", "https://a.example", &json!("bold")))]);
    let said = file(&[button(" Card ", "b.example", &Value::Null)]);
    let mut service = ServicePage::default();
    let data = json!({"title": "Menu", "link": "https://a.example", "style": "bold"});
    service.create("button", &serde_json::from_value(data).unwrap(), 0);
    let mut sent = SentValues::default();
    cut_run(&mut sent, &mut service, &base, &said, 1, false);
    assert_eq!(service.value(1.into(), "link"), "https://b.example");
    assert_eq!(service.value(1.into(), "style"), "primary");
    let conflicts = |sent: &SentValues, said: &FilePage, page: &LivePage| {
        let base = base.with_sent(sent, said, page, &types());
        Merge::new(Some(&base), said, page, &options()).unwrap().conflicts.len()
    };
    // The file as it was, and with further changes.
    let page = live(&service);
    assert_eq!(conflicts(&SentValues::default(), &said, &page), 2, "without the journal");
    assert_eq!(conflicts(&sent, &said, &page), 0);
    let more = file(&[button("Dishes", "c.example", &json!("bold"))]);
    assert_eq!(conflicts(&sent, &more, &page), 0);
    assert_eq!(conflicts(&sent, &file(&[]), &page), 0, "a deletion of what only this run changed");
    // Another client's value of the same key is still theirs.
    service.update(1.into(), "link", &json!("https://theirs.example"));
    assert_eq!(conflicts(&sent, &said, &live(&service)), 1);
}

#[test]
fn a_value_that_another_client_set_back_is_theirs() {
    let base = synced(&[(1, button("A", "https://a.example", &json!("bold")))]);
    let page_with = |title: &str| page(&[(1, button(title, "https://a.example", &json!("bold")))]);
    let said = |title: &str| file(&[button(title, "https://a.example", &json!("bold"))]);
    let run = |page: &LivePage, base: &PageBase, title: &str| {
        let merge = Merge::new(Some(base), &said(title), page, &options()).unwrap();
        plan(&merge, page)
    };
    // One run wrote B; the next one began to write C.
    let mut first = SentValues::default();
    first.add_run(&run(&page_with("A"), &base, "B"), &[BTreeMap::new()], false);
    let after = base.with_sent(&first, &said("B"), &page_with("B"), &types());
    assert!(after.slots[0].pair("title") == synced_pair("B"), "{after:?}");
    // What another client wrote since is in conflict, whatever it is.
    for theirs in ["A", "X"] {
        let there = base.with_sent(&first, &said("C"), &page_with(theirs), &types());
        let merge = Merge::new(Some(&there), &said("C"), &page_with(theirs), &options()).unwrap();
        let is_conflict = matches!(merge.conflicts[..], [Conflict::Value { .. }]);
        // To set a value back to that of the last sync leaves nothing to tell.
        assert_eq!(is_conflict, theirs == "X", "{merge:?}");
    }
}

fn synced_pair(title: &str) -> crate::sync::HashPair {
    crate::sync::HashPair::of(crate::sync::ValueHash::of(&json!(title)))
}

/// An edit of the file.
type FileEdit = (u8, u8, u8);

fn edited(said: &mut FilePage, (action, a, b): FileEdit, words: &mut u32) {
    *words += 1;
    let len = said.slots.len();
    let nth = usize::from(a) % len.max(1);
    match action % 6 {
        0 if len > 1 => drop(said.slots.remove(nth)),
        1 => {
            let link = format!("w{words}.example");
            let new = button(
                &format!(" Word {words} "),
                &link,
                &[json!("bold"), Value::Null][usize::from(b % 2)],
            );
            let at = usize::from(b) % (len + 1);
            said.slots.insert(at, file(&[new]).slots.remove(0));
        }
        2 if len > 1 => {
            let slot = said.slots.remove(nth);
            said.slots.insert(usize::from(b) % len, slot);
        }
        _ if len > 0 => {
            let (key, value) = match b % 4 {
                0 => ("style", Value::Null),
                1 => ("style", json!("bold")),
                2 => ("link", json!(format!("w{words}.example"))),
                _ => ("title", json!(format!("Word {words} "))),
            };
            said.slots[nth].data.insert(key.to_owned(), value);
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Where no other client changes the page, no run finds a change of another client, wherever those before it ended.
    #[test]
    fn runs_that_are_cut_short_find_no_changes_of_others(
        rounds in proptest::collection::vec(
            (proptest::collection::vec(any::<FileEdit>(), 0..4), 0_usize..5, any::<bool>()), 1..3),
        last in proptest::collection::vec(any::<FileEdit>(), 0..3),
    ) {
        let (mut service, mut words) = (ServicePage::default(), 0);
        let mut said = FilePage::default();
        for n in 0..4 {
            edited(&mut said, (1, 0, n), &mut words);
        }
        let none = PageBase { id: 7.into(), login: "cafe".into(), ..PageBase::default() };
        let merge = Merge::new(None, &said, &live(&service), &options()).unwrap();
        let first = plan(&merge, &live(&service));
        let created = first.creates.iter().map(|create| create.index).zip(service.execute(&first)).collect();
        let base = merge.base_after(Some(&none), &said, &live(&service), &created, &types());
        let mut sent = SentValues::default();
        for (edits, steps, is_cut) in rounds {
            for edit in edits {
                edited(&mut said, edit, &mut words);
            }
            let known = base.with_sent(&sent, &said, &live(&service), &types());
            match Merge::new(Some(&known), &said, &live(&service), &options()) {
                Ok(_) => {}
                // Items that were rewritten from end to end.
                Err(PlanError::Items(_)) => return Ok(()),
                Err(error) => panic!("{error}"),
            }
            cut_run(&mut sent, &mut service, &known, &said, steps, is_cut);
        }
        for edit in last {
            edited(&mut said, edit, &mut words);
        }
        let page = live(&service);
        let known = base.with_sent(&sent, &said, &page, &types());
        let Ok(merge) = Merge::new(Some(&known), &said, &page, &options()) else { return Ok(()) };
        prop_assert!(merge.conflicts.is_empty() && merge.remote.is_empty(), "{merge:#?}\n{known:#?}\n{page:#?}\n{said:#?}");
        let finished = plan(&merge, &page);
        let created = finished.creates.iter().map(|create| create.index).zip(service.execute(&finished)).collect();
        let after = live(&service);
        let titles = |slots: Vec<Value>| slots.iter().map(|it| it.as_str().unwrap().trim().to_owned()).collect::<Vec<_>>();
        prop_assert_eq!(
            titles(after.slots.iter().map(|slot| slot.data["title"].clone()).collect()),
            titles(said.slots.iter().map(|slot| slot.data["title"].clone()).collect())
        );
        let next = merge.base_after(Some(&known), &said, &after, &created, &types());
        let again = Merge::new(Some(&next), &said, &after, &options()).unwrap();
        prop_assert!(again.conflicts.is_empty() && again.remote.is_empty(), "{again:#?}");
        prop_assert!(plan(&again, &after).is_empty());
    }
}
