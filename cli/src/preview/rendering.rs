//! How true a preview is: who has rendered it, and how its tokens were counted.

use super::service_markdown::ServiceMarkdown;

/// Number of bytes that count as one token where nothing better is known.
const BYTES_PER_TOKEN: usize = 4;

/// Origin of the text of a preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RenderedBy {
    /// The model, which renders the page as it is exactly as the service does.
    Service,
    /// The model, which renders the page as it is in other words than the service.
    DifferentModel,
    /// The model; how the service renders the page was not asked.
    Model,
    /// The model; the service has no such page yet.
    ModelForNewPage,
    /// The model, from the file alone.
    ModelOfFile,
}

/// Number of a language model's tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenCount {
    pub(crate) count: u64,
    /// False if the service counts them like this.
    pub(crate) is_estimate: bool,
}

impl RenderedBy {
    /// Returns whether the text is what the service would render.
    pub(crate) fn is_exact(self) -> bool {
        self == Self::Service
    }

    /// Returns the origin as a part of a sentence.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Service => "as the service renders it",
            Self::DifferentModel | Self::Model => {
                "rendered on this machine, the wording of the service may differ"
            }
            Self::ModelForNewPage => {
                "a page that does not exist yet, rendered on this machine, the wording of the service may differ"
            }
            Self::ModelOfFile => {
                "from the file alone, rendered on this machine, the wording of the service may differ"
            }
        }
    }

    /// Returns the name in JSON output.
    pub(crate) fn name(self) -> &'static str {
        if self.is_exact() { "service" } else { "model" }
    }
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
        let unit = if self.count == 1 { "token" } else { "tokens" };
        if self.is_estimate {
            format!("about {} {unit} (an estimate)", self.count)
        } else {
            format!("{} {unit}", self.count)
        }
    }
}

fn by_bytes(text: &str) -> u64 {
    text.len().div_ceil(BYTES_PER_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(text: &str, tokens: Option<u64>) -> ServiceMarkdown {
        ServiceMarkdown { text: text.to_owned(), tokens }
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
