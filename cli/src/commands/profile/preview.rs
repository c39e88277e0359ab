//! `links profile preview`: prints a page in Markdown, or compares it with a file, which it can also update.

use links_sdk::Markdown;
use similar::TextDiff;

use crate::args::page::is_yaml_or_json;
use crate::commands::prelude::*;
use crate::output::{diff_lines, unified};
use crate::ui::annotations::Annotate;
use links_pages::fs::named::ReadError;

#[derive(Args, Debug)]
#[command(
    examples = ["links profile preview cafe", "links profile preview cafe --expect cafe.md --update", "links profile preview cafe --expect cafe.md --max-tokens 2000 --annotate github"]
)]
pub(crate) struct ProfilePreviewArgs {
    /// ID, login or URL of the page
    key: PageKey,
    /// Compare the page with this file; exit with 3 if they differ
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Write the page to the file instead of comparing
    #[arg(long, requires = "expect")]
    update: bool,
    /// Exit with 3 if the page is longer than N language-model tokens
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Print annotations for a CI service where the page differs
    #[arg(long, value_name = "SERVICE")]
    annotate: Option<Annotate>,
}

pub(super) async fn preview(context: &mut Context, args: ProfilePreviewArgs) -> CommandResult {
    let page = args.key.page(&context.client().await?).await?.markdown().await?;
    let too_long = too_long(page.tokens, args.max_tokens)?;
    if let Some(message) = &too_long {
        context.ui.tell(Style::Removed, message.clone());
        if let Some(annotate) = args.annotate {
            annotate.error(None, message);
        }
    }
    let mut data = json!({ "markdown": page.text, "tokens": page.tokens });
    if too_long.is_some() {
        data["maxTokens"] = json!(args.max_tokens);
    }
    let outcome = match &args.expect {
        None => CommandOutput::own(data, View::Markdown(page.text)),
        Some(file) if args.update => update(file, &page, data)?,
        Some(file) => compare(file, &page, data, args.annotate)?,
    };
    Ok(outcome.no_if(too_long.is_some()))
}

/// Returns the message about a page that is longer than the limit.
fn too_long(tokens: Option<u64>, limit: Option<u64>) -> Result<Option<String>> {
    let Some(limit) = limit else { return Ok(None) };
    let unknown = "the number of tokens is missing";
    let tokens = tokens.ok_or_else(|| CommandError::unreadable(unknown))?;
    Ok((tokens > limit).then(|| format!("the page has {tokens} tokens, over the limit of {limit}")))
}

/// Writes the page to the file.
fn update(file: &Path, page: &Markdown, data: Value) -> CommandResult {
    if is_yaml_or_json(file) {
        let message = format!("{} is not a Markdown file; nothing was written", file.display());
        return Err(CommandError::usage(message).with_hint("use a name such as cafe.md"));
    }
    atomic::write(file, &page.text, true).map_err(cannot("write", file))?;
    Ok(said(data, format!("updated {}", file.display())))
}

/// Compares the page with the file. The output adds `differs` and `diff` to `data`.
fn compare(
    file: &Path,
    page: &Markdown,
    mut data: Value,
    annotate: Option<Annotate>,
) -> CommandResult {
    let (name, bytes) = named::read(file).map_err(unreadable)?;
    let (expected, found) = (lines(&String::from_utf8_lossy(&bytes)), lines(&page.text));
    if expected == found {
        data["differs"] = json!(false);
        return Ok(said(data, format!("the page matches {name}")));
    }
    let text = unified((&name, &expected), ("the page", &found));
    if let Some(annotate) = annotate {
        let message = "the page differs here; to accept the page, run `links profile preview KEY --expect FILE --update`";
        for group in TextDiff::from_lines(&expected, &found).grouped_ops(0) {
            let line = group.first().map_or(0, |op| op.old_range().start) + 1;
            annotate.error(Some((&name, line)), message);
        }
    }
    data["differs"] = json!(true);
    data["diff"] = json!(text);
    let view = View::Lines(diff_lines(&text));
    Ok(CommandOutput::own(data, view).exit(Exit::No))
}

/// Returns the error for a file that cannot be read, with a hint if there is none.
fn unreadable(error: ReadError) -> CommandError {
    let is_absent =
        matches!(&error, ReadError::Io(_, error) if error.kind() == io::ErrorKind::NotFound);
    CommandError::from(error).hinted(is_absent.then_some("pass --update to create the file"))
}

/// Returns the text with the line ends of the service: Git may have converted those of the file.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_have_as_many_tokens_as_the_limit() {
        assert_eq!(too_long(Some(10), Some(10)).unwrap(), None);
        assert_eq!(too_long(None, None).unwrap(), None);
        let expected = "the page has 11 tokens, over the limit of 10";
        assert_eq!(too_long(Some(11), Some(10)).unwrap().as_deref(), Some(expected));
        assert_eq!(too_long(None, Some(10)).unwrap_err().exit(), Exit::Server);
    }

    #[test]
    fn only_for_a_missing_file_the_hint_names_update() {
        let absent = ReadError::Io("cafe.md".to_owned(), io::ErrorKind::NotFound.into());
        assert_eq!(unreadable(absent).hint(), Some("pass --update to create the file"));
        let locked = ReadError::Io("cafe.md".to_owned(), io::ErrorKind::PermissionDenied.into());
        assert_ne!(unreadable(locked).hint(), Some("pass --update to create the file"));
    }
}
