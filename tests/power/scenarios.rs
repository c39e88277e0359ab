//! What is cut off, and what has to hold after it and when the next command has run.

use links_fixtures::Account;
use serde_json::{Value, json};

use crate::place::{Place, content};
use crate::random::Random;

/// A command that is cut off.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// Makes files and page, and returns the command line.
    pub(crate) begin: fn(&Place, &mut Random) -> String,
    pub(crate) check: fn(&Place, &WholeRun) -> Checked,
}

/// What is known from the run that was not cut off.
pub(crate) struct WholeRun {
    pub(crate) line: String,
    pub(crate) after: Account,
    /// Texts of the watched files before it and after it.
    pub(crate) files: Vec<(String, [Option<String>; 2])>,
}

pub(crate) type Checked = Result<(), String>;

/// Files that a command replaces as a whole.
pub(crate) const FILES: [&str; 5] =
    ["work/cafe.yaml", "work/footer.yaml", "work/values.yaml", "work/plan.json", "work/links.lock"];

pub(crate) const ALL: [Scenario; 9] = [
    Scenario { name: "apply", begin: apply, check: settles },
    Scenario { name: "apply with forms", begin: apply_with_forms, check: settles },
    Scenario { name: "undo", begin: undo, check: settles },
    Scenario { name: "single write", begin: single, check: tells_single },
    Scenario { name: "pull", begin: pull, check: pulls },
    Scenario { name: "pull into blocks", begin: pull_into_blocks, check: pulls },
    Scenario { name: "saved plan", begin: save, check: has_plan },
    Scenario { name: "login", begin: login, check: is_logged_in },
    Scenario { name: "sandbox", begin: sandbox, check: has_sandbox },
];

const APPLY: &str = "apply . --yes --max-deletes 100 --allow-create 1";

fn expect(is: bool, why: impl FnOnce() -> String) -> Checked {
    if is { Ok(()) } else { Err(why()) }
}

fn page(title: &str, items: &[Value]) -> String {
    json!({ "profile": "cafe", "title": title, "slots": items }).to_string()
}

fn item(random: &mut Random) -> Value {
    let title = format!("Item {}", random.below(1_000_000));
    // Some lines of a journal are longer than a block.
    let text = format!("{} words", random.below(1000)).repeat(1 + random.below(80));
    match random.below(3) {
        0 => {
            let link = format!("https://qara.example/{}", random.below(1000));
            json!({ "type": "button", "data": { "title": title, "link": link } })
        }
        _ => json!({ "type": "text", "data": { "title": title, "description": text } }),
    }
}

fn items(random: &mut Random) -> Vec<Value> {
    (0..=random.below(5)).map(|_| item(random)).collect()
}

/// Changes items as a person does.
fn changed(mut items: Vec<Value>, random: &mut Random) -> Vec<Value> {
    for item in &mut items {
        if random.percent(50) {
            let key = if item["type"] == "button" { "link" } else { "description" };
            item["data"][key] = format!("https://qara.example/new/{}", random.below(1000)).into();
        }
    }
    for _ in 0..random.below(3) {
        let new = item(random);
        items.insert(random.below(items.len() + 1), new);
    }
    if items.len() > 2 {
        items.remove(random.below(items.len()));
        let moved = items.remove(random.below(items.len()));
        items.insert(random.below(items.len() + 1), moved);
    }
    items
}

/// Applies a first page file, and returns its items.
fn base(place: &Place, random: &mut Random) -> Vec<Value> {
    place.server.edit(|account| account.profiles[0].slots.clear());
    place.ok("init .");
    let items = items(random);
    place.file("cafe.yaml", &page("One", &items));
    place.ok(APPLY);
    items
}

fn apply(place: &Place, random: &mut Random) -> String {
    let items = base(place, random);
    place.file("cafe.yaml", &page("Two", &changed(items, random)));
    APPLY.to_owned()
}

