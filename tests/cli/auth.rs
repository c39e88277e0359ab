//! Tests of accounts: login with a token, the status, several accounts at once, and the use of an account.

use std::fs;
use std::path::{Path, PathBuf};

use links_fixtures::{ContractServer, Token, World};
use serde_json::json;

use crate::test_env::{CommandResult, TestEnv, wait};

/// Returns an environment that names the service, but no token.
pub(crate) fn logged_out() -> TestEnv {
    TestEnv::cafe().env("LINKS_TOKEN", "")
}

/// Logs in with a token on standard input, and keeps it in a file.
pub(crate) fn log_in(env: &TestEnv, token: &str, more: &[&str]) -> CommandResult {
    let line = ["auth", "login", "--token-stdin", "--store", "file", "-o", "json"];
    env.run_args(line.iter().chain(more), token.as_bytes())
}

/// Returns the directory of configuration below the home directory.
pub(crate) fn config(env: &TestEnv) -> PathBuf {
    env.home.path().join(".config/links")
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_token_on_standard_input_becomes_an_account() {
    let env = logged_out();
    let run = log_in(&env, &format!("  {}\r\n", env.server.token()), &[]);
    assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{run}");
    let data = &run.json()["data"];
    assert_eq!(data["account"], "127.0.0.1");
    assert_eq!(data["abilities"], json!(["profile:read", "profile:write"]));
    assert_eq!((&data["canWrite"], &data["store"]), (&json!(true), &json!("file")));
    assert_eq!(env.operations(), ["getMe"]);

    // The URL comes with the account from now on.
    let env = env.env("LINKS_BASE_URL", "");
    assert_eq!(env.run("me").exit, 0);
    let status = env.run("auth status -o json").json();
    assert_eq!(
        (&status["data"]["source"], &status["data"]["store"]),
        (&json!("account"), &json!("file"))
    );

    let secret = config(&env).join("credentials/127.0.0.1.json");
    assert!(fs::read_to_string(&secret).unwrap().contains(&env.server.token()));
    assert!(
        !fs::read_to_string(config(&env).join("accounts.json"))
            .unwrap()
            .contains(&env.server.token())
    );
    #[cfg(unix)]
    {
        assert_eq!((mode(&secret), mode(&config(&env).join("accounts.json"))), (0o600, 0o600));
        assert_eq!((mode(&config(&env)), mode(secret.parent().unwrap())), (0o700, 0o700));
    }
}

#[test]
fn an_invalid_token_is_refused_without_being_shown() {
    for (text, why) in [
        ("", "the token is empty"),
        (" \n", "the token is empty"),
        ("canary\ntwo", "a line break"),
        ("canary two", "a space"),
        ("canary\0", "a character that is not allowed"),
    ] {
        let env = logged_out();
        let run = log_in(&env, text, &[]);
        assert_eq!(run.exit, 2, "{text:?}\n{run}");
        let message = run.error()["message"].to_string();
        assert!(message.contains(why) && !run.to_string().contains("canary"), "{run}");
        assert!(env.operations().is_empty() && !config(&env).join("credentials").exists());
    }
    let env = logged_out();
    let run = log_in(&env, "canary-wrong-token", &[]);
    assert_eq!(run.exit, 4, "{run}");
    assert!(run.error()["hint"].to_string().contains("start with `pps_`"), "{run}");
    assert!(!run.to_string().contains("canary") && !config(&env).join("accounts.json").exists());
    let run = log_in(&env, "pps_canary", &[]);
    assert!(run.exit == 4 && run.error()["hint"].to_string().contains("API settings"), "{run}");

    // An empty variable is a mistake to name, and no reason to look elsewhere.
    log_in(&env, &env.server.token(), &[]);
    let output = env.command(["me"]).env("LINKS_TOKEN", "").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(4) && said.contains("LINKS_TOKEN: the token is empty"),
        "{said}"
    );
}

