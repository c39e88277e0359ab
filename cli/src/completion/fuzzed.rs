//! What the fuzz targets try: a line, the part of it that is replaced, why, the width, and a name that the service has given.

use std::ffi::OsString;

use clap_complete::engine::CompletionCandidate;

use super::line::CompletionRequest;
use super::offer;
use super::quote::Quote;

/// Completes a line. No candidate may take more than a line, or become anything but one word, whatever is quoted.
pub(crate) fn completion(said: &[OsString]) {
    let asked = CompletionRequest::of(said);
    let Some(typed) = asked.words.last() else { return };
    let typed = typed.to_string_lossy();
    assert!(asked.kept <= typed.len(), "{} of {typed:?}", asked.kept);
    let name = said.get(4).map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let candidate = CompletionCandidate::new(&name).help(Some(name.clone().into()));
    let offers = offer::offers(&[candidate], "");
    let text = offer::bash(&offers, &asked);
    assert!(text.lines().count() <= offers.len(), "{text:?}");
    if text.lines().count() == 1 && asked.kept == 0 && !name.is_empty() {
        let mark = match asked.quote {
            Quote::Single => "'",
            Quote::Double => "\"",
            Quote::None | Quote::Unknown => "",
        };
        let written = format!("{mark}{}{mark}", text.trim_end_matches('\n'));
        assert_eq!(shlex::split(&written), Some(vec![name]), "{written:?}");
    }
}
