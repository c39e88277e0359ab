//! Output of a JSON Schema.

use serde_json::Value;

use crate::output::{Outcome, View};
/// A schema is a document of its own, which an editor reads without any envelope.
pub(crate) fn document(schema: Value) -> Outcome {
    let text = format!("{schema:#}\n");
    Outcome::own(schema, View::Document(text))
}
