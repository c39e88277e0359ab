//! House rules for page files and form files: `links.toml` says what must hold; `links lint`, `plan` and `apply` check it.

mod broken_rule;
mod program;
mod ready_made;
pub(crate) mod report;
pub(crate) mod rule_file;
mod rule_table;

use std::sync::Mutex;

pub(crate) use self::broken_rule::{BrokenRule, CheckedFile, problems};
use self::rule_file::RuleFile;
use crate::context::prelude::*;
use crate::output::format::query::Process;
use crate::signal::lock;

/// The processes that check rules, one for each `links.toml`: no rule of one file can change what those of another one say. A confined command
/// cannot start them, so they are started before.
static PROCESSES: Mutex<Vec<Process>> = Mutex::new(Vec::new());

/// Starts a process for each `links.toml` among the files that a command reads. A command that is not confined may also start them later.
pub(crate) fn prepare(read: &[PathBuf]) {
    let rule_files = read.iter().filter(|path| path.ends_with(rule_file::NAME));
    *lock(&PROCESSES) = rule_files.filter_map(|_| Process::start().ok()).collect();
}

/// Returns the rules that each page file and form file breaks.
///
/// # Errors
///
/// When a `links.toml` cannot be used.
pub(crate) fn check<'f>(
    files: impl Iterator<Item = CheckedFile<'f>>,
) -> Result<Vec<Vec<BrokenRule>>> {
    let mut found = Vec::new();
    let mut governed: BTreeMap<PathBuf, Vec<(usize, CheckedFile<'_>)>> = BTreeMap::new();
    for (nth, file) in files.enumerate() {
        found.push(Vec::new());
        if let Some(rules) = rule_file::of(file.path) {
            governed.entry(rules).or_default().push((nth, file));
        }
    }
    for (rules, files) in governed {
        let rules = RuleFile::read(&rules)?;
        let (numbers, files): (Vec<usize>, Vec<_>) = files.into_iter().unzip();
        let process = lock(&PROCESSES).pop();
        for (nth, broken) in numbers.into_iter().zip(program::run(&rules, &files, process)?) {
            found[nth] = broken;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use links_pages::page_file::Document;

    /// Returns the paths and messages of what a page breaks of a `links.toml`.
    fn broken(rules: &str, page: &str) -> Vec<String> {
        let rules = RuleFile::of("links.toml", rules.to_owned()).unwrap();
        let document = Document::from_bytes("it.yaml", page.into()).unwrap();
        let file = CheckedFile { path: Path::new("it.yaml"), document: &document, is_form: false };
        let found = program::run(&rules, &[file], None).unwrap();
        let shown = |it: BrokenRule| format!("{} {}", it.problem.path, it.problem.message);
        found.into_iter().flatten().map(shown).collect()
    }

    #[test]
    fn ready_made_rules_find_what_they_forbid() {
        let hosts = "use = 'hosts'\nhosts = ['Qara.example', 'maps.example']";
        let title = "use = 'max-length'\nof = '.data.title'\nmax = 3";
        for (rule, text, is_broken) in [
            ("use = 'alt-text'", "see ![](a.png)", true),
            ("use = 'alt-text'", "see ![ ](a.png)", true),
            ("use = 'alt-text'", "see ![a cup](a.png)", false),
            ("use = 'alt-text'", "<IMG src=a.png>", true),
            ("use = 'alt-text'", "<img alt='' src=a.png>", true),
            ("use = 'alt-text'", "<img\\n alt = cup src=a.png> <img src=b alt=\\\"b\\\">", false),
            (hosts, "https://qara.example", false),
            (hosts, "HTTPS://WWW.QARA.EXAMPLE:8443/a?b#c", false),
            (hosts, "see https://maps.example/x and https://evil.example", true),
            (hosts, "https://evilqara.example", true),
            (hosts, "https://qara.example@evil.example/", true),
            (hosts, "https://evil.example@qara.example/", false),
            (hosts, "https://evil.example\\\\@qara.example/", true),
            (hosts, "https://evil.example?qara.example", true),
            (hosts, "https://qara.example'@evil.example/", true),
            (hosts, "https://qara.example(@evil.example/", true),
            (hosts, "https://qara.example\\\\@evil.example/", true),
            (hosts, "https://a@b@qara.example/", false),
            (hosts, "<a href='https://evil.example'>@qara.example</a>", true),
            (hosts, "<a href='https://qara.example'>https://evil.example</a>", true),
            (hosts, "<a href='https://qara.example/'>hello@maps.example</a>", false),
            (hosts, "https:/evil.example/", true),
            (hosts, "https:evil.example", true),
            (hosts, "https:evil%2Eexample", true),
            (hosts, "https:evil。example", true),
            (hosts, "https:[2001:db8::1]/", true),
            (hosts, "https:\\\\\\\\evil.example/", true),
            (hosts, "https://[2001:db8::1]/", true),
            (hosts, "https:qara.example", false),
            (hosts, "https://qara.example/?u=https:%2F%2Fqara.example", false),
            (hosts, "no link, https: or https:// alone", false),
            (hosts, "https:, https:... (https:) https:да", false),
            ("use = 'https'", "see http://qara.example", true),
            ("use = 'https'", "http:qara.example", true),
            ("use = 'https'", "http:\\\\\\\\qara.example", true),
            ("use = 'https'", "see https://qara.example, not http: alone (http:)", false),
            ("use = 'https'", "https://qara.example/?u=http:%2F%2Fqara.example", false),
            (title, "кофе", true),
            (title, "чай", false),
            ("use = 'tracking'", "https://qara.example/?a=1&UTM_Source=b", true),
            ("use = 'tracking'", "https://qara.example/?fbclid=1", true),
            ("use = 'tracking'", "https://qara.example/?a=1&amp;gclid=b", true),
            ("use = 'tracking'", "https://qara.example/?source=utm_source", false),
        ] {
            let page = format!("slots: [{{type: button, data: {{title: \"{text}\"}}}}]");
            let broken = broken(&format!("[[rule]]\n{rule}"), &page);
            assert_eq!(!broken.is_empty(), is_broken, "{rule} {text}: {broken:?}");
            assert!(broken.iter().all(|it| it.starts_with("slots.0.data.title ")), "{broken:?}");
        }
    }

    #[test]
    fn a_broken_rule_is_at_the_value_that_it_is_about() {
        let page = "\
profile: cafe
title: Qara
slots:
  - {type: button, data: {title: A, link: http://a.example, items: [{url: x}, {url: y}]}}
  - {type: text, data: {title: 5}}
";
        for (rule, expected) in [
            (
                "for = 'slot'\nmust = '.data.title | length < 1'",
                &["slots.0.data.title m", "slots.1.data.title m"][..],
            ),
            ("for = 'slot and .type == \"text\"'\nmust = 'false'", &["slots.1 m"]),
            (
                "for = 'slot'\nvalues = '.data.items[]?.url'\nmust = '. == \"x\"'",
                &["slots.0.data.items.1.url m"],
            ),
            ("for = 'page'\nmust = '.slots | length == 1'", &["slots m"]),
            ("for = 'page'\nvalues = 'texts'\nmust = '. == \"cafe\"'", &["title m"]),
            (
                "for = 'slot'\nmust = '$file.title != \"Qara\" # of the page'",
                &["slots.0 m", "slots.1 m"],
            ),
            ("for = 'form'\nmust = 'false'", &[]),
            ("for = 'empty'\nmust = 'false'", &[]),
            // Every result counts, and none is none that is wrong.
            ("for = 'page'\nmust = 'true, false'", &[" m"]),
            ("for = 'page'\nmust = 'empty'", &[]),
            (
                "for = 'slot'\nmust = '.data.link | test(\"^https:\")'",
                &[
                    "slots.0.data.link m",
                    "slots.1.data.link m (a filter failed: cannot use null as string)",
                ],
            ),
            ("for = 'page and error({a: 1})'\nmust = 'true'", &[" m (a filter failed: {\"a\":1})"]),
        ] {
            assert_eq!(
                broken(&format!("[[rule]]\n{rule}\nmessage = 'm'"), page),
                expected,
                "{rule}"
            );
        }
    }
}
