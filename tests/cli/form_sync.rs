//! Tests of form files that are merged with their forms by the record of the last sync.

use links_fixtures::Form;
use links_test_support::canned::Canned;
use serde_json::{Value, json};

use crate::steps::{ok, text, writes};
use crate::test_env::TestEnv;

const FILE: &str = "booking.yaml";

const FORM: &str = "\
form: booking
title: Book a terrace # for two
buttonText: Reserve
successMessage: Thanks
fields:
  - {type: text, label: Name, required: true}
";

/// Returns a directory with a lock and a form file that was applied.
fn synced() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    ok(&env, "init");
    env.file(FILE, FORM);
    ok(&env, "apply --yes --allow-create 1");
    env.operations();
    env
}

/// Changes the form as somebody in the dashboard does.
fn set(env: &TestEnv, change: impl Fn(&mut Form)) {
    env.server.edit(|account| change(account.forms.last_mut().unwrap()));
}

fn form(env: &TestEnv) -> Value {
    let forms = ok(env, "forms list -o json").json()["data"].clone();
    let own = env.server.account().forms.last().unwrap().id.clone();
    forms.as_array().unwrap().iter().find(|it| it["id"] == *own).cloned().unwrap()
}

#[test]
fn what_others_changed_in_a_form_is_kept_and_shown() {
    let env = synced();
    set(&env, |form| form.title = "Their terrace".to_owned());
    let plan = ok(&env, "plan");
    let line = "`title` changed to \"Their terrace\" in the form since the last sync; kept";
    assert!(plan.stdout.contains(line), "{plan}");
    for (on, exit) in [("pending", 0), ("remote", 3), ("any", 3)] {
        assert_eq!(env.run(&format!("plan --fail-on {on}")).exit, exit, "{on}");
    }
    let sync = ok(&env, "plan -o json").json()["data"]["forms"][0]["sync"].clone();
    assert_eq!(sync["remote"][0]["key"], "title", "{sync}");
    env.operations();
    ok(&env, "apply --yes");
    assert_eq!(writes(&env), [""; 0]);
    // A change of the file is written beside it.
    env.file(FILE, FORM.replace("Reserve", "Book"));
    ok(&env, "apply --yes");
    let now = form(&env);
    assert_eq!((&now["title"], &now["buttonText"]), (&json!("Their terrace"), &json!("Book")));
}

#[test]
fn what_both_changed_in_a_form_is_a_conflict_at_its_place() {
    let env = synced();
    set(&env, |form| form.title = "Their terrace".to_owned());
    env.file(FILE, FORM.replace("a terrace", "our terrace"));
    env.operations();
    let run = env.run("apply --yes");
    assert!(run.exit == 7 && run.stderr.contains("booking.yaml:2:8"), "{run}");
    assert!(run.stderr.contains("to mark it in the file, run `links pull booking.yaml`"), "{run}");
    assert_eq!(writes(&env), [""; 0]);
    // The pull that it names marks it; without the mark the file counts.
    let pull = env.run(&format!("pull {FILE}"));
    assert!(pull.exit == 7 && text(&env, FILE).contains("Their terrace"), "{pull}");
    let marked = text(&env, FILE);
    let lines = marked.lines().filter(|line| !line.trim_start().starts_with("# "));
    env.file(FILE, lines.map(|line| format!("{line}\n")).collect::<String>());
    ok(&env, "apply --yes");
    assert_eq!(form(&env)["title"], "Book our terrace");
}

