//! Tests of the `links.lock` that a run would write: that of another user, and one that cannot be written.

use std::fs;

use serde_json::Value;

use crate::steps::{SLOTS, ok, path, text, writes};
use crate::test_env::TestEnv;

const TITLE: &str = "profile: cafe\ntitle: Anew\n";

const FORM: &str = "form: contact\ntitle: Write\nfields: [{type: text, label: Name}]\n";

/// Returns a directory with the lock of another user, whom this machine has never asked for.
fn of_another_user() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    ok(&env, "init");
    let lock = text(&env, "links.lock").replacen(" 4021\n", " 7\n", 1);
    assert!(lock.ends_with(" 7\n"), "{lock}");
    env.file("links.lock", lock);
    env.file("cafe.yaml", TITLE);
    env.file("new.yaml", "profile: brand.new\ntitle: New\n");
    env.file("contact.yaml", FORM);
    env.operations();
    env
}

#[test]
fn with_a_token_alone_the_lock_of_another_user_is_refused_before_anything_is_written() {
    let env = of_another_user();
    let (lock, account) = (text(&env, "links.lock"), env.server.account());
    for line in [
        "apply cafe.yaml",
        "apply new.yaml --allow-create 1",
        "apply contact.yaml --allow-create 1",
        "apply cafe.yaml --dry-run",
        "plan .",
        "slots apply cafe.yaml",
        "slots plan cafe.yaml",
        "pull cafe -O cafe.yaml",
        "pull cafe -O other.yaml",
        "slots pull cafe -O other.yaml",
    ] {
        env.file("cafe.yaml", if line.starts_with("slots") { SLOTS } else { TITLE });
        let run = env.run(line);
        assert_eq!(run.exit, 14, "{run}");
        assert!(run.stderr.contains("is for user 7, but the token is for user 4021"), "{run}");
        assert_eq!(writes(&env), [""; 0], "{run}");
    }
    assert_eq!(text(&env, "links.lock"), lock);
    assert!(!path(&env, "other.yaml").exists());
    assert_eq!(env.server.account().profiles.len(), account.profiles.len());
    // Neither is a run recorded there that has nothing to write.
    env.file("cafe.yaml", "profile: cafe\ntitle: Qara Coffee\n");
    let run = env.run("apply cafe.yaml");
    assert_eq!(run.exit, 14, "{run}");
    assert_eq!(text(&env, "links.lock"), lock);
}

#[test]
fn a_user_is_asked_for_once_and_not_where_a_page_of_the_lock_shows_the_account() {
    let env = of_another_user().keeping_cache();
    assert_eq!(env.run("apply cafe.yaml").exit, 14);
    assert_eq!(env.operations().iter().filter(|it| *it == "getMe").count(), 1);
    // From then on nothing is even read.
    let run = env.run("apply cafe.yaml");
    assert!(run.exit == 14 && env.operations().is_empty(), "{run}");

    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
    ok(&env, "init");
    env.file("cafe.yaml", TITLE);
    ok(&env, "apply cafe.yaml");
    assert!(env.operations().contains(&"getMe".to_owned()));
    env.file("cafe.yaml", "profile: cafe\ntitle: Again\n");
    env.file("new.yaml", "profile: brand.new\ntitle: New\n");
    env.operations();
    ok(&env, "apply . --allow-create 1");
    let sent = env.operations();
    assert!(sent.contains(&"createProfile".to_owned()), "{sent:?}");
    assert!(!sent.contains(&"getMe".to_owned()), "{sent:?}");
}

#[cfg(unix)]
#[test]
fn the_lock_of_another_user_than_that_of_the_token_that_a_command_prints_is_refused() {
    let env = of_another_user().keeping_cache().env("LINKS_TOKEN", "");
    // The account is that of the user of the lock, but its command prints the token of another one.
    let accounts = serde_json::json!({"version": 1, "current": "seven", "accounts": {"seven": {
        "baseUrl": env.server.base_url(), "kept": {"command": ["/bin/echo", env.server.token()]},
        "userId": 7, "user": "Seven",
    }}});
    let config = crate::auth::config(&env);
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("accounts.json"), accounts.to_string()).unwrap();
    for asked in [1, 0] {
        let run = env.run("apply new.yaml --allow-create 1");
        assert_eq!(run.exit, 14, "{run}");
        assert!(
            run.stderr.contains("is for user 7 (account `seven`), but the token is for user 4021"),
            "{run}"
        );
        assert!(run.stderr.contains("check its token command"), "{run}");
        let sent = env.operations();
        assert_eq!(sent.iter().filter(|it| *it == "getMe").count(), asked, "{sent:?}");
        assert!(!sent.contains(&"createProfile".to_owned()), "{sent:?}");
    }
    // The lock of the user whose token it is can be used, whatever the account says.
    let lock = text(&env, "links.lock").replacen(" 7\n", " 4021\n", 1);
    env.file("links.lock", lock);
    ok(&env, "apply new.yaml --allow-create 1");
    let sent = env.operations();
    assert!(sent.contains(&"createProfile".to_owned()), "{sent:?}");
    assert!(!sent.contains(&"getMe".to_owned()), "{sent:?}");
}

/// Returns a directory with a lock and its page files, and a token of another account since.
fn with_a_token_of_another_account() -> TestEnv {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state().keeping_cache();
    ok(&env, "init");
    env.file("cafe.yaml", TITLE);
    env.file("weddings.yaml", "profile: qara.weddings\ntitle: Weddings\n");
    ok(&env, "apply .");
    fs::remove_dir_all(path(&env, "cache")).unwrap();
    env.server.edit(|account| {
        (account.user_id, account.name) = (7, "Bakery".to_owned());
        account.profiles.clear();
        account.forms.clear();
    });
    env.operations();
    env
}

