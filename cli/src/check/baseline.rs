//! Links that were not fine in an earlier run, so that only new ones fail.

use clap::Args;
use serde::Deserialize;

use super::checked_link::CheckedLink;
use super::checked_link::LinkHolder;
use super::web::verdict::Verdict;
use crate::context::prelude::*;
use links_pages::fs::named::ReadError;

/// Maximum size of a baseline in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

// Arguments about the baseline. Not a doc comment: clap would take it for the text of the command.
#[derive(Args, Debug)]
pub(crate) struct BaselineArgs {
    /// Ignore known broken links: those in this file, created by --update-baseline or `-o json`
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Record the current findings as the baseline
    #[arg(long, requires = "baseline")]
    pub(crate) update_baseline: bool,
}

impl BaselineArgs {
    /// Reads the baseline that the links are compared with, or that is updated; an empty one where there is none. Refuses to replace a file
    /// that is not a baseline.
    pub(crate) fn read(&self) -> Result<Baseline> {
        let Some(path) = &self.baseline else { return Ok(Baseline::default()) };
        if self.update_baseline && path.as_os_str() == "-" {
            let message = "--update-baseline cannot change standard input; pass a file";
            return Err(CommandError::usage(message));
        }
        // An empty file is as good as none.
        if self.update_baseline
            && path.symlink_metadata().map_or(true, |it| it.is_file() && it.len() == 0)
        {
            return Ok(Baseline::default());
        }
        Baseline::read(path)
    }

    /// Returns the file to write.
    pub(crate) fn to_update(&self) -> Option<&Path> {
        self.baseline.as_deref().filter(|_| self.update_baseline)
    }
}

/// Verdicts of an earlier run, by page or form and URL.
#[derive(Default)]
pub(crate) struct Baseline(BTreeMap<(LinkHolder, String), Verdict>);

/// Link in the file: what `links check -o json` prints, or `--update-baseline` writes.
#[derive(Deserialize)]
struct BaselineLink {
    #[serde(default)]
    page: Option<String>,
    #[serde(default)]
    form: Option<String>,
    url: String,
    verdict: Verdict,
}

impl Baseline {
    /// Reads a baseline.
    fn read(path: &Path) -> Result<Self> {
        let (name, bytes) = match named::read_most(path, MAX_BYTES) {
            Err(ReadError::Io(name, error)) if error.kind() == io::ErrorKind::NotFound => {
                let message = format!("baseline {name} not found");
                return Err(CommandError::usage(message).with_hint(
                    "create it with --update-baseline or `links check -o json > FILE`",
                ));
            }
            read => read?,
        };
        Self::parse(&bytes).map_err(|why| {
            let message = format!("{name} is not a baseline: {why}; no link was checked");
            CommandError::invalid(message)
                .with_hint("choose another file; if this one is damaged, delete it, then create it again with --update-baseline")
        })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let links: Vec<BaselineLink> =
            crate::output::data(bytes).map_err(|error| error.to_string())?;
        let mut known = BTreeMap::new();
        for BaselineLink { page, form, url, verdict } in links {
            let holder = page.map(LinkHolder::Page).or(form.map(LinkHolder::Form));
            let holder = holder.ok_or_else(|| format!("`{url}` has neither a page nor a form"))?;
            let worst = known.entry((holder, url)).or_insert(verdict);
            *worst = verdict.max(*worst);
        }
        Ok(Self(known))
    }

    /// Tells whether a link was at least as bad on this page or form.
    pub(crate) fn has(&self, holder: &LinkHolder, url: &str, verdict: Verdict) -> bool {
        let known = self.0.get(&(holder.clone(), url.to_owned()));
        known.is_some_and(|known| *known >= verdict)
    }

    /// Replaces the links of the pages and forms that were checked with those that are not fine now, each once, and writes the file. The links
    /// of others stay.
    pub(crate) fn update(
        mut self,
        path: &Path,
        checked: &BTreeSet<LinkHolder>,
        links: &[CheckedLink],
    ) -> Result<()> {
        self.0
            .retain(|(holder, _), verdict| *verdict != Verdict::Fine && !checked.contains(holder));
        for link in links.iter().filter(|link| link.judgement.verdict != Verdict::Fine) {
            let key = (link.holder.clone(), link.found.url.clone());
            self.0.insert(key, link.judgement.verdict);
        }
        let entry = |((holder, url), verdict): ((LinkHolder, String), Verdict)| match holder {
            LinkHolder::Page(page) => json!({"page": page, "url": url, "verdict": verdict}),
            LinkHolder::Form(form) => json!({"form": form, "url": url, "verdict": verdict}),
        };
        let file = json!({"data": self.0.into_iter().map(entry).collect::<Vec<Value>>()});
        let text = serde_json::to_string_pretty(&file)?;
        atomic::write(path, &(text + "\n"), true).map_err(cannot("write", path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_known_by_its_page_and_url_if_it_was_as_bad() {
        let of = |page: &str, url: &str, verdict: &str| json!({"page": page, "url": url, "verdict": verdict, "line": 3});
        let file = json!({"meta": {}, "data": [
            of("cafe", "a", "broken"),
            of("cafe", "b", "unsure"),
            of("cafe", "c", "fine"),
            of("cafe", "b", "fine"),
        ]});
        let baseline = Baseline::parse(file.to_string().as_bytes()).unwrap();
        for (page, url, verdict, expected) in [
            ("cafe", "a", Verdict::Broken, true),
            ("cafe", "a", Verdict::Unsure, true),
            ("bar", "a", Verdict::Broken, false),
            ("cafe", "b", Verdict::Unsure, true),
            ("cafe", "b", Verdict::Broken, false),
            ("cafe", "c", Verdict::Unsure, false),
            ("cafe", "d", Verdict::Broken, false),
        ] {
            let holder = LinkHolder::Page(page.to_owned());
            assert_eq!(baseline.has(&holder, url, verdict), expected, "{page} {url} {verdict:?}");
            let form = LinkHolder::Form(page.to_owned());
            assert!(!baseline.has(&form, url, verdict), "{page} {url} {verdict:?}");
        }
        for text in [
            "",
            "[]",
            "{\"data\": {}}",
            "{\"data\": [{\"page\": \"a\", \"url\": \"b\", \"verdict\": \"c\"}]}",
            "{\"data\": [{\"url\": \"b\", \"verdict\": \"broken\"}]}",
        ] {
            assert!(Baseline::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