#[test]
fn two_files_of_one_form_are_refused_before_anything_is_written() {
    let env = synced();
    let id = env.server.account().forms.last().unwrap().id.clone();
    let copy = FORM.replace("form: booking", &format!("form: contact\nid: {id}"));
    env.file("copy.yaml", copy.replace("Book a terrace", "Contact us"));
    for line in ["apply --yes", "apply --yes --force", "plan"] {
        let run = env.run(line);
        let message = format!("booking.yaml and copy.yaml are both files for the form {id}");
        assert!(run.exit == 8 && run.stderr.contains(&message), "{run}");
    }
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn a_form_file_with_another_name_creates_no_second_form() {
    let env = synced();
    let forms = || env.server.account().forms.len();
    let (id, before) = (env.server.account().forms.last().unwrap().id.clone(), forms());
    env.file(FILE, FORM.replace("form: booking", "form: terrace"));
    let run = env.run("apply --yes --allow-create 1");
    assert!(run.exit == 8 && run.stderr.contains(&format!("add `id: {id}`")), "{run}");
    assert_eq!((writes(&env), forms()), (Vec::new(), before));
    env.file(FILE, FORM.replace("form: booking", &format!("form: terrace\nid: {id}")));
    let again = ok(&env, "apply --yes");
    assert!(again.stdout.contains("no changes"), "{again}");
    // Another form of the same title has a file of its own.
    env.file(FILE, FORM);
    env.file("other.yaml", FORM.replace("form: booking", "form: other"));
    ok(&env, "apply --yes --allow-create 1");
    assert_eq!(forms(), before + 1);
}

#[test]
fn a_form_that_was_created_since_the_forms_were_read_is_not_created_again() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    env.file(FILE, FORM);
    env.server.edit_after_operation("listForms", 1, |account| {
        let (id, title) = ("0d2f4a2e-93f5-4a0c-8f0e-5d1b7c1c9a11", "Book a terrace");
        let other = Form { id: id.into(), title: title.into(), ..account.forms[0].clone() };
        account.forms.push(other);
    });
    let apply = "apply booking.yaml --yes --allow-create 1";
    let run = env.run(apply);
    assert!(run.exit == 7 && run.stderr.contains("nothing was written to it"), "{run}");
    assert_eq!((writes(&env), env.server.account().forms.len()), (Vec::new(), 2));
    ok(&env, apply);
    assert_eq!(env.server.account().forms.len(), 2);
    assert_eq!(form(&env)["buttonText"], "Reserve");
}

#[test]
fn a_saved_plan_of_forms_alone_keeps_its_options() {
    for option in ["--force", "--exact"] {
        let env = synced();
        set(&env, |form| form.title = "Their terrace".to_owned());
        env.file(FILE, FORM.replace("a terrace", "our terrace"));
        let plan = env.run(&format!("plan {option} --out plan.json"));
        assert_eq!(plan.exit, 3, "{plan}");
        ok(&env, "apply --plan plan.json --yes");
        assert_eq!(form(&env)["title"], "Book our terrace");
    }
}

#[test]
fn a_saved_plan_of_two_forms_names_the_one_that_changed() {
    let env = synced();
    env.file("other.yaml", FORM.replace("booking", "other").replace("Book a terrace", "Other"));
    ok(&env, "apply --yes --allow-create 1");
    env.file("other.yaml", FORM.replace("booking", "other").replace("Book a terrace", "Second"));
    env.file(FILE, FORM.replace("Reserve", "Book"));
    assert_eq!(env.run("plan --out plan.json").exit, 3);
    set(&env, |form| form.title = "Theirs".to_owned());
    let run = env.run("apply --plan plan.json --yes");
    assert!(run.exit == 7 && run.stderr.contains("other"), "{run}");
    env.server.edit(|account| account.forms.last_mut().unwrap().title = "Other".to_owned());
    env.server.edit(|account| {
        let own = account.forms.iter_mut().filter(|it| it.title.starts_with("Book"));
        own.for_each(|it| "Theirs".clone_into(&mut it.button_text));
    });
    let run = env.run("apply --plan plan.json --yes");
    assert!(run.exit == 7 && run.stderr.contains("booking"), "{run}");
}

#[test]
fn without_a_lock_the_state_directory_has_the_record_of_a_form() {
    let env = TestEnv::cafe().keeping_state().env("LINKS_TEST_NO_WAIT", "1");
    env.file(FILE, FORM);
    let apply = "apply booking.yaml --yes --allow-create 1";
    ok(&env, apply);
    // Somebody changes the title, by which the form was found before.
    set(&env, |form| form.title = "Their terrace".to_owned());
    env.file(FILE, FORM.replace("Reserve", "Book"));
    env.operations();
    let run = ok(&env, apply);
    assert!(run.stderr.contains("in the form since the last sync; kept"), "{run}");
    let now = form(&env);
    assert_eq!((&now["title"], &now["buttonText"]), (&json!("Their terrace"), &json!("Book")));
    env.file(FILE, FORM.replace("a terrace", "our terrace"));
    let run = env.run(apply);
    assert!(run.exit == 7 && run.stderr.contains("booking.yaml:2:8"), "{run}");
    let pull = env.run(&format!("pull {FILE}"));
    assert!(pull.exit == 7 && text(&env, FILE).contains("Their terrace"), "{pull}");
    // A file of another name that takes the form over has the record from then on.
    std::fs::remove_file(env.home.path().join(FILE)).unwrap();
    env.file("other.yaml", FORM.replace("Book a terrace", "Their terrace"));
    ok(&env, "apply other.yaml --yes");
    let records = records_of_forms(&env);
    assert_eq!(records, 1);
}

