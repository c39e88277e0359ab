//! Output of `links preview`.

use super::shown_page::{AS_THE_SERVICE, Preview};
use crate::account::summary;
use crate::apply::apply_args::refused;
use crate::context::prelude::*;
use crate::output::format::{code_block, fence};
use crate::output::{diff_lines, unified};

/// What is made of a preview.
struct Shown {
    data: Value,
    /// The page, or its differences.
    view: View,
    summary: String,
    is_no: bool,
}

/// Returns the output of previews: with `diff` the changes instead of the pages. It is also appended to the file of `summary`, in Markdown; `-`
/// is standard output. With more than `max_tokens` the answer is no.
pub(crate) fn shown(
    context: &Context,
    previews: Vec<Preview>,
    diff: bool,
    summary: Option<&Path>,
    max_tokens: Option<u64>,
) -> Result<CommandOutput> {
    let mut all: Vec<Shown> =
        previews.into_iter().map(|it| shown_page(context, it, diff, max_tokens)).collect();
    let exit = if all.iter().any(|it| it.is_no) { Exit::No } else { Exit::Ok };
    let text: String = all.iter().map(|it| it.summary.as_str()).collect();
    let output = match (all.pop(), all.is_empty()) {
        (Some(only), true) => CommandOutput::own(only.data, only.view),
        (last, _) => {
            all.extend(last);
            let (mut data, mut lines, mut texts) = (Vec::new(), Vec::new(), Vec::new());
            for Shown { data: record, view, .. } in all {
                data.push(record);
                match view {
                    View::Markdown(text) => texts.push(text),
                    View::Lines(more) => lines.extend(more),
                    _ => {}
                }
            }
            let view =
                if diff { View::Lines(lines) } else { View::Markdown(texts.join("\n---\n\n")) };
            CommandOutput::own(data, view)
        }
    };
    match summary {
        Some(path) => summary::put(path, text, output.exit(exit)),
        None => Ok(output.exit(exit)),
    }
}

fn shown_page(context: &Context, preview: Preview, diff: bool, max_tokens: Option<u64>) -> Shown {
    let Preview { file, id, before, after, rendered_by, tokens, outlook, snapshot, .. } = preview;
    let (login, refusal) = (snapshot.login, outlook.refusal);
    let words = format!("{rendered_by}; {}", tokens.words());
    let renderer = if rendered_by == AS_THE_SERVICE { "service" } else { "model" };
    context.ui.tell(Style::Faint, format!("{login}: {words}"));
    let header = format!("{}: {words}", code(&login));
    let is_too_long = max_tokens.is_some_and(|most| tokens.count > most);
    if let Some(most) = max_tokens.filter(|_| is_too_long) {
        let text = format!("the page would have {}, more than {most}", tokens.words());
        context.ui.tell(Style::Removed, text);
    }
    if let Some(refusal) = refusal {
        let text = format!("apply would refuse {login}: {}", refused(refusal));
        context.ui.tell(Style::Removed, text);
    }
    let differs = before != after;
    let mut data = json!({
        "file": file, "id": id, "login": login, "markdown": after, "renderedBy": renderer,
        "tokens": tokens.count, "tokensAreEstimated": tokens.is_estimate, "differs": differs, "refusal": refusal,
    });
    if is_too_long {
        data["maxTokens"] = json!(max_tokens);
    }
    let diff = diff.then(|| unified(("the page", &before), (&file, &after)));
    let summary = in_markdown(&header, diff.as_deref(), &after);
    let is_no = is_too_long || diff.is_some() && differs;
    let view = match diff {
        None => View::Markdown(after),
        Some(diff) if diff.is_empty() => {
            data["diff"] = json!(diff);
            let text = format!("{login}: nothing changes for the reader");
            View::Lines(vec![StyledLine::plain(text)])
        }
        Some(diff) => {
            data["diff"] = json!(diff);
            View::Lines(diff_lines(&diff))
        }
    };
    Shown { data, view, summary, is_no }
}

/// Code within a line, with backticks that nothing in the text can end. A text of code mentions nobody and is no markup.
fn code(text: &str) -> String {
    let text = sanitize::line(text);
    let fence = fence(&text, 0);
    if fence.len() == 1 {
        format!("{fence}{text}{fence}")
    } else {
        format!("{fence} {text} {fence}")
    }
}

/// Formats a preview with its text as a block that nothing in it can end.
fn in_markdown(header: &str, diff: Option<&str>, after: &str) -> String {
    let block = match diff {
        Some("") => "Nothing changes for the reader.\n".to_owned(),
        Some(diff) => code_block("diff", &sanitize::text(diff)),
        None => code_block("markdown", &sanitize::text(after)),
    };
    format!("### links preview: {header}\n\n{block}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_page_ends_the_block_of_a_summary_or_drives_a_terminal() {
        let hostile = "# \u{1b}]0;x\u{7}\u{202e}\n";
        for text in [in_markdown("cafe", None, hostile), in_markdown("cafe", Some(hostile), "")] {
            assert!(text.contains("# \\u{1b}]0;x\\u{7}\\u{202e}\n"), "{text:?}");
        }
        let text = in_markdown("cafe: 1 token", None, "# A\n````\n<script>\n");
        let expected =
            "### links preview: cafe: 1 token\n\n`````markdown\n# A\n````\n<script>\n`````\n\n";
        assert_eq!(text, expected);
        let same = in_markdown("cafe", Some(""), "# A\n");
        assert_eq!(same, "### links preview: cafe\n\nNothing changes for the reader.\n\n");
    }

    #[test]
    fn code_within_a_line_is_not_ended_by_its_text() {
        assert_eq!(code("cafe"), "`cafe`");
        assert_eq!(code("`<img>`\n# @x``"), "``` `<img>` # @x`` ```");
    }
}
