//! What the general parser of YAML accepts, and the value of a single scalar by it.

use serde_saphyr::{DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy, Options};

use super::node::Tree;

/// Maximum nesting depth.
const MAX_DEPTH: usize = 32;

/// Returns the value of a scalar without quotes on one line; `None` if it is no scalar by itself.
pub(super) fn scalar(text: &str) -> Option<Tree> {
    let tree = serde_saphyr::from_str_with_options(text, options()).ok()?;
    (!text.contains('\n') && !matches!(tree, Tree::List(_) | Tree::Map(_))).then_some(tree)
}

/// Returns what the general parser accepts.
pub(super) fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, max_aliases: 0, max_documents: 1 },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        with_snippet: false,
    }
}
