//! HTML of a served preview: a page that looks like a link page on a phone, below a bar with what is known about it; which URLs become links, and
//! where images come from. Every text is escaped by the templates.

use links_sdk::Slot;
use maud::{DOCTYPE, Markup, html};

use super::shown_page::Preview;
use crate::context::prelude::*;
use crate::output::{diff_lines, unified};
use links_pages::page_file::local_image::LocalImage;

/// What a document shows.
#[derive(Default)]
pub(super) struct Screen {
    /// Name of the file.
    pub(super) file: String,
    /// Version of the document, by which the browser knows that there is a newer one.
    pub(super) version: u64,
    /// The last page that could be made of the file.
    pub(super) page: Option<Preview>,
    /// Problems of the file as it is now.
    pub(super) problems: Vec<FileProblem>,
    /// What the last apply refused of the file.
    pub(super) refused: Vec<FileProblem>,
    /// Result of the last apply.
    pub(super) notice: Option<Notice>,
    /// True if the user may apply the file from the browser.
    pub(super) may_apply: bool,
}

/// Problem of a file.
pub(super) struct FileProblem {
    /// Line, column and text of the line, if the problem has a place.
    pub(super) place: Option<(usize, usize, String)>,
    pub(super) message: String,
}

/// Result of an apply.
pub(super) struct Notice {
    pub(super) is_failure: bool,
    pub(super) lines: Vec<String>,
}

impl Screen {
    fn shown_problems(&self) -> &[FileProblem] {
        if self.problems.is_empty() { &self.refused } else { &self.problems }
    }
}

/// Returns a whole document. The head also has these elements, which may say what a document may load and so come first.
pub(super) fn whole(version: Option<u64>, title: &str, head: &Markup, body: &Markup) -> String {
    let document = html! {
        (DOCTYPE)
        html lang="en" data-version=[version] {
            head {
                meta charset="utf-8";
                (head)
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
            }
            body { (body) }
        }
    };
    document.into_string()
}

/// Returns the document of a screen.
pub(super) fn document(screen: &Screen) -> String {
    let login = screen.page.as_ref().map(|page| page.snapshot.login.as_str());
    let title = format!("links preview: {}", login.unwrap_or(&screen.file));
    let head = html! { link rel="stylesheet" href="style.css"; script src="script.js" defer {} };
    let body = html! {
        (bar(screen))
        @if let Some(page) = &screen.page {
            section #changes hidden { (changes(&screen.file, page)) }
            (page_body(page, &page.snapshot))
        }
    };
    whole(Some(screen.version), &title, &head, &body)
}

/// Returns a list of files whose pages are served below their numbers.
pub(super) fn file_list(files: &[String]) -> String {
    let head = html! { link rel="stylesheet" href="style.css"; };
    let body = html! {
        div .list {
            h1 { "links preview" }
            ul { @for (nth, file) in files.iter().enumerate() { li { a href={ (nth) "/" } { (file) } } } }
        }
    };
    whole(None, "links preview", &head, &body)
}

/// The bar that stays in view: what is wrong, done or to be confirmed is in it, wherever the page is scrolled.
fn bar(screen: &Screen) -> Markup {
    html! {
        header #bar {
            div .row {
                p {
                    strong { (screen.file) }
                    @if let Some(page) = &screen.page {
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
            @if let Some(notice) = &screen.notice {
                section #notice .failure[notice.is_failure] role="status" {
                    @for line in &notice.lines { p { (line) } }
                }
            }
            @if let Some(page) = &screen.page { (confirmation(screen, page)) }
        }
    }
}

fn can_apply(screen: &Screen) -> bool {
    let outlook = screen.page.as_ref().map(|page| &page.outlook);
    screen.shown_problems().is_empty()
        && outlook.is_some_and(|it| it.is_changed && it.refusal.is_none())
}

fn problems(screen: &Screen) -> Markup {
    let problems = screen.shown_problems();
    html! {
        @if !problems.is_empty() {
            section #problems role="alert" {
                @for problem in problems {
                    @match &problem.place {
                        Some((line, column, text)) => {
                            p { b { (screen.file) ":" (line) ":" (column) } " " (problem.message) }
                            pre { (text) }
                        }
                        None => { p { (problem.message) } }
                    }
                }
                @if screen.page.is_some() && screen.notice.is_none() { p .faint { "The page below is the last version without problems." } }
            }
        }
    }
}

