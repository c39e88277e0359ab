//! Tests of lead forms and their fields.

use std::process::Stdio;

use links_fixtures::{Choices, Fault};
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::terminal;
use crate::test_env::TestEnv;

const FORM: &str = "6f1c0f0e-5a58-4a34-9d6d-0b8a4c1e7d21";

fn keys(env: &TestEnv) -> Vec<String> {
    env.server.account().forms[0].fields.iter().map(|it| it.key.clone()).collect()
}

#[test]
fn form_commands_print_human_readable_output() {
    let env = TestEnv::cafe();
    let lines = [
        format!("forms get {FORM}"),
        format!("forms update {FORM} enabled:=false submissionsLimit:=50"),
        format!("forms field add {FORM} type=text label=Table --at 2"),
        format!("forms field set {FORM} wishes label=Else? required:=true"),
        format!("forms field remove {FORM} Phone"),
        format!("forms field remove {FORM} Phone --yes"),
        format!("forms field remove {FORM} colour"),
    ];
    // A new field gets a random key.
    insta::with_settings!({ filters => vec![("field_[0-9a-f]{32}", "field_[KEY]")] }, {
        for line in lines {
            let run = env.run(&line);
            insta::assert_snapshot!(run.snapshot_name(), run);
        }
    });
}

#[test]
fn fields_that_stay_keep_their_keys() {
    let env = TestEnv::cafe();
    assert_eq!(env.run(&format!("forms field add {FORM} type=text label=Table --at 1")).exit, 0);
    assert_eq!(env.operations(), ["showForm", "showForm", "updateForm"]);
    assert_eq!(keys(&env)[1..], ["name", "phone", "wishes"]);
    assert_eq!(env.run(&format!("forms field set {FORM} phone label=Tel")).exit, 0);
    assert_eq!(keys(&env)[1..], ["name", "phone", "wishes"]);
    let form = &env.server.account().forms[0];
    assert_eq!((form.fields[2].label.as_str(), form.fields[2].required), ("Tel", true));
    assert_eq!(form.fields[3].placeholder.as_deref(), Some("By the window, four people"));
    assert_eq!(env.run(&format!("forms field remove {FORM} name --yes")).exit, 0);
    assert_eq!(keys(&env)[1..], ["phone", "wishes"]);
}

#[test]
fn a_field_list_without_keys_takes_those_of_equal_labels_and_shows_the_changes() {
    let env = TestEnv::cafe();
    let list = json!([{ "type": "text", "label": "Table" }, { "type": "phone", "label": "Phone", "required": true }]);
    let value = format!("fields:={list}");
    let unasked = env.run_args(["forms", "update", FORM, &value, "title=Reserve"], b"");
    assert_eq!(unasked.exit, 14, "{unasked}");
    assert!(unasked.stderr.contains("nothing was written"), "{unasked}");
    assert_eq!((env.operations(), keys(&env).len()), (vec!["showForm".to_owned()], 3));
    let run = env.run_args(["forms", "update", FORM, &value, "title=Reserve", "--yes"], b"");
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(keys(&env)[1], "phone");
    for line in [
        "    title: \"Book a table\" → \"Reserve\"",
        "    - fields.name: {",
        "    - fields.wishes: {",
        "    + fields.Table: {",
    ] {
        assert!(run.stderr.lines().any(|it| it.starts_with(line)), "{line}\n{run}");
    }
    assert_eq!(env.operations(), ["showForm", "showForm", "updateForm"]);
    assert_eq!(env.run(&format!("forms update {FORM} title=Again")).exit, 0);
    assert_eq!(env.operations(), ["showForm", "updateForm"]);
}

#[test]
fn a_key_that_is_taken_is_refused_before_anything_is_sent() {
    let env = TestEnv::cafe();
    let run = env.run(&format!("forms field add {FORM} type=text label=More key=phone"));
    assert_eq!((run.exit, env.operations()), (8, vec!["showForm".to_owned()]), "{run}");
    assert!(run.stderr.contains("phone (Phone)") && !run.stderr.contains('~'), "{run}");
    assert_eq!(env.run(&format!("forms field add {FORM} type=text label=More key=more")).exit, 0);
}

