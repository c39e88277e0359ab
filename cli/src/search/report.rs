//! Output of a search: lines like those of grep, and records.

use super::Hit;
use super::pattern::excerpt;
use super::texts::{Area, PageText};
use crate::context::prelude::*;
use crate::output::format::compact;
use crate::output::{Column, Instead};
use crate::ui::{aligned, cut};

/// Columns of the table in a document.
const COLUMNS: &[Column] = &[
    Column::of("PAGE", |record| {
        ["login", "page", "file"].iter().find_map(|key| word(&record[key])).unwrap_or_default()
    }),
    Column::at("WHERE", "where"),
    Column::at("ID", "id"),
    Column::at("TYPE", "type"),
    Column::at("PATH", "path"),
    Column::at("VALUE", "value"),
    Column::at("URL", "url"),
];

/// Maximum widths to which columns are aligned; longer cells push the rest of their line.
const WIDTHS: [usize; 3] = [40, 32, 32];

/// Maximum width of a title.
const TITLE: usize = 24;

/// Maximum number of columns of a value.
const VALUE: usize = 60;

/// Returns the output of a search.
pub(crate) fn output(hits: &[Hit<'_>]) -> CommandOutput {
    let data: Vec<Value> = hits.iter().map(Hit::json).collect();
    let view = View::Listing(lines(hits), Instead::Columns(COLUMNS));
    CommandOutput::own(data, view).no_if(hits.is_empty())
}

fn lines(hits: &[Hit<'_>]) -> Vec<StyledLine> {
    let cells = |hit: &Hit<'_>| [place(hit), owner(hit), hit.text.path.to_string()];
    let rows: Vec<[String; 3]> = hits.iter().map(cells).collect();
    let line = |(hit, row): (&Hit<'_>, String)| {
        let mut line = StyledLine::plain(row);
        for (piece, is_marked) in excerpt(hit.text.value, &hit.places, VALUE) {
            line.push(&piece, is_marked);
        }
        if let Some(url) = &hit.source.url {
            line.push(&format!("  {url}"), false);
        }
        line
    };
    hits.iter().zip(aligned(&rows, WIDTHS)).map(line).collect()
}

/// Returns where a hit is: its page, or file, line and column.
fn place(hit: &Hit<'_>) -> String {
    match &hit.place {
        Some((file, line, column)) => format!("{}:{line}:{column}", file.display()),
        None => hit.source.login.clone().unwrap_or_else(|| "-".to_owned()),
    }
}

/// Returns what a text belongs to: `button 1002`, `form "Book"`, or the part of the page.
fn owner(hit: &Hit<'_>) -> String {
    let PageText { area, owner, .. } = &hit.text;
    let Some(owner) = owner else { return area.name().to_owned() };
    let other = if *area == Area::Forms { "form" } else { "slot" };
    let kind = owner.kind.as_deref().unwrap_or(other);
    let name = match (&owner.id, &owner.title) {
        (Some(Value::Number(id)), _) => id.to_string(),
        (_, Some(title)) => format!("\"{}\"", cut(title, TITLE)),
        (Some(id), None) => word(id).unwrap_or_default(),
        (None, None) => return kind.to_owned(),
    };
    format!("{kind} {name}")
}

fn word(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| compact(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Source;
    use super::super::pattern::Pattern;
    use super::super::texts::Owner;
    use super::*;
    use links_pages::page_file::node::Node;
    use links_pages::page_file::patch::Path;

    fn page(login: &str) -> Source {
        Source {
            page: Some(101.into()),
            login: Some(login.to_owned()),
            url: Some(format!("https://links.example/{login}")),
            ..form()
        }
    }

    fn form() -> Source {
        Source::new(String::new(), Node::of_json(&json!({})), false)
    }

    fn hit<'s>(
        source: &'s Source,
        area: Area,
        owner: Option<Owner>,
        path: &str,
        value: &'s str,
    ) -> Hit<'s> {
        let path = path.split('.').fold(Path::root(), Path::key);
        let places = Pattern::new("menu", false).unwrap().places(value);
        let owner = owner.map(Into::into);
        Hit { source, text: PageText { area, owner, path, value, span: 0..0 }, place: None, places }
    }

    fn slot(id: i64) -> Owner {
        let (kind, title) = (Some("button".to_owned()), Some("Menu".to_owned()));
        Owner { id: Some(json!(id)), kind, title }
    }

    #[test]
    fn hits_are_aligned_and_long_values_are_cut_around_the_hit() {
        let long = format!("{} our menu {}", "before ".repeat(20), "after ".repeat(20));
        let book = Owner { id: Some(json!("6f1c")), kind: None, title: Some("Book".into()) };
        let (cafe, weddings, form) = (page("cafe"), page("qara.weddings"), form());
        let hits = [
            hit(&cafe, Area::Profile, None, "title", "The Menu"),
            hit(&weddings, Area::Slots, Some(slot(1002)), "data.title", &long),
            hit(&form, Area::Forms, Some(book), "fields.0.label", "Menu?"),
        ];
        let lines = lines(&hits);
        assert_eq!(
            lines.iter().map(StyledLine::text).collect::<Vec<_>>(),
            [
                "cafe           profile      title           The Menu  https://links.example/cafe",
                "qara.weddings  button 1002  data.title      …before before  our menu after after after after after afte…  https://links.example/qara.weddings",
                "-              form \"Book\"  fields.0.label  Menu?",
            ]
        );
    }

    #[test]
    fn what_a_page_says_cannot_drive_the_terminal() {
        let page = page("ca\u{1b}[2Jfe");
        let value = "a\u{1b}[31mmenu\u{202e}\nforged";
        let hostile = hit(&page, Area::Slots, Some(slot(1)), "data.a\nb", value);
        let lines = lines(&[hostile]);
        let text = lines[0].text();
        assert!(!text.contains(['\u{1b}', '\n', '\u{202e}']), "{text:?}");
        let marked: Vec<_> =
            lines[0].parts().filter(|(text, is)| *is && !text.is_empty()).collect();
        assert_eq!(marked, [("menu", true)]);
    }
}