fn apply_with_forms(place: &Place, random: &mut Random) -> String {
    let mut items = changed(base(place, random), random);
    let form = json!({ "form": "booking", "title": "Book", "buttonText": "Send", "successMessage": "Thanks", "fields": [{ "label": "Name", "type": "text", "required": true }] });
    place.file("forms/booking.yaml", &form.to_string());
    items.push(json!({ "type": "form", "data": { "formId": { "$form": "booking" }, "view": "button", "buttonText": "Book" } }));
    place.file("cafe.yaml", &page("Two", &items));
    APPLY.to_owned()
}

fn undo(place: &Place, random: &mut Random) -> String {
    place.ok(&apply(place, random));
    let operation = place.ok("log -n 1 -o ids").out;
    format!("undo {} --yes --files", operation.trim())
}

/// The command completes what was cut off, and then there is nothing left to do.
fn settles(place: &Place, known: &WholeRun) -> Checked {
    are_whole(place, known)?;
    let run = place.run(&known.line);
    let is_undo = known.line.starts_with("undo");
    expect(run.exit == Some(0), || format!("the next run: {run:?}"))?;
    let account = place.account();
    let (now, wanted) = (content(&account), content(&known.after));
    expect(now == wanted, || format!("the page is {now}, not {wanted}; {run:?}"))?;
    let forms = [&account, &known.after].map(|it| it.forms.len());
    expect(forms[0] == forms[1], || format!("{forms:?} forms; {run:?}"))?;
    let created = account.next_id.abs_diff(known.after.next_id);
    expect(created == 0, || format!("{created} more were created than had to be; {run:?}"))?;
    logs(place)?;
    if !is_undo {
        let again = place.run(&known.line);
        let (is_same, account) = (place.account() == account, place.account());
        expect(again.exit == Some(0) && is_same, || {
            format!("a further run wrote {}: {again:?}", content(&account))
        })?;
    }
    let plan = place.run("plan .");
    let is_done = plan.exit == Some(0);
    expect(is_done, || format!("a plan after it: {plan:?}"))?;
    logs(place)
}

/// A file that is replaced is the old one or the new one.
fn are_whole(place: &Place, known: &WholeRun) -> Checked {
    for (name, versions) in known.files.iter().filter(|(name, _)| !name.ends_with("links.lock")) {
        let now = place.text(name);
        expect(versions.contains(&now), || format!("{name} is {now:?}"))?;
    }
    Ok(())
}

/// The log can be read, with all that is in it.
fn logs(place: &Place) -> Checked {
    let run = place.run("log -o json");
    let is_readable = run.exit == Some(0) && !run.out.contains("\"unreadable\"");
    expect(is_readable, || format!("the log: {run:?}"))
}

fn single(place: &Place, random: &mut Random) -> String {
    base(place, random);
    "profile update cafe title=Single".to_owned()
}

fn tells_single(place: &Place, known: &WholeRun) -> Checked {
    let is_executed = content(&place.account())["title"] == "Single";
    let log = place.run("log -n 1 -o json");
    let json: Value = serde_json::from_str(&log.out).map_err(|why| format!("{why}: {log:?}"))?;
    let newest = &json["data"][0];
    let is_told = newest["command"] == "profile update cafe title=Single";
    let state = newest["state"].as_str().unwrap_or_default();
    // The last line may be missing, but not that the title was written.
    let is_unfinished = state == "unfinished" && newest["summary"] == "title";
    let is_right = matches!(state, "done" | "unknown") || is_unfinished;
    expect(!is_executed || is_told && is_right, || {
        format!("it was executed, and the log says {newest}")
    })?;
    expect(is_executed || state != "done" || !is_told, || {
        format!("nothing was executed: {newest}")
    })?;
    logs(place)?;
    let run = place.run(&known.line);
    let account = place.account();
    let is_set = run.exit == Some(0) && content(&account) == content(&known.after);
    expect(is_set, || format!("the next run: {run:?}"))?;
    logs(place)
}

