//! Editing of a record in the user's editor, which is reopened with each problem above its line until the text is valid or left unchanged.

pub(crate) mod draft;
pub(crate) mod form_fields;

use std::path::Path;

use draft::Draft;
use links_sdk::Answer;
use serde_json::json;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::exit_code::Exit;
use crate::output::{CommandOutput, Style, StyledLine, View};
use crate::process;
use crate::signal::SuppressInterrupt;
use links_pages::page_file::Document;

/// Opens a YAML text in the editor and passes the result to `apply`, with the path of its file; repeats that when `apply` refuses the text
/// as invalid, or because others changed the same. Returns `None` if nothing was changed.
///
/// # Errors
///
/// Without a terminal or an editor; on an error of `apply` other than an invalid text, or when the text is left as it was refused. The text
/// is then kept, and the failure names its path.
pub(crate) async fn edit<T>(
    context: &mut Context,
    name: &str,
    text: &str,
    apply: impl AsyncFnMut(&mut Context, Document, &Path) -> Result<Option<T>, CommandError>,
) -> Result<Option<T>, CommandError> {
    if !context.ui.is_interactive() {
        return Err(CommandError::new(Exit::Refused, "the editor needs a terminal")
            .with_hint("change fields with FIELD=VALUE or a file instead"));
    }
    let named = context.settings.editor.clone().filter(|it| !it.trim().is_empty());
    let editor = named.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let cannot =
        |error| CommandError::usage(format!("cannot save the text in a temporary file: {error}"));
    let draft = Draft::new(name).map_err(cannot)?;
    draft.write(text, &[]).map_err(cannot)?;
    let ended = rounds(context, &editor, name, text, &draft, apply).await;
    let is_applied = context.dry_run().is_none();
    match ended {
        Ok(None) => Ok(None),
        Ok(done) if is_applied => Ok(done),
        // After an error and in a dry run the text is kept, so that no work is lost.
        ended => {
            let kept = draft.keep();
            if ended.as_ref().err().is_none_or(|failure| !failure.dry_run_results().is_empty()) {
                let text = format!("the text is saved in {}", kept.display());
                context.ui.say(&StyledLine::new(Style::Plain, text));
            }
            ended.map_err(|failure| failure.kept(&kept))
        }
    }
}

async fn rounds<T>(
    context: &mut Context,
    editor: &str,
    name: &str,
    original: &str,
    draft: &Draft,
    mut apply: impl AsyncFnMut(&mut Context, Document, &Path) -> Result<Option<T>, CommandError>,
) -> Result<Option<T>, CommandError> {
    let mut refused: Option<Refused> = None;
    loop {
        open(editor, draft.path())?;
        let saved = draft.read()?;
        let text = Draft::without_problems(&saved);
        if text == original.as_bytes() || text.trim_ascii().is_empty() {
            return Ok(None);
        }
        if let Some(before) = refused.take_if(|before| before.saved == saved) {
            return Err(before.failure);
        }
        let document = Document::from_bytes(name, text.clone()).map_err(CommandError::from);
        let result = match document {
            Ok(document) => apply(context, document, draft.path()).await,
            Err(failure) => Err(failure),
        };
        let failure = match result {
            Ok(done) => return Ok(done),
            Err(failure) => failure,
        };
        let Ok(shown) = String::from_utf8(text) else { return Err(failure) };
        let is_contested = failure.exit() == Exit::Conflict && failure.file().is_some();
        if failure.exit() != Exit::Invalid && !is_contested {
            return Err(failure);
        }
        // An editor may remove the problems and leave the text as it is, again and again.
        if !is_contested && refused.is_some_and(|before| before.text == shown) {
            return Err(failure);
        }
        context.ui.say(&StyledLine::new(
            Style::Changed,
            format!("{failure}: the file is opened again, with every problem above its line"),
        ));
        let lines = failure.lines().into_iter().map(|(line, text)| {
            let advice = if is_contested { "; delete this line to keep yours" } else { "" };
            (line, text + advice)
        });
        let written = draft.write(&shown, &lines.collect::<Vec<_>>()).map_err(|error| {
            CommandError::usage(format!("cannot write {}: {error}", draft.path().display()))
        })?;
        refused = Some(Refused { saved: written, text: shown, failure });
    }
}

/// A text that was refused.
struct Refused {
    /// Content of the file with the problems.
    saved: Vec<u8>,
    /// The text without them.
    text: String,
    failure: CommandError,
}

/// Returns the output of a command after an edit: the service's answer, if there is one.
pub(crate) fn outcome(answer: Option<&Answer>, first: &'static [&'static str]) -> CommandOutput {
    match answer {
        Some(answer) => CommandOutput::service(answer.body().clone(), View::Record(first)),
        None => unchanged(),
    }
}

/// Returns the output of a command when nothing was changed.
pub(crate) fn unchanged() -> CommandOutput {
    let line = StyledLine::new(Style::Plain, "no changes");
    CommandOutput::own(json!({ "changed": false }), View::Lines(vec![line]))
}

fn open(editor: &str, draft: &Path) -> Result<(), CommandError> {
    let failed = |why: String| {
        CommandError::usage(format!("the editor `{editor}` failed: {why}"))
            .with_hint("set VISUAL or EDITOR to choose the editor")
    };
    let mut command = process::named(editor).map_err(|error| failed(error.to_string()))?;
    // An editor handles Ctrl-C itself.
    let _tended = SuppressInterrupt::new();
    match command.arg(draft).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(status.to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}
