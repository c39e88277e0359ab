//! Tests of `links pull --images`.

use std::fs;

use links_fixtures::{Choices, Profile, StoredFile};

use crate::steps::{ok, path, text, writes};
use crate::test_env::TestEnv;

fn env() -> TestEnv {
    let choices = Choices { files_here: true, computed_in_data: true, ..Choices::default() };
    TestEnv::with(|builder| builder.choices(choices)).env("LINKS_TEST_NO_WAIT", "1")
}

fn edit(env: &TestEnv, change: impl Fn(&mut Profile)) {
    env.server.edit(|account| change(&mut account.profiles[0]));
}

fn images(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir(path(env, "images")).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|it| it.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn images_are_downloaded_beside_the_file_and_nothing_is_uploaded_again() {
    for lock in [true, false] {
        let env = env().keeping_state();
        if lock {
            ok(&env, "init");
        }
        let pulled = ok(&env, "pull cafe -O cafe.yaml --images");
        assert_eq!(images(&env), ["logo.gif", "terrace.gif"]);
        let file = text(&env, "cafe.yaml");
        assert!(file.contains("avatar:\n  $upload: images/logo.gif\n"), "{file}");
        assert!(file.contains("image:\n        $upload: images/terrace.gif"), "{file}");
        // The service gives no URL for the images of a gallery.
        assert!(file.contains("image: uploads/4021/raf.jpg"), "{file}");
        assert!(
            pulled
                .stdout
                .contains("slots.5.data.images.0.image: kept the path uploads/4021/raf.jpg"),
            "{pulled}"
        );
        let plan = ok(&env, "plan cafe.yaml");
        assert!(plan.stdout.contains("no changes"), "{plan}");
        ok(&env, "apply cafe.yaml");
        assert_eq!(writes(&env), [""; 0]);
        if lock {
            let locked = text(&env, "links.lock");
            assert!(locked.contains(" uploads/4021/logo.png\n"), "{locked}");
            ok(&env, "apply cafe.yaml --locked");
        }
    }
}

#[test]
fn the_token_is_not_sent_for_an_image() {
    let env = env();
    ok(&env, "pull cafe -O cafe.yaml --images");
    let requests = env.server.requests();
    let (files, others): (Vec<_>, Vec<_>) =
        requests.iter().partition(|it| it.path.starts_with("/files/"));
    let has_token = |headers: &[(String, String)]| {
        headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
    };
    assert_eq!(files.len(), 2);
    assert!(files.iter().all(|it| !has_token(&it.headers)));
    assert!(others.iter().all(|it| has_token(&it.headers)));
}

#[test]
fn hostile_paths_stay_in_the_directory_of_the_images() {
    let env = env();
    let hostile = ["../../evil.png", "/etc/passwd", "uploads/.ssh", "uploads/a\nb.png"];
    for (nth, name) in hostile.iter().enumerate() {
        env.server.edit(|account| {
            let mut file = account.files[1].clone();
            file.path = (*name).to_owned();
            account.files.push(file);
            account.profiles[0].avatar = Some((*name).to_owned());
        });
        ok(&env, &format!("pull cafe -O cafe{nth}.yaml --images"));
    }
    let names = images(&env);
    assert!(!env.home.path().parent().unwrap().join("evil.gif").exists());
    assert!(!path(&env, "evil.gif").exists());
    // A path that leads out of its directory is no path of the service, and is left out.
    assert_eq!(names, ["a_b.gif", "image.gif", "passwd.gif", "terrace.gif"]);
}

#[test]
fn a_file_of_that_name_stays_and_an_equal_one_is_used_again() {
    let env = env();
    fs::create_dir(path(&env, "images")).unwrap();
    env.file("images/logo.gif", "mine");
    ok(&env, "pull cafe -O cafe.yaml --images");
    assert_eq!(text(&env, "images/logo.gif"), "mine");
    assert_eq!(images(&env).len(), 3);
    let before = images(&env);
    ok(&env, "pull cafe -O other.yaml --images");
    assert_eq!(images(&env), before);
}

#[test]
fn one_image_under_several_paths_is_no_change_and_no_conflict() {
    for lock in [true, false] {
        let env = env().keeping_state();
        if lock {
            ok(&env, "init");
        }
        let copy = "uploads/4021/again/logo.png";
        env.server.edit(|account| {
            let logo = account.files.iter().find(|file| file.path.ends_with("logo.png")).unwrap();
            let again = StoredFile { path: copy.to_owned(), ..logo.clone() };
            account.files.push(again);
            account.profiles[0].slots[2].data.insert("image".to_owned(), copy.into());
        });
        let pulled = ok(&env, "pull cafe -O cafe.yaml --images");
        assert_eq!(images(&env), ["logo.gif", "terrace.gif"], "{pulled}");
        let file = text(&env, "cafe.yaml");
        assert_eq!(file.matches("$upload: images/logo.gif").count(), 2, "{file}");
        for command in ["plan cafe.yaml", "pull cafe -O cafe.yaml"] {
            let run = ok(&env, command);
            assert!(run.stdout.contains("no changes"), "{run}");
        }
        ok(&env, "apply cafe.yaml");
        assert_eq!(writes(&env), [""; 0]);
        if lock {
            let lock = text(&env, "links.lock");
            for path in [copy, "uploads/4021/logo.png"] {
                assert!(lock.contains(&format!(" {path}\n")), "{lock}");
            }
            // On another machine each place keeps its path too, also where the lock has to be made again.
            ok(&env, "init --refresh");
            ok(&env, "apply cafe.yaml --locked");
        }
        // A place that is new gets one of the two paths, and nothing is uploaded.
        env.file(
            "cafe.yaml",
            file + "  - {type: picture, data: {title: New, image: {$upload: images/logo.gif}}}\n",
        );
        ok(&env, "apply cafe.yaml --yes");
        let operations = env.operations();
        assert!(!operations.iter().any(|it| it == "uploadFile"), "{operations:?}");
    }
}

#[test]
fn only_urls_of_the_service_are_asked_for() {
    // A key that the slot's type does not compute was written by a user.
    let env = env();
    edit(&env, |page| {
        let evil = format!("{}/evil", "http://127.0.0.1:9");
        page.slots[0].data.insert("image".to_owned(), "uploads/evil.png".into());
        page.slots[0].data.insert("imageUrl".to_owned(), evil.into());
    });
    let pulled = ok(&env, "pull cafe -O cafe.yaml --images");
    assert_eq!(images(&env), ["logo.gif", "terrace.gif"], "{pulled}");
}

#[test]
fn an_image_that_the_service_does_not_have_is_left_as_its_path_and_a_failure_writes_nothing() {
    let env = env();
    ok(&env, "init");
    edit(&env, |page| page.avatar = Some("uploads/gone.png".to_owned()));
    let pulled = ok(&env, "pull cafe -O cafe.yaml --images");
    assert!(pulled.stdout.contains("avatar: kept the path uploads/gone.png"), "{pulled}");
    assert!(text(&env, "cafe.yaml").contains("avatar: uploads/gone.png\n"));
    let plan = ok(&env, "plan cafe.yaml");
    assert!(plan.stdout.contains("no changes"), "{plan}");

    let requests = env.server.requests();
    let nth = |it: &links_fixtures::Request| it.path.starts_with("/files/");
    let first = requests.iter().position(nth).unwrap() + 1;
    env.server.forget_requests();
    env.server.fail(first - 3..first + 60, &links_fixtures::Fault::DropBefore);
    let failed = env.run("pull cafe -O other.yaml --images");
    assert_eq!(failed.exit, 10, "{failed}");
    assert!(!path(&env, "other.yaml").exists());
}
