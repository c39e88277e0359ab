//! `cargo spec`: generates the SDK's client from the document.

use links_spec::{DOCUMENT, generate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/src/generated.rs");
    std::fs::write(path, generate(serde_json::from_str(DOCUMENT)?)?)?;
    Ok(())
}
