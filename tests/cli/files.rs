//! Tests of page files that cannot be applied (faults 67): refused with line and column, in bounded memory, before anything is sent.

use std::fs::File;
use std::process::Command;

use crate::test_env::TestEnv;

fn refused(env: &TestEnv, file: &str, place: &str) {
    for command in ["plan", "apply"] {
        let run = env.run(&format!("slots {command} {file}"));
        assert_eq!((run.exit, run.stdout.as_str()), (8, ""), "{file}\n{run}");
        assert!(run.stderr.contains(place), "{file}: no {place} in\n{run}");
        let run = env.run(&format!("slots {command} {file} -o json"));
        assert_eq!((run.exit, run.stdout.as_str()), (8, ""), "{file}\n{run}");
        assert_eq!(run.error()["exit"], 8);
    }
    assert!(env.operations().is_empty(), "{file}");
}

#[test]
fn each_bad_page_file_is_refused_at_its_place() {
    let env = TestEnv::cafe();
    let nested = |open: &str, close: &str| {
        format!("profile: cafe\nslots: {}{}", open.repeat(10_000), close.repeat(10_000))
    };
    let levels =
        (1..9).map(|n| format!("l{n}: &l{n} [{}]\n", vec![format!("*l{}", n - 1); 9].join(", ")));
    let bomb: String =
        std::iter::once("profile: cafe\nl0: &l0 [lol]\n".to_owned()).chain(levels).collect();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty.yaml", Vec::new(), "empty.yaml:1:1"),
        ("bomb.yaml", bomb.into_bytes(), "bomb.yaml:3:10"),
        ("lists.yaml", nested("[", "]").into_bytes(), "lists.yaml:2:"),
        ("maps.yaml", nested("{a: ", "}").into_bytes(), "maps.yaml:2:"),
        ("twice.yaml", b"profile: cafe\nslots: []\nslots: []\n".to_vec(), "twice.yaml:3:1"),
        ("tab.yaml", b"profile: cafe\nslots:\n\t- type: divider\n".to_vec(), "tab.yaml:3:"),
        ("number.yaml", b"profile: cafe\nslots:\n  - {type: text, data: {title: 1e400}}\n".to_vec(), "number.yaml:3:32"),
        ("nul.yaml", b"profile: ca\0fe\nslots: []\n".to_vec(), "nul.yaml:1:12"),
        ("latin.yaml", b"profile: caf\xe9\nslots: []\n".to_vec(), "latin.yaml:1:13"),
        ("two.yaml", b"profile: cafe\nslots: []\n---\nprofile: cafe\n".to_vec(), "two.yaml:3:1"),
        ("unknown.yaml", b"\xef\xbb\xbfprofile: cafe\r\nslots: []\r\ntheme: 3\r\n".to_vec(), "unknown.yaml:3:1"),
        ("broken.json", br#"{"profile": "cafe", "slots": [}"#.to_vec(), "broken.json:1:"),
        ("ids.json", br#"{"profile": "cafe", "slots": [{"id": 7, "type": "text"}, {"id": 7, "type": "text"}]}"#.to_vec(), "ids.json:1:65"),
    ];
    for (name, bytes, place) in cases {
        env.file(name, bytes);
        refused(&env, name, place);
    }
}

#[test]
fn directories_and_oversized_files_are_not_read() {
    let env = TestEnv::cafe();
    std::fs::create_dir(env.home.path().join("folder")).unwrap();
    refused(&env, "folder", "folder must be a file, not a directory");
    let large = env.home.path().join("large.yaml");
    File::create(&large).unwrap().set_len(100 << 20).unwrap();
    refused(&env, "large.yaml", "large.yaml is larger than 5 MB");
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_read() {
    let env = TestEnv::cafe();
    refused(&env, "/dev/zero", "/dev/zero must be a file, not a device");
    let made = Command::new("mkfifo").arg(env.home.path().join("pipe")).status().unwrap();
    assert!(made.success());
    refused(&env, "pipe", "pipe must be a file, not a named pipe");
}

#[cfg(unix)]
#[test]
fn no_argument_that_takes_a_file_reads_what_is_no_regular_file() {
    let env = TestEnv::cafe();
    let pipe = env.home.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::create_dir(env.home.path().join("folder")).unwrap();
    File::create(env.home.path().join("large")).unwrap().set_len(100 << 20).unwrap();
    let page = "profile: cafe\nslots:\n  - {type: picture, data: {image: {$upload: FILE}}}\n";
    for file in ["/dev/zero", "pipe", "folder", "large"] {
        env.file("page.yaml", page.replace("FILE", file));
        for line in [
            "slots set cafe 1001 FILE",
            "slots set cafe 1001 title=@FILE",
            "slots apply page.yaml",
            "forms create FILE",
            "forms create title=@FILE",
            "profile update cafe FILE",
            "profile check-login -f FILE",
            "profile preview cafe --expect FILE",
            "api POST /forms --input FILE",
            "files upload FILE",
        ] {
            let run = env.run(&line.replace("FILE", file));
            assert_eq!((run.exit, run.stdout.as_str()), (8, ""), "{run}");
            let why = [
                "not a file",
                "must be a file",
                "is larger than",
                "is outside the page file's directory",
            ];
            assert!(why.iter().any(|it| run.stderr.contains(it)), "{run}");
        }
    }
    let reads = ["previewProfileMarkdown", "getProfile", "listSlotTypes"];
    let written = |operation: &String| !reads.contains(&operation.as_str());
    assert_eq!(env.operations().into_iter().filter(written).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_page_of_501_slots_is_refused_before_anything_is_sent() {
    let env = TestEnv::cafe();
    let text = format!("profile: cafe\nslots:\n{}", "  - type: divider\n".repeat(501));
    env.file("many.yaml", text);
    refused(&env, "many.yaml", "a page can have at most 500 slots, but this file has 501");
}

#[cfg(unix)]
#[test]
fn a_standard_input_that_is_closed_is_an_empty_one() {
    let env = TestEnv::cafe();
    let mut shell = Command::new("sh");
    let line = format!("exec '{}' slots plan - <&-", env!("CARGO_BIN_EXE_links"));
    shell.args(["-c", &line]).env_clear().current_dir(env.home.path());
    let likeness = env.command(["x"]);
    shell.envs(likeness.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(8), "{said}");
    assert!(said.contains("the file is empty"), "{said}");
    assert!(env.operations().is_empty());
}

#[test]
fn standard_input_is_read_to_its_limit() {
    let env = TestEnv::cafe();
    let plan = |stdin: &[u8]| env.run_args(["slots", "plan", "-"], stdin);
    let run = plan(b"");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("the file is empty"), "{run}");
    let run = plan(&vec![b'#'; 6 << 20]);
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("<stdin> is larger than 5 MB"), "{run}");
    assert!(env.operations().is_empty());
    let run = plan(b"profile: cafe\nslots:\n  - {type: text, data: {title: Good morning!}}\n");
    assert_eq!(run.exit, 0, "{run}");
}

#[test]
fn problems_of_a_page_file_are_shown_with_their_lines() {
    let env = TestEnv::cafe();
    let text = "\
profile: cafe
slots:
  - type: button
    title: Shop
  - id: 1002
    type: button
    data:
      title: \"\u{1b}[31mred\"
      phone: +77011234567
  - id: 1002
    type: text
    data: [1]
";
    env.file("page.yaml", text.replace('\u{1b}', "\\e"));
    insta::assert_snapshot!("number_for_a_text", env.run("slots plan page.yaml"));
    env.file(
        "page.yaml",
        text.replace('\u{1b}', "\\e").replace("+77011234567", "\"+77011234567\""),
    );
    insta::assert_snapshot!("several_problems", env.run("slots plan page.yaml"));
    insta::assert_snapshot!("several_problems_json", env.run("slots plan page.yaml -o json"));
}
