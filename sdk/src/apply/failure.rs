//! Why a run ended before the page was as the file says.

use std::io;

use serde::Serialize;

use super::Step;
use super::plan::Plan;
use crate::batch::item_of;
use crate::{Error, Outcome};

/// Why a run ended before the page was as the file says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// A request failed.
    #[error("{source}")]
    Call {
        /// What it was to do.
        step: Step,
        /// Refused fields by the index of their item in the file: the path below the item, and the service's words.
        items: Vec<ItemRefusal>,
        /// The failure. Its outcome says whether the step itself took place.
        source: Error,
    },
    /// Somebody else changed the page, and going on could destroy it.
    #[error("the page was changed by somebody else: {}", .0.join("; "))]
    Changed(Vec<String>),
    /// All was written, yet the page is not as the file says.
    #[error("the page differs from the file after everything was written")]
    Drift(Box<Plan>),
    /// The service's answer does not say what it did.
    #[error("{0}")]
    Answer(String),
    /// The next step could not be written down, so it was not taken.
    #[error("the journal cannot be written")]
    Journal(#[source] io::Error),
}

/// What the service refused of one item of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemRefusal {
    /// The index of the item.
    pub index: usize,
    /// The keys from the item down: `["data", "link"]`.
    pub path: Vec<String>,
    /// The service's words.
    pub messages: Vec<String>,
}

impl ApplyError {
    /// A request that failed; `index` gives the item of the file that the batch's n-th slot was made from.
    pub(super) fn call(step: Step, source: Error, index: impl Fn(usize) -> Option<usize>) -> Self {
        let refused = source.field_errors().iter();
        let items =
            refused.filter_map(|(path, messages)| refusal(path, messages, &index)).collect();
        Self::Call { step, items, source }
    }

    /// Whether the step that failed may have been written all the same.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Call { source, .. } => source.outcome(),
            Self::Changed(_) | Self::Journal(_) => Outcome::NotExecuted,
            Self::Drift(_) | Self::Answer(_) => Outcome::Executed,
        }
    }
}

/// `slots.2.data.link` of a batch, as the item of the file that it was made from.
fn refusal(
    path: &str,
    messages: &[String],
    index: impl Fn(usize) -> Option<usize>,
) -> Option<ItemRefusal> {
    let (nth, below) = item_of(path)?;
    let path = below.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect();
    Some(ItemRefusal { index: index(nth)?, path, messages: messages.to_vec() })
}
