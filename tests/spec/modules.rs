//! Imports between the files of a crate, read from its source.
//!
//! A path counts as an import of the file that defines what it names: re-exports are followed, so that a `mod.rs` with re-exports only is
//! not imported by the users of these names, and so are the names that `use` gives to modules. A re-export counts as an import too, unless it
//! names something below the file itself. Test modules are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, UseTree, Visibility};

/// Path of a module below the crate: `["ui", "table"]`.
pub(crate) type Module = Vec<String>;

/// An import: the importing module, the imported one, and what is named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Import {
    pub(crate) from: Module,
    pub(crate) to: Module,
    pub(crate) name: String,
}

/// The modules of a crate and the imports between them.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    files: BTreeSet<Module>,
    /// By module and name, the path that a `pub use` re-exports.
    exports: BTreeMap<(Module, String), Vec<String>>,
    /// By module and name, the path that a `use` names, as it is written there.
    aliases: BTreeMap<(Module, String), Vec<String>>,
    pub(crate) imports: BTreeSet<Import>,
}

/// The paths that a file names.
#[derive(Default)]
struct Paths {
    /// The module that is being read; inline modules extend it.
    here: Module,
    found: Vec<(Module, Vec<String>)>,
    exported: Vec<(Module, String, Vec<String>)>,
    aliases: Vec<(Module, String, Vec<String>)>,
}

/// Returns the text of a file below `src`, if there is one.
type Source<'s> = &'s dyn Fn(&Path) -> Option<String>;

impl Modules {
    /// Reads the crate whose root is `src/lib.rs`.
    pub(crate) fn read(src: &Path) -> Self {
        Self::of(&|file: &Path| std::fs::read_to_string(src.join(file)).ok())
    }

    fn of(source: Source<'_>) -> Self {
        let mut modules = Self::default();
        let mut paths = Paths::default();
        modules.read_file(Module::new(), Path::new("lib.rs"), source, &mut paths);
        let aliases = std::mem::take(&mut paths.aliases).into_iter();
        modules.aliases = aliases.map(|(module, name, path)| ((module, name), path)).collect();
        for (module, name, path) in std::mem::take(&mut paths.exported) {
            let path = modules.absolute(&module, &path);
            modules.exports.extend(path.map(|path| ((module, name), path)));
        }
        for ((module, _), path) in modules.exports.clone() {
            // A parent that only names its children does not import them.
            if !path.starts_with(&modules.file_of(&module)) {
                modules.add_import(&module, path);
            }
        }
        for (from, path) in paths.found {
            if let Some(path) = modules.absolute(&from, &path) {
                modules.add_import(&from, path);
            }
        }
        modules
    }

    fn add_import(&mut self, from: &[String], path: Vec<String>) {
        let from = self.file_of(from);
        let path = self.defined(path);
        let to = self.file_of(&path);
        let name = path.get(to.len()).cloned().unwrap_or_else(|| "(the module)".to_owned());
        if from != to {
            self.imports.insert(Import { from, to, name });
        }
    }

    /// Returns the modules that have a file.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Module> {
        self.files.iter()
    }

    /// Returns the groups of modules that import each other in a cycle.
    pub(crate) fn cycles(&self) -> Vec<BTreeSet<&Module>> {
        let reach: BTreeMap<&Module, BTreeSet<&Module>> =
            self.files.iter().map(|module| (module, self.reachable(module))).collect();
        let mut cycles: Vec<BTreeSet<&Module>> = Vec::new();
        for (module, reached) in &reach {
            if reached.contains(module) && !cycles.iter().any(|cycle| cycle.contains(module)) {
                cycles.push(
                    reached.iter().copied().filter(|it| reach[it].contains(module)).collect(),
                );
            }
        }
        cycles
    }

    fn reachable<'m>(&'m self, start: &'m Module) -> BTreeSet<&'m Module> {
        let mut waiting = vec![start];
        let mut reached = BTreeSet::new();
        while let Some(module) = waiting.pop() {
            let imports = self.imports.iter().filter(|it| it.from == *module);
            waiting.extend(imports.map(|it| &it.to).filter(|it| reached.insert(*it)));
        }
        reached
    }

    fn read_file(&mut self, module: Module, file: &Path, source: Source<'_>, paths: &mut Paths) {
        let text = source(file).unwrap_or_else(|| panic!("{}: not found", file.display()));
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
        paths.here.clone_from(&module);
        paths.visit_file(&parsed);
        self.files.insert(module.clone());
        for item in &parsed.items {
            let Item::Mod(ItemMod { ident, content: None, attrs, .. }) = item else { continue };
            if is_for_tests(attrs) {
                continue;
            }
            let child: Module = module.iter().cloned().chain([ident.to_string()]).collect();
            let below = PathBuf::from(child.join("/"));
            let (flat, directory) = (below.with_extension("rs"), below.join("mod.rs"));
            let file = if source(&flat).is_some() { flat } else { directory };
            self.read_file(child, &file, source, paths);
        }
    }

    /// Returns the longest beginning of a path that is a module with a file.
    fn file_of(&self, path: &[String]) -> Module {
        (0..=path.len()).rev().find_map(|end| self.files.get(&path[..end])).unwrap().clone()
    }

    /// Returns a path from the root of the crate. `None` for a path into another crate.
    fn absolute(&self, from: &[String], path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some(rest.to_vec()),
            "self" => self.absolute_below(from, rest),
            "super" => self.absolute_below(&from[..from.len().checked_sub(1)?], rest),
            name => {
                let child: Module = from.iter().cloned().chain([name.to_owned()]).collect();
                if self.files.contains(&child) {
                    return Some([&child, rest].concat());
                }
                let named = self.aliases.get(&(from.to_vec(), name.to_owned()))?;
                let named = self.absolute(from, named)?;
                Some([&named, rest].concat())
            }
        }
    }

    fn absolute_below(&self, from: &[String], rest: &[String]) -> Option<Vec<String>> {
        match rest.first().map(String::as_str) {
            Some("super") => self.absolute(from, rest),
            _ => Some([from, rest].concat()),
        }
    }

    /// Returns the path at which the target of a path is defined.
    fn defined(&self, mut path: Vec<String>) -> Vec<String> {
        for _ in 0..8 {
            let file = self.file_of(&path);
            let Some(name) = path.get(file.len()) else { return path };
            let Some(target) = self.exports.get(&(file.clone(), name.clone())) else { return path };
            path = [target, &path[file.len() + 1..]].concat();
        }
        path
    }
}

