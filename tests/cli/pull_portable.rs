//! Tests of `links pull --portable`.

use std::fs;

use links_fixtures::{Choices, World};
use serde_json::{Value, json};

use crate::steps::{copy, ok, path, text, writes};
use crate::test_env::TestEnv;

fn here(builder: links_fixtures::ContractServerBuilder) -> links_fixtures::ContractServerBuilder {
    builder.choices(Choices { files_here: true, ..Choices::default() })
}

#[test]
fn a_portable_page_applies_to_a_new_page_of_another_account() {
    let one = TestEnv::with(here).env("LINKS_TEST_NO_WAIT", "1");
    let pulled = ok(&one, "pull cafe -O kit/cafe.yaml --portable --images");
    let file = text(&one, "kit/cafe.yaml");
    assert!(file.starts_with("# left out of cafe: messenger 1005 (legacy slot), event 1008 (read-only slot), currency 1014 (legacy slot)\nprofile: cafe\n"), "{file}");
    assert!(!file.contains("id:") && file.contains("$form: book-a-table"), "{file}");
    let form = text(&one, "kit/forms/book-a-table.yaml");
    for left_out in ["6f1c0f0e", "key:", "notificationChannelIds"] {
        assert!(!form.contains(left_out), "{left_out}: {form}");
    }
    assert!(pulled.stdout.contains("left out of cafe"), "{pulled}");
    // It is no file of the page: nothing is recorded, and a file that exists is not patched.
    assert_eq!(one.run("pull cafe -O kit/cafe.yaml --portable").exit, 14);
    ok(&one, "pull cafe -O kit/cafe.yaml --portable --images --force");
    assert_eq!(text(&one, "kit/cafe.yaml"), file);
    assert_eq!(fs::read_dir(path(&one, "kit/forms")).unwrap().count(), 1);

    let other = TestEnv::of(World::empty(), here).env("LINKS_TEST_NO_WAIT", "1").keeping_state();
    copy(&path(&one, "kit"), &path(&other, "kit"));
    let refused = other.run("apply kit --yes");
    assert!(refused.exit == 14 && refused.stderr.contains("--allow-create 2"), "{refused}");
    ok(&other, "apply kit --yes --allow-create 2");
    let (from, to) = (one.server.account(), other.server.account());
    let (from, page) = (&from.profiles[0], &to.profiles[0]);
    assert_eq!(
        (&page.title, &page.mood_text, page.language_id),
        (&from.title, &from.mood_text, from.language_id)
    );
    let kinds = |page: &links_fixtures::Profile| -> Vec<String> {
        let shown = page.slots.iter().filter(|it| it.supported && it.kind != "event");
        shown.map(|it| it.kind.clone()).collect()
    };
    assert_eq!(kinds(page), kinds(from));
    let show = page.slots.iter().find(|it| it.kind == "form").unwrap();
    assert_eq!(show.data["formId"], json!(to.forms[0].id));
    assert_eq!(to.forms[0].fields.len(), 3);
    other.operations();
    let again = ok(&other, "apply kit");
    assert!(again.stdout.contains("no changes"), "{again}");
    assert_eq!(writes(&other), [""; 0]);
}

#[test]
fn a_portable_form_does_not_replace_the_file_of_the_account() {
    let env = TestEnv::with(here).env("LINKS_TEST_NO_WAIT", "1");
    ok(&env, "init");
    ok(&env, "pull --all");
    let own = text(&env, "forms/book-a-table.yaml");
    for force in ["", "--force", "--force"] {
        ok(&env, &format!("pull cafe --portable -O kit.yaml {force}"));
    }
    assert_eq!(text(&env, "forms/book-a-table.yaml"), own);
    assert!(text(&env, "kit.yaml").contains("$form: book-a-table-2"));
    assert!(!text(&env, "forms/book-a-table-2.yaml").contains("\nid:"));
    assert_eq!(fs::read_dir(path(&env, "forms")).unwrap().count(), 2);
}

#[test]
fn a_portable_page_applies_to_another_page_of_the_same_account() {
    let env = TestEnv::with(here).env("LINKS_TEST_NO_WAIT", "1").keeping_state();
    ok(&env, "pull cafe -O kit/ --portable");
    let file = text(&env, "kit/cafe.yaml");
    env.file("kit/cafe.yaml", file.replace("profile: cafe\n", "profile: qara.weddings\n"));
    ok(&env, "apply kit --yes --prune");
    let account = env.server.account();
    let forms: Vec<Value> =
        account.profiles[1].slots.iter().filter_map(|it| it.data.get("formId").cloned()).collect();
    assert_eq!((account.forms.len(), forms), (1, vec![json!(account.forms[0].id)]));
    assert_eq!(account.profiles[1].title.as_deref(), Some("Qara Coffee"));
}
