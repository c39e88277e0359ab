//! Tests of the keys of a page: id, login or URL, wherever a command takes one.

use crate::leaves;
use crate::test_env::TestEnv;

/// Returns the arguments of a leaf that name a page.
fn takes_page(leaf: &str) -> bool {
    let tree = links_cli::command();
    let command =
        leaf.split(' ').fold(&tree, |command, name| command.find_subcommand(name).unwrap());
    command
        .get_positionals()
        .any(|it| it.get_value_names().is_some_and(|names| names.iter().any(|name| name == "KEY")))
}

#[test]
fn every_leaf_that_takes_a_page_takes_an_id_a_login_and_a_url() {
    let mut tried = 0;
    for leaf in leaves::names().iter().filter(|it| takes_page(it)) {
        let words = leaves::words(leaf);
        let page = words.first().copied().unwrap_or("cafe");
        let (id, rest) = if page == "cafe" { ("101", &words) } else { ("102", &words) };
        let before = leaves::env();
        let plain = leaves::run(&before, leaf, &[]);
        assert_eq!(plain.exit, 0, "{leaf}\n{plain}");
        let operations = before.operations();
        for key in
            [id, &format!("https://links.example/{page}"), &format!("http://x.test/{page}/?a=b#c")]
        {
            let env = leaves::env();
            let run = leaves::run_words(
                &env,
                leaf,
                &[&[key], rest.get(1..).unwrap_or_default()].concat(),
            );
            assert_eq!(run.exit, 0, "{leaf} {key}\n{run}");
            assert_eq!(run.stdout, plain.stdout, "{leaf} {key}");
            assert_eq!(env.operations(), operations, "{leaf} {key}");
        }
        tried += 1;
    }
    assert!(tried > 15, "{tried}");
}

#[test]
fn a_page_file_and_check_login_take_an_id_a_login_and_a_url() {
    let env = TestEnv::cafe();
    for key in ["cafe", "101", "https://links.example/cafe"] {
        env.file("page.yaml", format!("profile: {key}\nslots: [{{id: 1001, type: text}}]\n"));
        let run = env.run("slots plan page.yaml");
        assert_eq!(run.exit, 0, "{run}");
        let run = env.run(&format!("profile check-login cafe --as {key}"));
        assert_eq!(run.exit, 0, "{run}");
    }
}