fn confirmation(screen: &Screen, page: &Preview) -> Markup {
    let outlook = &page.outlook;
    html! {
        @if let Some(refusal) = outlook.refusal {
            section #refusal { p { "links apply would refuse this: " (refusal) } }
        } @else if screen.may_apply && !outlook.irreversible.is_empty() {
            section #confirm role="alert" hidden {
                ul { @for line in &outlook.plan { li class=[class(line)] { (line.text().trim()) } } }
                p { (outlook.irreversible.join(", ")) ". Press " kbd { "a" } " again to apply, or " kbd { "Esc" } " to cancel." }
            }
        }
    }
}

fn class(line: &StyledLine) -> Option<&'static str> {
    match line.tone {
        Style::Added => Some("added"),
        Style::Removed => Some("removed"),
        Style::Faint => Some("faint"),
        Style::Plain | Style::Changed => None,
    }
}

/// What changes for the reader, line by line.
pub(super) fn changes(file: &str, page: &Preview) -> Markup {
    let diff = diff_lines(&unified(("the page", &page.before), (file, &page.after)));
    html! {
        @if diff.is_empty() {
            p { @if page.outlook.is_changed { "No changes in the text." } @else { "No visible changes." } }
        } @else { pre { @for line in &diff { span class=[class(line)] { (line.text()) "\n" } } } }
    }
}

/// A page as it was or as the file makes it: its head, its socials and its slots, each as a visitor sees it.
pub(super) fn page_body(page: &Preview, snapshot: &PageSnapshot) -> Markup {
    let record = &snapshot.record;
    let text = |name: &str| text(record, name);
    let title = or(text("title"), &snapshot.login);
    let computed = record.get("computed");
    let is_active = computed.and_then(|it| it["moodActive"].as_bool()) != Some(false);
    html! {
        main .page {
            @if let Some(source) = image(page, text("bgImage")) { img .background src=(source) alt=""; }
            @match image(page, text("avatar")) {
                Some(source) => { img .avatar src=(source) alt="Avatar"; }
                None => { p .avatar aria-hidden="true" { (title.chars().next().unwrap_or(' ')) } }
            }
            h1 { (title) }
            @if !text("moodText").is_empty() && is_active { p .mood { (text("moodText")) } }
            @if !text("description").is_empty() { p .description { (text("description")) } }
            (socials(record))
            @for item in &snapshot.slots { (slot(page, item)) }
        }
    }
}

fn socials(record: &Object) -> Markup {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let icons = list(record.get("computed").and_then(|computed| computed.get("socials")));
    let links = list(record.get("socials"));
    html! {
        @if !links.is_empty() {
            ul .socials {
                @for (nth, social) in links.iter().enumerate() {
                    @let url = social["link"].as_str().unwrap_or_default();
                    @let icon = icons.get(nth).and_then(|it| it["icon"].as_str()).unwrap_or("link");
                    li { a href=[link(url)] title=(url) target="_blank" rel="noopener noreferrer" { (icon) } }
                }
            }
        }
    }
}

/// Schemes of URLs that become links.
const SCHEMES: [&str; 4] = ["https:", "http:", "mailto:", "tel:"];

/// Returns the URL if a browser may follow it.
fn link(url: &str) -> Option<&str> {
    let is_scheme = |scheme: &&str| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    SCHEMES.iter().any(is_scheme).then_some(url)
}

/// Returns the name by which documents load an image of this machine.
pub(super) fn image_name(image: &LocalImage) -> String {
    let kind = image.image_type.media_type().trim_start_matches("image/");
    format!("{}.{kind}", image.hash.get(..32).unwrap_or_default())
}

/// Returns the source of an image of the page: a file of this machine by its name, else the public URL on the host of the service's files.
fn image(page: &Preview, path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    if let Some(image) = page.images.get(path) {
        return Some(format!("image/{}", image_name(image)));
    }
    let origin = origin(&page.file_base)?;
    let url = format!("{}{}", page.file_base, path.trim_start_matches('/'));
    let is_there = url.strip_prefix(&origin).is_some_and(|rest| rest.starts_with('/'));
    is_there.then_some(url)
}

/// Returns the origin of the service's files, from which images may be loaded, if it is known and of https.
pub(super) fn origin(file_base: &str) -> Option<String> {
    let host = file_base.strip_prefix("https://")?.split('/').next()?;
    // It becomes a part of a header.
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':');
    (!host.is_empty() && host.chars().all(is_host)).then(|| format!("https://{host}"))
}

