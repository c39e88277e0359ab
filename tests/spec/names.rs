//! Tests of names in the sources: `it` only as the parameter of a closure that fits one line, no type name twice in a crate, and no retired
//! type name.

use std::collections::BTreeMap;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Expr, ExprClosure, ItemEnum, ItemMod, ItemStruct, ItemTrait, ItemType, Macro, PatIdent, Token,
};

use crate::modules::is_for_tests;
use crate::repository::{TextFile, files};

/// Names that types had before they got the standard ones, and names that say too little about a type.
const RETIRED_TYPES: &[&str] = &[
    "Advice",
    "AllowedArgs",
    "Alone",
    "Asked",
    "BadFile",
    "Complaint",
    "Described",
    "Exchange",
    "Failure",
    "Frozen",
    "Given",
    "Guarded",
    "Head",
    "Held",
    "Hurried",
    "InProcess",
    "Job",
    "Kept",
    "Known",
    "Line",
    "Log",
    "LoginEnd",
    "Many",
    "Offer",
    "Outside",
    "Page",
    "Planned",
    "Problem",
    "Questions",
    "Rehearsal",
    "Runs",
    "Said",
    "Sending",
    "SharedFile",
    "Stage",
    "Tended",
    "Tone",
    "Turn",
    "Unbroken",
    "Via",
    "Withheld",
    "Writes",
];

/// Names that a file defines.
#[derive(Default)]
struct Names {
    /// Lines that bind `it` where it needs a name of its own.
    it: Vec<usize>,
    types: Vec<String>,
    /// Types in modules of tests.
    test_types: Vec<String>,
}

impl Names {
    fn of(text: &str) -> Self {
        let mut names = Self::default();
        names.visit_file(&syn::parse_file(text).unwrap());
        names
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        let span = closure.span();
        if span.start().line != span.end().line {
            closure.inputs.iter().for_each(|input| self.visit_pat(input));
        }
        self.visit_expr(&closure.body);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        if pattern.ident == "it" {
            self.it.push(pattern.span().start().line);
        }
        visit::visit_pat_ident(self, pattern);
    }

    /// Reads the arguments of macros that look like function calls, such as `assert!`.
    fn visit_macro(&mut self, call: &'ast Macro) {
        let arguments = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        for argument in arguments.into_iter().flatten() {
            let mut inside = Self::default();
            inside.visit_expr(&argument);
            self.it.append(&mut inside.it);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.types.push(item.ident.to_string());
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.types.push(item.ident.to_string());
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.types.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.types.push(item.ident.to_string());
        visit::visit_item_type(self, item);
    }

    /// Visits a module; the types of a module of tests are kept apart.
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let outside = std::mem::take(&mut self.types);
        visit::visit_item_mod(self, item);
        let inside = std::mem::replace(&mut self.types, outside);
        let types = if is_for_tests(&item.attrs) { &mut self.test_types } else { &mut self.types };
        types.extend(inside);
    }
}

/// Returns the source files below these directories, without the generated one.
fn sources(directories: &[&str]) -> Vec<TextFile> {
    let mut found = files(&["rs"]);
    found.retain(|file| {
        directories.iter().any(|directory| file.path.starts_with(directory))
            && !file.path.ends_with("generated.rs")
    });
    assert!(found.len() > 5, "{directories:?} were not read");
    found
}

#[test]
fn it_names_only_the_parameter_of_a_closure_on_one_line() {
    let mut found = Vec::new();
    for file in sources(&["cli/", "pages/", "sdk/", "fixtures/", "spec/", "tests/"]) {
        let lines = Names::of(&file.text).it.into_iter();
        found.extend(lines.map(|line| format!("{}:{line}", file.path)));
    }
    assert!(found.is_empty(), "`it` needs a name that says what it is:\n{}", found.join("\n"));
    let sample = "fn f(it: u8) {\n a(|it| b(it));\n a!(|it| {\n it });\n if let Some(it) = c {} }";
    assert_eq!(Names::of(sample).it, [1, 3, 5]);
}

#[test]
fn a_type_name_means_one_thing_in_a_crate() {
    for directory in ["cli/src/", "pages/src/", "sdk/src/", "fixtures/src/", "spec/src/"] {
        let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in sources(&[directory]) {
            if !file.path.ends_with("tests.rs") {
                for name in Names::of(&file.text).types {
                    places.entry(name).or_default().push(file.path.clone());
                }
            }
        }
        places.retain(|_, paths| paths.len() > 1);
        assert!(places.is_empty(), "{directory}: {places:#?}");
    }
}

#[test]
fn no_type_has_a_retired_name() {
    let mut found = Vec::new();
    for file in sources(&["cli/", "pages/", "sdk/", "fixtures/", "spec/", "tests/"]) {
        let Names { types, test_types, .. } = Names::of(&file.text);
        let retired = types.into_iter().chain(test_types);
        let retired = retired.filter(|name| RETIRED_TYPES.contains(&name.as_str()));
        found.extend(retired.map(|name| format!("{}: {name}", file.path)));
    }
    assert!(found.is_empty(), "the type needs another name:\n{}", found.join("\n"));
    let sample = "struct Kept; mod a { enum Job {} } #[cfg(test)] mod tests { trait Via {} }";
    let Names { types, test_types, .. } = Names::of(sample);
    assert_eq!(types, ["Kept", "Job"]);
    assert_eq!(test_types, ["Via"]);
}