#[test]
fn fields_that_are_added_at_the_same_time_are_all_kept() {
    let env = TestEnv::cafe().keeping_state();
    let children: Vec<_> = (0..6)
        .map(|nth| {
            let line = format!("forms field add {FORM} type=text label=New{nth}");
            let mut command = env.command(line.split(' '));
            command.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(keys(&env).len(), 3 + 6);
}

#[cfg(target_os = "linux")]
#[test]
fn removing_a_field_asks_for_confirmation() {
    let env = TestEnv::cafe();
    let line = format!("forms field remove {FORM} phone");
    let seen = terminal::run(&env, &line, "n\n");
    assert_eq!((seen.exit, keys(&env).len()), (14, 3), "{}", seen.text);
    assert!(seen.text.contains("Remove this field?"), "{}", seen.text);
    let seen = terminal::run(&env, &line, "y\n");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    assert_eq!(keys(&env), ["name", "wishes"]);
}

/// Runs `forms edit` with an editor in which another client runs a command, the first time it is opened.
#[cfg(target_os = "linux")]
fn edited_beside(theirs: &str, mine: &str) -> (TestEnv, terminal::Seen) {
    let env = TestEnv::cafe();
    let links = env!("CARGO_BIN_EXE_links");
    // An editor is not given the token.
    let script = format!(
        "[ -e done ] && exit\n: > done\n\
        LINKS_TOKEN='{}' '{links}' {theirs} > theirs\n{mine}\n",
        env.server.token()
    );
    let path = env.file("editor.sh", script);
    let env = env.env("VISUAL", format!("sh {}", path.display()));
    let seen = terminal::run(&env, &format!("forms edit {FORM}"), "");
    (env, seen)
}

#[cfg(target_os = "linux")]
#[test]
fn a_field_that_others_add_while_a_form_is_edited_stays() {
    let theirs = format!("forms field add {FORM} type=text label=Theirs");
    let mine = "sed -i 's/^title:.*/title: Mine/' \"$1\"";
    let (env, seen) = edited_beside(&theirs, mine);
    assert_eq!(seen.exit, 0, "{}", seen.text);
    let form = &env.server.account().forms[0];
    assert_eq!((form.title.as_str(), form.fields.len()), ("Mine", 4));

    let (env, seen) = edited_beside(&theirs, "sed -i 's/label: Phone/label: Tel/' \"$1\"");
    assert_eq!(seen.exit, 7, "{}", seen.text);
    assert!(seen.text.contains("form.yaml"), "the text is kept: {}", seen.text);
    assert_eq!(env.server.account().forms[0].fields.len(), 4);
}

/// Adds a field of another client at the end of the form.
fn add_theirs(account: &mut links_fixtures::Account) {
    let fields = &mut account.forms[0].fields;
    let mut theirs = fields[0].clone();
    theirs.key = "theirs".into();
    theirs.label = "Theirs".into();
    fields.push(theirs);
}

/// Returns every command that writes the whole list of fields.
fn writers() -> Vec<String> {
    let list = json!([{"key": "name", "type": "text", "label": "You"}]);
    vec![
        format!("forms field add {FORM} type=text label=Mine"),
        format!("forms field set {FORM} phone label=Mine"),
        format!("forms field remove {FORM} phone --yes"),
        format!("forms update {FORM} fields:={list} --yes").replace(", ", ","),
    ]
}

#[test]
fn a_field_that_others_add_in_any_wait_stays() {
    for line in writers() {
        let waits = |prepare: fn(&TestEnv)| {
            let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
            prepare(&env);
            let run = env.run(&line);
            assert_eq!(run.exit, 7, "{run}");
            assert!(run.stderr.contains("changed by another client"), "{run}");
            assert_eq!(keys(&env), ["name", "phone", "wishes", "theirs"], "{run}");
        };
        waits(|env| env.server.edit_after(1, add_theirs));
        waits(|env| {
            env.server.fail([3], &Fault::RateLimited(Some("30".into())));
            env.server.edit_after(3, add_theirs);
        });
        waits(|env| {
            env.server.fail([3], &Fault::Before(503));
            env.server.edit_after(3, add_theirs);
        });
        waits(|env| {
            env.server.fail([3], &Fault::DropBefore);
            env.server.edit_after(3, add_theirs);
        });
    }
}

#[test]
fn a_field_list_whose_answer_is_lost_is_written_once() {
    for line in writers() {
        for fault in [Fault::DropAfter, Fault::Truncated, Fault::After(502)] {
            let env = TestEnv::cafe().env("LINKS_TEST_NO_WAIT", "1");
            env.server.fail([3], &fault);
            let run = env.run(&line);
            assert_eq!(run.exit, 0, "{fault:?}: {run}");
            let writes = env.operations().iter().filter(|it| *it == "updateForm").count();
            assert_eq!(writes, 1, "{fault:?}: {run}");
        }
    }
}

#[test]
fn unknown_properties_of_a_field_are_not_sent_back() {
    let unknown = Choices { unknown_fields: true, ..Choices::default() };
    for choices in [unknown, Choices { channel_ids_by_index: true, ..Choices::default() }] {
        let env = TestEnv::with(|it| it.choices(choices));
        let run = env.run(&format!("forms field set {FORM} phone label=Tel"));
        assert_eq!(run.exit, 0, "{run}");
        assert_eq!(keys(&env), ["name", "phone", "wishes"]);
    }
}

#[test]
fn form_errors_have_different_exit_codes() {
    let env = TestEnv::cafe();
    env.file("form.yaml", "title: Contact\ncolour: red\n");
    for (line, exit) in [
        ("forms get nothing", 6),
        ("forms get ../me", 2),
        (&format!("forms update {FORM}"), 2),
        (&format!("forms update {FORM} enabled=no"), 8),
        (&format!("forms field set {FORM} phone key=tel"), 2),
        (&format!("forms field set {FORM} phone colour=red"), 8),
        (&format!("forms field set {FORM} colour label=x"), 6),
        (&format!("forms field add {FORM}"), 2),
        (&format!("forms edit {FORM}"), 14),
    ] {
        let run = env.run(line);
        assert_eq!(run.exit, exit, "{run}");
    }
    let run = env.run(&format!("forms update {FORM} form.yaml -o json"));
    assert_eq!((run.exit, &run.error()["places"][0]["line"]), (8, &json!(2)), "{run}");
    assert_eq!(keys(&env), ["name", "phone", "wishes"]);
}

#[test]
fn fields_with_equal_labels_are_named_by_their_keys() {
    let env = TestEnv::cafe();
    env.server.edit(|account| account.forms[0].fields[2].label = "Phone".into());
    assert_eq!(env.run(&format!("forms field remove {FORM} Phone")).exit, 2);
    assert_eq!(env.run(&format!("forms field remove {FORM} wishes --yes")).exit, 0);
    assert_eq!(keys(&env), ["name", "phone"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_edited_form_keeps_the_keys_of_its_fields() {
    let env = TestEnv::cafe();
    // A key that gets lost is no new field.
    let script = "cp \"$1\" seen; sed -i 's/^title:.*/title: Reserve/; s/label: Phone/label: Tel/; \
        s/key: name/placeholder: You/; s/placeholder: Aruzhan//' \"$1\"\n";
    let path = env.file("editor.sh", script);
    let env = env.env("VISUAL", format!("sh {}", path.display()));
    let seen = terminal::run(&env, &format!("forms edit {FORM}"), "");
    assert_eq!(seen.exit, 0, "{}", seen.text);
    for line in ["title: \"Book a table\" → \"Reserve\"", "fields.phone.label: \"Phone\" → \"Tel\""]
    {
        assert!(seen.text.contains(line), "{line}\n{}", seen.text);
    }
    let form = &env.server.account().forms[0];
    assert_eq!((form.title.as_str(), form.fields[1].label.as_str()), ("Reserve", "Tel"));
    assert_eq!(keys(&env), ["name", "phone", "wishes"]);
    let text = std::fs::read_to_string(env.home.path().join("seen")).unwrap();
    let edited: Value = serde_saphyr::from_str(&text).unwrap();
    assert!(["id", "active", "createdAt"].iter().all(|it| edited.get(it).is_none()), "{text}");
    assert_eq!(edited["notificationChannelIds"], json!([11, 12]));
}

#[test]
fn a_form_is_not_created_again_from_a_file_with_its_id() {
    let env = TestEnv::cafe();
    env.file("form.yaml", format!("form: book\nid: {FORM}\ntitle: Book a table\n"));
    let run = env.run("forms create form.yaml");
    assert!(run.exit == 14 && run.stderr.contains("nothing was written"), "{run}");
    assert!(run.stderr.contains(&format!("links forms update {FORM} FILE")), "{run}");
    assert!(env.operations().is_empty());
}

#[test]
fn where_used_reads_all_pages_before_the_update() {
    let env = TestEnv::cafe();
    let pages = env.server.account().profiles.len();
    let run = env.run(&format!("forms update {FORM} title=Book --where-used"));
    assert_eq!(run.exit, 0, "{run}");
    assert_eq!(
        run.stderr,
        format!(
            "reading {pages} pages: at least {} requests\nused on cafe (slot 1004)\n",
            pages + 1
        )
    );
    let operations = env.operations();
    assert_eq!((operations[0].as_str(), operations.len()), ("listProfiles", pages + 3));
    assert_eq!(operations[pages + 1..], ["showForm", "updateForm"]);
    let in_capitals = FORM.to_uppercase();
    let run =
        env.run(&format!("forms update {in_capitals} title=Book --where-used -o json")).json();
    assert_eq!(run["data"]["title"], "Book");
    let url = env.server.account().profiles[0].login.clone();
    let used = &run["meta"]["usedOn"];
    assert_eq!((&used[0]["login"], &used[0]["slots"]), (&json!("cafe"), &json!([1004])), "{used}");
    assert!(used[0]["url"].as_str().unwrap().ends_with(&url) && used[0]["id"] == 101, "{used}");
    // Nothing is written where a page cannot be read.
    env.operations();
    env.server.fail([2], &Fault::Before(403));
    let run = env.run(&format!("forms update {FORM} title=Other --where-used"));
    assert_eq!((run.exit, env.operations().last().unwrap().as_str()), (5, "getProfile"), "{run}");
}
