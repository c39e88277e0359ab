//! Rendering of Markdown documents for a terminal.

use clap::builder::styling::Style;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use links_pages::sanitize;

/// Width of a rule in columns.
const RULE: usize = 40;

/// Renders headings, emphasis, lists, quotes and rules for a terminal, and URLs after the link texts. Lines are wrapped by the terminal, so
/// that a URL stays whole.
pub(super) fn render(text: &str, color: bool) -> String {
    let mut page = MarkdownPage { color, ..MarkdownPage::default() };
    Parser::new(text).for_each(|event| page.take(event));
    page.text.truncate(page.text.trim_end().len());
    page.text.push('\n');
    page.text
}

#[derive(Default)]
struct MarkdownPage {
    color: bool,
    text: String,
    /// Open styles, the innermost last.
    styles: Vec<Style>,
    /// URLs of the open links.
    links: Vec<String>,
    /// Nesting depth of quotes.
    quotes: usize,
    /// Number of the next item of each open list; `None` for an unnumbered list.
    lists: Vec<Option<u64>>,
}

impl MarkdownPage {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) | Event::Html(text) => {
                // Sanitized after parsing, because a character may be written as an entity.
                self.say(&sanitize::text(&text));
            }
            Event::SoftBreak | Event::HardBreak => self.line(),
            Event::Rule => {
                self.say(&"―".repeat(RULE));
                self.paragraph();
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.open(Style::new().bold().underline()),
            Tag::Strong => self.open(Style::new().bold()),
            Tag::Emphasis => self.open(Style::new().italic()),
            Tag::Link { dest_url, .. } => self.links.push(dest_url.into_string()),
            Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.into_string());
                self.say("▣ ");
            }
            Tag::BlockQuote(_) => {
                self.quotes += 1;
                self.say("▎ ");
            }
            Tag::List(first) => self.lists.push(first),
            Tag::Item => {
                self.say(&"  ".repeat(self.lists.len().saturating_sub(1)));
                match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let mark = format!("{number}. ");
                        *number += 1;
                        self.say(&mark);
                    }
                    _ => self.say("• "),
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.close();
                self.paragraph();
            }
            TagEnd::Strong | TagEnd::Emphasis => self.close(),
            TagEnd::Link | TagEnd::Image => {
                let url = self.links.pop().unwrap_or_default();
                self.open(Style::new().dimmed());
                self.say(&format!(" <{}>", sanitize::line(&url)));
                self.close();
            }
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::Item => self.line(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.paragraph();
            }
            TagEnd::Paragraph | TagEnd::CodeBlock | TagEnd::HtmlBlock => self.paragraph(),
            _ => {}
        }
    }

    fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn line(&mut self) {
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let indent = if self.quotes > 0 { "▎ " } else { "" };
        self.say(indent);
    }

    /// Ends a block with an empty line.
    fn paragraph(&mut self) {
        self.text.truncate(self.text.trim_end_matches(['\n', '▎', ' ']).len());
        self.say("\n\n");
    }

    fn open(&mut self, style: Style) {
        self.styles.push(style);
        if self.color {
            self.say(&style.render().to_string());
        }
    }

    /// Ends the innermost style and restores the surrounding ones.
    fn close(&mut self) {
        let Some(style) = self.styles.pop() else { return };
        if self.color {
            let around: String = self.styles.iter().map(|it| it.render().to_string()).collect();
            self.say(&format!("{}{around}", style.render_reset()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn markdown_is_rendered_with_terminal_styles() {
        let text = "# Menu\n\n*Fresh* and **strong**\ntoday\n\n- One\n- Two\n\n1. A\n2. B\n\n> Said\n\n---\n\n\
            [![Terrace](https://a.example/t.jpg)](https://qara.example)\n";
        let expected = "Menu\n\nFresh and strong\ntoday\n\n• One\n• Two\n\n1. A\n2. B\n\n▎ Said\n\n\
            ――――――――――――――――――――――――――――――――――――――――\n\n▣ Terrace <https://a.example/t.jpg> <https://qara.example>\n";
        assert_eq!(render(text, false), expected);
        let styled = render("# A **b** c\n", true);
        assert_eq!(
            styled,
            "\u{1b}[1m\u{1b}[4mA \u{1b}[1mb\u{1b}[0m\u{1b}[1m\u{1b}[4m c\u{1b}[0m\n"
        );
    }

    #[test]
    fn control_characters_in_markdown_are_escaped() {
        let bad = "\u{1b}]52;c;x\u{7}\u{202e}";
        let entities = "&#27;]52;c;x&#7;&#x202e;";
        for text in [bad, entities] {
            let text =
                render(&format!("# A{text}b\n\n[c{text}](https://a.example/?{text} 'x')\n"), false);
            assert!(text.contains("u{1b}]52"), "{text:?}");
            assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
        }
    }

    #[test]
    fn any_markdown_is_rendered_without_a_panic() {
        for text in [
            "",
            "\n",
            "*",
            "[a](",
            "> > x\n> y",
            "- a\n  - b\n    1. c",
            "```\nx\n```",
            "<b>x</b>",
            "| a |\n|---|\n| b |",
        ] {
            assert!(render(text, true).ends_with('\n'), "{text:?}");
        }
    }
}
