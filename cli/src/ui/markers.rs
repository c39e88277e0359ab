//! Neutralization of text that a CI service would take for a command in the log of a job: `::name ..::` at the beginning of a line (GitHub
//! and similar services), `##[name]`, `##vso[name]` and `##teamcity[name]` anywhere in a line.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::LazyLock;

use regex::Regex;

/// Variables that CI services set in their jobs.
const VARIABLES: [&str; 5] =
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

/// `##name[`. In `###[` the last two `#` belong to the marker.
static HASHES: LazyLock<Regex> = LazyLock::new(|| pattern(r"##([[:alnum:]]*\[)"));

/// `::` at the beginning of a line, after white space and style sequences.
static COLONS: LazyLock<Regex> = LazyLock::new(|| pattern(r"((?:^|[\n\r])(?:\s|\x1b[^m]*m)*:):"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the tests compile both patterns")
}

/// Inserts a space in each marker of a text.
pub(super) fn broken(text: &str) -> Cow<'_, str> {
    also(HASHES.replace_all(text, "# #$1"), |text| COLONS.replace_all(text, "$1 :"))
}

/// Changes a text that may have been changed before.
pub(super) fn also(text: Cow<'_, str>, change: fn(&str) -> Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => change(text),
        Cow::Owned(text) => Cow::Owned(change(&text).into_owned()),
    }
}

/// Escapes a character of each marker in JSON, which changes no value. In JSON a line never begins within a string.
pub(super) fn escaped(json: &str) -> Cow<'_, str> {
    HASHES.replace_all(json, r"#\u0023$1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_of_a_ci_command_is_neutralized() {
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