#[test]
fn a_token_flag_is_refused_with_a_hint() {
    let env = logged_out();
    for line in ["--token canary me", "me --token=canary", "auth login --token canary"] {
        for format in ["", " -o json"] {
            let run = env.run(&format!("{line}{format}"));
            assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{run}");
            assert!(
                run.stderr.contains("--token-stdin") && run.stderr.contains("LINKS_TOKEN"),
                "{run}"
            );
            assert!(!run.stderr.contains("canary"), "{run}");
        }
    }
    assert!(env.operations().is_empty());
}

#[test]
fn auth_status_ends_with_the_exit_code_of_what_is_wrong() {
    let env = logged_out();
    assert_eq!(env.run("auth status -o json").error()["exit"], 4, "not logged in");
    log_in(&env, &env.server.token(), &[]);
    assert_eq!(env.run("auth status").exit, 0);

    env.server.edit(|account| account.tokens[0].abilities.clear());
    assert_eq!(env.run("auth status").exit, 5);
    env.server.edit(|account| account.tokens[0].revoked = true);
    let run = env.run("auth status -o json");
    assert_eq!(run.exit, 4);
    assert!(run.error()["hint"].to_string().contains("links auth login"), "{run}");

    let gone = wait(ContractServer::builder(World::cafe()).start()).unwrap();
    let env = env.env("LINKS_BASE_URL", gone.base_url());
    log_in(&env, &gone.token(), &[]);
    drop(gone);
    assert_eq!(env.run("auth status -o json").error()["exit"], 10);

    let env = logged_out().env("LINKS_BASE_URL", "");
    assert_eq!(env.run("auth status").exit, 2, "no service URL is configured");
    let typo = env.run("--account typo profile list");
    assert!(typo.exit == 4 && typo.stderr.contains("no such account: `typo`"), "{typo}");
}

#[test]
fn the_status_says_where_the_token_comes_from() {
    let env = TestEnv::cafe();
    let source = |env: &TestEnv, line: &str| {
        env.run(&format!("{line} auth status -o json")).json()["data"]["source"].clone()
    };
    assert_eq!(source(&env, ""), "LINKS_TOKEN");
    let line = ["auth", "login", "--token-stdin", "--store", "file", "--account", "work"];
    let run = env.run_args(line, env.server.token().as_bytes());
    assert!(run.exit == 0 && run.stderr.contains("LINKS_TOKEN is set and overrides"), "{run}");
    assert_eq!(source(&env, ""), "LINKS_TOKEN", "before any account");
    assert_eq!(source(&env, "--account work"), "account", "but a flag goes before it");
    let run = env.run("auth switch work");
    assert!(run.stdout.contains("LINKS_TOKEN is set and takes precedence"), "{run}");
    let path = env.file("token", env.server.token()).display().to_string();
    let env = env.env("LINKS_TOKEN", "").env("LINKS_TOKEN_FILE", path);
    assert_eq!(source(&env, ""), "LINKS_TOKEN_FILE");
    let env = env.env("LINKS_TOKEN_FILE", "");
    assert_eq!(source(&env, ""), "account");
    let env = env.env("LINKS_BASE_URL", "");
    assert_eq!(source(&env, "--sandbox"), "sandbox");
}

#[test]
fn at_the_token_limit_messages_say_where_to_revoke_one() {
    let env = TestEnv::cafe();
    assert!(!env.run("auth status").stdout.contains("tokens are in use"));
    env.server.edit(|account| {
        (0..4).for_each(|nth| account.tokens.push(Token::personal(format!("pps_{nth}"))));
    });
    let index = env.run("auth status -o json").json();
    let address = index["data"]["settingsUrl"].as_str().unwrap().to_owned();
    let run = env.run("auth status");
    assert!(
        run.stdout.contains(&format!("all 5 personal tokens are in use; revoke one at {address}")),
        "{run}"
    );
    let env = env.env("LINKS_TOKEN", "");
    let run = log_in(&env, &env.server.token(), &[]);
    assert_eq!(run.json()["data"]["settingsUrl"], address);
}

