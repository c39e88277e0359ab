//! Tests of the ways around what the commands do by themselves: keys and headers of requests, slots within a page, social links one by one,
//! and images that are of no use as they are.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::test_env::{CommandResult, TestEnv, picture};

/// Runs words, which may have spaces in them.
fn run(env: &TestEnv, words: &[&str]) -> CommandResult {
    env.run_args(words.iter(), b"")
}

/// Returns the idempotency keys of the requests that write.
fn keys(env: &TestEnv) -> Vec<String> {
    let writes = env.server.requests().into_iter().filter(|it| it.method == "POST");
    writes.filter_map(|it| it.header("idempotency-key").map(str::to_owned)).collect()
}

const FIELDS: &str = r#"fields:=[{"type":"text","label":"Name","required":true}]"#;

#[test]
fn a_write_with_the_same_key_is_carried_out_once() {
    for words in [
        &["slots", "add", "cafe", "text", "title=Once"][..],
        &["music", "add", "cafe", "KZA012600042"],
        &["forms", "create", "title=Once", FIELDS],
        &["profile", "create", "once.only", "--yes"],
        &["api", "POST", "/profiles/cafe/slots", "-F", "type=divider"],
    ] {
        let env = TestEnv::cafe();
        let line = [words, &["--idempotency-key", "key-1", "-o", "json"]].concat();
        let first = run(&env, &line);
        assert_eq!(first.exit, 0, "{first}");
        let again = run(&env, &line);
        assert_eq!((again.exit, &again.stdout), (0, &first.stdout), "{again}");
        assert_eq!(keys(&env), ["key-1", "key-1"], "{words:?}");
        let other = run(&env, &[&line[..], &["--dry-run"]].concat());
        assert_eq!(other.exit, 2, "{other}");
        assert!(other.error()["message"].as_str().unwrap().contains("--dry-run"), "{other}");
    }
}

#[test]
fn with_a_key_an_image_is_uploaded_once() {
    for (words, field) in
        [("slots add cafe picture", "image"), ("profile create once.only -y", "avatar")]
    {
        let env = TestEnv::cafe();
        env.file("dot.gif", picture(800, 800));
        let line = format!("{words} {field}@dot.gif --idempotency-key k -o json");
        let files = env.server.account().files.len();
        let (first, again) = (env.run(&line), env.run(&line));
        assert_eq!((first.exit, again.exit, &first.stdout), (0, 0, &again.stdout), "{again}");
        assert_eq!(env.server.account().files.len(), files + 1, "{again}");
        let upload = format!("k-{field}");
        assert_eq!(keys(&env), [&upload, "k", &upload, "k"]);
        let long = "k".repeat(128);
        let run = env.run(&format!("{words} {field}@dot.gif --idempotency-key {long}"));
        assert!(run.exit == 2 && run.stderr.contains("key is too long"), "{run}");
    }
}

#[test]
fn keys_that_no_request_can_have_are_refused_before_anything_is_sent() {
    let env = TestEnv::cafe();
    let long = "k".repeat(129);
    for key in ["", "a b", "é", "a\nb", &long] {
        let run = run(&env, &["slots", "add", "cafe", "divider", "--idempotency-key", key]);
        assert_eq!(run.exit, 2, "{key:?}\n{run}");
    }
    // The position that these stand for differs once the slot is there.
    for line in ["slots add cafe divider --before 1003", "music add cafe KZA012600042 --after 1001"]
    {
        let run = env.run(&format!("{line} --idempotency-key k"));
        assert!(run.exit == 2 && run.stderr.contains("pass --top, --at N"), "{run}");
    }
    for (method, path) in [("GET", "/me"), ("PATCH", "/profiles/cafe"), ("POST", "/elsewhere")] {
        let run = run(&env, &["api", method, path, "--idempotency-key", "k", "-o", "json"]);
        assert_eq!((run.exit, &run.error()["outcome"]), (2, &"not_executed".into()), "{run}");
        assert!(run.error()["message"].as_str().unwrap().contains("idempotency key"), "{run}");
    }
    assert!(env.operations().is_empty());
}

