//! `links preview --html`: previews as files that need neither a server nor a network.

use maud::{Markup, PreEscaped, html};

use super::html::{changes, image_name, page_body, whole};
use super::shown_page::Preview;
use crate::account::pull::stem;
use crate::context::prelude::*;

const STYLE: &str = include_str!("assets/style.css");

/// What a document may load: nothing runs, and nothing is sent.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file: https:; \
                      base-uri 'none'; form-action 'none'";

/// Directory of the images below that of the documents.
const IMAGES: &str = "image";

/// Writes a document for each preview, and one that lists them and the files that cannot be previewed. Returns their paths, the list last.
///
/// # Errors
///
/// When a file cannot be written.
pub(crate) fn write(
    directory: &Path,
    previews: &[Preview],
    failures: &[CommandError],
) -> Result<Vec<PathBuf>> {
    let (mut paths, mut listed) = (Vec::new(), Vec::new());
    for preview in previews {
        for image in preview.images.values() {
            // An image that was changed since is missing.
            if let Ok(Some(bytes)) = image.read() {
                put(directory, &format!("{IMAGES}/{}", image_name(image)), &bytes)?;
            }
        }
        let name = name(&preview.snapshot.login, &paths);
        let document = document(&preview.snapshot.login, &page(preview));
        paths.push(put(directory, &name, document.as_bytes())?);
        listed.push((name, preview));
    }
    let list = document("links preview", &list(&listed, failures));
    paths.push(put(directory, INDEX, list.as_bytes())?);
    Ok(paths)
}

/// Name by which a document of a preview is recognized. No other file is replaced.
const GENERATOR: &str = "links preview --html";

/// Name of the list.
const INDEX: &str = "index.html";

/// Returns a name for the document of a page that no other one has.
fn name(login: &str, others: &[PathBuf]) -> String {
    let stem = stem(login, "page");
    let is_free = |name: &String| {
        !name.eq_ignore_ascii_case(INDEX)
            && !others.iter().any(|other| {
                other.file_name().is_some_and(|it| it.eq_ignore_ascii_case(name.as_str()))
            })
    };
    let numbered = (2..).map(|nth| format!("{stem}-{nth}.html"));
    let mut names = std::iter::once(format!("{stem}.html")).chain(numbered);
    names.find(is_free).unwrap_or_default()
}

fn put(directory: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf> {
    let path = directory.join(name);
    let parent = path.parent().unwrap_or(directory);
    let is_link = |it: &Path| it.is_symlink() && it != directory;
    let is_other = |bytes: Vec<u8>| !String::from_utf8_lossy(&bytes).contains(GENERATOR);
    let written = if is_link(parent) || is_link(&path) {
        Err(io::Error::other("it is a symbolic link"))
    } else if path.extension().is_some_and(|it| it == "html")
        && std::fs::read(&path).is_ok_and(is_other)
    {
        Err(io::Error::other("it already exists and is not a preview; choose another directory"))
    } else {
        std::fs::create_dir_all(parent).and_then(|()| atomic::write(&path, bytes, true))
    };
    written.map_err(cannot("write", &path))?;
    Ok(path)
}

fn document(title: &str, body: &Markup) -> String {
    let head = html! {
        meta http-equiv="Content-Security-Policy" content=(POLICY);
        meta name="generator" content=(GENERATOR);
        meta name="referrer" content="no-referrer";
        style { (PreEscaped(STYLE)) }
    };
    whole(None, title, &head, body)
}

/// A page before and after, and what changes for readers.
fn page(preview: &Preview) -> Markup {
    let live = preview.live.as_ref().filter(|_| preview.differs());
    html! {
        header #bar {
            div .row {
                p {
                    strong { (preview.file) } " "
                    span #fidelity { (preview.rendered_by) "; " (preview.tokens.words()) }
                }
                nav { a href=(INDEX) { "All pages" } }
            }
            @if let Some(refusal) = preview.outlook.refusal {
                section #refusal { p { "links apply would refuse this: " (refusal) } }
            }
        }
        @if preview.before == preview.after {
            section #changes { (changes(&preview.file, preview)) }
        } @else {
            details #changes { summary { "Changes in the text" } (changes(&preview.file, preview)) }
        }
        div .sides {
            @if let Some(live) = live {
                section { p .side { "Before" } (page_body(preview, live)) }
            }
            section {
                @if live.is_some() { p .side { "After" } }
                (page_body(preview, &preview.snapshot))
            }
        }
    }
}

/// The previews, those that change first, and the files that cannot be previewed.
fn list(previews: &[(String, &Preview)], failures: &[CommandError]) -> Markup {
    let (changed, same): (Vec<_>, Vec<_>) =
        previews.iter().partition(|(_, preview)| preview.differs());
    html! {
        div .list {
            h1 { "links preview" }
            p { (count(previews.len(), "page")) ", " (changed.len()) " changed" }
            ul {
                @for failure in failures { li { pre .removed { (words(failure)) } } }
                @for (name, preview) in changed.iter().chain(&same) {
                    li {
                        a href=(name) { (preview.snapshot.login) } " "
                        (state(preview)) " " span .faint { (preview.file) }
                    }
                }
            }
        }
    }
}

/// Returns an error with its places in the file.
fn words(failure: &CommandError) -> String {
    let places = failure.places().map(|(place, message)| format!("{place}: {message}"));
    let places: Vec<String> = places.collect();
    if places.is_empty() { failure.to_string() } else { places.join("\n") }
}

/// Returns what a preview shows in a word.
pub(super) fn state(preview: &Preview) -> &'static str {
    match (&preview.live, preview.differs()) {
        (_, false) => "unchanged",
        (None, true) => "new",
        (Some(_), true) => "changed",
    }
}