#[test]
fn commands_use_the_selected_one_of_several_accounts() {
    let env = logged_out();
    env.server.edit(|account| account.tokens.push(Token::read_only("pps_reader")));
    log_in(&env, &env.server.token(), &["--account", "owner"]);
    log_in(&env, "pps_reader", &["--account", "reader"]);
    let list = env.run("auth list -o json").json();
    let current = |list: &serde_json::Value| {
        let rows = list["data"].as_array().unwrap().iter();
        let of = |row: &serde_json::Value| row["account"].as_str().unwrap().to_owned();
        rows.filter(|row| row["current"] == true).map(of).collect::<Vec<_>>()
    };
    assert_eq!(
        (list["data"].as_array().unwrap().len(), current(&list)),
        (2, vec!["reader".to_owned()])
    );
    let can_write = |env: &TestEnv, line: &str| {
        env.run(&format!("{line} me -o json")).json()["data"]["canWrite"].clone()
    };
    assert_eq!(can_write(&env, ""), false);
    assert_eq!(can_write(&env, "--account owner"), true);

    assert_eq!(env.run("auth switch owner").exit, 0);
    assert_eq!(can_write(&env, ""), true);
    assert_eq!(env.run("auth switch nobody").exit, 6);
    let env = env.env("LINKS_ACCOUNT", "reader");
    assert_eq!(can_write(&env, ""), false);
    let run = env.run("auth switch owner");
    assert!(run.stdout.contains("LINKS_ACCOUNT is set to reader and takes precedence"), "{run}");
    let run = env.run("auth switch owner --account reader");
    assert!(!run.stdout.contains("takes precedence"), "{run}");
    let env = env.env("LINKS_ACCOUNT", "nobody");
    assert_eq!(env.run("me").exit, 4);
    let env = env.env("LINKS_ACCOUNT", "");

    assert_eq!(env.run("auth logout").exit, 0);
    assert!(!config(&env).join("credentials/owner.json").exists());
    assert!(config(&env).join("credentials/reader.json").exists());
    assert_eq!(env.run("auth logout owner").exit, 6);
    assert_eq!(can_write(&env, ""), false, "the only one left at the URL");
    assert_eq!(env.run("auth logout").exit, 0, "so it is the one in use");
    assert_eq!(env.run("me").exit, 4);
}

#[test]
fn a_login_refuses_the_name_of_an_account_at_another_service() {
    let env = logged_out();
    let others: Vec<_> =
        (0..2).map(|_| wait(ContractServer::builder(World::cafe()).start()).unwrap()).collect();
    log_in(&env, &env.server.token(), &[]);
    for other in &others {
        log_in(&env, &other.token(), &["--base-url", &other.base_url()]);
    }
    let known = env.run("auth list -o json").json();
    assert_eq!(known["data"].as_array().unwrap().len(), 3, "{known}");

    log_in(&env, &env.server.token(), &["--account", "work"]);
    let line = ["auth", "login", "--token-stdin", "--store", "file", "--account", "work"];
    let line =
        line.into_iter().map(str::to_owned).chain(["--base-url".to_owned(), others[0].base_url()]);
    others[0].forget_requests();
    let run = env.run_args(line, others[0].token().as_bytes());
    assert_eq!(run.exit, 14, "{run}");
    assert!(
        run.stderr.contains("account `work` already exists") && others[0].requests().is_empty(),
        "{run}"
    );
    assert_eq!(env.run("--account work me").exit, 0);
}

#[test]
fn a_login_refuses_the_name_of_an_account_of_another_user() {
    let env = logged_out();
    assert_eq!(log_in(&env, &env.server.token(), &["--account", "work"]).exit, 0);
    let stored = |env: &TestEnv| {
        ["accounts.json", "credentials/work.json"].map(|it| fs::read(config(env).join(it)).unwrap())
    };
    let before = stored(&env);
    env.server.edit(|account| {
        (account.user_id, account.name) = (7, "Bakery".to_owned());
        account.tokens.push(Token::read_only("pps_bakery"));
    });
    let run = log_in(&env, "pps_bakery", &["--account", "work"]);
    assert_eq!(run.exit, 14, "{run}");
    assert!(
        run.stderr.contains("account `work` is for user 4021 (Aliya Serikova), but you logged in as user 7 (Bakery); nothing was stored"),
        "{run}"
    );
    let env = env.env("LINKS_ACCOUNT", "work");
    assert_eq!(log_in(&env, "pps_bakery", &[]).exit, 14, "the variable names it, too");
    assert_eq!(stored(&env), before);
    assert_eq!(log_in(&env, "pps_bakery", &["--account", "bakery"]).exit, 0);
    assert_eq!(env.run("auth logout work").exit, 0);
    assert_eq!(log_in(&env, "pps_bakery", &["--account", "work"]).exit, 0);
}

