//! Rules that a `links.toml` uses by name.

use serde_json::Value;

use super::rule_table::RuleTable;

/// Names of the ready-made rules.
pub(super) const NAMES: [&str; 5] = ["alt-text", "hosts", "https", "max-length", "tracking"];

/// Returns the keys that only this ready-made rule has in its table.
pub(super) fn options(name: &str) -> &'static [&'static str] {
    match name {
        "hosts" => &["hosts"],
        "max-length" => &["of", "max"],
        _ => &[],
    }
}

/// Returns `values`, `must` and the message of a ready-made rule; `None` if its table has a problem.
pub(super) fn made(name: &str, table: &mut RuleTable<'_>) -> Option<[String; 3]> {
    let (must, message) = match name {
        "alt-text" => (ALT_TEXT.to_owned(), "an image needs an alternative text".to_owned()),
        "https" => (HTTPS.to_owned(), "links must begin with https://".to_owned()),
        "tracking" => (TRACKING.to_owned(), "links must not have tracking parameters".to_owned()),
        "hosts" => {
            let hosts = table.texts("hosts")?;
            let words = hosts.join(", ");
            let hosts: Value = hosts.iter().map(|host| host.to_lowercase()).collect();
            let must = format!(
                r#"all(link_hosts; . as $host | any({hosts}[]; . == $host or (. as $own | $host | endswith("." + $own))))"#
            );
            (must, format!("links must lead to {words}"))
        }
        _ => {
            let (of, max) = (table.text("of"), table.number("max"));
            let (of, max) = (of?, max?);
            let message = format!("`{of}` must have at most {max} characters");
            return Some([format!("({of}\n) | strings"), format!("length <= {max}"), message]);
        }
    };
    Some(["texts".to_owned(), must, message])
}

/// In Markdown and in HTML.
const ALT_TEXT: &str = r#"(test("!\\[\\s*\\]\\(") | not)
and all(scan("(?i)<img\\b[^>]*>"); test("(?i)\\balt\\s*=\\s*(\"\\s*[^\"\\s]|'\\s*[^'\\s]|[^\"'\\s>])"))"#;

/// As for `link_hosts`, a link needs no `//`. One that is encoded as a part of another has an encoded `/`.
const HTTPS: &str = r#"test("\\bhttp:([/\\\\\\w\\[]|%[^2])"; "i") | not"#;

/// Parameters of campaigns and clicks that the larger advertising systems add.
const TRACKING: &str = r#"test("[?&;](utm_[a-z_]+|fbclid|gclid|dclid|msclkid|yclid|ysclid|igshid|mc_[ce]id)="; "i") | not"#;
