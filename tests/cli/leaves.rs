//! Every leaf command of the tree, in both formats.

use crate::stage::Stage;

/// What each leaf is run with. A leaf that is missing here fails the test.
fn words(leaf: &str) -> Option<Vec<&'static str>> {
    Some(match leaf {
        "me" | "profile list" | "forms list" | "sandbox path" | "sandbox reset" => vec![],
        "profile get" | "profile preview" | "slots list" | "slots pull" => vec!["cafe"],
        "profile check-login" => vec!["a.new.name"],
        "slots get" => vec!["cafe", "1001"],
        "slots plan" | "slots apply" => vec!["page.yaml"],
        "slots history" => vec![],
        "forms create" => {
            vec!["title=Contact", r#"fields:=[{"type":"text","label":"Name","required":true}]"#]
        }
        // Runs until it is stopped; needs a run to restore: each has a test of its own.
        "sandbox serve" | "slots restore" => return None,
        other => panic!("no words for `{other}`: add them here"),
    })
}

fn leaves(command: &clap::Command, parents: &[String]) -> Vec<Vec<String>> {
    let below =
        |sub: &clap::Command| leaves(sub, &[parents, &[sub.get_name().to_owned()]].concat());
    if command.has_subcommands() {
        command.get_subcommands().flat_map(below).collect()
    } else {
        vec![parents.to_vec()]
    }
}

#[test]
fn every_leaf_speaks_json_and_to_people() {
    for leaf in leaves(&links_cli::command(), &[]) {
        let Some(words) = words(&leaf.join(" ")) else { continue };
        let stage = Stage::cafe();
        stage.file(
            "page.yaml",
            "profile: cafe\nslots:\n  - {type: text, data: {title: Good morning!}}\n",
        );
        let line = || leaf.iter().map(String::as_str).chain(words.clone());

        let run = stage.run_args(line().chain(["-o", "json"]), b"");
        assert_eq!((run.exit, run.stderr.as_str()), (0, ""), "{leaf:?}\n{run}");
        assert!(run.json().get("data").is_some(), "{leaf:?} has no `data`\n{run}");

        let run = stage.run_args(line(), b"");
        assert_eq!(run.exit, 0, "{leaf:?}\n{run}");
        assert!(
            run.stdout.ends_with('\n')
                && serde_json::from_str::<serde_json::Value>(&run.stdout).is_err(),
            "{leaf:?}\n{run}"
        );
    }
}

#[test]
fn every_leaf_says_in_json_why_it_failed() {
    for leaf in leaves(&links_cli::command(), &[]) {
        // These need no service.
        if leaf[0] == "sandbox" || leaf.ends_with(&["history".to_owned()]) {
            continue;
        }
        let words = words(&leaf.join(" ")).unwrap_or(vec!["a-run"]);
        let stage = Stage::cafe().env("LINKS_BASE_URL", "");
        stage.file("page.yaml", "profile: cafe\nslots: []\n");
        let run =
            stage.run_args(leaf.iter().map(String::as_str).chain(words).chain(["-o", "json"]), b"");
        assert_eq!((run.exit, run.stdout.as_str()), (2, ""), "{leaf:?}\n{run}");
        let error = run.error();
        assert_eq!((&error["exit"], &error["code"]), (&2.into(), &"usage".into()), "{leaf:?}");
        let hint = error["hint"].as_str().unwrap();
        assert!(
            ["LINKS_BASE_URL", "--base-url", "--sandbox"].iter().all(|name| hint.contains(name)),
            "{hint}"
        );
    }
}