/// Returns a slot: a card with its texts, images and links, or a box with the type where there are none.
fn slot(page: &Preview, slot: &Slot) -> Markup {
    let data = &slot.data;
    if !slot.supported {
        return html! { p .other { "A slot of legacy type " (slot.kind) " appears here." } };
    }
    match slot.kind.as_str() {
        "button" => button(data),
        "divider" => html! { hr; },
        "form" => form(data, &page.forms),
        kind => match content(page, data) {
            content if content.0.is_empty() => {
                html! { p .other { "A slot of type " (kind) " appears here." } }
            }
            content => html! { section .card { (content) } },
        },
    }
}

/// Keys of the texts that name a slot or an item of it, that follow the name, and of the URLs that it leads to.
const NAMES: [&str; 3] = ["title", "question", "label"];
const TEXTS: [&str; 7] =
    ["description", "answer", "artist", "startsAt", "place", "price", "placeholder"];
const URLS: [&str; 2] = ["link", "url"];

/// Keys of the items of a slot.
const ITEMS: [&str; 3] = ["images", "items", "links"];

/// Returns what a slot or an item of it shows.
fn content(page: &Preview, data: &Map<String, Value>) -> Markup {
    let texts = |keys: &'static [&'static str]| {
        keys.iter().map(|key| text(data, key)).filter(|text| !text.is_empty())
    };
    let name = texts(&NAMES).next().unwrap_or_default();
    let url = texts(&URLS).find_map(link);
    let path = text(data, "image");
    html! {
        @match image(page, path) {
            Some(source) => { img src=(source) alt=(name) loading="lazy"; }
            None if path.is_empty() => {}
            None => { p .other { (path) } }
        }
        @match url {
            Some(url) => { h2 { a href=(url) target="_blank" rel="noopener noreferrer" { (or(name, url)) } } }
            None if name.is_empty() => {}
            None => { h2 { (name) } }
        }
        @for text in texts(&TEXTS) { p { (text) } }
        @for item in ITEMS.iter().flat_map(|key| items(data, key)) { div .item { (content(page, item)) } }
    }
}

fn button(data: &Map<String, Value>) -> Markup {
    let style = match text(data, "style") {
        "secondary" => "button secondary",
        "outline" => "button outline",
        _ => "button primary",
    };
    html! {
        p { a class=(style) href=[link(text(data, "link"))] title=(text(data, "link")) target="_blank" rel="noopener noreferrer" { (text(data, "title")) } }
    }
}

fn form(data: &Map<String, Value>, forms: &[LeadForm]) -> Markup {
    let id = text(data, "formId");
    let Some(form) = forms.iter().find(|form| form.id.eq_ignore_ascii_case(id)) else {
        return html! { p .other { "The form " (id) " does not exist." } };
    };
    let label = or(text(data, "buttonText"), &form.button_text);
    let fields = html! {
        @if let Some(text) = &form.description { p { (text) } }
        @if form.active {
            @for field in &form.fields {
                label { (field.label) @if field.required { " *" } input type="text" disabled placeholder=[field.placeholder.as_deref()]; }
            }
        } @else { p .faint { "This form is closed." } }
    };
    if text(data, "view") == "inline" {
        return html! {
            section .card.form { h2 { (form.title) } (fields) p { span .button.primary { (label) } } }
        };
    }
    html! {
        details .form { summary .button.primary { (label) } section .card { h2 { (form.title) } (fields) } }
    }
}

fn text<'d>(data: &'d Map<String, Value>, key: &str) -> &'d str {
    data.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn items<'d>(
    data: &'d Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'d Map<String, Value>> {
    data.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}

fn or<'t>(text: &'t str, otherwise: &'t str) -> &'t str {
    if text.is_empty() { otherwise } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_schemes_become_links() {
        for url in ["https://a.example", "HTTP://a.example", "mailto:a@b.example", "tel:+7"] {
            assert_eq!(link(url), Some(url));
        }
        for url in ["javascript:alert(1)", " https://a.example", "data:text/html,x", "", "/x", "é"]
        {
            assert_eq!(link(url), None, "{url}");
        }
    }

    #[test]
    fn only_a_plain_host_of_https_becomes_an_origin() {
        assert_eq!(origin("https://files.example/v1/").as_deref(), Some("https://files.example"));
        for base in [
            "",
            "http://files.example/",
            "https:///x",
            "https://a.example; script-src *//",
            "https://user@a.example/",
            "https://a.example 'self'/",
        ] {
            assert_eq!(origin(base), None, "{base}");
        }
    }
}
