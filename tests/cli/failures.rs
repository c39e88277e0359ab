//! Tests of exit codes and their error messages.

use links_fixtures::{ContractServer, World};

use crate::test_env::{TestEnv, wait};

const CANARY: &str = "canary-7f3a";

/// Runs a command. Returns the exit code and the code of the JSON error.
fn failure(env: &TestEnv, line: &str) -> (i32, String) {
    let run = env.run(&format!("{line} -o json"));
    assert_eq!(run.stdout, "", "{line}\n{run}");
    let error = run.error();
    assert_eq!(error["exit"], run.exit, "{line}\n{run}");
    for key in ["code", "status", "message", "errors", "hint", "retryable", "outcome", "exit"] {
        assert!(error.get(key).is_some(), "{line} says no `{key}`\n{run}");
    }
    (run.exit, error["code"].as_str().unwrap().to_owned())
}

#[test]
fn each_error_has_its_exit_code() {
    let env = TestEnv::cafe();
    assert_eq!(failure(&env, "profile get nobody.here").0, 6);
    assert_eq!(failure(&env, "slots get cafe 9").0, 6);
    assert_eq!(failure(&env, "forms create title=x").0, 8);
    assert_eq!(env.run("profile check-login cafe").exit, 3);

    let env = TestEnv::cafe().env("LINKS_TOKEN", "wrong");
    assert_eq!(failure(&env, "me").0, 4);
    let env = TestEnv::cafe().env("LINKS_TOKEN", "");
    assert_eq!(failure(&env, "me"), (4, "not_authenticated".into()));

    let env = TestEnv::cafe();
    env.server.edit(|account| account.tokens[0].abilities = vec!["profile:read".into()]);
    assert_eq!(failure(&env, "forms create title=x fields:=[]").0, 5);

    let gone = wait(ContractServer::builder(World::cafe()).start()).unwrap().base_url();
    let env = TestEnv::cafe().env("LINKS_BASE_URL", gone);
    assert_eq!(failure(&env, "me"), (10, "network".into()));
}

#[test]
fn an_event_in_a_page_file_is_refused_before_any_write() {
    let env = TestEnv::cafe();
    env.file("page.yaml", "profile: cafe\nslots:\n  - {type: event, data: {title: New}}\n");
    let run = env.run("slots apply page.yaml");
    assert_eq!(run.exit, 8, "{run}");
    assert!(run.stderr.contains("page.yaml:3:12"), "{run}");
    assert!(env.operations().iter().all(|it| it == "getProfile" || it == "listSlotTypes"));
}

#[test]
fn mistakes_in_the_command_line_are_usage_errors() {
    let env = TestEnv::cafe();
    for line in [
        "--token abc me",
        "me extra",
        "nonsense",
        "slots",
        "slots list",
        "-o xml me",
        "me --jq .[",
        "me --fields a..b",
        "me --fields a --jq .",
        "me --raw",
        "profile check-login",
        "--base-url x --sandbox me",
    ] {
        assert_eq!(failure(&env, line), (2, "usage".into()), "{line}");
    }
    assert!(env.operations().is_empty());
}

#[test]
fn a_base_url_that_would_expose_the_token_is_refused() {
    for address in [
        "http://links.test/api/v1",
        "http://127.0.0.1.evil.test",
        "http://localhost@evil.test",
        "https://user:pw@links.test",
        "ftp://links.test",
        "links.test",
    ] {
        let env = TestEnv::cafe();
        let run = env.run(&format!("--base-url {address} me"));
        assert_eq!(run.exit, 2, "{run}");
        assert!(run.stderr.contains("--base-url"), "{run}");
        let run = env.env("LINKS_BASE_URL", address).run("me");
        assert_eq!(run.exit, 2, "{run}");
        assert!(run.stderr.contains("LINKS_BASE_URL"), "{run}");
    }
}

#[test]
fn a_key_that_names_no_page_is_refused_before_anything_is_sent() {
    let env = TestEnv::cafe();
    let long = "x".repeat(61);
    for key in [
        "..",
        ".",
        "a/b",
        "%2e%2e",
        "",
        "café",
        "a b",
        "0",
        "9223372036854775808",
        &long,
        "https://links.example/a/b",
        "https://links.example/",
    ] {
        for command in
            [["profile", "get"], ["slots", "list"], ["slots", "pull"], ["profile", "preview"]]
        {
            let run = env.run_args(command.iter().chain([&key]), b"");
            assert_eq!(run.exit, 2, "{command:?} {key:?}\n{run}");
        }
    }
    for id in ["0", "-1", "9223372036854775808", "x", ""] {
        let run = env.run_args(["slots", "get", "cafe", "--", id], b"");
        assert_eq!(run.exit, 2, "{id:?}\n{run}");
    }
    assert!(env.operations().is_empty());
}

