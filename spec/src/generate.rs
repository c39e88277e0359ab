//! Generation of `sdk/src/generated.rs` from the document.

use progenitor_impl::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use serde_json::Value;

use crate::Error;
use crate::downlevel::downlevel;
use crate::rewrite::{annotate, requests_only};
use crate::tailor::tailor;

/// Schemas that the SDK reads or writes by hand, because Rust can say more about them than the document: tolerant containers, and changes
/// in which `null` is not the same as nothing. The type of a new slot stays a string, so that a type that the service adds can be created.
const BY_HAND: [(&str, &str); 16] = [
    ("ChannelId", "crate::ChannelId"),
    ("ChannelIds", "crate::ChannelIds"),
    ("FieldErrors", "crate::FieldErrors"),
    ("FormChanges", "crate::Object"),
    ("FormId", "crate::FormId"),
    ("NewForm", "crate::Object"),
    ("NewProfile", "crate::Object"),
    ("OpenObject", "crate::Object"),
    ("ProfileChanges", "crate::Object"),
    ("ProfileId", "crate::ProfileId"),
    ("ProfileSettingsChanges", "crate::Object"),
    ("Slot", "crate::Slot"),
    ("SlotData", "crate::Object"),
    ("SlotId", "crate::SlotId"),
    ("Timestamp", "crate::Timestamp"),
    ("WritableSlotType", "::std::string::String"),
];

const HEADER: &str = r#"// Generated from spec/openapi.json by `cargo spec generate`. Do not edit: change the document and run it again.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, dead_code, missing_docs, unreachable_pub, reason = "generated")]

use progenitor_client::{ByteStream, encode_path};
/// Request of an operation, with the type of its answer.
pub struct TypedRequest<R> {
    pub(crate) request: reqwest::Request,
    answer: ::std::marker::PhantomData<fn() -> R>,
}
impl<R> From<reqwest::Request> for TypedRequest<R> {
    fn from(request: reqwest::Request) -> Self {
        Self {
            request,
            answer: ::std::marker::PhantomData,
        }
    }
}
/// Result of a method of [`Client`].
pub(crate) type RequestResult<R> = reqwest::Result<TypedRequest<R>>;
/// Builder of the request of each operation.
#[derive(Clone, Copy, Debug)]
pub struct Client<'c> {
    pub(crate) baseurl: &'c str,
    pub(crate) client: &'c reqwest::Client,
}
"#;

/// Returns the client for an OpenAPI 3.1 document, as formatted Rust.
///
/// # Errors
///
/// When the document cannot be lowered, or when the generator refuses the lowered document.
pub fn generate(document: Value) -> Result<String, Error> {
    let described = document.clone();
    let lowered = tailor(downlevel(document)?)?;
    let invalid = |error| format!("the document converted to OpenAPI 3.0 is invalid: {error}");
    let document = serde_json::from_value(lowered).map_err(invalid)?;
    let mut settings = GenerationSettings::new();
    settings
        .with_interface(InterfaceStyle::Positional)
        .with_tag(TagStyle::Merged)
        .with_derive("PartialEq")
        .with_map_type("::std::collections::BTreeMap");
    for (schema, by_hand) in BY_HAND {
        settings.with_replacement(schema, by_hand, std::iter::empty());
    }
    let code = Generator::new(&settings).generate_tokens(&document)?.to_string();
    let mut file = syn::parse_str(&code)?;
    annotate(&mut file, &described);
    requests_only(&mut file);
    // What the document calls `type` is a keyword in Rust.
    Ok(format!("{HEADER}{}", prettyplease::unparse(&file).replace("type_", "kind")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::DOCUMENT;

    /// Returns the generated code without its layout.
    fn code() -> String {
        let text = generate(serde_json::from_str(DOCUMENT).unwrap()).unwrap();
        text.lines()
            .map(str::trim)
            .filter(|line| !line.starts_with("//"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn every_operation_is_a_method_with_plain_arguments() {
        let code = code();
        for signature in [
            "fn get_api_index<'a>( &'a self, ) -> reqwest::Result<TypedRequest<types::IndexEnvelope>>",
            "fn delete_slots<'a>( &'a self, profile_key: &'a str, ids: &'a ::std::vec::Vec<crate::SlotId>, )",
            "fn update_slot<'a>( &'a self, profile_key: &'a str, slot: &'a crate::SlotId, body: &'a types::SlotDataChange, )",
            "fn update_form<'a>( &'a self, form_id: &'a crate::FormId, body: &'a crate::Object, )",
            "fn upload_file<'a>( &'a self, body: &'a types::FileFromUrl, )",
            "fn get_slot_type<'a>( &'a self, kind: &'a str, )",
            "fn preview_profile_markdown<'a>( &'a self, profile_key: &'a str, ) -> reqwest::Result<TypedRequest<ByteStream>>",
        ] {
            assert!(code.contains(signature), "{signature}");
        }
        assert_eq!(code.matches("-> reqwest::Result<").count(), 33);
        assert!(!code.contains("Idempotency"));
    }

    #[test]
    fn a_type_is_named_kind_in_rust_and_type_in_json() {
        let text = generate(serde_json::from_str(DOCUMENT).unwrap()).unwrap();
        assert!(!text.contains("type_"), "the name that progenitor chooses is left");
        let code = code();
        assert!(code.contains("#[serde(rename = \"type\")] pub kind: ::std::string::String,"));
        assert!(code.contains("QueryParam::new(\"type\", &kind)"));
        assert_eq!(code.matches("pub kind: ").count(), 5);
    }

    #[test]
    fn records_keep_fields_that_the_document_does_not_know() {
        let code = code();
        for record in [
            "Profile",
            "ProfileComputed",
            "LeadForm",
            "FormField",
            "NotificationChannel",
            "SlotType",
            "Me",
            "File",
        ] {
            let start = code.find(&format!("pub struct {record} {{")).unwrap();
            let end = code[start..].find('}').unwrap();
            let body = &code[start..start + end];
            assert!(body.contains("#[serde(flatten)] pub extra: ::serde_json::Map<"), "{body}");
        }
    }

    #[test]
    fn what_the_service_may_extend_is_not_exhaustive() {
        let code = code();
        for item in [
            "pub enum AnalyticsBucket {",
            "pub struct Profile {",
            "pub struct FormField {",
            "pub struct NewFormField {",
            "pub struct NewSlot {",
            "pub struct SlotChange {",
        ] {
            let start = code.find(item).unwrap();
            assert!(code[..start].trim_end().ends_with("#[non_exhaustive]"), "{item}");
        }
    }

    #[test]
    fn schemas_written_by_hand_exist_and_are_not_generated() {
        let document: Value = serde_json::from_str(DOCUMENT).unwrap();
        let code = code();
        for (schema, by_hand) in BY_HAND {
            assert!(document["components"]["schemas"][schema].is_object(), "{schema}");
            assert!(code.contains(by_hand), "{by_hand}");
            assert!(!code.contains(&format!("pub struct {schema} {{")), "{schema}");
        }
    }

    #[test]
    fn a_document_that_is_not_openapi_is_refused() {
        let error = generate(json!({"openapi": "3.1.0", "paths": 1})).unwrap_err().to_string();
        assert!(error.contains("converted to OpenAPI 3.0 is invalid"), "{error}");
    }
}