#[test]
fn api_sends_headers_but_not_those_of_the_program() {
    let env = TestEnv::cafe();
    let run_api = |headers: &[&str]| {
        let flags = headers.iter().flat_map(|header| ["-H", *header]);
        let words: Vec<&str> =
            ["api", "GET", "/me", "-o", "json"].into_iter().chain(flags).collect();
        run(&env, &words)
    };
    let sent = run_api(&["X-Trace:a: b", "accept-language:  kk "]);
    assert_eq!(sent.exit, 0, "{sent}");
    let request = env.server.requests().remove(0);
    assert_eq!(request.header("x-trace"), Some("a: b"));
    assert_eq!(request.header("accept-language"), Some("kk"));
    assert_eq!(request.header("authorization"), Some(&*format!("Bearer {}", env.server.token())));
    env.server.forget_requests();
    for header in [
        "Authorization: Bearer other",
        "AUTHORIZATION:x",
        "Host: evil.example",
        "Content-Length: 0",
        "content-LENGTH:5",
        "Idempotency-Key: k",
        "Precognition: true",
        "Transfer-Encoding: chunked",
        "Connection: close",
        "X-A: b\r\nHost: evil.example",
        "X-A: b\u{7f}",
        "X-A: a\tb",
        "X A: b",
        ": b",
        "X-A",
        "X-A\n: b",
        "X-A: é",
    ] {
        let refused = run_api(&[header]);
        assert_eq!((refused.exit, refused.stdout.as_str()), (2, ""), "{header:?}\n{refused}");
        assert_eq!(refused.error()["outcome"], "not_executed", "{header:?}");
    }
    assert!(env.operations().is_empty());
    let curl = run(
        &env,
        &[
            "api",
            "POST",
            "/profiles/cafe/slots",
            "-F",
            "type=divider",
            "-H",
            "X-Trace: 1",
            "--dry-run=request",
        ],
    );
    assert!(curl.exit == 0 && curl.stdout.contains("x-trace: 1"), "{curl}");
}

#[test]
fn values_of_headers_are_in_no_journal() {
    for flags in [
        &["-H", "X-Pass: s3cret word "][..],
        &["-HX-Pass:s3cret word"],
        &["--header=X-Pass: s3cret word", "-H", "X-Other:s3cret word"],
        &["--header", "X-Pass:s3cret word"],
    ] {
        let env = TestEnv::cafe().keeping_state();
        let words = ["api", "POST", "/profiles/cafe/slots", "-F", "type=divider", "-F", "data:={}"];
        let words: Vec<&str> = words.iter().chain(flags).copied().collect();
        let sent = run(&env, &words);
        assert_eq!(sent.exit, 0, "{sent}");
        let written = env.server.requests().into_iter().find(|it| it.header("x-pass").is_some());
        assert_eq!(written.unwrap().header("x-pass"), Some("s3cret word"));
        let files = files_below(env.home.path());
        let with = |text: &str| {
            let has = |path: &&PathBuf| {
                String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(text)
            };
            files.iter().find(has)
        };
        assert!(with("X-Pass").is_some(), "{flags:?}");
        assert_eq!(with("s3cret"), None, "{flags:?}");
    }
}

/// Returns the files of a directory and of those below it.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap();
    let of = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    entries.flat_map(|entry| of(entry.unwrap().path())).collect()
}

#[test]
fn a_page_is_shown_with_its_slots_if_they_are_asked_for() {
    let env = TestEnv::cafe();
    let with = run(&env, &["profile", "get", "cafe", "--include", "slots", "-o", "json"]).json();
    assert_eq!(with["data"]["slots"].as_array().unwrap().len(), 14);
    assert_eq!(env.operations(), ["getProfile"]);
    assert!(env.run("profile get cafe -o json").json()["data"].get("slots").is_none());
    assert_eq!(env.run("profile get cafe --include themes").exit, 2);
}

