//! Tests of operations: what one command wrote to several pages and forms is listed, undone and redone as one.

use links_fixtures::Fault;
use serde_json::{Value, json};

use crate::steps::{cut_short, ok, places, writes as requests};
use crate::test_env::{CommandResult, TestEnv};
use crate::undo::cafe;

pub(crate) const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

/// Returns an account of three pages and a form, with a file for each.
pub(crate) fn three_pages() -> TestEnv {
    let env = cafe();
    ok(&env, "profile create spring.menu -y");
    for (name, login) in [("a", "cafe"), ("b", "qara.weddings"), ("c", "spring.menu")] {
        env.file(
            &format!("{name}.yaml"),
            format!("profile: {login}\ntitle: New {name}\ndescription: Described\n"),
        );
    }
    env.file("form.yaml", format!("form: booking\nid: {FORM}\ntitle: Other\n"));
    env
}

pub(crate) const APPLY: &str = "apply a.yaml b.yaml c.yaml form.yaml --yes";

/// Returns what the operations of the tests write.
pub(crate) fn values(env: &TestEnv) -> Value {
    let account = env.server.account();
    let pages: Vec<_> =
        account.profiles.iter().map(|page| json!([page.title, page.description])).collect();
    json!([pages, account.forms[0].title])
}

/// Returns the operations that write, since the last look.
pub(crate) fn writes(env: &TestEnv) -> Vec<String> {
    requests(env).into_iter().filter(|it| it != "showForm").collect()
}

pub(crate) fn log(env: &TestEnv) -> Vec<Value> {
    ok(env, "log -o json").json()["data"].as_array().unwrap().clone()
}

pub(crate) fn retitle(env: &TestEnv, page: usize, title: &str) {
    env.server.edit(|account| account.profiles[page].title = Some(title.to_owned()));
}

/// Returns the kind, state and undone of each operation, the newest first, without the creation of the page.
fn marks(env: &TestEnv) -> Vec<[String; 3]> {
    let mut all = log(env);
    all.pop();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or("-").to_owned();
    all.iter().map(|row| ["kind", "state", "undone"].map(|name| text(row, name))).collect()
}

pub(crate) fn failed(env: &TestEnv, line: &str, exit: i32) -> CommandResult {
    let run = env.run(line);
    assert_eq!(run.exit, exit, "{run}");
    assert!(!run.stdout.contains("no changes"), "{run}");
    run
}

#[test]
pub(crate) fn three_pages_and_a_form_are_one_operation_with_one_plan() {
    let env = three_pages();
    let before = values(&env);
    ok(&env, APPLY);
    let after = values(&env);
    let rows = log(&env);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[0]["parts"].as_array().unwrap().len(), 4, "{rows:?}");
    writes(&env);
    let asked = failed(&env, "undo", 14);
    for part in ["cafe: ", "qara.weddings: ", "spring.menu: ", "~ form Other", "--yes"] {
        assert!(asked.stderr.contains(part), "{part}: {asked}");
    }
    assert_eq!(asked.stderr.matches("must be confirmed").count(), 1, "{asked}");
    assert_eq!(writes(&env), [""; 0]);
    let dry = env.run("undo --dry-run=request");
    assert_eq!((dry.exit, dry.stdout.matches("curl -X PATCH").count()), (3, 4), "{dry}");
    assert_eq!(env.run("undo --dry-run").exit, 3);
    assert_eq!(values(&env), after);
    ok(&env, "undo --yes");
    assert_eq!(values(&env), before);
    assert_eq!(marks(&env), [["undo", "done", "-"], ["write", "done", "whole"]]);
    let table = ok(&env, "log").stdout;
    assert!(table.contains("done, undone\n") && table.contains("done, undo\n"), "{table}");
    ok(&env, "redo --yes");
    assert_eq!(values(&env), after);
    assert_eq!(
        marks(&env),
        [["redo", "done", "-"], ["undo", "done", "whole"], ["write", "done", "-"]]
    );
}

