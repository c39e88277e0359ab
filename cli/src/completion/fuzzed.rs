//! Entry point of the fuzz targets. Its input is a line, the part to replace, the reason for the request, the width, and a name from the
//! service.

use std::ffi::OsString;

use clap_complete::engine::CompletionCandidate;

use super::line::CompletionRequest;
use super::offer;
use super::quote::Quote;

/// Completes a line, and panics if a candidate takes more than one line, or becomes anything but one word under any open quote.
pub(crate) fn completion(args: &[OsString]) {
    let request = CompletionRequest::of(args);
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
