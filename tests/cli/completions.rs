//! The scripts in `completions` are those that the program's own description makes. `LINKS_UPDATE=1` writes them anew.

use std::path::Path;

use clap_complete::Shell;

#[test]
fn the_scripts_are_those_of_this_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../completions");
    for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut links_cli::command(), "links", &mut script);
        let path = folder.join(clap_complete::Generator::file_name(&shell, "links"));
        if std::env::var_os("LINKS_UPDATE").is_some() {
            std::fs::write(&path, &script).unwrap();
        }
        let committed = std::fs::read(&path).unwrap_or_default();
        let current = script == committed;
        assert!(current, "{} is stale: run this test with LINKS_UPDATE=1", path.display());
    }
}