#[test]
fn two_undos_and_a_redo_go_back_and_forth() {
    let env = three_pages();
    let mut seen = vec![values(&env)];
    for title in ["A", "B", "C"] {
        ok(&env, &format!("profile update cafe title={title}"));
        seen.push(values(&env));
    }
    for (line, at) in [
        ("undo", 2),
        ("undo", 1),
        ("redo", 2),
        ("undo", 1),
        ("undo", 0),
        ("redo", 1),
        ("redo", 2),
        ("redo", 3),
        ("undo", 2),
    ] {
        let run = ok(&env, &format!("{line} --yes"));
        assert_eq!(values(&env), seen[at], "{line}: {run}");
    }
    ok(&env, "redo --yes");
    failed(&env, "redo --yes", 6);
    for _ in 0..3 {
        ok(&env, "undo --yes");
    }
    failed(&env, "undo --yes", 6);
    assert_eq!(values(&env), seen[0]);
}

#[test]
fn after_a_later_write_to_its_page_there_is_nothing_to_redo() {
    let env = three_pages();
    ok(&env, "slots add cafe text title=Soup");
    ok(&env, "undo --yes");
    ok(&env, "profile update qara.weddings title=Elsewhere");
    ok(&env, "slots add cafe text title=Soups");
    let soup = || ok(&env, "slots list cafe -o json").stdout.matches("\"Soup").count();
    assert_eq!(soup(), 1);
    let refused = failed(&env, "redo --yes", 6);
    assert!(
        refused
            .stderr
            .contains("`links slots add cafe text title=Soups` has written to cafe since the undo"),
        "{refused}"
    );
    // Also after the later write was taken back: that is what is redone.
    ok(&env, "undo --yes");
    assert_eq!(soup(), 0);
    ok(&env, "redo --yes");
    assert_eq!(soup(), 1);
    failed(&env, "redo --yes", 6);
    let named = log(&env).into_iter().find(|row| row["kind"] == "undo" && row["undone"].is_null());
    let named = named.unwrap()["operation"].as_str().unwrap().to_owned();
    assert!(refused.stderr.contains(&format!("`links undo {named}`")), "{refused}");
    ok(&env, &format!("undo {named} --yes"));
    assert_eq!(soup(), 2);
}

#[test]
fn an_undo_is_not_redone_before_a_later_one_of_the_same_page() {
    let env = three_pages();
    env.file("cafe.yaml", "profile: cafe\ntitle: First\n");
    env.file("weddings.yaml", "profile: qara.weddings\ntitle: First\n");
    ok(&env, "apply cafe.yaml weddings.yaml --yes");
    ok(&env, "slots add qara.weddings text title=Soup");
    ok(&env, "undo --yes");
    ok(&env, "undo --yes");
    ok(&env, "profile update cafe title=Later");
    let refused = failed(&env, "redo --yes", 6);
    assert!(refused.stderr.contains("has written to cafe since the undo"), "{refused}");
    // The page alone is redone in its order.
    ok(&env, "redo --page qara.weddings --yes");
    assert_eq!(env.server.account().profiles[1].title.as_deref(), Some("First"));
    let slots = || ok(&env, "slots list qara.weddings -o json").stdout.matches("Soup").count();
    assert_eq!(slots(), 0);
    ok(&env, "redo --page qara.weddings --yes");
    assert_eq!(slots(), 1);
}

