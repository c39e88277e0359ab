//! What can go wrong, with the place at which it did.

use std::path::PathBuf;

/// Why a document could not be read, lowered, generated from or compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The document says something that has no form further down the line.
    #[error("{pointer}: {problem}")]
    Refused {
        /// JSON pointer of the place in the document.
        pointer: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file cannot be read or written.
    #[error("cannot {verb} {}", path.display())]
    File {
        /// `read` or `write`.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A document is not JSON.
    #[error("{origin} is not JSON")]
    Json {
        /// File or address of the document.
        origin: String,
        /// Where the syntax breaks.
        source: serde_json::Error,
    },
    /// The lowered document is not OpenAPI 3.0.
    #[error("the lowered document is not OpenAPI 3.0")]
    Lowered(#[source] serde_json::Error),
    /// The generator refuses the lowered document.
    #[error("no code can be generated from the lowered document")]
    Generator(#[from] progenitor_impl::Error),
    /// The generator wrote something that is not Rust.
    #[error("the generated code is not Rust")]
    Syntax(#[from] syn::Error),
    /// No document could be read from an address.
    #[error("cannot read {origin}: {problem}")]
    Address {
        /// The address.
        origin: String,
        /// What happened instead.
        problem: String,
    },
    /// The committed code is not what the document says now.
    #[error(
        "sdk/src/generated.rs does not match spec/openapi.json: run `cargo spec generate` and commit the file"
    )]
    Stale,
}

impl Error {
    pub(crate) fn refused(pointer: &str, problem: impl Into<String>) -> Self {
        Self::Refused {
            pointer: if pointer.is_empty() { "/" } else { pointer }.to_owned(),
            problem: problem.into(),
        }
    }
}
