//! Cache of the users of tokens, so that the service is asked once for each.

use std::collections::BTreeMap;
use std::path::Path;

use super::json_file;

/// Returns the user of the token with this digest.
pub(crate) fn user_of(file: &Path, token: &str) -> Option<i64> {
    let users: BTreeMap<String, i64> = json_file::load(file)?;
    users.get(token).copied()
}

/// Adds the user of a token. A failure costs one request later.
pub(crate) fn remember(file: &Path, token: &str, user: i64) {
    let mut users: BTreeMap<String, i64> = json_file::load(file).unwrap_or_default();
    if users.insert(token.to_owned(), user) != Some(user) {
        let _ = json_file::store(file, &users);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_known_by_the_digests_of_their_tokens() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("users.json");
        assert_eq!(user_of(&file, "a"), None);
        remember(&file, "a", 1);
        remember(&file, "b", 2);
        remember(&file, "a", 3);
        assert_eq!(["a", "b", "c"].map(|token| user_of(&file, token)), [Some(3), Some(2), None]);
    }
}
