use links_pages::apply::{DesiredPage, Plan, PlanOptions, Wanted};
use links_sdk::Slot;
use serde_json::{Value, json};

use super::*;

fn page(slots: Value) -> Vec<Slot> {
    serde_json::from_value(slots).unwrap()
}

fn slot(id: i64, kind: &str, data: &Value) -> Value {
    json!({"id": id, "type": kind, "data": data, "supported": true})
}

fn style(kept_reason: &str, is_full: bool) -> PlanStyle<'_> {
    PlanStyle { kept_reason, is_full, item_name: &item_of_file }
}

/// Returns the plan as shown on lines of this width.
fn shown(slots: Value, file: &Value, options: &PlanOptions, width: usize) -> String {
    let page = page(slots);
    let desired: DesiredPage = serde_json::from_value(json!({ "slots": file })).unwrap();
    let plan = Plan::new(&page, &Wanted::bind(&page, desired, options).unwrap(), options).unwrap();
    let lines = PlanView::of(&plan, &page, Vec::new())
        .lines(width, style("not in the file; kept without --prune", true));
    for line in &lines {
        assert!(line.text().chars().all(|c| !links_pages::sanitize::is_unsafe(c)), "{line:?}");
    }
    let sign = |line: &StyledLine| match line.tone {
        Style::Plain => ' ',
        Style::Added => 'a',
        Style::Changed => 'c',
        Style::Removed => 'r',
        Style::Faint => 'f',
    };
    lines.iter().map(|it| format!("{} {}\n", sign(it), it.text())).collect::<Vec<_>>().concat()
}

const BAD: &str = "\u{1b}]52;c;x\u{7}\u{202e}evil\r\nnext";

#[test]
fn changed_fields_are_shown_with_old_and_new_values() {
    let long = "We open at 8 every day and close when the last guest leaves; dogs, laptops and long conversations are welcome.";
    let before = slot(
        7,
        "button",
        &json!({
            "title": "Menu", "description": long, "badge": "new", BAD: BAD,
            "items": [{"q": "a", "a": "1"}, {"q": "b", "a": "2"}, {"q": "c", "a": "3"}],
        }),
    );
    let after = json!({"id": 7, "type": "button", "data": {
        "title": "Summer menu", "description": long.replace("long", "short"), "badge": null, "style": "primary", BAD: "x",
        "items": [{"q": "a", "a": "1"}, {"q": "b", "a": "two"}, {"q": "c", "a": "3"}, {"q": "d", "a": "4"}],
    }});
    let at = |width| shown(json!([before]), &json!([after]), &PlanOptions::default(), width);
    insta::assert_snapshot!("changes", at(100));
    insta::assert_snapshot!("narrow_changes", at(40));
}

#[test]
fn new_and_moved_slots_are_shown_with_their_positions() {
    let block = |id: i64| slot(id, "text", &json!({"title": format!("Slot {id}")}));
    let item = |id: i64| json!({"id": id, "type": "text"});
    let new = json!({"type": "faq", "data": {"title": BAD, "items": [{"q": "日本語のとても長いページ", "a": 1}]}});
    let slots = json!([block(1), block(2), block(3), block(4)]);
    let file = json!([item(4), item(1), new, item(3), item(2)]);
    insta::assert_snapshot!(
        "new_slots_and_moves",
        shown(slots, &file, &PlanOptions::default(), 60)
    );
}

#[test]
fn slots_outside_the_file_are_shown_as_kept_or_deleted() {
    let slots = json!([
        slot(1, "text", &json!({"title": "A very long title that no one would want to read on one line"})),
        slot(2, "divider", &json!([])),
        slot(3, "event", &json!({"title": BAD})),
        {"id": 4, "type": "clock", "data": {}, "supported": false},
    ]);
    let file = json!([{"id": 2, "type": "divider"}]);
    insta::assert_snapshot!("kept_slots", shown(slots.clone(), &file, &PlanOptions::default(), 80));
    let prune = PlanOptions { prune: true, ..PlanOptions::default() };
    insta::assert_snapshot!("deleted_slots", shown(slots, &file, &prune, 80));
}

#[test]
fn kept_slots_are_counted_unless_the_plan_is_shown_in_full() {
    let slots = (1..=20).map(|id| slot(id, "divider", &json!([])));
    let page = page(slots.collect());
    let options = PlanOptions::default();
    let wanted = Wanted::bind(&page, DesiredPage::default(), &options).unwrap();
    let plan = Plan::new(&page, &wanted, &options).unwrap();
    let view = PlanView::of(&plan, &page, Vec::new());
    let lines = view.lines(80, style("", false));
    let text: Vec<_> = lines.iter().map(StyledLine::text).collect();
    assert_eq!(text, ["= 20 slots kept: not in the file; --full lists them"]);
    assert_eq!(view.lines(80, style("", true)).len(), 20);
}

