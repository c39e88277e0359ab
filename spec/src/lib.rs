//! The service's interface as one OpenAPI 3.1 document, and what is made of it: the SDK's generated client, and a comparison with the
//! document that a live service publishes.

mod document;
mod downlevel;
mod error;
mod generate;
mod tailor;

pub use downlevel::downlevel;
pub use error::Error;
pub use generate::generate;
pub use tailor::tailor;

/// The committed document, as text.
pub const DOCUMENT: &str = include_str!("../openapi.json");