#[test]
fn a_page_that_is_missing_because_the_token_is_of_another_account_says_so_once() {
    let lines = [
        "plan",
        "apply --yes",
        "apply cafe.yaml --dry-run",
        "apply cafe.yaml --locked",
        "slots plan cafe.yaml",
        "slots apply cafe.yaml --yes",
        "pull cafe -O cafe.yaml",
        "slots pull cafe -O cafe.yaml",
        "preview cafe.yaml",
    ];
    for line in lines {
        let env = with_a_token_of_another_account();
        if line.starts_with("slots") {
            env.file("cafe.yaml", SLOTS);
        }
        let before = text(&env, "links.lock");
        let run = env.run(line);
        assert_eq!(run.exit, 14, "{run}");
        let said = "links.lock is for user 4021, but the token is for user 7 (Bakery)";
        assert_eq!(run.stderr.matches(said).count(), 1, "{run}");
        assert!(run.stderr.contains("use a token of user 4021"), "{run}");
        assert!(!run.stderr.contains("not found"), "{run}");
        let asked = env.operations();
        assert_eq!(asked.iter().filter(|it| *it == "getMe").count(), 1, "{asked:?}");
        assert_eq!(text(&env, "links.lock"), before);
        // From then on it is known without a request.
        let run = env.run(line);
        assert_eq!((run.exit, env.operations()), (14, Vec::new()), "{run}");
    }
}

#[test]
fn the_account_that_has_the_lock_is_named_with_the_option_that_uses_it() {
    let env = with_a_token_of_another_account();
    let login = |token: &str, name: &str| {
        let run = crate::auth::log_in(&env, token, &["--account", name]);
        assert_eq!(run.exit, 0, "{run}");
    };
    let token = env.server.token();
    login(&token, "bakery");
    env.server.edit(|account| account.user_id = 4021);
    login(&token, "cafe");
    env.server.edit(|account| account.user_id = 7);
    let run = env.run("plan --account bakery");
    assert_eq!(run.exit, 14, "{run}");
    assert!(
        run.stderr
            .contains("user 4021 (account `cafe`), but the token is for user 7 (account `bakery`)"),
        "{run}"
    );
    assert!(run.stderr.contains("use --account cafe, the account that links.lock is for"), "{run}");
}

#[test]
fn a_page_that_is_missing_from_its_own_account_is_asked_about_only_then() {
    let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1").keeping_state();
    ok(&env, "init");
    env.file("cafe.yaml", TITLE);
    ok(&env, "apply cafe.yaml");
    env.operations();
    ok(&env, "plan cafe.yaml");
    assert!(!env.operations().contains(&"getMe".to_owned()));
    env.server.edit(|account| account.profiles.clear());
    let run = env.run("plan cafe.yaml");
    assert_eq!(run.exit, 6, "{run}");
    assert!(run.stderr.contains("not found") && !run.stderr.contains("the token is for"), "{run}");
    let run = env.run("profile get cafe");
    assert!(run.exit == 6 && !env.operations().is_empty(), "{run}");
    // A page that no lock is about is missing as ever, and nothing more is asked.
    assert_eq!(env.operations(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn a_lock_that_cannot_be_written_is_noticed_before_the_first_write() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    use std::process::Stdio;

    use crate::test_env::CommandResult;

    /// User id of nobody, for a test that root runs.
    const NOBODY: u32 = 65534;

    let own = tempfile::tempdir().unwrap();
    let directory = |name: &str| own.path().join(name).display().to_string();
    let env = TestEnv::cafe()
        .env("LINKS_TEST_NO_WAIT", "1")
        .env("LINKS_STATE_DIR", directory("state"))
        .env("LINKS_CACHE_DIR", directory("cache"))
        .env("TMPDIR", own.path().display().to_string());
    let is_root = own.path().metadata().unwrap().uid() == 0;
    ok(&env, "init");
    for made in ["state", "cache"] {
        fs::remove_dir_all(own.path().join(made)).unwrap();
    }
    env.file("cafe.yaml", TITLE);
    env.file("slots.yaml", SLOTS);
    env.file("contact.yaml", FORM);
    if is_root {
        chown(own.path(), Some(NOBODY), None).unwrap();
    }
    let access = |mode| {
        fs::set_permissions(env.home.path(), fs::Permissions::from_mode(mode)).unwrap();
    };
    access(0o555);
    env.operations();
    let run = |line: &str| {
        let mut command = env.command(line.split_whitespace());
        if is_root {
            command.uid(NOBODY);
        }
        let output = command.stdin(Stdio::null()).output().unwrap();
        CommandResult::new(&env, output.status.code(), output.stdout, output.stderr)
    };
    for line in ["apply cafe.yaml", "apply contact.yaml --allow-create 1", "slots apply slots.yaml"]
    {
        let refused = run(&format!("{line} -o json"));
        assert_eq!(refused.exit, 2, "{line} {refused}");
        let error: Value = refused.error_at_end();
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("links.lock") && message.contains("nothing was written"),
            "{error:#}"
        );
        assert_eq!(error["outcome"], "not_executed", "{error:#}");
        assert!(error["hint"].as_str().unwrap().contains("--locked"), "{error:#}");
        assert_eq!(writes(&env), [""; 0], "{line}");
    }
    // A plan needs no access, and with it the same file is applied.
    assert_eq!(run("plan cafe.yaml").exit, 3);
    access(0o777);
    let applied = run("apply cafe.yaml");
    assert_eq!(applied.exit, 0, "{applied}");
    assert_eq!(writes(&env), ["updateProfile"]);
}
