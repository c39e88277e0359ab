//! Tests of what `links plan`, `apply`, `pull` and `undo` say of an account.

use std::fs;

use links_fixtures::Fault;
use serde_json::{Value, json};

use crate::steps::{ok, path, text, writes};
use crate::test_env::TestEnv;

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

fn env() -> TestEnv {
    TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1")
}

/// Returns two pages that were synced with files in a directory.
fn synced() -> TestEnv {
    let env = env();
    ok(&env, "init");
    fs::create_dir(path(&env, "pages")).unwrap();
    env.file("pages/cafe.yaml", "profile: cafe\ntitle: Cafe\n");
    env.file("pages/weddings.yaml", "profile: qara.weddings\ntitle: Weddings\n");
    ok(&env, "apply");
    env.operations();
    env
}

#[test]
fn a_page_whose_file_is_gone_is_named_with_what_becomes_of_it() {
    let env = synced();
    fs::remove_file(path(&env, "pages/cafe.yaml")).unwrap();
    for line in ["plan", "plan .", "plan pages"] {
        let plan = ok(&env, line);
        let line = plan.stdout.lines().find(|line| line.starts_with("= cafe: ")).unwrap();
        for part in [
            "pages/cafe.yaml no longer exists",
            "its page is left alone",
            "`links pull cafe -O pages/cafe.yaml`",
            "`links init --refresh`",
            "dashboard",
        ] {
            assert!(line.contains(part), "{part}: {plan}");
        }
    }
    let absent = ok(&env, "plan -o json").json()["meta"]["absent"].clone();
    assert_eq!(absent, json!([{ "file": "pages/cafe.yaml", "id": 101, "login": "cafe" }]));
    // A file that was moved is no such file, and neither is one outside the directory that is planned.
    env.file("pages/moved.yaml", "profile: cafe\ntitle: Cafe\n");
    assert!(!ok(&env, "plan").stdout.contains("no longer exists"));
    fs::remove_file(path(&env, "pages/moved.yaml")).unwrap();
    assert!(!ok(&env, "plan pages/weddings.yaml").stdout.contains("any more"));
    // The advice holds: the record goes, and so does the note.
    let refreshed = ok(&env, "init --refresh");
    assert!(
        refreshed.stdout.contains("removed the record of pages/cafe.yaml (file no longer exists)"),
        "{refreshed}"
    );
    let lock = text(&env, "links.lock");
    assert!(!lock.contains("pages/cafe.yaml") && lock.contains("pages/weddings.yaml"), "{lock}");
    assert!(!ok(&env, "plan").stdout.contains("no longer exists"));
    assert_eq!(writes(&env), [""; 0]);
    // The last one of a directory, too.
    fs::remove_file(path(&env, "pages/weddings.yaml")).unwrap();
    let empty = env.run("plan pages");
    assert!(
        empty.exit == 2 && empty.stderr.contains("pages/weddings.yaml no longer exists"),
        "{empty}"
    );
}

