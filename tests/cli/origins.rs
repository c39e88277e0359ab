//! Tests of the origin of file names: the user may name files, the service or a data file may not.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::test_env::{CommandResult, TestEnv, picture};

fn uploads(operations: &[String]) -> usize {
    operations.iter().filter(|it| *it == "uploadFile").count()
}

/// Returns an environment with a page file in a directory of its own, and an image beside that directory.
fn naming(name: &str) -> TestEnv {
    let env = TestEnv::cafe().keeping_cache();
    std::fs::create_dir_all(env.home.path().join("pages/images")).unwrap();
    env.file("outside.gif", picture(1, 1));
    env.file("pages/images/menu.gif", picture(2, 2));
    write_page(&env, name);
    env
}

fn write_page(env: &TestEnv, name: &str) {
    let page = json!({"profile": "cafe", "slots": [{"type": "picture", "data": {"image": {"$upload": name}}}]});
    env.file("pages/page.yaml", page.to_string());
}

/// Plans and applies; nothing may be sent. Returns the output of the plan.
fn refused(env: &TestEnv, name: &str) -> CommandResult {
    write_page(env, name);
    let run = env.run("slots apply pages/page.yaml --yes");
    assert_eq!((run.exit, uploads(&env.operations())), (8, 0), "{name}\n{run}");
    let out = env.run("slots plan pages/page.yaml --out plan.json");
    assert_eq!(out.exit, 8, "{name}\n{out}");
    assert!(!env.home.path().join("plan.json").exists(), "{name}");
    env.run("slots plan pages/page.yaml")
}

