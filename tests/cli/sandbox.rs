//! Tests of the embedded service.

use crate::browser::request;
use crate::served_sandbox::ServedSandbox;
use crate::test_env::TestEnv;

/// Returns an environment without any service except the sandbox.
fn env() -> TestEnv {
    TestEnv::cafe().env("LINKS_BASE_URL", "").env("LINKS_TOKEN", "").keeping_state()
}

#[test]
fn the_state_of_the_sandbox_is_kept_between_commands() {
    let env = env();
    assert_eq!(env.run("--sandbox forms create title=Contact fields:=[]").exit, 8);
    let run = env.run_args(
        [
            "forms",
            "create",
            "title=Contact",
            r#"fields:=[{"type":"text","label":"Name","required":true}]"#,
            "--sandbox",
        ],
        b"",
    );
    assert_eq!(run.exit, 0, "{run}");
    let forms = |env: &TestEnv| {
        env.run("forms list -o json --sandbox").json()["data"].as_array().unwrap().len()
    };
    assert_eq!(forms(&env), 2);
    assert_eq!(env.run("sandbox reset").exit, 0);
    assert_eq!(forms(&env), 1);
}

#[test]
fn sandbox_path_is_where_the_state_is() {
    let env = env();
    let path = env.run("sandbox path").stdout.trim_end().to_owned();
    assert!(path.starts_with(&env.home.path().display().to_string()), "{path}");
    assert_eq!(env.run("--sandbox me").exit, 0);
    assert!(std::path::Path::new(&path).is_file(), "{path}");

    let other = env.home.path().join("elsewhere");
    let env = env.env("LINKS_STATE_DIR", other.display().to_string()).env("LINKS_SANDBOX", "1");
    assert_eq!(env.run("me").exit, 0);
    assert!(other.join("sandbox.json").is_file());
}

#[test]
fn the_token_of_the_environment_is_not_sent_to_the_sandbox() {
    // With any token but its own the sandbox would answer 401.
    let env =
        env().env("LINKS_TOKEN", "canary").env("LINKS_BASE_URL", "https://links.example/api/v1");
    assert_eq!(env.run("--sandbox me").exit, 0);
    assert_eq!(env.env("LINKS_SANDBOX", "yes").run("me").exit, 0);
}

#[test]
fn sandbox_serve_answers_other_programs_until_it_is_stopped() {
    let service = ServedSandbox::start(&env(), &[]);
    assert!(service.text("baseUrl").starts_with("http://127.0.0.1:"));
    assert!(!service.text("mcpUrl").is_empty());
    let listed = service.user().run("slots list cafe -o json").json();
    assert_eq!(listed["data"].as_array().unwrap().len(), 14);
    assert_eq!(service.stop(), Some(130));
}

#[test]
fn the_sandbox_gives_access_only_to_a_user_who_knows_its_token() {
    let service = ServedSandbox::start(&env(), &[]);
    let origin = service.text("mcpUrl").replace("/mcp", "");
    let client = r#"{"client_name":"x","redirect_uris":["http://127.0.0.1:1/callback"],"token_endpoint_auth_method":"none"}"#;
    let (status, _, client) = request("POST", &format!("{origin}/oauth/register"), client);
    assert_eq!(status, 201, "{client}");
    let client: serde_json::Value = serde_json::from_str(&client).unwrap();
    let page = format!(
        "{origin}/oauth/authorize?response_type=code&client_id={}&redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback\
        &code_challenge_method=S256&code_challenge={}",
        client["client_id"].as_str().unwrap(),
        "a".repeat(43)
    );
    let (status, location, text) = request("GET", &page, "");
    assert_eq!((status, location.as_str()), (200, ""), "{text}");
    assert!(text.contains("name=token"), "{text}");
    for form in ["", "answer=approve", "answer=approve&token=", "answer=approve&token=guessed"] {
        let (_, location, text) = request("POST", &page, form);
        assert!(!location.contains("code="), "{form}: {location}\n{text}");
    }
    let (_, location, _) =
        request("POST", &format!("{page}&token={}", service.text("token")), "answer=approve");
    assert_eq!(location, "");
    let form = format!("answer=approve&token={}", service.text("token"));
    let (status, location, text) = request("POST", &page, &form);
    assert!(status == 302 && location.contains("code="), "{location}\n{text}");
}

#[test]
fn a_printed_token_stays_valid_after_a_reset() {
    let env = env();
    let service = ServedSandbox::start(&env, &[]);
    let user = service.user();
    assert_eq!(user.run("profile update cafe title=Changed").exit, 0);
    assert_eq!(env.run("sandbox reset").exit, 0);
    // This command, and not the service, is the first to notice that there is no state.
    assert_eq!(env.run("--sandbox me").exit, 0);
    let shown = user.run("profile get cafe -o json");
    assert_eq!(shown.exit, 0, "{shown}");
    assert_ne!(shown.json()["data"]["title"], "Changed");
    assert_eq!(service.stop(), Some(130));
}