/// Returns the number of records of forms in the state directory.
fn records_of_forms(env: &TestEnv) -> usize {
    let sync = env.home.path().join(".local/state/links/sync");
    let services = std::fs::read_dir(sync).unwrap().map(|entry| entry.unwrap().path());
    let names = services.flat_map(|path| std::fs::read_dir(path).unwrap());
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("form_")).count()
}

#[test]
fn an_overwriting_apply_says_what_it_replaces() {
    let env = synced();
    set(&env, |form| form.title = "Their terrace".to_owned());
    let run = ok(&env, "apply --yes --force");
    let shown = format!("{}{}", run.stdout, run.stderr);
    assert!(
        shown.contains("! overwrites `title`, which is now \"Their terrace\" in the form"),
        "{run}"
    );
    assert_eq!(form(&env)["title"], "Book a terrace");
}

#[test]
fn a_pull_takes_what_changed_into_the_form_file() {
    let env = synced();
    set(&env, |form| {
        form.title = "Their terrace".to_owned();
        form.fields[0].label = "Full name".to_owned();
    });
    env.file(FILE, FORM.replace("Reserve", "Book"));
    let pull = ok(&env, &format!("pull {FILE}"));
    assert!(pull.stdout.contains("2 changes merged"), "{pull}");
    let file = text(&env, FILE);
    for part in ["title: Their terrace # for two", "buttonText: Book", "Full name"] {
        assert!(file.contains(part), "{file}");
    }
    assert!(ok(&env, &format!("pull {FILE}")).stdout.contains("no changes"));
    env.operations();
    ok(&env, "apply --yes");
    assert_eq!(writes(&env), ["showForm", "updateForm"]);
    assert!(ok(&env, "plan").stdout.contains("no changes"));
    // A directory, and a file that is none.
    assert!(ok(&env, "pull .").stdout.contains("no changes"));
    let run = env.run("pull forms/absent.yaml");
    assert!(run.exit != 0 && run.stderr.contains("forms/absent.yaml"), "{run}");
    let run = env.run(&format!("pull {FILE} cafe"));
    assert_eq!(run.exit, 2, "{run}");
}

#[test]
fn fields_that_no_file_can_hold_replace_none_and_stay_a_conflict() {
    let env = synced();
    set(&env, |form| form.fields[0].label.clear());
    let ours = FORM.replace("label: Name", "label: Full name");
    env.file(FILE, &ours);
    let before = form(&env);
    for line in ["pull booking.yaml", "pull booking.yaml --force", "pull ."] {
        let pull = ok(&env, line);
        assert!(pull.stdout.contains("left out"), "{pull}");
        assert_eq!(text(&env, FILE), ours, "{pull}");
        let apply = env.run("apply --yes");
        assert!(apply.exit == 7 && apply.stderr.contains("booking.yaml:5:1"), "{apply}");
        assert_eq!(form(&env), before);
    }
    // The rest is taken.
    set(&env, |form| form.title = "Their terrace".to_owned());
    ok(&env, "pull booking.yaml --force");
    assert_eq!(text(&env, FILE), ours.replace("Book a terrace", "Their terrace"));
    ok(&env, "apply --yes --force");
    assert_eq!(form(&env)["fields"][0]["label"], "Full name");
}

#[test]
fn a_locked_apply_records_no_form() {
    let env = synced();
    let lock = text(&env, "links.lock");
    env.file(FILE, FORM.replace("Reserve", "Book"));
    ok(&env, "apply --yes --locked");
    assert_eq!(text(&env, "links.lock"), lock);
    assert_eq!(form(&env)["buttonText"], "Book");
    // The next one finds both alike.
    ok(&env, "apply --yes");
    assert_ne!(text(&env, "links.lock"), lock);
}

#[test]
fn a_form_is_not_created_from_a_part_of_the_list() {
    let part = json!({"data": [], "meta": {"total": 2}}).to_string();
    let service = Canned::answering(move |request| {
        if request.line.contains("/forms") { (200, part.clone()) } else { (404, "{}".to_owned()) }
    });
    let env = TestEnv::cafe().env("LINKS_BASE_URL", service.origin() + "/api/v1");
    env.file(FILE, FORM);
    let run = env.run(&format!("apply {FILE} --yes --allow-create 1"));
    assert!(run.exit != 0 && run.stderr.contains("it lists 0 of 2 forms"), "{run}");
    assert!(service.received().iter().all(|it| it.line.starts_with("GET ")), "{run}");
}
