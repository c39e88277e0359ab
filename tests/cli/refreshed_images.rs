//! Tests of `links init --refresh` where a file names images.

use std::fs;

use crate::steps::{ok, path, text};
use crate::test_env::{TestEnv, picture};

/// Returns a page with an image that was uploaded on another machine, and whose lock is lost.
fn without_a_lock() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    env.file("logo.gif", picture(800, 800));
    env.file("cafe.yaml", "profile: cafe\ntitle: Cafe\navatar: {$upload: logo.gif}\n");
    ok(&env, "init");
    ok(&env, "apply --yes");
    fs::remove_file(path(&env, "links.lock")).unwrap();
    env.operations();
    env
}

#[test]
fn a_refresh_names_the_images_that_it_cannot_resolve_and_what_to_do() {
    let env = without_a_lock();
    let refreshed = ok(&env, "init --refresh");
    for part in
        ["cafe.yaml: cannot tell whether image logo.gif was uploaded", "version control", "--force"]
    {
        assert!(refreshed.stderr.contains(part), "{part}: {refreshed}");
    }
    assert!(!text(&env, "links.lock").contains("\nimage "));
    assert!(!env.operations().contains(&"uploadFile".to_owned()));
    let conflict = env.run("plan");
    assert!(conflict.exit == 7 && conflict.stderr.contains("cafe.yaml:3:1"), "{conflict}");
    // The advice holds.
    ok(&env, "apply cafe.yaml --force --yes");
    assert!(ok(&env, "plan").stdout.contains("no changes"));
    // Of an image that the lock has, nothing is said.
    let refreshed = ok(&env, "init --refresh");
    assert!(!refreshed.stderr.contains("unresolved"), "{refreshed}");
}

#[test]
fn a_program_finds_the_unresolved_images_in_the_data() {
    let env = without_a_lock();
    let data = ok(&env, "init --refresh -o json").json()["data"].clone();
    let expected = serde_json::json!([{ "file": "cafe.yaml", "image": "logo.gif" }]);
    assert_eq!(data["unresolvedImages"], expected, "{data:#}");
}
