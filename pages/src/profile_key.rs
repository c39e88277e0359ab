//! Parsing of the names of pages and slots on the command line and in page files: a page by ID, login or URL, a slot by ID.

use std::ops::RangeInclusive;

use links_sdk::{InvalidValue, ProfileId, ProfileKey, SlotId};

/// Parses an ID, a login, or the URL of a page (`https://links.example/cafe`).
///
/// # Errors
///
/// When the text is none of them.
pub fn parse(text: &str) -> Result<ProfileKey, InvalidValue> {
    let Some((_, rest)) = url(text) else { return text.parse() };
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let login = path.trim_end_matches('/').split_once('/').map_or("", |(_, login)| login);
    // Digits in a URL are a login, and such a login can be reached only by the id of its page.
    let key = login.parse()?;
    if matches!(key, ProfileKey::Id(_)) {
        return Err(InvalidValue::new(format!(
            "`{login}` is all digits, so it must be an ID from 1 to 9223372036854775807"
        )));
    }
    Ok(key)
}

/// Returns the ID that a key is.
pub fn id_in(key: &ProfileKey) -> Option<ProfileId> {
    if let ProfileKey::Id(id) = key { Some(*id) } else { None }
}

/// Returns whether a key names the page with this ID and this login.
pub fn names(key: &ProfileKey, id: ProfileId, login: &str) -> bool {
    match id_in(key) {
        Some(named) => named == id,
        None => key.to_string().eq_ignore_ascii_case(login),
    }
}

/// Returns each key once, in the order in which they are named first.
pub fn once(keys: Vec<ProfileKey>) -> Vec<ProfileKey> {
    let mut once: Vec<ProfileKey> = Vec::new();
    for key in keys {
        if !once.contains(&key) {
            once.push(key);
        }
    }
    once
}

/// Returns the host in the URL of a page, with its port if that is not the usual one; `None` for an ID or a login.
pub fn host(text: &str) -> Option<&str> {
    let (scheme, rest) = url(text)?;
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let (_, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let usual_port = if scheme == "https" { ":443" } else { ":80" };
    Some(host.strip_suffix(usual_port).unwrap_or(host))
}

/// Returns the scheme of a URL, and what follows it.
fn url(text: &str) -> Option<(&str, &str)> {
    text.split_once("://").filter(|(scheme, _)| matches!(*scheme, "https" | "http"))
}

/// Parses the ID of a slot.
///
/// # Errors
///
/// When the text is not an ID.
pub fn slot(text: &str) -> Result<SlotId, &'static str> {
    let id = text.parse().ok().filter(|id: &SlotId| id.get() > 0);
    id.ok_or("an ID must be a whole number from 1 to 9223372036854775807")
}

/// Length of a login in characters.
pub const LOGIN_LENGTH: RangeInclusive<usize> = 4..=60;

/// Checks the rules for a new login that apply to everyone: 4 to 60 of `a-z A-Z 0-9 . _`. Only the service knows the reserved words.
pub fn broken_login_rule(login: &str) -> Option<&'static str> {
    if !login.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')) {
        Some("a login can have only letters a-z, digits, `.` and `_`")
    } else if !LOGIN_LENGTH.contains(&login.len()) {
        Some("a login must have 4 to 60 characters")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_logins_are_detected_without_the_service() {
        for login in ["abc", "", "my-links", "кафе", "a b.c", &"a".repeat(61)] {
            assert!(broken_login_rule(login).is_some(), "{login}");
        }
        for login in ["cafe", "a.b_", "2020", &"a".repeat(60)] {
            assert!(broken_login_rule(login).is_none(), "{login}");
        }
    }

    #[test]
    fn a_key_names_a_page_by_its_id_or_by_its_login_in_any_case() {
        for (key, expected) in [("7", true), ("8", false), ("CAFE", true), ("bar", false)] {
            assert_eq!(names(&key.parse().unwrap(), 7.into(), "Cafe"), expected, "{key}");
        }
    }

    #[test]
    fn page_urls_are_parsed_as_a_login_and_numbers_as_an_id() {
        for text in [
            "cafe",
            "https://links.test/cafe",
            "http://links.test:80/cafe/",
            "https://links.test/cafe?utm=1#top",
        ] {
            assert_eq!(parse(text), Ok(ProfileKey::Login("cafe".into())), "{text}");
        }
        assert_eq!(parse("1042"), Ok(ProfileKey::Id(1042.into())));
    }

    #[test]
    fn the_host_of_a_url_is_what_a_browser_opens() {
        for (text, expected) in [
            ("cafe", None),
            ("1042", None),
            ("https://links.test/cafe", Some("links.test")),
            ("http://links.test:80/cafe", Some("links.test")),
            ("https://links.test:8443/cafe", Some("links.test:8443")),
            ("https://links.test@evil.test/cafe", Some("evil.test")),
            ("https://evil.test\\@links.test/cafe", Some("evil.test")),
            ("https://evil.test?/links.test/cafe", Some("evil.test")),
            ("https://", Some("")),
        ] {
            assert_eq!(host(text), expected, "{text}");
        }
    }

    #[test]
    fn urls_and_paths_of_no_page_are_refused() {
        for text in [
            "https://links.test",
            "https://links.test/a/b",
            "https://links.test/123",
            "ftp://links.test/cafe",
            "a/b",
            "..",
        ] {
            parse(text).unwrap_err();
        }
    }
}
