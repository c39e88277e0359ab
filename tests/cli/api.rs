//! Tests of calls by method and path.

use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn any_path_can_be_called() {
    let env = TestEnv::cafe();
    let run = env.run("api GET /profiles/cafe?include=slots");
    assert_eq!(run.json()["data"]["slots"].as_array().unwrap().len(), 14, "{run}");
    let run = env.run("api get me");
    assert_eq!(run.json()["data"]["userId"], 4021, "{run}");

    let run = env.run(r#"api POST /profiles/cafe/slots -F type=text -F data:={"title":"Hello"}"#);
    assert_eq!(run.json()["data"]["data"]["title"], "Hello", "{run}");
    let run = env.run("api DELETE /profiles/cafe/slots -F ids:=[1002,1007] -o json");
    assert_eq!(run.json()["meta"], json!({ "deleted": 2, "total": 13 }), "{run}");
    let run = env.run("api GET /music/lookup -F query=KZA012600042");
    assert_eq!(run.json()["data"]["matchedBy"], "isrc", "{run}");

    let body = br#"{"data": {"title": "Anew"}}"#;
    let run = env.run_args(["api", "PATCH", "/profiles/cafe/slots/1001", "--input", "-"], body);
    assert_eq!(run.json()["data"]["data"]["title"], "Anew", "{run}");

    let run = env.run("api GET /profiles/cafe/markdown");
    assert!(run.stdout.starts_with('#'), "{run}");
    let run = env.run("api GET /profiles/cafe/markdown -o json");
    assert!(run.json()["data"]["body"].as_str().unwrap().starts_with('#'), "{run}");
    let run = env.run("api DELETE /profiles/cafe/slots/1001 -o json");
    assert_eq!(run.json()["data"], json!({ "status": 204, "body": "" }), "{run}");
}

#[test]
fn a_call_that_fails_has_the_exit_code_of_its_status() {
    let env = TestEnv::cafe();
    for (line, exit) in [
        ("api GET /nothing/here", 6),
        ("api POST /profiles/cafe/slots -F type=event", 7),
        ("api PATCH /profiles/cafe -F colour=red", 8),
    ] {
        assert_eq!(env.run(line).exit, exit, "{line}");
    }
    env.operations();
    for line in [
        "api TRACE /me",
        "api GET https://evil.example/",
        "api GET /../me",
        "api GET /me -F field",
        "api POST /x --input a -F b=c",
    ] {
        let run = env.run(line);
        assert_eq!(run.exit, 2, "{run}");
    }
    assert!(env.operations().is_empty());
}

#[test]
fn a_read_that_asks_for_another_method_counts_as_a_write() {
    let planned = TestEnv::cafe().env("LINKS_PLAN_FIRST", "1");
    for line in [
        "api GET /profiles/cafe -H X-HTTP-Method-Override:DELETE",
        "api GET /profiles/cafe -H x-method-override:PATCH",
        "api get /profiles/cafe?include=slots&_method=PATCH",
        "api GET /profiles/cafe?%5Fmethod=PATCH",
    ] {
        let run = planned.run(line);
        assert_eq!(run.exit, 14, "{run}");
        assert!(planned.operations().is_empty(), "{line}");
        // Nothing tells which method would be tried.
        let env = TestEnv::cafe();
        assert_eq!(env.run(&format!("{line} --dry-run")).exit, 0);
        assert!(env.operations().is_empty(), "{line}");
    }
    assert_eq!(planned.run("api GET /profiles/cafe -H Accept-Language:kk").exit, 0);
    let env = TestEnv::cafe().keeping_state();
    assert_eq!(env.run("api GET /profiles/cafe -H X-HTTP-Method-Override:PATCH").exit, 0);
    assert!(env.run("log").stdout.contains("api GET"), "{}", env.run("log"));
}
