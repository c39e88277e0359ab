//! Test of `docs/internals/interface.md` against the operations of the description and against every section number that is cited.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::openapi::{KEYED, TABLE};
use crate::repository::{TextFile, files, read, table_rows};

const DOCUMENT: &str = "docs/internals/interface.md";

/// Returns the numbers that can be cited: those of headings, and `4.6.2` for item 2 of a list in section 4.6.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let heading = Regex::new(r"^#+ (\d+(?:\.\d+)?)\.? ").unwrap();
    let item = Regex::new(r"^(\d+)\. ").unwrap();
    let (mut found, mut section) = (BTreeSet::new(), String::new());
    for line in markdown.lines() {
        if let Some(captures) = heading.captures(line) {
            captures[1].clone_into(&mut section);
            found.insert(section.clone());
        } else if let Some(captures) = item.captures(line) {
            found.insert(format!("{section}.{}", &captures[1]));
        }
    }
    found
}

static SECTIONS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\bsections? (\d(?:[\d.]*\d)?(?:(?:, | and )\d(?:[\d.]*\d)?)*)(?:, rules? ([\d-]+(?:(?:, | and )[\d-]+)*))?",
    )
    .unwrap()
});
static IN_BRACKETS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^ *//.*\((\d\.\d+(?:\.\d+)?)\)").unwrap());
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| Regex::new(", | and |-").unwrap());
static RULE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\bfn rule_(\d+(?:_\d+)*)_").unwrap());

/// Returns the numbers cited in one line of a file. Sections of an RFC, named in this line or the one before, are no sections of ours.
fn cited(previous: &str, line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let of_an_rfc = || line.contains("RFC ") || previous.contains("RFC ");
    if line.contains("ection") && !of_an_rfc() {
        for captures in SECTIONS.captures_iter(line) {
            found.extend(SEPARATOR.split(&captures[1]).map(str::to_owned));
            let section = SEPARATOR.split(&captures[1]).last().unwrap();
            let rules = captures.get(2).map_or("", |rules| rules.as_str());
            let rules = SEPARATOR.split(rules).filter(|rule| !rule.is_empty());
            found.extend(rules.map(|rule| format!("{section}.{rule}")));
        }
    }
    if line.contains("//") && line.contains('(') && !of_an_rfc() {
        found.extend(IN_BRACKETS.captures(line).map(|captures| captures[1].to_owned()));
    }
    found
}

/// Returns the section in the name of a contract test: `rule_4_6_2_...` cites 4.6.2. The second number of sections 7 and 8 is a status or a
/// limit instead.
fn cited_by_name(line: &str) -> Option<String> {
    if !line.contains("fn rule_") {
        return None;
    }
    let number = RULE.captures(line)?[1].replace('_', ".");
    Some(if number.starts_with(['7', '8']) { number[..1].to_owned() } else { number })
}

#[test]
fn the_table_names_every_operation_and_no_other() {
    let text = read(DOCUMENT);
    let table = text.split("### 4.2 ").nth(1).unwrap().split("\n### ").next().unwrap();
    let rows: BTreeSet<Vec<String>> = table_rows(table)
        .into_iter()
        .map(|row| row[..6].iter().map(|cell| cell.replace('`', "")).collect())
        .collect();
    let expected: BTreeSet<Vec<String>> = TABLE
        .iter()
        .map(|&(id, method, path, success)| {
            let scope = match (id, method) {
                ("getApiIndex", _) => "none",
                (_, "get") => "profile:read",
                _ => "profile:write",
            };
            let key = if KEYED.contains(&id) { "yes" } else { "no" };
            [id, &method.to_uppercase(), path, scope, key, success].map(str::to_owned).to_vec()
        })
        .collect();
    let missing: Vec<_> = expected.difference(&rows).collect();
    let wrong: Vec<_> = rows.difference(&expected).collect();
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "{DOCUMENT}, section 4.2: rows that are missing: {missing:#?}, rows that no operation has: {wrong:#?}"
    );
}

#[test]
fn every_cited_section_exists() {
    let anchors = anchors(&read(DOCUMENT));
    let mut broken = Vec::new();
    let mut count = 0;
    for TextFile { path, text } in files(&["rs", "md", "json", "toml"]) {
        let mut previous = "";
        for line in text.lines() {
            for number in cited(previous, line).into_iter().chain(cited_by_name(line)) {
                count += 1;
                if !anchors.contains(&number) {
                    broken.push(format!("{path}: {number}: {}", line.trim()));
                }
            }
            previous = line;
        }
    }
    assert!(broken.is_empty(), "not in {DOCUMENT}:\n{}", broken.join("\n"));
    assert!(count > 100, "only {count} citations were recognised");
}

#[test]
fn citations_are_recognised_in_every_form() {
    let numbers = |line: &str| cited("", line).join(" ");
    assert_eq!(numbers("//! A slot (section 2.2)."), "2.2");
    assert_eq!(numbers("/// The interface, section 4.1.4."), "4.1.4");
    assert_eq!(numbers("(interface, sections 4.2 and 8)"), "4.2 8");
    assert_eq!(
        numbers("//! Section 4.6, rules 2, 3, 5-6 and 8: x"),
        "4.6 4.6.2 4.6.3 4.6.5 4.6.6 4.6.8"
    );
    assert_eq!(numbers("    /// Declares `Idempotency-Key` (4.1.4)."), "4.1.4");
    assert_eq!(numbers("(RFC 8252, section 7.3)"), "");
    assert!(
        cited("/// refused (RFC 9728, section 5.1), else at", "/// that place (section 3.1).")
            .is_empty()
    );
    assert_eq!(cited_by_name("async fn rule_4_10_a_period() {").unwrap(), "4.10");
    assert_eq!(cited_by_name("async fn rule_8_500_slots() {").unwrap(), "8");
}