#[test]
fn the_token_is_read_from_a_file_and_never_shown() {
    let env = TestEnv::cafe();
    let path = env.file("token", format!("  {}\n", env.server.token()));
    let env = env.env("LINKS_TOKEN", "").env("LINKS_TOKEN_FILE", path.display().to_string());
    assert_eq!(env.run("me").exit, 0);

    for token in [CANARY, "canary-7f3a two", "canary-7f3a\nthree"] {
        let env = TestEnv::cafe().env("LINKS_TOKEN", token);
        for line in [
            "me",
            "me -o json",
            "slots list cafe",
            "profile get nobody",
            "-o json --base-url http://127.0.0.1:1 me",
        ] {
            let run = env.run(line);
            assert!(run.exit != 0 && !run.to_string().contains(CANARY), "{line}\n{run}");
        }
    }
    let env = TestEnv::cafe().env("LINKS_TOKEN", "").env("LINKS_TOKEN_FILE", "/no/such/file");
    let run = env.run("me");
    assert_eq!(run.exit, 2);
    assert!(
        run.stderr.contains("LINKS_TOKEN_FILE") && run.stderr.contains("/no/such/file"),
        "{run}"
    );
}

#[test]
fn errors_are_printed_with_cause_and_hint() {
    let env = TestEnv::cafe();
    env.file(
        "form.yaml",
        "title: Contact\nfields:\n  - type: text\n    label: 7\n    required: true\n",
    );
    let lines = [
        "profile get nobody.here",
        "forms create title=Contact colour=red",
        "forms create form.yaml",
        "slots pull cafe -O form.yaml",
        "slots apply no-such-file.yaml",
        "--base-url http://links.example me",
    ];
    for line in lines {
        let run = env.run(line);
        insta::assert_snapshot!(run.snapshot_name(), run);
    }
    for (name, variable) in
        [("me_without_a_service_url", "LINKS_BASE_URL"), ("me_without_a_token", "LINKS_TOKEN")]
    {
        insta::assert_snapshot!(name, TestEnv::cafe().env(variable, "").run("me"));
    }
}

#[test]
fn a_write_whose_output_fails_says_that_it_was_carried_out() {
    let env = TestEnv::cafe();
    let args = ["slots", "add", "cafe", "text", "title=t", "--jq", "error(\"no\")"];
    let run = env.run_args(args.iter(), b"");
    let error = run.error();
    assert_eq!(
        (run.exit, &error["code"], &error["outcome"]),
        (2, &"usage".into(), &"executed".into())
    );
    let id = error["written"].as_str().unwrap();
    let said = format!("the changes were applied ({id}), but the output failed: --jq: ");
    assert!(error["message"].as_str().unwrap().starts_with(&said), "{run}");
    assert_eq!(env.run(&format!("slots get cafe {id}")).exit, 0);

    let run = env.run_args(["me", "--jq", "error(\"no\")"], b"");
    assert_eq!(run.exit, 2, "{run}");
    assert!(run.error().get("written").is_none(), "{run}");
}

/// Errors of a filter have one format, whether they are found before anything is sent or by running it.
#[test]
fn an_error_of_a_filter_is_one_short_line_of_json_in_a_pipe_and_text_on_a_terminal() {
    let env = TestEnv::cafe();
    for (filter, message, sent) in [
        (".[] | titel", "--jq: unknown filter `titel`", 0),
        (".[0] | .id | error", "--jq: 101", 1),
        (".[", "--jq: missing closing bracket", 0),
    ] {
        env.operations();
        let run = env.run_args(["profile", "list", "--jq", filter], b"");
        assert_eq!((run.exit, &run.error()["message"]), (2, &message.into()), "{run}");
        assert_eq!((run.stderr.lines().count(), env.operations().len()), (1, sent), "{run}");
        let run = env.run_args(["profile", "list", "-o", "table", "--jq", filter], b"");
        assert_eq!(run.stderr, format!("  × {message}\n"), "{run}");
    }
    let run = env.run_args(["slots", "list", "cafe", "--jq", ".title"], b"");
    let error = run.error();
    let said = error["message"].as_str().unwrap();
    assert!(said.starts_with("--jq: cannot index [{\"id\":1001,") && said.len() < 200, "{run}");
    assert!(said.ends_with("with \"title\""), "{run}");
    assert_eq!(error["hint"], "the data is a list; use `.[]` to select its records");
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_whose_output_cannot_be_written_reports_the_id() {
    let env = TestEnv::cafe();
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let said = |line: &str| {
        let output = env.command(line.split(' ')).stdout(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}");
        String::from_utf8(output.stderr).unwrap()
    };
    let text = said("slots add cafe text title=t");
    assert!(text.contains("were applied (") && text.contains("cannot write to stdout"), "{text}");
    for line in ["slots list cafe", "slots add cafe text title=t --dry-run"] {
        assert!(!said(line).contains("were applied"), "{line}");
    }
}

#[test]
fn mistaken_words_and_values_get_a_hint() {
    let env = TestEnv::cafe();
    for (line, hint) in [
        ("profile update cafe moodHours=5", "use := for JSON values: moodHours:=5"),
        ("slots set cafe 1002 data.title=x", "leave out `data.`: title=x"),
        ("slot list cafe", "did you mean `links slots list`?"),
        ("plan -out=plan.bin", "use `--out FILE`"),
        ("apply -auto-approve", "use `--yes`"),
        (
            "plan --detailed-exitcode",
            "leave it out: `links plan` exits with 3 if there are changes",
        ),
        ("plan -json", "use `-o json`"),
    ] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!(run.error()["hint"], hint, "{run}");
    }
}

