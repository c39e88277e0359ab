//! Images.

use links_fixtures::Fault;

use crate::stage::{Stage, picture};

#[test]
fn files_and_addresses_are_uploaded() {
    let stage = Stage::cafe();
    stage.file("dot.gif", picture(1, 1));
    stage.file("wide.gif", picture(1600, 900));
    let run = stage.run("files upload dot.gif wide.gif https://images.example/menu.jpg -o json");
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
    let files = run.json()["data"].as_array().unwrap().clone();
    assert_eq!(
        (files.len(), &files[1]["source"], &files[0]["width"]),
        (3, &"wide.gif".into(), &1.into()),
        "{run}"
    );
    assert!(files.iter().all(|it| it["path"].as_str().unwrap().starts_with("uploads/")), "{run}");
    assert_eq!(stage.operations(), ["uploadFile"; 3]);
    let run = stage.run("files upload dot.gif -o ids");
    assert!(run.stdout.starts_with("uploads/") && run.stdout.lines().count() == 1, "{run}");
}

#[test]
fn the_way_is_chosen_by_the_size() {
    let stage = Stage::cafe();
    let mut large = picture(800, 800);
    large.resize((10 << 20) + 1, 0);
    stage.file("large.gif", large);
    stage.file("dot.gif", picture(1, 1));
    for (line, ways) in [
        ("files upload large.gif", "createUploadUrl"),
        ("files upload large.gif --via multipart", "uploadFile"),
        ("files upload dot.gif", "uploadFile"),
        ("files upload dot.gif --via upload-url", "createUploadUrl"),
    ] {
        let run = stage.run(line);
        assert_eq!(run.exit, 0, "{run}");
        assert_eq!(stage.operations()[0], ways, "{line}");
    }
}

#[test]
fn what_does_not_suit_its_use_is_not_sent() {
    let stage = Stage::cafe();
    for (name, width, height) in [("square", 800, 800), ("wide", 1600, 900), ("small", 400, 400)] {
        stage.file(&format!("{name}.gif"), picture(width, height));
    }
    stage.file("text.gif", "no image");
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
        stage.operations();
        let run = stage.run(&format!("files upload {line} -o json"));
        assert_eq!(run.exit, exit, "{run}");
        assert_eq!(stage.operations().is_empty(), exit != 0, "{line}");
    }
    assert_eq!(stage.run("files upload text.gif").exit, 8, "the service looks, too");
}

#[test]
fn what_is_up_already_is_told_when_a_later_one_fails() {
    let stage = Stage::cafe();
    stage.file("dot.gif", picture(1, 1));
    stage.file("text.gif", "no image");
    let run = stage.run("files upload dot.gif text.gif dot.gif");
    assert_eq!((run.exit, run.stdout.as_str()), (8, ""), "{run}");
    assert!(stage.operations().is_empty(), "what is no image is found before anything is sent");
    stage.server.fail([2], &Fault::Before(403));
    let run = stage.run("files upload dot.gif dot.gif dot.gif");
    assert_eq!((run.exit, run.stdout.as_str()), (12, ""), "{run}");
    assert!(run.stderr.contains("uploaded: dot.gif as uploads/"), "{run}");
    stage.server.fail([2], &Fault::Before(403));
    let run = stage.run("files upload dot.gif dot.gif -o json");
    let error = run.error();
    assert!(error["written"].as_str().unwrap().starts_with("uploads/"), "{run}");
    assert_eq!(error["outcome"], "executed");
    stage.file("empty.gif", "");
    stage.operations();
    let run = stage.run("files upload dot.gif empty.gif -o json");
    assert_eq!((run.exit, &run.error()["message"]), (8, &"empty.gif is empty".into()), "{run}");
    assert!(stage.operations().is_empty());
    stage.operations();
    assert_eq!(stage.run("files upload dot.gif absent.gif").exit, 2);
    assert!(stage.operations().is_empty(), "a slip in a name is found before anything is sent");
}
