//! Tests of the program `cargo spec`: its verbs, its exit codes, and its output.

use std::process::{Command, Output};

use links_spec::DOCUMENT;
use tempfile::NamedTempFile;

fn spec(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } =
        Command::new(env!("CARGO_BIN_EXE_links-spec")).args(arguments).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

fn file(text: &str) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn the_committed_client_is_what_the_document_says() {
    assert_eq!(spec(&["generate", "--check"]), (0, String::new(), String::new()));
}

#[test]
fn a_client_can_be_generated_from_another_document() {
    let same = file(DOCUMENT);
    let check = |path: &str| spec(&["generate", "--check", path]);
    assert_eq!(check(same.path().to_str().unwrap()), (0, String::new(), String::new()));
    let other = file(&DOCUMENT.replace(r#""operationId": "getMe""#, r#""operationId": "whoAmI""#));
    let (code, stdout, stderr) = check(other.path().to_str().unwrap());
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.contains("does not match"), "{stderr}");
    let (code, _, stderr) = spec(&["generate", "no/such.json"]);
    assert!(code == 1 && stderr.contains("cannot read no/such.json"), "{stderr}");
}

#[test]
fn failures_and_wrong_usage_have_different_exit_codes() {
    let broken = file("{");
    for (arguments, code, expected) in [
        (&["generate", "--check", broken.path().to_str().unwrap()][..], 1, "is not JSON"),
        (&["generate", "--check", "no/such.json"], 1, "cannot read no/such.json"),
        (&["generate", "--force"], 2, "Usage:"),
        (&["compare"], 2, "Usage:"),
        (&[], 2, "Usage:"),
    ] {
        let (found, stdout, stderr) = spec(arguments);
        assert_eq!((found, stdout.as_str()), (code, ""), "{arguments:?}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

#[test]
fn help_goes_to_stdout() {
    for arguments in [&["--help"][..], &["-h"], &["help"], &["generate", "--help"]] {
        let (code, stdout, stderr) = spec(arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(stdout.contains("cargo spec generate FILE"), "{arguments:?}");
    }
}