#[test]
fn a_login_that_cannot_be_stored_leaves_no_account() {
    let env = logged_out();
    fs::create_dir_all(config(&env)).unwrap();
    fs::write(config(&env).join("credentials"), "no directory").unwrap();
    assert_eq!(log_in(&env, &env.server.token(), &["--account", "work"]).exit, 14);
    assert_eq!(env.run("auth list -o json").json()["data"], serde_json::json!([]));
}

#[test]
fn a_broken_accounts_file_stops_only_commands_that_need_an_account() {
    let env = TestEnv::cafe();
    let directory = config(&env);
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join("accounts.json"), "{").unwrap();
    assert_eq!(env.run("me").exit, 0);
    assert_eq!(env.run("me --account work").exit, 2);
    assert_eq!(env.env("LINKS_TOKEN", "").run("me").exit, 2);
}

#[test]
fn a_logout_without_a_name_removes_the_account_in_use() {
    let env = logged_out();
    let other = wait(ContractServer::builder(World::cafe()).start()).unwrap();
    log_in(&env, &env.server.token(), &["--account", "home"]);
    log_in(&env, &env.server.token(), &["--account", "second"]);
    log_in(&env, &other.token(), &["--account", "away", "--base-url", &other.base_url()]);
    let run = env.run("auth logout");
    assert!(run.exit == 4 && run.stderr.contains("several accounts for"), "{run}");
    assert_eq!(env.run("auth logout second").exit, 0);

    // The current account is another one, but the URL is that of this one.
    assert_eq!(env.run("auth status -o json").json()["data"]["account"], "home");
    let run = env.run("auth logout -o json");
    assert_eq!((run.exit, &run.json()["data"]["account"]), (0, &json!("home")), "{run}");
    let run = env.run("auth logout");
    assert!(run.exit == 4 && run.stderr.contains("not logged in"), "{run}");
    assert!(config(&env).join("credentials/away.json").exists());
    let env = env.env("LINKS_BASE_URL", "");
    assert_eq!(env.run("auth logout").exit, 0);
    assert_eq!(env.run("auth list -o json").json()["data"], json!([]));
}

#[test]
fn a_logout_without_a_name_removes_no_account_that_is_not_in_use() {
    let env = logged_out();
    log_in(&env, &env.server.token(), &["--account", "home"]);
    for (variable, value) in [("LINKS_TOKEN", &*env.server.token()), ("LINKS_SANDBOX", "1")] {
        for account in ["", "home"] {
            let mut command = env.command(["auth", "logout"]);
            command.env(variable, value).env("LINKS_ACCOUNT", account);
            let output = command.env_remove("LINKS_BASE_URL").output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(4), "{variable}: {said}");
            assert!(said.contains("nothing was removed"), "{variable}: {said}");
        }
    }
    assert!(config(&env).join("credentials/home.json").exists());
}

#[test]
fn a_logout_reports_whether_the_token_was_revoked() {
    let env = logged_out();
    log_in(&env, &env.server.token(), &["--account", "work"]);
    fs::write(config(&env).join("credentials/work.json"), "{").unwrap();
    let run = env.run("auth logout work -o json");
    assert_eq!((run.exit, &run.json()["data"]["tokenEnded"]), (0, &false.into()), "{run}");
}

