//! Tests of values of a page file that stand for others: images to upload, forms by their titles.

use crate::test_env::{CommandResult, TestEnv};

const DOT: &[u8] = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// Returns another image of one dot.
fn other_dot() -> Vec<u8> {
    let mut dot = DOT.to_vec();
    dot[13] = 0xff;
    dot
}

/// Returns an environment whose runs share the cache of uploads.
fn env() -> TestEnv {
    let env = TestEnv::cafe().keeping_cache();
    let directory = env.home.path().join("state").display().to_string();
    let env = env.env("LINKS_STATE_DIR", directory);
    assert_eq!(env.run("slots pull cafe").exit, 0);
    env.operations();
    env
}

const PICTURES: &str = "\
profile: cafe
slots:
  - id: 1003
    type: picture
    data: {image: {$upload: ./images/menu.gif}}
  - type: gallery
    data:
      title: Two of a kind
      images:
        - image: {$upload: images/menu.gif}
        - image: {$upload: images/same.gif}
";

fn with_pictures(env: &TestEnv) {
    std::fs::create_dir_all(env.home.path().join("pages/images")).unwrap();
    env.file("pages/images/menu.gif", DOT);
    env.file("pages/images/same.gif", DOT);
    env.file("pages/cafe.yaml", PICTURES);
}

fn uploads(env: &TestEnv) -> usize {
    env.operations().iter().filter(|it| *it == "uploadFile").count()
}

#[test]
fn an_image_is_uploaded_once_after_confirmation() {
    let env = env();
    with_pictures(&env);
    let plan = env.run("slots plan pages/cafe.yaml");
    assert_eq!(env.operations(), ["getProfile"], "a plan uploads nothing");

    let first = env.run("slots apply pages/cafe.yaml --yes");
    let mut operations = env.operations();
    // If the limits make the update wait, the page is read once more.
    operations.dedup();
    assert_eq!(
        operations,
        [
            "getProfile",
            "getMe",
            "uploadFile",
            "listSlots",
            "updateSlots",
            "createSlots",
            "listSlots"
        ]
    );
    let account = env.server.account();
    let path = account.files.last().unwrap().path.clone();
    let slots = &account.profiles[0].slots;
    let gallery = slots.iter().find(|it| it.data.get("title") == Some(&"Two of a kind".into()));
    let images = &gallery.unwrap().data["images"];
    let picture = slots.iter().find(|it| it.id == 1003).unwrap();
    assert_eq!([&picture.data["image"], &images[0]["image"], &images[1]["image"]], [&path; 3]);

    let second = env.run("slots apply pages/cafe.yaml --yes");
    assert_eq!(env.operations(), ["getProfile"]);
    // The number of reads depends on how long the limits made it wait.
    let shown = |run: &CommandResult| {
        let text = run.to_string().replace(&path, "[PATH]");
        text.replace("\n8 requests", "\n7 requests")
    };
    insta::assert_snapshot!(plan.snapshot_name(), shown(&plan));
    insta::assert_snapshot!(first.snapshot_name(), shown(&first));
    insta::assert_snapshot!("slots_apply_pages_cafe_yaml_yes_again", shown(&second));

    env.file("pages/images/menu.gif", other_dot());
    assert_eq!(env.run("slots apply pages/cafe.yaml --yes").exit, 0);
    assert_eq!(uploads(&env), 1, "what is in the file counts, not its name");
    env.file("pages/images/menu.gif", DOT);
    assert_eq!(env.run("slots apply pages/cafe.yaml --yes").exit, 0);
    assert_eq!(uploads(&env), 0, "the first image is still remembered");
}

#[test]
fn an_image_is_not_uploaded_again_for_another_page() {
    let env = env();
    with_pictures(&env);
    assert_eq!(env.run("slots apply pages/cafe.yaml --yes").exit, 0);
    assert_eq!(uploads(&env), 1);
    let login = env.server.account().profiles[1].login.clone();
    let text = "\nslots:\n  - {type: picture, data: {image: {$upload: pages/images/same.gif}}}\n";
    env.file("other.yaml", format!("profile: {login}{text}"));
    assert_eq!(env.run("slots apply other.yaml --yes").exit, 0);
    assert_eq!(env.operations(), ["getProfile", "getMe", "listSlots", "createSlots", "listSlots"]);
}

