//! Tests of the configuration file, and of the output of `links doctor`.

use links_fixtures::Limits;

use crate::test_env::TestEnv;

fn env() -> TestEnv {
    let env = TestEnv::cafe();
    let directory = env.home.path().join("config").display().to_string();
    env.env("LINKS_CONFIG_DIR", directory)
}

#[test]
fn variables_and_flags_override_the_configuration_file() {
    let env = env();
    assert_eq!(env.run("config set output jsonl").exit, 0);
    assert_eq!(env.run("config get output -o table").stdout, "jsonl\n");
    assert!(env.run("profile list").stdout.starts_with("{\"id\":101"));
    assert!(env.run("profile list -o ids").stdout.starts_with("101\n"));
    let env = env.env("LINKS_OUTPUT", "csv");
    assert!(env.run("profile list").stdout.starts_with("id,login"));
    let listed = env.run("config list -o json").json();
    assert_eq!(listed["data"][0]["from"], "LINKS_OUTPUT");
    let env = env.env("LINKS_OUTPUT", "");
    assert_eq!(env.run("config set output --unset").exit, 0);
    assert!(env.run("profile list").stdout.starts_with("ID "));
}

#[test]
fn the_base_url_is_read_from_the_configuration_file_but_not_from_the_current_directory() {
    let env = env();
    let address = env.server.base_url();
    let env = env.env("LINKS_BASE_URL", "");
    for name in ["config.toml", "links.toml", ".links.toml", ".env"] {
        env.file(name, format!("base-url = \"{address}\"\nLINKS_BASE_URL={address}\n"));
    }
    assert_eq!(env.run("me").exit, 2);
    assert_eq!(env.run(&format!("config set base-url {address}")).exit, 0);
    let env = env.env("LINKS_TOKEN", "");
    let token = env.server.token();
    let login = ["auth", "login", "--token-stdin", "--store", "file"];
    assert_eq!(env.run_args(login, token.as_bytes()).exit, 0);
    assert_eq!(env.run("me").exit, 0);
    assert_eq!(env.run("config set base-url http://links.test").exit, 2);
}

#[test]
fn a_broken_configuration_file_is_reported_with_its_line() {
    let env = env();
    let directory = env.home.path().join("config");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("config.toml"), "output = \"json\"\noutptu = 1\n").unwrap();
    let run = env.run("me");
    assert!(run.exit == 2 && run.stderr.contains("config.toml:2: unknown key `outptu`"), "{run}");
    assert_eq!(env.run("config path").exit, 0);
    let run = env.run("doctor");
    assert!(run.exit == 2 && run.stdout.contains("✗ configuration"), "{run}");
    let run = env.run("config get outptu -o json");
    assert_eq!(run.exit, 2);
}

#[test]
fn a_document_for_a_file_takes_its_format_only_from_the_command_line() {
    let env = env();
    let lines = ["completions bash", "schema page", "slots template button", "pull 101 -O -"];
    let plain = lines.map(|line| env.run(line).stdout);
    let env = env.env("LINKS_OUTPUT", "json");
    assert_eq!(lines.map(|line| env.run(line).stdout), plain);
    for line in lines {
        assert!(env.run(&format!("{line} -o json")).json()["data"].is_object(), "{line}");
    }
}

#[test]
fn a_mistyped_key_gets_a_suggestion() {
    let run = env().run("config set outptu json -o json");
    assert_eq!((run.exit, &run.error()["hint"]), (2, &"did you mean `output`?".into()), "{run}");
}

fn findings(env: &TestEnv) -> (i32, Vec<(String, String)>) {
    let run = env.run("doctor -o json");
    let rows = run.json()["data"].as_array().unwrap().clone();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    (run.exit, rows.iter().map(|row| (text(row, "check"), text(row, "state"))).collect())
}

#[test]
fn the_doctor_reports_the_check_that_fails() {
    let (exit, found) = findings(&env());
    assert_eq!((exit, found.iter().find(|(_, state)| state != "good")), (0, None));
    let checks: Vec<_> = found.iter().map(|(check, _)| check.as_str()).collect();
    for check in [
        "configuration",
        "token",
        "connection",
        "clock",
        "scopes",
        "limits",
        "requests",
        "state directory",
    ] {
        assert!(checks.contains(&check), "{checks:?}");
    }
    let bad = |env: &TestEnv| {
        let (exit, found) = findings(env);
        let bad = found.into_iter().find(|(_, state)| state == "bad");
        (exit, bad.map(|(check, _)| check).unwrap_or_default())
    };
    assert_eq!(bad(&env().env("LINKS_BASE_URL", "")), (2, "service".into()));
    assert_eq!(bad(&env().env("LINKS_TOKEN", "")), (4, "token".into()));
    assert_eq!(bad(&env().env("LINKS_TOKEN", "wrong-token")), (4, "scopes".into()));
    assert_eq!(bad(&env().env("LINKS_BASE_URL", "links.test")), (2, "service".into()));
    let absent = env().env("LINKS_TOKEN", "").env("LINKS_TOKEN_FILE", "/no/such/file");
    assert_eq!(bad(&absent), (2, "token".into()));
    let short = env();
    let address = short.server.base_url().replace("/api/v1", "");
    assert_eq!(bad(&short.env("LINKS_BASE_URL", address)), (6, "connection".into()));
    let nowhere = env().env("LINKS_BASE_URL", "http://127.0.0.1:1/api/v1");
    assert_eq!(bad(&nowhere), (10, "connection".into()));

    let env = env();
    env.server.edit(|account| account.tokens[0].abilities = vec!["profile:read".into()]);
    let (exit, found) = findings(&env);
    assert!(exit == 0 && found.contains(&("scopes".into(), "doubtful".into())), "{found:?}");

    let full = TestEnv::with(|builder| {
        builder.limits(Limits { profiles: 2, rates_enforced: false, ..Limits::default() })
    });
    let (exit, found) = findings(&full);
    assert!(exit == 0 && found.contains(&("limits".into(), "doubtful".into())), "{found:?}");
    let (exit, found) = findings(&TestEnv::in_june());
    assert!(exit == 0 && found.contains(&("clock".into(), "doubtful".into())), "{found:?}");
}