#[test]
fn after_a_reset_a_file_is_applied_as_for_the_first_time() {
    let env = env().keeping_cache();
    let page = "profile: cafe\ntitle: New\nslots:\n  - {type: text, data: {title: One}}\n  - {type: text, data: {title: Two}}\n";
    env.file("cafe.yaml", page);
    let texts = || {
        let listed = env.run("--sandbox slots list cafe -o json").stdout;
        ["One", "Two"].map(|title| listed.matches(&format!("\"{title}\"")).count())
    };
    for _ in 0..2 {
        let run = env.run("--sandbox apply cafe.yaml --yes");
        assert_eq!((run.exit, texts()), (0, [1, 1]), "{run}");
        assert!(!env.run("--sandbox log -o ids").stdout.is_empty());
        assert_eq!(env.run("sandbox reset").exit, 0);
        assert_eq!(env.run("--sandbox log -o ids").stdout, "");
        let cached = std::fs::read_dir(env.home.path().join("cache")).unwrap();
        assert_eq!(cached.count(), 0);
    }
}

#[test]
fn a_reset_keeps_what_is_recorded_of_other_services() {
    let env = TestEnv::cafe().keeping_state().keeping_cache();
    env.file("cafe.yaml", "profile: cafe\ntitle: New\n");
    assert_eq!(env.run("apply cafe.yaml").exit, 0);
    let files = || {
        let listed = std::process::Command::new("find")
            .args(["-type", "f", "-not", "-name", "*sandbox*"])
            .current_dir(env.home.path())
            .output()
            .unwrap();
        let mut files: Vec<_> =
            String::from_utf8(listed.stdout).unwrap().lines().map(str::to_owned).collect();
        files.sort();
        files
    };
    let before = files();
    assert!(before.len() > 3, "{before:?}");
    assert_eq!(env.run("sandbox reset").exit, 0);
    assert_eq!(files(), before);
    let one = env.run("log -o ids");
    assert!(!one.stdout.is_empty(), "{one}");
}

/// Returns the token of the sandbox below this directory.
fn token(env: &TestEnv) -> String {
    let service = ServedSandbox::start(env, &[]);
    let token = service.text("token");
    service.stop();
    token
}

#[test]
fn each_sandbox_has_a_token_of_its_own_until_it_is_reset() {
    let (one, other) = (env(), env());
    let first = token(&one);
    assert!(first.len() > 60, "{first}");
    assert_ne!(first, token(&other));
    assert_eq!(one.run("--sandbox me").exit, 0);
    assert_eq!(first, token(&one));
    assert_eq!(one.run("sandbox reset").exit, 0);
    assert_ne!(first, token(&one));
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_state_of_the_sandbox() {
    use std::os::unix::fs::PermissionsExt;
    let env = env();
    assert_eq!(env.run("--sandbox=limits me").exit, 0);
    let path = env.run("sandbox path").stdout.trim_end().to_owned();
    let mode = |path: &str| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for file in [path.clone(), format!("{path}.rates"), format!("{path}.lock")] {
        assert_eq!(mode(&file), 0o600, "{file}");
    }
    assert_eq!(mode(path.strip_suffix("/sandbox.json").unwrap()), 0o700);
}

/// Number of requests that the rate limits of the interface do not allow in a minute.
const MANY: usize = 70;

/// Runs many requests that may not wait for the rate limits.
fn unpaced(env: &TestEnv) -> i32 {
    let logins: Vec<String> = (0..MANY).map(|nth| format!("login.{nth}")).collect();
    env.run(&format!("profile check-login {} --max-wait 0", logins.join(" "))).exit
}

#[test]
fn commands_that_reach_an_unlimited_sandbox_by_its_url_do_not_pace_themselves() {
    let env = env();
    let by_url = |service: &ServedSandbox| {
        let state = env.home.path().join(".local/state/links").display().to_string();
        let (base, token) = (service.text("baseUrl"), service.text("token"));
        let user = TestEnv::cafe().env("LINKS_STATE_DIR", state);
        user.env("LINKS_BASE_URL", base).env("LINKS_TOKEN", token)
    };
    let service = ServedSandbox::start(&env, &[]);
    assert_eq!(unpaced(&by_url(&service)), 0);
    // A command with another state directory learns it from the service.
    let other = service.user().keeping_state();
    assert_eq!(unpaced(&other), 9);
    assert_eq!(other.run("me --max-wait 0").exit, 9);
    let other = service.user().keeping_state();
    assert_eq!(other.run("me").exit, 0);
    assert_eq!(unpaced(&other), 0);
    assert_eq!(service.stop(), Some(130));
    let service = ServedSandbox::start(&env, &["--limits"]);
    assert_eq!(unpaced(&by_url(&service)), 9);
}

#[test]
fn the_embedded_sandbox_does_not_pace_itself_after_its_limits_were_read() {
    let env = env().env("LINKS_SANDBOX", "1");
    env.file("dot.gif", crate::test_env::picture(1, 1));
    let slot = |nth: usize| format!("  - {{type: text, data: {{title: Slot {nth}}}}}\n");
    let slots: String = (0..450).map(slot).collect();
    let picture = "  - {type: picture, data: {image: {$upload: dot.gif}}}\n";
    env.file("page.yaml", format!("profile: cafe\nslots:\n{picture}{slots}"));
    // The upload reads `/me`, with the limits, and more requests follow than a second has.
    let run = env.run("apply page.yaml --yes --max-wait 0");
    assert_eq!(run.exit, 0, "{run}");
}
