//! Test of the table of `docs/internals/effects.md`: the files, programs and hosts that each command was observed to use. `LINKS_UPDATE=1` writes
//! the table anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::ValueHint;

use crate::leaves;
use crate::test_env::TestEnv;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/security.md");

/// Document with the table.
const EFFECTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/internals/effects.md");

/// Directories below the home directory that belong to the program.
const OWN: [(&str, &str); 3] = [
    (".cache/links", "cache"),
    (".config/links", "configuration"),
    (".local/state/links", "state"),
];

/// The file that shows that the editor has run.
const STARTED: &str = "started";

/// Collects every file below a directory with its content.
fn files(directory: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        } else {
            found.insert(entry.path(), std::fs::read(entry.path()).unwrap_or_default());
        }
    }
}

fn below(env: &TestEnv) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    files(env.home.path(), &mut found);
    found
}

/// Returns the arguments of a leaf that name files.
fn given(leaf: &str) -> Vec<String> {
    let mut command = links_cli::command();
    for word in leaf.split(' ') {
        command = command.find_subcommand(word).unwrap().clone();
    }
    let mut found = Vec::new();
    let is_own = |arg: &&clap::Arg| arg.get_action().takes_values() && !arg.is_global_set();
    for arg in command.get_arguments().filter(is_own) {
        let name = match arg.get_long() {
            Some(long) => format!("`--{long}`"),
            None => format!("`{}`", arg.get_value_names().map_or("", |it| it[0].as_str())),
        };
        let name = name.replace('|', "\\|");
        let is_file = matches!(
            arg.get_value_hint(),
            ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath
        );
        if is_file || name.contains("FIELD=VALUE") {
            found.push(name);
        }
    }
    found
}

/// A leaf that has been run, with the observations so far.
struct Seen {
    leaf: String,
    env: TestEnv,
    asked: BTreeSet<String>,
    written: BTreeSet<&'static str>,
}

fn run(leaf: &str) -> Seen {
    let env = leaves::env();
    let started = env.home.path().join(STARTED).display().to_string();
    let editor = format!("echo x > '{started}'\nsed -i 's/title: .*/title: Anew/' \"$1\"\n");
    env.file("editor.sh", editor);
    let page =
        "profile: cafe\nslots: [{id: 1001, type: text, data: {title: Anew}}, {type: divider}]\n";
    env.file("page.yaml", page);
    let line = leaves::prepared(&env, leaf);
    let before = below(&env);
    leaves::typed(&env, leaf, line, &[]);
    let mut written = BTreeSet::new();
    for (path, content) in below(&env) {
        let name = path.strip_prefix(env.home.path()).unwrap();
        let is_ours = name == Path::new(STARTED) || name == Path::new("stdout");
        if is_ours || before.get(&path) == Some(&content) {
            continue;
        }
        let own = OWN.iter().find(|(directory, _)| name.starts_with(directory));
        written.insert(own.map_or("files in the named directory", |(_, kind)| kind));
    }
    let asked = env.server.requests().into_iter().map(|it| it.method).collect();
    Seen { leaf: leaf.to_owned(), env, asked, written }
}

fn listed(items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let items: Vec<_> = items.into_iter().map(|it| it.as_ref().to_owned()).collect();
    if items.is_empty() { "-".to_owned() } else { items.join(", ") }
}

impl Seen {
    fn row(&self) -> String {
        let started = self.env.home.path().join(STARTED).exists().then_some("the editor");
        format!(
            "| `{}` | {} | {} | {} | {} |\n",
            self.leaf,
            listed(given(&self.leaf)),
            listed(&self.asked),
            listed(&self.written),
            listed(started),
        )
    }
}

#[test]
fn the_table_of_effects_matches_what_the_commands_do() {
    let seen: Vec<_> = leaves::names().iter().map(|leaf| run(leaf)).collect();
    let rows: String = seen.iter().map(Seen::row).collect();
    let table = format!(
        "| command | reads what you name | asks the service to | writes here | starts |\n| --- | --- | --- | --- | --- |\n{rows}"
    );
    let kept = std::fs::read_to_string(EFFECTS).unwrap();
    let (before, rest) = kept.split_once("<!-- table -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end of table -->\n").unwrap();
    let made = format!("{before}<!-- table -->\n{table}<!-- end of table -->\n{after}");
    if std::env::var_os("LINKS_UPDATE").is_some() {
        std::fs::write(EFFECTS, &made).unwrap();
    }
    assert!(
        kept == made || std::env::var_os("LINKS_UPDATE").is_some(),
        "LINKS_UPDATE=1 writes it anew:\n{table}"
    );
}

#[test]
fn the_security_guide_is_linked_and_has_its_sections() {
    let guide = std::fs::read_to_string(GUIDE).unwrap();
    for part in [
        "## Trust boundaries",
        "## What each command does",
        "## Pull requests from forks",
        "## Reporting a vulnerability",
    ] {
        assert!(guide.contains(part), "{part}");
    }
    for page in ["README.md", "docs/ci.md"] {
        let text = std::fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
        assert!(text.contains("security.md"), "{page}");
    }
}
