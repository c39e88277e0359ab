//! Links as they are written, and what can be judged without a request.

use percent_encoding::percent_decode_str;
use url::Url;

use super::verdict::Judgement;

/// Longest link that is read, in bytes.
pub(super) const MAX_BYTES: usize = 8 * 1024;

/// Schemes that open nothing for a visitor of a page.
pub(super) const USELESS_SCHEMES: [&str; 7] =
    ["about", "blob", "data", "file", "javascript", "vbscript", "view-source"];

/// A link to a site.
#[derive(Clone, Debug)]
pub(crate) struct WebLink {
    /// URL without its fragment, user name and password.
    pub(super) url: Url,
    pub(super) fragment: Option<String>,
    pub(super) had_credentials: bool,
}

impl WebLink {
    /// Returns the URL that is requested: without a fragment, a user name and a password. Links with the same one are requested once.
    pub(crate) fn requested(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the parts of a URL; `None` if it is neither http nor https.
    pub(super) fn of(mut url: Url) -> Option<Self> {
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return None;
        }
        let fragment = url.fragment().filter(|it| !it.is_empty()).map(str::to_owned);
        url.set_fragment(None);
        let had_credentials = !url.username().is_empty() || url.password().is_some();
        // Neither can fail, because the URL has a host.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        Some(Self { url, fragment, had_credentials })
    }
}

/// Reads a link that has to be requested, or judges it without: by its syntax, `mailto:` without `@`, `tel:` without digits, and other schemes.
pub(crate) fn read_link(text: &str) -> Result<WebLink, Judgement> {
    let syntax = |what: &str| Judgement::broken("syntax", what);
    if text.len() > MAX_BYTES {
        return Err(syntax("longer than 8 KB"));
    }
    let url = Url::parse(text).map_err(|error| match error {
        url::ParseError::RelativeUrlWithoutBase => {
            syntax("not a complete URL: https:// is missing")
        }
        error => syntax(&format!("not a URL: {error}")),
    })?;
    let scheme = url.scheme().to_owned();
    Err(match scheme.as_str() {
        "http" | "https" => return WebLink::of(url).ok_or_else(|| syntax("not a URL: empty host")),
        "mailto" if !names_a_mailbox(&url) => syntax("a mailto: link without @"),
        "tel" if !percent_decode_str(url.path()).any(|byte| byte.is_ascii_digit()) => {
            syntax("a tel: link without digits")
        }
        "mailto" | "tel" => Judgement::default(),
        useless if USELESS_SCHEMES.contains(&useless) => {
            let words = format!("{scheme}: links don't work for visitors");
            Judgement::broken("scheme", words)
        }
        _ => {
            let mut judgement = Judgement::default();
            judgement.note("not_requested", format!("{scheme}: links are not checked"));
            judgement
        }
    })
}

/// Returns whether a `mailto:` URL names a mailbox, in its path or in `to` of its query.
fn names_a_mailbox(url: &Url) -> bool {
    let mut to = url.query_pairs().filter(|(name, _)| name.eq_ignore_ascii_case("to"));
    percent_decode_str(url.path()).any(|byte| byte == b'@') || to.any(|(_, to)| to.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::super::tests::words;
    use super::super::verdict::Verdict;
    use super::*;

    fn shown(text: &str) -> String {
        match read_link(text) {
            Ok(WebLink { url, fragment, had_credentials }) => {
                format!("{url} {} {had_credentials}", fragment.unwrap_or_default())
            }
            Err(judgement) => words(&judgement),
        }
    }

    #[test]
    fn a_link_is_judged_without_a_request_where_that_is_possible() {
        let long = format!("https://qara.example/{}", "a".repeat(MAX_BYTES));
        for (text, expected) in [
            ("https://qara.example/menu", "https://qara.example/menu  false"),
            ("HTTP://Qara.Example:80/a b?q=1#top", "http://qara.example/a%20b?q=1 top false"),
            ("https://u:p@qara.example/#", "https://qara.example/  true"),
            ("https://қара.example/", "https://xn--80aa1c6w.example/  false"),
            ("http://0x7f.1/", "http://127.0.0.1/  false"),
            ("https://", "broken: not a URL: empty host"),
            ("https://[::1", "broken: not a URL: invalid IPv6 address"),
            ("qara.example/menu", "broken: not a complete URL: https:// is missing"),
            ("/menu", "broken: not a complete URL: https:// is missing"),
            (&long, "broken: longer than 8 KB"),
            ("mailto:hello@qara.example?subject=Hi", "fine: "),
            ("mailto:a@b.example,c@d.example", "fine: "),
            ("mailto:a%40b.example", "fine: "),
            ("mailto:?to=a@b.example", "fine: "),
            ("mailto:hello", "broken: a mailto: link without @"),
            ("mailto:", "broken: a mailto: link without @"),
            ("mailto:?subject=a@b", "broken: a mailto: link without @"),
            ("tel:+7 (701) 555-01-01", "fine: "),
            ("tel:reception", "broken: a tel: link without digits"),
            ("tel:\u{1b}[Hm", "broken: a tel: link without digits"),
            ("tel:%2B7", "fine: "),
            ("tel:", "broken: a tel: link without digits"),
            ("tg://resolve?domain=qara", "fine: tg: links are not checked"),
            ("javascript:alert(1)", "broken: javascript: links don't work for visitors"),
            ("FILE:///etc/passwd", "broken: file: links don't work for visitors"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,60}", scheme in "(https?://|mailto:|tel:|[a-z]{1,5}:)?") {
            match read_link(&format!("{scheme}{text}")) {
                Ok(link) => assert!(link.url.password().is_none() && link.url.username().is_empty()),
                Err(judgement) => assert_ne!(judgement.verdict, Verdict::Unsure),
            }
        }
    }
}
