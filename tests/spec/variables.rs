//! Test of the names of environment variables: the tool mentions none that `env_vars.rs`, and with it the help topic, does not know.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, ImplItemConst, ItemConst, ItemMod, Lit, LitStr, Macro, MetaList};

use crate::modules::is_for_tests;
use crate::repository::{files, read};

/// Prefix of the variables of the tool.
const PREFIX: &str = "LINKS_";

/// Variables in the string literals and doc comments of a file, without those of its tests.
#[derive(Default)]
struct Variables(BTreeSet<String>);

impl Variables {
    fn of(source: &str) -> BTreeSet<String> {
        let mut variables = Self::default();
        variables.visit_file(&syn::parse_file(source).unwrap());
        variables.0
    }

    fn add(&mut self, text: &str) {
        for (at, _) in text.match_indices(PREFIX) {
            let is_name = |c: &char| c.is_ascii_uppercase() || *c == '_';
            let name: String = text[at..].chars().take_while(is_name).collect();
            if name != PREFIX {
                self.0.insert(name);
            }
        }
    }

    fn add_tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Literal(literal) => self.add(&literal.to_string()),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Variables {
    fn visit_lit_str(&mut self, literal: &'ast LitStr) {
        self.add(&literal.value());
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.add_tokens(call.tokens.clone());
    }

    fn visit_meta_list(&mut self, list: &'ast MetaList) {
        self.add_tokens(list.tokens.clone());
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}

/// Constants of a file whose value is a string, or the path of another constant.
#[derive(Default)]
struct Constants {
    strings: BTreeMap<String, String>,
    /// Last names of the paths.
    paths: Vec<String>,
}

impl Constants {
    fn of(source: &str) -> Self {
        let mut constants = Self::default();
        constants.visit_file(&syn::parse_file(source).unwrap());
        constants
    }

    fn add(&mut self, name: &Ident, value: &Expr) {
        match value {
            Expr::Lit(literal) => {
                if let Lit::Str(text) = &literal.lit {
                    self.strings.insert(name.to_string(), text.value());
                }
            }
            Expr::Path(path) => {
                self.paths.extend(path.path.segments.last().map(|last| last.ident.to_string()));
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Constants {
    fn visit_item_const(&mut self, item: &'ast ItemConst) {
        self.add(&item.ident, &item.expr);
    }

    fn visit_impl_item_const(&mut self, item: &'ast ImplItemConst) {
        self.add(&item.ident, &item.expr);
    }
}

/// Returns the variables that `env_vars.rs` has constants for; the others are constants of the libraries.
fn known() -> BTreeSet<String> {
    let Constants { strings, paths } = Constants::of(&read("cli/src/env_vars.rs"));
    let mut of_libraries = Constants::of(&read("sdk/src/token.rs")).strings;
    of_libraries.extend(Constants::of(&read("pages/src/fs/named.rs")).strings);
    let of_sdk = paths.iter().map(|name| of_libraries[name].clone());
    strings.into_values().chain(of_sdk).collect()
}

#[test]
fn every_variable_that_the_tool_mentions_has_a_constant() {
    let known = known();
    for name in ["LINKS_OUTPUT", "LINKS_TOKEN", "LINKS_TOKEN_FILE"] {
        assert!(known.contains(name), "{name}: {known:?}");
    }
    let mut unknown = Vec::new();
    let mut count = 0;
    for file in files(&["rs"]) {
        let is_of_tool = ["cli/src/", "pages/src/"].iter().any(|it| file.path.starts_with(it))
            && file.path != "cli/src/env_vars.rs";
        if is_of_tool && !file.path.ends_with("/tests.rs") {
            let names = Variables::of(&file.text);
            count += names.len();
            let names = names.into_iter().filter(|name| !known.contains(name));
            unknown.extend(names.map(|name| format!("{}: {name}", file.path)));
        }
    }
    assert!(count > 5, "the sources were not read");
    assert!(unknown.is_empty(), "`env_vars.rs` does not know:\n{}", unknown.join("\n"));
    let sample = r#"
        /// Reads `LINKS_A`.
        #[arg(help = "Format [env: LINKS_B]")]
        fn f() { g("LINKS_C=1"); format!("{x}, or LINKS_D_E: {}", [h("LINKS_F")]); }
        const LINKS_G: u8 = 0;
        #[cfg(test)] mod tests { const NAME: &str = "LINKS_H"; }
    "#;
    let names: Vec<_> = Variables::of(sample).into_iter().collect();
    assert_eq!(names, ["LINKS_A", "LINKS_B", "LINKS_C", "LINKS_D_E", "LINKS_F"]);
}
