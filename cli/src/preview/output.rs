//! Output of `links preview`.

use super::shown_page::{AS_THE_SERVICE, Preview};
use super::written_pages::state;
use crate::account::summary::{self, SummaryPart};
use crate::apply::apply_args::refused;
use crate::context::prelude::*;
use crate::output::format::fence;
use crate::output::{diff_lines, unified};

/// Returns the output of previews: with `diff` the changes instead of the pages, and neither if they were written to documents. It is also
/// appended to the file of `summary`, in Markdown; `-` is standard output. With more than `max_tokens` the answer is no.
pub(crate) fn shown(
    context: &Context,
    previews: Vec<Preview>,
    diff: bool,
    summary: Option<&Path>,
    max_tokens: Option<u64>,
    documents: &[PathBuf],
) -> Result<CommandOutput> {
    let (mut data, mut pages, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    let (mut parts, mut exit) = (Vec::new(), Exit::Ok);
    let mut listed = Vec::new();
    for (nth, preview) in previews.into_iter().enumerate() {
        let (state, differs) = (state(&preview), preview.differs());
        let Preview { file, before, after, rendered_by, tokens, outlook, snapshot, live, .. } =
            preview;
        let (login, refusal) = (snapshot.login, outlook.refusal);
        let words = format!("{rendered_by}; {}", tokens.words());
        let renderer = if rendered_by == AS_THE_SERVICE { "service" } else { "model" };
        context.ui.tell(Style::Faint, format!("{login}: {words}"));
        let mut record = json!({
            "file": file, "id": live.map(|page| page.id), "login": login, "markdown": after, "renderedBy": renderer,
            "tokens": tokens.count, "tokensAreEstimated": tokens.is_estimate, "differs": differs, "refusal": refusal,
        });
        if let Some(document) = documents.get(nth) {
            let document = document.display();
            listed.push(StyledLine::plain(format!("{login}: {state}: {document}")));
            record["html"] = json!(document.to_string());
        }
        if let Some(most) = max_tokens.filter(|most| tokens.count > *most) {
            let text = format!("the page would have {}, over the limit of {most}", tokens.words());
            context.ui.tell(Style::Removed, text);
            record["maxTokens"] = json!(most);
            exit = Exit::No;
        }
        if let Some(refusal) = refusal {
            let text = format!("`links apply` would refuse {login}: {}", refused(refusal));
            context.ui.tell(Style::Removed, text);
        }
        let mut part = SummaryPart {
            heading: format!("### links preview: {}: {words}\n\n", code(&login)),
            language: if diff { "diff" } else { "markdown" },
            lines: Vec::new(),
        };
        if diff {
            let changes = unified(("the page", &before), (&file, &after));
            if differs {
                exit = Exit::No;
            }
            if before == after {
                let said = if differs {
                    "no changes in the text; run `links plan` to see the other changes"
                } else {
                    "no visible changes"
                };
                lines.push(StyledLine::plain(format!("{login}: {said}")));
                part.heading.extend([said, "\n\n"]);
            } else {
                lines.extend(diff_lines(&changes));
                part.lines = lines_of(&changes);
            }
            record["diff"] = json!(changes);
        } else {
            part.lines = lines_of(&after);
            pages.push(after);
        }
        parts.push(part);
        data.push(record);
    }
    let data = if data.len() == 1 { data.remove(0) } else { data.into() };
    let view = match documents.last() {
        Some(list) => {
            listed.push(StyledLine::plain(format!("wrote {}", list.display())));
            View::Lines(listed)
        }
        None if diff => View::Lines(lines),
        None => View::Markdown(pages.join("\n---\n\n")),
    };
    let output = CommandOutput::own(data, view).exit(exit);
    match summary {
        Some(path) => summary::put(path, &parts, output),
        None => Ok(output),
    }
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

/// Returns the lines of a text of a page for a block of code.
fn lines_of(text: &str) -> Vec<String> {
    sanitize::text(text).trim_end_matches('\n').split('\n').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_page_drives_a_terminal() {
        let hostile = "# \u{1b}]0;x\u{7}\u{202e}\n";
        assert_eq!(lines_of(hostile), ["# \\u{1b}]0;x\\u{7}\\u{202e}"]);
    }

    #[test]
    fn code_within_a_line_is_not_ended_by_its_text() {
        assert_eq!(code("cafe"), "`cafe`");
        assert_eq!(code("`<img>`\n# @x``"), "``` `<img>` # @x`` ```");
    }
}