fn socials(env: &TestEnv) -> Vec<(String, i64)> {
    let page = env.run("profile get cafe -o json").json();
    let social =
        |it: &Value| (it["link"].as_str().unwrap().to_owned(), it["order"].as_i64().unwrap());
    page["data"]["socials"].as_array().unwrap().iter().map(social).collect()
}

#[test]
fn social_links_are_added_and_removed_one_by_one() {
    let env = TestEnv::cafe();
    let before = socials(&env);
    assert_eq!(before.len(), 2);
    let added = env.run("profile socials add cafe https://x.com/qara https://t.me/qaracoffee");
    assert_eq!(added.exit, 0, "{added}");
    let after = socials(&env);
    assert_eq!(
        (after.len(), &after[..2], after[2].0.as_str()),
        (3, &before[..], "https://x.com/qara")
    );
    // Nothing is written where nothing changes.
    env.operations();
    let again = env.run("profile socials add cafe https://x.com/qara");
    assert_eq!((again.exit, again.stdout.as_str()), (0, "no changes\n"), "{again}");
    assert_eq!(env.operations(), ["getProfile"]);
    let removed = env.run("profile socials remove cafe x.com/qara/");
    assert_eq!((removed.exit, socials(&env)), (0, before.clone()), "{removed}");
    env.operations();
    let missing = env.run("profile socials remove cafe https://x.com/qara -o json");
    assert_eq!(missing.exit, 6, "{missing}");
    assert!(
        missing.error()["hint"].as_str().unwrap().contains("https://t.me/qaracoffee"),
        "{missing}"
    );
    assert_eq!(env.operations(), ["getProfile"]);
    let dry = env.run("profile socials add cafe https://x.com/qara --dry-run");
    assert_eq!((dry.exit, socials(&env)), (0, before), "{dry}");
    let refused = env.run_args(["profile", "socials", "add", "cafe", "not a url"], b"");
    assert_eq!(refused.exit, 8, "{refused}");
}

#[test]
fn a_change_of_social_links_can_be_undone_and_loses_no_change_of_others() {
    let env = TestEnv::cafe().keeping_state();
    let before = socials(&env);
    assert_eq!(env.run("profile socials remove cafe https://t.me/qaracoffee").exit, 0);
    let undone = env.run("undo --yes");
    assert_eq!((undone.exit, socials(&env)), (0, before), "{undone}");
    env.server.edit_before(2, |account| account.profiles[0].socials.clear());
    let run = env.run("profile socials add cafe https://x.com/qara -o json");
    assert_eq!((run.exit, &run.error()["outcome"]), (7, &"not_executed".into()), "{run}");
    assert!(socials(&env).is_empty());
}

#[test]
fn images_that_are_damaged_or_larger_than_useful_are_warned_about() {
    let env = TestEnv::cafe();
    env.file("large.gif", picture(4000, 100));
    env.file("fine.gif", picture(1600, 900));
    env.file("damaged.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIH");
    // Its size can be read, and its pixels end too early.
    let header =
        b"\xff\xd8\xff\xc0\0\x0b\x08\0\x09\0\x09\x01\x01\x11\0\xff\xda\0\x08\x01\x01\0\0\x3f\0";
    env.file("cut.jpg", [&header[..], b"pixels"].concat());
    env.file("whole.jpg", [&header[..], b"pixels\xff\xd9"].concat());
    for (name, warning) in [
        ("cut.jpg", Some("cut.jpg may be damaged: a part of it is missing")),
        ("whole.jpg", None),
        ("large.gif", Some("large.gif has 4000x100 pixels, more than pages show")),
        ("damaged.png", Some("damaged.png may be damaged")),
        ("fine.gif", None),
    ] {
        for line in [format!("files upload {name}"), format!("slots add cafe picture image@{name}")]
        {
            let run = env.run(&line);
            match warning {
                Some(warning) => assert!(run.stderr.contains(warning), "{run}"),
                None => assert!(
                    !run.stderr.contains("pixels") && !run.stderr.contains("damaged"),
                    "{run}"
                ),
            }
        }
    }
    let text = env.file("text.png", "no image");
    let run = env.run("files upload text.png -o json");
    assert_eq!((run.exit, &run.error()["outcome"]), (8, &json!("not_executed")), "{run} {text:?}");
}