impl Paths {
    fn follow(&mut self, tree: &UseTree, before: &[String], exported: bool) {
        let with = |name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
        let (name, path) = match tree {
            UseTree::Path(path) => {
                return self.follow(&path.tree, &with(path.ident.to_string()), exported);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.follow(tree, before, exported));
            }
            UseTree::Glob(_) => (None, before.to_vec()),
            UseTree::Name(name) if name.ident == "self" => {
                (before.last().cloned(), before.to_vec())
            }
            UseTree::Name(name) => (Some(name.ident.to_string()), with(name.ident.to_string())),
            UseTree::Rename(renamed) if renamed.ident == "self" => {
                (Some(renamed.rename.to_string()), before.to_vec())
            }
            UseTree::Rename(renamed) => {
                (Some(renamed.rename.to_string()), with(renamed.ident.to_string()))
            }
        };
        // `use tokio;` gives no new name.
        if let Some(name) = name.as_ref().filter(|name| path.first() != Some(*name)) {
            self.aliases.push((self.here.clone(), name.clone(), path.clone()));
        }
        match name {
            Some(name) if exported => self.exported.push((self.here.clone(), name, path)),
            _ => self.found.push((self.here.clone(), path)),
        }
    }

    /// Finds the paths among tokens: names with `::` between them.
    fn read_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Vec::new(), 0);
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end_path(&mut path);
                    }
                    path.push(name.to_string());
                }
                TokenTree::Group(group) => {
                    self.end_path(&mut path);
                    self.read_tokens(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => self.end_path(&mut path),
            }
            colons = 0;
        }
        self.end_path(&mut path);
    }

    fn end_path(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.found.push((self.here.clone(), path));
        }
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let exported = !matches!(item.vis, Visibility::Inherited);
        self.follow(&item.tree, &[], exported);
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if is_for_tests(&item.attrs) || item.content.is_none() {
            return;
        }
        self.here.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.here.pop();
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.segments.len() > 1 {
            let names = path.segments.iter().map(|it| it.ident.to_string()).collect();
            self.found.push((self.here.clone(), names));
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        // A parser does not see paths in the arguments of a macro.
        self.read_tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}

pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Expr>()
                .is_ok_and(|it| matches!(it, syn::Expr::Path(path) if path.path.is_ident("test")))
    })
}

#[test]
fn imports_are_found_through_reexports_names_of_modules_and_macros() {
    let files = [
        ("lib.rs", "mod lower; mod ui; mod upper;"),
        (
            "lower.rs",
            "pub(crate) use crate::upper::X; use crate::ui; use crate::ui::{self as terminal};
            fn f() { ui::table::f(); terminal::Y::f(); a!(b, [ui::prompt::g(c)]); std::mem::drop(d); }",
        ),
        ("ui/mod.rs", "mod prompt; mod rows; mod table; pub(crate) use rows::Y;"),
        ("ui/prompt.rs", ""),
        ("ui/rows.rs", ""),
        ("ui/table.rs", "#[cfg(test)] mod tests { use crate::upper::X; }"),
        ("upper.rs", ""),
    ];
    let modules = Modules::of(&|path: &Path| {
        let (_, text) = files.iter().find(|(name, _)| Path::new(name) == path)?;
        Some((*text).to_owned())
    });
    let imports = modules.imports.iter();
    let imports: Vec<_> = imports
        .map(|it| format!("{} -> {}: {}", it.from.join("::"), it.to.join("::"), it.name))
        .collect();
    assert_eq!(
        imports,
        [
            "lower -> ui: (the module)",
            "lower -> ui::prompt: g",
            "lower -> ui::rows: Y",
            "lower -> ui::table: f",
            "lower -> upper: X",
        ]
    );
}
