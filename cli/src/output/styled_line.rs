//! Lines of text with styles, and the diff of two texts as such lines.

use std::ops::Range;

use similar::TextDiff;

use links_pages::sanitize;

/// Line of text with a style. Always a single line without terminal control sequences, whatever its parts came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyledLine {
    /// Style of the line, which sets its colour on a terminal.
    pub(crate) tone: Style,
    text: String,
    /// Parts of the text that stand out on a terminal, in their order.
    marked: Vec<Range<usize>>,
}

/// Style of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Default style.
    Plain,
    /// Addition.
    Added,
    /// Change.
    Changed,
    /// Removal.
    Removed,
    /// Less important text.
    Faint,
}

impl StyledLine {
    /// Creates a line with a style. Line breaks in the text become spaces.
    pub(crate) fn new(tone: Style, text: impl AsRef<str>) -> Self {
        let text = sanitize::one_line(text.as_ref()).into_owned();
        Self { tone, text, marked: Vec::new() }
    }

    /// Creates a line in the default style.
    pub(crate) fn plain(text: impl AsRef<str>) -> Self {
        Self::new(Style::Plain, text)
    }

    /// Creates a line about an addition.
    pub(crate) fn added(text: impl AsRef<str>) -> Self {
        Self::new(Style::Added, text)
    }

    /// Creates a line about a change.
    pub(crate) fn changed(text: impl AsRef<str>) -> Self {
        Self::new(Style::Changed, text)
    }

    /// Creates a line about a removal.
    pub(crate) fn removed(text: impl AsRef<str>) -> Self {
        Self::new(Style::Removed, text)
    }

    /// Creates a line that is less important.
    pub(crate) fn faint(text: impl AsRef<str>) -> Self {
        Self::new(Style::Faint, text)
    }

    /// Returns the line below another one.
    pub(crate) fn indented(self) -> Self {
        Self::new(self.tone, format!("  {}", self.text))
    }

    /// Adds a text. `is_marked` says that it stands out on a terminal.
    pub(crate) fn push(&mut self, text: &str, is_marked: bool) {
        let start = self.text.len();
        self.text += &sanitize::one_line(text);
        if is_marked && self.text.len() > start {
            self.marked.push(start..self.text.len());
        }
    }

    /// Parts of the text, and whether they stand out on a terminal.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut end = 0;
        let end_of_text = self.text.len()..self.text.len();
        let ranges = self.marked.iter().cloned().chain(std::iter::once(end_of_text));
        ranges.flat_map(move |range| {
            let before = end..range.start;
            end = range.end;
            [(&self.text[before], false), (&self.text[range], true)]
        })
    }

    /// Sanitized text of the line.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// Returns the unified diff of two texts, which is empty if they are equal.
pub(crate) fn unified(old: (&str, &str), new: (&str, &str)) -> String {
    let (old_name, new_name) = (sanitize::line(old.0), sanitize::line(new.0));
    let diff = TextDiff::from_lines(old.1, new.1);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT).header(&old_name, &new_name).to_string()
}

/// Returns the lines of a diff with their styles.
pub(crate) fn diff_lines(diff: &str) -> Vec<StyledLine> {
    diff.lines().map(styled).collect()
}

fn styled(line: &str) -> StyledLine {
    let style = match line.as_bytes().first() {
        Some(b'+') => Style::Added,
        Some(b'-') => Style::Removed,
        Some(b'@') => Style::Faint,
        _ => Style::Plain,
    };
    StyledLine::new(style, line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_diff_has_the_style_of_its_sign() {
        let style = |line| styled(line).tone;
        assert_eq!((style("+a"), style("-a")), (Style::Added, Style::Removed));
        assert_eq!((style("@@ -1 +1 @@"), style(" a")), (Style::Faint, Style::Plain));
        assert_eq!(style(""), Style::Plain);
    }

    #[test]
    fn a_diff_names_both_texts_and_is_empty_for_equal_ones() {
        assert_eq!(unified(("a", "x\n"), ("b", "x\n")), "");
        let diff = unified(("now", "x\n"), ("cafe\n.yaml", "y\n"));
        assert_eq!(diff, "--- now\n+++ cafe .yaml\n@@ -1 +1 @@\n-x\n+y\n");
    }
}
