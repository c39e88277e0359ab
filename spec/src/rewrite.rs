//! Changes of the generated code: attributes that the generator leaves out, and methods that return their request.

use serde_json::Value;
use syn::visit_mut::{VisitMut, visit_item_mod_mut};
use syn::{
    Expr, File, GenericArgument, ImplItem, ImplItemFn, Item, ItemEnum, ItemImpl, ItemMod,
    ItemStruct, Local, PathArguments, Stmt, Type, parse_quote,
};

/// Completes generated code:
///
/// - Enumerations and records are `#[non_exhaustive]`, because a later version of the service may extend them.
/// - Values of enumerations are read from JSON and by `FromStr`, not converted as well.
/// - A field whose property refers to a schema gets the description beside the reference.
pub(crate) fn annotate(file: &mut File, document: &Value) {
    Annotator { schemas: &document["components"]["schemas"] }.visit_file_mut(file);
}

struct Annotator<'d> {
    schemas: &'d Value,
}

impl VisitMut for Annotator<'_> {
    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(|item| match item {
                Item::Impl(ItemImpl { trait_: Some((_, name, _)), .. }) => {
                    name.segments.last().is_none_or(|last| last.ident != "TryFrom")
                }
                _ => true,
            });
        }
        visit_item_mod_mut(self, module);
    }

    fn visit_item_enum_mut(&mut self, item: &mut ItemEnum) {
        item.attrs.push(parse_quote!(#[non_exhaustive]));
    }

    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        item.attrs.push(parse_quote!(#[non_exhaustive]));
        let properties = self.schemas[item.ident.to_string()]["properties"].as_object();
        for field in &mut item.fields {
            let is_described = field.attrs.iter().any(|it| it.path().is_ident("doc"));
            // In Rust a name has underscores in place of capitals.
            let name = field.ident.as_ref().map(|ident| ident.to_string().replace('_', ""));
            let mut same = properties.into_iter().flatten().filter(|(property, _)| {
                name.as_ref().is_some_and(|name| property.eq_ignore_ascii_case(name))
            });
            if let (false, Some((_, property))) = (is_described, same.next())
                && let Some(text) = property["description"].as_str()
            {
                field.attrs.insert(0, parse_quote!(#[doc = #text]));
            }
        }
    }
}

/// Turns generated methods that send a request and decode its answer into ones that end once they have built the request.
///
/// The SDK retries, paces and judges the answer itself, and the hooks of progenitor's client can return only its own errors.
pub(crate) fn requests_only(file: &mut File) {
    file.items.retain_mut(|item| match item {
        Item::Use(_) | Item::Const(_) => false,
        Item::Struct(item) => item.ident != "Client",
        Item::Impl(ItemImpl { trait_: Some(_), .. }) => false,
        Item::Impl(methods) => {
            methods.items.retain_mut(|item| match item {
                ImplItem::Fn(method) => returns_request(method),
                _ => false,
            });
            methods.self_ty = parse_quote!(Client<'_>);
            !methods.items.is_empty()
        }
        _ => true,
    });
}

/// Turns the method of an operation into one that returns its request. Returns `false` for any other method.
fn returns_request(method: &mut ImplItemFn) -> bool {
    if method.sig.asyncness.take().is_none() {
        return false;
    }
    let syn::ReturnType::Type(_, output) = &mut method.sig.output else { return false };
    // `Result<ResponseValue<ANSWER>, ..>`.
    let Some(answer) = argument(output).and_then(argument).cloned() else { return false };
    **output = parse_quote!(reqwest::Result<TypedRequest<#answer>>);
    let mut built = None;
    let statements = std::mem::take(&mut method.block.stmts);
    method.block.stmts = statements
        .into_iter()
        .take_while(|statement| {
            built = built_request(statement);
            built.is_none()
        })
        .filter(|statement| !is_about_headers(statement))
        .collect();
    let Some(mut built) = built else { return false };
    remove_headers(&mut built);
    method.block.stmts.push(Stmt::Expr(parse_quote!(#built.map(TypedRequest::from)), None));
    true
}

/// Returns the first argument of a generic type.
fn argument(generic: &Type) -> Option<&Type> {
    let Type::Path(path) = generic else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(first) => Some(first),
        _ => None,
    }
}

/// Returns the expression that builds the request, if the statement does: `EXPRESSION` in `let mut request = EXPRESSION?;`.
fn built_request(statement: &Stmt) -> Option<Expr> {
    let Stmt::Local(Local { pat: syn::Pat::Ident(name), init: Some(init), .. }) = statement else {
        return None;
    };
    match &*init.expr {
        Expr::Try(sent) if name.ident == "request" => Some((*sent.expr).clone()),
        _ => None,
    }
}

/// Returns whether a statement makes the map of headers, which holds the version of the document alone: the service knows its version by the path.
fn is_about_headers(statement: &Stmt) -> bool {
    match statement {
        Stmt::Local(Local { pat: syn::Pat::Ident(name), .. }) => name.ident == "header_map",
        Stmt::Expr(Expr::MethodCall(call), _) => {
            matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("header_map"))
        }
        _ => false,
    }
}

/// Removes `.header(..)` and `.headers(header_map)`: the SDK accepts JSON from every operation.
fn remove_headers(node: &mut Expr) {
    while let Expr::MethodCall(call) = node
        && (call.method == "header" || call.method == "headers")
    {
        *node = (*call.receiver).clone();
    }
    if let Expr::MethodCall(call) = node {
        remove_headers(&mut call.receiver);
    }
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
