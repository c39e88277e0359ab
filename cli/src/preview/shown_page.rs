//! A page as its file would make it, and how true that is: who has rendered it, and how its tokens were counted.

use super::live_account::ServiceMarkdown;
use crate::account::shadow_run::ApplyOutlook;
use crate::context::prelude::*;
use links_pages::page_file::local_image::LocalImage;

/// Number of bytes that count as one token where nothing better is known.
const BYTES_PER_TOKEN: usize = 4;

/// A page as a file would make it.
pub(crate) struct Preview {
    /// Name of the file in messages.
    pub(crate) file: String,
    /// The page without the file, rendered on this machine; empty for a page that does not exist yet.
    pub(crate) before: String,
    /// The page as the file makes it, rendered on this machine.
    pub(crate) after: String,
    /// Who has rendered it: [`AS_THE_SERVICE`] or in other words.
    pub(crate) rendered_by: &'static str,
    pub(crate) tokens: TokenCount,
    /// What `links apply` would do.
    pub(crate) outlook: ApplyOutlook,
    /// The page as the file makes it.
    pub(crate) snapshot: PageSnapshot,
    /// The page without the file; `None` for a page that does not exist yet, and without the service.
    pub(crate) live: Option<PageSnapshot>,
    pub(crate) forms: Vec<LeadForm>,
    /// Images that the file names, by the path that the page has for each.
    pub(crate) images: BTreeMap<String, LocalImage>,
    /// Beginning of the URLs of the other images; empty if unknown.
    pub(crate) file_base: String,
}

impl Preview {
    /// Returns whether the file changes the page: its text, or what only a browser shows, such as the background image.
    pub(super) fn differs(&self) -> bool {
        self.before != self.after || self.outlook.is_changed
    }
}

/// Words for a text of the model, which renders the page as it is exactly as the service does.
pub(super) const AS_THE_SERVICE: &str = "rendered by the service";

/// The model renders the page as it is in other words than the service, or the service was not asked.
pub(super) const HERE: &str = "rendered locally; the service may word it differently";

/// The service has no such page yet.
pub(super) const NEW_PAGE: &str = "new page, rendered locally; the service may word it differently";

/// The model has rendered the file alone.
pub(super) const OF_FILE: &str =
    "from the file alone, rendered locally; the service may word it differently";

/// Number of a language model's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenCount {
    pub(crate) count: u64,
    /// False if the service counts them like this.
    pub(crate) is_estimate: bool,
}

impl TokenCount {
    /// Counts the tokens of `after`, which the model has rendered, by how the service counts those of the page as it is.
    pub(super) fn of(before: &str, after: &str, service: Option<&ServiceMarkdown>) -> Self {
        let (before_count, count) = (by_bytes(before), by_bytes(after));
        let known = service.and_then(|service| Some((service, service.tokens?)));
        let Some((service, counted)) = known.filter(|_| before_count > 0) else {
            return Self { count, is_estimate: true };
        };
        if service.text == after {
            return Self { count: counted, is_estimate: false };
        }
        let scaled = u128::from(count) * u128::from(counted);
        let count = u64::try_from(scaled.div_ceil(before_count.into())).unwrap_or(u64::MAX);
        Self { count, is_estimate: service.text != before || counted != before_count }
    }

    /// Returns the number with its unit.
    pub(crate) fn words(self) -> String {
        let counted = count(self.count, "token");
        if self.is_estimate { format!("about {counted} (an estimate)") } else { counted }
    }
}

fn by_bytes(text: &str) -> u64 {
    text.len().div_ceil(BYTES_PER_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(text: &str, tokens: Option<u64>) -> ServiceMarkdown {
        ServiceMarkdown { text: text.to_owned(), tokens, fingerprint: String::new() }
    }

    #[test]
    fn tokens_are_scaled_by_the_ratio_of_the_page_as_it_is() {
        let (before, after) = ("12345678", "1234567890123456");
        let count = |service: &ServiceMarkdown| TokenCount::of(before, after, Some(service));
        assert_eq!(count(&service("other", Some(6))), TokenCount { count: 12, is_estimate: true });
        assert_eq!(count(&service(before, Some(6))), TokenCount { count: 12, is_estimate: true });
        assert_eq!(count(&service(before, Some(2))), TokenCount { count: 4, is_estimate: false });
        assert_eq!(count(&service(after, Some(9))), TokenCount { count: 9, is_estimate: false });
        assert_eq!(count(&service(before, None)), TokenCount { count: 4, is_estimate: true });
        assert_eq!(TokenCount::of("", after, None), TokenCount { count: 4, is_estimate: true });
        assert_eq!(
            TokenCount { count: 1, is_estimate: true }.words(),
            "about 1 token (an estimate)"
        );
    }
}