#[test]
fn a_page_in_place_of_its_file_is_told_the_commands_for_pages() {
    let env = TestEnv::cafe();
    for line in ["preview cafe", "apply cafe", "plan cafe", "slots apply cafe", "slots plan cafe"] {
        let run = env.run(&format!("{line} -o json"));
        let hint = run.error()["hint"].as_str().unwrap_or_default().to_owned();
        assert_eq!(run.exit, if line.starts_with("slots") { 2 } else { 6 }, "{run}");
        assert!(hint.contains("`links profile preview cafe`"), "{run}");
        assert!(hint.contains("`links pull cafe -O cafe.yaml`"), "{run}");
    }
    for line in ["preview cafe.yaml", "plan pages/cafe"] {
        let run = env.run(&format!("{line} -o json"));
        assert_eq!((run.exit, &run.error()["hint"]), (2, &serde_json::Value::Null), "{run}");
    }
    std::fs::create_dir(env.home.path().join("pages")).unwrap();
    let run = env.run("preview pages --serve -o json");
    assert_eq!(run.error()["hint"], "a page file starts with `profile: LOGIN`", "{run}");
    let run = env.run("preview pages -o json");
    assert_eq!(run.error()["hint"], "a page file starts with `profile: LOGIN`", "{run}");
}

#[test]
fn a_base_url_that_cannot_be_reached_is_named_with_its_source() {
    let env = TestEnv::cafe();
    let base = env.server.base_url();
    let host = base.strip_suffix("/api/v1").unwrap().to_owned();
    let run = env.run("me --base-url http://127.0.0.1:1/api/v1 -o json");
    let error = run.error();
    assert_eq!(error["message"], "getMe: cannot reach 127.0.0.1:1: connection refused", "{run}");
    assert_eq!(error["hint"], "check the URL from --base-url: http://127.0.0.1:1/api/v1");
    let run = TestEnv::cafe().env("LINKS_BASE_URL", &*host).run("me -o json");
    assert_eq!(run.exit, 6, "{run}");
    let hint = format!("as in {host}/api/v1");
    drop(env);
    assert!(run.error()["hint"].as_str().unwrap().contains(&hint), "{run}");
}

#[test]
fn errors_of_the_sandbox_name_no_documentation_url() {
    let env = TestEnv::cafe().env("LINKS_BASE_URL", "").env("LINKS_SANDBOX", "1");
    let run = env.run("forms create title=x -o json");
    assert_eq!((run.exit, &run.error()["hint"]), (8, &serde_json::Value::Null), "{run}");
}

#[test]
fn a_whole_slot_in_place_of_its_data_is_refused() {
    let env = TestEnv::cafe();
    env.file("template.yaml", env.run("slots template button").stdout);
    env.file("slot.yaml", env.run("slots get cafe 1001 -o yaml").stdout);
    for line in ["slots add cafe button template.yaml", "slots set cafe 1001 slot.yaml"] {
        let run = env.run(line);
        assert!(run.exit == 8 && run.stderr.contains("pass only the content of `data`"), "{run}");
    }
}

#[test]
fn errors_about_dates_ids_and_urls_state_the_expected_form() {
    let env = TestEnv::cafe();
    for (line, said) in [
        ("analytics account --from yesterday", "YYYY-MM-DD"),
        (
            "slots get cafe 9223372036854775808",
            "an ID must be a whole number from 1 to 9223372036854775807",
        ),
        ("files upload ftp://x/a.jpg", "only http and https"),
    ] {
        let run = env.run(line);
        assert!(run.exit == 2 && run.stderr.contains(said), "{run}");
    }
}
