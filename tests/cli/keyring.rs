//! Tests of the keyring of the system. They need a session bus, which `tests/keyring/run` provides.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::auth::{config, logged_out};
use crate::connect::with_browser;
use crate::test_env::{CommandResult, TestEnv};

/// Returns an environment, logged out, on the session bus of this process.
fn on_the_bus() -> TestEnv {
    let bus = std::env::var("DBUS_SESSION_BUS_ADDRESS").expect("run by tests/keyring/run");
    logged_out().env("DBUS_SESSION_BUS_ADDRESS", bus)
}

fn log_in(env: &TestEnv) -> CommandResult {
    let line = ["auth", "login", "--token-stdin", "--account", "work", "-o", "json"];
    env.run_args(line, env.server.token().as_bytes())
}

/// Returns the files below a directory that hold a text.
fn holding(text: &str, directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holding(text, &path));
        } else if String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).contains(text) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
#[ignore = "needs a Secret Service: see tests/keyring/run"]
fn a_real_secret_service_open_and_locked() {
    let env = on_the_bus();
    let run = log_in(&env);
    assert_eq!((run.exit, &run.json()["data"]["store"]), (0, &"keyring".into()), "{run}");
    assert_eq!(env.run("me").exit, 0);
    assert_eq!(env.run("auth status -o json").json()["data"]["store"], "keyring");
    assert_eq!(holding(&env.server.token(), env.home.path()), [""; 0], "it is in the keyring only");

    // An account of the same name elsewhere has a secret of its own.
    let other = on_the_bus();
    assert_eq!(log_in(&other).exit, 0);
    assert_eq!(other.run("auth logout").exit, 0);
    assert_eq!(other.run("me").exit, 4);
    assert_eq!(env.run("me").exit, 0);

    // So has a connection, which is renewed there.
    let connected = with_browser(on_the_bus(), "approve");
    let line = ["auth", "login", "--account", "web", "-o", "json"];
    let run = connected.run_args(line, b"");
    assert_eq!((run.exit, &run.json()["data"]["store"]), (0, &"keyring".into()), "{run}");
    let token = connected.server.account().tokens.pop().unwrap();
    assert!(token.connected && connected.run("me").exit == 0);
    connected.server.edit(|account| {
        account.tokens.last_mut().unwrap().expires_at =
            Some("2020-01-01T00:00:00Z".parse().unwrap());
    });
    assert_eq!((connected.run("me").exit, connected.run("me").exit), (0, 0));
    let renewed = connected.server.account().tokens.pop().unwrap();
    assert_ne!(renewed, token);
    for secret in [&token.token, &renewed.token] {
        assert_eq!(holding(secret, connected.home.path()), [""; 0], "it is in the keyring only");
    }
    assert_eq!(connected.run("auth logout").exit, 0);
    assert!(connected.server.account().tokens.pop().unwrap().revoked);

    let locked = Command::new("dbus-send")
        .args([
            "--session",
            "--print-reply",
            "--dest=org.freedesktop.secrets",
            "/org/freedesktop/secrets",
        ])
        .args([
            "org.freedesktop.Secret.Service.Lock",
            "array:objpath:/org/freedesktop/secrets/collection/login",
        ])
        .output()
        .unwrap();
    assert!(locked.status.success(), "{locked:?}");
    let run = env.run("me -o json");
    assert_eq!(run.exit, 4, "{run}");
    assert!(run.error()["message"].to_string().contains("locked"), "{run}");
    assert!(run.error()["hint"].to_string().contains("--store file"), "{run}");

    let run = log_in(&other);
    assert_eq!(run.exit, 14, "{run}");
    assert!(run.error()["message"].to_string().contains("locked"), "{run}");
    assert!(run.error()["hint"].to_string().contains("--store file"), "{run}");
    assert!(!config(&other).join("credentials/work.json").exists(), "nothing falls back to a file");
    assert_eq!(env.run("auth logout").exit, 14, "what cannot be removed is not forgotten");
    assert_eq!(env.run("auth list -o json").json()["data"][0]["account"], "work");
}

#[test]
#[ignore = "needs a silent Secret Service: see tests/keyring/run"]
fn a_silent_secret_service_times_out() {
    let env = on_the_bus();
    let run = log_in(&env);
    assert_eq!(run.exit, 14, "{run}");
    assert!(run.error()["message"].to_string().contains("did not respond within 5 s"), "{run}");
    assert!(run.error()["hint"].to_string().contains("--store file"), "{run}");
    assert!(!config(&env).exists() && env.operations().is_empty(), "{run}");

    let line = ["auth", "login", "--token-stdin", "--store", "file"];
    assert_eq!(env.run_args(line, env.server.token().as_bytes()).exit, 0);
    assert_eq!(env.run("me").exit, 0, "a file has nothing to do with it");
}
