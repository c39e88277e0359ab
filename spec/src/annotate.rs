//! Attributes that the generator leaves out.

use serde_json::Value;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Field, File, ItemEnum, ItemStruct, LitStr, Meta, parse_quote};

/// Completes generated code:
///
/// - Enumerations and records are `#[non_exhaustive]`, because a later version of the service may extend them.
/// - A field whose property refers to a schema gets the description beside the reference.
pub(crate) fn annotate(file: &mut File, document: &Value) {
    Annotator { schemas: &document["components"]["schemas"] }.visit_file_mut(file);
}

struct Annotator<'d> {
    schemas: &'d Value,
}

impl VisitMut for Annotator<'_> {
    fn visit_item_enum_mut(&mut self, item: &mut ItemEnum) {
        item.attrs.push(parse_quote!(#[non_exhaustive]));
    }

    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        item.attrs.push(parse_quote!(#[non_exhaustive]));
        let properties = &self.schemas[item.ident.to_string()]["properties"];
        for field in &mut item.fields {
            let is_described = field.attrs.iter().any(|it| it.path().is_ident("doc"));
            let property = &properties[name_in_json(field)];
            if let (false, Some(text)) = (is_described, property["description"].as_str()) {
                field.attrs.insert(0, parse_quote!(#[doc = #text]));
            }
        }
    }
}

fn name_in_json(field: &Field) -> String {
    let renamed = field.attrs.iter().filter(|it| it.path().is_ident("serde")).find_map(rename);
    renamed.unwrap_or_else(|| field.ident.as_ref().map(ToString::to_string).unwrap_or_default())
}

/// Returns the name in `#[serde(rename = "name")]`.
fn rename(attribute: &Attribute) -> Option<String> {
    let Meta::List(list) = &attribute.meta else { return None };
    let mut name = None;
    // An option that is not understood is none of this one.
    let _ = list.parse_nested_meta(|option| {
        let is_rename = option.path.is_ident("rename");
        if let Ok(value) = option.value() {
            let text: syn::Lit = value.parse()?;
            if let (true, syn::Lit::Str(text)) = (is_rename, text) {
                name = Some(LitStr::value(&text));
            }
        }
        Ok(())
    });
    name
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn annotated(code: &str) -> String {
        let document = json!({"components": {"schemas": {"Channel": {"properties": {
            "id": {"$ref": "#", "description": "Id of the channel."},
            "activeTill": {"$ref": "#", "description": "When it ends."},
            "extra": {},
        }}}}});
        let mut file = syn::parse_str(code).unwrap();
        annotate(&mut file, &document);
        prettyplease::unparse(&file)
    }

    #[test]
    fn enumerations_and_records_are_not_exhaustive() {
        let code = annotated("enum E { A } struct Record { id: u8 }");
        assert_eq!(
            code,
            "#[non_exhaustive]\nenum E {\n    A,\n}\n#[non_exhaustive]\nstruct Record {\n    id: u8,\n}\n"
        );
    }

    #[test]
    fn a_field_without_a_comment_gets_the_description_of_its_property() {
        let code = annotated(
            "struct Channel { id: u8, #[doc = \" Till.\"] own: u8, #[serde(default, rename = \"activeTill\")] active_till: u8 }",
        );
        for line in
            ["///Id of the channel.\n    id: u8", "/// Till.", "///When it ends.\n    #[serde"]
        {
            assert!(code.contains(line), "{line} in {code}");
        }
        assert_eq!(code.matches("///").count(), 3, "{code}");
    }
}
