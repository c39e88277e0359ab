//! Other programs that are started: by their name and arguments, never through a shell, and without what is ours in the environment.

use std::ffi::OsStr;
use std::process::Command;

/// A program that gets the environment without any variable of this one, the token's among them.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if is_ours(&name) {
            command.env_remove(name);
        }
    }
    command
}

fn is_ours(name: &OsStr) -> bool {
    name.to_string_lossy().to_ascii_uppercase().starts_with("LINKS_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_told_by_its_name() {
        let ours = |name: &str| is_ours(name.as_ref());
        assert!(ours("LINKS_TOKEN") && ours("links_token") && ours("LINKS_TOKEN_FILE"));
        assert!(!ours("PATH") && !ours("LINKSYS") && !ours("MY_LINKS_TOKEN"));
    }
}