#[test]
fn a_full_page_and_a_slot_that_others_deleted_get_a_warning() {
    let full = PlanOptions {
        prune: true,
        max_slots: 2,
        created: [(0, 9.into())].into(),
        ..PlanOptions::default()
    };
    let slots = json!([slot(1, "divider", &json!([])), slot(2, "text", &json!({"title": "Old"}))]);
    let file = json!([{"type": "text", "data": {"title": "New"}}, {"type": "divider"}]);
    insta::assert_snapshot!("warnings", shown(slots, &file, &full, 80));
}

#[test]
fn a_large_plan_is_summarised_but_names_every_delete() {
    let slots = (1..=80).map(|at| slot(at, "text", &json!({ "title": format!("Slot {at}") })));
    let page = page(slots.collect());
    let mut file: Vec<Value> = (1..=30)
        .map(|at| json!({ "id": at, "type": "text", "data": { "title": format!("New {at}") } }))
        .collect();
    let new = |at| json!({ "type": "faq", "data": { "title": format!("Item {at}") } });
    file.extend((0..40).map(new));
    let desired: DesiredPage = serde_json::from_value(json!({ "slots": file })).unwrap();
    let options = PlanOptions { prune: true, ..PlanOptions::default() };
    let plan =
        Plan::new(&page, &Wanted::bind(&page, desired, &options).unwrap(), &options).unwrap();
    let view = PlanView::of(&plan, &page, Vec::new());
    let count = |lines: &[StyledLine], sign: char| {
        lines.iter().filter(|line| line.text().starts_with(sign)).count()
    };
    let (updates, creates) = (view.updates.len(), view.creates.len());
    assert_eq!((updates, creates, view.deletes.len()), (30, 40, 50));
    let summary = view.lines(100, style("", false));
    assert_eq!((count(&summary, '~'), count(&summary, '+'), count(&summary, '-')), (10, 10, 50));
    let said: Vec<_> =
        summary.iter().map(StyledLine::text).filter(|it| it.starts_with('…')).collect();
    assert_eq!(
        said,
        [
            "… and 20 more changed slots; --full shows all",
            "… and 30 more new slots; --full shows all"
        ]
    );
    let full = view.lines(100, style("", true));
    assert_eq!((count(&full, '~'), count(&full, '+'), count(&full, '-')), (30, 40, 50));
    assert_eq!(count(&full, '…'), 0);
}

fn object(value: Value) -> Object {
    serde_json::from_value(value).unwrap()
}

#[test]
fn each_change_of_a_form_has_a_line_of_its_own() {
    let before = object(json!({ "title": "Old", "fields": [
        { "key": "name", "label": "Name", "type": "text", "required": true },
        { "key": "tel", "label": "Phone", "type": "phone", "required": false },
        { "key": "x", "label": "X", "type": "text" },
    ] }));
    let changed = object(json!({ "title": "New", "buttonText": "Go", "fields": [
        { "key": "tel", "label": "Phone", "type": "phone", "required": true },
        { "key": "name", "label": "Name ", "type": "text", "required": true },
        { "label": "More\u{1b}", "type": "text", "required": null },
    ] }));
    let lines = form_lines(&before, &changed);
    let lines: Vec<_> = lines.iter().map(StyledLine::text).collect();
    let expected = [
        "    title: \"Old\" → \"New\"",
        "    + buttonText: \"Go\"",
        "    fields.tel.required: false → true",
        "    + fields.More\\u{1b}: {\"label\":\"More\\u001b\",\"type\":\"text\",\"required\":null}",
        "    - fields.x: {\"label\":\"X\",\"type\":\"text\"}",
        "    field order: Phone, Name , More\\u{1b}",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn an_empty_list_of_channels_has_a_line_although_it_removes_nothing() {
    let changed = object(json!({ "notificationChannelIds": [] }));
    let all = "    notificationChannelIds: [] (every verified channel is notified)";
    let shown = |before: Value| -> Vec<String> {
        let lines = form_lines(&object(before), &changed);
        lines.iter().map(|line| line.text().to_owned()).collect()
    };
    assert_eq!(shown(json!({})), [all]);
    assert_eq!(
        shown(json!({ "notificationChannelIds": [11] })),
        ["    - notificationChannelIds.0: 11", all]
    );
}