fn pull(place: &Place, random: &mut Random) -> String {
    base(place, random);
    others(place);
    "pull cafe.yaml".to_owned()
}

/// Another client changes title and slots.
fn others(place: &Place) {
    place.server.edit(|account| {
        let page = &mut account.profiles[0];
        page.title = Some("Theirs".to_owned());
        for slot in page.slots.iter_mut().filter(|slot| slot.kind == "text") {
            slot.data.insert("description".to_owned(), "Their words".repeat(70).into());
        }
    });
}

fn pull_into_blocks(place: &Place, random: &mut Random) -> String {
    place.server.edit(|account| account.profiles[0].slots.clear());
    place.ok("init .");
    let text = |title: &str, description: Value| json!({ "type": "text", "data": { "title": title, "description": description } });
    place.file("values.yaml", "shared: Our words\n");
    place.file("footer.yaml", &json!([text("Below", "Words".into())]).to_string());
    let mut items = vec![text("Above", json!({ "$value": "shared" }))];
    items.extend((0..random.below(3)).map(|_| item(random)));
    items.push(json!({ "$include": "footer.yaml" }));
    place.file("cafe.yaml", &page("One", &items));
    place.ok("apply cafe.yaml --yes");
    others(place);
    "pull cafe.yaml".to_owned()
}

fn pulls(place: &Place, known: &WholeRun) -> Checked {
    are_whole(place, known)?;
    let run = place.run(&known.line);
    expect(run.exit == Some(0), || format!("the next pull: {run:?}"))?;
    for (name, [_, after]) in known.files.iter().filter(|(name, _)| !name.ends_with("links.lock")) {
        let now = place.text(name);
        expect(now == *after, || format!("{name} is {now:?}; {run:?}"))?;
    }
    let plan = place.run("plan cafe.yaml");
    expect(plan.exit == Some(0), || format!("a plan after it: {plan:?}"))?;
    logs(place)
}

fn save(place: &Place, random: &mut Random) -> String {
    apply(place, random);
    "plan cafe.yaml --out plan.json".to_owned()
}

fn has_plan(place: &Place, known: &WholeRun) -> Checked {
    are_whole(place, known)?;
    if place.text("work/plan.json").is_some() {
        let run = place.run("apply --plan plan.json --yes --max-deletes 100");
        expect(run.exit == Some(0), || format!("the plan is applied: {run:?}"))?;
    }
    logs(place)
}

fn login(_: &Place, _: &mut Random) -> String {
    "auth login --token-stdin --store file --account home".to_owned()
}

fn is_logged_in(place: &Place, known: &WholeRun) -> Checked {
    let run = place.run("me --account home -o json");
    let is_known = matches!(run.exit, Some(0 | 2 | 4)) && !run.err.contains("not an accounts file");
    expect(is_known, || format!("after the login: {run:?}"))?;
    let again = place.run(&known.line);
    expect(again.exit == Some(0), || format!("the next login: {again:?}"))?;
    let run = place.run("me --account home");
    expect(run.exit == Some(0), || format!("after the next login: {run:?}"))
}

fn sandbox(place: &Place, _: &mut Random) -> String {
    place.ok("LINKS_SANDBOX=1 profile update cafe title=First");
    "LINKS_SANDBOX=1 profile update cafe title=Second".to_owned()
}

fn has_sandbox(place: &Place, _: &WholeRun) -> Checked {
    let run = place.run("LINKS_SANDBOX=1 profile get cafe -o json");
    let json: Value = serde_json::from_str(&run.out).map_err(|why| format!("{why}: {run:?}"))?;
    let title = json["data"]["title"].as_str().unwrap_or_default();
    expect(matches!(title, "First" | "Second"), || format!("the sandbox is another one: {run:?}"))?;
    let run = place.run("LINKS_SANDBOX=1 profile update cafe title=Third");
    expect(run.exit == Some(0), || format!("the next write: {run:?}"))
}