#[test]
fn the_doctor_sends_nothing_without_a_url_and_a_token() {
    for (env, reached) in [
        (env(), true),
        (env().env("LINKS_TOKEN", ""), false),
        (env().env("LINKS_BASE_URL", "links.test"), false),
    ] {
        let run = env.run("doctor");
        assert_eq!(run.stdout.contains("connection: skipped"), !reached, "{run}");
        assert_eq!(env.operations().is_empty(), !reached, "{run}");
        assert!(!run.to_string().contains(&env.server.token()), "{run}");
    }
}

#[cfg(unix)]
#[test]
fn the_doctor_checks_file_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let env = env();
    let path = env.file("token", env.server.token());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let env = env.env("LINKS_TOKEN", "").env("LINKS_TOKEN_FILE", path.display().to_string());
    let (exit, found) = findings(&env);
    assert!(exit == 0 && found.contains(&("token".into(), "doubtful".into())), "{found:?}");
}

#[test]
fn the_token_of_the_environment_is_not_sent_to_a_url_of_the_file() {
    let env = env();
    let address = env.server.base_url();
    let env = env.env("LINKS_BASE_URL", "");
    assert_eq!(env.run(&format!("config set base-url {address}")).exit, 0);
    for line in ["me", "me -o json", "slots add cafe divider"] {
        let run = env.run(line);
        assert_eq!(run.exit, 4, "{run}");
        for part in ["LINKS_TOKEN is not sent to", "config.toml", "LINKS_BASE_URL"] {
            assert!(run.stderr.contains(part), "{part}: {run}");
        }
    }
    let doctor = env.run("doctor");
    assert!(
        doctor.exit == 4 && doctor.stdout.contains("from `base-url` in config.toml"),
        "{doctor}"
    );
    assert!(env.server.requests().is_empty(), "the token went nowhere");
    assert_eq!(env.run(&format!("me --base-url {address}")).exit, 0);
    let env = env.env("LINKS_BASE_URL", address);
    assert_eq!(env.run("me").exit, 0);
}

#[test]
fn a_password_in_a_url_is_shown_nowhere() {
    let env = env().env("LINKS_BASE_URL", "https://me:canary@links.test/api/v1");
    for line in [
        "doctor",
        "doctor -o json",
        "config list",
        "config list -o json",
        "config get base-url",
        "me",
        "auth login --token-stdin --store file",
        "auth login --mcp-url https://me:canary@links.test/mcp --base-url https://links.test --no-browser --store file",
    ] {
        let run = env.run(line);
        assert!(!run.stdout.contains("canary") && !run.stderr.contains("canary"), "{run}");
    }
}

#[test]
#[cfg(unix)]
fn directories_of_state_and_cache_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let env = env().keeping_state().keeping_cache();
    assert_eq!(env.run("profile list").exit, 0);
    for directory in ["cache", ".local/state/links"] {
        let found = std::fs::metadata(env.home.path().join(directory)).unwrap();
        assert_eq!(found.permissions().mode() & 0o777, 0o700, "{directory}");
    }
}

#[test]
#[cfg(unix)]
fn a_token_file_that_everybody_can_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let env = env().env("LINKS_TOKEN", "");
    let path = env.file("token", env.server.token());
    let env = env.env("LINKS_TOKEN_FILE", path.display().to_string());
    for (mode, exit) in [(0o666, 4), (0o644, 0), (0o600, 0)] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        for line in ["me", "doctor"] {
            let run = env.run(line);
            assert_eq!(run.exit, exit, "{mode:o}: {run}");
            let said = run.stdout.contains("is writable by others")
                || run.stderr.contains("is writable by others");
            assert_eq!(said, exit == 4, "{mode:o}: {run}");
        }
    }
}

#[test]
fn a_name_with_line_breaks_forges_no_line_of_a_status() {
    let env = env();
    env.server.edit(|account| {
        "Aigerim\ntoken from: nowhere\r✓ token: good".clone_into(&mut account.name);
    });
    for line in ["auth status", "doctor"] {
        let run = env.run(line);
        let forged = |line: &str| {
            line.starts_with("token from: nowhere") || line.starts_with("✓ token: good")
        };
        assert!(run.exit == 0 && !run.stdout.split(['\n', '\r']).any(forged), "{run}");
    }
}
