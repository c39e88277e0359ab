//! Texts of pages and forms, and where a pattern occurs in them: the machinery of `links search`.

pub(crate) mod pattern;
pub(crate) mod report;
pub(crate) mod sources;
pub(crate) mod texts;

use std::ops::Range;

use self::pattern::Pattern;
use self::texts::{Area, PageText};
use crate::context::prelude::*;
use links_pages::page_file::node::Node;
use links_pages::page_file::{FilePlace, Places, Sources as FileSources};

/// Page or form that is read: its document, and where it is from.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) root: Node,
    pub(crate) is_form: bool,
    /// Key of the page in its file, or its login; name of the form in its file, or its id.
    pub(crate) name: String,
    /// Id of the page.
    page: Option<ProfileId>,
    /// Login of the page.
    login: Option<String>,
    /// URL of the page.
    url: Option<String>,
    /// File that it is read from, and the text of the file.
    pub(crate) file: Option<(PathBuf, FileSources)>,
}

/// Text in which the pattern occurs.
#[derive(Debug)]
pub(crate) struct Hit<'s> {
    source: &'s Source,
    text: PageText<'s>,
    /// File with line and column, both counted from 1.
    place: Option<(&'s Path, usize, usize)>,
    /// Where the pattern occurs in the text.
    places: Vec<Range<usize>>,
}

/// Searches a page or a form. Without areas every part of it is searched.
pub(crate) fn hits<'s>(source: &'s Source, pattern: &Pattern, areas: &[Area]) -> Vec<Hit<'s>> {
    let texts = texts::texts(&source.root, source.is_form);
    let mut places_of =
        source.file.as_ref().map(|(path, sources)| (path, sources, Places::new(sources)));
    let is_meant = |text: &PageText<'_>| areas.is_empty() || areas.contains(&text.area);
    let hit = |text: PageText<'s>| {
        let places = pattern.places(text.value);
        let first = places.first()?.clone();
        let place = places_of.as_mut().map(|(path, sources, places)| {
            let FilePlace { file, line, column } = places.of(offset(sources.text(), &text, first));
            let is_own = sources.file_of(text.span.start) == 0;
            (if is_own { path.as_path() } else { Path::new(file) }, line, column)
        });
        Some(Hit { source, text, place, places })
    };
    texts.into_iter().filter(is_meant).filter_map(hit).collect()
}

/// Returns where a part of a value is in its file. In a value that is written with escapes it may be its beginning.
fn offset(content: &str, text: &PageText<'_>, part: Range<usize>) -> usize {
    let written = content.get(text.span.clone()).unwrap_or_default();
    let hit = &text.value[part.clone()];
    // The same part may occur earlier where the pattern does not.
    let nth = text.value[..part.start].matches(hit).count();
    let found = written.match_indices(hit).nth(nth).or_else(|| written.match_indices(hit).next());
    text.span.start + found.map_or(0, |(at, _)| at)
}

impl Source {
    /// Returns a page or a form of which only the document is known.
    pub(crate) fn new(name: String, root: Node, is_form: bool) -> Self {
        Self { root, is_form, name, page: None, login: None, url: None, file: None }
    }
}

impl Hit<'_> {
    /// Returns the text as a record.
    fn json(&self) -> Value {
        let Self { source, text, place, .. } = self;
        let owner = text.owner.as_deref();
        json!({
            "page": source.page,
            "login": source.login,
            "where": text.area.name(),
            "id": owner.map(|it| &it.id),
            "type": owner.map(|it| &it.kind),
            "path": text.path.to_string(),
            "value": text.value,
            "url": source.url,
            "file": place.map(|(file, ..)| file.display().to_string()),
            "line": place.map(|(_, line, _)| line),
            "column": place.map(|(.., column)| column),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use links_pages::page_file::Document;

    const FILE: &str = "\
profile: cafe
title: 'Old menu'
slots:
  - id: 7
    type: text
    data:
      title: \"caf\\u00e9 old\"
      description: |
        Nothing here,
        but an old one: old
";

    fn found(pattern: &str, areas: &[Area]) -> Vec<String> {
        let document = Document::from_bytes("it.yaml", FILE.into()).unwrap();
        let (root, file) = (document.root, Some(("it.yaml".into(), document.sources)));
        let source = Source { file, ..Source::new("cafe".to_owned(), root, false) };
        let hits = hits(&source, &Pattern::new(pattern, true).unwrap(), areas);
        let shown = |hit: Hit<'_>| {
            let (_, line, column) = hit.place.unwrap();
            let PageText { area, path, .. } = hit.text;
            format!("{line}:{column} {} {path} {:?}", area.name(), hit.places)
        };
        hits.into_iter().map(shown).collect()
    }

    #[test]
    fn a_hit_in_a_file_has_its_line_and_column() {
        assert_eq!(
            found("(?i)old", &[]),
            [
                "2:9 profile title [0..3]",
                "7:25 slots data.title [6..9]",
                "10:16 slots data.description [21..24, 30..33]",
            ]
        );
        assert_eq!(found(r"old$", &[]), ["7:25 slots data.title [6..9]"]);
        assert_eq!(found(r"old\n", &[]), ["10:25 slots data.description [30..34]"]);
        // As it is written, the value has an escape.
        assert_eq!(found("é", &[]), ["7:14 slots data.title [3..5]"]);
        assert_eq!(found("(?i)old", &[Area::Profile, Area::Forms]), ["2:9 profile title [0..3]"]);
        assert_eq!(found("cafe|text|7", &[]), [""; 0]);
    }
}
