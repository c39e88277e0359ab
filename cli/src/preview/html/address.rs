//! URLs of a preview: which ones become links, and where images come from.

use crate::preview::shown_page::ShownPage;

/// Schemes of URLs that become links.
const SCHEMES: [&str; 4] = ["https:", "http:", "mailto:", "tel:"];

/// Returns the URL if a browser may follow it.
pub(super) fn link(url: &str) -> Option<&str> {
    let is_scheme = |scheme: &&str| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    SCHEMES.iter().any(is_scheme).then_some(url)
}

/// Returns the source of an image of the page: a file of this machine by its index, else the public URL on the host of the service's files.
pub(super) fn image(page: &ShownPage, path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    if let Some(index) = page.paths.get(path) {
        let hash = page.images.get(*index).map_or("", |image| &image.hash);
        return Some(format!("image/{index}?{}", hash.get(..12).unwrap_or_default()));
    }
    let origin = image_origin(page)?;
    let url = format!("{}{}", page.file_base, path.trim_start_matches('/'));
    let is_there = url.strip_prefix(&origin).is_some_and(|rest| rest.starts_with('/'));
    is_there.then_some(url)
}

/// Returns the origin of the service's files, from which images may be loaded, if it is known and of https.
pub(in super::super) fn image_origin(page: &ShownPage) -> Option<String> {
    origin(&page.file_base)
}

fn origin(base: &str) -> Option<String> {
    let host = base.strip_prefix("https://")?.split('/').next()?;
    // It becomes a part of a header.
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
    (!host.is_empty() && host.chars().all(is_host)).then(|| format!("https://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_schemes_become_links() {
        for url in ["https://a.example", "HTTP://a.example", "mailto:a@b.example", "tel:+7"] {
            assert_eq!(link(url), Some(url));
        }
        for url in ["javascript:alert(1)", " https://a.example", "data:text/html,x", "", "/x", "é"]
        {
            assert_eq!(link(url), None, "{url}");
        }
    }

    #[test]
    fn only_a_plain_host_of_https_becomes_an_origin() {
        assert_eq!(origin("https://files.example/v1/").as_deref(), Some("https://files.example"));
        for base in [
            "",
            "http://files.example/",
            "https:///x",
            "https://a.example; script-src *//",
            "https://user@a.example/",
            "https://a.example 'self'/",
        ] {
            assert_eq!(origin(base), None, "{base}");
        }
    }
}
