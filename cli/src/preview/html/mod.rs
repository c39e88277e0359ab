//! HTML of a preview: a page that looks like a link page on a phone, below a bar with what is known about it. Every text is escaped by the
//! templates.

mod page;

use maud::{DOCTYPE, Markup, html};

pub(super) use page::image_origin;

use super::shown_page::Preview;
use crate::output::{Style, StyledLine, diff_lines, unified};

/// What a document shows.
pub(super) struct Screen<'s> {
    /// Name of the file.
    pub(super) file: &'s str,
    /// Version of the document, by which the browser knows that there is a newer one.
    pub(super) version: u64,
    /// The last page that could be made of the file.
    pub(super) page: Option<&'s Preview>,
    /// Problems of the file as it is now.
    pub(super) problems: &'s [FileProblem],
    /// Result of the last apply.
    pub(super) notice: Option<&'s Notice>,
    /// True if the user may apply the file from the browser.
    pub(super) may_apply: bool,
}

/// Problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileProblem {
    /// Line, column and text of the line, if the problem has a place.
    pub(super) place: Option<(usize, usize, String)>,
    pub(super) message: String,
}

/// Result of an apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Notice {
    pub(super) is_failure: bool,
    pub(super) lines: Vec<String>,
}

/// Returns the whole document.
pub(super) fn document(screen: &Screen<'_>) -> String {
    let login = screen.page.map(|page| page.snapshot.login.as_str());
    let document = html! {
        (DOCTYPE)
        html lang="en" data-version=(screen.version) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "links preview: " (login.unwrap_or(screen.file)) }
                link rel="stylesheet" href="style.css";
                script src="script.js" defer {}
            }
            body {
                (bar(screen))
                @if let Some(page) = screen.page {
                    (changes(screen.file, page))
                    (page::page(page))
                }
            }
        }
    };
    document.into_string()
}

/// The bar that stays in view: what is wrong, done or to be confirmed is in it, wherever the page is scrolled.
fn bar(screen: &Screen<'_>) -> Markup {
    html! {
        header #bar {
            div .row {
                p {
                    strong { (screen.file) }
                    @if let Some(page) = screen.page {
                        " " span #fidelity { (page.rendered_by) "; " (page.tokens.words()) }
                    }
                }
                nav {
                    button #show-changes type="button" disabled[screen.page.is_none()] { "Changes " kbd { "d" } }
                    @if screen.may_apply {
                        button #apply type="button" disabled[!can_apply(screen)] { "Apply " kbd { "a" } }
                    }
                }
            }
            (problems(screen))
            @if let Some(notice) = screen.notice {
                section #notice .failure[notice.is_failure] role="status" {
                    @for line in &notice.lines { p { (line) } }
                }
            }
            @if let Some(page) = screen.page { (confirmation(screen, page)) }
        }
    }
}

fn can_apply(screen: &Screen<'_>) -> bool {
    let outlook = screen.page.map(|page| &page.outlook);
    screen.problems.is_empty() && outlook.is_some_and(|it| it.is_changed && it.refusal.is_none())
}

fn problems(screen: &Screen<'_>) -> Markup {
    html! {
        @if !screen.problems.is_empty() {
            section #problems role="alert" {
                @for problem in screen.problems {
                    @match &problem.place {
                        Some((line, column, text)) => {
                            p { b { (screen.file) ":" (line) ":" (column) } " " (problem.message) }
                            pre { (text) }
                        }
                        None => { p { (problem.message) } }
                    }
                }
                @if screen.page.is_some() && screen.notice.is_none() { p .faint { "Below is the page of the last version without problems." } }
            }
        }
    }
}

fn confirmation(screen: &Screen<'_>, page: &Preview) -> Markup {
    let outlook = &page.outlook;
    html! {
        @if let Some(refusal) = outlook.refusal {
            section #refusal { p { "links apply would refuse this: " (refusal) } }
        } @else if screen.may_apply && !outlook.irreversible.is_empty() {
            section #confirm role="alert" hidden {
                ul { @for line in &outlook.named { li class=[class(line)] { (line.text().trim()) } } }
                p { (outlook.irreversible.join(", ")) ". Press " kbd { "a" } " again to apply, " kbd { "Esc" } " to leave it." }
            }
        }
    }
}

fn class(line: &StyledLine) -> Option<&'static str> {
    match line.style() {
        Style::Added => Some("added"),
        Style::Removed => Some("removed"),
        Style::Faint => Some("faint"),
        Style::Plain | Style::Changed => None,
    }
}

/// What changes for the reader, line by line.
fn changes(file: &str, page: &Preview) -> Markup {
    let diff = diff_lines(&unified(("the page", &page.before), (file, &page.after)));
    html! {
        section #changes hidden {
            @if diff.is_empty() { p { "Nothing changes for the reader." } }
            @else { pre { @for line in &diff { span class=[class(line)] { (line.text()) "\n" } } } }
        }
    }
}
