//! The service's interface as one OpenAPI 3.1 document, and the generator of the SDK's client.

mod document;
mod downlevel;
mod generate;
mod rewrite;
mod tailor;
mod tolerant;

pub use generate::generate;

/// The committed document, as text.
pub const DOCUMENT: &str = include_str!("../openapi.json");

/// Reason why a document could not be read, lowered or generated from, as a message alone.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Returns the refusal of a part of a document, which has no form in the next step, with its JSON pointer.
fn refused(pointer: &str, problem: &str) -> Error {
    format!("{pointer}: {problem}").into()
}
