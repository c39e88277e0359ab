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

/// Reason why a document could not be read, lowered or generated from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A part of the document has no form in the next step.
    #[error("{pointer}: {problem}")]
    Refused {
        /// JSON pointer of the place in the document.
        pointer: String,
        /// Description of the problem.
        problem: String,
    },
    /// A file cannot be read or written.
    #[error("cannot {verb} {}: {source}", path.display())]
    File {
        /// `read` or `write`.
        verb: &'static str,
        /// The file.
        path: std::path::PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The document is not JSON.
    #[error("{origin} is not JSON: {source}")]
    Json {
        /// File of the document.
        origin: String,
        /// Place at which the syntax breaks.
        source: serde_json::Error,
    },
    /// The lowered document is not OpenAPI 3.0.
    #[error("the document converted to OpenAPI 3.0 is invalid: {0}")]
    Lowered(#[source] serde_json::Error),
    /// The generator refuses the lowered document.
    #[error("cannot generate code from the document converted to OpenAPI 3.0: {0}")]
    Generator(#[from] progenitor_impl::Error),
    /// The generator wrote something that is not Rust.
    #[error("the generated code is not Rust: {0}")]
    Syntax(#[from] syn::Error),
    /// A committed file does not match the document.
    #[error("{0} does not match spec/openapi.json: run `cargo spec generate` and commit the file")]
    Stale(&'static str),
}

impl Error {
    pub(crate) fn refused(pointer: &str, problem: impl Into<String>) -> Self {
        Self::Refused {
            pointer: if pointer.is_empty() { "/" } else { pointer }.to_owned(),
            problem: problem.into(),
        }
    }
}
