//! Rules of the two fields of a status, which the service takes together, by example.

use serde_json::{Value, json};

use super::examples::{base_of, file, page};
use crate::apply::PlanOptions;
use crate::sync::{FilePage, LivePage, Merge, PageBase, RemoteChange};

fn said(text: &str, hours: u32) -> FilePage {
    FilePage { fields: status(json!(text), json!(hours)), ..file(&[]) }
}

fn live(text: Value, hours: Value) -> LivePage {
    LivePage { fields: status(text, hours), ..page(&[]) }
}

fn status(text: Value, hours: Value) -> links_sdk::Object {
    [("moodText", text), ("moodHours", hours)].into_iter().collect()
}

fn merge(base: &PageBase, file: &FilePage, page: &LivePage, overwrite: bool) -> Merge {
    let options = PlanOptions { overwrite, ..PlanOptions::default() };
    Merge::new(Some(base), file, page, &options).unwrap()
}

/// Returns the record of a file and a page that both say "Open" for 4 hours.
fn synced() -> PageBase {
    let (file, page) = (said("Open", 4), live(json!("Open"), json!(4)));
    let first = Merge::new(None, &file, &page, &PlanOptions::default()).unwrap();
    base_of(&first, None, &file, &page)
}

#[test]
fn a_field_of_a_status_that_was_changed_there_is_sent_as_it_is_there() {
    let base = synced();
    let cases = [
        (said("Closed", 4), ["Open", "Closed"], [8, 8], "moodHours"),
        (said("Open", 12), ["Late", "Late"], [4, 12], "moodText"),
    ];
    for (file, [text, text_after], [hours, hours_after], kept) in cases {
        let found = merge(&base, &file, &live(json!(text), json!(hours)), false);
        let after = live(json!(text_after), json!(hours_after));
        assert_eq!(found.fields, after.fields, "{kept}");
        assert!(
            matches!(&found.remote[..], [RemoteChange::Field { key, .. }] if key == kept),
            "{:?}",
            found.remote
        );
        let next = base_of(&found, Some(&base), &file, &after);
        assert_eq!(next.fields[kept], base.fields[kept], "a value that was kept keeps its pair");
        let again = merge(&next, &file, &after, false);
        assert!(again.fields.is_empty() && again.remote == found.remote, "{again:?}");
    }
}

#[test]
fn a_field_of_a_status_that_was_cleared_there_is_not_sent() {
    let found = merge(&synced(), &said("Closed", 4), &live(json!("Open"), Value::Null), false);
    assert_eq!(json!(found.fields), json!({"moodText": "Closed"}));
}

#[test]
fn a_status_is_written_as_the_file_has_it_where_the_file_wins_or_nothing_changed_there() {
    let file = said("Closed", 4);
    let unchanged = merge(&synced(), &file, &live(json!("Open"), json!(4)), false);
    assert_eq!(unchanged.fields, file.fields);
    let wins = merge(&synced(), &file, &live(json!("Open"), json!(8)), true);
    assert_eq!(wins.fields, file.fields);
}
