//! Tests of completion, as the scripts of the shells request it.

use std::process::Stdio;

use crate::test_env::TestEnv;

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

/// Returns the candidates for the last of these words.
fn offered(env: &TestEnv, shell: &str, words: &[&str]) -> String {
    let line = words.join(" ");
    let args = match shell {
        "bash" => vec!["--", &line, words[words.len() - 1], "9", "80"],
        "powershell" => vec![],
        _ => [&["--"], words].concat(),
    };
    let mut command = env.command(args);
    command.env("LINKS_COMPLETE", shell).env("LINKS_COMPLETE_WORDS", words.join("\n"));
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Returns an environment whose service has names that a shell would run.
fn hostile() -> TestEnv {
    let env = TestEnv::cafe().keeping_cache();
    env.server.edit(|account| {
        "a$(touch X)".clone_into(&mut account.profiles[0].login);
        account.profiles[0].title = Some("A title;touch X".to_owned());
        "--yes".clone_into(&mut account.profiles[1].login);
        "b`touch X`".clone_into(&mut account.forms[0].id);
        let data = &mut account.profiles[0].slots[0].data;
        data.insert("title".to_owned(), "c';touch X;'".into());
    });
    for line in ["profile list", "slots list 101", "forms list", "slots types"] {
        assert_eq!(env.run(line).exit, 0, "{line}");
    }
    env.server.forget_requests();
    env
}

#[test]
fn no_name_of_the_service_is_offered_that_a_shell_could_run() {
    let env = hostile();
    for shell in SHELLS {
        for words in [
            &["links", "profile", "get", ""][..],
            &["links", "profile", "get", "a"],
            &["links", "forms", "get", ""],
            &["links", "forms", "get", "b"],
            &["links", "--account", ""],
        ] {
            let offered = offered(&env, shell, words);
            let values = offered.lines().filter_map(|it| it.split(['\t', ':']).next());
            let bad: Vec<_> =
                values.filter(|it| it.contains("touch") || it.starts_with("--yes")).collect();
            assert_eq!(bad, [""; 0], "{shell} {words:?}\n{offered}");
        }
        let offered = offered(&env, shell, &["links", "slots", "get", "101", "1001"]);
        assert!(offered.starts_with("1001"), "{shell}: the title is only told\n{offered}");
    }
    assert!(env.operations().is_empty());
}

#[test]
fn a_file_cannot_pass_for_an_option() {
    let env = TestEnv::cafe();
    for name in ["--yes=$(touch X)", "--plan=a b", "page.yaml"] {
        env.file(name, "");
    }
    for shell in SHELLS {
        let all = offered(&env, shell, &["links", "slots", "apply", "-"]);
        assert!(all.contains("--prune") && !all.contains("touch") && !all.contains("a b"), "{all}");
        let files = offered(&env, shell, &["links", "slots", "apply", ""]);
        assert!(files.contains("page.yaml") && !files.contains("--"), "{shell}\n{files}");
    }
}

#[test]
fn a_page_is_offered_by_its_key_and_by_the_path_of_its_file() {
    let env = TestEnv::cafe().keeping_cache();
    assert_eq!(env.run("profile list").exit, 0);
    for name in ["cafe.yaml", "--yes=$(touch X)", "b;touch X"] {
        env.file(name, "");
    }
    for shell in SHELLS {
        let begun = offered(&env, shell, &["links", "check", "ca"]);
        let values: Vec<_> = begun.lines().filter_map(|it| it.split(['\t', ':']).next()).collect();
        let has = |value: &str| values.iter().any(|it| it.trim() == value);
        assert!(has("cafe") && has("cafe.yaml") && !begun.contains("touch"), "{shell}\n{begun}");
        let all = offered(&env, shell, &["links", "check", ""]);
        assert!(all.contains("cafe.yaml") && !all.contains("--yes"), "{shell}\n{all}");
        // Files as other commands offer them, which the shells quote.
        let files = offered(&env, shell, &["links", "plan", ""]);
        let missing: Vec<_> = files.lines().filter(|line| !all.contains(line)).collect();
        assert!(files.contains("cafe.yaml") && missing.is_empty(), "{shell} {missing:?}\n{all}");
    }
}

#[test]
fn no_script_evaluates_what_is_typed() {
    let env = TestEnv::cafe();
    let power = env.run("completions powershell").stdout;
    for word in ["Invoke-Expression", "iex", "ScriptBlock]::Create"] {
        assert!(!power.contains(word), "{word}\n{power}");
    }
    assert!(power.contains("EscapeSingleQuotedStringContent"));
    for shell in SHELLS {
        let script = env.run(&format!("completions {shell}")).stdout;
        let evaluates = |line: &&str| line.split([' ', '(', ';']).any(|it| it == "eval");
        assert_eq!(script.lines().find(evaluates), None, "{shell}");
    }
}

/// Returns the file of names.
fn names_file(env: &TestEnv) -> std::path::PathBuf {
    let files = std::fs::read_dir(env.home.path().join("cache")).unwrap().flatten();
    let is_names = |path: &std::path::PathBuf| path.to_string_lossy().contains("/cache/names-");
    let mut names = files.map(|it| it.path()).filter(is_names);
    let found = names.next().unwrap();
    assert_eq!(names.next(), None);
    found
}

#[test]
fn a_list_is_known_at_the_next_tab_and_the_same_list_writes_nothing() {
    let env = TestEnv::cafe().keeping_cache();
    let line = ["links", "slots", "get", "cafe", "1001"];
    assert_eq!(offered(&env, "fish", &line), "");
    assert_eq!(env.run("slots list cafe").exit, 0);
    assert_eq!(offered(&env, "fish", &line), "1001\ttext Good morning!\n");
    let before = ["links", "music", "add", "cafe", "x", "--before", "1001"];
    assert_eq!(offered(&env, "fish", &before), "1001\ttext Good morning!\n");

    let path = names_file(&env);
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    let is_replaced = || !std::fs::metadata(&path).unwrap().permissions().readonly();
    for line in ["slots list cafe", "slots list cafe -o ids", "slots get cafe 1001"] {
        assert_eq!(env.run(line).exit, 0);
        assert!(!is_replaced(), "{line}");
    }
    env.server.edit(|account| {
        let data = &mut account.profiles[0].slots[0].data;
        data.insert("title".to_owned(), "Good evening!".into());
    });
    assert_eq!(env.run("slots list cafe").exit, 0);
    assert!(is_replaced());
    assert_eq!(offered(&env, "fish", &line), "1001\ttext Good evening!\n");
}

#[test]
fn names_of_another_account_are_not_offered() {
    let env = TestEnv::cafe().env("LINKS_TOKEN", "").keeping_cache();
    for (user, account) in [(1, "work"), (2, "home")] {
        env.server.edit(|it| it.user_id = user);
        let line = ["auth", "login", "--token-stdin", "--store", "file", "--account", account];
        assert_eq!(env.run_args(line, env.server.token().as_bytes()).exit, 0);
    }
    assert_eq!(env.run("profile list --account work").exit, 0);
    assert_eq!(env.run("slots list cafe --account work").exit, 0);
    for (account, knows) in [("work", true), ("home", false)] {
        for (command, name) in
            [(&["slots", "get", "cafe"][..], "1001\ttext"), (&["profile", "get"], "cafe\t")]
        {
            let line = [&["links", "--account", account], command, &[""]].concat();
            assert_eq!(offered(&env, "fish", &line).contains(name), knows, "{line:?}");
        }
    }
}

#[test]
fn runs_and_pages_are_offered_and_the_options_of_every_command_come_last() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state").display().to_string();
    let env = TestEnv::cafe().keeping_state().env("LINKS_STATE_DIR", state);
    for title in ["A", "B"] {
        assert_eq!(env.run(&format!("slots set cafe 1002 title={title}")).exit, 0);
    }
    let runs = env.run("log -o ids").stdout;
    env.file("cafe.yaml", "profile: cafe\n");
    let values = |words: &[&str]| {
        let offered = offered(&env, "fish", words);
        let values = offered.lines().map(|line| line.split('\t').next().unwrap().to_owned());
        values.collect::<Vec<_>>()
    };
    assert_eq!(values(&["links", "undo", ""]), runs.lines().collect::<Vec<_>>());
    let start = &runs[..4];
    assert!(values(&["links", "undo", start]).iter().all(|run| run.starts_with(start)));
    let paths = values(&["links", "check", ""]);
    assert!(
        paths.iter().any(|it| it == "cafe.yaml") && paths.iter().all(|it| it != "."),
        "{paths:?}"
    );
    let image = values(&["links", "slots", "add", "cafe", "picture", "image@caf"]);
    assert_eq!(image, ["image@cafe.yaml"]);
    let options = values(&["links", "check", "--"]);
    let place = |name: &str| options.iter().position(|it| it == name).unwrap();
    for own in ["--all", "--fix", "--strict", "--baseline", "--annotate", "--fresh"] {
        assert!(place(own) < place("--output"), "{own}: {options:?}");
    }
}
