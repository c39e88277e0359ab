//! Output of a search: lines like those of grep, and records.

use super::Hit;
use super::pattern::{Piece, excerpt, width};
use super::texts::{Area, PageText};
use crate::context::prelude::*;
use crate::output::{Column, Instead};
use crate::ui::cut;

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

/// Maximum widths of the columns before the value.
const WIDTHS: [usize; 3] = [40, 32, 32];

/// Maximum width of a title.
const TITLE: usize = 24;

/// Columns of a value where the output has no width of its own.
const VALUE: usize = 100;

/// Minimum number of columns of a value; URLs make room for it.
const VALUE_MIN: usize = 24;

const GAP: usize = 2;

/// Returns the output of a search. `columns` is the width of the terminal.
pub(crate) fn output(hits: &[Hit<'_>], columns: Option<usize>) -> CommandOutput {
    let data: Vec<Value> = hits.iter().map(Hit::json).collect();
    let view = View::Listing(lines(hits, columns), Instead::Columns(COLUMNS));
    CommandOutput::own(data, view).exit(if hits.is_empty() { Exit::No } else { Exit::Ok })
}

fn lines(hits: &[Hit<'_>], columns: Option<usize>) -> Vec<StyledLine> {
    let cells = |hit: &Hit<'_>| {
        let cells = [place(hit), owner(hit), hit.text.path.to_string()];
        // On a terminal a long cell would leave no room for the value; elsewhere each is whole.
        let fitted = cells.iter().zip(WIDTHS).map(|(cell, most)| match columns {
            Some(_) => cut(&shown(cell), most),
            None => shown(cell),
        });
        fitted.collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> = hits.iter().map(cells).collect();
    let widths: Vec<usize> = (0..WIDTHS.len())
        .map(|nth| {
            let widths = rows.iter().map(|row| width(&row[nth]));
            widths.filter(|width| *width <= WIDTHS[nth]).max().unwrap_or_default()
        })
        .collect();
    let before: usize = widths.iter().map(|width| width + GAP).sum();
    let url = hits.iter().filter_map(|hit| hit.source.url.as_deref()).map(width).max();
    let with_url = url.map_or(0, |url| url + GAP);
    let left = columns.map(|columns| columns.saturating_sub(before));
    let has_urls = url.is_some() && left.is_none_or(|left| left >= with_url + VALUE_MIN);
    let room =
        left.map_or(VALUE, |left| (if has_urls { left - with_url } else { left }).max(VALUE_MIN));
    let values: Vec<Vec<Piece>> =
        hits.iter().map(|hit| excerpt(hit.text.value, &hit.places, room)).collect();
    let value_width = |pieces: &[Piece]| pieces.iter().map(|it| width(&it.0)).sum::<usize>();
    let widest = values.iter().map(|pieces| value_width(pieces)).max().unwrap_or_default();
    let mut lines = Vec::new();
    for (nth, hit) in hits.iter().enumerate() {
        let mut line = StyledLine::plain("");
        for (cell, wide) in rows[nth].iter().zip(&widths) {
            line.push(cell, false);
            line.push(&" ".repeat(wide.saturating_sub(width(cell)) + GAP), false);
        }
        for (piece, is_marked) in &values[nth] {
            line.push(piece, *is_marked);
        }
        if let Some(url) = hit.source.url.as_ref().filter(|_| has_urls) {
            line.push(&" ".repeat(widest - value_width(&values[nth]) + GAP), false);
            line.push(url, false);
        }
        lines.push(line);
    }
    lines
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

/// Returns a cell as it will be shown.
fn shown(cell: &str) -> String {
    StyledLine::plain(cell).text().to_owned()
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
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

    fn shown_lines(hits: &[Hit<'_>], columns: Option<usize>) -> Vec<String> {
        lines(hits, columns).iter().map(|line| line.text().to_owned()).collect()
    }

    #[test]
    fn hits_are_aligned_and_cut_to_the_width_of_the_terminal() {
        let long = format!("{} our menu {}", "before ".repeat(20), "after ".repeat(20));
        let book = Owner { id: Some(json!("6f1c")), kind: None, title: Some("Book".into()) };
        let (cafe, weddings, form) = (page("cafe"), page("qara.weddings"), form());
        let hits = [
            hit(&cafe, Area::Profile, None, "title", "The Menu"),
            hit(&weddings, Area::Slots, Some(slot(1002)), "data.title", &long),
            hit(&form, Area::Forms, Some(book), "fields.0.label", "Menu?"),
        ];
        assert_eq!(
            shown_lines(&hits, Some(120)),
            [
                "cafe           profile      title           The Menu                                 https://links.example/cafe",
                "qara.weddings  button 1002  data.title      …before  our menu after after after af…  https://links.example/qara.weddings",
                "-              form \"Book\"  fields.0.label  Menu?",
            ]
        );
        for columns in [60, 80, 100, 200] {
            let lines = shown_lines(&hits, Some(columns));
            assert!(
                lines.iter().all(|line| width(line) <= columns.max(70)),
                "{columns}: {lines:#?}"
            );
        }
        assert!(!shown_lines(&hits, Some(60))[0].contains("https"));
        assert!(shown_lines(&hits, None)[1].contains("before  our menu after after"));
    }

    #[test]
    fn what_a_page_says_cannot_drive_the_terminal() {
        let page = page("ca\u{1b}[2Jfe");
        let value = "a\u{1b}[31mmenu\u{202e}\nforged";
        let hostile = hit(&page, Area::Slots, Some(slot(1)), "data.a\nb", value);
        let lines = lines(&[hostile], Some(100));
        let text = lines[0].text();
        assert!(!text.contains(['\u{1b}', '\n', '\u{202e}']), "{text:?}");
        let marked: Vec<_> =
            lines[0].parts().filter(|(text, is)| *is && !text.is_empty()).collect();
        assert_eq!(marked, [("menu", true)]);
    }
}