#[test]
fn a_conflict_says_how_it_is_settled() {
    let env = synced();
    env.server.edit(|account| account.profiles[0].title = Some("Theirs".to_owned()));
    env.file("pages/cafe.yaml", "profile: cafe\ntitle: Ours\n");
    let pull = "links pull cafe -O pages/cafe.yaml";
    for line in ["plan pages/cafe.yaml", "apply pages/cafe.yaml"] {
        let run = env.run(line);
        assert_eq!(run.exit, 7, "{run}");
        assert!(run.stderr.contains("--force") && run.stderr.contains(pull), "{run}");
        let error = env.run(&format!("{line} -o json")).error();
        let hint = error["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(pull) && hint.contains("--force"), "{error:#}");
    }
    // The command of the hint does what it says.
    let pulled = env.run("pull cafe -O pages/cafe.yaml");
    assert_eq!(pulled.exit, 7, "{pulled}");
    assert!(text(&env, "pages/cafe.yaml").contains("# <<< page: title: \"Theirs\""), "{pulled}");
}

#[test]
fn a_conflict_of_slots_names_the_command_for_slots() {
    let env = env();
    ok(&env, "init");
    let page = "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: Ours}}\n";
    env.file("cafe.yaml", page);
    ok(&env, "slots apply cafe.yaml");
    env.server.edit(|account| account.profiles[0].slots[0].data["title"] = "Theirs".into());
    env.file("cafe.yaml", page.replace("Ours", "Mine"));
    let error = env.run("slots plan cafe.yaml -o json").error();
    assert_eq!(error["exit"], 7, "{error:#}");
    let hint = error["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("links slots pull cafe -O cafe.yaml"), "{error:#}");
}

#[test]
fn a_pull_without_a_page_names_the_ways_to_name_one() {
    let env = env();
    let run = env.run("pull");
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.stderr.contains("links pull --all"), "{run}");
    let error = env.run("pull -O site -o json").error();
    assert!(error["hint"].as_str().unwrap().contains("links pull --all"), "{error:#}");
    assert_eq!(env.operations(), [""; 0]);
    assert!(!path(&env, "site").exists());
}

#[test]
fn an_empty_value_is_not_listed_as_replaced_and_a_login_is_named_once() {
    let env = env();
    ok(&env, "init");
    env.server.edit(|account| account.profiles[0].description = None);
    env.file("cafe.yaml", "profile: cafe\nlogin: qara.night\ndescription: Late\ntitle: Night\n");
    let plan = env.run("plan cafe.yaml");
    assert_eq!(plan.exit, 3, "{plan}");
    assert!(!plan.stdout.contains("was null"), "{plan}");
    assert!(!plan.stdout.contains("overwrites `description`"), "{plan}");
    assert!(
        plan.stdout.contains("overwrites `title`, which is now \"Qara Coffee\" on the page"),
        "{plan}"
    );
    let named = plan.stdout.lines().filter(|line| line.contains("login")).count();
    assert_eq!(named, 1, "{plan}");
    // What another client has cleared since the last sync is.
    ok(&env, "apply cafe.yaml --allow-rename");
    env.server.edit(|account| account.profiles[0].description = None);
    let plan = env.run("plan cafe.yaml --force");
    assert!(
        plan.stdout.contains("overwrites `description`, which is now empty on the page"),
        "{plan}"
    );
}

#[test]
fn a_dry_run_says_that_it_was_one_below_its_plan() {
    let env = env();
    env.file(
        "cafe.yaml",
        "profile: cafe\nslots:\n  - {id: 1001, type: text, data: {title: Anew}}\n",
    );
    for line in ["apply cafe.yaml --dry-run", "slots apply cafe.yaml --dry-run"] {
        let run = env.run(line);
        assert_eq!(run.exit, 3, "{run}");
        let place = |part: &str| run.stdout.find(part).unwrap_or_else(|| panic!("{part}: {run}"));
        assert!(place("Anew") < place("the service would accept the new and changed slots"));
        assert!(place("would accept") < place("dry run: nothing was changed"));
        assert!(!run.stderr.contains("dry run"), "{run}");
    }
}

#[test]
fn a_summary_on_standard_output_replaces_the_plan_there() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\ntitle: Anew\n");
    let run = env.run("plan cafe.yaml --summary -");
    assert_eq!(run.exit, 3, "{run}");
    assert!(run.stdout.starts_with("### links plan: "), "{run}");
    assert_eq!(run.stdout.matches("~ cafe: title").count(), 1, "{run}");
    let preview = ok(&env, "preview cafe.yaml --summary -");
    assert!(preview.stdout.starts_with("### links preview: "), "{preview}");
    for line in ["plan cafe.yaml --summary - -o json", "preview cafe.yaml --summary - -o csv"] {
        env.operations();
        let run = env.run(line);
        assert!(run.exit == 2 && run.stderr.contains("--summary"), "{run}");
        assert_eq!(env.operations(), [""; 0]);
    }
    assert!(!path(&env, "-").exists());
}

#[test]
fn ids_and_csv_have_a_row_for_each_page_and_form() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\ntitle: Anew\n");
    env.file("form.yaml", format!("form: booking\nid: {FORM}\ntitle: Book a table\n"));
    env.file("new.yaml", "profile: brand.new\ntitle: New\nslots:\n  - {type: divider}\n");
    let csv = env.run("plan . -o csv");
    assert_eq!(csv.exit, 3, "{csv}");
    let expected = format!(
        "kind,id,name,file,action,fields,updates,creates,deletes,remote\n\
         page,101,cafe,cafe.yaml,change,1,0,0,0,0\n\
         page,,brand.new,new.yaml,create,1,0,1,0,0\n\
         form,{FORM},booking,form.yaml,none,0,0,0,0,0\n"
    );
    assert_eq!(csv.stdout, expected);
    let ids = env.run("plan . -o ids");
    assert_eq!(ids.stdout, "101\n", "only what changes: {ids}");
    let applied = ok(&env, "apply . --allow-create 1 -o ids");
    let id = env.server.account().profiles.last().unwrap().id;
    assert_eq!(applied.stdout, format!("101\n{id}\n"), "{applied}");
    let again = ok(&env, "apply . -o csv");
    assert_eq!(again.stdout.matches(",none,").count(), 3, "{again}");
}

#[test]
fn an_undone_form_is_shown_by_the_values_that_changed() {
    let env = env().keeping_state();
    ok(&env, &format!("forms update {FORM} title=Table"));
    let undo = ok(&env, "undo --yes");
    assert!(undo.stderr.contains("title: \"Table\" → \"Book a table\""), "{undo}");
    assert_eq!(undo.stdout, format!("form Book a table: written ({FORM})\n4 requests\n"));
    ok(&env, &format!("forms update {FORM} title=Table"));
    let undo: Value = ok(&env, "undo --yes -o json").json();
    assert_eq!(undo["data"]["forms"]["Book a table"], FORM);
    assert_eq!(env.server.account().forms[0].title, "Book a table");
}

#[test]
fn an_edited_plan_is_a_bad_input_and_no_conflict() {
    let env = env();
    env.file("cafe.yaml", "profile: cafe\ntitle: Anew\n");
    assert_eq!(env.run("plan cafe.yaml --out plan.json").exit, 3);
    env.file("edited.json", text(&env, "plan.json").replace("Anew", "Forged"));
    let run = env.run("apply --plan edited.json --yes -o json");
    let error = run.error();
    assert_eq!((run.exit, &error["code"]), (8, &json!("invalid")), "{error:#}");
    assert!(error["message"].as_str().unwrap().contains("was edited"), "{error:#}");
    assert_eq!(writes(&env), [""; 0]);
}

#[test]
fn pages_and_forms_that_stay_as_they_are_take_one_line_in_plan_and_apply() {
    let env = TestEnv::cafe().keeping_state().env("LINKS_TEST_NO_WAIT", "1");
    for name in ["cafe", "qara.weddings"] {
        assert_eq!(env.run(&format!("pull {name} -O {name}.yaml")).exit, 0);
    }
    env.server.edit(|account| {
        for nth in 0..8 {
            let mut page = account.profiles[1].clone();
            (page.id, page.login) = (500 + nth, format!("page{nth}"));
            account.profiles.push(page);
        }
    });
    for nth in 0..8 {
        let title = env.server.account().profiles[1].title.clone().unwrap();
        env.file(&format!("page{nth}.yaml"), format!("profile: page{nth}\ntitle: {title}\n"));
    }
    let cafe = std::fs::read_to_string(env.home.path().join("cafe.yaml")).unwrap();
    env.file("cafe.yaml", cafe.replace("title: Qara Coffee", "title: Anew"));
    let plan = env.run("plan .");
    assert_eq!(plan.exit, 3, "{plan}");
    assert_eq!(plan.stdout.matches("no changes").count(), 1, "{plan}");
    assert!(plan.stdout.contains("= 9 pages: no changes"), "{plan}");
    assert_eq!(env.run("plan . -o ids").stdout, "101\n");
    let applied = env.run("apply . --yes");
    assert_eq!(applied.exit, 0, "{applied}");
    assert_eq!(applied.stdout.matches("no changes").count(), 1, "{applied}");
    assert!(!applied.stdout.contains("page3"), "{applied}");
}

#[test]
fn a_run_that_fails_on_one_page_prints_what_it_has_written_to_the_others() {
    let env = synced();
    env.file("pages/cafe.yaml", "profile: cafe\ntitle: Cafe A\n");
    env.file("pages/weddings.yaml", "profile: qara.weddings\ntitle: Weddings A\n");
    env.server.fail_operation("updateProfile", 2, &Fault::Before(400));
    let failed = env.run("apply -o json");
    assert_eq!(failed.exit, 12, "{failed}");
    let pages = failed.json()["data"]["pages"].clone();
    let of = |page: &Value| (page["login"].clone(), page["finished"].clone());
    let pages = pages.as_array().unwrap();
    assert_eq!(pages.iter().map(of).collect::<Vec<_>>(), [("cafe".into(), true.into())]);
    assert!(pages[0]["run"].is_string(), "{failed}");
    assert_eq!(failed.error()["outcome"], "executed", "{failed}");
    assert!(failed.error().to_string().contains("1 of 2 pages failed"), "{failed}");
    assert_eq!(ok(&env, "apply -o json").json()["data"]["pages"][1]["finished"], true);
}
