//! Output of a JSON Schema.

use serde_json::Value;

use crate::output::{CommandOutput, View};
/// A schema is a document of its own, which an editor reads without any envelope.
pub(crate) fn document(schema: Value) -> CommandOutput {
    let text = format!("{schema:#}\n");
    CommandOutput::own(schema, View::Document(text))
}