#[test]
fn no_path_leads_out_of_the_page_files_directory() {
    let env = naming("");
    let home = env.home.path().to_owned();
    let outside = home.join("outside.gif").display().to_string();
    for name in [
        outside.as_str(),
        "../outside.gif",
        "images/../../outside.gif",
        "//server/share/outside.gif",
        "\\\\server\\share\\outside.gif",
        "C:\\outside.gif",
        "c:/outside.gif",
    ] {
        let run = refused(&env, name);
        assert!(run.stderr.contains("is outside the page file's directory"), "{name}\n{run}");
        assert!(run.stderr.contains("--upload-root"), "{name}\n{run}");
    }
    for name in [".hidden.gif", ".git/menu.gif", "images/.x/menu.gif"] {
        let run = refused(&env, name);
        assert!(run.stderr.contains("hidden"), "{name}\n{run}");
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_resolved_before_the_directory_is_checked() {
    use std::os::unix::fs::symlink;
    let env = naming("");
    let pages = env.home.path().join("pages");
    std::fs::create_dir(pages.join(".git")).unwrap();
    env.file("pages/.git/config.gif", picture(1, 1));
    symlink("../outside.gif", pages.join("relative.gif")).unwrap();
    symlink(env.home.path().join("outside.gif"), pages.join("absolute.gif")).unwrap();
    symlink("..", pages.join("up")).unwrap();
    symlink(".git", pages.join("visible")).unwrap();
    symlink("images/menu.gif", pages.join("inside.gif")).unwrap();
    symlink(pages.join("images"), pages.join("round")).unwrap();
    for name in ["relative.gif", "absolute.gif", "up/outside.gif"] {
        let run = refused(&env, name);
        assert!(run.stderr.contains("is outside the page file's directory"), "{name}\n{run}");
    }
    assert!(refused(&env, "visible/config.gif").stderr.contains("hidden"));
    for name in ["inside.gif", "round/menu.gif", "./images/../images/menu.gif"] {
        write_page(&env, name);
        let run = env.run("slots plan pages/page.yaml -o json");
        assert_eq!(run.exit, 3, "{name}\n{run}");
        assert_eq!(
            run.json()["data"]["pages"][0]["plan"]["uploads"][0]["file"],
            "pages/images/menu.gif",
            "{run}"
        );
    }
}

#[cfg(unix)]
#[test]
fn errors_do_not_reveal_whether_a_file_outside_exists() {
    let env = naming("");
    let pages = env.home.path().join("pages");
    std::os::unix::fs::symlink("../outside.gif", pages.join("link.gif")).unwrap();
    for name in ["../outside.gif", "link.gif"] {
        let there = refused(&env, name).to_string();
        std::fs::rename(env.home.path().join("outside.gif"), env.home.path().join("gone")).unwrap();
        let gone = refused(&env, name).to_string();
        std::fs::rename(env.home.path().join("gone"), env.home.path().join("outside.gif")).unwrap();
        assert_eq!(there, gone);
    }
}

#[test]
fn only_regular_files_with_an_image_in_them_are_uploaded() {
    let env = naming("");
    env.file("pages/secret.gif", "root:x:0:0:root:/root:/bin/sh\n");
    env.file("pages/empty.gif", "");
    assert!(refused(&env, "secret.gif").stderr.contains("is not a JPEG, PNG, WebP or GIF image"));
    assert!(refused(&env, "empty.gif").stderr.contains("is empty"));
    assert!(refused(&env, "images").stderr.contains("is not a file"));
    #[cfg(unix)]
    {
        let pipe = env.home.path().join("pages/pipe.gif");
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
        assert!(refused(&env, "pipe.gif").stderr.contains("is not a file"));
    }
}

#[test]
fn upload_root_allows_another_directory() {
    let env = naming("../outside.gif");
    assert_eq!(env.run("slots plan pages/page.yaml --upload-root pages").exit, 8);
    assert_eq!(env.run("slots plan pages/page.yaml --upload-root no/such").exit, 2);
    env.operations();
    let run = env.run("slots apply pages/page.yaml --upload-root . --yes");
    assert_eq!((run.exit, uploads(&env.operations())), (0, 1), "{run}");
}

#[test]
fn uploads_are_shown_and_confirmed() {
    let env = naming("images/menu.gif");
    let plan = env.run("slots plan pages/page.yaml");
    let bytes = picture(2, 2).len();
    let shown = format!("^ upload pages/images/menu.gif (image/gif, {bytes} bytes)");
    assert!(plan.stdout.contains(&shown), "{plan}");
    let plan = env.run("slots plan pages/page.yaml -o json").json();
    let expected = json!([{"index": 0, "path": "image", "file": "pages/images/menu.gif", "type": "image/gif", "bytes": bytes}]);
    assert_eq!(plan["data"]["pages"][0]["plan"]["uploads"], expected);

    let run = env.run("slots apply pages/page.yaml");
    assert_eq!((run.exit, uploads(&env.operations())), (14, 0), "{run}");
    assert!(run.stderr.contains("1 upload") && run.stderr.contains("--yes"), "{run}");
    let run = env.run("slots apply pages/page.yaml --yes");
    assert_eq!((run.exit, uploads(&env.operations())), (0, 1), "{run}");
}

/// Returns a plan with the digest of its content, as anyone who writes one by hand can make it.
fn signed(mut plan: Value) -> String {
    plan["digest"] = Value::Null;
    plan.sort_all_objects();
    let digest = Sha256::digest(plan.to_string());
    plan["digest"] = digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
    plan.to_string()
}

#[test]
fn a_saved_plan_cannot_choose_the_upload_directory() {
    let env = naming("images/menu.gif");
    assert_eq!(env.run("slots plan pages/page.yaml --out plan.json").exit, 3);
    let text = std::fs::read_to_string(env.home.path().join("plan.json")).unwrap();
    let saved: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(saved["pages"][0]["file"]["directory"], "pages");
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::create_dir(elsewhere.path().join("images")).unwrap();
    std::fs::write(elsewhere.path().join("images/menu.gif"), picture(2, 2)).unwrap();
    std::fs::create_dir(env.home.path().join("plans")).unwrap();
    for directory in [elsewhere.path().display().to_string(), "../pages".to_owned()] {
        let mut other = saved.clone();
        other["pages"][0]["file"]["directory"] = directory.into();
        env.file("plans/plan.json", signed(other));
        let run = env.run("slots apply --plan plans/plan.json --yes");
        assert_eq!((run.exit, uploads(&env.operations())), (8, 0), "{run}");
        assert!(run.stderr.contains("is outside the page file's directory"), "{run}");
    }
    let run = env.run("slots apply --plan plans/plan.json --yes --upload-root pages");
    assert_eq!((run.exit, uploads(&env.operations())), (0, 1), "{run}");
}

/// Returns an environment with a page whose data looks like references, and with the files and the form that they would mean.
fn hostile() -> TestEnv {
    let env = TestEnv::cafe();
    env.file("secret.gif", picture(3, 3));
    env.server.edit(|account| {
        let title = account.forms[0].title.clone();
        let slots = &mut account.profiles[0].slots;
        let secret = json!({"$upload": "secret.gif"});
        let picture = slots.iter_mut().find(|it| it.id == 1003).unwrap();
        picture.data.insert("image".to_owned(), secret.clone());
        picture.data.insert("link".to_owned(), json!([{"$$upload": [secret]}, {"$uplaod": "x"}]));
        let form = slots.iter_mut().find(|it| it.id == 1004).unwrap();
        form.data.insert("formId".to_owned(), json!({"$form": title}));
    });
    env
}

fn nothing_left(env: &TestEnv) {
    let seen = env.operations();
    assert!(!seen.iter().any(|it| it == "uploadFile" || it == "listForms"), "{seen:?}");
    let slots = env.server.account().profiles[0].slots.clone();
    let picture = slots.iter().find(|it| it.id == 1003).unwrap();
    assert_eq!(picture.data["image"], json!({"$upload": "secret.gif"}));
    assert_eq!(env.server.account().files.len(), TestEnv::cafe().server.account().files.len());
}

#[test]
fn references_in_data_of_the_service_are_escaped_in_a_pulled_file() {
    for file in ["page.yaml", "page.json"] {
        let env = hostile();
        assert_eq!(env.run(&format!("slots pull cafe -O {file}")).exit, 0);
        let text = std::fs::read_to_string(env.home.path().join(file)).unwrap();
        assert!(text.contains("$$upload") && text.contains("$$$upload"), "{text}");
        let run = env.run(&format!("slots apply {file} --yes"));
        assert!(run.exit == 0 && run.stdout.contains("no changes"), "{run}");
        nothing_left(&env);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn references_in_data_of_the_service_are_not_followed_in_an_edit() {
    let env = hostile();
    env.file("editor.sh", "sed -i 's/Good morning!/Good evening!/' \"$1\"");
    let env = env.env("VISUAL", "/bin/sh editor.sh");
    let seen = crate::terminal::run(&env, "slots edit cafe --yes", "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert_eq!(env.server.account().profiles[0].slots[0].data["title"], "Good evening!");
    nothing_left(&env);
}

#[test]
fn references_in_data_of_the_service_are_not_followed_in_an_undo() {
    let env = hostile().keeping_state();
    env.file(
        "page.yaml",
        "profile: cafe\nslots:\n  - {id: 1003, type: picture, data: {title: Changed}}\n",
    );
    assert_eq!(env.run("slots apply page.yaml").exit, 0);
    let history = env.run("log -o json").json();
    let run = history["data"][0]["operation"].as_str().unwrap().to_owned();
    let journal = history["data"][0]["parts"][0]["journal"].as_str().unwrap();
    let backup = journal.replace(".jsonl", ".page.json");
    env.operations();
    let restored = env.run(&format!("undo {run} --yes"));
    assert_eq!(restored.exit, 0, "{restored}");
    nothing_left(&env);
    // Nor does a backup that is applied as the page file that it is, even from where the files are.
    let backup = std::fs::read(backup).unwrap();
    env.file("backup.json", backup);
    let run = env.run("slots apply backup.json --yes");
    assert!(run.exit == 0 && run.stdout.contains("no changes"), "{run}");
    nothing_left(&env);
}

#[test]
fn an_image_is_uploaded_from_the_command_line() {
    let env = TestEnv::cafe();
    let elsewhere = tempfile::tempdir().unwrap();
    let path = elsewhere.path().join("sq.gif");
    std::fs::write(&path, picture(4, 4)).unwrap();
    env.file("sq.png", picture(5, 5));
    for (line, field) in [
        (format!("slots add cafe picture image@{}", path.display()), "/data/image"),
        ("slots set cafe 1003 image@./sq.png title=Square".to_owned(), "/data/image"),
        ("profile update cafe avatar@sq.png".to_owned(), "/avatar"),
        ("profile create spring.menu -y bgImage@sq.png".to_owned(), "/bgImage"),
    ] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!(run.exit, 0, "{run}");
        let stored = run.json()["data"].pointer(field).cloned().unwrap_or_default();
        assert!(stored.as_str().is_some_and(|it| it.starts_with("uploads/")), "{run}");
        assert_eq!(uploads(&env.operations()), 1, "{run}");
    }
    env.file("notes.png", "no image");
    for (line, exit) in [
        ("slots add cafe picture image@notes.png", 8),
        ("slots add cafe picture image@none.png", 2),
        ("forms create title@sq.png", 2),
        ("slots set cafe 1003 image@sq.png --dry-run", 0),
        ("slots set cafe 1003 image@sq.png --dry-run=request", 0),
    ] {
        let files = env.server.account().files.len();
        let run = env.run(line);
        assert_eq!(run.exit, exit, "{run}");
        assert_eq!(env.server.account().files.len(), files, "{run}");
    }
    // A page or slot that is not there is noticed before the upload.
    env.operations();
    for line in ["profile update no.page avatar@sq.png", "slots set cafe 99999 image@sq.png"] {
        let run = env.run(line);
        assert_eq!((run.exit, uploads(&env.operations())), (6, 0), "{run}");
    }
    let run = env.run("profile update cafe avatar@sq.png moodHours:=-3 -o json");
    let written = run.error()["written"].as_str().unwrap_or_default().to_owned();
    assert!(run.exit == 8 && written.starts_with("uploads/"), "{run}");
    env.file("prof.yaml", "moodHours: -3\n");
    let run = env.run("profile update cafe prof.yaml avatar@sq.png");
    assert!(run.exit == 8 && run.stderr.contains("prof.yaml:1:"), "{run}");
    assert_eq!(run.stderr.matches('×').count(), 1, "{run}");
    env.operations();
    // The key of the second image is too long.
    let images = "avatar@sq.png bgImage@sq.png";
    let key = "k".repeat(121);
    let run = env.run(&format!("profile create new.menu -y {images} --idempotency-key {key}"));
    assert_eq!((run.exit, uploads(&env.operations())), (2, 0), "{run}");
    let run = env.run("profile update cafe avatar@sq.png");
    assert!(run.stderr.contains("sq.png does not suit `avatar`: 5x5 is too small"), "{run}");
    let run = env.run("slots set cafe 1003 image@sq.png");
    assert!(!run.stderr.contains("does not suit"), "{run}");
    let shown = env.run("slots set cafe 1003 image@sq.png --dry-run=request").stdout;
    assert!(shown.contains("/files") && shown.contains("(upload sq.png)"), "{shown}");
}

#[test]
fn a_local_path_as_a_value_is_refused() {
    let env = TestEnv::cafe();
    env.file("beside.gif", picture(1, 1));
    for line in [
        "slots add cafe picture image=./sq.png",
        "slots set cafe 1003 image=../sq.PNG",
        "slots set cafe 1003 image=/home/me/sq.webp",
        "profile update cafe avatar=./logo.png",
        "profile update cafe bgImage=~/terrace",
        "profile create spring.menu -y avatar=C:\\logo.png",
        "profile update cafe avatar=beside.gif",
        "slots add cafe picture image=beside.gif",
    ] {
        let run = env.run(line);
        assert_eq!(run.exit, 2, "{run}");
        assert!(run.stderr.contains('@') && run.stderr.contains("to upload the file"), "{run}");
    }
    assert!(env.operations().is_empty());
    for line in ["profile update cafe avatar=uploads/7/logo.png", "slots set cafe 1001 title=./x"] {
        let run = env.run(line);
        assert_eq!(run.exit, 0, "{run}");
    }
}

const FEWER: &str = "profile: cafe\nslots:\n  - {id: 1001, type: text}\n";

#[test]
fn a_plan_is_taken_only_from_the_plan_flag() {
    let env = TestEnv::cafe().keeping_cache();
    env.file("less.yaml", FEWER);
    let plan = "slots plan less.yaml --prune --prune-unsupported --max-deletes 99 --out page.yaml";
    let made = env.run(plan);
    assert_eq!(made.exit, 3, "{made}");
    assert!(made.stderr.contains("links slots apply --plan page.yaml"), "{made}");
    let before = env.server.account().profiles[0].slots.len();
    env.operations();
    for verb in ["apply", "plan"] {
        let run = env.run(&format!("slots {verb} page.yaml --max-deletes 99"));
        assert_eq!(run.exit, 2, "{run}");
        assert!(run.stderr.contains("links apply --plan page.yaml"), "{run}");
        let run = env.run(&format!("slots {verb} --plan less.yaml"));
        assert_eq!(run.exit, 2, "{run}");
        assert!(run.stderr.contains(&format!("links slots {verb} less.yaml")), "{run}");
    }
    assert!(env.operations().is_empty());
    assert_eq!(env.server.account().profiles[0].slots.len(), before);
    let run = env.run("slots apply --plan page.yaml --yes --max-deletes 99");
    assert_eq!(run.exit, 0, "{run}");
    assert!(env.server.account().profiles[0].slots.len() < before);
}

#[test]
fn a_file_for_another_page_than_profile_names_is_refused() {
    let env = TestEnv::cafe().keeping_cache();
    let other = env.server.account().profiles[1].login.clone();
    env.file("page.yaml", FEWER.replace("1001, type: text", "1001, type: text, data: {title: X}"));
    assert_eq!(env.run("slots plan page.yaml --out plan.json").exit, 3);
    env.operations();
    for key in [other.as_str(), "102"] {
        for what in ["apply page.yaml", "plan page.yaml", "apply --plan plan.json"] {
            let run = env.run(&format!("slots {what} --only {key}"));
            assert_eq!(run.exit, 14, "{run}");
            assert!(run.stderr.contains(&format!("not for {key}")), "{run}");
        }
    }
    assert!(!env.operations().iter().any(|it| it == "updateSlots"));
    assert_eq!(env.run("slots plan page.yaml --only 101").exit, 3);
    assert_eq!(env.run("slots apply --plan plan.json --only cafe").exit, 0);
}

#[test]
fn a_missing_image_hides_no_other_problem() {
    let env = TestEnv::cafe();
    let text = "\
profile: cafe
slots:
  - {type: picture, data: {image: {$upload: none.gif}}}
  - {id: 1004, type: form, data: {formId: {$form: Nobody}, colour: red}}
  - {type: buton}
  - {id: 1002, type: button, data: {style: primray}}
";
    env.file("page.yaml", text);
    let paths = |run: &CommandResult| -> Vec<String> {
        let error = run.error();
        let places = error["places"].as_array().unwrap().iter();
        places.map(|it| it["path"].as_str().unwrap().to_owned()).collect()
    };
    let run = env.run("slots plan page.yaml -o json");
    assert_eq!(run.exit, 8, "{run}");
    let expected = [
        "slots.0.data.image",
        "slots.1.data.formId",
        "slots.1.data.colour",
        "slots.2.type",
        "slots.3.data.style",
    ];
    assert_eq!(paths(&run), expected, "{run}");
    // What needs no service is reported together too.
    env.file("page.yaml", format!("{text}  - {{id: x, type: text}}\ntheme: 3\n"));
    let run = env.run("slots plan page.yaml -o json");
    assert_eq!(paths(&run), ["slots.0.data.image", "slots.4.id", "theme"], "{run}");
}

#[test]
fn a_csv_file_as_a_page_file_gives_a_short_error() {
    let env = TestEnv::cafe();
    let text: String = (0..500).map(|at| format!("row {at},https://x.example/{at}\n")).collect();
    env.file("links.csv", text);
    let run = env.run("slots apply links.csv");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.lines().count() < 10, "{run}");
    assert!(run.stderr.contains("must be a page file or a form file, not a file in"), "{run}");
}

/// The schema has a hundred references that each lead to the next one twice.
#[cfg(target_os = "linux")]
#[test]
fn a_schema_of_doubling_references_is_bounded() {
    use links_test_support::canned::Canned;
    let env = TestEnv::cafe();
    env.file("page.yaml", "profile: cafe\nslots:\n  - {type: button, data: {title: Shop}}\n");
    let page = (200, env.run("api GET /profiles/cafe?include=slots").stdout);
    let mut types = env.run("api GET /slot-types").json();
    let list = types["data"].as_array_mut().unwrap();
    let button = list.iter_mut().find(|it| it["type"] == "button").unwrap();
    let mut definitions = serde_json::Map::new();
    for at in 0..100 {
        let next = json!({"$ref": format!("#/$defs/a{}", at + 1)});
        definitions.insert(format!("a{at}"), json!({"allOf": [next, next]}));
    }
    definitions.insert("a100".to_owned(), json!({}));
    button["schema"] = json!({"$ref": "#/$defs/a0", "$defs": definitions});
    let types = (200, types.to_string());
    let service = Canned::start([page.clone(), types.clone(), page, types]);
    let env = env.env("LINKS_BASE_URL", format!("{}/api/v1", service.origin()));
    let run = env.run("slots plan page.yaml --timeout 5");
    assert_eq!(run.exit, 11, "{run}");
    assert!(run.stderr.contains("schema of the slot type `button`"), "{run}");
    let run = env.run("slots plan page.yaml --no-validate");
    assert_eq!(run.exit, 3, "{run}");
}

/// Skipped, with a message, on a kernel without Landlock.
#[cfg(target_os = "linux")]
#[test]
fn hardening_plan_and_apply_cannot_open_other_files() {
    let elsewhere = tempfile::tempdir().unwrap();
    let secret = elsewhere.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let env = naming("images/menu.gif");
    if env.run("slots plan pages/page.yaml -v").stderr.contains("not confined by Landlock") {
        eprintln!("SKIPPED, NOTHING IS TESTED: this kernel has no Landlock");
        return;
    }
    let probed = |env: TestEnv, path: &std::path::Path, line: &str| {
        let env = env.env("LINKS_TEST_PROBE", path.display().to_string());
        let run = env.run(line);
        (run.stderr.contains("probe: open true"), run.stderr.contains("probe: open false"), env)
    };
    for line in
        ["slots plan pages/page.yaml --out plan.json", "slots apply pages/page.yaml --yes -v"]
    {
        let (open, closed, _) = probed(naming("images/menu.gif"), &secret, line);
        assert!(closed && !open, "{line}");
        let env = naming("images/menu.gif");
        let image = env.home.path().join("pages/images/menu.gif");
        assert!(probed(env, &image, line).0, "{line}");
    }
    // Another command is not confined, and takes no probe.
    let (open, closed, _) = probed(naming("images/menu.gif"), &secret, "slots list cafe");
    assert!(!open && !closed);
}

#[test]
fn an_image_of_the_command_line_is_uploaded_once_for_an_account() {
    let env = TestEnv::cafe().keeping_state().env("LINKS_TOKEN", "");
    let login = ["auth", "login", "--token-stdin", "--store", "file", "--account", "work"];
    let run = env.run_args(login, env.server.token().as_bytes());
    assert_eq!(run.exit, 0, "{run}");
    let env = env.env("LINKS_BASE_URL", "");
    env.file("sq.gif", picture(4, 4));
    env.operations();
    let avatar = |env: &TestEnv, file: &str| {
        let run = env.run(&format!("profile update cafe avatar@{file} -o json"));
        assert_eq!(run.exit, 0, "{run}");
        (run.json()["data"]["avatar"].clone(), uploads(&env.operations()))
    };
    let (first, sent) = avatar(&env, "sq.gif");
    assert_eq!(sent, 1);
    env.file("copy.gif", picture(4, 4));
    assert_eq!(avatar(&env, "copy.gif"), (first.clone(), 0));
    // The same content in a page file is not uploaded again either.
    env.file(
        "page.yaml",
        "profile: cafe\nslots: [{id: 1003, type: picture, data: {image: {$upload: copy.gif}}}]\n",
    );
    assert_eq!(env.run("slots apply page.yaml --yes").exit, 0);
    assert_eq!(uploads(&env.operations()), 0);
    env.file("copy.gif", picture(5, 5));
    assert_eq!(avatar(&env, "copy.gif").1, 1);

    // An image that the service may have lost is forgotten.
    env.server.forget_requests();
    let run = env.run("profile update cafe avatar@sq.gif languageId:=99");
    assert_eq!((run.exit, uploads(&env.operations())), (8, 0), "{run}");
    assert_eq!(avatar(&env, "sq.gif").1, 1);
}

#[test]
fn a_plain_path_of_an_image_near_the_file_is_refused_at_its_line() {
    let env = naming("");
    let page = |image: &str| {
        format!(
            "profile: cafe\nslots:\n  - type: picture\n    data: {{title: Hall, image: {image}}}\n  - type: gallery\n    data:\n      images:\n        - {{title: Menu, image: {image}}}\n"
        )
    };
    env.file("pages/page.yaml", page("images/menu.gif"));
    for command in ["slots plan pages/page.yaml", "slots apply pages/page.yaml --yes", "plan pages"]
    {
        let run = env.run(command);
        assert_eq!(run.exit, 8, "{run}");
        for text in [
            "page.yaml:4:",
            "page.yaml:8:",
            "{$upload: images/menu.gif}",
            "is a file on this machine",
        ] {
            assert!(run.stderr.contains(text), "{text}: {run}");
        }
    }
    assert!(
        !env.operations().iter().any(|it| it.starts_with("create") || it.starts_with("update"))
    );
    // The path of an upload, also of an image that is called the same, and what lies elsewhere.
    for image in ["uploads/4021/menu.gif", "images/hall.gif", "outside.gif", "menu.gif"] {
        env.file("pages/page.yaml", page(image));
        let run = env.run("slots plan pages/page.yaml");
        assert_eq!(run.exit, 3, "{image}: {run}");
    }
    env.file("pages/page.yaml", page("../outside.gif"));
    assert_eq!(env.run("slots plan pages/page.yaml").exit, 8);
}

#[test]
fn an_import_refuses_paths_of_images_near_its_file_at_their_lines() {
    let env = naming("");
    env.file(
        "pages/menu.csv",
        "title,image\nSoup,uploads/4021/soup.gif\n\"Two\nlines\",images/menu.gif\nTea,C:\\tea.gif\n",
    );
    let run = env.run("slots import cafe pages/menu.csv --type picture --yes");
    assert_eq!(run.exit, 8, "{run}");
    for text in [
        "pages/menu.csv:3: image: `images/menu.gif` is a file on this machine",
        "`links files upload pages/images/menu.gif` and put the printed path here",
        "pages/menu.csv:5: image: `C:\\tea.gif`",
    ] {
        assert!(run.stderr.contains(text), "{text}: {run}");
    }
    assert!(!run.stderr.contains("soup.gif"), "{run}");
    env.file(
        "pages/gallery.csv",
        "title,images\nHall,\"[{\"\"title\"\": \"\"A\"\", \"\"image\"\": \"\"images/menu.gif\"\"}]\"\n",
    );
    let run = env.run("slots import cafe pages/gallery.csv --type gallery --yes");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("gallery.csv:2: images.0.image: `images/menu.gif`"), "{run}");
    assert_eq!(uploads(&env.operations()), 0);
}
