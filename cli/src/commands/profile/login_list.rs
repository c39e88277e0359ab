//! List of logins in a file, one a line.

use std::path::Path;

use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::fs::named;

/// Login to check, and the line of the file that names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedLogin {
    pub(super) login: String,
    /// Name of the file, and the number of the line, counted from 1.
    pub(super) place: Option<(String, usize)>,
}

/// Reads the logins of a file, or of standard input for `-`.
///
/// # Errors
///
/// When the file cannot be read, is not UTF-8, or names no login.
pub(super) fn read(file: &Path) -> Result<Vec<ListedLogin>, CommandError> {
    let (name, bytes) = named::read(file)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CommandError::new(Exit::Invalid, format!("{name} is not UTF-8")))?;
    let logins = parse(&name, &text);
    if logins.is_empty() {
        return Err(CommandError::new(Exit::Invalid, format!("{name} contains no login")));
    }
    Ok(logins)
}

/// Returns the login of each line, without comments and empty lines.
fn parse(name: &str, text: &str) -> Vec<ListedLogin> {
    let logins = text.lines().enumerate().filter_map(|(at, line)| {
        let login = line.split('#').next().unwrap_or_default().trim().to_owned();
        (!login.is_empty()).then(|| ListedLogin { login, place: Some((name.to_owned(), at + 1)) })
    });
    logins.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_of_a_login_list_are_skipped() {
        let listed = |login: &str, line| ListedLogin {
            login: login.to_owned(),
            place: Some(("logins.txt".to_owned(), line)),
        };
        let logins = parse("logins.txt", "# spring\n\nspring.menu # new\r\n  \n summer.menu\n");
        assert_eq!(logins, [listed("spring.menu", 3), listed("summer.menu", 5)]);
        assert!(parse("logins.txt", "# none\n").is_empty());
    }
}