#[test]
fn an_operation_of_which_one_page_failed_is_undone_where_it_wrote() {
    let env = three_pages();
    let before = values(&env);
    env.server.fail_operation("updateProfile", 2, &Fault::Before(400));
    let run = env.run(APPLY);
    assert_ne!(run.exit, 0, "{run}");
    assert_ne!(values(&env), before);
    let rows = log(&env);
    assert_eq!((rows.len(), &rows[0]["state"]), (2, &json!("partial")), "{rows:?}");
    assert!(!rows[0]["wrote"].to_string().contains("qara.weddings"), "{rows:?}");
    let undone = ok(&env, "undo --yes");
    assert_eq!(values(&env), before, "{undone}");
    assert!(!undone.stderr.contains("qara.weddings"), "{undone}");
    assert_eq!(log(&env)[1]["undone"], "whole");
    failed(&env, "undo --yes", 6);
}

#[test]
fn an_undo_of_which_one_page_failed_is_continued_and_redone_as_one() {
    let env = three_pages();
    let before = values(&env);
    ok(&env, APPLY);
    let after = values(&env);
    env.server.fail_operation("updateProfile", 2, &Fault::Before(400));
    let run = env.run("undo --yes");
    assert_ne!(run.exit, 0, "{run}");
    assert_eq!(marks(&env)[1], ["write", "done", "part"]);
    let continued = ok(&env, "undo --yes");
    assert_eq!(values(&env), before, "{continued}");
    assert!(continued.stderr.contains("(qara.weddings)"), "{continued}");
    assert_eq!(marks(&env), [["undo", "done", "-"], ["write", "done", "whole"]]);
    ok(&env, "redo --yes");
    assert_eq!(values(&env), after);
}

#[test]
fn an_undo_that_is_ended_anywhere_is_continued_on_all_pages() {
    let mut cuts = 0;
    for nth in places() {
        let env = three_pages();
        let before = values(&env);
        ok(&env, APPLY);
        let after = values(&env);
        let cut = cut_short(&env, "undo --yes", &format!("any:{nth}"));
        if cut.status.success() {
            break;
        }
        cuts += 1;
        // The last entry of a journal may be missing.
        let was_done = values(&env) == before;
        let again = env.run("undo --yes");
        assert!(again.exit == 0 || was_done && again.exit == 6, "any:{nth}: {again}");
        assert_eq!(values(&env), before, "any:{nth}");
        // If the first undo had not begun with a form, the second one is an operation of its own.
        let run = ok(&env, "redo --yes");
        let again = if values(&env) == after { run } else { ok(&env, "redo --yes") };
        assert_eq!(values(&env), after, "any:{nth}: {again}");
        // What an undo did not write was not taken back by a redo either.
        let marks = marks(&env);
        assert!(marks.iter().all(|row| row[2] != "part"), "any:{nth}: {marks:?}");
    }
    assert!(cuts > 5, "{cuts}");
}

#[test]
fn an_undo_of_a_form_that_others_put_back_in_part_is_redone_as_a_whole() {
    let mut cuts = 0;
    for nth in 1.. {
        let env = cafe();
        ok(&env, &format!("forms update {FORM} title=Mine buttonText=Mine"));
        let form = || {
            let form = env.server.account().forms.remove(0);
            (form.title, form.button_text)
        };
        let after = form();
        if cut_short(&env, "undo --yes", &format!("any:{nth}")).status.success() {
            break;
        }
        cuts += 1;
        env.server.edit(|account| account.forms[0].title = "Mine".into());
        let again = env.run("undo --yes");
        assert!([0, 6].contains(&again.exit), "any:{nth}: {again}");
        let mut redone = ok(&env, "redo --yes");
        if form() != after {
            redone = ok(&env, "redo --yes");
        }
        assert_eq!(form(), after, "any:{nth}: {redone}");
        assert_eq!(log(&env).last().unwrap()["undone"], Value::Null, "any:{nth}");
        ok(&env, "undo --yes");
        let rows = log(&env);
        let killed = rows.iter().rfind(|row| row["kind"] == "undo").unwrap();
        assert_ne!(killed["state"], "stopped", "any:{nth}: {killed}");
    }
    assert!(cuts > 5, "{cuts}");
}