#[test]
fn an_upload_with_the_same_key_is_carried_out_once() {
    let env = TestEnv::cafe();
    env.file("dot.gif", picture(1, 1));
    for (source, key) in [("dot.gif", "key-1"), ("https://images.example/menu.jpg", "key-2")] {
        let upload = || env.run(&format!("files upload {source} --idempotency-key {key} -o json"));
        let (first, again) = (upload(), upload());
        assert_eq!((first.exit, again.exit), (0, 0), "{first}{again}");
        assert_eq!(first.stdout, again.stdout);
        let sent = keys(&env);
        assert_eq!(sent, [key, key], "{source}");
        env.server.forget_requests();
    }
}

#[test]
fn a_key_is_refused_for_an_upload_of_several_requests() {
    let env = TestEnv::cafe();
    env.file("dot.gif", picture(1, 1));
    env.file("other.gif", picture(2, 2));
    for (words, why) in [
        ("dot.gif other.gif", "an idempotency key can only be used for one request"),
        ("dot.gif --via upload-url", "an idempotency key can only be used for one request"),
        ("dot.gif --dry-run", "--dry-run"),
    ] {
        let run = env.run(&format!("files upload {words} --idempotency-key k -o json"));
        assert_eq!(run.exit, 2, "{run}");
        assert!(run.error()["message"].as_str().unwrap().contains(why), "{run}");
    }
    assert!(env.operations().is_empty());
    let mut large = picture(1, 1);
    large.resize(11 * 1024 * 1024, 0);
    env.file("large.gif", large);
    let run = env.run("files upload large.gif --idempotency-key k");
    assert_eq!((run.exit, env.operations()), (0, vec!["uploadFile".to_owned()]), "{run}");
}

#[test]
fn images_of_a_page_file_are_warned_about_too() {
    let env = TestEnv::cafe();
    env.file("small.gif", picture(400, 400));
    env.file("cafe.yaml", "profile: cafe\navatar: {$upload: small.gif}\n");
    let run = env.run("plan cafe.yaml");
    let small = "! small.gif does not suit `avatar`: 400x400 is too small; it must be at least";
    assert!(run.stdout.contains(small), "{run}");
    env.file("large.gif", picture(4000, 100));
    env.file("fine.gif", picture(1600, 900));
    env.file("damaged.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIH");
    let slot =
        |name: &str| format!("  - {{type: picture, data: {{image: {{$upload: {name}}}}}}}\n");
    let slots = [slot("large.gif"), slot("fine.gif"), slot("damaged.png")].concat();
    env.file("cafe.yaml", format!("profile: cafe\nslots:\n{slots}"));
    let json = env.run("slots plan cafe.yaml -o json").json();
    let uploads = &json["data"]["pages"][0]["plan"]["uploads"];
    assert_eq!(
        uploads[0]["warning"],
        "large.gif has 4000x100 pixels, more than pages show; 3200 per side is enough",
        "{uploads}"
    );
    assert!(uploads[1].get("warning").is_none(), "{uploads}");
    let large = "! large.gif has 4000x100 pixels, more than pages show; 3200 per side is enough";
    let damaged = "! damaged.png may be damaged: its width and height cannot be read";
    for (line, exit) in
        [("slots plan cafe.yaml", 3), ("plan cafe.yaml", 3), ("apply cafe.yaml --yes", 8)]
    {
        let run = env.run(line);
        assert_eq!(run.exit, exit, "{run}");
        let shown = format!("{}{}", run.stdout, run.stderr);
        let warnings: Vec<&str> =
            shown.lines().map(str::trim).filter(|line| line.starts_with("! ")).collect();
        assert_eq!(warnings, [large, damaged], "{run}");
    }
}
