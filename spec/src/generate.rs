//! From the document to `sdk/src/generated.rs`.

use progenitor_impl::{GenerationSettings, Generator, HooksMode, InterfaceStyle, TagStyle};
use quote::quote;
use serde_json::Value;

use crate::{Error, downlevel, tailor};

/// Schemas that the SDK reads or writes by hand, because Rust can say more about them than the document: tolerant containers, and
/// changes in which `null` is not the same as nothing. The type of a new slot stays text, so that a type the service adds can be created.
const BY_HAND: [(&str, &str); 11] = [
    ("ChannelIds", "crate::ChannelIds"),
    ("FieldErrors", "crate::FieldErrors"),
    ("FormChanges", "crate::FormChanges"),
    ("NewForm", "crate::NewForm"),
    ("NewProfile", "crate::NewProfile"),
    ("OpenObject", "crate::Object"),
    ("ProfileChanges", "crate::ProfileChanges"),
    ("ProfileSettingsChanges", "crate::SettingsChanges"),
    ("Slot", "crate::Slot"),
    ("SlotData", "crate::Object"),
    ("WritableSlotType", "::std::string::String"),
];

const HEADER: &str = "\
// Generated from spec/openapi.json by `cargo spec generate`. Do not edit: change the document and run it again.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, dead_code, missing_docs, unreachable_pub, reason = \"generated\")]

";

/// The client for an OpenAPI 3.1 document, as formatted Rust.
///
/// # Errors
///
/// When the document cannot be lowered, or when the generator refuses what is left.
pub fn generate(document: Value) -> Result<String, Error> {
    let lowered = tailor(downlevel(document)?)?;
    let document = serde_json::from_value(lowered).map_err(Error::Lowered)?;
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Positional)
        .with_tag(TagStyle::Merged)
        .with_hooks(HooksMode::Expected)
        .with_inner_type(quote!(crate::transport::Transport))
        .with_derive("PartialEq")
        .with_map_type("::std::collections::BTreeMap");
    for (schema, by_hand) in BY_HAND {
        settings.with_replacement(schema, by_hand, std::iter::empty());
    }
    let tokens = Generator::new(&settings).generate_tokens(&document)?;
    let file = syn::parse2(tokens)?;
    Ok(format!("{HEADER}{}", prettyplease::unparse(&file)))
}
