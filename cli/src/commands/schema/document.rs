//! Output of a JSON Schema.

use serde_json::Value;

use crate::output::{CommandOutput, View};

/// Returns a schema as a document without an envelope, for editors.
pub(crate) fn document(schema: Value) -> CommandOutput {
    let text = format!("{schema:#}\n");
    CommandOutput::own(schema, View::Document(text))
}
