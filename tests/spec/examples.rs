//! Test that every public method of the SDK that sends a request has an example.

use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, ItemFn, ItemImpl, ReturnType, Signature, Type, Visibility};

use crate::modules::is_for_tests;
use crate::repository::{TextFile, files};

/// Types of what is sent when it is awaited.
const SENT: [&str; 9] = [
    "Apply",
    "ApplyAccount",
    "ApplyPages",
    "BatchRun",
    "Call",
    "CallFuture",
    "CheckLogin",
    "RawCall",
    "TokenFuture",
];

/// Methods that send, and those of them without an example.
#[derive(Default)]
struct SendingMethods {
    found: usize,
    without_example: Vec<String>,
}

impl SendingMethods {
    fn check(&mut self, visibility: &Visibility, signature: &Signature, attributes: &[Attribute]) {
        if !matches!(visibility, Visibility::Public(_)) || !sends(signature) {
            return;
        }
        self.found += 1;
        if !documentation(attributes).contains("```") {
            self.without_example.push(signature.ident.to_string());
        }
    }
}

impl<'a> Visit<'a> for SendingMethods {
    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        if item.trait_.is_none() {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, method: &'a ImplItemFn) {
        self.check(&method.vis, &method.sig, &method.attrs);
    }

    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        self.check(&function.vis, &function.sig, &function.attrs);
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}

fn sends(signature: &Signature) -> bool {
    let ReturnType::Type(_, returned) = &signature.output else {
        return signature.asyncness.is_some();
    };
    let Type::Path(path) = &**returned else { return signature.asyncness.is_some() };
    let name = path.path.segments.last().map(|it| it.ident.to_string());
    signature.asyncness.is_some() || name.is_some_and(|name| SENT.contains(&name.as_str()))
}

fn documentation(attributes: &[Attribute]) -> String {
    let docs = attributes.iter().filter(|it| it.path().is_ident("doc"));
    let lines = docs.filter_map(|doc| {
        let syn::Meta::NameValue(value) = &doc.meta else { return None };
        let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &value.value else {
            return None;
        };
        Some(text.value())
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn sending_methods(sources: &[TextFile]) -> SendingMethods {
    let mut all = SendingMethods::default();
    for source in sources {
        let mut methods = SendingMethods::default();
        methods.visit_file(&syn::parse_file(&source.text).unwrap());
        all.found += methods.found;
        let names = methods.without_example.into_iter();
        all.without_example.extend(names.map(|name| format!("{}: {name}", source.path)));
    }
    all
}

/// What is public for a crate of this repository alone, or not at all.
const HIDDEN: [&str; 3] = ["sdk/src/blocking.rs", "sdk/src/generated.rs", "sdk/src/runs.rs"];

#[test]
fn every_method_that_sends_has_an_example() {
    let sources: Vec<_> = files(&["rs"])
        .into_iter()
        .filter(|file| ["sdk/src/", "pages/src/"].iter().any(|it| file.path.starts_with(it)))
        .filter(|file| !file.path.contains("/tests") && !HIDDEN.contains(&&*file.path))
        .collect();
    let methods = sending_methods(&sources);
    assert!(methods.without_example.is_empty(), "no example: {:#?}", methods.without_example);
    assert!(methods.found > 70, "only {} methods that send were found", methods.found);
}

#[test]
fn a_method_without_an_example_is_detected() {
    let text = "
        impl Handle {
            /// Reads.
            ///
            /// ```
            /// ```
            pub fn shown(&self) -> Call<Slot> { todo!() }
            /// Reads.
            pub fn bare(&self) -> crate::Call<Slot> { todo!() }
            /// Visits.
            pub async fn visit(&self) {}
            /// Returns options.
            pub fn with(self) -> Self { self }
            pub(crate) fn own(&self) -> Call<Slot> { todo!() }
        }
        impl Source for Handle { async fn token(&self) {} }
        #[cfg(test)]
        mod tests { pub async fn help() {} }
    ";
    let file = TextFile { path: "a.rs".to_owned(), text: text.to_owned() };
    let methods = sending_methods(&[file]);
    assert_eq!(
        (methods.found, methods.without_example),
        (3, vec!["a.rs: bare".to_owned(), "a.rs: visit".to_owned()])
    );
}
