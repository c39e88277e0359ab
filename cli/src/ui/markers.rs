//! Neutralization of text that a CI service would take for a command in the log of a job: `::name ..::` at the beginning of a line (GitHub
//! and similar services), `##[name]`, `##vso[name]` and `##teamcity[name]` anywhere in a line.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::LazyLock;

/// Variables that CI services set in their jobs.
pub(crate) const VARIABLES: [&str; 5] =
    ["CI", "GITHUB_ACTIONS", "GITEA_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"];

/// Tells whether a CI service reads the output of this process.
pub(super) fn are_read() -> bool {
    static READ: LazyLock<bool> = LazyLock::new(|| is_job(|name| std::env::var_os(name)));
    *READ
}

fn is_job(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_set = |value: OsString| !value.is_empty() && value != "false" && value != "0";
    VARIABLES.iter().any(|name| variable(name).is_some_and(is_set))
}

/// Inserts a space in each marker of a text.
pub(super) fn broken(text: &str) -> Cow<'_, str> {
    replaced(text, places(text), 0, " ")
}

/// Escapes a character of each marker in JSON, which changes no value. In JSON a line never begins within a string.
pub(super) fn escaped(json: &str) -> Cow<'_, str> {
    replaced(json, hashes(json), 1, "\\u0023")
}

/// Positions where the markers can be broken: after their first character.
fn places(text: &str) -> Vec<usize> {
    let mut places = hashes(text);
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let rest = unstyled(line);
        if rest.starts_with("::") {
            places.push(start + line.len() - rest.len() + 1);
        }
        start += line.len();
    }
    places.sort_unstable();
    places
}

/// Positions of the second `#` of each `##name[`.
fn hashes(text: &str) -> Vec<usize> {
    let is_marker = |at: &usize| {
        let name = text[at + 2..].trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        name.starts_with('[')
    };
    // In `###[` the last two `#` belong to the marker.
    let pairs =
        (0..text.len().saturating_sub(1)).filter(|at| &text.as_bytes()[*at..at + 2] == b"##");
    pairs.filter(is_marker).map(|at| at + 1).collect()
}

/// Returns a line from its first character that is neither white space nor a style sequence.
fn unstyled(line: &str) -> &str {
    let rest = line.trim_start();
    match rest.strip_prefix('\u{1b}').and_then(|it| it.split_once('m')) {
        Some((_, rest)) => unstyled(rest),
        None => rest,
    }
}

/// Returns a text in which something stands for these many bytes at each place.
fn replaced<'a>(text: &'a str, places: Vec<usize>, bytes: usize, what: &str) -> Cow<'a, str> {
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + places.len() * what.len());
    let mut from = 0;
    for at in places {
        out.push_str(&text[from..at]);
        out.push_str(what);
        from = at + bytes;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_10_every_marker_of_a_ci_command_is_neutralized() {
        for (text, expected) in [
            ("::error::x", ": :error::x"),
            (
                "a\n \t::stop-commands::x\r::add-mask::y",
                "a\n \t: :stop-commands::x\r: :add-mask::y",
            ),
            ("\u{a0}::error::x", "\u{a0}: :error::x"),
            ("\u{1b}[31m::error::x", "\u{1b}[31m: :error::x"),
            ("a ##[error]x ##vso[task.setvariable]y", "a # #[error]x # #vso[task.setvariable]y"),
            ("###[group]", "## #[group]"),
            ("##teamcity[x]", "# #teamcity[x]"),
            (":::", ": ::"),
        ] {
            assert_eq!(broken(text), expected);
            assert_eq!(broken(expected), expected, "it stays as it is");
        }
        for text in ["", "a::b", "# Title", "## Title [a]", "http://[fd00::1]/", "é##", "#"] {
            assert!(matches!(broken(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn a_ci_job_is_detected_by_its_variables() {
        let job = |name: &'static str, value: &'static str| {
            is_job(move |it| (it == name).then(|| value.into()))
        };
        assert!(
            VARIABLES.iter().all(|name| job(name, "true")) && job("TEAMCITY_VERSION", "2026.1")
        );
        assert!(!job("CI", "") && !job("CI", "false") && !job("HOME", "/"));
    }
}
