//! The service's interface as one OpenAPI 3.1 document, the generator of the SDK's client, and a comparison with the document that a live
//! service publishes.

mod annotate;
mod difference;
mod document;
mod downlevel;
mod drift;
mod error;
mod fetch;
mod generate;
mod normal;
mod requests;
mod schema;
mod shapes;
mod tailor;
mod tolerant;

pub use difference::{Difference, Severity};
pub use drift::drift;
pub use error::Error;
pub use fetch::fetch;
pub use generate::generate;

/// The committed document, as text.
pub const DOCUMENT: &str = include_str!("../openapi.json");