#[test]
fn fields_and_forms_without_a_record_are_overwritten_with_a_warning() {
    let env = three_pages();
    ok(&env, "profile update qara.weddings description=Theirs");
    let warnings = || {
        let plan = env.run("plan b.yaml form.yaml");
        plan.stdout.matches("warning: no previous sync recorded for this file").count()
    };
    assert_eq!(warnings(), 2);
    ok(&env, "apply b.yaml form.yaml --yes");
    env.file("b.yaml", "profile: qara.weddings\ndescription: Mine\n");
    env.file("form.yaml", format!("form: booking\nid: {FORM}\ntitle: Mine\n"));
    assert_eq!(warnings(), 0);
}

#[test]
fn an_undo_that_was_cut_while_slots_came_back_is_redone_by_one_redo() {
    let mut several = 0;
    for nth in places() {
        let env = cafe();
        let ids = || ok(&env, "slots list cafe --jq map(.id)").stdout;
        ok(&env, "slots delete cafe 1002 1003 --yes");
        let deleted = ids();
        if cut_short(&env, "undo --yes", &format!("any:{nth}")).status.success() {
            break;
        }
        let again = env.run("undo --yes");
        assert!([0, 6].contains(&again.exit), "any:{nth}: {again}");
        let redone = ok(&env, "redo --yes -o json");
        assert_eq!(ids(), deleted, "any:{nth}: {redone}");
        let pages = redone.json()["data"]["pages"].as_array().unwrap().len();
        several += usize::from(pages > 1);
        failed(&env, "redo --yes", 6);
    }
    assert!(several > 0);
}

#[test]
fn an_undo_of_an_interrupted_apply_says_what_becomes_of_it() {
    let env = cafe();
    let text = "profile: cafe\nslots:\n  - {id: 1002, type: button, data: {title: Summer}}\n  - {id: new, type: text, data: {title: N1}}\n";
    env.file("cafe.yaml", text);
    let cut = cut_short(&env, "apply cafe.yaml --yes", "after_send:3");
    assert!(!cut.status.success());
    // Another content tells that the plan may be another one.
    env.file("cafe.yaml", text.replace("N1", "N2"));
    let plan = env.run("plan cafe.yaml");
    assert!(plan.stderr.contains("`apply` checks that first"), "{plan}");
    // Without a record, what differs is marked in the file.
    let undone = failed(&env, "undo --yes --files", 7);
    assert!(undone.stderr.contains("`links pull --force cafe.yaml`"), "{undone}");
    assert!(undone.stderr.contains("undoing the run interrupted at"), "{undone}");
    assert!(!undone.stderr.contains("to undo them, run"), "{undone}");
    assert!(undone.stdout.contains("cafe: 1 updated, 1 deleted\n"), "{undone}");
}

#[test]
fn a_refusal_after_a_create_was_sent_again_does_not_say_that_nothing_was_written() {
    let env = cafe();
    env.file("a.yaml", "profile: cafe\nslots:\n  - {type: text, data: {title: Once}}\n");
    env.file("b.yaml", "profile: spring.menu\ntitle: Menu\n");
    assert!(!cut_short(&env, "apply a.yaml --yes", "before_send:2").status.success());
    let slots = || env.server.account().profiles[0].slots.len();
    assert_eq!(slots(), 14);
    let run = failed(&env, "apply a.yaml b.yaml --yes", 14);
    assert_eq!(slots(), 15);
    assert!(!run.stderr.contains("nothing was written"), "{run}");
    assert!(run.stderr.contains("; before that, createSlots was executed\n"), "{run}");
}

