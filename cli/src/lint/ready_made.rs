//! Rules that a `links.toml` uses by name.

use serde_json::Value;

use super::rule_table::RuleTable;

/// Ready-made rule.
pub(super) struct ReadyMade {
    pub(super) name: &'static str,
    /// Its own keys in the table of a rule.
    pub(super) options: &'static [&'static str],
    /// Returns what it says.
    pub(super) make: fn(&mut RuleTable<'_>) -> Option<MadeRule>,
}

/// Filters and message of a ready-made rule.
pub(super) struct MadeRule {
    pub(super) values: String,
    pub(super) must: String,
    pub(super) message: String,
}

pub(super) const ALL: [ReadyMade; 5] = [
    ReadyMade {
        name: "alt-text",
        options: &[],
        make: |_| Some(of_texts(ALT_TEXT, "an image needs an alternative text")),
    },
    ReadyMade { name: "hosts", options: &["hosts"], make: hosts },
    ReadyMade {
        name: "https",
        options: &[],
        make: |_| Some(of_texts(HTTPS, "links must begin with https://")),
    },
    ReadyMade { name: "max-length", options: &["of", "max"], make: max_length },
    ReadyMade {
        name: "tracking",
        options: &[],
        make: |_| Some(of_texts(TRACKING, "links must not have tracking parameters")),
    },
];

/// In Markdown and in HTML.
const ALT_TEXT: &str = r#"(test("!\\[\\s*\\]\\(") | not)
and all(scan("(?i)<img\\b[^>]*>"); test("(?i)\\balt\\s*=\\s*(\"\\s*[^\"\\s]|'\\s*[^'\\s]|[^\"'\\s>])"))"#;

/// As for `link_hosts`, a link needs no `//`. One that is encoded as a part of another has an encoded `/`.
const HTTPS: &str = r#"test("\\bhttp:([/\\\\\\w\\[]|%[^2])"; "i") | not"#;

/// Parameters of campaigns and clicks that the larger advertising systems add.
const TRACKING: &str = r#"test("[?&;](utm_[a-z_]+|fbclid|gclid|dclid|msclkid|yclid|ysclid|igshid|mc_[ce]id)="; "i") | not"#;

fn hosts(rule: &mut RuleTable<'_>) -> Option<MadeRule> {
    let hosts = rule.texts("hosts")?;
    let words = hosts.join(", ");
    let hosts: Value = hosts.iter().map(|host| host.to_lowercase()).collect();
    let must = format!(
        r#"all(link_hosts; . as $host | any({hosts}[]; . == $host or (. as $own | $host | endswith("." + $own))))"#
    );
    Some(of_texts(&must, &format!("links must lead to {words}")))
}

fn max_length(rule: &mut RuleTable<'_>) -> Option<MadeRule> {
    let (of, max) = (rule.text("of"), rule.number("max"));
    let (of, max) = (of?, max?);
    let message = format!("`{of}` must have at most {max} characters");
    Some(MadeRule {
        values: format!("({of}\n) | strings"),
        must: format!("length <= {max}"),
        message,
    })
}

/// Returns a rule for all texts.
fn of_texts(must: &str, message: &str) -> MadeRule {
    MadeRule { values: "texts".to_owned(), must: must.to_owned(), message: message.to_owned() }
}