#[test]
fn an_account_is_not_used_with_another_base_url() {
    let env = logged_out();
    let other = wait(ContractServer::builder(World::cafe()).start()).unwrap();
    log_in(&env, &env.server.token(), &["--account", "work"]);
    let env = env.env("LINKS_BASE_URL", other.base_url());
    assert_eq!(env.run("me").exit, 4);
    let run = env.run_args(["--account", "work", "--base-url", &other.base_url(), "me"], b"");
    assert_eq!(run.exit, 2, "{run}");
    assert!(other.requests().is_empty(), "the token went nowhere");
    let run = env.run("--account work me");
    assert_eq!(run.exit, 2, "which of the two is meant no one knows: {run}");
    assert!(
        run.stderr.contains("account `work` is for") && run.stderr.contains("LINKS_BASE_URL"),
        "{run}"
    );
    let env = env.env("LINKS_BASE_URL", "");
    assert_eq!(env.run("--account work me").exit, 0, "the account has its own URL");

    // A changed file of accounts does not send the secret elsewhere.
    let path = config(&env).join("accounts.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace(&env.server.base_url(), &other.base_url())).unwrap();
    let run = env.run("me");
    assert_eq!(run.exit, 4, "{run}");
    assert!(other.requests().is_empty(), "the token went nowhere");
}

#[test]
#[cfg(unix)]
fn a_token_command_runs_without_a_shell_and_without_the_token() {
    let env = logged_out();
    let script = env.file(
        "my pass",
        format!(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/argv\"\nenv > \"$HOME/env\"\necho '{}'\n",
            env.server.token()
        ),
    );
    let mut permissions = fs::metadata(&script).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o700);
    fs::set_permissions(&script, permissions).unwrap();
    let env = env.env("PATH", "/usr/bin:/bin").env("MY_VARIABLE", "stays");
    let command = format!("'{}' show '$(id)' links", script.display());
    let run = env.run_args(["auth", "login", "--token-command", &command, "-o", "json"], b"");
    assert_eq!((run.exit, &run.json()["data"]["store"]), (0, &json!("command")), "{run}");
    assert_eq!(env.run("me").exit, 0);
    let seen = |name: &str| fs::read_to_string(env.home.path().join(name)).unwrap();
    assert_eq!(seen("argv"), "show\n$(id)\nlinks\n");
    assert!(seen("env").contains("MY_VARIABLE=stays") && !seen("env").contains("LINKS_TOKEN"));
    assert!(!config(&env).join("credentials").exists());

    env.file("my pass", "#!/bin/sh\nexit 3\n");
    let run = env.run("me -o json");
    assert_eq!(run.exit, 4, "{run}");
    assert!(run.error()["message"].to_string().contains("exit status: 3"), "{run}");
}

/// Logs in with a token command that prints `token`, which `next` replaces once it was read.
#[cfg(unix)]
fn with_changing_token() -> TestEnv {
    let env = logged_out().keeping_state().keeping_cache();
    let script = env.file("token.sh", "cat token; [ ! -e next ] || mv next token\n");
    env.file("token", env.server.token());
    let command = format!("/bin/sh '{}'", script.display());
    let run = env.run_args(["auth", "login", "--token-command", &command], b"");
    assert_eq!(run.exit, 0, "{run}");
    env
}

#[cfg(unix)]
#[test]
fn a_token_command_that_prints_the_token_of_another_user_during_a_command_ends_it() {
    let env = with_changing_token();
    env.file("cafe.yaml", "profile: cafe\ntitle: Anew\n");
    for (line, exit) in [("init", 0), ("plan", 3)] {
        let run = env.run(line);
        assert_eq!(run.exit, exit, "{run}");
    }
    env.file("next", "pps_of_another");
    env.server.edit(|account| {
        account.user_id = 7;
        account.tokens.iter_mut().for_each(|it| it.revoked = true);
        account.tokens.push(Token::personal("pps_of_another"));
    });
    let before = env.server.account().profiles;
    let run = env.run("apply --yes");
    assert_eq!(run.exit, 4, "{run}");
    assert!(run.stderr.contains("the token of user 7, not of user 4021"), "{run}");
    assert_eq!(env.server.account().profiles, before);
    // A command that begins with it is about the other user.
    let run = env.run("apply --yes");
    assert!(run.exit == 14 && env.server.account().profiles == before, "{run}");
}