#[test]
fn a_language_that_cannot_be_restored_is_said_to_stay() {
    let env = cafe();
    let language = || env.server.account().profiles[0].language_id;
    assert!(language().is_some());
    ok(&env, "profile update cafe title=Other languageId:=null");
    let undone = ok(&env, "undo --yes -o json").json();
    assert_eq!(env.server.account().profiles[0].title.as_deref(), Some("Qara Coffee"), "{undone}");
    assert_eq!(language(), None);
    assert!(undone["data"]["notRestored"].to_string().contains("languageId"), "{undone}");
    assert_eq!(log(&env)[1]["undone"], "part");
    ok(&env, "profile update cafe languageId:=1");
    ok(&env, "profile update cafe languageId:=null");
    let run = failed(&env, "undo --yes", 14);
    assert!(run.stderr.contains("languageId") && !run.stdout.contains("no changes"), "{run}");
}

#[test]
fn an_undo_that_was_ended_after_its_last_write_is_done_by_the_next_one() {
    for nth in places() {
        let env = cafe();
        ok(&env, "slots delete cafe 1002 1003 --yes");
        if cut_short(&env, "undo --yes", &format!("any:{nth}")).status.success() {
            assert!(nth > 5, "{nth}");
            break;
        }
        let again = env.run("undo --yes");
        assert!([0, 6].contains(&again.exit), "any:{nth}: {again}");
        // A run that did not begin belongs to no operation.
        let rows: Vec<_> =
            log(&env).into_iter().filter(|row| row["state"] != "not_begun").collect();
        let marks: Vec<_> =
            rows.iter().map(|row| [&row["kind"], &row["state"], &row["undone"]]).collect();
        let expected = json!([["undo", "done", null], ["write", "done", "whole"]]);
        assert_eq!(json!(marks), expected, "any:{nth}: {again}");
    }
}

