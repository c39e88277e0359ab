//! Generation of `sdk/src/generated.rs` from the document.

use std::collections::BTreeMap;

use serde_json::Value;
use typify::{TypeSpace, TypeSpaceSettings};

use crate::Error;
use crate::annotate::annotate;
use crate::methods::methods;
use crate::shapes::shapes;
use crate::tolerant::tolerant_schemas;

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

const HEADER: &str = "\
// Generated from spec/openapi.json by `cargo spec generate`. Do not edit: change the document and run it again.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, dead_code, missing_docs, unreachable_pub, reason = \"generated\")]

";

/// What the generated methods build.
const REQUESTS: &str = "
use progenitor_client::{ByteStream, encode_path};

/// Request of an operation, with the type of its answer.
pub struct TypedRequest<R> {
    pub(crate) request: reqwest::Request,
    answer: ::std::marker::PhantomData<fn() -> R>,
}

impl<R> From<reqwest::Request> for TypedRequest<R> {
    fn from(request: reqwest::Request) -> Self {
        Self { request, answer: ::std::marker::PhantomData }
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
";

/// Returns the client for an OpenAPI 3.1 document, as formatted Rust.
///
/// # Errors
///
/// When the document is not OpenAPI 3.1, or has something that no type or method can be made of.
pub fn generate(document: Value) -> Result<String, Error> {
    let version = document["openapi"].as_str().unwrap_or_default();
    if !version.starts_with("3.1.") {
        let problem = format!("expected version 3.1, found {version:?}");
        return Err(Error::refused("/openapi", problem));
    }
    let (methods, shapes) = (methods(&document, &BY_HAND)?, shapes(&document));
    let file = syn::parse_file(&format!(
        "{REQUESTS}
        /// Types used as operation parameters and responses.
        pub mod types {{ {} }}
        impl Client<'_> {{ {methods} }}
        /// Shapes of the records that the service answers with.
        pub(crate) mod shapes {{
            use crate::shape::Shape::{{self, Flag, Integer, List, Map, Numbers, Open, Record, Text}};
            use crate::shape::Field;
            {shapes}
        }}",
        types(document)?
    ))?;
    Ok(format!("{HEADER}{}", prettyplease::unparse(&file)))
}

/// Returns the types of the schemas, as text.
fn types(document: Value) -> Result<String, Error> {
    let mut settings = TypeSpaceSettings::default();
    settings
        .with_derive("PartialEq".to_owned())
        .with_map_type("::std::collections::BTreeMap".to_owned());
    for (schema, by_hand) in BY_HAND {
        settings.with_replacement(schema, by_hand, std::iter::empty());
    }
    let mut types = TypeSpace::new(&settings);
    let schemas = tolerant_schemas(document.clone())?;
    types.add_ref_types(
        serde_json::from_value::<BTreeMap<String, _>>(schemas).map_err(Error::Schemas)?,
    )?;
    // What the document calls `type` is `kind` in Rust, where `type` is a keyword; typify names it `type_`. The name in JSON stays.
    let mut file = syn::parse_str(&types.to_stream().to_string().replace("type_ ", "kind "))?;
    annotate(&mut file, &document);
    Ok(prettyplease::unparse(&file))
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
        assert!(!text.contains("type_"), "the name that typify chooses is left");
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
        let error = generate(json!({"openapi": "3.1.0", "paths": 1})).unwrap_err();
        assert!(matches!(error, Error::Schemas(_)), "{error}");
    }
}