#[cfg(unix)]
#[test]
fn the_user_of_a_token_is_noted_for_the_token_that_was_used() {
    let env = with_changing_token();
    env.file("next", "pps_another");
    env.server.edit(|account| {
        account.tokens.iter_mut().for_each(|it| it.revoked = true);
        account.tokens.push(Token::personal("pps_another"));
    });
    assert_eq!(env.run("profile list").exit, 0);
    env.server.forget_requests();
    assert_eq!(env.run("profile list").exit, 0);
    assert_eq!(env.operations(), ["listProfiles"], "the user of the second token is known");
}

#[test]
fn no_file_in_the_current_directory_sets_the_url_the_account_or_the_token_command() {
    let env = logged_out();
    let evil = wait(ContractServer::builder(World::cafe()).start()).unwrap();
    let directory = env.home.path().join("someone-elses-project");
    fs::create_dir_all(directory.join(".config/links")).unwrap();
    fs::create_dir_all(directory.join("links")).unwrap();
    fs::create_dir_all(directory.join(".links")).unwrap();
    let accounts = json!({
        "version": 1,
        "current": "evil",
        "accounts": { "evil": {
            "baseUrl": evil.base_url(), "kept": { "command": ["touch", "ran"] }, "userId": 1, "user": "Evil",
        } },
    });
    let toml = format!(
        "base-url = \"{0}\"\nbase_url = \"{0}\"\naccount = \"evil\"\ntoken_command = \"touch ran\"\nLINKS_BASE_URL={0}\n",
        evil.base_url()
    );
    for place in ["", "links/", ".links/", ".config/links/"] {
        fs::write(directory.join(place).join("accounts.json"), accounts.to_string()).unwrap();
        for name in ["links.toml", ".links.toml", "config.toml", ".env"] {
            fs::write(directory.join(place).join(name), &toml).unwrap();
        }
    }
    let run = |env: &TestEnv| {
        let output = env.command(["me", "-o", "json"]).current_dir(&directory).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let env = env.env("LINKS_BASE_URL", "");
    assert_eq!(run(&env).0, Some(2), "no service URL is configured: {}", run(&env).1);
    let address = env.server.base_url();
    let env = env.env("LINKS_BASE_URL", address);
    assert_eq!(run(&env).0, Some(4), "no token is given: {}", run(&env).1);
    let token = env.server.token();
    let env = env.env("LINKS_TOKEN", token);
    assert_eq!(run(&env).0, Some(0), "{}", run(&env).1);
    assert!(evil.requests().is_empty() && !directory.join("ran").exists());
    assert_eq!(env.operations(), ["getMe"]);

    // Not even the user's own file names an account or a command.
    fs::create_dir_all(config(&env)).unwrap();
    for key in ["account", "token-command", "token_command", "token"] {
        fs::write(config(&env).join("config.toml"), format!("{key} = \"touch ran\"\n")).unwrap();
        let (exit, said) = run(&env);
        assert!(exit == Some(2) && said.contains(&format!("unknown key `{key}`")), "{said}");
    }
    assert!(!directory.join("ran").exists());
}

#[test]
fn without_a_keyring_a_login_fails_and_stores_nothing() {
    let env = logged_out().env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent");
    for more in [&[][..], &["--store", "keyring"]] {
        let line = ["auth", "login", "--token-stdin", "-o", "json"];
        let run = env.run_args(line.iter().chain(more), env.server.token().as_bytes());
        assert_eq!(run.exit, 14, "{run}");
        let error = run.error();
        assert!(error["message"].to_string().contains("no keyring available"), "{run}");
        assert!(error["hint"].to_string().contains("--store file"), "{run}");
        assert!(!config(&env).exists() && env.operations().is_empty(), "{run}");
    }
    let run = env.run_args(
        ["auth", "login", "--token-stdin", "--store", "file"],
        env.server.token().as_bytes(),
    );
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(run.stderr.matches("unencrypted").count(), 1, "{run}");
    let run = env.run("me");
    assert_eq!(
        (run.exit, run.stderr.as_str()),
        (0, ""),
        "the broken keyring is not looked at\n{run}"
    );
}