#[test]
fn a_page_that_others_changed_since_stops_the_undo_of_all() {
    let env = three_pages();
    ok(&env, APPLY);
    retitle(&env, 1, "Theirs");
    let after = values(&env);
    let run = failed(&env, "undo --yes", 7);
    for part in ["qara.weddings: title", "\"Theirs\"", "nothing was written", "--keep-changed"] {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    assert_eq!(values(&env), after);
}

#[test]
fn a_form_that_others_change_while_an_undo_plans_is_refused_with_advice() {
    let env = three_pages();
    ok(&env, "apply form.yaml --yes");
    let theirs = |account: &mut links_fixtures::Account| account.forms[0].title = "Theirs".into();
    env.server.edit_after_operation("showForm", 1, theirs);
    writes(&env);
    let run = failed(&env, "undo --yes", 7);
    for part in ["changed by another client: title", "run the same command again"] {
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn keep_changed_leaves_values_of_others_and_undoes_the_rest() {
    let env = three_pages();
    ok(&env, "profile update cafe title=Older");
    let before = values(&env);
    ok(&env, APPLY);
    retitle(&env, 1, "Theirs");
    let run = ok(&env, "undo --keep-changed --yes -o json");
    let kept = json!(["qara.weddings: title: \"New b\" after the run, now \"Theirs\""]);
    assert_eq!(run.json()["data"]["kept"], kept);
    let mut expected = before.clone();
    expected[0][1][0] = "Theirs".into();
    assert_eq!(values(&env), expected);
    assert_eq!(marks(&env)[..2], [["undo", "done", "-"], ["write", "done", "part"]]);
    // Again, it goes further back.
    let run = ok(&env, "undo --yes");
    assert!(run.stderr.contains("title=Older"), "{run}");
}

#[test]
fn keep_changed_says_that_nothing_could_be_undone() {
    let env = three_pages();
    ok(&env, "profile update cafe title=Older");
    ok(&env, "profile update cafe title=Mine");
    retitle(&env, 0, "Theirs");
    writes(&env);
    let run = failed(&env, "undo --keep-changed --yes", 7);
    assert!(run.stderr.contains("; kept") && run.stderr.contains("nothing was written"), "{run}");
    assert!(writes(&env).is_empty());
}

#[test]
fn new_slots_and_orders_that_others_changed_stay_with_keep_changed() {
    let env = cafe();
    env.server.edit(|account| account.profiles[0].slots.truncate(3));
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1003, type: picture, data: {title: Anew}}\n  - {type: text, data: {title: New}}\n  - {id: 1001, type: text}\n  - {id: 1002, type: button}\n",
    );
    ok(&env, "slots apply page.yaml --yes");
    let slots = |env: &TestEnv| {
        let account = env.server.account();
        let slots = account.profiles[0].slots.iter();
        slots.map(|slot| json!([slot.kind, slot.data["title"]])).collect::<Vec<_>>()
    };
    env.server.edit(|account| {
        let slots = &mut account.profiles[0].slots;
        slots[1].data.insert("description".to_owned(), "With care".into());
        slots.swap(2, 3);
    });
    failed(&env, "undo --yes", 7);
    let run = ok(&env, "undo --yes --keep-changed");
    let expected =
        [["picture", "Terrace"], ["text", "New"], ["button", "Menu"], ["text", "Good morning!"]];
    let now = slots(&env);
    let kinds: Vec<_> = now.iter().map(|slot| slot[0].clone()).collect();
    assert_eq!(kinds, expected.map(|slot| json!(slot[0])), "{run}");
    assert_eq!(now[1], json!(["text", "New"]), "{run}");
    assert_ne!(now[0][1], "Anew", "{run}");
}

#[test]
fn one_page_of_an_operation_is_undone_alone() {
    let env = three_pages();
    let before = values(&env);
    ok(&env, APPLY);
    let after = values(&env);
    let name = log(&env)[0]["operation"].as_str().unwrap().to_owned();
    ok(&env, &format!("undo {name} --page qara.weddings --yes"));
    let mut expected = after.clone();
    expected[0][1] = before[0][1].clone();
    assert_eq!(values(&env), expected);
    assert_eq!(marks(&env)[1], ["write", "done", "part"]);
    failed(&env, &format!("undo {name} --page 999 --yes"), 6);
    ok(&env, "undo --yes");
    assert_eq!(values(&env), before);
    assert_eq!(marks(&env)[2], ["write", "done", "whole"]);
}

#[test]
fn a_page_that_is_gone_is_said_and_the_others_are_undone() {
    let env = three_pages();
    let before = values(&env);
    ok(&env, APPLY);
    env.server.edit(|account| drop(account.profiles.remove(1)));
    let run = ok(&env, "undo --yes");
    assert!(run.stderr.contains("qara.weddings no longer exists"), "{run}");
    let mut expected = before.clone();
    expected[0].as_array_mut().unwrap().remove(1);
    assert_eq!(values(&env), expected);
    assert_eq!(log(&env)[1]["undone"], "part");
}

#[test]
fn what_was_restored_by_hand_is_passed_over() {
    let env = three_pages();
    let before = values(&env);
    ok(&env, "profile update cafe title=A");
    ok(&env, "profile update cafe description=B");
    let description = before[0][0][1].as_str().map(str::to_owned);
    env.server.edit(|account| account.profiles[0].description = description);
    let run = ok(&env, "undo --yes");
    assert!(run.stderr.contains("nothing left to undo here"), "{run}");
    assert_eq!(values(&env), before);
}

#[test]
fn a_named_operation_shows_what_it_changed() {
    let env = three_pages();
    ok(&env, APPLY);
    let name = log(&env)[0]["operation"].as_str().unwrap().to_owned();
    let shown = ok(&env, &format!("log {name}")).stdout;
    for part in [
        APPLY,
        "~ cafe: ",
        "New a",
        "~ qara.weddings: ",
        "New b",
        "~ spring.menu: ",
        &format!("~ form {FORM}: title (done)"),
        "\"Other\"",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let data = ok(&env, &format!("log {name} -o json")).json();
    let parts = data["data"][0]["parts"].as_array().unwrap().clone();
    assert!(parts.iter().any(|part| part["write"]["changed"]["title"] == "Other"), "{data}");
    assert_eq!(parts.iter().filter(|part| part["plan"].is_object()).count(), 3, "{data}");
    failed(&env, "log 00", 6);
}

#[test]
fn a_named_operation_shows_its_moves_by_every_command() {
    let env = cafe();
    env.server.edit(|account| account.profiles[0].slots.truncate(4));
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1003, type: picture}\n  - {id: 1001, type: text}\n  - {id: 1002, type: button}\n",
    );
    for (line, moved) in [
        ("slots move cafe 1004 --top", "> form 1004 \"Book a table\" to the top"),
        ("slots apply page.yaml --yes", "> picture 1003 "),
        ("undo --yes", " 1003 "),
    ] {
        ok(&env, line);
        let name = log(&env)[0]["operation"].as_str().unwrap().to_owned();
        let shown = ok(&env, &format!("log {name}")).stdout;
        let line = shown.lines().find(|line| line.trim_start().starts_with("> "));
        assert!(line.is_some_and(|line| line.contains(moved)), "{moved}: {shown}");
        let data = ok(&env, &format!("log {name} -o json")).json();
        let moves = data["data"][0]["parts"][0]["plan"]["moves"].as_array().unwrap().clone();
        assert!(!moves.is_empty(), "{data}");
    }
}

