//! Tests of `links undo --files`: the files of the pages and forms follow what was taken back.

use crate::operations::{APPLY, failed, retitle, three_pages, values, writes};
use crate::steps::{ok, path, text};
use crate::test_env::TestEnv;
use crate::undo::cafe;

const FILES: [&str; 4] = ["a.yaml", "b.yaml", "c.yaml", "form.yaml"];

/// Returns the account of three pages and a form below a `links.lock`, with all files applied.
fn applied() -> TestEnv {
    let env = three_pages();
    ok(&env, "init");
    ok(&env, &format!("{APPLY} --operation-out op.json"));
    writes(&env);
    env
}

fn texts(env: &TestEnv) -> [String; 4] {
    FILES.map(|name| text(env, name))
}

/// Returns the files whose texts differ from these.
fn changed(env: &TestEnv, before: &[String; 4]) -> Vec<&'static str> {
    let now = texts(env);
    (0..4).filter(|nth| now[*nth] != before[*nth]).map(|nth| FILES[nth]).collect()
}

#[test]
fn the_files_of_all_pages_and_forms_follow_an_undo_and_a_redo() {
    let env = applied();
    let (after, of_files) = (values(&env), texts(&env));
    let run = ok(&env, "undo --yes --files");
    for name in FILES {
        assert!(run.stdout.contains(name), "{name}: {run}");
    }
    assert_eq!(changed(&env, &of_files), FILES);
    assert!(text(&env, "form.yaml").contains("title: Book a table"), "{}", text(&env, "form.yaml"));
    let title = env.server.account().profiles[0].title.clone().unwrap();
    assert!(text(&env, "a.yaml").contains(&title));
    assert_eq!(env.run("plan a.yaml b.yaml c.yaml form.yaml").exit, 0);
    let run = ok(&env, "redo --yes --files -o json");
    assert_eq!(run.json()["data"]["files"]["pages"].as_array().unwrap().len(), 3, "{run}");
    assert_eq!(run.json()["data"]["files"]["forms"].as_array().unwrap().len(), 1, "{run}");
    assert_eq!(values(&env), after);
    assert_eq!(env.run("plan a.yaml b.yaml c.yaml form.yaml").exit, 0);
}

#[test]
fn the_file_of_a_page_that_was_renamed_since_follows() {
    let env = applied();
    env.server.edit(|account| account.profiles[0].login = "cafe.neu".to_owned());
    ok(&env, "undo --yes --files");
    assert!(text(&env, "a.yaml").starts_with("profile: cafe.neu\n"), "{}", text(&env, "a.yaml"));
    assert!(!text(&env, "a.yaml").contains("New a"), "{}", text(&env, "a.yaml"));
}

#[test]
fn without_a_lock_the_files_that_the_journals_name_follow() {
    let env = three_pages();
    ok(&env, "apply a.yaml b.yaml --yes");
    let of_files = texts(&env);
    ok(&env, "undo --yes --files");
    assert_eq!(changed(&env, &of_files), ["a.yaml", "b.yaml"]);
    ok(&env, "apply form.yaml --yes");
    ok(&env, "undo --yes --files");
    assert!(text(&env, "form.yaml").contains("Book a table"));
}

#[test]
fn only_the_files_of_what_is_undone_follow() {
    let env = applied();
    let of_files = texts(&env);
    ok(&env, "undo --yes --files --page qara.weddings");
    assert_eq!(changed(&env, &of_files), ["b.yaml"]);
    ok(&env, "undo --yes");
    assert_eq!(changed(&env, &of_files), ["b.yaml"]);
}

#[test]
fn an_edit_of_a_file_since_stays() {
    let env = applied();
    env.file("a.yaml", format!("# Mine\n{}", text(&env, "a.yaml")));
    ok(&env, "undo --yes --files");
    assert!(text(&env, "a.yaml").starts_with("# Mine\n"));
    assert!(!text(&env, "a.yaml").contains("New a"));
}

#[test]
fn the_files_of_another_machine_are_those_of_its_lock() {
    let env = applied();
    let of_files = texts(&env);
    let state = path(&env, "laptop").display().to_string();
    let env = env.env("LINKS_STATE_DIR", state);
    ok(&env, "undo --from op.json --yes --files");
    assert_eq!(changed(&env, &of_files), FILES);
}

#[test]
fn a_dry_run_and_a_refused_undo_change_no_file() {
    let env = applied();
    let of_files = texts(&env);
    let run = env.run("undo --files --dry-run");
    assert_eq!(run.exit, 3, "{run}");
    assert!(
        run.stderr.contains("these files would be updated: a.yaml b.yaml c.yaml form.yaml"),
        "{run}"
    );
    retitle(&env, 1, "Theirs");
    failed(&env, "undo --yes --files", 7);
    assert!(changed(&env, &of_files).is_empty());
}

#[test]
fn a_page_without_a_file_is_said() {
    let env = cafe();
    ok(&env, "profile update cafe title=A");
    let run = ok(&env, "undo --yes --files");
    assert!(run.stderr.contains("no file found here for cafe"), "{run}");
}

#[test]
fn a_file_that_cannot_follow_is_said_after_the_undo() {
    let env = applied();
    let before = values(&env);
    env.file("a.yaml", "profile: cafe\ntitle: [\n");
    let run = env.run("undo --yes --files");
    assert_ne!(run.exit, 0, "{run}");
    assert!(run.stdout.contains("b.yaml") || run.stderr.contains("b.yaml"), "{run}");
    assert_ne!(values(&env), before);
}

#[test]
fn without_the_option_the_files_stay_and_the_command_is_named() {
    let env = applied();
    let of_files = texts(&env);
    let run = ok(&env, "undo --yes");
    assert!(run.stderr.contains("links pull a.yaml b.yaml c.yaml form.yaml"), "{run}");
    assert!(run.stdout.contains("form Book a table: written"), "{run}");
    assert!(changed(&env, &of_files).is_empty());
}