#[test]
fn a_missing_image_is_shown_at_its_line() {
    let env = env();
    with_pictures(&env);
    std::fs::remove_file(env.home.path().join("pages/images/same.gif")).unwrap();
    env.file("pages/images/menu.gif", "");
    let address =
        "  - {type: picture, data: {image: {$upload: https://images.example/menu.jpg}}}\n";
    env.file("pages/cafe.yaml", format!("{PICTURES}{address}"));
    let run = env.run("slots plan pages/cafe.yaml");
    assert_eq!(run.exit, 8, "{run}");
    assert_eq!(env.operations(), ["getProfile", "listSlotTypes"]);
    insta::assert_snapshot!(run);
}

#[test]
fn an_image_that_the_service_refuses_stops_the_run_before_the_first_write() {
    let env = env();
    with_pictures(&env);
    // An image by its first bytes, which are all that is checked here.
    env.file("pages/images/same.gif", "GIF89a");
    let before = env.server.account().profiles[0].slots.len();
    let run = env.run("slots apply pages/cafe.yaml --yes");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("pages/cafe.yaml:11:28"), "{run}");
    assert_eq!(env.operations(), ["getProfile", "getMe", "uploadFile", "uploadFile"]);
    assert_eq!(env.server.account().profiles[0].slots.len(), before);

    // The image that was uploaded is not uploaded again.
    env.file("pages/images/same.gif", other_dot());
    assert_eq!(env.run("slots apply pages/cafe.yaml --yes").exit, 0);
    assert_eq!(uploads(&env), 1);
}

#[test]
fn images_are_uploaded_again_once_the_service_has_refused_what_was_sent() {
    let env = env();
    with_pictures(&env);
    assert_eq!(env.run("slots apply pages/cafe.yaml --yes").exit, 0);
    assert_eq!(uploads(&env), 1);
    env.file("pages/bad.yaml", format!("{PICTURES}  - {{type: button, data: {{titel: x}}}}\n"));
    assert_eq!(env.run("slots apply pages/bad.yaml --yes --no-validate").exit, 8);
    assert_eq!(uploads(&env), 0);
    // What the page has and what did not change needs no upload.
    assert_eq!(env.run("slots apply pages/cafe.yaml --yes").exit, 0);
    assert_eq!(uploads(&env), 0);
    env.file("pages/again.yaml", PICTURES);
    assert_eq!(env.run("slots apply pages/again.yaml --yes").exit, 0);
    assert_eq!(uploads(&env), 1);
}

fn with_form(env: &TestEnv, title: &str) -> CommandResult {
    let text =
        "profile: cafe\nslots:\n  - id: 1004\n    type: form\n    data:\n      formId: {$form: ";
    env.file("page.yaml", format!("{text}{title}}}\n"));
    env.run("slots plan page.yaml")
}

#[test]
fn a_form_is_found_by_its_title() {
    let env = env();
    env.server.edit(|account| {
        let mut twin = account.forms[0].clone();
        twin.id = "00000000-0000-4000-8000-000000000001".parse().unwrap();
        twin.title = "Once only".to_owned();
        account.forms.push(twin.clone());
        twin.title = "Twice".to_owned();
        account.forms.push(twin.clone());
        twin.id = "00000000-0000-4000-8000-000000000002".parse().unwrap();
        account.forms.push(twin);
    });
    let found = with_form(&env, "Once only");
    assert_eq!(found.exit, 3, "{found}");
    assert!(found.stdout.contains("→ \"00000000-0000-4000-8000-000000000001\""), "{found}");
    assert_eq!(env.operations(), ["getProfile", "listForms"]);
    for (name, title) in [
        ("ambiguous_form_title", "Twice"),
        ("mistyped_form_title", "Once onyl"),
        ("unknown_form_title", "Nothing alike"),
    ] {
        let run = with_form(&env, title);
        assert_eq!(run.exit, 8, "{run}");
        insta::assert_snapshot!(name, run);
    }
}

#[test]
fn a_form_that_is_not_found_hides_no_other_problem() {
    let env = env();
    let text = "\
profile: cafe
slots:
  - {id: 1004, type: form, data: {formId: {$form: Nobody}, colour: red}}
  - {type: buton}
  - {id: 1002, type: button, data: {style: primray}}
";
    env.file("page.yaml", text);
    let run = env.run("slots plan page.yaml -o json");
    assert_eq!(run.exit, 8, "{run}");
    let error = run.error();
    let paths: Vec<_> = error["places"].as_array().unwrap().iter().map(|it| &it["path"]).collect();
    let expected =
        ["slots.0.data.formId", "slots.0.data.colour", "slots.1.type", "slots.2.data.style"];
    assert_eq!(paths, expected, "{run}");
}