#[test]
fn a_redo_names_the_operation_that_it_redoes() {
    let env = three_pages();
    ok(&env, "profile update cafe title=A");
    ok(&env, "undo --yes");
    let run = ok(&env, "redo --yes");
    assert!(run.stderr.contains("redoing `links profile update cafe title=A` from "), "{run}");
    assert!(!run.stderr.contains("undoes"), "{run}");
    let redo = log(&env)[0]["operation"].as_str().unwrap().to_owned();
    let run = ok(&env, &format!("undo {redo} --yes"));
    assert!(run.stderr.contains("undoing `links redo --yes` from "), "{run}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_has_relative_times_and_a_pipe_has_timestamps() {
    let env = cafe();
    ok(&env, "profile update cafe title=A");
    let journal = log(&env)[0]["parts"][0]["journal"].as_str().unwrap().to_owned();
    let text = std::fs::read_to_string(&journal).unwrap();
    let (before, rest) = text.split_once("\"time\":").unwrap();
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap();
    let began = rest[..end].parse::<u64>().unwrap() - 2 * 60 * 60;
    std::fs::write(&journal, format!("{before}\"time\":{began}{}", &rest[end..])).unwrap();
    let row = log(&env)[0].clone();
    let [time, name] = ["time", "operation"].map(|key| row[key].as_str().unwrap().to_owned());
    let seen = crate::terminal::run(&env, "log", "").text;
    assert!(seen.contains("2 hours ago") && !seen.contains(&time), "{seen}");
    let seen = crate::terminal::run(&env, &format!("log {name}"), "").text;
    assert!(seen.contains(&format!("({time}, 2 hours ago)")), "{seen}");
    for line in ["log -o csv", "log -o json"] {
        let seen = crate::terminal::run(&env, line, "").text;
        assert!(seen.contains(&time) && !seen.contains("ago"), "{seen}");
    }
    assert!(ok(&env, "log").stdout.contains(&time));
}

#[test]
fn a_run_that_is_continued_is_one_operation_wherever_it_was_ended() {
    let mut continued = 0;
    for nth in (1..).step_by(4) {
        let env = three_pages();
        let before = values(&env);
        let line = format!("{APPLY} --operation-out op.json");
        let cut = cut_short(&env, &line, &format!("any:{nth}"));
        if cut.status.success() {
            break;
        }
        let run = ok(&env, &line);
        if !run.stderr.contains("resuming the run") {
            continue;
        }
        continued += 1;
        let rows = log(&env);
        let text = crate::steps::text(&env, "op.json");
        let operation: Value = serde_json::from_str(&text).unwrap();
        // A journal without a whole first line is not of any operation.
        let newest = rows.iter().find(|row| row["command"].is_string()).unwrap();
        assert_eq!(newest["state"], "done", "any:{nth}: {rows:#?}");
        let parts = newest["parts"].as_array().unwrap();
        let written = parts.iter().filter(|part| part["summary"] != "no changes").count();
        assert_eq!(operation["runs"].as_array().unwrap().len(), written, "any:{nth}: {rows:#?}");
        for _ in 0..2 {
            if values(&env) != before {
                ok(&env, "undo --yes");
            }
        }
        assert_eq!(values(&env), before, "any:{nth}");
    }
    assert!(continued > 2, "{continued}");
}

/// Gives the login of the café to the page of weddings, as somebody in the dashboard does.
fn swap_logins(env: &TestEnv) {
    env.server.edit(|account| {
        "cafe.old".clone_into(&mut account.profiles[0].login);
        "cafe".clone_into(&mut account.profiles[1].login);
    });
}

#[test]
fn an_undo_writes_to_no_other_page_that_has_the_login_now() {
    for line in [
        "slots delete cafe 1003 --yes",
        "slots set cafe 1001 title=Mine",
        "slots add cafe text title=Mine",
        "slots move cafe 1001 --bottom",
        "profile update cafe description=Mine",
    ] {
        for force in ["", " --force"] {
            let env = cafe();
            let before = values(&env);
            ok(&env, line);
            swap_logins(&env);
            let other = env.server.account().profiles[1].clone();
            let run = env.run(&format!("undo --yes{force}"));
            assert_eq!(env.server.account().profiles[1], other, "{line}: {run}");
            if line.starts_with("profile") {
                assert_eq!(values(&env), before, "{line}: {run}");
            } else if line.contains("delete") {
                assert!(run.exit == 14 && run.stderr.contains("may be another page"), "{run}");
            }
        }
    }
}

#[test]
fn a_login_stands_for_the_page_that_had_it_last() {
    let env = three_pages();
    ok(&env, "apply a.yaml --yes");
    swap_logins(&env);
    env.file("b.yaml", "profile: cafe\ntitle: New b\n");
    ok(&env, "apply b.yaml --yes");
    let listed = ok(&env, "log --page cafe -o json").json();
    assert_eq!(listed["data"].as_array().unwrap().len(), 1, "{listed}");
    let run = ok(&env, "undo --page cafe --yes");
    let titles =
        env.server.account().profiles.iter().map(|page| page.title.clone()).collect::<Vec<_>>();
    assert_eq!(titles[0].as_deref(), Some("New a"), "{run}");
    assert_ne!(titles[1].as_deref(), Some("New b"), "{run}");
}

#[test]
fn an_operation_that_cannot_be_read_is_not_passed_over() {
    let env = cafe().keeping_state();
    ok(&env, "slots set cafe 1001 title=First");
    ok(&env, "slots set cafe 1002 title=Second");
    let mut journals = Vec::new();
    let writes = env.home.path().join("state/writes");
    for service in std::fs::read_dir(writes).unwrap() {
        for file in std::fs::read_dir(service.unwrap().path()).unwrap() {
            journals.push(file.unwrap().path());
        }
    }
    journals.sort();
    let newest = journals.last().unwrap();
    let text = std::fs::read_to_string(newest).unwrap();
    std::fs::write(newest, text.replace("\"format\":1", "\"format\":2")).unwrap();
    let run = env.run("undo --yes");
    assert!(run.exit == 14 && run.stderr.contains("cannot be read"), "{run}");
    assert_eq!(env.server.account().profiles[0].slots[0].data["title"], "First", "{run}");
    let older = log(&env)[1]["operation"].as_str().unwrap().to_owned();
    ok(&env, &format!("undo {older} --yes"));
    assert_eq!(env.server.account().profiles[0].slots[0].data["title"], "Good morning!");
}
