//! Kinds of files: a file with `profile` is a page, one with `form` is a form.

use super::node::{Node, Tree};
use super::report::FieldDiagnostic;

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Page file.
    Page,
    /// Form file.
    Form,
}

impl FileKind {
    /// Returns the kind of a document by its keys. `None` if it has neither `profile` nor `form`.
    ///
    /// # Errors
    ///
    /// When it has both.
    pub(crate) fn of(root: &Node) -> Result<Option<Self>, FieldDiagnostic> {
        match (root.get("profile"), root.entry("form")) {
            (Some(_), Some((key, _))) => {
                let message = "a file must be a page (`profile`) or a form (`form`), not both";
                Err(FieldDiagnostic::new("form", key.span.clone(), message))
            }
            (Some(_), None) => Ok(Some(Self::Page)),
            (None, Some(_)) => Ok(Some(Self::Form)),
            (None, None) => Ok(None),
        }
    }

    /// Returns the kind of a document, for a command that takes both.
    ///
    /// # Errors
    ///
    /// When the document is neither, at its first key, or both.
    pub(crate) fn required(root: &Node) -> Result<Self, FieldDiagnostic> {
        let first = match &root.tree {
            Tree::Map(entries) => {
                entries.first().map(|(key, _)| (key.name.clone(), key.span.clone()))
            }
            _ => None,
        };
        let (path, span) = first.unwrap_or_else(|| (String::new(), root.span.clone()));
        Self::of(root)?.ok_or_else(|| {
            FieldDiagnostic::new(path, span, "this is neither a page nor a form")
                .help("a page begins with `profile: LOGIN`, a form with `form: NAME`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;

    #[test]
    fn the_kind_of_a_file_is_told_by_its_keys() {
        let kind = |text: &str| {
            let document = Document::from_bytes("it.yaml", text.into()).unwrap();
            FileKind::required(&document.root).map_err(|it| (it.span, it.message))
        };
        assert_eq!(kind("slots: []\nprofile: cafe\n"), Ok(FileKind::Page));
        assert_eq!(kind("title: A\nform: booking\n"), Ok(FileKind::Form));
        let both = "a file must be a page (`profile`) or a form (`form`), not both".to_owned();
        assert_eq!(kind("profile: cafe\nform: booking\n"), Err((14..18, both)));
        let neither = "this is neither a page nor a form".to_owned();
        assert_eq!(kind("name: x\ntitle: A\n"), Err((0..4, neither.clone())));
        assert_eq!(kind("- a\n"), Err((0..0, neither.clone())));
        assert_eq!(kind(""), Err((0..0, neither)));
    }
}
