//! Entry points for the fuzz targets in `fuzz/`: code that parses untrusted bytes. Each function panics if an invariant is violated.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use clap_complete::engine::CompletionCandidate;
use serde_json::json;

use crate::completion::line::{CompletionRequest, Quote};
use crate::completion::offer;
use crate::error::CommandError;
use crate::output::yaml;
use links_pages::form_file::FormFile;
use links_pages::page_file::local_image::ImageRoots;
use links_pages::page_file::patch::{Edit, Path};
use links_pages::page_file::{Document, FilePlace, Origins, PageFile};

/// Parses a page file or a form file, and renders its diagnostics.
///
/// # Panics
///
/// When the page differs after it was written as YAML and parsed again, or then contains references.
pub fn page_file(bytes: &[u8]) {
    let form = Document::from_bytes("form.yaml", bytes.to_vec()).and_then(FormFile::of);
    if let Err(problem) = form.map(|file| file.form) {
        failure(&problem.into());
    }
    if bytes.contains(&0) {
        return composed(bytes);
    }
    let read =
        |bytes: &[u8]| PageFile::from_bytes("page.yaml", bytes.to_vec(), &ImageRoots::none());
    match read(bytes) {
        Err(problem) => failure(&problem.into()),
        // Written as if the whole page had come from the service.
        Ok(mut file) => {
            let page = std::sync::Arc::make_mut(&mut file.page.content);
            page.fields.retain(|_, value| !value.is_object());
            file.page.has_slots = true;
            let Ok(text) = yaml(&file.page) else { return };
            match read(text.as_bytes()) {
                Ok(again) => {
                    assert_eq!(again.page, file.page, "{text}");
                    assert!(again.references.is_empty(), "{text}");
                }
                Err(problem) => panic!("{problem} in {text}"),
            }
        }
    }
}

/// Parses a page file with the files that it may use, which NUL characters separate, and finds where its values come from.
fn composed(bytes: &[u8]) {
    const USED: [&str; 4] = ["a.yaml", "b.yaml", "values.yaml", "t.csv"];
    let mut parts = bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec);
    let own = parts.next().unwrap_or_default();
    let texts: BTreeMap<_, _> = USED.map(PathBuf::from).into_iter().zip(parts).collect();
    let roots = ImageRoots::none().with_texts(move |path| texts.get(path).cloned());
    for name in ["page.yaml", "page.yaml#a"] {
        let file = match PageFile::from_bytes(name, own.clone(), &roots) {
            Ok(file) => file,
            Err(problem) => {
                failure(&problem.into());
                continue;
            }
        };
        let origins = Origins::new(&file.document.root, &file.document.sources);
        let slots = || Path::root().key("slots");
        for nth in 0..=file.page.content.slots.len() {
            let (title, value) = (slots().item(nth).key("data").key("title"), json!("x"));
            origins.place(&Edit::Set { path: title, value: value.clone() });
            let after = nth.checked_sub(1);
            let edit = Edit::Insert { list: slots(), after, value, mark: None };
            assert!(origins.place(&edit).is_some() || !file.page.has_slots, "{nth} in {file:?}");
        }
    }
}

/// Renders an error in every form.
fn failure(failure: &CommandError) {
    assert!(!failure.to_string().is_empty(), "{failure:?}");
    let json = failure.to_json().to_string();
    assert!(json.contains("\"exit\""), "{json}");
    for (FilePlace { line, column, .. }, message) in failure.places() {
        assert!(line > 0 && column > 0 && !message.is_empty(), "{line}:{column} {message}");
    }
    let mut text = String::new();
    let handler = miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::none());
    let drawn = handler.render_report(&mut text, failure.diagnostic());
    assert!(drawn.is_ok() && !text.is_empty(), "{failure:?}");
}

/// Renders the error of a response: two bytes of status, then the body.
#[cfg(feature = "fuzzing")]
pub fn error_body(bytes: &[u8]) {
    failure(&links_sdk::fuzzing::error(bytes).into());
}

/// Completes a command line in the form that bash sends: the line, the part to replace, the reason, and the width, each on its own line;
/// then a name to offer.
///
/// # Panics
///
/// When a candidate takes more than one line, or becomes anything but one word under any open quote.
pub fn completion(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let args: Vec<OsString> = text.splitn(5, '\n').map(OsString::from).collect();
    let request = CompletionRequest::of(&args);
    let Some(typed) = request.words.last() else { return };
    let typed = typed.to_string_lossy();
    assert!(request.kept <= typed.len(), "{} of {typed:?}", request.kept);
    let name = args.get(4).map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let candidate = CompletionCandidate::new(&name).help(Some(name.clone().into()));
    let offers = offer::select_candidates(&[candidate], "");
    let text = offer::bash(&offers, &request);
    assert!(text.lines().count() <= offers.len(), "{text:?}");
    if text.lines().count() == 1 && request.kept == 0 && !name.is_empty() {
        let mark = match request.quote {
            Quote::Single => "'",
            Quote::Double => "\"",
            Quote::None | Quote::Unknown => "",
        };
        let written = format!("{mark}{}{mark}", text.trim_end_matches('\n'));
        assert_eq!(shlex::split(&written), Some(vec![name]), "{written:?}");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_input_of_the_corpus_is_read() {
        type Target = fn(&[u8]);
        let targets: [(&str, Target); 2] =
            [("page_file", super::page_file), ("completion", super::completion)];
        for (target, read) in targets {
            let directory =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
            let files: Vec<_> =
                fs::read_dir(directory).unwrap().map(|it| it.unwrap().path()).collect();
            assert!(files.len() > 3, "{target}: {} inputs", files.len());
            for path in &files {
                read(&fs::read(path).unwrap());
            }
        }
    }
}
