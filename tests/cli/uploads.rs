//! Tests of images.

use links_fixtures::Fault;

use crate::test_env::{TestEnv, picture};

#[test]
fn files_and_urls_are_uploaded() {
    let env = TestEnv::cafe();
    env.file("dot.gif", picture(1, 1));
    env.file("wide.gif", picture(1600, 900));
    let run = env.run("files upload dot.gif wide.gif https://images.example/menu.jpg -o json");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
    let files = run.json()["data"].as_array().unwrap().clone();
    assert_eq!(
        (files.len(), &files[1]["source"], &files[0]["width"]),
        (3, &"wide.gif".into(), &1.into()),
        "{run}"
    );
    assert!(files.iter().all(|it| it["path"].as_str().unwrap().starts_with("uploads/")), "{run}");
    assert_eq!(env.operations(), ["uploadFile"; 3]);
    let run = env.run("files upload dot.gif -o ids");
    assert!(run.stdout.starts_with("uploads/") && run.stdout.lines().count() == 1, "{run}");
}

#[test]
fn the_upload_method_depends_on_the_file_size() {
    let env = TestEnv::cafe();
    let mut large = picture(800, 800);
    large.resize((10 << 20) + 1, 0);
    env.file("large.gif", large);
    env.file("dot.gif", picture(1, 1));
    for (line, ways) in [
        ("files upload large.gif", "createUploadUrl"),
        ("files upload large.gif --via multipart", "uploadFile"),
        ("files upload dot.gif", "uploadFile"),
        ("files upload dot.gif --via upload-url", "createUploadUrl"),
    ] {
        let run = env.run(line);
        assert_eq!(run.exit, 0, "{run}");
        assert_eq!(env.operations()[0], ways, "{line}");
    }
}

#[test]
fn an_image_that_does_not_suit_its_use_is_not_sent() {
    let env = TestEnv::cafe();
    for (name, width, height) in [("square", 800, 800), ("wide", 1600, 900), ("small", 400, 400)] {
        env.file(&format!("{name}.gif"), picture(width, height));
    }
    env.file("text.gif", "no image");
    for (line, exit) in [
        ("square.gif --for avatar", 0),
        ("wide.gif --for background", 0),
        ("small.gif --for avatar", 8),
        ("wide.gif --for avatar", 8),
        ("square.gif --for background", 8),
        ("text.gif --for avatar", 8),
        ("text.gif --via upload-url", 8),
        ("https://images.example/a.jpg --for avatar", 2),
        ("absent.gif", 2),
        (".", 8),
        ("square.gif --for cover", 2),
    ] {
        env.operations();
        let run = env.run(&format!("files upload {line} -o json"));
        assert_eq!(run.exit, exit, "{run}");
        assert_eq!(env.operations().is_empty(), exit != 0, "{line}");
    }
    assert_eq!(env.run("files upload text.gif").exit, 8, "the service looks, too");
}

#[test]
fn a_failed_upload_reports_the_earlier_ones() {
    let env = TestEnv::cafe();
    env.file("dot.gif", picture(1, 1));
    env.file("text.gif", "no image");
    let run = env.run("files upload dot.gif text.gif dot.gif");
    assert_eq!((run.exit, run.stdout.as_str()), (8, ""), "{run}");
    assert!(env.operations().is_empty(), "what is no image is found before anything is sent");
    env.server.fail([2], &Fault::Before(403));
    let run = env.run("files upload dot.gif dot.gif dot.gif");
    // To run the command again would upload the first image again, and fail again.
    assert_eq!((run.exit, run.stdout.as_str()), (5, ""), "{run}");
    assert!(run.stderr.contains("uploaded dot.gif as uploads/"), "{run}");
    assert!(run.stderr.contains("without the files that were uploaded"), "{run}");
    env.server.fail([2], &Fault::Before(401));
    let run = env.run("files upload dot.gif dot.gif dot.gif -o json");
    let hint = run.error_at_end()["hint"].as_str().unwrap().to_owned();
    assert!(run.exit == 4 && hint.starts_with("log in again with "), "{run}");
    assert!(hint.ends_with("; then run the command without the files that were uploaded"), "{run}");
    env.server.fail([2], &Fault::Before(403));
    let run = env.run("files upload dot.gif dot.gif -o json");
    let error = run.error();
    assert!(error["written"].as_str().unwrap().starts_with("uploads/"), "{run}");
    assert_eq!(error["outcome"], "executed");
    env.file("empty.gif", "");
    env.operations();
    let run = env.run("files upload dot.gif empty.gif -o json");
    assert_eq!((run.exit, &run.error()["message"]), (8, &"empty.gif is empty".into()), "{run}");
    assert!(env.operations().is_empty());
    env.operations();
    assert_eq!(env.run("files upload dot.gif absent.gif").exit, 2);
    assert!(env.operations().is_empty(), "a slip in a name is found before anything is sent");
}
